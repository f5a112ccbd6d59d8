"""What a journal has gained since the last look. Reads only, and takes no lock: the writer never waits for it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.errors import FileError
from femu.experimental.journal import FORMAT, open_journal, read_ending

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


class JournalTail:
    """Follows a journal while it is written, and over the end and the restart of the test.

    ``tables`` are the names of the tables to follow: ``elements/0/measured``, for example.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._counts: dict[str, int] = {}
        self._stamps: dict[str, float] = {}

    def look(self) -> News:
        """New rows since the last look. A file that does not exist yet, or is being replaced, has none."""
        if not os.path.exists(self.path):
            return News()
        try:
            with open_journal(self.path) as file:
                return self._read(file)
        except FileError:
            raise
        except PermissionError as problem:
            raise FileError(self.path, f"cannot be read: {problem}") from problem
        except (OSError, KeyError, ValueError, RuntimeError):
            return News()  # between two states of the file: the next look sees it whole

    def _read(self, file: Any) -> News:
        if file.attrs.get("format") != FORMAT:
            raise FileError(self.path, "is not a femu journal")
        news = News(json.loads(file.attrs["about"]), json.loads(file["parameter_names"][()]))
        tables = _tables(file, news.about)
        if not self._same(file):
            news.restarted = True
            self._counts, self._stamps = {}, {}
        for name in tables:
            rows = self._new(file[name], self._counts.get(name, 0))
            news.behind = news.behind or len(rows) == AT_ONCE
            if len(rows):
                self._counts[name] = self._counts.get(name, 0) + len(rows)
                self._stamps[name] = float(rows[-1, _STAMP])
            news.rows[name] = rows
        told = read_ending(file)
        if told is not None:
            news.ending, news.message = told
        return news

    def _same(self, file: Any) -> bool:
        """Whether the last rows seen are still where they were."""
        return all(name in file and len(file[name]) >= count and file[name][count - 1, _STAMP] == self._stamps[name]
                   for name, count in self._counts.items())

    @staticmethod
    def _new(data: Any, seen: int) -> Array:
        rows = data[seen:seen + AT_ONCE]
        unfinished = np.flatnonzero(np.isnan(rows[:, _STAMP]))
        return np.asarray(rows[:unfinished[0]] if len(unfinished) else rows)


def _tables(file: Any, about: dict[str, Any]) -> list[str]:
    """The tables a page can show: of the elements, the parameters and the steps; never the states, which are long."""
    names = [f"elements/{place}/{what}" for place in range(len(about.get("elements", {}))) for what in ("command", "measured")]
    return [n for n in [*names, "committed/record"] if n in file]
