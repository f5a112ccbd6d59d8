"""Resampling, random numbers and what only particle filters have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from systems import P0, X0, Q, R, linear_model, simulate

from femu.filters import AuxiliaryUnscentedPF, ParticleFilter, UnscentedPF
from femu.filters.estimate import HEADER
from femu.filters.filter_fields import EstimateFields, estimate_at
from femu.filters.particles import fill_normals
from femu.filters.random import uniform
from femu.filters.resampling import KINDS, effective_sample_size, resample
from femu.kernels import compiled, floats_of


@compiled
def parents_of(kind, weights, s, parents, room):
    resample(
        kind,
        weights.size,
        floats_of(weights, 0),
        estimate_at(s, 1, 1),
        floats_of(parents, 0),
        floats_of(room, 0),
    )


@compiled
def effective(weights):
    return effective_sample_size(weights.size, floats_of(weights, 0))


@compiled
def uniforms(seed, out):
    for i in range(out.size):
        out[i] = uniform(seed, i)


def counts_of(kind, weights, seed):
    state, parents, room = np.zeros(HEADER), np.empty(len(weights)), np.empty(len(weights))
    state[EstimateFields.seed.slot] = seed
    parents_of(KINDS[kind], weights, state, parents, room)
    return np.bincount(parents.astype(int), minlength=len(weights)), state[
        EstimateFields.counter.slot
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_resampling_is_unbiased(kind):
    weights = np.random.default_rng(1).dirichlet(np.full(20, 0.5))
    counts = np.array([counts_of(kind, weights, seed)[0] for seed in range(4000)])
    assert (counts.sum(axis=1) == 20).all()
    error = (counts.mean(axis=0) - 20 * weights) / np.maximum(
        counts.std(axis=0) / np.sqrt(4000), 1e-3
    )
    assert np.abs(error).max() < 4.5


@pytest.mark.parametrize("kind", ["systematic", "stratified", "residual"])
def test_better_rules_have_less_variance_than_multinomial(kind):
    weights = np.random.default_rng(2).dirichlet(np.full(30, 1.0))
    spread = {
        k: np.var([counts_of(k, weights, s)[0] for s in range(500)], axis=0).sum()
        for k in (kind, "multinomial")
    }
    assert spread[kind] < 0.8 * spread["multinomial"]


def test_systematic_copies_are_the_rounded_expectation():
    weights = np.random.default_rng(3).dirichlet(np.full(50, 1.0))
    for seed in range(50):
        counts, used = counts_of("systematic", weights, seed)
        assert np.abs(counts - 50 * weights).max() < 1.0 + 1e-9
        assert used == 1.0


def test_effective_sample_size():
    assert effective(np.full(40, 1 / 40)) == pytest.approx(40.0)
    assert effective(np.array([1.0, 0.0, 0.0])) == pytest.approx(1.0)


def test_random_numbers_are_uniform_normal_and_independent():
    numbers = np.empty(100_000)
    uniforms(7.0, numbers)
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.01
    other = np.empty(100_000)
    uniforms(8.0, other)
    assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.01
    normals = np.empty(100_000)
    assert fill_normals(7.0, normals) == 200_000
    assert stats.kstest(normals, "norm").pvalue > 1e-3
    assert abs(stats.kurtosis(normals)) < 0.1


def test_paper_rule_resamples_at_every_step_and_threshold_saves_some():
    _, y = simulate(60, seed=1)
    always = ParticleFilter(
        linear_model(), Q, R, particles=100, resample_below=1.0, resampling="multinomial"
    )
    sometimes = ParticleFilter(linear_model(), Q, R, particles=100, resample_below=0.5)
    never = ParticleFilter(linear_model(), Q, R, particles=100, resample_below=0.0)
    counts = [
        f.run(f.init(X0, P0), y).final.counts["resampled"] for f in (always, sometimes, never)
    ]
    assert counts[0] == 60 and 5 < counts[1] < 60 and counts[2] == 0
    final = never.run(never.init(X0, P0), y).final
    assert final.effective_sample_size < 20.0  # without resampling the weights degenerate


def test_roughening_keeps_particles_apart():
    """Without process noise resampling leaves copies; kernel noise makes them differ."""
    _, y = simulate(60, seed=2, noise=np.zeros((2, 2)))
    distinct = []
    for amount in (0.0, 0.5):
        estimator = ParticleFilter(
            linear_model(), 0.0, R, particles=200, resample_below=1.0, roughening=amount
        )
        final = estimator.run(estimator.init(X0, P0), y).final
        distinct.append(len(np.unique(estimator.particles_of(final)[:, 0])))
    assert distinct[0] < 20 and distinct[1] == 200


def test_auxiliary_factor_raises_the_effective_sample_size():
    """λ → ∞ is the plain filter, λ = 1 makes all weights equal (Eq. 21 of Wang et al. 2021)."""
    _, y = simulate(5, seed=3)
    sizes = []
    for make in (
        lambda: UnscentedPF(linear_model(), Q, R, particles=60),
        lambda: AuxiliaryUnscentedPF(linear_model(), Q, R, particles=60, auxiliary=1e12),
        lambda: AuxiliaryUnscentedPF(linear_model(), Q, R, particles=60, auxiliary=1.1),
        lambda: AuxiliaryUnscentedPF(linear_model(), Q, R, particles=60, auxiliary=1.0),
    ):
        estimator = make()
        final = estimator.run(estimator.init(X0, P0, seed=1), y).final
        sizes.append(final.effective_sample_size)
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-6)
    assert sizes[0] < sizes[2] < sizes[3]
    assert sizes[3] == pytest.approx(60.0)


def test_likelihood_of_the_particles_is_unbiased_about_that_of_the_kalman_filter():
    """The mean of Ẑ/Z over seeds is 1 (Del Moral 2004, 7.4.2), and the variance of log Ẑ falls as
    1/particles."""
    from systems import kalman

    _, y = simulate(100, seed=4)
    exact = kalman()
    reference = exact.run(exact.init(X0, P0), y).log_likelihood
    runs, spread = 60, []
    for particles in (500, 2000):
        estimator = ParticleFilter(linear_model(), Q, R, particles=particles)
        error = np.array(
            [
                estimator.run(estimator.init(X0, P0, seed=k), y).log_likelihood - reference
                for k in range(runs)
            ]
        )
        ratio = np.exp(error)
        assert ratio.mean() == pytest.approx(1.0, abs=4.0 * ratio.std(ddof=1) / np.sqrt(runs))
        spread.append(error.var(ddof=1))
    # the quotient of two variances of 60 samples: four standard deviations of its logarithm,
    # 2/sqrt(59), around that of 4
    assert np.log(spread[0] / spread[1]) == pytest.approx(
        np.log(4.0), abs=4.0 * 2.0 / np.sqrt(runs - 1)
    )
