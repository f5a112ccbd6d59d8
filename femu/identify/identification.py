"""The result of an identification by three methods.

Whether they agree, and whether the twin can be the specimen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.files.hdf5 import put_text, written_whole
from femu.identify.recording import Recording
from femu.identify.twin_response import Path
from femu.support.errors import FileError, InputError
from femu.support.whole_file import write_text
from femu.updating.diagnostics import (
    AT_BOUND,
    CORRELATED,
    EXPLAINED,
    HALF_IDENTIFIED,
    IDENTIFIED,
    OUTSIDE,
    Diagnosis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from femu.support.tables import Table
    from femu.updating import ModelUpdater

Array = npt.NDArray[np.float64]
FORWARD, SMOOTHED, POLISHED = "forward", "smoothed", "least squares"
SURE = 2.0  # standard deviations of the difference within which two methods agree
CLOSE = 0.01  # or relative difference
FORMAT = "femu identification 1"
LESS = 0.8  # ratio of residuals below which one twin explains clearly more than another


@dataclass(frozen=True)
class Way:
    """Values found by one method."""

    name: str
    names: tuple[str, ...]
    mean: Array
    covariance: Array
    unexplained: Array
    """Root mean square of the force that the twin leaves along the whole record, over that of the
    force; one per channel."""
    note: str = ""

    @property
    def values(self) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.mean), strict=True))

    @property
    def std(self) -> dict[str, float]:
        spread = np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))
        return dict(zip(self.names, map(float, spread), strict=True))

    @property
    def correlation(self) -> Array:
        spread = np.sqrt(np.maximum(np.diagonal(self.covariance), np.finfo(float).tiny))
        return np.asarray(self.covariance / np.outer(spread, spread))


class Identification:
    """The result of `identify`.

    ``values`` and ``std`` are those of the method with the smallest force residual.
    """

    def __init__(
        self,
        name: str,
        recording: Recording,
        updater: ModelUpdater,
        path: Path,
        ways: tuple[Way, Way, Way],
    ) -> None:
        self.name, self.recording, self.updater, self.ways = name, recording, updater, ways
        self._path = path

    @property
    def forward(self) -> Way:
        return self.ways[0]

    @property
    def smoothed(self) -> Way:
        return self.ways[1]

    @property
    def least_squares(self) -> Way:
        return self.ways[2]

    @property
    def best(self) -> Way:
        """The method with the smallest force residual, in the mean over the channels."""
        return min(self.ways, key=lambda way: float(way.unexplained.mean()))

    @property
    def values(self) -> dict[str, float]:
        return self.best.values

    @property
    def std(self) -> dict[str, float]:
        return self.best.std

    @property
    def unexplained(self) -> float:
        """Force residual of the twin over the force, root mean square, of the channel with the
        largest."""
        return float(self.best.unexplained.max())

    @property
    def model_error(self) -> float:
        """The same beyond the noise of the sensors."""
        return float(
            np.sqrt(
                np.maximum(self.best.unexplained**2 - self._path.share_of_noise() ** 2, 0.0)
            ).max()
        )

    @property
    def in_class(self) -> bool:
        """Whether the twin can be the specimen."""
        return self.model_error < OUTSIDE

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The updater's diagnostics after the forward pass: identifiability, consistency."""
        return self.updater.diagnose()

    def use(self, way: Way) -> None:
        """Put the values of a method into the parameters of the updater's twin."""
        for u, value in zip(self.updater.unknowns, way.mean, strict=True):
            self.updater.twin.parameters.vector[self.updater.clones.places[u.name]] = value

    def forces(self, way: Way | None = None) -> Array:
        """Forces of the twin along the record, one row per sample.

        NaN if no displacement was measured.
        """
        return self._path.all_forces((way or self.best).mean)

    def identified(self) -> dict[str, float]:
        """Fraction of the prior variance that the record removes, by least squares.

        0 nothing, 1 all.
        """
        spread = self.least_squares.std
        return {
            u.name: float(1.0 / (1.0 + (spread[u.name] / u.std) ** 2))
            for u in self.updater.unknowns
        }

    def differing(self, one: Way, other: Way) -> list[str]:
        """Parameters in which two methods differ by more than 2 standard deviations of the
        difference, and by more than 1 %."""
        apart = np.abs(one.mean - other.mean)
        sure = SURE * np.sqrt(np.diagonal(one.covariance) + np.diagonal(other.covariance))
        close = CLOSE * np.maximum(np.abs(one.mean), np.abs(other.mean))
        return [
            name
            for name, far in zip(one.names, (apart > sure) & (apart > close), strict=True)
            if far
        ]

    @property
    def agree(self) -> bool:
        """Whether the three methods agree."""
        return not any(self.differing(a, b) for a, b in self._pairs())

    def _pairs(self) -> list[tuple[Way, Way]]:
        forward, smoothed, polished = self.ways
        return [(smoothed, polished), (forward, smoothed), (forward, polished)]

    # --- as text ---

    def sentences(self) -> list[str]:
        """The findings as sentences."""
        r, said = self.recording, []
        said.append(
            f"{r.name}: {len(r)} samples of {r.channels} force{'s' if r.channels > 1 else ''}, "
            f"{r.missing} incomplete; twin {self.name} with {len(self.updater.unknowns)} unknowns."
        )
        identified, best = self.identified(), self.best
        for u in self.updater.unknowns:
            value, spread = best.values[u.name], best.std[u.name]
            share = f"{100.0 * identified[u.name]:.0f}"
            text = f"{u.name} = {value:.5g} ± {2.0 * spread:.2g} (2σ, by {best.name}): "
            if identified[u.name] >= IDENTIFIED:
                text += "identifiable from this record."
            elif identified[u.name] >= HALF_IDENTIFIED:
                text += f"partly identifiable from this record ({share} % of the prior variance)."
            else:
                text += f"hardly identifiable from this record ({share} % of the prior variance)."
            if min(value - u.lower, u.upper - value) <= AT_BOUND * u.scale:
                text += (
                    " It lies at its bound: its true value may be beyond it, and its ± means "
                    "little."
                )
            said.append(text)
        correlation, names = self.least_squares.correlation, best.names
        said += [
            f"{names[b]} and {names[a]} can hardly be separated (correlation "
            f"{correlation[a, b]:.3f})."
            for a in range(len(names))
            for b in range(a)
            if abs(correlation[a, b]) > CORRELATED
        ]
        said.append(
            "Unexplained part of the force (root mean square, worst channel): "
            + ", ".join(f"{100.0 * way.unexplained.max():.2f} % {way.name}" for way in self.ways)
            + "."
        )
        said += [self._on_agreement(), self._on_class()]
        return said

    def _on_agreement(self) -> str:
        apart = {(a.name, b.name): self.differing(a, b) for a, b in self._pairs()}
        if not any(apart.values()):
            return (
                "The three methods agree: within two standard deviations of their differences, or "
                "1 %."
            )
        parts = [
            f"{a} and {b} differ in {', '.join(names)}" for (a, b), names in apart.items() if names
        ]
        text = f"Not all methods agree: {'; '.join(parts)}."
        if not apart[SMOOTHED, POLISHED]:
            text += (
                " The two that use the whole record at once agree: the forward filter alone is "
                "off, and in a running test it would have been."
            )
        return text

    def _on_class(self) -> str:
        error = self.model_error
        text = f"Beyond the noise the twin leaves {100.0 * error:.1f} % of the force unexplained"
        if error < EXPLAINED:
            return f"{text}: it can be the specimen."
        if error < OUTSIDE:
            return f"{text}: it is close to the specimen, but not the same."
        return (
            f"{text}: the specimen is outside its model class. The values are those with which "
            "this twin comes nearest, not properties of the specimen."
        )

    def report(self) -> str:
        """The findings as sentences and a table."""
        return "\n".join(self.sentences())

    __str__ = report

    def __repr__(self) -> str:
        found = ", ".join(
            f"{n} = {v:.4g} ± {2.0 * self.std[n]:.2g}" for n, v in self.values.items()
        )
        return f"<Identification of {self.name}: {found}; {100.0 * self.unexplained:.2f} % unexplained>"

    def table(self) -> Table:
        """A row for each parameter and method, and the residuals."""
        from femu.support.tables import Row, Table

        rows = []
        units = [
            self.updater.twin.parameters.declared[self.updater.clones.places[n][0]].unit
            for n in self.best.names
        ]
        for k, name in enumerate(self.best.names):
            for way in self.ways:
                rows += [
                    Row(f"{name}, {way.name}", way.values[name], units[k]),
                    Row(f"{name}, {way.name}, 2σ", 2.0 * way.std[name], units[k]),
                ]
        for way in self.ways:
            rows.append(
                Row(
                    f"unexplained, {way.name}",
                    100.0 * float(way.unexplained.max()),
                    "% of the force",
                )
            )
        rows.append(
            Row(
                "unexplained beyond the noise",
                100.0 * self.model_error,
                "% of the force",
                limit=f"< {100.0 * OUTSIDE:g} %",
                ok=self.in_class,
            )
        )
        return Table(f"{self.name} from {self.recording.name}", rows, self.sentences()[1:])

    def _repr_html_(self) -> str:
        from femu.identify.plots import card

        return card(self)

    def plot(self) -> list[Axes]:
        """Loops of specimen and twin with the residual, and the forward estimates with the smoothed
        values."""
        from femu.identify.plots import plot_identification

        return plot_identification(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            "format": FORMAT,
            "recording": self.recording.name,
            "twin": self.name,
            "samples": len(self.recording),
            "best": self.best.name,
            "agree": self.agree,
            "in_class": self.in_class,
            "unexplained": self.unexplained,
            "model_error": self.model_error,
            "identified": self.identified(),
            "ways": {
                way.name: {
                    "values": way.values,
                    "std": way.std,
                    "covariance": way.covariance.tolist(),
                    "unexplained": way.unexplained.tolist(),
                    "note": way.note,
                }
                for way in self.ways
            },
            "sentences": self.sentences(),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write a report (.html), the numbers (.json), or numbers, record, forces of the twin and
        forward history (.h5)."""
        kind = FilePath(path).suffix.lower()
        if kind not in (".html", ".json", ".h5"):
            raise InputError(
                "Identification.save", "path", str(path), "must end in .html, .json or .h5"
            )
        try:
            if kind == ".json":
                write_text(path, json.dumps(self.to_dict(), indent=1))
            elif kind == ".html":
                from femu.identify.plots import page

                page(self).write(path)
            else:
                with written_whole(path) as file:
                    put_text(file, "format", FORMAT)
                    put_text(file, "found", json.dumps(self.to_dict()))
                    for name, values in (
                        ("time", self.recording.time),
                        ("displacement", self.recording.displacements),
                        ("force", self.recording.forces),
                        ("force_of_twin", self.forces()),
                    ):
                        file.create_dataset(name, data=values)
                    self.updater.history.put(file.create_group("forward"))
        except OSError as problem:
            if isinstance(problem, FileError):
                raise
            raise FileError(path, f"cannot be written: {problem}") from problem


def compare(found: Mapping[str, Identification]) -> str:
    """Twins of one recording, the one with the smallest force residual first, one sentence each."""
    if not found:
        raise InputError("compare", "found", found, "must hold at least one identification")
    order = sorted(found.items(), key=lambda item: item[1].unexplained)
    first_name, first = order[0]
    said = [
        f"{first_name} explains most: it leaves {100.0 * first.unexplained:.1f} % of the force "
        f"unexplained with {len(first.updater.unknowns)} unknowns."
    ]
    for name, one in order[1:]:
        share = first.unexplained / one.unexplained if one.unexplained > 0.0 else 1.0
        word = "explains less" if share < LESS else "explains about as much"
        said.append(
            f"{name} {word}: it leaves {100.0 * one.unexplained:.1f} % with "
            f"{len(one.updater.unknowns)} unknowns."
        )
    return "\n".join(said)
