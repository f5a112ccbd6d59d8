"""The march: implicit steps in time or along a load path, each solved to equilibrium by Newton
iterations.

One step looks for displacements that balance ::

    R = P(t_f) - F(u_f, v_f) - D(v_f) - M a_m,     x_f = (1-alpha_f) x_0 + alpha_f x_1, likewise a_m

with Newmark's relations between u_1, v_1 and a_1 (transient), or ::

    R = P_held + lambda P - F(u)

with a constraint on lambda and u (static: load, displacement or arc-length control). Iterations,
tests and commits are the same for both. A step that fails leaves the committed state as it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from femu.analyses import code
from femu.analyses.commit import conclude, follow, start
from femu.engine.element_kernels import AGAIN, ALONE, EVALUATE, FIRST, ITERATING, RESUME
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
    separate_imposed,
    spread_links,
)
from femu.engine.run_fields import RUN
from femu.kernels import INT, Helper, Kernel, inlined, routine, shift


@inlined
def _see(run, settings):
    """What the elements see of the trial values: the state at alpha_f of the step."""
    alpha = settings.alpha_f
    if alpha == 1.0:
        return  # u and v are u1 and v1 themselves
    u, v = run.u, run.v
    u0, v0 = run.u0, run.v0
    u1, v1 = run.u1, run.v1
    for a in range(run.ndof):
        u[a] = (1.0 - alpha) * u0[a] + alpha * u1[a]
        v[a] = (1.0 - alpha) * v0[a] + alpha * v1[a]


@inlined
def _predict(run, settings, step):
    """Trial values and loads at the start of a step.

    Displacement held, Newmark's velocity and acceleration.
    """
    ndof, patterns = run.ndof, run.npatterns
    u0, v0, a0 = run.u0, run.v0, run.a0
    u1, v1, a1 = run.u1, run.v1, run.a1
    factors, seen = run.load_factors1, run.step
    copy(ndof, u0, u1)
    copy(patterns, run.load_factors0, factors)
    if settings.control != code.TRANSIENT:
        seen[0], seen[1], seen[2] = run.time, 0.0, 0.0
        for a in range(ndof):
            v1[a], a1[a] = 0.0, 0.0
        settings.load_change = 0.0
        if settings.control == code.LOAD and settings.load_factor_is_time != 0:
            seen[0] += settings.dt
            follow(run, shift(run.series, step * patterns))
            imposed, count = run.imposed, run.nimposed
            motion = shift(run.motion, step * 3 * count)
            for q in range(count):
                u1[imposed[q]] = motion[q]
            spread_links(run, u1)
        elif settings.control == code.LOAD:
            factors[settings.pattern] += run.increments[step]
    else:
        dt, beta, gamma = settings.dt, settings.beta, settings.gamma
        for a in range(ndof):
            v1[a] = (1.0 - gamma / beta) * v0[a] + dt * (1.0 - 0.5 * gamma / beta) * a0[a]
            a1[a] = -v0[a] / (beta * dt) + (1.0 - 0.5 / beta) * a0[a]
        seen[0] = run.time + settings.alpha_f * dt
        seen[1], seen[2] = settings.alpha_f * dt, gamma / (beta * dt)
        follow(run, shift(run.series, step * patterns))
        imposed, count = run.imposed, run.nimposed
        motion = shift(run.motion, step * 3 * count)
        for q in range(count):
            u1[imposed[q]], v1[imposed[q]], a1[imposed[q]] = motion[q], motion[count + q], motion[2 * count + q]
        spread_links(run, u1)
        spread_links(run, v1)
    _see(run, settings)
    apply_loads(run, factors)


@routine
def unbalance(run, settings):
    """R over the equations.

    Returns the size of the forces in it (reactions included), for relative tests.
    """
    neq, ndof = run.neq, run.ndof
    r, external, internal = run.r, run.external, run.internal
    for a in range(neq):
        r[a] = external[a] - internal[a]
    relative = settings.test == code.RELATIVE_UNBALANCE
    scale = dot(neq, external, external) + dot(ndof, internal, internal) if relative else 0.0
    if settings.control == code.TRANSIENT:
        middle, product = run.scratch1, run.scratch2
        a0, a1, alpha = run.a0, run.a1, settings.alpha_m
        for a in range(neq):
            middle[a] = (1.0 - alpha) * a0[a] + alpha * a1[a]
        inertia_force(run, middle, product)
        damping_force(run, run.v, settings.current_stiffness_damping,
                      settings.committed_stiffness_damping, middle)
        damping = run.damping
        for a in range(neq):
            r[a] -= product[a] + damping[a]
        if relative:
            scale += dot(neq, product, product) + dot(neq, damping, damping)
    clear_imposed(run, r)
    return math.sqrt(scale)


@routine
def factor(run, settings):
    """Form and factor the matrix of the iteration; 0, or 1 if it is singular."""
    run.stiffness_changed = 0
    if run.in_place != 0:
        copy(run.nelements, run.axial, run.axial_factored)
        separate_imposed(run, run.tangent)
        return factored(run, run.tangent)
    dt, alpha = settings.dt, settings.alpha_f
    initial = settings.tangent == code.INITIAL
    current, committed = settings.current_stiffness_damping, settings.committed_stiffness_damping
    if initial and settings.factored != 0 and current == 0.0 and committed == 0.0:
        return 0
    stiffness = run.initial_tangent if initial else run.tangent
    if settings.control == code.TRANSIENT:
        form_matrix(run, stiffness, alpha, alpha * settings.gamma / (settings.beta * dt),
                    settings.alpha_m / (settings.beta * dt * dt), current, committed)
    else:
        form_matrix(run, stiffness, 1.0, 0.0, 0.0, 0.0, 0.0)
    settings.factored = 1
    return factored(run, run.matrix)


@routine
def advance(run, settings, share):
    """Add a share of DX to the trial displacement, with the velocity and acceleration it implies.
    """
    neq = run.neq
    u1, dx = run.u1, run.dx
    for a in range(neq):
        u1[a] += share * dx[a]
    spread_links(run, u1)
    if settings.control == code.TRANSIENT:
        v1, a1 = run.v1, run.a1
        by_v = share * settings.gamma / (settings.beta * settings.dt)
        by_a = share / (settings.beta * settings.dt * settings.dt)
        for a in range(neq):
            v1[a] += by_v * dx[a]
            a1[a] += by_a * dx[a]
        spread_links(run, v1)
    _see(run, settings)


@inlined
def tested(run, settings, scale, started, first):
    """What the convergence test compares with its tolerance, and the first such size of the step
    (below 0: none yet).

    ``scale`` is the size of all forces, ``started`` the unbalance at the start of the step.
    """
    neq, test = run.neq, settings.test
    r, dx = run.r, run.dx
    if test == code.UNBALANCE or test == code.RELATIVE_UNBALANCE or test == code.STARTING_UNBALANCE:
        value = norm(neq, r)
    elif test == code.INCREMENT or test == code.RELATIVE_INCREMENT:
        value = norm(neq, dx)
    else:
        value = 0.5 * abs(dot(neq, dx, r))
    if test == code.RELATIVE_UNBALANCE:
        value = value / scale if scale > 0.0 else value
    elif test == code.RELATIVE_INCREMENT or test == code.RELATIVE_ENERGY:
        first = value if first < 0.0 else first
        value = value / first if first > 0.0 else value
    elif test == code.STARTING_UNBALANCE:
        value = value / started if started > 0.0 else value
    return value, first


@inlined
def moved(run, settings, share):
    """Go a share of DX further and see what is not balanced there.

    Returns the size of the forces, or a negative number if an element has no answer.
    """
    advance(run, settings, share)
    return -1.0 if determine(run, EVALUATE) != 0 else unbalance(run, settings)


@inlined
def begin(run, settings, step):
    """Trial values at the start of a step and the forces of the elements there.

    0, or 1 if one has no answer. They rest where they were committed, unless supports,
    velocities or member loads changed.
    """
    _predict(run, settings, step)
    if run.nimposed > 0 or run.rate_dependent != 0:
        return determine(run, EVALUATE)
    if run.fresh != 0:
        determine(run, RESUME)
    return 0


# --- solution algorithms ---

@dataclass(frozen=True, eq=False)
class Method:
    """A solution algorithm, as kernels are made of it.

    ``iterate(run, settings, step)`` is inlined: it iterates one step to equilibrium and returns why
    it stopped. The report of the step gets the iterations and the last size of the test.
    """

    name: str
    iterate: Helper


@inlined
def as_it_is(run, settings, work, scale):
    """After an increment: nothing."""
    return scale


@inlined
def small(run, settings, value, known):
    """What the test compares is within its tolerance."""
    return math.isfinite(value) and value <= settings.tolerance


def iterating(renews: Helper, increment: Helper, adjusted: Helper = as_it_is,
              passed: Helper = small) -> Helper:
    """The iterations of an algorithm, from what makes it different.

    ``renews(run, settings, iteration, known)``: whether the matrix is formed again. Iterations
    count from 0, or from -1 if a step begins with an increment that is neither tested nor
    counted; ``known`` increments were tested since the matrix was formed.
    ``increment(run, settings, step, iteration, known)``: makes the increment of DX, which holds the
    answer of the matrix to the unbalance; False if there is none.
    ``adjusted(run, settings, work, scale)``: what follows the increment, on which the unbalance
    before it did ``work``; the size of the forces, negative if an element has no answer.
    ``passed(run, settings, value, known)``: whether the step is done.
    """

    @inlined
    def iterate(run, settings, step):
        neq, r, dx, seen, place = run.neq, run.r, run.dx, run.step, FIRST
        report = shift(run.report, code.REPORT_FLOATS * step)
        if begin(run, settings, step) != 0:
            return code.ELEMENT_FAILED
        scale = unbalance(run, settings)
        started, first, known = norm(neq, r), -1.0, 0
        for iteration in range(first_iteration(settings), settings.max_iterations):
            if renews(run, settings, iteration, known):
                if factor(run, settings) != 0:
                    return code.SINGULAR
                known = 0
            copy(neq, r, dx)
            solve(run, dx)
            if not increment(run, settings, step, iteration, known):
                return code.NO_ROOT
            work = dot(neq, dx, r)
            seen[ITERATING] = 0.0 + place
            scale = moved(run, settings, 1.0)
            seen[ITERATING], place = 0.0 + ALONE, AGAIN
            if scale < 0.0:
                return code.ELEMENT_FAILED
            if iteration < 0:
                started = norm(neq, r)
                continue
            known += 1
            scale = adjusted(run, settings, work, scale)
            if scale < 0.0:
                return code.ELEMENT_FAILED
            value, first = tested(run, settings, max(scale, started), started, first)
            report[0], report[1] = iteration + 1.0, value
            if passed(run, settings, value, known):
                return code.DONE
            if not math.isfinite(value):
                return code.NOT_FINITE
        return unconverged(settings)

    return iterate


@inlined
def first_iteration(settings):
    """-1 if a step begins with an increment that is neither tested nor counted, or 0."""
    return -1 if settings.predictor != 0 else 0


@inlined
def unconverged(settings):
    """What becomes of a step whose iterations are used up."""
    return code.DONE if settings.accept_unconverged != 0 else code.NOT_CONVERGED


# --- kernels ---

Stepping = Callable[[Any], Any]


class Marching:
    """Kernels that take the steps of a run, one for each solution algorithm.

    ``make(iterate)`` makes the function that takes the steps run.first to run.last.
    """

    def __init__(self, make: Callable[[Helper], Stepping]) -> None:
        self._make, self._kernels = make, dict[Method, Kernel]()
        self.name = f"{make.__module__}.{make.__name__}"

    def by(self, method: Method) -> Kernel:
        """The kernel that solves steps by this algorithm."""
        if method not in self._kernels:
            go = self._make(method.iterate)
            # numba finds compiled functions by this name, also those that the cache kept apart
            go.__qualname__ = f"{self._make.__name__}_{method.name}"
            made = Kernel(go, INT(RUN), f"{self.name}_{method.name}", noalias=False)
            self._kernels.setdefault(method, made)
        return self._kernels[method]

    def __repr__(self) -> str:
        return f"<kernels {self.name}>"


@Marching
def march(iterate: Helper) -> Stepping:
    """Take the steps from ``first`` to ``last``.

    Returns why it stopped; ``first`` is then the step that was not committed.
    """

    def go(run):
        settings = run.settings
        start(run)
        while run.first < run.last:
            step = run.first
            why = conclude(run, settings, step, iterate(run, settings, step))
            if why != code.DONE:
                return why
        return code.DONE

    return go
