"""One test writes a journal, and no other takes it over meanwhile.

The writer shares a lock of the system on its file, which readers may share too; whoever takes the
file over must have the lock alone. The system lets go of it when the process ends, however it ends.
Where there are no such locks (Windows, some network drives) nothing is looked at.
"""

from __future__ import annotations

import contextlib
import os
import time as clock
from collections.abc import Iterator
from typing import Any, BinaryIO

from femu.support.errors import FileError

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows
    _fcntl = None  # type: ignore[assignment]

locks: Any = _fcntl
PATIENCE, LOOK = 1.0, 0.01  # seconds


def mark_as_used(path: str) -> BinaryIO | None:
    """Say that a file is being written, until what is returned is closed; None if the system has
    no way to.

    Whoever looks whether he may take over a file that has just begun has it alone for a moment:
    that is waited for.
    """
    if locks is None:
        return None
    mark: BinaryIO = open(path, "rb")  # noqa: SIM115
    deadline = clock.monotonic() + PATIENCE
    while True:
        try:
            locks.flock(mark, locks.LOCK_SH | locks.LOCK_NB)
            return mark
        except BlockingIOError:
            if clock.monotonic() > deadline:
                mark.close()
                raise
            clock.sleep(LOOK)
        except OSError:  # a drive that knows no locks
            mark.close()
            return None


@contextlib.contextmanager
def taken_alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Nobody else writes a journal, or takes it over, while this lasts.

    Raises a `FileError` where somebody already does.
    """
    with contextlib.ExitStack() as until_the_end:
        mark: BinaryIO | None = None
        if locks is not None and isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
            with contextlib.suppress(OSError):  # whoever reads it says what is wrong with it
                mark = until_the_end.enter_context(
                    open(path, "r+b" if os.access(path, os.W_OK) else "rb")
                )
        if mark is not None and _is_used(mark, path):
            raise FileError(
                path,
                "is in use by another program: its test is still running, or is being resumed "
                "elsewhere. End that test first. Where another program only reads the file, close "
                "it there",
            )
        yield


def _is_used(mark: BinaryIO, path: str | os.PathLike[str]) -> bool:
    try:
        locks.flock(mark, locks.LOCK_EX | locks.LOCK_NB)
        # another test has just taken its place
        return os.fstat(mark.fileno()).st_ino != os.stat(path).st_ino
    except BlockingIOError:
        return True
    except OSError:  # a drive that knows no locks
        return False
