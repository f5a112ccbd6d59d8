"""Writes the journal of a test that does not exist, at its pace: what a monitor can follow, without
the test's work.

``python tests/monitor/fast_writer.py JOURNAL [--rate 2000] [--seconds 3600] [--ahead 3000]``: one
actuator with a slow growing sine and a bilinear force, three parameters on their way, written in
bursts of a hundredth of a second; the first seconds (``--ahead``) all at once, stamped as if the
test had run until now.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from femu.experimental.journal.journal import Journal
from femu.results.outcome import Outcome

BURST = 0.01  # seconds
TRUE = np.array([2.0e6, 2.2e5, 0.03])
SLIP, STIFFNESS, HARDENING = 20.0, 10.0, 0.3


class Column:
    """Displacement and force of a bilinear column."""

    def __init__(self) -> None:
        self.plastic, self.random = 0.0, np.random.default_rng(1)

    def command(self, t: Any) -> Any:
        """Command at a time, or at many."""
        return (
            100.0
            * np.sin(2.0 * np.pi * 0.7 * t)
            * (0.3 + 0.7 * np.abs(np.sin(2.0 * np.pi * t / 900.0)))
        )

    def measured(self, d: np.ndarray) -> np.ndarray:
        """Measured displacements and forces after commands, a row each."""
        plastic = np.empty(len(d))
        for k, at in enumerate(d.tolist()):
            self.plastic = plastic[k] = min(max(self.plastic, at - SLIP), at + SLIP)
        noise = self.random.standard_normal((len(d), 2))
        return np.column_stack(
            [d + 0.02 * noise[:, 0], STIFFNESS * (d - plastic) + HARDENING * d + 0.5 * noise[:, 1]]
        )


def estimates(t: np.ndarray) -> np.ndarray:
    """Parameters, their standard deviations, and what the updater reports of its consistency, a row
    for each time."""
    spread = (np.exp(-t / 300.0) * 0.2 + 0.002)[:, None]
    values = TRUE * (1.0 + spread * np.sin(t[:, None] / 40.0 + np.arange(3)))
    return np.column_stack(
        [values, TRUE * spread, 1.0 + 0.2 * np.sin(t), np.full(len(t), 0.8), np.full(len(t), 1.2)]
    )


def fill(journal: Journal, column: Column, rate: float, count: int) -> None:
    """The first steps, all at once."""
    steps = np.arange(1, count + 1)
    t = steps / rate
    d, stamps = column.command(t), time.time() - (count / rate - t)
    none = np.zeros((count, 3))
    content: tuple[tuple[Any, np.ndarray], ...] = (
        (journal.tables.command["column"], d[:, None]),
        (journal.tables.measured["column"], column.measured(d)),
        (journal.tables.record, estimates(t)),
        (journal._specimens, none[:, :1]),
        (journal._state, none),
    )
    for rows, values in content:
        rows.put(np.column_stack([steps, t, values, stamps]))
        rows.flush()


def main() -> None:
    """Write."""
    ask = argparse.ArgumentParser()
    ask.add_argument("journal")
    ask.add_argument("--rate", type=float, default=2000.0)
    ask.add_argument("--seconds", type=float, default=3600.0)
    ask.add_argument("--ahead", type=float, default=0.0)
    reported = ask.parse_args()
    steps, column = round(reported.seconds * reported.rate), Column()
    about = {
        "model": "one column",
        "steps": steps,
        "rate": reported.rate,
        "limits": {"column": {"displacement": 120.0, "force": 400.0}},
        "updating": ["yield_force", "plastic_moment", "b"],
        "updating_at": 0,
    }
    journal = Journal(
        reported.journal, {"column": 1}, state=3, specimens=1, record=9, overwrite=True, about=about
    )
    first = round(reported.ahead * reported.rate)
    if first:
        fill(journal, column, reported.rate, first)
    began = time.monotonic() - reported.ahead
    for k in range(first + 1, steps + 1):
        t = k / reported.rate
        if k % round(BURST * reported.rate) == 1:
            time.sleep(max(0.0, began + t - time.monotonic()))
        d = np.array([column.command(t)])
        journal.command("column", k, t, d)
        journal.measured("column", k, t, *np.split(column.measured(d)[0], 2))
        journal.commit(k, t, np.zeros(3), np.zeros(1), record=estimates(np.array([t]))[0])
    journal.close(Outcome.COMPLETE, "")


if __name__ == "__main__":
    main()
