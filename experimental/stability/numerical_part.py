"""The numerical part of a hybrid test as a linear system: one step of its integrator.

With the matrices of the virgin structure, and q = r_m - K_e d_m of each specimen, which is what its
answer adds to the force B^T K_e B u that the integrator takes for granted::

    F_1 = K u_1 + B^T q_1,        M a + alpha_f (C v_1 + F_1) + (1 - alpha_f) (C v_0 + F_0) = 0

The kinematics are Newmark's, or those of KR-alpha. Time is counted in steps (dt = 1), so that u, v
and a are of one size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.integrators.implicit_hybrid import ImplicitHybrid
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.integrators.kr_alpha import KRAlpha
from femu.analyses.integrators.newmark_explicit import NewmarkExplicit
from femu.analyses.integrators.operator_splitting import OperatorSplitting
from femu.analyses.newton_step import march
from femu.analyses.noniterative import element_damping
from femu.elements.link import link_group
from femu.elements.transformations.frame import frame_group
from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.experimental.stability.specimen_path import NotLinear
from femu.model.element import Name

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumericalPart:
    """y+ = step y + before q_0 + now q_1, and the targets z = target y, in y = (u, v, a, ...).

    ``places`` are the equations of u.
    """

    step: Array
    before: Array
    now: Array
    target: Array
    places: npt.NDArray[np.int64]
    stiffness: Array


@dataclass(frozen=True)
class _Scheme:
    """Coefficients of a method, and whether forces are taken inside the step or weighed."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    inside: bool
    kept: bool  # whether the target keeps the acceleration: u + v + a/2


def _scheme(integrator: Integrator) -> _Scheme:
    if isinstance(integrator, ImplicitHybrid):
        return _Scheme(*integrator.kinematics.coefficients(), False, True)
    if isinstance(integrator, OperatorSplitting):
        shares = integrator.inertia, integrator.share
        inside = integrator.form != "trapezoidal"
        return _Scheme(*shares, *integrator.newmark(), inside, integrator.predictor == "taylor")
    if isinstance(integrator, KRAlpha):
        beta, gamma = integrator.coefficients()[2:]
        inside = integrator.form != "trapezoidal"
        return _Scheme(integrator.alpha_m, integrator.alpha_f, beta, gamma, inside, True)
    if isinstance(integrator, NewmarkExplicit):
        return _Scheme(*integrator.coefficients(), False, True)
    own = type(integrator).command is Integrator.command and integrator.kernel is march
    if own and integrator.exchanges == 1:
        return _Scheme(*integrator.coefficients(), True, True)
    raise NotLinear(f"{type(integrator).__name__} has no linear model")


def numerical_part(test: Any, dt: float, initial: Mapping[Name, Array], most: int) -> NumericalPart:
    """The linear model of one step of a test with up to ``most`` equations, with the initial
    stiffnesses K_e of its elements."""
    scheme, program = _scheme(test.integrator), test.program
    free = np.setdiff1d(np.arange(program.neq), sorted(program.imposed))
    if not 0 < len(free) <= most:
        raise NotLinear(f"the model has {len(free)} equations, and up to {most} are looked at")
    mass, damping, stiffness = _matrices(test, free, dt)
    own = {name: basic_rows(program, name)[:, free] for name in test.elements}
    for name, b in own.items():
        stiffness = stiffness + b.T @ (initial[name] - test.elements[name].initial) @ b
    rows = np.vstack(list(own.values()))
    kr = isinstance(test.integrator, KRAlpha)
    made = (_kr_alpha if kr else _newmark)(scheme, mass, damping, stiffness, rows)
    return NumericalPart(*made, free, stiffness)


def _matrices(test: Any, free: npt.NDArray[np.int64], dt: float) -> tuple[Array, Array, Array]:
    """Mass, damping and stiffness over the free equations, with time in steps."""
    program = test.program
    run = Workspace(program, program.state(), program.parameters.vector)
    test.transient.prepare(run, test.motions)

    def dense(matrix: Array) -> Array:
        found: Array = program.sparsity.to_dense(np.asarray(matrix))[np.ix_(free, free)]
        return found

    damping = dense(element_damping(run))
    if run.fields.damping_matrix is not None and np.size(run.fields.damping_matrix):
        damping = damping + dense(run.fields.damping_matrix)
    settings = run.fields.settings
    by_stiffness = settings.current_stiffness_damping + settings.committed_stiffness_damping
    if by_stiffness != 0.0:
        damping = damping + by_stiffness * dense(run.initial_stiffness(damped=True))
    if run.fields.nmodes:
        shapes = np.asarray(run.fields.modal_shapes)[:, free]
        damping = damping + shapes.T @ shapes
    stiffness = dense(run.initial_stiffness())
    return dense(run.fields.mass) / dt**2, damping / dt, stiffness


