"""Numbers outside their usual bounds that still have an answer: an error in femu's own API, a
warning if OpenSees runs them.

The OpenSees front end makes its components under `accepting`, with a table of what OpenSees gives
the same answer for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from femu.model.parameters import finite
from femu.support.errors import InputError, ModelWarning
from femu.support.users_line import warn

Bounds = tuple[float, float]
Accepted = Mapping[str, Mapping[str, Bounds | None]]
"""By class and argument the bounds that hold instead.

None: a rule about several arguments that is omitted.
"""

_accepted: ContextVar[Accepted] = ContextVar("accepted", default={})  # noqa: B039 (never changed)


@contextmanager
def accepting(table: Accepted) -> Iterator[None]:
    """Make components with wider bounds; what lies outside the usual ones is a `ModelWarning`."""
    token = _accepted.set(table)
    try:
        yield
    finally:
        _accepted.reset(token)


def raise_or_warn(component: Any, problem: InputError) -> None:
    """Raise what is wrong with a component, or warn if it is accepted."""
    accepted = _accepted.get().get(type(component).__name__, {})
    if problem.argument not in accepted:
        raise problem
    bounds = accepted[problem.argument]
    if bounds is not None and not (
        finite(problem.value) and bounds[0] <= problem.value <= bounds[1]
    ):
        raise problem
    warn_accepted(str(problem))


def warn_accepted(problem: str) -> None:
    """Warn of what OpenSees runs although it is doubtful."""
    warn(f"{problem} OpenSees runs it, and so does femu here: check the results.", ModelWarning)
