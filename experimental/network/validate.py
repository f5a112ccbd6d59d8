"""What of an answer over the network cannot be believed, though its bytes have the right number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMessage, ServerRefused
from femu.experimental.network.wire import DOUBLE, Sizes

Array = npt.NDArray[np.float64]
# below it numbers are denormal: bytes of something else, or in another order
SMALLEST = float(np.finfo(float).tiny)
SYMMETRIC = 1e-8  # share of the largest entry; that of rounding is below 1e-12
NEAR = 0.1  # share of the command within which a displacement counts as that of the command
FLAGS = (0.0, 1.0)


def must_not_refuse(data: bytes, count: int) -> None:
    """Raise `ServerRefused` if the first numbers of an answer are NaN, all of them."""
    if np.isnan(np.frombuffer(data, DOUBLE, count)).all():
        raise ServerRefused(
            "The server refused to continue: every number of its answer is nan. Read its own "
            "message for the reason."
        )


def must_be_measured(values: Array) -> None:
    """Refuse measured numbers that no sensor has."""
    odd = (values != 0.0) & (np.abs(values) < SMALLEST)
    if odd.any():
        place = int(np.argmax(odd))
        raise BadMessage(
            f"The other side sent {values[place]:g} at place {place} of a message, which no sensor "
            "measures: its bytes are in another order, or shifted. Answer with little-endian "
            "doubles from the first place on."
        )


def must_be_stiffness(matrix: Array) -> None:
    """Refuse an initial stiffness from the wire that cannot be one."""
    diagonal, largest = np.diag(matrix), float(np.abs(matrix).max())
    if largest == 0.0:
        wrong = "is zero"
    elif ((matrix != 0.0) & (np.abs(matrix) < SMALLEST)).any():
        wrong = "has denormal numbers, so its bytes are something else"
    elif not (diagonal > 0.0).all():
        wrong = f"has {diagonal.min():g} on its diagonal, which must be above 0"
    elif (off := float(np.abs(matrix - matrix.T).max())) > SYMMETRIC * largest:
        wrong = f"is not symmetric: two entries that must be equal differ by {off:g}"
    elif (least := float(np.linalg.eigvalsh(matrix)[0])) < -SYMMETRIC * largest:
        wrong = f"has the eigenvalue {least:g}: it would push the specimen on by itself"
    else:
        return
    raise BadMessage(
        f"The initial stiffness from the server, {matrix.tolist()}, {wrong}. See that the server "
        "is an element server (startSimAppElemServer), or give stiffness=... to the remote "
        "specimen."
    )


def must_not_be_simulink(values: Array, acquired: Sizes, command: Array) -> None:
    """Refuse the answers of OpenFresco's dialogue with Simulink: a flag (0 or 1), then what was
    measured.

    Each of these shows it, since after the measured numbers a controller answers zeros:

    - the flag, and one number more than was asked for;
    - the flag, then displacements near the command, which those from the first place on are not;
    - before the first command a flag of 1, and zeros.

    Of a controller that measures forces alone, only the first can.
    """
    n, flag, rest = len(command), float(values[0]), values[acquired.total :]
    if flag not in FLAGS:
        return
    one_more = bool(len(rest) and rest[0] != 0.0 and not rest[1:].any())
    if not (one_more or acquired.displacement):
        return
    size = float(np.abs(command).max())
    shifted = size > 0.0 and float(
        np.abs(values[1 : n + 1] - command).max()
    ) <= NEAR * size < float(np.abs(values[:n] - command).max())
    at_target = size == 0.0 and flag == 1.0 and not values[1:].any()
    if one_more or shifted or at_target:
        what = "displacement" if acquired.displacement else "force"
        raise BadMessage(
            f"The controller answered {values[: acquired.total + 1].tolist()}, and "
            f"{acquired.total} numbers were asked for: this looks like the dialogue of "
            f"OpenFresco's SimSimulink, with a flag ({flag:g}) first. femu does not speak it, and "
            f"would take the flag for a {what}. Answer with the measured numbers from the first "
            "place on and zeros after them, as docs/lab-controller.md has it."
        )
