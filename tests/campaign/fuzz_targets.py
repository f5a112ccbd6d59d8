"""What is fuzzed: each target takes bytes, and answers or raises an exception of femu.

Seeds are good inputs of each kind. Servers and clients are fed twice: from a tape, thousands of
times a second, and over real sockets of each transport.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from femu import GroundMotion, Result, State
from femu.batch.result import BatchResult
from femu.batch.results_file import ResultsFile
from femu.batch.toml_file import read_suite
from femu.exchange.model_toml import model_from_toml, model_to_toml
from femu.experimental import (
    RemoteApplication,
    RemoteController,
    RemoteSite,
    SpecimenServer,
    read_journal,
)
from femu.experimental.errors import PeerLost
from femu.experimental.network.description import read_description
from femu.experimental.network.transport import LARGEST_DATAGRAM, Link
from femu.experimental.network.wire import ENDIAN_CHECK, HELLO, WELCOME, Sizes, Terms, vector
from femu.monitor.tail import JournalTail
from femu.report.write import file_kind, load_result
from femu.updating import UpdatingHistory, datagrams
from tests.campaign import rig

Target = Callable[[bytes], Any]
SOCKET_SILENCE = 0.05  # seconds that a server or client waits for bytes that do not come
INTERESTING = [
    b"\x00",
    b"\xff",
    b"\n",
    b"-",
    b"1e400",
    b"nan",
    b"[",
    b"]",
    b"{",
    b"=",
    b'"',
    b"\xc3\x28",
    b"9" * 20,
    struct.pack("<d", float("nan")),
    struct.pack("<d", 1e308),
    struct.pack("<i", -1),
    struct.pack("<q", 1 << 62),
]
SEEDS = "FEMU_FUZZ_SEEDS"
ASKING = {struct.pack("<d", action) for action in (1.0, 6.0)}  # open, read all
GONE = b"gone"
REQUEST = 2048  # bytes of a request to a server over TCP
LARGEST = 1 << 18  # bytes of an input
OLDER = Path(__file__).parents[1] / "data" / "variable_length_texts"


def edited(seed: bytes, rng: np.random.Generator, other: bytes = b"") -> bytes:
    """A seed with a few edits (bits and bytes changed, taken out, put in, doubled, cut off,
    spliced), or bytes without sense."""
    if rng.random() < 0.05:
        return rng.bytes(int(rng.integers(0, 4096)))
    data = bytearray(seed)
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(0, len(data) + 1))
        kind = int(rng.integers(0, 8))
        if kind == 0 and data:
            data[place % len(data)] = int(rng.integers(0, 256))
        elif kind == 1:
            del data[place : place + int(rng.integers(1, 40))]
        elif kind == 2:
            data[place:place] = INTERESTING[int(rng.integers(0, len(INTERESTING)))]
        elif kind == 3:
            data[place:place] = data[place : place + int(rng.integers(1, 200))]
        elif kind == 4 and rng.random() < 0.3:
            del data[place:]
        elif kind == 5 and data:
            data[place % len(data)] ^= 1 << int(rng.integers(0, 8))
        elif kind == 6 and other:
            start = int(rng.integers(0, len(other)))
            some = other[start : start + int(rng.integers(1, 2000))]
            data[place : place + len(some)] = some
        elif data:
            some = INTERESTING[int(rng.integers(0, len(INTERESTING)))]
            data[place : place + len(some)] = some
    return bytes(data[:LARGEST])


class Tape(Link):
    """The other side as a tape: what is received is on it, what is sent is forgotten."""

    def __init__(self, data: bytes, datagrams: bool = False) -> None:
        self.silence, self._data, self._place = 1.0, data, 0

    def send(self, data: bytes) -> None:
        pass

    def receive(self, count: int, within: float | None = None) -> bytes:
        if self._place + count > len(self._data):
            raise PeerLost("The tape has ended.")
        self._place += count
        return self._data[self._place - count : self._place]

    def close(self) -> None:
        pass


def _server(protocol: str) -> Target:
    def serve(data: bytes) -> None:
        server = SpecimenServer(
            rig.specimen(), protocol=protocol, limits=rig.Limits(displacement=rig.REACH)
        )
        server._listener.close()
        link = Tape(data)
        try:
            (server._site if protocol == "site" else server._application)(link)
        finally:
            assert (
                np.isfinite(server.specimen.position).all()
                and np.abs(server.specimen.position).max() <= rig.REACH
            )

    return serve


def _client(make: Callable[[], Any]) -> Target:
    def ask(data: bytes) -> None:
        specimen, tape = make(), Tape(data)
        specimen.begin(tape)
        specimen._connected = tape
        for step in range(1, 4):
            measured = specimen.apply(np.array([0.001 * step]), 0.01 * step)
            assert np.isfinite(measured.force).all()

    return ask


def pieces(data: bytes, messages: list[bytes]) -> list[bytes]:
    """An input, cut into datagrams as the messages of the good one are.

    What is left, as the last of them.
    """
    found, start = [], 0
    for message in messages:
        found.append(data[start : start + len(message)])
        start += len(message)
    found += [data[k : k + len(messages[-1])] for k in range(start, len(data), len(messages[-1]))]
    return [piece for piece in found if piece]


def _over_sockets(protocol: str, udp: bool, messages: list[bytes]) -> Target:
    """A server behind a real socket; the input is what a client sends before it goes away."""

    def serve(data: bytes) -> None:
        server = SpecimenServer(
            rig.specimen(),
            protocol=protocol,
            limits=rig.Limits(displacement=rig.REACH),
            udp=udp,
            wait=SOCKET_SILENCE * 4,
            silence=SOCKET_SILENCE,
        )
        ended: list[Any] = []
        thread = threading.Thread(target=lambda: ended.append(server.serve()), daemon=True)
        thread.start()
        kind = socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        # the server may end first
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, kind) as client:
            client.settimeout(1.0)
            client.connect((server.host, server.port))
            if udp:
                client.send(HELLO)
            for piece in pieces(data, messages) if udp else [data]:
                client.sendall(piece)
        thread.join(rig.PATIENCE)
        assert ended, "the server hangs"
        assert (
            np.isfinite(server.specimen.position).all()
            and np.abs(server.specimen.position).max() <= rig.REACH
        )

    return serve


def _against_sockets(make: Callable[[int], Any], udp: bool, messages: list[bytes]) -> Target:
    """A client of a real socket; the input is what the server answers, whatever is asked."""

    def ask(data: bytes) -> None:
        with socket.socket(
            socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        ) as listener:
            listener.bind(("127.0.0.1", 0))
            listener.settimeout(0.5)

            def answer() -> None:
                with contextlib.suppress(OSError):
                    # one for each question: a client drops or refuses what has come before it asks
                    rest = pieces(data, messages)
                    if udp:
                        while rest:
                            came, address = listener.recvfrom(LARGEST_DATAGRAM)
                            if came == HELLO:
                                listener.sendto(WELCOME, address)
                            elif came[:8] in ASKING:
                                listener.sendto(rest.pop(0), address)
                            elif came == GONE:
                                return
                    else:
                        listener.listen(1)
                        connected, _ = listener.accept()
                        with connected:
                            connected.settimeout(1.0)
                            stream = connected.makefile("rb")
                            first = (
                                [4, REQUEST, REQUEST, 20, 20]
                                if messages[0] == ENDIAN_CHECK
                                else [44]
                            )
                            while rest and (
                                came := stream.read(first.pop(0) if first else REQUEST)
                            ):
                                if came == ENDIAN_CHECK or came[:8] in ASKING:
                                    connected.sendall(rest.pop(0))
                            connected.shutdown(socket.SHUT_WR)
                            while stream.read(REQUEST):
                                pass

            if not udp:
                listener.listen(1)
            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            specimen = make(listener.getsockname()[1])
            specimen.wait_at_most(SOCKET_SILENCE)
            try:
                for step in range(1, 4):
                    measured = specimen.apply(np.array([0.001 * step]), 0.01 * step)
                    assert np.isfinite(measured.force).all()
            finally:
                if specimen._connected is not None:
                    if udp:
                        specimen._connected._socket.send(GONE)
                    specimen._connected.close()
                elif udp:
                    listener.close()
                thread.join(rig.PATIENCE)
                assert not thread.is_alive(), "the other side hangs"

    return ask


def _file(read: Callable[[Path], Any], name: str) -> Target:
    folder = Path(tempfile.mkdtemp(prefix="femu-fuzzing-"))

    def target(data: bytes) -> None:
        path = folder / name
        path.write_bytes(data)
        read(path)

    return target


def _datagrams(data: bytes) -> None:
    message = datagrams.unpack(data, 7)
    assert message is None or message.values.ndim == 1
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, two:
        two.setblocking(False)
        for start in range(0, len(data), datagrams.LARGEST):
            with contextlib.suppress(BlockingIOError):
                one.send(data[start : start + datagrams.LARGEST])
        assert datagrams.latest(two, 7, (datagrams.SAMPLE, datagrams.STOP))[2] >= 0


def _estimate(data: bytes) -> None:
    """A message with the right mark and session, and anything behind.

    The model's parameters stay within their bounds.
    """
    updater = _updater()
    updater._take(
        datagrams.Datagram(
            datagrams.ESTIMATE, 1, 1, 0.0, 0.0, np.frombuffer(data[: len(data) // 8 * 8], "<f8")
        )
    )
    assert (updater.values >= updater._low).all() and (updater.values <= updater._high).all()
    assert np.isfinite(updater._vector).all()


@cache
def _updater() -> Any:
    sys.path.insert(0, str(Path(__file__).parents[1] / "updating"))
    import remote_spring as spring

    from femu.updating import RemoteUpdater

    updater = RemoteUpdater(f"{Path(spring.__file__)}:make_updater")
    program = spring.two_springs().compile()
    updater._vector = program.parameters.vector.copy()
    updater._places = [np.array([program.parameters.index("beside.x.fy")])]
    updater.values, updater.std, updater._reported = np.array([1.2]), np.array([1.0]), np.zeros(3)
    return updater


def _of_killed_writer(folder: Path) -> bytes:
    """A journal with the marks of a writer that was killed."""
    code = (
        "import os, sys, numpy as np; from femu.experimental.journal.journal import Journal\n"
        "j = Journal(sys.argv[1], {'e': 1}, state=1, specimens=1); one = np.ones(1)\n"
        "for k in range(9): j.command('e', k, k, one); j.measured('e', k, k, one, one); "
        "j.commit(k, k, one * k, one)\n"
        "os._exit(9)"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(folder / "j")], check=False, cwd=root)
    data = (folder / "j").read_bytes()
    (folder / "j").unlink()
    return data


def _batch(path: Path) -> None:
    """The file of a batch of two runs that wait."""
    attributes = {
        "fingerprint": "0",
        "model": "frame",
        "levels": '["1", "2"]',
        "heights": np.array([0.0, 3.0]),
        "scale_by": "factor",
        "period": 1.0,
        "damping": 0.05,
        "drift_limit": 0.1,
        "settings": "{}",
    }
    runs = {"record": np.zeros(2), "scale": np.ones(2), "parameter_set": np.zeros(2)}
    ResultsFile.create(path, attributes, ["quake"], [{"fy": 1.0}], 1, runs).close()


@cache
def files() -> dict[str, bytes]:
    """Good files of each kind; those in the folder that is named in `SEEDS`, where it is."""
    if SEEDS in os.environ:
        return {path.name: path.read_bytes() for path in Path(os.environ[SEEDS]).iterdir()}
    from femu.analyses import LoadControl
    from femu.elements import ElasticBeamColumn
    from femu.materials import ElasticSection

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quake = GroundMotion("quake", 0.01, np.sin(np.arange(40.0)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quake.to_at2(folder / "at2")
            quake.to_csv(folder / "csv")
        model = rig.Model("cantilever")
        model.node(1, 0.0, 0.0, fixed=True)
        model.node(2, 0.0, 3.0, mass=1e3)
        model.add(ElasticBeamColumn("column", 1, 2, section=ElasticSection(E=2e11, A=1e-2, I=1e-4)))
        model.load(2, x=1.0)
        result = LoadControl(steps=2).run(model)
        result.save(folder / "result")
        assert result.state is not None
        result.state.save(folder / "state")
        rig.test_of(rig.specimen(), 5).run(folder / "journal")
        (folder / "model").write_text(model_to_toml(model))
        UpdatingHistory(("fy",), 1, np.zeros((3, 14)), ((0.0, 1.0),)).save(folder / "history")
        (folder / "killed").write_bytes(_of_killed_writer(folder))
        _batch(folder / "batch")
        for kind in ("result", "history"):
            (folder / f"older {kind}").write_bytes((OLDER / f"{kind}.h5").read_bytes())
        for name, text in SAMPLE_TEXTS.items():
            (folder / name).write_text(text)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


_SMC = (
    "\n".join(
        [
            "2 CORRECTED ACCELEROGRAM",
            *["x"] * 10,
            *[
                "".join(f"{n:10d}" for n in row)
                for row in np.array([0] * 15 + [1, 8, 0] + [0] * 30).reshape(6, 8)
            ],
            *[
                "".join(f"{x:15.7E}" for x in row)
                for row in np.array([0.0, 100.0] + [0.0] * 48).reshape(10, 5)
            ],
            "| comment",
            "".join(f"{x:10.4f}" for x in range(8)),
        ]
    )
    + "\n"
)
_REALS = [0.0] * 61 + [10.0] + [0.0] * 38
_COSMOS = (
    "\n".join(
        [
            "Corrected acceleration (Format v01.20 with 2 text lines)",
            "station",
            " 10 Integer-header values follow on 1 lines, Format= (10I8)",
            "       0" * 10,
            " 100 Real-header values follow on 17 lines, Format= (6F13.6)",
            *["".join(f"{x:13.6f}" for x in _REALS[k : k + 6]) for k in range(0, 100, 6)],
            ' 1 Comment line(s) follow, each starting with a "|":',
            "| comment",
            " 16 acceleration pts, approx 0 secs, units=cm/sec2 (04), Format=(8F10.5)",
            *["".join(f"{x:10.5f}" for x in range(8))] * 2,
        ]
    )
    + "\n"
)
SAMPLE_TEXTS = {
    "smc": _SMC,
    "cosmos": _COSMOS,
    "suite": resources.files("femu.batch")
    .joinpath("data", "suite.toml")
    .read_text(encoding="utf-8"),
}

DESCRIBED = b"""[specimen]
length = 3.6
numerical = false
[specimen.of]
type = "Bilinear"
E = 4.0e6
fy = 2.0e5
b = 0.05
[actuator]
delay = 0.012
[sensors]
force_noise = 20.0
[limits]
displacement = [0.08]
force = 1.0e6
[server]
port = 8090
silence = 2.5
"""


@dataclass(frozen=True)
class Fuzzed:
    """A target and how its seed is made."""

    target: Callable[[], Target]
    seed: Callable[[], bytes]


def _request(*actions: float) -> bytes:
    return b"".join(vector(8, [a, 0.001, 0.01]) for a in actions)


_TERMS = Terms(Sizes(displacement=1, time=1), Sizes(displacement=1, force=1), 8)
_BEGINNINGS = {
    "application": [_TERMS.encoded()],
    "site": [
        ENDIAN_CHECK,
        vector(256, [1.0, 1.0, 2.8]),
        vector(256, [2.0, 8.0]),
        _TERMS.control.encoded(),
        _TERMS.acquired.encoded(),
    ],
}
_ASKED = {
    name: [*begin, *(_request(action) for action in (3, 6, 5, 3, 6, 99))]
    for name, begin in _BEGINNINGS.items()
}
_SITE = b"".join(_BEGINNINGS["site"])  # over UDP without the first
_ANSWERED = [vector(256, [0.001, 2000.0, 0.01 * (k + 1)]) for k in range(4)]
_ANSWERS = b"".join(_ANSWERED)
_SITE_ANSWERED = [ENDIAN_CHECK, vector(256, [0.0, 1.0, 2.8]), *_ANSWERED]


def _said(messages: list[bytes], udp: bool) -> list[bytes]:
    """What is said over a transport: sites check the order of bytes over TCP only."""
    return [message for message in messages if message != ENDIAN_CHECK or not udp]


TARGETS: dict[str, Fuzzed] = {
    "AT2 reader": Fuzzed(lambda: _file(GroundMotion.from_at2, "a.AT2"), lambda: files()["at2"]),
    "CSV reader": Fuzzed(lambda: _file(GroundMotion.from_csv, "a.csv"), lambda: files()["csv"]),
    "SMC reader": Fuzzed(lambda: _file(GroundMotion.from_smc, "a.smc"), lambda: files()["smc"]),
    "COSMOS reader": Fuzzed(
        lambda: _file(GroundMotion.from_cosmos, "a.v2"), lambda: files()["cosmos"]
    ),
    "text reader": Fuzzed(
        lambda: _file(lambda p: GroundMotion.from_text(p, 0.01, "g"), "a.txt"),
        lambda: b"0.1 0.2\n-0.3\n" * 5,
    ),
    "suite TOML": Fuzzed(lambda: _file(read_suite, "s.toml"), lambda: files()["suite"]),
    "model TOML": Fuzzed(
        lambda: lambda data: model_from_toml(data.decode("utf-8", "replace")),
        lambda: files()["model"],
    ),
    "specimen TOML": Fuzzed(lambda: _file(read_description, "d.toml"), lambda: DESCRIBED),
    "server, application": Fuzzed(
        lambda: _server("application"), lambda: _TERMS.encoded() + _request(3, 6, 5, 3, 10, 99)
    ),
    "server, site": Fuzzed(lambda: _server("site"), lambda: _SITE + _request(3, 6, 5, 3, 6, 99)),
    "client, application": Fuzzed(
        lambda: _client(lambda: RemoteApplication(1, 1)), lambda: _ANSWERS
    ),
    "client, UDP with time": Fuzzed(lambda: _client(lambda: rig.remote(1, True)), lambda: _ANSWERS),
    "client, controller": Fuzzed(lambda: _client(lambda: RemoteController(1, 1)), lambda: _ANSWERS),
    "client, site": Fuzzed(
        lambda: _client(lambda: RemoteSite(1, 1)),
        lambda: ENDIAN_CHECK + vector(256, [0.0, 1.0, 2.8]) + _ANSWERS,
    ),
    "updater's datagrams": Fuzzed(
        lambda: _datagrams, lambda: datagrams.pack(7, datagrams.SAMPLE, 1, 2, 0.1, 0.2, np.ones(4))
    ),
    "updater's estimates": Fuzzed(
        lambda: _estimate, lambda: np.array([1.0, 0.0, 1.0, 2.0, 0.1]).tobytes()
    ),
    **{
        f"server over {'UDP' if udp else 'TCP'}, {protocol}": Fuzzed(
            lambda udp=udp, protocol=protocol: _over_sockets(
                protocol, udp, _said(_ASKED[protocol], udp)
            ),
            lambda udp=udp, protocol=protocol: b"".join(_said(_ASKED[protocol], udp)),
        )
        for udp in (False, True)
        for protocol in _ASKED
    },
    **{
        f"client over {'UDP' if udp else 'TCP'}, {name}": Fuzzed(
            lambda udp=udp, make=make, said=said: _against_sockets(
                lambda port: make(1, port, udp=udp), udp, _said(said, udp)
            ),
            lambda udp=udp, said=said: b"".join(_said(said, udp)),
        )
        for udp in (False, True)
        for name, make, said in (
            ("application", RemoteApplication, _ANSWERED),
            ("site", RemoteSite, _SITE_ANSWERED),
            ("controller", RemoteController, _ANSWERED),
        )
    },
    "journal bytes": Fuzzed(lambda: _file(read_journal, "j.h5"), lambda: files()["journal"]),
    "monitor's tail": Fuzzed(
        lambda: _file(lambda p: JournalTail(p).look(), "t.h5"), lambda: files()["journal"]
    ),
    "journal of a killed writer": Fuzzed(
        lambda: _file(read_journal, "k.h5"), lambda: files()["killed"]
    ),
    "result bytes": Fuzzed(lambda: _file(Result.load, "r.h5"), lambda: files()["result"]),
    "result for a report": Fuzzed(
        lambda: _file(lambda p: (file_kind(p), load_result(p)), "r.h5"), lambda: files()["result"]
    ),
    "state bytes": Fuzzed(
        lambda: _file(lambda p: State.load(p, program()), "s.h5"), lambda: files()["state"]
    ),
    "history bytes": Fuzzed(
        lambda: _file(UpdatingHistory.load, "h.h5"), lambda: files()["history"]
    ),
    "batch bytes": Fuzzed(lambda: _file(BatchResult.load, "b.h5"), lambda: files()["batch"]),
    "batch to go on with": Fuzzed(
        lambda: _file(lambda p: ResultsFile.reopen(p, "0").close(), "b.h5"),
        lambda: files()["batch"],
    ),
    "result of an earlier version": Fuzzed(
        lambda: _file(Result.load, "o.h5"), lambda: files()["older result"]
    ),
    "history of an earlier version": Fuzzed(
        lambda: _file(UpdatingHistory.load, "o.h5"), lambda: files()["older history"]
    ),
}
HDF5 = tuple(
    name
    for name in TARGETS
    if name.endswith(("bytes", "tail", "writer", "report", "go on with", "version"))
)
"""Read by the HDF5 library, in C: a broken file can take the process down there, or keep it."""
SOCKETS = tuple(name for name in TARGETS if " over " in name)


@cache
def program() -> Any:
    return model_from_toml(files()["model"].decode()).compile()


def others(name: str) -> bytes:
    """Another good input of the same library, to be spliced in."""
    return files()["journal" if name != "journal bytes" else "result"] if name in HDF5 else b""
