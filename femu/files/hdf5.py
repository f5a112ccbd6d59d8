"""HDF5 files that are written whole or not at all, and read with one kind of error.

HDF5 cannot close a file on a full disk, and may crash the interpreter when it tries. So a file
is made in memory, written to the same folder under another name, and moved once it is complete:
an older file of that name stays until then. A seal after its end says whether it is as it was
written; see `femu.files.seal`.

A damaged file must not block the reader, fill the memory or lead to another file. So files are
written in the form of HDF5 1.10, whose metadata have checksums, and texts in a fixed length (those
of variable length lie in a heap without one); and everything that is read goes through `text`,
`texts`, `number`, `text_table` or `table`, which check what it is before they read it.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from typing import Any

import h5py
import numpy as np

from femu.files.hdf5_older import older_text
from femu.files.hdf5_recovery import Unmarked, is_marked, is_short
from femu.files.seal import must_be_whole, seal_of, sealed_bytes
from femu.support.errors import FemuError, FileError
from femu.support.ordinary_file import must_be_ordinary
from femu.support.whole_file import placed

BROKEN = (
    OSError,
    RuntimeError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    MemoryError,
)
"""What h5py, and numbers and texts of another kind than expected, raise on a broken file."""
FORM = ("v110", "v110")
"""Versions of the file format.

The oldest with checksums that also lets others read while one writes.
"""
NEEDED: Any = object()
KEPT = {"femu journal": "the journal of a test", "femu batch": "a batch"}
"""Beginnings of the formats whose files are never replaced.

What was measured, and what took hours.
"""


# --- writing ---


@contextlib.contextmanager
def written_whole(path: str | os.PathLike[str], onto: bool = False) -> Iterator[Any]:
    """An HDF5 file to be filled.

    It is in its place when the block ends. ``onto`` begins with the existing file.
    """
    place = os.fspath(path)
    if not onto and (held := kept_in(path)):
        raise FileError(place, f"holds {held}, which is never overwritten. Choose another name")
    memory = io.BytesIO()
    if onto:
        must_be_whole(place)
        with open(place, "rb") as stream:
            memory.write(stream.read(sealed_bytes(place)))
    # not the image that HDF5 gives of a file in memory: that of HDF5 1.14.2 has a wrong checksum
    with h5py.File(memory, "r+" if onto else "w", libver=FORM) as file:
        yield file
    with placed(place) as stream:
        stream.write(memory.getbuffer())
        stream.write(seal_of(memory.getbuffer()))


def kept_in(path: str | os.PathLike[str]) -> str:
    """What a file holds that must not be replaced.

    Empty if it may be replaced, or does not exist.
    """
    if not os.path.exists(path):
        return ""
    try:
        with opened(path, "HDF5", sealed=False) as file:
            kind = str(text(file, "format", path, ""))
    except FileError:
        return ""
    return next((reason for beginning, reason in KEPT.items() if kind.startswith(beginning)), "")


def _fixed(value: str | Sequence[str]) -> Any:
    """Text or texts as bytes of a fixed length, marked as UTF-8."""
    content = [v.encode() for v in ([value] if isinstance(value, str) else value)]
    kind = h5py.string_dtype("utf-8", max([1, *map(len, content)]))
    return np.array(content[0] if isinstance(value, str) else content, dtype=kind)


def put_text(group: Any, name: str, value: str | Sequence[str]) -> None:
    """Write a text, or a list of texts, as an attribute."""
    group.attrs.create(name, _fixed(value))


def put_text_table(group: Any, name: str, value: str) -> None:
    """Write a text as a separate table."""
    group.create_dataset(name, data=_fixed(value))


# --- reading ---


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Any error while a file is read becomes a `FileError`.

    Errors of femu stay as they are.
    """
    try:
        yield
    except FemuError:
        raise
    except BROKEN as problem:
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise FileError(path, f"cannot be read as {what}: {reason}") from problem


@contextlib.contextmanager
def opened(
    path: str | os.PathLike[str], what: str, padded: bool = False, sealed: bool = True
) -> Iterator[Any]:
    """An HDF5 file to be read, also while another process writes it; ``what`` it must be, for the
    error if it is not.

    ``padded`` reads zeros for what a power cut removed at its end: the reader must then check
    each row. A ``sealed`` file is read only if its seal matches.
    """
    must_be_ordinary(path)
    with contextlib.ExitStack() as both, reading(path, what):
        if sealed:
            must_be_whole(path)
        source: Any = os.fspath(path)
        if is_marked(path) or (padded and is_short(path)):
            source = both.enter_context(contextlib.closing(Unmarked(path, padded)))
        options = {} if isinstance(source, io.RawIOBase) else {"locking": False}
        with h5py.File(source, "r", **options) as file:
            yield file


def text(group: Any, name: str, path: str | os.PathLike[str], default: Any = NEEDED) -> Any:
    """An attribute that must be a text."""
    value = _attribute(group, name, path, default)
    if value is default:
        return default
    if isinstance(value, bytes):
        value = _decoded(value, name, path)
    if not isinstance(value, str):
        raise FileError(path, f"has {name} = {_short(value)}, which must be a text")
    return value


def attributes(group: Any, path: str | os.PathLike[str]) -> dict[str, Any]:
    """All attributes by name: texts, and numbers as h5py gives them."""
    found = {name: _attribute(group, name, path, NEEDED) for name in group.attrs}
    return {
        name: _decoded(value, name, path) if isinstance(value, bytes) else value
        for name, value in found.items()
    }


