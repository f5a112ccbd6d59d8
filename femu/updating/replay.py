"""A twin with given parameters along a recorded path: its forces, and what the parameters do to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from femu.errors import AnalysisError
from femu.filters.linalg import copy
from femu.kernels import compiled, floats_at, floats_of, ints_of
from femu.run import address
from femu.updating import twin as of_twin
from femu.updating.twin import deform, evaluate, to_force

if TYPE_CHECKING:
    from femu.updating.updater import ModelUpdater

Array = npt.NDArray[np.float64]
DIFFERENCE = 1e-3  # half the difference by which a sensitivity is found, as a share of the distance between the bounds


@compiled
def _follow(context, x, times, displacements, forces):
    """Forces of a virgin clone with unknowns x along a path; 0, or the number of the sample without an answer."""
    c = ints_of(context, 0)
    rows, trial = floats_at(c[of_twin.ROWS]), floats_at(c[of_twin.TRIAL])
    now, before, step = floats_at(c[of_twin.NOW]), floats_at(c[of_twin.BEFORE]), floats_at(c[of_twin.STEP])
    n = c[of_twin.CHANNELS]
    for k in range(times.size):
        known = True
        for b in range(n):
            now[b] = displacements[k, b]
            known = known and now[b] == now[b]
        if not known:
            for b in range(n):
                forces[k, b] = of_twin.NAN
            continue
        dt = times[k] - times[k - 1] if k > 0 else 0.0
        step[0], step[1], step[2] = times[k], max(dt, 0.0), 1.0 / dt if dt > 0.0 else 0.0
        deform(c)
        if not evaluate(c, floats_of(x, 0), rows, trial):
            return k + 1
        copy(c[of_twin.STRIDE], trial, rows)
        copy(n, now, before)
        to_force(c, trial, floats_of(forces, k * n))
    return 0


class Replay:
    """Clones of an updater's twin on vectors of their own: the running updater is not touched."""

    def __init__(self, updater: ModelUpdater) -> None:
        self.updater = updater
        self._c = updater._c.copy()
        own = {of_twin.P: updater._start_values.copy(), of_twin.SCRATCH: np.zeros(256)}
        for place in (of_twin.WORK, of_twin.STEP, of_twin.NOW, of_twin.BEFORE, of_twin.V, of_twin.TARGET, of_twin.CHANGE,
                      of_twin.RATE, of_twin.VIRGIN):
            own[place] = np.zeros_like(updater._held[place])
        stride = int(self._c[of_twin.STRIDE])
        own[of_twin.ROWS], own[of_twin.TRIAL] = np.zeros(stride + 64), np.zeros(stride + 64)
        self._own = own
        for place, array in own.items():
            self._c[place] = address(array)
        self._c[of_twin.SEPARATE] = 0

    def forces(self, values: Mapping[str, float], times: Array, displacements: Array) -> Array:
        """Forces of the twin with these values, from the virgin state along the path; a row a sample."""
        for place in (of_twin.ROWS, of_twin.BEFORE):
            self._own[place][:] = 0.0
        state = self.updater.twin.virgin()
        self._own[of_twin.ROWS][:len(state)] = state
        x = np.array([u.inside(float(np.clip(values[u.name], u.lower, u.upper))) for u in self.updater.unknowns])
        out = np.empty(displacements.shape)
        failed = _follow(self._c, x, np.ascontiguousarray(times), np.ascontiguousarray(displacements), out)
        if failed:
            raise AnalysisError(f"{self.updater.twin.label} has no answer in sample {failed} of the path.")
        return out

    def sensitivity(self, values: Mapping[str, float], times: Array, displacements: Array) -> Array:
        """Derivative of the forces by each unknown: samples × channels × unknowns, by central differences."""
        parts = []
        for u in self.updater.unknowns:
            step = DIFFERENCE * u.scale
            ends = [float(np.clip(values[u.name] + sign * step, u.lower, u.upper)) for sign in (1.0, -1.0)]
            high, low = (self.forces({**values, u.name: end}, times, displacements) for end in ends)
            parts.append((high - low) / (ends[0] - ends[1]))
        return np.stack(parts, axis=2)
