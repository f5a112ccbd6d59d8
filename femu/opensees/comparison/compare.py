"""Comparison of two sets of columns: the largest difference of each kind, with place and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SHARED_PEAKS = (
    ("reaction", "element force", "section force"),
    ("reaction moment", "element moment", "section moment"),
)
"""Kinds measured by one peak.

If a member only bends, its axial force is round-off of its shear.
"""

NATURAL = {
    "rotation": ("displacement", -1),
    "angular velocity": ("velocity", -1),
    "angular acceleration": ("acceleration", -1),
    "reaction moment": ("reaction", 1),
    "element moment": ("element force", 1),
    "section moment": ("element force", 1),
}
"""Natural size of a kind.

That of another, times or over the length of the model. Of energy: force times displacement.
"""
ROUND_OFF = 1e-10
"""A kind whose peak is below this share of its natural size is round-off of a zero, and is not
compared."""


@dataclass(frozen=True)
class Columns:
    """Histories of several kinds of quantities: one row per instant, one column per quantity."""

    when: npt.NDArray[np.floating[Any]]  # of each row
    clock: str  # what `when` counts: "t", "step" or "mode"
    kinds: Sequence[str]  # of each column; "" if it is not to be compared
    labels: Sequence[str]
    values: Array


@dataclass(frozen=True)
class Difference:
    """Largest difference of one kind of quantity, as shares of the peak of its kind."""

    kind: str
    largest: float
    where: str
    when: str
    rms: float  # of the column with the largest
    of_peaks: float  # difference between the two peaks of the kind
    peak: float


def differences(
    ours: Sequence[Columns], theirs: Sequence[Array], length: float = 0.0
) -> list[Difference]:
    """Differences by kind over all stages, the largest first; ``length`` is that of the model."""
    peaks: dict[str, tuple[float, float]] = {}
    for columns, other in zip(ours, theirs, strict=True):
        kinds = np.array(columns.kinds)
        for kind in dict.fromkeys(columns.kinds):
            if kind:
                mine, his = _peak(columns.values[:, kinds == kind]), _peak(other[:, kinds == kind])
                before = peaks.get(kind, (0.0, 0.0))
                peaks[kind] = (max(before[0], mine), max(before[1], his))
    sizes = {
        kind: max(
            max(peaks[k])
            for group in [*SHARED_PEAKS, (kind,)]
            if kind in group
            for k in group
            if k in peaks
        )
        for kind in peaks
    }
    found = []
    for kind, (mine, his) in peaks.items():
        other_kind, power = NATURAL.get(kind, ("", 0))
        natural = sizes.get(other_kind, 0.0) * length**power if length > 0.0 else 0.0
        if kind == "energy":
            natural = sizes.get("element force", 0.0) * sizes.get("displacement", 0.0)
        broken = not all(
            np.isfinite(values).all() for values in [*(c.values for c in ours), *theirs]
        )
        if sizes[kind] > ROUND_OFF * natural or broken:
            size = sizes[kind] or 1.0
            found.append(_of_kind(kind, size, abs(mine - his) / size, ours, theirs))
    return sorted(found, key=lambda d: -d.largest)


def _peak(values: Array) -> float:
    """Largest size of the finite values."""
    return float(np.abs(values, where=np.isfinite(values), out=np.zeros_like(values)).max())


def _of_kind(
    kind: str, size: float, of_peaks: float, ours: Sequence[Columns], theirs: Sequence[Array]
) -> Difference:
    worst = Difference(kind, -1.0, "", "", 0.0, of_peaks, size)
    for columns, other in zip(ours, theirs, strict=True):
        chosen = np.flatnonzero(np.array(columns.kinds) == kind)
        if not len(chosen):
            continue
        mine, his = columns.values[:, chosen], other[:, chosen]
        finite = np.isfinite(mine) & np.isfinite(his)
        difference = np.abs(np.where(finite, mine, np.inf) - np.where(finite, his, 0.0)) / size
        row, column = np.unravel_index(int(np.argmax(difference)), difference.shape)
        largest = float(difference[row, column])
        if largest > worst.largest:
            rms = float(np.sqrt(np.mean(difference**2, axis=0)).max())
            worst = Difference(
                kind,
                largest,
                str(columns.labels[chosen[column]]),
                f"{columns.clock} = {columns.when[row]:.5g}",
                rms,
                of_peaks,
                size,
            )
    return worst
