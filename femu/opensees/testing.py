"""testUniaxialMaterial, setStrain, getStress: one material without a model."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        self.strain, self.stress, self.tangent = 0.0, 0.0, 0.0
        self.set(0.0)

    def set(self, strain: float) -> None:
        """Go to a strain, and stay there."""
        trial, y, k = np.zeros_like(self.history), np.zeros(1), np.zeros(1)
        failed = _evaluate(self.material.kernel().address, self.integers, self.p, self.history, trial, self.workspace,
                           np.array([strain]), y, k)
        if failed:
            raise ArithmeticError
        self.history, self.strain, self.stress, self.tangent = trial, strain, float(y[0]), float(k[0])


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
