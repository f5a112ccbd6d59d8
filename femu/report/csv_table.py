"""Results and journals as tables of text (CSV), for programs that cannot read HDF5."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from femu.files.hdf5 import opened, text
from femu.support.errors import FileError
from femu.support.printable import file_part, one_line

Array = npt.NDArray[np.float64]


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Array]) -> None:
    """Write columns of one length under their names; numbers are read back exactly."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(map(one_line, columns))
            np.savetxt(file, np.stack(list(columns.values()), axis=1), fmt="%.17g", delimiter=",")
    except OSError as problem:
        raise FileError(path, f"cannot be written: {problem.strerror or problem}") from problem


def parts_of(names: list[str]) -> list[str]:
    """The parts of file names by which tables are told apart: names, as far as files may have them,
    and numbers where that leaves two alike."""
    parts = [file_part(name) for name in names]
    alike = {part for part in parts if sum(part.lower() == p.lower() for p in parts) > 1}
    return [f"{part}-{k}" if part in alike or not part else part for k, part in enumerate(parts, 1)]


def tables_of(path: str | os.PathLike[str]) -> dict[str, dict[str, Array]]:
    """The columns of a result (under the name ""), or those of each specimen of a journal under its
    name."""
    from femu.experimental.journal.reader import FORMAT as JOURNAL
    from femu.report.write import load_result
    from femu.results.result import FORMAT as RESULT

    with opened(path, "HDF5") as file:
        kind = text(file, "format", path, "")
    if kind == RESULT:
        result = load_result(Path(path))[0]
        return {"": {"time": result.time, **result.columns()}}
    if kind == JOURNAL:
        return _of_journal(path)
    raise FileError(
        path, f"is not a result or journal of femu (its format is {kind or 'not given'!r})"
    )


def _of_journal(path: str | os.PathLike[str]) -> dict[str, dict[str, Array]]:
    """A row for each measurement, with the command it answers."""
    from femu.experimental import read_journal
    from femu.experimental.channels import named, names_in

    record = read_journal(path)
    found: dict[str, dict[str, Array]] = {}
    for name in record.names:
        rows = record.measured[name]
        commands, (displacements, forces) = (
            record.commands(name)[: len(rows)],
            record.measurements(name),
        )
        table = {"step": rows[:, 0], "time": rows[:, 1]}
        for quantity, values in (
            ("command", commands),
            ("displacement", displacements),
            ("force", forces),
        ):
            names = names_in(record.about, name, values.shape[1])
            table.update({named(quantity, n): values[:, k] for k, n in enumerate(names)})
        found[name] = {**table, "clock": rows[:, -1]}
    return found
