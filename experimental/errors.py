"""How a hybrid test ends when it does not reach its end, as exceptions and as values.

Each exception carries an `Ending`; a runner or a server that catches `ExperimentError` holds the specimen, closes the
journal and hands the ending on.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from femu.errors import AnalysisError


class Ending(Enum):
    """How a test or a server ended. The value is the sentence the user reads."""

    COMPLETE = "The test reached its end."
    PEER_DONE = "The other side ended the test in good order."
    SPECIMEN_LIMIT = "A limit of the specimen tripped; the command that would have passed it was not sent."
    PEER_LOST = "The connection to the other side was lost; the specimen holds its position."
    PEER_SILENT = "The other side was silent for too long; the specimen holds its position."
    BAD_MESSAGE = "The other side sent something that is not a valid message; the specimen holds its position."
    BAD_MEASUREMENT = "The specimen returned a measurement that cannot be used; it holds its position."
    NOT_CONVERGED = "A step of the numerical part did not converge; the specimen holds its position."
    ERROR = "The test ended with an error that femu does not know; the specimen holds its position."
    STOPPED_BY_USER = "The test was stopped by the user; the specimen holds its position."

    @property
    def ok(self) -> bool:
        """Whether the test ended in good order."""
        return self in (Ending.COMPLETE, Ending.PEER_DONE)

    def __str__(self) -> str:
        return self.value


class ExperimentError(AnalysisError):
    """A hybrid test cannot go on."""

    ending: ClassVar[Ending] = Ending.PEER_LOST


class LimitTripped(ExperimentError):
    """A command would pass a limit of the specimen. It was not sent."""

    ending = Ending.SPECIMEN_LIMIT


class PeerLost(ExperimentError):
    """The other side closed the connection, or cannot be reached."""

    ending = Ending.PEER_LOST


class PeerSilent(ExperimentError):
    """The other side did not answer in time."""

    ending = Ending.PEER_SILENT


class BadMessage(ExperimentError):
    """A message of the wrong size, an unknown code, or numbers that are not finite."""

    ending = Ending.BAD_MESSAGE


class BadMeasurement(ExperimentError):
    """A measurement of the wrong size, or one that is not finite."""

    ending = Ending.BAD_MEASUREMENT


class NotConverged(ExperimentError):
    """The numerical part has no equilibrium at a step."""

    ending = Ending.NOT_CONVERGED
