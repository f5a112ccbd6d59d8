"""What an updater recorded, by name: parameters, their spread, innovations, gates; kept in HDF5."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import named, numbered
from femu.files.hdf5 import number, numbers, opened, put_text, table, text, texts, written_whole
from femu.support.arguments import typed_methods
from femu.support.errors import FileError, InputError
from femu.support.hooks import card
from femu.updating import update_kernel

Array = npt.NDArray[np.float64]
FORMAT = "femu updating history 1"


@typed_methods
@dataclass(frozen=True)
class UpdatingHistory:
    """One row a sample. ``values`` are the estimates, ``std`` their standard deviations,
    ``written`` what the model has."""

    names: tuple[str, ...]
    channels: int
    table: Array
    bounds: tuple[tuple[float, float], ...] = ()  # of each parameter
    channel_names: tuple[str, ...] = ()  # by their directions, if known

    @property
    def force_names(self) -> tuple[str, ...]:
        """What each channel measures.

        "force x", "moment rz"; numbers from 1 on if its direction is not known.
        """
        known = len(self.channel_names) == self.channels
        return tuple(
            named("force", n) for n in (self.channel_names if known else numbered(self.channels))
        )

    def _by_channels(self, block: int) -> Array:
        start = update_kernel.RECORD_HEAD + block * self.channels
        return self.table[:, start : start + self.channels]

    def _by_unknowns(self, block: int) -> Array:
        start = update_kernel.RECORD_HEAD + 5 * self.channels + block * len(self.names)
        return self.table[:, start : start + len(self.names)]

    def _repr_html_(self) -> str:
        return str(card(self))

    @property
    def step(self) -> npt.NDArray[np.int64]:
        return self.table[:, update_kernel.R_STEP].astype(np.int64)

    @property
    def time(self) -> Array:
        return self.table[:, update_kernel.R_TIME]

    @property
    def displacement(self) -> Array:
        """Measured displacement, a column a channel; NaN if it was missing."""
        return self._by_channels(0)

    @property
    def force(self) -> Array:
        return self._by_channels(1)

    @property
    def innovation(self) -> Array:
        """Measured minus predicted force; NaN if nothing was measured."""
        return self._by_channels(2)

    @property
    def innovation_std(self) -> Array:
        """Predicted standard deviation of the innovation."""
        return self._by_channels(3)

    @property
    def residual(self) -> Array:
        """Measured force minus that of the twin as a numerical member with the parameters of the
        moment."""
        return self._by_channels(4)

    @property
    def values(self) -> Array:
        return self._by_unknowns(0)

    @property
    def std(self) -> Array:
        return self._by_unknowns(1)

    @property
    def written(self) -> Array:
        return self._by_unknowns(2)

    @property
    def nis(self) -> Array:
        """Normalised innovation squared, ν'S⁻¹ν."""
        return self.table[:, update_kernel.R_NIS]

    @property
    def consistency(self) -> Array:
        """Running mean of the normalised innovation squared over its expectation.

        About 1 for a consistent filter.
        """
        return self.table[:, update_kernel.R_USUAL]

    def _flag(self) -> npt.NDArray[np.int64]:
        return self.table[:, update_kernel.R_FLAG].astype(np.int64)

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self._flag() % update_kernel.WRITING == update_kernel.MISSED)

    @property
    def rejected(self) -> npt.NDArray[np.bool_]:
        """Samples that were taken for outliers."""
        return np.asarray(self._flag() % update_kernel.WRITING == update_kernel.REJECTED_FLAG)

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """Where the guards let parameters through to the model."""
        return np.asarray(self._flag() >= update_kernel.WRITING)

    def value(self, name: str) -> Array:
        """Estimate of one parameter over the steps."""
        if name not in self.names:
            raise InputError("UpdatingHistory.value", "name", name, f"must be one of {self.names}")
        return self.values[:, self.names.index(name)]

    def __len__(self) -> int:
        return len(self.table)

    def save(self, path: str | PathLike[str]) -> None:
        """Write to an HDF5 file."""
        with written_whole(path) as file:
            self.put(file)

    def put(self, group: Any) -> None:
        """Write into a group of an open HDF5 file."""
        put_text(group, "format", FORMAT)
        group.attrs["channels"] = self.channels
        put_text(group, "names", self.names)
        if self.channel_names:
            put_text(group, "channel_names", self.channel_names)
        put_text(group, "columns", self.columns())
        group.attrs["bounds"] = np.array(self.bounds, dtype=float).reshape(-1, 2)
        group.create_dataset("table", data=self.table)

    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        head = ["step", "time", "flag", "nis", "channels", "consistency"]
        blocks = ("displacement", "force", "innovation", "innovation_std", "residual")
        return [
            *head,
            *(f"{b}_{c}" for b in blocks for c in range(self.channels)),
            *(f"{n}{end}" for end in ("", ".std", ".written") for n in self.names),
        ]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> UpdatingHistory:
        """Read what `save` wrote."""
        with opened(path, "a history of an updater") as file:
            if text(file, "format", path, "") != FORMAT:
                raise FileError(str(path), "is not a history of an updater")
            return cls.get(file, path)

    @classmethod
    def get(cls, group: Any, path: str | PathLike[str]) -> UpdatingHistory:
        """Read what `put` wrote into a group of an open HDF5 file."""
        names, channels = (
            tuple(texts(group, "names", path)),
            number(group, "channels", path, least=1),
        )
        bounds = numbers(group, "bounds", path, 2, np.zeros((0, 2)))
        known = tuple(texts(group, "channel_names", path)) if "channel_names" in group.attrs else ()
        found = cls(
            names,
            channels,
            table(group, "table", path, 2, "f")[()],
            tuple((float(a), float(b)) for a, b in bounds),
            known,
        )
        if len(bounds) not in (0, len(names)) or found.table.shape[1] != len(found.columns()):
            raise FileError(
                path,
                f"has a table of {found.table.shape[1]} columns and {len(bounds)} bounds, which do "
                f"not belong to {len(names)} parameters and {channels} channels",
            )
        return found
