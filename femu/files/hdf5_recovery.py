"""An HDF5 file that is being written, or whose writer was killed, as a file that can be read like
any other.

A writer leaves marks in the superblock: HDF5 refuses such a file, or reads it in its SWMR mode.
That mode treats inconsistent data as half written and waits for it, twice as long each time, so it
never gives up a damaged file. Here the marks are hidden from HDF5, which then reports at once what
is inconsistent. A writer in SWMR mode keeps its file consistent at every moment except for the
block that it is writing; a second read finds that block complete too.

Superblock of version 3 (HDF5 File Format Specification, II.A): signature (8 bytes), version, size
of offsets, size of lengths, marks, then base address, extension, end of file and root group (8
bytes each), and a checksum of all of these.
"""

from __future__ import annotations

import io
import os
import struct

from femu.support.ordinary_file import must_be_ordinary

VERSION_PLACE, MARKS_PLACE = 8, 11
VERSION_WITH_MARKS = 3
WRITING = 0b101  # open for writing, and by a writer in SWMR mode
SUPERBLOCK = struct.Struct("<8s4B4QI")
END = 7  # place of the end of the file among them
CHECKSUM_BYTES = 4
PADDING = 64 << 20  # bytes: more than a table grows by at a time
ROUND = 12  # bytes that the hash takes at a time
LOW = 0xFFFFFFFF
SIGNATURE = b"\x89HDF\r\n\x1a\n"


def is_marked(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the marks of a writer; one that cannot be read has none."""
    must_be_ordinary(path)
    try:
        with open(path, "rb") as stream:
            head = stream.read(MARKS_PLACE + 1)
    except OSError:
        return False
    return (
        head.startswith(SIGNATURE)
        and len(head) > MARKS_PLACE
        and head[VERSION_PLACE] == VERSION_WITH_MARKS
        and bool(head[MARKS_PLACE] & WRITING)
    )


def is_short(path: str | os.PathLike[str]) -> bool:
    """Whether a file ends before the end that its superblock gives, as a power cut or a copy that
    was stopped leaves it."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(SUPERBLOCK.size)
            return end_of(head) > os.fstat(stream.fileno()).st_size
    except OSError:
        return False


def end_of(head: bytes) -> int:
    """The end of a file according to its superblock.

    0 if the superblock is not whole or of another version.
    """
    if (
        len(head) < SUPERBLOCK.size
        or not head.startswith(SIGNATURE)
        or head[VERSION_PLACE] != VERSION_WITH_MARKS
    ):
        return 0
    return int(SUPERBLOCK.unpack(head)[END]) if _is_whole(head) else 0


def _is_whole(head: bytes) -> bool:
    return bool(SUPERBLOCK.unpack(head)[-1] == hash_of(head[:-CHECKSUM_BYTES]))


class Unmarked(io.RawIOBase):
    """The bytes of a file, the superblock without the marks and with the actual end of the
    file.

    With ``padded``, zeros follow them: what a power cut removed at the end of a file reads as
    zeros, and the rest is read.
    """

    def __init__(self, path: str | os.PathLike[str], padded: bool = False) -> None:
        self._stream = open(path, "rb", buffering=0)  # noqa: SIM115
        self._held = self._size = os.fstat(self._stream.fileno()).st_size
        head = self._stream.read(SUPERBLOCK.size) or b""
        if padded:
            self._size = max(self._size, end_of(head)) + PADDING
        self._head = without_marks(head, self._size)
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = (
            offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        )
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = memoryview(buffer).cast("B")
        self._stream.seek(self._place)
        count = self._stream.readinto(wanted) or 0
        if count < len(wanted) and self._size > self._held:
            end = min(len(wanted), max(count, self._size - self._place))
            wanted[count:end] = bytes(end - count)
            count = end
        if self._place < len(self._head):
            known = self._head[self._place : self._place + count]
            wanted[: len(known)] = known
        self._place += count
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def without_marks(head: bytes, size: int) -> bytes:
    """A superblock without the marks of a writer; one that is not whole stays as it is."""
    if len(head) < SUPERBLOCK.size:
        return head
    signature, version, offsets, lengths, marks, base, extension, _, root, _ = SUPERBLOCK.unpack(
        head
    )
    if not _is_whole(head):
        return head
    body = SUPERBLOCK.pack(
        signature, version, offsets, lengths, marks & ~WRITING, base, extension, size, root, 0
    )
    body = body[:-CHECKSUM_BYTES]
    return body + struct.pack("<I", hash_of(body))


def hash_of(data: bytes) -> int:
    """Checksum of a block of metadata: Jenkins' lookup3 hash ("hashlittle", first value 0)."""
    a = b = c = (0xDEADBEEF + len(data)) & LOW
    rounds = max(0, (len(data) - 1) // ROUND)
    for k in range(rounds):
        x, y, z = struct.unpack_from("<3I", data, ROUND * k)
        a, b, c = (a + x) & LOW, (b + y) & LOW, (c + z) & LOW
        a = (a - c & LOW) ^ _turned(c, 4)
        c = c + b & LOW
        b = (b - a & LOW) ^ _turned(a, 6)
        a = a + c & LOW
        c = (c - b & LOW) ^ _turned(b, 8)
        b = b + a & LOW
        a = (a - c & LOW) ^ _turned(c, 16)
        c = c + b & LOW
        b = (b - a & LOW) ^ _turned(a, 19)
        a = a + c & LOW
        c = (c - b & LOW) ^ _turned(b, 4)
        b = b + a & LOW
    if not data:
        return c
    x, y, z = struct.unpack("<3I", data[ROUND * rounds :].ljust(ROUND, b"\0"))
    a, b, c = (a + x) & LOW, (b + y) & LOW, (c + z) & LOW
    c = ((c ^ b) - _turned(b, 14)) & LOW
    a = ((a ^ c) - _turned(c, 11)) & LOW
    b = ((b ^ a) - _turned(a, 25)) & LOW
    c = ((c ^ b) - _turned(b, 16)) & LOW
    a = ((a ^ c) - _turned(c, 4)) & LOW
    b = ((b ^ a) - _turned(a, 14)) & LOW
    return ((c ^ b) - _turned(b, 24)) & LOW


def _turned(value: int, bits: int) -> int:
    """A number of 32 bits, rotated to the left."""
    return (value << bits | value >> (32 - bits)) & LOW
