"""Setups: from the displacements of an element to the strokes of the actuators, and back.

A setup maps displacements d to strokes ``c = c(d)`` with the Jacobian ``J = dc/dd``. By virtual
work the forces of the actuators act on the element as ``r = J^T f``. Stages are chained with
``>>``: ``Cantilever(3.6) >> ThreeActuators(...)``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import SCALED, different, numbered, rotates
from femu.experimental.errors import BadMeasurement
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
MOST_STROKES = 10_000
NEWTON_ITERATIONS = 30
NEWTON_TOLERANCE = 1e-13  # last correction, as a share of the size of the setup


class Setup:
    """Base of the setups: ``inputs`` displacements of the element, ``outputs`` strokes."""

    inputs: int
    outputs: int
    size = 1.0  # a length by which the corrections of the inverse are judged

    def command(self, displacement: Array) -> Array:
        """Strokes for a displacement of the element."""
        raise NotImplementedError

    def jacobian(self, displacement: Array) -> Array:
        """Derivative of the strokes by the displacements."""
        raise NotImplementedError

    def displacement(self, strokes: Array, near: Array | None = None) -> Array:
        """Displacement of the element for measured strokes: the inverse of `command`, by Newton
        from ``near``.

        Directions that no actuator controls keep the value they have in ``near``.
        """
        d = np.zeros(self.inputs) if near is None else np.array(near, dtype=float)
        if not np.isfinite(strokes).all():
            raise BadMeasurement(
                f"{type(self).__name__}: the strokes {strokes.tolist()} are not finite."
            )
        for _ in range(NEWTON_ITERATIONS):
            change = np.linalg.pinv(self.jacobian(d)) @ (strokes - self.command(d))
            d += change
            if np.abs(change).max(initial=0.0) <= NEWTON_TOLERANCE * self.size:
                return d
        raise BadMeasurement(
            f"{type(self).__name__}: no displacement belongs to the strokes {strokes.tolist()}."
        )

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        """Names of the actuators, from those of the displacements of the element.

        Numbers, unless the setup knows better.
        """
        return numbered(self.outputs)

    def force(self, actuators: Array, displacement: Array) -> Array:
        """Force on the element by the forces of the actuators."""
        return self.jacobian(displacement).T @ actuators

    def stiffness(self, actuators: Array) -> Array:
        """Initial stiffness of the element by that of the actuators."""
        j = self.jacobian(np.zeros(self.inputs))
        return j.T @ actuators @ j

    def stiffness_of_actuators(self, element: Array) -> Array:
        """Stiffness that the actuators feel, at rest, by that of the element."""
        return self._inverse_at_rest.T @ element @ self._inverse_at_rest

    @cached_property
    def _inverse_at_rest(self) -> Array:
        return np.asarray(np.linalg.pinv(self.jacobian(np.zeros(self.inputs))), dtype=float)

    def __rshift__(self, other: Setup) -> Setup:
        return Chain(self, other)


class Linear(Setup):
    """Strokes by a constant matrix, ``c = J d``.

    With the identity, every direction has its own actuator.
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        self.matrix = np.atleast_2d(np.asarray(matrix, dtype=float))
        if self.matrix.ndim != 2 or not np.isfinite(self.matrix).all():
            raise InputError(type(self).__name__, "matrix", matrix, "must be a finite matrix")
        self.outputs, self.inputs = self.matrix.shape
        self._inverse = np.linalg.pinv(self.matrix)

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        """An actuator that moves with one direction only, one to one, has its name.

        The others are numbered.
        """
        made = []
        for row, number in zip(self.matrix, numbered(self.outputs), strict=True):
            used = np.flatnonzero(row)
            made.append(inputs[used[0]] if len(used) == 1 and abs(row[used[0]]) == 1.0 else number)
        return different(made)

    def command(self, displacement: Array) -> Array:
        return self.matrix @ displacement

    def jacobian(self, displacement: Array) -> Array:
        return self.matrix

    def displacement(self, strokes: Array, near: Array | None = None) -> Array:
        d = self._inverse @ strokes
        return d if near is None else near + self._inverse @ (strokes - self.matrix @ near)


class Direct(Linear):
    """No transformation: an actuator for each of some directions of the element (all of them if
    left out)."""

    def __init__(self, size: int, directions: Sequence[int] | None = None) -> None:
        _check_size("Direct", size)
        chosen = range(size) if directions is None else directions
        if not all(0 <= d < size for d in chosen):
            raise InputError(
                "Direct", "directions", directions, f"must be numbers from 0 to {size - 1}"
            )
        super().__init__(np.eye(size)[list(chosen)])
        self._whole = list(chosen) == list(range(size))

    def command(self, displacement: Array) -> Array:
        return displacement.copy() if self._whole else self.matrix @ displacement

    def displacement(self, strokes: Array, near: Array | None = None) -> Array:
        return strokes.copy() if self._whole else super().displacement(strokes, near)

    def force(self, actuators: Array, displacement: Array) -> Array:
        return actuators.copy() if self._whole else self.matrix.T @ actuators

    def stiffness_of_actuators(self, element: Array) -> Array:
        return element if self._whole else super().stiffness_of_actuators(element)


