"""Findings: what a check has to say, in sentences."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from femu.support.errors import FileError


class CheckWarning(UserWarning):
    """A finding on a model or an analysis that is about to run."""


@dataclass(frozen=True)
class Finding:
    """One thing to look at.

    "error", "warning" or "note", a sentence, and the names of what it is about.
    """

    severity: str
    message: str
    objects: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.severity}: {self.message}"

    def as_data(self) -> list[Any]:
        """As plain data for a file."""
        return [
            self.severity,
            self.message,
            [o if isinstance(o, (int, str)) else str(o) for o in self.objects],
        ]


def as_error(message: str, *objects: Any) -> Finding:
    return Finding("error", message, objects)


def as_warning(message: str, *objects: Any) -> Finding:
    return Finding("warning", message, objects)


def as_note(message: str, *objects: Any) -> Finding:
    return Finding("note", message, objects)


class Findings(list[Finding]):
    """A list of findings that prints one line each, the worst first."""

    @classmethod
    def from_data(cls, data: Any, path: str | os.PathLike[str]) -> Findings:
        """Findings from the plain data of a file; raises a `FileError` if they are none."""
        rows: list[Any] = data if isinstance(data, list) else [None]
        if not all(
            isinstance(row, list) and [type(x) for x in row] == [str, str, list] for row in rows
        ):
            raise FileError(path, "findings must be lists of a severity, a message and names")
        return cls(
            Finding(severity, message, tuple(objects)) for severity, message, objects in rows
        )

    def __repr__(self) -> str:
        return "\n".join(repr(finding) for finding in self) or "no findings"
