"""The system that a filter watches: a process and a measurement function.

    x_k = f(x_{k-1}, u_k) + v_k,   v ~ N(0, Q)
    y_k = h(x_k, u_k) + w_k,       w ~ N(0, R)

``u_k`` is the row of known inputs of step k: everything the process needs to come from k-1 to k,
and everything the measurement function needs at k (for a hysteretic spring: velocity over the step,
displacement at its end, dt).

A function is given in one of five forms, and every filter takes every form:

- a plain Python function ``f(x, u) -> array``;
- a plain Python function of all points at once, ``f(points, u) -> array`` with one row a point,
  marked by `batched`;
- an ``@njit`` function ``f(x, u) -> tuple`` of tuples of floats, like the laws of femu's materials:
  the fastest form, because a loop over points can run in SIMD lanes;
- an ``@njit`` function ``f(x, u, out)`` of arrays that writes its result to ``out``;
- a `Kernel` of signature `MODEL`, for programs that bring their own compiled code.

The compiled forms allocate nothing. Inside, all five are the address of one C function over a block
of points. A Python function is called back from the compiled filter; an exception it raises comes
out of ``predict`` or ``update`` unchanged.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from femu.kernels import FLOATS, INT, INTS, Kernel, load, store
from femu.support.arguments import as_numbers, typed
from femu.support.errors import AnalysisError, InputError

MODEL = INT(
    INT,  # count: number of points
    FLOATS,  # points: count rows of n states
    FLOATS,  # u: inputs of this step
    FLOATS,  # out: count rows of results
)
"""Signature of a process or measurement function over a block of points.

0, or above 0 if it failed. It may have one argument more: a pointer to the ``data`` of the
`StateSpace`.
"""
_CALLED = INT(*MODEL.args, INTS)


def _pointer(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    """A pointer to integers from a pointer or an address."""
    target = context.get_value_type(INTS)
    return (builder.bitcast if isinstance(kind, types.CPointer) else builder.inttoptr)(value, target)


@intrinsic
def call_model(typingctx, address, arguments):
    """Call the `MODEL` at an integer address with (count, points, u, out, data).

    By the C convention: it may be a function of Python (ctypes), and one that has no argument for
    the data does not see it.
    """
    def codegen(context, builder, signature, args):
        values = [builder.extract_value(args[1], i) for i in range(len(_CALLED.args))]
        values = [context.cast(builder, value, have, want)
                  for value, have, want in zip(values, signature.args[1], MODEL.args, strict=False)
                  ] + [_pointer(context, builder, values[-1], signature.args[1][-1])]
        native = ir.FunctionType(ir.IntType(64), [context.get_value_type(kind)
                                                  for kind in _CALLED.args])
        return builder.call(builder.inttoptr(args[0], native.as_pointer()), values)

    return INT(types.int64, arguments), codegen


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p,
                             ctypes.c_void_p, ctypes.c_void_p)


MOST_NUMBERS = 10**5
"""States, outputs or inputs of a model."""


@typed
def batched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a Python function that takes all points at once.

    One row a point in, one row a point out.
    """
    try:
        function.femu_batched = True  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        raise InputError("batched", "function", function, "must be a function of Python") from None
    return function


class _Evaluator:
    """One function of a model as the address of a `MODEL`."""

    def __init__(self, function: Any, role: str, states: int, inputs: int, results: int) -> None:
        self.role, self.states, self.inputs, self.results = role, states, inputs, results
        self.function = function
        self.failure: BaseException | None = None
        self._keep: Any = None
        if isinstance(function, Kernel):
            self.compiled = True
            self._kernel = function
        elif isinstance(function, Dispatcher):
            self.compiled = True
            source = function.py_func
            arguments = source.__code__.co_argcount
            if arguments not in (2, 3):
                raise InputError("StateSpace", role, source.__qualname__, f"takes {arguments} "
                                                                          "arguments",
                                 fix="write f(x, u) -> tuple or f(x, u, out)")
            make = _pure_block if arguments == 2 else _block
            self._kernel = Kernel(make(function, states, inputs, results), MODEL,
                                  f"{source.__module__}.{source.__qualname__}")
        elif callable(function):
            self.compiled = False
            self._keep = _CALLBACK(self._call_back)
        else:
            raise InputError("StateSpace", role, function, "must be a function", fix="give f(x, u)")

    @property
    def address(self) -> int:
        if self.compiled:
            return self._kernel.c_address
        return int(ctypes.cast(self._keep, ctypes.c_void_p).value or 0)

    def _call_back(self, count: int, points: int, inputs: int, out: int, data: int) -> int:
        try:
            x = np.empty((count, self.states))
            u = np.empty(self.inputs)
            ctypes.memmove(x.ctypes.data, points, x.nbytes)
            if self.inputs:
                ctypes.memmove(u.ctypes.data, inputs, u.nbytes)
            if getattr(self.function, "femu_batched", False):
                y = np.ascontiguousarray(self.function(x, u), dtype=float).reshape(-1)
            else:
                y = np.concatenate([np.asarray(self.function(row, u), dtype=float).reshape(-1)
                                    for row in x])
            if y.size != count * self.results:
                raise InputError("StateSpace", self.role, y.size // count,
                                 f"must return {self.results} numbers a point",
                                 fix="check states and outputs of the model against its functions")
            ctypes.memmove(out, y.ctypes.data, y.nbytes)
        # C code cannot pass it on: kept here, raised again by `raise_failure`
        except BaseException as failure:
            self.failure = failure
            return 1
        return 0

    def raise_failure(self) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure


