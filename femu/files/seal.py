"""A line after the end of an HDF5 file: the SHA-256 of everything before it.

HDF5 has checksums for its metadata and none for numbers and long texts; and a damaged file may
crash the interpreter before any error. So the seal is compared before HDF5 opens the file. HDF5
does not look beyond the end that its superblock gives, and removes what is there when it changes a
file: one that another program has changed has no seal, as those of earlier versions.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import BinaryIO

from femu.files.hdf5_recovery import SUPERBLOCK, end_of
from femu.support.errors import FileError

BEGINNING, END = b"femu sha256 ", b"\n"
SEAL_BYTES = len(BEGINNING) + 2 * hashlib.sha256().digest_size + len(END)
AT_ONCE = 1 << 20  # bytes


def seal_of(content: bytes | memoryview) -> bytes:
    """The seal of what a file holds."""
    return BEGINNING + hashlib.sha256(content).hexdigest().encode() + END


def sealed_bytes(path: str | os.PathLike[str]) -> int:
    """Bytes of a file before its seal; all of them if it has none."""
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        return size - SEAL_BYTES if _is_sealed(stream, size) else size


def must_be_whole(path: str | os.PathLike[str]) -> None:
    """Refuse a file that is not as its seal says; one without a seal is taken as it is."""
    with open(path, "rb") as stream:
        known = os.fstat(stream.fileno())
        if not stat.S_ISREG(known.st_mode) or not _is_sealed(stream, known.st_size):
            return
        found, left = hashlib.sha256(), known.st_size - SEAL_BYTES
        stream.seek(0)
        while left and (data := stream.read(min(AT_ONCE, left))):
            found.update(data)
            left -= len(data)
        seal = stream.read(SEAL_BYTES)
    if seal != BEGINNING + found.hexdigest().encode() + END:
        raise FileError(
            path, "is damaged: its content does not match its checksum. Use a copy of it"
        )


def _is_sealed(stream: BinaryIO, size: int) -> bool:
    """Whether a file is as much longer than HDF5 needs as a seal is.

    A damaged beginning is found by the text of the seal.
    """
    if size < SUPERBLOCK.size + SEAL_BYTES:
        return False
    if end_of(stream.read(SUPERBLOCK.size)) + SEAL_BYTES == size:
        return True
    stream.seek(size - SEAL_BYTES)
    return stream.read(len(BEGINNING)) == BEGINNING
