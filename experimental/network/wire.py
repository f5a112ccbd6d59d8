"""The bytes of the protocols of OpenSees and OpenFresco: little-endian, without header, length or
padding.

A message is a vector of D doubles in both directions. A request has the action in its first place,
then the blocks displacement, velocity, acceleration, force and time, as long as agreed at the
start; an empty block takes no room. An answer has its blocks from the first place on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMessage

Array = npt.NDArray[np.float64]
INTEGER, DOUBLE = np.dtype("<i4"), np.dtype("<f8")
DEFAULT_DATA = 256  # doubles of a message unless more are needed
MOST_DATA = 1 << 17  # doubles accepted in a message: 1 MB
MOST_BLOCK = 4096  # numbers accepted in a block
ENDIAN_CHECK = np.array([1], INTEGER).tobytes()
HELLO, WELCOME = b"a", b"b"
VERSION = 2.8  # of OpenFresco: both ends of a remote site must name the same
IDS_BYTES, SIZES_BYTES = 44, 20
INIT_BYTES, INIT_MARK = 16385, 2  # a line of a controller's start-up file


class Action(IntEnum):
    """What a request asks for."""

    OPEN, SETUP, TRIAL, EXECUTE, COMMIT, ALL = 1, 2, 3, 4, 5, 6
    DISPLACEMENT, VELOCITY, ACCELERATION, FORCE, TIME = 7, 8, 9, 10, 11
    INITIAL_STIFFNESS, TANGENT, DAMPING, MASS = 12, 13, 14, 15
    SHUTDOWN, DIE = 98, 99


MATRICES = (Action.INITIAL_STIFFNESS, Action.TANGENT, Action.DAMPING, Action.MASS)
READINGS = (
    Action.ALL,
    Action.DISPLACEMENT,
    Action.VELOCITY,
    Action.ACCELERATION,
    Action.FORCE,
    Action.TIME,
)
RECEIVED = 4.0  # answer of a site to the end of a test


@dataclass(frozen=True)
class Sizes:
    """Numbers in the blocks of a message."""

    displacement: int = 0
    velocity: int = 0
    acceleration: int = 0
    force: int = 0
    time: int = 0

    @property
    def all(self) -> tuple[int, int, int, int, int]:
        return self.displacement, self.velocity, self.acceleration, self.force, self.time

    @property
    def total(self) -> int:
        return sum(self.all)

    def encoded(self) -> bytes:
        """Five integers."""
        return np.array(self.all, INTEGER).tobytes()

    @classmethod
    def of(cls, data: bytes) -> Sizes:
        values = [int(v) for v in np.frombuffer(data, INTEGER)]
        if len(values) != 5 or not all(0 <= v <= MOST_BLOCK for v in values):
            raise BadMessage(
                f"The other side declared blocks of {values} numbers; 0 to {MOST_BLOCK} each are "
                "accepted."
            )
        return cls(*values)

    def split(self, values: Array) -> list[Array]:
        """The blocks of a vector, in order."""
        return np.split(values[: self.total], np.cumsum(self.all)[:-1])


@dataclass(frozen=True)
class Terms:
    """What both sides agree on at the start.

    Blocks of requests (control) and answers (acquired), doubles of a message.
    """

    control: Sizes
    acquired: Sizes
    data: int = DEFAULT_DATA

    @classmethod
    def fitting(cls, control: Sizes, acquired: Sizes, least: int = DEFAULT_DATA) -> Terms:
        """Terms with a message as long as its blocks need."""
        return cls(control, acquired, max(least, 1 + control.total, acquired.total))

    def __post_init__(self) -> None:
        need = max(1 + self.control.total, self.acquired.total)
        if not need <= self.data <= MOST_DATA:
            raise BadMessage(
                f"The other side declared messages of {self.data} numbers; {need} to {MOST_DATA} "
                "are accepted."
            )

    def encoded(self) -> bytes:
        """The 11 integers with which a client begins (protocols A, B.3, B.4 and of a controller)."""
        return (
            self.control.encoded()
            + self.acquired.encoded()
            + np.array([self.data], INTEGER).tobytes()
        )

    @classmethod
    def of(cls, data: bytes) -> Terms:
        if len(data) != IDS_BYTES:
            raise BadMessage(f"The first message has {len(data)} bytes; {IDS_BYTES} were expected.")
        return cls(
            Sizes.of(data[:SIZES_BYTES]),
            Sizes.of(data[SIZES_BYTES : 2 * SIZES_BYTES]),
            int(np.frombuffer(data[2 * SIZES_BYTES :], INTEGER)[0]),
        )

    def request(self, action: int, *blocks: Array) -> bytes:
        """A request; blocks one after the other, as declared."""
        return vector(self.data, [float(action)], *blocks)

    def parse_request(self, data: bytes) -> tuple[Action, Array]:
        """Action and control blocks of a request."""
        values = numbers(data, 1 + self.control.total)
        return action_of(values[0]), values[1:]


def vector(length: int, *parts: npt.ArrayLike) -> bytes:
    """Doubles, filled up with zeros to a length."""
    out = np.zeros(length, DOUBLE)
    start = 0
    for part in parts:
        values = np.asarray(part, dtype=float).ravel()
        out[start : start + len(values)] = values
        start += len(values)
    return out.tobytes()


def numbers(data: bytes, count: int) -> Array:
    """The first numbers of a message; they must be finite."""
    values = np.frombuffer(data, DOUBLE, count).astype(float)
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise BadMessage(f"The other side sent {values[place]} at place {place} of a message.")
    return values


def action_of(value: float) -> Action:
    """The action by its number."""
    if math.isfinite(value) and value == int(value):
        try:
            return Action(int(value))
        except ValueError:
            pass
    raise BadMessage(f"The other side asked for action {value:g}, which does not exist.")
