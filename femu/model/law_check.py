"""Checks of a law as its author wrote it, before and while it is compiled."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from femu.kernels import Kernel
from femu.kernels.refusal import refusal
from femu.model.constitutive import Law
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.model.component import Constitutive

PLAIN, RATE = "(p, h, strain)", "(p, h, strain, rate, dt)"
DECLARE = (
    "declare every number that the law takes from p, as in k: float = positive('stiffness'), and "
    "from h, as in history = ('force',)"
)
PROBES = (1e-4, -1e-3, 0.02)  # strains at which a law is evaluated twice
SAME = 1e-6  # of the force: what a law that iterates may differ by when it is evaluated again


def check_law(made: Constitutive) -> None:
    """Raise if the law of a component is missing or takes or returns the wrong things.

    The law is called as Python, with the component's own numbers: at rest, and twice at each of
    some strains.
    """
    cls, law = type(made), getattr(type(made), "law", None)
    if law is None:
        raise InputError(
            cls.__name__, "law", None, "is missing", fix=f"define @law def law{PLAIN} in the class"
        )
    if not isinstance(law, Law):
        raise InputError(cls.__name__, "law", law, "is not marked", fix="put @law above its def")
    taken = len(inspect.signature(law.function).parameters)
    if taken != (5 if law.rate else 3):
        raise InputError(
            cls.__name__,
            "law",
            inspect.signature(law.function),
            f"must take {RATE if law.rate else PLAIN}",
            fix="mark a law that depends on the rate with @law(rate=True), and others with @law",
        )
    p = tuple(value for _, _, value in made.own_parameters())
    m, h = made.components, (0.0,) * len(made.history)
    x: Any = 0.0 if m == 1 else (0.0,) * m
    try:
        found = law.function(p, h, x, x, 0.0) if law.rate else law.function(p, h, x)
    except Exception:
        return  # what cannot run as Python, or has no answer at rest, is left to the compiler
    _check_answer(made, law, found)
    # femu's own laws are tested; some have parameters, which OpenSees takes, with which they drift
    if not law.rate and cls.__module__.split(".")[0] != "femu":
        _check_committed(made, law, p, h)


def _check_answer(made: Constitutive, law: Law, found: Any) -> None:
    m, variables = made.components, len(made.history)
    entries = m * (m + 1) // 2
    wanted: list[tuple[str, int | None]] = (
        [("stress", None), ("tangent", None)]
        if m == 1
        else [(f"{m} forces", m), (f"{entries} stiffnesses", entries)]
    )
    if law.rate:
        wanted.append(("damping", None))
    wanted.append((f"history of {variables}", variables))
    fits = isinstance(found, tuple) and len(found) == len(wanted)
    if not fits or not all(
        isinstance(one, tuple) == (size is not None) and (size is None or len(one) == size)
        for one, (_, size) in zip(found, wanted, strict=True)
    ):
        raise InputError(
            type(made).__name__,
            "result of law",
            found,
            f"must be ({', '.join(what for what, _ in wanted)})",
            f"The class declares history = {made.history!r}",
        )


def _check_committed(made: Constitutive, law: Law, p: Any, h: Any) -> None:
    """Raise if the law, evaluated again at the strain that its history ends with, answers with
    another stress.

    Each iteration begins there: such a law would move on in every evaluation.
    """
    m = made.components
    for size in PROBES:
        x: Any = size if m == 1 else (size,) * m
        try:
            first = law.function(p, h, x)
            again = law.function(p, first[-1], x)
        except Exception:
            return  # it has no answer here
        forces = np.atleast_1d(np.array(first[0], dtype=float))
        others = np.atleast_1d(np.array(again[0], dtype=float))
        reach = np.abs(forces).max() + np.abs(np.array(first[1], dtype=float)).max() * abs(size)
        if np.abs(others - forces).max() > SAME * reach:
            raise InputError(
                type(made).__name__,
                "law",
                law.function.__qualname__,
                f"must return its committed stress at its committed strain: at {x!r} it returns "
                f"{first[0]!r}, and {again[0]!r} when it is evaluated there again",
                fix="use the change of the strain since the history, as in "
                "stress_0 + k * (strain - strain_0)",
            )
        h = first[-1]


class LawKernel(Kernel):
    """The kernel of a law: what the compiler refuses is an error of the law, in one sentence."""

    def __init__(self, block: Kernel, made: Constitutive) -> None:
        super().__init__(block.function, block.signature, block.name)
        self._names = list(made.declared), list(made.history)

    def _refusal(self, problem: Exception) -> Exception:
        p, h = self._names
        hint = f"Here p has the declared numbers {p}, and h the history {h}"
        if "wrong tuple length" in str(problem) or "tuple index" in str(problem):
            return refusal(self.name, problem, hint, DECLARE)
        return refusal(self.name, problem, hint)
