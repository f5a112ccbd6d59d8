"""Moment-curvature response of a section under a given axial force."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from femu.kernels import compiled, floats_of, ints_of
from femu.model.constitutive import call_block
from femu.support.arguments import typed
from femu.support.errors import AnalysisError, InputError

if TYPE_CHECKING:
    from femu.model.component import Section

Array = npt.NDArray[np.float64]
ITERATIONS = 50
# on the axial force, relative to the elastic stiffness times a strain of one per mille
TOLERANCE = 1e-11


class MomentCurvature(NamedTuple):
    """One row per step."""

    curvature: Array
    moment: Array
    axial_strain: Array
    axial_force: Array


@compiled
def _follow(address, integers, p, curvature, target, moment, strain, force, histories, workspace):
    x, y, k, d, step = np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(3), np.zeros(3)
    size = histories.shape[1]
    committed = np.zeros(max(size, 1))
    axial = 0.0
    tolerance = -1.0
    for j in range(curvature.size):
        x[1] = curvature[j]
        best, best_axial = np.inf, axial
        for _ in range(ITERATIONS):
            x[0] = axial
            if (
                call_block(
                    address,
                    (
                        1,
                        ints_of(integers, 0),
                        floats_of(p, 0),
                        floats_of(committed, 0),
                        floats_of(histories, j * size),
                        floats_of(workspace, 0),
                        floats_of(x, 0),
                        floats_of(x, 0),
                        floats_of(step, 0),
                        floats_of(y, 0),
                        floats_of(k, 0),
                        floats_of(d, 0),
                    ),
                )
                != 0
            ):
                return j
            if tolerance < 0.0:
                tolerance = TOLERANCE * 1e-3 * abs(k[0])
            error = abs(y[0] - target[j])
            if error <= tolerance:
                break
            if error < best:
                best, best_axial = error, axial
                axial -= (y[0] - target[j]) / k[0]
            else:
                axial = 0.5 * (axial + best_axial)  # overshot: go half the way back
        else:
            return j
        committed[:size] = histories[j]
        moment[j], strain[j], force[j] = y[1], x[0], y[0]
    return -1


@typed
def moment_curvature(
    section: Section, curvature: npt.ArrayLike, axial: npt.ArrayLike = 0.0
) -> MomentCurvature:
    """Moment along a path of curvatures, with the axial force given (one number, or one for each
    curvature).

    The path may be cyclic; every step is committed. Tension is positive.
    """
    path = np.atleast_1d(np.asarray(curvature, dtype=float))
    target = (
        np.full(path.shape, axial, dtype=float)
        if np.ndim(axial) == 0
        else np.asarray(axial, dtype=float)
    )
    if path.ndim != 1 or not len(path) or not np.isfinite(path).all():
        raise InputError(section.label(), "curvature", curvature, "must be a row of finite numbers")
    if target.shape != path.shape or not np.isfinite(target).all():
        raise InputError(
            section.label(), "axial", axial, "must be one finite number, or one for each curvature"
        )
    p = np.array([value for _, _, value in section.walk_parameters()])
    moment, strain, force = np.zeros((3, len(path)))
    histories = np.zeros((len(path), len(section.history_names())))
    failed = _follow(
        section.kernel().address,
        np.array(section.integers() or [0], dtype=np.int64),
        p,
        path,
        target,
        moment,
        strain,
        force,
        histories,
        np.zeros(section.workspace(1) + 8),
    )
    if failed >= 0:
        raise AnalysisError(
            f"{section.label()} cannot carry the axial force {target[failed]:g} at curvature "
            f"{path[failed]:g} (step {failed})."
        )
    return MomentCurvature(path, moment, strain, force)
