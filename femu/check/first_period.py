"""The first period of a program, found only if a bound does not settle the question.

Rayleigh's quotient of any shape is a lower bound of the first period. That of the static deflection
under inertia forces costs one factorization, and is within some percent of the period of a frame.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.support.errors import FemuError

Array = npt.NDArray[np.float64]
LARGEST = 20_000  # equations up to which modes are found: a second or two


def least_first_period(program: Program, parameters: Array | None = None) -> float | None:
    """A lower bound of the first period; None if there is none, 0 if it is not known."""
    run = Workspace(program, program.state(), parameters)
    masses, pattern = run.mass_matrix()[0], program.sparsity
    if program.neq == 0 or not np.any(masses[pattern.diagonal] > 0.0):
        return None
    if program.imposed:
        return 0.0
    stiffness = run.initial_stiffness()
    if (stiffness[pattern.diagonal] <= 0.0).any():
        return None
    negative, factors = pattern.factor(stiffness)
    if negative != 0:
        return None
    found = 0.0
    for direction in program.translations:
        force = run.mass_times(program.influence(direction))[: program.neq]
        shape = pattern.solve(factors, force)
        twice_elastic, by_mass = (
            float(shape @ force),
            float(shape @ pattern.multiply(masses, shape)),
        )
        if twice_elastic > 0.0 and by_mass > 0.0:
            found = max(found, 2.0 * np.pi * float(np.sqrt(by_mass / twice_elastic)))
    return found


def first_period(program: Program, parameters: Array | None = None) -> float | None:
    """The first period of the unstressed structure.

    None if it has none, or is too large to look for it.
    """
    from femu.analyses.eigen import eigen

    if program.neq > LARGEST:
        return None
    try:
        return float(eigen(program, 1, parameters=parameters).periods[0])
    except (FemuError, np.linalg.LinAlgError):
        return None
