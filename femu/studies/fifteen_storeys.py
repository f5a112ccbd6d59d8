"""The building of Mosqueda and Ahmadizadeh (2008), in kN, mm and s.

15 storeys with Bouc-Wen shear; the two-storey columns of the lower levels are the specimen, counted
twice. Each consists of two rigid columns with a plastic hinge at the base and one between them.
With the displacements d1, d2 of the first two floors and the ratio rho of the lengths of the
columns, the rotations of the hinges times the length of the lower column are::

    q1 = d1,    q2 = (d2 - d1)/rho - d1

Two springs along them give the printed initial stiffness exactly. The paper leaves open: the shape
of the storeys' law and its stiffness after yielding (here n = 2 with elastic unloading, 5 %), the
yield displacement of the first storey (3.6 mm, as the others), the distribution of the weights
(equal, for a period of 1.0 s), the damping (2 % in all modes), the yielding of the hinges (q1 = 5
mm, moments 2 : 1, 5 %) and the noise.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from femu.analyses import Increment, Newmark, Transient
from femu.elements import ZeroLength
from femu.elements.link import POINT_FLOATS, BasicLink, uniaxial_laws
from femu.experimental import (
    Actuator,
    Compensation,
    EmulatedSpecimen,
    ExperimentalElement,
    Scaled,
    Sensors,
    Specimen,
)
from femu.materials import ExactBoucWen
from femu.model.component import Constitutive, Material, part_table
from femu.model.element import Name, Plan
from femu.model.model import Model
from femu.records import GroundMotion
from femu.results.result import Result

Array = npt.NDArray[np.float64]
STOREYS, FLOOR_MASS = 15, 2.1573e-3  # kN s2/mm: the fundamental period is 1.0 s
STIFFNESS, FIRST_STIFFNESS, YIELD_DRIFT, HARDENING = 8.86, 1.77, 3.6, 0.05
PGA, DT = 0.32 * 9810.0, 10.0 / 1024.0
# the whole record but for its last 0.2 s: whole steps at 2, 3 and 4 times the step too
DURATION = 3168 * DT
DAMPING = 0.02
RATIO = 1.07353  # of the lengths of the two columns
HINGES = np.array([[1.0, 0.0], [-(1.0 + 1.0 / RATIO), 1.0 / RATIO]])
HINGE_STIFFNESS, HINGE_YIELD = (1.93632, 0.78368), (5.0, 6.18)
TWICE = 0.5  # a specimen that counts twice has half of the force
DISPLACEMENT_NOISE, FORCE_NOISE = 0.003, 0.0075
COLUMNS = "columns"
FLOORS = (1, 2, 15)  # whose displacements the paper shows
TIGHT = 1e-11  # mm: last increment of the numerical solution


def hinges(factor: float = 1.0, error: float = 0.0) -> list[ExactBoucWen]:
    """Laws of the two hinges, ``factor`` times as strong; ``error`` is a relative error of the
    stiffness and, with the other sign, of the yield displacement."""
    return [
        ExactBoucWen(factor * (1.0 + error) * k, (1.0 - error) * y, HARDENING)
        for k, y in zip(HINGE_STIFFNESS, HINGE_YIELD, strict=True)
    ]


class HingedColumn(BasicLink):
    """The specimen as a numerical element between the first two floors: a law in each hinge."""

    _: KW_ONLY
    lower: Material
    upper: Material

    @property
    def _laws(self) -> dict[str, Material]:
        return {"lower": self.lower, "upper": self.upper}

    def parts(self) -> list[tuple[str, Constitutive]]:
        return list(self._laws.items())

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        laws = list(self._laws.values())
        rows = [[first, 0.0, 0.0, second, 0.0, 0.0] for first, second in HINGES.tolist()]
        return self.lay_out(
            rows,
            uniaxial_laws,
            [len(laws), *part_table(laws, len(self.declared), 0, start=1)],
            ["M_lower", "M_upper"],
            ["v_lower", "v_upper"],
            [f"{n}.{h}" for n, law in self._laws.items() for h in law.history_names()],
            POINT_FLOATS + max(law.workspace(1) for law in laws),
            False,
            False,
        )


def storeys() -> Model:
    """The numerical part alone."""
    model = Model("15 storeys")
    model.node(0, 0.0, 0.0, fixed=True)
    for floor in range(1, STOREYS + 1):
        model.node(floor, 0.0, 0.0, mass=(FLOOR_MASS, 0.0, 0.0))
        law = ExactBoucWen(FIRST_STIFFNESS if floor == 1 else STIFFNESS, YIELD_DRIFT, HARDENING)
        model.add(ZeroLength(f"storey {floor}", floor - 1, floor, {"x": law}))
    model.modal_damping(DAMPING, modes=STOREYS)
    return model


def numerical_building() -> Model:
    """All of it numerical."""
    model = storeys()
    lower, upper = hinges(1.0 / TWICE)
    model.add(HingedColumn(COLUMNS, 1, 2, lower=lower, upper=upper))
    return model


def hybrid_building(specimen: Specimen, compensation: Compensation | None = None) -> Model:
    """The columns as a specimen."""
    model = storeys()
    model.add(
        ExperimentalElement(
            COLUMNS,
            [(1, "x"), (2, "x")],
            specimen=specimen,
            setup=Scaled(2, force=TWICE),
            compensation=compensation,
        )
    )
    return model


def emulated(seed: int | None = None, *, delay: float = 0.0) -> EmulatedSpecimen:
    """The specimen, with noise if a ``seed`` is given and an actuator that may be late."""
    sensors = Sensors() if seed is None else Sensors(DISPLACEMENT_NOISE, FORCE_NOISE)
    return EmulatedSpecimen(
        hinges(),
        coordinates=HINGES,
        sensors=sensors,
        seed=seed or 0,
        actuator=Actuator(delay=delay),
    )


@lru_cache(maxsize=2)
def motion(pga: float = PGA) -> GroundMotion:
    """El Centro 1940, in mm and s."""
    return GroundMotion.el_centro().scaled(pga=pga)


@lru_cache(maxsize=8)
def numerical(dt: float = DT, duration: float = DURATION, pga: float = PGA) -> Result:
    """The tight numerical solution, with which hybrid tests of the same step are compared."""
    result = Transient(Newmark(), dt=dt, test=Increment(TIGHT)).run(
        numerical_building(), motion(pga), duration=duration, check=False
    )
    assert result.outcome.ok, result.message
    return result


def floors_of(result: Result) -> Array:
    """Displacements of the floors 1, 2 and 15, one column each."""
    return np.stack([result.displacement(floor, "x") for floor in FLOORS], axis=1)
