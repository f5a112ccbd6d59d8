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
import struct
import time
from typing import Any

from femu.experimental.errors import BadMessage, PeerLost, PeerSilent
from femu.experimental.network.secret import (
    CODE_BYTES,
    HELLO_BYTES,
    NONCE_BYTES,
    SEAL_BYTES,
    Session,
    hello,
    nonce_of,
)
from femu.experimental.network.wire import HELLO, IDS_BYTES, MOST_DATA, WELCOME
from femu.support.errors import InputError

LOOPBACK = "127.0.0.1"
DATAGRAM = 9126  # bytes of a datagram, at most
LARGEST_DATAGRAM = 65535
MOST_FORGOTTEN = 1000  # datagrams dropped at a time
LENGTH = struct.Struct("<I")
LONGEST_SEALED = 8 * MOST_DATA
SENT_AWAY = (
    "The other side closed the connection before it answered anything. A server of femu does so "
    "if its allow-list has no such address, if the secret is missing or wrong, or if it has none "
    "itself; its log says which."
)
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
    """A TCP connection. ``early`` is what was read of it to see who it is."""

    def __init__(self, connected: socket.socket, silence: float, early: bytes = b"") -> None:
        super().__init__(connected, silence)
        self._early, self._heard = early, bool(early)
        self.answered = False
        """Whether the 1 with which a site begins was answered when it was let in."""
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
            raise self._lost(problem) from None

    def _lost(self, problem: OSError) -> PeerLost:
        gone = isinstance(problem, (ConnectionResetError, BrokenPipeError)) and not self._heard
        return PeerLost(SENT_AWAY if gone else f"The connection was lost: {problem}.")

    def _closed(self) -> PeerLost:
        return PeerLost(
            "The other side closed the connection without ending the test."
            if self._heard
            else SENT_AWAY
        )

    def forget(self) -> None:
        # what is left over here would be the beginning of the next answer, and every one after it
        # be wrong
        self._socket.setblocking(False)
        try:
            left = self._early or self._socket.recv(LARGEST_DATAGRAM)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as problem:
            raise self._lost(problem) from None
        if not left:
            raise self._closed()
        raise BadMessage(
            f"The other side sent {len(left)} bytes too many: its answer was too long, or came "
            "twice."
        )

    def receive(self, count: int, within: float | None = None) -> bytes:
        deadline = time.monotonic() + (self.silence if within is None else within)
        early, self._early = self._early[:count], self._early[count:]
        parts, have = [early], len(early)
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
                raise self._lost(problem) from None
            if not part:
                raise self._closed()
            self._heard = True
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
                self._socket.send(self._packed(data[start : start + self.cut]))
        except OSError as problem:
            raise PeerLost(f"The other side cannot be reached: {problem}.") from None

    def _packed(self, part: bytes) -> bytes:
        """What leaves as one datagram."""
        return part

    def _unpacked(self, datagram: bytes) -> bytes | None:
        """What came in a datagram; None if it is not from the other side."""
        return datagram

    def forget(self) -> None:
        self._socket.setblocking(False)
        try:
            with contextlib.suppress(OSError):
                for _ in range(MOST_FORGOTTEN):
                    self._unpacked(self._socket.recv(LARGEST_DATAGRAM))
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
                    datagram, sender = self._socket.recvfrom(LARGEST_DATAGRAM)
                except TimeoutError:
                    raise PeerSilent(
                        f"The other side did not send a whole message within {self.silence:g} s."
                    ) from None
                except OSError as problem:
                    raise PeerLost(f"The other side cannot be reached: {problem}.") from None
                came = None if sender[:2] != self._peer else self._unpacked(datagram)
                if came is None:
                    continue
                part = came
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


