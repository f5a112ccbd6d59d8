"""A plan that the program cannot lay out is refused in a sentence."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from femu import InputError, Model, UnsupportedError
from femu.elements import Truss
from femu.materials import Elastic
from femu.model.element import Array, Element, Name, Plan


def model_of(element: Element) -> Model:
    model = Model("one element")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 1.0, 0.0, fixed=("y", "rz"))
    model.add(element)
    return model


class Changed(Truss):
    """A truss whose plan is changed by a function."""

    change: Any = None

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        return self.change(super().plan(coordinates))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda plan: None, r"plan = None must be a Plan"),
        (lambda plan: dataclasses.replace(plan, group=len), r"plan\.group .* @kernel\(GROUP\)"),
        (
            lambda plan: dataclasses.replace(plan, dofs=[(7, "x"), *plan.dofs[1:]]),
            r"plan\.dofs = \(7, 'x'\) must be a node of the model",
        ),
        (
            lambda plan: dataclasses.replace(plan, dofs=[(1, "z"), *plan.dofs[1:]]),
            r"plan\.dofs = \(1, 'z'\) .* one of x, y, rz",
        ),
        (
            lambda plan: dataclasses.replace(plan, state=plan.state[::-1]),
            r"plan\.state .* must begin with the basic forces N",
        ),
        (
            lambda plan: dataclasses.replace(plan, mass=[(0, 0, "density", 1.0)]),
            r"plan\.mass = \(0, 0, 'density'\) must be .* a declared parameter",
        ),
        (
            lambda plan: dataclasses.replace(plan, mass=[(0, 4, "mass", 1.0)]),
            r"plan\.mass = \(0, 4, 'mass'\) must be a row and a column below 4",
        ),
    ],
)
def test_a_plan_that_cannot_be_laid_out(change: Any, words: str) -> None:
    element = Changed("e", 1, 2, material=Elastic(1.0), area=1.0, change=change)
    with pytest.raises(InputError, match=rf"Changed\('e'\): {words}"):
        model_of(element).compile()


class Bare(Element):
    name: Name


class WithoutPlan(Element):
    name: Name

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (1, 2)


def test_an_element_without_nodes_or_plan() -> None:
    with pytest.raises(UnsupportedError, match="Define the property `nodes`"):
        model_of(Bare("e"))
    with pytest.raises(UnsupportedError, match="Define the method `plan`"):
        model_of(WithoutPlan("e")).compile()
