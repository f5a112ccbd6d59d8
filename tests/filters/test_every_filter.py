"""One test over every filter.

The linear case, ill-conditioning, missing data, bounds, survival, repeatability.
"""

from __future__ import annotations

import numpy as np
import pytest
from exact import exact_kalman
from systems import (
    DECAY_BOUNDS,
    EVERY,
    EXACT,
    FEW,
    MONTE_CARLO,
    P0,
    WITHOUT_REDRAW,
    X0,
    A,
    H,
    Q,
    R,
    decay_model,
    kalman,
    linear_model,
    simulate,
)

from femu.filters import AdaptiveUKF, EnsembleKF, KalmanFilter, ParticleFilter, SquareRootUKF
from tests.campaign.physics.estimators import STEPS, LinearSystem, by_hand

GAPS = {7: (0, 1), 20: (0,), 21: (1,), 30: (0, 1)}


def with_gaps(outputs: np.ndarray) -> np.ndarray:
    y = outputs.copy()
    for step, channels in GAPS.items():
        y[step, list(channels)] = np.nan
    return y


def smallest_eigenvalue(P: np.ndarray) -> float:
    """Smallest eigenvalue of the covariance scaled to unit variances."""
    root = np.sqrt(np.maximum(np.diagonal(P), 1e-300))
    return float(np.linalg.eigvalsh(P / np.outer(root, root)).min())


@pytest.mark.parametrize("name", EXACT)
def test_equals_kalman_filter_with_gaps(name):
    _, y = simulate(300, seed=1)
    y = with_gaps(y)
    exact = kalman()
    reference = exact.run(exact.init(X0, P0), y)
    estimator = EXACT[name](linear_model(), Q, R)
    history = estimator.run(estimator.init(X0, P0), y)
    assert np.abs(history.mean - reference.mean).max() < 1e-8
    assert np.abs(history.covariance - reference.covariance).max() < 1e-8
    assert history.log_likelihood == pytest.approx(reference.log_likelihood, abs=1e-7)
    np.testing.assert_allclose(history.innovation, reference.innovation, atol=1e-8)
    np.testing.assert_allclose(history.nis, reference.nis, atol=1e-7)


@pytest.mark.parametrize("name", WITHOUT_REDRAW)
def test_without_redraw_equals_kalman_filter_for_zero_process_noise(name):
    _, y = simulate(200, seed=2, noise=np.zeros((2, 2)))
    y = with_gaps(y)
    exact = kalman(process_noise=0.0)
    reference = exact.run(exact.init(X0, P0), y)
    estimator = WITHOUT_REDRAW[name](linear_model(), 0.0, R)
    history = estimator.run(estimator.init(X0, P0), y)
    assert np.abs(history.mean - reference.mean).max() < 1e-8
    assert np.abs(history.covariance - reference.covariance).max() < 1e-8
    # with Q it must differ: the propagated points do not carry it
    estimator = WITHOUT_REDRAW[name](linear_model(), Q, R)
    exact = kalman()
    difference = (
        estimator.run(estimator.init(X0, P0), y).mean - exact.run(exact.init(X0, P0), y).mean
    )
    assert 1e-4 < np.abs(difference).max() < 0.5


@pytest.mark.parametrize("name", ["EnsembleKF", "ParticleFilter"])
def test_monte_carlo_error_falls_with_the_number_of_members(name):
    _, y = simulate(200, seed=3)
    exact = kalman()
    reference = exact.run(exact.init(X0, P0), y)
    spread = np.sqrt(np.diagonal(reference.covariance, axis1=1, axis2=2))
    errors = []
    for count in (500, 8000):
        estimator = (
            EnsembleKF(linear_model(), Q, R, members=count)
            if name == "EnsembleKF"
            else ParticleFilter(linear_model(), Q, R, particles=count)
        )
        history = estimator.run(estimator.init(X0, P0, seed=5), y)
        errors.append(np.sqrt(np.mean(((history.mean - reference.mean) / spread) ** 2)))
        # about the standard deviation over the root of the number; particles lose more, by weights
        # and resampling
        assert errors[-1] < (3.0 if name == "EnsembleKF" else 5.0) / np.sqrt(count)
    assert 2.0 < errors[0] / errors[1] < 8.0  # 4 expected


