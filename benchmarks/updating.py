"""``femu bench updating``: one complete step of the updater, against filterpy and openseespy.

The step: a sample of the tested column of Wu et al. (2015) comes in; 13 sigma points of a
force-based column of five N-M sections are evaluated (joint estimation of Ny, Mp, b and the three
forces), the filter corrects, one more evaluation keeps the history, a shadow of the twin moves
along for the diagnostics, guards, parameters written, record. Along six seconds of El Centro.

filterpy: the same step on its `UnscentedKalmanFilter` with the paper's points, femu's compiled
element called from Python for each point. openseespy: 13 such columns (`forceBeamColumn`, five
Lobatto sections) along the same path, known beforehand: state determination alone, without
parameters to set and without a filter. It has no N-M section; an H-shape of twenty fibres is its
way to let axial force and moment yield together. Uncoupled Steel01 in each, which is another and
simpler element, is timed too.

On consistent histories the foreground has 2p+1 copies of the twin, with three unknowns of the column
and five of a Bouc-Wen link; it is called from Python, as in a test. A relinearisation follows a record
of 3,000 samples of the column again, from an estimate that is off by one deviation, with 400 new samples
for the parameters that cover the bounds.

Times are means over the path of the shortest times of its pieces, so that other work on the machine
counts little; on consistent histories the median over the path of the shortest times of each sample.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import Newmark, Transient
from femu.experimental.specimens.basic_system import BasicSystem
from femu.filters import UKF, ConsistentEstimator
from femu.filters.model import call_model
from femu.filters.relinearisation import Explorer, Request, relinearise
from femu.kernels import compiled, floats_of
from femu.studies.one_bay_frame import (
    DT,
    FORCE_NOISE,
    HEIGHT,
    LOWER,
    NAMES,
    UPPER,
    frame,
    ground_motion,
    twin,
    unknowns,
)
from femu.studies.online_offline import PATHS, TWINS, Case
from femu.support.errors import UnsupportedError
from femu.support.isolated_python import python_module, surroundings
from femu.support.tables import Row, Table
from femu.units import kN
from femu.updating import ModelUpdater

Array = npt.NDArray[np.float64]
Samples = tuple[Array, Array, Array]
DURATION = 6.0  # s
PIECE = 50  # samples that are timed together
THAN_FILTERPY, THAN_OPENSEES = 50.0, 20.0
FASTEST_TEST = 2000.0  # Hz
SHARE = 0.1  # of its step that updating may take
RELINEARISED, NEW_SAMPLES = 3000, 400  # samples of a record, and of these since the time before
MOST_OF_COLUMN, MOST_OF_LINK, MOST_OF_RECORD = 10.0, 4.0, 60.0  # us, us, ms
# of the scaled points, Wu et al. (2015)
PAPER: dict[str, Any] = {"alpha": 0.5, "beta": 2.0, "kappa": -3.0}
MICRO = 1e6


def samples_of_column(duration: float = DURATION) -> Samples:
    """Times, deformations and noisy forces of the left column in case A."""
    result = Transient(Newmark(), dt=DT).run(frame(), ground_motion(), duration=duration)
    x, y, rotation = (result.displacement("C", d)[1:] for d in ("x", "y", "rz"))
    deformations = np.column_stack([y, x / HEIGHT, rotation + x / HEIGHT])
    forces = np.column_stack([result.basic_force("left", name)[1:] for name in ("N", "Mi", "Mj")])
    noise = FORCE_NOISE * np.random.default_rng(0).standard_normal(forces.shape)
    return result.time[1:], deformations, forces + noise


def updater(**settings: Any) -> ModelUpdater:
    """The updater of the benchmark: nothing that is not done in each step."""
    return ModelUpdater(
        "left",
        twin(),
        unknowns(),
        length=HEIGHT,
        mode="joint",
        force_noise=FORCE_NOISE,
        max_resets=0,
        **settings,
    )


def by_pieces(
    repetitions: int, count: int, begin: Callable[[], None], work: Callable[[int, int], object]
) -> float:
    """Seconds per sample: mean over the pieces of the shortest time of each."""
    starts = range(0, count - PIECE + 1, PIECE)
    shortest = np.full(len(starts), np.inf)
    for _ in range(repetitions):
        begin()
        for number, first in enumerate(starts):
            began = time.perf_counter()
            work(first, first + PIECE)
            shortest[number] = min(shortest[number], time.perf_counter() - began)
    return float(shortest.mean()) / PIECE


def loop_time(made: ModelUpdater, samples: Samples, repetitions: int) -> float:
    """Seconds per step in the compiled loop."""
    t, d, f = samples
    made.run(t[:2], d[:2], f[:2])  # compile
    return by_pieces(
        repetitions,
        len(t),
        made.start,
        lambda a, b: made.clones.take_many(a + 1, t[a:b], d[a:b], f[a:b]),
    )


@compiled
def _evaluate(address, count, points, data, images, repetitions):
    x, y = floats_of(points, 0), floats_of(images, 0)
    for _ in range(repetitions):
        call_model(address, (count, x, x, y, data))


def points_time(made: ModelUpdater, samples: Samples, repetitions: int) -> float:
    """Seconds for the evaluation of the 13 points alone, in the middle of the path."""
    t, d, f = samples
    half = len(t) // 2
    made.start()
    made.run(t[:half], d[:half], f[:half])
    states = made.clones.space.states
    points, images = (
        np.tile(made.estimate.mean, (2 * states + 1, 1)),
        np.zeros((2 * states + 1, states)),
    )
    data, address = made.clones.space.data_address, made.clones.space.addresses()[0]
    _evaluate(address, len(points), points, data, images, 1)
    return (
        min(
            _spent(lambda: _evaluate(address, len(points), points, data, images, PIECE))
            for _ in range(repetitions)
        )
        / PIECE
    )


def _spent(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def called_times(made: ModelUpdater, samples: Samples, repetitions: int) -> Array:
    """Seconds of each step when it is called from Python, as in a test."""
    t, d, f = samples
    spent = []
    for _ in range(repetitions):
        made.start()
        for k in range(len(t)):
            began = time.perf_counter()
            made.update(k + 1, t[k], d[k], f[k])
            spent.append(time.perf_counter() - began)
    return np.array(spent)


def on_consistent_histories() -> ModelUpdater:
    """The updater of the column without a filter."""
    return ModelUpdater("left", twin(), unknowns(), length=HEIGHT, mode="consistent")


def foreground_time(made: ModelUpdater, samples: Samples, repetitions: int) -> float:
    """Seconds of a sample that is called from Python: median over the path."""
    times = called_times(made, samples, repetitions).reshape(repetitions, -1)
    return float(np.median(times.min(axis=0)))


def relinearisation_time(repetitions: int) -> float:
    """Seconds to follow a record of the column again."""
    made = on_consistent_histories()
    t, d, f = samples_of_column(RELINEARISED * DT)
    made.start()
    made.run(t, d, f)
    estimator = made.learner.filter
    assert isinstance(estimator, ConsistentEstimator)
    problem, copies, samples = estimator.problem, estimator.copies, estimator.samples
    record = estimator.inputs, estimator.outputs
    off = problem.bounds.project(copies.minimum + np.sqrt(np.diagonal(copies.covariance)))
    points = problem.around(off, copies.covariance)
    request = Request(samples, off, points, copies.covariance, copies.bent, len(estimator.schedule))
    spent = []
    for _ in range(repetitions):
        explorer = Explorer(problem)
        explorer.ranked(*record, samples - NEW_SAMPLES)
        began = time.perf_counter()
        relinearise(problem, *record, request, explorer)
        spent.append(time.perf_counter() - began)
    return min(spent)


def consistent_rows(samples: Samples, repetitions: int) -> list[Row]:
    """Times on consistent histories."""
    link = Case(TWINS["Bouc-Wen"], PATHS[0], 0)
    found = []
    for name, made, given, most in (
        ("column, 3 unknowns", on_consistent_histories(), samples, MOST_OF_COLUMN),
        ("Bouc-Wen link, 5 unknowns", link.updater, (link.t, link.d, link.y), MOST_OF_LINK),
    ):
        spent = MICRO * foreground_time(made, given, repetitions)
        what = f"consistent histories, {name}: sample called from Python"
        found.append(Row(what, spent, "us", None, f"<= {most:g} us", spent <= most))
    spent = 1e3 * relinearisation_time(repetitions)
    what = f"consistent histories, column: {RELINEARISED} samples followed again"
    limit = f"<= {MOST_OF_RECORD:g} ms"
    return [*found, Row(what, spent, "ms", None, limit, spent <= MOST_OF_RECORD)]


class FilterpyStep:
    """The same step on filterpy: joint estimation with the extra evaluation."""

    def __init__(self) -> None:
        from filterpy.kalman import MerweScaledSigmaPoints, UnscentedKalmanFilter

        self.system = BasicSystem(twin(), length=HEIGHT)
        self.places = [self.system.parameters.index(n) for n in NAMES]
        self.flexibility = np.linalg.inv(self.system.initial_stiffness())
        self.low, self.high = np.array(LOWER), np.array(UPPER)
        self.filter = UnscentedKalmanFilter(
            6, 3, DT, lambda x: x[3:], self.process, MerweScaledSigmaPoints(6, **PAPER)
        )
        self.filter.x = np.array([*self.system.parameters.vector[self.places], 0.0, 0.0, 0.0])
        spread = 0.25 * (self.high - self.low)
        self.filter.P = np.diag([*spread**2, *[FORCE_NOISE**2] * 3])
        self.filter.Q = np.diag([*(1e-5 * spread) ** 2, *[(0.1 * kN) ** 2] * 3])
        self.filter.R = FORCE_NOISE**2 * np.eye(3)
        self.committed = self.system.virgin()
        self.trial = self.committed.copy()
        self.plastic, self.last = np.zeros(3), np.zeros(3)
        self.tangent = np.empty((3, 3))

    def evaluate(self, values: Array, force: Array, change: Array) -> tuple[Array, Array]:
        """Force of the twin with these parameters, and its deformation.

        See `femu.updating.twin_kernels`.
        """
        self.system.parameters.vector[self.places] = values
        v = self.plastic + self.flexibility @ force + change
        return self.system.evaluate(self.committed, self.trial, v, stiffness=self.tangent)[0], v

    def process(self, x: Array, dt: float, change: Array) -> Array:
        """A sigma point one step on."""
        values = np.minimum(np.maximum(x[:3], self.low), self.high)
        return np.concatenate([values, self.evaluate(values, x[3:], change)[0]])

    def step(self, deformation: Array, force: Array) -> None:
        """One sample."""
        change, before = deformation - self.last, self.filter.x[3:].copy()
        self.filter.P = 0.5 * (self.filter.P + self.filter.P.T)
        self.filter.predict(change=change)
        self.filter.update(force)
        self.filter.x[:3] = np.minimum(np.maximum(self.filter.x[:3], self.low), self.high)
        q, v = self.evaluate(self.filter.x[:3], before, change)
        self.committed[:] = self.trial
        self.plastic = v - self.flexibility @ q
        self.last = deformation


def filterpy_time(samples: Samples, repetitions: int, count: int) -> float:
    """Seconds per step on filterpy."""
    _, d, f = samples
    peer = [FilterpyStep()]

    def begin() -> None:
        peer[0] = FilterpyStep()

    def work(first: int, last: int) -> None:
        for k in range(first, last):
            peer[0].step(d[k], f[k])

    return by_pieces(repetitions, count, begin, work)


def opensees_time(samples: Samples, repetitions: int, sections: str) -> float:
    """Seconds for 13 columns in openseespy, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "path.npz"
        np.savez(file, deformations=samples[1])
        done = subprocess.run(
            python_module("femu.benchmarks.updating_peer", str(file), str(repetitions), sections),
            capture_output=True,
            text=True,
            check=False,
            env=surroundings(),
        )
    if done.returncode != 0:
        raise UnsupportedError(
            f"openseespy could not be timed: {done.stderr.strip().splitlines()[-1:]}"
        )
    return float(done.stdout.split()[0])


