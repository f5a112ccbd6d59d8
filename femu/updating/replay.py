"""A twin with given parameters along a recorded path.

Its forces, and what the parameters do to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from femu.filters.linalg import copy
from femu.kernels import compiled, floats_of
from femu.support.errors import AnalysisError
from femu.updating.twin_copies import own_fields
from femu.updating.twin_kernels import NAN, deform, evaluate, to_force, twin_at

if TYPE_CHECKING:
    from femu.updating.updater import ModelUpdater

Array = npt.NDArray[np.float64]
# half the difference by which a sensitivity is found, as a share of the distance between the bounds
DIFFERENCE = 1e-3


@compiled
def _follow(context, x, times, displacements, forces):
    """Forces of a virgin clone with unknowns x along a path.

    0, or the number of the sample without an answer.
    """
    twin = twin_at(context)
    rows, trial = twin.rows, twin.trial
    now, before, step = twin.now, twin.before, twin.step
    n = twin.nchannels
    for k in range(times.size):
        known = True
        for b in range(n):
            now[b] = displacements[k, b]
            known = known and now[b] == now[b]
        if not known:
            for b in range(n):
                forces[k, b] = NAN
            continue
        dt = times[k] - times[k - 1] if k > 0 else 0.0
        step[0], step[1], step[2] = times[k], max(dt, 0.0), 1.0 / dt if dt > 0.0 else 0.0
        deform(twin)
        if not evaluate(twin, floats_of(x, 0), rows, trial):
            return k + 1
        copy(twin.row_size, trial, rows)
        copy(n, now, before)
        to_force(twin, trial, floats_of(forces, k * n))
    return 0


class Replay:
    """Clones of an updater's twin on vectors of their own: the running updater is not touched."""

    def __init__(self, updater: ModelUpdater) -> None:
        self.updater = updater
        self._fields = own = own_fields(updater.clones)
        own.rows, own.trial = np.zeros(own.row_size + 64), np.zeros(own.row_size + 64)
        own.separate_rows = 0

    def forces(self, values: Mapping[str, float], times: Array, displacements: Array) -> Array:
        """Forces of the twin with these values, from the virgin state along the path.

        A row a sample.
        """
        self._fields.rows[:] = self._fields.before[:] = 0.0
        state = self.updater.twin.virgin()
        self._fields.rows[:len(state)] = state
        x = np.array([u.inside(float(np.clip(values[u.name], u.lower, u.upper)))
                      for u in self.updater.unknowns])
        out = np.empty(displacements.shape)
        failed = _follow(self._fields.vector, x, np.ascontiguousarray(times),
                         np.ascontiguousarray(displacements), out)
        if failed:
            raise AnalysisError(f"{self.updater.twin.label} has no answer in sample {failed} of "
                                "the path.")
        return out

    def sensitivity(self, values: Mapping[str, float], times: Array, displacements: Array) -> Array:
        """Derivative of the forces by each unknown.

        Samples × channels × unknowns, by central differences.
        """
        parts = []
        for u in self.updater.unknowns:
            step = DIFFERENCE * u.scale
            ends = [float(np.clip(values[u.name] + sign * step, u.lower, u.upper))
                    for sign in (1.0, -1.0)]
            high, low = (self.forces({**values, u.name: end}, times, displacements) for end in ends)
            parts.append((high - low) / (ends[0] - ends[1]))
        return np.stack(parts, axis=2)
