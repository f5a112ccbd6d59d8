"""A server of a specimen: where it is when a client asks, and what it hands on."""

import numpy as np
import pytest
from stone import BOUND, DT, K, Stone, interrupted, make, serve

from femu.experimental import (
    Ending,
    ExperimentError,
    Limits,
    Measurement,
    RemoteApplication,
    RemoteController,
    RemoteSite,
    SpecimenSession,
    read_journal,
)
from femu.experimental.network.wire import Sizes

CLIENTS = {"site": RemoteSite, "application": RemoteApplication}


@pytest.mark.parametrize("protocol", CLIENTS)
def test_a_server_tells_where_the_specimen_stands_now(protocol):
    """It was started in the evening; over night the laboratory brings the actuator back."""
    stone = Stone(0.05)
    server, ended = serve(stone, protocol=protocol, limits=Limits(increment=0.002))
    remote = CLIENTS[protocol](1, server.port, silence=BOUND)
    remote.open()
    assert remote.reading(np.array([0.05])).displacement[0] == 0.05
    for place in (0.03, 0.0):  # and again after a client has asked
        stone.place[:] = place
        assert remote.reading(np.array([0.05])).displacement[0] == place
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.0505]), 5.0)  # from zero it is a jump
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert stone.commands == []


def test_the_first_command_counts_from_where_the_specimen_stands_then():
    """A client that does not ask."""
    stone = Stone(0.05)
    server, ended = serve(stone, limits=Limits(increment=0.002))
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.open()
    stone.place[:] = 0.0
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.0505]), 5.0)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert stone.commands == []


def test_after_the_first_command_the_measurement_is_told(tmp_path):
    """Not another reading: what a client receives is what is in the journal."""
    stone = Stone()
    server, ended = serve(stone, journal=tmp_path / "s.h5")
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.apply(np.array([0.01]), DT)
    stone.place[:] = 0.3
    assert remote.reading(np.array([0.01])).displacement[0] == 0.01
    remote.close()
    ended()
    assert read_journal(tmp_path / "s.h5").measurements("specimen")[0].tolist() == [[0.01]]


def test_a_specimen_that_fails_when_it_is_read_does_not_leave_the_client_waiting():
    stone = Stone()
    server, ended = serve(stone)
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.open()
    remote.reading(np.zeros(1))
    stone.reading = lambda last: (_ for _ in ()).throw(OSError("no sensors"))
    with pytest.raises(ExperimentError, match="nan"):
        remote.reading(np.zeros(1))
    remote.close()
    assert ended().ending is Ending.ERROR
    assert "no sensors" in ended().message


@pytest.mark.parametrize("udp", [False, True])
def test_a_limit_of_velocity_needs_the_time_of_the_client(udp):
    stone = Stone()
    server, ended = serve(stone, udp=udp, limits=Limits(velocity=0.5))
    remote = RemoteController(1, server.port, udp=udp, silence=0.5)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.4]), DT)
    assert ended().ending is Ending.BAD_MESSAGE
    assert "control=Sizes(displacement=1, time=1)" in ended().message
    assert stone.commands == []


@pytest.mark.parametrize("udp", [False, True])
def test_a_controller_client_that_sends_the_time_is_served(udp):
    stone = Stone()
    server, ended = serve(stone, udp=udp, limits=Limits(velocity=0.5))
    remote = RemoteController(
        1, server.port, udp=udp, silence=BOUND, control=Sizes(displacement=1, time=1)
    )
    assert remote.apply(np.array([0.004]), DT).force[0] == K * 0.004
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.4]), 2 * DT)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert stone.commands == [0.004]


class Millimetres(Stone):
    """Changes the units of the command in place."""

    def apply(self, command, time):
        command *= 1000.0
        return super().apply(command / 1000.0, time)


class Buffered(Stone):
    """Measures into arrays of its own, the same ones every time."""

    def __init__(self):
        super().__init__()
        self.displacement, self.force = np.zeros(1), np.zeros(1)

    def apply(self, command, time):
        super().apply(command, time)
        self.displacement[:], self.force[:] = command, K * command
        return Measurement(self.displacement, self.force, time)


def test_a_driver_may_change_the_command_in_place(tmp_path):
    stone = Millimetres()
    server, ended = serve(stone)
    remote = RemoteApplication(1, server.port, silence=BOUND)
    assert [
        float(remote.apply(np.array([x]), DT * k).displacement[0])
        for k, x in enumerate([0.001, 1.0], 1)
    ] == [0.001, 1.0]
    remote.close()
    ended()
    assert stone.commands == [0.001, 1.0]
    for specimen in (Stone(), Millimetres()):
        make(specimen).run(tmp_path / f"{type(specimen).__name__}.h5")
    one, two = (read_journal(tmp_path / f"{name}.h5") for name in ("Stone", "Millimetres"))
    assert np.array_equal(one.commands("e"), two.commands("e"))
    assert np.array_equal(one.state[:, :-1], two.state[:, :-1])


def test_a_driver_may_use_its_arrays_again(tmp_path):
    stone = Buffered()
    server, ended = serve(stone, journal=tmp_path / "s.h5")
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.apply(np.array([0.01]), DT)
    stone.force[:] = -999.0
    assert remote.reading(np.array([0.01])).force[0] == K * 0.01
    remote.close()
    ended()
    assert read_journal(tmp_path / "s.h5").measurements("specimen")[1].tolist() == [[K * 0.01]]
    session = SpecimenSession(make(stone := Buffered()).elements["e"])
    first = session.exchange(np.array([0.01]), DT)
    session.exchange(np.array([0.02]), 2 * DT)
    assert first.force[0] == K * 0.01


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_test_over_a_server_is_resumed_where_the_specimen_stands(tmp_path):
    """And not where it does not, zero included."""
    stone, limits, path = Stone(), Limits(displacement=0.1, increment=0.01), tmp_path / "j.h5"

    def client(work):
        server, ended = serve(stone, protocol="site")
        remote = RemoteSite(1, server.port, silence=BOUND)
        found = work(remote)
        remote.close()
        ended()
        return found

    client(lambda remote: interrupted(path, remote, 250, 300, limits=limits))
    left, sent, stone.place = stone.place, len(stone.commands), np.zeros(1)
    assert abs(left[0]) > limits.increment
    refused = client(lambda remote: make(remote, 300, limits=limits).resume(path))
    assert refused.outcome is Ending.SPECIMEN_LIMIT
    assert "is at 0, but the journal ends" in refused.message
    assert "reads=False" in refused.message
    assert len(stone.commands) == sent
    stone.place = left
    assert (
        client(lambda remote: make(remote, 300, limits=limits).resume(path)).outcome
        is Ending.COMPLETE
    )
    assert max(abs(np.diff(stone.commands))) <= limits.increment
