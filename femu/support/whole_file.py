"""A file is written whole or not at all.

It is made under a name that no other file has, next to its place, and takes the place once all of
it is on the disk: whoever reads meanwhile finds the old file or the new one, and of two programs
that write the same file the last one wins. A link at the place is replaced, not followed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO

from femu.support.errors import FileError

MARK = ".writing-"


@contextlib.contextmanager
def placed(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream of bytes that becomes the file when the block ends without an error."""
    place = os.fspath(path)
    if os.path.lexists(place):
        _must_be_replaceable(place)
    scratch = os.path.join(os.path.dirname(place), f"{MARK}{secrets.token_hex(8)}")
    made = False
    try:
        with open(scratch, "xb") as stream:  # never a file or a link that is there already
            made = True
            yield stream
            stream.flush()
            # before it takes a place: a power cut leaves the old file or the new one
            os.fsync(stream.fileno())
        os.replace(scratch, place)
        made = False
    except OSError as problem:
        raise FileError(place, f"cannot be written: {problem.strerror or problem}") from problem
    finally:
        if made:
            with contextlib.suppress(OSError):
                os.remove(scratch)


def _must_be_replaceable(place: str) -> None:
    mode = os.lstat(place).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        kind = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
        raise FileError(place, f"cannot be written: it is {kind}")
    if stat.S_ISREG(mode) and not os.access(place, os.W_OK):
        raise FileError(place, "cannot be written: it is write-protected")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8. What is no ordinary file (a terminal, a pipe) is written to directly."""
    place = os.fspath(path)
    content = text.encode("utf-8")
    try:
        if os.path.exists(place) and not stat.S_ISREG(os.stat(place).st_mode):
            with open(place, "wb") as stream:
                stream.write(content)
            return
    except OSError as problem:
        raise FileError(place, f"cannot be written: {problem.strerror or problem}") from problem
    with placed(place) as stream:
        stream.write(content)
