"""Batches of earthquakes: suites of runs, incremental dynamic analysis, fragility, and sampling of parameters."""

from femu.batch.outcome import RunOutcome
from femu.batch.plan import Plan
from femu.batch.result import BatchResult
from femu.batch.source import ModelSource, RecordFile
from femu.batch.suite import Suite

__all__ = ["BatchResult", "ModelSource", "Plan", "RecordFile", "RunOutcome", "Suite"]
