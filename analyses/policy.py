"""The convergence policy: what to try where a step does not converge."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from femu.analyses.algorithms import Algorithm, KrylovNewton, ModifiedNewton, NewtonLineSearch
from femu.support.errors import InputError

MEMBER_HALVINGS = (2, 4)  # of the increments of force-based members: in 4, then in 16 parts


@dataclass(frozen=True)
class Policy:
    """What to try where a step does not converge, on by default.

    First the other ``algorithms``, each on the whole step; then the step in 2, 4, ... parts, up to
    ``halvings`` times; then, with ``divide_members``, the whole step with the increments of
    force-based members in 4 and 16 parts, so that a member that has several answers keeps to one
    of them from iteration to iteration. The tolerance is never loosened. Every step that needed
    help is listed in ``result.relaxations``. ``time_limit`` (seconds of wall clock) and
    ``iteration_limit`` (iterations of the whole run, those of failed tries included) each end the
    analysis with an outcome of its own; the second does so at the same step on any machine.
    """

    algorithms: tuple[Algorithm, ...] = (
        NewtonLineSearch(),
        KrylovNewton(8),
        ModifiedNewton(initial=True),
    )
    halvings: int = 8
    time_limit: float = math.inf
    iteration_limit: float = math.inf
    divide_members: bool = True

    def __repr__(self) -> str:
        """As a call. ``divide_members`` is shown only if it is off.

        Files of version 0.1.0 hold policies as text without it, and batches in them are resumed.
        """
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.divide_members is True:
            del shown["divide_members"]
        return f"Policy({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def __post_init__(self) -> None:
        if (
            isinstance(self.halvings, bool)
            or not isinstance(self.halvings, int)
            or not 0 <= self.halvings <= 20
        ):
            raise InputError(
                "Policy", "halvings", self.halvings, "must be a whole number from 0 to 20"
            )
        if not isinstance(self.algorithms, (tuple, list)) or not all(
            isinstance(a, Algorithm) for a in self.algorithms
        ):
            raise InputError(
                "Policy", "algorithms", self.algorithms, "must be a tuple of solution algorithms"
            )
        if not isinstance(self.time_limit, (int, float)) or not self.time_limit > 0.0:
            raise InputError("Policy", "time_limit", self.time_limit, "must be above 0 seconds")
        if not isinstance(self.divide_members, bool):
            raise InputError(
                "Policy", "divide_members", self.divide_members, "must be True or False"
            )
        most = self.iteration_limit
        if isinstance(most, bool) or not isinstance(most, (int, float)) or not most >= 1.0:
            raise InputError(
                "Policy", "iteration_limit", most, "must be a number of iterations, 1 or more"
            )

    @classmethod
    def none(cls) -> Policy:
        """Give up at the first step that does not converge."""
        return cls(algorithms=(), halvings=0, divide_members=False)


@dataclass(frozen=True)
class Relaxation:
    """One step that needed help."""

    step: int
    time: float
    what: str
    iterations: int
