"""What a hybrid test keeps of a step to continue from it, besides the state of the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.experimental.session import SpecimenSession
from femu.experimental.tangents.tangent import TangentEstimator
from femu.experimental.updater import Updater
from femu.results.save import Save

Array = npt.NDArray[np.float64]


class Memory:
    """What the integrator remembers from step to step besides the state: the end of run.own."""

    def __init__(self, floats: int) -> None:
        self.values = np.zeros(floats)

    def live_in(self, run: Workspace) -> None:
        """Be part of a run from now on."""
        if len(self.values):
            own = run.fields.own[-len(self.values) :]
            own[:] = self.values
            self.values = own

    def checkpoint(self) -> Array:
        return self.values

    def restore(self, values: Array) -> None:
        self.values[:] = values


def checkpoint_of(part: Any) -> Array:
    """Everything that changes in a part of a test; of constant length."""
    made = part.state if isinstance(part, TangentEstimator) else part.checkpoint()
    return np.asarray(made, dtype=float)


def saved_places(program: Program, save: Save) -> npt.NDArray[np.int64]:
    """Places in the state of what the result saves."""
    return np.array(
        [place for block in save.blocks(program).values() for place in block], dtype=np.int64
    )


def kept_of_every_step(program: Program, save: Save, parts: Iterable[Any]) -> npt.NDArray[np.int64]:
    """Places in a checkpoint (the state, then the parts of the test) of what the journal keeps of
    every step.

    These are what the result saves, and the last exchange with each specimen.
    """
    found, place = [saved_places(program, save)], program.layout.size
    for part in parts:
        if isinstance(part, SpecimenSession):
            found.append(place + np.arange(part.exchanged_size))
        place += len(checkpoint_of(part))
    return np.concatenate(found)


def updated_places(updater: Updater | None, program: Program) -> npt.NDArray[np.int64] | None:
    """Places of the parameters that an updater may write; None without one."""
    if updater is None:
        return None
    places = updater.writes_to
    return np.asarray(
        np.arange(len(program.parameters)) if places is None else places, dtype=np.int64
    )
