"""The file of a journal is deleted, moved or replaced while its test runs."""

import os
import shutil

import numpy as np
import pytest
from test_exchange import AT, STEPS, Stone, make, same, whole

from femu.experimental import Ending, Journal, read_journal

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "pread"), reason="an open file cannot be deleted here"),
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
]


def deleted(path):
    path.unlink()


def moved(path):
    path.rename(path.with_name("elsewhere.h5"))


def replaced(path):
    """What programs do that keep two folders alike."""
    shutil.copy(path, path.with_name("copy"))
    os.replace(path.with_name("copy"), path)


def folder_gone(path):
    shutil.rmtree(path.parent)


@pytest.mark.parametrize("lost", [deleted, moved, replaced, folder_gone])
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_the_next_command_does_not_leave_and_nothing_is_lost(tmp_path, monkeypatch, lost):
    folder, spare = tmp_path / "folder", tmp_path / "spare"
    folder.mkdir()
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    path = folder / "j.h5"

    def during(measured):
        lost(path)
        return measured

    stone = Stone(during)
    result = make(stone).run(path)
    assert result.outcome is Ending.JOURNAL_FULL
    assert "deleted, moved or replaced" in result.message and "was not sent" in result.message
    assert (len(stone.commands), result.steps) == (AT, AT)
    assert stone.holds >= 1
    kept = next(
        word.rstrip(":")
        for word in result.message.split()
        if word.startswith(str(tmp_path)) and word.endswith(":")
    )
    record = read_journal(kept)
    assert len(record.measured["e"]) == record.steps == AT
    if lost is replaced:
        # the other file is left alone
        assert kept != str(path) and len(read_journal(path).measured["e"]) == AT - 1
    if lost is deleted:
        assert kept == str(path)
    stone.change = None
    assert make(stone).resume(kept).outcome is Ending.COMPLETE
    assert len(stone.commands) == STEPS
    assert same(whole(tmp_path), read_journal(kept))


def test_lost_after_the_last_command(tmp_path):
    path, stone = tmp_path / "j.h5", Stone()
    stone.commit = lambda time: path.unlink() if len(stone.commands) == STEPS else None
    with pytest.warns(UserWarning, match="All that it held is in"):
        assert make(stone).run(path).outcome is Ending.COMPLETE
    record = read_journal(path)
    assert (record.steps, record.ending) == (STEPS, Ending.COMPLETE)


def test_a_program_that_goes_to_another_folder_has_its_journal_still(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    journal = Journal("j.h5", {"e": 1})
    monkeypatch.chdir(tmp_path / "other")
    journal.command("e", 1, 0.1, np.ones(1))
    journal.close()
    assert len(read_journal(tmp_path / "j.h5").command["e"]) == 1
