"""How an analysis or a test ended, as a value and as a sentence."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """How an analysis, a hybrid test or a server of specimens ended. The value is the sentence the user reads."""

    COMPLETE = "The analysis reached its end."
    NOT_CONVERGED = "A step did not converge, with everything the convergence policy allows."
    LIMIT_REACHED = "A limit state that was to end the analysis was reached."
    STOPPED_BY_USER = "The analysis was stopped by the user."
    TIME_LIMIT = "The analysis used up its time limit."
    ITERATION_LIMIT = "The analysis used up its iterations."
    SPECIMEN_LIMIT = "A limit of the specimen tripped; the command that would have passed it was not sent."
    PEER_DONE = "The other side ended the test in good order."
    PEER_LOST = "The connection to the other side was lost; the specimen holds its position."
    PEER_SILENT = "The other side was silent for too long; the specimen holds its position."
    BAD_MESSAGE = "The other side sent something that is not a valid message; the specimen holds its position."
    BAD_MEASUREMENT = "The specimen returned a measurement that cannot be used; it holds its position."
    WILD_MEASUREMENT = "A measurement lies beyond a limit; the step was not taken, and the specimen holds its position."
    STUCK_SENSOR = "A sensor stood still while the specimen moved; the step was not taken, and the specimen holds its position."
    BAD_PARAMETERS = "The updater wrote parameters that are not finite; the specimen holds its position."
    JOURNAL_FULL = "The disk has no room for the journal; the specimen holds its position."
    ERROR = "The test ended with an error that femu does not know; the specimen holds its position."

    @property
    def ok(self) -> bool:
        """Whether all was done that was asked for."""
        return self in (Outcome.COMPLETE, Outcome.PEER_DONE)

    def __str__(self) -> str:
        return self.value
