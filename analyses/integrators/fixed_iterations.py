"""Implicit methods with a fixed number of iterations, each a share of the way to the end of the
step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from femu.analyses import code
from femu.analyses.commit import start
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.integrators.newmark import Newmark
from femu.analyses.integrators.operator_splitting import (
    LINEAR,
    MATRICES,
    RATES,
    STIFFNESS,
    TANGENTS,
)
from femu.analyses.integrators.predictor import COMMAND
from femu.analyses.newton_step import march
from femu.analyses.noniterative import (
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
from femu.engine.element_kernels import EVALUATE, FORM
from femu.engine.program import Program
from femu.engine.residual import (
    clear_imposed,
    copy,
    damping_force,
    determine,
    dot,
    form_matrix,
    inertia_force,
    spread_links,
)
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined, kernel, routine, shift
from femu.support.errors import InputError

# places in run.own: shares of the end of the step, choices, iterations a step, and those done of
# this step
ALPHA_M, ALPHA_F, CURRENT, ITERATIONS, ORDER, DONE = range(6)
# rows in run.own: displacements of the last step but one and but two, where the elements were
# asked last, and two numbers
BEFORE, EARLIER, ASKED, MEMORY, ROWS = range(5)
KNOWN, LENGTH = 0, 1  # places in the row MEMORY: how many steps are remembered, and their length
MOST_ORDER = 3


@inlined
def _row(run, k):
    return own_row(run, 1, MATRICES, 0, k)


@inlined
def _mode(run, own):
    return EVALUATE if own[CURRENT] != 0.0 else forces_alone(run)


@inlined
def _begin(run, settings, step):
    """Trial values at the start of a step: displacement held, Newmark's velocity and acceleration;
    loads of its end.

    The elements rest where they were asked last, with the force they had there. 0, or 1 if one
    has no answer.
    """
    own, ndof = run.own, run.ndof
    dt, beta, gamma = settings.dt, settings.beta, settings.gamma
    u0, v0, a0 = run.u0, run.v0, run.a0
    u1, v1, a1 = run.u1, run.v1, run.a1
    for a in range(ndof):
        u1[a] = u0[a]
        v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
        a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
    impose(run, step, u1, v1)
    load_end(run, settings, step, gamma / (beta * dt))
    if run.nimposed > 0:
        return determine(run, _mode(run, own))
    if own[CURRENT] != 0.0:
        if _row(run, MEMORY)[KNOWN] > 0.0:
            copy(ndof, _row(run, ASKED), u1)
        if determine(run, FORM) != 0:
            return 1
        copy(ndof, u0, u1)
    copy(ndof, run.internal0, run.internal)
    return 0


@routine
def _increment(run, settings, step):
    """R and the increment DX by which it would vanish, from the forces as they are.

    0, or 1 if the matrix is singular.

    Many locals: fields of the run, unpacked before the loop.
    """
    neq, dt, beta, gamma = run.neq, settings.dt, settings.beta, settings.gamma
    own, r, dx = run.own, run.r, run.dx
    a0, a1 = run.a0, run.a1
    middle, product = run.scratch1, run.scratch2
    matrix, factors = run.matrix, run.factors
    alpha_m, alpha_f, room = own[ALPHA_M], own[ALPHA_F], own_room(run, 0)
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    moving = own[CURRENT] != 0.0
    weigh_forces(run, settings, run.v1, alpha_f, r)
    impose_acceleration(run, step, alpha_m, a1, r)
    for a in range(neq):
        middle[a] = (1.0 - alpha_m) * a0[a] + alpha_m * a1[a]
    clear_imposed(run, middle)
    inertia_force(run, middle, product)
    for a in range(neq):
        r[a] -= product[a]
    clear_imposed(run, r)
    by_velocity = alpha_f * gamma / (beta * dt)
    if settings.factored == 0 or moving or current != 0.0 or committed != 0.0:
        linear = run.tangent if moving else own_matrix(run, 1, LINEAR)
        if not moving:
            stiffness, rates = own_matrix(run, 1, STIFFNESS), own_matrix(run, 1, RATES)
            for a in range(run.storage):
                linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
        form_matrix(run, linear, alpha_f, by_velocity, alpha_m / (beta * dt * dt), current,
                    committed)
        if factor_damped(run, matrix, factors, room, by_velocity) != 0:
            return 1
        settings.factored = 1
    copy(neq, r, dx)
    solve_damped(run, factors, room, by_velocity, dx)
    return 0


@inlined
def _move(run, settings):
    """Add DX to the displacement, with the velocity and acceleration it implies."""
    neq, dt, beta, gamma = run.neq, settings.dt, settings.beta, settings.gamma
    u1, v1, a1 = run.u1, run.v1, run.a1
    dx = run.dx
    for a in range(neq):
        u1[a] += dx[a]
        v1[a] += gamma / (beta * dt) * dx[a]
        a1[a] += dx[a] / (beta * dt * dt)
    spread_links(run, u1)
    spread_links(run, v1)


@inlined
def _iterate(run, settings, step, number):
    """Iteration ``number`` of a step.

    A Newton increment, and the share of the way to where it leads; code.DONE or why not.
    """
    neq, own, memory = run.neq, run.own, _row(run, MEMORY)
    if number == 0:
        if run.fresh != 0:
            settings.factored = 0
        if memory[LENGTH] != settings.dt:
            memory[KNOWN], memory[LENGTH] = 0.0, settings.dt
        if _begin(run, settings, step) != 0:
            return code.ELEMENT_FAILED
    elif determine(run, _mode(run, own)) != 0:
        return code.ELEMENT_FAILED
    if _increment(run, settings, step) != 0:
        return code.SINGULAR
    u0, u1, dx = run.u0, run.u1, run.dx
    before, earlier = _row(run, BEFORE), _row(run, EARLIER)
    if memory[KNOWN] < 1.0:
        copy(neq, u0, before)
    if memory[KNOWN] < 2.0:
        copy(neq, before, earlier)
    # Lagrange's polynomial through the displacements at -2, -1, 0 and where the increment leads at
    # 1
    x, order = (number + 1.0) / own[ITERATIONS], own[ORDER]
    at_1, at_0, at_before, at_earlier = x, 1.0 - x, 0.0, 0.0
    if order == 2.0:
        at_1, at_0, at_before = 0.5 * x * (x + 1.0), 1.0 - x * x, 0.5 * x * (x - 1.0)
    elif order == 3.0:
        at_1, at_0 = x * (x + 1.0) * (x + 2.0) / 6.0, 0.5 * (1.0 - x * x) * (x + 2.0)
        at_before, at_earlier = 0.5 * (x - 1.0) * x * (x + 2.0), x * (1.0 - x * x) / 6.0
    for a in range(neq):
        dx[a] = at_1 * (u1[a]
                        + dx[a]) + at_0 * u0[a] + at_before * before[a] + at_earlier * earlier[a] - u1[a]
    clear_imposed(run, dx)
    _move(run, settings)
    own[DONE] = number + 1.0
    return code.DONE


@inlined
def _step(run, settings, step):
    neq, own, memory = run.neq, run.own, _row(run, MEMORY)
    if own[DONE] > 0.0:
        load_end(run, settings, step, settings.gamma / (settings.beta * settings.dt))
    # a hybrid test has done some of them with its commands
    for number in range(int(own[DONE]), int(own[ITERATIONS])):
        why = _iterate(run, settings, step, number)
        if why != code.DONE:
            own[DONE] = 0.0
            return why
    own[DONE] = 0.0
    if determine(run, _mode(run, own)) != 0:
        return code.ELEMENT_FAILED
    # what is left goes into the nodes alone: the elements, and specimens, stay where they were
    # asked
    if _increment(run, settings, step) != 0:
        return code.SINGULAR
    size = math.sqrt(dot(neq, run.dx, run.dx))
    copy(run.ndof, run.u1, _row(run, ASKED))
    _move(run, settings)
    copy(neq, _row(run, BEFORE), _row(run, EARLIER))
    copy(neq, run.u0, _row(run, BEFORE))
    memory[KNOWN] = min(memory[KNOWN] + 1.0, 2.0)
    damping_force(run, run.v1, settings.current_stiffness_damping,
                  settings.committed_stiffness_damping, run.scratch1)
    report = shift(run.report, code.REPORT_FLOATS * step)
    report[0], report[1], report[2] = own[ITERATIONS], size, 0.0
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


fixed_iterations = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(run, step, exchange):
    """Each exchange is an iteration: the specimens are asked where it leads."""
    if exchange == 0:
        start(run)
    why = _iterate(run, run.settings, step, exchange)
    copy(run.ndof, run.u1, run.command)
    return why


@dataclass(frozen=True)
class FixedIterations(Integrator):
    """An implicit method with a fixed number of iterations, made for specimens: they move one way,
    in even steps.

    ``of`` is the method (`Newmark`, `HHT` or `GeneralizedAlpha`), with its inertia and kinematics;
    other forces are weighed between the ends of the step: alpha_f (C v_1 + F_1 - P_1) + (1 -
    alpha_f) (C v_0 + F_0 - P_0). Iteration k of n makes a Newton increment, and goes to where the
    polynomial through the last displacements (at -2, -1, 0) and the end of that increment (at 1)
    is at k/n: a line (``order`` 1), or the parabola or cubic (2, 3) that also keeps the
    velocity even from step to step. As the increments lead to nearly the same end each time, the
    elements are not asked beyond it and back. The last iteration has the whole increment. What
    unbalance is left then is solved for once more, in the nodes alone. ``tangent``: "current", or
    "initial" (a matrix factored once).

    A run, also one that continues from a state, begins as if it had rested at its displacement
    before. Order of accuracy and stability are those of the method while the iterations converge.
    OpenSees: ``NewmarkHSFixedNumIter gamma beta -polyOrder order`` with ``test FixedNumIter n``,
    and ``HHTHSFixedNumIter_TP``. In a hybrid test there are n exchanges a step.
    """

    of: Integrator = field(default_factory=Newmark)
    iterations: int = 5
    order: int = 2
    tangent: str = "current"

    kernel: ClassVar[Kernel] = fixed_iterations
    command: ClassVar[Kernel] = command
    elements_stay: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.of, Integrator) or self.of.kernel is not march:
            raise InputError("FixedIterations", "of", self.of, "must be an implicit integrator",
                             fix="use HHT(0.9), for example")
        for name, value, most in (("iterations", self.iterations, 100),
                                  ("order", self.order, MOST_ORDER)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InputError("FixedIterations", name, value, "must be a whole number from 1 to "
                                                                 f"{most}")
        if self.tangent not in TANGENTS:
            raise InputError("FixedIterations", "tangent", self.tangent, "must be one of "
                                                                         f"{TANGENTS}")

    def coefficients(self) -> tuple[float, float, float, float]:
        # forces at the two ends are weighed in the kernel: loads and elements are taken at the end
        # of the step
        _, _, beta, gamma = self.of.coefficients()
        return 1.0, 1.0, beta, gamma

    @property
    def exchanges(self) -> int:
        return self.iterations

    def memory(self, program: Program) -> int:
        return row_floats(program, ROWS)

    def prepare(self, run: Workspace) -> None:
        stiffness = run.initial_stiffness()
        numbers = hold_own(run, 1, [stiffness, element_damping(run), 0.0 * stiffness], rows=ROWS)
        numbers[ALPHA_M], numbers[ALPHA_F] = self.of.coefficients()[:2]
        numbers[CURRENT], numbers[ITERATIONS], numbers[ORDER] = self.tangent == "current", self.iterations, self.order
