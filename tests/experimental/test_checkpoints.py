"""Checkpoints of a journal.

Few of them are appended, the last one is always there, and a resumed test has the same bits.
"""

import gzip
from pathlib import Path

import fibre_portal
import h5py
import journalled
import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from journalled import STEPS, same

from femu import FileError, InputError, Save
from femu.analyses import Pace
from femu.experimental import Ending, Journal, Specimen, Unlimited, read_journal
from femu.experimental.hybrid_run import HybridRun
from femu.experimental.journal import checkpoints
from femu.experimental.specimens.replayed import replay
from femu.results.outcome import FailedAnalysis

# tests that take rows away
pytestmark = pytest.mark.filterwarnings("ignore:.*h5 is damaged: ")

EVERY = 9  # steps from one appended checkpoint to the next in the small test
LAST = STEPS // EVERY * EVERY
BYTES_A_STEP = 4096
PORTAL = 250  # steps


def stopped(test, step, name="device"):
    """The test is interrupted while a specimen moves in this step."""
    specimen = test.elements[name].specimen
    apply, count = specimen.apply, [0]

    def until(command, time):
        count[0] += 1
        if count[0] == step:
            raise KeyboardInterrupt
        return apply(command, time)

    specimen.apply = until
    return test


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "j.h5"
    journalled.make().run(path)
    return path


def copied(whole, folder):
    path = folder / "j.h5"
    path.write_bytes(whole.read_bytes())
    with h5py.File(path, "r+") as file:
        file["ending"][:] = 0
    return path


def tear(path, tables, rows=slice(None)):
    """The clocks of these rows are there; some of their numbers are not."""
    with h5py.File(path, "r+") as file:
        for table in tables:
            data = file[f"committed/{table}"]
            values = data[rows]
            values[..., 2:-1] = np.where(values[..., 2:-1] == 0.0, 1.0, 0.0)
            data[rows] = values


LATEST = ("latest_state", "latest_specimens")


# --- size ---


