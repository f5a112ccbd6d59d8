"""What integrators with a fixed amount of work a step have in common: explicit ones, and those that split or count.

They evaluate the elements at displacements known beforehand, and solve without iterating for convergence. Each is a
``step`` function; `stepping` makes the kernel that marches with it. What they keep beside the state is one vector
(slot.OWN): numbers, a room for modal damping for each factored matrix, matrices, factors of matrices, and rows over the
degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.damped_solve import modal_room
from femu.equilibrium import apply_loads, clear_imposed, copy, damping_force, form_matrix, spread_links
from femu.errors import AnalysisError
from femu.kernels import INT, INTS, Kernel, address_of, floats_at, inlined, ints_at, shift
from femu.program import Program
from femu.run import Run, aligned
from femu.solver import times_matrix

Array = npt.NDArray[np.float64]
FORMS = ("trapezoidal", "midpoint", "inside")
"""Whether an integrator weighs the forces at the two ends of a step, or takes those of a displacement inside it and lets the
elements go on to its end, or leaves them there."""
NUMBERS = 8  # floats at the head of slot.OWN that an integrator calls by names of its own
_LINE = 8  # floats of a cache line
_FEW = 200  # equations whose frequencies are found all at once
_ENOUGH = 1e-3  # relative accuracy of the highest frequency


def stepping(step: Callable[[Any, Any, Any], Any]) -> Kernel:
    """The kernel that marches from slot.FIRST to slot.LAST by an inlined ``step(context, settings, step)``.

    The step function leaves the trial values of the step, or returns why it cannot; the commit is done here.
    """

    def go(context):
        settings = floats_at(context[slot.SETTINGS])
        start(context)
        while context[slot.FIRST] < context[slot.LAST]:
            number = context[slot.FIRST]
            why = conclude(context, settings, number, step(context, settings, number))
            if why != code.DONE:
                return why
        return code.DONE

    return Kernel(go, INT(INTS), name=f"{step.__module__}.march", noalias=False)


# --- what an integrator keeps: slot.OWN ---

def _whole_lines(floats: int) -> int:
    return -(-floats // _LINE) * _LINE


def row_floats(program: Program, rows: int) -> int:
    """Floats of so many rows over the degrees of freedom; they are the end of slot.OWN."""
    return rows * _whole_lines(program.ndof)


def hold_own(run: Run, rooms: int, matrices: list[Array], factors: int = 0, rows: int = 0) -> Array:
    """Hold slot.OWN with so many rooms for modal damping, these matrices, so many factors and rows; returns its numbers."""
    modes, neq = int(run.context[slot.NMODAL]), run.program.neq
    room, size = _whole_lines(modes * (neq + modes + 1)), _whole_lines(run.program.storage + 8)
    own = run.hold(slot.OWN, aligned(NUMBERS + rooms * room + len(matrices) * size + row_floats(run.program, rows)
                                     + factors * _whole_lines(run.program.pattern.factors)))
    for k, values in enumerate(matrices):
        at = NUMBERS + rooms * room + k * size
        own[at:at + len(values)] = values
        own[at + run.program.storage:at + size] = 0.0
    return own[:NUMBERS]


@inlined
def own_room(context, k):
    """Room k for modal damping."""
    return shift(floats_at(context[slot.OWN]), NUMBERS + k * modal_room(context))


@inlined
def own_matrix(context, rooms, k):
    """Matrix k, behind so many rooms."""
    return shift(own_room(context, rooms), k * ((context[slot.STORAGE] + 15) // 8 * 8))


@inlined
def own_factors(context, rooms, matrices, k):
    """Factors k of a matrix, behind so many rooms and matrices."""
    return shift(own_matrix(context, rooms, matrices), k * ((context[slot.NFACTORS] + 7) // 8 * 8))


@inlined
def own_row(context, rooms, matrices, factors, k):
    """Row k over the degrees of freedom, behind so many rooms, matrices and factors."""
    return shift(own_factors(context, rooms, matrices, factors), k * ((context[slot.NDOF] + 7) // 8 * 8))


@inlined
def form_at(context, place, tangent, stiffness, damping, mass):
    """place = stiffness tangent + damping C + mass M with the constant part of C, as `form_matrix` makes slot.A."""
    usual = context[slot.A]
    context[slot.A] = address_of(place)
    form_matrix(context, tangent, stiffness, damping, mass, 0.0, 0.0)
    context[slot.A] = usual


def element_damping(run: Run) -> Array:
    """Matrix of what the elements' forces change by velocity, in the virgin structure; zeros where none does."""
    with_rate, without = (_virgin_tangent(run, rate) for rate in (1.0, 0.0)) if run.program.restless else (0.0, 0.0)
    rates = aligned(run.program.storage + 8)
    rates[:] = np.subtract(with_rate, without)
    return rates


def _virgin_tangent(run: Run, rate: float) -> Array:
    virgin = Run(run.program, run.program.state(), run.parameters)
    virgin[slot.STEP][2] = rate
    virgin.determine(slot.EVALUATE)
    return virgin[slot.K]


