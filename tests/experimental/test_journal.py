"""The journal: read while it is written, killed, resumed, replayed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from journalled import DT, STEPS, make, same
from stone import enough

from femu import FileError, InputError
from femu.experimental import Ending, Journal, ReplaySpecimen, Specimen, read_journal
from femu.experimental.errors import JournalFull

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
    # tests that take rows away
    pytest.mark.filterwarnings("ignore:.*h5 is damaged: "),
]

KILLS = 20


def test_a_finished_journal(tmp_path):
    test = make()
    tested = test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    assert (record.steps, record.ending, tested.outcome) == (
        STEPS,
        Ending.COMPLETE,
        Ending.COMPLETE,
    )
    assert record.about["program"] == test.program.digest
    assert record.parameter_names == list(test.program.parameters.names)
    assert np.array_equal(record.parameters, test.program.parameters.vector)
    assert record.commands("device").shape == (STEPS, 1)
    assert np.allclose(record.command["device"][:, 1], DT * np.arange(1, STEPS + 1))
    assert np.array_equal(record.state[-1, 2:-1], tested.state.vector)
    stamps = record.measured["device"][:, -1]
    assert np.all(np.diff(stamps) >= 0.0)
    # the command is there before the measurement
    assert np.all(stamps >= record.command["device"][:, -1])


def test_others_read_while_it_is_written(tmp_path):
    journal = Journal(tmp_path / "j.h5", {"e": 2}, state=3)
    for step in range(1, 2100):  # more than the table begins with
        if step % 700 == 0:
            record = read_journal(tmp_path / "j.h5")
            assert record.steps == len(record.command["e"]) == step - 1
            assert record.ending is None
        journal.command("e", step, 0.1 * step, np.array([step, -step]))
        journal.measured("e", step, 0.1 * step, np.array([step, step]), np.array([2.0 * step, 0.0]))
        journal.commit(step, 0.1 * step, np.full(3, step), np.zeros(0))
    journal.close()
    record = read_journal(tmp_path / "j.h5")
    assert record.measurements("e")[1][-1].tolist() == [2.0 * 2099, 0.0]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_random_moments_and_resumed(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("journalled.py")),
            str(tmp_path),
            str(KILLS),
            "7",
        ],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    trials = json.loads(done.stdout)
    assert len(trials) == KILLS
    for trial in trials:
        assert trial["steps"] >= trial["acknowledged"], trial
        assert trial["journalled"] >= trial["commands"], trial
        assert trial["same"], trial
    # most were killed in the middle
    assert sum(t["resumed"] and not t["finished"] for t in trials) >= KILLS // 2


def test_interrupted_twice_and_resumed(tmp_path):
    make().run(tmp_path / "whole.h5")
    test = make()
    element = test.elements["device"]
    apply, moves = element.specimen.apply, []

    def stop(command, time):
        moves.append(time)
        if len(moves) == 40:
            raise KeyboardInterrupt
        return apply(command, time)

    element.specimen.apply = stop
    assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    assert read_journal(tmp_path / "j.h5").steps == 39
    again = make()
    again.elements["device"].specimen.apply = (
        lambda c, t, f=again.elements["device"].specimen.apply: (
            f(c, t) if t < 0.9 else (_ for _ in ()).throw(KeyboardInterrupt)
        )
    )
    assert stopped_by_ctrl_c(again.resume, tmp_path / "j.h5").outcome is Ending.STOPPED_BY_USER
    assert make().resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5"))


class Physical(Specimen):
    """Cannot be set back: it moves on from wherever it is."""

    def __init__(self, inner):
        self.inner, self.size, self.moves, self.stop_at = inner, inner.size, 0, None

    def apply(self, command, time):
        self.moves += 1
        return self.inner.apply(command, time)

    def commit(self, time):
        if self.stop_at is not None and time > self.stop_at:
            raise KeyboardInterrupt

    def initial_stiffness(self):
        return self.inner.initial_stiffness()


def test_a_sample_measured_before_the_interruption_is_used_and_not_measured_again(tmp_path):
    def with_physical(specimen):
        test = make()
        test.elements["device"].specimen, test.elements["device"].limits = specimen, enough(None)
        return test

    reference = Physical(make().elements["device"].specimen)
    with_physical(reference).run(tmp_path / "whole.h5")
    specimen = Physical(make().elements["device"].specimen)
    specimen.stop_at = 0.5
    assert (
        stopped_by_ctrl_c(with_physical(specimen).run, tmp_path / "j.h5").outcome
        is Ending.STOPPED_BY_USER
    )
    record = read_journal(tmp_path / "j.h5")
    assert len(record.measured["device"]) == record.steps + 1  # measured, but not committed
    specimen.stop_at = None
    assert with_physical(specimen).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert specimen.moves == reference.moves == STEPS
    assert np.array_equal(
        read_journal(tmp_path / "j.h5").measured["device"][:, :-1],
        read_journal(tmp_path / "whole.h5").measured["device"][:, :-1],
    )


def test_replay_finds_no_difference_in_the_same_test_and_the_first_in_another(tmp_path):
    make().run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    again = make()
    specimen = again.elements["device"].specimen = ReplaySpecimen(record, "device")
    assert again.run().outcome is Ending.COMPLETE
    assert specimen.difference is None
    other = make()
    other.program.parameters["upper.x.E"] *= 1.0 + 1e-9
    specimen = other.elements["device"].specimen = ReplaySpecimen(record, "device")
    other.run()
    assert specimen.difference is not None
    assert 1 < specimen.difference.step <= 6
    assert "the journal has the command" in str(specimen.difference)


def test_a_journal_is_never_overwritten(tmp_path):
    make().run(tmp_path / "j.h5")
    with pytest.raises(FileError, match="never overwritten"):
        make().run(tmp_path / "j.h5")


def test_resuming_another_test_is_refused(tmp_path):
    make().run(tmp_path / "j.h5")
    with pytest.raises(InputError, match="values of this test"):
        make(stiffness=3e6).resume(tmp_path / "j.h5")


@pytest.mark.parametrize("content", [b"", b"not hdf5 at all", b"\x89HDF\r\n\x1a\n" + bytes(200)])
def test_a_file_that_is_no_journal(tmp_path, content):
    (tmp_path / "j.h5").write_bytes(content)
    with pytest.raises(FileError):
        read_journal(tmp_path / "j.h5")
    with pytest.raises(FileError, match="does not exist"):
        read_journal(tmp_path / "none.h5")


def killed_in(place, path, monkeypatch, work):
    """Does some work in another process that ends, as if killed, where ``place`` is called.

    Waits for its end.
    """
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(place, lambda *_: os._exit(9))
        work()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    return read_journal(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_while_it_ends_or_begins_again(tmp_path, monkeypatch):
    path = tmp_path / "j.h5"

    def half():
        journal = Journal(path, {"e": 1}, state=1)
        for step in (1, 2, 3):
            journal.command("e", step, 0.1 * step, np.ones(1))
            journal.measured("e", step, 0.1 * step, np.ones(1), np.ones(1))
            journal.commit(step, 0.1 * step, np.ones(1), np.zeros(0))
        journal.close(Ending.PEER_LOST, "gone")

    def again():
        before = read_journal(path)
        Journal(f"{path}.resumed", {"e": 1}, state=1, overwrite=True).take_over(before, 2)

    assert killed_in("h5py.File.close", path, monkeypatch, half).ending is Ending.PEER_LOST
    assert killed_in("os.replace", path, monkeypatch, again).steps == 3

    def moved():
        replace = os.replace
        monkeypatch.setattr(os, "replace", lambda *names: (replace(*names), os._exit(9)))
        before = read_journal(path)
        Journal(f"{path}.resumed", {"e": 1}, state=1, overwrite=True).take_over(before, 2)

    record = killed_in("os.abort", path, monkeypatch, moved)
    assert (record.steps, record.ending) == (2, None)


def test_a_step_counts_once_all_its_rows_are_there(tmp_path, monkeypatch):
    """A power cut can leave the state of a step without what the specimens remember of it."""
    import h5py

    # every checkpoint is appended
    monkeypatch.setattr("femu.experimental.journal.checkpoints.EACH_STEP", 1 << 20)
    make().run(tmp_path / "whole.h5")
    for table in ("state", "specimens", "record"):
        path = tmp_path / f"{table}.h5"
        shutil.copy(tmp_path / "whole.h5", path)
        with h5py.File(path, "r+") as file:
            file[f"committed/{table}"][100, -1] = np.nan
        record = read_journal(path)
        assert (record.steps, record.checkpoint()[0]) == (100, 100)
        with pytest.warns(UserWarning, match="sends again: 50 commands of 'device'"):
            assert make().resume(path).outcome is Ending.COMPLETE
        assert same(read_journal(tmp_path / "whole.h5"), read_journal(path)), table


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_folder_that_goes_away_stops_the_test_before_the_command_leaves(tmp_path, monkeypatch):
    test, usage, asked = make(), shutil.disk_usage, []

    def gone(folder):
        asked.append(folder)
        return usage(folder if len(asked) < 60 else tmp_path / "gone")

    monkeypatch.setattr(shutil, "disk_usage", gone)
    tested = test.run(tmp_path / "j.h5")
    assert (tested.outcome, tested.steps, test.sessions["device"].moves) == (
        Ending.JOURNAL_FULL,
        58,
        58,
    )
    assert "was not sent" in tested.message


def test_another_number_of_actuators_or_too_few_numbers_are_refused(tmp_path):
    test = make()
    test.run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    record.record = record.record[:, :5]
    with pytest.raises(InputError, match="another version"):
        test.check(record)
    record.about["elements"] = {"device": 2}
    with pytest.raises(InputError, match="as many actuators"):
        test.check(record)


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_full_disk_stops_the_test_before_the_command_leaves(tmp_path, monkeypatch):
    make().run(tmp_path / "whole.h5")
    test, usage, asked = make(), shutil.disk_usage, []

    def small(folder):
        asked.append(folder)
        return usage(folder)._replace(free=1000) if len(asked) > 60 else usage(folder)

    monkeypatch.setattr(shutil, "disk_usage", small)
    tested = test.run(tmp_path / "j.h5")
    assert tested.outcome is Ending.JOURNAL_FULL
    assert "Make room, and resume" in tested.message
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is Ending.JOURNAL_FULL
    assert (
        test.sessions["device"].moves
        == record.steps
        == len(record.measured["device"])
        == len(record.command["device"])
        == tested.steps
        == 59
    )
    with pytest.raises(FileError, match="1000 bytes left"):
        Journal(tmp_path / "other.h5", {"e": 1})
    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert make().resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5"))


def test_the_last_message_has_all_that_was_measured(tmp_path, monkeypatch):
    """Where the journal cannot take a row, its message is all that is left.

    Also of many actuators.
    """
    journal = Journal(tmp_path / "j.h5", {"e": 40}, state=1000)
    for rows in journal.tables.all():
        monkeypatch.setattr(rows, "_room", 0)
        monkeypatch.setattr(
            rows, "resize", lambda room: (_ for _ in ()).throw(OSError(28, "No space left"))
        )
    with pytest.raises(JournalFull) as problem:
        journal.measured("e", 1, 0.1, np.arange(40.0), 100.0 + np.arange(40.0))
    assert all(f" {x}" in str(problem.value) for x in (39.0, 100.0, 138.0)) and "139.0]" in str(
        problem.value
    )
    with pytest.raises(JournalFull) as problem:
        journal.commit(1, 0.1, np.zeros(1000), np.zeros(0))
    assert len(str(problem.value)) < 500  # what can be computed again is not printed in full
    monkeypatch.undo()
    journal.close()


def test_a_damaged_journal_is_refused_at_once(tmp_path):
    """HDF5's reader of files that are being written would try again for hours.

    And a wrong length would fill the memory.
    """
    import h5py

    make().run(tmp_path / "j.h5")
    whole = bytearray((tmp_path / "j.h5").read_bytes())
    (tmp_path / "head.h5").write_bytes(whole[:200] + bytes(400) + whole[600:])
    with h5py.File(tmp_path / "j.h5", "r+", libver="latest") as file:
        file["committed/state"].resize(10**9, axis=0)
    for name, words in (("head", "cannot be read"), ("j", "more than the file can hold")):
        with pytest.raises(FileError, match=words):
            read_journal(tmp_path / f"{name}.h5")
