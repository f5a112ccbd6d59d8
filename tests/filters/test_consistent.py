"""Estimation on consistent histories: against closed forms and least squares over the record."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numba import njit
from scipy.optimize import least_squares, lsq_linear

from femu import InputError
from femu.filters import Bounds, ConsistentEstimator, Inequality, StateSpace
from femu.filters.copies_kernels import minimise
from femu.kernels import compiled, floats_of

TRUE = np.array([50.0, 100.0, 0.1])  # stiffness, yield force, hardening ratio
LOWER, UPPER = np.array([30.0, 40.0, 0.0]), np.array([90.0, 160.0, 0.4])
START = np.array([60.0, 70.0, 0.2])
STD = 0.25 * (UPPER - LOWER)
NOISE = 0.8


@njit
def spring(x, u):
    """Displacement and force of a bilinear spring, then its parameters."""
    d0, f0, k, fy, b = x
    d = u[0]
    trial, top = f0 + k * (d - d0), (1.0 - b) * fy
    return d, min(max(trial, b * k * d - top), b * k * d + top), k, fy, b


@njit
def force(x, u):
    return (x[1],)


def model() -> StateSpace:
    return StateSpace(spring, force, states=5, outputs=1, inputs=1)


def path(samples: int) -> np.ndarray:
    t = np.linspace(0.0, 6.0, samples)
    return ((0.5 + t) * np.sin(2 * np.pi * t) * np.cos(0.9 * t))[:, None]


def forces(parameters: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Forces along a path, by the law in Python."""
    x, found = (0.0, 0.0, *parameters), np.empty(len(d))
    for k, u in enumerate(d):
        x = spring.py_func(x, u)
        found[k] = x[1]
    return found


