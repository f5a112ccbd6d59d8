"""What a resumed test does to its journal.

Nothing that was sent or measured goes away, whatever fails on the way.
"""

import zlib

import h5py
import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from test_exchange import AT, DT, STEPS, K, Stone, make, same, whole

from femu import FileError
from femu.experimental import (
    EmulatedSpecimen,
    Ending,
    Journal,
    Limits,
    Measurement,
    PeerLost,
    read_journal,
)
from femu.materials import Elastic

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
    # tests that take rows away
    pytest.mark.filterwarnings("ignore:.*h5 is damaged: "),
]
COMMITTED, MEASURED = 8, 14


def rows(record):
    return {
        (table, *row)
        for table in ("command", "measured", "refused", "unanswered")
        for row in map(tuple, getattr(record, table).get("e", ()))
    }


def stopped(path, at=AT, specimen=None, **options):
    """A test that is stopped after a number of measurements, before the last of them is committed."""
    stone = specimen or Stone()
    stone.commit = lambda time: (
        (_ for _ in ()).throw(KeyboardInterrupt) if len(stone.commands) == at else None
    )
    assert stopped_by_ctrl_c(make(stone, **options).run, path).outcome is Ending.STOPPED_BY_USER
    stone.commit = lambda time: None
    return stone


def unreachable(problem="the laboratory is closed"):
    raise PeerLost(problem)


# --- a drive that does not move open files ---


def refuses_once(monkeypatch):
    import os

    true, calls = os.replace, []

    def replace(one, other):
        calls.append(one)
        if len(calls) == 1:
            raise PermissionError(13, "Permission denied")
        true(one, other)

    monkeypatch.setattr("os.replace", replace)


def test_a_drive_that_moves_no_open_file(tmp_path, monkeypatch):
    stone = stopped(tmp_path / "j.h5")
    refuses_once(monkeypatch)
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    monkeypatch.undo()
    assert len(stone.commands) == STEPS
    assert same(whole(tmp_path), read_journal(tmp_path / "j.h5"))


def test_a_journal_that_was_replaced_and_cannot_be_opened_is_not_removed(tmp_path, monkeypatch):
    path = tmp_path / "j.h5"
    stone = stopped(path)
    before = rows(read_journal(path))
    refuses_once(monkeypatch)
    opened = h5py.File

    def fails(name, mode="r", **options):
        if mode == "r+":
            raise OSError("somebody holds it")
        return opened(name, mode, **options)

    monkeypatch.setattr("h5py.File", fails)
    with pytest.raises(FileError, match=r"somebody holds it\. It holds all that it held"):
        make(stone).resume(path)
    monkeypatch.undo()
    assert rows(read_journal(path)) == before
    assert [p.name for p in tmp_path.iterdir()] == ["j.h5"]
    assert len(stone.commands) == AT
    assert make(stone).resume(path).outcome is Ending.COMPLETE


# --- a power cut ---


class Readable(Stone):
    def reading(self, last):
        return Measurement(self.place.copy(), K * self.place)


def cut(path, committed=COMMITTED):
    with h5py.File(path, "r+") as file:
        for table in ("state", "specimens", "record"):
            file[f"committed/{table}"][committed:, -1] = np.nan


def rewrite(file, row, column, by):
    """A command that is whole, and another one."""
    rows = file["elements/0/command"]
    rows[row, column] *= by
    file["elements/0/command_checksums"][row] = zlib.crc32(rows[row])


@pytest.mark.parametrize("limits", [None, "steps"])
@pytest.mark.parametrize("committed", [0, COMMITTED])
def test_what_was_measured_of_several_steps_is_kept_and_used(tmp_path, limits, committed):
    path, known = tmp_path / "j.h5", whole(tmp_path)
    largest = float(np.abs(np.diff(known.commands("e")[:, 0], prepend=0.0)).max())
    # from where the specimen is, the commands that it has already followed would be too far
    options = (
        {"limits": Limits(increment=1.01 * largest, velocity=1.01 * largest / DT)} if limits else {}
    )
    stone = stopped(path, MEASURED, Readable(), **options)
    cut(path, committed)
    before = read_journal(path)
    assert (before.steps, len(before.measured["e"])) == (committed, MEASURED)
    assert make(stone, **options).resume(path).outcome is Ending.COMPLETE
    after = read_journal(path)
    assert rows(before) <= rows(after)
    assert stone.commands == known.commands("e")[:, 0].tolist()  # each of them once
    assert same(known, after)


