"""Which report belongs to a file or an object."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import h5py

from femu.files.hdf5 import item, opened, text
from femu.plots.style import AS_MODEL, Units
from femu.report.page import Page
from femu.results.result import FORMAT as RESULT
from femu.results.result import Result
from femu.support.arguments import typed
from femu.support.environment import environment
from femu.support.errors import FileError, InputError


@typed
def write(
    source: Any,
    path: str | PathLike[str] | None = None,
    *,
    units: Units = AS_MODEL,
    updating: Any = None,
) -> Path:
    """Write the report of a result, journal or batch, or of the file of one; returns where.

    ``path`` is the name of the HDF5 file with the ending .html by default. ``updating``
    is the history of an updater, or its file; a history in the file of the result is found
    automatically.
    """
    _check(source, units, updating)
    if path is None:
        if not isinstance(source, (str, PathLike)):
            raise InputError(
                "report.write", "path", path, "must be given if the source is not a file"
            )
        path = Path(source).with_suffix(".html")
    page_of(source, units=units, updating=updating).write(path)
    return Path(path)


@typed
def page_of(source: Any, *, units: Units = AS_MODEL, updating: Any = None) -> Page:
    """The page of a result, journal or batch, or of the file of one."""
    from femu.batch.result import BatchResult
    from femu.experimental.journal.journal import Record

    _check(source, units, updating)
    if isinstance(updating, (str, PathLike)):
        from femu.updating.history import UpdatingHistory

        updating = UpdatingHistory.load(updating)
    if isinstance(source, (str, PathLike)):
        return _page_of_file(Path(source), units, updating)
    if isinstance(source, Result):
        from femu.report.of_result import report_of_result

        return report_of_result(source, units, environment(), updating)
    if isinstance(source, Record):
        from femu.report.of_test import report_of_journal

        return report_of_journal(source, units)
    if isinstance(source, BatchResult):
        from femu.report.of_batch import report_of_batch

        return report_of_batch(source)
    raise InputError(
        "report", "source", source, "must be a result, a journal, a batch, or the file of one"
    )


def _check(source: Any, units: Units, updating: Any) -> None:
    """Refuse at once what has no report."""
    from femu.updating.history import UpdatingHistory

    if isinstance(source, str) and (not source or "\0" in source):
        raise InputError("report", "source", source, "must be a path that is not empty")
    if updating is not None and not isinstance(updating, (str, PathLike, UpdatingHistory)):
        raise InputError(
            "report", "updating", updating, "must be the history of an updater, or its file"
        )
    if isinstance(updating, str) and "\0" in updating:
        raise InputError("report", "updating", updating, "must be a path")


def file_kind(path: Path) -> str:
    """What an HDF5 file of femu contains, by its format.

    "femu result 1", "femu journal 1" and so on.
    """
    with opened(path, "HDF5") as file:
        return str(text(file, "format", path, ""))


def load_result(path: Path) -> tuple[Result, dict[str, str], Any]:
    """A result, what it was computed with, and the updater's history if the file has one."""
    from femu.experimental.hybrid_result import HybridResult
    from femu.updating.history import FORMAT as UPDATING
    from femu.updating.history import UpdatingHistory

    with opened(path, "a femu result") as file:
        about, meta = (
            json.loads(text(file, "environment", path, "{}")),
            json.loads(text(file, "meta", path)),
        )
        if not isinstance(about, dict) or not isinstance(meta, dict):
            raise FileError(path, "does not say with what, or how, it was computed")
        history = None
        for name in file:
            group = item(file, name, path)
            if isinstance(group, h5py.Group) and text(group, "format", path, "") == UPDATING:
                history = UpdatingHistory.get(group, path)
    cls = HybridResult if meta.get("kind") == "hybrid" else Result
    return cls.load(path), {str(k): str(v) for k, v in about.items()}, history


def _page_of_file(path: Path, units: Units, updating: Any) -> Page:
    from femu.batch.results_file import FORMAT as BATCH
    from femu.experimental.journal.journal import FORMAT as JOURNAL

    if not path.exists():
        raise FileError(path, "does not exist")
    kind = file_kind(path)
    if kind == RESULT:
        from femu.report.of_result import report_of_result

        result, about, history = load_result(path)
        return report_of_result(
            result, units, about, updating if updating is not None else history, path.name
        )
    if kind == JOURNAL:
        from femu.experimental.journal.journal import read_journal
        from femu.report.of_test import report_of_journal

        return report_of_journal(read_journal(path), units)
    if kind == BATCH:
        from femu.batch.result import BatchResult
        from femu.report.of_batch import report_of_batch

        return report_of_batch(BatchResult.load(path))
    raise FileError(
        path, f"is not a result, journal or batch of femu (its format is {kind or 'not given'!r})"
    )