class SealedTcpLink(TcpLink):
    """A TCP connection whose messages carry a counter and a code.

    Each is sent as its length, then what the session makes of it.
    """

    def __init__(
        self, connected: socket.socket, silence: float, session: Session, early: bytes = b""
    ) -> None:
        super().__init__(connected, silence, early)
        self._session, self._clear, self._heard = session, b"", True

    def send(self, data: bytes) -> None:
        sealed = self._session.seal(data)
        super().send(LENGTH.pack(len(sealed)) + sealed)

    def forget(self) -> None:
        if self._clear:
            raise BadMessage(f"The other side sent {len(self._clear)} bytes too many.")
        super().forget()

    def receive(self, count: int, within: float | None = None) -> bytes:
        deadline = time.monotonic() + (self.silence if within is None else within)
        while len(self._clear) < count:
            (length,) = LENGTH.unpack(self._left(LENGTH.size, deadline))
            if not SEAL_BYTES < length <= SEAL_BYTES + LONGEST_SEALED:
                raise BadMessage(f"The other side sent a message of {length} bytes with its code.")
            message = self._session.unseal(self._left(length, deadline))
            if message is None:
                raise BadMessage(
                    "A message came with a wrong code: it was changed on the way, or is an earlier "
                    "one again. Nothing was done."
                )
            self._clear += message
        data, self._clear = self._clear[:count], self._clear[count:]
        return data

    def _left(self, count: int, deadline: float) -> bytes:
        return super().receive(count, within=deadline - time.monotonic())


class SealedUdpLink(UdpLink):
    """Datagrams that carry a counter and a code; others are dropped, and counted."""

    def __init__(self, connected: socket.socket, silence: float, session: Session) -> None:
        super().__init__(connected, silence)
        self._session, self.forged = session, 0

    def _packed(self, part: bytes) -> bytes:
        return self._session.seal(part)

    def _unpacked(self, datagram: bytes) -> bytes | None:
        message = self._session.unseal(datagram)
        self.forged += message is None
        return message


def connect(
    host: str,
    port: int,
    *,
    udp: bool = False,
    silence: float = 60.0,
    handshake: bool = True,
    secret: bytes | None = None,
) -> Link:
    """A link to a server; ``handshake`` is the exchange of one byte with which some servers begin
    over UDP. With a ``secret`` both sides prove that they know it instead."""
    made = socket.socket(family_of(host), socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
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
    link = UdpLink(made, silence) if udp else TcpLink(made, silence)
    if secret is not None:
        try:
            return _proven(link, made, secret)
        except BaseException:
            link.close()
            raise
    if udp and handshake:
        link.send(HELLO)
        if link.receive(1) != WELCOME:
            link.close()
            raise BadMessage(f"{host}, port {port} answered something else than {WELCOME!r}.")
    return link


def _proven(link: Link, connected: socket.socket, secret: bytes) -> Link:
    """The client's part of the beginning with a secret."""
    mine = hello()
    link.send(mine)
    theirs = nonce_of(link.receive(HELLO_BYTES))
    if theirs is None:
        raise BadMessage("The other side has no secret: it is no server of femu with one.")
    session = Session(secret, theirs, mine[-NONCE_BYTES:], client=True)
    try:
        link.send(session.proof(b"client"))
        proof = link.receive(CODE_BYTES)
    except PeerLost:
        raise PeerLost(
            "The other side closed the connection when it was to prove that it knows the secret: "
            "the secret is wrong on one of the two sides."
        ) from None
    if not session.is_proof(b"server", proof):
        raise BadMessage("The other side does not know the secret. Nothing was sent to it.")
    kind = SealedUdpLink if isinstance(link, UdpLink) else SealedTcpLink
    return kind(connected, link.silence, session)


def must_be_positive(what: str, **given: float) -> None:
    """Refuse waits and versions that are not positive, finite numbers: a wait of NaN has no end."""
    for argument, value in given.items():
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(what, argument, value, "must be positive and finite")


def family_of(host: Any) -> socket.AddressFamily:
    try:
        version = ipaddress.ip_address(str(host)).version
    except ValueError:
        raise InputError(
            "network", "host", host, "must be a numeric address", fix=f"give for example {LOOPBACK}"
        ) from None
    return socket.AF_INET if version == 4 else socket.AF_INET6
