"""Python calls and lists as text, broken if lines get long.

Everything in a model, such as names from another author's file, is written as a literal: no text
can end its string or its line.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

from femu.support.errors import InputError

LEAST, MOST = 1e-3, 1e5  # numbers between them are written without a power of ten
LINE = 116  # characters, before the indentation of a function


def literal(value: Any) -> str:
    """A number, a string or a tag as Python writes it; anything else is refused."""
    if isinstance(value, str):
        return f'"{escaped(value)}"'
    if isinstance(value, Named):
        return value.text
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, Integral):
        return repr(int(value))
    if not isinstance(value, Real):
        raise InputError("script", "argument", value, "must be a number or a text")
    number = float(value)
    if not math.isfinite(number):
        return f'float("{number!r}")'
    if LEAST <= abs(number) < MOST or number == 0.0:
        return repr(number)
    short = next(
        text for text in (f"{number:.{digits}e}" for digits in range(18)) if float(text) == number
    )
    base, _, power = short.partition("e")
    return f"{base}e{int(power)}"


class Named(int):
    """A whole number that is written by an expression of the script, such as the name of a
    variable."""

    text: str

    def __new__(cls, value: int, text: str) -> Named:
        made = super().__new__(cls, value)
        made.text = text
        return made

    def __repr__(self) -> str:
        return self.text


def escaped(text: str) -> str:
    """The inside of a string in double quotes, single or triple.

    What cannot be printed becomes an escape.
    """
    return "".join(
        f"\\{letter}"
        if letter in '\\"'
        else letter
        if letter.isprintable()
        else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def docstring(*lines: str) -> str:
    """A docstring of these lines."""
    return '"""' + "\n".join(map(escaped, lines)) + '"""'


def key(name: int | str) -> str:
    """The name of a node or element, as the key of a dictionary."""
    return str.__repr__(name) if isinstance(name, str) else int.__repr__(name)


def variable(text: str, taken: Collection[str] = ()) -> str:
    """A name for a variable or function that resembles a text and is not taken.

    It has plain letters only.
    """
    word = re.sub(r"[^0-9A-Za-z]+", "_", text)
    if not word or word[0].isdigit() or keyword.iskeyword(word):
        word = f"_{word}"
    made, number = word, 1
    while made in taken:
        number += 1
        made = f"{word}_{number}"
    return made


def call(function: str, *arguments: Any) -> str:
    """A call of openseespy."""
    return "\n".join(_wrapped(f"ops.{function}(", [literal(a) for a in arguments], ")"))


def numbers(head: list[str], content: str, colon: bool = False) -> list[str]:
    """``head content``, as in ``name = [1, 2, 3]``, on as many lines as it takes.

    A list of heads is unpacked into.
    """
    start = ", ".join(head) + (" = " if content.startswith("range") else " ")
    if len(start) + len(content) < LINE or content[0] not in "[{":
        return [start + content + (":" if colon else "")]
    return _wrapped(start + content[0], _items(content[1:-1]), content[-1] + (":" if colon else ""))


def _items(text: str) -> list[str]:
    """The items of a list of numbers, of pairs in brackets, or of a dictionary."""
    found, depth, item, quoted, taken = [], 0, "", "", False
    for letter in text:
        if quoted:
            closes = letter == quoted and not taken
            taken = letter == "\\" and not taken  # it takes the next letter with it
            quoted = "" if closes else quoted
        elif letter in "'\"":
            quoted = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if letter == "," and depth == 0 and not quoted:
            found.append(item.strip())
            item = ""
        else:
            item += letter
    return [*found, item.strip()] if item.strip() else found


def _wrapped(start: str, items: list[str], end: str) -> list[str]:
    whole = start + ", ".join(items) + end
    if len(whole) <= LINE:
        return [whole]
    lines, line = [start.rstrip()], ""
    for item in items:
        if line and len(line) + len(item) + 2 > LINE - 4:
            lines.append(f"    {line}")
            line = ""
        line += (" " if line else "") + item + ","
    return [*lines, f"    {line}", end]
