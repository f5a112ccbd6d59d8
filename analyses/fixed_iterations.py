"""Implicit methods with a fixed number of iterations, each a share of the way to the end of the step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.commit import start
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.explicit import (
    element_damping,
    forces_alone,
    hold_own,
    impose,
    impose_acceleration,
    load_end,
    own_matrix,
    own_room,
    own_row,
    row_floats,
    stepping,
    weigh_forces,
)
from femu.analyses.march import march
from femu.analyses.newmark import Newmark
from femu.analyses.one_step import OneStep
from femu.analyses.operator_splitting import LINEAR, MATRICES, RATES, STIFFNESS, TANGENTS
from femu.analyses.predictor import COMMAND
from femu.equilibrium import clear_imposed, copy, damping_force, determine, dot, form_matrix, inertia_force, spread_links
from femu.errors import InputError
from femu.kernels import Kernel, floats_at, inlined, kernel, routine, shift
from femu.program import Program
from femu.run import Run

# places in slot.OWN: shares of the end of the step, choices, iterations a step, and those done of this step
ALPHA_M, ALPHA_F, CURRENT, ITERATIONS, ORDER, DONE = range(6)
# rows in slot.OWN: displacements of the last step but one and but two, where the elements were asked last, and two numbers
BEFORE, EARLIER, ASKED, MEMORY, ROWS = range(5)
KNOWN, LENGTH = 0, 1  # places in the row MEMORY: how many steps are remembered, and their length
MOST_ORDER = 3


@inlined
def _row(context, k):
    return own_row(context, 1, MATRICES, 0, k)


@inlined
def _mode(context, own):
    return slot.EVALUATE if own[CURRENT] != 0.0 else forces_alone(context)


@inlined
def _begin(context, settings, step):
    """Trial values at the start of a step: displacement held, Newmark's velocity and acceleration; loads of its end.

    The elements rest where they were asked last, with the force they had there. 0, or 1 where one has no answer.
    """
    own, ndof = floats_at(context[slot.OWN]), context[slot.NDOF]
    dt, beta, gamma = settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    u0, v0, a0 = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.A0])
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    for a in range(ndof):
        u1[a] = u0[a]
        v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
        a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
    impose(context, step, u1, v1)
    load_end(context, settings, step, gamma / (beta * dt))
    if context[slot.NIMPOSED] > 0:
        return determine(context, _mode(context, own))
    if own[CURRENT] != 0.0:
        if _row(context, MEMORY)[KNOWN] > 0.0:
            copy(ndof, _row(context, ASKED), u1)
        if determine(context, slot.FORM) != 0:
            return 1
        copy(ndof, u0, u1)
    copy(ndof, floats_at(context[slot.F0]), floats_at(context[slot.F]))
    return 0


@routine
def _increment(context, settings, step):
    """R and the increment DX by which it would vanish, from the forces as they are; 0, or 1 where the matrix is singular."""
    neq, dt, beta, gamma = context[slot.NEQ], settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    own, r, dx = floats_at(context[slot.OWN]), floats_at(context[slot.R]), floats_at(context[slot.DX])
    a0, a1 = floats_at(context[slot.A0]), floats_at(context[slot.A1])
    middle, product = floats_at(context[slot.S1]), floats_at(context[slot.S2])
    matrix, factors = floats_at(context[slot.A]), floats_at(context[slot.L])
    alpha_m, alpha_f, room = own[ALPHA_M], own[ALPHA_F], own_room(context, 0)
    current, committed, moving = settings[code.CURRENT], settings[code.COMMITTED], own[CURRENT] != 0.0
    weigh_forces(context, settings, floats_at(context[slot.V1]), alpha_f, r)
    impose_acceleration(context, step, alpha_m, a1, r)
    for a in range(neq):
        middle[a] = (1.0 - alpha_m) * a0[a] + alpha_m * a1[a]
    clear_imposed(context, middle)
    inertia_force(context, middle, product)
    for a in range(neq):
        r[a] -= product[a]
    clear_imposed(context, r)
    by_velocity = alpha_f * gamma / (beta * dt)
    if settings[code.FACTORED] == 0.0 or moving or current != 0.0 or committed != 0.0:
        linear = floats_at(context[slot.K]) if moving else own_matrix(context, 1, LINEAR)
        if not moving:
            stiffness, rates = own_matrix(context, 1, STIFFNESS), own_matrix(context, 1, RATES)
            for a in range(context[slot.STORAGE]):
                linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
        form_matrix(context, linear, alpha_f, by_velocity, alpha_m / (beta * dt * dt), current, committed)
        if factor_damped(context, matrix, factors, room, by_velocity) != 0:
            return 1
        settings[code.FACTORED] = 1.0
    copy(neq, r, dx)
    solve_damped(context, factors, room, by_velocity, dx)
    return 0


@inlined
def _move(context, settings):
    """Add DX to the displacement, with the velocity and acceleration it implies."""
    neq, dt, beta, gamma = context[slot.NEQ], settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    dx = floats_at(context[slot.DX])
    for a in range(neq):
        u1[a] += dx[a]
        v1[a] += gamma / (beta * dt) * dx[a]
        a1[a] += dx[a] / (beta * dt * dt)
    spread_links(context, u1)
    spread_links(context, v1)


@inlined
def _iterate(context, settings, step, number):
    """Iteration ``number`` of a step: a Newton increment, and the share of the way to where it leads; code.DONE or why not."""
    neq, own, memory = context[slot.NEQ], floats_at(context[slot.OWN]), _row(context, MEMORY)
    if number == 0:
        if context[slot.FRESH] != 0:
            settings[code.FACTORED] = 0.0
        if memory[LENGTH] != settings[code.DT]:
            memory[KNOWN], memory[LENGTH] = 0.0, settings[code.DT]
        if _begin(context, settings, step) != 0:
            return code.ELEMENT_FAILED
    elif determine(context, _mode(context, own)) != 0:
        return code.ELEMENT_FAILED
    if _increment(context, settings, step) != 0:
        return code.SINGULAR
    u0, u1, dx = floats_at(context[slot.U0]), floats_at(context[slot.U1]), floats_at(context[slot.DX])
    before, earlier = _row(context, BEFORE), _row(context, EARLIER)
    if memory[KNOWN] < 1.0:
        copy(neq, u0, before)
    if memory[KNOWN] < 2.0:
        copy(neq, before, earlier)
    # Lagrange's polynomial through the displacements at -2, -1, 0 and where the increment leads at 1
    x, order = (number + 1.0) / own[ITERATIONS], own[ORDER]
    at_1, at_0, at_before, at_earlier = x, 1.0 - x, 0.0, 0.0
    if order == 2.0:
        at_1, at_0, at_before = 0.5 * x * (x + 1.0), 1.0 - x * x, 0.5 * x * (x - 1.0)
    elif order == 3.0:
        at_1, at_0 = x * (x + 1.0) * (x + 2.0) / 6.0, 0.5 * (1.0 - x * x) * (x + 2.0)
        at_before, at_earlier = 0.5 * (x - 1.0) * x * (x + 2.0), x * (1.0 - x * x) / 6.0
    for a in range(neq):
        dx[a] = at_1 * (u1[a] + dx[a]) + at_0 * u0[a] + at_before * before[a] + at_earlier * earlier[a] - u1[a]
    clear_imposed(context, dx)
    _move(context, settings)
    own[DONE] = number + 1.0
    return code.DONE


@inlined
def _step(context, settings, step):
    neq, own, memory = context[slot.NEQ], floats_at(context[slot.OWN]), _row(context, MEMORY)
    if own[DONE] > 0.0:
        load_end(context, settings, step, settings[code.GAMMA] / (settings[code.BETA] * settings[code.DT]))
    for number in range(int(own[DONE]), int(own[ITERATIONS])):  # a hybrid test has done some of them with its commands
        why = _iterate(context, settings, step, number)
        if why != code.DONE:
            own[DONE] = 0.0
            return why
    own[DONE] = 0.0
    if determine(context, _mode(context, own)) != 0:
        return code.ELEMENT_FAILED
    # what is left goes into the nodes alone: the elements, and specimens, stay where they were asked
    if _increment(context, settings, step) != 0:
        return code.SINGULAR
    size = math.sqrt(dot(neq, floats_at(context[slot.DX]), floats_at(context[slot.DX])))
    copy(context[slot.NDOF], floats_at(context[slot.U1]), _row(context, ASKED))
    _move(context, settings)
    copy(neq, _row(context, BEFORE), _row(context, EARLIER))
    copy(neq, floats_at(context[slot.U0]), _row(context, BEFORE))
    memory[KNOWN] = min(memory[KNOWN] + 1.0, 2.0)
    damping_force(context, floats_at(context[slot.V1]), settings[code.CURRENT], settings[code.COMMITTED],
                  floats_at(context[slot.S1]))
    report = shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)
    report[0], report[1], report[2] = own[ITERATIONS], size, 0.0
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


fixed_iterations = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(context, step, exchange):
    """Each exchange is an iteration: the specimens are asked where it leads."""
    if exchange == 0:
        start(context)
    why = _iterate(context, floats_at(context[slot.SETTINGS]), step, exchange)
    copy(context[slot.NDOF], floats_at(context[slot.U1]), floats_at(context[slot.COMMAND]))
    return why


@dataclass(frozen=True)
class FixedIterations(OneStep):
    """An implicit method with a fixed number of iterations, made for specimens: they move one way, in even steps.

    ``of`` is the method (`Newmark`, `HHT` or `GeneralizedAlpha`), with its inertia and kinematics; other forces are
    weighed between the ends of the step: alpha_f (C v_1 + F_1 - P_1) + (1 - alpha_f) (C v_0 + F_0 - P_0). Iteration k of n
    makes a Newton increment, and goes to where the polynomial through the last displacements (at -2, -1, 0) and the end of
    that increment (at 1) stands at k/n: a line (``order`` 1), or the parabola or cubic (2, 3) that also keeps the velocity
    even from step to step. As the increments lead to nearly the same end each time, the elements are not asked beyond it and
    back. The last iteration has the whole increment. What unbalance is left then is solved for once more, in the nodes
    alone. ``tangent``: "current", or "initial" (a matrix factored once).

    A run, also one that goes on from a state, begins as if it had rested at its displacement before. Order of
    accuracy and stability are those of the method while the iterations converge. OpenSees: ``NewmarkHSFixedNumIter gamma beta
    -polyOrder order`` with ``test FixedNumIter n``, and ``HHTHSFixedNumIter_TP``. In a hybrid test there are n exchanges a step.
    """

    of: OneStep = field(default_factory=Newmark)
    iterations: int = 5
    order: int = 2
    tangent: str = "current"

    kernel: ClassVar[Kernel] = fixed_iterations
    command: ClassVar[Kernel] = command
    elements_stay: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.of, OneStep) or self.of.kernel is not march:
            raise InputError("FixedIterations", "of", self.of, "must be an implicit integrator", "for example HHT(0.9)")
        for name, value, most in (("iterations", self.iterations, 100), ("order", self.order, MOST_ORDER)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InputError("FixedIterations", name, value, f"must be a whole number from 1 to {most}")
        if self.tangent not in TANGENTS:
            raise InputError("FixedIterations", "tangent", self.tangent, f"must be one of {TANGENTS}")

    def coefficients(self) -> tuple[float, float, float, float]:
        # forces at the two ends are weighed in the kernel: loads and elements are taken at the end of the step
        _, _, beta, gamma = self.of.coefficients()
        return 1.0, 1.0, beta, gamma

    @property
    def exchanges(self) -> int:
        return self.iterations

    def memory(self, program: Program) -> int:
        return row_floats(program, ROWS)

    def prepare(self, run: Run) -> None:
        stiffness = run.initial_stiffness()
        numbers = hold_own(run, 1, [stiffness, element_damping(run), 0.0 * stiffness], rows=ROWS)
        numbers[ALPHA_M], numbers[ALPHA_F] = self.of.coefficients()[:2]
        numbers[CURRENT], numbers[ITERATIONS], numbers[ORDER] = self.tangent == "current", self.iterations, self.order
