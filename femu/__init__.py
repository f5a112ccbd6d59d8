"""femu: frame models, hybrid simulation and online model updating."""

from pathlib import Path
from typing import Any

from femu.errors import (
    AnalysisError,
    ConvergenceError,
    FemuError,
    FileError,
    InputError,
    ModelError,
    UnsupportedError,
)
from femu.loads import DistributedLoad, Pattern, PointLoad, UniformLoad
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

# A script that lies in a clone of the repository finds this folder before the installed femu. There, femu.materials and the
# others lie beside this folder and not in it.
_here = Path(__file__).parent
if not (_here / "materials").is_dir() and (_here.parent / "materials" / "__init__.py").is_file():
    __path__.append(str(_here.parent))


def __getattr__(name: str) -> Any:
    if name == "HybridTest":  # brings all analyses and experimental elements, so it is imported when it is asked for
        from femu.analyses.hybrid_test import HybridTest

        return HybridTest
    if name in ("ModelUpdater", "Unknown"):  # the same
        from femu import updating

        return getattr(updating, name)
    raise AttributeError(f"module 'femu' has no attribute {name!r}")


__all__ = [
    "AnalysisError",
    "ConvergenceError",
    "DistributedLoad",
    "FemuError",
    "FileError",
    "GroundMotion",
    "HybridTest",
    "InputError",
    "Model",
    "ModelError",
    "ModelUpdater",
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
    "Unknown",
    "UnsupportedError",
]
