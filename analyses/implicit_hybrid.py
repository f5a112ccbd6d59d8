"""Implicit integration of hybrid tests with iterations on the numerical part (Mosqueda and Ahmadizadeh)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.convergence import RelativeUnbalance, Test
from femu.analyses.march import advance, march, tested
from femu.analyses.newmark import Newmark
from femu.analyses.one_step import OneStep
from femu.analyses.predictor import predict_explicitly
from femu.equilibrium import (
    apply_loads,
    clear_imposed,
    copy,
    damping_force,
    determine,
    dot,
    form_matrix,
    inertia_force,
    norm,
    spread_links,
)
from femu.errors import InputError
from femu.kernels import INT, INTS, Kernel, floats_at, inlined, ints_at, kernel, routine, shift
from femu.parameters import finite
from femu.run import Run
from femu.solver import factored, solve

# numbers in slot.OWN; behind them the modal damping (where there is one), then the steps that count as failed
ALPHA_F, FROZEN, CHORD, SPLITS, MODAL, FORCED, NUMBERS = range(7)
SAFE = 3.0  # see `ImplicitHybrid.least_share`


@inlined
def _predict(context, settings, step):
    """Trial values at the predictor, which keeps the acceleration, and the loads at the end of the step."""
    ndof, dt, patterns = context[slot.NDOF], settings[code.DT], context[slot.NPATTERNS]
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    v0, a0 = floats_at(context[slot.V0]), floats_at(context[slot.A0])
    predict_explicitly(context, settings, step, u1)
    for a in range(ndof):
        v1[a] = v0[a] + dt * a0[a]
        a1[a] = a0[a]
    imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
    motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
    for q in range(count):
        v1[imposed[q]], a1[imposed[q]] = motion[count + q], motion[2 * count + q]
    spread_links(context, v1)
    seen, factors = floats_at(context[slot.STEP]), floats_at(context[slot.FACTORS1])
    seen[0], seen[1] = floats_at(context[slot.TIME])[0] + dt, dt
    seen[2] = settings[code.GAMMA] / (settings[code.BETA] * dt)
    copy(patterns, floats_at(context[slot.FACTORS]), factors)
    follow(context, shift(floats_at(context[slot.SERIES1]), step * patterns))
    apply_loads(context, factors)


@routine
def _unbalance(context, settings):
    """R over the equations; returns the size of the forces in it."""
    neq, alpha, alpha_m = context[slot.NEQ], floats_at(context[slot.OWN])[ALPHA_F], settings[code.ALPHA_M]
    r, middle, inertia = floats_at(context[slot.R]), floats_at(context[slot.S1]), floats_at(context[slot.S2])
    external, internal, damping = floats_at(context[slot.PEXT]), floats_at(context[slot.F]), floats_at(context[slot.D])
    a0, a1 = floats_at(context[slot.A0]), floats_at(context[slot.A1])
    for a in range(neq):
        middle[a] = (1.0 - alpha_m) * a0[a] + alpha_m * a1[a]
    inertia_force(context, middle, inertia)
    damping_force(context, floats_at(context[slot.V1]), settings[code.CURRENT], settings[code.COMMITTED], middle)
    for a in range(neq):
        r[a] = alpha * (external[a] - internal[a] - damping[a]) - inertia[a]
    if alpha != 1.0:
        external0, internal0, damping0 = (floats_at(context[slot.PEXT0]), floats_at(context[slot.F0]),
                                          floats_at(context[slot.D0]))
        for a in range(neq):
            r[a] += (1.0 - alpha) * (external0[a] - internal0[a] - damping0[a])
    clear_imposed(context, r)
    return math.sqrt(dot(neq, external, external) + dot(context[slot.NDOF], internal, internal)
                     + dot(neq, inertia, inertia) + dot(neq, damping, damping))


@routine
def _factor(context, settings, stiffness):
    """Form and factor the matrix of the iteration with a stiffness; 0, or 1 where it is singular."""
    context[slot.CHANGED] = 0
    current, committed, own = settings[code.CURRENT], settings[code.COMMITTED], floats_at(context[slot.OWN])
    dt, alpha = settings[code.DT], own[ALPHA_F]
    by_damping = alpha * settings[code.GAMMA] / (settings[code.BETA] * dt)
    form_matrix(context, stiffness, alpha, by_damping,
                settings[code.ALPHA_M] / (settings[code.BETA] * dt * dt), current, committed)
    matrix = floats_at(context[slot.A])
    if own[MODAL] != 0.0:
        modal = shift(own, NUMBERS)
        for a in range(context[slot.STORAGE]):
            matrix[a] += by_damping * modal[a]
    return factored(context, matrix)


@inlined
def _move(context, settings):
    """Solve for the increment and go there."""
    r, dx = floats_at(context[slot.R]), floats_at(context[slot.DX])
    copy(context[slot.NEQ], r, dx)
    solve(context, dx)
    advance(context, settings, 1.0)


@inlined
def _iterate(context, settings, step, report):
    """Iterate to equilibrium from the predictor; returns why it stopped."""
    own, seen = floats_at(context[slot.OWN]), floats_at(context[slot.STEP])
    forced = shift(own, NUMBERS + (context[slot.STORAGE] if own[MODAL] != 0.0 else 0))
    for a in range(int(own[FORCED])):
        if forced[a] == step + 1.0:
            return code.NOT_CONVERGED
    neq, first, singular = context[slot.NEQ], -1.0, 0
    _predict(context, settings, step)
    seen[slot.ESTIMATE] = slot.POLYNOMIALS
    if determine(context, slot.EVALUATE) != 0:
        return code.ELEMENT_FAILED
    scale = _unbalance(context, settings)
    started = norm(neq, floats_at(context[slot.R]))
    for iteration in range(int(settings[code.ITERATIONS])):
        # the factors of the last iteration still serve where no element changed its stiffness since
        if iteration == 0 or (iteration < own[CHORD] and context[slot.CHANGED] != 0):
            singular = _factor(context, settings, floats_at(context[slot.K]))
        elif iteration == own[CHORD]:
            singular = _factor(context, settings, floats_at(context[slot.KINITIAL]))
        if singular != 0:
            return code.SINGULAR
        _move(context, settings)
        seen[slot.ESTIMATE] = slot.POLYNOMIALS if iteration + 1 < own[FROZEN] else slot.AS_BEFORE
        if determine(context, slot.EVALUATE) != 0:
            return code.ELEMENT_FAILED
        scale = _unbalance(context, settings)
        value, first = tested(context, settings, max(scale, started), started, first)
        report[0], report[1] = iteration + 1.0, value
        if not math.isfinite(value):
            return code.NOT_FINITE
        if value <= settings[code.TOLERANCE]:
            return code.DONE
        # beside very stiff members the unbalance keeps their rounding error: no increment can better it
        if int(settings[code.TEST]) == code.RELATIVE_UNBALANCE and iteration < own[CHORD] and norm(
                neq, floats_at(context[slot.DX])) <= code.ROUNDING * norm(neq, floats_at(context[slot.U1])):
            return code.DONE
    return code.NOT_CONVERGED


@inlined
def _split(context, settings, step, report):
    """Operator splitting: one solve from the predictor, with the stiffness of the measured increments."""
    seen, neq = floats_at(context[slot.STEP]), context[slot.NEQ]
    _predict(context, settings, step)
    seen[slot.ESTIMATE] = slot.INCREMENTS_MEASURED
    if determine(context, slot.EVALUATE) != 0:
        return code.ELEMENT_FAILED
    _unbalance(context, settings)
    if _factor(context, settings, floats_at(context[slot.K])) != 0:
        return code.SINGULAR
    _move(context, settings)
    seen[slot.ESTIMATE] = slot.AS_BEFORE
    if determine(context, slot.EVALUATE) != 0:
        return code.ELEMENT_FAILED
    _unbalance(context, settings)
    report[0], report[2] = report[0] + 1.0, 1.0
    return code.DONE if math.isfinite(norm(neq, floats_at(context[slot.R]))) else code.NOT_FINITE


@kernel(INT(INTS), noalias=False)
def implicit_hybrid(context):
    """Take steps FIRST to LAST; returns why it stopped."""
    settings, seen = floats_at(context[slot.SETTINGS]), floats_at(context[slot.STEP])
    start(context)
    while context[slot.FIRST] < context[slot.LAST]:
        step = context[slot.FIRST]
        report = shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)
        report[0], report[1], report[2] = 0.0, 0.0, 0.0
        why = _iterate(context, settings, step, report)
        if why != code.DONE and floats_at(context[slot.OWN])[SPLITS] != 0.0:
            why = _split(context, settings, step, report)
        why = conclude(context, settings, step, why)
        seen[slot.ESTIMATE] = slot.HELD
        if why != code.DONE:
            return why
    return code.DONE


@dataclass(frozen=True)
class ImplicitHybrid(OneStep):
    """Implicit steps of a hybrid test, with iterations on the numerical part (Mosqueda and Ahmadizadeh 2008).

    The specimens are asked once a step, at ``d = u_0 + dt v_0 + dt^2/2 a_0``. Newton iterations from there balance ::

        alpha_f (P_1 - F_1 - C v_1 - r_1) + (1 - alpha_f) (P_0 - F_0 - C v_0 - r_0) = M a_1
        r_1 = r_measured + K_e (u_1 - d_measured)

    with the ``kinematics`` of Newmark or HHT (its weighted forces are those of the two ends of the step). Where the tangent
    estimator of an experimental element works by springs, K_e is estimated anew in the first ``estimates`` iterations of a step,
    from parabolas through the last four samples that reach at most ``reach`` steps beyond them; see
    `femu.experimental.measured_law`. Other estimators give K_e once a step.

    The iterations use the tangent, from the iteration after ``chord_after`` on the initial stiffness: yielding members can make
    Newton's method go in circles. Where they fail, the step is finished by operator splitting: one solve from the predictor with
    the stiffness of the measured increments. Such steps are marked in the result, and the test goes on. ``failing`` lists steps
    (from 1) whose iterations count as failed, to see what that costs. In a model without specimens the convergence policy
    helps instead.

    At large steps a K_e far below the true stiffness makes the test unstable. Where ``safe``, K_e keeps the share of the initial
    stiffness that steps of this size need; see `least_share`. The method as published has no such bound, and estimates K_e in
    every iteration (``estimates`` as large as the number of iterations).
    """

    kernel: ClassVar[Kernel] = implicit_hybrid
    inside: ClassVar[bool] = True

    kinematics: OneStep = field(default_factory=Newmark)
    test: Test = field(default_factory=lambda: RelativeUnbalance(1e-5, iterations=25))
    estimates: int = 1
    reach: float = 1.0
    chord_after: int = 5
    safe: bool = True
    failing: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.kinematics, OneStep) or self.kinematics.kernel is not march:
            raise InputError("ImplicitHybrid", "kinematics", self.kinematics, "must be an implicit integrator",
                             "Newmark() or HHT(0.9)")
        if not isinstance(self.test, Test):
            raise InputError("ImplicitHybrid", "test", self.test, "must be a convergence test", "for example Increment(1e-6)")
        for name in ("estimates", "chord_after"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError("ImplicitHybrid", name, value, "must be a whole number from 1 on")
        if not finite(self.reach) or not self.reach > 0.0:
            raise InputError("ImplicitHybrid", "reach", self.reach, "must be above 0", "in steps")
        if not all(isinstance(s, (int, np.integer)) and s >= 1 for s in self.failing):
            raise InputError("ImplicitHybrid", "failing", self.failing, "must be numbers of steps, from 1 on")

    def coefficients(self) -> tuple[float, float, float, float]:
        alpha_m, _, beta, gamma = self.kinematics.coefficients()
        return alpha_m, 1.0, beta, gamma  # the elements see the end of the step

    def least_share(self, stiffness_by_mass: float) -> float:
        """Share of the initial stiffness below which K_e makes the step unstable.

        On a linear specimen of stiffness K the predictor with dt^2/2 is stable where K_e <= K and (K - K_e) dt^2/2 < M. The
        specimen softens where it matters, and 3 in place of 2 was still stable in every test.
        """
        return max(0.0, 1.0 - SAFE / stiffness_by_mass) if self.safe and stiffness_by_mass > 0.0 else 0.0

    def prepare(self, run: Run) -> None:
        program = run.program
        hybrid = any(element.asks_specimen for element in program.elements.values())
        run.hold(slot.KINITIAL, run.initial_stiffness())
        modal = np.zeros(0)
        if run.context[slot.NMODAL]:
            # modal damping is a full matrix; what of it lies in the pattern of the model goes into the matrix of the iteration
            rows = run[slot.MODAL]
            modal = program.pattern.from_dense(rows.T @ rows)
        numbers = [self.kinematics.coefficients()[1], float(self.estimates), float(self.chord_after), float(hybrid),
                   float(len(modal) > 0), float(len(self.failing))]
        run.hold(slot.OWN, np.concatenate([numbers, modal, np.asarray(self.failing, dtype=float)]))
