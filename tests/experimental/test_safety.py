"""What is checked before a command leaves: its shape, and its velocity also after a rest."""

import numpy as np
import pytest
from stone import DT, K, Stone, make, serve

from femu import GroundMotion, Model
from femu.experimental import (
    Ending,
    ExperimentalElement,
    ExperimentError,
    Guard,
    Limits,
    LimitTripped,
    RemoteApplication,
    SpecimenSession,
    exchange,
)


def test_a_rest_does_not_lend_its_time_to_the_next_step():
    """After 10 s at one place, a step of 0.5 in 0.01 s is as fast as ever."""
    stone = Stone()
    session = SpecimenSession(make(stone, limits=Limits(velocity=1.0)).elements["e"])
    session.begin(DT)
    for k in range(1, 1001):
        session.exchange(np.zeros(1), k * DT)
    with pytest.raises(LimitTripped, match=r"velocity limit .*: 50 beyond 1"):
        session.exchange(np.array([0.5]), 1001 * DT)
    assert stone.commands == [0.0]
    session.exchange(np.array([0.009]), 1002 * DT)
    assert stone.commands == [0.0, 0.009]


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_quiet_beginning_of_a_record_changes_no_limit():
    """The same pulse, nearly at once and after 1 s of rest, trips the same limit in the same step
    of it."""
    ended = []
    for quiet in (1, 100):
        acceleration = np.zeros(quiet + 100)
        acceleration[quiet:] = 300.0
        result = make(
            Stone(),
            quiet + 30,
            GroundMotion("pulse", DT, acceleration),
            limits=Limits(velocity=1.2),
        ).run()
        ended.append((result.outcome, result.steps - quiet))
    assert ended[0] == ended[1]
    assert ended[0][0] is Ending.SPECIMEN_LIMIT


def test_a_rest_of_a_client_does_not_lend_its_time_to_a_server():
    stone = Stone()
    server, ended = serve(stone, limits=Limits(velocity=1.0))
    remote = RemoteApplication(1, server.port)
    for k in range(1, 200):
        remote.apply(np.array([1e-3]), k * DT)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.5]), 200 * DT)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert "velocity" in ended().message
    assert stone.commands == [1e-3]


def test_a_time_that_goes_back_does_not_lend_to_the_next_step():
    stone = Stone()
    server, ended = serve(stone, limits=Limits(velocity=1.0))
    remote = RemoteApplication(1, server.port)
    for at in (DT, -100.0):
        remote.apply(np.array([1e-3]), at)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.5]), 2 * DT)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert stone.commands == [1e-3]


def test_a_velocity_needs_a_time_to_count_from():
    stone = Stone()
    element = make(stone, limits=Limits(velocity=1.0)).elements["e"]
    with pytest.raises(LimitTripped, match="Call begin"):
        exchange(element, [50.0], DT)
    assert stone.commands == []


@pytest.mark.parametrize("limits", [Limits(), Limits(displacement=(0.1, 0.001))])
@pytest.mark.parametrize("command", [[5e-4], [5e-4, 0.0, 0.0], [[5e-4, 0.0]]])
def test_a_command_has_one_number_for_each_actuator(limits, command):
    """numpy would stretch one number over all of them."""
    with pytest.raises(LimitTripped, match="2 actuators"):
        Guard(limits, 2).check(np.array(command), DT)


def test_one_number_does_not_move_two_actuators():
    stone = Stone(size=2)
    model = Model("two")
    model.node("B", 1.0, 0.0, fixed=("rz",), mass=(1.0, 1.0, 0.0))
    model.add(
        element := ExperimentalElement(
            "e", [("B", "x"), ("B", "y")], specimen=stone, stiffness=K * np.eye(2)
        )
    )
    with pytest.raises(LimitTripped, match="2 actuators"):
        exchange(element, [5e-4], DT)
    assert stone.commands == []
