"""Elements describe, sessions change: one model is tested twice at once, one specimen only once."""

import copy
import pickle
import threading

import numpy as np
import pytest
from stone import BOUND, DT, Stone, enough, make

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    Actuator,
    CompensatedSpecimen,
    EmulatedSpecimen,
    Ending,
    Experimental,
    ExperimentalElement,
    Limits,
    PolynomialCompensation,
    Sensors,
    SpecimenSession,
    TransposeTangent,
    exchange,
    read_journal,
)
from femu.experimental.hybrid_record import STEP_COLUMNS
from femu.materials import BoucWen, Elastic
from femu.support.errors import InputError

STEPS = 60
TIMED = [STEP_COLUMNS.index(name) for name in ("seconds", "waiting", "overrun")]


class Meeting(EmulatedSpecimen):
    """Waits at every command until the specimen of the other test has one too."""

    meeting: threading.Barrier | None = None

    def apply(self, command, time):
        if Meeting.meeting is not None:
            Meeting.meeting.wait(BOUND)
        return super().apply(command, time)


def model_of_two():
    model = Model("twice")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.node("C", 4.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    law = BoucWen(alpha=0.1, k=2e6, n=2, gamma=4000.0, beta=4000.0)
    lower = Meeting(law, seed=5, actuator=Actuator(backlash=1e-4), sensors=Sensors(1e-5, 20.0))
    upper = EmulatedSpecimen(law, seed=6, actuator=Actuator(delay=0.004))
    model.add(ExperimentalElement("lower", [("B", "x")], specimen=lower))
    model.add(
        ExperimentalElement(
            "upper",
            [("B", "x"), ("C", "x")],
            specimen=EmulatedSpecimen([law, law], seed=6),
            limits=Limits(increment=0.05, force=1e9),
        )
    )
    ahead = PolynomialCompensation(0.004)
    model.add(ExperimentalElement("top", [("C", "x")], specimen=upper, compensation=ahead))
    model.add(TwoNodeLink("link", "B", "C", {"x": Elastic(1e6)}))
    model.rayleigh(mass=0.2)
    return model


def hybrid(model, scale):
    return HybridTest(
        model,
        GroundMotion.el_centro().scaled(factor=scale),
        dt=DT,
        duration=STEPS * DT,
        tangents={"lower": TransposeTangent(5, displacement_noise=1e-5)},
    )


def bits(result, journal):
    """Everything of a test but what the clock says."""
    record = read_journal(journal)
    rows = np.delete(result.arrays["test"], TIMED, axis=1)
    tables = [
        table[name][:, :-1] for table in (record.command, record.measured) for name in record.names
    ]
    saved = [a for name, a in sorted(result.arrays.items()) if name != "test"]
    step, state, extra, _ = record.checkpoint()
    return [a.tobytes() for a in (rows, *tables, *saved, np.array([step]), state, extra)]


@pytest.mark.filterwarnings("ignore:the specimen of")
def test_one_model_tested_twice_at_once_gives_the_bits_of_one_test_after_the_other(
    tmp_path, monkeypatch
):
    apart = [
        bits(hybrid(model_of_two(), scale).run(tmp_path / f"{k}.h5"), tmp_path / f"{k}.h5")
        for k, scale in enumerate((1.0, 1.7))
    ]
    assert apart[0] != apart[1]
    model, results = model_of_two(), {}
    virgin = {n: e.specimen.state for n, e in model.elements.items() if n != "link"}
    tests = [hybrid(model, 1.0), hybrid(model, 1.7)]
    monkeypatch.setattr(Meeting, "meeting", threading.Barrier(2))

    def run(k):
        results[k] = tests[k].run(tmp_path / f"at once {k}.h5", check=False)

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * BOUND)
    assert [results[k].outcome for k in range(2)] == [Ending.COMPLETE, Ending.COMPLETE]
    assert [bits(results[k], tmp_path / f"at once {k}.h5") for k in range(2)] == apart
    # one of the tests has had the specimens of the model, the other one copies of them
    used = [t.sessions["lower"].specimen is model.elements["lower"].specimen for t in tests]
    assert sorted(used) == [False, True]
    # and each of them, run again, starts from where the specimens were before
    monkeypatch.setattr(Meeting, "meeting", None)
    for k, test in enumerate(tests):
        again = test.run(tmp_path / f"again {k}.h5", check=False)
        # an estimator counts its updates over all tests that it served: part of the checkpoint
        assert bits(again, tmp_path / f"again {k}.h5")[:-1] == apart[k][:-1]
        assert {
            name: before.tolist()[-len(virgin[name]) :]
            for name, (_, before) in test.before_first_run.items()
        } == {name: state.tolist() for name, state in virgin.items()}


class Waiting(Stone):
    """Says when it gets its third command, and answers when it may."""

    def __init__(self):
        super().__init__()
        self.there, self.may = threading.Event(), threading.Event()

    def apply(self, command, time):
        if len(self.commands) == 2:
            self.there.set()
            self.may.wait(BOUND)
        return super().apply(command, time)


def running(stone, test):
    """A test that waits for its specimen, and what lets it end."""
    found = []
    thread = threading.Thread(target=lambda: found.append(test.run()), daemon=True)
    thread.start()
    assert stone.there.wait(BOUND)

    def ended():
        stone.may.set()
        thread.join(BOUND)
        return found[0]

    return ended


REFUSED = r"takes commands of one session at a time, and now those of a test of the model 'stone'"


