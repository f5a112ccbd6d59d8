"""The explicit method of Kolay and Ricles."""

from __future__ import annotations

import math
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
    form_at,
    hold_own,
    impose,
    impose_acceleration,
    load_end,
    load_inside,
    mix,
    one_pass,
    own_factors,
    own_matrix,
    own_room,
    own_row,
    stepping,
    weigh_forces,
)
from femu.engine.fields import given
from femu.engine.ldlt import factored_at, solve_at, times_matrix
from femu.engine.residual import clear_imposed, copy, determine, dot, form_matrix, inertia_force
from femu.engine.workspace import Workspace
from femu.kernels import Kernel, inlined, kernel, routine, shift
from femu.model.doubts import raise_or_warn
from femu.model.parameters import finite
from femu.support.errors import InputError

ALPHA_M, ALPHA_F = 0, 1  # places in run.own
# matrices in run.own: K, damping that is not in run.damping_matrix, both as one stiffness, and A
STIFFNESS, RATES, LINEAR, WHOLE, MATRICES = range(5)
OF_A, OF_MASS, FACTORS = range(3)  # factors in run.own; those of G are in run.factors
ROOMS = 2
FORWARD = 0  # row in run.own: A^-1 M a_0


@routine
def _form(run, settings):
    """Form and factor A and G, and a mass that is not diagonal.

    0, or 1 if one of them is singular.
    """
    dt, beta, gamma = settings.dt, settings.beta, settings.gamma
    own, storage = run.own, run.storage
    stiffness, rates = own_matrix(run, ROOMS, STIFFNESS), own_matrix(run, ROOMS, RATES)
    linear, whole = own_matrix(run, ROOMS, LINEAR), own_matrix(run, ROOMS, WHOLE)
    for a in range(storage):
        linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
    form_at(run, whole, linear, beta * dt * dt, gamma * dt, 1.0)
    if factor_damped(run, whole, own_factors(run, ROOMS, MATRICES, OF_A), own_room(run, 0),
                     gamma * dt) != 0:
        return 1
    share, matrix = own[ALPHA_F], run.matrix
    form_matrix(run, linear, share * beta * dt * dt, share * gamma * dt, own[ALPHA_M], 0.0, 0.0)
    if factor_damped(run, matrix, run.factors, own_room(run, 1), share * gamma * dt) != 0:
        return 1
    if given(run.mass_diagonal):
        return 0
    form_matrix(run, linear, 0.0, 0.0, 1.0, 0.0, 0.0)
    return factored_at(run, matrix, own_factors(run, ROOMS, MATRICES, OF_MASS))


@inlined
def _predict(run, settings, step, u, v):
    """Displacement and velocity of the end of the step; 0, or 1 if a matrix is singular."""
    neq, ndof, dt, gamma = run.neq, run.ndof, settings.dt, settings.gamma
    if run.fresh != 0 and _form(run, settings) != 0:
        return 1
    u0, v0, before = run.u0, run.v0, run.scratch1
    forward = own_row(run, ROOMS, MATRICES, FACTORS, FORWARD)
    copy(neq, run.a0, before)
    clear_imposed(run, before)
    inertia_force(run, before, forward)
    clear_imposed(run, forward)
    solve_damped(run, own_factors(run, ROOMS, MATRICES, OF_A), own_room(run, 0), gamma * dt,
                 forward)
    copy(ndof, u0, u)
    copy(ndof, v0, v)
    for a in range(neq):
        u[a] += dt * v0[a] + (0.5 + gamma) * dt * dt * forward[a]
        v[a] += dt * forward[a]
    impose(run, step, u, v)
    return 0


