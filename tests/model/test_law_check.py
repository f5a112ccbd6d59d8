"""A law that breaks its contract is refused in a sentence, and never runs."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from femu import InputError
from femu.model import Material, law, positive
from femu.model.component import Section
from femu.model.moment_curvature import moment_curvature
from femu.model.strain_path import drive


class Spring(Material):
    k: float = positive("stiffness", "force/length")


class WithoutMark(Spring):
    def law(p, h, u):  # type: ignore[override]
        return p[0] * u, p[0], h


class OtherArguments(Spring):
    @law
    def law(p, h, u, rate, dt):
        return p[0] * u, p[0], 0.0, h


class NoHistory(Spring):
    @law
    def law(p, h, u):
        return p[0] * u, p[0]


class ShortHistory(Spring):
    history: ClassVar[tuple[str, ...]] = ("u", "force")

    @law
    def law(p, h, u):
        return p[0] * u, p[0], (u,)


class UndeclaredHistory(Spring):
    @law
    def law(p, h, u):
        return p[0] * u, p[0], (u,)


class BareHistory(Spring):
    history: ClassVar[tuple[str, ...]] = ("u",)

    @law
    def law(p, h, u):
        return p[0] * u, p[0], u


class Undeclared(Material):
    k: float

    @law
    def law(p, h, u):
        return p[0] * u, p[0], h


class Importing(Spring):
    @law
    def law(p, h, u):
        import math

        return p[0] * math.sin(u), p[0] * math.cos(u), h


def doubled(u):  # a function for Python alone
    return 2.0 * u


class CallsPlain(Spring):
    @law
    def law(p, h, u):
        return p[0] * doubled(u), 2.0 * p[0], h


class AddsTheWholeStrain(Spring):
    history: ClassVar[tuple[str, ...]] = ("force",)

    @law
    def law(p, h, u):
        force = h[0] + p[0] * u
        return force, p[0], (force,)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Spring, "law = None is missing"),
        (WithoutMark, "put @law above"),
        (OtherArguments, r"must take \(p, h, strain\). Fix: mark .*rate=True"),
        (NoHistory, r"must be \(stress, tangent, history of 0\)"),
        (ShortHistory, r"must be \(stress, tangent, history of 2\).*'u', 'force'"),
        (UndeclaredHistory, r"must be \(stress, tangent, history of 0\)"),
        (BareHistory, r"must be \(stress, tangent, history of 1\)"),
        (Undeclared, r"the declared numbers \[\].*Fix: declare every number"),
        (CallsPlain, "calls doubled.*put @inlined .* above def doubled"),
        (
            AddsTheWholeStrain,
            r"at 0.0001 it returns 0.0001, and 0.0002 when .* again. Fix: use the",
        ),
        (Importing, "IMPORT_NAME"),
    ],
)
def test_materials(kind: type[Any], words: str) -> None:
    with pytest.raises(InputError, match=f"{kind.__name__}.*{words}"):
        drive(kind(k=1.0), [0.0, 1.0])


class TwoStiffnesses(Section):
    EI: float = positive("flexural stiffness", "force*length^2")

    @law
    def law(p, h, x):
        return (x[0], p[0] * x[1]), (1.0, p[0]), h


class Matrix(Section):
    EI: float = positive("flexural stiffness", "force*length^2")

    @law
    def law(p, h, x):
        return (x[0], p[0] * x[1]), ((1.0, 0.0), (0.0, p[0]), (0.0, 0.0)), h


@pytest.mark.parametrize("kind", [TwoStiffnesses])
def test_sections(kind: type[Any]) -> None:
    with pytest.raises(InputError, match=r"must be \(2 forces, 3 stiffnesses, history of 0\)"):
        moment_curvature(kind(EI=1.0), [0.0, 1.0])


def test_a_matrix_is_no_triangle() -> None:
    with pytest.raises(InputError, match="Matrix"):
        moment_curvature(Matrix(EI=1.0), [0.0, 1.0])
