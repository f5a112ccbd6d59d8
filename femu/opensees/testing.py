"""testUniaxialMaterial, setStrain, getStress: one material without a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.fibres import _evaluate
from femu.opensees.arguments import Reader
from femu.opensees.domain import domain
from femu.opensees.table import command


class Point:
    """One point of a material, with its history."""

    def __init__(self, material: Any) -> None:
        self.material = material
        self.p = np.array([value for _, _, value in material.walk_parameters()] or [0.0])
        self.integers = np.array(material.integers() or [0], dtype=np.int64)
        self.history = np.zeros(max(len(material.history_names()), 1))
        self.workspace = np.zeros(material.workspace(1) + 8)
        self.strain = 0.0
        self.stress, self.tangent, _ = self.look(0.0)

    def look(self, strain: float) -> tuple[float, float, npt.NDArray[np.float64]]:
        """Stress, tangent and the history that a step to a strain would leave."""
        trial, y, k = np.zeros_like(self.history), np.zeros(1), np.zeros(1)
        failed = _evaluate(self.material.kernel().address, self.integers, self.p, self.history, trial, self.workspace,
                           np.array([strain]), y, k)
        if failed:
            raise ArithmeticError
        return float(y[0]), float(k[0]), trial

    def set(self, strain: float) -> None:
        """Go to a strain, and stay there; OpenSees answers with the state behind the step."""
        self.stress, self.tangent, self.history = self.look(strain)
        if self.material.breaks_after_step:
            self.stress, self.tangent, _ = self.look(strain)
        self.strain = strain


def _point(reader: Reader) -> Point:
    if domain.test_tag is None:
        raise reader.error("there is no material to test: call testUniaxialMaterial(matTag) first.")
    return domain.tests[domain.test_tag]


@command("testUniaxialMaterial", "materials", "matTag:i", "Choose a material to drive by setStrain.")
def test_uniaxial_material(reader: Reader) -> None:
    tag = reader.read("matTag:i")["matTag"]
    material = domain.material(tag, reader)
    if material.rate_dependent:
        raise reader.unsupported("a material that depends on the rate of strain cannot be tested alone.")
    if tag not in domain.tests:
        domain.tests[tag] = Point(material)
    domain.test_tag = tag


@command("setStrain", "materials", "strain rate=0", "Strain of the material under test; it stays there.")
def set_strain(reader: Reader) -> None:
    point = _point(reader)
    a = reader.read("strain rate=0")
    try:
        point.set(a["strain"])
    except ArithmeticError:
        raise reader.error(f"the material has no answer at strain {a['strain']:g}.") from None


@command("getStrain", "materials", "", "Strain of the material under test.")
def get_strain(reader: Reader) -> float:
    return _point(reader).strain


@command("getStress", "materials", "", "Stress of the material under test.")
def get_stress(reader: Reader) -> float:
    return _point(reader).stress


@command("getTangent", "materials", "", "Tangent of the material under test.")
def get_tangent(reader: Reader) -> float:
    return _point(reader).tangent
