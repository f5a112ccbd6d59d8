"""Powers, exponentials and logarithms without branches, so that loops over points vectorise.

The functions of the system's library are called one number at a time and keep a loop from running
in the lanes of the processor. Here each is plain arithmetic, the same for every number::

    x = 2**e m,  1/sqrt(2) <= m < sqrt(2):      s = (m - 1) / (m + 1),  z = s**2
    log2 x = e + 2/ln 2 s (1 + z/3 + z**2 L(z)) = e + s A(z)
    2**h = 2**n (1 + f Q(f)),           n = round(h),  f = h - n

L and A are polynomials of degree 7, Q is one of degree 10: Chebyshev interpolants of the functions
they replace, with errors of 1e-18, 3e-18 and 1.3e-17, below the round-off. The logarithm is carried
as a sum of two numbers, with about 64 bits, so that `power` keeps its digits under large exponents.
Integers stay within the bits of floating-point numbers, since AVX2 cannot convert 64-bit ones.

The errors of `power`, `exponential` and `logarithm` are below 2 units in the last place. Zeros,
infinities, NaN and subnormal numbers give what Python's ``math`` gives; if that raises an
exception, the result is NaN or infinity. The power of a negative base is NaN.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba.extending import intrinsic, overload

from femu.kernels.compiler import FLOAT, INT, unfused_inlined

_L = (
    0.2,
    0.14285714285714682,
    0.11111111110827943,
    0.09090909167696401,
    0.07692297481259215,
    0.06667402346923655,
    0.05853118169745603,
    0.05861589311938259,
)
_Q = (
    0.6931471805599453,
    0.24022650695910097,
    0.0555041086648216,
    0.009618129107606888,
    0.0013333558146416936,
    0.0001540353044173605,
    1.525273382983612e-05,
    1.321544258792169e-06,
    1.0178062445845774e-07,
    7.072585949269223e-09,
    4.4549605981865186e-10,
)
# of 2/ln 2 artanh(s) / s over z = s**2
_A = (
    2.8853900817779268,
    0.9617966939259898,
    0.577078016345514,
    0.4121985858422942,
    0.3205985347650481,
    0.26233436060329546,
    0.22091286734180157,
    0.21366122502798326,
)
# constants as the nearest number and what it leaves out
_THIRD, _THIRD_LOW = 0.3333333333333333, 1.850371707708594e-17
_TWO_OVER_LN2, _TWO_OVER_LN2_LOW = 2.8853900817779268, 4.0710547481862066e-17
_LOG2_E, _LOG2_E_LOW = 1.4426950408889634, 2.0355273740931033e-17
_LN2, _LN2_LOW = 0.6931471805599453, 2.3190468138462996e-17

_SMALLEST_NORMAL = 2.2250738585072014e-308
_LIFT, _LIFTED = 18014398509481984.0, 54.0  # 2**54: makes a subnormal number a normal one
_MANTISSA = 52
_EXPONENT_BIAS = 1023
_HALF_ROOT_BITS = 0x3FE6A09E667F3BCD  # of 1/sqrt(2)
_UNIT_BITS = 0x3FF0000000000000  # of 1
_WHOLE_BITS, _WHOLE = 0x4330000000000000, 4503599627370496.0  # 2**52, whose last bit is worth 1
_ROUND = 6755399441055744.0  # 1.5 * 2**52: added and taken away it rounds to whole numbers
_QUICK_RANGE = 1020.0  # binary exponents that `quick_power` can return
_LOG2_OF_NOTHING = 1e9  # times any exponent that laws use beyond that range
_FARTHEST = 1100.0  # binary exponents beyond which nothing is left of a number


# --- machine instructions -----------------------------------------------------------------------


@intrinsic
def fma(typingctx, a, b, c):
    """a b + c, rounded once."""

    def codegen(context, builder, signature, args):
        return builder.fma(*args)

    return FLOAT(FLOAT, FLOAT, FLOAT), codegen


@intrinsic
def bits_of(typingctx, x):
    """The 64 bits of a number as an integer."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return INT(FLOAT), codegen


