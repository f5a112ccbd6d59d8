"""Base of the one-step integrators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from femu.analyses.march import march
from femu.kernels import Kernel


class OneStep(ABC):
    """An integrator that goes from one step to the next by the state alone.

    Implicit ones are described by their coefficients, and `femu.analyses.march` does the steps. An explicit one has
    a kernel of its own.
    """

    explicit: ClassVar[bool] = False
    kernel: ClassVar[Kernel] = march

    @abstractmethod
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma: where in the step forces are taken, and Newmark's two."""
