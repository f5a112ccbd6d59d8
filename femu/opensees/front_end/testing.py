"""testUniaxialMaterial, setStrain, getStress: one material without a model."""

from __future__ import annotations

import math
from typing import Any

from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import SLOW, command
from femu.opensees.front_end.uniaxial_point import Point


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