def texts(group: Any, name: str, path: str | os.PathLike[str]) -> list[str]:
    """An attribute that must be a list of texts."""
    value = _attribute(group, name, path, NEEDED)
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "S":
        return [_decoded(v, name, path) for v in value.tolist()]
    if isinstance(value, np.ndarray) and value.size == 0:
        return []  # a list without texts has no kind in files of earlier versions
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise FileError(path, f"has {name} = {_short(value)}, which must be a list of texts")
    return value


def number(group: Any, name: str, path: str | os.PathLike[str], least: int = 0) -> int:
    """An attribute that must be a whole number."""
    value = _attribute(group, name, path, NEEDED)
    if not isinstance(value, np.integer) or value < least:
        raise FileError(
            path, f"has {name} = {_short(value)}, which must be a whole number, {least} or more"
        )
    return int(value)


def numbers(
    group: Any, name: str, path: str | os.PathLike[str], dimensions: int, default: Any = NEEDED
) -> Any:
    """An attribute that must be a table of numbers with ``dimensions`` dimensions."""
    value = _attribute(group, name, path, default)
    if value is default:
        return default
    if (
        not isinstance(value, np.ndarray)
        or value.dtype.kind not in "fiu"
        or value.ndim != dimensions
    ):
        raise FileError(path, f"has {name} = {_short(value)}, which must be a table of numbers")
    return value


def text_table(group: Any, name: str, path: str | os.PathLike[str]) -> str:
    """A table that must be one text."""
    data = item(group, name, path)
    if not isinstance(data, h5py.Dataset) or data.shape != ():
        raise FileError(path, f"holds something other than a text as {name}")
    if _of_any_length(data.id.get_type()):
        value = older_text(path, data.name)
    else:
        value = _sound(data, path, 0)[()]
    if isinstance(value, bytes):
        value = _decoded(value, name, path)
    if not isinstance(value, str):
        raise FileError(path, f"has {name} = {_short(value)}, which must be a text")
    return value


def table(
    group: Any,
    name: str,
    path: str | os.PathLike[str],
    dimensions: int | None = None,
    kinds: str = "fiub",
    spare: int = 0,
) -> Any:
    """A data set that must hold numbers (or, with ``kinds`` "S", texts of a fixed length), to be
    read in whole or in part.

    ``spare`` rows may be in it that the file does not hold yet; of those that are read, `must_hold`
    says whether it does.
    """
    data = item(group, name, path)
    if not isinstance(data, h5py.Dataset):
        raise FileError(path, f"holds something other than a table as {name}")
    if (
        data.dtype.kind not in kinds
        or data.dtype.hasobject
        or (dimensions is not None and data.ndim != dimensions)
    ):
        raise FileError(
            path,
            f"has a table {name} of the kind {data.dtype} and the form {data.shape}, which femu "
            "does not write",
        )
    return _sound(data, path, spare)


def item(group: Any, name: str, path: str | os.PathLike[str]) -> Any:
    """A group or table of this file: links to other places and other files are not followed."""
    found = group
    for part in name.split("/"):
        if not isinstance(found, h5py.Group) or part not in found:
            raise FileError(path, f"has no {name}")
        if not isinstance(found.get(part, getlink=True), h5py.HardLink):
            raise FileError(path, f"has a link as {name}, which femu does not follow")
        found = found[part]
    return found


def _sound(data: Any, path: str | os.PathLike[str], spare: int) -> Any:
    """A table whose content is in this file, and not packed: a damaged length or a small file that
    unpacks to a huge table must not fill the memory."""
    if data.external is not None or data.is_virtual:
        raise FileError(
            path, f"keeps the table {data.name} in another file, which femu does not follow"
        )
    if data.id.get_create_plist().get_nfilters():
        raise FileError(
            path,
            f"has a table {data.name} that is compressed or filtered, which femu does not write. "
            "Unpack it with h5repack -f NONE",
        )
    if spare:
        must_hold(data, path, max(0, len(data) - spare), data.dtype.itemsize)
    else:
        must_hold(data, path, data.size, data.dtype.itemsize)
    return data


def must_hold(data: Any, path: str | os.PathLike[str], count: int, size: int) -> None:
    """Refuse a table with more content (a number of things of a size in bytes) than its file can
    hold."""
    if count * size > os.path.getsize(path):
        raise FileError(
            path, f"has a table {data.name} of the form {data.shape}, more than the file can hold"
        )


def _attribute(group: Any, name: str, path: str | os.PathLike[str], default: Any) -> Any:
    """An attribute as h5py gives it, once it is known to be of a kind that can be read."""
    if name not in group.attrs:
        if default is NEEDED:
            raise FileError(path, f"does not say what its {name} is")
        return default
    kind = group.attrs.get_id(name).get_type()
    if _of_any_length(kind):
        return older_text(path, f"{group.name}@{name}")
    if kind.get_class() not in (h5py.h5t.STRING, h5py.h5t.INTEGER, h5py.h5t.FLOAT):
        raise FileError(path, f"has {name} of a kind that femu does not write")
    return group.attrs[name]


def _of_any_length(kind: Any) -> bool:
    return bool(kind.get_class() == h5py.h5t.STRING and kind.is_variable_str())


def _decoded(value: bytes, name: str, path: str | os.PathLike[str]) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise FileError(path, f"has {name} = {_short(value)}, which is not UTF-8") from None


def _short(value: Any) -> str:
    shown = " ".join(repr(value).split())
    return shown if len(shown) < 80 else f"{shown[:76]} ..."
