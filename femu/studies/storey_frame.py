"""Two-storey shear frame with Bouc-Wen storeys: the structure of Wu and Wang (2014), section 4 (kN,
mm, s).

In storey drifts d1, d2 the equation of motion is

    [m1+m2  m2] [a1]   [c1 v1]   [r1]      [m1+m2]
    [m2     m2] [a2] + [c2 v2] + [r2] = -  [m2   ] a_g

integrated by the classical Runge-Kutta scheme over dt = 0.01 s; each storey's z is integrated with
it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from femu.filters.bouc_wen import rate
from femu.kernels import compiled, inlined
from femu.records import GroundMotion

MASS = 0.2  # kN s²/mm (200 t), each floor
DAMPING = 0.3  # kN s/mm, each storey
TRUE_PARAMETERS = (135.0, 0.2, 0.2, 1.0, 0.02)  # k (kN/mm), β, γ, n, α
INITIAL_PARAMETERS = (115.0, 0.5, 0.5, 2.0, 0.1)
DT = 0.01
MM = 1000.0  # mm in a metre


@inlined
def _derivative(s, ground, first, second, out):
    """Time derivative of s = [d1, d2, v1, v2, z1, z2].

    A storey's parameters are [k, β, γ, n, α].
    """
    f1 = -DAMPING * s[2] - first[4] * first[0] * s[0] - (1.0 - first[4]) * first[0] * s[4]
    f2 = -DAMPING * s[3] - second[4] * second[0] * s[1] - (1.0 - second[4]) * second[0] * s[5]
    out[0], out[1] = s[2], s[3]
    out[2] = (f1 - f2) / MASS - ground
    out[3] = f2 / MASS - (f1 - f2) / MASS
    out[4] = rate(s[4], s[2], first[1], first[2], first[3])
    out[5] = rate(s[5], s[3], second[1], second[2], second[3])


@compiled
def _integrate(ground, dt, first, second, history):
    """``ground`` holds the acceleration at every half step."""
    s = np.zeros(6)
    trial, k1, k2, k3, k4 = np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for step in range(history.shape[0] - 1):
        _derivative(s, ground[2 * step], first, second, k1)
        for i in range(6):
            trial[i] = s[i] + 0.5 * dt * k1[i]
        _derivative(trial, ground[2 * step + 1], first, second, k2)
        for i in range(6):
            trial[i] = s[i] + 0.5 * dt * k2[i]
        _derivative(trial, ground[2 * step + 1], first, second, k3)
        for i in range(6):
            trial[i] = s[i] + dt * k3[i]
        _derivative(trial, ground[2 * step + 2], first, second, k4)
        for i in range(6):
            s[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            history[step + 1, i] = s[i]


@dataclass(frozen=True)
class FrameResponse:
    """Histories of the two storeys, from t = 0, one row per step."""

    drift: np.ndarray  # (steps + 1, 2), mm
    force: np.ndarray  # (steps + 1, 2), kN


def el_centro() -> GroundMotion:
    """El Centro without the leading zero that the file adds: sample j at t = 0.02 j."""
    record = GroundMotion.el_centro()
    return record.trimmed(start=record.dt)


def frame_response(
    peak: float,
    duration: float,
    first: tuple[float, ...] = TRUE_PARAMETERS,
    second: tuple[float, ...] = TRUE_PARAMETERS,
) -> FrameResponse:
    """Response to El Centro scaled to ``peak`` (mm/s²), with the parameters of the first and second
    storey."""
    steps = round(duration / DT)
    record = el_centro().scaled(pga=peak / MM)
    ground = np.asarray(record.at(0.5 * DT * np.arange(2 * steps + 1))) * MM
    history = np.zeros((steps + 1, 6))
    storeys = np.array([first, second], dtype=float)
    _integrate(ground, DT, storeys[0], storeys[1], history)
    k, alpha = storeys[:, 0], storeys[:, 4]
    return FrameResponse(
        history[:, :2].copy(), alpha * k * history[:, :2] + (1.0 - alpha) * k * history[:, 4:]
    )
