"""Pipes and devices in place of files."""

import os
from pathlib import Path

import pytest

from femu import GroundMotion, Model, Result
from femu.batch import BatchResult
from femu.experimental import read_description, read_journal
from femu.support import ordinary_file
from femu.support.errors import FileError

READERS = (
    GroundMotion.from_at2,
    GroundMotion.from_csv,
    GroundMotion.from_smc,
    Model.from_toml,
    Result.load,
    BatchResult.load,
    read_description,
    read_journal,
)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__qualname__)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_is_refused_at_once(read, kind, tmp_path):
    """Nobody writes to this pipe, and /dev/zero has no end."""
    path = Path("/dev/zero")
    if kind == "pipe":
        path = tmp_path / "record"
        os.mkfifo(path)
    with pytest.raises(FileError, match="is a pipe or a device"):
        read(path)


def test_a_text_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(ordinary_file, "LARGEST_TEXT", 10)
    path = tmp_path / "record.at2"
    path.write_text("0123456789\n")
    with pytest.raises(FileError, match="has 11 bytes; a text has at most 10"):
        GroundMotion.from_at2(path)
