"""Reading of the arguments of a command by a declared form.

A form is a line such as ::

    "iNode:i jNode:i A E Iz transf:i | -mass mass | -cMass | -release code:i"

Positional arguments come before the first bar, an option with its arguments after each bar.
``name`` is a number, ``name:i`` a whole number, ``name:w`` a word, ``name=5`` has a default, and
``*name`` takes all that follow up to the next option. The same line is what the documentation
prints.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from femu.opensees.front_end.errors import CommandError, OpenSeesError, UnsupportedCommand, located
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

NUMBER, WHOLE, WORD = "", "i", "w"
LARGEST_WHOLE = 2**31 - 1  # what an int of OpenSees holds
DEEPEST = 32  # lists in lists
_WORDS = {NUMBER: "a number", WHOLE: "a whole number", WORD: "a word"}
_MISSING = object()
_PLAIN = {str, int, float}


@dataclass(frozen=True)
class Field:
    """One argument: its name, its kind, its default, and whether it takes all that follow."""

    name: str
    kind: str = NUMBER
    default: Any = _MISSING
    many: bool = False

    @classmethod
    def of(cls, text: str) -> Field:
        """From its place in a form."""
        many = text.startswith("*")
        text = text.lstrip("*")
        text, _, default = text.partition("=")
        name, _, kind = text.partition(":")
        if not default:
            return cls(name, kind, () if many else _MISSING, many)
        if default == "None":
            return cls(name, kind, None, many)
        return cls(
            name,
            kind,
            default if kind == WORD else int(default) if kind == WHOLE else float(default),
            many,
        )

    def __str__(self) -> str:
        if self.many:
            return f"*{self.name}"
        return self.name if self.default is _MISSING else f"<{self.name}>"


@dataclass(frozen=True)
class Form:
    """The arguments of a command, or of one kind of a command."""

    positional: tuple[Field, ...]
    options: dict[str, tuple[Field, ...]] = field(default_factory=dict)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the options."""
        return frozenset(self.options)

    @cached_property
    def keys(self) -> list[tuple[str, bool | None]]:
        """The name under which each option is found, and its value if it is not given.

        True is an empty list.
        """
        return [
            (
                _key(option),
                False if not fields else True if len(fields) == 1 and fields[0].many else None,
            )
            for option, fields in self.options.items()
        ]

    @classmethod
    def of(cls, text: str) -> Form:
        """From its line; see the module."""
        return _form(text)

    def __str__(self) -> str:
        parts = [str(f) for f in self.positional]
        parts += [
            "<" + " ".join([option, *(str(f) for f in fields)]) + ">"
            for option, fields in self.options.items()
        ]
        return " ".join(parts)


@cache
def _form(text: str) -> Form:
    head, *tail = text.split("|")
    options = {}
    for part in tail:
        option, *fields = part.split()
        options[option] = tuple(Field.of(f) for f in fields)
    return Form(tuple(Field.of(f) for f in head.split()), options)


def flat(arguments: Any, depth: int = 0) -> Iterator[Any]:
    """Arguments with lists, tuples and arrays opened, as openseespy takes them; numbers of numpy
    become plain ones.

    A list too deep to be one of numbers is left as it is, for the reader to refuse.
    """
    for a in arguments:
        if isinstance(a, (str, int, float)):
            yield a
        elif isinstance(a, (np.generic, np.ndarray)):
            yield from np.asarray(a).ravel().tolist()
        elif isinstance(a, (list, tuple, range)) and depth < DEEPEST:
            yield from flat(a, depth + 1)
        else:
            yield a


