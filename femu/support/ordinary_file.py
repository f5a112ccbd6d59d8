"""Files that are read must be files: a named pipe waits for ever, a device such as /dev/zero has no
end."""

from __future__ import annotations

import os
import stat

from femu.support.errors import FileError

LARGEST_TEXT = 1 << 30  # bytes of a text that is read whole


def must_be_ordinary(path: str | os.PathLike[str], largest: int | None = None) -> None:
    """Refuse a pipe, a device, a socket, and what is larger than ``largest`` bytes.

    A file that is missing, or a folder, is left to whoever opens it.
    """
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return
    if stat.S_ISDIR(known.st_mode):
        return
    if not stat.S_ISREG(known.st_mode):
        raise FileError(
            path,
            "is a pipe or a device, and not a file. Fix: write what it gives to a file first",
        )
    if largest is not None and known.st_size > largest:
        raise FileError(path, f"has {known.st_size} bytes; a text has at most {largest}")


def text_of(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """The text of a file; raises as `open` does, or a `FileError` for what is none."""
    must_be_ordinary(path, LARGEST_TEXT)
    with open(path, encoding=encoding) as stream:
        return stream.read()
