"""The runner: does single runs of a plan, one after the other or in several threads, and keeps only
what is needed.

A run makes its own vectors and returns a handful of numbers; histories are dropped. Two
threads may use one runner: the program is read only, and kernels release the lock.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from femu.analyses import Limit
from femu.batch.outcome import OF_ANALYSIS, RunOutcome
from femu.batch.plan import Job, Plan, parameter_digest
from femu.batch.source import Record
from femu.check.of_analysis import check_transient, say
from femu.engine.state import State
from femu.records import GroundMotion
from femu.results.outcome import failures_handled
from femu.results.result import Result
from femu.results.save import Save
from femu.support.errors import FemuError

Array = npt.NDArray[np.float64]
LONGEST_MESSAGE = 240  # bytes of a message in the file
START_STATES_KEPT = 4


@dataclass
class Demand:
    """What is kept of a run. NaN if the run does not have it."""

    outcome: RunOutcome
    message: str = ""
    factor: float = np.nan
    """Factor on the record."""
    pga: float = np.nan
    sa: float = np.nan
    """Pseudo-acceleration of the scaled record at the period of the plan."""
    end_time: float = np.nan
    iterations: int = 0
    helped: int = 0
    """Steps that needed help of the convergence policy."""
    base_shear: float = np.nan
    peak_drift: Array = field(default_factory=lambda: np.zeros(0))
    residual_drift: Array = field(default_factory=lambda: np.zeros(0))
    peak_acceleration: Array = field(default_factory=lambda: np.zeros(0))
    """Absolute, of each level above the ground."""

    @property
    def largest_drift(self) -> float:
        """The largest storey drift ratio."""
        return float(self.peak_drift.max()) if self.peak_drift.size else float("nan")


def failure(outcome: RunOutcome, error: BaseException | str = "") -> Demand:
    """The demand of a run without results."""
    return Demand(outcome, " ".join(f"{error}".split()) or outcome.sentence)


class Runner:
    """Does runs of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.program = plan.compile()
        self.levels = plan.levels(self.program)
        heights = np.array([self.program.coordinates[node][-1] for node in self.levels])
        self.heights = np.diff(heights)
        limits = tuple(
            Limit(top, "x", plan.drift_limit * float(height), base)
            for base, top, height in zip(self.levels, self.levels[1:], self.heights, strict=False)
        )
        given = plan.analysis.policy
        policy = replace(
            given,
            time_limit=min(plan.time_limit, given.time_limit),
            iteration_limit=min(plan.iteration_limit, given.iteration_limit),
        )
        self.analysis = replace(
            plan.analysis, limits=(*plan.analysis.limits, *limits), policy=policy
        )
        self.save = Save(
            displacement=self.levels,
            velocity=False,
            acceleration=self.levels,
            forces=False,
            energy=False,
        )
        self._starts: dict[str, tuple[Array, State | None]] = {}
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Compile what is not in the cache yet, by a run of two steps.

        Workers then find it there.
        """
        step = self.analysis.dt
        self._run(Job(-1, GroundMotion("two steps", step, np.array([0.0, 1e-6, 0.0])), 1.0, {}))

    def question(self, records: Sequence[Record]) -> None:
        """Warn once for the whole batch of what looks wrong, with the finest of the records that
        are in memory."""
        motions = sorted(
            (r for r in records if isinstance(r, GroundMotion)), key=lambda motion: motion.dt
        )
        vector, start = self._start({})
        state = self.program.state() if start is None else start
        driven = {
            "x": motions[0]
            if motions
            else GroundMotion("none in memory", self.analysis.dt, np.zeros(2))
        }
        say(self.program, check_transient(self.program, self.analysis.dt, driven, state, vector))

    def run(self, job: Job) -> Demand:
        """Do one run. Whatever goes wrong in it is an outcome."""
        try:
            return self._run(job)
        except FemuError as error:
            return failure(RunOutcome.INPUT_REFUSED, error)
        except Exception as error:
            return failure(RunOutcome.ERROR, f"{type(error).__name__}: {error}")

    def _run(self, job: Job) -> Demand:
        factor = scale_factor(self.plan, job.motion, job.scale)
        motion = job.motion.scaled(factor=factor)
        with failures_handled():  # each is an outcome in the file
            vector, start = self._start(job.parameters)
            result = self.analysis.run(
                self.program,
                motion,
                duration=motion.duration + self.plan.rest,
                start=start,
                save=self.save,
                parameters=vector,
                check=False,
            )
        outcome = OF_ANALYSIS.get(result.outcome, RunOutcome.ERROR)
        demand = Demand(
            outcome,
            "" if outcome is RunOutcome.COMPLETE else result.message,
            factor,
            motion.pga,
            motion.sa(self.plan.period, self.plan.damping),
        )
        if outcome is RunOutcome.TIME_LIMIT:
            demand.message = outcome.sentence  # how far it came depends on the clock
            return self._nothing(demand)
        return self._measure(demand, result, motion)

    def _start(self, parameters: Mapping[str, float]) -> tuple[Array, State | None]:
        """Parameter vector and state under gravity, kept for the next run with the same parameters."""
        key = parameter_digest(parameters)
        with self._lock:
            if key not in self._starts:
                values = self.program.parameters.copy()
                for pattern, value in parameters.items():
                    values.set(pattern, value)
                state = None
                if self.plan.gravity is not None:
                    loaded = self.plan.gravity.run(
                        self.program, parameters=values.vector, check=False
                    )
                    if not loaded.outcome.ok:
                        raise FemuError(f"gravity: {loaded.message}")
                    state = loaded.state
                if len(self._starts) >= START_STATES_KEPT:
                    self._starts.pop(next(iter(self._starts)))
                self._starts[key] = (values.vector, state)
            return self._starts[key]

    def _nothing(self, demand: Demand) -> Demand:
        storeys = len(self.heights)
        demand.peak_drift, demand.residual_drift, demand.peak_acceleration = (
            np.full(storeys, np.nan) for _ in range(3)
        )
        return demand

    def _measure(self, demand: Demand, result: Result, motion: GroundMotion) -> Demand:
        moved = np.stack([result.displacement(node, "x") for node in self.levels], axis=1)
        drift = np.diff(moved, axis=1) / self.heights
        ground = np.interp(result.time, motion.times, motion.acceleration, right=0.0)
        shaken = (
            np.stack([result.acceleration(node, "x") for node in self.levels[1:]], axis=1)
            + ground[:, None]
        )
        demand.peak_drift = np.abs(drift).max(axis=0)
        complete = demand.outcome is RunOutcome.COMPLETE
        demand.residual_drift = (
            np.abs(drift[-1]) if complete else np.full(len(self.heights), np.nan)
        )
        demand.peak_acceleration = np.abs(shaken).max(axis=0)
        demand.base_shear = float(np.abs(result.base_shear()).max())
        demand.end_time = float(result.time[-1])
        demand.iterations = int(result.iterations.sum())
        demand.helped = len(result.relaxations)
        return demand


def scale_factor(plan: Plan, motion: GroundMotion, scale: float) -> float:
    """Factor on a record for a scale of the plan."""
    if plan.scale_by == "factor":
        return float(scale)
    now = motion.pga if plan.scale_by == "pga" else motion.sa(plan.period, plan.damping)
    return float(scale) / now if now > 0.0 else float("nan")


_runners: dict[bytes, Runner] = {}
_runners_lock = threading.Lock()


def run_packed(plan: bytes, job: Job) -> Demand:
    """Do one run of a packed plan, with a runner that this process keeps.

    What executors are given.
    """
    with _runners_lock:
        if plan not in _runners:
            # one batch at a time: drop the runner of the last one
            _runners.clear()
            try:
                _runners[plan] = Runner(pickle.loads(plan))
            except FemuError as error:
                return failure(RunOutcome.INPUT_REFUSED, error)
        runner = _runners[plan]
    return runner.run(job)
