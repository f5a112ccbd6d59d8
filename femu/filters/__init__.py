"""State and parameter estimators, one file each.

``init → predict → update`` with the state passed in and out.
"""

from femu.filters.adaptive_ukf import AdaptiveUKF
from femu.filters.auxiliary_particle import AuxiliaryUnscentedPF
from femu.filters.bounds import Bounds, Inequality
from femu.filters.consistent import ConsistentEstimator
from femu.filters.constrained_ukf import ConstrainedUKF
from femu.filters.cubature import CubatureKF
from femu.filters.ekf import EKF
from femu.filters.ensemble import EnsembleKF
from femu.filters.estimate import Estimate, History
from femu.filters.extended_particle import ExtendedPF
from femu.filters.interval_ukf import IntervalUKF
from femu.filters.kalman import KalmanFilter
from femu.filters.least_squares import LeastSquaresFit, fit_least_squares
from femu.filters.model import MODEL, StateSpace, batched
from femu.filters.particle import ParticleFilter
from femu.filters.smoother import Smoothed, smooth
from femu.filters.square_root_ukf import SquareRootUKF
from femu.filters.ukf import UKF
from femu.filters.unscented_particle import UnscentedPF
from femu.support.arguments import typed_classes, typed_methods
from femu.support.keywords import explain_all

typed_methods(Bounds)
typed_classes(AdaptiveUKF, AuxiliaryUnscentedPF, ConsistentEstimator, ConstrainedUKF, CubatureKF, EKF, EnsembleKF,
              ExtendedPF, Inequality, IntervalUKF,
              KalmanFilter, ParticleFilter, SquareRootUKF, StateSpace, UKF, UnscentedPF)

__all__ = [
    "EKF",
    "MODEL",
    "UKF",
    "AdaptiveUKF",
    "AuxiliaryUnscentedPF",
    "Bounds",
    "ConsistentEstimator",
    "ConstrainedUKF",
    "CubatureKF",
    "EnsembleKF",
    "Estimate",
    "ExtendedPF",
    "History",
    "Inequality",
    "IntervalUKF",
    "KalmanFilter",
    "LeastSquaresFit",
    "ParticleFilter",
    "Smoothed",
    "SquareRootUKF",
    "StateSpace",
    "UnscentedPF",
    "batched",
    "fit_least_squares",
    "smooth",
]

explain_all(__name__, __all__)
