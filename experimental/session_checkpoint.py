"""The checkpoint of a session as one vector, in the order in which journals hold it.

Whether there is an answer, its time, moves, whether there is a time of the guard, that time; target,
measured displacement and force; of the guard command, displacement, force and stiffness; states of
compensation, sensor monitor and specimen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.experimental.journal.lost_rows import Exchanged
from femu.experimental.safety.limits import Guard
from femu.experimental.specimens.specimen import Measurement

Array = npt.NDArray[np.float64]
HEAD = 5  # numbers in front of the target


def pack(
    size: int,
    target: Array | None,
    answer: Measurement | None,
    moves: int,
    guard: Guard,
    states: Sequence[Array],
) -> Array:
    """The checkpoint of a session with an element of ``size`` deformations."""
    known = answer is not None and target is not None
    last = answer or Measurement(np.zeros(size), np.zeros(size), 0.0)
    time = guard.time
    return np.concatenate(
        [
            [float(known), last.time, float(moves), float(time is not None), time or 0.0],
            target if target is not None else np.zeros(size),
            last.displacement,
            last.force,
            guard.command,
            guard.displacement,
            guard.force,
            guard.stiffness.ravel(),
            *states,
        ]
    )


def unpack(
    values: Array, size: int, guard: Guard, between: int
) -> tuple[Array | None, Measurement | None, int, tuple[Array, Array]]:
    """Target, answer, moves and states of a checkpoint; the guard is set to it.

    The states are ``between`` numbers of compensation and sensor monitor, and that of the specimen.
    """
    m = len(guard.command)
    head, target, d, r, command, at, force, k, inner, specimen = np.split(
        values, np.cumsum([HEAD, size, size, size, m, m, m, m * m, between])
    )
    guard.time = float(head[4]) if head[3] else None
    guard.command, guard.displacement, guard.force = command.copy(), at.copy(), force.copy()
    guard.stiffness = k.reshape(m, m).copy()
    moves = int(head[2])
    if not head[0]:
        return None, None, moves, (inner, specimen)
    answer = Measurement(d.copy(), r.copy(), float(head[1]))
    return target.copy(), answer, moves, (inner, specimen)


def exchanged_size(size: int, actuators: int) -> int:
    """Numbers at the beginning of a checkpoint that `exchanged` reads."""
    return HEAD + 3 * size + 3 * actuators


def exchanged(values: Array, size: int, actuators: int) -> Exchanged:
    """The last exchanges, from the beginnings of checkpoints, one in each row."""
    last, m = HEAD + 3 * size, actuators  # where the guard begins
    return Exchanged(
        values[:, [0, 1, *range(HEAD, last)]],
        values[:, 4],
        values[:, last : last + m],
        values[:, last + m : last + 3 * m],
    )
