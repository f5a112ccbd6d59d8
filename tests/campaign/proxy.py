"""A proxy between a test and its laboratory that does to messages what a bad network does."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable

LOOPBACK = "127.0.0.1"
REQUEST, ANSWER = "request", "answer"
Behaviour = Callable[[str, int, bytes], "list[bytes] | None"]
"""What becomes of a message, given its direction and number.

The messages to pass on, or None to cut the connection.
"""


class Held:
    """Keeps one message back and passes it on after the next of its direction: reorders."""

    def __init__(self, at: int, direction: str = REQUEST) -> None:
        self.at, self.direction, self.kept = at, direction, b""

    def __call__(self, direction: str, number: int, data: bytes) -> list[bytes] | None:
        if direction == self.direction and number == self.at:
            self.kept = data
            return []
        if direction == self.direction and self.kept:
            kept, self.kept = self.kept, b""
            return [data, kept]
        return [data]


class Repeated:
    """Passes one request on, and once more ``later`` requests after it.

    A datagram that took two ways.
    """

    def __init__(self, at: int, later: int = 4) -> None:
        self.at, self.later, self.kept = at, later, b""

    def __call__(self, direction: str, number: int, data: bytes) -> list[bytes] | None:
        if direction == REQUEST and number == self.at:
            self.kept = data
        return (
            [data, self.kept] if direction == REQUEST and number == self.at + self.later else [data]
        )


class Gone:
    """From a request on nothing comes through any more, and neither side is informed.

    A cable that was pulled.
    """

    def __init__(self, at: int) -> None:
        self.at, self.gone = at, False

    def __call__(self, direction: str, number: int, data: bytes) -> list[bytes] | None:
        self.gone = self.gone or (direction == REQUEST and number >= self.at)
        return [] if self.gone else [data]


def cut_after(count: int) -> Behaviour:
    """Cut the connection at the first request after a number of bytes of requests, however they are
    packed."""
    seen = [0]

    def behave(direction: str, number: int, data: bytes) -> list[bytes] | None:
        if direction == REQUEST:
            seen[0] += len(data)
            if seen[0] > count:
                return None
        return [data]

    return behave


def late(number: int, seconds: float) -> Behaviour:
    """One answer waits for a number of seconds."""

    def behave(direction: str, count: int, data: bytes) -> list[bytes]:
        if (direction, count) == (ANSWER, number):
            time.sleep(seconds)
        return [data]

    return behave


def at(
    number: int, what: Callable[[bytes], list[bytes] | None], direction: str = REQUEST
) -> Behaviour:
    """Do something to one message of a direction, and pass the others on."""
    return lambda way, count, data: what(data) if (way, count) == (direction, number) else [data]


def delayed(most: float, seed: int = 1) -> Behaviour:
    """Each message waits for up to a number of seconds."""
    rng = random.Random(seed)

    def behave(direction: str, number: int, data: bytes) -> list[bytes]:
        time.sleep(most * rng.random())
        return [data]

    return behave


def cut_up(direction: str, number: int, data: bytes) -> list[bytes]:
    """Messages come in pieces, as TCP may deliver them."""
    third = max(1, len(data) // 3)
    return [data[k : k + third] for k in range(0, len(data), third)]


class Proxy:
    """Listens on ``port`` and passes on to a server, with a behaviour between them.

    Ends with the block.
    """

    def __init__(self, server: int, behave: Behaviour, udp: bool = False) -> None:
        self._server, self._behave, self._udp = (LOOPBACK, server), behave, udp
        self._sockets: list[socket.socket] = []
        self._counts = {REQUEST: 0, ANSWER: 0}
        self._near = self._socket()
        self._near.bind((LOOPBACK, 0))
        self.port = int(self._near.getsockname()[1])
        self._client: tuple[str, int] | None = None
        self.bytes = 0
        if not udp:
            self._near.listen(1)
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                one.close()

    def _socket(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if self._udp else socket.SOCK_STREAM)
        self._sockets.append(made)
        return made

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            far = self._socket()
            if self._udp:
                near = self._near
                far.connect(self._server)
            else:
                near, _ = self._near.accept()
                self._sockets.append(near)
                far.connect(self._server)
                for one in (near, far):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pump, args=(far, near, ANSWER), daemon=True).start()
            self._pump(near, far, REQUEST)

    def _pump(self, source: socket.socket, target: socket.socket, direction: str) -> None:
        try:
            while True:
                data, sender = source.recvfrom(1 << 16)
                if self._udp and direction == REQUEST:
                    self._client = sender
                if not data:
                    break
                self._counts[direction] += 1
                self.bytes += len(data)
                passed = self._behave(direction, self._counts[direction], data)
                if passed is None:
                    break
                for part in passed:
                    if self._udp and direction == ANSWER and self._client is not None:
                        target.sendto(part, self._client)
                    else:
                        target.sendall(part)
        except OSError:
            pass
        self.close()
