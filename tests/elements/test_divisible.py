"""Which members can divide their increments is said by their plan, also by that of a subclass."""

from __future__ import annotations

import pytest

from femu import Model
from femu.analyses.step_driver import has_divisible
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, ForceBeamColumn
from femu.materials import ElasticSection, NMSection
from femu.model.element import Element

ELASTIC = ElasticSection(E=2e11, A=1e-2, I=1e-4)
YIELDING = NMSection.h_shape(
    depth=0.25, width=0.25, web=0.006, flange=0.012, E=2e11, fy=3e8, b=0.02
)


class OwnMember(ForceBeamColumn):
    """A member of a script."""


def cantilever(member: Element) -> Model:
    model = Model("cantilever")
    model.node("i", 0.0, 0.0, fixed=True)
    model.node("j", 0.0, 3.0)
    model.add(member)
    return model


@pytest.mark.parametrize(
    ("member", "divisible"),
    [
        (ForceBeamColumn("m", "i", "j", section=YIELDING), True),
        (OwnMember("m", "i", "j", section=YIELDING), True),
        (DisplacementBeamColumn("m", "i", "j", section=YIELDING), False),
        (ElasticBeamColumn("m", "i", "j", section=ELASTIC), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_plan_says_whether_increments_can_be_divided(member: Element, divisible: bool) -> None:
    assert has_divisible(cantilever(member).compile()) is divisible


def test_one_such_member_among_others_is_enough_also_in_space() -> None:
    model = Model("space", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 3.0)
    model.node(3, 4.0, 0.0, 3.0)
    bar = ElasticSection(E=2e11, A=1e-2, I=1e-4, Iy=1e-4, G=8e10, J=1e-4)
    model.add(ElasticBeamColumn("a", 1, 2, section=bar, vecxz=(1.0, 0.0, 0.0)))
    assert not has_divisible(model.compile())
    model.add(ForceBeamColumn("b", 2, 3, section=bar, vecxz=(0.0, 0.0, 1.0)))
    assert has_divisible(model.compile())
