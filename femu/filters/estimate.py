"""What a filter knows: one flat vector, with names for its parts.

Everything that a filter carries from step to step is in ``Estimate.vector``: copying it is a
snapshot, and a filter continued from a copy gives the same bits. The order is::

    header (16 numbers) | mean (n) | covariance (n²) | innovation (m) | innovation covariance (m²)
    | the filter's own (points, particles, factors) | workspace (written before it is read)

as `femu.filters.filter_fields.EstimateFields` declares it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from femu.filters.filter_fields import EstimateFields
from femu.support.errors import InputError
from femu.support.hooks import card

if TYPE_CHECKING:
    from femu.filters.base import Filter

HEADER = EstimateFields.mean.slot
"""Numbers before the mean."""
COUNTERS = {name: getattr(EstimateFields, name).slot
            for name in ("repairs", "lost_points", "refused", "projections", "gated", "resampled")}


class Estimate:
    """State of a filter after a step.

    The arrays are views of ``vector``: read them, or `copy` first.
    """

    __slots__ = ("filter", "vector")

    def __init__(self, owner: Filter, vector: np.ndarray) -> None:
        self.filter = owner
        self.vector = vector

    def copy(self) -> Estimate:
        return Estimate(self.filter, self.vector.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Estimate:
        return self.copy()  # a filter holds nothing that changes, so copies share it

    def _part(self, start: int, *shape: int) -> np.ndarray:
        return self.vector[start:start + int(np.prod(shape))].reshape(shape)

    @property
    def mean(self) -> np.ndarray:
        """Estimated state, n numbers."""
        return self._part(HEADER, self.filter.model.states)

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the estimation error, n × n."""
        n = self.filter.model.states
        return self._part(HEADER + n, n, n)

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of each state."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def innovation(self) -> np.ndarray:
        """Measured minus predicted output of the last update; NaN if a channel was missing."""
        n, m = self.filter.model.states, self.filter.model.outputs
        return self._part(HEADER + n + n * n, m)

    @property
    def innovation_covariance(self) -> np.ndarray:
        """Predicted covariance of the innovation, m × m; NaN if a channel was missing."""
        n, m = self.filter.model.states, self.filter.model.outputs
        return self._part(HEADER + n + n * n + m, m, m)

    @property
    def own(self) -> np.ndarray:
        """The filter's own part: see the filter's class."""
        return self.vector[self.filter.own_start:self.filter.scratch_start]

    @property
    def nis(self) -> float:
        return float(self.vector[EstimateFields.nis.slot])

    @property
    def log_likelihood(self) -> float:
        return float(self.vector[EstimateFields.log_likelihood.slot])

    @property
    def steps(self) -> int:
        return int(self.vector[EstimateFields.steps.slot])

    @property
    def effective_sample_size(self) -> float:
        return float(self.vector[EstimateFields.effective.slot])

    @property
    def counts(self) -> dict[str, int]:
        """What had to be repaired, replaced, refused, projected, gated or resampled so far."""
        return {name: int(self.vector[slot]) for name, slot in COUNTERS.items()}

    @property
    def broken_at(self) -> int | None:
        """Step at which a filter without repairs broke down, or None."""
        return int(self.vector[EstimateFields.broken.slot]) or None

    def _repr_html_(self) -> str:
        return str(card(self))

    def __repr__(self) -> str:
        pairs = zip(self.filter.model.names, self.mean, self.std, strict=True)
        values = ", ".join(f"{name} {value:.5g} ± {spread:.2g}" for name, value, spread in pairs)
        return f"<estimate of {type(self.filter).__name__} at step {self.steps}: {values}>"


@dataclass(frozen=True)
class History:
    """A whole run: row k is the estimate after the update of step k."""

    mean: np.ndarray  # (steps, n)
    covariance: np.ndarray  # (steps, n, n)
    innovation: np.ndarray  # (steps, m), NaN if a channel was missing
    innovation_covariance: np.ndarray  # (steps, m, m)
    nis: np.ndarray  # (steps,), NaN if nothing was measured
    final: Estimate

    @property
    def std(self) -> np.ndarray:
        return np.sqrt(np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0.0))

    @property
    def log_likelihood(self) -> float:
        return self.final.log_likelihood

    @property
    def outcome(self) -> str:
        """One sentence on how the run went."""
        broken = self.final.broken_at
        if broken:
            return f"The filter broke down in step {broken}; later rows are not a number."
        done = {name: count for name, count in self.final.counts.items() if count
                and name != "resampled"}
        if not done:
            return "The run is complete; nothing had to be repaired."
        return "The run is complete; " + ", ".join(f"{name.replace('_', ' ')}: {n}" for name,
                                                   n in done.items()) + "."

    def _repr_html_(self) -> str:
        return str(card(self))

    def state(self, name: str) -> np.ndarray:
        """History of the state of this name."""
        names: Any = self.final.filter.model.names
        if not isinstance(name, str) or name not in names:
            raise InputError("History.state", "name", name, f"must be one of {names}")
        return self.mean[:, names.index(name)]
