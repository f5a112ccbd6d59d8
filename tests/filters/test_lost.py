"""Images and measurements that are lost, infinite or huge.

The estimate stays a number, keeps what it knew, and counts them.
"""

from __future__ import annotations

import copy
from math import inf, nan

import numpy as np
import pytest

from femu.filters import (
    EKF,
    UKF,
    AdaptiveUKF,
    AuxiliaryUnscentedPF,
    Bounds,
    ConstrainedUKF,
    CubatureKF,
    EnsembleKF,
    ExtendedPF,
    Inequality,
    IntervalUKF,
    KalmanFilter,
    ParticleFilter,
    SquareRootUKF,
    StateSpace,
    UnscentedPF,
    batched,
    diagnostics,
    fit_least_squares,
    smooth,
)
from femu.filters.covariance import symmetric
from femu.support.errors import AnalysisError, InputError

same = batched(lambda x, u: x)
FREE = Bounds.none(1)
KINDS = {
    "EKF": EKF,
    "UKF": UKF,
    "scaled": lambda *a: UKF(*a, alpha=0.01),
    "negative": lambda *a: UKF(*a, kappa=-0.5),
    "kept points": lambda *a: UKF(*a, redraw=False),
    "square root": SquareRootUKF,
    "cubature": CubatureKF,
    "constrained": lambda m, Q, R: ConstrainedUKF(m, Q, R, Bounds.none(m.states)),
    "published": lambda m, Q, R: ConstrainedUKF(
        m, Q, R, Bounds([-3.0] * m.states, [3.0] * m.states), margin=0.0
    ),
    "interval": lambda m, Q, R: IntervalUKF(m, Q, R, Bounds([-3.0] * m.states, [3.0] * m.states)),
    "adaptive": AdaptiveUKF,
    "adaptive in a box": lambda m, Q, R: AdaptiveUKF(
        m, Q, R, bounds=Bounds([-3.0] * m.states, [3.0] * m.states)
    ),
    "ensemble": lambda *a: EnsembleKF(*a, members=12),
    "particle": lambda *a: ParticleFilter(*a, particles=12, roughening=0.1),
    "unscented particles": lambda *a: UnscentedPF(*a, particles=6),
    "extended particles": lambda *a: ExtendedPF(*a, particles=6),
    "auxiliary particles": lambda *a: AuxiliaryUnscentedPF(*a, particles=6),
}