def test_beside_an_emulated_specimen(tmp_path):
    def other():
        return EmulatedSpecimen(Elastic(K))

    make(Stone(), other()).run(tmp_path / "two.h5")
    path, stone = tmp_path / "j.h5", stopped(tmp_path / "j.h5", MEASURED, other=other())
    cut(path)
    with pytest.warns(UserWarning, match=r"after a power cut\. .* sends again: 6 commands of 'f'"):
        result = make(stone, other()).resume(path)
    assert result.outcome is Ending.COMPLETE
    assert "Sent again: 6 commands of 'f' for t = 0.09 to 0.14 (their steps" in result.message
    assert "'e'" not in result.message.partition("Sent again")[2]
    assert read_journal(path).message == result.message
    assert len(stone.commands) == STEPS
    assert same(read_journal(tmp_path / "two.h5"), read_journal(path))


@pytest.mark.parametrize("measured", [COMMITTED, COMMITTED + 2])
def test_commands_of_an_emulated_specimen_that_are_sent_again_are_announced(tmp_path, measured):
    """The disk had its commands, and not their measurements."""
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED, other=EmulatedSpecimen(Elastic(K)))
    cut(path)
    with h5py.File(path, "r+") as file:
        file["elements/1/measured"][measured:, -1] = np.nan
    lost = f"{MEASURED - measured} without a measurement in the journal"
    with pytest.warns(UserWarning, match=f"sends again: 6 commands of 'f' .*{lost}"):
        result = make(stone, EmulatedSpecimen(Elastic(K))).resume(path)
    assert result.outcome is Ending.COMPLETE
    assert lost in result.message and "Resumed after step 8." in result.message


def test_a_command_that_a_kill_left_without_a_measurement_is_in_the_message(tmp_path):
    """It warns of nothing: no power cut is needed for that."""
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED, Readable())
    with h5py.File(path, "r+") as file:
        file["elements/0/measured"][MEASURED - 1 :, -1] = np.nan
        file["committed/record"][MEASURED - 1 :, -1] = np.nan
    result = make(stone).resume(path)
    assert result.outcome is Ending.COMPLETE
    assert "Resumed after step 13. Sent again: the command of 'e' for t = 0.14" in result.message
    assert len(stone.commands) == STEPS + 1
    assert "Sent again" not in make(stone).resume(path).message.partition("Sent again")[2]


def test_nothing_is_announced_where_nothing_is_sent_again(tmp_path):
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED, Readable())
    result = make(stone).resume(path)
    assert result.outcome is Ending.COMPLETE and len(stone.commands) == STEPS
    assert "again" not in result.message


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_limits_count_from_where_the_specimen_stands_once_its_measurements_are_used(tmp_path):
    stone = stopped(tmp_path / "j.h5", MEASURED, Readable())
    cut(tmp_path / "j.h5")
    stone.place = stone.place + 1e-3
    result = make(stone, limits=Limits(increment=1.001e-3)).resume(tmp_path / "j.h5")
    assert (result.outcome, result.steps, len(stone.commands)) == (
        Ending.SPECIMEN_LIMIT,
        MEASURED,
        MEASURED,
    )


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_test_that_computes_other_commands_does_not_move_the_specimen_back(tmp_path):
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED)
    cut(path)
    with h5py.File(path, "r+") as file:  # as a machine that rounds otherwise would compute it
        rewrite(file, COMMITTED + 2, 2, 1.0 + 1e-15)
    before = rows(read_journal(path))
    result = make(stone).resume(path)
    assert result.outcome is Ending.SPECIMEN_LIMIT
    assert "was not sent" in result.message and "move the specimen back" in result.message
    assert len(stone.commands) == MEASURED
    assert before <= rows(read_journal(path))


