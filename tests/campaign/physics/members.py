"""Properties of elements, in the plane and in space.

The bits, K, rigid motion, rotation, reflection, and the energy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import assume
from scipy.spatial.transform import Rotation

from femu import AnalysisError
from femu.elements import ForceBeamColumn, LumpedMass, ViscousDashpot
from femu.elements.force_kernel import FLOOR, TOLERANCE
from femu.engine.element_kernels import EVALUATE
from femu.model.model import Model
from tests.campaign.physics.cases import plane, space
from tests.campaign.physics.draw import loop_of
from tests.campaign.physics.drawn_members import Drawn
from tests.campaign.physics.exceptions import asked, asked_of_member

STEP = 1e-5  # of a finite difference, as a share of the displacements
# where rotations are finite: a smaller one drowns in the last digits of coordinates of some metres
LEAST_STEP = 1e-6
CORNER, TANGENT = 1e-3, 2e-6  # as shares of the initial stiffness of rows and columns
# of K where a section is perfectly plastic: 1e-8 of a shear stiffness is as much compared with a slender
# member's own
KEPT = 1e-4
LEAST_WEIGHT = 1e-2  # of the largest
SAME = 1e-9  # rotated and mirrored forces, as a share of the largest
# up to which a member is drawn, for the error that its iteration leaves in what has yielded
DUCTILITY = 100.0
TINY = 1e-7  # a rotation that linear geometry takes for rigid
COARSE, FINE = 6, 50  # steps of a leg of a path, and of a loop whose work is looked at
WORK = 2e-3  # of all work done and given back: what small steps leave of corners
# as shares of the displacements, and of the initial stiffness
TURNED_MOTION, TURNED_TANGENT = 1.5e-2, 2e-6
SHORTER, LESS = 8.0, 4.0  # a motion 8 times shorter has an error 4 times smaller


def path_of(drawn: Drawn, fine: int) -> np.ndarray:
    """Shares of the two shapes along a closed path from rest."""
    return loop_of([(0.0, 0.0), *drawn.corners, (0.0, 0.0)], 1.0, fine)


def bits_and_symmetry(drawn: Drawn) -> None:
    """Same path and copied state give the same bits; K is symmetric all along."""
    one, two, other = (drawn.probe() for _ in range(3))
    shapes, path = drawn.shapes(one), path_of(drawn, COARSE)
    for k, shares in enumerate(path):
        u = shares @ shapes
        force, stiffness = one(u)
        assert two(u)[0].tobytes() == force.tobytes()
        if k == len(path) // 2:
            other.run.state.vector[:] = one.run.state.vector
        if k >= len(path) // 2:
            assert other(u)[0].tobytes() == force.tobytes()
            other.commit()
        assert np.abs(stiffness - stiffness.T).max() <= 1e-12 * np.abs(stiffness).max()
        one.commit()
        two.commit()
    assert (
        one.run.state.vector.tobytes()
        == two.run.state.vector.tobytes()
        == other.run.state.vector.tobytes()
    )


def _weights(probe: Any) -> np.ndarray:
    """Roots of the initial stiffnesses, by which rows and columns are compared."""
    diagonal = np.sqrt(np.maximum(np.diag(probe(np.zeros(probe.program.ndof))[1]), 0.0))
    # a released rotation has none
    return np.maximum(diagonal, LEAST_WEIGHT * diagonal.max() or 1.0)


def tangent(drawn: Drawn) -> int:
    """K is the derivative of the forces, away from corners, at two points after a committed one.

    Returns how many columns.
    """
    probe = drawn.probe()
    weights = _weights(probe)
    shapes, checked = drawn.shapes(probe), 0
    kept = 0.0 if asked_of_member("the last stiffness", drawn) else KEPT
    path = path_of(drawn, 2)
    for shares in path[: len(path) // 2 + 1]:
        u = shares @ shapes
        probe(u)
        probe.commit()
    for trial in (u + 0.2 * shapes[0], u - 0.3 * shapes[1]):
        stiffness = probe(trial)[1]
        size = STEP * drawn.size
        central = (
            drawn_left_out(probe, trial, size, drawn)
            if drawn.geometry == "p-delta"
            else np.zeros_like(stiffness)
        )
        scale = np.outer(weights, weights)
        for a in range(len(trial)):
            way = np.zeros(len(trial))
            way[a] = size
            seen = [probe(trial + share * way) for share in (-1.0, 0.0, 1.0)]
            columns = np.array([k[:, a] for _, k in seen]) / scale[:, a]
            force = np.array([f for f, _ in seen])
            sides = np.diff(force, axis=0) / size / scale[:, a]
            spread = np.abs(columns - columns[1]).max()
            if spread > CORNER or np.abs(sides[1] - sides[0]).max() > CORNER:
                continue
            checked += 1
            difference = 0.5 * (sides[0] + sides[1]) - central[:, a] / scale[:, a]
            # of the forces, and of the places
            rounded = 1e-14 * (np.abs(force / weights).max() / weights[a] + 1.0) / size
            error = np.abs(difference - columns[1]).max()
            assert error <= TANGENT + kept + spread + rounded, f"column {a}: {error:.2g}"
    return checked


def drawn_left_out(probe: Any, u: np.ndarray, step: float, drawn: Drawn) -> np.ndarray:
    """P-Delta: what the change of N adds to the true stiffness, n (n u / L) dN/du, not symmetric."""
    from test_all_elements import left_out
    from test_space_elements import left_out as left_out_in_space

    return (left_out_in_space if drawn.dimensions == 3 else left_out)(probe, u, step)


def turned_tangent(drawn: Drawn) -> int:
    """The symmetric part of the derivative by spins about a committed position, after a large rigid
    motion.

    The triad halfway between the ends turns by the mean of their spins only to second order in the
    deformation: the difference vanishes with it. Returns how many motions were looked at: behind
    one that yields, K is not unique.
    """
    errors = []
    for share in (TURNED_MOTION, TURNED_MOTION / SHORTER):
        probe = drawn.probe()
        weights = _weights(probe)
        u = space.rigid_motion(probe, drawn.rotation, drawn.shift)
        probe(u)
        probe.commit()
        u = u + share * drawn.shapes(probe)[0]
        probe(u)
        probe.commit()
        (force, stiffness), h, scale = (
            probe(u),
            max(STEP * drawn.size, LEAST_STEP),
            np.outer(weights, weights),
        )
        sides = [
            np.array(
                [(probe(u + step)[0] - force) / step.sum() for step in sign * h * np.eye(len(u))]
            ).T
            / scale
            for sign in (1.0, -1.0)
        ]
        if np.abs(sides[0] - sides[1]).max() > CORNER:
            return 0
        found = 0.5 * (sides[0] + sides[1])
        errors.append(np.abs(stiffness / scale - 0.5 * (found + found.T)).max())
    assert errors[1] <= max(TURNED_TANGENT, errors[0] / LESS), errors
    return 2


def rigid_motion(drawn: Drawn) -> None:
    """A rigid motion, finite where the geometry allows it, gives no force."""
    probe = drawn.probe()
    reference = np.abs(probe(0.1 * drawn.shapes(probe)[0])[0]).max()
    finite = drawn.geometry == "corotational"
    share, shift = (1.0, drawn.shift) if finite else (TINY, TINY * drawn.shift)
    if drawn.dimensions == 3:
        u = space.rigid_motion(probe, share * drawn.rotation, shift)
    else:
        u = plane.rigid_motion(probe, share * float(drawn.rotation[0]), tuple(shift))
    allowed = SAME * reference if finite else 1e-2 * TINY * reference / (0.1 * drawn.size)
    force = np.abs(probe(u)[0]).max()
    assert force <= allowed, f"{force:.3g} compared with {reference:.3g}"


def matrix_of(one: Any, two: Any, matrix: np.ndarray) -> np.ndarray:
    """Turns (or mirrors) vectors over the degrees of freedom of one model into those of the turned
    one."""
    full, mirrored = np.zeros((two.program.ndof, one.program.ndof)), np.sign(np.linalg.det(matrix))
    for (node, direction), place in one.program.numbering.place.items():
        if len(matrix) == 2 and direction == "rz":
            full[two.program.dof(node, "rz"), place] = mirrored
            continue
        prefix, axis = direction[:-1], "xyz".index(direction[-1])
        for other in range(len(matrix)):
            if (node, prefix + "xyz"[other]) in two.program.numbering.place:
                full[two.program.dof(node, prefix + "xyz"[other]), place] = matrix[other, axis] * (
                    mirrored if prefix else 1.0
                )
    return full


def same_force(drawn: Drawn) -> float:
    """How far forces may differ that ought to be equal, as a share of the largest.

    The iteration of a force-based member ends on the energy of its error, a share `TOLERANCE` of the
    member's. In what has yielded to a share b of its stiffness, that is an error of deformation; in
    unloading it becomes a force, of √(TOLERANCE · ductility / b) as a share.
    """
    if not isinstance(drawn.member.made, ForceBeamColumn):
        return SAME
    least = min(
        (x for n, _, x in drawn.member.made.walk_parameters() if n.endswith(".b")), default=1.0
    )
    return max(SAME, math.sqrt(TOLERANCE * DUCTILITY / max(least, FLOOR)))


def turned_and_mirrored(drawn: Drawn) -> None:
    """The model as a whole turned, and seen in a mirror: so are its forces and K, along a path."""
    n = drawn.dimensions
    if n == 3:
        turn = Rotation.from_rotvec(drawn.rotation).as_matrix()
    else:
        c, s = math.cos(drawn.rotation[0]), math.sin(drawn.rotation[0])
        turn = np.array([[c, -s], [s, c]])
    unique = asked_of_member("the last stiffness", drawn)
    mirror = np.eye(n) - 2.0 * np.outer(drawn.normal, drawn.normal)
    for matrix in (turn, mirror):
        one, two, third = drawn.probe(), drawn.probe(matrix), drawn.probe()
        full, shapes = matrix_of(one, two, matrix), drawn.shapes(one)
        largest = np.abs(one(0.1 * shapes[0])[0]).max()
        for shares in drawn.corners[:2]:
            u = np.asarray(shares) @ shapes
            force, stiffness = one(u)
            other, moved = two(full @ u)
            largest = max(largest, np.abs(force).max())
            assert np.abs(other - full @ force).max() <= same_force(drawn) * largest, "forces"
            size = np.abs(stiffness).max()
            third.run.state.vector[:] = one.run.state.vector
            corner = max(
                np.abs(third(u + side * TINY * shapes.sum(axis=0))[1] - stiffness).max()
                for side in (-1.0, 1.0)
            )
            # at a corner K has two sides, and the last digit chooses
            if corner <= CORNER * size and unique:
                assert (
                    np.abs(moved - full @ stiffness @ full.T).max() <= 10.0 * SAME * size + corner
                ), "stiffness"
            one.commit()
            two.commit()


def energy(drawn: Drawn) -> None:
    """A closed path from rest takes energy."""
    probe = drawn.probe()
    shapes, path = drawn.shapes(probe), path_of(drawn, FINE)
    run, forces = probe.run, []
    for shares in path:
        run.fields.u1[:] = shares @ shapes
        run.fields.v1[:] = 0.0
        run.determine(EVALUATE)
        probe.commit()
        forces.append(run.fields.internal.copy())
    f = np.array(forces)
    work = np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(path @ shapes, axis=0), axis=1)
    assert work.sum() >= -WORK * np.abs(work).sum(), (
        f"{work.sum():.4g} of {np.abs(work).sum():.4g} is given back"
    )


def member(drawn: Drawn) -> int:
    """All of them; returns how many columns of K were compared."""
    checked = 0
    try:
        bits_and_symmetry(drawn)
        checked = (
            tangent(drawn) if asked_of_member("whole tangent", drawn) else turned_tangent(drawn)
        )
        rigid_motion(drawn)
        turned_and_mirrored(drawn)
        if asked_of_member("energy", drawn) and asked("energy from rest", drawn.member.made):
            energy(drawn)
    except AnalysisError:
        assume(False)  # no answer that far: a message, not a wrong number
    return checked


def dashpot(drawn: tuple[int, float, np.ndarray, np.ndarray, int]) -> None:
    """A rigid velocity gives no force, any other takes energy, and the forces at the ends balance."""
    n, C, start, end, seed = drawn
    model, rng = Model("dashpot", dimensions=n), np.random.default_rng(seed)
    for node, place in ((1, start), (2, end)):
        model.node(node, *(float(x) for x in place))
    model.add(ViscousDashpot("e", 1, 2, C=C))
    probe = plane.Probe(model)
    still, place = np.zeros(probe.program.ndof), probe.program.numbering.place
    shift, spin = rng.normal(size=n), rng.normal(size=3)
    rigid = still.copy()
    for (node, direction), at in place.items():
        if not direction.startswith("r"):
            x = np.append(start if node == 1 else end, [0.0] * (3 - n))
            turning = np.cross(spin if n == 3 else spin * [0.0, 0.0, 1.0], x)
            rigid[at] = shift["xyz".index(direction)] + turning["xyz".index(direction)]
    size = C * np.abs(rigid).max()
    assert np.abs(probe(still, rigid)[0]).max() <= 1e-12 * size
    for _ in range(5):
        velocity = rng.normal(size=len(still))
        force = probe(still, velocity)[0]
        assert force @ velocity >= 0.0
        assert (
            np.abs(
                [sum(force[at] for (_, d), at in place.items() if d == way) for way in "xyz"[:n]]
            ).max()
            <= 1e-12 * C
        )


def lumped_mass(mass: float, seed: int) -> None:
    """It has no force, wherever it goes."""
    model = Model("mass")
    model.node(1, 0.0, 0.0)
    model.add(LumpedMass("e", 1, mass=mass, inertia=0.1 * mass))
    probe = plane.Probe(model)
    force, stiffness = probe(np.random.default_rng(seed).normal(size=probe.program.ndof))
    assert not force.any() and not stiffness.any()
