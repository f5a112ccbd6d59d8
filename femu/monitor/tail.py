"""What a journal has gained since the last look. Reads only, and takes no lock: the writer never waits for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.arguments import typed_class
from femu.errors import FileError
from femu.experimental.journal import finished_rows, read_ending, read_head, rows_of, version
from femu.hdf5_file import opened
from femu.hdf5_unfinished import is_marked

Array = npt.NDArray[np.float64]
AT_ONCE = 1 << 16  # rows read in one look; a long journal is caught up with in several
_STAMP = -1


@dataclass
class News:
    """New rows of each table of a journal, by its name in the file."""

    about: dict[str, Any] = field(default_factory=dict)
    parameter_names: list[str] = field(default_factory=list)
    rows: dict[str, Array] = field(default_factory=dict)
    restarted: bool = False
    """Whether the journal is another one than at the last look, or lost rows: a test that was begun anew or resumed."""
    behind: bool = False
    """Whether there are more rows than one look takes."""
    ending: str | None = None
    message: str = ""
    problem: str = ""
    """Why the journal cannot be read, although nobody has written it since the last look."""


@typed_class
class JournalTail:
    """Follows a journal while it is written, and over the end and the restart of the test.

    ``tables`` are the names of the tables to follow: ``elements/0/measured``, for example.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._counts: dict[str, int] = {}
        self._stamps: dict[str, float] = {}
        self._head: tuple[dict[str, Any], list[str]] | None = None
        self._failed: tuple[int, ...] = ()

    def look(self) -> News:
        """New rows since the last look. A file that does not exist yet, or is being replaced, has none."""
        if not os.path.exists(self.path):
            return News()
        now = version(self.path)
        try:
            with opened(self.path, "a journal") as file:
                return self._read(file)
        except PermissionError as problem:
            raise FileError(self.path, f"cannot be read: {problem}") from problem
        except FileError as problem:
            if problem.__cause__ is None and not is_marked(self.path):  # it can be read, and is something else
                raise
            again, self._failed = now == self._failed, now
            # between two states of the file, which the next look sees whole; or damaged, where nobody writes it
            return News(problem=str(problem) if again else "")

    def _read(self, file: Any) -> News:
        same = self._same(file)
        if self._head is None or not same or not self._counts:  # the head of a test that goes on stays as it is
            self._head = read_head(file, self.path)
        news = News(*self._head, restarted=not same)
        counts, stamps = (dict(self._counts), dict(self._stamps)) if same else ({}, {})
        tables = _tables(file, news.about)
        for name in tables:
            seen = counts.get(name, 0)
            rows = finished_rows(rows_of(file, name, self.path), self.path, seen, seen + AT_ONCE)
            news.behind = news.behind or len(rows) == AT_ONCE
            if len(rows):
                counts[name] = seen + len(rows)
                stamps[name] = float(rows[-1, _STAMP])
            news.rows[name] = rows
        told = read_ending(file, self.path)
        if told is not None:
            news.ending, news.message = told
        self._counts, self._stamps = counts, stamps  # only now: of a look that fails midway no table keeps its rows
        return news

    def _same(self, file: Any) -> bool:
        """Whether the last rows seen are still where they were."""
        for name, count in self._counts.items():
            data: Any = rows_of(file, name, self.path) if name in file else ()
            if len(data) < count or data[count - 1, _STAMP] != self._stamps[name]:
                return False
        return True


def _tables(file: Any, about: dict[str, Any]) -> list[str]:
    """The tables a page can show: of the elements, the parameters and the steps; never the states, which are long."""
    names = [f"elements/{place}/{what}" for place in range(len(about.get("elements", {}))) for what in ("command", "measured")]
    return [n for n in [*names, "committed/record"] if n in file]
