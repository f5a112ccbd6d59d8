"""Python calls and lists as text, broken where lines get long."""

from __future__ import annotations

import math
from typing import Any

LEAST, MOST = 1e-3, 1e5  # numbers between them are written without a power of ten
LINE = 116  # characters, before the indentation of a function


def literal(value: Any) -> str:
    """A number or string as Python writes it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool) or type(value) is not float:
        return repr(value)
    plain = repr(value)
    if LEAST <= abs(value) < MOST or value == 0.0 or not math.isfinite(value):
        return plain
    short = next(text for text in (f"{value:.{digits}e}" for digits in range(18)) if float(text) == value)
    base, _, power = short.partition("e")
    return f"{base}e{int(power)}"


def call(function: str, *arguments: Any) -> str:
    """A call of openseespy."""
    return "\n".join(_wrapped(f"ops.{function}(", [literal(a) for a in arguments], ")"))


def numbers(head: list[str], content: str, colon: bool = False) -> list[str]:
    """``head content``, as in ``name = [1, 2, 3]``, on as many lines as it takes; a list of heads is unpacked into."""
    start = ", ".join(head) + (" = " if content.startswith("range") else " ")
    if len(start) + len(content) < LINE or content[0] not in "[{":
        return [start + content + (":" if colon else "")]
    return _wrapped(start + content[0], _items(content[1:-1]), content[-1] + (":" if colon else ""))


def _items(text: str) -> list[str]:
    """The items of a list of numbers, of pairs in brackets, or of a dictionary."""
    found, depth, item, quoted = [], 0, "", ""
    for letter in text:
        if quoted:
            quoted = "" if letter == quoted and not item.endswith("\\") else quoted
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
