"""What an analysis leaves: its result, how it ended, and what was saved."""

from femu.results.outcome import FailedAnalysis, Outcome, failures_handled
from femu.results.progress import ProgressBar
from femu.results.result import Result
from femu.results.save import Save

__all__ = ["FailedAnalysis", "Outcome", "ProgressBar", "Result", "Save", "failures_handled"]
