"""What a batch found, read from its file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.batch.outcome import RunOutcome
from femu.batch.results_file import COLUMNS, COUNTS, FORMAT, STOREY_COLUMNS
from femu.errors import FileError, InputError, UnsupportedError
from femu.hdf5_file import reading

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class BatchResult:
    """One row a run. ``columns`` are the variables of the file over runs; see `femu.batch.results_file`."""

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
        """Read the file of a batch, also of one that still runs or was killed."""
        place = Path(path)
        with reading(place, "the file of a femu batch"), h5py.File(place, "r", locking=False) as file:
            # without the lock, which a batch that runs holds
            if file.attrs.get("format") != FORMAT:
                raise FileError(place, "is not the file of a femu batch")
            names = ("run_record", "run_parameter_set", "scale", "outcome", *COLUMNS, *COUNTS, *STOREY_COLUMNS)
            attributes = {name: value for name, value in file.attrs.items()}
            return cls(place, str(file.attrs["model"]), json.loads(file.attrs["levels"]), np.array(file.attrs["heights"]),
                       _read_texts(file["record_name"]), [n for n in _read_texts(file["parameter_name"]) if n],
                       np.array(file["parameter_value"]), {name: np.array(file[name]) for name in names},
                       _read_texts(file["message"]), attributes, stopped)

    def __len__(self) -> int:
        return len(self.columns["outcome"])

    def __getitem__(self, name: str) -> Array:
        """A column by name."""
        if name not in self.columns:
            raise InputError("BatchResult", "column", name, f"must be one of {', '.join(self.columns)}")
        return self.columns[name]

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for besides model and records."""
        return dict(json.loads(self.attributes["settings"]))

    @property
    def outcomes(self) -> list[RunOutcome]:
        """How each run ended."""
        return [RunOutcome(int(code)) for code in self.columns["outcome"]]

    @property
    def largest_drift(self) -> npt.NDArray[np.float64]:
        """Largest storey drift ratio of each run; not a number where a run tells nothing."""
        return np.asarray(self.columns["peak_drift"].max(axis=1), dtype=np.float64)

    def counts(self) -> dict[RunOutcome, int]:
        """How many runs ended how."""
        found = self.outcomes
        return {outcome: found.count(outcome) for outcome in RunOutcome if outcome in found}

    def failures(self) -> list[str]:
        """One sentence for each run that failed."""
        return [f"{self.record_names[self.columns['run_record'][k]]}, scale {self.columns['scale'][k]:g}: {self.messages[k]}"
                for k, outcome in enumerate(self.outcomes) if outcome.failed]

    def to_pandas(self) -> Any:
        """A pandas DataFrame, one row a run (needs pandas)."""
        try:
            import pandas
        except ImportError:
            raise UnsupportedError("BatchResult.to_pandas needs pandas: pip install pandas") from None
        table: dict[str, Any] = {
            "record": [self.record_names[k] for k in self.columns["run_record"]],
            "scale": self.columns["scale"], "parameter_set": self.columns["run_parameter_set"],
            "outcome": [outcome.name.lower() for outcome in self.outcomes]}
        for column, name in enumerate(self.parameter_names):
            table[name] = self.parameter_values[self.columns["run_parameter_set"], column]
        table["largest_drift"] = self.largest_drift
        table.update({name: self.columns[name] for name in (*COLUMNS, *COUNTS)})
        for name in STOREY_COLUMNS:
            table.update({f"{name}_{s + 1}": self.columns[name][:, s] for s in range(self.columns[name].shape[1])})
        table["message"] = self.messages
        return pandas.DataFrame(table, index=pandas.RangeIndex(len(self), name="run"))

    def to_xarray(self) -> Any:
        """The file as an xarray Dataset (needs xarray and h5netcdf)."""
        try:
            import xarray
        except ImportError:
            raise UnsupportedError("BatchResult.to_xarray needs xarray: pip install xarray h5netcdf") from None
        return xarray.load_dataset(self.path, engine="h5netcdf")

    def __repr__(self) -> str:
        ended = ", ".join(f"{count} {outcome.name.lower()}" for outcome, count in self.counts().items())
        return f"BatchResult({self.model!r}: {len(self)} runs, {ended})"


def _read_texts(data: Any) -> list[str]:
    return [bytes(text).decode("utf-8", "ignore") for text in data]
