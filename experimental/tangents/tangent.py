"""Tangent stiffness of a specimen from what was measured.

The interface, and the simplest of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import NotConverged
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
NOISE_FACTOR = 10.0
"""An increment counts where it is this many times the noise (Mosqueda and Ahmadizadeh)."""


def raised(stiffness: Array, initial: Array, share: float) -> Array:
    """The stiffness, with the eigenvalues of K_0^-1 K raised to at least a share.

    K_0 must be positive definite.
    """
    root = np.linalg.cholesky(initial)
    inverse = np.linalg.inv(root)
    shares, directions = np.linalg.eigh(inverse @ (0.5 * (stiffness + stiffness.T)) @ inverse.T)
    if shares[0] >= share:
        return stiffness
    sides = root @ directions
    return np.asarray((sides * np.maximum(shares, share)) @ sides.T, dtype=float)


class TangentEstimator:
    """Estimates the tangent from measured displacements and forces, in the basic system of an
    element.

    ``displacement_noise`` and ``force_noise`` are the standard deviations of the sensors: smaller
    increments say nothing about the stiffness and are left out. Everything that changes is in
    ``state``.
    """

    def __init__(self, *, displacement_noise: float = 0.0, force_noise: float = 0.0) -> None:
        for name, value in (
            ("displacement_noise", displacement_noise),
            ("force_noise", force_noise),
        ):
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0.0):
                raise InputError(type(self).__name__, name, value, "must not be negative")
        self.displacement_noise, self.force_noise = float(displacement_noise), float(force_noise)
        self.updates = 0

    def start(self, initial: Array) -> None:
        """Begin a test with the initial stiffness."""
        self.initial = np.array(initial, dtype=float)
        self.size = len(self.initial)
        self.stiffness = self.initial.copy()
        self._displacement, self._force = np.zeros(self.size), np.zeros(self.size)
        self._remembered: int | None = None
        softest = np.abs(np.linalg.eigvalsh(0.5 * (self.initial + self.initial.T)))
        self.least = NOISE_FACTOR * max(
            self.displacement_noise, self.force_noise / softest[softest > 0.0].min(initial=np.inf)
        )

    def update(
        self, displacement: Array, force: Array, since: tuple[Array, Array] | None = None
    ) -> Array:
        """Take a measurement; returns the tangent. The increment is counted from the last one that
        was large enough.

        ``since`` is the last converged displacement and force, for estimators that count from
        there.
        """
        d, f = displacement - self._displacement, force - self._force
        if np.linalg.norm(d) > self.least and self._learnt(d, f):
            self.updates += 1
            self._displacement, self._force = displacement.copy(), force.copy()
        return self.stiffness

    def _learnt(self, d: Array, f: Array) -> bool:
        answer: Any = self.learn(d, f)
        if not isinstance(answer, (bool, np.bool_)):
            raise NotConverged(
                f"learn of {type(self).__name__} returned {answer!r}; True (the stiffness was "
                "changed) or False was expected."
            )
        return bool(answer)

    def learn(self, d: Array, f: Array) -> bool:
        """Take an increment into the stiffness; False if it says nothing."""
        return False

    def springs_of(self) -> tuple[Array, Array, Array, Array, float, float] | None:
        """What an experimental element needs to estimate the stiffness inside the iterations of a
        step, where it can: coordinates T, T^-T, initial springs, least increments, and the smallest
        and largest share of the initial springs.
        """
        return None

    @property
    def state(self) -> Array:
        """Everything needed to continue."""
        return np.concatenate(
            [
                [float(self.updates)],
                self.stiffness.ravel(),
                self._displacement,
                self._force,
                self._checked_memory(),
            ]
        )

    def _checked_memory(self) -> Array:
        made = np.asarray(self.memory(), dtype=float)
        if self._remembered is None and made.ndim == 1:
            self._remembered = len(made)
        if made.shape != (self._remembered,):
            wanted = "" if self._remembered is None else f", here {self._remembered}"
            raise InputError(
                type(self).__name__,
                "shape of memory()",
                made.shape,
                f"must be that of one vector whose length never changes{wanted}",
                fix="return the same number of values from the start of the test on, with zeros "
                "for what is not known yet, and matrices by ravel()",
            )
        return made

    def restore(self, state: Array) -> None:
        """Continue from a state."""
        n = self.size
        head, k, d, f, rest = np.split(state, np.cumsum([1, n * n, n, n]))
        self.updates, self.stiffness = int(head[0]), k.reshape(n, n).copy()
        self._displacement, self._force = d.copy(), f.copy()
        self.recall(rest)

    def memory(self) -> Array:
        """What a subclass remembers besides the stiffness; of constant length."""
        return np.zeros(0)

    def recall(self, memory: Array) -> None:
        """Take back what `memory` gave."""


def must_estimate(who: str, argument: str, estimator: TangentEstimator) -> None:
    """Raise if the class of an estimator lacks what a test needs of it."""
    kind, base = type(estimator), TangentEstimator
    rule = fix = ""
    if not hasattr(estimator, "displacement_noise"):
        rule = "has not been set up"
        fix = "call super().__init__(displacement_noise=..., force_noise=...) in its constructor"
    elif not isinstance(estimator, InitialTangent) and all(
        getattr(kind, name) is getattr(base, name) for name in ("learn", "update", "springs_of")
    ):
        rule, fix = "does not learn", "define learn(self, d, f) in its class"
    elif kind.memory is not base.memory and kind.recall is base.recall:
        rule = "remembers what a resumed test cannot give back"
        fix = "define recall(self, memory) in its class"
    if rule:
        raise InputError(who, argument, estimator, rule, fix=fix)


class InitialTangent(TangentEstimator):
    """The initial stiffness, never changed."""
