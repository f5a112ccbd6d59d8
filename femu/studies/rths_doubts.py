"""Rows of ``femu reproduce rths-benchmark`` about what its figures rest on.

femu's compensation in a `HybridTest` in place of the compiled loop; with commands that leave a step
later; with a plant that was identified from a noisy chirp in place of the nominal one; and with a
numerical part that leaves out the nominal specimen, while the tested one is another: no compensation
can make up for that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from femu.experimental import (
    Compensation,
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    identify_actuator,
)
from femu.materials import Elastic
from femu.studies import rths_hybrid, rths_loop, rths_problem
from femu.support.tables import Row

Array = npt.NDArray[np.float64]
Maker = Callable[[], Compensation]
SAME = 0.1  # per cent, between two tests with other noise
CASE = 4  # the one with the largest J4
CHIRP, BAND, SIZE = 12.0, (0.3, 20.0), 0.003  # s, Hz, m


def rows(
    name: str,
    own: Maker,
    count: int,
    cases: tuple[int, ...],
    duration: float | None,
    most_j2: float,
    most_j4: float,
) -> list[Row]:
    """All of them, for ``count`` perturbed plants and a compensation of a ``name``."""
    made = []
    for case in cases:
        made.append(_as_a_hybrid_test(name, own, case, duration))
    values = [rths_problem.NOMINAL, *rths_problem.plants(count)]
    later = _over(values, lambda one, k: _indices(own(), one, k, duration, waiting=1))
    found = identified()
    known = _over(values, lambda one, k: _indices(found(), one, k, duration))
    for what, indices in (("commands a step later", later), ("identified plant", known)):
        label = f"{name}, {what}, case {CASE}"
        for k, index, most in ((1, "J2", most_j2), (3, "J4", most_j4)):
            worst = float(indices[:, k].max())
            row = f"{label}: {index}, worst of {len(values)}"
            made.append(Row(row, worst, "%", None, f"<= {most:g}", worst <= most))
    return [*made, _another_specimen(name, own, values, duration)]


def _over(
    values: list[dict[str, float]], tested: Callable[[dict[str, float], int], Array]
) -> Array:
    return np.array([tested(one, k) for k, one in enumerate(values)])


def _indices(
    compensation: Compensation,
    values: dict[str, float],
    seed: int,
    duration: float | None,
    waiting: int = 0,
) -> Array:
    return rths_problem.tested(
        CASE, values, compensation, seed=seed, duration=duration, waiting=waiting
    )[0]


def _as_a_hybrid_test(who: str, own: Maker, case: int, duration: float | None) -> Row:
    test = rths_hybrid.tested(case, rths_problem.NOMINAL, own(), duration)
    loop = rths_problem.tested(case, rths_problem.NOMINAL, own(), duration=duration)[0]
    shown, other = (f"{x[1]:.3f} {x[3]:.3f}" for x in (test, loop))
    near = bool(np.abs(test - loop)[[1, 3]].max() <= SAME)
    name = f"{who}, case {case}, nominal, as a HybridTest: J2 J4 %"
    return Row(name, shown, "", f"{other} in the loop", f"within {SAME:g}", near)


def identified() -> Maker:
    """Compensators with a plant that is found by a chirp with the noise and converters of the test."""
    plant = rths_problem.plant_of(rths_problem.NOMINAL)
    law = Elastic(rths_problem.NOMINAL["k"])
    specimen = EmulatedSpecimen(law, actuator=plant, sensors=rths_problem.SENSORS, seed=11)
    t = rths_problem.DT * np.arange(1, round(CHIRP / rths_problem.DT) + 1)
    sweep = (BAND[1] - BAND[0]) / CHIRP
    command = SIZE * np.sin(2.0 * np.pi * (BAND[0] * t + 0.5 * sweep * t**2))
    reached = [
        specimen.apply(np.array([c]), now).displacement[0]
        for c, now in zip(command, t, strict=True)
    ]
    found = identify_actuator((command, np.array(reached)), rths_problem.DT, band=BAND)
    return lambda: EstimatedPlantCompensation(found.plant, noise=float(found.noise[0]))


def _another_specimen(
    who: str, own: Maker, values: list[dict[str, float]], duration: float | None
) -> Row:
    """The whole structure is another one then; the reference is that one computed without a test."""
    worst = bare = 0.0
    for k, one in enumerate(values[1:]):
        indices, _, exact = rths_problem.tested(
            CASE, one, own(), seed=k, duration=duration, believed=rths_problem.NOMINAL
        )
        worst = max(worst, float(indices[3]))
        _, whole = rths_problem.structures(CASE, one)
        stiffness = whole.stiffness + np.diag([one["k"] - rths_problem.NOMINAL["k"], 0.0, 0.0])
        other = rths_loop.Structure(
            whole.mass, whole.damping, stiffness, whole.targets, whole.ground
        )
        ground = rths_problem.ground(duration)
        coupled = rths_loop.without_test(other, other.explicit(rths_problem.DT), ground)
        bare = max(bare, rths_loop.deviation(coupled[:, 0], exact[:, 0]))
    name = f"{who}, nominal specimen left out, case {CASE}: J4, worst of {len(values) - 1}"
    return Row(name, worst, "%", f"without a test: {bare:.3g}")
