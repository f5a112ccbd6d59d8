"""The alpha method with operator splitting."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.integrators.newmark_explicit import finish_accelerations
from femu.analyses.integrators.predictor import COMMAND
from femu.analyses.noniterative import (
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
from femu.engine.element_kernels import EVALUATE
from femu.engine.ldlt import times_matrix
from femu.engine.program import Program
from femu.engine.residual import (
    clear_imposed,
    copy,
    damping_force,
    determine,
    form_matrix,
    inertia_force,
    spread_links,
)
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined, kernel
from femu.model.doubts import raise_or_warn
from femu.model.parameters import finite
from femu.support.errors import AnalysisError, InputError

# places in run.own: alpha, 1 if the tangent of the moment is used, 1 if the predictor keeps
# the acceleration, and the share of the end of the step at which inertia is taken
ALPHA, CURRENT, KEPT, INERTIA = range(4)
# matrices in run.own: initial stiffness, damping of elements, both as a stiffness
STIFFNESS, RATES, LINEAR, MATRICES = range(4)
# rows in run.own, for the midpoint: last predictor, and 1 if there was one
ASKED, MEMORY, ROWS = range(3)
TANGENTS = ("initial", "current")
PREDICTORS = ("newmark", "taylor")


@inlined
def _predict(run, settings, step, u, v):
    dt, beta, gamma = settings.dt, settings.beta, settings.gamma
    u0, v0, a0 = run.u0, run.v0, run.a0
    share = 0.5 - beta + beta * run.own[KEPT]
    for a in range(run.ndof):
        u[a] = u0[a] + dt * v0[a] + share * dt * dt * a0[a]
        v[a] = v0[a] + (1.0 - gamma) * dt * a0[a]
    impose(run, step, u, v)


@inlined
def _recall(run, asked):
    """The predictor of the step before; where there was none, the displacement."""
    if own_row(run, 1, MATRICES, 0, MEMORY)[0] == 0.0:
        copy(run.ndof, run.u0, asked)


@inlined
def _step_back(run, settings, moving, u1):
    """The elements were asked at u_0 + dt v_0 + dt^2/2 a_0.

    Linearly from there to the predictor of Newmark.
    """
    neq, dt, beta, a0 = run.neq, settings.dt, settings.beta, run.a0
    way, force, internal = run.scratch1, run.scratch2, run.internal
    for a in range(neq):
        way[a] = beta * dt * dt * a0[a]
    clear_imposed(run, way)
    times_matrix(run, run.tangent if moving else own_matrix(run, 1, STIFFNESS), way, force)
    for a in range(neq):
        u1[a] -= way[a]
        internal[a] -= force[a]
    spread_links(run, u1)
    if moving:  # what follows the velocity stays as it is
        times_matrix(run, own_matrix(run, 1, RATES), way, force)
        for a in range(neq):
            internal[a] += settings.gamma / (beta * dt) * force[a]


@inlined
def _start_linearly(run, settings, moving, asked, r):
    """Midpoint: the force at the start of the step is that of its predictor, and linear from there.

    r -= (1 - alpha) K (u_0 - u~_0)
    """
    neq, u0 = run.neq, run.u0
    way, force, share = run.scratch1, run.scratch2, 1.0 - run.own[ALPHA]
    for a in range(neq):
        way[a] = share * (u0[a] - asked[a])
    times_matrix(run, run.tangent if moving else own_matrix(run, 1, STIFFNESS), way, force)
    for a in range(neq):
        r[a] -= force[a]
    # the tangent holds what follows the velocity, which has no predictor of its own here
    if moving:
        times_matrix(run, own_matrix(run, 1, RATES), way, force)
        for a in range(neq):
            r[a] += settings.gamma / (settings.beta * settings.dt) * force[a]


@inlined
def _step(run, settings, step):
    """Longer than a page: the numbered steps of the method, in their order."""
    neq, dt, beta, gamma = run.neq, settings.dt, settings.beta, settings.gamma
    u1, v1, a1 = run.u1, run.v1, run.a1
    own, r = run.own, run.r
    matrix, factors = run.matrix, run.factors
    room = own_room(run, 0)
    alpha = own[ALPHA]
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    moving = own[CURRENT] != 0.0
    inside, asked, predicted = settings.alpha_f != 1.0, own_row(run, 1, MATRICES, 0,
                                                                ASKED), run.dx_load
    _predict(run, settings, step, u1, v1)
    copy(run.ndof, u1, predicted)
    if inside:
        _recall(run, asked)
        mix(run, alpha, asked, u1, run.u)
        mix(run, alpha, run.v0, v1, run.v)
        load_inside(run, settings, step, gamma / (beta * dt))
    else:
        load_end(run, settings, step, gamma / (beta * dt))
    if determine(run, EVALUATE if moving else forces_alone(run)) != 0:
        return code.ELEMENT_FAILED
    if own[KEPT] != 0.0:
        _step_back(run, settings, moving, u1)
    weigh_forces(run, settings, run.v, 1.0 if inside else alpha, r)
    if inside:
        _start_linearly(run, settings, moving, asked, r)
    inertia = own[INERTIA]
    if inertia != 1.0:
        before, held = run.scratch1, run.scratch2
        for a in range(neq):
            before[a] = (1.0 - inertia) * run.a0[a]
        clear_imposed(run, before)
        inertia_force(run, before, held)
        for a in range(neq):
            r[a] -= held[a]
    impose_acceleration(run, step, inertia, a1, r)
    linear = run.tangent if moving else own_matrix(run, 1, LINEAR)
    if run.fresh != 0 or moving or current != 0.0 or committed != 0.0:
        if not moving:
            stiffness, rates = own_matrix(run, 1, STIFFNESS), own_matrix(run, 1, RATES)
            for a in range(run.storage):
                linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
        form_matrix(run, linear, alpha * beta * dt * dt, alpha * gamma * dt, inertia, current,
                    committed)
        if factor_damped(run, matrix, factors, room, alpha * gamma * dt) != 0:
            return code.SINGULAR
    solve_damped(run, factors, room, alpha * gamma * dt, r)
    moved, force, internal = run.dx, run.scratch2, run.internal
    size = 0.0
    for a in range(neq):
        moved[a] = beta * dt * dt * r[a]
        u1[a] += moved[a]
        v1[a] += gamma * dt * r[a]
        size += r[a] * r[a]
    finish_accelerations(run, r, a1)
    spread_links(run, u1)
    spread_links(run, v1)
    if inside:  # the commit evaluates the elements at the end of the step
        copy(run.ndof, predicted, asked)
        own_row(run, 1, MATRICES, 0, MEMORY)[0] = 1.0
    else:  # the force that balances the step: of the predictor, and linear from there
        times_matrix(run, linear, moved, force)
        for a in range(neq):
            internal[a] += force[a]
        damping_force(run, v1, current, committed, run.scratch1)
    one_pass(run, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


operator_splitting = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(run, step, exchange):
    """The specimens are asked where the elements are evaluated.

    At the predictor, or between two of them.
    """
    settings, u = run.settings, run.command
    asked = own_row(run, 1, MATRICES, 0, ASKED)
    _predict(run, settings, step, u, run.v1)
    if settings.alpha_f != 1.0:
        _recall(run, asked)
        mix(run, settings.alpha_f, asked, u, u)
    return code.DONE


class OperatorSplitting(Integrator):
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
        """Raise if tangent, form or predictor is not one there is."""
        what = type(self).__name__
        if self.tangent not in TANGENTS:
            raise InputError(what, "tangent", self.tangent, f"must be one of {TANGENTS}")
        if self.form not in FORMS:
            raise InputError(what, "form", self.form, f"must be one of {FORMS}")
        allowed = PREDICTORS if self.form == "trapezoidal" else PREDICTORS[:1]
        if self.predictor not in allowed:
            raise InputError(what, "predictor", self.predictor, f"must be one of {allowed} for the "
                                                                f"form {self.form!r}")

    def coefficients(self) -> tuple[float, float, float, float]:
        # trapezoidal: forces at the two ends are weighed in the kernel, loads and elements are
        # taken at the end of the step
        return 1.0, 1.0 if self.form == "trapezoidal" else self.share, *self.newmark()

    def memory(self, program: Program) -> int:
        return 0 if self.form == "trapezoidal" else row_floats(program, ROWS)

    def check_step(self, run: Workspace, dt: float) -> None:
        program, mass = run.program, run.fields.mass
        bare = [a for a in range(program.neq) if mass[program.sparsity.diagonal[a]] <= 0.0
                and a not in program.imposed]
        if self.tangent == "current" and bare:
            node, direction = program.numbering.representative[bare[0]]
            raise AnalysisError(f"{type(self).__name__} with the current tangent needs mass on "
                                f"every degree of freedom, and node {node!r} has none in direction "
                                f"{direction!r}: an element that yields and unloads there makes it "
                                'unstable. Give it mass, or take tangent="initial".')

    def prepare(self, run: Workspace) -> None:
        stiffness = run.initial_stiffness()
        numbers = hold_own(run, 1, [stiffness, element_damping(run), 0.0 * stiffness], rows=ROWS)
        numbers[ALPHA], numbers[CURRENT] = self.share, float(self.tangent == "current")
        numbers[KEPT], numbers[INERTIA] = float(self.predictor == "taylor"), self.inertia
        run.fields.settings.keep_element_state = self.form == "inside"


@dataclass(frozen=True)
class AlphaOS(OperatorSplitting):
    """The alpha method with operator splitting: Nakashima and others (1990), Combescure and Pegon
    (1997).

    The elements are asked once a step, at an explicit predictor; from there they count as linear,
    with the stiffness K of the virgin structure (``tangent="initial"``) or of the predictor
    (``tangent="current"``)::

        u~ = u_0 + dt v_0 + (1/2 - beta) dt^2 a_0,    v~ = v_0 + (1 - gamma) dt a_0
        M a_1 + alpha (C v_1 + F_1 - P_1) + (1 - alpha) (C v_0 + F_0 - P_0) = 0,    F_1 = F(u~) + K (u_1 - u~)
        u_1 = u~ + beta dt^2 a_1,    v_1 = v~ + gamma dt a_1

    ``alpha`` as in `HHT`: from 2/3 (most numerical damping) to 1 (none), with beta = (2-alpha)^2/4
    and gamma = 3/2 - alpha; the alpha of the papers is this one less 1. Second order. For linear
    systems the method is HHT's; with elements that soften it stays unconditionally stable while K
    is not below their stiffness, which the current tangent of a yielding element is when it
    unloads: long steps, and degrees of freedom without mass, want the initial stiffness. Elements
    keep the state of u~, and the recorded internal force is F_1. Elements whose force depends on
    the velocity are linearised too.

    ``form="midpoint"`` evaluates elements and loads inside the step, at (1 - alpha) u~_0 + alpha u~
    between the predictors of two steps, instead of weighing forces: the same for linear systems but
    for the loads. The elements are then evaluated once more at u_1. ``form="inside"`` leaves that
    out: they keep the state of the displacement inside the step, and the recorded internal force is
    theirs. A run begins as if it had been predicted to be where it is.

    ``predictor="taylor"`` asks the elements at u_0 + dt v_0 + dt^2/2 a_0 instead, where
    `ImplicitHybrid` asks them, and counts them as linear from there. For linear systems it is the
    same; where elements soften it is less accurate, and no longer unconditionally stable.

    OpenSees: ``AlphaOS_TP alpha``, ``AlphaOS alpha -updateElemDisp`` (midpoint) and ``AlphaOS
    alpha`` (inside), with ``algorithm Linear -initial`` (or plain ``Linear`` for the current
    tangent). In a hybrid test the specimens are asked at u~, or between two predictors (midpoint,
    inside).
    """

    alpha: float = 0.9
    tangent: str = "initial"
    form: str = "trapezoidal"
    predictor: str = "newmark"

    def __post_init__(self) -> None:
        if not finite(self.alpha) or not 2.0 / 3.0 - 1e-12 <= self.alpha <= 1.0:
            raise_or_warn(self, InputError("AlphaOS", "alpha", self.alpha, "must lie between 2/3 "
                                                                           "and 1",
                                           "It is the papers' alpha plus 1"))
        self.check_choices()

    @property
    def share(self) -> float:
        return self.alpha

    def newmark(self) -> tuple[float, float]:
        return (2.0 - self.alpha) ** 2 / 4.0, 1.5 - self.alpha
