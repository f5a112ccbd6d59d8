"""Limit states that end an analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from femu.engine.workspace import Workspace
from femu.model.element import Name
from femu.support.errors import InputError


@dataclass(frozen=True)
class Limit:
    """Ends the analysis when the displacement of ``node`` (relative to ``base``, if given) reaches
    ``value``."""

    node: Name
    direction: str
    value: float
    base: Name | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.value, (int, float)) and self.value > 0.0):
            raise InputError(
                "Limit", "value", self.value, "must be above 0", "It bounds the absolute value"
            )


def install_limits(run: Workspace, limits: Sequence[Limit]) -> None:
    """Put limits into the context of a run."""
    program = run.program
    pairs, values = [], []
    for limit in limits:
        place = program.dof(limit.node, limit.direction)
        base = program.dof(limit.base, limit.direction) if limit.base is not None else -1
        pairs += [place, base]
        values.append(float(limit.value))
    run.fields.limits = np.array(pairs or [0], dtype=np.int64)
    run.fields.limit_values = np.array(values or [0.0])
    run.fields.nlimits = len(values)
