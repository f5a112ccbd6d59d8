"""``femu bench hybrid``: time of a step of a hybrid test, and the highest rate that is held.

The building of Mosqueda and Ahmadizadeh: 15 storeys with Bouc-Wen shear and a specimen of two
actuators, without a network. The specimen is emulated; the time of its measurements is subtracted
if the row says so. El Centro is repeated for as long as the test lasts. A rate is held if no
step is late in the whole test. Rates are tried upwards for a short time each, then downwards for
the full time; a test waits awake there, bound to a processor. At the rate of the paper, waiting
asleep with real-time priority is compared with it, and a loop that does nothing shows what the
machine itself costs in both cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from femu.analyses import HybridTest, ImplicitHybrid, Pace
from femu.experimental import EigenvectorTangent
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.pacing import Pacer, PaceReport
from femu.records import GroundMotion
from femu.results.save import Save
from femu.studies.fifteen_storeys import (
    COLUMNS,
    DISPLACEMENT_NOISE,
    DT,
    DURATION,
    FORCE_NOISE,
    TWICE,
    emulated,
    hybrid_building,
    motion,
)
from femu.support.tables import Row, Table

Array = npt.NDArray[np.float64]
# steps per second
RATES = (
    16,
    32,
    64,
    128,
    256,
    512,
    1024,
    1536,
    2048,
    3072,
    4096,
    5120,
    6144,
    8192,
    10240,
    12288,
    16384,
)
QUICK_RATES = (32, 256, 1024, 2048, 4096, 8192)
WANTED = 1024.0  # of the paper, and the default of Pace
HELD, QUICK_HELD, SHORT = 20.0, 3.0, 1.0  # seconds of wall clock
PRIORITY = 80
AT_ONCE = 1e9  # a rate at which no step waits
REPEATED = 10  # tests whose steps are timed
TRIES = 2  # of the same rate: other work on the machine may disturb one


@lru_cache(maxsize=4)
def shaking(seconds: float) -> GroundMotion:
    """El Centro, repeated."""
    once = motion()
    times = int(np.ceil(seconds / once.duration))
    return GroundMotion(f"{once.name}, repeated", once.dt, np.tile(once.acceleration, times))


def hybrid(steps: int, pace: Pace | None = None) -> HybridResult:
    """A test of a number of steps."""
    tangent = EigenvectorTangent(
        displacement_noise=DISPLACEMENT_NOISE, force_noise=FORCE_NOISE / TWICE
    )
    test = HybridTest(
        hybrid_building(emulated(1)),
        shaking(steps * DT + DURATION),
        ImplicitHybrid(),
        dt=DT,
        duration=steps * DT,
        tangents={COLUMNS: tangent},
        pace=pace,
        save=Save(every=max(steps // 1000, 1)),
    )
    result = test.run()
    assert result.outcome.ok, result.message
    return result


def pace_of(rate: float, awake: bool) -> Pace:
    """Both ways of waiting: awake, or asleep with real-time priority."""
    return (
        Pace(rate, core=_core(), awake=True)
        if awake
        else Pace(rate, core=_core(), priority=PRIORITY)
    )


def paced(rate: float, seconds: float, awake: bool = True) -> HybridResult:
    """A test at a rate."""
    return hybrid(round(rate * seconds), pace_of(rate, awake))


def empty_loop(rate: float, seconds: float, awake: bool) -> tuple[int, float]:
    """Overruns of a loop without work at a rate, and by how many seconds its latest turn was late."""
    pace = pace_of(rate, awake)
    turns = np.empty(round(rate * seconds))
    with Pacer(pace) as pacer:
        for i in range(len(turns)):
            pacer.wait()
            turns[i] = pace.clock()
    return pacer.overruns, float(np.diff(turns).max() - pacer.period)


def highest(
    holds: Callable[[float, float], bool], rates: Sequence[float], held: float, short: float
) -> float:
    """The highest rate that holds for the full time; 0 if none does."""
    promising = []
    for rate in rates:
        if not any(holds(rate, short) for _ in range(TRIES)):
            break
        promising.append(rate)
    for rate in reversed(promising):
        if any(holds(rate, held) for _ in range(TRIES)):
            return float(rate)
    return 0.0


def run(quick: bool = False) -> Table:
    """Times of a step, and the rate that is held.

    Longer than a page: the rows of the table, one after the other.
    """
    steps = round(DURATION / DT)
    hybrid(50)  # compiles
    tests = [paced(AT_ONCE, steps / AT_ONCE) for _ in range(1 if quick else REPEATED)]
    whole, waiting, iterations = (
        np.concatenate([t.of_step(name)[1:] for t in tests])
        for name in ("seconds", "waiting", "iterations")
    )
    rows = []
    for name, times in (
        ("step without asking the specimen", 1e6 * (whole - waiting)),
        ("step with the emulated specimen", 1e6 * whole),
    ):
        rows += [
            Row(f"{name}: median", float(np.median(times)), "us"),
            Row(f"{name}: 99.9th percentile", float(np.percentile(times, 99.9)), "us"),
            Row(f"{name}: longest of {len(times)}", float(times.max()), "us"),
        ]
    rows.append(Row("iterations per step, mean", float(iterations.mean()), ""))
    held = QUICK_HELD if quick else HELD
    reports: dict[float, PaceReport] = {}

    def holds(rate: float, seconds: float) -> bool:
        reports[rate] = report_of(paced(rate, seconds))
        return reports[rate].overruns == 0

    rates = QUICK_RATES if quick else RATES
    rate = highest(holds, rates, held, SHORT)
    rows.append(
        Row(
            f"highest rate held for {held:g} s without an overrun", rate, "steps per second", WANTED
        )
    )
    for at in (rate,) if rate not in (0.0, WANTED) else ():
        rows += of_pace(f"at {at:g} per second, awake", reports[at])
    asleep = report_of(paced(WANTED, held, awake=False))
    awake = reports[WANTED] if rate == WANTED else report_of(paced(WANTED, held))
    for way, report in (("awake", awake), ("asleep", asleep)):
        rows += of_pace(f"at {WANTED:g} per second, {way}", report)
        late, latest = empty_loop(WANTED, held, way == "awake")
        rows += [
            Row(
                f"empty loop at {WANTED:g} per second, {way}: overruns in {round(WANTED * held)} "
                "turns",
                late,
            ),
            Row(
                f"empty loop at {WANTED:g} per second, {way}: latest turn late by",
                1e6 * latest,
                "us",
            ),
        ]
    allowed = asleep.notes or (
        f"The system accepted real-time priority {PRIORITY} and bound the test to processor "
        f"{_core()}.",
    )
    return Table(
        "hybrid test of the 15-storey building: time of a step",
        rows,
        [
            *allowed,
            "Reference: the rate of the actuators in the paper. Steps are timed without waiting "
            "between them.",
            "A step: predictor, command, compiled iterations, commit, record of energies. The loop "
            "around it is Python.",
            "Awake: Pace(rate, core=..., awake=True). Asleep: Pace(rate, core=..., priority=...), "
            "which sleeps until shortly before a step is due. The empty loops wait as a test does "
            "and do nothing else: their overruns are the machine's.",
        ],
    )


def of_pace(name: str, report: PaceReport) -> list[Row]:
    return [
        Row(f"{name}: overruns in {report.steps} steps", report.overruns),
        *(
            Row(f"{name}: step time, {p} %", 1e6 * report.step_times[p], "us")
            for p in ("50", "99.9", "100")
        ),
    ]


def report_of(result: HybridResult) -> PaceReport:
    assert result.pace is not None
    return result.pace


def _core() -> int:
    """The last processor that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(affinity(0)) if affinity is not None else (os.cpu_count() or 1) - 1
