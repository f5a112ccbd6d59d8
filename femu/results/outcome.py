"""How an analysis or a test ended, as a value and as a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any

_HANDLED: ContextVar[bool] = ContextVar("failures of analyses are handled", default=False)


class FailedAnalysis(UserWarning):
    """An analysis, a hybrid test or runs of a batch failed; the text gives place, time and reason.

    ``result`` is what was computed until then, for code that makes warnings errors and catches
    them.
    """

    def __init__(self, message: str = "", result: Any = None) -> None:
        super().__init__(message)
        self.result = result


def stopped(message: str, result: Any) -> KeyboardInterrupt:
    """The KeyboardInterrupt by which Ctrl-C ends a script; its ``result`` is what was done up to
    then.

    It is not a subclass: Python ends as a shell expects after Ctrl-C only on a KeyboardInterrupt
    itself.
    """
    made = KeyboardInterrupt(message)
    made.result = result  # type: ignore[attr-defined]
    return made


@contextmanager
def failures_handled() -> Iterator[None]:
    """For code that looks at every outcome itself.

    Analyses inside it do not warn that they failed.
    """
    token = _HANDLED.set(True)
    try:
        yield
    finally:
        _HANDLED.reset(token)


def are_failures_handled() -> bool:
    """Whether the caller looks at every outcome itself."""
    return _HANDLED.get()


class Outcome(Enum):
    """How an analysis, a hybrid test or a server of specimens ended.

    The value is the sentence the user reads.
    """

    COMPLETE = "The analysis reached its end."
    NOT_CONVERGED = "A step did not converge, with everything the convergence policy allows."
    UNSTABLE = "The response has grown without bound; the integration is unstable."
    LIMIT_REACHED = "A limit state that was to end the analysis was reached."
    STOPPED_BY_USER = "The analysis was stopped by the user."
    TIME_LIMIT = "The analysis used up its time limit."
    ITERATION_LIMIT = "The analysis used up its iterations."
    SPECIMEN_LIMIT = (
        "A limit of the specimen tripped; the command that would have passed it was not sent."
    )
    PEER_DONE = "The client ended the test normally."
    PEER_LOST = "The connection to the other side was lost; the specimen holds its position."
    PEER_SILENT = "The other side was silent for too long; the specimen holds its position."
    BAD_MESSAGE = "The other side sent something that is not a valid message; the specimen holds its position."
    BAD_MEASUREMENT = (
        "The specimen returned a measurement that cannot be used; it holds its position."
    )
    WILD_MEASUREMENT = "A measurement lies beyond a limit; the step was not taken, and the specimen holds its position."
    STUCK_SENSOR = (
        "A sensor did not change while the specimen moved; the step was not taken, and the "
        "specimen holds its position."
    )
    POOR_TRACKING = (
        "A specimen did not follow its targets within the limits; it holds its position."
    )
    BAD_PARAMETERS = (
        "The updater wrote parameters that are not finite; the specimen holds its position."
    )
    JOURNAL_FULL = "The disk has no room for the journal; the specimen holds its position."
    ERROR = "The test ended with an unexpected error; the specimen holds its position."

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for was done."""
        return self in (Outcome.COMPLETE, Outcome.PEER_DONE)

    @property
    def failed(self) -> bool:
        """Whether it ended early, other than by a limit state or by the user."""
        return not self.ok and self not in (Outcome.LIMIT_REACHED, Outcome.STOPPED_BY_USER)

    def __str__(self) -> str:
        return self.value
