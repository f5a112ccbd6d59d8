"""Where a specimen stands when a test goes on: where the test has left it, or it must not be moved.

Between two days a laboratory may bring its actuators back to zero. The next command of the test would then be a jump over the
whole displacement in one step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import LimitTripped
from femu.experimental.record import Record
from femu.experimental.safety import Limits

Array = npt.NDArray[np.float64]
ROOM = 2.0  # times the largest step, or the largest distance from a command, so far: as far a specimen may have crept
FEW = 20  # samples from which that is not yet known
OF_LIMIT = 0.1  # share of the displacement limit that is allowed until then


def must_stand(who: str, standing: Array, record: Record, name: str, limits: Limits) -> None:
    """Raise `LimitTripped` where a specimen stands farther from where its journal ends than a step may be."""
    commands, (reached, _) = record.commands(name), record.measurements(name)
    if not len(commands):
        return
    last = commands[-1]  # it may have gone there, or not yet
    away = np.minimum(np.abs(standing - last), np.abs(standing - (reached[-1] if len(reached) else 0.0 * last)))
    allowed = np.full(len(last), np.inf) if limits.increment is None else np.broadcast_to(limits.increment, last.shape)
    if limits.increment is None and len(reached) >= FEW:
        steps = np.abs(np.diff(commands, axis=0, prepend=0.0)).max(axis=0)
        errors = np.abs(reached - commands[:len(reached)]).max(axis=0)
        allowed = ROOM * np.maximum(steps, errors)
    elif limits.increment is None and limits.displacement is not None:
        allowed = np.broadcast_to(OF_LIMIT * np.asarray(limits.displacement, dtype=float), last.shape)
    if np.any(away > allowed):
        worst = int(np.argmax(away - allowed))
        unsure = "" if standing.any() else (" If it answers zeros because it cannot tell where it stands, see that it is where "
                                            "the journal ends, and give the RemoteSpecimen reads=False.")
        raise LimitTripped(f"Actuator {worst} of {who} stands at {standing[worst]:.6g}, but the journal ends with the command "
                           f"{last[worst]:.6g}: {away[worst]:.6g} away, and {allowed[worst]:.6g} are allowed. Nothing was sent. "
                           f"Bring the specimen back to where the journal ends, slowly, and resume the test.{unsure}")
