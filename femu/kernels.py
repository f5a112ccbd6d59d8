"""Compiled kernels: raw pointers, calls by address, and a cache that cannot serve stale code.

A kernel is a C function made by numba. Components hold the *addresses* of the kernels they use, so a new
material or element never forces another one to be compiled again. Inside a kernel, vectors are pointers
(``CPointer``): the same chain on numba arrays is 1.3 to 1.8 times slower.

numba's own disk cache looks at the file of the cached function alone; a constant edited in another file
goes unnoticed. The cache here takes its key from everything the function reaches: the source file of each
compiled function it calls, directly or not, and the value of each constant it reads.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
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
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.caching import _Cache
from numba.core.ccallback import CFunc, _CFuncCompiler
from numba.core.compiler import Compiler, CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

FLOATS = types.CPointer(types.float64)
INTS = types.CPointer(types.int64)
INT = types.int64
FLOAT = types.float64

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "fastmath": {"contract"}}


# --- pointers -----------------------------------------------------------------------------------

def _pointer_intrinsic(element: Any) -> Any:
    pointer = types.CPointer(element)

    @intrinsic
    def of_array(typingctx, array, offset):
        if not isinstance(array, types.Array) or array.dtype != element:
            return None

        def codegen(context, builder, signature, args):
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            return builder.gep(data, [args[1]])

        return pointer(array, types.int64), codegen

    return of_array


floats_of = _pointer_intrinsic(types.float64)
ints_of = _pointer_intrinsic(types.int64)


@intrinsic
def shift(typingctx, pointer, offset):
    """Pointer moved by a number of entries."""
    def codegen(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def floats_at(typingctx, address):
    """Pointer to floats from an integer address."""
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(FLOATS))

    return FLOATS(types.int64), codegen


@intrinsic
def ints_at(typingctx, address):
    """Pointer to integers from an integer address."""
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(INTS))

    return INTS(types.int64), codegen


@intrinsic
def address_of(typingctx, pointer):
    """Integer address of a pointer."""
    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(pointer), codegen


@intrinsic
def load(typingctx, pointer, start, stride, count):
    """Tuple of ``count`` entries, ``stride`` apart, from ``start`` on; ``count`` is a constant."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    number = count.literal_value
    result = types.UniTuple(types.float64, number)

    def codegen(context, builder, signature, args):
        pointer, start, stride, _ = args
        values = []
        for _ in range(number):
            values.append(builder.load(builder.gep(pointer, [start])))
            start = builder.add(start, stride)
        return context.make_tuple(builder, result, values) if values else context.get_dummy_value()

    return result(FLOATS, types.int64, types.int64, count), codegen


@intrinsic
def store(typingctx, pointer, start, stride, values):
    """Write a tuple of numbers to entries ``stride`` apart, from ``start`` on."""
    def codegen(context, builder, signature, args):
        pointer, start, stride, packed = args
        for i, kind in enumerate(signature.args[3]):
            value = context.cast(builder, builder.extract_value(packed, i), kind, types.float64)
            builder.store(value, builder.gep(pointer, [start]))
            start = builder.add(start, stride)
        return context.get_dummy_value()

    return types.none(FLOATS, types.int64, types.int64, values), codegen


def caller(signature: Any) -> Any:
    """A function that calls the kernel of this signature at an integer address; the kernel returns an integer."""

    @intrinsic
    def call(typingctx, address, arguments):
        def codegen(context, builder, sig, args):
            packed = args[1]
            values = [
                context.cast(builder, builder.extract_value(packed, i), have, want)
                for i, (have, want) in enumerate(zip(sig.args[1], signature.args, strict=True))
            ]
            # numba's own convention: (result, exception, arguments ...) -> status. Its C wrapper would push all
            # arguments once more. A kernel that raises gives 1: no answer.
            kind = context.get_value_type(signature.return_type)
            result = cgutils.alloca_once(builder, kind)
            exception = cgutils.alloca_once(builder, cgutils.voidptr_t)
            native = ir.FunctionType(ir.IntType(32), [
                kind.as_pointer(), exception.type, *(context.get_value_type(a) for a in signature.args)])
            status = builder.call(builder.inttoptr(args[0], native.as_pointer()), [result, exception, *values])
            answered = builder.icmp_signed("==", status, ir.Constant(status.type, 0))
            return builder.select(answered, builder.load(result), ir.Constant(kind, 1))

        return signature.return_type(types.int64, arguments), codegen

    return call


# --- the cache ----------------------------------------------------------------------------------

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
        elif isinstance(value, (types.Type, Signature, bool, int, float, str, bytes, frozenset, np.generic)):
            digest.update(repr(value).encode())
        elif isinstance(value, tuple):
            digest.update(b"tuple")
            for item in value:
                visit(item)

    def visit_function(inner: Any) -> None:
        code = inner.__code__
        digest.update(code.co_code)
        digest.update(repr([c for c in code.co_consts if not isinstance(c, pytypes.CodeType)]).encode())
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
                if isinstance(found, pytypes.ModuleType) and found.__name__.split(".")[0] not in _LIBRARIES:
                    for attribute in names:
                        if hasattr(found, attribute):
                            digest.update(attribute.encode())
                            visit(getattr(found, attribute))

    visit(function)
    return digest.hexdigest()