@intrinsic
def number_of(typingctx, bits):
    """The number whose bits an integer has."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return FLOAT(INT), codegen


@intrinsic
def upper_bits(typingctx, bits):
    """Sign and exponent of the bits of a number."""

    def codegen(context, builder, signature, args):
        return builder.lshr(args[0], ir.Constant(ir.IntType(64), _MANTISSA))

    return INT(INT), codegen


# --- the parts ----------------------------------------------------------------------------------


@unfused_inlined
def _split(x):
    """m and e of a normal number x = 2**e m, 1/sqrt(2) <= m < sqrt(2)."""
    bits = bits_of(x)
    shifted = upper_bits(bits - (_HALF_ROOT_BITS - _UNIT_BITS))  # e with the bias
    e = number_of(shifted | _WHOLE_BITS) - (_WHOLE + _EXPONENT_BIAS)
    return number_of(bits - ((shifted - _EXPONENT_BIAS) << _MANTISSA)), e


@unfused_inlined
def _log2(x):
    """Binary logarithm of a positive number, as a sum of two numbers.

    Many locals: the coefficients and both parts of the sum.
    """
    subnormal = x < _SMALLEST_NORMAL
    m, e = _split(x * _LIFT if subnormal else x)
    e = e - (_LIFTED if subnormal else 0.0)
    part, whole = m - 1.0, m + 1.0
    whole_low = (m - whole) + 1.0 if m > 1.0 else (1.0 - whole) + m
    inverse = 1.0 / whole
    s = part * inverse
    s_low = (fma(-s, whole, part) - s * whole_low) * inverse
    z = s * s
    z_low = fma(s, s, -z) + 2.0 * s * s_low
    zz = z * z
    low = fma(fma(_L[3], z, _L[2]), zz, fma(_L[1], z, _L[0]))
    high = fma(fma(_L[7], z, _L[6]), zz, fma(_L[5], z, _L[4]))
    tail = z * fma(high, zz * zz, low)
    a = _THIRD + tail
    a_low = ((_THIRD - a) + tail) + _THIRD_LOW
    q = z * a
    q_low = fma(z, a, -q) + (z * a_low + z_low * a)
    u = 1.0 + q
    u_low = ((1.0 - u) + q) + q_low
    v = s * u
    v_low = fma(s, u, -v) + (s * u_low + s_low * u)
    w = _TWO_OVER_LN2 * v
    w_low = fma(_TWO_OVER_LN2, v, -w) + (_TWO_OVER_LN2 * v_low + _TWO_OVER_LN2_LOW * v)
    y = e + w
    return y, ((e - y) + w) + w_low


@unfused_inlined
def _exp2_of_rest(f):
    """2 ** f, |f| <= 1/2."""
    ff = f * f
    f4 = ff * ff
    first = fma(fma(_Q[3], f, _Q[2]), ff, fma(_Q[1], f, _Q[0]))
    second = fma(fma(_Q[7], f, _Q[6]), ff, fma(_Q[5], f, _Q[4]))
    third = fma(_Q[10], ff, fma(_Q[9], f, _Q[8]))
    return fma(f, fma(fma(third, f4, second), f4, first), 1.0)


@unfused_inlined
def _exp2(h, low):
    """2 ** (h + low), low far below h."""
    h = -_FARTHEST if h < -_FARTHEST else (_FARTHEST if h > _FARTHEST else h)
    low = 0.0 if abs(h) == _FARTHEST else low
    n = (h + _ROUND) - _ROUND
    # 2**n in two factors, since n may lie beyond what one can have
    half = 0.5 * n + (_WHOLE + _EXPONENT_BIAS)
    rest = (n - (half - (_WHOLE + _EXPONENT_BIAS))) + (_WHOLE + _EXPONENT_BIAS)
    scale = number_of(bits_of(half) << _MANTISSA)
    return _exp2_of_rest((h - n) + low) * scale * number_of(bits_of(rest) << _MANTISSA)


@unfused_inlined
def _power(x, y):
    log, log_low = _log2(x if 0.0 < x < math.inf else 1.0)
    h = y * log
    result = _exp2(h, fma(y, log, -h) + y * log_low)
    least, most = (0.0, math.inf) if y > 0.0 else (math.inf, 0.0)
    result = least if x == 0.0 else (most if x == math.inf else result)
    result = math.nan if x != x or x < 0.0 or y != y else result
    return 1.0 if y == 0.0 or x == 1.0 else result


@unfused_inlined
def _quick_power(x, y):
    m, e = _split(_SMALLEST_NORMAL if x < _SMALLEST_NORMAL else x)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    zz = z * z
    low = fma(fma(_A[3], z, _A[2]), zz, fma(_A[1], z, _A[0]))
    high = fma(fma(_A[7], z, _A[6]), zz, fma(_A[5], z, _A[4]))
    log = -_LOG2_OF_NOTHING if x < _SMALLEST_NORMAL else fma(s, fma(high, zz * zz, low), e)
    h = y * log
    h = -_QUICK_RANGE if h < -_QUICK_RANGE else (_QUICK_RANGE if h > _QUICK_RANGE else h)
    n = h + (_ROUND + _EXPONENT_BIAS)
    result = _exp2_of_rest(h - (n - (_ROUND + _EXPONENT_BIAS)))
    return result * number_of(bits_of(n) << _MANTISSA) + (x - x)  # NaN of a base that is NaN


@unfused_inlined
def _exponential(x):
    h = x * _LOG2_E
    return _exp2(h, fma(x, _LOG2_E, -h) + x * _LOG2_E_LOW)


@unfused_inlined
def _logarithm(x):
    log, low = _log2(x if 0.0 < x < math.inf else 1.0)
    h = log * _LN2
    result = h + (fma(log, _LN2, -h) + (log * _LN2_LOW + low * _LN2))
    result = x if x == math.inf else (-math.inf if x == 0.0 else result)
    return math.nan if x != x or x < 0.0 else result


# --- what laws use: as Python the plain function, in kernels the one above -----------------------


def power(x: Any, y: Any) -> Any:
    """x ** y of a base that is not negative."""
    return x**y


def quick_power(x: Any, y: Any) -> Any:
    """x ** y of a finite base that is not negative, for sums with 1.

    Half the work of `power`: its logarithm is one number. The error is below 2 + |y log2 x| units
    in the last place, so that of a result between 0 and 1, absolute, is below 3e-16. A base below
    the normal numbers counts as 0 (y at least a tenth), and a result beyond 2**1020 or below
    2**-1020 is that number.
    """
    return x**y


def exponential(x: Any) -> Any:
    """e ** x."""
    return math.exp(x)


def logarithm(x: Any) -> Any:
    """Natural logarithm; in kernels minus infinity of 0 and NaN of a negative number."""
    return math.log(x)


@overload(power)
def _power_in_kernels(x, y):
    return lambda x, y: _power(x, y)


@overload(quick_power)
def _quick_power_in_kernels(x, y):
    return lambda x, y: _quick_power(x, y)


@overload(exponential)
def _exponential_in_kernels(x):
    return lambda x: _exponential(x)


@overload(logarithm)
def _logarithm_in_kernels(x):
    return lambda x: _logarithm(x)