def take(path, table, kept):
    with h5py.File(path, "r+") as file:
        file[f"elements/0/{table}"][kept:, -1] = np.nan


@pytest.mark.parametrize("sent", [0, COMMITTED - 3, COMMITTED, COMMITTED + 2])
def test_measurements_whose_commands_are_lost_are_used_and_the_commands_come_back(tmp_path, sent):
    """Those of committed steps from what the element keeps, the others from the test, which
    computes the same."""
    path, known = tmp_path / "j.h5", whole(tmp_path)
    stone = stopped(path, MEASURED, Readable())
    cut(path)
    take(path, "command", sent)
    before = read_journal(path)
    assert (before.steps, len(before.command["e"]), len(before.measured["e"])) == (
        COMMITTED,
        sent,
        MEASURED,
    )
    lost = MEASURED - max(sent, COMMITTED)
    with pytest.warns(UserWarning, match=f"{lost} measurements of 'e' whose commands are lost"):
        assert make(stone).resume(path).outcome is Ending.COMPLETE
    after = read_journal(path)
    assert rows(before) <= rows(after)
    assert stone.commands == known.commands("e")[:, 0].tolist()  # each of them once
    assert same(known, after)
    assert (after.measured["e"][:, -1] >= after.command["e"][:, -1]).all()


@pytest.mark.parametrize("answered", [0, COMMITTED - 3, COMMITTED])
@pytest.mark.parametrize("sent", [0, COMMITTED - 3, COMMITTED])
def test_a_committed_step_gives_its_command_and_its_measurement_back(tmp_path, sent, answered):
    path, known = tmp_path / "j.h5", whole(tmp_path)
    stone = stopped(path, COMMITTED + 1, Readable())
    cut(path)
    take(path, "command", sent)
    take(path, "measured", answered)
    # the last one did not arrive
    stone.place, stone.commands = known.commands("e")[COMMITTED - 1], stone.commands[:COMMITTED]
    assert make(stone).resume(path).outcome is Ending.COMPLETE
    assert stone.commands == known.commands("e")[:, 0].tolist()
    assert same(known, read_journal(path))


def test_measurements_of_other_steps_than_their_commands_are_refused(tmp_path):
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED)
    cut(path)
    with h5py.File(path, "r+") as file:
        rewrite(file, COMMITTED + 1, 1, 1.01)
    kept = path.read_bytes()
    with pytest.raises(
        FileError, match="commands and measurements of 'e' are not of the same steps"
    ):
        make(stone).resume(path)
    assert path.read_bytes() == kept and len(stone.commands) == MEASURED


@pytest.mark.parametrize("answered", [COMMITTED, MEASURED - 2])
def test_a_specimen_is_not_moved_back_to_repeat_what_was_lost(tmp_path, answered):
    """The disk had the commands and not their measurements."""
    path = tmp_path / "j.h5"
    stone = stopped(path, MEASURED, Readable())
    cut(path)
    take(path, "measured", answered)
    kept, sent = path.read_bytes(), list(stone.commands)
    with pytest.raises(FileError, match=f"{MEASURED - answered} commands of 'e', to t = 0.14"):
        make(stone).resume(path)
    assert path.read_bytes() == kept
    assert stone.commands == sent
    # one alone is that of the step under way
    take(path, "command", answered + 1)
    stone.place = np.array(sent[answered : answered + 1])
    assert make(stone).resume(path).outcome is Ending.COMPLETE


# --- the file next to it ---


def test_the_journal_of_another_test_beside_it_is_left_alone(tmp_path):
    stone, other = stopped(tmp_path / "j.h5"), tmp_path / "j.h5.resumed"
    make(Stone()).run(other)
    kept = other.read_bytes()
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert other.read_bytes() == kept
    assert sorted(p.name for p in tmp_path.iterdir()) == ["j.h5", "j.h5.resumed"]


