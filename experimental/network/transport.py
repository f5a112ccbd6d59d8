"""Transports: bytes over TCP and UDP, with a bound on every wait.

OpenSees leaves Nagle's algorithm on. With delayed acknowledgements at the other end a step then
takes 45 ms; asking for a quick acknowledgement before every receive brings it down to about 1 ms.
UDP messages are cut into datagrams of at most 9126 bytes, as OpenSees cuts them, or of the size the
other side uses.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
import socket
import time
from typing import Any

from femu.experimental.errors import BadMessage, PeerLost, PeerSilent
from femu.experimental.network.wire import HELLO, IDS_BYTES, WELCOME
from femu.support.errors import InputError

LOOPBACK = "127.0.0.1"
DATAGRAM = 9126  # bytes of a datagram, at most
LARGEST_DATAGRAM = 65535
MOST_FORGOTTEN = 1000  # datagrams dropped at a time
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)  # Linux only; elsewhere TCP works, more slowly


class Link:
    """A connection to the other side.

    ``silence`` is the longest wait for a whole message, in seconds.
    """

    def __init__(self, connected: socket.socket, silence: float) -> None:
        self._socket = connected
        self.silence = silence

    def send(self, data: bytes) -> None:
        """Send a message."""
        raise NotImplementedError

    def receive(self, count: int, within: float | None = None) -> bytes:
        """A message of this many bytes."""
        raise NotImplementedError

    def forget(self) -> None:
        """Before a request: drop what has come and was not asked for, where messages can come
        twice; elsewhere refuse it."""

    def close(self) -> None:
        """Let go of the connection."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def _wait(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0.0:
            raise PeerSilent(
                f"The other side did not send a whole message within {self.silence:g} s."
            )
        self._socket.settimeout(left)


class TcpLink(Link):
    """A TCP connection."""

    def __init__(self, connected: socket.socket, silence: float) -> None:
        super().__init__(connected, silence)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        self._socket.settimeout(self.silence)
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise PeerSilent(
                f"The other side did not take a message within {self.silence:g} s."
            ) from None
        except OSError as problem:
            raise PeerLost(f"The connection was lost: {problem}.") from None

    def forget(self) -> None:
        # what is left over here would be the beginning of the next answer, and every one after it
        # be wrong
        self._socket.setblocking(False)
        try:
            left = self._socket.recv(LARGEST_DATAGRAM)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as problem:
            raise PeerLost(f"The connection was lost: {problem}.") from None
        if not left:
            raise PeerLost("The other side closed the connection without ending the test.")
        raise BadMessage(
            f"The other side sent {len(left)} bytes too many: its answer was too long, or came "
            "twice."
        )

    def receive(self, count: int, within: float | None = None) -> bytes:
        deadline = time.monotonic() + (self.silence if within is None else within)
        parts, have = [], 0
        while have < count:
            self._wait(deadline)
            try:
                if _QUICKACK is not None:
                    self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
                part = self._socket.recv(count - have)
            except TimeoutError:
                raise PeerSilent(
                    f"The other side did not send a whole message within {self.silence:g} s."
                ) from None
            except OSError as problem:
                raise PeerLost(f"The connection was lost: {problem}.") from None
            if not part:
                raise PeerLost("The other side closed the connection without ending the test.")
            if len(part) == count:
                return part
            parts.append(part)
            have += len(part)
        return b"".join(parts)


