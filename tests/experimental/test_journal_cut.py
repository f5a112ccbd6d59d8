"""What a power cut, a copy that was stopped or a torn page leaves of a journal.

Every whole row is read, and no other.
"""

import gzip
import os
import threading
from pathlib import Path

import h5py
import journalled
import numpy as np
import pytest
from journalled import STEPS, make, same

from femu import FileError
from femu.analyses import Pace
from femu.experimental import Ending, Journal, read_journal
from femu.experimental.journal.syncing import Syncing
from femu.experimental.specimens.replayed import replay

# tests that take rows away
pytestmark = pytest.mark.filterwarnings("ignore:.*h5 is damaged: ")

OLD = Path(__file__).with_name("journals")
TABLES = ("command", "measured")
SECTOR = 512  # bytes that a disk writes whole or not at all


def tables(record):
    return [
        *(getattr(record, table)["device"] for table in TABLES),
        record.state,
        record.specimens,
        record.record,
    ]


@pytest.fixture(scope="module", autouse=True)
def every_checkpoint_is_appended():
    """Those of a journal that has slots are in test_checkpoints.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("femu.experimental.journal.checkpoints.EACH_STEP", 1 << 20)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "j.h5"
    make().run(path)
    return path


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("share", [0.5, 0.7, 0.9, 0.99])
def test_a_file_without_its_end_gives_the_rows_that_it_holds(tmp_path, whole, share, zeros):
    content, path = whole.read_bytes(), tmp_path / "cut.h5"
    kept = int(share * len(content))
    path.write_bytes(content[:kept] + bytes(len(content) - kept if zeros else 0))
    known, found = tables(read_journal(whole)), tables(read_journal(path))
    for one, other in zip(known, found, strict=True):
        assert np.array_equal(one[: len(other)], other)
    assert any(len(other) for other in found)


def test_zeros_are_no_rows(tmp_path):
    journal = Journal(tmp_path / "j.h5", {"e": 1}, state=1)
    for step in (1, 2, 3):
        journal.command("e", step, 0.1 * step, np.ones(1))
        journal.commit(step, 0.1 * step, np.ones(1), np.zeros(0))
    journal.close()
    with h5py.File(tmp_path / "j.h5", "r+") as file:
        file["elements/0/command"][3:9] = 0.0
        file["committed/state"][3:9] = 0.0
        file["committed/specimens"][3:9] = 0.0
    record = read_journal(tmp_path / "j.h5")
    assert (len(record.command["e"]), record.steps) == (3, 3)


@pytest.mark.parametrize("table", ["state", "specimens", "record"])
def test_a_torn_row_of_a_committed_step_is_found_and_the_test_resumed_from_the_step_before(
    tmp_path, whole, table
):
    """The clock of the row is there, some of its numbers are not.

    A page of the row is not on the disk.
    """
    path = tmp_path / "j.h5"
    path.write_bytes(whole.read_bytes())
    with h5py.File(path, "r+") as file:
        file["ending"][:] = 0
        data = file[f"committed/{table}"]
        written = np.flatnonzero(data[100, 2:-1])
        data[100, 2 + written[len(written) // 2]] = 0.0
    assert read_journal(path).steps == 100
    with pytest.warns(UserWarning, match="sends again: 50 commands of 'device'"):
        assert make().resume(path).outcome is Ending.COMPLETE
    assert same(read_journal(whole), read_journal(path))
    assert read_journal(path).steps == STEPS


def old(name, folder):
    path = folder / name
    path.write_bytes(gzip.decompress((OLD / f"{name}.gz").read_bytes()))
    return path


def test_journals_without_checksums_open_and_replay_and_resume(tmp_path, monkeypatch):
    """Two real files: of a test that ended, and of one that was killed in its 20th step."""
    monkeypatch.setattr(journalled, "STEPS", 30)
    complete, killed = (
        read_journal(old(f"{name}.h5", tmp_path)) for name in ("complete", "killed")
    )
    assert (complete.steps, complete.ending, killed.steps, killed.ending) == (
        30,
        Ending.COMPLETE,
        19,
        None,
    )
    for one, other in zip(tables(complete)[:4], tables(killed)[:4], strict=True):
        assert np.array_equal(one[: len(other), :-1], other[:, :-1])
    # another machine may round otherwise
    assert replay(make(), complete, tolerance=1e-9) == {"device": None}
    assert make().resume(tmp_path / "killed.h5").outcome is Ending.COMPLETE
    after = read_journal(tmp_path / "killed.h5")
    assert after.steps == 30
    assert np.array_equal(after.state[:19], killed.state)
    assert np.allclose(after.commands("device"), complete.commands("device"), rtol=1e-6, atol=1e-9)


def test_a_replay_holds_no_pace(tmp_path, whole, monkeypatch):
    test = make()
    test.pace = pace = Pace(100)
    monkeypatch.setattr("femu.experimental.pacing.Pacer.wait", lambda _: pytest.fail("it waited"))
    assert replay(test, read_journal(whole)) == {"device": None}
    assert test.pace is pace


def test_the_disk_takes_what_was_written_without_the_test_waiting(tmp_path, monkeypatch):
    synced, true = threading.Event(), os.fdatasync
    monkeypatch.setattr("femu.experimental.journal.syncing.EVERY", 0.001)
    monkeypatch.setattr("os.fdatasync", lambda handle: (true(handle), synced.set()))
    syncing = Syncing(os.open(tmp_path, os.O_RDONLY), 0.001)
    assert synced.wait(60.0)
    syncing.close()
    assert syncing.problem is None


def test_a_disk_that_does_not_take_it_stops_the_test_before_the_command(tmp_path):
    from femu.experimental.errors import JournalFull

    journal = Journal(tmp_path / "j.h5", {"e": 1})
    journal.command("e", 1, 0.1, np.ones(1))
    journal._syncing.problem = OSError(5, "Input/output error")
    with pytest.raises(JournalFull, match=r"does not take .* The command of step 2 was not sent"):
        journal.command("e", 2, 0.2, np.ones(1))
    journal._syncing.problem = None
    journal.close()
    assert len(read_journal(tmp_path / "j.h5").command["e"]) == 1


def test_a_result_without_its_end_is_still_refused(tmp_path, whole):
    """Only rows can be distinguished; other files are whole or refused."""
    from femu.files.hdf5 import opened

    content = whole.read_bytes()
    (tmp_path / "cut.h5").write_bytes(content[: len(content) * 9 // 10])
    with pytest.raises(FileError, match="cannot be read"), opened(tmp_path / "cut.h5", "a result"):
        pass


def test_a_measurement_without_its_command_is_played_back(tmp_path, whole):
    path = tmp_path / "j.h5"
    path.write_bytes(whole.read_bytes())
    with h5py.File(path, "r+") as file:
        file["elements/0/command"][STEPS - 5 :, -1] = np.nan
    record = read_journal(path)
    assert (len(record.command["device"]), len(record.measured["device"])) == (STEPS - 5, STEPS)
    assert replay(make(), record) == {"device": None}


@pytest.mark.parametrize("table", ["command", "measured", "refused", "unanswered"])
def test_a_torn_row_of_an_element_ends_its_table(tmp_path, table):
    """Clock, step and time of the row are there; one of its numbers is not."""
    path = tmp_path / "j.h5"
    journal = Journal(path, {"e": 3})
    for step in (1, 2, 3, 4):
        journal.command("e", step, 0.1 * step, np.full(3, 2.0))
        journal.measured("e", step, 0.1 * step, np.full(3, 2.0), np.full(3, 5.0))
        journal.refused("e", step, 0.1 * step, None)
        journal.tables.unanswered["e"].add(step, 0.1 * step, np.full(3, 2.0), stamp=1.0)
    journal.close()
    assert len(getattr(read_journal(path), table)["e"]) == 4
    with h5py.File(path, "r+") as file:
        file[f"elements/0/{table}"][2, 3] = 0.0
    found = read_journal(path)
    assert {
        name: len(getattr(found, name)["e"])
        for name in ("command", "measured", "refused", "unanswered")
    } == {
        name: 2 if name == table else 4 for name in ("command", "measured", "refused", "unanswered")
    }


def test_a_row_without_its_checksum_is_none(tmp_path, whole):
    path = tmp_path / "j.h5"
    path.write_bytes(whole.read_bytes())
    with h5py.File(path, "r+") as file:
        file["elements/0/measured_checksums"][STEPS - 3] = -1
        assert file["elements/0/command_checksums"][STEPS] == -1
    assert [len(getattr(read_journal(path), table)["device"]) for table in TABLES] == [
        STEPS,
        STEPS - 3,
    ]


@pytest.mark.parametrize("length", range(0, 4096, 331))
def test_the_head_of_a_table_is_within_a_sector(tmp_path, length):
    """It is written again when its table grows.

    Torn between two sectors it takes the table with it, and the journal.
    """
    journal = Journal(
        tmp_path / "j.h5",
        {"e": 2, "f": 1},
        state=3,
        specimens=200,
        record=5,
        about={"model": "x" * length},
    )
    journal.commit(1, 0.1, np.ones(3), np.ones(200), record=np.ones(5))
    journal.close()
    heads = []
    with h5py.File(tmp_path / "j.h5") as file:
        file.visititems(
            lambda _, item: (
                heads.append(h5py.h5o.get_info(item.id)) if isinstance(item, h5py.Dataset) else None
            )
        )
    assert len(heads) > 20
    assert all(
        head.addr // SECTOR == (head.addr + head.hdr.space.total - 1) // SECTOR for head in heads
    )


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="the system cannot sync a folder")
def test_a_durable_journal_and_its_name_are_on_the_disk_before_a_specimen_moves(
    tmp_path, monkeypatch
):
    """Synced through the file alone, its name in the folder may be lost by a power cut."""
    synced, true = [], os.fsync
    monkeypatch.setattr("os.fsync", lambda handle: (synced.append(os.fstat(handle)), true(handle)))
    Journal(tmp_path / "j.h5", {"e": 1}, durable=True).close()
    before = [(kept.st_dev, kept.st_ino) for kept in synced[:2]]
    assert before == [
        (known.st_dev, known.st_ino) for known in map(os.stat, (tmp_path / "j.h5", tmp_path))
    ]
