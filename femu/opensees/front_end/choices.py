"""What a script has chosen of the means of an analysis.

Tests, algorithms, integrators, and how the next steps are taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from femu.analyses import code
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.krylov import KRYLOV
from femu.analyses.line_search import LINE_SEARCH
from femu.analyses.newton import MODIFIED_NEWTON, NEWTON
from femu.analyses.newton_step import Method
from femu.analyses.quasi_newton import NESTED_QUASI_NEWTON
from femu.engine.program import Program

HOLDING = ("Penalty", "Lagrange")
"""Constraints that hold both nodes if one follows the other and is fixed."""
_versions = count()


@dataclass(frozen=True)
class Test:
    """A convergence test, as the march reads it."""

    name: str
    code: int
    tolerance: float
    iterations: int
    accept: bool = False


@dataclass(frozen=True)
class Algorithm:
    """A solution algorithm, as the march reads it."""

    name: str
    tangent: int = code.EACH
    line_search: float = 0.0
    krylov: int = 0
    secant: int = code.SUBSPACE

    @property
    def method(self) -> Method:
        """Its iterations. Those of quasi-Newton methods are nested in OpenSees."""
        if self.krylov > 0:
            return KRYLOV if self.secant == code.SUBSPACE else NESTED_QUASI_NEWTON
        if self.line_search != 0.0:
            return LINE_SEARCH
        return NEWTON if self.tangent == code.EACH else MODIFIED_NEWTON


@dataclass(frozen=True)
class Implicit(Integrator):
    """An implicit integrator by its four coefficients."""

    name: str
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    def coefficients(self) -> tuple[float, float, float, float]:
        return self.alpha_m, self.alpha_f, self.beta, self.gamma


@dataclass(frozen=True)
class Gimme:
    """Shares of mass, damping and stiffness in the matrix that printA shows; takes no step."""

    mass: float
    damping: float
    stiffness: float


@dataclass
class StaticControl:
    """A static integrator; the increment of an adaptive one changes from step to step."""

    control: int
    increment: float
    node: int = 0
    dof: int = 0
    weight: float = 0.0
    wanted: int = 1  # iterations a step should take
    least: float = 0.0
    most: float = 0.0
    last: int = 1  # iterations of the last step

    @property
    def adaptive(self) -> bool:
        """Whether the increment changes."""
        return self.least != self.most

    def adapt(self) -> None:
        """The increment of the next step, by the iterations of the last one."""
        self.increment = min(
            max(self.increment * self.wanted / max(self.last, 1), self.least), self.most
        )


@dataclass(frozen=True)
class Plan:
    """How the next steps are taken."""

    control: int
    algorithm: Algorithm
    test: Test
    reader: Any
    integrator: Any = None
    dof: int = -1
    increment: float = 0.0
    weight: float = 0.0

    @property
    def transient(self) -> bool:
        """Whether it is an analysis in time."""
        return self.control == code.TRANSIENT


@dataclass
class Settings:
    """What a script has chosen; what it has not stays at OpenSees' defaults."""

    test: Test | None = None
    algorithm: Algorithm | None = None
    static: StaticControl | None = None
    transient: Any = None
    kind: str = ""
    constraints: str = "Plain"
    iterations: int = 0
    tests: int = 0
    norm: float = 0.0
    version: int = 0

    def changed(self) -> None:
        """Note that a choice has changed, so that a session is checked again."""
        self.version = next(_versions)

    def forget(self) -> None:
        """Go back to the defaults."""
        self.__dict__.update(Settings().__dict__)
        self.changed()


chosen = Settings()
"""The choices of the one domain of the process."""


class Failures:
    """Steps that failed and that the script did not take in another way.

    `analyze` returns a number then, as in OpenSees, and a script may ignore it. A later step that
    is taken settles a failure, unless the script has gone over to other loads or another model.
    """

    def __init__(self) -> None:
        self.last = self.kept = ""
        self.named_of: Program | None = None  # whose mechanism was named

    def failed(self, message: str) -> None:
        """A step failed."""
        self.last = message

    def taken(self) -> None:
        """A step was taken."""
        self.last = ""

    def keep(self) -> None:
        """The script leaves the loads or the model of the step that failed."""
        self.kept, self.last = self.kept or self.last, ""

    def clear(self) -> None:
        """Another script begins."""
        self.last = self.kept = ""

    @property
    def unsettled(self) -> str:
        """What is said of the first that is left; empty if there is none."""
        return self.kept or self.last


failures = Failures()
"""Those of the one domain of the process."""
