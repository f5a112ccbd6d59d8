"""The base of all elements, and what an element hands to the program that compiles it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from femu.kernels import Kernel
from femu.model.component import Component, Itself
from femu.support.errors import InputError, ModelError, UnsupportedError

Array = npt.NDArray[np.float64]
Name = int | str
DOF_NAMES = ("x", "y", "rz")
"""Degrees of freedom of a plane node.

Displacements along the global axes, and the rotation, counterclockwise.
"""
SPACE_DOFS = ("x", "y", "z", "rx", "ry", "rz")
"""Degrees of freedom of a node in space.

Displacements along the global axes, rotations about them by the right hand.
"""
TRANSLATIONS = ("x", "y", "z")
ROTATIONS = ("rx", "ry", "rz")
TURNED_BY = {
    "x": (("ry", "z", 1.0), ("rz", "y", -1.0)),
    "y": (("rz", "x", 1.0), ("rx", "z", -1.0)),
    "z": (("rx", "y", 1.0), ("ry", "x", -1.0)),
}
"""Displacement at the end of an arm by small rotations: (rotation, coordinate of the arm, sign)."""


def dof_names(dimensions: int) -> tuple[str, ...]:
    """Degrees of freedom of a node on a line (1), in the plane (2) or in space (3)."""
    return {1: ("x",), 2: DOF_NAMES, 3: SPACE_DOFS}[dimensions]


Dofs = Mapping[Name, Mapping[str, tuple[Name, str]]]
"""By node and direction the degree of freedom itself, so that elements share it."""


@dataclass
class Plan:
    """Everything the program needs to lay an element out in its vectors.

    Offsets inside ``integers`` are relative: to the element's own integers, parameters and state.
    """

    dofs: list[tuple[Name, str]]  # degrees of freedom, in the order of the element's matrix
    group: Kernel  # kernel that runs many such elements
    basic: Kernel | None  # kernel of the basic system
    integers: list[int]  # own integers, after the common ones
    geometry: list[float]  # constants
    state: list[str]  # names of the state variables; basic forces first
    workspace: int  # floats of workspace, parts included
    load_size: int = 0  # floats of its member load
    end_reactions: int = 3  # how many of them are reactions at its ends
    damped: bool = True  # whether it takes part in stiffness-proportional damping
    rate_dependent: bool = False  # whether its force changes while its displacements do not
    # whether its stiffness follows from its basic stiffness and the axial force in axial0 of the run
    reusable_stiffness: bool = False
    divisible: bool = False  # whether its kernel can divide the increment of a step
    # (row, column, own parameter, factor)
    mass: list[tuple[int, int, str, float]] = field(default_factory=list)
    basic_forces: tuple[str, ...] = ()  # names of the basic forces
    frame_dimensions: int = 0  # of a frame member: 2 in the plane, 3 in space

    def at(self, nodes: Sequence[Name], other: Sequence[Name], known: Dofs) -> Plan:
        """The same plan between other nodes, with what is known of their degrees of freedom."""
        dofs = {a: known[b] for a, b in zip(nodes, other, strict=True)}
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.dofs = [dofs[node][direction] for node, direction in self.dofs]
        return made


class Coordinates(dict[Name, Array]):
    """Coordinates of nodes by name, and what the elements share that are laid out with them."""

    def __init__(self, nodes: dict[Name, Array]) -> None:
        super().__init__(nodes)
        self.shared: Shared = {}


Shared = dict[Hashable, Any]
"""What is laid out once for many elements, by a key of all that it depends on."""


def shared_by(coordinates: dict[Name, Array]) -> Shared:
    """What the elements share that are laid out together; nothing yet if one is laid out alone."""
    return coordinates.shared if isinstance(coordinates, Coordinates) else {}


class Element(Component):
    """Something between nodes.

    Subclasses declare parameters, and lay themselves out with `plan`.
    """

    name: Name

    # whether its force comes from a specimen, so that only a hybrid test can run it
    asks_specimen: ClassVar[bool] = False
    # whether its nodes must be apart
    has_length: ClassVar[bool] = True
    # whether its plan follows from its own attributes and the vector between its two nodes alone,
    # so that elements alike in these are laid out once; a subclass has to say so for itself
    by_chord: ClassVar[bool] = False

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The nodes it connects, in order."""
        raise UnsupportedError(
            f"{type(self).__name__} does not say which nodes it connects. Define the property "
            "`nodes` in the class."
        )

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        """Lay the element out, given the coordinates of the model's nodes."""
        raise UnsupportedError(
            f"{type(self).__name__} has no plan. Define the method `plan` in the class."
        )

    def likeness(self, coordinates: dict[Name, Array]) -> Hashable | None:
        """A key that two elements share only if their plans are equal but for the names of their
        nodes.

        None: the element is laid out by itself.
        """
        if not vars(type(self)).get("by_chord"):
            return None
        i, j = (coordinates[node] for node in self.nodes)
        # the size of the coordinates decides what counts as no length; to a power of 2
        size = max(*map(abs, i.tolist()), *map(abs, j.tolist()))
        own = [
            v if type(v) in _PLAIN else as_key(v) for n, v in vars(self).items() if n not in _PLACE
        ]
        return type(self), (j - i).tobytes(), math.frexp(size)[1], tuple(vars(self)), tuple(own)

    def failure(self, workspace: Array) -> str:
        """Sentence on why its kernel had no answer, from what it left in the workspace."""
        return f"{self.label()} between nodes {', '.join(repr(n) for n in self.nodes)}: its law has no answer."

    def member_load(self, load: Any, plan: Plan) -> Array:
        """What a load on the element adds to its load vector at factor 1."""
        raise InputError(
            self.label(),
            "load",
            load,
            "is not possible on this kind of element",
            fix="put it on the nodes, or on a beam-column",
        )


