"""What every element in space must satisfy: tangent, symmetry, rigid motion, objectivity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from space_harness import (
    ALL,
    CASES,
    TURNING,
    free_element,
    random_motion,
    rigid_motion,
    turned_dofs,
)
from test_all_elements import difference_stiffness, scaled

from femu.elements.transformations import space_frame

SMALL_ONLY = [(name, geometry) for name, geometry in ALL if geometry != "corotational"]
WITH_ENERGY = [case for case in ALL if case not in TURNING]
TURN = Rotation.from_rotvec([0.5, -0.9, 0.4]).as_matrix()


def left_out(probe, u, step):
    """P-Delta: what the change of N adds to the true stiffness, n (n u / L) dN/du in both planes,
    not symmetric."""
    plan = probe.program.plans["e"]
    places = [probe.program.numbering.place[d] for d in plan.dofs]
    change = np.zeros(len(u))
    for a in range(len(u)):
        normal = []
        for sign in (1.0, -1.0):
            moved = u.copy()
            moved[a] += sign * step
            probe(moved)
            normal.append(probe.element()["N"])
        change[a] = (normal[0] - normal[1]) / (2.0 * step)
    if len(plan.dofs) == 12:
        rows, length = (
            np.array(plan.geometry[space_frame.SWAY : space_frame.REACTIONS]).reshape(2, 12),
            plan.geometry[0],
        )
    else:
        t, length = np.array(plan.geometry[1:4]), plan.geometry[0]
        across = np.eye(3) - np.outer(t, t)
        rows = np.hstack([-across, across])
    force = np.zeros(len(u))
    force[places] = rows.T @ (rows @ u[places]) / length
    return np.outer(force, change)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "geometry"), WITH_ENERGY)
def test_tangent_is_the_derivative_of_the_force(name, geometry, seed):
    probe = free_element(name, geometry)
    size = CASES[name].size
    u = random_motion(probe, seed, size)
    _, stiffness = probe(u)
    found = difference_stiffness(probe, u, size)
    if geometry == "p-delta":
        found = found - left_out(probe, u, 1e-5 * size)
    assert scaled(probe, stiffness - found) < 1e-6
    assert np.array_equal(stiffness, stiffness.T)


@pytest.mark.parametrize(("name", "geometry"), WITH_ENERGY)
def test_tangent_after_a_committed_step(name, geometry):
    """From a history, and unloading as well as loading on."""
    probe = free_element(name, geometry)
    size = CASES[name].size
    first = random_motion(probe, 5, size)
    probe(first)
    probe.commit()
    for share in (0.9, 1.3):
        u = share * first
        _, stiffness = probe(u)
        found = difference_stiffness(probe, u, 0.1 * size)
        if geometry == "p-delta":
            found = found - left_out(probe, u, 1e-6 * size)
        assert scaled(probe, stiffness - found) < 1e-6


@pytest.mark.parametrize(("name", "geometry"), TURNING)
def test_tangent_of_a_turned_member(name, geometry):
    """The symmetric part of the derivative by spins about a committed position, after a large rigid
    motion.

    The triad halfway between the ends turns by the mean of their spins only to second order in the
    deformation. (A member that has yielded is not asked at the larger one: about its committed
    position its stiffness is not unique.)
    """
    for size, tolerance in ((3e-4, 1e-6), (1e-2, 1e-3)):
        if size > 1e-3 and not name.startswith("elastic"):
            continue
        probe = free_element(name, geometry)
        u = rigid_motion(probe, np.array([0.5, -0.4, 0.8]), np.array([1.0, 2.0, 3.0]))
        probe(u)
        probe.commit()
        u = u + random_motion(probe, 2, size)
        probe(u)
        probe.commit()
        _, stiffness = probe(u)
        found = difference_stiffness(probe, u, size)
        assert scaled(probe, stiffness - 0.5 * (found + found.T)) < tolerance


@pytest.mark.parametrize(("name", "geometry"), TURNING)
def test_a_finite_rigid_motion_gives_no_force(name, geometry):
    probe = free_element(name, geometry)
    reference = np.abs(probe(random_motion(probe, 0, 1e-3))[0]).max()
    for rotation in ([0.3, -0.2, 0.5], [1.0, 2.0, -0.7], [0.0, 0.0, 3.0]):
        u = rigid_motion(probe, np.array(rotation), np.array([3.0, -2.0, 1.0]))
        assert np.abs(probe(u)[0]).max() < 1e-10 * reference


@pytest.mark.parametrize(("name", "geometry"), SMALL_ONLY)
def test_a_small_rigid_motion_gives_no_force(name, geometry):
    probe = free_element(name, geometry)
    reference = np.abs(probe(random_motion(probe, 0, 1e-3))[0]).max()
    tiny = 1e-7
    u = rigid_motion(probe, tiny * np.array([1.0, -2.0, 1.5]), tiny * np.array([12.0, -7.0, 4.0]))
    assert np.abs(probe(u)[0]).max() < 1e-9 * reference


@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_turning_the_whole_model_turns_forces_and_stiffness(name, geometry):
    one, two = free_element(name, geometry), free_element(name, geometry, TURN)
    u = random_motion(one, 3, CASES[name].size)
    rotation = turned_dofs(one, two, TURN)
    force, stiffness = one(u)
    turned_force, turned_stiffness = two(rotation @ u)
    assert turned_force == pytest.approx(rotation @ force, rel=1e-9, abs=1e-9 * np.abs(force).max())
    expected = rotation @ stiffness @ rotation.T
    assert turned_stiffness == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(("name", "geometry"), ALL)
def test_the_nodal_forces_are_in_equilibrium(name, geometry):
    """Forces sum to zero, and so do the moments about the origin.

    Of the deformed nodes where that is exact.
    """
    probe = free_element(name, geometry)
    u = random_motion(probe, 4, CASES[name].size)
    force, _ = probe(u)
    total, moment, size = np.zeros(3), np.zeros(3), 0.0
    deformed = geometry == "corotational"
    for node, x in probe.program.coordinates.items():
        at = {d: place for (n, d), place in probe.program.numbering.place.items() if n == node}
        f = np.array([force[at[d]] for d in "xyz"])
        place = x + np.array([u[at[d]] for d in "xyz"]) if deformed else x
        total += f
        moment += np.cross(place, f)
        if "rx" in at:
            moment += np.array([force[at[d]] for d in ("rx", "ry", "rz")])
        size = max(size, np.abs(f).max())
    assert np.abs(total).max() < 1e-12 * size
    if geometry != "p-delta":
        assert np.abs(moment).max() < 1e-11 * size
