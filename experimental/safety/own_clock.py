"""A limit of velocity that counts by the clock of whoever moves the specimen.

The times that a client sends say how fast its model moves, and can be wrong or forged. A physical
specimen moves in the time that passes, so the way from one command to the next must also be within
the velocity limit by that::

    way <= slack + v min(elapsed, PAUSE),      slack = min(v JITTER, what is left of this)

The slack lets commands through that come early after one that came late. After a pause of any
length a step is at most v (PAUSE + JITTER).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import quantity
from femu.experimental.errors import LimitTripped
from femu.experimental.safety.limits import Guard, Limits

Array = npt.NDArray[np.float64]
JITTER = 0.1  # seconds by which a command may come early
PAUSE = 1.0  # seconds without a command that count at most
ROUNDING = 1.0 + 1e-9


class ClockedGuard(Guard):
    """Limits, of which that of the velocity also counts by a clock of its own."""

    def __init__(
        self,
        limits: Limits,
        size: int,
        stiffness: Array | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        **options: Any,
    ) -> None:
        super().__init__(limits, size, stiffness, **options)
        self._clock = clock
        self._velocity = (
            None
            if limits.velocity is None
            else np.broadcast_to(np.asarray(limits.velocity, dtype=float), (size,))
        )
        self._slack = np.zeros(size) if self._velocity is None else self._velocity * JITTER
        self._last = clock()

    def _may_go(self) -> Array:
        assert self._velocity is not None
        return self._slack + self._velocity * min(self._clock() - self._last, PAUSE)

    def check(self, command: Array, time: float) -> None:
        super().check(command, time)
        if self._velocity is None:
            return
        way, may = np.abs(command - self.command), self._may_go()
        if (way > may * ROUNDING).any():
            worst = int(np.argmax((way - may) / self._velocity))
            raise LimitTripped(
                f"The {quantity('velocity', self.names[worst])} limit of {self.actuator(worst)} "
                f"tripped at t = {time:g} by the clock of this side: a way of {way[worst]:.6g}, "
                f"{self._clock() - self._last:.3g} s after the last command, is beyond "
                f"{float(self._velocity[worst]):.6g}. The command {command.tolist()} was not sent."
            )

    def sent(self, command: Array, time: float) -> None:
        if self._velocity is not None:
            left = self._may_go() - np.abs(command - self.command)
            self._slack = np.clip(left, 0.0, self._velocity * JITTER)
            self._last = self._clock()
        super().sent(command, time)