@pytest.mark.parametrize("behind", [False, True], ids=["itself", "behind a compensation"])
def test_a_physical_specimen_is_refused_to_a_second_session(tmp_path, behind):
    stone = Waiting()
    test, path = make(stone), tmp_path / "second.h5"
    second = make(CompensatedSpecimen(stone, PolynomialCompensation(0.0), DT) if behind else stone)
    element = second.elements["e"]
    ended = running(stone, test)
    sent = len(stone.commands)
    for command in (
        lambda: second.run(path),
        lambda: exchange(element, [0.1], 1.0),
        lambda: SpecimenSession(element).begin(DT),
    ):
        with pytest.raises(InputError, match=REFUSED):
            command()
    assert len(stone.commands) == sent and not path.exists()
    assert ended().outcome is Ending.COMPLETE
    assert len(stone.commands) == 30  # one a step, and none of the others
    assert exchange(element, [0.0], 9.0).displacement[0] == 0.0


def test_an_emulated_specimen_of_a_running_test_takes_no_command_by_hand(monkeypatch):
    model = model_of_two()
    monkeypatch.setattr(Meeting, "meeting", threading.Barrier(2))
    found = []
    test = hybrid(model, 1.0)
    thread = threading.Thread(target=lambda: found.append(test.run(check=False)), daemon=True)
    thread.start()
    Meeting.meeting.wait(BOUND)
    with pytest.raises(InputError, match="one session at a time"):
        exchange(model.elements["lower"], [0.1], 0.1)
    for _ in range(STEPS - 1):
        Meeting.meeting.wait(BOUND)
    thread.join(BOUND)
    assert found[0].outcome is Ending.COMPLETE


def test_estimators_and_updaters_serve_one_test_at_a_time():
    stone, other, estimator = Waiting(), Stone(), TransposeTangent(5)
    tests = [make(stone), make(other)]
    for test in tests:
        test.tangents["e"] = estimator
    ended = running(stone, tests[0])
    with pytest.raises(InputError, match=r"tangents\['e'\] .*serves one test at a time"):
        tests[1].run()
    assert other.commands == []
    assert ended().outcome is Ending.COMPLETE
    assert tests[1].run().outcome is Ending.COMPLETE


class Blind(Stone):
    def reading(self, last):
        return None


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_the_next_test_knows_where_the_last_one_has_left_a_specimen_that_cannot_be_read():
    """Its first command is a step from there: a jump back to zero trips the limit."""
    stone = Blind()
    first = make(stone, steps=21, limits=enough(Limits(increment=1e-4)))
    assert first.run().outcome is Ending.COMPLETE
    assert abs(stone.commands[-1]) > 4e-4
    sent = len(stone.commands)
    second = HybridTest(first.program, GroundMotion.el_centro(), dt=DT, duration=21 * DT)
    tested = second.run()
    assert tested.outcome is Ending.SPECIMEN_LIMIT and "increment limit" in tested.message
    assert len(stone.commands) == sent


def described(element):
    return {name: value for name, value in vars(element).items() if name != "specimen"}


def test_an_element_has_no_run_time_state(tmp_path):
    model = model_of_two()
    elements = [e for e in model.elements.values() if isinstance(e, Experimental)]
    # a compensation remembers targets: an object of its own, as a specimen is one
    before = [
        pickle.dumps({**described(e), "compensation": repr(e.compensation)}) for e in elements
    ]
    test = hybrid(model, 1.0)
    assert test.run(tmp_path / "j.h5", check=False).outcome is Ending.COMPLETE
    after = [pickle.dumps({**described(e), "compensation": repr(e.compensation)}) for e in elements]
    assert before == after


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"]
)
def test_an_element_and_its_emulated_specimen_can_be_copied_in_the_midst(tmp_path, copied):
    """The copy answers as the original does, and neither moves the other."""
    specimen = EmulatedSpecimen(
        BoucWen(alpha=0.1, k=2e6, n=2, gamma=4000.0, beta=4000.0),
        seed=5,
        actuator=Actuator(delay=0.004, backlash=1e-4),
        sensors=Sensors(1e-5, 20.0),
    )
    specimen.parameters["k"] = 3e6
    element = ExperimentalElement("e", [("B", "x")], specimen=specimen)
    moves = 0.01 * np.sin(0.3 * np.arange(1, 80))
    for k, x in enumerate(moves[:40], 1):
        exchange(element, [x], k * DT)
    other = copied(element)
    assert np.array_equal(other.specimen.state, specimen.state)
    answers = [
        [exchange(one, [x], k * DT).force.tolist() for k, x in enumerate(moves[40:], 41)]
        for one in (element, other)
    ]
    assert answers[0] == answers[1]


class OldHooks:
    """An updater of a user, with hooks of their older names."""

    element, names = "e", ("k",)

    def __init__(self):
        self.calls = []

    def stand_by(self, journal, resumed):
        self.calls.append(("journal", resumed))

    def start(self, program, parameters):
        self.calls.append("start")

    def update(self, step, time, displacement, force):
        self.last = step

    def watched(self):
        return np.array([1.0, 2.0, 3.0, 4.0, 5.0])

    def checkpoint(self):
        return np.zeros(1)

    def restore(self, values):
        self.calls.append("restore")

    def ended(self, outcome):
        self.calls.append(outcome)


def test_an_updater_that_is_not_derived_from_the_base_keeps_its_hooks(tmp_path):
    updater, test = OldHooks(), make(Stone())
    test = HybridTest(
        test.program, GroundMotion.el_centro(), dt=DT, duration=30 * DT, updater=updater
    )
    path = tmp_path / "j.h5"
    assert test.run(path).outcome is Ending.COMPLETE
    assert updater.calls == [("journal", False), "start", Ending.COMPLETE] and updater.last == 30
    record = read_journal(path)
    assert record.about["updating"] == ["k"]
    assert record.record[:, record.about["updating_at"] + 2 :][:, :5].tolist() == 30 * [
        [1.0, 2.0, 3.0, 4.0, 5.0]
    ]
