"""Experimental elements, specimens, setups, sites and transports of a hybrid test."""

from femu.experimental.compensation.adaptive_delay import AdaptiveDelayCompensation
from femu.experimental.compensation.adaptive_model import AdaptiveModelCompensation
from femu.experimental.compensation.adaptive_time_series import AdaptiveTimeSeriesCompensation
from femu.experimental.compensation.compensated_specimen import CompensatedSpecimen
from femu.experimental.compensation.compensation import Compensation, tracking_error
from femu.experimental.compensation.coupled_inverse import CoupledInverseCompensation
from femu.experimental.compensation.estimated_plant import EstimatedPlantCompensation
from femu.experimental.compensation.fir import FIRCompensation
from femu.experimental.compensation.identify_actuator import (
    IdentifiedActuator,
    identify_actuator,
)
from femu.experimental.compensation.inverse import InverseCompensation
from femu.experimental.compensation.lqg import LQGCompensation
from femu.experimental.compensation.polynomial import PolynomialCompensation
from femu.experimental.compensation.two_stage import TwoStageCompensation
from femu.experimental.elements.experimental import Experimental
from femu.experimental.elements.kinds import (
    ExperimentalBeamColumn,
    ExperimentalElement,
    ExperimentalLink,
    ExperimentalTruss,
)
from femu.experimental.errors import (
    BadMeasurement,
    BadMessage,
    BadParameters,
    Ending,
    ExperimentError,
    LimitTripped,
    NotConverged,
    OutlierMeasurement,
    PeerLost,
    PeerSilent,
    PoorTracking,
    StuckSensor,
    WildMeasurement,
)
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.hybrid_test import HybridTest
from femu.experimental.journal.journal import Journal, Record, read_journal
from femu.experimental.motion.continuous import ContinuousSpecimen
from femu.experimental.motion.generator import MotionGenerator
from femu.experimental.network.description import Description, read_description
from femu.experimental.network.remote import RemoteSpecimen
from femu.experimental.network.remote_kinds import RemoteApplication, RemoteController, RemoteSite
from femu.experimental.network.secret import read_secret
from femu.experimental.network.server import Served, SpecimenServer
from femu.experimental.pacing import Pace, PaceReport
from femu.experimental.safety.limits import Guard, Limits, Unlimited
from femu.experimental.safety.sensor_monitor import SensorCheck
from femu.experimental.safety.tracking import Tracking, TrackingLimits, tracking_indicators
from femu.experimental.session import SpecimenSession, exchange
from femu.experimental.setups.rigs import Jack, OneActuator, Rig, ThreeActuators, TwoActuators
from femu.experimental.setups.setup import Cantilever, Direct, Linear, Scaled, Setup
from femu.experimental.specimens.actuator import Actuator
from femu.experimental.specimens.basic_system import BasicSystem
from femu.experimental.specimens.converter import Converter
from femu.experimental.specimens.emulated import EmulatedSpecimen, Sensors
from femu.experimental.specimens.perturbation import perturbed
from femu.experimental.specimens.plant import Plant
from femu.experimental.specimens.replayed import Difference, ReplaySpecimen, replay
from femu.experimental.specimens.specimen import Measurement, Specimen
from femu.experimental.stability.linear_system import LinearSystem
from femu.experimental.stability.stability import Stability
from femu.experimental.tangents.bfgs import BFGSTangent
from femu.experimental.tangents.broyden import BroydenTangent
from femu.experimental.tangents.eigenvector import EigenvectorTangent
from femu.experimental.tangents.intrinsic import IntrinsicTangent
from femu.experimental.tangents.tangent import InitialTangent, TangentEstimator
from femu.experimental.tangents.transpose_tangent import TransposeTangent
from femu.experimental.tangents.twin import TwinTangent
from femu.experimental.updater import Updater
from femu.support.arguments import typed_classes, typed_methods
from femu.support.keywords import explain_all

AdaptiveCompensation = AdaptiveDelayCompensation  # its older name, in scripts and files

typed_classes(
    AdaptiveDelayCompensation,
    BasicSystem,
    BFGSTangent,
    BroydenTangent,
    Cantilever,
    CompensatedSpecimen,
    ContinuousSpecimen,
    Converter,
    CoupledInverseCompensation,
    Direct,
    EigenvectorTangent,
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    Guard,
    IntrinsicTangent,
    InverseCompensation,
    Jack,
    Linear,
    MotionGenerator,
    OneActuator,
    PolynomialCompensation,
    RemoteApplication,
    RemoteController,
    RemoteSite,
    RemoteSpecimen,
    ReplaySpecimen,
    Rig,
    Scaled,
    SpecimenSession,
    ThreeActuators,
    TransposeTangent,
    TwinTangent,
    TwoActuators,
    AdaptiveModelCompensation,
)

for _read in (HybridTest, HybridResult, Converter, LinearSystem, Plant):
    typed_methods(_read)

__all__ = [
    "Actuator",
    "AdaptiveCompensation",
    "AdaptiveDelayCompensation",
    "AdaptiveModelCompensation",
    "AdaptiveTimeSeriesCompensation",
    "BFGSTangent",
    "BadMeasurement",
    "BadMessage",
    "BadParameters",
    "BasicSystem",
    "BroydenTangent",
    "Cantilever",
    "CompensatedSpecimen",
    "Compensation",
    "ContinuousSpecimen",
    "Converter",
    "CoupledInverseCompensation",
    "Description",
    "Difference",
    "Direct",
    "EigenvectorTangent",
    "EmulatedSpecimen",
    "Ending",
    "EstimatedPlantCompensation",
    "ExperimentError",
    "Experimental",
    "ExperimentalBeamColumn",
    "ExperimentalElement",
    "ExperimentalLink",
    "ExperimentalTruss",
    "FIRCompensation",
    "Guard",
    "HybridResult",
    "HybridTest",
    "IdentifiedActuator",
    "InitialTangent",
    "IntrinsicTangent",
    "InverseCompensation",
    "Jack",
    "Journal",
    "LQGCompensation",
    "LimitTripped",
    "Limits",
    "Linear",
    "LinearSystem",
    "Measurement",
    "MotionGenerator",
    "NotConverged",
    "OneActuator",
    "OutlierMeasurement",
    "Pace",
    "PaceReport",
    "PeerLost",
    "PeerSilent",
    "Plant",
    "PolynomialCompensation",
    "PoorTracking",
    "Record",
    "RemoteApplication",
    "RemoteController",
    "RemoteSite",
    "RemoteSpecimen",
    "ReplaySpecimen",
    "Rig",
    "Scaled",
    "SensorCheck",
    "Sensors",
    "Served",
    "Setup",
    "Specimen",
    "SpecimenServer",
    "SpecimenSession",
    "Stability",
    "StuckSensor",
    "TangentEstimator",
    "ThreeActuators",
    "Tracking",
    "TrackingLimits",
    "TransposeTangent",
    "TwinTangent",
    "TwoActuators",
    "TwoStageCompensation",
    "Unlimited",
    "Updater",
    "WildMeasurement",
    "exchange",
    "identify_actuator",
    "perturbed",
    "read_description",
    "read_journal",
    "read_secret",
    "replay",
    "tracking_error",
    "tracking_indicators",
]

explain_all(__name__, __all__)