@pytest.mark.parametrize("name", ["ExtendedPF", "UnscentedPF"])
def test_kalman_particles_approach_the_kalman_mean(name):
    """Every particle is a Kalman filter of its own, so all forget their start.

    UPF measures without redraw: Q = 0.
    """
    noise = Q if name == "ExtendedPF" else 0.0
    _, y = simulate(300, seed=4, noise=np.zeros((2, 2)) if name == "UnscentedPF" else Q)
    exact = kalman(process_noise=noise)
    reference = exact.run(exact.init(X0, P0), y)
    estimator = MONTE_CARLO[name](linear_model(), noise, R)
    history = estimator.run(estimator.init(X0, P0, seed=1), y)
    spread = np.sqrt(np.diagonal(reference.covariance, axis1=1, axis2=2))
    if name == "ExtendedPF":
        assert np.abs(history.mean[-50:] - reference.mean[-50:]).max() < 1e-8
    else:  # without process noise the starts are forgotten only as fast as the data outweigh them
        assert np.abs((history.mean[-50:] - reference.mean[-50:]) / spread[-50:]).max() < 0.5


@pytest.mark.parametrize("name", EVERY)
def test_ill_conditioned_covariance(name):
    """Two states known almost only by their sum.

    Correlation 1 - 1e-12, standard deviations 1e5 apart.
    """
    P = np.array([[1e10, 1e5 * (1.0 - 1e-12)], [1e5 * (1.0 - 1e-12), 1.0]])
    _, y = simulate(100, seed=6)
    estimator = EVERY[name](linear_model(), 1e-8 * Q, R)
    history = estimator.run(estimator.init(X0, P, seed=1), y)
    assert np.isfinite(history.mean).all()
    assert min(smallest_eigenvalue(c) for c in history.covariance) > -1e-9
    if name in EXACT:
        reference = exact_kalman(A, H, 1e-8 * Q, R, X0, P, y)
        assert np.abs(history.mean[-1] - reference).max() < 1e-5


@pytest.mark.parametrize("name", EVERY)
def test_missing_measurement_is_a_prediction(name):
    estimator = EVERY[name](linear_model(), Q, R)
    start = estimator.init(X0, P0, seed=2)
    predicted = estimator.predict(start)
    skipped = estimator.update(predicted, None)
    np.testing.assert_array_equal(skipped.mean, predicted.mean)
    np.testing.assert_array_equal(skipped.covariance, predicted.covariance)
    assert np.isnan(skipped.innovation).all() and np.isnan(skipped.nis)
    assert skipped.log_likelihood == predicted.log_likelihood
    both_gone = estimator.update(predicted, [np.nan, np.nan])
    np.testing.assert_array_equal(both_gone.mean, skipped.mean)
    one_gone = estimator.update(predicted, [0.4, np.nan])
    assert np.isfinite(one_gone.mean).all() and np.isfinite(one_gone.nis)
    assert np.isfinite(one_gone.innovation[0]) and np.isnan(one_gone.innovation[1])
    assert not np.array_equal(one_gone.mean, predicted.mean)


