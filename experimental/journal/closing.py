"""How a journal ends: what is written of it, and how to leave a file that cannot be written."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.results.outcome import Outcome

ENDING_BYTES = 4096


def ending_bytes(ending: Outcome, message: str) -> npt.NDArray[np.uint8]:
    """An ending as it is written; of a message that is too long, its beginning."""
    message = message or ending.value
    while len(content := _with_checksum(ending.name, message)) > ENDING_BYTES:
        message = message[: len(message) // 2] + "..."
    return np.frombuffer(content.ljust(ENDING_BYTES, b"\0"), np.uint8)


def _with_checksum(name: str, message: str) -> bytes:
    return json.dumps([name, message, zlib.crc32(json.dumps([name, message]).encode())]).encode()


def ending_of(content: bytes) -> tuple[str, str] | None:
    """Name of the outcome and message of what was written; None if it was damaged.

    Endings of earlier versions have no checksum.
    """
    found = json.loads(content)
    if (
        not isinstance(found, list)
        or len(found) < 2
        or not all(isinstance(v, str) for v in found[:2])
    ):
        return None
    name, message = found[:2]
    return None if found[2:] and content != _with_checksum(name, message) else (name, message)


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
