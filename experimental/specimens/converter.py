"""Converters between numbers and voltages: steps of a fixed size within a range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.kernels.compiler import inlined
from femu.model.parameters import finite
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Converter:
    """A converter with a ``step`` of quantisation (0: none) and a ``largest`` magnitude, both in the
    unit of what it converts.

    `of_bits` makes one of a number of bits over its range.
    """

    step: float = 0.0
    largest: float = float("inf")

    def __post_init__(self) -> None:
        if not (finite(self.step) and self.step >= 0.0):
            raise InputError("Converter", "step", self.step, "must not be negative")
        if isinstance(self.largest, bool) or not (
            isinstance(self.largest, (int, float)) and self.largest > 0.0
        ):
            raise InputError("Converter", "largest", self.largest, "must be above 0")

    @classmethod
    def of_bits(cls, bits: int, largest: float) -> Converter:
        """A converter of ``bits`` over the range from -``largest`` to ``largest``."""
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 52:
            raise InputError("Converter", "bits", bits, "must be a whole number from 1 to 52")
        if not (finite(largest) and largest > 0.0):
            raise InputError("Converter", "largest", largest, "must be a finite number above 0")
        return cls(2.0 * largest / 2.0**bits, float(largest))

    def convert(self, values: npt.ArrayLike) -> Array:
        """The values as they leave the converter."""
        given = as_numbers("Converter", "values", values)
        if np.isnan(given).any():
            raise InputError("Converter", "values", values, "must be numbers")
        made = np.clip(given, -self.largest, self.largest)
        return self.step * np.rint(made / self.step) if self.step else made


@inlined
def converted(value, step, largest):
    """A value as it leaves a converter."""
    value = min(max(value, -largest), largest)
    if step > 0.0:
        value = step * np.rint(value / step)
    return value
