"""Random numbers whose whole state is two whole numbers: a seed and a counter.

Number k of the stream is a hash of (seed, k): the mixing function of SplitMix64 (Steele, Lea, Flood
2014), applied twice with the seed between. Both numbers are kept in the filter's state vector, so a
copied state continues with the same bits, and nothing global is read or written.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np

from femu.filters.linalg import helper
from femu.kernels import inlined

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2⁻⁵³
LARGEST_SEED = 2**53 - 1  # seed and counter are kept in float64 entries, exact up to here


@inlined
def _mix(z):
    z = (z ^ (z >> _S30)) * _MIX_A
    z = (z ^ (z >> _S27)) * _MIX_B
    return z ^ (z >> _S31)


@inlined
def uniform(seed, counter):
    """Number ``counter`` of stream ``seed``, in (0, 1)."""
    key = _mix(np.uint64(seed) * _GOLDEN + _GOLDEN)
    bits = _mix(key + np.uint64(counter) * _GOLDEN)
    return (np.float64(bits >> _S11) + 0.5) * _UNIT


@helper
def normal(seed, counter):
    """Standard normal number.

    Uses entries ``counter`` and ``counter + 1`` of the stream (Box and Muller 1958).
    """
    return sqrt(-2.0 * log(uniform(seed, counter))) * cos(2.0 * pi * uniform(seed, counter + 1.0))