class Reader:
    """Arguments of one call, read from the left."""

    def __init__(self, command: str, arguments: Any) -> None:
        self.command = command
        plain = all(type(a) in _PLAIN for a in arguments)
        # OpenSees takes blanks off the ends of words
        self.items: list[Any] = [
            a.strip() if type(a) is str else a for a in (arguments if plain else flat(arguments))
        ]
        self.at = 0

    # --- errors ---

    def error(self, words: str) -> OpenSeesError:
        """Wrong use of the command."""
        return located(CommandError, self.command, words)

    def wrong(self, name: str, value: Any, rule: str) -> OpenSeesError:
        """An argument that breaks a rule."""
        return self.error(f"{name} = {shown(value)} {rule}.")

    def unsupported(self, words: str) -> OpenSeesError:
        """Something of OpenSees that femu does not offer."""
        return located(UnsupportedCommand, self.command, words)

    # --- reading ---

    @property
    def left(self) -> int:
        """Number of arguments not read yet."""
        return len(self.items) - self.at

    def peek(self) -> Any:
        """The next argument, or None."""
        return self.items[self.at] if self.left else None

    def numbers_ahead(self) -> int:
        """How many numbers follow before the next word."""
        count = 0
        for item in self.items[self.at :]:
            if isinstance(item, str):
                break
            count += 1
        return count

    def take(self, name: str, kind: str = NUMBER, default: Any = _MISSING) -> Any:
        """The next argument."""
        value: Any = self.items[self.at] if self.at < len(self.items) else None
        given = type(value)
        if (
            (given is float and kind == NUMBER and -math.inf < value < math.inf)
            or (given is str and kind == WORD)
            or (
                # as given, like most
                given is int and kind == WHOLE and -LARGEST_WHOLE <= value <= LARGEST_WHOLE
            )
        ):
            self.at += 1
            return value
        if not self.left or (default is not _MISSING and kind != WORD and is_word(self.peek())):
            if default is not _MISSING:
                return default
            after = f" after {shown(self.items[-1])}" if self.items and not self.left else ""
            raise self.error(f"argument {name} ({_WORDS[kind]}) is missing{after}.")
        self.at += 1
        return self.checked(name, kind, value)

    def checked(self, name: str, kind: str, value: Any) -> Any:
        """A value of the kind wanted."""
        wanted = _WORDS[kind]
        if kind == WORD:
            if not isinstance(value, str):
                raise self.wrong(name, value, "must be a word")
            return value
        if isinstance(value, str):
            if not looks_like_number(value):
                if value.startswith("-"):
                    raise self.error(
                        f"argument {name} ({wanted}) is missing before option {shown(value)}."
                    )
                raise self.wrong(name, value, f"must be {wanted}")
            value = float(value)
        if not isinstance(value, (int, float)):
            raise self.wrong(name, value, f"must be {wanted}")
        if not -sys.float_info.max <= value <= sys.float_info.max:
            raise self.wrong(name, value, f"must be {wanted}, and finite")
        if kind == NUMBER:
            return float(value)
        if int(value) != value:
            raise self.wrong(name, value, "must be a whole number")
        if abs(value) > LARGEST_WHOLE:
            raise self.wrong(
                name,
                value,
                f"must lie between -{LARGEST_WHOLE} and {LARGEST_WHOLE}, as a whole number of "
                "OpenSees",
            )
        return int(value)

    def rest(self, name: str, kind: str, words: frozenset[str] | set[str]) -> list[Any]:
        """All arguments up to the next of the given option words."""
        found = []
        while self.at < len(self.items):
            item = self.items[self.at]
            if isinstance(item, str) and (
                item in words or (kind != WORD and not looks_like_number(item))
            ):
                break
            found.append(self.take(name, kind))
        return found

    def read(self, form: str | Form, unsupported: tuple[str, ...] = ()) -> dict[str, Any]:
        """Everything that is left, by a form: values of the positional fields by name, options by
        name.

        An option without fields gives True or False, one with a single field its value or None, one
        with several a tuple or None. ``unsupported`` are options that OpenSees knows and femu does
        not.
        """
        if isinstance(form, str):
            form = Form.of(form)
        words = form.words.union(unsupported)
        found: dict[str, Any] = {}
        for f in form.positional:
            found[f.name] = (
                self.rest(f.name, f.kind, words) if f.many else self.take(f.name, f.kind, f.default)
            )
        for key, many in form.keys:
            found[key] = [] if many else many
        while self.at < len(self.items):
            option = self.items[self.at]
            if not isinstance(option, str) or option not in form.options:
                self._skip(option, form, words, unsupported)
                continue
            self.at += 1
            found[_key(option)] = self._option(option, form.options[option], words)
        return found

    def _option(self, option: str, fields: tuple[Field, ...], words: frozenset[str]) -> Any:
        """What follows an option: True, its value, or a tuple of several."""
        needed = len(fields) == 1 and not fields[0].many and fields[0].default is _MISSING
        if needed and not self.left:
            self._doubt(f"option {shown(option)} is the last word, and its value is missing")
            return None
        values = [
            self.rest(f.name, f.kind, words)
            if f.many
            else self.take(f"{option} {f.name}", f.kind, f.default)
            for f in fields
        ]
        return True if not fields else values[0] if len(values) == 1 else tuple(values)

    def _skip(
        self, option: Any, form: Form, words: frozenset[str], unsupported: tuple[str, ...]
    ) -> None:
        """Leave out what neither program knows: OpenSees reads over it."""
        if isinstance(option, str) and option in unsupported:
            known = ", ".join(form.options) or "none"
            raise self.unsupported(f"option {option!r} is not supported. Options: {known}.")
        skipped = []
        while self.left and not (isinstance(self.peek(), str) and self.peek() in words):
            item = self.items[self.at]
            if not is_word(item):
                self.checked(f"argument {self.at + 1}", NUMBER, item)
            skipped.append(item)
            self.at += 1
        self._doubt(f"{shown(tuple(skipped))} is not among its arguments ({form})")

    def _doubt(self, what: str) -> None:
        """Warn of arguments that have no effect."""
        warn(f"{self.command}: {what}: it has no effect, as in OpenSees.", ModelWarning)


def _key(option: str) -> str:
    return option.lstrip("-")


def is_word(item: Any) -> bool:
    """Whether an argument is a text that is no number."""
    return isinstance(item, str) and not looks_like_number(item)


def looks_like_number(text: str) -> bool:
    """Whether a text is a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True
