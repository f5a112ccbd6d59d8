"""Errors of the OpenSees front end.

Each names the command, the argument or option, and the line of the script.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from femu.support.errors import FemuError, UnsupportedError
from femu.support.errors import shown as shown_value

_MOST_SHOWN = 60  # arguments: more characters are not shown anyway
_MOST_OF_A_CAUSE = 200  # characters
# as code objects name their files: links are not followed
_OWN = (Path(__file__).parent, Path(__file__).parents[1])


class OpenSeesError(FemuError, RuntimeError):
    """A command that was not carried out. openseespy raises an exception of the same name."""


class CommandError(OpenSeesError, ValueError):
    """Wrong use of a command.

    An argument missing or of the wrong kind, an unknown tag or option.
    """


class UnsupportedCommand(OpenSeesError, UnsupportedError):
    """A command, kind or option of OpenSees that femu does not offer."""


class UnknownCommand(UnsupportedCommand, AttributeError):
    """A command that neither OpenSees nor femu has."""


def calling_line() -> str:
    """File and line of the script that called the front end, for messages."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if (
            Path(name).parent not in _OWN
            and name != contextlib.__file__
            and not name.startswith("<frozen")
        ):
            return f"{Path(name).name}, line {frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return "unknown line"


def located(kind: type[OpenSeesError], command: str, words: str) -> OpenSeesError:
    """An error with the line at which it happened."""
    return kind(f"{calling_line()}: {command}: {words}")


def cause(problem: Exception) -> str:
    """The system's reason why a file could not be opened.

    Without its name, which the message already has.
    """
    words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return " ".join(words.split())[:_MOST_OF_A_CAUSE].rstrip(".")


def shown(arguments: tuple[Any, ...]) -> str:
    """Arguments as they are in a script, shortened."""
    text = ", ".join(shown_value(a) for a in arguments[:_MOST_SHOWN])
    return text if len(text) <= 60 else text[:57] + "..."
