"""Uncertainty of the structure.

The sigma points of the parameters through the whole model, and a band on its response.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.filters.covariance import lower_factor
from femu.model.element import Name
from femu.support.arguments import typed
from femu.support.errors import AnalysisError, InputError
from femu.updating.targets import model_places

if TYPE_CHECKING:
    from femu.updating.updater import ModelUpdater

Array = npt.NDArray[np.float64]
KAPPA = 0.5  # spread of the points: √(u + κ) standard deviations; every weight is then 1/(2u + 1)


@dataclass(frozen=True)
class ResponseBand:
    """Mean and standard deviation of a response over the uncertainty of the parameters.

    ``points`` holds the response of each parameter set, ``sets`` the sets: the mean first, then a
    pair a direction.
    """

    mean: Array
    std: Array
    points: Array
    sets: tuple[Mapping[str, float], ...]

    @property
    def lower(self) -> Array:
        """Two standard deviations below the mean."""
        return np.asarray(self.mean - 2.0 * self.std)

    @property
    def upper(self) -> Array:
        return np.asarray(self.mean + 2.0 * self.std)


def parameter_points(updater: ModelUpdater) -> list[dict[str, float]]:
    """The 2u+1 sigma points of the updater's estimate, in the units of the parameters and inside
    their bounds."""
    known = len(updater.unknowns)
    x, P = updater.estimate.mean[:known], updater.estimate.covariance[:known, :known]
    columns = np.sqrt(known + KAPPA) * lower_factor(P)
    rows = np.vstack([x, x + columns.T, x - columns.T])
    low, high = np.split(updater.clones.limits, 2)
    return [
        {
            u.name: float(np.clip(np.exp(v) if u.log else v * u.scale, u.lower, u.upper))
            for u, v in zip(updater.unknowns, np.clip(row, low, high), strict=True)
        }
        for row in rows
    ]


@typed
def response_band(
    updater: ModelUpdater,
    program: Program,
    respond: Callable[[Array], Any],
    members: Iterable[Name] | Mapping[str, str | Sequence[str]] | None = None,
    workers: int | None = None,
) -> ResponseBand:
    """Run a numerical model with each sigma point of the parameters, several at once.

    ``respond`` takes a parameter vector of the program and gives any response, for example ::

        lambda p: Transient(Newmark(), dt=0.01).run(program, quake, parameters=p).displacement("C", "x")

    ``members`` are those that take the parameters: the updater's own if left out. The kernels
    release the interpreter's lock, so the runs share the cores of the machine in threads.
    """
    places = model_places(
        updater.names, updater.members if members is None else members, program.parameters
    )
    if not any(places):
        raise InputError(
            "response_band", "members", members, "must name members that take the parameters"
        )
    sets = parameter_points(updater)

    def one(values: dict[str, float]) -> Array:
        vector = program.parameters.vector.copy()
        for name, found in zip(updater.names, places, strict=True):
            vector[found] = values[name]
        return np.asarray(respond(vector), dtype=float)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        responses = list(pool.map(one, sets))
    if len({r.shape for r in responses}) > 1:
        raise AnalysisError(
            "A run with one of the parameter sets ended early: the responses differ in length."
        )
    points = np.array(responses)
    mean = points.mean(axis=0)
    # equal weights 1/(2u+1) with points at √(u+κ): the mean square is the variance for κ = 1/2
    return ResponseBand(
        mean, np.asarray(np.sqrt(((points - mean) ** 2).mean(axis=0))), points, tuple(sets)
    )
