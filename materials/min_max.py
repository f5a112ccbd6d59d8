"""Limits of strain at which a material fails."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import Kernel, kernel, shift
from femu.materials._composite import OWN_INTEGERS, call_part
from femu.materials._limited import NO_LIMIT, LimitedMaterial
from femu.model.constitutive import BLOCK
from femu.model.parameters import number


@kernel(BLOCK)
def _min_max(n, i, p, c, t, w, x, r, s, y, k, d):
    damping = w
    failed = call_part(shift(i, OWN_INTEGERS), n, i, p, c, t, damping, x, r, s, y, k)
    for j in range(n):
        t[j] = 1.0 if c[j] != 0.0 or x[j] <= p[0] or x[j] >= p[1] else 0.0
        if t[j] != 0.0:
            y[j] = 0.0
            k[j] = 0.0
            damping[j] = 0.0
            for v in range(1, 1 + i[0]):
                t[v * n + j] = c[v * n + j]
    if i[1] != 0:
        for j in range(n):
            d[j] += damping[j]
    return failed


class MinMax(LimitedMaterial):
    """A material that fails for good once its strain reaches a limit; OpenSees' ``MinMax``.

    From the step that reaches ``smallest_strain`` or ``largest_strain`` on, stress and tangent are
    zero. (The tangent of OpenSees is 1e-8 of the initial one there.)
    """

    smallest_strain: float = number("strain in compression at which it fails, a negative number",
                                    "strain",
                                    default=-NO_LIMIT)
    largest_strain: float = number("strain in tension at which it fails", "strain",
                                   default=NO_LIMIT)

    history: ClassVar[tuple[str, ...]] = ("failed",)

    def kernel(self) -> Kernel:
        return _min_max
