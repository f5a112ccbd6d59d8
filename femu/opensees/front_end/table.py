"""Tables: the commands of the front end, and the kinds that commands such as uniaxialMaterial take.

Everything that a script may call is in `COMMANDS`, everything after the first word of
`element`, `section` and so on in a `Kinds` of its own. The functions are made from these tables,
and the documentation too.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from femu.opensees.front_end.arguments import Form, Reader
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.errors import (
    CommandError,
    OpenSeesError,
    UnsupportedCommand,
    located,
    shown,
)
from femu.support.errors import FemuError, ModelWarning
from femu.support.users_line import warn

Function = Callable[..., Any]


@dataclass(frozen=True)
class Command:
    """A command: what a script calls."""

    name: str
    group: str
    form: str
    summary: str
    function: Function
    # of the bare arguments; `SLOW` if the function must look at them
    quick: Function | None = None


SLOW = object()
"""Answer of a quick function that leaves a call to the function that checks its arguments."""

COMMANDS: dict[str, Command] = {}
CHANGING = ("model", "elements", "loads")
CHANGING_TOO = ("eigen",)
"""Groups of commands, and commands, after which the rows of earlier steps could no longer be
computed from the model."""


def command(
    name: str, group: str, form: str, summary: str, quick: Function | None = None
) -> Callable[[Function], Function]:
    """Decorator: put a function of (reader) into the table.

    ``form`` is what the documentation prints; the function reads its arguments itself, with the
    same line if one line is enough. ``quick`` answers calls of the plainest form, because
    scripts make them at every step.
    """

    def register(function: Function) -> Function:
        COMMANDS[name] = Command(name, group, form, summary, function, quick)
        return function

    return register


def callable_of(entry: Command) -> Function:
    """The function a script calls."""
    function, name = entry.function, entry.name
    changes = entry.group in CHANGING or name in CHANGING_TOO

    def run(*arguments: Any, **named: Any) -> Any:
        if named:
            raise located(
                CommandError, name, f"takes no named arguments, but was given {', '.join(named)}."
            )
        if arguments and not entry.form:
            warn(
                f"{name} takes no arguments: {shown(arguments)} has no effect, as in OpenSees.",
                ModelWarning,
            )
            arguments = ()
        try:
            if not changes or domain.session is None:
                return function(Reader(name, arguments))
            with domain.recorded_first():
                return function(Reader(name, arguments))
        except OpenSeesError:
            raise
        except FemuError as problem:
            raise _as_opensees_error(name, arguments, problem) from problem

    quick, made = entry.quick, run
    if quick is not None:

        def made(*arguments: Any, **named: Any) -> Any:
            try:
                answer = SLOW if named else quick(arguments)
            except OpenSeesError:
                raise
            except FemuError as problem:
                raise _as_opensees_error(name, arguments, problem) from problem
            return run(*arguments, **named) if answer is SLOW else answer

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{entry.summary}\n\nArguments: {entry.form}"
    return made


def _as_opensees_error(name: str, arguments: tuple[Any, ...], problem: FemuError) -> OpenSeesError:
    """An error of femu as one of the command that a script called."""
    return located(CommandError, f"{name}({shown(arguments)})", str(problem))


@dataclass(frozen=True)
class Kind:
    """One kind of a command, for example Steel01 of uniaxialMaterial."""

    name: str
    form: str
    into: str
    make: Function


class Kinds:
    """The kinds of one command."""

    def __init__(self, command: str, noun: str) -> None:
        self.command, self.noun = command, noun
        self.known: dict[str, Kind] = {}
        self.refused: dict[str, str] = {}

    def kind(self, *names: str, form: str, into: str) -> Callable[[Function], Function]:
        """Decorator: a kind under one or more names, its arguments, and what femu makes of it."""

        def register(function: Function) -> Function:
            for name in names:
                self.known[name] = Kind(name, form, into, function)
            return function

        return register

    def refuse(self, reason: str, *names: str) -> None:
        """Kinds of OpenSees that femu does not offer, and why."""
        self.refused.update(dict.fromkeys(names, reason))

    def find(self, reader: Reader) -> Kind:
        """The kind named by the next argument."""
        name = reader.take(self.noun, "w")
        if name in self.known:
            return self.known[name]
        if name in self.refused:
            raise located(
                UnsupportedCommand,
                f"{self.command}({name!r})",
                f"is not supported: {self.refused[name]}. Supported: {', '.join(self.known)}.",
            )
        close = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        hint = (
            f"Did you mean {', '.join(close)}?" if close else f"Supported: {', '.join(self.known)}."
        )
        raise located(
            UnsupportedCommand,
            f"{self.command}({shown((name,))})",
            f"there is no such {self.noun} in femu. {hint}",
        )

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.known.values())


def described(form: str) -> str:
    """A form as the documentation prints it."""
    return str(Form.of(form))


__all__ = ["COMMANDS", "SLOW", "Command", "Kind", "Kinds", "callable_of", "command", "described"]
