"""Materials side by side."""

from __future__ import annotations

from collections.abc import Sequence

from femu.kernels import Kernel, kernel, shift
from femu.materials._composite import Materials, named_parts
from femu.model.component import PART_INTEGERS, Constitutive, Material, part_table
from femu.model.constitutive import BLOCK, call_block
from femu.model.parameters import Parameter
from femu.support.errors import InputError

_FACTOR = Parameter("factor on the stress of a part")
_OWN_INTEGERS = 2


@kernel(BLOCK)
def _parallel(n, i, p, c, t, w, x, r, s, y, k, d):
    # i: number of parts, whether any depends on the rate, then the table of parts
    stress, tangent, damping, rest = w, shift(w, n), shift(w, 2 * n), shift(w, 3 * n)
    for j in range(n):
        y[j] = 0.0
        k[j] = 0.0
    failed = 0
    for part in range(i[0]):
        own = shift(i, _OWN_INTEGERS + PART_INTEGERS * part)
        for j in range(n):
            damping[j] = 0.0
        failed += call_block(own[0], (
            n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n), shift(t, own[3] * n), rest,
            x, r, s, stress, tangent, damping))
        factor = p[part]
        for j in range(n):
            y[j] += factor * stress[j]
            k[j] += factor * tangent[j]
        if i[1] != 0:
            for j in range(n):
                d[j] += factor * damping[j]
    return failed


class Parallel(Material):
    """Materials of the same strain, whose stresses add up; OpenSees' ``Parallel``.

    ``stress = sum(factor * stress of the part)``. ``materials`` is a list, or a mapping that names
    the parts; ``factors`` are 1 if left out.
    """

    materials: Materials
    factors: Sequence[float] | None = None

    def validate(self) -> None:
        parts = named_parts(self.label(), self.materials)
        if self.factors is None:
            self.factors = [1.0] * len(parts)
        if len(self.factors) != len(parts):
            raise InputError(self.label(), "factors", self.factors, f"must be {len(parts)} "
                                                                    "numbers, one a part", "")
        self.factors = [_FACTOR.check(self.label(), f"factors[{j}]", factor) for j,
                        factor in enumerate(self.factors)]

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        assert self.factors is not None
        return [(f"factor_{j}", _FACTOR, factor) for j, factor in enumerate(self.factors, start=1)]

    def parts(self) -> list[tuple[str, Constitutive]]:
        return named_parts(self.label(), self.materials)

    def integers(self) -> list[int]:
        parts = [part for _, part in self.parts()]
        return [len(parts), int(self.rate_dependent), *part_table(parts, len(parts), 0,
                                                                  _OWN_INTEGERS)]

    def workspace(self, points: int) -> int:
        return 3 * points + max(part.workspace(points) for _, part in self.parts())

    def kernel(self) -> Kernel:
        return _parallel
