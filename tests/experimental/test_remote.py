"""Clients of a laboratory: what is sent, and which answer is taken for which command."""

import socket
import struct
import threading

import numpy as np
import pytest
from stone import BOUND, DT, K, Stone, interrupted, make, serve

from femu import InputError
from femu.experimental import (
    Ending,
    Limits,
    PeerSilent,
    RemoteApplication,
    RemoteController,
    RemoteSite,
    read_journal,
)
from femu.experimental.network.wire import Sizes


class Laboratory:
    """A controller that moves on a 3 and measures on a 6.

    The place is that of its machine, not of a connection.
    """

    def __init__(self, size=1):
        self.place, self.moves, self.size = [0.0] * size, [], size
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            with link, link.makefile("rb") as stream:
                stream.read(44)
                while data := stream.read(2048):
                    action, *numbers = struct.unpack("<256d", data)
                    if action == 3.0:
                        self.moves.append((self.place, numbers[: self.size]))
                        self.place = numbers[: self.size]
                    elif action == 6.0:
                        force = [K * d for d in self.place]
                        link.sendall(
                            struct.pack(
                                "<256d", *self.place, *force, *[0.0] * (256 - 2 * self.size)
                            )
                        )


@pytest.fixture
def laboratory():
    made = Laboratory()
    yield made
    made.listener.close()


def test_zeros_are_a_reading(laboratory):
    remote = RemoteController(1, laboratory.port, silence=BOUND)
    assert remote.reading(np.array([0.05])).displacement.tolist() == [0.0]
    remote.close()
    forces = RemoteController(1, laboratory.port, silence=BOUND, acquired=Sizes(force=1))
    assert forces.reading(np.array([0.05])) is None  # that says nothing of the place
    forces.close()
    assert laboratory.moves == []


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_specimen_that_was_brought_back_to_zero_is_not_sent_to_the_end_of_the_journal(
    tmp_path, laboratory
):
    """A digital encoder and a tared load cell answer zeros and nothing else."""
    path, limits = tmp_path / "j.h5", Limits(displacement=0.1, increment=0.01)
    remote = RemoteController(1, laboratory.port, silence=BOUND)
    interrupted(path, remote, 250, 300, limits=limits)
    remote.close()
    left, sent, laboratory.place = laboratory.place, len(laboratory.moves), [0.0]
    assert abs(left[0]) > limits.increment
    remote = RemoteController(1, laboratory.port, silence=BOUND)
    refused = make(remote, 300, limits=limits).resume(path)
    remote.close()
    assert refused.outcome is Ending.SPECIMEN_LIMIT
    assert "Bring the specimen back" in refused.message
    assert "reads=False" in refused.message
    assert len(laboratory.moves) == sent
    laboratory.place = left  # as the message says
    remote = RemoteController(1, laboratory.port, silence=BOUND)
    assert make(remote, 300, limits=limits).resume(path).outcome is Ending.COMPLETE
    remote.close()
    assert max(abs(after[0] - before[0]) for before, after in laboratory.moves) <= limits.increment


def test_a_controller_that_cannot_tell_goes_on_where_the_script_says_so(tmp_path, laboratory):
    path = tmp_path / "j.h5"
    remote = RemoteController(1, laboratory.port, silence=BOUND)
    interrupted(path, remote, 250, 300)
    remote.close()
    remote = RemoteController(1, laboratory.port, silence=BOUND, reads=False)
    with pytest.warns(UserWarning, match="see that the specimen is there"):
        assert make(remote, 300).resume(path).outcome is Ending.COMPLETE
    remote.close()


