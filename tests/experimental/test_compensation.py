"""Compensations of a delay while the target rests, in a second test, and where they fail."""

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from stone import DT, Stone, make, serve

from femu.experimental import (
    CompensatedSpecimen,
    Compensation,
    Ending,
    Limits,
    LimitTripped,
    PolynomialCompensation,
    RemoteApplication,
    SpecimenSession,
    read_journal,
)

DELAY = 0.012
TARGETS = [0.01 * k for k in range(1, 11)] + [0.1] * 50 + [0.101]


def wanted():
    """Commands of a compensation that sees the target of every step."""
    alone = PolynomialCompensation(DELAY)
    alone.start(1, DT)
    return [float(alone.command(np.array([x]))[0]) for x in TARGETS]


@pytest.mark.parametrize("outside", [False, True], ids=["of the element", "of the specimen"])
def test_a_compensation_sees_that_a_target_rests(outside):
    """Else the specimen stays ahead of the target, and the next command comes from a polynomial
    through the wrong instants."""
    stone, compensation = Stone(), PolynomialCompensation(DELAY)
    test = (
        make(CompensatedSpecimen(stone, compensation, DT))
        if outside
        else make(stone, compensation=compensation)
    )
    session = SpecimenSession(test.elements["e"])
    session.begin(DT)
    for k, x in enumerate(TARGETS, 1):
        session.exchange(np.array([x]), k * DT)
    assert stone.commands == wanted()
    assert np.allclose(stone.commands[14:-1], 0.1)  # at rest four targets are the same


def test_a_target_that_is_asked_for_again_at_the_same_time_is_no_step():
    stone = Stone()
    session = SpecimenSession(make(stone, compensation=PolynomialCompensation(DELAY)).elements["e"])
    session.begin(DT)
    first = session.exchange(np.array([0.01]), DT)
    assert session.exchange(np.array([0.01]), DT) is first
    assert len(stone.commands) == 1


def test_a_compensated_specimen_of_a_server_sees_that_a_target_rests():
    stone = Stone()
    server, ended = serve(CompensatedSpecimen(stone, PolynomialCompensation(DELAY), DT))
    remote = RemoteApplication(1, server.port)
    for k, x in enumerate(TARGETS, 1):
        remote.apply(np.array([x]), k * DT)
    remote.close()
    assert ended().ending is Ending.PEER_DONE
    assert stone.commands == wanted()


def test_a_second_test_does_not_begin_where_the_first_has_ended():
    stone = Stone()
    test = make(CompensatedSpecimen(stone, PolynomialCompensation(DELAY), DT), 100)
    test.run()
    stone.place[:] = 0.0  # brought back slowly, by hand
    first, stone.commands = stone.commands, []
    assert abs(first[-1]) > 1e-3
    test.run()
    assert stone.commands == first


def test_a_second_test_has_a_velocity_too():
    stone = Stone()
    test = make(CompensatedSpecimen(stone, PolynomialCompensation(0.0), DT, Limits(velocity=10.0)))
    assert test.run().outcome is Ending.COMPLETE
    test.sessions["e"].begin(DT)
    with pytest.raises(LimitTripped, match="velocity"):
        test.sessions["e"].exchange(np.array([1.0]), DT)


@pytest.mark.parametrize("problem", [ZeroDivisionError("mine"), MemoryError(), KeyboardInterrupt()])
def test_what_was_measured_before_a_compensation_fails_is_in_the_journal(tmp_path, problem):
    class Failing(Compensation):
        count = 0

        def measured(self, displacement):
            self.count += 1
            if self.count == 12:
                raise problem

    stone = Stone()
    test = make(CompensatedSpecimen(stone, Failing(), DT))
    if isinstance(problem, KeyboardInterrupt):
        stopped_by_ctrl_c(test.run, tmp_path / "j.h5")
    else:
        with pytest.raises(type(problem)):
            test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    assert len(record.measured["e"]) == 11
    assert record.refused["e"][:, 2].tolist() == [stone.commands[11]]
