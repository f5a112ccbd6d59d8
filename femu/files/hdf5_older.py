"""Texts of variable length in an HDF5 file, read by another process.

Files of femu keep their texts in a fixed length. Those of earlier versions do not: their texts lie
in a heap without a checksum, and HDF5 may never return from a damaged one, which no exception can
end. So that heap is read by a process that can be ended.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import lru_cache
from typing import Any

from femu.support.errors import FileError
from femu.support.isolated_python import python, surroundings

LONGEST = 30.0  # seconds; reading takes less than one, starting Python on a busy machine a few
REMEMBERED = 8  # files
READER = """
import json, sys
import h5py

def plain(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else None

def of_any_length(kind):
    return kind.get_class() == h5py.h5t.STRING and kind.is_variable_str()

found = {}
def look(name, thing):
    for key in thing.attrs:
        if of_any_length(thing.attrs.get_id(key).get_type()):
            value = thing.attrs[key]
            found[thing.name + "@" + key] = plain(value) if isinstance(value, (str, bytes)) else [plain(v) for v in value]
    if isinstance(thing, h5py.Dataset) and thing.shape == () and of_any_length(thing.id.get_type()):
        found[thing.name] = plain(thing[()])

marked = sys.argv[2] == "marked"
options = {"libver": "latest", "swmr": True} if marked else {"locking": False}
with h5py.File(sys.argv[1], "r", **options) as file:
    look("", file)
    file.visititems(look)
sys.stdout.buffer.write(json.dumps(found).encode())
"""


def older_text(path: str | os.PathLike[str], place: str) -> Any:
    """A text of variable length, or a list of them.

    ``place`` is the name of a table, or of a group, "@" and an attribute.
    """
    known = os.stat(path)
    found = _texts(os.fspath(path), known.st_ino, known.st_size, known.st_mtime_ns)
    if place not in found:
        raise FileError(path, f"has no {place} that can be read")
    return found[place]


@lru_cache(REMEMBERED)
def _texts(path: str, *version: int) -> dict[str, Any]:
    from femu.files.hdf5_recovery import is_marked

    try:
        done = subprocess.run(
            python(READER, path, "marked" if is_marked(path) else "closed"),
            env=surroundings(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise FileError(
            path, f"is damaged: its texts could not be read within {LONGEST:g} s"
        ) from None
    if done.returncode:
        printed = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FileError(
            path,
            "is damaged: its texts cannot be read "
            f"({printed[-1] if printed else f'signal {-done.returncode}'})",
        )
    found = json.loads(done.stdout)
    return dict(found)
