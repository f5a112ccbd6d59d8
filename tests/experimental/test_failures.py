"""The other side goes away, stalls, or sends nonsense.

A typed ending in bounded time, the specimen held, the journal closed.
"""

import contextlib
import socket
import struct
import threading
import time

import numpy as np
import pytest
from stone import enough

from femu import GroundMotion, InputError, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    BadMessage,
    EmulatedSpecimen,
    Ending,
    ExperimentalElement,
    Limits,
    PeerLost,
    RemoteController,
    SpecimenServer,
    read_journal,
)
from femu.experimental.network.wire import Sizes
from femu.materials import Elastic

SILENCE = 0.7  # seconds; a peer that answers at all is faster, also on a loaded machine
BOUND = 60.0  # seconds after which something hangs
IDS = struct.pack("<11i", 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 8)


def doubles(count, *values):
    return struct.pack(f"<{count}d", *values, *([0.0] * (count - len(values))))


class Held(EmulatedSpecimen):
    def __post_init__(self):
        super().__post_init__()
        self.holds = 0

    def hold(self):
        self.holds += 1
        super().hold()


def served(tmp_path, behave, *, udp=False, protocol="application", limits=None, wait=BOUND):
    """Ending of a server whose client behaves like this, with what must always hold."""
    specimen = Held(Elastic(100.0))
    server = SpecimenServer(
        specimen,
        udp=udp,
        protocol=protocol,
        wait=wait,
        silence=SILENCE,
        journal=tmp_path / "server.h5",
        limits=limits,
    )
    found = []
    thread = threading.Thread(target=lambda: found.append(server.serve()), daemon=True)
    thread.start()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM) as client:
        client.settimeout(BOUND)
        client.connect(("127.0.0.1", server.port))
        behave(client, server)
        thread.join(BOUND)
    assert found, "the server hangs"
    record = read_journal(tmp_path / "server.h5")
    assert record.ending is found[0].ending
    assert found[0].message
    assert found[0].ending.ok or specimen.holds >= 1
    assert np.isfinite(specimen.position).all()
    return found[0]


def begin(client, server=None):
    client.sendall(IDS)
    client.sendall(doubles(8, 3.0, 0.01, 0.1))
    client.sendall(doubles(8, 6.0, 0.01, 0.1))
    assert struct.unpack("<8d", client.recv(64))[:2] == (0.01, 1.0)


def test_client_goes_away(tmp_path):
    def behave(client, server):
        begin(client)
        client.close()

    assert served(tmp_path, behave).ending is Ending.PEER_LOST


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("part", [b"", doubles(8, 3.0)[:20]])
def test_client_stalls(tmp_path, udp, part):
    def behave(client, server):
        begin(client)
        if part:
            client.sendall(part)

    assert served(tmp_path, behave, udp=udp).ending is Ending.PEER_SILENT


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("place", [0, 1])
def test_client_sends_a_number_that_is_none(tmp_path, udp, value, place):
    def behave(client, server):
        begin(client)
        client.sendall(doubles(8, *((value,) if place == 0 else (3.0, value))))

    ended = served(tmp_path, behave, udp=udp)
    assert ended.ending is Ending.BAD_MESSAGE
    assert ended.moves == 1


@pytest.mark.parametrize(
    "ids",
    [
        (2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 8),
        (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2_000_000_000),
        (1, -5, 0, 0, 1, 0, 0, 0, 1, 0, 8),
        (1, 0, 0, 0, 9, 0, 0, 0, 1, 0, 64),
        (1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 8),
    ],
)
@pytest.mark.parametrize("udp", [False, True])
def test_client_declares_wrong_sizes(tmp_path, udp, ids):
    ended = served(
        tmp_path, lambda client, server: client.sendall(struct.pack("<11i", *ids)), udp=udp
    )
    assert (ended.ending, ended.moves) == (Ending.BAD_MESSAGE, 0)


def test_datagram_of_the_wrong_size(tmp_path):
    def behave(client, server):
        begin(client)
        client.sendall(bytes(72))

    assert served(tmp_path, behave, udp=True).ending is Ending.BAD_MESSAGE


@pytest.mark.parametrize("protocol", ["application", "site"])
@pytest.mark.parametrize("seed", range(6))
def test_random_bytes(tmp_path, protocol, seed):
    """Of no client: the server keeps waiting for one."""
    noise = np.random.default_rng(seed).bytes(5000)

    def behave(client, server):
        client.sendall(noise)
        with contextlib.suppress(ConnectionError):
            assert client.recv(1) == b""

    ended = served(tmp_path, behave, protocol=protocol, wait=SILENCE)
    assert (ended.ending, ended.moves, ended.dropped) == (Ending.PEER_SILENT, 0, 1)
    assert ended.message.startswith("No client came")


