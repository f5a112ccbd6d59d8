"""Kinetic and absorbed energy of a run in openseespy, from the velocities and end forces that it
gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.elements import LumpedMass
from femu.engine.program import Program
from femu.opensees.translation.elements import Reading
from femu.results.result import Result

Array = npt.NDArray[np.float64]
LABELS = ("kinetic", "absorbed by the elements")


def energy_kinds(program: Program) -> tuple[str, str]:
    """Kinds of the two columns; "" if the second cannot be compared.

    Under base acceleration the end forces of OpenSees hold the inertia of an element's own mass.
    """
    own_mass = any(
        getattr(e, "mass", 0.0) > 0.0
        for e in program.elements.values()
        if not isinstance(e, LumpedMass)
    )
    return "energy", "" if own_mass else "energy"


def own_energy(result: Result) -> Array:
    """Kinetic and absorbed energy of femu's own run, one column each."""
    absorbed = result.energy("absorbed")
    return np.stack([result.energy("kinetic"), absorbed - absorbed[0]], axis=1)


def peer_energy(program: Program, readings: Sequence[Reading], rows: Array) -> Array:
    """The same from the rows of openseespy.

    V M v/2, and the end forces' work by the trapezoidal rule.
    """
    at: dict[str, dict[tuple[object, str], int]] = {}
    forces: list[tuple[int, Reading]] = []
    column = 0
    for reading in readings:
        if reading.call[0] == "eleForce":
            forces.append((column, reading))
        elif reading.dofs:
            at.setdefault(reading.call[0], {}).update(
                {dof: column + c for c, dof in enumerate(reading.dofs)}
            )
        column += len(reading.kinds)
    kinetic, absorbed = np.zeros(len(rows)), np.zeros(len(rows))
    if "nodeVel" in at:
        v = np.zeros((program.ndof, len(rows)))
        for dof, place in program.numbering.place.items():
            v[place] = rows[:, at["nodeVel"][dof]]
        v[program.neq :] = 0.0  # what follows a link is in the mass of the equations it follows
        kinetic = 0.5 * np.sum(v * (program.mass_matrix() @ v), axis=0)
    for first, reading in forces:
        for c, dof in enumerate(reading.dofs):
            force, moved = rows[:, first + c], np.diff(rows[:, at["nodeDisp"][dof]])
            absorbed[1:] += np.cumsum(0.5 * (force[1:] + force[:-1]) * moved)
    return np.stack([kinetic, absorbed], axis=1)
