"""Four numbers at once.

A vector type for kernels whose loops the compiler would not vectorise by itself.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from femu.kernels import FLOAT, FLOATS, INT, inlined

FUSED = ("contract",)  # product and sum may become one instruction


class _Vector(types.Type):
    def __init__(self) -> None:
        super().__init__("vector of four")


VECTOR, _native, _lane = _Vector(), ir.VectorType(ir.DoubleType(), 4), ir.IntType(32)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _native)


def _instruction(result: Any, *arguments: Any) -> Any:
    """Decorator: a function that writes machine instructions becomes one for kernels, with the
    given types."""
    def made(write):
        signature = result(*arguments)

        def codegen(context, builder, signature, args):
            value = write(builder, *args)
            return context.get_dummy_value() if result is types.none else value

        typed = (lambda typingctx, a: (signature, codegen), lambda typingctx, a,
                 b: (signature, codegen),
                 lambda typingctx, a, b, c: (signature, codegen),
                 lambda typingctx, a, b, c, d: (signature, codegen))[len(arguments) - 1]
        typed.__name__ = write.__name__
        return intrinsic(typed)
    return made


@_instruction(VECTOR, FLOATS, INT)
def take(builder, pointer, start):
    """Four entries from ``start`` on."""
    return builder.load(builder.bitcast(builder.gep(pointer, [start]), _native.as_pointer()),
                        align=8)


@_instruction(types.none, FLOATS, INT, VECTOR)
def put(builder, pointer, start, values):
    """Write four entries from ``start`` on."""
    builder.store(values, builder.bitcast(builder.gep(pointer, [start]), _native.as_pointer()),
                  align=8)


@_instruction(VECTOR, FLOAT, FLOAT, FLOAT, FLOAT)
def pack(builder, *values):
    """Vector of four numbers."""
    packed = ir.Constant(_native, ir.Undefined)
    for lane, value in enumerate(values):
        packed = builder.insert_element(packed, value, ir.Constant(_lane, lane))
    return packed


@_instruction(FLOAT, VECTOR, INT)
def pick(builder, values, lane):
    """One number of a vector."""
    return builder.extract_element(values, lane)


times = _instruction(VECTOR, VECTOR, VECTOR)(lambda to, a, b: to.fmul(a, b))
over = _instruction(VECTOR, VECTOR, VECTOR)(lambda to, a, b: to.fdiv(a, b))
plus = _instruction(VECTOR, VECTOR, VECTOR, VECTOR)(  # a + b c
    lambda to, a, b, c: to.fadd(a, to.fmul(b, c, flags=FUSED), flags=FUSED))
minus = _instruction(VECTOR, VECTOR, VECTOR, VECTOR)(  # a - b c
    lambda to, a, b, c: to.fsub(a, to.fmul(b, c, flags=FUSED), flags=FUSED))


@_instruction(types.UniTuple(VECTOR, 4), types.UniTuple(VECTOR, 4))
def transposed(builder, rows):
    """Columns of the matrix of four rows."""
    def mixed(a, b, *lanes):
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_lane, 4), lanes))

    a, b, c, d = (builder.extract_value(rows, k) for k in range(4))
    even, odd = [(mixed(a, b, k, 4 + k, 2 + k, 6 + k), mixed(c, d, k, 4 + k, 2 + k, 6 + k))
                 for k in (0, 1)]
    return cgutils.pack_array(builder, [mixed(*even, 0, 1, 4, 5), mixed(*odd, 0, 1, 4, 5),
                                        mixed(*even, 2, 3, 6, 7), mixed(*odd, 2, 3, 6, 7)])


@inlined
def spread(value):
    return pack(value, value, value, value)


@inlined
def columns(pointer, start, step):
    """Four rows of four columns that are ``step`` apart."""
    return (take(pointer, start), take(pointer, start + step), take(pointer, start + 2 * step),
            take(pointer, start + 3 * step))


@inlined
def plus_each(a, b, c):
    """a_k + b_k c for k = 0..3."""
    return plus(a[0], b[0], c), plus(a[1], b[1], c), plus(a[2], b[2], c), plus(a[3], b[3], c)


@inlined
def minus_each(a, b, c):
    """a_k - b_k c for k = 0..3."""
    return minus(a[0], b[0], c), minus(a[1], b[1], c), minus(a[2], b[2], c), minus(a[3], b[3], c)


@inlined
def plus_sum(a, b, c):
    """a + sum of b_k c_k."""
    return plus(plus(plus(plus(a, b[0], c[0]), b[1], c[1]), b[2], c[2]), b[3], c[3])


@inlined
def read(x, i, n):
    """Entries i..i+3 of a vector of n; zero beyond its end."""
    if i + 4 <= n:
        return take(x, i)
    return pack(x[i] if i < n else 0.0, x[i + 1] if i + 1 < n else 0.0,
                x[i + 2] if i + 2 < n else 0.0, 0.0)


@inlined
def write(x, i, n, v):
    """Write entries i..i+3 of a vector of n; those beyond its end are dropped."""
    if i + 4 <= n:
        put(x, i, v)
    else:
        x[i] = pick(v, 0)
        if i + 1 < n:
            x[i + 1] = pick(v, 1)
        if i + 2 < n:
            x[i + 2] = pick(v, 2)
