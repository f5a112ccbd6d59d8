"""A physical specimen has limits or a written reason, and is read before its first step."""

import numpy as np
import pytest
from stone import K, Stone, interrupted, make, serve

from femu import GroundMotion, InputError, Model
from femu.analyses import HybridTest
from femu.experimental import (
    EmulatedSpecimen,
    Ending,
    ExperimentalElement,
    Limits,
    RemoteApplication,
    RemoteController,
    SensorCheck,
    SpecimenServer,
    Unlimited,
    read_journal,
)
from femu.experimental.errors import ServerRefused
from femu.materials import Elastic

# failures are what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")

WHOLE = {"displacement": 0.1, "velocity": 2.0, "force": 0.2 * K}


@pytest.mark.parametrize("without", [("displacement",), ("velocity",), ("force",), tuple(WHOLE)])
def test_a_physical_specimen_without_a_limit_is_not_moved(without):
    stone, limits = Stone(), Limits(**{n: v for n, v in WHOLE.items() if n not in without})
    test = make(stone)
    for given in (limits, None):
        test.elements["e"].limits = given
        with pytest.raises(
            InputError,
            match=r"must limit .*Fix: give "
            r"limits=Limits\(displacement=.*force=.*Unlimited",
        ):
            test.run()
        with pytest.raises(InputError, match=r"SpecimenServer: limits .*must limit"):
            SpecimenServer(stone, limits=given)
    assert stone.commands == []


def test_a_remote_specimen_needs_them_before_it_is_connected():
    test = make(RemoteController(1, 1))
    test.elements["e"].limits = None
    with pytest.raises(InputError, match="must limit"):
        test.run()


def test_a_specimen_away_from_zero_is_not_moved_by_the_first_step():
    """At 50 mm, without a limit of increment: the first step would bring it to zero at once."""
    stone = Stone(0.05)
    result = make(stone, limits=Limits(displacement=0.1, velocity=100.0, force=K)).run()
    assert result.outcome is Ending.SPECIMEN_LIMIT
    assert "at 0.05 before the first step" in result.message
    assert stone.commands == []


def test_a_reason_is_kept_and_shown(tmp_path):
    test = make(Stone())
    test.elements["e"].limits = Unlimited("the controller has its own")
    result = test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    assert result.outcome is Ending.COMPLETE
    assert (
        "No limits were checked ('e': the controller has its own)."
        in result.message
        == record.message
    )
    assert record.about["limits"] == {"e": {"unlimited": "the controller has its own"}}
    with pytest.raises(InputError, match="must be text"):
        Unlimited(" ")


def test_limits_of_a_server_are_in_its_journal(tmp_path):
    server, ended = serve(Stone(), Limits(**WHOLE), journal=tmp_path / "s.h5")
    remote = RemoteController(1, server.port)
    with pytest.raises(
        ServerRefused, match="The server refused to continue: every number of its answer is nan"
    ):
        remote.apply(np.zeros(1), 0.0)
    remote.close()
    served = ended()
    assert served.ending is Ending.BAD_MESSAGE
    assert (
        "sends no time with its commands, so the velocity limit of this server means nothing"
        in served.message
    )
    assert read_journal(tmp_path / "s.h5").about["limits"]["specimen"] == WHOLE


def test_without_limits_a_specimen_away_from_zero_is_not_moved_either():
    """Nothing says how far the first step may move it, but for what is declared or the noise of its
    sensor."""
    for given, noise, allowed in (
        (None, None, False),
        (0.01, None, False),
        (0.06, None, True),
        (None, 0.001, False),
        (None, 0.006, True),
    ):
        stone = Stone(0.05)
        result = make(
            stone,
            limits=Unlimited("the controller has its own", start=given),
            sensor_check=SensorCheck(displacement_noise=noise),
        ).run()
        assert (result.outcome is Ending.COMPLETE) is allowed, result.message
        if not allowed:
            assert result.outcome is Ending.SPECIMEN_LIMIT and stone.commands == []
            assert (
                "Actuator x of ExperimentalElement('e') is at 0.05 before the first step"
                in result.message
            )
            assert 'Unlimited("reason", start=0.001)' in result.message
    with pytest.raises(InputError, match=r"Unlimited: start = -1\.0 must be above 0"):
        Unlimited("the controller has its own", start=-1.0)


def test_without_limits_a_specimen_that_was_moved_is_not_moved_back(tmp_path):
    """From the first sample on: one of 20 mm after a few steps of less than a millimetre."""
    stone = Stone()
    interrupted(tmp_path / "j.h5", stone, 5)
    sent = len(stone.commands)
    stone.place = stone.place + 0.02
    result = make(stone).resume(tmp_path / "j.h5")
    assert result.outcome is Ending.SPECIMEN_LIMIT and len(stone.commands) == sent
    assert "but the journal ends with the command" in result.message


def test_a_specimen_that_is_not_read_is_said_to_be_taken_at_zero(tmp_path):
    server, ended = serve(Stone(), Limits(displacement=0.1, increment=0.1, force=K))
    remote = RemoteApplication(1, server.port, reads=False)
    test = make(remote, limits=Limits(displacement=0.1, increment=0.1, force=K))
    result = test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    remote.close()
    assert ended().ending is Ending.PEER_DONE
    reported = "Not read before the first step, and taken to be at zero: 'e'."
    assert reported in result.message == record.message
    assert record.about["not_read"] == ["e"]
    read = make(Stone()).run(tmp_path / "r.h5")
    assert (
        "Not read" not in read.message and read_journal(tmp_path / "r.h5").about["not_read"] == []
    )


def test_a_reason_is_not_shown_for_an_emulated_specimen():
    model = Model("emulated")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(
        ExperimentalElement(
            "e",
            [("B", "x")],
            specimen=EmulatedSpecimen(Elastic(K)),
            limits=Unlimited("it is emulated"),
        )
    )
    result = HybridTest(model, GroundMotion.el_centro(), dt=0.01, duration=0.1).run()
    assert (
        result.outcome is Ending.COMPLETE
        and "limits" not in result.message
        and "Not read" not in result.message
    )
