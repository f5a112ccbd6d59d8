"""Responses that have grown without bound: an integration that is unstable ends with numbers, but
they mean nothing.

A displacement of a million times the extent of the model, or a rotation of a million radians, is
not a response of a structure. Exponential growth passes this bound within some hundred steps of any
start.
"""

from __future__ import annotations

import numpy as np

from femu.engine.program import Program
from femu.engine.state import State
from femu.model.element import ROTATIONS

BOUND = 1e6  # extents of the model, or radians


def unbounded(program: Program, state: State) -> str:
    """What is wrong with the displacements of a state, in a sentence; empty if they are bounded."""
    points = np.array(list(program.coordinates.values()))
    extent = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    u = np.abs(state.vector[program.layout.u : program.layout.u + program.ndof])
    if not len(u) or u.max() <= BOUND * min(extent or 1.0, 1.0):
        return ""
    for (node, direction), place in program.numbering.place.items():
        size = 1.0 if direction in ROTATIONS else extent
        if size > 0.0 and u[place] > BOUND * size:
            return (
                f"The response has grown without bound: node {node!r} is at {u[place]:.3g} along "
                f"{direction}, and the model measures {extent:.3g}. The integration is unstable: "
                "look at the findings of the run, take a smaller dt, or another integrator."
            )
    return ""
