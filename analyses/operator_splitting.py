"""The alpha method with operator splitting."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.explicit import (
    FORMS,
    element_damping,
    forces_alone,
    hold_own,
    impose,
    impose_acceleration,
    load_end,
    load_inside,
    mix,
    one_pass,
    own_matrix,
    own_room,
    own_row,
    row_floats,
    stepping,
    weigh_forces,
)
from femu.analyses.newmark_explicit import finish_accelerations
from femu.analyses.one_step import OneStep
from femu.analyses.predictor import COMMAND
from femu.equilibrium import clear_imposed, copy, damping_force, determine, form_matrix, inertia_force, spread_links
from femu.errors import AnalysisError, InputError
from femu.kernels import Kernel, floats_at, inlined, kernel
from femu.parameters import finite
from femu.program import Program
from femu.run import Run
from femu.solver import times_matrix

# places in slot.OWN: alpha, 1 where the tangent of the moment is used, 1 where the predictor keeps the acceleration, and
# the share of the end of the step at which inertia is taken
ALPHA, CURRENT, KEPT, INERTIA = range(4)
STIFFNESS, RATES, LINEAR, MATRICES = range(4)  # matrices in slot.OWN: initial stiffness, damping of elements, both as a stiffness
ASKED, MEMORY, ROWS = range(3)  # rows in slot.OWN, for the midpoint: last predictor, and 1 where there was one
TANGENTS = ("initial", "current")
PREDICTORS = ("newmark", "taylor")


@inlined
def _predict(context, settings, step, u, v):
    dt, beta, gamma = settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    u0, v0, a0 = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.A0])
    share = 0.5 - beta + beta * floats_at(context[slot.OWN])[KEPT]
    for a in range(context[slot.NDOF]):
        u[a] = u0[a] + dt * v0[a] + share * dt * dt * a0[a]
        v[a] = v0[a] + (1.0 - gamma) * dt * a0[a]
    impose(context, step, u, v)


@inlined
def _recall(context, asked):
    """The predictor of the step before; where there was none, the displacement."""
    if own_row(context, 1, MATRICES, 0, MEMORY)[0] == 0.0:
        copy(context[slot.NDOF], floats_at(context[slot.U0]), asked)


@inlined
def _step_back(context, settings, moving, u1):
    """The elements were asked at u_0 + dt v_0 + dt^2/2 a_0: linearly from there to the predictor of Newmark."""
    neq, dt, beta, a0 = context[slot.NEQ], settings[code.DT], settings[code.BETA], floats_at(context[slot.A0])
    way, force, internal = floats_at(context[slot.S1]), floats_at(context[slot.S2]), floats_at(context[slot.F])
    for a in range(neq):
        way[a] = beta * dt * dt * a0[a]
    clear_imposed(context, way)
    times_matrix(context, floats_at(context[slot.K]) if moving else own_matrix(context, 1, STIFFNESS), way, force)
    for a in range(neq):
        u1[a] -= way[a]
        internal[a] -= force[a]
    spread_links(context, u1)
    if moving:  # what follows the velocity stays as it is
        times_matrix(context, own_matrix(context, 1, RATES), way, force)
        for a in range(neq):
            internal[a] += settings[code.GAMMA] / (beta * dt) * force[a]


@inlined
def _start_linearly(context, settings, moving, asked, r):
    """Midpoint: the force at the start of the step is that of its predictor, and linear from there.

    r -= (1 - alpha) K (u_0 - u~_0)
    """
    neq, u0 = context[slot.NEQ], floats_at(context[slot.U0])
    way, force, share = floats_at(context[slot.S1]), floats_at(context[slot.S2]), 1.0 - floats_at(context[slot.OWN])[ALPHA]
    for a in range(neq):
        way[a] = share * (u0[a] - asked[a])
    times_matrix(context, floats_at(context[slot.K]) if moving else own_matrix(context, 1, STIFFNESS), way, force)
    for a in range(neq):
        r[a] -= force[a]
    if moving:  # the tangent holds what follows the velocity, which has no predictor of its own here
        times_matrix(context, own_matrix(context, 1, RATES), way, force)
        for a in range(neq):
            r[a] += settings[code.GAMMA] / (settings[code.BETA] * settings[code.DT]) * force[a]


@inlined
def _step(context, settings, step):
    neq, dt, beta, gamma = context[slot.NEQ], settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    own, r = floats_at(context[slot.OWN]), floats_at(context[slot.R])
    matrix, factors = floats_at(context[slot.A]), floats_at(context[slot.L])
    room = own_room(context, 0)
    alpha, current, committed = own[ALPHA], settings[code.CURRENT], settings[code.COMMITTED]
    moving = own[CURRENT] != 0.0
    inside, asked, predicted = settings[code.ALPHA_F] != 1.0, own_row(context, 1, MATRICES, 0, ASKED), floats_at(context[slot.XP])
    _predict(context, settings, step, u1, v1)
    copy(context[slot.NDOF], u1, predicted)
    if inside:
        _recall(context, asked)
        mix(context, alpha, asked, u1, floats_at(context[slot.U]))
        mix(context, alpha, floats_at(context[slot.V0]), v1, floats_at(context[slot.V]))
        load_inside(context, settings, step, gamma / (beta * dt))
    else:
        load_end(context, settings, step, gamma / (beta * dt))
    if determine(context, slot.EVALUATE if moving else forces_alone(context)) != 0:
        return code.ELEMENT_FAILED
    if own[KEPT] != 0.0:
        _step_back(context, settings, moving, u1)
    weigh_forces(context, settings, floats_at(context[slot.V]), 1.0 if inside else alpha, r)
    if inside:
        _start_linearly(context, settings, moving, asked, r)
    inertia = own[INERTIA]
    if inertia != 1.0:
        before, held = floats_at(context[slot.S1]), floats_at(context[slot.S2])
        for a in range(neq):
            before[a] = (1.0 - inertia) * floats_at(context[slot.A0])[a]
        clear_imposed(context, before)
        inertia_force(context, before, held)
        for a in range(neq):
            r[a] -= held[a]
    impose_acceleration(context, step, inertia, a1, r)
    linear = floats_at(context[slot.K]) if moving else own_matrix(context, 1, LINEAR)
    if context[slot.FRESH] != 0 or moving or current != 0.0 or committed != 0.0:
        if not moving:
            stiffness, rates = own_matrix(context, 1, STIFFNESS), own_matrix(context, 1, RATES)
            for a in range(context[slot.STORAGE]):
                linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
        form_matrix(context, linear, alpha * beta * dt * dt, alpha * gamma * dt, inertia, current, committed)
        if factor_damped(context, matrix, factors, room, alpha * gamma * dt) != 0:
            return code.SINGULAR
    solve_damped(context, factors, room, alpha * gamma * dt, r)
    moved, force, internal = floats_at(context[slot.DX]), floats_at(context[slot.S2]), floats_at(context[slot.F])
    size = 0.0
    for a in range(neq):
        moved[a] = beta * dt * dt * r[a]
        u1[a] += moved[a]
        v1[a] += gamma * dt * r[a]
        size += r[a] * r[a]
    finish_accelerations(context, r, a1)
    spread_links(context, u1)
    spread_links(context, v1)
    if inside:  # the commit evaluates the elements at the end of the step
        copy(context[slot.NDOF], predicted, asked)
        own_row(context, 1, MATRICES, 0, MEMORY)[0] = 1.0
    else:  # the force that balances the step: of the predictor, and linear from there
        times_matrix(context, linear, moved, force)
        for a in range(neq):
            internal[a] += force[a]
        damping_force(context, v1, current, committed, floats_at(context[slot.S1]))
    one_pass(context, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


operator_splitting = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(context, step, exchange):
    """The specimens are asked where the elements are evaluated: at the predictor, or between two of them."""
    settings, u = floats_at(context[slot.SETTINGS]), floats_at(context[slot.COMMAND])
    asked = own_row(context, 1, MATRICES, 0, ASKED)
    _predict(context, settings, step, u, floats_at(context[slot.V1]))
    if settings[code.ALPHA_F] != 1.0:
        _recall(context, asked)
        mix(context, settings[code.ALPHA_F], asked, u, u)
    return code.DONE


class OperatorSplitting(OneStep):
    """What the alpha methods with operator splitting have in common."""

    tangent: str
    form: str
    predictor: str

    kernel: ClassVar[Kernel] = operator_splitting
    command: ClassVar[Kernel] = command

    @property
    def elements_stay(self) -> bool:  # type: ignore[override]
        return self.form != "inside"  # there all elements stay alike

    @property
    @abstractmethod
    def share(self) -> float:
        """Share of the end of the step at which all forces but inertia are taken."""

    @property
    def inertia(self) -> float:
        """The same of inertia."""
        return 1.0

    @abstractmethod
    def newmark(self) -> tuple[float, float]:
        """Newmark's beta and gamma."""

    def check_choices(self) -> None:
        """Raise where tangent, form or predictor is not one there is."""
        what = type(self).__name__
        if self.tangent not in TANGENTS:
            raise InputError(what, "tangent", self.tangent, f"must be one of {TANGENTS}")
        if self.form not in FORMS:
            raise InputError(what, "form", self.form, f"must be one of {FORMS}")
        allowed = PREDICTORS if self.form == "trapezoidal" else PREDICTORS[:1]
        if self.predictor not in allowed:
            raise InputError(what, "predictor", self.predictor, f"must be one of {allowed} for the form {self.form!r}")

    def coefficients(self) -> tuple[float, float, float, float]:
        # trapezoidal: forces at the two ends are weighed in the kernel, loads and elements are taken at the end of the step
        return 1.0, 1.0 if self.form == "trapezoidal" else self.share, *self.newmark()

    def memory(self, program: Program) -> int:
        return 0 if self.form == "trapezoidal" else row_floats(program, ROWS)

    def check_step(self, run: Run, dt: float) -> None:
        program, mass = run.program, run[slot.MASS]
        bare = [a for a in range(program.neq) if mass[program.pattern.diagonal[a]] <= 0.0 and a not in program.imposed]
        if self.tangent == "current" and bare:
            node, direction = program.numbering.representative[bare[0]]
            raise AnalysisError(f"{type(self).__name__} with the current tangent needs mass on every degree of freedom, and node "
                                f"{node!r} has none in direction {direction!r}: an element that yields and unloads there makes "
                                'it unstable. Give it mass, or take tangent="initial".')

    def prepare(self, run: Run) -> None:
        stiffness = run.initial_stiffness()
        numbers = hold_own(run, 1, [stiffness, element_damping(run), 0.0 * stiffness], rows=ROWS)
        numbers[ALPHA], numbers[CURRENT] = self.share, float(self.tangent == "current")
        numbers[KEPT], numbers[INERTIA] = float(self.predictor == "taylor"), self.inertia
        run[slot.SETTINGS][code.STAY] = float(self.form == "inside")


