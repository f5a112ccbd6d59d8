"""Base of the one-step integrators."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from femu.analyses.integrators.predictor import explicit_predictor
from femu.analyses.newton_step import Marching, march
from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.kernels import Kernel
from femu.support.errors import InputError


class Integrator(ABC):
    """An integrator that goes from one step to the next by the state alone.

    Implicit ones are described by their coefficients, and `femu.analyses.newton_step` does the
    steps. Others have a ``kernel`` of their own, which takes the steps run.first to run.last.

    In a hybrid test each step begins with ``exchanges`` commands. For each of them the ``command``
    kernel writes the displacement at which the specimens are asked; what they answer is in the
    state of the experimental elements before the next one. Then ``kernel`` takes the step, with the
    experimental elements linear about the last answer: it must not ask for more, and a step that
    was asked for cannot be taken twice.
    """

    explicit: ClassVar[bool] = False  # needs mass everywhere, and solves for accelerations alone
    hybrid: ClassVar[bool] = True  # whether it serves in a hybrid test
    kernel: ClassVar[Kernel | Marching] = march  # takes the steps
    command: ClassVar[Kernel] = explicit_predictor
    # whether elements keep the state of where they were asked, short of the step's end
    elements_stay: ClassVar[bool] = False
    # whether its iterations let the experimental elements estimate their stiffness
    inside: ClassVar[bool] = False

    @abstractmethod
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma: where in the step forces are taken, and Newmark's two."""

    @property
    def exchanges(self) -> int:
        """Commands a step in a hybrid test."""
        return 1

    def check_step(self, run: Workspace, dt: float) -> None:
        """Raise if a step of this length cannot be stable."""

    def memory(self, program: Program) -> int:
        """Floats at the end of run.own that it remembers from step to step, besides the state."""
        return 0

    def least_share(self, stiffness_by_mass: float) -> float:
        """Least share of the initial stiffness that an experimental element must keep for steps to
        be stable.

        ``stiffness_by_mass`` is dt^2 times the largest eigenvalue of M^-1 K, with the initial
        stiffness of the specimens.
        """
        return 0.0

    def prepare(self, run: Workspace) -> None:
        """Make what its kernels need besides the coefficients, once mass and damping are known.

        Hold it in run.own.
        """


def checked_coefficients(integrator: Integrator) -> tuple[float, float, float, float]:
    """The coefficients of an integrator; raises if no step can be taken with them."""
    given: Any = integrator.coefficients()
    name, what = type(integrator).__name__, "coefficients()"
    try:
        alpha_m, alpha_f, beta, gamma = (float(number) for number in given)
    except (TypeError, ValueError):
        raise InputError(
            name, what, given, "must return four numbers: alpha_m, alpha_f, beta and gamma"
        ) from None
    if not all(math.isfinite(number) for number in (alpha_m, alpha_f, beta, gamma)):
        raise InputError(name, what, given, "must return finite numbers")
    if integrator.kernel is march and beta == 0.0:
        raise InputError(
            name,
            what,
            given,
            "must not return beta = 0, by which an implicit step divides",
            fix="give an explicit method a kernel of its own, by stepping",
        )
    return alpha_m, alpha_f, beta, gamma


OneStep = Integrator
"""The same class, under the name that integrators of users may derive from."""