@pytest.mark.parametrize(
    ("updated", "both"),
    [(False, False), (True, False), (False, True)],
    ids=["plain", "updated", "two"],
)
def test_a_portal_of_fibre_members_writes_at_most_4_kB_a_step(tmp_path, updated, both):
    """The whole file: what does not grow with the steps is divided by 250, and a test of El Centro
    has 3100."""
    test = fibre_portal.make(PORTAL, updated=updated, both=both)
    assert test.run(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert (tmp_path / "j.h5").stat().st_size <= BYTES_A_STEP * PORTAL
    record = read_journal(tmp_path / "j.h5")
    assert record.steps == len(record.record) == PORTAL
    assert all(
        len(record.commands(n)) == len(record.measurements(n)[0]) == PORTAL for n in record.names
    )
    # what a state of every step would take
    assert 8 * (record.state.shape[1] + record.specimens.shape[1]) > 2 * BYTES_A_STEP


def test_the_spacing_follows_from_the_size():
    assert [checkpoints.steps_between(n) for n in (0, 1, 128, 129, 1280, 5210, 10**6)] == [
        1,
        1,
        1,
        2,
        10,
        41,
        64,
    ]


# --- resume and replay ---


def same_result(one, two):
    times = [2, 3, 4]  # seconds, waiting, late
    assert np.array_equal(one.state.vector, two.state.vector)
    for name, array in one.arrays.items():
        other = two.arrays[name]
        assert (
            np.array_equal(np.delete(array, times, 1), np.delete(other, times, 1))
            if name == "test"
            else np.array_equal(array, other)
        ), name


@pytest.mark.parametrize(
    "options",
    [
        {"updated": True},
        {"both": True},
        {"updated": True, "pace": Pace(5000), "durable": True},
        {"save": Save(fibres=["right"], every=3)},
    ],
    ids=["updated", "two", "paced", "fibres"],
)
def test_interrupted_at_random_steps_and_resumed_to_the_bit(tmp_path, options):
    steps = 90
    known = fibre_portal.make(steps, **options).run(tmp_path / "whole.h5")
    record = read_journal(tmp_path / "whole.h5")
    rng, path = np.random.default_rng(3), tmp_path / "j.h5"
    at = sorted(rng.choice(np.arange(2, steps), 4, replace=False).tolist())
    test, begun = fibre_portal.make(steps, **options), 0
    for step in at:
        stop = stopped(test, step - begun, "left")
        tested = stopped_by_ctrl_c(stop.resume if begun else stop.run, path)
        assert (tested.outcome, tested.steps, read_journal(path).steps) == (
            Ending.STOPPED_BY_USER,
            step - 1,
            step - 1,
        )
        test, begun = fibre_portal.make(steps, **options), step - 1
    same_result(test.resume(path), known)
    found = read_journal(path)
    for table in ("state", "specimens", "kept", "parameter_history"):
        one, other = getattr(record, table), getattr(found, table)
        # an updater notes what it has not seen as NaN
        assert np.array_equal(one[:, :-1], other[:, :-1], equal_nan=True), table
    assert replay(fibre_portal.make(steps, **options), found) == dict.fromkeys(record.names)


def test_resumed_at_every_step_of_two_spacings(tmp_path, whole):
    for step in range(2, 2 * EVERY + 2):
        path = tmp_path / f"{step}.h5"
        assert stopped_by_ctrl_c(stopped(journalled.make(), step).run, path).steps == step - 1
        assert journalled.make().resume(path).outcome is Ending.COMPLETE
        assert same(read_journal(whole), read_journal(path)), step


# --- what a power cut leaves ---


def test_the_checkpoints_that_are_there(whole):
    record = read_journal(whole)
    assert record.steps == STEPS
    assert (
        record.state[:, 0].tolist()
        == record.specimens[:, 0].tolist()
        == [*range(EVERY, LAST + 1, EVERY), STEPS]
    )
    with h5py.File(whole) as file:
        assert sorted(file["committed/latest_state"][:, 0].tolist()) == [
            STEPS - k for k in (3, 2, 1, 0)
        ]


def test_a_torn_slot_leaves_that_of_the_step_before(tmp_path, whole):
    path = copied(whole, tmp_path)
    with h5py.File(path) as file:
        slot = int(np.argmax(file["committed/latest_state"][:, 0]))
    tear(path, ["latest_specimens"], slot)
    record = read_journal(path)
    assert (record.steps, int(record.state[-1, 0]), len(record.record)) == (
        STEPS - 1,
        STEPS - 1,
        STEPS - 1,
    )
    assert journalled.make().resume(path).outcome is Ending.COMPLETE
    assert same(read_journal(whole), read_journal(path))


@pytest.mark.parametrize(
    ("tables", "rows", "left"),
    [
        (LATEST, slice(None), LAST),
        (("latest_state",), slice(None), LAST),
        (("state",), LAST // EVERY - 1, LAST - EVERY),
        (("specimens",), 4, 4 * EVERY),
        (("kept",), 100, 100 // EVERY * EVERY),
        (("record",), 100, 100 // EVERY * EVERY),
        ((*LATEST, "kept"), 0, 0),
    ],
    ids=[
        "slots",
        "slots of the state",
        "appended state",
        "appended specimens",
        "kept",
        "record",
        "everything",
    ],
)
def test_what_is_torn_is_left_out_and_the_test_resumed_from_the_last_checkpoint_before(
    tmp_path, whole, tables, rows, left
):
    path = copied(whole, tmp_path)
    tear(path, tables, rows)
    record, known = read_journal(path), read_journal(whole)
    assert (record.steps, len(record.record), len(record.kept)) == (left, left, left)
    assert len(record.measured["device"]) == STEPS  # no measurement goes away
    count = len(record.state)
    assert np.array_equal(record.state, known.state[:count]) and count == left // EVERY
    with pytest.warns(UserWarning, match=f"sends again: {STEPS - left} commands of 'device'"):
        assert journalled.make().resume(path).outcome is Ending.COMPLETE
    assert same(known, read_journal(path))


class Physical(Specimen):
    """Cannot be set back."""

    def __init__(self):
        self.inner = journalled.make().elements["device"].specimen
        self.size, self.commands = self.inner.size, []

    def apply(self, command, time):
        self.commands.append(float(command[0]))
        return self.inner.apply(command, time)

    def initial_stiffness(self):
        return self.inner.initial_stiffness()

    def reading(self, last):
        return self.inner.reading(last)


def test_a_physical_specimen_is_sent_nothing_again_for_steps_without_a_checkpoint(
    tmp_path, monkeypatch
):
    def with_physical(specimen):
        test = journalled.make()
        limits = Unlimited("a specimen of the tests", start=1e-3)
        test.elements["device"].specimen, test.elements["device"].limits = specimen, limits
        return test

    monkeypatch.setattr(checkpoints, "steps_between", lambda numbers: 30)
    reference, specimen, path = Physical(), Physical(), tmp_path / "j.h5"
    with_physical(reference).run(tmp_path / "whole.h5")
    apply = specimen.apply
    specimen.apply = lambda command, time: (
        apply(command, time)
        if len(specimen.commands) < 100
        else ((_ for _ in ()).throw(KeyboardInterrupt))
    )
    assert stopped_by_ctrl_c(with_physical(specimen).run, path).steps == 100
    tear(path, LATEST)
    record = read_journal(path)
    assert (record.steps, len(record.measured["device"])) == (90, 100)
    specimen.apply = apply
    assert with_physical(specimen).resume(path).outcome is Ending.COMPLETE
    assert specimen.commands == reference.commands
    one, other = read_journal(tmp_path / "whole.h5"), read_journal(path)
    for a, b in (
        (one.state, other.state),
        (one.command["device"], other.command["device"]),
        (one.measured["device"], other.measured["device"]),
    ):
        assert np.array_equal(a[:, :-1], b[:, :-1])


def test_a_row_of_a_committed_step_that_is_lost_is_given_back_from_what_is_kept(tmp_path, whole):
    path, known = copied(whole, tmp_path), read_journal(whole)
    with h5py.File(path, "r+") as file:
        for table in ("command", "measured"):
            file[f"elements/0/{table}"][STEPS - 20 :, -1] = np.nan
    record = read_journal(path)
    assert (record.steps, len(record.measured["device"]), len(record.command["device"])) == (
        STEPS,
        STEPS - 20,
        STEPS - 20,
    )
    run = HybridRun(journalled.make())
    run.begin()
    run.restore(record)
    for table in ("command", "measured"):
        assert np.array_equal(
            getattr(record, table)["device"][:, :-1], getattr(known, table)["device"][:, :-1]
        )


# --- other journals ---


@pytest.mark.parametrize("name", ["complete", "killed"])
def test_a_journal_of_an_earlier_version_goes_on_with_few_checkpoints(tmp_path, monkeypatch, name):
    """It has the state of every step and no checksums.

    What follows is written as in any other test.
    """
    monkeypatch.setattr(journalled, "STEPS", 30)
    path = tmp_path / "j.h5"
    path.write_bytes(
        gzip.decompress((Path(__file__).with_name("journals") / f"{name}.h5.gz").read_bytes())
    )
    before = read_journal(path)
    assert before.kept_columns is None and len(before.state) == before.steps
    if name == "complete":
        with h5py.File(path, "r+") as file:
            file["ending"][:] = 0
    result = journalled.make().resume(path)
    after = read_journal(path)
    assert (result.outcome, result.steps, after.steps, len(after.kept)) == (
        Ending.COMPLETE,
        30,
        30,
        30,
    )
    assert after.state[:, 0].tolist() == [9.0, 18.0, 27.0, 30.0]
    done = before.steps
    assert np.array_equal(
        checkpoints.of_every_step(after, after.kept_columns)[:done],
        checkpoints.of_every_step(before, after.kept_columns),
    )
    assert np.array_equal(after.state[after.state[:, 0] <= done][:2], before.state[[8, 17]])
    assert journalled.make().resume(path).steps == 30


def test_resumed_with_a_save_of_more_than_was_kept_is_refused(tmp_path):
    def make(save):
        return fibre_portal.make(20, save=save)

    stopped_by_ctrl_c(stopped(make(None), 12, "left").run, tmp_path / "j.h5")
    with pytest.raises(InputError, match="must not save more than the interrupted test saved"):
        make(Save(fibres=["right"])).resume(tmp_path / "j.h5")
    assert make(Save(velocity=False, every=2)).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE


def test_others_read_every_step_while_it_is_written(tmp_path):
    width, rng = 600, np.random.default_rng(0)
    states = rng.normal(size=(40, width))
    journal = Journal(
        tmp_path / "j.h5", {"e": 1}, state=width, specimens=2, kept=np.array([3, width + 1, 0])
    )
    for step, state in enumerate(states, 1):
        journal.commit(step, 0.1 * step, state, np.array([step, -step]))
        record = read_journal(tmp_path / "j.h5")
        assert record.steps == step and np.array_equal(record.state[-1, 2:-1], state)
        assert np.array_equal(
            checkpoints.of_every_step(record, np.array([width + 1, 3])),
            np.stack([-np.arange(1.0, step + 1), states[:step, 3]], axis=1),
        )
    with pytest.raises(FileError, match="does not keep"):
        checkpoints.of_every_step(record, np.array([7]))
    journal.close()


def test_places_that_do_not_belong_to_the_kept_numbers_are_refused(tmp_path, whole):
    path = copied(whole, tmp_path)
    with h5py.File(path, "r+") as file:
        file["committed/kept_columns"][1] = file["committed/kept_columns"][0]
        del file.attrs["checksum"]  # as in journals of earlier versions
    with pytest.raises(FileError, match="does not belong to"):
        read_journal(path)


def test_an_updater_that_writes_other_parameters_than_it_says_ends_the_test(tmp_path):
    """The journal would not hold them, and a resumed test would have others."""
    test = fibre_portal.make(20, updated=True)
    update, other = test.updater.update, test.program.parameters.index("beam.section.I")

    def wrong(step, *sample):
        update(step, *sample)
        if step == 7:
            test.parameters[other] *= 1.01

    test.updater.update = wrong
    with pytest.warns(FailedAnalysis):
        tested = test.run(tmp_path / "j.h5")
    assert (
        tested.steps == 6
        and "wrote beam.section.I, which is not in its writes_to" in tested.message
    )
