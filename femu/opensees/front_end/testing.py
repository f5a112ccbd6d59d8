"""testUniaxialMaterial, setStrain, getStress: one material without a model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import SLOW, command
from femu.results.fibre_response import evaluate_block


class Point:
    """One point of a material, with its history."""

    def __init__(self, material: Any) -> None:
        self.material = material
        self.p = np.array([value for _, _, value in material.walk_parameters()] or [0.0])
        self.integers = np.array(material.integers() or [0], dtype=np.int64)
        self.history = np.zeros(max(len(material.history_names()), 1))
        self.workspace = np.zeros(material.workspace(1) + 8)
        self._address, self._breaks = material.kernel().address, material.breaks_after_step
        self._x, self._y, self._k = np.zeros(1), np.zeros(1), np.zeros(1)
        self.strain = 0.0
        self.stress, self.tangent, _ = self.look(0.0)

    def look(self, strain: float) -> tuple[float, float, npt.NDArray[np.float64]]:
        """Stress, tangent and the history that a step to a strain would leave."""
        trial = np.zeros(len(self.history))
        self._x[0] = strain
        if evaluate_block(
            self._address,
            self.integers,
            self.p,
            self.history,
            trial,
            self.workspace,
            self._x,
            self._y,
            self._k,
        ):
            raise ArithmeticError
        if not (
            math.isfinite(self._y[0]) and math.isfinite(self._k[0]) and np.isfinite(trial).all()
        ):
            raise ArithmeticError
        return self._y.item(), self._k.item(), trial

    def set(self, strain: float) -> None:
        """Go to a strain, and stay there; OpenSees answers with the state after the step."""
        self.stress, self.tangent, self.history = self.look(strain)
        if self._breaks:
            self.stress, self.tangent, _ = self.look(strain)
        self.strain = strain


def _point(reader: Reader) -> Point:
    if domain.test_tag is None:
        raise reader.error("there is no material to test: call testUniaxialMaterial(matTag) first.")
    return domain.tests[domain.test_tag]


@command(
    "testUniaxialMaterial", "materials", "matTag:i", "Choose a material to drive by setStrain."
)
def test_uniaxial_material(reader: Reader) -> None:
    tag = reader.read("matTag:i")["matTag"]
    material = domain.material(tag, reader)
    if material.rate_dependent:
        raise reader.unsupported(
            "a material that depends on the rate of strain cannot be tested alone."
        )
    if tag not in domain.tests:
        try:
            domain.tests[tag] = Point(material)
        except ArithmeticError:
            raise reader.error(f"material {tag} has no answer at strain 0.") from None
    domain.test_tag = tag


def _quick_strain(arguments: tuple[Any, ...]) -> Any:
    point = (
        domain.tests.get(domain.test_tag)
        if len(arguments) == 1 and type(arguments[0]) is float
        else None
    )
    if point is None or not math.isfinite(arguments[0]):
        return SLOW
    try:
        point.set(arguments[0])
    except ArithmeticError:
        return SLOW
    return None


def _quick(name: str) -> Any:
    """An attribute of the material under test."""

    def quick(arguments: tuple[Any, ...]) -> Any:
        point = None if arguments else domain.tests.get(domain.test_tag)
        return SLOW if point is None else getattr(point, name)

    return quick


@command(
    "setStrain",
    "materials",
    "strain rate=0",
    "Strain of the material under test; it stays there.",
    _quick_strain,
)
def set_strain(reader: Reader) -> None:
    point = _point(reader)
    a = reader.read("strain rate=0")
    try:
        point.set(a["strain"])
    except ArithmeticError:
        raise reader.error(f"the material has no answer at strain {a['strain']:g}.") from None


@command("getStrain", "materials", "", "Strain of the material under test.", _quick("strain"))
def get_strain(reader: Reader) -> float:
    return _point(reader).strain


@command("getStress", "materials", "", "Stress of the material under test.", _quick("stress"))
def get_stress(reader: Reader) -> float:
    return _point(reader).stress


@command("getTangent", "materials", "", "Tangent of the material under test.", _quick("tangent"))
def get_tangent(reader: Reader) -> float:
    return _point(reader).tangent
