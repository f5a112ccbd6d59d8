"""Checks of a law as its author wrote it, before and while it is compiled."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numba.core.ccallback import CFunc

from femu.kernels import Kernel
from femu.model.constitutive import Law
from femu.support.errors import InputError

if TYPE_CHECKING:
    from femu.model.component import Constitutive

PLAIN, RATE = "(p, h, strain)", "(p, h, strain, rate, dt)"


def check_law(made: Constitutive) -> None:
    """Raise if the law of a component is missing or takes or returns the wrong things.

    The law is called once, as Python, with the component's own numbers, at rest.
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


class LawKernel(Kernel):
    """The kernel of a law: what the compiler refuses is an error of the law, in one sentence."""

    def __init__(self, block: Kernel, made: Constitutive) -> None:
        super().__init__(block.function, block.signature, block.name)
        self._names = list(made.declared), list(made.history)

    @cached_property
    def _compiled(self) -> CFunc:
        try:
            return Kernel._compiled.func(self)  # type: ignore[attr-defined]
        except Exception as problem:  # numba's errors have no common base
            lines = [line.strip() for line in str(problem).splitlines()]
            reason = next((line for line in lines if line and "pipeline (step" not in line), "")
            p, h = self._names
            raise InputError(
                self.name,
                "problem",
                reason,
                "keeps it from being compiled",
                f"Here p has the declared numbers {p}, and h the history {h}",
                fix="use plain arithmetic, math, branches, loops and tuples of floats",
            ) from problem
