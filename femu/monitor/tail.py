"""What a journal has gained since the last look.

Reads only, and takes no lock: the writer never waits for it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.checkpoints import RECORD, matching_record
from femu.experimental.journal.journal import read_ending, read_head, rows_of, version
from femu.experimental.journal.row_reading import matching
from femu.files.hdf5 import opened
from femu.files.hdf5_recovery import is_marked
from femu.support.arguments import typed_class
from femu.support.errors import FileError

Array = npt.NDArray[np.float64]
AT_ONCE = 1 << 16  # rows read in one look; a long journal is caught up with in several
_STAMP = -1


@dataclass
class News:
    """New rows of each table of a journal, by the table's name in the file."""

    about: dict[str, Any] = field(default_factory=dict)
    parameter_names: list[str] = field(default_factory=list)
    rows: dict[str, Array] = field(default_factory=dict)
    restarted: bool = False
    """Whether the journal is not the one of the last look, or has lost rows.

    A test that was restarted or resumed.
    """
    behind: bool = False
    """Whether there are more rows than one look takes."""
    ending: str | None = None
    message: str = ""
    problem: str = ""
    """Why the journal cannot be read, although it was not written since the last look."""


@typed_class
class JournalTail:
    """Follows a journal while it is written, also when the test ends and restarts.

    ``tables`` are the names of the tables to follow: ``elements/0/measured``, for example.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._counts: dict[str, int] = {}
        self._stamps: dict[str, float] = {}
        self._head: tuple[dict[str, Any], list[str]] | None = None
        self._failed: tuple[int, ...] = ()

    def look(self) -> News:
        """New rows since the last look.

        A file that does not exist yet, or is being replaced, has none.
        """
        if not os.path.exists(self.path):
            return News()
        now = version(self.path)
        try:
            with opened(self.path, "a journal") as file:
                return self._read(file)
        except PermissionError as problem:
            raise FileError(self.path, f"cannot be read: {problem}") from problem
        except FileError as problem:
            # it can be read, and is something else
            if problem.__cause__ is None and not is_marked(self.path):
                raise
            again, self._failed = now == self._failed, now
            # between two states of the file, which the next look sees whole; or damaged, if
            # nobody writes it
            return News(problem=str(problem) if again else "")

    def _read(self, file: Any) -> News:
        same = self._same(file)
        # the header of a test that continues stays as it is
        if self._head is None or not same or not self._counts:
            self._head = read_head(file, self.path)
        news = News(*self._head, restarted=not same)
        counts, stamps = (dict(self._counts), dict(self._stamps)) if same else ({}, {})
        tables = _tables(file, news.about)
        for name in tables:
            seen = counts.get(name, 0)
            rows = _whole(file, name, self.path, seen, seen + AT_ONCE)
            news.behind = news.behind or len(rows) == AT_ONCE
            if len(rows):
                counts[name] = seen + len(rows)
                stamps[name] = float(rows[-1, _STAMP])
            news.rows[name] = rows
        found_ending = read_ending(file, self.path)
        if found_ending is not None:
            news.ending, news.message = found_ending
        # only now: of a look that fails midway no table keeps its rows
        self._counts, self._stamps = counts, stamps
        return news

    def _same(self, file: Any) -> bool:
        """Whether the last rows seen are still where they were."""
        for name, count in self._counts.items():
            data: Any = rows_of(file, name, self.path) if name in file else ()
            if len(data) < count or data[count - 1, _STAMP] != self._stamps[name]:
                return False
        return True


def _whole(file: Any, name: str, path: str, first: int, last: int) -> Array:
    """The rows of a table in a range that are as they were written."""
    return (
        matching_record(file, path, first, last)
        if name == RECORD
        else matching(file, name, path, None, first, last)
    )


def _tables(file: Any, about: dict[str, Any]) -> list[str]:
    """The tables a page can show.

    Of the elements, the parameters and the steps; never the states, which are long.
    """
    names = [
        f"elements/{place}/{what}"
        for place in range(len(about.get("elements", {})))
        for what in ("command", "measured")
    ]
    return [n for n in [*names, RECORD] if n in file]
