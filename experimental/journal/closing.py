"""How a journal ends: what is written of it, and how to leave a file that cannot be written."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.results.outcome import Outcome

ENDING_BYTES = 4096


def ending_bytes(ending: Outcome, message: str) -> npt.NDArray[np.uint8]:
    """An ending as it is written; of a message that is too long, its beginning."""
    message = message or ending.value
    while len(content := json.dumps([ending.name, message]).encode()) > ENDING_BYTES:
        message = message[: len(message) // 2] + "..."
    return np.frombuffer(content.ljust(ENDING_BYTES, b"\0"), np.uint8)


def closed_elsewhere(file: h5py.File, reserve: int) -> bool:
    """Leave a file as it is, and let HDF5 close something else; False if that fails.

    HDF5 cannot close a file that cannot be written, and takes the interpreter down when it tries,
    then or later.
    """
    try:
        handle = file.id.get_vfd_handle()
        with _nowhere() as nowhere:
            # a limit on the size of files would hold here too
            os.pwrite(nowhere.fileno(), b"\0", os.fstat(handle).st_size + reserve)
            os.dup2(nowhere.fileno(), handle)
        file.close()
    except (AttributeError, OSError, RuntimeError, ValueError):
        return False
    return True


def _nowhere() -> Any:
    """A file in memory, or if there is none, on the disk for scratch."""
    make = getattr(os, "memfd_create", None)
    return os.fdopen(make("femu"), "w+b") if make is not None else tempfile.TemporaryFile()