class Scaled(Linear):
    """Similitude: strokes are ``displacement`` times those of the prototype, forces ``force``
    times.

    A half-scale model has displacement=0.5 and force=0.25. Use it as the element's specimen: ``Scaled(3,
    0.5, 0.25) >> rig``.
    """

    def __init__(
        self, size: int, displacement: npt.ArrayLike = 1.0, force: npt.ArrayLike = 1.0
    ) -> None:
        _check_size("Scaled", size)
        for name, given in (("displacement", displacement), ("force", force)):
            if np.shape(given) not in ((), (1,), (size,)):
                raise InputError(
                    "Scaled", name, given, f"must be one number, or one for each of {size} strokes"
                )
        self._displacement = np.broadcast_to(np.asarray(displacement, dtype=float), (size,)).copy()
        self._force = np.broadcast_to(np.asarray(force, dtype=float), (size,)).copy()
        for name, factors in (("displacement", self._displacement), ("force", self._force)):
            if not np.isfinite(factors).all() or np.any(factors == 0.0):
                raise InputError("Scaled", name, factors, "must be numbers other than 0")
        super().__init__(np.diag(self._displacement))

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            f"{name}{SCALED}" if rotates(name) and abs(factor) != 1.0 else name
            for name, factor in zip(inputs, self._displacement, strict=True)
        )

    def command(self, displacement: Array) -> Array:
        return self._displacement * displacement

    def displacement(self, strokes: Array, near: Array | None = None) -> Array:
        return strokes / self._displacement

    def force(self, actuators: Array, displacement: Array) -> Array:
        return actuators / self._force

    def stiffness(self, actuators: Array) -> Array:
        return actuators * self._displacement / self._force[:, None]

    def stiffness_of_actuators(self, element: Array) -> Array:
        return element * self._force[:, None] / self._displacement


class Chain(Setup):
    """One setup after another."""

    def __init__(self, first: Setup, second: Setup) -> None:
        if first.outputs != second.inputs:
            raise InputError(
                "setup",
                "second",
                second,
                f"must take {first.outputs} displacements, as the first gives them",
            )
        self.first, self.second = first, second
        self.inputs, self.outputs = first.inputs, second.outputs

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        return self.second.names(self.first.names(inputs))

    def command(self, displacement: Array) -> Array:
        return self.second.command(self.first.command(displacement))

    def jacobian(self, displacement: Array) -> Array:
        return self.second.jacobian(self.first.command(displacement)) @ self.first.jacobian(
            displacement
        )

    def displacement(self, strokes: Array, near: Array | None = None) -> Array:
        middle = None if near is None else self.first.command(near)
        return self.first.displacement(self.second.displacement(strokes, middle), near)

    def force(self, actuators: Array, displacement: Array) -> Array:
        return self.first.force(
            self.second.force(actuators, self.first.command(displacement)), displacement
        )

    def stiffness(self, actuators: Array) -> Array:
        return self.first.stiffness(self.second.stiffness(actuators))

    def stiffness_of_actuators(self, element: Array) -> Array:
        return self.second.stiffness_of_actuators(self.first.stiffness_of_actuators(element))


class Cantilever(Setup):
    """From the basic system of a beam-column to the tip of a cantilever clamped at end i.

    The element has v = (elongation, rotation at i, rotation at j), rotations from the chord. Seen
    from end i, end j moves by (x along the member, y across it, rotation)::

        small:  x = v_N,   y = -L v_i,                      rotation = v_j - v_i
        exact:  x = (L + v_N) cos v_i - L,   y = -(L + v_N) sin v_i,   rotation = v_j - v_i
    """

    inputs = outputs = 3

    def __init__(self, length: float, exact: bool = False) -> None:
        if not (isinstance(length, (int, float)) and math.isfinite(length) and length > 0.0):
            raise InputError("Cantilever", "length", length, "must be above 0")
        self.length = self.size = float(length)
        self.exact = exact

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        return "x", "y", "rz"

    def command(self, displacement: Array) -> Array:
        longer, at_i, at_j = displacement
        if not self.exact:
            return np.array([longer, -self.length * at_i, at_j - at_i])
        now = self.length + longer
        # 2 sin^2(a/2) keeps the digits that 1 - cos a loses
        return np.array(
            [
                longer * math.cos(at_i) - 2.0 * self.length * math.sin(0.5 * at_i) ** 2,
                -now * math.sin(at_i),
                at_j - at_i,
            ]
        )

    def jacobian(self, displacement: Array) -> Array:
        longer, at_i, _ = displacement
        if not self.exact:
            return np.array([[1.0, 0.0, 0.0], [0.0, -self.length, 0.0], [0.0, -1.0, 1.0]])
        now, c, s = self.length + longer, math.cos(at_i), math.sin(at_i)
        return np.array([[c, -now * s, 0.0], [-s, -now * c, 0.0], [0.0, -1.0, 1.0]])


def _check_size(what: str, size: int) -> None:
    if not 1 <= size <= MOST_STROKES:
        raise InputError(what, "size", size, f"must be a whole number from 1 to {MOST_STROKES}")
