"""Drive one point of a material or section along a path of deformations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from femu.kernels import compiled, floats_of, ints_of
from femu.model.component import Constitutive
from femu.model.constitutive import call_block
from femu.model.parameters import finite
from femu.support.arguments import typed
from femu.support.errors import AnalysisError, InputError

Array = npt.NDArray[np.float64]


class Path(NamedTuple):
    """The response along a path: one row per step. Tangents hold the upper triangle row by row."""

    deformation: Array
    force: Array
    tangent: Array
    history: Array


@compiled
def _drive(address, integers, p, dt, x, y, k, d, histories, workspace):
    steps, m = x.shape
    committed = np.zeros(max(histories.shape[1], 1))
    rate = np.zeros(m)
    step = np.array([0.0, dt])
    for j in range(steps):
        if j > 0 and dt > 0.0:
            for a in range(m):
                rate[a] = (x[j, a] - x[j - 1, a]) / dt
        failed = call_block(
            address,
            (
                1,
                ints_of(integers, 0),
                floats_of(p, 0),
                floats_of(committed, 0),
                floats_of(histories, j * histories.shape[1]),
                floats_of(workspace, 0),
                floats_of(x, j * m),
                floats_of(rate, 0),
                floats_of(step, 0),
                floats_of(y, j * m),
                floats_of(k, j * k.shape[1]),
                floats_of(d, j * k.shape[1]),
            ),
        )
        if failed != 0:
            return j
        committed[: histories.shape[1]] = histories[j]
        step[0] += dt
    return -1


@typed
def drive(component: Constitutive, deformation: npt.ArrayLike, dt: float = 0.0) -> Path:
    """Response of a virgin point along a path, every step committed.

    ``deformation`` has one row per step (one column for a material). ``dt`` is the time between
    steps; rates are backward differences and zero if ``dt`` is zero.
    """
    if not finite(dt) or dt < 0.0:
        raise InputError(component.label(), "dt", dt, "must not be negative")
    m = component.components
    try:
        x: Any = np.asarray(deformation, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim == 1 and m == 1 and len(x):
        x = x[:, None]
    if x.ndim != 2 or x.shape[1] != m or not np.isfinite(x).all():
        raise InputError(
            component.label(),
            "deformation",
            deformation,
            f"must be a finite array of shape (steps, {m})",
            "",
        )
    x = np.ascontiguousarray(x)
    p = np.array([value for _, _, value in component.walk_parameters()] or [0.0])
    steps, nk = len(x), m * (m + 1) // 2
    y, k, d = np.zeros((steps, m)), np.zeros((steps, nk)), np.zeros((steps, nk))
    names = component.history_names()
    histories = np.zeros((steps, len(names)))
    integers = np.array(component.integers() or [0], dtype=np.int64)
    failed = _drive(
        component.kernel().address,
        integers,
        p,
        float(dt),
        x,
        y,
        k,
        d,
        histories if names else np.zeros((steps, 0)),
        np.zeros(component.workspace(1) + 8),
    )
    if failed >= 0:
        raise AnalysisError(
            f"{component.label()} has no response at step {failed}: deformation {x[failed]}."
        )
    return Path(x, y, k, histories)
