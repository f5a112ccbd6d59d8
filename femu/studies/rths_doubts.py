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
from femu.studies import rths_benchmark as study
from femu.studies import rths_hybrid, rths_loop
from femu.support.tables import Row

Array = npt.NDArray[np.float64]
Maker = Callable[[], Compensation]
SAME = 0.1  # per cent, between two tests with other noise
CASE = 4  # the one with the largest J4
CHIRP, BAND, SIZE = 12.0, (0.3, 20.0), 0.003  # s, Hz, m


def rows(own: Maker, count: int, cases: tuple[int, ...], duration: float | None) -> list[Row]:
    """All of them, for ``count`` perturbed plants."""
    made = []
    for case in cases:
        made.append(_as_a_hybrid_test(own, case, duration))
    values = [study.NOMINAL, *study.plants(count)]
    later = _over(values, lambda one, k: _indices(own(), one, k, duration, waiting=1))
    found = identified()
    known = _over(values, lambda one, k: _indices(found(), one, k, duration))
    for name, indices in (("commands a step later", later), ("identified plant", known)):
        label = f"{study.OWN}, {name}, case {CASE}"
        for k, index, most in ((1, "J2", study.LIMITS["J2"]), (3, "J4", study.LIMITS["J4"])):
            worst = float(indices[:, k].max())
            row = f"{label}: {index}, worst of {len(values)}"
            made.append(Row(row, worst, "%", None, f"<= {most:g}", worst <= most))
    return [*made, _another_specimen(own, values, duration)]


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
    return study.tested(CASE, values, compensation, seed=seed, duration=duration, waiting=waiting)[
        0
    ]


def _as_a_hybrid_test(own: Maker, case: int, duration: float | None) -> Row:
    test = rths_hybrid.tested(case, study.NOMINAL, own(), duration)
    loop = study.tested(case, study.NOMINAL, own(), duration=duration)[0]
    shown, other = (f"{x[1]:.3f} {x[3]:.3f}" for x in (test, loop))
    near = bool(np.abs(test - loop)[[1, 3]].max() <= SAME)
    name = f"{study.OWN}, case {case}, nominal, as a HybridTest: J2 J4 %"
    return Row(name, shown, "", f"{other} in the loop", f"within {SAME:g}", near)


def identified() -> Maker:
    """Compensators with a plant that is found by a chirp with the noise and converters of the test."""
    plant = study.plant_of(study.NOMINAL)
    law = Elastic(study.NOMINAL["k"])
    specimen = EmulatedSpecimen(law, actuator=plant, sensors=study.SENSORS, seed=11)
    t = study.DT * np.arange(1, round(CHIRP / study.DT) + 1)
    sweep = (BAND[1] - BAND[0]) / CHIRP
    command = SIZE * np.sin(2.0 * np.pi * (BAND[0] * t + 0.5 * sweep * t**2))
    reached = [
        specimen.apply(np.array([c]), now).displacement[0]
        for c, now in zip(command, t, strict=True)
    ]
    found = identify_actuator((command, np.array(reached)), study.DT, band=BAND)
    return lambda: EstimatedPlantCompensation(found.plant, noise=float(found.noise[0]))


def _another_specimen(own: Maker, values: list[dict[str, float]], duration: float | None) -> Row:
    """The whole structure is another one then; the reference is that one computed without a test."""
    worst = bare = 0.0
    for k, one in enumerate(values[1:]):
        indices, _, exact = study.tested(
            CASE, one, own(), seed=k, duration=duration, believed=study.NOMINAL
        )
        worst = max(worst, float(indices[3]))
        _, whole = study.structures(CASE, one)
        stiffness = whole.stiffness + np.diag([one["k"] - study.NOMINAL["k"], 0.0, 0.0])
        other = rths_loop.Structure(
            whole.mass, whole.damping, stiffness, whole.targets, whole.ground
        )
        ground = study.ground(duration)
        coupled = rths_loop.without_test(other, other.explicit(study.DT), ground)
        bare = max(bare, rths_loop.deviation(coupled[:, 0], exact[:, 0]))
    name = f"{study.OWN}, nominal specimen left out, case {CASE}: J4, worst of {len(values) - 1}"
    return Row(name, worst, "%", f"without a test: {bare:.3g}")
