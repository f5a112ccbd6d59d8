"""What a batch found, read from its file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.batch.outcome import RunOutcome
from femu.batch.results_file import (
    CHECKSUM,
    COLUMNS,
    COUNTS,
    FORMAT,
    ROW,
    STOREY_COLUMNS,
    damaged_rows,
    must_be_as_made,
)
from femu.files.hdf5 import attributes, numbers, opened, table, text
from femu.support.arguments import typed_methods
from femu.support.errors import FileError, InputError, UnsupportedError
from femu.support.hooks import card

Array = npt.NDArray[Any]


@typed_methods
@dataclass(frozen=True, eq=False)
class BatchResult:
    """One row per run. ``columns`` are the variables of the file over runs.

    See `femu.batch.results_file`.
    """

    path: Path
    model: str
    levels: list[str]
    heights: npt.NDArray[np.float64]
    record_names: list[str]
    parameter_names: list[str]
    parameter_values: npt.NDArray[np.float64]
    columns: dict[str, Array]
    messages: list[str]
    attributes: dict[str, Any] = field(repr=False)
    stopped: bool = False
    """Whether the user stopped the batch that made it."""

    @classmethod
    def load(cls, path: str | PathLike[str], stopped: bool = False) -> BatchResult:
        """Read the file of a batch, also of one that is still running or was killed."""
        place = Path(path)
        with opened(place, "the file of a femu batch") as file:
            if text(file, "format", place, "") != FORMAT:
                raise FileError(place, "is not the file of a femu batch")
            must_be_as_made(file, place)
            names = [name for name in ROW if name != "message"]
            if CHECKSUM in file:
                names.append(CHECKSUM)
            messages = np.array(table(file, "message", place, 1, "S"))
            about, levels = attributes(file, place), json.loads(text(file, "levels", place))
            if not isinstance(levels, list) or not isinstance(
                json.loads(text(file, "settings", place)), dict
            ):
                raise FileError(place, "does not contain its levels or its settings")
            found = cls(
                place,
                text(file, "model", place),
                levels,
                numbers(file, "heights", place, 1),
                _texts(file, "record_name", place),
                [n for n in _texts(file, "parameter_name", place) if n],
                np.array(table(file, "parameter_value", place, 2, "f")),
                {
                    name: np.array(
                        table(file, name, place, 2 if name in STOREY_COLUMNS else 1, "fiu")
                    )
                    for name in names
                },
                [bytes(content).decode("utf-8", "ignore") for content in messages],
                about,
                stopped,
            )
        found._check()
        if CHECKSUM in found.columns:
            found._leave_out_damaged(messages)
        return found

    def _leave_out_damaged(self, messages: Array) -> None:
        """Refuse a run that is not as it was written; of one that was not done nothing is known."""
        damaged = damaged_rows({**self.columns, "message": messages})
        del self.columns[CHECKSUM]
        done = self.columns["outcome"][damaged] != RunOutcome.PENDING
        if done.any():
            raise FileError(
                self.path,
                f"is damaged: {int(done.sum())} runs are not as they were written, the first is "
                f"run {damaged[done][0]}. Resume the batch: it does them again",
            )
        for name in ("scale", *COLUMNS, *STOREY_COLUMNS):  # of a batch that was killed meanwhile
            self.columns[name][damaged] = np.nan
        for name in COUNTS:
            self.columns[name][damaged] = 0

    def _check(self) -> None:
        """Refuse a table that does not fit the others."""
        runs, sets = len(self), len(self.parameter_values)
        wrong = [name for name, column in self.columns.items() if len(column) != runs]
        for name, count in (
            ("run_record", len(self.record_names)),
            ("run_parameter_set", sets),
            ("outcome", len(RunOutcome)),
        ):
            column = self.columns[name]
            if column.dtype.kind != "i" or (
                runs and not (column.min() >= 0 and column.max() < count)
            ):
                wrong.append(name)
        if len(self.messages) != runs:
            wrong.append("message")
        if len(self.parameter_names) > self.parameter_values.shape[1]:
            wrong.append("parameter_name")
        if wrong:
            raise FileError(
                self.path,
                f"contradicts itself: {', '.join(wrong)} does not fit {runs} runs, "
                f"{len(self.record_names)} records and {sets} sets of parameters",
            )

    def __len__(self) -> int:
        return len(self.columns["outcome"])

    def __getitem__(self, name: str) -> Array:
        """A column by name."""
        if name not in self.columns:
            raise InputError(
                "BatchResult", "column", name, f"must be one of {', '.join(self.columns)}"
            )
        return self.columns[name]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings other than model and records."""
        return dict(json.loads(self.attributes["settings"]))

    @property
    def environment(self) -> dict[str, str]:
        """Versions that the batch was begun with, and the date of the last run.

        For files of earlier versions, only the date.
        """
        stored = dict(json.loads(self.attributes.get("environment", "{}")))
        ended = datetime.fromtimestamp(self.path.stat().st_mtime, tz=timezone.utc)
        return {**stored, "date": f"{ended:%Y-%m-%d %H:%M} UTC"}

    @property
    def outcomes(self) -> list[RunOutcome]:
        """How each run ended."""
        return [RunOutcome(int(code)) for code in self.columns["outcome"]]

    @property
    def largest_drift(self) -> npt.NDArray[np.float64]:
        """Largest storey drift ratio of each run; NaN if a run has none."""
        return np.asarray(self.columns["peak_drift"].max(axis=1), dtype=np.float64)

    def counts(self) -> dict[RunOutcome, int]:
        """Number of runs by outcome."""
        found = self.outcomes
        return {outcome: found.count(outcome) for outcome in RunOutcome if outcome in found}

    def failures(self) -> list[str]:
        """One sentence for each failed run.

        In an incremental dynamic analysis a run that does not converge is a collapse.
        """
        collapsed = (RunOutcome.NOT_CONVERGED,) if self.settings.get("kind") == "ida" else ()
        return [
            f"{self.record_names[self.columns['run_record'][k]]}, scale "
            f"{self.columns['scale'][k]:g}: {self.messages[k]}"
            for k, outcome in enumerate(self.outcomes)
            if outcome.failed and outcome not in collapsed
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame, one row per run (needs pandas)."""
        try:
            import pandas
        except ImportError:
            raise UnsupportedError(
                "BatchResult.to_pandas needs pandas: pip install pandas"
            ) from None
        table: dict[str, Any] = {
            "record": [self.record_names[k] for k in self.columns["run_record"]],
            "scale": self.columns["scale"],
            "parameter_set": self.columns["run_parameter_set"],
            "outcome": [outcome.name.lower() for outcome in self.outcomes],
        }
        for column, name in enumerate(self.parameter_names):
            table[name] = self.parameter_values[self.columns["run_parameter_set"], column]
        table["largest_drift"] = self.largest_drift
        table.update({name: self.columns[name] for name in (*COLUMNS, *COUNTS)})
        for name in STOREY_COLUMNS:
            table.update(
                {
                    f"{name}_{s + 1}": self.columns[name][:, s]
                    for s in range(self.columns[name].shape[1])
                }
            )
        table["message"] = self.messages
        return pandas.DataFrame(table, index=pandas.RangeIndex(len(self), name="run"))

    def to_xarray(self) -> Any:
        """The file as an xarray Dataset (needs xarray and h5netcdf)."""
        try:
            import xarray
        except ImportError:
            raise UnsupportedError(
                "BatchResult.to_xarray needs xarray: pip install xarray h5netcdf"
            ) from None
        return xarray.load_dataset(self.path, engine="h5netcdf")

    def _repr_html_(self) -> str:
        return str(card(self))

    def __repr__(self) -> str:
        ended = ", ".join(
            f"{count} {outcome.name.lower()}" for outcome, count in self.counts().items()
        )
        return f"BatchResult({self.model!r}: {len(self)} runs, {ended})"


def _texts(file: Any, name: str, path: Path) -> list[str]:
    return [bytes(content).decode("utf-8", "ignore") for content in table(file, name, path, 1, "S")]
