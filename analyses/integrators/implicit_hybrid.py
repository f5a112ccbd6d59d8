"""Implicit integration of hybrid tests with iterations on the numerical part (Mosqueda and
Ahmadizadeh)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from femu.analyses import code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.convergence import RelativeUnbalance, Test
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.integrators.newmark import Newmark
from femu.analyses.integrators.predictor import predict_explicitly
from femu.analyses.newton_step import advance, march, tested
from femu.engine.element_kernels import (
    AS_BEFORE,
    ESTIMATE,
    EVALUATE,
    HELD,
    INCREMENTS_MEASURED,
    POLYNOMIALS,
)
from femu.engine.ldlt import factored, solve
from femu.engine.residual import (
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
from femu.engine.run_fields import RUN
from femu.engine.workspace import Workspace
from femu.kernels import INT, Kernel, inlined, kernel, routine, shift
from femu.model.parameters import finite
from femu.support.errors import InputError

# numbers in run.own; after them the modal damping (where there is one), then the steps that count
# as failed
ALPHA_F, FROZEN, CHORD, SPLITS, MODAL, FORCED, NUMBERS = range(7)
SAFE = 3.0  # see `ImplicitHybrid.least_share`


@inlined
def _predict(run, settings, step):
    """Trial values at the predictor, which keeps the acceleration, and the loads at the end of the
    step."""
    ndof, dt, patterns = run.ndof, settings.dt, run.npatterns
    u1, v1, a1 = run.u1, run.v1, run.a1
    v0, a0 = run.v0, run.a0
    predict_explicitly(run, settings, step, u1)
    for a in range(ndof):
        v1[a] = v0[a] + dt * a0[a]
        a1[a] = a0[a]
    imposed, count = run.imposed, run.nimposed
    motion = shift(run.motion, step * 3 * count)
    for q in range(count):
        v1[imposed[q]], a1[imposed[q]] = motion[count + q], motion[2 * count + q]
    spread_links(run, v1)
    seen, factors = run.step, run.load_factors1
    seen[0], seen[1] = run.time + dt, dt
    seen[2] = settings.gamma / (settings.beta * dt)
    copy(patterns, run.load_factors0, factors)
    follow(run, shift(run.series1, step * patterns))
    apply_loads(run, factors)


@routine
def _unbalance(run, settings):
    """R over the equations; returns the size of the forces in it."""
    neq, alpha, alpha_m = run.neq, run.own[ALPHA_F], settings.alpha_m
    r, middle, inertia = run.r, run.scratch1, run.scratch2
    external, internal, damping = run.external, run.internal, run.damping
    a0, a1 = run.a0, run.a1
    for a in range(neq):
        middle[a] = (1.0 - alpha_m) * a0[a] + alpha_m * a1[a]
    inertia_force(run, middle, inertia)
    damping_force(run, run.v1, settings.current_stiffness_damping,
                  settings.committed_stiffness_damping, middle)
    for a in range(neq):
        r[a] = alpha * (external[a] - internal[a] - damping[a]) - inertia[a]
    if alpha != 1.0:
        external0, internal0, damping0 = run.external0, run.internal0, run.damping0
        for a in range(neq):
            r[a] += (1.0 - alpha) * (external0[a] - internal0[a] - damping0[a])
    clear_imposed(run, r)
    return math.sqrt(dot(neq, external, external) + dot(run.ndof, internal, internal)
                     + dot(neq, inertia, inertia) + dot(neq, damping, damping))


@routine
def _factor(run, settings, stiffness):
    """Form and factor the matrix of the iteration with a stiffness.

    0, or 1 if it is singular.
    """
    run.stiffness_changed = 0
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    own, dt, alpha = run.own, settings.dt, run.own[ALPHA_F]
    by_damping = alpha * settings.gamma / (settings.beta * dt)
    form_matrix(run, stiffness, alpha, by_damping, settings.alpha_m / (settings.beta * dt * dt),
                current, committed)
    matrix = run.matrix
    if own[MODAL] != 0.0:
        modal = shift(own, NUMBERS)
        for a in range(run.storage):
            matrix[a] += by_damping * modal[a]
    return factored(run, matrix)


@inlined
def _move(run, settings):
    """Solve for the increment and go there."""
    r, dx = run.r, run.dx
    copy(run.neq, r, dx)
    solve(run, dx)
    advance(run, settings, 1.0)


@inlined
def _iterate(run, settings, step, report):
    """Iterate to equilibrium from the predictor; returns why it stopped."""
    own, seen = run.own, run.step
    forced = shift(own, NUMBERS + (run.storage if own[MODAL] != 0.0 else 0))
    for a in range(int(own[FORCED])):
        if forced[a] == step + 1.0:
            return code.NOT_CONVERGED
    neq, first, singular = run.neq, -1.0, 0
    _predict(run, settings, step)
    seen[ESTIMATE] = POLYNOMIALS
    if determine(run, EVALUATE) != 0:
        return code.ELEMENT_FAILED
    scale = _unbalance(run, settings)
    started = norm(neq, run.r)
    for iteration in range(settings.max_iterations):
        # the factors of the last iteration still serve where no element changed its stiffness since
        if iteration == 0 or (iteration < own[CHORD] and run.stiffness_changed != 0):
            singular = _factor(run, settings, run.tangent)
        elif iteration == own[CHORD]:
            singular = _factor(run, settings, run.initial_tangent)
        if singular != 0:
            return code.SINGULAR
        _move(run, settings)
        seen[ESTIMATE] = POLYNOMIALS if iteration + 1 < own[FROZEN] else AS_BEFORE
        if determine(run, EVALUATE) != 0:
            return code.ELEMENT_FAILED
        scale = _unbalance(run, settings)
        value, first = tested(run, settings, max(scale, started), started, first)
        report[0], report[1] = iteration + 1.0, value
        if not math.isfinite(value):
            return code.NOT_FINITE
        if value <= settings.tolerance:
            return code.DONE
        # next to very stiff members the unbalance keeps their rounding error: no increment can
        # better it
        if (settings.test == code.RELATIVE_UNBALANCE and iteration < own[CHORD]
                and norm(neq, run.dx) <= code.ROUNDING * norm(neq, run.u1)):
            return code.DONE
    return code.NOT_CONVERGED


@inlined
def _split(run, settings, step, report):
    """Operator splitting: one solve from the predictor, with the stiffness of the measured
    increments."""
    seen, neq = run.step, run.neq
    _predict(run, settings, step)
    seen[ESTIMATE] = INCREMENTS_MEASURED
    if determine(run, EVALUATE) != 0:
        return code.ELEMENT_FAILED
    _unbalance(run, settings)
    if _factor(run, settings, run.tangent) != 0:
        return code.SINGULAR
    _move(run, settings)
    seen[ESTIMATE] = AS_BEFORE
    if determine(run, EVALUATE) != 0:
        return code.ELEMENT_FAILED
    _unbalance(run, settings)
    report[0], report[2] = report[0] + 1.0, 1.0
    return code.DONE if math.isfinite(norm(neq, run.r)) else code.NOT_FINITE


@kernel(INT(RUN), noalias=False)
def implicit_hybrid(run):
    """Take the steps from ``first`` to ``last``; returns why it stopped."""
    settings, seen = run.settings, run.step
    start(run)
    while run.first < run.last:
        step = run.first
        report = shift(run.report, code.REPORT_FLOATS * step)
        report[0], report[1], report[2] = 0.0, 0.0, 0.0
        why = _iterate(run, settings, step, report)
        if why != code.DONE and run.own[SPLITS] != 0.0:
            why = _split(run, settings, step, report)
        why = conclude(run, settings, step, why)
        seen[ESTIMATE] = HELD
        if why != code.DONE:
            return why
    return code.DONE


@dataclass(frozen=True)
class ImplicitHybrid(Integrator):
    """Implicit steps of a hybrid test, with iterations on the numerical part (Mosqueda and
    Ahmadizadeh 2008).

    The specimens are asked once a step, at ``d = u_0 + dt v_0 + dt^2/2 a_0``. Newton iterations
    from there balance ::

        alpha_f (P_1 - F_1 - C v_1 - r_1) + (1 - alpha_f) (P_0 - F_0 - C v_0 - r_0) = M a_1
        r_1 = r_measured + K_e (u_1 - d_measured)

    with the ``kinematics`` of Newmark or HHT (its weighted forces are those of the two ends of the
    step). Where the tangent estimator of an experimental element works by springs, K_e is estimated
    again in the first ``estimates`` iterations of a step, from parabolas through the last four
    samples that reach at most ``reach`` steps beyond them; see
    `femu.experimental.elements.measured_law`. Other estimators give K_e once a step.

    The iterations use the tangent, from the iteration after ``chord_after`` on the initial
    stiffness: yielding members can make Newton's method go in circles. Where they fail, the step is
    finished by operator splitting: one solve from the predictor with the stiffness of the measured
    increments. Such steps are marked in the result, and the test continues. ``failing`` lists steps
    (from 1) whose iterations count as failed, to see what that costs. In a model without specimens
    the convergence policy helps instead.

    At large steps a K_e far below the true stiffness makes the test unstable. Where ``safe``, K_e
    keeps the share of the initial stiffness that steps of this size need; see `least_share`. The
    method as published has no such bound, and estimates K_e in every iteration (``estimates`` as
    large as the number of iterations).
    """

    kernel: ClassVar[Kernel] = implicit_hybrid
    inside: ClassVar[bool] = True

    kinematics: Integrator = field(default_factory=Newmark)
    test: Test = field(default_factory=lambda: RelativeUnbalance(1e-5, iterations=25))
    estimates: int = 1
    reach: float = 1.0
    chord_after: int = 5
    safe: bool = True
    failing: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.kinematics, Integrator) or self.kinematics.kernel is not march:
            raise InputError("ImplicitHybrid", "kinematics", self.kinematics,
                             "must be an implicit integrator",
                             fix="use Newmark() or HHT(0.9)")
        if not isinstance(self.test, Test):
            raise InputError("ImplicitHybrid", "test", self.test, "must be a convergence test",
                             fix="use Increment(1e-6), for example")
        for name in ("estimates", "chord_after"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError("ImplicitHybrid", name, value, "must be a whole number from 1 on")
        if not finite(self.reach) or not self.reach > 0.0:
            raise InputError("ImplicitHybrid", "reach", self.reach, "must be above 0",
                             "It is a number of steps")
        if not all(isinstance(s, (int, np.integer)) and s >= 1 for s in self.failing):
            raise InputError("ImplicitHybrid", "failing", self.failing, "must be numbers of steps, "
                                                                        "from 1 on")

    def coefficients(self) -> tuple[float, float, float, float]:
        alpha_m, _, beta, gamma = self.kinematics.coefficients()
        return alpha_m, 1.0, beta, gamma  # the elements see the end of the step

    def least_share(self, stiffness_by_mass: float) -> float:
        """Share of the initial stiffness below which K_e makes the step unstable.

        On a linear specimen of stiffness K the predictor with dt^2/2 is stable where K_e <= K and
        (K - K_e) dt^2/2 < M. The specimen softens where it matters, and 3 in place of 2 was still
        stable in every test.
        """
        return max(0.0, 1.0 - SAFE
                   / stiffness_by_mass) if self.safe and stiffness_by_mass > 0.0 else 0.0

    def prepare(self, run: Workspace) -> None:
        program = run.program
        hybrid = any(element.asks_specimen for element in program.elements.values())
        run.fields.initial_tangent = run.initial_stiffness()
        modal = np.zeros(0)
        if run.fields.nmodes:
            # modal damping is a full matrix; what of it lies in the pattern of the model goes into
            # the matrix of the iteration
            rows = run.fields.modal_shapes
            modal = program.sparsity.from_dense(rows.T @ rows)
        numbers = [self.kinematics.coefficients()[1], float(self.estimates),
                   float(self.chord_after), float(hybrid),
                   float(len(modal) > 0), float(len(self.failing))]
        run.fields.own = np.concatenate([numbers, modal, np.asarray(self.failing, dtype=float)])