@pytest.mark.parametrize("seed", range(6))
def test_random_bytes_after_a_good_beginning(tmp_path, seed):
    def behave(client, server):
        begin(client)
        client.sendall(np.random.default_rng(seed).bytes(5000))

    ended = served(tmp_path, behave)
    assert (ended.ending, ended.moves) == (Ending.BAD_MESSAGE, 1)


def test_a_second_client_is_refused_and_the_first_goes_on(tmp_path):
    def behave(client, server):
        begin(client)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port), timeout=BOUND)
        client.sendall(doubles(8, 3.0, 0.02, 0.2) + doubles(8, 6.0, 0.02, 0.2))
        assert struct.unpack("<8d", client.recv(64))[:2] == (0.02, 2.0)
        client.sendall(doubles(8, 99.0))

    assert served(tmp_path, behave).ending is Ending.PEER_DONE


def test_datagrams_of_a_second_client_are_dropped(tmp_path):
    def behave(client, server):
        begin(client)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(doubles(8, 3.0, 0.5, 0.2), ("127.0.0.1", server.port))
            other.sendto(b"a", ("127.0.0.1", server.port))
        client.sendall(doubles(8, 6.0))
        assert struct.unpack("<8d", client.recv(64))[:2] == (0.01, 1.0)
        client.sendall(doubles(8, 99.0))

    ended = served(tmp_path, behave, udp=True)
    assert (ended.ending, ended.moves) == (Ending.PEER_DONE, 1)


def test_nobody_comes():
    server = SpecimenServer(EmulatedSpecimen(Elastic(1.0)), wait=0.2)
    ended = server.serve()
    assert ended.ending is Ending.PEER_SILENT
    assert "No client came" in ended.message


def test_limit_of_a_server(tmp_path):
    def behave(client, server):
        begin(client)
        client.sendall(doubles(8, 3.0, 0.5, 0.2))
        client.sendall(doubles(8, 10.0, 0.5, 0.2))
        # so that OpenSees fails instead of waiting
        assert np.isnan(struct.unpack("<8d", client.recv(64))).all()
        client.sendall(doubles(8, 99.0))

    ended = served(tmp_path, behave, limits=Limits(displacement=0.1))
    assert (ended.ending, ended.moves) == (Ending.SPECIMEN_LIMIT, 1)


def test_wrong_version_is_named(tmp_path):
    def behave(client, server):
        client.sendall(struct.pack("<i", 1))
        client.recv(4)
        client.sendall(doubles(256, 1.0, 1.0, 2.7))

    ended = served(tmp_path, behave, protocol="site")
    assert ended.ending is Ending.BAD_MESSAGE
    assert "2.7" in ended.message


def test_server_stays_on_loopback_and_names_a_port_in_use():
    server = SpecimenServer(EmulatedSpecimen(Elastic(1.0)))
    assert server.host == "127.0.0.1"
    with pytest.raises(InputError, match="port"):
        SpecimenServer(EmulatedSpecimen(Elastic(1.0)), port=server.port)
    with pytest.raises(InputError, match="numeric"):
        SpecimenServer(EmulatedSpecimen(Elastic(1.0)), host="localhost")
    server._listener.close()


class Controller:
    """A laboratory controller that answers some commands well, and then does something else."""

    def __init__(self, good, then, udp=False):
        self.good, self.then, self.udp = good, then, udp
        self.socket = socket.socket(
            socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        )
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(BOUND)
        if not udp:
            self.socket.listen(1)
        self.port = self.socket.getsockname()[1]
        self.commands = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(EOFError):  # the test has ended
            self.answer()

    def answer(self):
        if self.udp:
            _, address = self.socket.recvfrom(65535, socket.MSG_PEEK)
            self.socket.connect(address)
            link = self.socket
        else:
            link = self.socket.accept()[0]
        link.settimeout(BOUND)
        self.receive(link, 44)
        while True:
            request = struct.unpack("<256d", self.receive(link, 2048))
            if request[0] == 3.0:
                self.commands.append(request[1])
            elif request[0] == 99.0:
                return
            elif len(self.commands) <= self.good:
                link.sendall(doubles(256, self.commands[-1], 1e5 * self.commands[-1]))
            else:
                self.then(link)
                time.sleep(BOUND)
                return

    @staticmethod
    def receive(link, count):
        data = b""
        while len(data) < count:
            part = link.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data


