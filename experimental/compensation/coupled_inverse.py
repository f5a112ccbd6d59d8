"""Compensation of several coupled actuators by the inverse of their plant."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import block_diag

from femu.experimental.compensation.compiled import (
    COMPENSATOR,
    CompiledCompensation,
    a_plant,
    fits,
    positive,
    whole,
)
from femu.experimental.compensation.derivatives import backward_differences
from femu.experimental.compensation.dynamic_inverse import DynamicInverse, dynamic_inverse
from femu.experimental.compensation.kernel_parts import advance, remember
from femu.experimental.specimens.plant import Plant
from femu.kernels.compiler import kernel, shift
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
HEAD = 3


@kernel(COMPENSATOR)
def coupled_command(p, s, target, out):
    """Weighted sum of the last targets, and the part of the inverse that has states."""
    m, points, n = int(p[0]), int(p[1]), int(p[2])
    weights = shift(p, HEAD)
    transition = shift(weights, m * points * m)
    before = shift(transition, n * n)
    after = shift(before, n * m)
    output = shift(after, n * m)
    w = shift(s, points * m)
    last = shift(w, n)
    work = shift(last, m)
    remember(s, target, m, points)
    advance(w, transition, before, after, last, target, n, m, work)
    for row in range(m):
        last[row] = target[row]
        total = 0.0
        for k in range(points * m):
            total += weights[row * points * m + k] * s[k]
        for k in range(n):
            total += output[row * n + k] * w[k]
        out[row] = total
    return 0


class CoupledInverseCompensation(CompiledCompensation):
    """Commands by the inverse of a plant of several channels, with its zeros.

    The inverse is a polynomial of an ``order`` in the derivatives of the targets and a part whose
    poles are the zeros of the plant, fitted up to the frequency ``band`` (cycles a time); see
    `InverseCompensation` for a series without zeros.

    ``coordinates`` is the matrix that makes displacements of an interface from strokes of the
    actuators. The inverse is then formed in these coordinates; targets and commands stay strokes.
    With ``coupled=False`` each channel is inverted as if the others rested, in the coordinates given:
    with the coupling taken into account the result is the same in all coordinates.
    """

    command_kernel = coupled_command

    def __init__(
        self,
        plant: Plant,
        *,
        order: int = 3,
        band: float = 25.0,
        coordinates: npt.ArrayLike | None = None,
        coupled: bool = True,
    ) -> None:
        who = "CoupledInverseCompensation"
        self.plant, self.order = a_plant(who, plant), whole(who, "order", order, 1, 5)
        self.band, self.coupled = positive(who, "band", band), bool(coupled)
        self.coordinates: Any = None
        if coordinates is not None:
            given, m = as_numbers(who, "coordinates", coordinates), plant.size
            if given.shape != (m, m) or not np.linalg.cond(given) < 1e9:
                rule = f"must be a matrix of {m} by {m} that has an inverse"
                raise InputError(who, "coordinates", coordinates, rule)
            self.coordinates = given.tolist()

    def settings(self) -> dict[str, Any]:
        names = ("plant", "order", "band", "coordinates", "coupled")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        m = self.size
        fits("CoupledInverseCompensation", self.plant, m)
        made = self._inverse(np.eye(m) if self.coordinates is None else np.array(self.coordinates))
        differences = backward_differences(self.order, self.dt)
        weights = np.einsum("kij,kt->itj", made.polynomial, differences)
        n, points = len(made.transition), differences.shape[1]
        p = np.concatenate([[m, points, n], *(np.ravel(x) for x in (weights, *made[1:]))])
        return p, np.zeros(points * m + 2 * n + m)

    def _inverse(self, there: Array) -> DynamicInverse:
        """The inverse for strokes, formed in the coordinates ``there`` @ strokes."""
        back = np.linalg.inv(there)
        b, c, d = (np.asarray(x) for x in (self.plant.b, self.plant.c, self.plant.d))
        plant = Plant(self.plant.a, b @ back, there @ c, there @ d @ back)
        if self.coupled:
            made = dynamic_inverse(plant, self.order, self.dt, self.band)
        else:
            made = _side_by_side(plant, self.order, self.dt, self.band)
        return DynamicInverse(
            back @ made.polynomial @ there,
            made.transition,
            made.before @ there,
            made.after @ there,
            back @ made.output,
        )


def _side_by_side(plant: Plant, order: int, dt: float, band: float) -> DynamicInverse:
    """Inverses of the channels alone, together."""
    b, c, d = (np.asarray(x) for x in (plant.b, plant.c, plant.d))
    parts = [
        dynamic_inverse(Plant(plant.a, b[:, [k]], c[[k]], d[[k]][:, [k]]), order, dt, band)
        for k in range(plant.size)
    ]
    polynomial = np.array(
        [np.diag([one.polynomial[k, 0, 0] for one in parts]) for k in range(order + 1)]
    )
    return DynamicInverse(
        polynomial, *(block_diag(*(one[k] for one in parts)) for k in range(1, 5))
    )