@pytest.mark.parametrize(
    "noise",
    [(1e-2, 1e-2), (0.0, 1e-8), (1e-4, 0.0)],
    ids=["noisy", "exact process", "exact measurement"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_comes_the_estimate_is_a_number(kind, noise):
    """A model that is lost at random points and steps, measurements that are missing, infinite in
    size, or outliers."""
    rng = np.random.default_rng(7)
    wrong = (nan, inf, -inf, 1e300, -1e300, 1e160, 1e80)

    def spoilt(x, share):
        found = x.copy()
        hit = rng.random(len(found)) < (1.0 if rng.random() < 0.1 else share)
        found[hit, rng.integers(found.shape[1])] = wrong[rng.integers(len(wrong))]
        return found

    def observed(x, u):
        with np.errstate(over="ignore"):  # the points may be as large as what spoils them
            return spoilt(np.stack([x[:, 0], x[:, 0] * x[:, 1]], axis=1), 0.05)

    model = StateSpace(
        batched(lambda x, u: spoilt(0.95 * x + 0.1 * np.sin(x[:, ::-1]), 0.1)),
        batched(observed),
        2,
        2,
    )
    estimator = KINDS[kind](model, *noise)
    state = estimator.init([0.5, 0.2], [1.0, 0.5])
    for k in range(200):
        y = np.array([np.sin(0.1 * k), 0.1])
        if k % 5 == 0:
            y[rng.integers(2)] = (nan, 1e300, -1e160, 1e9)[rng.integers(4)]
        state = estimator.update(estimator.predict(state), y)
        P = state.covariance
        assert (
            np.isfinite(state.mean).all()
            and np.isfinite(P).all()
            and np.isfinite(state.log_likelihood)
        )
        scale = np.sqrt(np.outer(np.diagonal(P), np.diagonal(P))).max()
        assert np.abs(P - P.T).max() <= 1e-9 * scale
        assert np.linalg.eigvalsh(P).min() >= -1e-9 * scale
    assert state.counts["lost_points"] + state.counts["refused"] > 0


@pytest.mark.parametrize(
    "kind",
    [k for k in KINDS if k not in ("adaptive in a box", "adaptive", "published", "interval")],
)
def test_a_step_without_any_image_keeps_what_is_known(kind):
    """All images of one step are lost.

    The states stay where they are, with their spread, and keep learning.
    """
    model = StateSpace(batched(lambda x, u: x * nan if u[0] else x), same, 1, 1, 1)
    estimator = KINDS[kind](model, 0.0, 1.0)
    start = estimator.init([2.0], 4.0)
    state = estimator.predict(start, [1.0])
    usual = estimator.predict(start, [0.0])
    assert state.covariance[0, 0] == pytest.approx(usual.covariance[0, 0], rel=1e-6)
    assert state.counts["lost_points"] > 0
    for _ in range(20):
        state = estimator.update(estimator.predict(state, [0.0]), [5.0], [0.0])
    few = any(word in kind for word in ("ensemble", "particles"))
    if kind != "particle":  # a dozen of them, drawn once
        assert state.mean[0] == pytest.approx(5.0, abs=0.5 if few else 0.1)


@pytest.mark.parametrize("kind", [CubatureKF, lambda *a: UKF(*a, alpha=1e-3), SquareRootUKF])
def test_a_lost_point_moves_nothing_else(kind):
    """The image of one point, the centre or another, is lost in a system that moves all by 0.1."""
    for lost in (lambda x: x[:, 1:] > 0.05, lambda x: (x == 0.0).all(axis=1, keepdims=True)):
        model = StateSpace(
            batched(lambda x, u, lost=lost: np.where(lost(x), nan, x + 0.1)),
            batched(lambda x, u: x[:, :1]),
            2,
            1,
        )
        estimator = kind(model, 0.0, 1.0)
        found = estimator.predict(estimator.init([0.0, 0.0], 1e-2))
        assert found.mean[0] == pytest.approx(0.1, abs=1e-6)


def test_both_points_of_a_pair_may_be_wild():
    model = StateSpace(batched(lambda x, u: np.where(abs(x) > 1e-3, 1e6, x)), same, 1, 1)
    estimator = UKF(model, 1e-4, 1.0)
    found = estimator.predict(estimator.init([0.0], 1.0))
    assert found.mean[0] == 0.0 and found.counts["lost_points"] == 2


@pytest.mark.parametrize("kind", [SquareRootUKF, lambda *a: AdaptiveUKF(*a, growth=0.0)])
def test_a_spread_that_vanishes_stays_a_number(kind):
    """Without process noise the factor falls below 1e-154, whose square is none."""
    model = StateSpace(
        batched(lambda x, u: 0.5 * x + 0.05 * x[:, ::-1]), batched(lambda x, u: x[:, :1]), 2, 1
    )
    estimator = kind(model, 0.0, 1.0)
    history = estimator.run(
        estimator.init([1.0, 1.0], [[1.0, 0.5], [0.5, 1.0]]), np.zeros((700, 1))
    )
    assert np.isfinite(history.mean).all() and np.isfinite(history.covariance).all()


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("particle",)])
def test_a_measurement_beyond_all_numbers_is_refused_once(kind):
    estimator = KINDS[kind](StateSpace(same, same, 1, 1), 0.1, 1.0)
    before = estimator.predict(estimator.init([0.0], 1.0))
    after = estimator.update(before, [1e160])
    assert after.counts["refused"] == 1 and not np.isfinite(after.nis)
    np.testing.assert_allclose(after.mean, before.mean, atol=1e-12)


def test_an_unmeasured_system_that_grows_is_held():
    estimator = KalmanFilter([[2.0]], [[1.0]], 1.0, 1.0)
    history = estimator.run(estimator.init([1.0], 1.0), np.full((1100, 1), nan))
    assert np.isfinite(history.mean).all() and np.isfinite(history.covariance).all()


@pytest.mark.parametrize(
    "kind", [lambda *a: UKF(*a, kappa=-0.9), lambda *a: ConstrainedUKF(*a, FREE, kappa=-0.9)]
)
def test_no_variance_below_zero_is_reported(kind):
    estimator = kind(StateSpace(batched(lambda x, u: x**2), same, 1, 1), 0.0, 1.0)
    found = estimator.predict(estimator.init([0.0], 1.0))
    assert found.covariance[0, 0] >= 0.0 and found.counts["repairs"] == 1


def test_a_wild_measurement_does_not_ruin_the_learned_noise():
    estimator = AdaptiveUKF(StateSpace(same, same, 1, 1), 1e-4, 1.0)
    state = estimator.init([0.0], 1.0)
    for k in range(200):
        state = estimator.update(estimator.predict(state), [1e160 if k == 3 else 5.0])
    assert np.isfinite(estimator.learned_noise(state)).all()
    assert state.mean[0] == pytest.approx(5.0, abs=0.1)