def highest_frequency(run: Run) -> float:
    """Largest circular frequency of the virgin structure, supports that move held."""
    program = run.program
    free = np.setdiff1d(np.arange(program.neq), sorted(program.imposed))
    stiffness = program.pattern.to_sparse(run.initial_stiffness())[free][:, free]
    mass = program.mass_matrix(run.parameters)[:program.neq, :program.neq][free][:, free]
    if len(free) <= _FEW:
        return float(np.sqrt(eigh(stiffness.toarray(), mass.toarray(), eigvals_only=True)[-1].clip(0.0)))
    largest = eigsh(stiffness, 1, M=csc_array(mass), which="LM", v0=np.ones(len(free)), tol=_ENOUGH, return_eigenvectors=False)
    return float(np.sqrt(largest[0].clip(0.0)))


def check_limit(run: Run, integrator: str, dt: float, limit: float) -> None:
    """Raise where omega dt of the highest mode is above a limit of stability."""
    highest = highest_frequency(run)
    if highest * dt > limit * (1.0 + _ENOUGH):
        raise AnalysisError(f"{integrator} is unstable at dt = {dt:g}: the highest frequency of {run.program.name!r} allows at "
                            f"most {limit / highest:.4g}. Take shorter steps, or an integrator that is stable at any: KRAlpha, "
                            "AlphaOS, Newmark.")


def is_damped(run: Run) -> bool:
    """Whether the structure has damping of any kind, or elements that may have."""
    settings, context = run[slot.SETTINGS], run.context
    return bool(context[slot.DAMPING] or context[slot.NMODAL] or settings[code.CURRENT] or settings[code.COMMITTED]
                or run.program.restless)


# --- pieces of a step ---

@inlined
def impose(context, step, u, v):
    """Imposed motion at the end of the step, and the linked degrees of freedom."""
    imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
    motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
    for q in range(count):
        u[imposed[q]], v[imposed[q]] = motion[q], motion[count + q]
    spread_links(context, u)
    spread_links(context, v)


@inlined
def load_end(context, settings, step, rate):
    """Loads at the end of the step, and what the elements see of it; ``rate`` is d velocity / d displacement."""
    seen = floats_at(context[slot.STEP])
    seen[0], seen[1], seen[2] = floats_at(context[slot.TIME])[0] + settings[code.DT], settings[code.DT], rate
    copy(context[slot.NPATTERNS], floats_at(context[slot.FACTORS]), floats_at(context[slot.FACTORS1]))
    follow(context, shift(floats_at(context[slot.SERIES1]), step * context[slot.NPATTERNS]))
    apply_loads(context, floats_at(context[slot.FACTORS1]))


@inlined
def load_inside(context, settings, step, rate):
    """The same at ALPHA_F of the step, where an integrator balances it; the commit then goes to its end."""
    seen, dt = floats_at(context[slot.STEP]), settings[code.ALPHA_F] * settings[code.DT]
    seen[0], seen[1], seen[2] = floats_at(context[slot.TIME])[0] + dt, dt, rate
    copy(context[slot.NPATTERNS], floats_at(context[slot.FACTORS]), floats_at(context[slot.FACTORS1]))
    follow(context, shift(floats_at(context[slot.SERIES]), step * context[slot.NPATTERNS]))
    apply_loads(context, floats_at(context[slot.FACTORS1]))


@inlined
def mix(context, share, before, after, x):
    """x = (1 - share) before + share after, over all degrees of freedom."""
    for a in range(context[slot.NDOF]):
        x[a] = (1.0 - share) * before[a] + share * after[a]


@inlined
def forces_alone(context):
    """Mode of a state determination whose tangent nobody reads; damping by the stiffness of the moment reads it."""
    return slot.FORCES if context[slot.KD] == 0 else slot.EVALUATE


@inlined
def weigh_forces(context, settings, v, weight, r):
    """r = weight (P - F - D) at the end of the step + (1 - weight) (P - F - D) at its start, over the equations.

    The external and internal force must be known; the damping force is that of velocity v.
    """
    damping_force(context, v, settings[code.CURRENT], settings[code.COMMITTED], floats_at(context[slot.S1]))
    external, internal, damping = floats_at(context[slot.PEXT]), floats_at(context[slot.F]), floats_at(context[slot.D])
    for a in range(context[slot.NEQ]):
        r[a] = weight * (external[a] - internal[a] - damping[a])
    if weight != 1.0:
        external0, internal0 = floats_at(context[slot.PEXT0]), floats_at(context[slot.F0])
        damping0, before = floats_at(context[slot.D0]), 1.0 - weight
        for a in range(context[slot.NEQ]):
            r[a] += before * (external0[a] - internal0[a] - damping0[a])


@inlined
def impose_acceleration(context, step, weight, a1, r):
    """Take from r the inertia that imposed accelerations cause elsewhere (consistent mass), and clear r where imposed.

    ``weight`` is the share of the end of the step at which inertia is taken. a1 gets the imposed accelerations.
    """
    imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
    if count == 0:
        return
    motion, a0 = shift(floats_at(context[slot.MOTION]), step * 3 * count), floats_at(context[slot.A0])
    own, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
    for a in range(context[slot.NEQ]):
        own[a] = 0.0
    for q in range(count):
        a1[imposed[q]] = motion[2 * count + q]
        own[imposed[q]] = weight * a1[imposed[q]] + (1.0 - weight) * a0[imposed[q]]
    if context[slot.MASS_DIAGONAL] == 0:
        times_matrix(context, floats_at(context[slot.MASS]), own, product)
        for a in range(context[slot.NEQ]):
            r[a] -= product[a]
    clear_imposed(context, r)


@inlined
def one_pass(context, step):
    """Report of a step without iteration."""
    report = shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)
    report[0], report[1], report[2] = 1.0, 0.0, 0.0
