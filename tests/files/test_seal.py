"""A sealed file is read only as it was written."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from femu.files.hdf5 import opened, put_text, table, text, written_whole
from femu.files.seal import SEAL_BYTES, must_be_whole, sealed_bytes
from femu.support.errors import FileError


def sealed(path: Path) -> bytes:
    with written_whole(path) as file:
        put_text(file, "about", "a text of more than a page " * 400)
        file.create_dataset("numbers", data=np.linspace(0.0, 1.0, 500))
    return path.read_bytes()


def test_no_flipped_bit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sealed.h5"
    content = sealed(path)
    rng = np.random.default_rng(0)
    for place in [
        0,
        9,
        40,
        len(content) - SEAL_BYTES,
        len(content) - 1,
        *rng.integers(0, len(content), 200),
    ]:
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(FileError), opened(path, "a test"):
            pass
    path.write_bytes(content)
    with opened(path, "a test") as file:
        assert len(text(file, "about", path)) == 27 * 400
        assert table(file, "numbers", path)[:].sum() == np.linspace(0.0, 1.0, 500).sum()


def test_a_file_that_another_program_changes_has_no_seal(tmp_path: Path) -> None:
    path = tmp_path / "sealed.h5"
    content = sealed(path)
    assert sealed_bytes(path) == len(content) - SEAL_BYTES
    with h5py.File(path, "r") as file:  # reading does not change it
        assert len(file["numbers"]) == 500
    assert path.read_bytes() == content
    with h5py.File(path, "r+") as file:
        file["numbers"][0] = 7.0
    assert sealed_bytes(path) == path.stat().st_size
    with opened(path, "a test") as file:
        assert table(file, "numbers", path)[0] == 7.0


def test_what_is_added_to_a_file_is_sealed_with_it(tmp_path: Path) -> None:
    path = tmp_path / "sealed.h5"
    sealed(path)
    with written_whole(path, onto=True) as file:
        file.create_dataset("more", data=np.arange(3.0))
    assert sealed_bytes(path) == path.stat().st_size - SEAL_BYTES
    must_be_whole(path)
    content = bytearray(path.read_bytes())
    content[-SEAL_BYTES - 10] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="damaged"), written_whole(path, onto=True):
        pass
