"""What a test and its updater in another process say to each other: datagrams of one form, little
endian.

::

    8 bytes mark | kind | session | number | step | time | wall clock | values ...

A session is a random number that both sides were started with: whatever does not carry it is not
read. Nothing is queued: each side reads all that has come and uses the last.
"""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
MARK = b"femu-upd"
HEAD = struct.Struct("<8sqQqqdd")
HELLO, SAMPLE, ESTIMATE, STOP = 1, 2, 3, 4
LARGEST = 32_768  # bytes
# messages read at one look: whoever sends without end must not keep the reader for ever
MOST = 10_000


class Datagram(NamedTuple):
    """One message."""

    kind: int
    number: int
    step: int
    time: float
    clock: float
    values: Array


def pack(
    session: int, kind: int, number: int, step: int, time: float, clock: float, values: Array
) -> bytes:
    """A message as bytes."""
    return (
        HEAD.pack(MARK, kind, session, number, step, time, clock) + values.astype("<f8").tobytes()
    )


def unpack(data: bytes, session: int) -> Datagram | None:
    """A message of this session; None for anything else."""
    if len(data) < HEAD.size or (len(data) - HEAD.size) % 8:
        return None
    mark, kind, of, number, step, time, clock = HEAD.unpack_from(data)
    if mark != MARK or of != session:
        return None
    return Datagram(kind, number, step, time, clock, np.frombuffer(data, "<f8", offset=HEAD.size))


def latest(
    channel: socket.socket, session: int, kinds: tuple[int, ...]
) -> tuple[Datagram | None, tuple[str, int] | None, int]:
    """The last message of some kinds that has come, who sent it, and how many came before it.

    Never waits.
    """
    found: Datagram | None = None
    sender: tuple[str, int] | None = None
    count = 0
    for _ in range(MOST):
        try:
            data, address = channel.recvfrom(LARGEST)
        except (BlockingIOError, InterruptedError):
            break
        # the other side is not there: the system says so at the next receive
        except ConnectionError:
            continue
        message = unpack(data, session)
        if message is None or message.kind not in kinds:
            continue
        if message.kind == STOP:
            return message, address, count
        count += 1
        if found is None or message.number >= found.number:
            found, sender = message, address
    return found, sender, max(count - 1, 0)
