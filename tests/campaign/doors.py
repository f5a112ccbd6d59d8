"""Strangers at the port of a server that moves a specimen.

Each server, over TCP and UDP, with and without a secret, is visited by strangers of many kinds and
then by its client, which is served although strangers come and forge messages while it is. Nothing
that a stranger sends moves the specimen, every stranger is in the log, and the client ends normally.

Strangers from other addresses need a second address of loopback (127.0.0.2), which Linux has.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu.experimental import (
    ExperimentError,
    Limits,
    Measurement,
    RemoteApplication,
    RemoteSite,
    Served,
    Specimen,
    SpecimenServer,
)
from femu.experimental.network import listener
from femu.experimental.network.secret import hello
from femu.experimental.network.transport import connect
from tests.campaign.tally import Tally

SECRET, OTHER = "a secret of this campaign", "another secret, a wrong one"
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
IDS = struct.pack("<11i", 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 8)
COMMAND = struct.pack("<8d", 3.0, 0.09, 0.01, *[0.0] * 5)
SITE = struct.pack("<i", 1)
COMMANDS = [0.001, 0.002, -0.001]
FIRST_WITHIN = 1.0  # seconds that a stranger is heard here
PATIENCE = 60.0
ROUNDS = {True: 3, False: 45}
Stranger = Callable[[int], None]


class Stone(Specimen):
    """Physical: it keeps what it was sent to."""

    def __init__(self) -> None:
        self.size = 1
        self.commands: list[float] = []

    def apply(self, command: np.ndarray, time: float) -> Measurement:
        self.commands.append(float(command[0]))
        return Measurement(command.copy(), 1e5 * command, time)

    def initial_stiffness(self) -> np.ndarray:
        return 1e5 * np.eye(1)


def _tcp(data: bytes, address: str = HERE, reset: bool = False) -> Stranger:
    """Connects, sends and goes; by a reset as port scanners do."""

    def visit(port: int) -> None:
        with socket.socket() as stranger:
            stranger.settimeout(PATIENCE)
            stranger.bind((address, 0))
            stranger.connect((HERE, port))
            if reset:
                stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            with contextlib.suppress(OSError):
                stranger.sendall(data)
                stranger.shutdown(socket.SHUT_WR)
                while stranger.recv(4096):  # until the server closes
                    pass

    return visit


def _udp(data: bytes, address: str = HERE, then: bytes = b"") -> Stranger:
    def visit(port: int) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind((address, 0))
            for datagram in (data, then) if then else (data,):
                stranger.sendto(datagram, (HERE, port))

    return visit


def _wrong_secret(udp: bool) -> Stranger:
    def visit(port: int) -> None:
        # over UDP nobody says that the proof was wrong
        with contextlib.suppress(ExperimentError):
            connect(HERE, port, udp=udp, silence=0.2 if udp else PATIENCE, secret=OTHER.encode())

    return visit


def strangers(udp: bool, secret: bool, replayed: list[bytes]) -> dict[str, Stranger]:
    """Who comes before the client."""
    send = _udp if udp else _tcp
    found = {
        "a browser": send(b"GET / HTTP/1.1\r\nHost: laboratory:8090\r\nAccept: */*\r\n\r\n"),
        "a TLS client": send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)),
        "random bytes": send(bytes(np.random.default_rng(1).integers(0, 256, 3000, np.uint8))),
        "zeros": send(bytes(2048)),
        "the wrong address": send(IDS + COMMAND if not udp else IDS, ELSEWHERE),
        "a session replayed": _udp(replayed[0], then=replayed[1])
        if udp and secret
        else send(b"".join(replayed)),
        "a hello replayed": send(replayed[0]),
    }
    if not udp:
        found["a port scan"] = _tcp(b"", reset=True)
        found["a connection without a word"] = _tcp(b"")
        found["half a first message"] = _tcp(IDS[:20] if not secret else hello()[:20])
    if secret:
        found["no secret"] = send(IDS if udp else IDS + COMMAND)
        found["a site without the secret"] = send(SITE)
        found["a wrong secret"] = _wrong_secret(udp)
    else:
        found["a secret that is not asked for"] = send(hello())
    return found


def _lines(log: Path, of: str) -> int:
    return sum(of in line for line in log.read_text(encoding="utf-8").splitlines())


class Door:
    """A server in a thread, with its log."""

    def __init__(self, folder: Path, protocol: str, udp: bool, secret: bool) -> None:
        self.log, self.stone = folder / "server.log", Stone()
        self.log.unlink(missing_ok=True)
        self.server = SpecimenServer(
            self.stone,
            protocol=protocol,
            udp=udp,
            wait=PATIENCE,
            silence=PATIENCE,
            limits=Limits(displacement=0.1, increment=0.1, force=1e6),
            allow=[HERE],
            secret=SECRET if secret else None,
            log=self.log,
        )
        self.served: list[Served] = []
        self._thread = threading.Thread(target=lambda: self.served.append(self.server.serve()))
        self._thread.start()

    def wait_for(self, strangers: int) -> int:
        """Strangers in the log, once all are or the time is over."""
        deadline = time.monotonic() + PATIENCE / 2
        while (found := _lines(self.log, "was sent away")) < strangers:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        return found

    def ended(self) -> Served | None:
        self._thread.join(PATIENCE)
        return self.served[0] if self.served else None


def _session(door: Door, protocol: str, udp: bool, secret: bool, forge: bool) -> int:
    """The client's test; forged messages come between its commands. Returns how many did."""
    kind = RemoteSite if protocol == "site" else RemoteApplication
    remote = kind(1, door.server.port, udp=udp, silence=PATIENCE, secret=SECRET if secret else None)
    forged = 0
    if forge and udp and secret:
        _keep_what_is_sent(remote)
    for step, command in enumerate(COMMANDS, 1):
        remote.apply(np.array([command]), 0.01 * step)
        if not forge:
            continue
        for address in (HERE, ELSEWHERE):
            if udp:
                _udp(COMMAND, address)(door.server.port)
                _udp(struct.pack("<256d", 3.0, 0.09, 0.01, *[0.0] * 253), address)(door.server.port)
                forged += 2
            else:
                with socket.socket() as stranger, contextlib.suppress(OSError):
                    stranger.bind((address, 0))
                    stranger.connect((HERE, door.server.port))
                    stranger.sendall(IDS + COMMAND)
                forged += 1
        if udp and secret:
            forged += _forge_from_its_address(remote)
    remote.close()
    return forged


