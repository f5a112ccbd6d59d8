"""Natural modes of a compiled model: frequencies and shapes, without further questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import eigsh, splu

from femu.engine.workspace import Workspace
from femu.support.errors import AnalysisError

if TYPE_CHECKING:
    from femu.engine.program import Program

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
SINGULAR = 1e-13  # pivot over diagonal, as in femu.engine.ldlt_band
DENSE = 400  # equations up to which all modes are found at once


def natural_modes(
    program: Program, run: Workspace, modes: int, tangent: bool
) -> tuple[Array, Array]:
    """Squares of the circular frequencies, the smallest first, and shapes with unit modal mass.

    The stiffness is the tangent of the run's state, or that of the unstressed structure.
    """
    stiffness = run.tangent() if tangent else run.initial_stiffness()
    free = np.delete(np.arange(program.neq), list(program.imposed))  # moving supports are held
    masses = run.mass_matrix()[0]
    moving = int(np.count_nonzero(masses[program.sparsity.diagonal[free]] > 0.0))
    if modes > moving:
        raise AnalysisError(
            f"eigen: {modes} modes were asked for, but only {moving} degrees of freedom of "
            f"{program.name!r} have mass. Ask for fewer, or give nodes a mass."
        )
    try:
        _refuse_mechanism(program, stiffness, free)
        find = _dense if len(free) <= DENSE or modes >= moving // 2 else _sparse
        values, vectors = find(program, stiffness, masses, free, modes)
    except np.linalg.LinAlgError:
        raise AnalysisError(
            f"eigen: the stiffness of {program.name!r} is singular. The structure is a mechanism; "
            "model.check() names what moves."
        ) from None
    if (values <= 0.0).any():
        raise AnalysisError(
            f"eigen: {program.name!r} is unstable or a mechanism: the smallest eigenvalue is "
            f"{values.min():.3g}. model.check() names what moves."
        )
    shapes = np.zeros((program.ndof, modes))
    shapes[free] = vectors
    for place, terms in program.numbering.links.items():
        shapes[place] = sum(f * shapes[e] for e, f in terms)
    return values, shapes


def _refuse_mechanism(program: Program, stiffness: Array, free: Places) -> None:
    """Raise if nothing resists some motion.

    A pivot that vanishes compared with its diagonal, to rounding.
    """
    pattern = program.sparsity
    diagonal = stiffness[pattern.diagonal[free]]
    if (diagonal <= 0.0).any():
        raise np.linalg.LinAlgError
    if len(free) == program.neq:
        if pattern.factor(stiffness)[0] < 0:
            raise np.linalg.LinAlgError
        return
    K, scale = pattern.to_sparse(stiffness)[free][:, free], diags_array(1.0 / np.sqrt(diagonal))
    try:
        factors = splu(
            csc_array(scale @ K @ scale),
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        raise np.linalg.LinAlgError from None
    if (np.abs(factors.U.diagonal()) < SINGULAR).any():
        raise np.linalg.LinAlgError


def _dense(
    program: Program, stiffness: Array, masses: Array, free: Places, modes: int
) -> tuple[Array, Array]:
    # solves M x = mu K x with mu = 1/omega^2: M may be singular, K may not
    K, M = (program.sparsity.to_dense(m)[np.ix_(free, free)] for m in (stiffness, masses))
    values, vectors = eigh(M, K, subset_by_index=(len(free) - modes, len(free) - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    return 1.0 / values, vectors / np.sqrt(values)


def _sparse(
    program: Program, stiffness: Array, masses: Array, free: Places, modes: int
) -> tuple[Array, Array]:
    K, M = (program.sparsity.to_sparse(m)[free][:, free] for m in (stiffness, masses))
    start = np.ones(len(free))  # a fixed start: the same bits each time
    values, vectors = eigsh(K, modes, M=M, sigma=0.0, which="LM", v0=start)
    order = np.argsort(values)
    return values[order], vectors[:, order]
