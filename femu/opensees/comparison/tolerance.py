"""The error that the convergence tests of a script leave, by which two programs may differ.

Each program stops iterating as soon as the test of the script is met. With the answers a(t) and
b(t) of the two by a tolerance t, and those by a share s of it,

    |a(t) - b(t)| <= |a(t) - a(s t)| + |a(s t) - b(s t)| + |b(s t) - b(t)|.

The first and the last term are measured, in each program separately; the middle one is the
difference of the models, and has the limit of scripts whose tests leave nothing. So a loose test
does not hide a wrong model.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from femu.opensees.comparison.compare_scripts import Comparison, compared, run_engine

LIMIT = 1e-6
"""Of a difference, as a fraction of the largest number of its kind, if the tests of a script leave
nothing."""
SHARES = (1e-3, 1e-6, 1e-9)
ANALYZE = "analyze"
ITERATIONS = ("testIter", "numIter")
"""Answers that count iterations.

They are not results, and a tolerance may be met one iteration sooner.
"""


@dataclass(frozen=True)
class Left:
    """What the tests of a script leave in each command, found with a ``share`` of their tolerances."""

    share: float
    by_command: dict[str, float]

    def limit(self, command: str) -> float:
        """The difference allowed between the two programs."""
        return LIMIT + self.by_command.get(command, 0.0)


def worst(found: Comparison) -> float:
    """The largest difference of the results."""
    return max((d.largest for d in found.differences if d.command not in ITERATIONS), default=0.0)


def _fails_elsewhere(change: Comparison) -> bool:
    return any(d.command == ANALYZE and d.largest > 0.0 for d in change.differences)


def left_by_tests(script: str | Path, ours: dict[str, Any], theirs: dict[str, Any]) -> Left | None:
    """What the tests of a script leave.

    None if the programs do not agree with smaller tolerances either.
    """
    path = str(Path(script).resolve())
    for share in SHARES:
        tight = [run_engine(engine, [path], share=share) for engine in ("femu", "opensees")]
        apart = compared(path, *tight)
        changes = [compared(path, *pair) for pair in zip((ours, theirs), tight, strict=True)]
        if apart.problem or any(change.problem or _fails_elsewhere(change) for change in changes):
            # the tolerance is out of reach: other steps fail, and the script goes another way
            return None
        if worst(apart) <= LIMIT:
            found: dict[str, float] = {}
            for change in changes:
                for d in change.differences:
                    found[d.command] = found.get(d.command, 0.0) + d.largest
            return Left(share, found)
    return None
