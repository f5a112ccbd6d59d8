"""Fuzzing: whatever bytes come, a reader, a server or a client answers, or raises an exception of femu; and soon.

Each target takes bytes. Seeds are good inputs; an input is a seed with edits (bytes changed, taken out, put in, doubled, cut
off) or bytes without sense. ``python -m tests.campaign fuzzing`` goes on for minutes with every target, ``--quick`` for a second.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from femu import FemuError, GroundMotion, Result, State
from femu.batch.result import BatchResult
from femu.batch.toml_file import read_suite
from femu.exchange.model_toml import model_from_toml, model_to_toml
from femu.experimental import RemoteApplication, RemoteController, RemoteSite, SpecimenServer, read_journal
from femu.experimental.errors import PeerLost
from femu.experimental.transport import Link
from femu.experimental.wire import ENDIAN_CHECK, Sizes, Terms, vector
from femu.monitor.tail import JournalTail
from femu.updating import UpdatingHistory
from femu.updating import datagrams as say
from tests.campaign import rig
from tests.campaign.tally import Tally

QUICK_SECONDS, FULL_SECONDS = 1.0, 600.0
LONGEST_CALL = 20.0  # seconds that count as a hang, on a busy machine too
GROWTH = 300_000  # kilobytes that the process may grow by
INTERESTING = [b"\x00", b"\xff", b"\n", b"-", b"1e400", b"nan", b"[", b"]", b"{", b"=", b'"', b"\xc3\x28", b"9" * 20,
               struct.pack("<d", float("nan")), struct.pack("<d", 1e308), struct.pack("<i", -1), struct.pack("<q", 1 << 62)]
Target = Callable[[bytes], Any]


def edited(seed: bytes, rng: np.random.Generator) -> bytes:
    """A seed with a few edits, or bytes without sense."""
    if rng.random() < 0.05:
        return rng.bytes(int(rng.integers(0, 4096)))
    data = bytearray(seed)
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(0, len(data) + 1))
        kind = int(rng.integers(0, 6))
        if kind == 0 and data:
            data[place % len(data)] = int(rng.integers(0, 256))
        elif kind == 1:
            del data[place:place + int(rng.integers(1, 40))]
        elif kind == 2:
            data[place:place] = INTERESTING[int(rng.integers(0, len(INTERESTING)))]
        elif kind == 3:
            data[place:place] = data[place:place + int(rng.integers(1, 200))]
        elif kind == 4 and rng.random() < 0.3:
            del data[place:]
        elif data:
            some = INTERESTING[int(rng.integers(0, len(INTERESTING)))]
            data[place:place + len(some)] = some
    return bytes(data[:1 << 18])


class Tape(Link):
    """The other side as a tape: what is received stands on it, what is sent is forgotten."""

    def __init__(self, data: bytes, datagrams: bool = False) -> None:
        self.silence, self._data, self._place = 1.0, data, 0

    def send(self, data: bytes) -> None:
        pass

    def receive(self, count: int, within: float | None = None) -> bytes:
        if self._place + count > len(self._data):
            raise PeerLost("The tape has ended.")
        self._place += count
        return self._data[self._place - count:self._place]

    def close(self) -> None:
        pass


def _server(protocol: str) -> Target:
    def serve(data: bytes) -> None:
        server = SpecimenServer(rig.specimen(), protocol=protocol, limits=rig.Limits(displacement=rig.REACH))
        server._listener.close()
        link = Tape(data)
        try:
            (server._site if protocol == "site" else server._application)(link)
        finally:
            assert np.isfinite(server.specimen.position).all() and np.abs(server.specimen.position).max() <= rig.REACH

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


def _file(read: Callable[[Path], Any], name: str) -> Target:
    folder = Path(tempfile.mkdtemp(prefix="femu-fuzzing-"))

    def target(data: bytes) -> None:
        path = folder / name
        path.write_bytes(data)
        read(path)

    return target


def _datagrams(data: bytes) -> None:
    message = say.unpack(data, 7)
    assert message is None or message.values.ndim == 1
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, two:
        two.setblocking(False)
        for start in range(0, len(data), say.LARGEST):
            with contextlib.suppress(BlockingIOError):
                one.send(data[start:start + say.LARGEST])
        assert say.latest(two, 7, (say.SAMPLE, say.STOP))[2] >= 0


def _estimate(data: bytes) -> None:
    """A message with the right mark and session, and anything behind: the model's parameters stay within their bounds."""
    updater = _updater()
    updater._take(say.Datagram(say.ESTIMATE, 1, 1, 0.0, 0.0, np.frombuffer(data[:len(data) // 8 * 8], "<f8")))
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
    updater.values, updater.std, updater._told = np.array([1.2]), np.array([1.0]), np.zeros(3)
    return updater


@cache
def _files() -> dict[str, bytes]:
    """Good files of each kind."""
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
        for name, text in SAMPLE_TEXTS.items():
            (folder / name).write_text(text)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


_SMC = "\n".join([
    "2 CORRECTED ACCELEROGRAM", *["x"] * 10, *["".join(f"{n:10d}" for n in row) for row in np.array(
        [0] * 15 + [1, 8, 0] + [0] * 30).reshape(6, 8)],
    *["".join(f"{x:15.7E}" for x in row) for row in np.array([0.0, 100.0] + [0.0] * 48).reshape(10, 5)],
    "| comment", "".join(f"{x:10.4f}" for x in range(8))]) + "\n"
_REALS = [0.0] * 61 + [10.0] + [0.0] * 38
_COSMOS = "\n".join([
    "Corrected acceleration (Format v01.20 with 2 text lines)", "station",
    " 10 Integer-header values follow on 1 lines, Format= (10I8)",
    "       0" * 10, " 100 Real-header values follow on 17 lines, Format= (6F13.6)",
    *["".join(f"{x:13.6f}" for x in _REALS[k:k + 6]) for k in range(0, 100, 6)],
    " 1 Comment line(s) follow, each starting with a \"|\":", "| comment",
    " 16 acceleration pts, approx 0 secs, units=cm/sec2 (04), Format=(8F10.5)",
    *["".join(f"{x:10.5f}" for x in range(8))] * 2]) + "\n"
SAMPLE_TEXTS = {"smc": _SMC, "cosmos": _COSMOS,
                "suite": resources.files("femu.batch").joinpath("data", "suite.toml").read_text(encoding="utf-8")}


@dataclass(frozen=True)
class Fuzzed:
    """A target and how its seed is made."""

    target: Callable[[], Target]
    seed: Callable[[], bytes]


def _request(*actions: float) -> bytes:
    return b"".join(vector(8, [a, 0.001, 0.01]) for a in actions)


_TERMS = Terms(Sizes(displacement=1, time=1), Sizes(displacement=1, force=1), 8)
_SITE = (ENDIAN_CHECK + vector(256, [1.0, 1.0, 2.8]) + vector(256, [2.0, 8.0]) + _TERMS.control.encoded()
         + _TERMS.acquired.encoded())
_ANSWERS = b"".join(vector(256, [0.001, 2000.0, 0.01 * (k + 1)]) for k in range(4))
TARGETS: dict[str, Fuzzed] = {
    "AT2 reader": Fuzzed(lambda: _file(GroundMotion.from_at2, "a.AT2"), lambda: _files()["at2"]),
    "CSV reader": Fuzzed(lambda: _file(GroundMotion.from_csv, "a.csv"), lambda: _files()["csv"]),
    "SMC reader": Fuzzed(lambda: _file(GroundMotion.from_smc, "a.smc"), lambda: _files()["smc"]),
    "COSMOS reader": Fuzzed(lambda: _file(GroundMotion.from_cosmos, "a.v2"), lambda: _files()["cosmos"]),
    "text reader": Fuzzed(lambda: _file(lambda p: GroundMotion.from_text(p, 0.01, "g"), "a.txt"), lambda: b"0.1 0.2\n-0.3\n" * 5),
    "suite TOML": Fuzzed(lambda: _file(read_suite, "s.toml"), lambda: _files()["suite"]),
    "model TOML": Fuzzed(lambda: lambda data: model_from_toml(data.decode("utf-8", "replace")), lambda: _files()["model"]),
    "server, application": Fuzzed(lambda: _server("application"), lambda: _TERMS.encoded() + _request(3, 6, 5, 3, 10, 99)),
    "server, site": Fuzzed(lambda: _server("site"), lambda: _SITE + _request(3, 6, 5, 3, 6, 99)),
    "client, application": Fuzzed(lambda: _client(lambda: RemoteApplication(1, 1)), lambda: _ANSWERS),
    "client, UDP with time": Fuzzed(lambda: _client(lambda: rig.remote(1, True)), lambda: _ANSWERS),
    "client, controller": Fuzzed(lambda: _client(lambda: RemoteController(1, 1)), lambda: _ANSWERS),
    "client, site": Fuzzed(lambda: _client(lambda: RemoteSite(1, 1)),
                           lambda: ENDIAN_CHECK + vector(256, [0.0, 1.0, 2.8]) + _ANSWERS),
    "updater's datagrams": Fuzzed(lambda: _datagrams, lambda: say.pack(7, say.SAMPLE, 1, 2, 0.1, 0.2, np.ones(4))),
    "updater's estimates": Fuzzed(lambda: _estimate, lambda: np.array([1.0, 0.0, 1.0, 2.0, 0.1]).tobytes()),
    "journal bytes": Fuzzed(lambda: _file(read_journal, "j.h5"), lambda: _files()["journal"]),
    "monitor's tail": Fuzzed(lambda: _file(lambda p: JournalTail(p).look(), "t.h5"), lambda: _files()["journal"]),
    "result bytes": Fuzzed(lambda: _file(Result.load, "r.h5"), lambda: _files()["result"]),
}
HDF5 = ("journal bytes", "monitor's tail", "result bytes")
"""Read by the HDF5 library, in C: a broken file can take the process down there, or keep it. They run in a process of their own.

Texts of variable length in attributes (format, meta, about) lie in a heap without checksums, and the library may never return
from a damaged one. Texts of fixed length do not have this fault. A hang counts as a failure.
"""


def fuzz(name: str, seconds: float, seed: int = 0, rounds: int | None = None) -> Tally:
    """Feed one target for so long, or so many rounds."""
    made, rng, tally = TARGETS[name], np.random.default_rng(seed), Tally()
    target, good = made.target(), made.seed()
    warnings.simplefilter("ignore")
    target(good)  # must be accepted
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    deadline, count = time.monotonic() + seconds, 0
    while time.monotonic() < deadline if rounds is None else count < rounds:
        data = edited(good, rng)
        count += 1
        began = time.process_time()
        try:
            target(data)
        except FemuError:
            pass
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            tally.failures.append(f"{name}: {type(problem).__name__}: {problem} ({where.filename}, line {where.lineno}); "
                                  f"seed {seed}, round {count}")
            if len(tally.failures) > 5:
                break
        if time.process_time() - began > LONGEST_CALL:
            took = time.process_time() - began
            tally.failures.append(f"{name}: {took:.0f} s for {len(data)} bytes; seed {seed}, round {count}")
        tally.bytes += len(data)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if grown > GROWTH:
        tally.failures.append(f"{name}: the process grew by {grown // 1024} MB")
    tally.lines.append((f"fuzzed: {name}", f"{count} inputs, {tally.bytes} bytes, {len(tally.failures)} failures"))
    return tally


# --- HDF5 files that are sound for HDF5 and wrong for femu ---

WRONG: list[Any] = [0, 1.5, b"", "", "{}", "[]", "null", "[1, 2]", '{"elements": 3}', '{"elements": {"device": -1}}',
                    np.zeros((2, 2)), np.array([b"x"]),
                    "x" * 70_000, '{"elements": {"a": 1, "b": 2}}', np.array([1, 2, 3], "i1"), h5py.Empty("f")]
READERS: dict[str, Callable[[Path], Any]] = {
    "journal": read_journal, "result": Result.load, "history": UpdatingHistory.load, "state": lambda p: State.load(p, _program()),
    "batch": BatchResult.load,
}


@cache
def _program() -> Any:
    return model_from_toml(_files()["model"].decode()).compile()


def wrong_attributes() -> Tally:
    """Every attribute and every table of every kind of file: taken out, and put in with another type or form."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in ("journal", "result", "history", "state"):
            good, places = _files()[kind], []
            (folder / "good.h5").write_bytes(good)
            with h5py.File(folder / "good.h5", "r") as file:
                places += [("", a) for a in file.attrs]
                file.visititems(lambda n, thing, kept=places: kept.append((n, "")) if isinstance(thing, h5py.Dataset) else None)
            for place, attribute in places:
                for value in (None, *WRONG):
                    path = folder / "wrong.h5"
                    path.write_bytes(good)
                    with h5py.File(path, "r+", libver="latest") as file:
                        if attribute:
                            del file.attrs[attribute]
                            if value is not None:
                                with contextlib.suppress(RuntimeError, OSError):  # too long for an attribute
                                    file.attrs[attribute] = value
                        else:
                            del file[place]
                            if value is not None:
                                file[place] = value
                    tally.bytes += len(good)
                    tally.inputs += 1
                    try:
                        READERS[kind](path)
                        tally.inputs -= 1  # still good, or of no consequence
                    except FemuError:
                        pass
                    except Exception as problem:
                        tally.inputs -= 1
                        tally.failures.append(f"{kind}, {attribute or place} = {str(value)[:40]!r}: "
                                              f"{type(problem).__name__}: {problem}")
    tally.lines.append(("HDF5 files with wrong contents", f"{tally.inputs} refused, {len(tally.failures)} failures"))
    return tally


def _in_process(name: str, seconds: float) -> Tally:
    """A target of the HDF5 library, in a process that may be taken down."""
    code = (f"import json; from tests.campaign import fuzzing; print(json.dumps(fuzzing.fuzz({name!r}, {seconds}).to_dict()))")
    root = Path(__file__).parents[2]
    try:
        done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60 + 3 * seconds,
                              env={**os.environ, "PYTHONPATH": str(root)})
    except subprocess.TimeoutExpired:
        return Tally(failures=[f"{name}: hung in the HDF5 library"])
    if done.returncode < 0:
        return Tally(failures=[f"{name}: the HDF5 library ended the process with signal {-done.returncode}"])
    if done.returncode:
        return Tally(failures=[f"{name}: {done.stderr[-500:]}"])
    return Tally.of(json.loads(done.stdout.splitlines()[-1]))


def run(quick: bool) -> Tally:
    seconds = QUICK_SECONDS if quick else FULL_SECONDS
    tally = Tally()
    for name in TARGETS:
        print(f"  {name}", file=sys.stderr, flush=True)
        tally.add(_in_process(name, seconds) if name in HDF5 else fuzz(name, seconds))
    tally.add(wrong_attributes())
    return tally
