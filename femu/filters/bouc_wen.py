"""Bouc-Wen spring as a process and measurement model, for identification studies.

    r = α k d + (1 - α) k z,    ż = A v - β |v| |z|ⁿ⁻¹ z - γ v |z|ⁿ       (Wen 1976; A = 1 here)

|z|ⁿ⁻¹z is evaluated as sgn(z)|z|ⁿ, finite at z = 0 for n > 0. One step of the classical Runge-Kutta scheme of order
four; the parameters are constant over a step. z approaches ±(1/(β+γ))^(1/n) under monotonic
loading.

Two state vectors: [z, k, β, γ, n, α] of Wu and Wang (2014) (velocity held over the step at the
forward difference) and [z, k, β, γ, n] of Wang et al. (2021) (force k z; velocity v0, (v0 + v1)/2,
v1 at the stages).
"""

from __future__ import annotations

from math import inf

from femu.filters.bounds import Bounds, Inequality
from femu.filters.model import StateSpace
from femu.filters.power import power
from femu.kernels import inlined

# |z|ⁿ is not defined at z = 0 for n ≤ 0; an unbounded filter may try such points
SMALLEST_EXPONENT = 0.05
NAMES = ("z", "k", "beta", "gamma", "n", "alpha")


@inlined
def rate(z, v, beta, gamma, n):
    """ż of the law above."""
    size = power(abs(z), max(n, SMALLEST_EXPONENT))
    return v - (beta * abs(v) * (1.0 if z > 0.0 else -1.0 if z < 0.0 else 0.0) + gamma * v) * size


@inlined
def advance(z, v0, v_middle, v1, dt, beta, gamma, n):
    """z after one Runge-Kutta step of length dt."""
    k1 = rate(z, v0, beta, gamma, n)
    k2 = rate(z + 0.5 * dt * k1, v_middle, beta, gamma, n)
    k3 = rate(z + 0.5 * dt * k2, v_middle, beta, gamma, n)
    k4 = rate(z + dt * k3, v1, beta, gamma, n)
    return z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@inlined
def held_process(x, u):
    """x = [z, k, β, γ, n, α]; u = [velocity over the step, displacement at its end, dt]."""
    z, k, beta, gamma, n, alpha = x
    v, _, dt = u
    return advance(z, v, v, v, dt, beta, gamma, n), k, beta, gamma, n, alpha


@inlined
def spring_force(x, u):
    """r = α k d + (1 - α) k z."""
    z, k, _, _, _, alpha = x
    return (alpha * k * u[1] + (1.0 - alpha) * k * z,)


@inlined
def ramp_process(x, u):
    """x = [z, k, β, γ, n]; u = [velocity at the start and at the end of the step, dt]."""
    z, k, beta, gamma, n = x
    v0, v1, dt = u
    return advance(z, v0, 0.5 * (v0 + v1), v1, dt, beta, gamma, n), k, beta, gamma, n


@inlined
def hysteretic_force(x, u):
    """y = k z."""
    return (x[1] * x[0],)


def bouc_wen() -> StateSpace:
    """States [z, k, β, γ, n, α], inputs [v, d, dt], output r: the system of Wu and Wang (2014)."""
    return StateSpace(held_process, spring_force, states=6, outputs=1, inputs=3, names=NAMES)


def bouc_wen_bounds() -> Bounds:
    """k ≥ 0, β ≥ 0, γ ≥ -β, n ≥ 1, 0 ≤ α ≤ 1, z free: the bounds of Wu and Wang (2014)."""
    return Bounds([-inf, 0.0, 0.0, -inf, 1.0, 0.0], [inf, inf, inf, inf, inf, 1.0],
                  [Inequality({2: 1.0, 3: 1.0}, limit=0.0, adjusts=3)])


def hysteretic_spring() -> StateSpace:
    """States [z, k, β, γ, n], inputs [v0, v1, dt], output k z: the system of Wang et al. (2021)."""
    return StateSpace(ramp_process, hysteretic_force, states=5, outputs=1, inputs=3,
                      names=NAMES[:5])