def measured(samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    d = path(samples)
    noise = NOISE * np.random.default_rng(seed).standard_normal(samples)
    return d, (forces(TRUE, d) + noise)[:, None]


def estimator(**settings) -> ConsistentEstimator:
    return ConsistentEstimator(
        model(), [2, 3, 4], mean=START, std=STD, bounds=Bounds(LOWER, UPPER), **settings
    )


def offline(d: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Bounded least squares with the prior and the true noise: the best there is."""

    def left(x: np.ndarray) -> np.ndarray:
        rest = (forces(x, d) - y[:, 0]) / NOISE
        return np.concatenate([rest[np.isfinite(rest)], (x - START) / STD])

    return least_squares(left, TRUE, bounds=(LOWER, UPPER), x_scale=STD).x


@njit
def constant(x, u):
    return x[0], x[1]


@njit
def line(x, u):
    return (x[0] + u[0] * x[1],)


def test_linear_model_is_least_squares_with_a_prior():
    rng = np.random.default_rng(0)
    u, mean, std = rng.standard_normal((150, 1)), np.array([1.0, -2.0]), np.array([3.0, 2.0])
    y = 2.0 + 0.5 * u + 0.3 * rng.standard_normal(u.shape)
    found = ConsistentEstimator(
        StateSpace(constant, line, states=2, outputs=1, inputs=1),
        [0, 1],
        mean=mean,
        std=std,
        noise=0.3,
    )
    # a residual above three deviations counts less: there is one with more than that
    y = np.clip(y, 2.0 + 0.5 * u - 0.8, 2.0 + 0.5 * u + 0.8)
    found.run(y, u)
    A = np.column_stack([np.ones(150), u])
    noise, tau = found.noise[0], found.copies.correlation[0]
    information = A.T @ A / (noise**2 * tau) + np.diag(std**-2.0)
    expected = np.linalg.solve(information, A.T @ y[:, 0] / (noise**2 * tau) + mean / std**2)
    np.testing.assert_allclose(found.copies.minimum * 4 * std + mean - 2 * std, expected, rtol=1e-7)
    np.testing.assert_allclose(found.covariance, np.linalg.inv(information), rtol=1e-7)
    assert noise == pytest.approx(0.3, rel=0.15)  # two deviations of a deviation of 150 numbers
    assert tau == 1.0


@pytest.mark.parametrize("seed", [1, 2])
def test_as_good_as_least_squares_over_the_record(seed):
    d, y = measured(900, seed)
    found, done, ratios = estimator(), 0, []
    exact = forces(TRUE, d)
    for k in (450, 550, 650, 780, 900):  # it yields from sample 405 on
        found.run(y[done:k], d[done:k])
        done = k
        errors = [
            float(np.sqrt(np.mean((forces(x, d[:k]) - exact[:k]) ** 2)))
            for x in (found.mean, offline(d[:k], y[:k]))
        ]
        ratios.append(errors[0] / errors[1])
    assert np.median(ratios) <= 1.1
    assert max(ratios) <= 1.5
    assert found.noise[0] == pytest.approx(NOISE, rel=0.1)


def test_two_deviations_hold_the_truth():
    inside = []
    for seed in range(12):
        d, y = measured(300, 100 + seed)
        found = estimator()
        found.run(y, d)
        inside.append(np.abs(found.mean - TRUE) <= 2.0 * found.std)
    # 36 values of which 95 % should: 88 % is two deviations below
    assert np.mean(inside) >= 0.88


def test_outliers_and_missing_samples_cost_little():
    d, y = measured(900, 3)
    rng = np.random.default_rng(4)
    clean = estimator()
    clean.run(y, d)
    bad = rng.uniform(size=900) < 0.05
    y[bad] += 100.0 * NOISE * rng.choice([-1.0, 1.0], size=(bad.sum(), 1))
    y[rng.uniform(size=900) < 0.1] = np.nan
    spoilt = estimator()
    spoilt.run(y, d)
    # the same within the deviations, which are not much wider
    assert (np.abs(spoilt.mean - clean.mean) <= 2.0 * clean.std).all()
    assert (spoilt.std <= 1.5 * clean.std).all()


def test_without_noise_the_truth_is_found():
    d = path(600)
    found = estimator()
    found.run(forces(TRUE, d)[:, None], d)
    np.testing.assert_allclose(found.mean, TRUE, rtol=1e-5)


def test_one_by_one_in_a_thread_and_replayed_are_the_same_bits():
    d, y = measured(400, 5)
    whole, single, threaded = estimator(), estimator(), estimator(threads=True)
    whole.run(y, d)
    threaded.run(y, d)
    means = []
    for row, u in zip(y, d, strict=True):
        single.update(row, u)
        means.append(single.mean)
    late = {k: taken + 5 for k, taken in whole.schedule if taken + 5 <= 400}
    first, second = (estimator(schedule=list(late.items())) for _ in range(2))
    first.run(y, d)
    for row, u in zip(y, d, strict=True):
        second.update(row, u)
    for other in (single, threaded):
        assert np.array_equal(whole.mean, other.mean)
        assert np.array_equal(whole.covariance, other.covariance)
        assert whole.schedule == other.schedule
    assert np.array_equal(first.mean, second.mean)
    assert first.schedule == second.schedule != whole.schedule


def test_what_was_taken_over_late_is_replayed_with_the_same_bits():
    """However late: the schedule says when."""
    d, y = measured(400, 5)
    hasty = estimator(threads=True, wait=False)
    hasty.run(y, d)
    again = estimator(schedule=hasty.schedule)
    again.run(y, d)
    assert again.schedule == hasty.schedule
    assert np.array_equal(again.mean, hasty.mean)
    assert np.array_equal(again.covariance, hasty.covariance)


@pytest.mark.parametrize("stop", [150, 560])
def test_a_checkpoint_continues_with_the_same_bits(stop):
    """Also one in the middle of a relinearisation, and in an estimator that has only the record."""
    d, y = measured(stop + 120, 5)
    whole, fresh = estimator(), estimator()
    whole.run(y[:stop], d[:stop])
    if stop == 560:  # a result of more than 500 samples is not taken over at once
        while whole._pending is None:
            whole.update(y[whole.samples], d[whole.samples])
    kept, until = whole.checkpoint(), whole.samples
    whole.run(y[until:], d[until:])
    with pytest.raises(InputError, match="record"):
        fresh.restore(kept)
    fresh.remember(y[:until], d[:until])
    for again in (fresh, whole):
        mean = whole.mean
        again.restore(kept)
        again.run(y[until:], d[until:])
        assert np.array_equal(again.mean, mean)
        assert np.array_equal(again.checkpoint(), whole.checkpoint())


def test_estimates_keep_bounds_and_inequalities():
    rule = Inequality({0: 1.0, 1: -0.4}, limit=12.0, adjusts=0)  # k ≥ 12 + 0.4 fy: not the truth
    d, y = measured(500, 6)
    bounds = Bounds([30.0, 40.0, 0.15], [np.inf, 160.0, 0.4], [rule])
    found = ConsistentEstimator(model(), [2, 3, 4], mean=START, std=STD, bounds=bounds)
    for row, u in zip(y, d, strict=True):
        found.update(row, u)
        assert bounds.violation(found.mean) <= 1e-9
    assert found.mean[2] == pytest.approx(0.15, abs=1e-6)


def test_functions_of_python_serve_as_a_model():
    d, y = measured(120, 7)
    python = StateSpace(lambda x, u: spring.py_func(x, u), lambda x, u: [x[1]], 5, 1, 1)
    twice = [
        ConsistentEstimator(m, [2, 3, 4], mean=START, std=STD, bounds=Bounds(LOWER, UPPER))
        for m in (model(), python)
    ]
    for each in twice:
        each.run(y, d)
    # multiplication and addition may be one instruction in the compiled one
    np.testing.assert_allclose(twice[0].mean, twice[1].mean, rtol=1e-6)


@compiled
def _minimum(M, g, lower, upper, delta, w):
    n = delta.size
    return minimise(n, floats_of(M, 0), floats_of(g, 0), floats_of(lower, 0), floats_of(upper, 0),
                    floats_of(delta, 0), floats_of(w, 0))  # fmt: skip


def test_minimum_inside_a_box():
    rng = np.random.default_rng(8)
    for _ in range(60):
        p = int(rng.integers(1, 9))
        A, y = rng.standard_normal((p + 3, p)), 3.0 * rng.standard_normal(p + 3)
        lower, upper = -rng.uniform(0.0, 1.0, p), rng.uniform(0.0, 1.0, p)
        delta, M = np.zeros(p), (A.T @ A).ravel()
        assert _minimum(M, A.T @ y, lower, upper, delta, np.zeros(3 * p * p + 8 * p))
        expected = lsq_linear(A, y, (lower, upper), method="bvls", tol=1e-14).x
        np.testing.assert_allclose(delta, expected, rtol=0, atol=1e-8)


def test_a_sample_allocates_nothing():
    d, y = measured(260, 9)
    found = estimator()
    found.run(y[:200], d[:200])
    found._next = 10**9  # no relinearisation meanwhile
    found._last = 10**9
    assert found._pending is None or found._due
    found._pending = None
    rows = list(zip(y[200:], d[200:], strict=True))
    for row, u in rows[:10]:
        found.update(row, u)
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for row, u in rows[10:]:
        found.update(row, u)
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    grown = sum(entry.size_diff for entry in after.compare_to(before, "filename")
                if "femu" in (entry.traceback[0].filename or ""))  # fmt: skip
    assert grown < 2000  # numbers of Python that are replaced, no arrays


@pytest.mark.parametrize(
    ("settings", "argument"),
    [
        ({"noise": 0.0}, "noise"),
        ({"noise": [1.0, 2.0]}, "noise"),
        ({"std": [1.0, 0.0, 1.0]}, "std"),
        ({"mean": [1.0, 50.0, 0.1]}, "mean"),
        ({"mean": [60.0, 70.0]}, "mean"),
        ({"bounds": Bounds.none(2)}, "bounds"),
        ({"forgetting": 0.0}, "forgetting"),
        ({"start": [0.0]}, "start"),
    ],
)
def test_bad_settings_are_refused(settings, argument):
    given = {"mean": START, "std": STD, "bounds": Bounds(LOWER, UPPER), **settings}
    with pytest.raises(InputError, match=argument):
        ConsistentEstimator(model(), [2, 3, 4], **given)


@pytest.mark.parametrize("places", [[], [2, 2], [5], [-1]])
def test_bad_places_are_refused(places):
    with pytest.raises(InputError, match="unknowns"):
        ConsistentEstimator(model(), places, mean=np.ones(len(places)), std=np.ones(len(places)))


def test_bad_samples_are_refused():
    found = estimator()
    for y, u in (([np.inf], [0.0]), ([1.0], [np.nan]), ([1.0, 2.0, 3.0], [0.0]), (["x"], [0.0])):
        with pytest.raises(InputError, match="update"):
            found.update(y, u)
    with pytest.raises(InputError, match="run"):
        found.run([1.0, 2.0], [[0.0]])
