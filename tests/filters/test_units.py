"""Units of the states, sizes that vanish, and arrays that a caller uses afterwards.

None of them may change an answer.
"""

from __future__ import annotations

import copy
from math import inf

import numpy as np
import pytest
from systems import P0, X0, A, H, Q, R, simulate

from femu.filters import (
    UKF,
    AdaptiveUKF,
    AuxiliaryUnscentedPF,
    Bounds,
    ConstrainedUKF,
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
from femu.filters.covariance import inverse, lower_factor
from femu.support.errors import InputError

UNITS = [np.array([1e9, 1e-3]), np.array([1e-6, 1e6]), np.array([1e-8, 1e-8])]


def constant(measured=lambda x: x, states: int = 1, outputs: int = 1) -> StateSpace:
    """States that stay, measured by a function of all points."""
    return StateSpace(batched(lambda x, u: x), batched(lambda x, u: measured(x)), states, outputs)


@pytest.mark.parametrize("unit", [np.array([1e11, 1e-6, 1.0]), np.array([1e-9, 1e9, 0.0])])
def test_factor_and_inverse_of_a_covariance_do_not_depend_on_units(unit):
    C = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]])
    P, scale = C * np.outer(unit, unit), np.where(unit > 0.0, unit, 1.0)
    L = lower_factor(P)
    np.testing.assert_allclose(
        L @ L.T / np.outer(scale, scale), P / np.outer(scale, scale), atol=1e-14
    )
    kept = np.flatnonzero(unit)
    expected = np.zeros((3, 3))
    expected[np.ix_(kept, kept)] = np.linalg.inv(C[np.ix_(kept, kept)])
    np.testing.assert_allclose(inverse(P) * np.outer(scale, scale), expected, atol=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_smoother_and_diagnostics_do_not_depend_on_units(unit):
    x, y = simulate(60, seed=4)

    def checked(scale):
        S = np.diag(scale)
        estimator = KalmanFilter(S @ A / scale, H / scale, S @ Q @ S, R)
        history = estimator.run(estimator.init(scale * X0, S @ P0 @ S), y)
        found = smooth(history)
        return (
            found.mean / scale,
            found.covariance / np.outer(scale, scale),
            diagnostics.nees(history, x * scale).average,
            diagnostics.identifiable_parameters(S @ P0 @ S, history.covariance[-1]),
        )

    for mine, reference in zip(checked(unit), checked(np.ones(2)), strict=True):
        np.testing.assert_allclose(mine, reference, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e6, 1e12])
def test_least_squares_does_not_depend_on_units(unit):
    generator = np.random.default_rng(3)
    given = generator.standard_normal((80, 2))
    measured = given @ [3.0, 0.5] + 0.01 * np.sin(np.arange(80))

    def fitted(scale):
        model = StateSpace(lambda x, u: x, lambda x, u: [x[0] * u[0] + x[1] * u[1]], 2, 1, 2)
        found = fit_least_squares(
            model, measured, given / [scale, 1.0], [2.0 * scale, 0.3], free=[0, 1]
        )
        return found.mean / [scale, 1.0], np.sqrt(np.diagonal(found.covariance)) / [scale, 1.0]

    for mine, reference in zip(fitted(unit), fitted(1.0), strict=True):
        np.testing.assert_allclose(mine, reference, rtol=1e-5)


def test_least_squares_keeps_what_is_held_on_its_bound():
    model = StateSpace(lambda x, u: x, lambda x, u: [x[0] * u[0] + x[1]], 2, 1, 1)
    given = np.linspace(-1.0, 1.0, 20)
    found = fit_least_squares(
        model, 3.0 * given, given, [2.0, 0.0], free=[0], bounds=Bounds([0.0, 0.0], [inf, 1.0])
    )
    assert found.mean[1] == 0.0
    assert found.mean[0] == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("kind", [UKF, SquareRootUKF, AdaptiveUKF])
def test_a_square_about_zero_is_no_wild_image(kind):
    """The mean of x1 + 0.01 x2² is 0.01 var x2, exactly so by sigma points, also where x1 and all
    about it are zero."""
    model = StateSpace(lambda x, u: [x[0] + 0.01 * x[1] ** 2, x[1]], lambda x, u: x[:1], 2, 1)
    estimator = kind(model, 0.0, 1.0, **({"growth": 0.0} if kind is AdaptiveUKF else {}))
    found = estimator.predict(estimator.init([0.0, 0.0], [1.0, 1.0]))
    np.testing.assert_allclose(found.mean, [0.01, 0.0], atol=1e-12)
    assert found.counts["lost_points"] == 0


def test_gate_holds_after_a_measurement_before_the_first_step():
    estimator = AdaptiveUKF(constant(), 1e-4, 1.0)
    state = estimator.update(estimator.init([0.0], 1.0), [0.3])
    for k in range(20):
        state = estimator.update(estimator.predict(state), [0.1 * (-1.0) ** k])
    outlier = estimator.update(estimator.predict(state), [1e3])
    assert outlier.counts["gated"] == 1
    assert abs(outlier.mean[0]) < 0.1


