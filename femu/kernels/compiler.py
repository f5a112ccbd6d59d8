"""Compiled kernels: raw pointers and calls by address; `femu.kernels.kernel_cache` keeps them.

A kernel is a C function made by numba. Components hold the *addresses* of the kernels they use, so
a new material or element never forces another one to be compiled again. Inside a kernel, vectors
are pointers (``CPointer``): the same chain on numba arrays is 1.3 to 1.8 times slower.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.ccallback import CFunc, _CFuncCompiler
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from femu.kernels.kernel_cache import KernelCache
from femu.kernels.refusal import check_returns, refusal

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
def load_but(typingctx, pointer, count, zeros):
    """Tuple of the first ``count`` entries, with the constant 0 for each bit that is set in
    ``zeros``; both are constants."""
    if not isinstance(count, types.IntegerLiteral) or not isinstance(zeros, types.IntegerLiteral):
        return None
    number, without = count.literal_value, zeros.literal_value
    result = types.UniTuple(types.float64, number)

    def codegen(context, builder, signature, args):
        values = [ir.Constant(ir.DoubleType(), 0.0) if without >> k & 1 else
                  builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), k)]))
                  for k in range(number)]
        return context.make_tuple(builder, result, values)

    return result(FLOATS, count, zeros), codegen


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
    """A function that calls the kernel of this signature at an integer address.

    The kernel returns an integer.
    """

    @intrinsic
    def call(typingctx, address, arguments):
        def codegen(context, builder, sig, args):
            packed = args[1]
            values = [
                context.cast(builder, builder.extract_value(packed, i), have, want)
                for i, (have, want) in enumerate(zip(sig.args[1], signature.args, strict=True))
            ]
            # numba's own convention: (result, exception, arguments ...) -> status. Its C wrapper
            # would push all arguments once more. A kernel that raises gives 1: no answer.
            kind = context.get_value_type(signature.return_type)
            result = cgutils.alloca_once(builder, kind)
            exception = cgutils.alloca_once(builder, cgutils.voidptr_t)
            native = ir.FunctionType(ir.IntType(32), [
                kind.as_pointer(), exception.type, *(context.get_value_type(a)
                                                     for a in signature.args)])
            status = builder.call(builder.inttoptr(args[0], native.as_pointer()),
                                  [result, exception, *values])
            answered = builder.icmp_signed("==", status, ir.Constant(status.type, 0))
            return builder.select(answered, builder.load(result), ir.Constant(kind, 1))

        return signature.return_type(types.int64, arguments), codegen

    return call


# --- making kernels -----------------------------------------------------------------------------

class _CheckedCompiler(_CFuncCompiler):
    def _compile_core(self, args: Any, return_type: Any) -> Any:
        made = super()._compile_core(args, return_type)
        check_returns(made)
        return made


class _KernelCompiler(_CheckedCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags = super()._customize_flags(flags)
        flags.noalias = True  # no vector written by a kernel overlaps another: lets loops vectorise
        return flags


class Kernel:
    """A C function of fixed signature, compiled (or read from the cache) when its address is asked
    for."""

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
        made = CFunc(self.function, (self.signature.args, self.signature.return_type), {},
                     self._options)
        made._compiler = (_KernelCompiler if self._noalias else _CheckedCompiler)(
            self.function, made._targetdescr, self._options, {}, pipeline_class=Compiler)
        made._cache = KernelCache(self.function, self.name,
                                  {**self._options, "noalias": self._noalias})
        with global_compiler_lock:
            try:
                made.compile()
            except Exception as problem:  # numba's errors have no common base
                raise self._refusal(problem) from problem
            # looked up at once: of two kernels that processes have compiled under one name, which
            # the functions that make kernels give them, the one that was loaded last is found
            name = made._wrapper_name.removeprefix("cfunc.")
            self._address = int(made._library.get_pointer_to_function(name))
        return made

    def _refusal(self, problem: Exception) -> Exception:
        return refusal(self.name, problem)

    @cached_property
    def address(self) -> int:
        """Address of the compiled function in numba's own calling convention, for functions made by
        `caller`."""
        _ = self._compiled
        return self._address

    @property
    def c_address(self) -> int:
        """Address of the same function in C's calling convention."""
        return int(self._compiled.address)

    @cached_property
    def ctypes(self) -> Any:
        """The kernel as a function that Python can call.

        The interpreter's lock is released meanwhile.
        """
        return self._compiled.ctypes

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def kernel(signature: Any, noalias: bool = True,
           fastmath: set[str] | None = None) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator: a C function, called by address.

    ``noalias`` promises that its vectors are disjoint.
    """
    return lambda function: Kernel(function, signature, noalias=noalias, fastmath=fastmath)


class Helper(CPUDispatcher):
    """A function for use inside kernels alone.

    It has none of the wrappers that Python and C would call compiled code by: each kernel would
    optimise those of all its helpers once more, up to a third of its compile time. Called from
    Python it runs as Python.
    """

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # not where Python's calls look

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        return self.py_func  # which is what Python's calls then run


def for_kernels(function: Callable[..., Any], **options: Any) -> Helper:
    """A function for use inside kernels, compiled with options of its own besides those of all."""
    without = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return Helper(function, targetoptions={"nopython": True, **without, **OPTIONS, **options})


def inlined(function: Callable[..., Any]) -> Helper:
    """Decorator: a function for use inside kernels, always inlined."""
    return for_kernels(function, forceinline=True)


def summed(function: Callable[..., Any]) -> Helper:
    """Decorator: as `inlined`, with sums in an order that suits the processor (always the same
    one)."""
    return for_kernels(function, forceinline=True, fastmath={"contract", "reassoc"})


def routine(function: Callable[..., Any]) -> Helper:
    """Decorator: a function for use inside kernels, called or inlined as the compiler sees fit."""
    return for_kernels(function)


unfused = partial(for_kernels, fastmath=False)
"""Decorator: a function for use inside kernels whose products and sums are rounded apart."""
unfused_inlined = partial(unfused, forceinline=True)
"""Decorator: as `unfused`, always inlined."""


def compiled(function: Callable[..., Any]) -> Dispatcher:
    """Decorator: a compiled function that Python calls with arrays; kept in the cache."""
    dispatcher = numba.njit(no_cfunc_wrapper=True, **OPTIONS)(function)
    dispatcher._cache = KernelCache(function, f"{function.__module__}.{function.__qualname__}",
                                    OPTIONS)
    return dispatcher
