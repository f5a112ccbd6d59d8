"""Smoother, least squares, diagnostics and the inlined power."""

from __future__ import annotations

import numpy as np
import pytest
from systems import P0, X0, A, H, Q, R, decay_model, kalman, linear_model, simulate

from femu.filters import UKF, KalmanFilter, diagnostics, fit_least_squares, smooth
from femu.filters.bouc_wen import bouc_wen, bouc_wen_bounds
from femu.filters.power import power
from femu.kernels import compiled
from femu.studies.offline_identification import TRUE_PARAMETERS, problem
from femu.studies.offline_identification import X0 as SPRING_START
from femu.support.errors import InputError


@compiled
def powers(a, n, out):
    for i in range(a.size):
        out[i] = power(a[i], n[i])


def test_power_agrees_with_the_c_library():
    generator = np.random.default_rng(1)
    a, n = np.exp(generator.uniform(-60.0, 60.0, 100_000)), generator.uniform(0.05, 5.0, 100_000)
    out = np.empty_like(a)
    powers(a, n, out)
    assert np.max(np.abs(out / np.power(a, n) - 1.0) / (1.0 + np.abs(n * np.log(a)))) < 1e-15
    a, n = np.array([0.0, 1.0, 4.0, np.nan]), np.array([1.3, 7.0, 0.5, 2.0])
    out = np.empty(4)
    powers(a, n, out)
    np.testing.assert_array_equal(out, [0.0, 1.0, 2.0, np.nan])


def test_smoother_of_a_linear_system_is_the_exact_one():
    """Rauch-Tung-Striebel with the matrices, and a smaller error than the filter's."""
    x, y = simulate(120, seed=5)
    estimator = UKF(linear_model(), Q, R)
    history = estimator.run(estimator.init(X0, P0), y)
    mean, covariance = history.mean.copy(), history.covariance.copy()
    for k in range(len(y) - 2, -1, -1):
        ahead = A @ covariance[k] @ A.T + Q
        gain = covariance[k] @ A.T @ np.linalg.inv(ahead)
        mean[k] += gain @ (mean[k + 1] - A @ mean[k])
        covariance[k] += gain @ (covariance[k + 1] - ahead) @ gain.T
    smoothed = smooth(history)
    np.testing.assert_allclose(smoothed.mean, mean, atol=1e-9)
    np.testing.assert_allclose(smoothed.covariance, covariance, atol=1e-9)
    assert np.mean((smoothed.mean - x) ** 2) < 0.8 * np.mean((history.mean - x) ** 2)


def test_least_squares_finds_the_true_parameters_without_noise():
    given = problem()
    fit = fit_least_squares(
        bouc_wen(),
        given.force[:1200],
        given.inputs[:1200],
        [0.0, 120.0, 0.3, 0.3, 1.4, 0.05],
        free=[1, 2, 3, 4, 5],
        bounds=bouc_wen_bounds(),
    )
    np.testing.assert_allclose(fit.mean[1:], TRUE_PARAMETERS, rtol=2e-3)
    assert fit.residual_std < 1e-3 * given.force.std()


def test_least_squares_covers_the_truth_with_noise():
    given = problem()
    measured = given.measured(0.05, seed=2)
    measured[100:110] = np.nan
    fit = fit_least_squares(
        bouc_wen(),
        measured,
        given.inputs,
        SPRING_START,
        free=[1, 2, 3, 4, 5],
        bounds=bouc_wen_bounds(),
    )
    error = fit.mean[1:] - TRUE_PARAMETERS
    assert fit.residual_std == pytest.approx(0.05 * given.force.std(), rel=0.05)
    assert np.abs(error / TRUE_PARAMETERS).max() < 0.1
    sigma = np.sqrt(np.diagonal(fit.covariance)[1:4])
    assert (np.abs(error[:3]) < 4.0 * sigma).all()


def test_consistent_filter_passes_and_wrong_noise_is_told():
    _, y = simulate(2000, seed=6)
    right = kalman()
    history = right.run(right.init(X0, P0), y)
    assert diagnostics.nis(history).consistent
    assert (
        sum(
            diagnostics.nees(right.run(right.init(X0, P0), b), a, probability=0.99).consistent
            for a, b in (simulate(1000, seed=s) for s in range(10))
        )
        >= 8
    )
    white = diagnostics.whiteness(history, channel=1)
    assert white.share_inside >= 0.8 and white.probability > 0.01
    trusting = KalmanFilter(A, H, 0.1 * Q, 0.3 * R)
    result = diagnostics.nis(trusting.run(trusting.init(X0, P0), y))
    assert result.average > result.high and "too much" in result.verdict
    timid = KalmanFilter(A, H, Q, 4.0 * R)
    result = diagnostics.nis(timid.run(timid.init(X0, P0), y))
    assert result.average < result.low and "too little" in result.verdict
    stiff = KalmanFilter(A, H, 1e-4 * Q, R)
    assert diagnostics.whiteness(stiff.run(stiff.init(X0, P0), y)).probability < 1e-6


def test_likelihood_prefers_the_true_noise():
    _, y = simulate(1000, seed=7)
    values = []
    for factor in (0.5, 1.0, 2.0):
        estimator = KalmanFilter(A, H, Q, factor * R)
        values.append(diagnostics.log_likelihood(estimator.run(estimator.init(X0, P0), y)))
    assert values[1] == max(values)


def test_number_of_identifiable_parameters():
    prior = np.diag([4.0, 1.0, 9.0])
    assert diagnostics.identifiable_parameters(prior, prior) == pytest.approx(0.0)
    assert diagnostics.identifiable_parameters(prior, np.diag([4e-8, 1.0, 9e-8])) == pytest.approx(
        2.0, abs=1e-6
    )
    assert diagnostics.identifiable_parameters(prior, np.diag([2.0, 1.0, 9.0])) == pytest.approx(
        0.5
    )
    # a decay whose input is zero says nothing about its rate
    estimator = UKF(decay_model(), 0.0, 0.01)
    still = estimator.run(estimator.init([0.0, 0.5], [1e-12, 0.1]), np.zeros(50), np.zeros((50, 1)))
    assert diagnostics.identifiable_parameters(np.diag([0.1]), still.covariance[-1][1:, 1:]) < 1e-3


@pytest.mark.parametrize(
    "call",
    [
        lambda h: smooth(h, kappa=-5.0),
        lambda h: diagnostics.nees(h, np.zeros((3, 2))),
        lambda h: diagnostics.whiteness(h, lags=1000),
        lambda h: diagnostics.identifiable_parameters(np.eye(2), np.eye(3)),
        lambda h: fit_least_squares(linear_model(), np.zeros((4, 2)), None, X0, free=[7]),
        lambda h: fit_least_squares(linear_model(), np.zeros((4, 2)), None, [0.0], free=[0]),
    ],
)
def test_bad_input_is_refused(call):
    estimator = kalman()
    history = estimator.run(estimator.init(X0, P0), simulate(20, seed=1)[1])
    with pytest.raises(InputError):
        call(history)


def test_history_tells_what_happened():
    estimator = UKF(linear_model(), Q, R)
    history = estimator.run(estimator.init(X0, P0), simulate(20, seed=1)[1])
    assert history.outcome == "The run is complete; nothing had to be repaired."
    np.testing.assert_array_equal(history.state("x2"), history.mean[:, 1])
    assert "at step 20" in repr(history.final)
