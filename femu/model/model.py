"""The model: nodes, elements, constraints, loads and damping, as an ordinary object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from femu.model.damping import ModalDamping, Rayleigh
from femu.model.element import TRANSLATIONS, Element, Name, dof_names
from femu.model.loads import DistributedLoad, Pattern, PointLoad, UniformLoad
from femu.model.node import Node
from femu.model.parameters import finite
from femu.model.series import Motion, Series
from femu.support import hooks
from femu.support.arguments import typed
from femu.support.errors import InputError, ModelError, shown
from femu.support.printable import printable

if TYPE_CHECKING:
    from femu.check import Finding
    from femu.engine.program import Program

DEFAULT_PATTERN = "loads"
GROUND = {"x": "ground.x", "y": "ground.y", "z": "ground.z"}
"""Patterns of uniform base excitation, in every program as far as it has the direction; their loads
are made when a run begins."""


class Model:
    """A frame or truss model: in the plane, in space (``dimensions=3``), or along a line
    (``dimensions=1``).

    ::

        frame = Model("portal")
        frame.node("A", 0.0, 0.0, fixed=True)
        frame.node("C", 0.0, 3.6, mass=(30e3, 30e3, 0.0))
        frame.add(ForceBeamColumn("left", "A", "C", section=column))

    In the plane global x points right, y up, rotations counterclockwise; the directions are "x",
    "y", "rz". In space they are "x", "y", "z", "rx", "ry", "rz", right-handed, and a node has three
    coordinates; on a line "x". A node has those degrees of freedom that something uses: a node
    with trusses only has no rotations to fix. Any consistent units. A model may
    be changed at any time; analyses work on what `compile` makes of it.
    """

    def __init__(self, name: str = "model", dimensions: int = 2) -> None:
        if not isinstance(name, str):
            raise InputError("model", "name", name, "must be a text")
        if (
            isinstance(dimensions, bool)
            or not isinstance(dimensions, int)
            or dimensions not in (1, 2, 3)
        ):
            raise InputError(
                f"model {name!r}",
                "dimensions",
                dimensions,
                "must be 1, 2 or 3",
                "2 is a plane model, 3 one in space",
            )
        self.name = name
        self.dimensions = dimensions
        self.dof_names = dof_names(dimensions)
        """Directions of a node in this model."""
        self.nodes: dict[Name, Node] = {}
        self.elements: dict[Name, Element] = {}
        self.patterns: dict[str, Pattern] = {}
        self.equal: list[tuple[Name, Name, tuple[str, ...]]] = []
        self.links: list[tuple[Name, Name]] = []
        # a node that is fixed in some directions follows a rigid link in the others: set by the
        # OpenSees front end
        self.fixed_may_follow = False
        # node, one that follows it, axis normal to the floor
        self.diaphragms: list[tuple[Name, Name, str]] = []
        self.damping: Rayleigh | None = None
        self.modal: ModalDamping | None = None

    # --- nodes ---

    def node(
        self,
        name: Name,
        x: float,
        y: float | None = None,
        z: float | None = None,
        *,
        fixed: bool | str | Iterable[str] = False,
        mass: float | Iterable[float] | None = None,
    ) -> Node:
        """Add a node at (x, y), in space at (x, y, z). ``fixed``: True for all directions, or names
        such as ``"xy"`` or ``("x", "rz")``. ``mass``: see `mass`.
        """
        what = f"node {name!r}"
        _check_name(what, name)
        if name in self.nodes:
            raise ModelError(
                f"{what} is already in model {self.name!r}. Give every node its own name."
            )
        coordinates = (x, y, z)[: self.dimensions]
        for axis, value in zip(TRANSLATIONS, coordinates, strict=False):
            if not finite(value):
                raise InputError(what, axis, value, "must be a finite number")
        for axis, value in zip(
            TRANSLATIONS[self.dimensions :], (x, y, z)[self.dimensions :], strict=True
        ):
            if value is not None:
                raise InputError(
                    what,
                    axis,
                    value,
                    f"must be omitted in a model of {self.dimensions} dimensions",
                    fix="use Model(dimensions=3) for a model in space",
                )
        self.nodes[name] = Node(name, np.array(coordinates, dtype=float))
        try:
            if fixed is not False:
                self.nodes[name].fixed |= set(self._directions(what, fixed, "fixed"))
            if mass is not None:
                self.mass(name, mass)
        except InputError:
            del self.nodes[name]
            raise
        return self.nodes[name]

    def fix(self, node: Name, directions: bool | str | Iterable[str] = True) -> None:
        """Hold a node in the given directions; True holds them all."""
        self._node(node, "fix").fixed |= set(self._directions(f"node {node!r}", directions))

    def mass(self, node: Name, mass: float | Iterable[float]) -> None:
        """Set the mass of a node: one number for all translations, or one for each, or also the
        rotational inertias.

        In the plane (x, y) or (x, y, rz), in space (x, y, z) or (x, y, z, rx, ry, rz).
        """
        found = self._node(node, "mass")
        count = self.dimensions
        values = (
            list(mass)
            if isinstance(mass, Iterable)
            else [mass] * count + [0.0] * (len(self.dof_names) - count)
        )
        if len(values) not in (count, len(self.dof_names)) or not all(
            finite(value) for value in values
        ):
            translations, all_dofs = ", ".join(self.dof_names[:count]), ", ".join(self.dof_names)
            raise InputError(
                f"node {node!r}",
                "mass",
                mass,
                f"must be one number, or ({translations}) or ({all_dofs}), all finite",
            )
        if min(values) < 0.0:
            raise InputError(
                f"node {node!r}",
                "mass",
                mass,
                "must not be negative",
                fix="give the mass, not the weight: weight / g",
            )
        found.mass.update(
            {dof: float(value) for dof, value in zip(self.dof_names, values, strict=False)}
        )

    # --- constraints ---

    def equal_dof(
        self,
        node: Name,
        others: Name | Iterable[Name],
        directions: bool | str | Iterable[str] = True,
    ) -> None:
        """Let other nodes move as ``node`` does, in the given directions."""
        self._node(node, "equal_dof")
        alike = tuple(self._directions("equal_dof", directions))
        followers = _names("equal_dof", "others", others)
        if not alike or not followers:
            raise InputError(
                "equal_dof", "others, directions", (others, directions), "must not be empty"
            )
        for other in followers:
            self._node(other, "equal_dof")
            if other == node:
                raise InputError(
                    "equal_dof", "others", other, "must differ from the node it follows"
                )
        self.equal += [(node, other, alike) for other in followers]

    def rigid_diaphragm(
        self, nodes: Iterable[Name], direction: str = "x", *, normal: str | None = None
    ) -> None:
        """A rigid floor. In the plane: all nodes move alike in ``direction``.

        In space: the nodes move as one rigid body in the plane whose ``normal`` is a global axis,
        "x", "y" or "z". They follow the first one, which may be a separate node at the centre of
        mass (small rotations).
        """
        names = _names("rigid_diaphragm", "nodes", nodes)
        if len(names) < 2:
            raise InputError("rigid_diaphragm", "nodes", nodes, "must be at least two")
        if not isinstance(direction, str):
            raise InputError(
                "rigid_diaphragm",
                "direction",
                direction,
                f"must be one of {self.dof_names[: self.dimensions]}",
            )
        if self.dimensions == 3:
            if not isinstance(normal, str) or normal not in TRANSLATIONS:
                raise InputError(
                    "rigid_diaphragm",
                    "normal",
                    normal,
                    f"must be one of {TRANSLATIONS} in space",
                    fix="give the axis that is normal to the floor",
                )
            for name in names:
                self._node(name, "rigid_diaphragm")
                if name == names[0] and names.count(name) > 1:
                    raise InputError(
                        "rigid_diaphragm", "nodes", name, "must differ from the node it follows"
                    )
            self.diaphragms += [(names[0], other, normal) for other in names[1:]]
            return
        if normal is not None:
            raise InputError(
                "rigid_diaphragm",
                "normal",
                normal,
                "is for models in space",
                fix="give a direction in the plane",
            )
        if direction not in self.dof_names[: self.dimensions]:
            raise InputError(
                "rigid_diaphragm",
                "direction",
                direction,
                f"must be one of {self.dof_names[: self.dimensions]}",
            )
        self.equal_dof(names[0], names[1:], direction)

    def rigid_link(self, node: Name, other: Name) -> None:
        """Let ``other`` move with ``node`` as one rigid body (small rotations)."""
        self._node(node, "rigid_link")
        self._node(other, "rigid_link")
        if other == node:
            raise InputError("rigid_link", "other", other, "must differ from the node it follows")
        self.links.append((node, other))

    # --- elements ---

    def add(self, element: Element) -> Element:
        """Add an element; its nodes must exist."""
        if not isinstance(element, Element):
            raise InputError(
                f"model {self.name!r}",
                "element",
                element,
                "must be an Element",
                fix="use one of femu.elements",
            )
        if element.name in self.elements:
            raise ModelError(
                f"{element.label()} is already in model {self.name!r}. Give every element its own "
                "name."
            )
        _check_name(element.label(), element.name)
        for node in element.nodes:
            self._node(node, element.label())
        self.elements[element.name] = element
        return element

    # --- loads ---

    def pattern(self, name: str, series: Series | None = None) -> Pattern:
        """Add a load pattern; see `femu.model.loads.Pattern` for what its series means."""
        made = Pattern(name, series)
        if name in self.patterns:
            raise ModelError(f"pattern {name!r} is already in model {self.name!r}.")
        if name in GROUND.values():
            raise InputError(
                "pattern",
                "name",
                name,
                "is reserved for uniform base excitation",
                fix="give it another name",
            )
        self.patterns[name] = made
        return made

    def load(
        self,
        node: Name,
        *,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        rx: float = 0.0,
        ry: float = 0.0,
        rz: float = 0.0,
        pattern: str = DEFAULT_PATTERN,
    ) -> None:
        """Add forces (along the global axes) and moments on a node to a pattern, created if it does
        not exist."""
        self._node(node, "load")
        forces = {"x": x, "y": y, "z": z, "rx": rx, "ry": ry, "rz": rz}
        # a bad value must not leave an empty pattern
        Pattern("check").add_nodal(node, forces, self.dof_names)
        self._pattern(pattern).add_nodal(node, forces, self.dof_names)

    def member_load(
        self,
        element: Name,
        load: UniformLoad | PointLoad | DistributedLoad,
        pattern: str = DEFAULT_PATTERN,
    ) -> None:
        """Add a load on a member to a pattern, created if it does not exist."""
        if not _known(element, self.elements):
            raise ModelError(
                f"member_load: there is no element {shown(element)} in model {self.name!r}."
            )
        if not isinstance(load, (UniformLoad, PointLoad, DistributedLoad)):
            raise InputError(
                f"element {element!r}",
                "load",
                load,
                "must be a UniformLoad, PointLoad or DistributedLoad",
            )
        if load.z != 0.0 and self.dimensions != 3:
            raise InputError(
                f"element {element!r}", "load", load, "must have no z in a plane model"
            )
        self._pattern(pattern).member.append((element, load))

    def support_motion(self, node: Name, direction: str, motion: Motion) -> None:
        """Impose a motion on a support; used by transient runs (multi-support excitation)."""
        found = self._node(node, "support_motion")
        if not isinstance(direction, str) or direction not in self.dof_names:
            raise InputError(
                f"node {node!r}", "direction", direction, f"must be one of {self.dof_names}"
            )
        if not isinstance(motion, Motion):
            raise InputError(
                f"node {node!r}",
                "motion",
                motion,
                "must be a Motion",
                fix="use femu.model.series.Motion",
            )
        found.motion[direction] = motion

    # --- damping ---

    def rayleigh(
        self,
        ratio: float | tuple[float, float] | None = None,
        modes: tuple[int, int] = (1, 2),
        *,
        stiffness: str = "initial",
        mass: float = 0.0,
        initial: float = 0.0,
        current: float = 0.0,
        committed: float = 0.0,
    ) -> None:
        """Rayleigh damping, by a ratio at two modes or by its coefficients.

        With ``ratio`` (one for both modes, or one for each) the coefficients of the mass and of the
        chosen ``stiffness`` (initial, current or committed) follow from the frequencies of the
        unstressed model.
        """
        coefficients = {
            "mass": mass,
            "initial": initial,
            "current": current,
            "committed": committed,
        }
        by_coefficients = Rayleigh.by_coefficients(coefficients)
        by_ratios = Rayleigh.by_ratios(0.0 if ratio is None else ratio, modes, stiffness)
        if ratio is not None:
            for name, value in coefficients.items():
                if value:
                    rule = "must not be given together with a ratio"
                    raise InputError("rayleigh", name, value, rule)
        self.damping = by_coefficients if ratio is None else by_ratios

    def modal_damping(self, ratio: float | Iterable[float], modes: int | None = None) -> None:
        """A damping ratio for each of the first modes.

        One number for ``modes`` of them, or a number for each.
        """
        self.modal = ModalDamping.of(ratio, modes)

    # --- use ---

    def compile(self) -> Program:
        """The frozen program that analyses run; see `femu.engine.program.Program`."""
        program: Program = hooks.compile_model(self)
        return program

    def check(self, motion: Series | None = None) -> list[Finding]:
        """Findings in sentences.

        What is wrong, and what looks wrong, also with a ground ``motion`` if given.
        """
        findings: list[Finding] = hooks.check_model(self, motion)
        return findings

    def copy(self) -> Model:
        """A separate model with the same elements, series and motions."""
        made = copy(self)
        made.nodes = {
            name: Node(
                node.name,
                node.coordinates.copy(),
                dict(node.mass),
                set(node.fixed),
                dict(node.motion),
            )
            for name, node in self.nodes.items()
        }
        made.elements = dict(self.elements)
        made.patterns = {
            name: replace(p, nodal=dict(p.nodal), member=list(p.member))
            for name, p in self.patterns.items()
        }
        made.equal, made.links, made.diaphragms = (
            list(self.equal),
            list(self.links),
            list(self.diaphragms),
        )
        return made

    # --- exchange ---

    @typed
    def to_toml(self, path: str | PathLike[str] | None = None) -> str:
        """The model as TOML text, also written to ``path`` if given.

        `from_toml` gives the same model to the last bit.
        """
        if path is not None:
            hooks.write_model(self, path)
        return str(hooks.model_to_toml(self))

    @staticmethod
    @typed
    def from_toml(source: str | PathLike[str]) -> Model:
        """The model of a TOML file, or of a text (a string of more than one line)."""
        text = isinstance(source, str) and "\n" in source
        model: Model = hooks.model_from_toml(source) if text else hooks.read_model(source)
        return model

    @typed
    def to_opensees(
        self,
        path: str | PathLike[str],
        analysis: Any = None,
        motion: Any = None,
        duration: float | None = None,
    ) -> None:
        """Write a script for openseespy.

        The model, and an analysis or a sequence of them; see `femu.opensees.translation.script`.
        """
        hooks.write_opensees(self, path, analysis, motion, duration)

    def _node(self, name: Name, what: str) -> Node:
        if not _known(name, self.nodes):
            known = ", ".join(repr(n) for n in list(self.nodes)[:12])
            raise ModelError(
                f"{what}: there is no node {shown(name)} in model {self.name!r}. Nodes so far: "
                f"{known or 'none'}."
            )
        return self.nodes[name]

    def _directions(
        self, what: str, given: bool | str | Iterable[str], argument: str = "directions"
    ) -> list[str]:
        if given is True:
            return list(self.dof_names)
        if given is False:
            return []
        names = (
            re.findall("r?.", given)
            if isinstance(given, str)
            else given
            if isinstance(given, Iterable)
            else ()
        )
        # "r" alone is the one rotation of the plane
        found = [
            "rz" if self.dimensions == 2 and isinstance(n, str) and n == "r" else n for n in names
        ]
        if not found or any(not isinstance(n, str) or n not in self.dof_names for n in found):
            raise InputError(
                what,
                argument,
                given,
                f"must be True or some of {self.dof_names}",
                fix='give for example "xy" or ("x", "rz")',
            )
        return found

    def _pattern(self, name: str) -> Pattern:
        if not isinstance(name, str) or not name:
            raise InputError(f"model {self.name!r}", "pattern", name, "must be a non-empty string")
        return self.patterns[name] if name in self.patterns else self.pattern(name)

    def _repr_html_(self) -> str:
        return str(hooks.card(self))

    def __repr__(self) -> str:
        kinds: dict[str, int] = {}
        for element in self.elements.values():
            kinds[type(element).__name__] = kinds.get(type(element).__name__, 0) + 1
        members = ", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "no elements"
        loads = f"; patterns: {', '.join(map(printable, self.patterns))}" if self.patterns else ""
        where = {1: " on a line", 2: "", 3: " in space"}[self.dimensions]
        return f"Model({self.name!r}{where}: {len(self.nodes)} nodes, {members}{loads})"


def _check_name(what: str, name: Any) -> None:
    if isinstance(name, bool) or not isinstance(name, (int, str)) or name == "":
        raise InputError(what, "name", name, "must be a whole number or a non-empty string")


def _known(name: Any, names: Mapping[Name, Any]) -> bool:
    return isinstance(name, (int, str)) and not isinstance(name, bool) and name in names


def _names(what: str, argument: str, given: Any) -> list[Name]:
    if isinstance(given, (int, str)):
        return [given]
    names: list[Any] = (
        list(given) if isinstance(given, Iterable) and not isinstance(given, bytes) else [None]
    )
    if not all(isinstance(name, (int, str)) for name in names):
        raise InputError(what, argument, given, "must be names of nodes")
    return names
