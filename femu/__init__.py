"""femu: frame models, hybrid simulation and online model updating."""

from pathlib import Path

import femu.support.stopping  # noqa: F401 (the first: Ctrl-C may come while the rest is imported)
from femu.engine.program import Program
from femu.engine.state import State
from femu.model.loads import DistributedLoad, Pattern, PointLoad, UniformLoad
from femu.model.model import Model
from femu.model.series import Motion
from femu.records import GroundMotion
from femu.results.outcome import FailedAnalysis, Outcome, failures_handled
from femu.results.progress import ProgressBar
from femu.results.result import Result
from femu.results.save import Save
from femu.support import hooks, old_names
from femu.support.errors import (
    AnalysisError,
    ConvergenceError,
    FemuError,
    FileError,
    InputError,
    ModelError,
    UnsupportedError,
)
from femu.support.keywords import explain_all
from femu.support.version import VERSION

__version__ = VERSION

# A script that lies in a clone of the repository finds this folder before the installed femu.
# There, femu.materials and the others lie next to this folder and not in it.
_here = Path(__file__).parent
if not (_here / "materials").is_dir() and (_here.parent / "materials" / "__init__.py").is_file():
    __path__.append(str(_here.parent))


__getattr__ = old_names.getattr_of(__name__)

__all__ = [
    "AnalysisError",
    "ConvergenceError",
    "DistributedLoad",
    "FailedAnalysis",
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
    "failures_handled",
]

old_names.NAMES.update(
    {
        # what brings all analyses and experimental elements is imported at its first use
        "femu": {
            "HybridTest": "femu.experimental",
            "ModelUpdater": "femu.updating",
            "Unknown": "femu.updating",
        },
        "femu.analyses": dict.fromkeys(
            ("HybridResult", "HybridTest", "Pace", "PaceReport"), "femu.experimental"
        ),
    }
)
old_names.modules_moved(
    {
        "femu.analyses.one_step": "femu.analyses.integrators.integrator",
        "femu.analyses.settings": "femu.analyses.code",
        "femu.cli.table": "femu.support.tables",
        "femu.component": "femu.model.component",
        "femu.crossvalidation": "femu.opensees.comparison",
        "femu.element": "femu.model.element",
        "femu.environment": "femu.support.environment",
        "femu.errors": "femu.support.errors",
        "femu.laws": "femu.model.constitutive",
        "femu.loads": "femu.model.loads",
        "femu.moment_curvature": "femu.model.moment_curvature",
        "femu.outcome": "femu.results.outcome",
        "femu.parameters": "femu.model.parameters",
        "femu.path": "femu.model.strain_path",
        "femu.program": "femu.engine.program",
        "femu.progress": "femu.results.progress",
        "femu.reproduce": "femu.studies",
        "femu.save": "femu.results.save",
        "femu.series": "femu.model.series",
        "femu.state": "femu.engine.state",
    }
)

hooks.card.served_by("femu.report.cards:card_of")
hooks.compile_model.served_by("femu.engine.program:Program")
hooks.check_model.served_by("femu.check:check")
hooks.check_static.served_by("femu.check.of_analysis:check_static")
hooks.check_transient.served_by("femu.check.of_analysis:check_transient")
hooks.check_hybrid.served_by("femu.check.of_analysis:check_hybrid")
hooks.show_findings.served_by("femu.check.of_analysis:say")
hooks.find_mechanisms.served_by("femu.check.of_model:mechanisms")
hooks.model_to_toml.served_by("femu.exchange.model_toml:model_to_toml")
hooks.model_from_toml.served_by("femu.exchange.model_toml:model_from_toml")
hooks.read_model.served_by("femu.exchange.model_toml:read_model")
hooks.write_model.served_by("femu.exchange.model_toml:write_model")
hooks.write_opensees.served_by("femu.opensees.translation.script:write_opensees")

explain_all(__name__, __all__)
explain_all("femu.model.series", ("Constant", "Linear", "Pulse", "Sampled", "Sine"))
