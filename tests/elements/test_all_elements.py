"""What every element must satisfy: tangent, symmetry, rigid motion, objectivity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from element_harness import (
    ALL,
    CASES,
    EA,
    EI,
    MP,
    NY,
    Model,
    NMSection,
    Probe,
    free_element,
    random_motion,
    rigid_motion,
)

from femu.elements import ForceBeamColumn

TURN = 0.7  # finite rotation, for geometries that allow it


def difference_stiffness(probe, u, size):
    """Central differences of the internal force."""
    h = 1e-5 * size
    columns = []
    for a in range(len(u)):
        step = np.zeros(len(u))
        step[a] = h
        columns.append((probe(u + step)[0] - probe(u - step)[0]) / (2.0 * h))
    return np.array(columns).T


def scaled(probe, difference):
    """A difference of stiffnesses relative to the initial stiffness of its rows and columns."""
    diagonal = np.sqrt(np.diag(probe(np.zeros(len(difference)))[1]))
    diagonal[diagonal == 0.0] = diagonal.max()  # a released rotation
    return np.abs(difference / np.outer(diagonal, diagonal)).max()


def left_out(probe, u, columns):
    """P-Delta: what the change of N adds to the true stiffness, n (transverse / L) dN/du, not
    symmetric."""
    force, shift, change = np.zeros(len(u)), 0.0, np.zeros(len(u))
    plan = probe.program.plans["e"]
    if len(plan.dofs) == 6:
        length, c, s = plan.geometry[0], plan.geometry[2], plan.geometry[3]
        ax, ay, bx, by = plan.geometry[4:8]
        across = np.array([s, -c, -c * ax - s * ay, -s, c, c * bx + s * by])
    else:
        chord = probe.program.coordinates[2] - probe.program.coordinates[1]
        length = math.hypot(*chord)
        c, s = chord / length
        across = np.array([s, -c, -s, c])
    places = [probe.program.numbering.place[d] for d in plan.dofs]
    force[places] = across / length
    shift = across @ u[places]
    for a in range(len(u)):
        step = np.zeros(len(u))
        step[a] = columns
        normal = []
        for sign in (1.0, -1.0):
            probe(u + sign * step)
            normal.append(probe.element()["N"])
        change[a] = (normal[0] - normal[1]) / (2.0 * columns)
    return np.outer(force * shift, change)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_tangent_is_the_derivative_of_the_force(name, geometry, seed):
    probe = free_element(name, geometry)
    size = CASES[name].size
    u = random_motion(probe, seed, size, TURN if geometry == "corotational" else 0.0)
    _, stiffness = probe(u)
    found = difference_stiffness(probe, u, size)
    if geometry == "p-delta":
        found = found - left_out(probe, u, 1e-5 * size)
    assert scaled(probe, stiffness - found) < 1e-6
    assert scaled(probe, found - found.T) < 1e-6


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_tangent_after_a_committed_step(name, geometry, seed):
    """From a history, and unloading as well as loading on."""
    probe = free_element(name, geometry)
    size = CASES[name].size
    first = random_motion(probe, seed, size)
    probe(first)
    probe.commit()
    for share in (0.9, 1.3):
        u = share * first
        _, stiffness = probe(u)
        found = difference_stiffness(probe, u, 0.1 * size)
        if geometry == "p-delta":
            found = found - left_out(probe, u, 1e-6 * size)
        assert scaled(probe, stiffness - found) < 1e-6


@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_rigid_motion_gives_no_force(name, geometry):
    probe = free_element(name, geometry)
    reference = np.abs(probe(random_motion(probe, 0, 1e-3))[0]).max()
    if geometry == "corotational":
        for rotation in (-3.0, -1.0, 0.3, 2.5, 7.0):
            assert (
                np.abs(probe(rigid_motion(probe, rotation, (12.0, -7.0)))[0]).max()
                < 1e-9 * reference
            )
    else:
        tiny = 1e-7
        u = rigid_motion(probe, tiny, (12.0 * tiny, -7.0 * tiny))
        assert np.abs(probe(u)[0]).max() <= 1e-9 * reference


@pytest.mark.parametrize("turn", [0.5, -1.9])
@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_turning_the_whole_model_turns_forces_and_stiffness(name, geometry, turn):
    if name == "zero length, y":
        # it has one direction a node: x becomes y
        turn = math.pi / 2.0 * (1.0 if turn > 0.0 else -1.0)
    one, two = free_element(name, geometry), free_element(name, geometry, turn)
    u = random_motion(one, 3, CASES[name].size, TURN if geometry == "corotational" else 0.0)
    rotation = np.zeros((two.program.ndof, one.program.ndof))
    for (node, direction), place in one.program.numbering.place.items():
        for other, factor in {
            "x": [("x", math.cos(turn)), ("y", math.sin(turn))],
            "y": [("x", -math.sin(turn)), ("y", math.cos(turn))],
            "rz": [("rz", 1.0)],
        }[direction]:
            if (node, other) in two.program.numbering.place:
                rotation[two.program.dof(node, other), place] = factor
    force, stiffness = one(u)
    turned_force, turned_stiffness = two(rotation @ u)
    assert turned_force == pytest.approx(rotation @ force, rel=1e-9, abs=1e-9 * np.abs(force).max())
    expected = rotation @ stiffness @ rotation.T
    assert turned_stiffness == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.abs(expected).max())


def test_stiffness_keeps_its_digits_beside_a_section_that_hardly_resists():
    """Perfectly plastic at one of three points.

    The flexibility of the member has a condition of 1e13.
    """
    section = NMSection(
        EA=EA, EI=EI, yield_force=0.38 * NY, plastic_moment=0.36 * MP, flange_web_ratio=2.2, b=0.0
    )
    model = Model("nearly a mechanism")
    model.node(1, 0.0, 0.0)
    model.node(2, 2.4, 0.0)
    model.add(ForceBeamColumn("e", 1, 2, section=section, points=3, integration="legendre"))
    probe = Probe(model)
    u = np.zeros(6)
    u[probe.places((2, "x"), (2, "y"), (2, "rz"))] = 0.016 * np.random.default_rng(2).uniform(
        -1.0, 1.0, 3
    )
    probe(u)
    probe.commit()
    u *= 0.8
    stiffness = probe(u)[1]
    assert max(probe.element()[f"section[{s}].f_MM"] for s in range(3)) > 1e6 / EI
    assert (
        np.abs(stiffness - difference_stiffness(probe, u, 0.02)).max()
        < 1e-6 * np.abs(stiffness).max()
    )
