"""Writes the journal of a test that does not exist, at its pace: what a monitor can follow, without the test's work.

``python tests/monitor/fast_writer.py JOURNAL [--rate 2000] [--seconds 3600] [--ahead 3000]``: one actuator with a slow growing
sine and a bilinear force, three parameters on their way, written in bursts of a hundredth of a second; the first seconds
(``--ahead``) as fast as the disk takes them.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from femu.experimental.journal import Journal
from femu.outcome import Outcome

BURST = 0.01  # seconds
TRUE = np.array([2.0e6, 2.2e5, 0.03])


def main() -> None:
    """Write."""
    ask = argparse.ArgumentParser()
    ask.add_argument("journal")
    ask.add_argument("--rate", type=float, default=2000.0)
    ask.add_argument("--seconds", type=float, default=3600.0)
    ask.add_argument("--ahead", type=float, default=0.0)
    told = ask.parse_args()
    steps, random = round(told.seconds * told.rate), np.random.default_rng(1)
    about = {"model": "one column", "steps": steps, "rate": told.rate,
             "limits": {"column": {"displacement": 120.0, "force": 400.0}},
             "updating": ["yield_force", "plastic_moment", "b"], "updating_at": 0}
    journal = Journal(told.journal, {"column": 1}, state=3, specimens=1, record=9, overwrite=True, about=about)
    began, plastic = time.monotonic(), 0.0
    for k in range(1, steps + 1):
        t = k / told.rate
        if t <= told.ahead:
            began = time.monotonic() - t
        elif k % round(BURST * told.rate) == 1:
            time.sleep(max(0.0, began + t - time.monotonic()))
        d = 100.0 * np.sin(2.0 * np.pi * 0.7 * t) * (0.3 + 0.7 * abs(np.sin(2.0 * np.pi * t / 900.0)))
        plastic = float(np.clip(plastic, d - 20.0, d + 20.0))
        force = 10.0 * (d - plastic) + 0.3 * d + 0.5 * random.standard_normal()
        journal.command("column", k, t, np.array([d]))
        journal.measured("column", k, t, np.array([d + 0.02 * random.standard_normal()]), np.array([force]))
        spread = np.exp(-t / 300.0) * 0.2 + 0.002
        values = TRUE * (1.0 + spread * np.sin(t / 40.0 + np.arange(3)))
        record = np.concatenate([values, TRUE * spread, [1.0 + 0.2 * np.sin(t), 0.8, 1.2]])
        journal.commit(k, t, np.zeros(3), np.zeros(1), record=record)
    journal.close(Outcome.COMPLETE, "")


if __name__ == "__main__":
    main()
