"""The kinds of experimental elements.

On any degrees of freedom, as a truss, as a link, as a beam-column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY

import numpy as np
import numpy.typing as npt

from femu.elements.beam_column import BASIC_NAMES, BASIC_STATE
from femu.elements.link import FORCE_NAMES, turned
from femu.elements.transformations.frame import (
    BASIC_WORKSPACE,
    END_REACTIONS,
    GEOMETRIES,
    frame_group,
)
from femu.experimental.elements.experimental import Experimental
from femu.experimental.elements.measured_law import held_names, measured_law
from femu.model.element import DOF_NAMES, SPACE_DOFS, Name, Plan, chord, dimensions, dof_names
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]


class ExperimentalElement(Experimental):
    """A specimen on any set of degrees of freedom: its deformations are their displacements along
    the global axes.

    ::

        ExperimentalElement("column", [("C", "x"), ("C", "rz")], specimen=EmulatedSpecimen(...))
    """

    dofs: Sequence[tuple[Name, str]]

    @property
    def nodes(self) -> tuple[Name, ...]:
        return tuple(dict.fromkeys(node for node, _ in self.dofs))

    @property
    def basic_size(self) -> int:
        return len(self.dofs)

    @property
    def basic_channels(self) -> tuple[str, ...]:
        several = len({d for _, d in self.dofs}) < len(self.dofs)
        return tuple(f"{d} at {node}" if several else d for node, d in self.dofs)

    def validate_element(self) -> None:
        try:
            pairs = [(node, direction) for node, direction in self.dofs]
        except (TypeError, ValueError):
            pairs = []
        if not pairs or len(set(pairs)) < len(pairs) or any(d not in SPACE_DOFS for _, d in pairs):
            raise InputError(
                self.label(),
                "dofs",
                self.dofs,
                f"must be different pairs of a node and one of {DOF_NAMES}",
                f"In space the second is one of {SPACE_DOFS}",
            )
        self.dofs = pairs

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        known = dof_names(dimensions(self, coordinates))
        if any(d not in known for _, d in self.dofs):
            raise InputError(
                self.label(), "dofs", self.dofs, f"must have directions among {known} in this model"
            )
        return self.link_plan(
            list(self.dofs),
            np.eye(len(self.dofs)),
            [f"{FORCE_NAMES[d]}_{node}" for node, d in self.dofs],
        )


class _BetweenNodes(Experimental):
    """Base of the experimental elements between two nodes."""

    i: Name
    j: Name

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def both(self) -> list[tuple[Name, str]]:
        """Degrees of freedom of both nodes."""
        return [(node, d) for node in self.nodes for d in DOF_NAMES]

    def validate_element(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")


class ExperimentalTruss(_BetweenNodes):
    """A specimen in place of a truss.

    One deformation, the elongation (small displacements), and its axial force.
    """

    @property
    def basic_size(self) -> int:
        return 1

    @property
    def basic_channels(self) -> tuple[str, ...]:
        return ("x",)

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        _, c, s = chord(self, coordinates)
        return self.link_plan(self.both(), np.array([turned(c, s)["x"]]), ["N"])


class ExperimentalLink(_BetweenNodes):
    """A specimen in place of a link: relative displacements in some local ``directions`` among "x",
    "y" and "rz".

    As in `TwoNodeLink`, local x points from node i to node j; with nodes at the same place it is
    turned by ``angle`` from global x.
    """

    directions: Sequence[str] = ("x",)
    _: KW_ONLY
    shear_distance: float = 0.5
    angle: float = 0.0

    @property
    def basic_size(self) -> int:
        return len(self.directions)

    @property
    def basic_channels(self) -> tuple[str, ...]:
        return tuple(self.directions)

    def validate_element(self) -> None:
        super().validate_element()
        given = (self.directions,) if self.directions in DOF_NAMES else tuple(self.directions)
        if not given or len(set(given)) < len(given) or any(d not in DOF_NAMES for d in given):
            raise InputError(
                self.label(),
                "directions",
                self.directions,
                f"must be different ones of {DOF_NAMES}",
            )
        self.directions = given
        for name, low, high in (("shear_distance", 0.0, 1.0), ("angle", -np.inf, np.inf)):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not low <= value <= high
            ):
                raise InputError(
                    self.label(), name, value, f"must be a number from {low:g} to {high:g}"
                )

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        if np.array_equal(coordinates[self.i], coordinates[self.j]):
            rows = turned(float(np.cos(self.angle)), float(np.sin(self.angle)))
        else:
            length, c, s = chord(self, coordinates)
            rows = turned(c, s, self.shear_distance * length, (1.0 - self.shear_distance) * length)
        chosen = np.array([rows[d] for d in self.directions])
        return self.link_plan(self.both(), chosen, [FORCE_NAMES[d] for d in self.directions])


class ExperimentalBeamColumn(_BetweenNodes):
    """A specimen in place of a plane beam-column, with the basic system of `FrameElement`:
    (elongation, rotations from the chord at i and j) and (N, Mi, Mj). ``geometry`` is "linear",
    "p-delta" or "corotational".

    A laboratory mostly clamps end i and moves end j: see `femu.experimental.Cantilever` for that
    setup.
    """

    _: KW_ONLY
    geometry: str = "linear"

    @property
    def basic_size(self) -> int:
        return len(BASIC_NAMES)

    @property
    def basic_channels(self) -> tuple[str, ...]:
        return "x", "rz at i", "rz at j"

    def validate_element(self) -> None:
        super().validate_element()
        if self.geometry not in GEOMETRIES:
            raise InputError(
                self.label(), "geometry", self.geometry, f"must be one of {tuple(GEOMETRIES)}"
            )

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        length, cosine, sine = chord(self, coordinates)
        return Plan(
            dofs=self.both(),
            group=frame_group,
            basic=measured_law,
            integers=[GEOMETRIES[self.geometry], 0, *self.kernel_integers()],
            geometry=[length, 1.0 / length, cosine, sine, 0.0, 0.0, 0.0, 0.0],
            state=BASIC_STATE + held_names(self.basic_size),
            workspace=BASIC_WORKSPACE,
            load_size=END_REACTIONS,
            damped=self.damped,
            rate_dependent=True,
            basic_forces=BASIC_NAMES,
            frame_dimensions=2,
        )
