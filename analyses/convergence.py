"""Convergence tests: when an iteration is in equilibrium."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu.analyses import code
from femu.support.errors import InputError


@dataclass(frozen=True)
class _Test:
    tolerance: float
    iterations: int = 25

    absolute_code: ClassVar[int]
    relative_code: ClassVar[int]
    relative: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (
            isinstance(self.tolerance, (int, float))
            and math.isfinite(self.tolerance)
            and self.tolerance > 0.0
        ):
            raise InputError(type(self).__name__, "tolerance", self.tolerance, "must be above 0")
        if (
            isinstance(self.iterations, bool)
            or not isinstance(self.iterations, int)
            or self.iterations < 1
        ):
            raise InputError(
                type(self).__name__,
                "iterations",
                self.iterations,
                "must be a whole number from 1 on",
            )

    @property
    def code(self) -> int:
        return self.relative_code if self.relative else self.absolute_code


@dataclass(frozen=True)
class Unbalance(_Test):
    """Norm of the unbalanced force, in units of force and moment. OpenSees: ``NormUnbalance``."""

    absolute_code: ClassVar[int] = code.UNBALANCE
    relative_code: ClassVar[int] = code.RELATIVE_UNBALANCE


@dataclass(frozen=True)
class RelativeUnbalance(Unbalance):
    """Norm of the unbalanced force over the norm of all forces that should balance: free of units.

    A step also counts as converged where the last increment is rounding error (1e-12 of the
    displacement).
    """

    tolerance: float = 1e-9
    relative: ClassVar[bool] = True


@dataclass(frozen=True)
class Increment(_Test):
    """Norm of the last displacement increment. OpenSees: ``NormDispIncr``."""

    absolute_code: ClassVar[int] = code.INCREMENT
    relative_code: ClassVar[int] = code.RELATIVE_INCREMENT


@dataclass(frozen=True)
class RelativeIncrement(Increment):
    """Norm of the last displacement increment over that of the first of the step."""

    relative: ClassVar[bool] = True


@dataclass(frozen=True)
class Energy(_Test):
    """Half the work of the unbalanced force on the last increment. OpenSees: ``EnergyIncr``."""

    absolute_code: ClassVar[int] = code.ENERGY
    relative_code: ClassVar[int] = code.RELATIVE_ENERGY


@dataclass(frozen=True)
class RelativeEnergy(Energy):
    """The same over that of the first iteration of the step."""

    relative: ClassVar[bool] = True


Test = Unbalance | Increment | Energy
