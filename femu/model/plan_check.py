"""Checks of the plan of an element before the program lays it out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from femu.kernels import Kernel
from femu.model.element import Array, Coordinates, Element, Name, Plan
from femu.support.errors import InputError


def checked_plans(
    elements: Mapping[Name, Element], nodes: dict[Name, Array], dofs: Sequence[str]
) -> dict[Name, Plan]:
    """The plans of elements, those that are alike laid out once."""
    coordinates = Coordinates(nodes)
    own_dofs = {node: {d: (node, d) for d in dofs} for node in nodes}
    known: dict[Hashable, tuple[Plan, Sequence[Name]]] = {}
    found = {}
    for name, element in elements.items():
        key = element.likeness(coordinates)
        if key is None or key not in known:
            plan = checked_plan(element, coordinates, dofs)
            if key is not None:
                known[key] = plan, element.nodes
        else:
            first, between = known[key]
            plan = first.at(between, element.nodes, own_dofs)
        found[name] = plan
    return found


def checked_plan(element: Element, coordinates: dict[Name, Array], dofs: Sequence[str]) -> Plan:
    """The plan of an element; raises if the program could not lay it out."""
    plan: Any = element.plan(coordinates)
    if not isinstance(plan, Plan):
        raise InputError(element.label(), "plan", plan, "must be a Plan", fix="return Plan(...)")
    if not isinstance(plan.group, Kernel):
        raise InputError(
            element.label(),
            "plan.group",
            plan.group,
            "must be a kernel",
            fix="put @kernel(GROUP) above its def",
        )
    for node, direction in plan.dofs:
        if node not in coordinates or direction not in dofs:
            raise InputError(
                element.label(),
                "plan.dofs",
                (node, direction),
                f"must be a node of the model and one of {', '.join(dofs)}",
            )
    if tuple(plan.state[: len(plan.basic_forces)]) != tuple(plan.basic_forces):
        raise InputError(
            element.label(),
            "plan.state",
            plan.state,
            f"must begin with the basic forces {', '.join(plan.basic_forces)}",
        )
    if plan.mass:
        _check_mass(element, plan)
    return plan


def _check_mass(element: Element, plan: Plan) -> None:
    names = {name for name, _, _ in element.own_parameters()}
    if not names.issuperset(name for _, _, name, _ in plan.mass):
        names = {name for name, _, _ in element.walk_parameters()}
    for row, column, parameter, _ in plan.mass:
        if parameter not in names or not max(row, column) < len(plan.dofs):
            raise InputError(
                element.label(),
                "plan.mass",
                (row, column, parameter),
                f"must be a row and a column below {len(plan.dofs)} and a declared parameter",
            )