def test_what_a_killed_resume_has_left_is_removed_and_nothing_else(tmp_path):
    stone = stopped(tmp_path / "j.h5")
    left, others = (
        tmp_path / f"j.h5.resuming-{'0a' * 8}",
        [
            tmp_path / name
            for name in (
                f"other.h5.resuming-{'0a' * 8}",
                "j.h5.resuming-mine",
                f"j.h5.resuming-{'0a' * 8}.h5",
            )
        ],
    )
    used = Journal(tmp_path / f"j.h5.resuming-{'0b' * 8}", {"e": 1})
    for path in (left, *others):
        path.write_bytes(b"")
    assert make(stone).resume(tmp_path / "j.h5").outcome is Ending.COMPLETE
    assert not left.exists()
    assert all(p.exists() for p in others) and (tmp_path / f"j.h5.resuming-{'0b' * 8}").exists()
    used.close()


# --- a resume that sends nothing ---


def test_a_complete_test_stays_as_it_is(tmp_path):
    path, stone = tmp_path / "j.h5", Stone()
    tested = make(stone).run(path)
    kept, stone.open = path.read_bytes(), unreachable
    result = make(stone).resume(path)
    assert (result.outcome, result.steps) == (Ending.COMPLETE, STEPS)
    assert np.array_equal(result.displacement("B", "x"), tested.displacement("B", "x"))
    assert path.read_bytes() == kept and len(stone.commands) == STEPS


def test_a_test_that_was_killed_after_its_last_step_is_brought_to_its_end_without_its_specimen(
    tmp_path,
):
    path, stone = tmp_path / "j.h5", Stone()
    make(stone).run(path)
    with h5py.File(path, "r+") as file:
        file["ending"][:] = 0
    stone.open = unreachable
    assert make(stone).resume(path).outcome is Ending.COMPLETE
    assert (
        same(whole(tmp_path), read_journal(path)) and read_journal(path).ending is Ending.COMPLETE
    )


def lost_at(at):
    """A specimen that is sent a command and does not answer."""
    stone = Stone()
    stone.change = lambda measured: unreachable("gone")
    return stone


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_laboratory_that_is_not_open_yet_changes_nothing(tmp_path):
    path, stone = tmp_path / "j.h5", lost_at(AT)
    assert make(stone).run(path).outcome is Ending.PEER_LOST
    kept, stone.open = path.read_bytes(), unreachable
    assert make(stone).resume(path).outcome is Ending.PEER_LOST
    assert path.read_bytes() == kept
    assert [p.name for p in tmp_path.iterdir()] == ["j.h5"]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_command_without_an_answer_is_kept(tmp_path, times):
    """It says where the specimen may be, until another one was sent."""
    path, stone = tmp_path / "j.h5", lost_at(AT)
    make(stone).run(path)
    before = read_journal(path)
    assert (len(before.command["e"]), len(before.measured["e"])) == (AT, AT - 1)
    stone.change = None
    for _ in range(times):  # each of them takes the journal over, and sends nothing
        assert (
            make(stone, limits=Limits(displacement=1e-9)).resume(path).outcome
            is Ending.SPECIMEN_LIMIT
        )
        after = read_journal(path)
        assert np.array_equal(after.command["e"], before.command["e"]) and not len(
            after.unanswered["e"]
        )
    assert len(stone.commands) == AT
    assert make(stone).resume(path).outcome is Ending.COMPLETE
    after = read_journal(path)
    assert np.array_equal(after.unanswered["e"], before.command["e"][-1:])
    assert same(whole(tmp_path), after)


def test_of_a_link_the_journal_that_it_leads_to_is_resumed(tmp_path):
    (tmp_path / "runs").mkdir()
    stone = stopped(tmp_path / "runs" / "j.h5")
    link = tmp_path / "latest.h5"
    link.symlink_to(tmp_path / "runs" / "j.h5")
    assert make(stone).resume(link).outcome is Ending.COMPLETE
    assert link.is_symlink()
    assert same(whole(tmp_path), read_journal(tmp_path / "runs" / "j.h5"))
