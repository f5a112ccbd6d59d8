"""``femu bench real-time``: steps of tests in real time, and the rates that are held.

A plant and the compensators by themselves, compiled. The public benchmark with one actuator as a
`HybridTest` at 4096 a second, with noise, converters and femu's compensation. A yielding frame of 30
force-based fibre members with a Bouc-Wen specimen on a servo, whose updater learns in each step,
at 1024 a second. Both tests run at once first, several times: of each step the shortest time counts,
since every run takes the same steps and other work on the machine only adds. Then they run by the
clock, next to a loop that waits as they do and does nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from femu.analyses import HybridTest, Pace
from femu.benchmarks import real_time_frame
from femu.benchmarks.hybrid import AT_ONCE, empty_loop, of_pace, pace_of, report_of
from femu.experimental import Compensation
from femu.experimental.compensation.compiled import CompiledCompensation, call_compensator
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.specimens.plant import plant_step
from femu.kernels.compiler import caller, compiled, floats_of
from femu.results.save import Save
from femu.studies import rths_benchmark, rths_problem
from femu.studies.rths_hybrid import hybrid_test
from femu.support.tables import Row, Table
from femu.updating import ModelUpdater

Array = npt.NDArray[np.float64]
call_plant = caller(plant_step.signature)
HELD, QUICK_HELD = 60.0, 3.0  # seconds of wall clock
TIMED, QUICK_TIMED = 20.0, 4.0  # seconds of the tests that run at once
TURNS, QUICK_TURNS = 6, 4
PIECE, PIECES = 200, 50  # samples that are timed together
MOST_PLANT, MOST_MEDIAN, MOST_RARE = 3.0, 40.0, 120.0  # us
MICRO = 1e6


@compiled
def _moved(plant, p, s, command, out, work, count):
    for k in range(count):
        command[0] = 1e-3 if k % 2 == 0 else -1e-3
        call_plant(
            plant,
            (floats_of(p, 0), floats_of(s, 0), floats_of(command, 0), floats_of(out, 0),
             floats_of(work, 0)),
        )  # fmt: skip
    return 0


@compiled
def _compensated(command, measured, p, s, target, out, count):
    for k in range(count):
        target[0] = 1e-3 if k % 2 == 0 else -1e-3
        call_compensator(
            command, (floats_of(p, 0), floats_of(s, 0), floats_of(target, 0), floats_of(out, 0))
        )
        call_compensator(
            measured, (floats_of(p, 0), floats_of(s, 0), floats_of(target, 0), floats_of(out, 0))
        )
    return 0


def shortest(work: Callable[[], object]) -> float:
    """Microseconds of one sample, in the quickest of the pieces."""
    work()
    times = []
    for _ in range(PIECES):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return MICRO * min(times) / PIECE


def of_plant() -> float:
    """A step of the plant of the benchmark, which has five states."""
    plant = rths_problem.moved_plant(rths_problem.NOMINAL)
    p, s = plant.step_parameters(rths_problem.DT), np.zeros(plant.state_size(1))
    vectors = (p, s, np.zeros(1), np.zeros(3), np.zeros(len(s) + 1))
    return shortest(lambda: _moved(plant_step.address, *vectors, PIECE))


def of_compensation(compensation: Compensation) -> float:
    """A command and what is learned from its measurement."""
    assert isinstance(compensation, CompiledCompensation)
    compensation.start(1, rths_problem.DT)
    kernels = compensation.command_kernel.address, compensation.measured_kernel.address
    vectors = compensation.parameters, compensation.vector, np.zeros(1), np.zeros(1)
    return shortest(lambda: _compensated(*kernels, *vectors, PIECE))


def benchmark(seconds: float, pace: Pace) -> HybridTest:
    """The public benchmark, El Centro as often as needed."""
    once = rths_problem.ground()
    count = round(seconds * rths_problem.RATE) + 1
    ground = np.resize(once, count)
    own = rths_benchmark.compensators()[rths_benchmark.OWN]()
    return hybrid_test(
        1, rths_problem.NOMINAL, own, ground, pace, Save(every=max(count // 1000, 1))
    )


def result_of(test: HybridTest) -> HybridResult:
    """Run a test, which must reach its end."""
    result = test.run(check=False)
    assert result.outcome.ok, result.message
    return result


def timed(make: Callable[[float, Pace], HybridTest], seconds: float, turns: int) -> Array:
    """Median and 99.9th percentile of the times of the steps (us), of each step the shortest."""
    found = [result_of(make(seconds, Pace(AT_ONCE))).of_step("seconds")[1:] for _ in range(turns)]
    times = MICRO * np.min(found, axis=0)
    return np.percentile(times, (50.0, 99.9))


def _held(
    name: str, make: Callable[[float, Pace], HybridTest], rate: float, seconds: float
) -> list[Row]:
    """A test by the clock, and the empty loop."""
    report = report_of(result_of(make(seconds, pace_of(rate, awake=True))))
    late, latest = empty_loop(rate, seconds, awake=True)
    turns = round(rate * seconds)
    return [
        *of_pace(f"{name}, {seconds:g} s at {rate:g} per second", report),
        Row(f"empty loop at {rate:g} per second: overruns in {turns} turns", late),
        Row(f"empty loop at {rate:g} per second: latest turn late by", MICRO * latest, "us"),
    ]


def _limited(name: str, value: float, most: float) -> Row:
    return Row(name, value, "us", limit=f"<= {most:g}", ok=value <= most)


def run(quick: bool = False) -> Table:
    """Times of steps, and the rates that are held."""
    seconds, turns, held = (QUICK_TIMED, QUICK_TURNS, QUICK_HELD) if quick else (TIMED, TURNS, HELD)
    rows = [_limited("plant of five states: a step", of_plant(), MOST_PLANT)]
    for name, make in rths_benchmark.compensators().items():
        made = make()
        if isinstance(made, CompiledCompensation):
            rows.append(Row(f"compensator {name}: a step", of_compensation(made), "us"))
    tests = (
        ("public benchmark, one actuator", benchmark, rths_problem.RATE),
        ("yielding frame of 30 members", real_time_frame.hybrid_test, real_time_frame.RATE),
    )
    for name, test, rate in tests:
        result_of(test(0.1, Pace(AT_ONCE)))  # compiles
        median, rare = timed(test, seconds, turns)
        if test is benchmark:
            rows.append(_limited(f"{name}: step, median", median, MOST_MEDIAN))
            rows.append(_limited(f"{name}: step, 99.9th percentile", rare, MOST_RARE))
        else:
            share = f"period: {MICRO / rate:.4g}"
            rows.append(Row(f"{name}: step, median", median, "us", share))
            rows.append(Row(f"{name}: step, 99.9th percentile", rare, "us", share))
        rows += _held(name, test, rate, held)
    rows += _of_frame(seconds)
    return Table("hybrid tests in real time: time of a step", rows, list(NOTES))


def _of_frame(seconds: float) -> list[Row]:
    """What the frame did: it yields, its brace is followed, and the updater learns."""
    test = real_time_frame.hybrid_test(seconds, Pace(AT_ONCE))
    result = result_of(test)
    name = "yielding frame of 30 members"
    reached = np.abs(result.measured("brace 1")[0]).max() / real_time_frame.YIELD
    tracked = result.tracking("brace 1")[0]
    rows = [
        Row(f"{name}: members that yield", real_time_frame.yielded(result), "of 30"),
        Row(f"{name}: specimen, largest deformation by that of yielding", float(reached)),
        Row(f"{name}: specimen, reached against target (J2)", 100.0 * tracked.error, "%"),
    ]
    assert isinstance(test.updater, ModelUpdater)
    for key, value in test.updater.values.items():
        rows.append(
            Row(f"{name}: {key} of its braces at the end", value, "", real_time_frame.BRACE[key])
        )
    return rows


NOTES = (
    "A step is all that lies between two waits: predictor, target, compensator, plant, measurement "
    "with noise, correction, energies, record, and in the frame the updater. The loop around the "
    "compiled parts is Python. Percentiles of "
    f"steps are of {TURNS} runs without waiting, of each step its shortest time.",
    "By the clock a test waits awake, bound to a processor: Pace(rate, core=..., awake=True). The "
    "empty loop waits in the same way and does nothing else: its overruns are the machine's.",
    "The frame: six storeys of two bays, members of five sections with 20 fibres or more, braces in "
    "all storeys, El Centro at 6 m/s2. Reference of the estimates: the parameters of the specimen.",
)