def basic_rows(program: Program, name: Name) -> Array:
    """Basic deformations of an experimental element by the displacements of the equations."""
    plan = program.plans[name]
    if plan.group is link_group:
        m, n = int(plan.geometry[0]), int(plan.geometry[1])
        rows = np.reshape(plan.geometry[2 : 2 + m * n], (m, n))
    elif plan.group is frame_group:
        length, _, c, s = plan.geometry[:4]
        turn = np.array([s, -c, 0.0, -s, c, 0.0]) / length
        rows = np.array([[-c, -s, 0.0, c, s, 0.0], -turn, -turn])
        rows[1, 2] += 1.0
        rows[2, 5] += 1.0
    else:
        raise NotLinear(f"the element {name!r} is of a kind that is not known")
    made = np.zeros((len(rows), program.neq))
    for column, dof in enumerate(plan.dofs):
        place = program.numbering.place.get(dof, program.neq)
        for target, factor in program.numbering.links.get(place, [(place, 1.0)]):
            if target < program.neq:
                made[:, target] += factor * rows[:, column]
    return made


def _solved(matrix: Array, right: Array) -> Array:
    """matrix^-1 right, where the directions without mass have another sense of size."""
    scale = 1.0 / np.sqrt(np.abs(np.diag(matrix)))
    if not np.isfinite(scale).all():
        raise NotLinear("the model has a direction without mass and stiffness")
    try:
        inner = np.linalg.solve(scale[:, None] * matrix * scale, scale[:, None] * right)
    except np.linalg.LinAlgError:
        raise NotLinear("the matrix of a step is singular") from None
    return scale[:, None] * inner


def _newmark(
    scheme: _Scheme, mass: Array, damping: Array, stiffness: Array, rows: Array
) -> tuple[Array, Array, Array, Array]:
    """Many locals: the matrices of the method by their symbols."""
    n, k = len(mass), len(rows)
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    one, none = np.eye(n), np.zeros((n, n))
    # y = (u, v, a); with memory also the predictor of the step before
    u0, v0, a0 = (np.hstack([one if j == i else none for j in range(3)]) for i in range(3))
    reach = u0 + v0 + (0.5 - beta) * a0  # u_1 without a_1
    speed = v0 + (1.0 - gamma) * a0
    asked = u0 + v0 + 0.5 * a0 if scheme.kept else reach
    left = am * mass + af * gamma * damping + af * beta * stiffness
    right = (
        -(1.0 - am) * mass @ a0
        - damping @ (af * speed + (1.0 - af) * v0)
        - stiffness @ (af * reach + (1.0 - af) * u0)
    )
    share = 1.0 if scheme.inside else af
    a1 = _solved(left, np.hstack([right, -share * rows.T, -(1.0 - share) * rows.T]))
    here, now, before = a1[:, : 3 * n], a1[:, 3 * n : 3 * n + k], a1[:, 3 * n + k :]

    def stacked(part: Array, u: Array | float = 0.0, v: Array | float = 0.0) -> Array:
        return np.vstack([u + beta * part, v + gamma * part, part])

    step, target = stacked(here, reach, speed), rows @ asked
    made = step, stacked(before), stacked(now), target
    if scheme.inside and not scheme.kept:  # asked between the predictors of two steps
        return _with_memory(made, reach, rows, af)
    return made


def _with_memory(
    made: tuple[Array, Array, Array, Array], reach: Array, rows: Array, share: float
) -> tuple[Array, Array, Array, Array]:
    """Targets between the predictor of this step and that of the step before, which is kept."""
    step, before, now, _ = made
    n, k = len(reach), before.shape[1]
    full = np.block([[step, np.zeros((3 * n, n))], [reach, np.zeros((n, n))]])
    target = np.hstack([share * rows @ reach, (1.0 - share) * rows])
    none = np.zeros((n, k))
    return full, np.vstack([before, none]), np.vstack([now, none]), target


def _kr_alpha(
    scheme: _Scheme, mass: Array, damping: Array, stiffness: Array, rows: Array
) -> tuple[Array, Array, Array, Array]:
    """Many locals: the matrices of the method by their symbols."""
    n, k = len(mass), len(rows)
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    one, none = np.eye(n), np.zeros((n, n))
    u0, v0, a0 = (np.hstack([one if j == i else none for j in range(3)]) for i in range(3))
    whole = mass + gamma * damping + beta * stiffness
    forward = _solved(whole, mass @ a0)
    u1, v1 = u0 + v0 + (0.5 + gamma) * forward, v0 + forward
    right = (
        -damping @ (af * v1 + (1.0 - af) * v0)
        - stiffness @ (af * u1 + (1.0 - af) * u0)
        - mass @ ((1.0 - af) * a0 + (af - am) * forward)
    )
    share = 1.0 if scheme.inside else af
    sides = np.hstack([right, -share * rows.T, -(1.0 - share) * rows.T])
    left = am * mass + af * (gamma * damping + beta * stiffness)
    a1 = _solved(left, whole @ _solved(mass, sides))
    here, now, before = a1[:, : 3 * n], a1[:, 3 * n : 3 * n + k], a1[:, 3 * n + k :]
    step = np.vstack([u1, v1, here])

    def alone(part: Array) -> Array:
        return np.vstack([np.zeros((2 * n, k)), part])

    asked = af * u1 + (1.0 - af) * u0 if scheme.inside else u1
    return step, alone(before), alone(now), rows @ asked
