"""How an analysis ended, as a value and as a sentence."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """How an analysis ended. The value is the sentence the user reads."""

    COMPLETE = "The analysis reached its end."
    NOT_CONVERGED = "A step did not converge, with everything the convergence policy allows."
    LIMIT_REACHED = "A limit state that was to end the analysis was reached."
    STOPPED_BY_USER = "The analysis was stopped by the user."
    TIME_LIMIT = "The analysis used up its time limit."
    ITERATION_LIMIT = "The analysis used up its iterations."
    SPECIMEN_LIMIT = "A limit of the specimen tripped; the command that would have passed it was not sent."

    @property
    def ok(self) -> bool:
        """Whether the analysis did all it was asked for."""
        return self is Outcome.COMPLETE

    def __str__(self) -> str:
        return self.value
