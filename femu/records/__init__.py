"""Ground motions: the record and what can be done with it, and one reader for each kind of file."""

from femu.records.ground_motion import GroundMotion

__all__ = ["GroundMotion"]
