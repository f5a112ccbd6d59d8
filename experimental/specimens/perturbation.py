"""Perturbed parameters: what a plant may be in place of the nominal one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from femu.model.parameters import finite
from femu.support.arguments import typed
from femu.support.errors import InputError

MOST_SETS = 1_000_000


@typed
def perturbed(
    values: Mapping[str, float],
    deviations: Mapping[str, float],
    count: int,
    seed: int = 0,
    relative: bool = False,
) -> list[dict[str, float]]:
    """``count`` sets of the ``values`` with independent normal deviations.

    ``deviations`` are standard deviations by name, as shares of the values if ``relative``; values
    without one stay. The same ``seed`` gives the same sets, and more of them begin with the same.
    """
    who = "perturbed"
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_SETS:
        rule = f"must be a whole number from 0 to {MOST_SETS}"
        raise InputError(who, "count", count, rule)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(who, "seed", seed, "must be a whole number from 0 on")
    for name, value in values.items():
        if not finite(value):
            raise InputError(who, f"values[{name!r}]", value, "must be a finite number")
    for name, value in deviations.items():
        if name not in values:
            rule = f"must name one of the values: {list(values)}"
            raise InputError(who, "deviations", name, rule)
        if not (finite(value) and value >= 0.0):
            raise InputError(who, f"deviations[{name!r}]", value, "must not be negative")
    draws = np.random.default_rng(seed).standard_normal((count, len(deviations)))
    made = []
    for draw in draws:
        one = dict(values)
        for number, (name, deviation) in zip(draw, deviations.items(), strict=True):
            one[name] += float(number) * deviation * (abs(values[name]) if relative else 1.0)
        made.append(one)
    return made
