"""Bounds, their smooth maps, and the constrained filters' own algebra."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.filters import UKF, AdaptiveUKF, Bounds, ConstrainedUKF, Inequality, IntervalUKF
from femu.filters.bouc_wen import bouc_wen, bouc_wen_bounds
from femu.filters.constrained_ukf import constrained_points
from femu.filters.filter_fields import FilterFields, filter_at, settings_at
from femu.filters.transforms import inward, outward, plan, spread_outward
from femu.kernels import compiled, floats_of
from femu.support.errors import InputError

BOUC_WEN = bouc_wen_bounds()
state = st.tuples(*[st.floats(-50.0, 50.0) for _ in range(6)]).map(np.array)


@compiled
def points_of(vector, p, x, L, longest, kappa, paired, X, W):
    fields = filter_at(vector)
    constrained_points(
        fields,
        settings_at(p, fields.n, fields.m, fields.nrules),
        floats_of(x, 0),
        floats_of(L, 0),
        longest,
        kappa,
        paired,
        floats_of(X, 0),
        floats_of(W, 0),
    )


@compiled
def to_x(rules, b, kind, scale, xi, x):
    outward(
        x.size,
        rules,
        floats_of(b, 0),
        floats_of(kind, 0),
        floats_of(scale, 0),
        floats_of(xi, 0),
        floats_of(x, 0),
    )


@compiled
def to_xi(rules, b, kind, scale, before, xi_before, x, xi):
    inward(
        x.size,
        rules,
        floats_of(b, 0),
        floats_of(kind, 0),
        floats_of(scale, 0),
        floats_of(before, 0),
        floats_of(xi_before, 0),
        floats_of(x, 0),
        floats_of(xi, 0),
    )


@compiled
def to_covariance(rules, b, kind, scale, xi, x, L, P, w):
    spread_outward(
        x.size,
        rules,
        floats_of(b, 0),
        floats_of(kind, 0),
        floats_of(scale, 0),
        floats_of(xi, 0),
        floats_of(x, 0),
        floats_of(L, 0),
        floats_of(P, 0),
        floats_of(w, 0),
    )


def draw_points(bounds, x, P, kappa, paired):
    n = len(x)
    fields = FilterFields()
    fields.n, fields.m, fields.nrules = n, 1, len(bounds.inequalities)
    p = np.concatenate([np.zeros(n * n + 1), bounds.vector()])
    X, W = np.empty((2 * n + 1, n)), np.empty(2 * n + 1)
    points_of(
        fields.vector,
        p,
        np.asarray(x, float),
        np.linalg.cholesky(P),
        sqrt(n + kappa),
        kappa,
        paired,
        X,
        W,
    )
    return X, W


@settings(max_examples=200, deadline=None)
@given(state)
def test_projection_lands_inside_and_is_idempotent(x):
    moved = BOUC_WEN.project(x)
    assert BOUC_WEN.violation(moved) <= 1e-12
    np.testing.assert_allclose(BOUC_WEN.project(moved), moved, atol=1e-12)
    # gamma gives way, as in Wu and Wang (2014)
    assert moved[3] == pytest.approx(max(x[3], -moved[2]))


def spread(generator):
    root = generator.normal(size=(6, 6)) * np.array([0.1, 5.0, 0.3, 0.3, 0.2, 0.1])[:, None]
    return root @ root.T + 1e-9 * np.eye(6)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("kappa", [0.5, 0.0, 2.0])
def test_constrained_points_stay_inside_and_weights_sum_to_one(paired, kappa):
    generator = np.random.default_rng(1)
    for _ in range(100):
        x = BOUC_WEN.project(generator.normal(size=6) * [1.0, 100.0, 0.5, 0.5, 2.0, 0.5])
        X, W = draw_points(BOUC_WEN, x, spread(generator), kappa, paired)
        assert BOUC_WEN.violation(X) < 1e-9
        assert abs(W.sum() - 1.0) < 1e-12
        if kappa == 0.5:
            np.testing.assert_allclose(W, 1.0 / 13.0, atol=1e-14)
        if paired:
            np.testing.assert_allclose(X[1:7] + X[7:], 2.0 * np.tile(x, (6, 1)), atol=1e-9)


@pytest.mark.parametrize("kappa", [0.5, 1.7])
def test_without_active_bounds_points_and_weights_are_those_of_julier(kappa):
    P = spread(np.random.default_rng(2))
    X, W = draw_points(Bounds.none(6), np.ones(6), P, kappa, True)
    np.testing.assert_allclose(X[1:7], 1.0 + sqrt(6 + kappa) * np.linalg.cholesky(P).T)
    np.testing.assert_allclose(W, [kappa / (6 + kappa)] + [0.5 / (6 + kappa)] * 12, atol=1e-14)


def test_cukf_without_bounds_is_the_ukf():
    from femu.studies.offline_identification import P0, X0, Q, R, problem

    given = problem()
    force, inputs = given.measured(0.02, 1), given.inputs
    free = ConstrainedUKF(bouc_wen(), Q, R, Bounds.none(6), margin=0.0)
    plain = UKF(bouc_wen(), Q, R, redraw=False)
    one = free.run(free.init(X0, P0), force, inputs).mean
    two = plain.run(plain.init(X0, P0), force, inputs).mean
    assert np.max(np.abs(one - two) / np.abs(two).max(axis=0)) < 1e-7


def test_mean_on_a_bound_locks_the_published_filter_but_not_the_default():
    """A parameter at its bound, correlated with the other.

    The published filter's points all fall together.
    """
    from systems import decay_model

    bounds = Bounds([-inf, 0.0], [inf, inf])
    P = [[0.1, 0.09], [0.09, 0.1]]
    generator = np.random.default_rng(3)
    u = generator.normal(size=(600, 1))
    level, y = 0.0, []
    for v in u[:, 0]:
        level += 0.1 * (v - 0.6 * level)
        y.append(level + 0.1 * level**3 + 0.01 * generator.standard_normal())
    published = ConstrainedUKF(decay_model(), 1e-12, 1e-4, bounds, margin=0.0)
    default = ConstrainedUKF(decay_model(), 1e-12, 1e-4, bounds)
    stuck = published.run(published.init([0.0, 0.0], P), y, u)
    freed = default.run(default.init([0.0, 0.0], P), y, u)
    assert stuck.std[0, 1] < 1e-5  # after one step, nothing is left to learn with
    assert abs(stuck.mean[-1, 1] - 0.6) > 0.5
    assert abs(freed.mean[-1, 1] - 0.6) < 0.1


def test_default_keeps_the_mean_half_a_standard_deviation_inside():
    from femu.studies.offline_identification import P0, X0, Q, R, problem

    given = problem()
    estimator = ConstrainedUKF(bouc_wen(), Q, R, BOUC_WEN)
    history = estimator.run(estimator.init(X0, P0), given.measured(0.05, 3), given.inputs)
    n, alpha = history.mean[:, 4], history.mean[:, 5]
    assert (n >= 1.0 + 0.5 * history.std[:, 4] - 1e-9).all()
    assert (alpha >= 0.5 * np.minimum(history.std[:, 5], 0.5) - 1e-9).all()


def test_interval_filter_equals_paper_equations_for_one_step():
    """Eqs. 2.9 to 2.20 of Ou et al. (2015) written out with numpy, bounds active."""
    from systems import decay_model

    bounds = Bounds([-inf, 0.2], [inf, 1.0])
    model, Q, R, kappa = decay_model(), np.diag([0.01, 0.02]), 0.1, 1.0
    x, P, u, y = np.array([1.0, 0.3]), np.array([[0.5, 0.1], [0.1, 0.2]]), np.array([0.4]), 1.3

    def transform(mean, covariance):
        L = np.linalg.cholesky(covariance)
        longest = sqrt(2 + kappa)
        steps, rows = [], [mean]
        for column in np.hstack([L, -L]).T:
            theta = longest
            for j, s in enumerate(column):
                if s < 0 and bounds.lower[j] > -inf:
                    theta = min(theta, (bounds.lower[j] - mean[j]) / s)
                if s > 0 and bounds.upper[j] < inf:
                    theta = min(theta, (bounds.upper[j] - mean[j]) / s)
            steps.append(theta)
            rows.append(mean + theta * column)
        total = sum(steps) - 5 * longest
        a = (2 * kappa - 1) / (2 * (2 + kappa) * total)
        b = 1 / (2 * (2 + kappa)) - (2 * kappa - 1) / (2 * longest * total)
        return np.array(rows), np.array([b, *(a * t + b for t in steps)])

    X, W = transform(x, P)
    X = model.evaluate("process", X, u)
    xp = W @ X
    Pp = (W * (X - xp).T) @ (X - xp) + Q
    xp = bounds.project(xp)
    X, W = transform(xp, Pp)
    Y = model.evaluate("measurement", X, u)[:, 0]
    yp, away = W @ Y, X - W @ X
    S = W @ (Y - yp) ** 2 + R
    K = (W * (Y - yp)) @ away / S
    estimator = IntervalUKF(model, Q, R, bounds, kappa=kappa)
    estimate = estimator.update(estimator.predict(estimator.init(x, P), u), [y], u)
    np.testing.assert_allclose(estimate.mean, bounds.project(xp + K * (y - yp)), rtol=1e-12)
    np.testing.assert_allclose(estimate.covariance, Pp - S * np.outer(K, K), rtol=1e-11)


@settings(max_examples=150, deadline=None)
@given(state, st.integers(0, 1000))
def test_maps_return_and_stay_inside(offset, seed):
    generator = np.random.default_rng(seed)
    mean = BOUC_WEN.project(np.array([0.0, 100.0, 0.5, 0.5, 2.0, 0.3]) + 0.01 * offset)
    kind, scale, xi0, P, D = plan(BOUC_WEN, mean, np.diag([1e-6, 10.0, 10.0, 10.0, 0.01, 0.01]))
    b, xi, x, back = (
        BOUC_WEN.vector(),
        xi0 + 3.0 * generator.normal(size=6),
        np.empty(6),
        np.empty(6),
    )
    to_x(1, b, kind, scale, xi, x)
    assert BOUC_WEN.violation(x) <= 1e-12
    to_xi(1, b, kind, scale, np.full(6, np.nan), xi, x, back)
    np.testing.assert_allclose(back, xi, rtol=1e-6, atol=1e-6)
    # slope of the map against finite differences
    L, P, w = np.tril(generator.normal(size=(6, 6))), np.empty((6, 6)), np.empty((6, 6))
    to_covariance(1, b, kind, scale, xi, x, L, P, w)
    slope = np.empty((6, 6))
    for j in range(6):
        up, down, step = np.empty(6), np.empty(6), np.zeros(6)
        step[j] = 1e-6
        to_x(1, b, kind, scale, xi + step, up)
        to_x(1, b, kind, scale, xi - step, down)
        slope[:, j] = (up - down) / 2e-6
    expected = slope @ L @ L.T @ slope.T
    np.testing.assert_allclose(P, expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())


def test_start_of_the_maps_is_the_given_mean():
    mean = np.array([0.0, 115.0, 0.5, -0.3, 2.0, 0.1])
    kind, scale, xi, P, D = plan(BOUC_WEN, mean, np.diag([1e-6, 10.0, 10.0, 10.0, 0.01, 0.01]))
    x = np.empty(6)
    to_x(1, BOUC_WEN.vector(), kind, scale, xi, x)
    np.testing.assert_allclose(x, mean, rtol=1e-12)
    assert np.linalg.eigvalsh(P).min() > 0.0


def test_upper_bounds_and_downward_inequalities_are_mapped():
    bounds = Bounds(
        [-inf, -inf, 0.0], [5.0, inf, inf], [Inequality({0: 1.0, 1: -1.0}, limit=0.0, adjusts=1)]
    )
    mean = np.array([3.0, 1.0, 2.0])
    kind, scale, xi, P, D = plan(bounds, mean, np.eye(3))
    x = np.empty(3)
    for _ in range(50):
        moved = xi + np.random.default_rng(_).normal(size=3) * 4.0
        to_x(1, bounds.vector(), kind, scale, moved, x)
        assert bounds.violation(x) <= 1e-12
    to_x(1, bounds.vector(), kind, scale, xi, x)
    np.testing.assert_allclose(x, mean, rtol=1e-12)


def test_adaptive_filter_learns_the_noise_and_moves_off_a_wrong_prior():
    from femu.studies.offline_identification import P0, X0, Q, R, problem

    given = problem()
    estimator = AdaptiveUKF(bouc_wen(), Q, R, BOUC_WEN)
    history = estimator.run(estimator.init(X0, P0), given.measured(0.05, 7), given.inputs)
    true_variance = (0.05 * given.force.std()) ** 2
    assert estimator.learned_noise(history.final)[0, 0] == pytest.approx(true_variance, rel=0.25)
    assert history.mean[-1, 1] == pytest.approx(135.0, rel=0.05)


def test_gate_ignores_wild_measurements():
    generator = np.random.default_rng(5)
    from systems import decay_model

    u = generator.normal(size=(400, 1))
    level, y = 0.0, []
    for v in u[:, 0]:
        level += 0.1 * (v - 0.6 * level)
        y.append(level + 0.1 * level**3 + 0.02 * generator.standard_normal())
    y = np.array(y)
    y[50::40] += 5.0
    bounds = Bounds([-inf, 0.0], [inf, inf])
    errors, counts = [], []
    for gate in (6.0, 0.0):
        estimator = AdaptiveUKF(decay_model(), 1e-6, 4e-4, bounds, gate=gate)
        history = estimator.run(estimator.init([0.0, 0.3], [0.1, 0.1]), y, u)
        errors.append(np.sqrt(np.mean((history.mean[100:, 1] - 0.6) ** 2)))
        counts.append(history.final.counts["gated"])
    assert counts[0] >= 8 and counts[1] == 0
    assert errors[0] < 0.5 * errors[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: Bounds([0.0], [0.0]),
        lambda: Bounds([0.0, 1.0], [1.0]),
        lambda: Bounds([0.0, 0.0], [1.0, 1.0], [Inequality({0: 1.0, 1: 1.0}, 0.5, 1)]),
        lambda: Bounds([-inf] * 2, [inf] * 2, [Inequality({0: 1.0}, 0.0, 1)]),
        lambda: Bounds([-inf] * 2, [inf] * 2, [Inequality({0: 1.0, 5: 1.0}, 0.0, 0)]),
        lambda: Bounds(
            [-inf] * 3,
            [inf] * 3,
            [Inequality({0: 1.0, 1: 1.0}, 0.0, 1), Inequality({1: 1.0, 2: 1.0}, 0.0, 2)],
        ),
        lambda: ConstrainedUKF(bouc_wen(), 1e-6, 1.5, Bounds.none(3)),
        lambda: ConstrainedUKF(bouc_wen(), 1e-6, 1.5, BOUC_WEN, margin=2.0),
        lambda: UKF(bouc_wen(), 1e-6, 1.5, bounds=BOUC_WEN).init([0, -1, 0, 0, 1, 0], 1.0),
    ],
)
def test_bad_bounds_are_refused(call):
    with pytest.raises(InputError):
        call()
