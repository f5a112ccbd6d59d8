"""How a run of a batch ended.

A run that fails, hangs or dies is an outcome like any other, and the batch continues.
"""

from __future__ import annotations

from enum import IntEnum

from femu.results.outcome import Outcome


class RunOutcome(IntEnum):
    """The number is stored in the file; `sentence` is what the user reads."""

    PENDING = 0
    COMPLETE = 1
    LIMIT_REACHED = 2
    NOT_CONVERGED = 3
    TIME_LIMIT = 4
    RECORD_REFUSED = 5
    INPUT_REFUSED = 6
    WORKER_DIED = 7
    ERROR = 8
    ITERATION_LIMIT = 9
    UNSTABLE = 10

    @property
    def sentence(self) -> str:
        """What happened, as a sentence."""
        return _SENTENCES[self]

    @property
    def ok(self) -> bool:
        """Whether the run says something about the structure.

        It reached its end, or the drift limit.
        """
        return self in (RunOutcome.COMPLETE, RunOutcome.LIMIT_REACHED)

    @property
    def failed(self) -> bool:
        """Whether the run was done and says nothing about the structure."""
        return self is not RunOutcome.PENDING and not self.ok


_SENTENCES = {
    RunOutcome.PENDING: "Not run yet.",
    RunOutcome.COMPLETE: "The run reached the end of the record.",
    RunOutcome.LIMIT_REACHED: "A storey reached the drift limit, which ended the run.",
    RunOutcome.NOT_CONVERGED: "A step did not converge, with everything the convergence policy "
    "allows.",
    RunOutcome.TIME_LIMIT: "The run used up its time limit.",
    RunOutcome.RECORD_REFUSED: "The record could not be read.",
    RunOutcome.INPUT_REFUSED: "The model or a parameter was refused.",
    RunOutcome.WORKER_DIED: "The process that did the run died, each time it was tried.",
    RunOutcome.ITERATION_LIMIT: "The run used up its iterations.",
    RunOutcome.UNSTABLE: "The response grew without bound; the integration is unstable.",
    RunOutcome.ERROR: "The run ended with an unexpected error.",
}

OF_ANALYSIS = {
    Outcome.COMPLETE: RunOutcome.COMPLETE,
    Outcome.LIMIT_REACHED: RunOutcome.LIMIT_REACHED,
    Outcome.NOT_CONVERGED: RunOutcome.NOT_CONVERGED,
    Outcome.TIME_LIMIT: RunOutcome.TIME_LIMIT,
    Outcome.ITERATION_LIMIT: RunOutcome.ITERATION_LIMIT,
    Outcome.UNSTABLE: RunOutcome.UNSTABLE,
}
