"""What integrators with a fixed amount of work a step have in common: explicit ones, and those that
split or count.

They evaluate the elements at displacements known beforehand, and solve without iterating for
convergence. Each is a ``step`` function; `stepping` makes the kernel that marches with it. What
they keep besides the state is one vector (run.own): numbers, a room for modal damping for each
factored matrix, matrices, factors of matrices, and rows over the degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh

from femu.analyses import code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.damped_solve import modal_room
from femu.engine.element_kernels import EVALUATE, FORCES
from femu.engine.fields import given
from femu.engine.ldlt import times_matrix
from femu.engine.program import Program
from femu.engine.residual import (
    apply_loads,
    clear_imposed,
    copy,
    damping_force,
    form_matrix,
    spread_links,
)
from femu.engine.run_fields import RUN
from femu.engine.workspace import Workspace, aligned
from femu.kernels import INT, Helper, Kernel, inlined, shift
from femu.support.errors import AnalysisError, InputError

Array = npt.NDArray[np.float64]
FORMS = ("trapezoidal", "midpoint", "inside")
"""Whether an integrator weighs the forces at the two ends of a step, or takes those of a
displacement inside it and lets the elements move to its end, or leaves them there."""
NUMBERS = 8  # floats at the head of run.own that an integrator calls by names of its own
_LINE = 8  # floats of a cache line
_FEW = 200  # equations whose frequencies are found all at once
_ENOUGH = 1e-3  # relative accuracy of the highest frequency


def stepping(step: Callable[[Any, Any, Any], Any]) -> Kernel:
    """The kernel that marches from run.first to run.last by an inlined ``step(context, settings,
    step)``.

    The step function leaves the trial values of the step, or returns why it cannot; the commit is
    done here.
    """
    if not isinstance(step, Helper):
        name = getattr(step, "__qualname__", "step")
        raise InputError(
            "stepping",
            "step",
            step,
            "must be a function for use inside kernels",
            fix=f"put @inlined (from femu.kernels import inlined) above def {name}",
        )

    def go(run):
        settings = run.settings
        start(run)
        while run.first < run.last:
            number = run.first
            why = conclude(run, settings, number, step(run, settings, number))
            if why != code.DONE:
                return why
        return code.DONE

    return Kernel(go, INT(RUN), name=f"{step.__module__}.march", noalias=False)


# --- what an integrator keeps: run.own ---

def _whole_lines(floats: int) -> int:
    return -(-floats // _LINE) * _LINE


def row_floats(program: Program, rows: int) -> int:
    """Floats of ``rows`` rows over the degrees of freedom; they are the end of run.own."""
    return rows * _whole_lines(program.ndof)


def hold_own(run: Workspace, rooms: int, matrices: list[Array], factors: int = 0, rows: int = 0) -> Array:
    """Hold run.own with room for modal damping, these matrices, and numbers of factors and rows;
    returns its numbers."""
    modes, neq = int(run.fields.nmodes), run.program.neq
    room, size = _whole_lines(modes * (neq + modes + 1)), _whole_lines(run.program.storage + 8)
    own = run.fields.own = aligned(NUMBERS + rooms * room + len(matrices) * size
                                   + row_floats(run.program,
                                                rows)
                                                + factors * _whole_lines(run.program.sparsity.factors))
    for k, values in enumerate(matrices):
        at = NUMBERS + rooms * room + k * size
        own[at:at + len(values)] = values
        own[at + run.program.storage:at + size] = 0.0
    return own[:NUMBERS]


@inlined
def own_room(run, k):
    """Room k for modal damping."""
    return shift(run.own, NUMBERS + k * modal_room(run))


@inlined
def own_matrix(run, rooms, k):
    """Matrix k, after the rooms."""
    return shift(own_room(run, rooms), k * ((run.storage + 15) // 8 * 8))


@inlined
def own_factors(run, rooms, matrices, k):
    """Factors k of a matrix, after the rooms and matrices."""
    return shift(own_matrix(run, rooms, matrices), k * ((run.nfactors + 7) // 8 * 8))


@inlined
def own_row(run, rooms, matrices, factors, k):
    """Row k over the degrees of freedom, after the rooms, matrices and factors."""
    return shift(own_factors(run, rooms, matrices, factors), k * ((run.ndof + 7) // 8 * 8))


@inlined
def form_at(run, place, tangent, stiffness, damping, mass):
    """place = stiffness tangent + damping C + mass M with the constant part of C, as `form_matrix`
    makes run.matrix."""
    usual = run.matrix
    run.matrix = place
    form_matrix(run, tangent, stiffness, damping, mass, 0.0, 0.0)
    run.matrix = usual


def element_damping(run: Workspace) -> Array:
    """Matrix of what the elements' forces change by velocity, in the virgin structure.

    Zeros if none does.
    """
    with_rate, without = (_virgin_tangent(run, rate)
                          for rate in (1.0, 0.0)) if run.program.rate_dependent else (0.0, 0.0)
    rates = aligned(run.program.storage + 8)
    rates[:] = np.subtract(with_rate, without)
    return rates


def _virgin_tangent(run: Workspace, rate: float) -> Array:
    virgin = Workspace(run.program, run.program.state(), run.parameters)
    virgin.fields.step[2] = rate
    virgin.determine(EVALUATE)
    return virgin.fields.tangent


def highest_frequency(run: Workspace) -> float:
    """Largest circular frequency of the virgin structure, supports that move held."""
    program = run.program
    free = np.setdiff1d(np.arange(program.neq), sorted(program.imposed))
    stiffness = program.sparsity.to_sparse(run.initial_stiffness())[free][:, free]
    mass = program.mass_matrix(run.parameters)[:program.neq, :program.neq][free][:, free]
    if len(free) <= _FEW:
        return float(np.sqrt(eigh(stiffness.toarray(), mass.toarray(),
                                  eigvals_only=True)[-1].clip(0.0)))
    largest = eigsh(stiffness, 1, M=csc_array(mass), which="LM", v0=np.ones(len(free)), tol=_ENOUGH,
                    return_eigenvectors=False)
    return float(np.sqrt(largest[0].clip(0.0)))


def check_limit(run: Workspace, integrator: str, dt: float, limit: float) -> None:
    """Raise if omega dt of the highest mode is above a limit of stability."""
    highest = highest_frequency(run)
    if highest * dt > limit * (1.0 + _ENOUGH):
        raise AnalysisError(f"{integrator} is unstable at dt = {dt:g}: the highest frequency of "
                            f"{run.program.name!r} allows at most {limit / highest:.4g}. Take "
                            "shorter steps, or an integrator that is stable at any: KRAlpha, "
                            "AlphaOS, Newmark.")


def is_damped(run: Workspace) -> bool:
    """Whether the structure has damping of any kind, or elements that may have."""
    fields, settings = run.fields, run.fields.settings
    return bool(fields.damping_matrix is not None or fields.nmodes or settings.current_stiffness_damping
                or settings.committed_stiffness_damping or run.program.rate_dependent)


# --- pieces of a step ---

@inlined
def impose(run, step, u, v):
    """Imposed motion at the end of the step, and the linked degrees of freedom."""
    imposed, count = run.imposed, run.nimposed
    motion = shift(run.motion, step * 3 * count)
    for q in range(count):
        u[imposed[q]], v[imposed[q]] = motion[q], motion[count + q]
    spread_links(run, u)
    spread_links(run, v)


@inlined
def load_end(run, settings, step, rate):
    """Loads at the end of the step, and what the elements see of it.

    ``rate`` is d velocity / d displacement.
    """
    seen = run.step
    seen[0], seen[1], seen[2] = run.time + settings.dt, settings.dt, rate
    copy(run.npatterns, run.load_factors0, run.load_factors1)
    follow(run, shift(run.series1, step * run.npatterns))
    apply_loads(run, run.load_factors1)


@inlined
def load_inside(run, settings, step, rate):
    """The same at ALPHA_F of the step, where an integrator balances it.

    The commit then goes to its end.
    """
    seen, dt = run.step, settings.alpha_f * settings.dt
    seen[0], seen[1], seen[2] = run.time + dt, dt, rate
    copy(run.npatterns, run.load_factors0, run.load_factors1)
    follow(run, shift(run.series, step * run.npatterns))
    apply_loads(run, run.load_factors1)


@inlined
def mix(run, share, before, after, x):
    """x = (1 - share) before + share after, over all degrees of freedom."""
    for a in range(run.ndof):
        x[a] = (1.0 - share) * before[a] + share * after[a]


@inlined
def forces_alone(run):
    """Mode of a state determination whose tangent nobody reads.

    Damping by the stiffness of the moment reads it.
    """
    return FORCES if not given(run.damped_tangent) else EVALUATE


@inlined
def weigh_forces(run, settings, v, weight, r):
    """r = weight (P - F - D) at the end of the step + (1 - weight) (P - F - D) at its start, over
    the equations.

    The external and internal force must be known; the damping force is that of velocity v.
    """
    damping_force(run, v, settings.current_stiffness_damping, settings.committed_stiffness_damping,
                  run.scratch1)
    external, internal, damping = run.external, run.internal, run.damping
    for a in range(run.neq):
        r[a] = weight * (external[a] - internal[a] - damping[a])
    if weight != 1.0:
        external0, internal0 = run.external0, run.internal0
        damping0, before = run.damping0, 1.0 - weight
        for a in range(run.neq):
            r[a] += before * (external0[a] - internal0[a] - damping0[a])


@inlined
def impose_acceleration(run, step, weight, a1, r):
    """Take from r the inertia that imposed accelerations cause elsewhere (consistent mass), and
    clear r where imposed.

    ``weight`` is the share of the end of the step at which inertia is taken. a1 gets the imposed
    accelerations.
    """
    imposed, count = run.imposed, run.nimposed
    if count == 0:
        return
    motion, a0 = shift(run.motion, step * 3 * count), run.a0
    own, product = run.scratch1, run.scratch2
    for a in range(run.neq):
        own[a] = 0.0
    for q in range(count):
        a1[imposed[q]] = motion[2 * count + q]
        own[imposed[q]] = weight * a1[imposed[q]] + (1.0 - weight) * a0[imposed[q]]
    if not given(run.mass_diagonal):
        times_matrix(run, run.mass, own, product)
        for a in range(run.neq):
            r[a] -= product[a]
    clear_imposed(run, r)


@inlined
def one_pass(run, step):
    """Report of a step without iteration."""
    report = shift(run.report, code.REPORT_FLOATS * step)
    report[0], report[1], report[2] = 1.0, 0.0, 0.0
