"""Files that commands write: errors name the file."""

from __future__ import annotations

from pathlib import Path

from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.errors import cause
from femu.support.errors import FileError, shown


def write_text(reader: Reader, name: str, text: str) -> None:
    """Write a whole file."""
    try:
        Path(checked_name(reader, "-file", name)).write_text(text)
    except (OSError, ValueError) as problem:
        raise refused(name, problem) from None


def checked_name(reader: Reader, option: str, name: str) -> str:
    """A name that is not empty."""
    if not name:
        raise reader.wrong(option, name, "must be the name of a file")
    return name


def refused(name: str | Path, problem: Exception) -> FileError:
    """The error of a file that cannot be written."""
    return FileError(shown(str(name)), f"cannot be written: {cause(problem)}")