def test_repeated_updates_of_the_constrained_filter_keep_their_digits():
    """n measurements of variance r of a state at rest.

    R/n, whatever Q was in the step before.
    """
    estimator = ConstrainedUKF(StateSpace(same, same, 1, 1), 1e6, 1e-12, FREE)
    state = estimator.update(estimator.predict(estimator.init([0.0], 1.0)), [0.0])
    for n in (1, 2, 3):
        state = estimator.update(state, [0.0])
        assert state.covariance[0, 0] == pytest.approx(1e-12 / n, rel=1e-6)


def test_smoothed_covariances_are_positive():
    model = StateSpace(
        batched(lambda x, u: 0.9 * x + 0.2 * np.sin(3.0 * x[:, ::-1])),
        batched(lambda x, u: x[:, :1] ** 2),
        2,
        1,
    )
    estimator = UKF(model, 0.0, 1e-8)
    found = smooth(
        estimator.run(estimator.init([0.5, 0.3], 1.0), np.sin(np.arange(200) / 5.0) ** 2)
    )
    assert np.linalg.eigvalsh(found.covariance).min() > -1e-15


def test_smoothing_where_the_process_has_no_answer_is_told():
    when = [False]
    model = StateSpace(batched(lambda x, u: x * nan if when[0] else x), same, 1, 1)
    estimator = UKF(model, 0.1, 1.0)
    history = estimator.run(estimator.init([0.0], 1.0), np.zeros((5, 1)))
    when[0] = True
    with pytest.raises(AnalysisError, match="step 3"):
        smooth(history)


def test_least_squares_reads_only_what_is_there():
    model = StateSpace(lambda x, u: x, lambda x, u: [x[0] * u[0]], 1, 1, 3)
    with pytest.raises(InputError, match="3 columns"):
        fit_least_squares(model, np.ones(4), None, [2.0], free=[0])
    lost = StateSpace(lambda x, u: x, lambda x, u: [x[0] * nan], 1, 1)
    with pytest.raises(AnalysisError, match="no response"):
        fit_least_squares(lost, np.arange(4.0), None, [2.0], free=[0])


def test_a_filter_can_be_copied():
    estimator = UKF(StateSpace(same, same, 1, 1), 0.1, 1.0)
    assert copy.deepcopy(estimator).init([0.0], 1.0).mean[0] == 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda m: UKF(m, 0.0, 1.0, alpha=1e-200),
        lambda m: UKF(m, 0.0, 1.0, kappa=1e308),
        lambda m: ConstrainedUKF(m, 0.0, 1.0, FREE, kappa=1e206),
        lambda m: UKF(m, 1.7e308, 1.0),
        lambda m: EnsembleKF(m, 0.0, 1.0, inflation=1e200),
        lambda m: ParticleFilter(m, 0.0, 1.0, roughening=1e200),
        lambda m: AdaptiveUKF(m, 0.0, 1.0, growth=1e308),
        lambda m: Inequality({0: nan, 1: 1.0}, 0.0, 1),
        lambda m: Inequality({0: 1.0}, -inf, 0),
        lambda m: Inequality({0: "a"}, 0.0, 0),
        lambda m: Bounds([-1e308], [1e308]),
        lambda m: symmetric("it", "P", [[1e20, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, -0.5, 1.0]], 3),
        lambda m: symmetric("it", "P", [[0.0, 1e-6], [1e-6, 1.0]], 2),
    ],
)
def test_settings_beyond_all_numbers_are_refused(make):
    with pytest.raises(InputError):
        make(StateSpace(same, same, 1, 1))


def test_diagnostics_name_a_wrong_argument():
    estimator = UKF(StateSpace(same, same, 1, 1), 0.1, 1.0)
    history = estimator.run(estimator.init([0.0], 1.0), np.sin(np.arange(40.0)))
    truth = np.zeros((40, 1))
    for wrong in (
        lambda: diagnostics.nees(history, truth, states=[7]),
        lambda: diagnostics.nees(history, truth, states=["a"]),
        lambda: diagnostics.nees(history, truth, probability=2.0),
        lambda: diagnostics.whiteness(history, channel=9),
        lambda: diagnostics.whiteness(history, lags=0),
        lambda: diagnostics.identifiable_parameters(np.ones((2, 3)), np.ones((2, 3))),
    ):
        with pytest.raises(InputError):
            wrong()
