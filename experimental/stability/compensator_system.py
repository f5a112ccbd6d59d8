"""Compiled compensators as linear systems about the start of a test.

A compiled compensator is a vector and two kernels. It is linear in targets and measurements as long
as its coefficients are those of the start, so its matrices are the answers of the kernels to one
entry of the vector, of the target and of the measurement at a time. What no command depends on
(coefficients and covariances, to which signals at rest make no difference) is left out.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import CompiledCompensation
from femu.experimental.stability.linear_system import LinearSystem

Array = npt.NDArray[np.float64]
SMALL = 1e-6  # of an entry: small, so that nothing is adapted or limited


@dataclass(frozen=True, eq=False)
class CompensatorSystem:
    """command = c s + d target, s_1 = a s_0 + target_in target + measured_in reached."""

    a: Array
    target_in: Array
    measured_in: Array
    c: Array
    d: Array

    def before(self, plant: LinearSystem) -> LinearSystem:
        """The compensator and what it commands, from targets to all outputs of that; the first
        outputs are the reached displacements."""
        n = len(self.d)
        reached_by_state, reached_by_command = plant.c[:n], plant.d[:n]
        own = self.a + self.measured_in @ reached_by_command @ self.c
        return LinearSystem(
            np.block([[own, self.measured_in @ reached_by_state], [plant.b @ self.c, plant.a]]),
            np.vstack([self.target_in + self.measured_in @ reached_by_command @ self.d,
                       plant.b @ self.d]),
            np.hstack([plant.d @ self.c, plant.c]),
            plant.d @ self.d,
        )  # fmt: skip


def compensator_system(
    compensation: CompiledCompensation, channels: int, dt: float
) -> CompensatorSystem:
    """The system of a compensator for a number of channels at steps of ``dt``."""
    made = copy.deepcopy(compensation)
    made.start(channels, dt)
    start, rest = made.state, np.zeros(channels)
    n = len(start)

    def answer(state: Array, target: Array, reached: Array) -> Array:
        made.restore(state)
        command = made.command(target)
        made.measured(reached)
        return np.concatenate([made.state, command])

    still = answer(start, rest, rest)

    def columns(count: int, changed: Callable[[Array], Array]) -> Array:
        found = [(changed(SMALL * unit) - still) / SMALL for unit in np.eye(count)]
        return np.array(found).T.reshape(n + channels, count)

    by_state = columns(n, lambda change: answer(start + change, rest, rest))
    by_target = columns(channels, lambda change: answer(start, change, rest))
    by_reached = columns(channels, lambda change: answer(start, rest, change))
    a, c = by_state[:n], by_state[n:]
    used = _used(a, np.any(by_target[:n], axis=1) | np.any(by_reached[:n], axis=1))
    used &= _used(a.T, np.any(c, axis=0))
    return CompensatorSystem(
        a[np.ix_(used, used)], by_target[:n][used], by_reached[:n][used], c[:, used], by_target[n:]
    )


def _used(matrix: Array, first: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """What the first entries have an influence on, step by step."""
    linked, found = matrix != 0.0, first
    for _ in range(len(matrix)):
        more = found | linked[:, found].any(axis=1)
        if np.array_equal(more, found):
            break
        found = more
    return found
