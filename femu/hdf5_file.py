"""HDF5 files that are written whole or not at all, and read with one kind of error.

HDF5 cannot close a file on a full disk, and may take the interpreter down when it tries. So a file is made in memory, written
beside the place where it is to stand, and moved there once it is whole: an older file of that name stays until then.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import h5py

from femu.errors import FemuError, FileError

BROKEN = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError, MemoryError)
"""What h5py, and numbers and texts of another kind than expected, raise on a broken file."""


@contextlib.contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Any]:
    """An HDF5 file to be filled; it stands at its place when the block ends."""
    place = os.fspath(path)
    with h5py.File(place, "w", driver="core", backing_store=False) as file:
        yield file
        file.flush()
        content = file.id.get_file_image()
    scratch = f"{place}.writing"
    try:
        with open(scratch, "wb") as stream:
            stream.write(content)
        os.replace(scratch, place)
    except OSError as problem:
        with contextlib.suppress(OSError):
            os.remove(scratch)
        raise FileError(place, f"cannot be written: {problem.strerror or problem}") from problem


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Whatever goes wrong inside while a file is read becomes a `FileError`; errors of femu stay as they are."""
    try:
        yield
    except FemuError:
        raise
    except BROKEN as problem:
        told = " ".join(str(problem).split()) or type(problem).__name__
        raise FileError(path, f"cannot be read as {what}: {told}") from problem


def text(value: Any, path: str | os.PathLike[str], name: str) -> str:
    """An attribute that must be a text."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise FileError(path, f"has {name} = {value!r}, which must be a text")
    return value