def chord(
    element: Element, coordinates: dict[Name, Array], offsets: Sequence[float] = (0, 0, 0, 0)
) -> tuple[float, float, float]:
    """Length and direction cosines from the first to the second node, between the ends of rigid
    offsets."""
    if dimensions(element, coordinates) != 2:
        raise ModelError(
            f"{element.label()} can only be used in a plane model: its nodes have two coordinates."
        )
    length, direction = span(
        element, coordinates, np.array([offsets[2] - offsets[0], offsets[3] - offsets[1]])
    )
    return length, float(direction[0]), float(direction[1])


def span(
    element: Element, coordinates: dict[Name, Array], longer: Array | float = 0.0
) -> tuple[float, Array]:
    """Length and unit vector from the first to the second node, in as many dimensions as the nodes
    have.

    ``longer`` is added to the vector between the nodes.
    """
    i, j = element.nodes[:2]
    d = coordinates[j] - coordinates[i] + longer
    length = math.hypot(*d.tolist())
    size = max(*map(abs, coordinates[i].tolist()), *map(abs, coordinates[j].tolist()), 1e-300)
    if length <= 1e-12 * size:
        raise ModelError(
            f"{element.label()} has no length: nodes {i!r} and {j!r} are at the same place. Use a "
            "ZeroLength link, or move a node."
        )
    return length, d / length


_PLACE = ("name", "i", "j")
_PLAIN = frozenset((bool, int, float, str, type(None)))


def as_key(value: Any) -> Hashable:
    """A value as a key: equal numbers, texts and rows of them are equal, other things only equal
    themselves."""
    if type(value) in _PLAIN:
        plain: Hashable = value
        return plain
    if type(value) in (tuple, list):
        return tuple([v if type(v) in _PLAIN else as_key(v) for v in value])
    if type(value) is dict:
        return tuple([(name, as_key(v)) for name, v in value.items()])
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.shape, value.tobytes()
    return Itself(value)


def dimensions(element: Element, coordinates: dict[Name, Array]) -> int:
    """Dimensions of the model of an element."""
    return len(coordinates[element.nodes[0]])
