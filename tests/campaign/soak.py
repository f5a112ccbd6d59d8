"""Soak: a paced hybrid test with the updater in a second process, watched for overruns, memory,
size of the file and drift.

``python -m tests.campaign.soak [--seconds N] [--rate N] [--priority N] [--journal PATH]`` runs it
alone and prints what came; a journal that is named stays, and a monitor can be attached to it while
the test runs.

The test runs in a process of its own. This one looks at the memory of the test and of its updater
once a second from outside, so that looking costs the test nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from femu import GroundMotion
from femu.analyses import HybridTest, Pace
from femu.results.save import Save
from femu.updating import RemoteUpdater
from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
RATES = (2000.0, 1000.0, 500.0, 250.0)  # steps a second, tried in this order
TRIAL = 3.0  # seconds of a trial
HELD = 0.01  # largest share of overruns of a rate that is held
QUICK, FULL = 120.0, 3600.0  # seconds
UPDATES = 100.0  # samples a second that the updater takes
SAVED = 100.0  # rows a second that the result keeps; the journal has every step
WARM = 0.2  # share of the test after which its memory should grow by its results only
GROWTH = 50.0  # megabytes beyond what the result itself needs
DRIFT = 1e-3  # share by which the rate may differ where no step overran
LOOK = 1.0  # seconds between looks at the memory
PATIENCE = 600.0  # seconds beyond the test's own until it counts as hung, for start and end
PRIORITY = 40  # real-time priority of the hour, where the system allows it
PARTS = 10  # of the test, whose rates are compared
TIMES = ("50", "99", "99.9", "100")  # percentiles
MARK = "soak: "


def soak(seconds: float, rate: float, priority: int | None, journal: Path) -> dict[str, Any]:
    """The test itself; returns what only its process knows."""
    sys.path.insert(0, str(ROOT / "tests" / "updating"))
    import remote_spring as spring

    t = 0.01 * np.arange(int(seconds * 100) + 2)
    swell = np.random.default_rng(1).uniform(0.5, 1.0, len(t))
    quake = GroundMotion("noise", 0.01, 4.0 * swell * np.sin(2.0 * np.pi * t))
    steps = round(seconds * rate)
    with RemoteUpdater(f"{Path(spring.__file__)}:make_updater", rate=UPDATES) as updater:
        test = HybridTest(
            spring.two_springs(),
            quake,
            dt=1.0 / rate,
            duration=steps / rate,
            pace=Pace(rate, priority=priority),
            updater=updater,
            save=Save(every=max(1, round(rate / SAVED))),
        )
        began = time.perf_counter()
        result = test.run(journal)
        took = time.perf_counter() - began
        received = updater.history[-1] if len(updater.history) else np.zeros(5)
        # it doubles its table when full
        kept = sum(a.nbytes for a in result.arrays.values()) + 1.5 * updater.history.nbytes
        pace = result.pace
    assert pace is not None
    return {
        "steps": result.steps,
        "wanted": steps,
        "outcome": result.outcome.name,
        "message": result.message,
        "took": took,
        "overruns": pace.overruns,
        "times": pace.step_times,
        "notes": list(pace.notes),
        "kept": kept / 2**20,
        "samples": float(received[2]),
        "dropped": float(received[3]),
        "found": float(updater.values[0]),
        "true": spring.STRENGTH,
    }


def watched(
    seconds: float, rate: float, priority: int | None, journal: Path
) -> tuple[dict[str, Any], list[tuple[float, float]]]:
    """Run a test in another process.

    Returns what it reported and the megabytes of (test, updater) once a second.
    """
    words = [
        sys.executable,
        "-m",
        "tests.campaign.soak",
        "--inside",
        "--seconds",
        repr(seconds),
        "--rate",
        repr(rate),
        "--journal",
        str(journal),
        *(["--priority", str(priority)] if priority else []),
    ]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    # a machine that is busy with other things takes its time
    deadline = time.monotonic() + 10.0 * seconds + PATIENCE
    looks: list[tuple[float, float]] = []
    while process.poll() is None:
        time.sleep(LOOK)
        if time.monotonic() > deadline:
            process.kill()
            raise TimeoutError("the test hung")
        family = _family(process.pid)
        # the test, the keeper of its updater, and the updater
        if journal.exists() and len(family) == 3:
            looks.append((_megabytes(family[0]), _megabytes(family[2])))
    # a process that has just ended has no memory
    looks = [look for look in looks if min(look) > 0.0]
    reported = process.stdout.read() if process.stdout is not None else ""
    for line in reported.splitlines():
        if line.startswith(MARK):
            return json.loads(line[len(MARK) :]), looks
    raise RuntimeError(f"the test crashed with exit code {process.returncode}")


def _family(pid: int) -> list[int]:
    """A process and its first descendants, if the system shows them."""
    found = [pid]
    with contextlib.suppress(OSError, IndexError):
        while True:
            found.append(
                int(Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text().split()[0])
            )
    return found


def _megabytes(pid: int) -> float:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20
    return float("nan")


def rate_held(folder: Path, priority: int | None) -> float:
    """The highest rate that this machine holds at the moment."""
    for rate in RATES[:-1]:
        reported, _ = watched(TRIAL, rate, priority, folder / f"trial-{rate:g}.h5")
        if reported["overruns"] <= HELD * reported["steps"]:
            return rate
    return RATES[-1]


def stamps(journal: Path) -> tuple[np.ndarray, int]:
    """Wall clock of every committed step in a journal, and the number of measurements."""
    with h5py.File(journal, "r") as file:
        both = [file[name][:, -1] for name in ("committed/checksums", "elements/0/measured")]
    return both[0][np.isfinite(both[0])], int(np.isfinite(both[1]).sum())


def reported(
    seconds: float, rate: float | None, priority: int | None, journal: Path | None
) -> Tally:
    """Run a test and say what came of it."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        rate = rate_held(Path(name), priority) if rate is None else rate
        path = Path(name) / "soak.h5" if journal is None else journal
        found, looks = watched(seconds, rate, priority, path)
        size = path.stat().st_size
        clock, measured = stamps(path)
    steps = found["steps"]
    tally.steps, tally.lost = steps, max(0, steps - min(len(clock), measured))
    held = (len(clock) - 1) / (clock[-1] - clock[0]) if len(clock) > 1 else 0.0
    parts = [
        (len(part) - 1) / (part[-1] - part[0])
        for part in np.array_split(clock, PARTS)
        if len(part) > 1
    ]
    warm = np.array(looks[int(WARM * len(looks)) :]).reshape(-1, 2)
    grown = warm[-1] - warm[0] if len(warm) > 1 else np.zeros(2)
    overruns = found["overruns"]
    tally.lines += [
        (
            "load",
            f"{steps} of {found['wanted']} steps at {rate:g} a second, {found['took']:.0f} s, "
            f"{found['outcome']}",
        ),
        ("overruns", f"{overruns} ({100.0 * overruns / max(1, steps):.3g} %)"),
        (
            "step time, 50 / 99 / 99.9 / 100 %",
            " / ".join(f"{1e3 * found['times'][p]:.2f}" for p in TIMES) + " ms",
        ),
        ("rate held", f"{held:.3f} a second, {100.0 * (held / rate - 1.0):+.3g} %"),
        (
            "rate of the tenths of the test",
            f"{min(parts, default=0.0):.2f} to {max(parts, default=0.0):.2f} a second",
        ),
        (
            "memory of the test",
            f"{warm[-1, 0]:.1f} MB, {grown[0]:+.1f} MB since {100 * WARM:g} % of the test; its "
            f"result holds {found['kept']:.1f} MB"
            if len(warm)
            else "not known on this system",
        ),
        (
            "memory of the updater",
            f"{warm[-1, 1]:.1f} MB, {grown[1]:+.1f} MB"
            if len(warm)
            else "not known on this system",
        ),
        (
            "journal",
            f"{size / 1e6:.1f} MB, {size / max(1, steps):.0f} bytes a step, {len(clock)} steps, "
            f"{measured} measurements",
        ),
        (
            "updater",
            f"{found['samples']:.0f} samples taken, of the {UPDATES:g} a second that it is given "
            f"time for; {found['dropped']:.0f} older ones passed over; fy = {found['found']:.3f} "
            f"(true {found['true']:g})",
        ),
        *(("note", note) for note in found["notes"]),
    ]
    if found["outcome"] != "COMPLETE":
        tally.failures.append(f"the test ended with {found['outcome']}: {found['message']}")
    if grown[0] > GROWTH + found["kept"]:
        tally.failures.append(f"the memory of the test grew by {grown[0]:.0f} MB")
    if grown[1] > GROWTH:
        tally.failures.append(f"the memory of the updater grew by {grown[1]:.0f} MB")
    if overruns == 0 and abs(held / rate - 1.0) > DRIFT:
        tally.failures.append(f"the rate drifted to {held:g} without an overrun")
    if found["samples"] < 1:
        tally.failures.append("the updater received nothing")
    return tally


def run(quick: bool) -> Tally:
    return reported(QUICK, None, None, None) if quick else reported(FULL, None, PRIORITY, None)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=FULL)
    parser.add_argument(
        "--rate", type=float, help="steps a second; left out: the highest that this machine holds"
    )
    parser.add_argument(
        "--priority", type=int, help="real-time priority, where the system allows it"
    )
    parser.add_argument("--journal", type=Path, help="keep the journal here")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        print(
            MARK + json.dumps(soak(given.seconds, given.rate, given.priority, given.journal)),
            flush=True,
        )
        return 0
    tally = reported(given.seconds, given.rate, given.priority, given.journal)
    for what, came in tally.lines:
        print(f"{what}: {came}")
    for failure in tally.failures:
        print(f"FAILED: {failure}")
    print(f"samples lost: {tally.lost}")
    return 1 if tally.failures or tally.lost else 0


if __name__ == "__main__":
    sys.exit(main())
