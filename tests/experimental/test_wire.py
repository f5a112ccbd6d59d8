"""Byte by byte: each message of the protocols, written from their tables with struct."""

import contextlib
import socket
import struct
import threading

import numpy as np
import pytest

from femu.experimental import (
    BadMessage,
    EmulatedSpecimen,
    Ending,
    PeerLost,
    RemoteApplication,
    RemoteController,
    RemoteSite,
    SpecimenServer,
)
from femu.experimental.network.transport import DATAGRAM
from femu.experimental.network.wire import MOST_DATA, Sizes, Terms
from femu.materials import Elastic

LIMIT = 10.0
K = (100.0, 250.0)


def doubles(count, *values):
    return struct.pack(f"<{count}d", *values, *([0.0] * (count - len(values))))


def specimen():
    return EmulatedSpecimen([Elastic(k) for k in K])


class Peer:
    """A plain socket on the other side."""

    def __init__(self, udp):
        self.udp = udp
        self.socket = socket.socket(
            socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        )
        self.socket.settimeout(LIMIT)

    def connect(self, port):
        self.socket.connect(("127.0.0.1", port))
        return self

    def listen(self):
        self.socket.bind(("127.0.0.1", 0))
        if not self.udp:
            self.socket.listen(1)
        return self.socket.getsockname()[1]

    def accept(self):
        """Becomes the connection to the first client; over UDP, of the address that sends first."""
        if not self.udp:
            self.socket = self.socket.accept()[0]
            self.socket.settimeout(LIMIT)
        else:
            _, address = self.socket.recvfrom(65535, socket.MSG_PEEK)
            self.socket.connect(address)

    def send(self, data):
        for start in range(0, len(data), DATAGRAM):
            self.socket.sendall(data[start : start + DATAGRAM])

    def receive(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(65535 if self.udp else count - len(data))
            assert part
            data += part
        assert len(data) == count
        return data


def serve(**options):
    server = SpecimenServer(specimen(), wait=LIMIT, silence=LIMIT, **options)
    found = []
    thread = threading.Thread(target=lambda: found.append(server.serve()), daemon=True)
    thread.start()

    def ended():
        thread.join(2 * LIMIT)
        assert found, "the server did not end"
        return found[0]

    return server.port, ended


def in_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()

    def result():
        thread.join(2 * LIMIT)
        assert found, "the client did not end"
        return found[0]

    return result


def test_setup_message_is_eleven_integers():
    terms = Terms(Sizes(2, 2, 2, 0, 1), Sizes(0, 0, 0, 2, 0), 256)
    assert terms.encoded() == struct.pack("<11i", 2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 256)
    assert Terms.of(terms.encoded()) == terms


def test_request_has_the_action_then_the_blocks():
    terms = Terms(Sizes(2, 2, 2, 0, 1), Sizes(0, 0, 0, 2, 0), 20)
    assert terms.request(3, [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [0.5]) == doubles(
        20, 3.0, 1, 2, 3, 4, 5, 6, 0.5
    )


@pytest.mark.parametrize(
    "ids",
    [
        (2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 3),
        (-1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 256),
        (1, 0, 0, 0, 0, 0, 0, 0, 1, 0, MOST_DATA + 1),
        (1 << 30, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1 << 30),
    ],
)
def test_wrong_setup_messages_are_refused(ids):
    with pytest.raises(BadMessage):
        Terms.of(struct.pack("<11i", *ids))


@pytest.mark.parametrize("udp, handshake", [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("data", [256, 3000])
def test_protocol_a_server(udp, handshake, data):
    port, ended = serve(udp=udp)
    peer = Peer(udp).connect(port)
    if handshake:
        peer.send(b"a")
        assert peer.receive(1) == b"b"
    peer.send(struct.pack("<11i", 2, 2, 2, 0, 1, 0, 0, 0, 2, 0, data))
    trial = [0.1, -0.2, 0.0, 0.0, 0.0, 0.0, 0.01]
    for _ in range(2):  # the same target twice is one move
        peer.send(doubles(data, 3.0, *trial))
    peer.send(doubles(data, 10.0, *trial))
    assert peer.receive(8 * data) == doubles(data, 0.1 * K[0], -0.2 * K[1])
    for action, diagonal in ((12.0, K), (13.0, K), (14.0, (0.0, 0.0)), (15.0, (0.0, 0.0))):
        peer.send(doubles(data, action, *trial))
        assert peer.receive(8 * data) == doubles(data, diagonal[0], 0.0, 0.0, diagonal[1])
    peer.send(doubles(data, 5.0, *trial))
    peer.send(doubles(data, 99.0, *trial))
    served = ended()
    assert (served.ending, served.moves, served.commits) == (Ending.PEER_DONE, 1, 1)


def test_client_that_wants_no_measurement_moves_nothing():
    port, ended = serve()
    peer = Peer(False).connect(port)
    peer.send(struct.pack("<11i", 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 256))
    with contextlib.suppress(ConnectionError):  # the server may have left by then
        peer.send(doubles(256, 3.0, 0.1, -0.2))
        peer.send(doubles(256, 10.0))
    served = ended()
    assert (served.ending, served.moves) == (Ending.BAD_MESSAGE, 0)
    assert "no measured quantity" in served.message


def test_answers_are_cut_as_the_client_cuts():
    """OpenFresco's stand-alone library sends datagrams of 512 bytes, and expects them."""
    port, ended = serve(udp=True)
    peer = Peer(True).connect(port)
    peer.send(struct.pack("<11i", 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 256))
    for message in (doubles(256, 3.0, 0.1, -0.2, 0.5), doubles(256, 10.0)):
        for start in range(0, 2048, 512):
            peer.socket.send(message[start : start + 512])
    parts = [peer.socket.recv(65535) for _ in range(4)]
    assert [len(part) for part in parts] == [512] * 4
    assert b"".join(parts) == doubles(256, 0.1 * K[0], -0.2 * K[1])
    peer.send(doubles(256, 99.0))
    assert ended().ending is Ending.PEER_DONE


def test_matrices_are_column_major():
    coordinates = np.array([[1.0, 0.5], [0.0, 1.0]])
    server = SpecimenServer(
        EmulatedSpecimen([Elastic(k) for k in K], coordinates=coordinates),
        wait=LIMIT,
        silence=LIMIT,
    )
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    server.specimen.tangent = lambda: matrix
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    peer = Peer(False).connect(server.port)
    peer.send(struct.pack("<11i", 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 8))
    peer.send(doubles(8, 13.0))
    assert peer.receive(64) == doubles(8, 1.0, 3.0, 2.0, 4.0)
    peer.send(doubles(8, 99.0))
    thread.join(LIMIT)


@pytest.mark.parametrize("udp", [False, True])
def test_protocol_b3_server_answers_each_block(udp):
    port, ended = serve(udp=udp)
    peer = Peer(udp).connect(port)
    peer.send(struct.pack("<11i", 2, 2, 2, 0, 1, 2, 2, 2, 2, 1, 16))
    peer.send(doubles(16, 1.0))
    peer.send(doubles(16, 2.0))
    peer.send(doubles(16, 3.0, 0.1, 0.2, 1.0, 2.0, 3.0, 4.0, 0.5))
    answer = doubles(16, 0.1, 0.2, 1.0, 2.0, 3.0, 4.0, 0.1 * K[0], 0.2 * K[1], 0.5)
    for action in (6.0, 7.0, 8.0, 9.0, 10.0, 11.0):
        peer.send(doubles(16, action))
        assert peer.receive(128) == answer
    peer.send(doubles(16, 99.0))
    assert ended().ending is Ending.PEER_DONE


@pytest.mark.parametrize("udp", [False, True])
def test_protocol_b2_server(udp):
    port, ended = serve(protocol="site", udp=udp, tag=7)
    peer = Peer(udp).connect(port)
    if udp:
        peer.send(b"a")
        assert peer.receive(1) == b"b"
    else:
        peer.send(struct.pack("<i", 1))
        assert peer.receive(4) == struct.pack("<i", 1)
    peer.send(doubles(256, 1.0, 3.0, 2.8))
    assert peer.receive(2048) == doubles(256, 0.0, 7.0, 2.8)
    peer.send(doubles(256, 2.0, 300.0))
    peer.send(struct.pack("<5i", 2, 0, 0, 0, 1))
    peer.send(struct.pack("<5i", 2, 0, 0, 2, 1))
    peer.send(doubles(300, 3.0, 0.1, 0.2, 0.25))
    peer.send(doubles(300, 6.0, 0.1, 0.2, 0.25))
    assert peer.receive(2400) == doubles(300, 0.1, 0.2, 0.1 * K[0], 0.2 * K[1], 0.25)
    peer.send(doubles(300, 5.0, 0.1, 0.2, 0.25))
    peer.send(doubles(300, 99.0, 3.0))
    assert peer.receive(2400) == doubles(300, 4.0, 7.0)
    served = ended()
    assert (served.ending, served.moves, served.commits) == (Ending.PEER_DONE, 1, 1)


@pytest.mark.parametrize("udp", [False, True])
def test_protocol_b2_client(udp):
    peer = Peer(udp)
    port = peer.listen()

    def work():
        site = RemoteSite(2, port, tag=3, udp=udp, silence=LIMIT)
        measured = site.apply(np.array([0.1, 0.2]), 0.25)
        site.commit(0.25)
        site.close()
        return measured

    client = in_thread(work)
    peer.accept()
    if udp:
        assert peer.receive(1) == b"a"
        peer.send(b"b")
    else:
        assert peer.receive(4) == struct.pack("<i", 1)
        peer.send(struct.pack("<i", 1))
    assert peer.receive(2048) == doubles(256, 1.0, 3.0, 2.8)
    peer.send(doubles(256, 0.0, 7.0, 2.8))
    assert peer.receive(2048) == doubles(256, 2.0, 256.0)
    assert peer.receive(20) == struct.pack("<5i", 2, 0, 0, 0, 1)
    # datagrams can be lost: answers have their time
    assert peer.receive(20) == struct.pack("<5i", 2, 0, 0, 2, udp)
    if udp:  # whether they have it is asked before the first command
        assert peer.receive(2048) == doubles(256, 6.0, 0.0, 0.0, -1.0)
        peer.send(doubles(256, 0.0, 0.0, 0.0, 0.0, -1.0))
    assert peer.receive(2048) == doubles(256, 3.0, 0.1, 0.2, 0.25)
    assert peer.receive(2048) == doubles(256, 6.0, 0.1, 0.2, 0.25)
    peer.send(doubles(256, 0.11, 0.21, 5.0, 6.0, *[0.25] * udp))
    assert peer.receive(2048) == doubles(256, 5.0, 0.1, 0.2, 0.25)
    assert peer.receive(2048) == doubles(256, 99.0, 3.0)
    peer.send(doubles(256, 4.0, 7.0))
    measured = client()
    assert measured.displacement.tolist() == [0.11, 0.21]
    assert measured.force.tolist() == [5.0, 6.0]


@pytest.mark.parametrize("udp", [False, True])
def test_protocol_b4_client(udp):
    peer = Peer(udp)
    port = peer.listen()

    def work():
        remote = RemoteApplication(2, port, element=True, udp=udp, silence=LIMIT)
        stiffness = remote.initial_stiffness()
        measured = remote.apply(np.array([0.1, 0.2]), 0.25)
        remote.commit(0.25)
        remote.close()
        return stiffness, measured

    client = in_thread(work)
    peer.accept()
    # forces alone
    assert peer.receive(44) == struct.pack("<11i", 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 256)
    assert peer.receive(2048) == doubles(256, 12.0)
    peer.send(doubles(256, 5.0, 2.0, 2.0, 4.0))
    assert peer.receive(2048) == doubles(256, 3.0, 0.1, 0.2, 0.25)
    assert peer.receive(2048) == doubles(256, 10.0, 0.1, 0.2, 0.25)
    peer.send(doubles(256, 5.0, 6.0))
    assert peer.receive(2048) == doubles(256, 5.0, 0.1, 0.2, 0.25)
    assert peer.receive(2048) == doubles(256, 99.0, 0.1, 0.2, 0.25)
    stiffness, measured = client()
    assert stiffness.tolist() == [[5.0, 2.0], [2.0, 4.0]]
    assert measured.displacement.tolist() == [0.1, 0.2]
    assert measured.force.tolist() == [5.0, 6.0]


@pytest.mark.parametrize("udp", [False, True])
def test_controller_client(udp):
    peer = Peer(udp)
    port = peer.listen()

    def work():
        controller = RemoteController(2, port, udp=udp, silence=LIMIT, lines=["gain 3"])
        measured = controller.apply(np.array([0.1, 0.2]), 0.25)
        controller.commit(0.25)
        controller.close()
        return measured

    client = in_thread(work)
    peer.accept()
    assert peer.receive(44) == struct.pack("<11i", 2, 0, 0, 0, 0, 2, 0, 0, 2, 0, 256)
    assert peer.receive(16385) == b"\x02gain 3" + bytes(16385 - 7)
    assert peer.receive(2048) == doubles(256, 6.0)
    peer.send(doubles(256))
    assert peer.receive(2048) == doubles(256, 3.0, 0.1, 0.2)
    assert peer.receive(2048) == doubles(256, 6.0, 0.1, 0.2)
    peer.send(doubles(256, 0.1, 0.2, 5.0, 6.0))
    assert peer.receive(2048) == doubles(256, 99.0, 0.1, 0.2)  # no commit in between
    assert client().force.tolist() == [5.0, 6.0]


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("kind", ["site", "application"])
def test_client_against_server(kind, udp):
    port, ended = serve(protocol=kind, udp=udp)
    remote = (
        RemoteSite(2, port, udp=udp)
        if kind == "site"
        else RemoteApplication(2, port, element=True, udp=udp)
    )
    if kind == "application":
        assert remote.initial_stiffness().tolist() == np.diag(K).tolist()
    for step in range(50):
        target = np.array([np.sin(0.3 * step), np.cos(0.2 * step)])
        measured = remote.apply(target, 0.01 * step)
        assert measured.displacement.tolist() == target.tolist()
        assert measured.force.tolist() == (np.array(K) * target).tolist()
        remote.commit(0.01 * step)
    remote.close()
    served = ended()
    assert (served.ending, served.moves, served.commits) == (Ending.PEER_DONE, 50, 50)


def test_no_server_is_a_clear_error():
    peer = Peer(False)
    port = peer.listen()
    peer.socket.close()
    with pytest.raises(PeerLost, match="Is the server running"):
        RemoteSite(1, port, silence=2.0).open()
