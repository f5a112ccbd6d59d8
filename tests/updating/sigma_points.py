"""The one place at which the tests of the updater reach into it: images of points under its model.

A filter evaluates the model of an updater at its sigma points, in compiled code and with what the
updater keeps in private buffers. The tests of that model put points there from Python.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.updating import ModelUpdater
from femu.updating.twin_kernels import deform_from_python

Array = npt.NDArray[np.float64]


class AtDisplacement:
    """The model of an updater at a new displacement.

    Its committed state is that of the last sample.
    """

    def __init__(self, updater: ModelUpdater, displacement: npt.ArrayLike) -> None:
        self.updater = updater
        updater.clones.now[:] = displacement
        deform_from_python(updater.clones.fields.vector)

    def evaluate(self, which: str, points: Array) -> Array:
        """Images of points in the units of the filter."""
        return self.updater.clones.space.evaluate(which, points)

    def images(self, which: str, points: Array) -> Array:
        """Images of points (parameters, then forces or a history variable) in the units of the
        model."""
        units = self.units
        return self.evaluate(which, points / units) * units

    @property
    def units(self) -> Array:
        """What one is in the filter, of each number of a point."""
        made = self.updater.clones
        beyond = made.hidden_unit if made.mode == "state" else made.force_unit
        return np.concatenate([[u.scale for u in made.unknowns], beyond])

    def commit(self) -> None:
        """Take the step: the histories of the first point become the committed ones."""
        made = self.updater.clones
        made.rows[:] = made.fields.trial[: len(made.rows)]
        made.before[:] = made.now


def history_of_the_twin(updater: ModelUpdater, place: int) -> float:
    """A number of the committed history of the twin."""
    return float(updater.clones.rows[place])
