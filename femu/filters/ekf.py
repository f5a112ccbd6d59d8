"""Extended Kalman filter: the Kalman filter of the system linearised at the estimate."""

from __future__ import annotations

from math import sqrt
from typing import Any, final

from femu.filters.base import STEP, Filter
from femu.filters.bounds import Bounds, project
from femu.filters.filter_fields import estimate_at, settings_at
from femu.filters.linalg import all_finite, copy, factor, helper, usable
from femu.filters.model import StateSpace, call_model
from femu.filters.sigma import accept, add_gain_noise, channels, finish_gain, no_measurement
from femu.kernels import kernel, shift

DIFFERENCE = 6e-6  # cube root of the machine precision: the best step of a central difference
SMALLEST_STEP = 1e-300


@helper
def propagate(n, A, Q, P, w):
    """P <- A P A' + Q, if that is finite; True if so. ``w`` has room for 2n² numbers."""
    new_P = shift(w, n * n)
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += A[i * n + k] * P[k * n + j]
            w[i * n + j] = total
    for i in range(n):
        for j in range(i + 1):
            total = Q[i * n + j]
            for k in range(n):
                total += w[i * n + k] * A[j * n + k]
            new_P[i * n + j] = new_P[j * n + i] = total
    if not all_finite(n * n, new_P):
        return False
    copy(n * n, new_P, P)
    return True


@helper
def jacobian(address, given, data, n, rows, x, P, u, J, w):
    """Matrix of derivatives (rows × n): from the given function, or by central differences.

    ``w`` has room for 2n (n + rows) numbers. Returns the status of the model's function.
    """
    if given != 0:
        return call_model(given, (1, x, u, J, data))
    points, images = w, shift(w, 2 * n * n)
    for j in range(n):
        size = max(abs(x[j]), sqrt(max(P[j * n + j], 0.0)))
        step = max(DIFFERENCE * size, SMALLEST_STEP) if size > 0.0 else DIFFERENCE
        for sign in range(2):
            row = shift(points, (2 * j + sign) * n)
            copy(n, x, row)
            row[j] += step if sign == 0 else -step
    status = call_model(address, (2 * n, points, u, images, data))
    if status != 0:
        return status
    for j in range(n):
        width = points[2 * j * n + j] - points[(2 * j + 1) * n + j]
        for a in range(rows):
            J[a * n + j] = (images[2 * j * rows + a] - images[(2 * j + 1) * rows + a]) / width
    return 0


def correct_size(n: int, m: int) -> int:
    """Workspace of `correct_linear`."""
    return 3 * m + 3 * m * m + 3 * n * m + n + 2 * n * n + max(2 * m * m + m, 2 * n * n + n)


@helper
def correct_linear(filter, settings, estimate, J, predicted, y, w):
    """Kalman update with the measurement matrix J (m × n) and predicted output.

    Joseph form. Returns the channels.

    Longer than a page: the rows of the measured channels, gain and update are views of one
    workspace.
    """
    n, m = filter.n, filter.m
    x, P, R = estimate.mean, estimate.covariance, settings.R
    index = w
    nu = shift(index, m)
    z = shift(nu, m)
    noise = shift(z, m)
    S = shift(noise, m * m)
    Ls = shift(S, m * m)
    K = shift(Ls, m * m)
    C = shift(K, 2 * n * m)
    new_x = shift(C, n * m)
    new_P = shift(new_x, n)
    T = shift(new_P, n * n)
    room = shift(T, n * n)
    c = channels(m, y, index)
    if c == 0:
        no_measurement(filter, estimate)
        return 0
    for a in range(c):
        row = shift(J, int(index[a]) * n)
        nu[a] = y[int(index[a])] - predicted[int(index[a])]
        for i in range(n):
            total = 0.0
            for k in range(n):
                total += P[i * n + k] * row[k]
            K[i * c + a] = C[i * c + a] = total
    for a in range(c):
        row = shift(J, int(index[a]) * n)
        for b in range(c):
            total = noise[a * c + b] = R[int(index[a]) * m + int(index[b])]
            for k in range(n):
                total += row[k] * C[k * c + b]
            S[a * c + b] = total
    finish_gain(filter, estimate, c, index, nu, z, S, Ls, K, room)
    for i in range(n):
        total = x[i]
        for a in range(c):
            total += K[i * c + a] * nu[a]
        new_x[i] = total
        for j in range(n):  # (I - K H) P
            total = P[i * n + j]
            for a in range(c):
                total -= K[i * c + a] * C[j * c + a]
            T[i * n + j] = total
    for i in range(n):
        for j in range(i + 1):
            total = T[i * n + j]
            for a in range(c):
                row = shift(J, int(index[a]) * n)
                along = 0.0
                for k in range(n):
                    along += T[i * n + k] * row[k]
                total -= along * K[j * c + a]
            new_P[i * n + j] = total
    add_gain_noise(n, c, K, noise, new_P)
    if accept(filter, estimate, new_x, new_P, x, P):
        # differences of large numbers can leave a small negative eigenvalue
        estimate.repairs += factor(n, P, T, room)
    return c


