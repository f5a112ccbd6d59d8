"""Nothing measured is lost: every window between a command and its row in the journal."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from stone import enough

from femu import GroundMotion, InputError, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    CompensatedSpecimen,
    Compensation,
    Direct,
    EmulatedSpecimen,
    Ending,
    ExperimentalElement,
    Guard,
    Limits,
    LimitTripped,
    Measurement,
    PeerLost,
    Specimen,
    SpecimenServer,
    SpecimenSession,
    read_journal,
)
from femu.experimental.safety.deferred_signals import WAITING, WRITING, DeferredSignals
from femu.materials import Elastic

pytestmark = [
    pytest.mark.filterwarnings("ignore::femu.FailedAnalysis"),  # failures are what is tested here
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
]

K, DT, STEPS = 1e5, 0.01, 30
AT = 12  # number of the command at which something happens


class Stone(Specimen):
    """A physical specimen: cannot be set back.

    At one command something is done to what it measured.
    """

    size = 1

    def __init__(self, change=None):
        self.change, self.commands, self.holds, self.place = change, [], 0, np.zeros(1)

    def apply(self, command, time):
        self.commands.append(float(command[0]))
        self.place = command.copy()
        measured = Measurement(command.copy(), K * command, time)
        return (
            self.change(measured)
            if self.change is not None and len(self.commands) == AT
            else measured
        )

    def hold(self):
        self.holds += 1

    def initial_stiffness(self):
        return np.array([[K]])


def make(specimen, other=None, limits=None, **options):
    model = Model("asked")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.node("C", 4.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(TwoNodeLink("between", "B", "C", {"x": Elastic(K)}))
    model.add(
        ExperimentalElement(
            "e", [("B", "x")], specimen=specimen, stiffness=[[K]], limits=enough(limits), **options
        )
    )
    if other is not None:
        model.add(
            ExperimentalElement(
                "f", [("C", "x")], specimen=other, stiffness=[[K]], limits=enough(None)
            )
        )
    return HybridTest(model, GroundMotion.el_centro(), dt=DT, duration=STEPS * DT)


def whole(folder):
    make(Stone()).run(folder / "whole.h5")
    return read_journal(folder / "whole.h5")


def same(one, two):
    return all(
        np.array_equal(a[:, :-1], b[:, :-1])
        for a, b in (
            (one.state, two.state),
            (one.command["e"], two.command["e"]),
            (one.measured["e"], two.measured["e"]),
        )
    )


class Failing(Direct):
    """A setup that fails once, after the specimen has been measured."""

    def __init__(self, problem):
        super().__init__(1)
        self.problem, self.count = problem, 0

    def displacement(self, strokes, near=None):
        self.count += 1
        if self.count == AT:
            raise self.problem
        return super().displacement(strokes, near)


@pytest.mark.parametrize(
    "problem",
    [
        ZeroDivisionError("mine"),
        MemoryError(),
        RecursionError(),
        SystemExit(3),
        np.linalg.LinAlgError("singular"),
        KeyboardInterrupt(),
    ],
)
def test_whatever_fails_after_the_measurement_leaves_it_in_the_journal(tmp_path, problem):
    stone = Stone()
    test = make(stone, setup=Failing(problem))
    if isinstance(problem, KeyboardInterrupt):
        assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    else:
        with pytest.raises(type(problem)):
            test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    assert record.steps == len(record.measured["e"]) == AT - 1
    assert len(record.command["e"]) == len(stone.commands) == AT
    assert record.refused["e"][:, 2:-1].tolist() == [[stone.commands[-1], K * stone.commands[-1]]]
    assert stone.holds >= 1
    assert record.ending is (
        Ending.STOPPED_BY_USER if isinstance(problem, KeyboardInterrupt) else Ending.ERROR
    )
    if record.ending is Ending.ERROR:
        assert type(problem).__name__ in record.message
    stone.change = None
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert same(whole(tmp_path), read_journal(tmp_path / "j.h5"))


@pytest.mark.parametrize(
    "change, kept, said",
    [
        (lambda m: None, [np.nan, np.nan], "None"),
        (lambda m: Measurement(m.displacement, np.array([7.0, 8.0])), ["d", 7.0], "[7.0, 8.0]"),
        (lambda m: Measurement(np.zeros(0), m.force), [np.nan, "f"], "0 numbers"),
        (lambda m: Measurement(m.displacement, "x"), ["d", np.nan], "'x'"),
        (lambda m: Measurement(m.displacement, np.array([np.nan])), ["d", np.nan], "nan"),
    ],
)
def test_what_is_no_measurement_is_refused_and_what_can_be_is_kept(tmp_path, change, kept, said):
    stone = Stone(change)
    result = make(stone).run(tmp_path / "j.h5")
    assert result.outcome is Ending.BAD_MEASUREMENT
    assert said in result.message
    known = {"d": stone.commands[-1], "f": K * stone.commands[-1]}
    row = read_journal(tmp_path / "j.h5").refused["e"]
    assert np.array_equal(row[0, 2:-1], [known.get(k, k) for k in kept], equal_nan=True)


def test_a_specimen_that_refuses_its_own_measurement_hands_it_on(tmp_path):
    stone = Stone(lambda m: Measurement(m.displacement, np.array([1e9]), m.time))
    test = make(CompensatedSpecimen(stone, Compensation(), DT, Limits(force=1e6)))
    assert test.run(tmp_path / "j.h5").outcome is Ending.WILD_MEASUREMENT
    assert read_journal(tmp_path / "j.h5").refused["e"][0, 2:-1].tolist() == [
        stone.commands[-1],
        1e9,
    ]


def test_a_compensated_physical_specimen_is_not_taken_for_an_emulated_one(tmp_path):
    """It has a state, that of its compensation.

    Its last sample must be kept and used, not measured again.
    """
    from femu.experimental import PolynomialCompensation

    stone = Stone()
    specimen = CompensatedSpecimen(stone, PolynomialCompensation(0.004), DT)
    assert specimen.physical

    def stop(time, done=[]):  # noqa: B006
        done.append(time)
        if len(done) == AT:
            raise KeyboardInterrupt

    specimen.commit = stop
    assert (
        stopped_by_ctrl_c(make(specimen).run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    )
    again = CompensatedSpecimen(stone, PolynomialCompensation(0.004), DT)
    assert make(again).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(stone.commands) == STEPS
    untouched = Stone()
    make(CompensatedSpecimen(untouched, PolynomialCompensation(0.004), DT)).run(
        tmp_path / "whole.h5"
    )
    assert untouched.commands == stone.commands
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5"))


def test_the_measurement_is_in_the_message_where_the_journal_cannot_take_it(tmp_path, monkeypatch):
    stone, test = Stone(), None
    test = make(stone)
    from femu.experimental.journal.rows import Rows

    add = Rows.add

    def full(rows, step, time, *values, **stamp):
        if "measured" in rows.name and step == AT:
            rows.data = type(
                "Full",
                (),
                {
                    "id": type(
                        "Id", (), {"write": lambda *_: (_ for _ in ()).throw(OSError(28, "full"))}
                    )
                },
            )
        add(rows, step, time, *values, **stamp)

    monkeypatch.setattr(Rows, "add", full)
    result = test.run(tmp_path / "j.h5")
    assert result.outcome is Ending.JOURNAL_FULL
    assert str(stone.commands[-1]) in result.message
    assert str(K * stone.commands[-1]) in result.message


def test_one_specimen_that_cannot_be_held_does_not_keep_the_other_from_it(tmp_path):
    class Broken(Stone):
        def hold(self):
            raise OSError("no hydraulics")

    first, second = Broken(), Stone(lambda m: None)
    result = make(first, second).run(tmp_path / "j.h5")
    assert result.outcome is Ending.BAD_MEASUREMENT
    assert "'e' could not be held: OSError('no hydraulics')" in result.message
    assert second.holds >= 1
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is Ending.BAD_MEASUREMENT
    # the first had moved already: what it measured is kept, and it is not moved again
    assert len(record.measured["e"]) == AT
    assert len(record.measured["f"]) == AT - 1
    third, moves = Stone(), len(first.commands)
    first.hold = lambda: None
    assert make(first, third).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert moves == AT
    assert len(first.commands) == STEPS
    assert len(third.commands) == STEPS - AT + 1
    make(Stone(), Stone()).run(tmp_path / "whole.h5")
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5"))


def test_a_test_that_was_interrupted_in_its_first_step_is_resumed(tmp_path):
    stone = Stone()

    def stop(time):
        raise KeyboardInterrupt

    stone.commit = stop
    # taken, but not committed
    assert stopped_by_ctrl_c(make(stone).run, tmp_path / "j.h5").steps == 0
    record = read_journal(tmp_path / "j.h5")
    assert (record.steps, len(record.measured["e"])) == (0, 1)
    del stone.commit
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(stone.commands) == STEPS
    assert same(whole(tmp_path), read_journal(tmp_path / "j.h5"))


def test_what_was_expected_is_forgotten_when_a_test_is_resumed_again(tmp_path):
    """A first try to resume may fail before the sample is used."""
    stone = Stone()
    stone.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(stone.commands) == AT else None
    )
    stopped_by_ctrl_c(make(stone).run, tmp_path / "j.h5")
    stone.commit = lambda time: None
    test = make(stone)
    stone.open = lambda: (_ for _ in ()).throw(PeerLost("not there yet"))
    assert test.resume(tmp_path / "j.h5").outcome is Ending.PEER_LOST
    del stone.open
    assert test.resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert test.sessions["e"].known_answers == 0
    assert len(stone.commands) == STEPS
    assert same(whole(tmp_path), read_journal(tmp_path / "j.h5"))


# --- signals ---


@pytest.fixture
def interruptible():
    """Ctrl-C as in a terminal: a shell lets what it starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_signal_waits_until_the_sample_is_written(tmp_path):
    class Interrupted(Stone):
        def apply(self, command, time):
            measured = super().apply(command, time)
            if len(self.commands) == AT:
                signal.raise_signal(signal.SIGINT)
            return measured

    before = signal.getsignal(signal.SIGINT)
    stone = Interrupted()
    assert stopped_by_ctrl_c(make(stone).run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    assert signal.getsignal(signal.SIGINT) is before
    record = read_journal(tmp_path / "j.h5")
    assert len(record.measured["e"]) == len(stone.commands) == AT
    assert record.steps == AT - 1
    assert stone.holds >= 1
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert len(stone.commands) == STEPS
    assert same(whole(tmp_path), read_journal(tmp_path / "j.h5"))


@pytest.mark.usefixtures("interruptible")
def test_no_command_leaves_after_an_interrupt_that_python_has_dropped(tmp_path):
    """An exception that comes while Python tidies an object away is written to stderr, and nobody
    else hears of it."""

    class Interrupted(Stone):
        def commit(self, time):
            if len(self.commands) == AT:
                with contextlib.suppress(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)

    stone = Interrupted()
    result = stopped_by_ctrl_c(make(stone).run, tmp_path / "j.h5")
    assert (result.outcome, result.steps, len(stone.commands)) == (Ending.STOPPED_BY_USER, AT, AT)
    assert stone.holds >= 1


@pytest.mark.usefixtures("interruptible")
def test_levels_of_the_shield():
    with DeferredSignals() as shield:
        shield.level = WAITING
        signal.raise_signal(signal.SIGINT)  # waits
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)  # the second time it does not wait for a specimen
        shield.level = WRITING
        signal.raise_signal(signal.SIGINT)  # but always for the journal
        with pytest.raises(KeyboardInterrupt):
            shield.stop()
        shield.answered = True
    with pytest.raises(KeyboardInterrupt), DeferredSignals() as shield:
        shield.level = WRITING
        signal.raise_signal(signal.SIGINT)  # nobody answered it: it is not swallowed


