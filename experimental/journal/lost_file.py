"""The file of a journal is deleted, moved or replaced by another one while its test runs.

An open file takes rows also when no name leads to it any more, and is gone once it is closed. So
the file under the name is compared with the open one before each command, and while it is still
open what it holds is copied to where it can be found. A file that a drive does not know by a number
is not looked at.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile

AT_ONCE = 1 << 20  # bytes
Identity = tuple[int, int]


def identity(handle: int, path: str) -> Identity | None:
    """Device and number of an open file.

    None if the file of this path cannot be known by them.
    """
    try:
        known, found = os.fstat(handle), os.stat(path)
    except OSError:
        return None
    same = known.st_ino != 0 and (known.st_dev, known.st_ino) == (found.st_dev, found.st_ino)
    return (known.st_dev, known.st_ino) if same else None


def is_there(path: str, known: Identity) -> bool:
    """Whether a path still leads to a file."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == known


def rescued(handle: int, path: str) -> str | None:
    """Copy an open file to its own path if nothing is there, or next to it, or to the folder
    for scratch.

    Returns where it is now, None if it could not be copied.
    """
    if not hasattr(os, "pread"):  # Windows deletes no open file
        return None
    other = f"{os.path.basename(path)}.rescued-{secrets.token_hex(4)}"
    for place in (
        path,
        os.path.join(os.path.dirname(path), other),
        os.path.join(tempfile.gettempdir(), other),
    ):
        with contextlib.suppress(OSError):
            _copy(handle, place)
            return place
    return None


def _copy(handle: int, place: str) -> None:
    with open(place, "xb") as target:  # never over another file
        try:
            at = 0
            while data := os.pread(handle, AT_ONCE, at):
                target.write(data)
                at += len(data)
            target.flush()
            os.fsync(target.fileno())
        except OSError:
            os.remove(place)
            raise
