"""The convergence policy: what to try where a step does not converge."""

from __future__ import annotations

import math
from dataclasses import dataclass

from femu.analyses.algorithms import Algorithm, KrylovNewton, ModifiedNewton, NewtonLineSearch
from femu.errors import InputError


@dataclass(frozen=True)
class Policy:
    """What to try where a step does not converge, on by default.

    First the other ``algorithms``, each on the whole step; then the step in 2, 4, ... parts, up to ``halvings``
    times. The tolerance is never loosened. Every step that needed help is listed in ``result.relaxations``.
    ``time_limit`` (seconds of wall clock) and ``iteration_limit`` (iterations of the whole run, those of failed tries
    included) each end the analysis with an outcome of its own; the second does so at the same step on any machine.
    """

    algorithms: tuple[Algorithm, ...] = (NewtonLineSearch(), KrylovNewton(8), ModifiedNewton(initial=True))
    halvings: int = 8
    time_limit: float = math.inf
    iteration_limit: float = math.inf

    def __post_init__(self) -> None:
        if isinstance(self.halvings, bool) or not isinstance(self.halvings, int) or not 0 <= self.halvings <= 20:
            raise InputError("Policy", "halvings", self.halvings, "must be a whole number from 0 to 20")
        if not isinstance(self.algorithms, (tuple, list)) or not all(isinstance(a, Algorithm) for a in self.algorithms):
            raise InputError("Policy", "algorithms", self.algorithms, "must be a tuple of solution algorithms")
        if not isinstance(self.time_limit, (int, float)) or not self.time_limit > 0.0:
            raise InputError("Policy", "time_limit", self.time_limit, "must be above 0 seconds")
        most = self.iteration_limit
        if isinstance(most, bool) or not isinstance(most, (int, float)) or not most >= 1.0:
            raise InputError("Policy", "iteration_limit", most, "must be a number of iterations, 1 or more")

    @classmethod
    def none(cls) -> Policy:
        """Give up at the first step that does not converge."""
        return cls(algorithms=(), halvings=0)


@dataclass(frozen=True)
class Relaxation:
    """One step that needed help."""

    step: int
    time: float
    what: str
    iterations: int