def remote_model(specimen):
    model = Model("remote")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(1e5)}))
    model.add(
        ExperimentalElement(
            "e",
            [("B", "x")],
            specimen=specimen,
            stiffness=[[1e5]],
            limits=enough(Limits(silence=SILENCE)),
        )
    )
    return model


@pytest.fixture(scope="module")
def compiled():
    """The kernels of such a test: compiling them takes longer than a controller waits."""
    HybridTest(
        remote_model(EmulatedSpecimen(Elastic(1e5))),
        GroundMotion.el_centro(),
        dt=0.01,
        duration=0.05,
    ).run()


@pytest.mark.parametrize("extra", [bytes(8), doubles(256, 0.001, 1e2)], ids=["too long", "twice"])
def test_more_than_was_asked_for_is_refused(extra):
    """Over TCP the rest of one answer would be taken for the beginning of the next, and all others
    be wrong."""
    listener = socket.create_server(("127.0.0.1", 0))
    commands, answered, refused = [], threading.Event(), threading.Event()

    def run():
        with listener.accept()[0] as link, contextlib.suppress(EOFError):  # the test has ended
            Controller.receive(link, 44)
            for _ in range(2):  # a command, and the question for what was measured
                request = struct.unpack("<256d", Controller.receive(link, 2048))
                if request[0] == 3.0:
                    commands.append(request[1])
                else:
                    link.sendall(doubles(256, commands[-1], 1e5 * commands[-1]) + extra)
            answered.set()
            refused.wait(BOUND)

    peer = threading.Thread(target=run, daemon=True)
    peer.start()
    specimen = RemoteController(1, listener.getsockname()[1], silence=BOUND, reads=False)
    assert specimen.apply(np.array([0.001]), 0.01).force[0] == 1e2
    assert answered.wait(BOUND)
    with pytest.raises(BadMessage, match=f"{len(extra)} bytes too many"):
        specimen.apply(np.array([0.002]), 0.02)
    refused.set()
    peer.join(BOUND)
    assert not peer.is_alive()
    assert commands == [0.001]
    listener.close()


def test_a_laboratory_behind_a_server_is_lost(tmp_path):
    """The client learns by NaN, as of every failure of a specimen.

    OpenSees would wait for ever for a server that just goes.
    """

    class Lost(Held):
        def apply(self, command, time):
            raise PeerLost("The controller is gone.")

    server = SpecimenServer(
        Lost(Elastic(100.0)), wait=BOUND, silence=BOUND, journal=tmp_path / "server.h5"
    )
    found = []
    thread = threading.Thread(target=lambda: found.append(server.serve()), daemon=True)
    thread.start()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.settimeout(BOUND)
        client.sendall(IDS + doubles(8, 3.0, 0.01, 0.1) + doubles(8, 6.0, 0.01, 0.1))
        assert np.isnan(struct.unpack("<8d", client.recv(64))).all()
        client.sendall(doubles(8, 99.0))
        thread.join(BOUND)
    assert (found[0].ending, found[0].message) == (Ending.PEER_LOST, "The controller is gone.")
    assert server.specimen.holds >= 1


@pytest.mark.parametrize(
    "argument, sizes",
    [
        ("control", Sizes(1, 1, 0, 0, 1)),
        ("control", Sizes(1, 0, 0, 0, 2)),
        ("acquired", Sizes(2, 0, 0, 1, 0)),
        ("acquired", Sizes(1, 0, 0, 2, 0)),
        ("acquired", Sizes(1, 0, 0, 1, 2)),
    ],
)
def test_blocks_that_would_be_sent_or_read_as_something_else_are_refused(argument, sizes):
    with pytest.raises(InputError, match=argument):
        RemoteController(1, 1, **{argument: sizes})


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "then, ending",
    [
        (lambda link: link.close(), Ending.PEER_LOST),
        (lambda link: None, Ending.PEER_SILENT),
        (lambda link: link.sendall(bytes(100)), Ending.PEER_SILENT),
        (lambda link: link.sendall(doubles(256, 0.0, float("nan"))), Ending.BAD_MESSAGE),
    ],
)
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_the_laboratory_fails_in_the_middle_of_a_test(tmp_path, then, ending):
    controller = Controller(20, then)
    specimen = RemoteController(1, controller.port, silence=60.0, reads=False)
    model = remote_model(specimen)
    tested = HybridTest(model, GroundMotion.el_centro(), dt=0.01, duration=1.0).run(
        tmp_path / "j.h5"
    )
    assert tested.outcome is ending
    assert tested.steps == 20
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is ending
    assert record.steps == len(record.measured["e"]) == 20
    assert len(record.command["e"]) == 21
    specimen.close()