@inlined
def _step(run, settings, step):
    neq, dt, gamma = run.neq, settings.dt, settings.gamma
    u1, v1, a1, a0 = run.u1, run.v1, run.a1, run.a0
    own, r, product, mixed = run.own, run.r, run.scratch2, run.scratch1
    alpha_m, alpha_f = own[ALPHA_M], own[ALPHA_F]
    forward = own_row(run, ROOMS, MATRICES, FACTORS, FORWARD)
    if _predict(run, settings, step, u1, v1) != 0:
        return code.SINGULAR
    if settings.alpha_f == 1.0:
        load_end(run, settings, step, 0.0)
    else:
        mix(run, alpha_f, run.u0, u1, run.u)
        mix(run, alpha_f, run.v0, v1, run.v)
        load_inside(run, settings, step, 0.0)
    if determine(run, forces_alone(run)) != 0:
        return code.ELEMENT_FAILED
    weigh_forces(run, settings, run.v, alpha_f if settings.alpha_f == 1.0 else 1.0, r)
    impose_acceleration(run, step, alpha_m, a1, r)
    for a in range(neq):
        mixed[a] = (1.0 - alpha_f) * a0[a] + (alpha_f - alpha_m) * forward[a]
    clear_imposed(run, mixed)
    inertia_force(run, mixed, product)
    for a in range(neq):
        r[a] -= product[a]
    clear_imposed(run, r)
    _over_mass(run, r)
    times_matrix(run, own_matrix(run, ROOMS, WHOLE), r, product)
    shapes = run.modal_shapes
    for mode in range(run.nmodes):
        row = shift(shapes, mode * neq)
        amplitude = gamma * dt * dot(neq, row, r)
        for a in range(neq):
            product[a] += amplitude * row[a]
    clear_imposed(run, product)
    solve_damped(run, run.factors, own_room(run, 1), alpha_f * gamma * dt, product)
    size = dot(neq, product, product)
    finish_accelerations(run, product, a1)
    one_pass(run, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


@inlined
def _over_mass(run, x):
    """x <- M^-1 x, where the motion is not imposed."""
    if not given(run.mass_diagonal):
        solve_at(run, own_factors(run, ROOMS, MATRICES, OF_MASS), x)
        return
    mass = run.mass_diagonal
    for a in range(run.neq):
        if x[a] != 0.0:
            x[a] /= mass[a]


kr_alpha = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(run, step, exchange):
    """The specimens are asked where the elements are evaluated, which is known beforehand."""
    settings, u = run.settings, run.command
    if _predict(run, settings, step, u, run.v1) != 0:
        return code.SINGULAR
    mix(run, settings.alpha_f, run.u0, u, u)
    return code.DONE


@dataclass(frozen=True)
class KRAlpha(Integrator):
    """The explicit, unconditionally stable method of Kolay and Ricles (2014), by its spectral
    radius at high frequency.

    ``radius`` = 1 has no numerical damping, 0 the most. Displacement and velocity of the end of the
    step are known beforehand; one state determination, no iteration, no tangent. With r = radius,
    the shares of the end of the step alpha_m = (2-r)/(1+r) (inertia) and alpha_f = 1/(1+r) (other
    forces), gamma = 1/2 + alpha_m - alpha_f, beta = (1/2 + gamma)^2/4, and the matrices of the
    virgin structure A = M + gamma dt C + beta dt^2 K::

        v_1 = v_0 + dt A^-1 M a_0,    u_1 = u_0 + dt v_0 + (1/2 + gamma) dt^2 A^-1 M a_0
        M a^ + alpha_f (C v_1 + F(u_1) - P_1) + (1 - alpha_f) (C v_0 + F(u_0) - P_0) = 0
        a^ = (I - alpha_3) a_1 + alpha_3 a_0,    A alpha_3 = (1 - alpha_m) M + (1 - alpha_f) (gamma dt C + beta dt^2 K)

    The matrices keep their pattern: a_1 = G^-1 A M^-1 (...) with G = alpha_m M + alpha_f (gamma dt
    C + beta dt^2 K). Made once, they serve the whole run; the model's parameters may change
    meanwhile.

    Second order; for linear systems the poles are those of `GeneralizedAlpha`. Unconditionally
    stable while the structure is not stiffer than when virgin. At high frequency the displacement
    can overshoot for radius near 1. Every degree of freedom needs mass.

    ``form="midpoint"`` takes loads and elements at alpha_f of the step instead of weighing their
    forces at its ends: the same for linear systems but for the loads, and a second state
    determination at the end. ``form="inside"`` leaves out the second one: the elements keep the
    state of alpha_f of the step, and the recorded internal force is theirs. OpenSees:
    ``KRAlphaExplicit_TP radius``, ``KRAlphaExplicit radius -updateElemDisp`` (midpoint) and
    ``KRAlphaExplicit radius`` (inside). In a hybrid test the specimens are asked at u_1, or at
    alpha_f of the way to it (midpoint, inside).
    """

    radius: float = 0.8
    form: str = "trapezoidal"

    explicit: ClassVar[bool] = True
    kernel: ClassVar[Kernel] = kr_alpha
    command: ClassVar[Kernel] = command

    def __post_init__(self) -> None:
        if not finite(self.radius) or not 0.0 <= self.radius <= 1.0:
            raise_or_warn(self, InputError("KRAlpha", "radius", self.radius, "must lie between 0 "
                                                                             "and 1"))
        if self.form not in FORMS:
            raise InputError("KRAlpha", "form", self.form, f"must be one of {FORMS}")

    @property
    def alpha_m(self) -> float:
        """Share of the end of the step at which inertia is taken."""
        return (2.0 - self.radius) / (1.0 + self.radius)

    @property
    def alpha_f(self) -> float:
        """Share of the end of the step at which all other forces are taken."""
        return 1.0 / (1.0 + self.radius)

    def coefficients(self) -> tuple[float, float, float, float]:
        # trapezoidal: forces at the two ends are weighed in the kernel, loads and elements are
        # taken at the end of the step
        gamma = 0.5 + self.alpha_m - self.alpha_f
        return 1.0, 1.0 if self.form == "trapezoidal" else self.alpha_f, (0.5
                                                                          + gamma) ** 2 / 4.0, gamma

    def prepare(self, run: Workspace) -> None:
        settings = run.fields.settings
        settings.keep_element_state = self.form == "inside"
        stiffness, rates = run.initial_stiffness(), element_damping(run)
        by_stiffness = settings.current_stiffness_damping + settings.committed_stiffness_damping
        if by_stiffness != 0.0:
            rates = rates + by_stiffness * run.initial_stiffness(damped=True)
        nothing = [0.0 * stiffness] * (MATRICES - 2)
        numbers = hold_own(run, ROOMS, [stiffness, rates, *nothing], FACTORS, rows=1)
        numbers[ALPHA_M], numbers[ALPHA_F] = self.alpha_m, self.alpha_f
