"""Natural periods and mode shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.analyses.inputs import as_program, starting
from femu.engine.modal import natural_modes
from femu.engine.program import Program
from femu.engine.state import State
from femu.engine.workspace import Workspace
from femu.model.element import Name
from femu.model.model import Model
from femu.support.errors import InputError
from femu.support.hooks import card

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Modes:
    """Natural modes, slowest first."""

    program: Program
    periods: Array
    # one column a mode, over the degrees of freedom; scaled so that shape^T M shape = 1
    shapes: Array
    participation: dict[str, Array]  # share of the mass that moves with the ground, by direction

    @property
    def frequencies(self) -> Array:
        """Circular frequencies."""
        return 2.0 * np.pi / self.periods

    def shape(self, mode: int, node: Name, direction: str) -> float:
        """Displacement of a node in a mode (numbered from 1)."""
        if not 1 <= mode <= len(self.periods):
            raise InputError(
                "Modes.shape", "mode", mode, f"must lie between 1 and {len(self.periods)}"
            )
        return float(self.shapes[self.program.dof(node, direction), mode - 1])

    def _repr_html_(self) -> str:
        return str(card(self))

    def __repr__(self) -> str:
        return "Modes(T = " + ", ".join(f"{t:.4g}" for t in self.periods) + ")"


def eigen(
    model: Model | Program,
    modes: int = 3,
    state: State | None = None,
    parameters: Array | None = None,
) -> Modes:
    """Natural modes of a model.

    Of the unstressed structure, or with the tangent stiffness of a ``state``.
    """
    program = as_program(model)
    if isinstance(modes, bool) or not isinstance(modes, int) or modes < 1:
        raise InputError("eigen", "modes", modes, "must be a whole number from 1 on")
    run = Workspace(program, starting(program, state, "state"), parameters)
    values, shapes = natural_modes(program, run, modes, state is not None)
    participation = {}
    for direction in program.translations:
        r = program.influence(direction)
        pushed = run.mass_times(r)
        total = float(r @ pushed)
        moved = (shapes.T @ pushed) ** 2
        participation[direction] = moved / total if total > 0.0 else moved
    return Modes(program, 2.0 * np.pi / np.sqrt(values), shapes, participation)
