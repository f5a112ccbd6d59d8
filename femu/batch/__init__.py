"""Batches of earthquakes.

Suites of runs, incremental dynamic analysis, fragility, and sampling of parameters.
"""

from femu.batch.fragility import Fragility, fit_counts, fit_curves, fit_intervals
from femu.batch.ida import IDA, Collapse, IDACurves, Tracing
from femu.batch.outcome import RunOutcome
from femu.batch.plan import Plan
from femu.batch.result import BatchResult
from femu.batch.sampling import Lognormal, Normal, Uniform, latin_hypercube, sobol
from femu.batch.source import ModelSource, RecordFile
from femu.batch.suite import Suite
from femu.support.keywords import explain_all

__all__ = [
    "IDA",
    "BatchResult",
    "Collapse",
    "Fragility",
    "IDACurves",
    "Lognormal",
    "ModelSource",
    "Normal",
    "Plan",
    "RecordFile",
    "RunOutcome",
    "Suite",
    "Tracing",
    "Uniform",
    "fit_counts",
    "fit_curves",
    "fit_intervals",
    "latin_hypercube",
    "sobol",
]

explain_all(__name__, __all__)
