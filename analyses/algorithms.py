"""Solution algorithms: how the iterations of a step look for equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from femu.analyses import code
from femu.analyses.krylov import KRYLOV
from femu.analyses.line_search import LINE_SEARCH
from femu.analyses.newton import MODIFIED_NEWTON, NEWTON
from femu.analyses.newton_step import Method
from femu.analyses.quasi_newton import QUASI_NEWTON
from femu.model.parameters import finite
from femu.support.errors import InputError


class _Plain:
    """What an algorithm is unless it says otherwise.

    A new tangent in every iteration, no search, nothing kept.
    """

    tangent: ClassVar[int] = code.EACH
    line_search: ClassVar[float] = 0.0
    krylov: ClassVar[int] = 0
    secant: ClassVar[int] = code.SUBSPACE
    method: ClassVar[Method] = NEWTON


@dataclass(frozen=True)
class Newton(_Plain):
    """Newton-Raphson: a new tangent in every iteration, factored where an element changed its
    stiffness.

    In transient analyses of plane frames a step begins with the factors of the last one in the same
    way. The axial forces in the geometric stiffness are then those of a few steps before; where
    that costs iterations, the matrix is factored again.
    """


@dataclass(frozen=True)
class ModifiedNewton(_Plain):
    """Newton with the tangent of the start of the step.

    ``initial=True``: of the unstressed structure.
    """

    initial: bool = False
    method: ClassVar[Method] = MODIFIED_NEWTON

    @property
    def tangent(self) -> int:  # type: ignore[override]
        return code.INITIAL if self.initial else code.FIRST_OF_STEP


@dataclass(frozen=True)
class NewtonLineSearch(_Plain):
    """Newton with a search along each increment until the unbalance works on it by at most
    ``ratio`` of before."""

    ratio: float = 0.8
    method: ClassVar[Method] = LINE_SEARCH

    def __post_init__(self) -> None:
        if not finite(self.ratio) or not 0.0 < self.ratio < 1.0:
            raise InputError(
                "NewtonLineSearch", "ratio", self.ratio, "must lie strictly between 0 and 1"
            )

    @property
    def line_search(self) -> float:  # type: ignore[override]
        return self.ratio


@dataclass(frozen=True)
class KrylovNewton(_Plain):
    """Modified Newton accelerated by the last ``dimension`` increments.

    See `femu.analyses.krylov`.
    """

    dimension: int = 5
    tangent: ClassVar[int] = code.FIRST_OF_STEP
    method: ClassVar[Method] = KRYLOV

    def __post_init__(self) -> None:
        _check_count("KrylovNewton", "dimension", self.dimension, 20)

    @property
    def krylov(self) -> int:  # type: ignore[override]
        return self.dimension


@dataclass(frozen=True)
class _QuasiNewton(_Plain):
    updates: int = 10
    initial: bool = False
    method: ClassVar[Method] = QUASI_NEWTON

    def __post_init__(self) -> None:
        _check_count(type(self).__name__, "updates", self.updates, 100)

    @property
    def tangent(self) -> int:  # type: ignore[override]
        return code.INITIAL if self.initial else code.FIRST_OF_STEP

    @property
    def krylov(self) -> int:  # type: ignore[override]
        return self.updates


@dataclass(frozen=True)
class BFGS(_QuasiNewton):
    """The inverse of a tangent, corrected symmetrically by each increment; see
    `femu.analyses.quasi_newton`.

    The tangent is that of the start of the step, or of the unstressed structure (``initial=True``);
    after ``updates`` corrections a new one is formed.
    """

    secant: ClassVar[int] = code.BFGS


@dataclass(frozen=True)
class Broyden(_QuasiNewton):
    """As `BFGS`, with corrections of rank one that keep no symmetry.

    For tangents that have none.
    """

    secant: ClassVar[int] = code.BROYDEN


def _check_count(what: str, argument: str, value: Any, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InputError(what, argument, value, f"must be a whole number from 1 to {most}")


Algorithm = Newton | ModifiedNewton | NewtonLineSearch | KrylovNewton | BFGS | Broyden
