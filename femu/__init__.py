"""femu: frame models, hybrid simulation and online model updating."""

from femu.errors import (
    AnalysisError,
    ConvergenceError,
    FemuError,
    FileError,
    InputError,
    ModelError,
    UnsupportedError,
)
from femu.loads import Pattern, PointLoad, UniformLoad
from femu.model import Model
from femu.outcome import Outcome
from femu.program import Program
from femu.progress import ProgressBar
from femu.records import GroundMotion
from femu.results import Result
from femu.save import Save
from femu.series import Motion
from femu.state import State

__version__ = "0.1.0"

__all__ = [
    "AnalysisError",
    "ConvergenceError",
    "FemuError",
    "FileError",
    "GroundMotion",
    "InputError",
    "Model",
    "ModelError",
    "Motion",
    "Outcome",
    "Pattern",
    "PointLoad",
    "Program",
    "ProgressBar",
    "Result",
    "Save",
    "State",
    "UniformLoad",
    "UnsupportedError",
]
