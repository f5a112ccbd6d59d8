"""Loads over a part of a member.

Statics, clamped moments, and all members against many point loads.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu import DistributedLoad, InputError, Model, PointLoad
from femu.analyses import LoadControl
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, ForceBeamColumn
from femu.elements.member_loads import (
    axial_force,
    clamped_forces,
    clamped_in_space,
    end_reactions,
    moment,
    shear_force,
)
from femu.materials import ElasticSection

L = 4.0
SECTION = ElasticSection(2e8, 0.01, 1e-4)
SPACE = ElasticSection(2e8, 0.01, 1e-4, 5e-5, 8e7, 2e-5)
SIZE = st.floats(-100.0, 100.0)


@st.composite
def loads(draw):
    a, b = sorted((draw(st.floats(0.0, 1.0)), draw(st.floats(0.0, 1.0))))
    ends = {f"{axis}_end": draw(st.one_of(st.none(), SIZE)) for axis in "xyz"}
    return (
        DistributedLoad(
            a,
            min(max(b, a + 0.05), 1.0) if a < 0.95 else 1.0,
            *(draw(SIZE) for _ in range(3)),
            **ends,
        )
        if a < 1.0
        else DistributedLoad(0.5, 1.0, y=1.0)
    )


def slices(load, count=100):
    """The same as many point loads, with the exact force and centre of each slice."""
    edges = np.linspace(load.start, load.end, count + 1)
    for left, right in pairwise(edges):
        mid = 0.5 * (left + right)
        share = (mid - load.start) / (load.end - load.start)
        parts = {}
        for axis in "xyz":
            begin, end = load.intensities(axis)
            parts[axis] = (begin + share * (end - begin)) * (right - left) * L
        yield PointLoad(float(mid), **parts)


@given(loads())
def test_reactions_balance_the_load(load):
    x, yi, yj, zi, zj = end_reactions(load, L, "yz")
    for axis, near, far in (("y", yi, yj), ("z", zi, zj)):
        total, first = load.resultant(axis, L)
        assert near + far == pytest.approx(-total, abs=1e-9)
        assert far * L == pytest.approx(-first, abs=1e-9)
    assert x == pytest.approx(-load.resultant("x", L)[0], abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(loads())
def test_forces_along_the_member_are_those_of_its_slices(load):
    x = np.linspace(0.0, L, 9)
    size = 1.0 + 100.0 * L**2
    assert moment(load, "y", x, L) == pytest.approx(
        sum(moment(p, "y", x, L) for p in slices(load)), abs=1e-4 * size
    )
    assert shear_force(load, "z", x, L) == pytest.approx(
        sum(shear_force(p, "z", x, L) for p in slices(load)), abs=3e-3 * size
    )
    assert axial_force(load, x, L) == pytest.approx(
        sum(axial_force(p, x, L) for p in slices(load)), abs=3e-3 * size
    )
    assert clamped_in_space(load, L) == pytest.approx(
        sum(clamped_in_space(p, L) for p in slices(load)), abs=1e-4 * size
    )


@given(loads())
def test_shear_is_the_derivative_of_the_moment(load):
    x = np.linspace(0.05, L - 0.05, 7)
    h = 1e-6
    slope = (moment(load, "y", x + h, L) - moment(load, "y", x - h, L)) / (2 * h)
    assert slope == pytest.approx(shear_force(load, "y", x, L), abs=1e-3)
    ends = np.array([0.0, L])
    assert moment(load, "y", ends, L) == pytest.approx([0.0, 0.0], abs=1e-9)


def test_clamped_moments_of_the_handbook():
    w = 30.0
    triangle = DistributedLoad(y=0.0, y_end=-w)
    assert clamped_forces(triangle, L)[1:] == pytest.approx(
        (w * L**2 / 30, -w * L**2 / 20), rel=1e-13
    )
    half = DistributedLoad(0.0, 0.5, y=-w)
    assert clamped_forces(half, L)[1:] == pytest.approx(
        (11 * w * L**2 / 192, -5 * w * L**2 / 192), rel=1e-13
    )
    whole = DistributedLoad(x=5.0, y=-w)
    assert clamped_forces(whole, L) == pytest.approx(
        (-10.0, w * L**2 / 12, -w * L**2 / 12), rel=1e-13
    )


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(
    "member",
    [
        partial(ElasticBeamColumn),
        partial(ElasticBeamColumn, release_j=True),
        partial(ForceBeamColumn, points=10),
        partial(DisplacementBeamColumn, points=3),
    ],
    ids=["elastic", "elastic, hinge", "force", "displacement"],
)
def test_member_under_a_trapezoid_is_that_under_its_slices(member, dimensions):
    load = DistributedLoad(
        0.1, 0.65, x=8.0, y=-30.0, z=12.0 if dimensions == 3 else 0.0, y_end=10.0
    )

    def tip(apply):
        model = Model("propped", dimensions=dimensions)
        none = [0.0] * (dimensions - 2)
        model.node(1, 0.0, 0.0, *none, fixed=True)
        model.node(2, L, 0.0, *none, fixed="y")
        model.node(3, 2 * L, 0.0, *none, fixed=True)
        section = SECTION if dimensions == 2 else SPACE
        axes = {"vecxz": (0.0, 0.0, 1.0)} if dimensions == 3 else {}
        model.add(member("e", 1, 2, section=section, **axes))
        model.add(ElasticBeamColumn("next", 2, 3, section=section, **axes))
        apply(model)
        result = LoadControl().run(model.compile())
        directions = ("x", "rz") if dimensions == 2 else ("x", "z", "ry", "rz")
        moved = [result.displacement(2, d)[-1] for d in directions]
        return np.array(moved + [result.reaction(1, d)[-1] for d in ("x", "y", "rz")])

    one = tip(lambda model: model.member_load("e", load))

    def apply(model):
        for piece in slices(load, 200):
            model.member_load("e", piece)

    many = tip(apply)
    # the slices are of first order in their ends: what is left is theirs; a force-based member sees
    # N and M at its points
    assert one == pytest.approx(many, rel=2e-3 if "Force" in str(member) else 5e-5, abs=1e-9)


@pytest.mark.parametrize(
    ("given_", "argument"),
    [
        ({"start": 0.6, "end": 0.4}, "start, end"),
        ({"start": 0.5, "end": 0.5}, "start, end"),
        ({"start": -0.1}, "start, end"),
        ({"end": 1.2}, "start, end"),
        ({"y": float("nan")}, "y"),
        ({"x_end": float("inf")}, "x_end"),
        ({"z": "3"}, "z"),
    ],
)
def test_wrong_loads(given_, argument):
    with pytest.raises(InputError, match=argument):
        DistributedLoad(**given_)