def test_a_refused_measurement_leaves_no_old_innovation():
    estimator = AdaptiveUKF(
        constant(lambda x: np.where(x < 5.0, x, np.nan)), 0.0, 1e-4, growth=0.0, learn_noise=False
    )
    state = estimator.update(estimator.predict(estimator.init([1.0], 1e-4)), [1.0])
    assert np.isfinite(state.nis)
    state.own[0] = 9.0  # the mean, where there is no measurement
    state = estimator.update(estimator.predict(state), [1.0])
    assert state.counts["refused"] == 1
    assert np.isnan(state.nis) and np.isnan(state.innovation).all()


def test_inflated_members_stay_within_bounds():
    estimator = EnsembleKF(
        constant(), 0.01, 1.0, members=30, inflation=1.5, bounds=Bounds([0.0], [inf])
    )
    predicted = estimator.predict(estimator.init([0.1], 1.0))
    members = estimator.members_of(predicted)
    assert members.min() >= 0.0
    assert predicted.mean[0] == pytest.approx(members.mean())
    assert predicted.covariance[0, 0] == pytest.approx(np.var(members, ddof=1))


@pytest.mark.parametrize("kind", [UnscentedPF, ExtendedPF])
def test_particles_without_an_image_count_neither_in_the_innovation_nor_in_the_likelihood(kind):
    """Half of the particles have no measurement: the innovation is that of the others."""

    def measured(x):
        return np.where(x > 0.0, 2.0, np.nan)

    estimator = kind(constant(measured), 0.0, 1.0, particles=40, draw=False, resample_below=0.0)
    state = estimator.init([0.0], 1.0)
    # each particle knows where it is, so that its own points all have an image, or none
    state.own[40:80] = 1e-12
    state = estimator.update(estimator.predict(state), [3.0])
    assert state.innovation[0] == pytest.approx(1.0)
    assert np.isfinite(state.nis) and np.isfinite(state.log_likelihood)
    lost = kind(constant(lambda x: np.nan * x), 0.0, 1.0, particles=10, draw=False)
    state = lost.update(lost.predict(lost.init([0.0], 1.0)), [3.0])
    assert state.counts["refused"] >= 1 and np.isnan(state.nis)


def test_members_without_an_image_count_as_the_others_do_on_average():
    estimator = EnsembleKF(constant(lambda x: np.where(x > -1.0, x, np.nan)), 0.0, 0.1, members=200)
    before = estimator.predict(estimator.init([0.0], 1.0))
    lost = int((estimator.members_of(before) <= -1.0).sum())
    state = estimator.update(before, [1.0])
    assert lost > 10 and state.counts["lost_points"] == lost and state.counts["refused"] == 0
    assert np.isfinite(state.nis) and before.mean[0] < state.mean[0] < 1.0
    nowhere = EnsembleKF(constant(lambda x: np.nan * x), 0.0, 1.0, members=20)
    state = nowhere.update(nowhere.predict(nowhere.init([0.0], 1.0)), [1.0])
    assert state.counts["refused"] == 1 and np.isnan(state.nis)


def test_a_caller_may_go_on_with_his_arrays():
    transition, observation = A.copy(), H.copy()
    estimator = KalmanFilter(transition, observation, Q, R)
    before = estimator.model.evaluate("process", [X0])
    transition[:], observation[:] = 0.0, 0.0
    np.testing.assert_array_equal(estimator.model.evaluate("process", [X0]), before)
    coefficients = {0: 1.0, 1: 1.0}
    rule = Inequality(coefficients, 0.0, 1)
    coefficients[0] = -7.0
    assert rule.coefficients == {0: 1.0, 1: 1.0}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_of_an_estimate_are_independent(copied):
    estimator = KalmanFilter(A, H, Q, R)
    state = estimator.init(X0, P0)
    other = copied(state)
    state.mean[:] = 9.0
    np.testing.assert_array_equal(other.mean, X0)
    assert estimator.predict(other).steps == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda m: UKF(m, 0.0, 1.0, kappa=inf),
        lambda m: UKF(m, 0.0, 1.0, alpha=0.1, beta=inf),
        lambda m: SquareRootUKF(m, 0.0, 1.0, kappa=inf),
        lambda m: SquareRootUKF(m, 0.0, 1.0, kappa=-1.0),
        lambda m: ConstrainedUKF(m, 0.0, 1.0, Bounds.none(1), kappa=inf),
        lambda m: IntervalUKF(m, 0.0, 1.0, Bounds.none(1), kappa=-1.0),
        lambda m: AdaptiveUKF(m, 0.0, 1.0, kappa=inf),
        lambda m: AdaptiveUKF(m, 0.0, 1.0, growth=inf),
        lambda m: EnsembleKF(m, 0.0, 1.0, inflation=inf),
        lambda m: ParticleFilter(m, 0.0, 1.0, roughening=inf),
        lambda m: AuxiliaryUnscentedPF(m, 0.0, 1.0, auxiliary=inf),
    ],
)
def test_settings_that_give_no_number_are_refused(make):
    with pytest.raises(InputError):
        make(constant())


def test_diagnostics_of_nothing_are_refused():
    estimator = KalmanFilter(A, H, Q, R)
    still = estimator.run(estimator.init([0.0, 0.0], P0), np.zeros((30, 2)))
    with pytest.raises(InputError, match="never change"):
        diagnostics.whiteness(still)
    with pytest.raises(InputError, match="skip"):
        diagnostics.nees(still, np.zeros((30, 2)), skip=30)
