"""Unscented filters against filterpy 2.0.0 and Stone Soup 1.9.1.

The same formulas, the same trajectories.
"""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from femu.filters import UKF, CubatureKF
from femu.filters.bouc_wen import bouc_wen
from femu.studies.offline_identification import P0, X0, Q, R, problem

STEPS = 300
NOISE = 0.02


def data():
    given = problem()
    inputs, force = given.inputs[:STEPS], given.measured(NOISE, seed=4)[:STEPS]
    return inputs, force


def scaled_difference(ours, theirs):
    """Largest difference of each state over its largest size."""
    return float(np.max(np.abs(ours - theirs) / np.abs(theirs).max(axis=0)))


@pytest.mark.parametrize("form", ["Julier", "scaled"])
def test_filterpy_ukf(form):
    kalman = pytest.importorskip("filterpy.kalman")
    import filterpy

    assert filterpy.__version__ == "2.0.0"
    inputs, force = data()
    model = bouc_wen()
    if form == "Julier":
        points, ours = kalman.JulierSigmaPoints(6, kappa=0.5), UKF(model, Q, R, kappa=0.5)
    else:
        points = kalman.MerweScaledSigmaPoints(6, alpha=0.5, beta=2.0, kappa=1.0)
        ours = UKF(model, Q, R, alpha=0.5, beta=2.0, kappa=1.0)
    peer = kalman.UnscentedKalmanFilter(
        6,
        1,
        0.01,
        lambda x, u: model.evaluate("measurement", x, u)[0],
        lambda x, dt, u: model.evaluate("process", x, u)[0],
        points,
    )
    peer.x, peer.P = np.array(X0), np.diag(P0)
    peer.Q, peer.R = Q * np.eye(6), R * np.eye(1)
    means, covariances = [], []
    for u, y in zip(inputs, force, strict=True):
        peer.predict(u=u)
        peer.update(np.array([y]), u=u)
        means.append(peer.x.copy())
        covariances.append(np.diagonal(peer.P).copy())
    history = ours.run(ours.init(X0, P0), force, inputs)
    assert scaled_difference(history.mean, np.array(means)) < 1e-9
    assert (
        scaled_difference(np.diagonal(history.covariance, axis1=1, axis2=2), np.array(covariances))
        < 1e-9
    )


def test_filterpy_cubature():
    kalman = pytest.importorskip("filterpy.kalman")
    inputs, force = data()
    model = bouc_wen()
    row: list[np.ndarray] = [inputs[0]]
    peer = kalman.CubatureKalmanFilter(
        6,
        1,
        0.01,
        lambda x: model.evaluate("measurement", x.ravel(), row[0])[0],
        lambda x, dt: model.evaluate("process", x.ravel(), row[0])[0],
    )
    peer.x, peer.P = np.array([X0]).T, np.diag(P0)
    peer.Q, peer.R = Q * np.eye(6), R * np.eye(1)
    ours = CubatureKF(model, Q, R)
    estimate = ours.init(X0, P0)
    # filterpy measures the propagated points; femu redraws them. One prediction and its covariance
    # are the same.
    for u in inputs[:5]:
        row[0] = u
        peer.predict()
        estimate = ours.predict(estimate, u)
        np.testing.assert_allclose(estimate.mean, peer.x.ravel(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(estimate.covariance, peer.P, rtol=1e-8, atol=1e-12)


def test_stone_soup_ukf():
    pytest.importorskip("stonesoup")
    from stonesoup.base import Property
    from stonesoup.models.measurement.nonlinear import NonLinearGaussianMeasurement
    from stonesoup.models.transition.nonlinear import GaussianTransitionModel
    from stonesoup.predictor.kalman import UnscentedKalmanPredictor
    from stonesoup.types.array import CovarianceMatrix, StateVector, StateVectors
    from stonesoup.types.detection import Detection
    from stonesoup.types.hypothesis import SingleHypothesis
    from stonesoup.types.state import GaussianState
    from stonesoup.updater.kalman import UnscentedKalmanUpdater

    inputs, force = data()
    model = bouc_wen()
    row: list[np.ndarray] = [inputs[0]]

    def columns(which, state):
        vectors = np.asarray(state.state_vector, dtype=float).T
        out = model.evaluate(which, vectors, row[0]).T
        return StateVectors(out) if out.shape[1] > 1 else StateVector(out)

    class Spring(GaussianTransitionModel):
        @property
        def ndim_state(self):
            return 6

        def function(self, state, noise=False, **kwargs):
            return columns("process", state)

        def covar(self, **kwargs):
            return CovarianceMatrix(Q * np.eye(6))

        def rvs(self, *args, **kwargs):
            raise NotImplementedError

        def pdf(self, *args, **kwargs):
            raise NotImplementedError

    class Force(NonLinearGaussianMeasurement):
        ndim_state: int = Property(default=6)
        mapping: tuple = Property(default=(0,))

        @property
        def ndim_meas(self):
            return 1

        def function(self, state, noise=False, **kwargs):
            return columns("measurement", state)

    alpha, beta, kappa = 0.5, 2.0, 1.0
    predictor = UnscentedKalmanPredictor(Spring(), alpha=alpha, beta=beta, kappa=kappa)
    updater = UnscentedKalmanUpdater(
        Force(noise_covar=np.array([[R]])), alpha=alpha, beta=beta, kappa=kappa
    )
    start = datetime.datetime(2000, 1, 1)
    state = GaussianState(StateVector(X0), CovarianceMatrix(np.diag(P0)), timestamp=start)
    means = []
    for k, (u, y) in enumerate(zip(inputs, force, strict=True)):
        row[0] = u
        when = start + datetime.timedelta(seconds=k + 1)
        prediction = predictor.predict(state, timestamp=when)
        state = updater.update(
            SingleHypothesis(prediction, Detection(StateVector([y]), timestamp=when))
        )
        means.append(np.asarray(state.state_vector, dtype=float).ravel())
    ours = UKF(model, Q, R, alpha=alpha, beta=beta, kappa=kappa)
    history = ours.run(ours.init(X0, P0), force, inputs)
    assert scaled_difference(history.mean, np.array(means)) < 1e-9
