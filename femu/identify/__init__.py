"""Offline identification: the parameters of a numerical twin from a recorded test, by three ways that check each other."""

from femu.identify.identification import Identification, Way, compare
from femu.identify.passes import identify
from femu.identify.recording import Recording

__all__ = ["Identification", "Recording", "Way", "compare", "identify"]