_DIGEST = 32  # bytes of a sha256, in front of the payload of a cache file


class KernelCache(_Cache):
    """Compiled code of one function on disk, one file a signature, under a key that says it all."""

    def __init__(self, function: Callable[..., Any], name: str, options: Any = None) -> None:
        self._function = function
        self._options = repr(sorted((k, sorted(v) if isinstance(v, set) else v) for k, v in (options or OPTIONS).items()))
        self._name = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self._function)

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def _file(self, sig: Any, context: Any) -> Path:
        machine = context.codegen().magic_tuple()
        key = repr((self._fingerprint, self._options, str(sig), machine, numba.__version__, llvmlite.__version__,
                    np.__version__, sys.version_info[:2]))
        return cache_folder() / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        try:
            content = self._file(sig, target_context).read_bytes()
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
            file.parent.mkdir(parents=True, exist_ok=True)
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
            print("femu: compiling for this machine (only this once; about half a minute) ...",
                  file=sys.stderr, flush=True)
        if self.hook is not None:
            self.hook(name)
        self.count += 1
        self._started = time.perf_counter()

    def end(self) -> None:
        self.seconds += time.perf_counter() - self._started


_announce = _Announcement()


def on_compile(hook: Callable[[str], None] | None) -> None:
    """Call ``hook(name)`` before each kernel that has to be compiled, instead of printing a line."""
    _announce.hook = hook


def compile_statistics() -> tuple[int, float]:
    """Number of kernels compiled in this process, and the seconds that took."""
    return _announce.count, _announce.seconds


# --- making kernels -----------------------------------------------------------------------------

class _KernelCompiler(_CFuncCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags = super()._customize_flags(flags)
        flags.noalias = True  # no vector written by a kernel overlaps another: lets loops vectorise
        return flags


class Kernel:
    """A C function of fixed signature, compiled (or read from the cache) when its address is asked for."""

    def __init__(self, function: Callable[..., Any], signature: Any, name: str | None = None,
                 noalias: bool = True, fastmath: set[str] | None = None) -> None:
        self.function = function
        self.py_func = function
        self.signature = signature
        self.name = name or f"{function.__module__}.{function.__qualname__}"
        self._noalias = noalias
        self._options = OPTIONS if fastmath is None else {**OPTIONS, "fastmath": fastmath}

    @cached_property
    def _compiled(self) -> CFunc:
        made = CFunc(self.function, (self.signature.args, self.signature.return_type), {}, self._options)
        if self._noalias:
            made._compiler = _KernelCompiler(
                self.function, made._targetdescr, self._options, {}, pipeline_class=Compiler)
        made._cache = KernelCache(self.function, self.name, {**self._options, "noalias": self._noalias})
        made.compile()
        return made

    @cached_property
    def address(self) -> int:
        """Address of the compiled function in numba's own calling convention, for functions made by `caller`."""
        made = self._compiled
        return int(made._library.get_pointer_to_function(made._wrapper_name.removeprefix("cfunc.")))

    @property
    def c_address(self) -> int:
        """Address of the same function in C's calling convention."""
        return int(self._compiled.address)

    @cached_property
    def ctypes(self) -> Any:
        """The kernel as a function that Python can call; the interpreter's lock is released meanwhile."""
        return self._compiled.ctypes

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def kernel(signature: Any, noalias: bool = True,
           fastmath: set[str] | None = None) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator: a C function, called by address. ``noalias`` promises that its vectors are disjoint."""
    return lambda function: Kernel(function, signature, noalias=noalias, fastmath=fastmath)


def inlined(function: Callable[..., Any]) -> Dispatcher:
    """Decorator: a function for use inside kernels, always inlined."""
    return numba.njit(forceinline=True, **OPTIONS)(function)


def summed(function: Callable[..., Any]) -> Dispatcher:
    """Decorator: as `inlined`, with sums in an order that suits the processor (always the same one)."""
    return numba.njit(forceinline=True, **{**OPTIONS, "fastmath": {"contract", "reassoc"}})(function)


def routine(function: Callable[..., Any]) -> Dispatcher:
    """Decorator: a function for use inside kernels, called or inlined as the compiler sees fit."""
    return numba.njit(**OPTIONS)(function)


def compiled(function: Callable[..., Any]) -> Dispatcher:
    """Decorator: a compiled function that Python calls with arrays; kept in the cache."""
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = KernelCache(function, f"{function.__module__}.{function.__qualname__}")
    return dispatcher
