"""Base of the beam-columns, in the plane and in space.

What they share outside their basic system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from femu.elements.member_loads import MemberLoad, end_reactions
from femu.elements.space_member import (
    member_load_in_space,
    numbers,
    placed,
    plan_in_space,
)
from femu.elements.transformations.frame import (
    BASIC_WORKSPACE,
    END_REACTIONS,
    GEOMETRIES,
    frame_group,
)
from femu.kernels import Kernel
from femu.model.element import (
    Array,
    Element,
    Name,
    Plan,
    Shared,
    chord,
    dimensions,
    shared_by,
)
from femu.model.parameters import nonnegative
from femu.support.errors import InputError

BASIC_NAMES = ("N", "Mi", "Mj")
BASIC_STATE = [*BASIC_NAMES, "k_NN", "k_Ni", "k_Nj", "k_ii", "k_ij", "k_jj", "v_N", "v_i", "v_j"]
"""State of every frame element before its own.

Basic forces, upper triangle of the basic stiffness, deformations.
"""

NO_OFFSET = (0.0, 0.0)

_FAILURES = {
    1: "a section has no answer",
    2: "its flexibility cannot be inverted",
    3: "its state determination does not converge, also not in 64 parts; a softening section may "
    "leave no answer",
}


class FrameElement(Element):
    """A beam-column from node i to node j.

    Basic forces in the plane: N (tension positive) and the end moments Mi, Mj (counterclockwise on
    the member positive), which do work on the elongation and on the end rotations from the chord.
    In space: N, Mz_i, Mz_j, My_i, My_j and T in local axes; ``vecxz`` is a vector in the local x-z
    plane, as in OpenSees: local y is along vecxz x x. The depth of a section lies along local y.
    Left out, ``vecxz`` is level, so that local y points up (global z) and a beam is upright; a
    column, out of plumb by at most 1 in 20, has its depth along global x.

    ``geometry`` is "linear", "p-delta" or "corotational". ``offset_i`` and ``offset_j`` are vectors
    from the node to the end of the flexible part, in global axes. ``mass`` is a mass per length,
    lumped at the ends unless ``consistent_mass``. ``damped=False`` takes the member out of
    stiffness-proportional damping.
    """

    name: Name
    i: Name
    j: Name
    _: KW_ONLY
    geometry: str = "linear"
    vecxz: Sequence[float] | None = None
    offset_i: Sequence[float] = NO_OFFSET
    offset_j: Sequence[float] = NO_OFFSET
    mass: float = nonnegative("mass per length", "mass/length", default=0.0)
    consistent_mass: bool = False
    damped: bool = True

    divisible: ClassVar[bool] = False  # whether its basic kernel can divide its increment

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        for name in ("consistent_mass", "damped"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise InputError(self.label(), name, getattr(self, name), "must be True or False")
        if not isinstance(self.geometry, str) or self.geometry not in GEOMETRIES:
            raise InputError(
                self.label(), "geometry", self.geometry, f"must be one of {tuple(GEOMETRIES)}"
            )
        for name in ("offset_i", "offset_j"):
            if getattr(self, name) is not NO_OFFSET and numbers(getattr(self, name)).shape not in (
                (2,),
                (3,),
            ):
                raise InputError(
                    self.label(),
                    name,
                    getattr(self, name),
                    "must be two finite numbers, three in space",
                    fix="give the offset in global axes",
                )
        if self.vecxz is not None and (numbers(self.vecxz).shape != (3,) or not np.any(self.vecxz)):
            raise InputError(
                self.label(),
                "vecxz",
                self.vecxz,
                "must be three finite numbers, not all zero",
                fix="give a vector in the local x-z plane",
            )
        self.validate_member()

    def validate_member(self) -> None:
        """Rules of the subclass."""

    # --- what a subclass supplies ---

    def basic_kernel(self) -> Kernel:
        """Kernel of the basic system."""
        raise NotImplementedError

    def basic_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        """Integers, constants, names of the state, workspace, and floats of member load.

        ``shared`` keeps what is laid out once for many members.
        """
        raise NotImplementedError

    def basic_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        """What a member load adds to the basic system's load vector."""
        raise NotImplementedError

    def space_kernel(self) -> Kernel:
        """Kernel of the basic system in space."""
        raise NotImplementedError

    def space_plan(
        self, length: float, shared: Shared
    ) -> tuple[list[int], list[float], list[str], int, int]:
        """As `basic_plan`, in space."""
        raise NotImplementedError

    def space_load(self, load: MemberLoad, length: float, plan: Plan) -> Array:
        """As `basic_load`, in space."""
        raise NotImplementedError

    def polar_radius_squared(self) -> float:
        """Rotatory inertia about the axis over mass, both per length, of a member with consistent
        mass; 0 leaves it out."""
        return 0.0

    # --- the rest is common ---

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        if dimensions(self, coordinates) == 3:
            return plan_in_space(self, coordinates)
        if len(self.offset_i) != 2 or len(self.offset_j) != 2:
            raise InputError(
                self.label(),
                "offset_i, offset_j",
                (self.offset_i, self.offset_j),
                "must be two numbers in the plane",
            )
        offsets = [float(v) for v in (*self.offset_i, *self.offset_j)]
        length, cosine, sine = chord(self, coordinates, offsets)
        integers, constants, state, workspace, load = self.basic_plan(
            length, shared_by(coordinates)
        )
        return Plan(
            dofs=[(node, d) for node in self.nodes for d in ("x", "y", "rz")],
            group=frame_group,
            basic=self.basic_kernel(),
            integers=[GEOMETRIES[self.geometry], int(any(offsets)), *integers],
            geometry=[length, 1.0 / length, cosine, sine, *offsets, *constants],
            state=state,
            workspace=BASIC_WORKSPACE + workspace,
            load_size=END_REACTIONS + load,
            damped=self.damped,
            reusable_stiffness=self.geometry != "corotational",
            divisible=self.divisible,
            mass=self._mass_terms(length, cosine, sine),
            basic_forces=BASIC_NAMES,
            frame_dimensions=2,
        )

    def axes(self, coordinates: dict[Name, Array]) -> Array:
        """Local axes of a member in space, a row each."""
        return placed(self, coordinates)[1]

    def _mass_terms(
        self, length: float, cosine: float, sine: float
    ) -> list[tuple[int, int, str, float]]:
        if self.consistent_mass:
            a, b = length / 420.0, length / 6.0
            local = np.array(
                [
                    [2 * b, 0, 0, b, 0, 0],
                    [0, 156 * a, 22 * length * a, 0, 54 * a, -13 * length * a],
                    [0, 22 * length * a, 4 * length**2 * a, 0, 13 * length * a, -3 * length**2 * a],
                    [b, 0, 0, 2 * b, 0, 0],
                    [0, 54 * a, 13 * length * a, 0, 156 * a, -22 * length * a],
                    [
                        0,
                        -13 * length * a,
                        -3 * length**2 * a,
                        0,
                        -22 * length * a,
                        4 * length**2 * a,
                    ],
                ]
            )
            turn = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
            rotation = np.kron(np.eye(2), turn)
            matrix = rotation.T @ local @ rotation
            return [
                (r, c, "mass", float(matrix[r, c]))
                for r in range(6)
                for c in range(6)
                if matrix[r, c] != 0.0
            ]
        return [(d, d, "mass", length / 2.0) for d in (0, 1, 3, 4)]

    def failure(self, workspace: Array) -> str:
        code, iterations, energy, scale = (
            float(v) for v in workspace[BASIC_WORKSPACE : BASIC_WORKSPACE + 4]
        )
        reason = _FAILURES.get(int(code), _FAILURES[1]) if np.isfinite(code) else _FAILURES[1]
        return (
            f"{self.label()} between nodes {self.i!r} and {self.j!r}: {reason} (after "
            f"{int(iterations)} iterations the energy of the error is {energy:.3g}, that of the "
            f"member {scale:.3g})."
        )

    def member_load(self, load: Any, plan: Plan) -> Array:
        if plan.frame_dimensions == 3:
            return member_load_in_space(self, load, plan)
        length = plan.geometry[0]
        return np.concatenate(
            [end_reactions(load, length, "y"), self.basic_load(load, length, plan)]
        )
