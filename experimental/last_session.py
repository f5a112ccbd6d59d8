"""What the last session of an element has left.

A specimen stays where a session leaves it, also if it cannot be read. So the next session of the
element counts its first command from there. Elements do not keep it: copies and pickles of an
element know nothing of a specimen that was moved.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental.elements.experimental import Experimental
from femu.experimental.safety.sensor_monitor import SensorMonitor
from femu.experimental.specimens.specimen import Measurement, Specimen

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LastSession:
    """Where the specimen is, and what was measured there."""

    specimen: Specimen
    position: tuple[Array, Array, Array]
    """For the limits: last command, measured displacement and force."""
    time: float | None
    stiffness: Array
    monitor: SensorMonitor | None
    target: Array | None
    answer: Measurement | None
    moves: int


_LAST: weakref.WeakKeyDictionary[Experimental, LastSession] = weakref.WeakKeyDictionary()


def last_session(element: Experimental, specimen: Specimen) -> LastSession | None:
    """What the last session of an element has left of its specimen; None if it was another one.

    Another object for a physical specimen is another way to reach it: its position counts.
    """
    left = _LAST.get(element)
    same = left is not None and (left.specimen is element.specimen or specimen.physical)
    return left if same else None


def keep_last_session(element: Experimental, left: LastSession) -> None:
    """Keep what a session leaves for the next one."""
    _LAST[element] = left
