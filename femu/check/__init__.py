"""Checks of models and ground motions before they run."""

from femu.check.of_model import check, check_motion
from femu.model.findings import CheckWarning, Finding, Findings
from femu.support.keywords import explain_all

__all__ = ["CheckWarning", "Finding", "Findings", "check", "check_motion"]

explain_all(__name__, __all__)
