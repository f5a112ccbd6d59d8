"""Where a specimen is when a test continues, and messages that come too late."""

import socket
import struct
import threading
import time

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from stone import enough

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    EmulatedSpecimen,
    Ending,
    ExperimentalElement,
    Limits,
    Measurement,
    PeerSilent,
    RemoteApplication,
    RemoteController,
    Specimen,
    SpecimenServer,
    read_journal,
)
from femu.materials import Elastic

K, DT, STEPS = 1e5, 0.01, 150


class Read(Specimen):
    """A physical specimen that can be read, with noise, where it is."""

    size = 1

    def __init__(self, noise=1e-6):
        self.place, self.commands, self.readings = np.zeros(1), [], 0
        self.noise, self.rng = noise, np.random.default_rng(3)

    def _measure(self):
        return Measurement(self.place + self.noise * self.rng.standard_normal(1), K * self.place)

    def apply(self, command, time):
        self.commands.append(float(command[0]))
        self.place = command.copy()
        return self._measure()

    def reading(self, last):
        self.readings += 1
        self.asked = last
        return self._measure()

    def initial_stiffness(self):
        return np.array([[K]])


def make(specimen, **limits):
    model = Model("place")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(K)}))
    model.add(
        ExperimentalElement(
            "e",
            [("B", "x")],
            specimen=specimen,
            stiffness=[[K]],
            sensor_check=None,
            limits=enough(Limits(**limits) if limits else None),
        )
    )
    return HybridTest(model, GroundMotion.el_centro(), dt=DT, duration=STEPS * DT)


def interrupted(path, specimen, at, **limits):
    specimen.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(specimen.commands) == at else None
    )
    assert stopped_by_ctrl_c(make(specimen, **limits).run, path).outcome is Ending.STOPPED_BY_USER
    del specimen.commit


@pytest.mark.parametrize("limits", [{}, {"increment": 2e-3}, {"displacement": 0.1}])
@pytest.mark.parametrize("at", [1, 5, 100])
def test_a_specimen_that_stands_where_the_journal_ends_goes_on(tmp_path, limits, at):
    specimen = Read()
    interrupted(tmp_path / "j.h5", specimen, at, **limits)
    assert make(specimen, **limits).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert specimen.readings == 2  # one before the test began, one before it continued
    assert specimen.asked[0] == specimen.commands[at - 1]
    assert len(specimen.commands) == STEPS


@pytest.mark.parametrize(
    "limits, at, to",
    [({}, 100, 0.0), ({"increment": 2e-3}, 100, 0.05), ({"displacement": 0.1}, 5, 0.02)],
)
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_specimen_that_was_moved_is_not_moved_again(tmp_path, limits, at, to):
    specimen = Read()
    interrupted(tmp_path / "j.h5", specimen, at, **limits)
    left, specimen.place = specimen.place, np.array([to])
    result = make(specimen, **limits).resume(tmp_path / "j.h5")
    assert result.outcome is Ending.SPECIMEN_LIMIT
    assert "Nothing was sent. Bring the specimen back" in result.message
    assert len(specimen.commands) == at
    specimen.place = left
    assert make(specimen, **limits).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(specimen.commands) == STEPS


def test_a_specimen_that_went_on_without_its_journal_is_announced(tmp_path):
    """After a power cut: three commands are not in the journal, and the limits allow their way."""
    path, specimen = tmp_path / "j.h5", Read()
    interrupted(path, specimen, 100, increment=0.01)
    left = specimen.place.copy()
    for command in specimen.commands[-1] + 1e-4 * np.arange(1, 4):
        specimen.apply(np.array([command]), 0.0)
    del specimen.commands[100:]
    with pytest.warns(UserWarning, match=r" away, farther .* they are sent again"):
        result = make(specimen, increment=0.01).resume(path)
    assert result.outcome is Ending.COMPLETE and "they are sent again" in result.message
    assert abs(specimen.asked[0] - left[0]) == 0.0


def test_a_specimen_that_cannot_tell_where_it_stands_is_told_of(tmp_path):
    specimen = Read()
    interrupted(tmp_path / "j.h5", specimen, 50)
    specimen.reading = lambda last: None
    with pytest.warns(UserWarning, match="cannot report its position"):
        assert make(specimen).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_broken_sensor_is_found_before_a_command_leaves(tmp_path):
    specimen = Read()
    interrupted(tmp_path / "j.h5", specimen, 50)
    specimen.noise = np.nan
    assert make(specimen).resume(tmp_path / "j.h5").outcome is Ending.BAD_MEASUREMENT
    assert len(specimen.commands) == 50


# --- messages that come too late ---


def doubles(*values):
    return struct.pack("<256d", *values, *[0.0] * (256 - len(values)))


def test_a_late_answer_is_not_taken_for_that_of_the_next_command():
    """TCP: the answer to the first command comes after the client has given up."""
    listener = socket.create_server(("127.0.0.1", 0))
    gone = threading.Event()

    def laboratory():
        for day in range(2):
            link, _ = listener.accept()
            stream = link.makefile("rb")
            stream.read(44)
            while data := stream.read(2048):
                action, command = struct.unpack("<2d", data[:16])
                if action == 6.0:
                    if day == 0:
                        gone.wait(20.0)
                        try:
                            link.sendall(doubles(command, -1.0))
                        except OSError:
                            break
                    else:
                        link.sendall(doubles(command, 2.0))
            link.close()

    threading.Thread(target=laboratory, daemon=True).start()
    lab = RemoteController(1, listener.getsockname()[1], silence=0.3)
    with pytest.raises(PeerSilent):
        lab.apply(np.array([0.1]), 0.01)
    gone.set()
    time.sleep(0.2)
    lab.wait_at_most(20.0)
    assert lab.apply(np.array([0.2]), 0.02).force[0] == 2.0
    lab.close()
    listener.close()


def test_a_late_datagram_does_not_move_the_specimen_back(tmp_path):
    specimen = EmulatedSpecimen(Elastic(K))
    server = SpecimenServer(specimen, udp=True, wait=20.0, silence=20.0, journal=tmp_path / "s.h5")
    ended = []
    thread = threading.Thread(target=lambda: ended.append(server.serve()), daemon=True)
    thread.start()
    remote = RemoteApplication(1, server.port, udp=True, silence=20.0)
    remote.apply(np.array([0.1]), 0.01)
    late = remote.terms.request(3, remote._blocks)
    remote.apply(np.array([0.2]), 0.02)
    remote._link.send(late)
    measured = remote.apply(np.array([0.3]), 0.03)
    remote.close()
    thread.join(20.0)
    assert measured.displacement[0] == 0.3
    assert ended[0].moves == 3
    assert read_journal(tmp_path / "s.h5").commands("specimen")[:, 0].tolist() == [0.1, 0.2, 0.3]


def test_a_server_that_cannot_be_read_says_what_helps():
    listener = socket.create_server(("127.0.0.1", 0))
    lab = RemoteController(1, listener.getsockname()[1], silence=0.2)
    with pytest.raises(PeerSilent, match="reads=False"):
        lab.reading(np.zeros(1))
    quiet = RemoteController(1, listener.getsockname()[1], silence=0.2, reads=False)
    assert quiet.reading(np.zeros(1)) is None
    listener.close()