@pytest.mark.parametrize(
    "command", [[np.nan, 0.0], [np.inf, 0.0], [0.1], [0.1, 0.2, 0.3], [[0.1, 0.2]], 0.1]
)
def test_what_is_no_command_is_not_sent(command):
    laboratory = Laboratory(2)
    remote = RemoteController(2, laboratory.port, silence=BOUND)
    with pytest.raises(InputError, match="2 finite numbers"):
        remote.apply(np.array(command), DT)
    with pytest.raises(InputError, match="2 finite numbers"):
        remote.reading(np.array(command))
    with pytest.raises(InputError, match="time"):
        remote.apply(np.zeros(2), np.nan)
    remote.apply(np.array([0.1, 0.2]), DT)  # the connection is as good as before
    remote.close()
    laboratory.listener.close()
    assert laboratory.moves == [([0.0, 0.0], [0.1, 0.2])]


class Losing:
    """Passes datagrams on between one client and a server, but for one of those to the server."""

    def __init__(self, port, lost):
        self.here, self.there = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self.here.bind(("127.0.0.1", 0))
        self.there.connect(("127.0.0.1", port))
        self.port, self.lost, self.client = self.here.getsockname()[1], lost, threading.Event()
        for work in (self.forth, self.back):
            threading.Thread(target=work, daemon=True).start()

    def forth(self):
        count = 0
        while True:
            data, self.address = self.here.recvfrom(1 << 16)
            self.client.set()
            count += 1
            if count != self.lost:
                self.there.send(data)

    def back(self):
        self.client.wait(BOUND)
        while True:
            self.here.sendto(self.there.recv(1 << 16), self.address)


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_command_that_is_lost_is_not_answered_with_the_measurement_before(tmp_path):
    stone = Stone()
    server, ended = serve(stone, udp=True)
    # the first two messages; 3, 6 and 5 of each step; the 3 of the fifth
    between = Losing(server.port, lost=2 + 3 * 4 + 1)
    remote = RemoteApplication(1, between.port, udp=True, silence=BOUND)
    test = make(remote, limits=Limits(silence=0.5))
    test.elements["e"].specimen.wait_at_most(0.5)
    result = test.run(tmp_path / "j.h5")
    assert result.outcome is Ending.PEER_SILENT
    assert "the command was lost on the way" in result.message
    assert "acquired=Sizes(displacement=1, force=1)" in result.message
    record = read_journal(tmp_path / "j.h5")
    assert (len(record.command["e"]), len(record.measured["e"]), len(record.refused["e"])) == (
        5,
        4,
        1,
    )
    assert record.refused["e"][0, 2] == record.measured["e"][-1, 2] == stone.commands[-1]


@pytest.mark.parametrize(
    "kind, udp, time",
    [
        (RemoteSite, True, 1),
        (RemoteApplication, True, 1),
        (RemoteApplication, False, 0),
        (RemoteController, True, 0),
        (RemoteController, False, 0),
    ],
)
def test_answers_carry_a_time_over_udp_where_commands_do(kind, udp, time):
    assert kind(1, 1, udp=udp).acquired == Sizes(displacement=1, force=1, time=time)
    # for a server with a clock of its own
    assert kind(1, 1, udp=udp, acquired=Sizes(1, 0, 0, 1)).acquired.time == 0


def test_a_wait_says_that_the_other_side_has_answered_with_another_time():
    """A server with a clock of its own: what it has measured is handed on, for the journal."""
    lab = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    lab.bind(("127.0.0.1", 0))

    def answers():
        while True:
            data, client = lab.recvfrom(1 << 16)
            if len(data) == 2048 and struct.unpack("<d", data[:8])[0] == 6.0:
                lab.sendto(struct.pack("<256d", 0.01, 7.0, 1234.5, *[0.0] * 253), client)

    threading.Thread(target=answers, daemon=True).start()
    remote = RemoteApplication(
        1, lab.getsockname()[1], udp=True, silence=0.3, acquired=Sizes(1, 0, 0, 1, 1)
    )
    with pytest.raises(
        PeerSilent, match=r"an answer of t = 1234.5: .* a clock of its own"
    ) as caught:
        remote.apply(np.array([0.01]), DT)
    assert caught.value.measurement.force[0] == 7.0