def test_a_handler_of_the_users_own_is_left_alone():
    received = []
    before = signal.signal(signal.SIGTERM, lambda *_: received.append(1))
    try:
        with DeferredSignals():
            signal.raise_signal(signal.SIGTERM)
        assert received == [1]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_program_that_is_asked_to_end_holds_the_specimen_first(tmp_path):
    number = signal.SIGTERM
    script = textwrap.dedent(f"""
        import os, sys
        sys.path[:0] = {[os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__))]!r}
        import test_exchange
        class Reported(test_exchange.Stone):
            def apply(self, command, time):
                measured = super().apply(command, time)
                if len(self.commands) == test_exchange.AT:
                    os.kill(os.getpid(), {int(number)})
                return measured
            def hold(self):
                print("held", flush=True)
        test_exchange.make(Reported()).run({str(tmp_path / "j.h5")!r})
        print("still here")
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == -number, done.stderr
    assert "held" in done.stdout
    assert "still here" not in done.stdout
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is Ending.STOPPED_BY_USER
    assert len(record.measured["e"]) == AT


# --- limits and servers ---


def test_a_limit_is_not_passed_by_what_is_no_number():
    guard = Guard(Limits(force=10.0), 2, np.full((2, 2), np.nan))
    with pytest.raises(LimitTripped, match="force"):
        guard.check(np.array([1e-3, 0.0]), 0.1)


@pytest.mark.parametrize("name", ["displacement", "increment", "velocity", "force"])
def test_limits_must_fit_the_actuators(name):
    with pytest.raises(InputError, match="2 actuators"):
        Guard(Limits(**{name: (1.0, 2.0, 3.0)}), 2, np.eye(2))


def test_the_first_command_too_has_a_velocity():
    stone = Stone()
    session = SpecimenSession(make(stone, limits=Limits(velocity=1.0)).elements["e"])
    session.begin(DT)
    with pytest.raises(LimitTripped, match="velocity"):
        session.exchange(np.array([0.5]), DT)
    assert stone.commands == []


def test_a_server_ends_whatever_its_specimen_does(tmp_path):
    """A specimen that fails, exits or cannot be held.

    The journal is closed, and does not say that all was well.
    """

    class Exits(Stone):
        def open(self):
            raise SystemExit

        def hold(self):
            self.holds += 1
            raise OSError("no hydraulics")

    stone = Exits()
    server = SpecimenServer(stone, limits=enough(None), wait=1.0, journal=tmp_path / "s.h5")
    with pytest.raises(SystemExit):
        server.serve()
    record = read_journal(tmp_path / "s.h5")
    assert record.ending is Ending.ERROR
    assert "could not be held" in record.message
    assert stone.holds == 1


def test_a_server_knows_where_its_specimen_stands(tmp_path):
    """On the second day an increment counts from there, not from zero."""
    from femu.experimental import RemoteApplication
    from femu.experimental.errors import ExperimentError

    specimen = EmulatedSpecimen(Elastic(K))
    specimen.apply(np.array([0.05]), 1.0)
    ended = []
    for command, wanted in ((0.051, Ending.PEER_DONE), (0.001, Ending.SPECIMEN_LIMIT)):
        server = SpecimenServer(
            specimen, wait=20.0, silence=20.0, limits=enough(Limits(increment=0.002))
        )
        thread = threading.Thread(
            target=lambda server=server: ended.append(server.serve()), daemon=True
        )
        thread.start()
        remote = RemoteApplication(1, server.port, silence=20.0)
        assert remote.reading(np.zeros(1)).displacement[0] == specimen.position[0]
        with contextlib.suppress(ExperimentError):
            remote.apply(np.array([command]), 0.01)
        remote.close()
        thread.join(20.0)
        assert ended[-1].ending is wanted
    assert specimen.position[0] == 0.051
