"""Waits for one client, and sends everybody else away.

Whoever connects must show that it is a client: its address must be allowed, and its
first message be that of a client (or prove the secret). A port scan, a browser or a connection that
says nothing is dropped and reported, and others who come meanwhile are not kept from connecting.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from femu.experimental.errors import PeerSilent
from femu.experimental.network import refusal
from femu.experimental.network.address_list import AddressList
from femu.experimental.network.secret import (
    CODE_BYTES,
    HELLO_BYTES,
    MAGIC,
    NONCE_BYTES,
    Session,
    hello,
    nonce_of,
)
from femu.experimental.network.transport import (
    LARGEST_DATAGRAM,
    LOOPBACK,
    Link,
    SealedTcpLink,
    SealedUdpLink,
    TcpLink,
    UdpLink,
    family_of,
)
from femu.experimental.network.wire import (
    DEFAULT_DATA,
    DOUBLE,
    ENDIAN_CHECK,
    HELLO,
    IDS_BYTES,
    INTEGER,
    MOST_BLOCK,
    WELCOME,
    Action,
)
from femu.support.errors import InputError

FIRST_WITHIN = 10.0  # seconds for the whole first message of a visitor
TURN = 2.0  # seconds for which one that has said hello over UDP goes before others
MOST_VISITORS = 64  # at a time; the oldest is sent away
LARGEST_FIRST = 4096  # bytes of a visitor that are read before it is a client
NO_SECRET = "does not begin with the secret that this server asks for"
WRONG_SECRET = "does not know the secret"
NOT_OURS = "does not begin as a client of OpenSees, OpenFresco or femu"
HAS_SECRET = "begins with a secret, and this server has none"

UNPROVEN = "has not proved that it knows the secret"
SILENT = "has said hello and nothing more"

Report = Callable[[str, str], None]
"""What is done with an address and the reason for which it was sent away."""


class Stray(Exception):
    """A visitor that is no client."""


def _is_first(head: bytes) -> bool:
    """Whether four bytes may be the beginning of a client: a number of displacements, or the 1 with
    which a site begins."""
    return 1 <= int(np.frombuffer(head[:4], INTEGER)[0]) <= MOST_BLOCK


def _plain(data: bytes) -> bool:
    """Whether the bytes of a visitor over TCP are those of a client; False if more are needed."""
    if data.startswith(MAGIC):
        raise Stray(HAS_SECRET)
    if len(data) >= 4 and not _is_first(data):
        raise Stray(NOT_OURS)
    return len(data) >= IDS_BYTES


class SecretBeginning:
    """The server's part of a beginning with a secret, of one visitor."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.session: Session | None = None
        self.done = False

    @property
    def needs(self) -> int:
        """Bytes of the next message."""
        return HELLO_BYTES if self.session is None else CODE_BYTES

    def take(self, message: bytes) -> bytes:
        """The answer to a message."""
        if self.session is None:
            theirs = nonce_of(message)
            if theirs is None:
                raise Stray(NO_SECRET)
            mine = hello()
            self.session = Session(self._secret, mine[-NONCE_BYTES:], theirs, client=False)
            return mine
        if not self.session.is_proof(b"client", message):
            raise Stray(WRONG_SECRET)
        self.done = True
        return self.session.proof(b"server")


@dataclass
class Visitor:
    """Somebody who has connected over TCP and is not known yet."""

    connected: socket.socket
    who: str
    until: float
    beginning: SecretBeginning | None
    site: bool
    data: bytes = b""
    answered: bool = False

    def hear(self) -> Link | None:
        """Read what has come; a link if it is a client. Raises `Stray` if it is none."""
        try:
            part = self.connected.recv(LARGEST_FIRST - len(self.data))
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            part = b""
        if not part:
            raise Stray(f"closed the connection after {len(self.data)} bytes")
        self.data += part
        if self.beginning is None:
            if _plain(self.data):
                return self._link()
            if self.data == ENDIAN_CHECK and not self.answered:
                self._site_begins()
            return None
        while len(self.data) >= (need := self.beginning.needs):
            message, self.data = self.data[:need], self.data[need:]
            try:
                self.connected.send(self.beginning.take(message))
            except OSError:
                raise Stray("closed the connection") from None
            if self.beginning.done:
                return self._link()
        if not self.beginning.session and not MAGIC.startswith(self.data[: len(MAGIC)]):
            raise Stray(NO_SECRET)
        return None

    def _site_begins(self) -> None:
        """The near end of a remote site has sent its 1 and waits for the same."""
        if not self.site:
            # it is refused if it sends nothing more, and one that sends its first message in two
            # parts is not
            self.until = time.monotonic() + refusal.IDS_WITHIN
            return
        self.answered = True
        with contextlib.suppress(OSError):
            self.connected.send(ENDIAN_CHECK)

    def late(self) -> Link | None:
        """Its time is over; a link if it is a client to be refused."""
        waits = self.data == ENDIAN_CHECK and not self.site and self.beginning is None
        return self._link() if waits else None

    def _link(self) -> Link:
        self.connected.setblocking(True)
        session = self.beginning.session if self.beginning else None
        if session is not None:
            return SealedTcpLink(self.connected, 1.0, session, self.data)
        link = TcpLink(self.connected, 1.0, self.data)
        link.answered = self.answered
        return link


