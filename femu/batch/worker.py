"""A worker process: reads jobs from its standard input and writes demands to its standard output,
until either closes.

It is a separate process, not a fork: a script that runs a batch needs no guard, and a crash affects
nothing else. Messages are pickles after their length (8 bytes, little end first).
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import IO, Any

LENGTH = 8  # bytes


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(content).to_bytes(LENGTH, "little") + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; EOFError if the other side has gone."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        raise EOFError
    size = int.from_bytes(head, "little")
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return pickle.loads(content)


def main() -> None:
    """Serve until the other side closes."""
    inward = sys.stdin.buffer
    outward = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # what a model prints must not mix with the messages
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from femu.batch.runner import run_packed

    try:
        plan = receive(inward)
        while True:
            send(outward, run_packed(plan, receive(inward)))
    except (EOFError, BrokenPipeError):
        pass
