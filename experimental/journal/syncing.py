"""A thread that has the disk take what was written to a file, once a second.

The system writes a file when it likes, some half a minute later: a power cut takes what is not on
the disk by then. A paced test cannot wait for the disk at each step; a thread can, without the
interpreter's lock and without that of HDF5.
"""

from __future__ import annotations

import contextlib
import os
import threading

EVERY = 1.0  # seconds


class Syncing:
    """Syncs an open file until it is closed.

    ``problem`` is what the disk answered, if it did not take something.
    """

    def __init__(self, handle: int, every: float = EVERY) -> None:
        self.problem: OSError | None = None
        self.count = 0
        self._every = every
        self._ended = threading.Event()
        # of its own: whatever happens to the handle of the file, another file is never synced in
        # its place
        self._handle = os.dup(handle)
        self._thread = threading.Thread(target=self._sync, name="femu journal sync", daemon=True)
        self._thread.start()

    def _sync(self) -> None:
        sync = getattr(os, "fdatasync", os.fsync)
        while not self._ended.wait(self._every):
            try:
                sync(self._handle)
                self.count += 1
            except OSError as problem:
                self.problem = problem

    def close(self) -> None:
        """End the thread; returns once the disk has answered."""
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(OSError):
            os.close(self._handle)


def sync_folder(path: str) -> None:
    """Have the disk take the names of the files in a folder; not every system can."""
    with contextlib.suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
