"""Soak: a paced hybrid test with the updater in a second process, watched for overruns, memory, size of the file and drift."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from femu import GroundMotion
from femu.analyses import HybridTest, Pace
from femu.experimental import read_journal
from femu.outcome import Outcome
from femu.updating import RemoteUpdater
from tests.campaign.tally import Tally

RATE = 250.0  # steps a second
QUICK, FULL = 20.0, 3600.0  # seconds
GROWTH = 100_000  # kilobytes beyond what the result and the journal themselves need
DRIFT = 1e-3  # share by which the rate may differ where no step overran


def run(quick: bool) -> Tally:
    sys.path.insert(0, str(Path(__file__).parents[1] / "updating"))
    import remote_spring as spring

    seconds, tally = QUICK if quick else FULL, Tally()
    steps = round(seconds * RATE)
    t = 0.01 * np.arange(int(seconds * 100) + 2)
    swell = np.random.default_rng(1).uniform(0.5, 1.0, len(t))
    quake = GroundMotion("noise", 0.01, 4.0 * swell * np.sin(2.0 * np.pi * t))
    with tempfile.TemporaryDirectory() as name, RemoteUpdater(f"{Path(spring.__file__)}:make_updater", rate=100.0) as updater:
        journal = Path(name) / "soak.h5"
        test = HybridTest(spring.two_springs(), quake, dt=1.0 / RATE, duration=steps / RATE, pace=Pace(RATE), updater=updater)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        result = test.run(journal)
        took = time.perf_counter() - began
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        size = journal.stat().st_size
        record = read_journal(journal)
        samples = updater.history[-1, 2] if len(updater.history) else 0.0
    tally.steps, tally.lost = result.steps, max(0, result.steps - min(record.steps, len(record.measured["tested"])))
    overruns = result.pace.overruns if result.pace is not None else -1
    stamps = record.state[:, -1]
    rate = (len(stamps) - 1) / (stamps[-1] - stamps[0]) if len(stamps) > 1 else 0.0
    tally.lines += [
        ("load", f"{result.steps} steps at {RATE:g} a second, {took:.0f} s, {result.outcome.name}"),
        ("overruns", f"{overruns} ({100.0 * overruns / max(1, result.steps):.3g} %)"),
        ("step time, 50 / 99 / 100 %", " / ".join(f"{1e3 * result.pace.step_times[p]:.2f}" for p in ("50", "99", "100")) + " ms"
         if result.pace is not None else ""),
        ("rate held", f"{rate:.3f} a second, {100.0 * (rate / RATE - 1.0):+.3g} %"),
        ("memory grown", f"{grown / 1024:.1f} MB"),
        ("journal", f"{size / 1e6:.1f} MB, {size / max(1, result.steps):.0f} bytes a step"),
        ("updater", f"{samples:.0f} samples heard, fy = {float(updater.values[0]):.3f} (true {spring.STRENGTH:g})"),
    ]
    if result.outcome is not Outcome.COMPLETE:
        tally.failures.append(f"the test ended with {result.outcome.name}: {result.message}")
    if grown > GROWTH + size // 1024 * 4:
        tally.failures.append(f"memory grew by {grown // 1024} MB")
    if overruns == 0 and abs(rate / RATE - 1.0) > DRIFT:
        tally.failures.append(f"the rate drifted to {rate:g} without an overrun")
    if samples < 1:
        tally.failures.append("the updater heard nothing")
    return tally