def _forge_from_its_address(remote: RemoteApplication | RemoteSite) -> int:
    """Datagrams from the address of the client: its last messages again, one that was changed, one
    without a code. Returns how many."""
    link: Any = remote._connected
    sealed = link._session.seal(struct.pack("<256d", 3.0, 0.09, 0.01, *[0.0] * 253))
    link._session._sent -= 1  # the client sends its own with this number
    changed = bytearray(sealed)
    changed[20] ^= 1
    again = [part for part in link.packed if len(part) == len(sealed)]
    forged = [bytes(changed), sealed[:-32] + bytes(32), *again]
    for datagram in forged:
        link._socket.send(datagram)
    return len(forged)


def _keep_what_is_sent(remote: RemoteApplication | RemoteSite) -> None:
    """Let the link of a client with a secret keep its datagrams, for a replay."""
    remote.open()
    link: Any = remote._connected
    link.packed, plain = [], link._packed

    def packed(part: bytes) -> bytes:
        made: bytes = plain(part)
        link.packed.append(made)
        return made

    link._packed = packed


def _recorded(folder: Path, protocol: str, udp: bool) -> list[bytes]:
    """What a client with the secret sends, for a replay."""
    sent: list[bytes] = []
    door, names = Door(folder, protocol, udp, True), ("send", "sendall")
    kinds = {name: getattr(socket.socket, name) for name in names}

    class Heard(socket.socket):
        pass

    for name, plain in kinds.items():

        def send(self, data, *rest, _plain=plain):  # type: ignore[no-untyped-def]
            if threading.current_thread() is threading.main_thread():
                sent.append(bytes(data))
            return _plain(self, data, *rest)

        setattr(Heard, name, send)
    plain_socket, socket.socket = socket.socket, Heard  # type: ignore[misc]
    try:
        _session(door, protocol, udp, True, False)
    finally:
        socket.socket = plain_socket  # type: ignore[misc]
    door.ended()
    return sent


def _of(folder: Path, protocol: str, udp: bool, secret: bool, rounds: int) -> Tally:
    tally = Tally()
    name = f"{'UDP' if udp else 'TCP'}, {protocol}, {'a' if secret else 'no'} secret"
    replayed = _recorded(folder, protocol, udp) if secret else [hello(), bytes(100)]
    door, came = Door(folder, protocol, udp, secret), 0
    for _ in range(rounds):
        for visit in strangers(udp, secret, replayed).values():
            visit(door.server.port)
            came += 1
        if udp:  # the system drops datagrams that come faster than they are read
            door.wait_for(came)
    logged = door.wait_for(came)
    forged = _session(door, protocol, udp, secret, True)
    served = door.ended()
    moved = [c for c in door.stone.commands if c not in COMMANDS]
    tally.faults = came + forged
    tally.survived = tally.faults - len(moved)
    tally.steps = len(door.stone.commands)
    log = door.log.read_text(encoding="utf-8")
    wrong = {
        f"{len(moved)} commands of strangers moved the specimen": bool(moved),
        f"{came} strangers came and {logged} are in the log": logged != came,
        "the client was not served": served is None or not served.ending.ok,
        f"the client moved the specimen {door.stone.commands}": door.stone.commands != COMMANDS,
        "the client is not in the log": "client connected from 127.0.0.1" not in log,
        "the commands are not in the log": log.count(" command at t = ") != len(COMMANDS),
    }
    tally.failures = [f"{name}: {what}" for what, is_so in wrong.items() if is_so]
    tally.lines = [
        (name, f"{came} strangers, {forged} forged messages; {len(moved)} moved; {logged} logged")
    ]
    return tally


def run(quick: bool) -> Tally:
    tally = Tally()
    if not sys.platform.startswith("linux"):
        tally.lines.append(("doors", "needs a second address of loopback: not run here"))
        return tally
    before, listener.FIRST_WITHIN = listener.FIRST_WITHIN, FIRST_WITHIN
    try:
        with tempfile.TemporaryDirectory() as folder:
            for protocol in ("application", "site"):
                for udp in (False, True):
                    for secret in (False, True):
                        tally.add(_of(Path(folder), protocol, udp, secret, ROUNDS[quick]))
    finally:
        listener.FIRST_WITHIN = before
    return tally
