"""Solution algorithms: how the iterations of a step look for equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import settings as code
from femu.errors import InputError
from femu.parameters import finite


@dataclass(frozen=True)
class Newton:
    """Newton-Raphson: a new tangent in every iteration, factored where an element changed its stiffness.

    In transient analyses of plane frames a step begins with the factors of the last one in the same way. The axial forces in
    the geometric stiffness are then those of a few steps before; where that costs iterations, the factors are made anew.
    """

    tangent: ClassVar[int] = code.EACH
    line_search: ClassVar[float] = 0.0
    krylov: ClassVar[int] = 0


@dataclass(frozen=True)
class ModifiedNewton:
    """Newton with the tangent of the start of the step; ``initial=True``: of the unstressed structure."""

    initial: bool = False
    line_search: ClassVar[float] = 0.0
    krylov: ClassVar[int] = 0

    @property
    def tangent(self) -> int:
        return code.INITIAL if self.initial else code.FIRST_OF_STEP


@dataclass(frozen=True)
class NewtonLineSearch:
    """Newton with a search along each increment until the unbalance works on it by at most ``ratio`` of before."""

    ratio: float = 0.8
    tangent: ClassVar[int] = code.EACH
    krylov: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if not finite(self.ratio) or not 0.0 < self.ratio < 1.0:
            raise InputError("NewtonLineSearch", "ratio", self.ratio, "must lie strictly between 0 and 1")

    @property
    def line_search(self) -> float:
        return self.ratio


@dataclass(frozen=True)
class KrylovNewton:
    """Modified Newton accelerated by the last ``dimension`` increments; see `femu.analyses.krylov`."""

    dimension: int = 5
    tangent: ClassVar[int] = code.FIRST_OF_STEP
    line_search: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int) or not 1 <= self.dimension <= 20:
            raise InputError("KrylovNewton", "dimension", self.dimension, "must be a whole number from 1 to 20")

    @property
    def krylov(self) -> int:
        return self.dimension


Algorithm = Newton | ModifiedNewton | NewtonLineSearch | KrylovNewton
KRYLOV_MOST = 20
