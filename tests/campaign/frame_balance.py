"""How well force-based members satisfy their own equations in a program.

The forces of each section are those of the member at its place (balance), and the deformations of
the sections add up to those of the member (compatibility). Both follow from what a program answers
about its members, without a law or a stiffness.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.campaign.frame_materials import Frame

FORCE_BASED = ("forceBeamColumn", "nonlinearBeamColumn")
SECTIONS_IN_A_LIST = ("UserDefined", "FixedLocation", "LowOrder", "MidDistance")
PLANE, SPACE = ("N", "Mz", "Vy"), ("N", "Mz", "My", "T", "Vy", "Vz")
ELASTIC_IN_SPACE = ("N", "Mz", "Vy", "My", "Vz", "T")  # if it deforms in shear
Array = npt.NDArray[np.float64]


def members(frame: Frame) -> dict[int, tuple[float, str]]:
    """Lengths of the force-based members between their rigid ends, and the kinds of their sections,
    by their tags."""
    places, rules, kinds = dict[int, list[float]](), dict[int, int](), dict[int, str]()
    rigid = dict[int, tuple[list[float], list[float]]]()
    found = {}
    for words in frame.commands:
        if words[0] == "node":
            places[words[1]] = words[2 : 2 + frame.commands[0][3]]
        elif words[0] == "section":
            kinds[words[2]] = words[1]
        elif words[0] == "beamIntegration":
            rules[words[2]] = words[4 if words[1] in SECTIONS_IN_A_LIST else 3]
        elif words[0] == "geomTransf" and "-jntOffset" in words:
            at, axes = words.index("-jntOffset") + 1, frame.commands[0][3]
            rigid[words[2]] = words[at : at + axes], words[at + axes : at + 2 * axes]
        elif words[0] == "element" and words[1] in FORCE_BASED:
            older = words[1] == "nonlinearBeamColumn"  # points, section, transformation
            ends = [places[words[3]], places[words[4]]]
            for offset, end in zip(rigid.get(words[7 if older else 5], ()), (0, 1), strict=False):
                ends[end] = [x + d for x, d in zip(ends[end], offset, strict=True)]
            span = math.dist(*ends)
            found[words[2]] = span, kinds[words[6] if older else rules[words[6]]]
    return found


def interpolation(names: tuple[str, ...], at: float, span: float) -> Array:
    """Forces of a section, by their names, from those of its member: N, Mz and My at both ends, T.

    ``at`` is its place as a share of the length.
    """
    rows = {
        "N": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "Mz": [0.0, at - 1.0, at, 0.0, 0.0, 0.0],
        "My": [0.0, 0.0, 0.0, at - 1.0, at, 0.0],
        "T": [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        "Vy": [0.0, 1.0 / span, 1.0 / span, 0.0, 0.0, 0.0],
        "Vz": [0.0, 0.0, 0.0, 1.0 / span, 1.0 / span, 0.0],
    }
    return np.array([rows[name] for name in names])


def equations(ops: Any, frame: Frame) -> list[float]:
    """Largest errors of balance and of compatibility of the force-based members, then the largest
    force and deformation, of which they are shares.

    Moments count as forces, and elongations as rotations, by the length of their member. Moments
    and shear of a member with a load of its own are left out; it has none along its axis. Members
    that rest have errors of round-off only: the loads on nodes count as forces too, and
    displacements as deformations.
    """
    space = frame.commands[0][3] == 3
    loaded = {words[2] for words in frame.commands if words[0] == "eleLoad"}
    axes = 3 if space else 2
    loads = [words[2 : 2 + axes] for words in frame.commands if words[0] == "load"]
    moves = np.abs([ops.nodeDisp(node)[:axes] for node in frame.watched]).max()
    error = gap = deformation = 0.0
    force = float(np.abs(loads).max()) if loads else 0.0
    for tag, (span, kind) in members(frame).items():
        q, v = (np.array(ops.eleResponse(tag, f"basic{what}")) for what in ("Force", "Deformation"))
        as_force, as_turn = np.full(len(q), 1.0 / span), np.ones(len(q))
        as_force[0], as_turn[0] = 1.0, 1.0 / span
        total = np.zeros(len(q))
        places, weights = (
            ops.eleResponse(tag, f"integration{what}") for what in ("Points", "Weights")
        )
        for k, (x, weight) in enumerate(zip(places, weights, strict=True), 1):
            e, y = (
                np.array(ops.eleResponse(tag, "section", str(k), what))
                for what in ("deformation", "force")
            )
            order = ELASTIC_IN_SPACE if kind == "Elastic" and len(e) == 6 else SPACE
            names = (order if space else PLANE)[: len(e)]
            b = interpolation(names, x / span, span)[:, : len(q)]
            off = np.abs(y - b @ q) / [span if name[0] in "MT" else 1.0 for name in names]
            error = max(error, off[0] if tag in loaded else off.max())
            total += weight * (b.T @ e)
        force = max(force, np.abs(q * as_force).max())
        gap = max(gap, np.abs((total - v) * as_turn).max())
        deformation = max(deformation, np.abs(v * as_turn).max(), moves / span)
    return [float(size) for size in (error, gap, force, deformation)]


def shares(steps: list[list[float]]) -> tuple[float, float]:
    """Largest errors of balance and of compatibility in some steps, from those of `equations`."""
    error, gap, force, deformation = np.max(steps, axis=0) if steps else np.zeros(4)
    return float(error / force) if force else 0.0, float(gap / deformation) if deformation else 0.0