@kernel(STEP)
def predict(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n = filter.n
    estimate.steps += 1.0
    x, P, J = estimate.mean, estimate.covariance, estimate.own
    image = shift(J, n * n)
    w = shift(image, n)
    status = jacobian(filter.process, filter.process_jacobian, filter.data, n, n, x, P, u, J, w)
    if status != 0:
        return status
    status = call_model(filter.process, (1, x, u, image, filter.data))
    if status != 0:
        return status
    if usable(n, image) and usable(n * n, J) and propagate(n, J, settings.Q, P, w):
        copy(n, image, x)
    else:  # hold the mean, as the sigma-point filters do
        estimate.lost_points += 1.0
        for i in range(n * n):
            P[i] += settings.Q[i]
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@kernel(STEP)
def update(filter, p, s, u, y):
    estimate = estimate_at(s, filter.n, filter.m)
    settings = settings_at(p, filter.n, filter.m, filter.nrules)
    n, m = filter.n, filter.m
    x, P, J = estimate.mean, estimate.covariance, estimate.own
    predicted = shift(J, m * n)
    w = shift(predicted, m)
    status = jacobian(filter.measurement, filter.measurement_jacobian, filter.data, n, m, x, P, u,
                      J, w)
    if status != 0:
        return status
    status = call_model(filter.measurement, (1, x, u, predicted, filter.data))
    if status != 0:
        return status
    if not (usable(m, predicted) and usable(m * n, J)):
        estimate.refused += 1.0
        no_measurement(filter, estimate)
        return 0
    correct_linear(filter, settings, estimate, J, predicted, y, w)
    if project(n, filter.nrules, settings.bounds, x):
        estimate.projections += 1.0
    return 0


@final
class EKF(Filter):
    """Extended Kalman filter.

        x⁻ = f(x, u),  P⁻ = F P F' + Q,   F = ∂f/∂x at x
        S = H P⁻ H' + R,  K = P⁻ H' S⁻¹,  x = x⁻ + K (y - h(x⁻, u)),   H = ∂h/∂x at x⁻
        P = (I - K H) P⁻ (I - K H)' + K R K'

    F and H come from the model's Jacobians, or from central differences with a step of 6e-6 of the
    state's size or standard deviation, whichever is larger.
    """

    predict_kernel = predict
    update_kernel = update

    def __init__(self, model: StateSpace, process_noise: Any, measurement_noise: Any, *,
                 bounds: Bounds | None = None) -> None:
        super().__init__(model, process_noise, measurement_noise, bounds)

    def _own_size(self) -> int:
        return 0

    def _scratch_size(self) -> int:
        n, m = self.model.states, self.model.outputs
        return (n + m) * n + n + m + max(4 * n * n, 2 * n * (n + m), correct_size(n, m))

    def _options(self) -> dict[str, int]:
        return {}
