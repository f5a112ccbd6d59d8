"""Offline identification.

The parameters of a numerical twin from a recorded test, by three methods that check each other.
"""

from femu.identify.identification import Identification, Way, compare
from femu.identify.identify import identify
from femu.identify.recording import Recording
from femu.support.keywords import explain_all

__all__ = ["Identification", "Recording", "Way", "compare", "identify"]

explain_all(__name__, __all__)
