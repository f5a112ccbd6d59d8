"""One call that is right, and all the calls that are wrong in one argument.

A call with a bad value is refused with an exception of femu that names the argument and the value,
or the value is one that may be. No other exception comes out, nothing hangs, and what was accepted
has no NaN in it. NaN and a bare object are never accepted for an argument with a meaning; `MAY_BE`
says where they are, and why.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from femu import FemuError, InputError, State
from femu.model.component import Component
from tests.campaign.tally import Tally

NAN, INF = float("nan"), float("inf")
THING = object()
PATIENCE = 60.0
BAD: dict[str, Any] = {
    "nan": NAN,
    "inf": INF,
    "-inf": -INF,
    "minus one": -1.0,
    "zero": 0,
    "huge": 1e300,
    "huge whole": 10**30,
    "word": "word",
    "empty text": "",
    "text with zero": "a\x00b",
    "none": None,
    "yes": True,
    "complex": 1j,
    "bytes": b"\x00",
    "empty": [],
    "empty table": {},
    "list of nan": [NAN, NAN],
    "list of words": ["a", "b"],
    "cube": np.zeros((3, 3, 3)),
    "unknown name": {"nobody": 1.0},
    "object": THING,
    "class": int,
}
NEVER = ("nan", "list of nan", "object")
"""Values that no argument may have."""


class Call:
    """A function, method or class with arguments that are right; ``on`` makes the object of a
    method again for each try.

    ``may`` names arguments that may be anything, or NaN: a title, a callback that is not called, a
    gap in a curve. Where a call makes something else of its numbers, the message may say what was
    made (``derived``). ``but`` names functions of the user, whose own exceptions come out, and
    arguments for which any value does the same long work.
    """

    def __init__(
        self,
        target: Callable[..., Any],
        *given: Any,
        on: Callable[[], Any] | None = None,
        may: Iterable[str] = (),
        but: Iterable[str] = (),
        derived: bool = False,
        **named: Any,
    ) -> None:
        self.target, self.given, self.named, self.on, self.derived = (
            target,
            given,
            named,
            on,
            derived,
        )
        self.may, self.but = frozenset(may), frozenset(but)

    @property
    def name(self) -> str:
        return getattr(self.target, "__qualname__", str(self.target))

    def arguments(self) -> list[str]:
        """Names of the arguments to be tried.

        Those that can be given by name, or be where one was given.
        """
        every = list(inspect.signature(self.target).parameters.values())[self.on is not None :]
        return [p.name for p in every if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]

    def make(self, change: Mapping[str, Any] | None = None) -> Any:
        """The call, with some of its arguments changed."""
        names = self.arguments()
        given, named = list(self.given), dict(self.named)
        for name, value in (change or {}).items():
            if names.index(name) < len(given):
                given[names.index(name)] = value
            else:
                named[name] = value
        made = self.target(*([self.on()] if self.on else []), *given, **named)
        return list(made) if inspect.isgenerator(made) else made


def says(problem: FemuError, argument: str, value: Any) -> bool:
    """Whether a message names the argument and the value, or what is wrong in the value, or its
    type."""
    text = str(problem)
    if not text.strip() or "\n" in text.strip():
        return False
    if isinstance(problem, InputError):
        if not (problem.object and problem.argument and problem.rule):
            return False
        # it is wrong together with another one
        blames_another = problem.argument != argument and argument in text
        if blames_another or (
            problem.argument.startswith(argument) and isinstance(value, (list, dict, np.ndarray))
        ):
            return True  # a list is named by what is wrong in it, or by its shape
    words = [" ".join(repr(value).split())[:40], type(value).__name__]
    words += [repr(one) for one in value] if isinstance(value, (list, dict)) else []
    if isinstance(value, (int, float)):
        words += [f"{value:g}", str(float(value)), repr(np.array(float(value)))]
    if isinstance(value, str) and value and not isinstance(problem, InputError):
        words.append(value)
    named = argument in text or not isinstance(problem, InputError)  # "there is no node 9"
    return named and any(word in text for word in words)


def holds_nan(made: Any, depth: int = 3) -> bool:
    """Whether something has a NaN in it, as far as that is found cheaply."""
    if isinstance(made, (float, np.floating)):
        return bool(made != made)
    if isinstance(made, np.ndarray):
        return made.dtype.kind == "f" and bool(np.isnan(made).any())
    if depth == 0 or made is None or isinstance(made, (str, bytes, int, enum.Enum)):
        return False
    if isinstance(made, Mapping):
        return any(holds_nan(v, depth - 1) for v in made.values())
    if isinstance(made, (list, tuple)):
        return any(holds_nan(v, depth - 1) for v in made[:1000])
    if dataclasses.is_dataclass(made) and not isinstance(made, (type, Component)):
        return any(
            holds_nan(getattr(made, f.name, None), depth - 1) for f in dataclasses.fields(made)
        )
    return isinstance(made, State) and holds_nan(made.vector)


class Hung(BaseException):
    """A call was not done in time.

    No code under test takes it for an error of its own, such as one of a socket.
    """


@contextlib.contextmanager
def patience(seconds: float = PATIENCE) -> Iterator[None]:
    """Ends what hangs."""

    def over(*_: Any) -> None:
        raise Hung(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def tried(call: Call, argument: str, kind: str) -> tuple[bool, str]:
    """Whether a bad value was refused, and what is wrong with how it was taken, if anything is."""
    value = BAD[kind]
    try:
        with patience():
            made = call.make({argument: value})
    except FemuError as problem:
        right = says(problem, argument, value) or call.derived
        return True, "" if right else f"says only {str(problem)!r}"
    except (Exception, Hung) as problem:
        return False, f"{type(problem).__name__}: {problem}"
    if kind in NEVER and argument not in call.may:
        return False, "was accepted"
    return False, "was accepted and gives NaN" if argument not in call.may and holds_nan(
        made
    ) else ""


def sweep(calls: Iterable[Call]) -> Tally:
    """All calls, all arguments, all values."""
    tally = Tally()
    count = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in calls:
            count += 1
            call.make()  # must be accepted
            for argument in set(call.arguments()) - call.but:
                for kind in BAD:
                    refused, wrong = tried(call, argument, kind)
                    tally.inputs += refused and not wrong
                    if wrong:
                        tally.failures.append(
                            f"{call.name}: {argument} = {str(BAD[kind])[:20]!r} {wrong}"
                        )
    tally.lines.append(
        (f"arguments of {count} functions, constructors and methods", f"{tally.inputs} refused")
    )
    return tally
