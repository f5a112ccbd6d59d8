"""Files that are written whole or not at all, also by two programs at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from femu.support import whole_file
from femu.support.errors import FileError
from femu.support.whole_file import placed, write_text


def test_two_writers_of_one_file_do_not_share_a_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "result.h5"
    sync, other = os.fsync, [b"second" * 1000]

    def another_program_writes(handle: int) -> None:
        sync(handle)
        while other:
            content = other.pop()
            with placed(place) as stream:
                stream.write(content)
            assert place.read_bytes() == content

    monkeypatch.setattr(os, "fsync", another_program_writes)
    with placed(place) as stream:
        stream.write(b"first")
    assert place.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["result.h5"]


def test_links_that_others_have_laid_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(b"not to be touched")
    for name in ("result.h5", "result.h5.writing"):
        (tmp_path / name).symlink_to(mine)
    monkeypatch.setattr(whole_file.secrets, "token_hex", lambda size: "0" * 2 * size)
    write_text(tmp_path / "result.h5", "new")
    assert (tmp_path / "result.h5").read_text() == "new"
    (tmp_path / f"{whole_file.MARK}{'0' * 16}").symlink_to(mine)  # even the name was guessed
    with pytest.raises(FileError, match="cannot be written: File exists"):
        write_text(tmp_path / "result.h5", "newer")
    assert mine.read_bytes() == b"not to be touched"
    assert (tmp_path / "result.h5").read_text() == "new"


def test_what_cannot_be_finished_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    place = tmp_path / "table.json"
    write_text(place, "old")
    with pytest.raises(FileError, match="No space left"), placed(place) as stream:
        stream.write(b"half")
        raise OSError(28, "No space left on device")
    with pytest.raises(KeyboardInterrupt), placed(place) as stream:
        raise KeyboardInterrupt
    assert place.read_text() == "old" and os.listdir(tmp_path) == ["table.json"]


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"), placed(tmp_path):
        pass
    write_text(os.devnull, "a table that nobody wants")
    assert not os.path.isfile(os.devnull)
    with pytest.raises(FileError, match="not an ordinary file"), placed(os.devnull):
        pass