def _block(point: Any, states: int, inputs: int, results: int) -> Callable[..., int]:
    def block(count, points, u, out):
        x = numba.carray(points, (count, states))
        y = numba.carray(out, (count, results))
        given = numba.carray(u, inputs)
        for i in range(count):
            point(x[i], given, y[i])
        return 0
    return block


def _pure_block(point: Any, states: int, inputs: int, results: int) -> Callable[..., int]:
    def block(count, points, u, out):
        given = load(u, 0, 1, inputs)
        for i in range(count):
            result = point(load(points, i * states, 1, states), given)
            store(out, i * results, 1, result)
        return 0

    def constant_block(count, points, u, out):
        for i in range(count):
            result = point(load(points, i * states, 1, states), ())
            store(out, i * results, 1, result)
        return 0

    return block if inputs else constant_block


@dataclass(frozen=True)
class StateSpace:
    """Process and measurement function, with their sizes and, if wanted, names and Jacobians.

    ``process_jacobian`` (n × n) and ``measurement_jacobian`` (m × n) take the same forms as the
    functions and return their matrices row by row; without them the extended filters difference the
    functions. ``data`` is an array of integers to which kernels are given
    a pointer.
    """

    process: Any
    measurement: Any
    states: int
    outputs: int
    inputs: int = 0
    process_jacobian: Any = None
    measurement_jacobian: Any = None
    names: tuple[str, ...] = ()
    data: np.ndarray | None = field(default=None, repr=False, compare=False)
    _f: _Evaluator = field(init=False, repr=False)
    _h: _Evaluator = field(init=False, repr=False)
    _fx: _Evaluator | None = field(init=False, repr=False, default=None)
    _hx: _Evaluator | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        for name, least in (("states", 1), ("outputs", 1), ("inputs", 0)):
            if not least <= getattr(self, name) <= MOST_NUMBERS:
                raise InputError("StateSpace", name, getattr(self, name), "must lie between "
                                                                          f"{least} and "
                                                                          f"{MOST_NUMBERS}")
        data: Any = self.data
        if data is not None and not (isinstance(data, np.ndarray) and data.flags.c_contiguous
                                     and data.dtype in (np.float64, np.int64)
                                     and np.isfinite(data).all()):
            raise InputError("StateSpace", "data", data,
                             "must be a contiguous array of finite floats or of integers")
        names = self.names or tuple(f"x{i + 1}" for i in range(self.states))
        if len(names) != self.states:
            raise InputError("StateSpace", "names", names, "must have one name for each of the "
                                                           f"{self.states} states")
        n, m, inputs = self.states, self.outputs, self.inputs
        put = object.__setattr__
        put(self, "names", tuple(names))
        put(self, "_f", _Evaluator(self.process, "process", n, inputs, n))
        put(self, "_h", _Evaluator(self.measurement, "measurement", n, inputs, m))
        if self.process_jacobian is not None:
            put(self, "_fx", _Evaluator(self.process_jacobian, "process_jacobian", n, inputs,
                                        n * n))
        if self.measurement_jacobian is not None:
            put(self, "_hx", _Evaluator(self.measurement_jacobian, "measurement_jacobian", n,
                                        inputs, m * n))

    @property
    def compiled(self) -> bool:
        """True if both functions are compiled, so that a step allocates nothing."""
        return self._f.compiled and self._h.compiled

    @property
    def evaluators(self) -> tuple[_Evaluator, ...]:
        return tuple(e for e in (self._f, self._h, self._fx, self._hx) if e is not None)

    def addresses(self) -> list[int]:
        """Addresses of process, measurement and their Jacobians (0 if not given)."""
        return [e.address if e is not None else 0 for e in (self._f, self._h, self._fx, self._hx)]

    @property
    def data_address(self) -> int:
        """Where the data begin, 0 without any."""
        return 0 if self.data is None else int(self.data.__array_interface__["data"][0])

    def evaluate(self, which: str, points: Any, u: Any = ()) -> np.ndarray:
        """Process or measurement function of each row of ``points``, through the compiled form that
        filters use."""
        if not isinstance(which, str) or which not in ("process", "measurement"):
            raise InputError("StateSpace.evaluate", "which", which, 'must be "process" or '
                                                                    '"measurement"')
        evaluator = self._f if which == "process" else self._h
        x = np.atleast_2d(np.ascontiguousarray(as_numbers("StateSpace.evaluate", "points", points)))
        given = np.ascontiguousarray(as_numbers("StateSpace.evaluate", "u", u)).reshape(-1)
        # compiled code reads this many, whatever there is
        if x.ndim != 2 or x.shape[1] != self.states or np.isnan(x).any():
            raise InputError("StateSpace.evaluate", "points", points, "must be rows of "
                                                                      f"{self.states} numbers")
        if len(given) < self.inputs or np.isnan(given).any():
            raise InputError("StateSpace.evaluate", "u", u, f"must be {self.inputs} numbers")
        out = np.empty((len(x), evaluator.results))
        call = ctypes.cast(evaluator.address, _CALLBACK)
        status = call(len(x), x.ctypes.data, given.ctypes.data, out.ctypes.data, self.data_address)
        if status:
            evaluator.raise_failure()
            raise AnalysisError(f"StateSpace.evaluate: the {which} function failed with status "
                                f"{status}.")
        return out
