"""Errors that occur in a user's script: the user's lines are named, and femu's own omitted.

Commands run scripts by runpy, so what follows runpy in a traceback, outside femu and installed
packages, is the user's.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from types import FrameType, TracebackType

from femu.support.errors import FemuError

INSTALLED = ("site-packages", "dist-packages")
AT_THE_DOOR = (
    "femu.support.arguments",
    "femu.support.keywords",
    "femu.support.users_line",
    "femu.results.progress",
)
"""Modules that check the user's calls and warn: an error there is an error of the call."""


def explained(error: Exception) -> str | None:
    """The error as text, with the line of the script; None if no user's script raised it."""
    if isinstance(error, SyntaxError) and error.filename and _in_script(error.__traceback__):
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    places, inside = _places(error.__traceback__)
    if not places:
        return str(error) if isinstance(error, FemuError) else None
    (file, line), before = places[-1], places[:-1]
    if isinstance(error, FemuError):
        sentence = str(error)
        return sentence if f"line {line}" in sentence else f"{file}, line {line}: {sentence}"
    lines = [f"{file}, line {line}: {type(error).__name__}: {error}".rstrip(": ")]
    lines += [f"  called from {name}, line {number}" for name, number in reversed(before)]
    if inside and not isinstance(error, Warning):
        lines.append(
            f"  femu did not expect this error; python {places[0][0]} shows where in femu it came "
            "up"
        )
    return "\n".join(lines)


def _in_script(trace: TracebackType | None) -> bool:
    return any(frame.f_globals.get("__name__") == "runpy" for frame, _ in traceback.walk_tb(trace))


def _places(trace: TracebackType | None) -> tuple[list[tuple[str, int]], bool]:
    """Files and lines of the user, the innermost last.

    And whether the error occurred in femu, called by the last of them.
    """
    found: list[tuple[str, int]] = []
    reached = inside = False
    for frame, line in traceback.walk_tb(trace):
        name = str(frame.f_globals.get("__name__", ""))
        if name == "runpy":
            reached, found = True, []
        elif reached and _is_users(frame, name):
            found.append((frame.f_code.co_filename, line))
            inside = False
        elif name.partition(".")[0] == "femu" and name not in AT_THE_DOOR:
            inside = True
    return found, inside and bool(found)


def _is_users(frame: FrameType, name: str) -> bool:
    file = frame.f_code.co_filename
    return (
        name.partition(".")[0] != "femu"
        and not file.startswith("<")
        and not any(part in INSTALLED for part in Path(file).parts)
        and not _is_of_python(file)
    )


def _is_of_python(file: str) -> bool:
    return Path(file).is_relative_to(Path(traceback.__file__).parent)
