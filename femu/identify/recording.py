"""A recorded test: displacements and forces of a specimen, from arrays, a text file with columns,
or a journal."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import numpy.typing as npt

from femu.model.element import Name
from femu.support.arguments import typed_methods
from femu.support.errors import FileError, InputError

Array = npt.NDArray[np.float64]
FEWEST = 3  # samples


@typed_methods
@dataclass(frozen=True)
class Recording:
    """Measured displacements and forces, one row per sample and one column per channel, in the
    coordinates of the twin.

    A missing measurement is NaN. ``times`` are 0, 1, 2, ... by default, which is enough for
    every law that does not depend on the rate. Units are labels for reports: numbers must be in the
    units of the twin, stresses and strains if it is such a material.
    """

    displacements: Array
    forces: Array
    times: Array | None = None
    name: str = "recording"
    displacement_unit: str = ""
    force_unit: str = ""

    def __post_init__(self) -> None:
        d, f = (
            _columns(argument, value)
            for argument, value in (("displacements", self.displacements), ("forces", self.forces))
        )
        if d.shape != f.shape:
            raise InputError(
                "Recording",
                "forces",
                self.forces,
                f"must have the shape of the displacements, {d.shape}",
            )
        if (
            len(d) < FEWEST
            or not (np.isfinite(d).all(axis=1) & np.isfinite(f).any(axis=1)).sum() >= FEWEST
        ):
            raise InputError(
                "Recording", "displacements, forces", (d, f), f"must hold {FEWEST} samples of both"
            )
        if np.isinf(d).any() or np.isinf(f).any():
            raise InputError(
                "Recording",
                "displacements, forces",
                (d, f),
                "must be finite, or NaN if nothing was measured",
            )
        t = (
            np.arange(len(d), dtype=float)
            if self.times is None
            else np.asarray(self.times, dtype=float)
        )
        if t.shape != (len(d),) or not np.isfinite(t).all() or (np.diff(t) < 0.0).any():
            raise InputError(
                "Recording",
                "times",
                self.times,
                f"must be {len(d)} finite numbers that do not fall",
            )
        for field, value in (("displacements", d), ("forces", f), ("times", t)):
            object.__setattr__(self, field, value)

    @property
    def time(self) -> Array:
        assert self.times is not None
        return self.times

    @property
    def channels(self) -> int:
        return self.forces.shape[1]

    def __len__(self) -> int:
        return len(self.forces)

    @property
    def missing(self) -> int:
        """Samples without a displacement or without a force."""
        return int(
            (
                ~(
                    np.isfinite(self.displacements).all(axis=1)
                    & np.isfinite(self.forces).all(axis=1)
                )
            ).sum()
        )

    def between(self, first: int, last: int | None = None) -> Recording:
        """The samples from ``first`` up to, but without, ``last``.

        The specimen must be in its virgin state at the first of them.
        """
        part = slice(first, last)
        return Recording(
            self.displacements[part],
            self.forces[part],
            self.time[part],
            self.name,
            self.displacement_unit,
            self.force_unit,
        )

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        displacement: str | Sequence[str],
        force: str | Sequence[str],
        time: str | None = None,
        *,
        displacement_factor: float = 1.0,
        force_factor: float = 1.0,
        delimiter: str = ",",
        displacement_unit: str = "",
        force_unit: str = "",
    ) -> Recording:
        """Read a text file whose first line names its columns.

        ``displacement`` and ``force`` name a column for each channel. An empty cell or ``nan`` is a
        missing measurement. Factors bring the numbers into the units of the twin; the units are
        those after the factor.
        """
        wanted = [
            [displacement] if isinstance(displacement, str) else list(displacement),
            [force] if isinstance(force, str) else list(force),
            [] if time is None else [time],
        ]
        if len(delimiter) != 1 or delimiter == "\0":
            raise InputError("Recording.read", "delimiter", delimiter, "must be one character")
        for name, factor in (
            ("displacement_factor", displacement_factor),
            ("force_factor", force_factor),
        ):
            if not math.isfinite(factor) or factor == 0.0:
                raise InputError(
                    "Recording.read", name, factor, "must be a finite number other than 0"
                )
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                lines = list(csv.reader(file, delimiter=delimiter))
        except UnicodeDecodeError:
            raise FileError(path, "is not a text file") from None
        except (OSError, csv.Error) as problem:
            raise FileError(path, f"cannot be read: {problem}") from problem
        if not lines:
            raise FileError(path, "is empty; its first line must name the columns")
        heads = [cell.strip() for cell in lines[0]]
        for column in (c for part in wanted for c in part):
            if heads.count(column) != 1:
                raise FileError(
                    path,
                    f"must have one column {column!r}; it has {', '.join(map(repr, heads))}",
                    1,
                )
        places = [[heads.index(column) for column in part] for part in wanted]
        rows: list[list[list[float]]] = []
        for number, cells in enumerate(lines[1:], start=2):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(heads):
                raise FileError(
                    path,
                    f"has {len(cells)} cells, but the first line names {len(heads)} columns",
                    number,
                )
            rows.append([[_cell(cells[k], path, number) for k in part] for part in places])
            stamp = rows[-1][2]
            if stamp and not math.isfinite(stamp[0]):
                raise FileError(path, "has no time", number)
            if stamp and len(rows) > 1 and stamp[0] < rows[-2][2][0]:
                raise FileError(
                    path, f"goes back in time, to {stamp[0]:g} from {rows[-2][2][0]:g}", number
                )
        if len(rows) < FEWEST:
            raise FileError(path, f"holds {len(rows)} samples, too few")
        d, f, t = (np.array([row[part] for row in rows], dtype=float) for part in range(3))
        return cls(
            displacement_factor * d,
            force_factor * f,
            t[:, 0] if time is not None else None,
            Path(path).name,
            displacement_unit,
            force_unit,
        )

    @classmethod
    def from_journal(cls, path: str | PathLike[str], element: Name) -> Recording:
        """The measurements of an experimental element in the journal of a hybrid test, those inside
        iterations included.

        They are those of the specimen, before a setup turns and scales them: the twin must be in
        the specimen's coordinates.
        """
        from femu.experimental.journal.journal import read_journal

        record = read_journal(fspath(path))
        if str(element) not in record.measured:
            raise FileError(
                path,
                f"holds no element {element!r}; it has {', '.join(map(repr, record.measured))}",
            )
        d, f = record.measurements(str(element))
        return cls(
            d, f, record.measured[str(element)][:, 1], f"{Path(path).name}, element {element}"
        )


def _cell(text: str, path: str | PathLike[str], line: int) -> float:
    if not text.strip():
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise FileError(path, f"{text.strip()!r} is not a number", line) from None
    if math.isinf(value):
        raise FileError(path, f"{text.strip()!r} is not finite", line)
    return value


def _columns(argument: str, value: npt.ArrayLike) -> Array:
    try:
        given = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            "Recording", argument, value, "must be numbers, one row per sample"
        ) from None
    if given.ndim == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] < 1:
        raise InputError(
            "Recording", argument, value, "must have one row per sample and one column per channel"
        )
    return np.ascontiguousarray(given)
