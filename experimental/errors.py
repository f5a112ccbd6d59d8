"""How a hybrid test ends when it does not reach its end, as exceptions.

Each exception carries an `Ending`; a test or a server that catches `ExperimentError` holds the
specimen, closes the journal and hands the ending on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from femu.results.outcome import Outcome
from femu.support.errors import AnalysisError

if TYPE_CHECKING:
    from femu.experimental.specimens.specimen import Measurement

Ending = Outcome
"""How a test or a server ended: an `Outcome`, by the name that journals and servers use."""


class ExperimentError(AnalysisError):
    """A hybrid test cannot continue.

    ``measurement`` is what was measured before it was clear that the test cannot use it: it
    belongs in the journal.
    """

    ending: ClassVar[Ending] = Ending.PEER_LOST
    measurement: Measurement | None = None


class LimitTripped(ExperimentError):
    """A command would pass a limit of the specimen. It was not sent."""

    ending = Ending.SPECIMEN_LIMIT


class MeasuredAlready(LimitTripped):
    """A resumed test would send a specimen back to a step that was measured.

    The command was not sent.
    """


class PeerLost(ExperimentError):
    """The other side closed the connection, or cannot be reached."""

    ending = Ending.PEER_LOST


class PeerSilent(ExperimentError):
    """The other side did not answer in time."""

    ending = Ending.PEER_SILENT


class BadMessage(ExperimentError):
    """A message of the wrong size, an unknown code, or numbers that are not finite."""

    ending = Ending.BAD_MESSAGE
    received: bytes = b""
    """The message, if it may be that of another protocol."""


class ServerRefused(BadMessage):
    """The server answers NaN in all places.

    It will not move the specimen any more, and says why on its own side.
    """


class BadMeasurement(ExperimentError):
    """A measurement of the wrong size, or one that is not finite."""

    ending = Ending.BAD_MEASUREMENT


class OutlierMeasurement(BadMeasurement):
    """A measurement beyond a limit of the specimen. The step was not taken."""

    ending = Ending.WILD_MEASUREMENT


WildMeasurement = OutlierMeasurement
"""Older name."""


class StuckSensor(BadMeasurement):
    """A sensor that did not change while the specimen moved. The step was not taken."""

    ending = Ending.STUCK_SENSOR


class PoorTracking(ExperimentError):
    """A specimen did not follow its targets within the limits. The step was taken."""

    ending = Ending.POOR_TRACKING


class NotConverged(ExperimentError):
    """The numerical part has no equilibrium at a step."""

    ending = Ending.NOT_CONVERGED


class JournalFull(ExperimentError):
    """The journal cannot be written on. Raised before a command leaves, where there is time."""

    ending = Ending.JOURNAL_FULL


class JournalLost(JournalFull):
    """The file of the journal was deleted, moved or replaced.

    Raised before the next command leaves.
    """


class BadParameters(ExperimentError):
    """An updater wrote parameters that are not finite."""

    ending = Ending.BAD_PARAMETERS
