"""The forms in which a model can be given, and what happens when it misbehaves."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys
from systems import P0, X0, A, H, Q, R, decay_model, linear_model, simulate

from femu.filters import EKF, UKF, AdaptiveUKF, ConstrainedUKF, ParticleFilter, StateSpace, batched
from femu.filters.bouc_wen import bouc_wen, bouc_wen_bounds
from femu.filters.model import MODEL
from femu.kernels import INTS, floats_at, kernel
from femu.support.errors import InputError


@njit
def array_process(x, u, out):
    out[0] = x[0] + 0.1 * x[1]
    out[1] = -0.2 * x[0] + 0.95 * x[1]


@njit
def array_measurement(x, u, out):
    out[0] = x[0]
    out[1] = 0.3 * x[0] + x[1]


@kernel(MODEL)
def kernel_process(count, points, u, out):
    for i in range(count):
        out[2 * i] = points[2 * i] + 0.1 * points[2 * i + 1]
        out[2 * i + 1] = -0.2 * points[2 * i] + 0.95 * points[2 * i + 1]
    return 0


@kernel(MODEL.return_type(*MODEL.args, INTS))
def process_of_data(count, points, u, out, data):
    matrix = floats_at(data[0])
    for i in range(count):
        for a in range(2):
            out[2 * i + a] = matrix[2 * a] * points[2 * i] + matrix[2 * a + 1] * points[2 * i + 1]
    return 0


@batched
def batched_process(points, u):
    return points @ A.T


@batched
def batched_measurement(points, u):
    return points @ H.T


FORMS = {
    "arrays": (array_process, array_measurement),
    "plain": (lambda x, u: A @ x, lambda x, u: H @ x),
    "batched": (batched_process, batched_measurement),
    "kernel": (kernel_process, array_measurement),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("make", [UKF, EKF, lambda m, q, r: ParticleFilter(m, q, r, particles=50)])
def test_every_form_gives_the_same_answer(name, make):
    _, y = simulate(30, seed=1)
    reference = make(linear_model(), Q, R)
    expected = reference.run(reference.init(X0, P0, seed=1), y).mean
    process, measurement = FORMS[name]
    model = StateSpace(process, measurement, states=2, outputs=2)
    estimator = make(model, Q, R)
    np.testing.assert_allclose(
        estimator.run(estimator.init(X0, P0, seed=1), y).mean, expected, rtol=1e-9, atol=1e-11
    )
    assert model.compiled == (name in ("arrays", "kernel"))


def test_a_kernel_gets_a_pointer_to_the_data_of_its_model():
    _, y = simulate(30, seed=1)
    matrix = np.array(A, dtype=float)
    data = np.array([matrix.ctypes.data], dtype=np.int64)
    model = StateSpace(process_of_data, array_measurement, states=2, outputs=2, data=data)
    x = np.array([[1.0, 2.0], [-0.5, 0.25]])
    np.testing.assert_allclose(model.evaluate("process", x), x @ matrix.T, rtol=1e-14)
    for make in (UKF, EKF, AdaptiveUKF):
        reference, estimator = make(linear_model(), Q, R), make(model, Q, R)
        np.testing.assert_allclose(
            estimator.run(estimator.init(X0, P0), y).mean,
            reference.run(reference.init(X0, P0), y).mean,
            rtol=1e-9,
            atol=1e-11,
        )


def test_given_jacobian_is_used_and_agrees_with_differences():
    generator = np.random.default_rng(2)
    u, y = generator.normal(size=(50, 1)), generator.normal(size=(50, 1))
    numerical = EKF(decay_model(), 1e-4, 0.1)
    calls = []

    def process_jacobian(x, u):
        calls.append(1)
        return np.array([[1.0 - 0.1 * x[1], -0.1 * x[0]], [0.0, 1.0]])

    model = decay_model()
    given = EKF(
        StateSpace(
            model.process,
            model.measurement,
            2,
            1,
            1,
            process_jacobian=process_jacobian,
            measurement_jacobian=lambda x, u: [1.0 + 0.3 * x[0] ** 2, 0.0],
        ),
        1e-4,
        0.1,
    )
    one = numerical.run(numerical.init([0.1, 0.5], [1.0, 0.1]), y, u)
    two = given.run(given.init([0.1, 0.5], [1.0, 0.1]), y, u)
    assert len(calls) == 50
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-8)


def test_exception_of_a_python_model_comes_out_unchanged():
    class Mine(Exception):
        pass

    def failing(x, u):
        raise Mine("the specimen broke")

    estimator = UKF(StateSpace(failing, lambda x, u: x[:1], states=2, outputs=1), 0.1, 0.1)
    with pytest.raises(Mine, match="the specimen broke"):
        estimator.predict(estimator.init([0.0, 0.0], 1.0))
    with pytest.raises(Mine):
        estimator.run(estimator.init([0.0, 0.0], 1.0), np.zeros(3))


def test_wrong_size_of_a_result_is_named():
    estimator = UKF(
        StateSpace(lambda x, u: x[:1], lambda x, u: x[:1], states=2, outputs=1), 0.1, 0.1
    )
    with pytest.raises(InputError, match=r"process.*must return 2 numbers"):
        estimator.predict(estimator.init([0.0, 0.0], 1.0))


@pytest.mark.parametrize("make", [UKF, EKF, AdaptiveUKF])
def test_model_that_is_not_finite_cannot_kill_a_filter(make):
    """Beyond 2 the process has no value; the first measurement throws the estimate there."""

    def process(x, u):
        return np.array([x[0] if x[0] < 2.0 else np.nan])

    estimator = make(StateSpace(process, lambda x, u: x, states=1, outputs=1), 0.01, 0.1)
    history = estimator.run(estimator.init([1.9], [1.0]), [5.0, 0.5, 0.5, 0.5, 0.5, 0.5])
    assert np.isfinite(history.mean).all() and np.isfinite(history.covariance).all()
    assert history.final.counts["lost_points"] > 0
    assert "lost points" in history.outcome


def test_literal_filter_says_when_it_broke_down():
    def process(x, u):
        return np.array([x[0] if x[0] < 2.0 else np.nan])

    estimator = UKF(
        StateSpace(process, lambda x, u: x, states=1, outputs=1), 0.01, 0.1, repair=False
    )
    history = estimator.run(estimator.init([0.0], [0.01]), [0.0, 50.0, 0.5, 0.5])
    assert history.final.broken_at == 3
    assert np.isfinite(history.mean[:2]).all() and np.isnan(history.mean[2:]).all()
    assert history.outcome.startswith("The filter broke down in step 3")


def test_repairs_are_counted():
    """A large negative weight of the centre makes covariances indefinite on a strongly curved
    function."""
    model = StateSpace(
        lambda x, u: np.array([x[0] ** 2, x[0] * x[1]]), lambda x, u: x, states=2, outputs=2
    )
    literal = UKF(model, 1e-9, 1e-3, kappa=-1.9, repair=False)
    safe = UKF(model, 1e-9, 1e-3, kappa=-1.9)
    y = np.random.default_rng(3).normal(size=(20, 2))
    assert literal.run(literal.init([0.0, 0.3], 1.0), y).final.broken_at is not None
    history = safe.run(safe.init([0.0, 0.3], 1.0), y)
    assert history.final.counts["repairs"] > 0
    assert np.isfinite(history.mean).all()
    assert min(np.linalg.eigvalsh(P).min() / P.trace() for P in history.covariance) > -1e-12


@pytest.mark.parametrize(
    "make",
    [
        lambda m, b: UKF(m, 1e-6, 1.5),
        lambda m, b: ConstrainedUKF(m, 1e-6, 1.5, b),
        lambda m, b: AdaptiveUKF(m, 1e-6, 1.5, b),
        lambda m, b: ParticleFilter(m, 1e-6, 1.5, particles=50),
    ],
)
def test_compiled_path_allocates_nothing_per_step(make):
    """A long run makes as many arrays in compiled code as a short one (those of the call itself),
    and keeps nothing."""
    estimator = make(bouc_wen(), bouc_wen_bounds())
    start = estimator.init([0.0, 115.0, 0.5, 0.5, 2.0, 0.1], [1e-6, 10.0, 10.0, 10.0, 0.01, 0.01])
    inputs, outputs = np.tile([1.0, 0.01, 0.01], (500, 1)), np.ones(500)
    _nrt_python.memsys_enable_stats()
    made = []
    for steps in (5, 5, 500):
        before = rtsys.get_allocation_stats().alloc
        estimator.run(start, outputs[:steps], inputs[:steps])
        made.append(rtsys.get_allocation_stats().alloc - before)
    assert made[2] == made[1]
    # called step by step, in place, Python keeps nothing either
    u, y = inputs[0], outputs[:1]
    estimator.predict(start, u, out=start)
    estimator.update(start, y, u, out=start)
    tracemalloc.start()
    for _ in range(100):
        estimator.predict(start, u, out=start)
        estimator.update(start, y, u, out=start)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 2000


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("process_noise", lambda: UKF(linear_model(), [[1.0, 2.0], [2.0, 1.0]], R)),
        ("process_noise", lambda: UKF(linear_model(), [1.0, -1.0], R)),
        ("process_noise", lambda: UKF(linear_model(), [1.0, 1.0, 1.0], R)),
        ("measurement_noise", lambda: UKF(linear_model(), Q, np.nan)),
        ("kappa", lambda: UKF(linear_model(), Q, R, kappa=-2.0)),
        ("alpha", lambda: UKF(linear_model(), Q, R, alpha=0.0)),
        ("mean", lambda: UKF(linear_model(), Q, R).init([0.0, np.nan], P0)),
        ("mean", lambda: UKF(linear_model(), Q, R).init([0.0], P0)),
        ("covariance", lambda: UKF(linear_model(), Q, R).init(X0, [[1.0, 0.5], [0.2, 1.0]])),
        ("seed", lambda: UKF(linear_model(), Q, R).init(X0, P0, seed=-1)),
        (
            "y",
            lambda: UKF(linear_model(), Q, R).update(UKF(linear_model(), Q, R).init(X0, P0), [1.0]),
        ),
        ("states", lambda: StateSpace(lambda x, u: x, lambda x, u: x, states=0, outputs=1)),
        ("process", lambda: StateSpace(3, lambda x, u: x, states=1, outputs=1)),
        (
            "names",
            lambda: StateSpace(lambda x, u: x, lambda x, u: x, states=2, outputs=1, names=("a",)),
        ),
        ("particles", lambda: ParticleFilter(linear_model(), Q, R, particles=1)),
        ("resampling", lambda: ParticleFilter(linear_model(), Q, R, resampling="best")),
        ("iterations", lambda: AdaptiveUKF(linear_model(), Q, R, iterations=0)),
    ],
)
def test_bad_input_is_refused_by_name(argument, call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument or argument == "y"


def test_infinite_measurement_and_foreign_estimate_are_refused():
    estimator, other = UKF(linear_model(), Q, R), UKF(linear_model(), Q, R)
    start = estimator.init(X0, P0)
    with pytest.raises(InputError, match="must not be infinite"):
        estimator.update(start, [np.inf, 0.0])
    with pytest.raises(InputError, match="belongs to another filter"):
        other.predict(start)
    driven = UKF(decay_model(), 0.1, 0.1)
    with pytest.raises(InputError, match="must be finite"):
        driven.predict(driven.init([0.0, 0.5], 1.0), [np.nan])
    with pytest.raises(InputError, match="rows of 1 numbers"):
        driven.run(driven.init([0.0, 0.5], 1.0), np.zeros(5), np.zeros((5, 2)))
