"""The disk cache of compiled kernels, which cannot serve stale code.

numba's own disk cache looks at the file of the cached function alone; a constant edited in another
file goes unnoticed. The cache here takes its key from everything the function reaches: the source
file of each compiled function it calls, directly or not, and the value of each constant it reads.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
import types as pytypes
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.typing.templates import Signature

from femu.kernels.interrupts import hear_dropped_interrupts


def cache_folder() -> Path:
    """Where compiled code is kept: ``FEMU_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("FEMU_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "femu"


def _is_ours(folder: Path) -> bool:
    """Whether only this user, or root, can have put anything into a folder.

    What is read from it is run.
    """
    if not hasattr(os, "geteuid"):
        return True  # on Windows the folder lies in the user's own profile
    found = os.stat(folder)
    if found.st_uid in (0, os.geteuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return True
    _tell_of_others(folder)
    return False


@cache
def _tell_of_others(folder: Path) -> None:
    print(f"femu: others can write to {folder}, so compiled code is neither read from there nor "
          "kept there. Take that right from them (chmod go-w), or choose another folder with "
          "FEMU_CACHE_DIR.",
          file=sys.stderr, flush=True)


_LIBRARIES = ("numpy", "math", "numba", "builtins")  # their versions are part of the key


@cache
def _file_digest(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


def _names_in(code: pytypes.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            yield from _names_in(constant)


def fingerprint(function: Callable[..., Any]) -> str:
    """Digest of everything a compiled function depends on; see the module's docstring."""
    digest = hashlib.sha256()
    seen: set[int] = set()

    def visit(value: Any) -> None:
        inner = getattr(value, "py_func", None) or getattr(value, "_defn", None)
        if inner is None and isinstance(value, pytypes.FunctionType):
            inner = value
        if inner is not None:
            if (inner.__module__ or "").split(".")[0] not in _LIBRARIES and id(inner) not in seen:
                seen.add(id(inner))
                visit_function(inner)
        elif isinstance(value, pytypes.ModuleType):
            file = getattr(value, "__file__", None)
            if file and value.__name__.split(".")[0] not in _LIBRARIES:
                digest.update(_file_digest(file))
        elif isinstance(value, np.ndarray):
            digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
        elif isinstance(value, (types.Type, Signature, bool, int, float, str, bytes, frozenset,
                                np.generic)):
            digest.update(repr(value).encode())
        elif isinstance(value, type) and hasattr(value, "_fields"):  # a named tuple
            digest.update(repr((value.__name__, value._fields)).encode())
        elif isinstance(value, tuple):
            digest.update(b"tuple")
            for item in value:
                visit(item)

    def visit_function(inner: Any) -> None:
        code = inner.__code__
        digest.update(code.co_code)
        digest.update(repr([c for c in code.co_consts
                            if not isinstance(c, pytypes.CodeType)]).encode())
        if os.path.exists(code.co_filename):
            digest.update(_file_digest(code.co_filename))
        visit(inner.__defaults__)
        for name, value in sorted((inner.__kwdefaults__ or {}).items()):
            digest.update(name.encode())
            visit(value)
        for cell in inner.__closure__ or ():
            with contextlib.suppress(ValueError):
                visit(cell.cell_contents)
        names = list(_names_in(code))
        for name in names:
            if name in inner.__globals__:
                found = inner.__globals__[name]
                digest.update(name.encode())
                visit(found)
                if isinstance(found,
                              pytypes.ModuleType) and found.__name__.split(".")[0] not in _LIBRARIES:
                    for attribute in names:
                        if hasattr(found, attribute):
                            digest.update(attribute.encode())
                            visit(getattr(found, attribute))

    visit(function)
    return digest.hexdigest()


_DIGEST = 32  # bytes of a sha256, in front of the payload of a cache file


class KernelCache(_Cache):
    """Compiled code of one function on disk, one file a signature, under a key that says it all."""

    def __init__(self, function: Callable[..., Any], name: str, options: dict[str, Any]) -> None:
        self._function = function
        self._options = repr(sorted((k, sorted(v) if isinstance(v, set) else v) for k,
                                    v in options.items()))
        self._name = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self._function)

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def _file(self, sig: Any, context: Any) -> Path:
        machine = context.codegen().magic_tuple()
        key = repr((self._fingerprint, self._options, str(sig), machine, numba.__version__,
                    llvmlite.__version__,
                    np.__version__, sys.version_info[:2]))
        return cache_folder() / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        try:
            file = self._file(sig, target_context)
            if _is_ours(file.parent):
                content = file.read_bytes()
                digest, payload = content[:_DIGEST], content[_DIGEST:]
                if hashlib.sha256(payload).digest() == digest:
                    return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:
            pass
        _announce.begin(self._name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        _announce.end()
        file = self._file(sig, data.target_context)
        payload = pickle.dumps(data._reduce(), protocol=pickle.HIGHEST_PROTOCOL)
        with contextlib.suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(file.parent):
                return
            handle, temporary = tempfile.mkstemp(dir=file.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, file)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


class _Announcement:
    """Says that code is being compiled, so that nobody waits without a word."""

    def __init__(self) -> None:
        self.hook: Callable[[str], None] | None = None
        self.seconds = 0.0
        self.count = 0
        self._started = 0.0

    def begin(self, name: str) -> None:
        if self.count == 0 and self.hook is None and not os.environ.get("FEMU_QUIET"):
            print("femu: compiling what has not run on this machine before; it is kept for later "
                  "runs ...",
                  file=sys.stderr, flush=True)
        if self.hook is not None:
            self.hook(name)
        self.count += 1
        self._started = time.perf_counter()

    def end(self) -> None:
        self.seconds += time.perf_counter() - self._started


_announce = _Announcement()
hear_dropped_interrupts()


def on_compile(hook: Callable[[str], None] | None) -> None:
    """Call ``hook(name)`` before each kernel that has to be compiled, instead of printing a line.
    """
    _announce.hook = hook


def compile_statistics() -> tuple[int, float]:
    """Number of kernels compiled in this process, and the seconds that took."""
    return _announce.count, _announce.seconds
