"""Datagrams of others."""

import socket
import struct
import time

import pytest
from stone import BOUND, Stone, serve

from femu.experimental import Ending
from femu.experimental.network.listener import Listener

# one displacement and the time; one displacement and force
IDS = struct.pack("<11i", 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 8)
HELLO = b"a"


def doubles(*values):
    return struct.pack("<8d", *values, *[0.0] * (8 - len(values)))


def client(port):
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.settimeout(BOUND)
    made.connect(("127.0.0.1", port))
    return made


@pytest.mark.parametrize(
    "beginning", [IDS, HELLO + IDS], ids=["without a greeting", "with a greeting"]
)
def test_datagrams_that_wait_in_the_queue_move_nothing(monkeypatch, beginning):
    """Two clients began before the server was ready.

    The first is served; what the second has sent is not a command of it.
    """
    stone, made = Stone(), []
    accept = Listener.accept
    monkeypatch.setattr(Listener, "accept", lambda *given: (both_have_begun(), accept(*given))[1])

    def both_have_begun():
        while len(made) < 2:
            time.sleep(0.01)

    server, ended = serve(stone, udp=True)
    first, second = client(server.port), client(server.port)
    parts = [beginning[:-44], beginning[-44:]] if beginning != IDS else [IDS]
    first.send(parts[0])
    for part in (*parts, doubles(3.0, 0.09, 0.01), doubles(99.0)):
        second.send(part)
    made += [first, second]
    if len(parts) > 1:
        assert first.recv(100) == b"b"
        first.send(parts[1])
    first.send(doubles(3.0, 0.001, 0.01))
    first.send(doubles(6.0))
    assert struct.unpack("<8d", first.recv(100))[:2] == (0.001, 100.0)
    first.send(doubles(99.0))
    assert ended().ending is Ending.PEER_DONE
    assert stone.commands == [0.001]
    for one in made:
        one.close()