class UdpLink(Link):
    """Datagrams from and to one address; those of others are dropped.

    The system drops what comes after the connection was made. What others have sent before waits in
    the queue; it is dropped here.
    """

    def __init__(self, connected: socket.socket, silence: float, first: bytes = b"") -> None:
        super().__init__(connected, silence)
        self._first = first
        self._peer = connected.getpeername()[:2]
        self._greetings = {HELLO}  # datagrams of the beginning, which may come twice
        self.cut = DATAGRAM

    def send(self, data: bytes) -> None:
        try:
            for start in range(0, len(data), self.cut):
                self._socket.send(data[start : start + self.cut])
        except OSError as problem:
            raise PeerLost(f"The other side cannot be reached: {problem}.") from None

    def forget(self) -> None:
        self._socket.setblocking(False)
        try:
            with contextlib.suppress(OSError):
                for _ in range(MOST_FORGOTTEN):
                    self._socket.recv(LARGEST_DATAGRAM)
        finally:
            self._socket.settimeout(self.silence)

    def receive(self, count: int, within: float | None = None) -> bytes:
        deadline = time.monotonic() + (self.silence if within is None else within)
        data = b""
        while len(data) < count:
            if self._first:
                part, self._first = self._first, b""
            else:
                self._wait(deadline)
                try:
                    part, sender = self._socket.recvfrom(LARGEST_DATAGRAM)
                except TimeoutError:
                    raise PeerSilent(
                        f"The other side did not send a whole message within {self.silence:g} s."
                    ) from None
                except OSError as problem:
                    raise PeerLost(f"The other side cannot be reached: {problem}.") from None
                if sender[:2] != self._peer:
                    continue
            if not data and len(part) != count and part in self._greetings:
                continue
            if not data and len(part) == IDS_BYTES != count:
                other = BadMessage(
                    f"The other side sent a message of {IDS_BYTES} bytes; {count} were expected."
                )
                other.received = part
                raise other
            if len(data) + len(part) > count or not part:
                raise BadMessage(
                    f"The other side sent a message of {len(data) + len(part)} bytes; {count} were "
                    "expected."
                )
            if not data and len(part) < count:
                self.cut = len(part)  # answers are cut as the other side cuts
            data += part
        if len(data) == IDS_BYTES:
            self._greetings.add(data)
        return data


class Listener:
    """Waits for one client on a port (0.

    Any free one). Beyond loopback only where ``host`` says so.
    """

    def __init__(self, port: int = 0, host: str = LOOPBACK, udp: bool = False) -> None:
        family = _family(host)
        self.udp = udp
        self._socket = socket.socket(family, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        try:
            if not udp:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((host, port))
            if not udp:
                self._socket.listen(1)
        except (OSError, OverflowError, TypeError) as problem:
            self._socket.close()
            raise InputError(
                "server",
                "port",
                port,
                f"cannot be used on {host}: {problem}",
                fix="choose another port, or 0 for any free one",
            ) from None
        self.host, self.port = self._socket.getsockname()[:2]

    def accept(self, wait: float | None, silence: float) -> Link:
        """The first client. The port is closed to others from then on."""
        deadline = None if wait is None else time.monotonic() + wait
        try:
            while True:
                self._socket.settimeout(
                    None if deadline is None else max(deadline - time.monotonic(), 1e-3)
                )
                if not self.udp:
                    connected, _ = self._socket.accept()
                    self.close()  # a second client is refused at once
                    return TcpLink(connected, silence)
                data, address = self._socket.recvfrom(LARGEST_DATAGRAM)
                if data == HELLO or len(data) == IDS_BYTES:
                    self._socket.connect(address)
                    if data == HELLO:
                        self._socket.send(WELCOME)
                        data = b""
                    return UdpLink(self._socket, silence, data)
        except TimeoutError:
            self.close()
            raise PeerSilent(f"No client came within {wait:g} s.") from None

    def close(self) -> None:
        """Stop listening."""
        with contextlib.suppress(OSError):
            self._socket.close()


def connect(
    host: str, port: int, *, udp: bool = False, silence: float = 60.0, handshake: bool = True
) -> Link:
    """A link to a server; ``handshake`` is the exchange of one byte with which some servers begin
    over UDP."""
    made = socket.socket(_family(host), socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
    made.settimeout(silence)
    try:
        made.connect((host, port))
    except TimeoutError:
        made.close()
        raise PeerSilent(f"{host}, port {port} did not answer within {silence:g} s.") from None
    except (OSError, OverflowError) as problem:
        made.close()
        raise PeerLost(
            f"{host}, port {port} cannot be reached: {problem}. Is the server running?"
        ) from None
    if not udp:
        return TcpLink(made, silence)
    link = UdpLink(made, silence)
    if handshake:
        link.send(HELLO)
        if link.receive(1) != WELCOME:
            link.close()
            raise BadMessage(f"{host}, port {port} answered something else than {WELCOME!r}.")
    return link


def must_be_positive(what: str, **given: float) -> None:
    """Refuse waits and versions that are not positive, finite numbers: a wait of NaN has no end."""
    for argument, value in given.items():
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(what, argument, value, "must be positive and finite")


def _family(host: Any) -> socket.AddressFamily:
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        raise InputError(
            "network", "host", host, "must be a numeric address", fix=f"give for example {LOOPBACK}"
        ) from None
    return socket.AF_INET if version == 4 else socket.AF_INET6
