"""aⁿ for a ≥ 0, inlined and without a branch, so that a loop over sigma points or particles runs in
SIMD lanes.

aⁿ = exp(n log a). log: a = 2^k (1+f) with 1+f in [√½, √2), then log(1+f) = f - s(f - R(s²)), s =
f/(2+f), with the odd series 2(s + s³/3 + s⁵/5 + ...) for the rest R. exp: x = k log 2 + r with |r|
≤ ½ log 2, and the series of e^r. The relative error is below 3e-16·(1 + |n log a|); the C library's
``pow`` does better in the last digits. Polynomials are summed in pairs (Estrin), not nested: a
nested one would wait for each of its 13 steps.
"""

from __future__ import annotations

from math import factorial

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from femu.kernels import inlined

# log 2 in two parts, so that k·log 2 is exact in the first
_LOG_2_HIGH = 6.93147180369123816490e-01
_LOG_2_LOW = 1.90821492927058770002e-10
_LOG2_E = 1.4426950408889634
_L3, _L5, _L7, _L9, _L11, _L13, _L15, _L17, _L19, _L21 = (2.0 / i for i in range(3, 22, 2))
_E2, _E3, _E4, _E5, _E6, _E7, _E8, _E9, _E10, _E11, _E12, _E13 = (1.0 / factorial(i)
                                                                  for i in range(2, 14))
_MANTISSA = (1 << 52) - 1
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # √½
_BIAS = 2048  # makes every exponent positive
_TWO_52_BITS = 0x4330000000000000  # 2⁵²: a whole number below it, put into its bits, is added to it
_TWO_52_PLUS_BIAS = 2.0**52 + _BIAS
_ROUND = 1.5 * 2.0**52  # adding it rounds to a whole number, which is then in the low bits
_ROUND_BITS = 0x4338000000000000
_SMALLEST, _LARGEST = 1e-300, 1e300
_EXP_LIMIT = 700.0


@intrinsic
def _bits(typingctx, value):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def _float(typingctx, bits):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@inlined
def power(a, n):
    """aⁿ for finite a ≥ 0 and n.

    0 at a = 0 (for n > 0). The result is held between e^-700 and e^700.
    """
    safe = min(max(a, _SMALLEST), _LARGEST)
    # exponent and mantissa, with the mantissa in [√½, √2): shift the cut from 1 to √½ in the bits
    shifted = _bits(safe) - _ROOT_HALF_BITS
    # integer to float by its bits
    k = _float(((shifted >> 52) + _BIAS) | _TWO_52_BITS) - _TWO_52_PLUS_BIAS
    f = _float((shifted & _MANTISSA) + _ROOT_HALF_BITS) - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    rest = z * ((_L3 + z * _L5) + z2 * (_L7 + z * _L9)
                + z4 * ((_L11 + z * _L13) + z2 * (_L15 + z * _L17)
                                                              + z4 * (_L19 + z * _L21)))
    x = n * (k * _LOG_2_HIGH + (f - (s * (f - rest) - k * _LOG_2_LOW)))
    x = min(max(x, -_EXP_LIMIT), _EXP_LIMIT)
    rounded = x * _LOG2_E + _ROUND
    j = rounded - _ROUND
    r = (x - j * _LOG_2_HIGH) - j * _LOG_2_LOW
    r2 = r * r
    r4 = r2 * r2
    r8 = r4 * r4
    series = ((1.0 + r) + r2 * (_E2 + r * _E3)) + r4 * ((_E4 + r * _E5) + r2 * (_E6 + r * _E7)) \
        + r8 * ((_E8 + r * _E9) + r2 * (_E10 + r * _E11) + r4 * (_E12 + r * _E13))
    result = series * _float(((_bits(rounded) - _ROUND_BITS) + 1023) << 52)
    # the last term passes NaN and infinity on as NaN
    return (result if a > _SMALLEST else 0.0) + 0.0 * a
