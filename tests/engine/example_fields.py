"""Declared fields for the tests."""

from __future__ import annotations

from typing import Any

from femu.engine.fields import (
    Fields,
    fields_at,
    floats,
    integer,
    integers,
    kernel_at,
    number,
    number_at,
    part,
)


class Coefficients(Fields, word=float):
    """Numbers of an integrator."""

    dt = number("length of a step")
    alpha = number("where in the step forces are taken")
    test = integer("which norm is tested")


class Work(Fields):
    """The vectors of a run."""

    neq = integer("number of equations", topic="sizes")
    factor = number("factor of the loads")
    time = number_at("committed time", topic="vectors")
    r = floats("neq", "unbalance")
    external = floats("neq", "external force")
    internal = floats("neq", "internal force")
    order = integers("neq", "order of elimination")
    coefficients = fields_at(Coefficients, "numbers of the integrator", topic="the rest")
    solve = kernel_at("solves for the increment")
    dofs = part("3", "degrees of freedom")


class LongerWork(Work):
    """The same with more behind it."""

    row = integer("next row of the output")


class Estimate(Fields, word=float, counts=("n", "m")):
    """What a filter knows."""

    steps = integer("predictions made")
    nis = number("normalised innovation squared")
    mean = part("n", "state")
    covariance = part("n, n", "its covariance")
    triangle = part("m * (m + 1) // 2", "upper triangle of the innovation's covariance")
    own = part("", "the filter's own")


def declare(body: dict[str, Any], **options: Any) -> Any:
    return type(Fields)("Made", (Fields,), body, **options)
