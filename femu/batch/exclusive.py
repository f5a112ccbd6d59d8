"""One process writes the file of a batch; a second one is refused before it changes anything.

HDF5 truncates a file before it locks it, so the lock of HDF5 comes too late. Here a file is made
under a scratch name, locked, and linked to its place: it appears whole, already locked, and only if
nothing is there. The system releases the lock when the process ends, however it ends. Without such
locks (Windows, some network drives) a new file is still made by one process alone, but two
processes that resume the same batch are not kept apart.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from femu.support.errors import FileError

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows
    _fcntl = None  # type: ignore[assignment]

locks: Any = _fcntl
IN_USE = "is in use by another process, which runs this batch. Wait for it to end, or choose another file name"


def locked(path: Path) -> BinaryIO:
    """A file that is there, for this process alone until it is closed.

    A `FileError` if another process has it.
    """
    try:
        mark = open(path, "r+b")  # noqa: SIM115
    except OSError as problem:
        raise FileError(path, f"cannot be opened: {problem.strerror or problem}") from None
    if not _taken(mark, path):
        mark.close()
        raise FileError(path, IN_USE)
    return mark


def _taken(mark: BinaryIO, path: Path) -> bool:
    if locks is None:
        return True
    try:
        locks.flock(mark, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a drive without locks
        return True
    try:
        # else another file has just taken its place
        return os.path.samestat(os.fstat(mark.fileno()), os.stat(path))
    except OSError:
        return False


def made(path: Path, write: Callable[[Path], None], replace: bool = False) -> BinaryIO:
    """Make a file by ``write`` and put it in its place, locked.

    An existing file is replaced only if ``replace``.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    except OSError as problem:
        raise FileError(
            path, f"cannot be written ({problem.strerror or problem}); check the path"
        ) from None
    os.close(handle)
    scratch = Path(name)
    try:
        write(scratch)
        with contextlib.suppress(OSError):
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(scratch, 0o666 & ~mask)  # mkstemp makes it private
        mark = locked(scratch)
        try:
            _put(scratch, path, replace)
        except BaseException:
            mark.close()
            raise
        return mark
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)


def _put(scratch: Path, path: Path, replace: bool) -> None:
    try:
        if replace:
            os.replace(scratch, path)
            return
        try:
            os.link(scratch, path)
        except FileExistsError:
            raise
        except OSError:  # a drive without hard links: an empty file keeps the place
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.replace(scratch, path)
    except FileExistsError:
        raise FileError(
            path,
            "was made by another process meanwhile. Run again to resume it, or choose another name",
        ) from None
    except OSError as problem:
        raise FileError(path, f"cannot be written: {problem.strerror or problem}") from None