class Listener:
    """Waits for one client on a port (0: any free one). Beyond loopback only where ``host`` says so,
    and for the addresses of ``allow``."""

    def __init__(
        self,
        port: int = 0,
        host: str = LOOPBACK,
        udp: bool = False,
        *,
        allow: AddressList | None = None,
        secret: bytes | None = None,
        report: Report | None = None,
        site: bool = False,
    ) -> None:
        family = family_of(host)
        self.udp, self._secret, self._site = udp, secret, site
        self._allow = allow or AddressList("server", host, None)
        self._report = report or (lambda who, why: None)
        self.client = ""
        self._socket = socket.socket(family, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        try:
            if not udp:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((host, port))
            if not udp:
                self._socket.listen(MOST_VISITORS)
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
            link = self._over_udp(deadline) if self.udp else self._over_tcp(deadline)
        except TimeoutError:
            self.close()
            raise PeerSilent(f"No client came within {wait:g} s.") from None
        link.silence = silence
        return link

    def close(self) -> None:
        """Stop listening."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def _beginning(self) -> SecretBeginning | None:
        return None if self._secret is None else SecretBeginning(self._secret)

    # --- TCP ---

    def _over_tcp(self, deadline: float | None) -> Link:
        visitors: dict[socket.socket, Visitor] = {}
        self._socket.setblocking(False)
        with selectors.DefaultSelector() as ready:
            ready.register(self._socket, selectors.EVENT_READ)
            try:
                while True:
                    ends = [visitor.until for visitor in visitors.values()]
                    for key, _ in ready.select(_until(deadline, ends)):
                        if key.fileobj is self._socket:
                            self._come(visitors, ready)
                            continue
                        link = self._heard(visitors, ready, visitors[key.fileobj])  # type: ignore[index]
                        if link is not None:
                            self.close()  # a second client is refused at once
                            return link
                    now = time.monotonic()
                    for late in [v for v in visitors.values() if v.until <= now]:
                        link = late.late()
                        if link is not None:
                            self.client = late.who
                            self.close()
                            return link
                        said = f"sent {len(late.data)} bytes and no whole first message"
                        self._send_away(visitors, ready, late, f"{said} in {FIRST_WITHIN:g} s")
            finally:
                for visitor in visitors.values():
                    if visitor.who != self.client:
                        visitor.connected.close()

    def _come(self, visitors: dict[socket.socket, Visitor], ready: selectors.BaseSelector) -> None:
        """Somebody connects."""
        try:
            connected, address = self._socket.accept()
        except OSError:  # gone again, or no file handle is left for it
            time.sleep(0.01)
            return
        who = _named(address)
        if address[0] not in self._allow:
            self._drop(connected, who, "is not in the list of allowed addresses")
            return
        if len(visitors) >= MOST_VISITORS:
            self._send_away(visitors, ready, next(iter(visitors.values())), "too many at a time")
        connected.setblocking(False)
        visitor = Visitor(
            connected, who, time.monotonic() + FIRST_WITHIN, self._beginning(), self._site
        )
        visitors[connected] = visitor
        ready.register(connected, selectors.EVENT_READ)

    def _heard(
        self,
        visitors: dict[socket.socket, Visitor],
        ready: selectors.BaseSelector,
        visitor: Visitor,
    ) -> Link | None:
        try:
            link = visitor.hear()
        except Stray as why:
            self._send_away(visitors, ready, visitor, str(why))
            return None
        if link is not None:
            self.client = visitor.who
        return link

    def _send_away(
        self,
        visitors: dict[socket.socket, Visitor],
        ready: selectors.BaseSelector,
        visitor: Visitor,
        why: str,
    ) -> None:
        ready.unregister(visitor.connected)
        del visitors[visitor.connected]
        self._drop(visitor.connected, visitor.who, why)

    def _drop(self, connected: socket.socket, who: str, why: str) -> None:
        with contextlib.suppress(OSError):
            connected.close()
        self._report(who, why)

    # --- UDP ---

    def _over_udp(self, deadline: float | None) -> Link:
        heard = UdpVisitors(self)
        while True:
            self._socket.settimeout(_until(deadline, heard.ends()))
            try:
                data, address = self._socket.recvfrom(LARGEST_DATAGRAM)
            except TimeoutError:
                if deadline is not None and time.monotonic() >= deadline:
                    raise
                heard.next_turn()
                continue
            except OSError:  # of an earlier answer that could not be delivered
                continue
            if address[0] not in self._allow:
                self._report(_named(address), "is not in the list of allowed addresses")
                continue
            try:
                link = heard.take(data, address)
            except Stray as why:
                self._report(_named(address), str(why))
                continue
            if link is not None:
                self.client = _named(address)
                return link


class UdpVisitors:
    """Those who have sent datagrams to a server that waits for its client."""

    def __init__(self, listener: Listener) -> None:
        self._socket, self._secret = listener._socket, listener._secret
        self._proving: dict[tuple[object, ...], tuple[SecretBeginning, float]] = {}
        self._report = listener._report
        self._waiting: list[tuple[object, ...]] = []  # have said hello; the first has its turn
        self._until = 0.0

    def ends(self) -> list[float]:
        proving = [until for _, until in self._proving.values()]
        return [*proving, self._until] if self._waiting else proving

    def take(self, data: bytes, address: tuple[object, ...]) -> Link | None:
        """A datagram; the link if its sender is a client now."""
        self.next_turn()
        if self._secret is not None:
            return self._proven(data, address)
        if data == HELLO:
            if address not in self._waiting:
                self._waiting.append(address)
                del self._waiting[MOST_VISITORS:]
                if len(self._waiting) == 1:
                    self._welcome()
            elif address == self._waiting[0]:
                self._send(WELCOME, address)
            return None
        if data.startswith(MAGIC):
            raise Stray(HAS_SECRET)
        greeted = bool(self._waiting) and address == self._waiting[0]
        opening = len(data) == 8 * DEFAULT_DATA and np.frombuffer(data, DOUBLE, 1)[0] == Action.OPEN
        if not ((len(data) == IDS_BYTES and _is_first(data)) or (greeted and opening)):
            if address in self._waiting:
                self._leave(address)
            raise Stray(NOT_OURS)
        if self._waiting and not greeted:
            raise Stray("begins while another client does")
        self._socket.connect(address)
        return UdpLink(self._socket, 1.0, data)

    def next_turn(self) -> None:
        """Let the next one begin if the first has said hello and nothing more."""
        now = time.monotonic()
        for address in [a for a, (_, until) in self._proving.items() if until <= now]:
            del self._proving[address]
            self._report(_named(address), UNPROVEN)
        while self._waiting and time.monotonic() >= self._until:
            self._leave(self._waiting[0])

    def _leave(self, address: tuple[object, ...]) -> None:
        first = self._waiting[0] == address
        self._waiting.remove(address)
        if first and time.monotonic() >= self._until:
            self._report(_named(address), SILENT)
        if first and self._waiting:
            self._welcome()

    def _welcome(self) -> None:
        self._until = time.monotonic() + TURN
        self._send(WELCOME, self._waiting[0])

    def _send(self, data: bytes, address: tuple[object, ...]) -> None:
        with contextlib.suppress(OSError):
            self._socket.sendto(data, address)

    def _proven(self, data: bytes, address: tuple[object, ...]) -> Link | None:
        assert self._secret is not None
        if nonce_of(data) is not None:  # begins, perhaps anew
            self._proving.pop(address, None)
            while len(self._proving) >= MOST_VISITORS:
                oldest = next(iter(self._proving))
                del self._proving[oldest]
                self._report(_named(oldest), UNPROVEN)
            until = time.monotonic() + FIRST_WITHIN
            self._proving[address] = SecretBeginning(self._secret), until
        beginning, _ = self._proving.get(address, (None, 0.0))
        if beginning is None:
            raise Stray(NO_SECRET)
        try:
            answer = beginning.take(data)
        except Stray:
            del self._proving[address]
            raise
        self._send(answer, address)
        if not beginning.done:
            return None
        self._socket.connect(address)
        assert beginning.session is not None
        return SealedUdpLink(self._socket, 1.0, beginning.session)


def _named(address: tuple[object, ...]) -> str:
    """An address in a message."""
    return f"{address[0]} port {address[1]}"


def _until(deadline: float | None, ends: list[float]) -> float | None:
    """Seconds until something must be done; raises `TimeoutError` after the deadline."""
    now = time.monotonic()
    if deadline is not None and deadline <= now:
        raise TimeoutError
    every = [*ends, *([] if deadline is None else [deadline])]
    return max(min(every) - now, 1e-3) if every else None
