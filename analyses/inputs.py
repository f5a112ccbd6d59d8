"""What all analyses take, checked in one place."""

from __future__ import annotations

from typing import Any

from femu.analyses.algorithms import Algorithm
from femu.analyses.convergence import Test
from femu.analyses.limits import Limit
from femu.analyses.policy import Policy
from femu.errors import InputError
from femu.model import Model
from femu.program import Program
from femu.save import Save
from femu.state import State

MOST_STEPS = 10**8
"""Of one analysis: more do not fit into the memory of any machine."""


def as_program(model: Any) -> Program:
    """The program of a model, or the program itself."""
    if isinstance(model, Model):
        return model.compile()
    if not isinstance(model, Program):
        raise InputError("analysis", "model", model, "must be a Model or a Program")
    return model


def starting(program: Program, start: Any, argument: str = "start") -> State:
    """A copy of the state to begin with, or a virgin one."""
    if start is None:
        return program.state()
    if not isinstance(start, State):
        raise InputError("analysis", argument, start, "must be a State", "result.state is one")
    return start.copy()


def what_to_save(save: Any, default: Save) -> Save:
    """The save object, or the default."""
    if save is None:
        return default
    if not isinstance(save, Save):
        raise InputError("analysis", "save", save, "must be a Save object", "for example Save(displacement=['C'])")
    return save


def check_progress(progress: Any) -> None:
    """Something that is told how far an analysis is."""
    if progress is not None and not all(callable(getattr(progress, name, None)) for name in ("start", "advance", "finish")):
        raise InputError("analysis", "progress", progress, "must have the methods start, advance and finish",
                         "for example ProgressBar()")


def check_means(what: str, algorithm: Any, test: Any, policy: Any, limits: Any) -> None:
    """The means by which an analysis looks for equilibrium."""
    if not isinstance(algorithm, Algorithm):
        raise InputError(what, "algorithm", algorithm, "must be a solution algorithm", "for example Newton()")
    if not isinstance(test, Test):
        raise InputError(what, "test", test, "must be a convergence test", "for example RelativeUnbalance(1e-9)")
    if not isinstance(policy, Policy):
        raise InputError(what, "policy", policy, "must be a Policy", "Policy.none() gives no help")
    if not isinstance(limits, (tuple, list)) or not all(isinstance(limit, Limit) for limit in limits):
        raise InputError(what, "limits", limits, "must be a tuple of Limit objects")
