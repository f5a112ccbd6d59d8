"""What all analyses take, checked in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.analyses.algorithms import Algorithm
from femu.analyses.convergence import Test
from femu.analyses.limits import Limit
from femu.analyses.policy import Policy
from femu.engine.program import Program
from femu.engine.state import State
from femu.model.model import Model
from femu.results.save import Save
from femu.support.errors import AnalysisError, InputError

MOST_STEPS = 10**8
"""Of one analysis: more do not fit into the memory of any machine."""


def as_program(model: Any) -> Program:
    """The program of a model, or the program itself."""
    if isinstance(model, Model):
        return model.compile()
    if not isinstance(model, Program):
        raise InputError("analysis", "model", model, "must be a Model or a Program")
    return model


def must_not_have_specimens(program: Program | Model, what: str) -> None:
    """Refuse a model whose specimens an analysis would never ask: only a hybrid test asks them."""
    for name, element in program.elements.items():
        if element.asks_specimen:
            raise AnalysisError(
                f"{program.name!r} has the experimental element {name!r}: {what} would never ask "
                "its specimen, and would take it for a spring of its initial stiffness. Run the "
                "model as a hybrid test (femu.analyses.HybridTest), or put an ordinary element in "
                "its place."
            )


def must_be_true_or_false(what: str, check: Any) -> None:
    """Refuse another ``check``."""
    if not isinstance(check, (bool, np.bool_)):
        raise InputError(what, "check", check, "must be True or False")


def starting(program: Program, start: Any, argument: str = "start") -> State:
    """A copy of the state to begin with, or a virgin one."""
    if start is None:
        return program.state()
    if not isinstance(start, State):
        raise InputError(
            "analysis",
            argument,
            start,
            "must be a State",
            fix="pass the state of a result, result.state",
        )
    return start.copy()


def what_to_save(save: Any, default: Save) -> Save:
    """The save object, or the default."""
    if save is None:
        return default
    if not isinstance(save, Save):
        raise InputError(
            "analysis",
            "save",
            save,
            "must be a Save object",
            fix="give one, for example Save(displacement=['C'])",
        )
    return save


def check_progress(progress: Any) -> None:
    """Something that is notified of the progress of an analysis."""
    if progress is not None and not all(
        callable(getattr(progress, name, None)) for name in ("start", "advance", "finish")
    ):
        raise InputError(
            "analysis",
            "progress",
            progress,
            "must have the methods start, advance and finish",
            fix="use ProgressBar(), for example",
        )


def check_means(what: str, algorithm: Any, test: Any, policy: Any, limits: Any) -> None:
    """The means by which an analysis looks for equilibrium."""
    if not isinstance(algorithm, Algorithm):
        raise InputError(
            what,
            "algorithm",
            algorithm,
            "must be a solution algorithm",
            fix="use Newton(), for example",
        )
    if not isinstance(test, Test):
        raise InputError(
            what,
            "test",
            test,
            "must be a convergence test",
            fix="use RelativeUnbalance(1e-9), for example",
        )
    if not isinstance(policy, Policy):
        raise InputError(
            what,
            "policy",
            policy,
            "must be a Policy",
            fix="use Policy(), or Policy.none() for no rescue of a failed step",
        )
    if not isinstance(limits, (tuple, list)) or not all(
        isinstance(limit, Limit) for limit in limits
    ):
        raise InputError(what, "limits", limits, "must be a tuple of Limit objects")
