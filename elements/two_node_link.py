"""Link between two separate nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np

from femu.elements.link import Link, oriented, turned, turned_in_plane, turned_in_space
from femu.elements.space_member import numbers
from femu.model.element import Array, Name, span
from femu.support.errors import InputError

VERTICAL = 1e-8  # horizontal part of the unit vector along a link below which it counts as vertical


class TwoNodeLink(Link):
    """Link between two separate nodes with a uniaxial law per direction; OpenSees' ``twoNodeLink``.

    Local x points from node i to node j, local y is a quarter turn counterclockwise from it. With
    the displacements in local axes and the length L ::

        v_x = x_j - x_i,   v_y = y_j - y_i - s L rz_i - (1 - s) L rz_j,   v_rz = rz_j - rz_i

    where s is ``shear_distance``: the place of the shear spring as a share of the length from node
    i. In space it is one number for both planes or one for y and one for z, and v_z = z_j - z_i + s
    L ry_i + (1 - s) L ry_j. ``orient`` is a vector in the local x-y plane, or two vectors, the
    first along local x in place of the line between the nodes, each of three numbers; left out in
    space, local y is horizontal (global z counts as up), and global y for links along z.

    ``p_delta`` adds the moment of the axial force on the relative displacement across the link, d_y
    = y_j - y_i (and d_z). It is given by the shares of N d_y that the ends bear as moments, (at i,
    at j), in space (My at i, My at j, Mz at i, Mz at j); the rest is a couple of shear forces. True
    means shares of 0: shear forces only.
    """

    _: KW_ONLY
    shear_distance: float | Sequence[float] = 0.5
    orient: Sequence[float] | Sequence[Sequence[float]] | None = None
    p_delta: bool | Sequence[float] = False

    by_chord: ClassVar[bool] = True

    def validate_link(self) -> None:
        self._validate_p_delta()
        s = np.atleast_1d(numbers(self.shear_distance))
        if (
            isinstance(self.shear_distance, bool)
            or s.shape not in ((1,), (2,))
            or not ((s >= 0.0) & (s <= 1.0)).all()
        ):
            raise InputError(
                self.label(),
                "shear_distance",
                self.shear_distance,
                "must lie between 0 and 1",
                fix="give a fraction of the length, or in space two of them, for y and z",
            )
        if self.orient is not None and numbers(self.orient).shape not in ((3,), (2, 3)):
            raise InputError(
                self.label(),
                "orient",
                self.orient,
                "must be three finite numbers",
                fix="give a vector in the local x-y plane, or two, the first along local x",
            )

    def _validate_p_delta(self) -> None:
        if isinstance(self.p_delta, (bool, np.bool_)):
            shares: Array = np.zeros(4)
        else:
            shares = numbers(self.p_delta)
            sums = (
                shares.reshape(-1, 2).sum(axis=1)
                if shares.shape in ((2,), (4,))
                else np.array([2.0])
            )
            if (shares < 0.0).any() or (sums > 1.0).any():
                raise InputError(
                    self.label(),
                    "p_delta",
                    self.p_delta,
                    "must be two shares (four in space), none below 0 and those of one axis not "
                    "above 1 together",
                    fix="give the fractions of the moment of the axial force that the ends carry, "
                    "or True",
                )
        if self.p_delta is not False and ("x" not in self.laws or not {"y", "z"} & set(self.laws)):
            raise InputError(
                self.label(),
                "p_delta",
                self.p_delta,
                "needs laws along x and across",
                f"The link has laws for {tuple(self.laws)}",
            )
        for place, direction in ((0, "ry"), (2, "rz")) if len(shares) == 4 else ((0, "rz"),):
            if shares[place : place + 2].any() and direction not in self.laws:
                raise InputError(
                    self.label(),
                    "p_delta",
                    self.p_delta,
                    f"needs a law for {direction}",
                    fix="add that law: the P-Delta moments act on the ends",
                )

    def across(self, coordinates: dict[Name, Array]) -> list[tuple[list[float], list[float]]]:
        if self.p_delta is False:
            return []
        length, direction = span(self, coordinates)
        space = len(direction) == 3
        shares = (
            np.zeros(4 if space else 2)
            if isinstance(self.p_delta, (bool, np.bool_))
            else numbers(self.p_delta)
        )
        if len(shares) != (4 if space else 2):
            raise InputError(
                self.label(),
                "p_delta",
                self.p_delta,
                f"must be {4 if space else 2} shares in this model",
                fix="give two in the plane, four in space",
            )
        if not space and self.orient is not None:
            raise InputError(
                self.label(), "p_delta", self.p_delta, "must be left out with orient in the plane"
            )
        if space:
            axes = oriented(self, *self.orientation(coordinates))
            found = [
                ("y", axes[1], axes[2], 1.0, shares[2:]),
                ("z", axes[2], axes[1], -1.0, shares[:2]),
            ]
        else:
            found = [("y", np.array([-direction[1], direction[0]]), np.ones(1), 1.0, shares)]
        pairs = []
        for name, along, about, sign, (at_i, at_j) in found:
            if name in self.laws:
                none = np.zeros_like(about)
                force = (1.0 - at_i - at_j) / length * along
                pairs.append(
                    (
                        np.concatenate([-along, none, along, none]).tolist(),
                        np.concatenate(
                            [-force, sign * at_i * about, force, sign * at_j * about]
                        ).tolist(),
                    )
                )
        return pairs

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        length, direction = span(self, coordinates)
        shares = np.atleast_1d(np.asarray(self.shear_distance, dtype=float))
        if len(direction) < 3:
            if len(shares) > 1:
                raise InputError(
                    self.label(),
                    "shear_distance",
                    self.shear_distance,
                    "must be one number in the plane",
                )
            if len(direction) == 1:
                return {"x": [-float(direction[0]), float(direction[0])]}
            s = float(shares[0])
            if self.orient is not None:
                axes = oriented(self, *self.orientation(coordinates))
                return turned_in_plane(self, axes, s * length, (1.0 - s) * length)
            return turned(float(direction[0]), float(direction[1]), s * length, (1.0 - s) * length)
        sy, sz = float(shares[0]), float(shares[-1])
        return turned_in_space(
            oriented(self, *self.orientation(coordinates)),
            (sy * length, sz * length),
            ((1.0 - sy) * length, (1.0 - sz) * length),
        )

    def orientation(self, coordinates: dict[Name, Array]) -> tuple[Array, Array]:
        """A vector along local x, and one in the local x-y plane."""
        _, along = span(self, coordinates)
        along = np.concatenate([along, np.zeros(3 - len(along))])
        if self.orient is not None:
            given = np.asarray(self.orient, dtype=float)
            return (along, given) if given.ndim == 1 else (given[0], given[1])
        x, y, _ = along
        return along, np.array([-y, x, 0.0]) if np.hypot(x, y) > VERTICAL else np.array(
            [0.0, 1.0, 0.0]
        )
