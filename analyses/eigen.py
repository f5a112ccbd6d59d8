"""Natural periods and mode shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import eigsh, splu

from femu.analyses.inputs import as_program, starting
from femu.element import Name
from femu.errors import AnalysisError, InputError
from femu.model import Model
from femu.program import Program
from femu.run import Run
from femu.state import State

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
SINGULAR = 1e-13  # pivot over diagonal, as in femu.band
DENSE = 400  # equations up to which all modes are found at once


@dataclass(frozen=True)
class Modes:
    """Natural modes, slowest first."""

    program: Program
    periods: Array
    shapes: Array  # one column a mode, over the degrees of freedom; scaled so that shape^T M shape = 1
    participation: dict[str, Array]  # share of the mass that moves with the ground, by direction

    @property
    def frequencies(self) -> Array:
        """Circular frequencies."""
        return 2.0 * np.pi / self.periods

    def shape(self, mode: int, node: Name, direction: str) -> float:
        """Displacement of a node in a mode (numbered from 1)."""
        if not 1 <= mode <= len(self.periods):
            raise InputError("Modes.shape", "mode", mode, f"must lie between 1 and {len(self.periods)}")
        return float(self.shapes[self.program.dof(node, direction), mode - 1])

    def _repr_html_(self) -> str:
        from femu.report.cards import modes_card

        return modes_card(self)

    def __repr__(self) -> str:
        return "Modes(T = " + ", ".join(f"{t:.4g}" for t in self.periods) + ")"


def eigen(model: Model | Program, modes: int = 3, state: State | None = None, parameters: Array | None = None) -> Modes:
    """Natural modes of a model: of the unstressed structure, or with the tangent stiffness of a ``state``."""
    program = as_program(model)
    if isinstance(modes, bool) or not isinstance(modes, int) or modes < 1:
        raise InputError("eigen", "modes", modes, "must be a whole number from 1 on")
    run = Run(program, starting(program, state, "state"), parameters)
    stiffness = run.tangent() if state is not None else run.initial_stiffness()
    free = np.delete(np.arange(program.neq), list(program.imposed))  # moving supports are held
    masses = run.mass_matrix()[0]
    moving = int(np.count_nonzero(masses[program.pattern.diagonal[free]] > 0.0))
    if modes > moving:
        raise AnalysisError(f"eigen: {modes} modes were asked for, but only {moving} degrees of freedom of "
                            f"{program.name!r} have mass. Ask for fewer, or give nodes a mass.")
    try:
        _refuse_mechanism(program, stiffness, free)
        find = _dense if len(free) <= DENSE or modes >= moving // 2 else _sparse
        values, vectors = find(program, stiffness, masses, free, modes)
    except np.linalg.LinAlgError:
        raise AnalysisError(f"eigen: the stiffness of {program.name!r} is singular. The structure is a mechanism; "
                            "model.check() names what moves.") from None
    if (values <= 0.0).any():
        raise AnalysisError(f"eigen: {program.name!r} is unstable or a mechanism: the smallest eigenvalue is "
                            f"{values.min():.3g}. model.check() names what moves.")
    shapes = np.zeros((program.ndof, modes))
    shapes[free] = vectors
    for place, terms in program.numbering.links.items():
        shapes[place] = sum(f * shapes[e] for e, f in terms)
    participation = {}
    for direction in program.translations:
        r = program.influence(direction)
        pushed = run.mass_times(r)
        total = float(r @ pushed)
        moved = (shapes.T @ pushed) ** 2
        participation[direction] = moved / total if total > 0.0 else moved
    return Modes(program, 2.0 * np.pi / np.sqrt(values), shapes, participation)


def _refuse_mechanism(program: Program, stiffness: Array, free: Places) -> None:
    """Raise where nothing resists some motion: a pivot that vanishes beside its diagonal, to rounding."""
    pattern = program.pattern
    diagonal = stiffness[pattern.diagonal[free]]
    if (diagonal <= 0.0).any():
        raise np.linalg.LinAlgError
    if len(free) == program.neq:
        if pattern.factor(stiffness)[0] < 0:
            raise np.linalg.LinAlgError
        return
    K, scale = pattern.to_sparse(stiffness)[free][:, free], diags_array(1.0 / np.sqrt(diagonal))
    try:
        factors = splu(csc_array(scale @ K @ scale), permc_spec="NATURAL", diag_pivot_thresh=0.0,
                       options={"SymmetricMode": True})
    except RuntimeError:
        raise np.linalg.LinAlgError from None
    if (np.abs(factors.U.diagonal()) < SINGULAR).any():
        raise np.linalg.LinAlgError


def _dense(program: Program, stiffness: Array, masses: Array, free: Places, modes: int) -> tuple[Array, Array]:
    # solves M x = mu K x with mu = 1/omega^2: M may be singular, K may not
    K, M = (program.pattern.to_dense(m)[np.ix_(free, free)] for m in (stiffness, masses))
    values, vectors = eigh(M, K, subset_by_index=(len(free) - modes, len(free) - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    return 1.0 / values, vectors / np.sqrt(values)


def _sparse(program: Program, stiffness: Array, masses: Array, free: Places, modes: int) -> tuple[Array, Array]:
    K, M = (program.pattern.to_sparse(m)[free][:, free] for m in (stiffness, masses))
    start = np.ones(len(free))  # a fixed start: the same bits each time
    values, vectors = eigsh(K, modes, M=M, sigma=0.0, which="LM", v0=start)
    order = np.argsort(values)
    return values[order], vectors[:, order]
