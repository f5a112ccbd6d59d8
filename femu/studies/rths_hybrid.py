"""The one-actuator benchmark as a `HybridTest`, with the plant and the compensators of the rths_problem.

The three floors are nodes that move along x. The stiffness and the damping of the frame are those of
a condensed one, with entries of both signs, which springs between the floors have exactly. The
specimen's mass is not in the model, so its share of the load of the ground is a load.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import CentralDifference, HybridTest, Pace
from femu.elements import ZeroLength
from femu.experimental import Compensation, EmulatedSpecimen, ExperimentalElement, Plant, Sensors
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.specimens.specimen import Measurement
from femu.materials import Elastic
from femu.model import Material, law, number
from femu.model.model import Model
from femu.model.series import Sampled
from femu.records import GroundMotion
from femu.results.save import Save
from femu.studies import rths_loop, rths_problem

Array = npt.NDArray[np.float64]
AS_MEASURED = 1e-3
"""Stiffness of the specimen in the model (N/m), by which a measured force is corrected for what is
missing between target and reached displacement: practically not at all, as in the benchmark."""


class FloorSpring(Material):
    """Spring and dashpot of either sign: one entry of the matrices of a condensed frame."""

    k: float = number("stiffness", "force/length")
    c: float = number("damping coefficient", "force*time/length")

    @law(rate=True)
    def law(p, h, strain, rate, dt):
        k, c = p
        return k * strain + c * rate, k, c, h


class WatchedSpecimen(EmulatedSpecimen):
    """An emulated specimen that keeps where it was, without the errors of the sensor."""

    def begin_test(self) -> None:
        super().begin_test()
        self.places = [self.position]

    def apply(self, command: Array, time: float) -> Measurement:
        made = super().apply(command, time)
        self.places.append(self.position)
        return made


def model(
    case: int,
    values: dict[str, float],
    compensation: Compensation | None,
    ground: Array,
    sensors: Sensors = rths_problem.SENSORS,
    seed: int = 0,
    stiffness: float | None = AS_MEASURED,
    of: Material | None = None,
    plant: Plant | None = None,
) -> Model:
    """The numerical part of a case with its specimen, linear or ``of`` another material, and the
    plant of the values or another ``plant``.

    Without a ``stiffness``, measured forces are corrected by the specimen's own initial stiffness,
    as is usual in femu.
    """
    numerical, _ = rths_problem.structures(case, values)
    made = Model("real-time benchmark, one actuator")
    made.node(0, 0.0, 0.0, fixed=True)
    for floor in range(3):
        mass = (float(numerical.mass[floor, floor]), 0.0, 0.0)
        made.node(floor + 1, 0.0, 0.0, fixed=("y", "rz"), mass=mass)
    for a in range(3):
        for b in range(a, 3):
            k, c = (
                m[a].sum() if a == b else -m[a, b] for m in (numerical.stiffness, numerical.damping)
            )
            spring = FloorSpring(float(k), float(c))
            made.add(ZeroLength(f"spring {a} {b}", 0 if a == b else a + 1, b + 1, {"x": spring}))
    specimen = WatchedSpecimen(
        Elastic(values["k"]) if of is None else of,
        actuator=rths_problem.plant_of(values) if plant is None else plant,
        sensors=sensors,
        seed=seed,
    )
    options: dict[str, Any] = {} if stiffness is None else {"stiffness": stiffness}
    made.add(
        ExperimentalElement(
            "specimen", [(1, "x")], specimen=specimen, compensation=compensation, **options
        )
    )
    moved = Sampled(rths_problem.DT * np.arange(len(ground)), -ground)
    made.pattern("mass of the specimen", moved)
    made.load(1, x=rths_problem.MASS, pattern="mass of the specimen")
    return made


def hybrid_test(
    case: int,
    values: dict[str, float],
    compensation: Compensation | None,
    ground: Array,
    pace: Pace | None = None,
    save: Save | None = None,
    **options: Any,
) -> HybridTest:
    """The test of a case, at the rate of the benchmark; ``options`` are those of `model`."""
    return HybridTest(
        model(case, values, compensation, ground, **options),
        GroundMotion(acceleration=ground, dt=rths_problem.DT, name="El Centro"),
        CentralDifference(),
        dt=rths_problem.DT,
        duration=rths_problem.DT * (len(ground) - 1),
        pace=pace,
        save=Save() if save is None else save,
    )


def motion_of(test: HybridTest, result: HybridResult) -> rths_loop.Motion:
    """What a test did, as the compiled loop has it, with the true displacements."""
    floors = np.column_stack([result.displacement(k, "x") for k in (1, 2, 3)])
    target, specimen = result.command("specimen"), test.sessions["specimen"].specimen
    assert isinstance(specimen, WatchedSpecimen)
    reached = np.array(specimen.places)
    return rths_loop.Motion(floors, target, reached, np.zeros_like(target), result.outcome.ok)


def tested(
    case: int, values: dict[str, float], compensation: Compensation, duration: float | None = None
) -> Array:
    """The indices of a test."""
    ground = rths_problem.ground(duration)
    test = hybrid_test(case, values, compensation, ground)
    motion = motion_of(test, test.run(check=False))
    _, whole = rths_problem.structures(case, values)
    return rths_problem.indices(
        motion, rths_loop.without_test(whole, whole.explicit(rths_problem.DT), ground)
    )