def test_missing_channel_equals_a_filter_without_it():
    full = kalman()
    both = full.update(full.predict(full.init(X0, P0)), [0.7, np.nan])
    from femu.filters import KalmanFilter

    alone = KalmanFilter(full.transition, H[:1], Q, R[:1, :1])
    one = alone.update(alone.predict(alone.init(X0, P0)), [0.7])
    np.testing.assert_allclose(both.mean, one.mean, rtol=1e-13)
    np.testing.assert_allclose(both.covariance, one.covariance, rtol=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_bounds_are_never_violated(name):
    """The true rate lies outside the bounds, and the noise throws the estimate at them."""
    generator = np.random.default_rng(8)
    inputs = generator.normal(size=(400, 1))
    level, outputs = 0.0, []
    for u in inputs[:, 0]:
        level += 0.1 * (u - 1.4 * level)
        outputs.append(level + 0.1 * level**3 + 0.2 * generator.standard_normal())
    estimator = EVERY[name](decay_model(), [1e-6, 1e-3], 0.04, bounds=DECAY_BOUNDS)
    history = estimator.run(estimator.init([0.0, 0.9], [1.0, 0.25], seed=3), outputs, inputs)
    assert np.isfinite(history.mean).all()
    assert DECAY_BOUNDS.violation(history.mean) == 0.0
    assert history.mean[:, 1].max() > 0.8  # it was pushed against the bound
    if name in ("ParticleFilter",):
        assert DECAY_BOUNDS.violation(estimator.particles_of(history.final)) == 0.0


@pytest.mark.parametrize("name", EVERY)
def test_many_random_steps_keep_the_covariance_positive(name):
    """1e5 steps with outliers among the measurements, with gaps, on a nonlinear system."""
    steps = 100_000
    generator = np.random.default_rng(9)
    y = 3.0 * generator.standard_t(2.0, size=(steps, 1))
    y[generator.random(steps) < 0.1] = np.nan
    u = 3.0 * generator.standard_normal((steps, 1))
    estimator = (EVERY | FEW)[name](decay_model(), [1e-4, 1e-5], 1.0, bounds=DECAY_BOUNDS)
    history = estimator.run(estimator.init([0.0, 0.5], [1.0, 0.1], seed=4), y, u)
    assert np.isfinite(history.mean).all() and np.isfinite(history.covariance).all()
    P = history.covariance
    assert np.array_equal(P, P.transpose(0, 2, 1))
    # an outlier may leave a bootstrap filter with one particle that counts: a point has no
    # spread
    least = P[:, 0, 0].min()
    assert (least >= 0.0 if name == "ParticleFilter" else least > 0.0) and P[:, 1, 1].min() >= 0.0
    scaled = P[:, 0, 1] ** 2 / np.maximum(P[:, 0, 0] * P[:, 1, 1], 1e-300)
    assert scaled.max() <= 1.0 + 1e-9  # a correlation is at most one
    assert history.final.counts["refused"] == 0


@pytest.mark.parametrize("name", EVERY)
def test_same_seed_same_bits_and_state_in_and_out(name):
    _, y = simulate(40, seed=10)
    estimator = EVERY[name](linear_model(), Q, R)
    start = estimator.init(X0, P0, seed=11)
    before = start.vector.copy()
    once = estimator.run(start, y)
    again = estimator.run(estimator.init(X0, P0, seed=11), y)
    assert np.array_equal(once.mean, again.mean)
    np.testing.assert_array_equal(start.vector, before)  # nothing given is changed
    stepped = start
    for row in y:
        stepped = estimator.update(estimator.predict(stepped), row)
    assert np.array_equal(stepped.mean, once.mean[-1])
    assert np.array_equal(stepped.covariance, once.covariance[-1])
    # a copy taken in the middle continues with the same bits
    half = estimator.run(start, y[:20]).final.copy()
    assert np.array_equal(estimator.run(half, y[20:]).mean[-1], once.mean[-1])
    in_place = start.copy()
    for row in y:
        estimator.predict(in_place, out=in_place)
        estimator.update(in_place, row, out=in_place)
    assert np.array_equal(in_place.mean, once.mean[-1])


@pytest.mark.parametrize("name", MONTE_CARLO)
def test_other_seed_other_bits(name):
    _, y = simulate(10, seed=12)
    estimator = MONTE_CARLO[name](linear_model(), Q, R)
    one, two = (estimator.run(estimator.init(X0, P0, seed=s), y).mean for s in (1, 2))
    assert not np.array_equal(one, two)


@pytest.mark.parametrize("name", ["UKF", "SquareRootUKF", "AdaptiveUKF", "EKF"])
def test_exactly_known_state_stays_known(name):
    """A zero variance is not a loss of positive definiteness."""
    estimator = EXACT[name](linear_model(), 0.0, R)
    history = estimator.run(estimator.init(X0, np.diag([1.0, 0.0])), simulate(30, seed=1)[1])
    assert np.isfinite(history.mean).all()
    assert history.final.counts["repairs"] == 0


def test_square_root_form_keeps_more_digits():
    """Measured almost exactly: P - K S K' in double precision would lose the small eigenvalue."""
    tiny = 1e-18
    for make in (
        SquareRootUKF,
        lambda m, q, r: AdaptiveUKF(m, q, r, growth=0.0, learn_noise=False, gate=0.0),
    ):
        estimator = make(linear_model(), 0.0, tiny * R)
        estimate = estimator.update(estimator.init([0.0, 0.0], np.eye(2)), [1.0, 1.0])
        exact = np.linalg.inv(np.eye(2) + H.T @ np.linalg.inv(tiny * R) @ H)
        np.testing.assert_allclose(estimate.covariance, exact, rtol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_a_covariance_that_loses_its_rank_keeps_its_correlations(seed):
    """Without process noise what decays becomes known exactly.

    Its covariance is singular, and is not a diagonal for that.
    """
    system = LinearSystem(4, 1, 0, seed, 1.0, 1.0)
    u, y = system.measured(STEPS, False)
    none = np.zeros((4, 4))
    x, P = by_hand(system, none, u, y)
    made = KalmanFilter(system.A, system.H, none, system.R)
    history = made.run(made.init(system.x, system.P), y)
    assert history.mean[-1] == pytest.approx(x, abs=1e-9)
    assert history.covariance[-1] == pytest.approx(P, abs=1e-9)
