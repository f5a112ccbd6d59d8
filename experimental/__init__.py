"""Experimental elements, specimens, setups, sites and transports of a hybrid test."""

from femu.arguments import typed_classes
from femu.experimental.actuator import Actuator
from femu.experimental.basic_system import BasicSystem
from femu.experimental.bfgs import BFGSTangent
from femu.experimental.broyden import BroydenTangent
from femu.experimental.compensation import (
    AdaptiveCompensation,
    CompensatedSpecimen,
    Compensation,
    PolynomialCompensation,
    tracking_error,
)
from femu.experimental.description import Description, read_description
from femu.experimental.eigenvector import EigenvectorTangent
from femu.experimental.element import Experimental, exchange
from femu.experimental.emulated import EmulatedSpecimen, Sensors
from femu.experimental.errors import (
    BadMeasurement,
    BadMessage,
    BadParameters,
    Ending,
    ExperimentError,
    LimitTripped,
    NotConverged,
    PeerLost,
    PeerSilent,
    StuckSensor,
    WildMeasurement,
)
from femu.experimental.intrinsic import IntrinsicTangent
from femu.experimental.journal import Journal, Record, read_journal
from femu.experimental.kinds import ExperimentalBeamColumn, ExperimentalElement, ExperimentalLink, ExperimentalTruss
from femu.experimental.remote import RemoteApplication, RemoteController, RemoteSite, RemoteSpecimen
from femu.experimental.replayed import Difference, ReplaySpecimen, replay
from femu.experimental.rigs import Jack, OneActuator, Rig, ThreeActuators, TwoActuators
from femu.experimental.safety import Guard, Limits
from femu.experimental.server import Served, SpecimenServer
from femu.experimental.setup import Cantilever, Direct, Linear, Scaled, Setup
from femu.experimental.specimen import Measurement, Specimen
from femu.experimental.stuck import SensorCheck
from femu.experimental.tangent import InitialTangent, TangentEstimator
from femu.experimental.transpose_tangent import TransposeTangent
from femu.experimental.twin import TwinTangent

typed_classes(AdaptiveCompensation, BasicSystem, BFGSTangent, BroydenTangent, Cantilever, CompensatedSpecimen, Direct,
              EigenvectorTangent, EmulatedSpecimen, Guard, IntrinsicTangent, Jack, Linear, OneActuator, PolynomialCompensation,
              RemoteApplication, RemoteController, RemoteSite, RemoteSpecimen, ReplaySpecimen, Rig, Scaled, ThreeActuators,
              TransposeTangent, TwinTangent, TwoActuators)

__all__ = [
    "Actuator",
    "AdaptiveCompensation",
    "BFGSTangent",
    "BadMeasurement",
    "BadMessage",
    "BadParameters",
    "BasicSystem",
    "BroydenTangent",
    "Cantilever",
    "CompensatedSpecimen",
    "Compensation",
    "Description",
    "Difference",
    "Direct",
    "EigenvectorTangent",
    "EmulatedSpecimen",
    "Ending",
    "ExperimentError",
    "Experimental",
    "ExperimentalBeamColumn",
    "ExperimentalElement",
    "ExperimentalLink",
    "ExperimentalTruss",
    "Guard",
    "InitialTangent",
    "IntrinsicTangent",
    "Jack",
    "Journal",
    "LimitTripped",
    "Limits",
    "Linear",
    "Measurement",
    "NotConverged",
    "OneActuator",
    "PeerLost",
    "PeerSilent",
    "PolynomialCompensation",
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
    "StuckSensor",
    "TangentEstimator",
    "ThreeActuators",
    "TransposeTangent",
    "TwinTangent",
    "TwoActuators",
    "WildMeasurement",
    "exchange",
    "read_description",
    "read_journal",
    "replay",
    "tracking_error",
]
