"""The explicit method of Kolay and Ricles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.damped_solve import factor_damped, solve_damped
from femu.analyses.explicit import (
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
from femu.analyses.newmark_explicit import finish_accelerations
from femu.analyses.one_step import OneStep
from femu.analyses.predictor import COMMAND
from femu.equilibrium import clear_imposed, copy, determine, dot, form_matrix, inertia_force
from femu.errors import InputError
from femu.kernels import Kernel, floats_at, inlined, kernel, routine, shift
from femu.parameters import finite
from femu.run import Run
from femu.solver import factored_at, solve_at, times_matrix

ALPHA_M, ALPHA_F = 0, 1  # places in slot.OWN
# matrices in slot.OWN: K, damping that is not in slot.DAMPING, both as one stiffness, and A
STIFFNESS, RATES, LINEAR, WHOLE, MATRICES = range(5)
OF_A, OF_MASS, FACTORS = range(3)  # factors in slot.OWN; those of G are in slot.L
ROOMS = 2
FORWARD = 0  # row in slot.OWN: A^-1 M a_0


@routine
def _form(context, settings):
    """Form and factor A and G, and a mass that is not diagonal; 0, or 1 where one of them is singular."""
    dt, beta, gamma = settings[code.DT], settings[code.BETA], settings[code.GAMMA]
    own, storage = floats_at(context[slot.OWN]), context[slot.STORAGE]
    stiffness, rates = own_matrix(context, ROOMS, STIFFNESS), own_matrix(context, ROOMS, RATES)
    linear, whole = own_matrix(context, ROOMS, LINEAR), own_matrix(context, ROOMS, WHOLE)
    for a in range(storage):
        linear[a] = stiffness[a] + gamma / (beta * dt) * rates[a]
    form_at(context, whole, linear, beta * dt * dt, gamma * dt, 1.0)
    if factor_damped(context, whole, own_factors(context, ROOMS, MATRICES, OF_A), own_room(context, 0), gamma * dt) != 0:
        return 1
    share, matrix = own[ALPHA_F], floats_at(context[slot.A])
    form_matrix(context, linear, share * beta * dt * dt, share * gamma * dt, own[ALPHA_M], 0.0, 0.0)
    if factor_damped(context, matrix, floats_at(context[slot.L]), own_room(context, 1), share * gamma * dt) != 0:
        return 1
    if context[slot.MASS_DIAGONAL] != 0:
        return 0
    form_matrix(context, linear, 0.0, 0.0, 1.0, 0.0, 0.0)
    return factored_at(context, matrix, own_factors(context, ROOMS, MATRICES, OF_MASS))


@inlined
def _predict(context, settings, step, u, v):
    """Displacement and velocity of the end of the step; 0, or 1 where a matrix is singular."""
    neq, ndof, dt, gamma = context[slot.NEQ], context[slot.NDOF], settings[code.DT], settings[code.GAMMA]
    if context[slot.FRESH] != 0 and _form(context, settings) != 0:
        return 1
    u0, v0, before = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.S1])
    forward = own_row(context, ROOMS, MATRICES, FACTORS, FORWARD)
    copy(neq, floats_at(context[slot.A0]), before)
    clear_imposed(context, before)
    inertia_force(context, before, forward)
    clear_imposed(context, forward)
    solve_damped(context, own_factors(context, ROOMS, MATRICES, OF_A), own_room(context, 0), gamma * dt, forward)
    copy(ndof, u0, u)
    copy(ndof, v0, v)
    for a in range(neq):
        u[a] += dt * v0[a] + (0.5 + gamma) * dt * dt * forward[a]
        v[a] += dt * forward[a]
    impose(context, step, u, v)
    return 0


@inlined
def _step(context, settings, step):
    neq, dt, gamma = context[slot.NEQ], settings[code.DT], settings[code.GAMMA]
    u1, v1, a1, a0 = (floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1]),
                      floats_at(context[slot.A0]))
    own, r, product, mixed = (floats_at(context[slot.OWN]), floats_at(context[slot.R]), floats_at(context[slot.S2]),
                              floats_at(context[slot.S1]))
    alpha_m, alpha_f, forward = own[ALPHA_M], own[ALPHA_F], own_row(context, ROOMS, MATRICES, FACTORS, FORWARD)
    if _predict(context, settings, step, u1, v1) != 0:
        return code.SINGULAR
    if settings[code.ALPHA_F] == 1.0:
        load_end(context, settings, step, 0.0)
    else:
        mix(context, alpha_f, floats_at(context[slot.U0]), u1, floats_at(context[slot.U]))
        mix(context, alpha_f, floats_at(context[slot.V0]), v1, floats_at(context[slot.V]))
        load_inside(context, settings, step, 0.0)
    if determine(context, forces_alone(context)) != 0:
        return code.ELEMENT_FAILED
    weigh_forces(context, settings, floats_at(context[slot.V]), alpha_f if settings[code.ALPHA_F] == 1.0 else 1.0, r)
    impose_acceleration(context, step, alpha_m, a1, r)
    for a in range(neq):
        mixed[a] = (1.0 - alpha_f) * a0[a] + (alpha_f - alpha_m) * forward[a]
    clear_imposed(context, mixed)
    inertia_force(context, mixed, product)
    for a in range(neq):
        r[a] -= product[a]
    clear_imposed(context, r)
    _over_mass(context, r)
    times_matrix(context, own_matrix(context, ROOMS, WHOLE), r, product)
    shapes = floats_at(context[slot.MODAL])
    for mode in range(context[slot.NMODAL]):
        row = shift(shapes, mode * neq)
        amplitude = gamma * dt * dot(neq, row, r)
        for a in range(neq):
            product[a] += amplitude * row[a]
    clear_imposed(context, product)
    solve_damped(context, floats_at(context[slot.L]), own_room(context, 1), alpha_f * gamma * dt, product)
    size = dot(neq, product, product)
    finish_accelerations(context, product, a1)
    one_pass(context, step)
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


@inlined
def _over_mass(context, x):
    """x <- M^-1 x, where the motion is not imposed."""
    if context[slot.MASS_DIAGONAL] == 0:
        solve_at(context, own_factors(context, ROOMS, MATRICES, OF_MASS), x)
        return
    mass = floats_at(context[slot.MASS_DIAGONAL])
    for a in range(context[slot.NEQ]):
        if x[a] != 0.0:
            x[a] /= mass[a]


kr_alpha = stepping(_step)


@kernel(COMMAND, noalias=False)
def command(context, step, exchange):
    """The specimens are asked where the elements are evaluated, which is known beforehand."""
    settings, u = floats_at(context[slot.SETTINGS]), floats_at(context[slot.COMMAND])
    if _predict(context, settings, step, u, floats_at(context[slot.V1])) != 0:
        return code.SINGULAR
    mix(context, settings[code.ALPHA_F], floats_at(context[slot.U0]), u, u)
    return code.DONE


@dataclass(frozen=True)
class KRAlpha(OneStep):
    """The explicit, unconditionally stable method of Kolay and Ricles (2014), by its spectral radius at high frequency.

    ``radius`` = 1 has no numerical damping, 0 the most. Displacement and velocity of the end of the step are known
    beforehand; one state determination, no iteration, no tangent. With r = radius, the shares of the end of the step
    alpha_m = (2-r)/(1+r) (inertia) and alpha_f = 1/(1+r) (other forces), gamma = 1/2 + alpha_m - alpha_f, beta =
    (1/2 + gamma)^2/4, and the matrices of the virgin structure A = M + gamma dt C + beta dt^2 K::

        v_1 = v_0 + dt A^-1 M a_0,    u_1 = u_0 + dt v_0 + (1/2 + gamma) dt^2 A^-1 M a_0
        M a^ + alpha_f (C v_1 + F(u_1) - P_1) + (1 - alpha_f) (C v_0 + F(u_0) - P_0) = 0
        a^ = (I - alpha_3) a_1 + alpha_3 a_0,    A alpha_3 = (1 - alpha_m) M + (1 - alpha_f) (gamma dt C + beta dt^2 K)

    The matrices keep their pattern: a_1 = G^-1 A M^-1 (...) with G = alpha_m M + alpha_f (gamma dt C + beta dt^2 K). Made once,
    they serve the whole run; the model's parameters may change meanwhile.

    Second order; for linear systems the poles are those of `GeneralizedAlpha`. Unconditionally stable while the
    structure is not stiffer than when virgin. At high frequency the displacement can overshoot for radius near 1. Every
    degree of freedom needs mass.

    ``form="midpoint"`` takes loads and elements at alpha_f of the step instead of weighing their forces at its ends: the
    same for linear systems but for the loads, and a second state determination at the end. ``form="inside"`` leaves out the
    second one: the elements keep the state of alpha_f of the step, and the recorded internal force is theirs. OpenSees:
    ``KRAlphaExplicit_TP radius``, ``KRAlphaExplicit radius -updateElemDisp`` (midpoint) and ``KRAlphaExplicit radius``
    (inside). In a hybrid test the specimens are asked at u_1, or at alpha_f of the way to it (midpoint, inside).
    """

    radius: float = 0.8
    form: str = "trapezoidal"

    explicit: ClassVar[bool] = True
    kernel: ClassVar[Kernel] = kr_alpha
    command: ClassVar[Kernel] = command

    def __post_init__(self) -> None:
        if not finite(self.radius) or not 0.0 <= self.radius <= 1.0:
            raise InputError("KRAlpha", "radius", self.radius, "must lie between 0 and 1")
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
        # trapezoidal: forces at the two ends are weighed in the kernel, loads and elements are taken at the end of the step
        gamma = 0.5 + self.alpha_m - self.alpha_f
        return 1.0, 1.0 if self.form == "trapezoidal" else self.alpha_f, (0.5 + gamma) ** 2 / 4.0, gamma

    def prepare(self, run: Run) -> None:
        run[slot.SETTINGS][code.STAY] = float(self.form == "inside")
        stiffness, rates = run.initial_stiffness(), element_damping(run)
        by_stiffness = run[slot.SETTINGS][code.CURRENT] + run[slot.SETTINGS][code.COMMITTED]
        if by_stiffness != 0.0:
            rates = rates + by_stiffness * run.initial_stiffness(damped=True)
        nothing = [0.0 * stiffness] * (MATRICES - 2)
        numbers = hold_own(run, ROOMS, [stiffness, rates, *nothing], FACTORS, rows=1)
        numbers[ALPHA_M], numbers[ALPHA_F] = self.alpha_m, self.alpha_f