@dataclass(frozen=True)
class AlphaOS(OperatorSplitting):
    """The alpha method with operator splitting: Nakashima and others (1990), Combescure and Pegon (1997).

    The elements are asked once a step, at an explicit predictor; from there they count as linear, with the stiffness
    K of the virgin structure (``tangent="initial"``) or of the predictor (``tangent="current"``)::

        u~ = u_0 + dt v_0 + (1/2 - beta) dt^2 a_0,    v~ = v_0 + (1 - gamma) dt a_0
        M a_1 + alpha (C v_1 + F_1 - P_1) + (1 - alpha) (C v_0 + F_0 - P_0) = 0,    F_1 = F(u~) + K (u_1 - u~)
        u_1 = u~ + beta dt^2 a_1,    v_1 = v~ + gamma dt a_1

    ``alpha`` as in `HHT`: from 2/3 (most numerical damping) to 1 (none), with beta = (2-alpha)^2/4 and gamma = 3/2 -
    alpha; the alpha of the papers is this one less 1. Second order. For linear systems the method is HHT's; with
    elements that soften it stays unconditionally stable while K is not below their stiffness, which the current tangent
    of a yielding element is when it unloads: long steps, and degrees of freedom without mass, want the initial stiffness.
    Elements keep the state of u~, and the recorded internal force is F_1. Elements whose force depends on the velocity
    are linearised too.

    ``form="midpoint"`` evaluates elements and loads inside the step, at (1 - alpha) u~_0 + alpha u~ between the predictors
    of two steps, instead of weighing forces: the same for linear systems but for the loads. The elements are then evaluated
    once more at u_1. ``form="inside"`` leaves that out: they keep the state of the displacement inside the step, and the
    recorded internal force is theirs. A run begins as if it had been predicted to be where it is.

    ``predictor="taylor"`` asks the elements at u_0 + dt v_0 + dt^2/2 a_0 instead, where `ImplicitHybrid` asks them, and counts
    them as linear from there. For linear systems it is the same; where elements soften it is less accurate, and no longer
    unconditionally stable.

    OpenSees: ``AlphaOS_TP alpha``, ``AlphaOS alpha -updateElemDisp`` (midpoint) and ``AlphaOS alpha`` (inside), with
    ``algorithm Linear -initial`` (or plain ``Linear`` for the current tangent). In a hybrid test the specimens are asked at
    u~, or between two predictors (midpoint, inside).
    """

    alpha: float = 0.9
    tangent: str = "initial"
    form: str = "trapezoidal"
    predictor: str = "newmark"

    def __post_init__(self) -> None:
        if not finite(self.alpha) or not 2.0 / 3.0 - 1e-12 <= self.alpha <= 1.0:
            raise InputError("AlphaOS", "alpha", self.alpha, "must lie between 2/3 and 1", "the papers' alpha plus 1")
        self.check_choices()

    @property
    def share(self) -> float:
        return self.alpha

    def newmark(self) -> tuple[float, float]:
        return (2.0 - self.alpha) ** 2 / 4.0, 1.5 - self.alpha