def run(quick: bool = False) -> Table:
    """The table of the benchmark.

    Longer than a page: the rows of the table, one after the other.
    """
    samples = samples_of_column()
    repetitions = 5 if quick else 20
    makers = {
        "paper's filter": updater(filter=partial(UKF, redraw=False, **PAPER)),
        "femu's filter": updater(),
    }
    times: dict[str, float] = {}
    missing: dict[str, str] = {}
    peers: dict[str, Callable[[], float]] = {
        "filterpy": lambda: filterpy_time(
            samples, 3 if quick else 10, 2 * PIECE if quick else len(samples[0])
        ),
        "openseespy": lambda: opensees_time(samples, 10 if quick else 30, "fibres"),
        "uncoupled": lambda: opensees_time(samples, 20 if quick else 60, "uncoupled"),
    }
    for _ in range(2 if quick else 4):  # in turns, so that a busy machine slows all of them alike
        for name, made in makers.items():
            times[name] = min(times.get(name, np.inf), loop_time(made, samples, repetitions))
        for name, work in peers.items():
            try:
                times[name] = min(times.get(name, np.inf), work())
            except (ImportError, UnsupportedError) as problem:
                missing[name] = str(problem)
    called = called_times(makers["femu's filter"], samples, repetitions)
    median = float(np.median(called))
    rows = [Row(f"step with {name}, compiled loop", MICRO * times[name], "us") for name in makers]
    rows += [
        Row(
            "step called from Python: median",
            MICRO * median,
            "us",
            None,
            f"<= {MICRO * SHARE / FASTEST_TEST:g} us",
            median <= SHARE / FASTEST_TEST,
        ),
        Row(
            "step called from Python: 99.9th percentile",
            MICRO * float(np.quantile(called, 0.999)),
            "us",
        ),
        Row(f"median, share of a step at {FASTEST_TEST:g} Hz", 100 * FASTEST_TEST * median, "%"),
    ]
    for name, what, limit in (
        ("filterpy", "the same step", THAN_FILTERPY),
        ("openseespy", "13 columns of fibre sections, no filter", THAN_OPENSEES),
    ):
        if name in missing:
            continue
        ratio = times[name] / times["paper's filter"]
        rows.append(
            Row(f"{name} {importlib.metadata.version(name)}, {what}", MICRO * times[name], "us")
        )
        rows.append(
            Row(
                f"complete step faster than {name}",
                ratio,
                "times",
                None,
                f">= {limit:g}",
                ratio >= limit,
            )
        )
    if "uncoupled" in times:
        rows.append(
            Row(
                "openseespy, 13 columns of uncoupled sections, no filter",
                MICRO * times["uncoupled"],
                "us",
            )
        )
        rows.append(
            Row(
                "complete step faster than that",
                times["uncoupled"] / times["paper's filter"],
                "times",
            )
        )
    alone = points_time(makers["paper's filter"], samples, 10 * repetitions)
    rows.append(Row("13 evaluations alone", MICRO * alone, "us"))
    rows += consistent_rows(samples, repetitions)
    if "openseespy" in times:
        rows.append(
            Row("13 evaluations alone faster than openseespy", times["openseespy"] / alone, "times")
        )
    notes = [part.replace("\n", " ") for part in (__doc__ or "").strip().split("\n\n")[1:]]
    return Table(
        "Updating: time of one complete step with 13 sigma points",
        rows,
        notes + [f"{name} is not compared: {why}" for name, why in missing.items()],
    )
