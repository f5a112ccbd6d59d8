"""The domain: everything that a script has defined so far, as a femu Model and the tables of its
tags.

A script may define, analyse, ask and define again. The model is compiled when it is first needed,
and again if a command has changed it since; the state is carried over by the names of nodes,
elements and patterns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.engine.state import State
from femu.model.component import Material, Section
from femu.model.element import Name
from femu.model.loads import Pattern
from femu.model.model import Model
from femu.model.series import Motion
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import HOLDING, chosen
from femu.support.errors import AnalysisError, FemuError, InputError

if TYPE_CHECKING:
    from femu.opensees.front_end.recorders import Recorder
    from femu.opensees.front_end.session import Session

Array = npt.NDArray[np.float64]

DOFS = {
    (1, 1): ("x",),
    (2, 2): ("x", "y"),
    (2, 3): ("x", "y", "rz"),
    (3, 3): ("x", "y", "z"),
    (3, 6): ("x", "y", "z", "rx", "ry", "rz"),
}
"""Directions by (ndm, ndf), in the order of OpenSees' degrees of freedom."""

REFERENCE = "reference"
"""Pattern that holds all loads which grow with the load factor, for displacement and arc-length
control."""


@dataclass
class LoadPattern:
    """A pattern of a script."""

    tag: int
    kind: str
    series: Any = None
    factor: float = 1.0
    direction: str = ""  # of a uniform excitation
    held: float | None = None  # the factor it keeps after loadConst
    nodal: list[tuple[int, str, float]] = field(default_factory=list)
    given: list[tuple[int, list[float]]] = field(default_factory=list)  # as load got them
    member: list[tuple[int, Any]] = field(default_factory=list)
    imposed: dict[tuple[int, str], Any] = field(default_factory=dict)  # a value, or a ground motion
    motions: dict[int, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in the model."""
        return str(self.tag)

    def at(self, t: Any) -> Any:
        """Factor at given times."""
        if self.held is not None:
            return np.full_like(np.asarray(t, dtype=float), self.held)
        if self.series is None:
            return np.zeros_like(np.asarray(t, dtype=float))
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.factor * np.asarray(self.series.at(t), dtype=float)
        if not (np.isfinite(found).all() if found.ndim else math.isfinite(found)):
            raise InputError(
                f"pattern {self.tag}",
                "factor",
                found[~np.isfinite(found)][:1].tolist(),
                "must be finite at the times of the analysis",
                fix="check the values of its timeSeries",
            )
        return found


@dataclass(frozen=True)
class Transformation:
    """A geometric transformation of a script."""

    geometry: str
    vecxz: tuple[float, ...] | None = None
    offset_i: tuple[float, ...] | None = None
    offset_j: tuple[float, ...] | None = None


class Domain:
    """All that a script has defined, and the state of its analysis."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.recorders: dict[int, Recorder] = {}
        self.next_recorder = 0  # tags continue when the model is wiped, as in OpenSees
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.ndm, self.ndf = 0, 0
        self.model = Model("script")
        self.node_dofs: dict[int, tuple[str, ...]] = {}
        self.node_mass: dict[int, list[float]] = {}
        self.link_mass: dict[int, float] = {}  # of links, which femu puts at their nodes
        # displacement and velocity that a node begins with
        self.begin: dict[tuple[int, str], tuple[float, float]] = {}
        self.materials: dict[int, Material] = {}
        self.sections: dict[int, Any] = {}
        self.section_open: int | None = None
        self.transformations: dict[int, Transformation] = {}
        self.integrations: dict[int, Any] = {}
        self.series: dict[int, Any] = {}
        self.patterns: dict[int, LoadPattern] = {}
        self.pattern_open: int | None = None
        self.regions: dict[int, tuple[list[int], list[int]]] = {}
        self.kinds: dict[int, str] = {}  # kind of each element as the script named it
        # elements that take part in stiffness-proportional damping
        self.asked_damping: dict[int, bool] = {}
        self.parameters: dict[int, list[str]] = {}
        self.changed: dict[str, float] = {}  # parameters that a script has set, by name
        self.early_time = 0.0  # set before there is an element
        self.modal_ratios: tuple[float, ...] = ()
        self.modes: Any = None
        self.eigenvalues: list[float] = []
        self.reacting: Any = None  # state at the last call of reactions
        self.reacting_too: Any = None  # damping and inertia that it adds, by degree of freedom
        self.tests: dict[int | None, Any] = {}
        self.test_tag: int | None = None
        # places of nodal values in the state, as far as asked
        self.places: dict[tuple[str, int, int], int] = {}
        self._program: Program | None = None
        self._state: State | None = None
        self._stale = self._rebuilt = True

    # --- defining ---

    def define(
        self, what: str, table: dict[int, Any], tag: int, value: Any, reader: Reader
    ) -> None:
        """Put something under a tag that must be free."""
        if tag in table:
            raise reader.error(f"there is already a {what} with tag {tag}.")
        table[tag] = value

    def find(self, what: str, table: dict[int, Any], tag: int, reader: Reader) -> Any:
        """What is under a tag."""
        if tag not in table:
            known = ", ".join(str(t) for t in list(table)[:12]) or "none"
            raise reader.error(f"there is no {what} with tag {tag}. Tags so far: {known}.")
        return table[tag]

    def node(self, tag: int, reader: Reader) -> tuple[str, ...]:
        """Directions of a node."""
        return self.find("node", self.node_dofs, tag, reader)

    def element(self, tag: int, reader: Reader) -> Any:
        """An element by its tag."""
        return self.find("element", self.model.elements, tag, reader)  # type: ignore[arg-type]

    def material(self, tag: int, reader: Reader) -> Material:
        """A uniaxial material by its tag."""
        return self.find("uniaxialMaterial", self.materials, tag, reader)

    def section(self, tag: int, reader: Reader) -> Section:
        """A section by its tag, as femu has it."""
        recipe = self.find("section", self.sections, tag, reader)
        return recipe.made(reader) if hasattr(recipe, "made") else recipe

    def direction(self, node: int, dof: int, reader: Reader) -> str:
        """Name of a degree of freedom, which a script numbers from 1."""
        names = self.node(node, reader)
        if not 1 <= dof <= len(names):
            raise reader.error(
                f"dof = {dof} must lie between 1 and {len(names)}, the ndf of node {node}."
            )
        return names[dof - 1]

    def mass_of(self, node: int) -> None:
        """Give a node in the model its own masses, and its halves of those of links."""
        names = self.node_dofs[node]
        values = list(self.node_mass.get(node, [0.0] * len(names)))
        for tag, mass in self.link_mass.items():
            if tag in self.model.elements and node in self.model.elements[tag].nodes:
                values = [
                    v if d.startswith("r") else v + 0.5 * mass
                    for v, d in zip(values, names, strict=True)
                ]
        found = self.model.nodes[node].mass
        found.clear()
        found.update({d: v for d, v in zip(names, values, strict=True) if v != 0.0})
        self.touch()

    # --- compiling ---

    def tied(self) -> set[Name]:
        """Nodes that move as others do, or whom others follow."""
        return {n for a, b, _ in (*self.model.equal, *self.model.diaphragms) for n in (a, b)} | {
            n for pair in self.model.links for n in pair
        }

    @contextmanager
    def recorded_first(self) -> Iterator[None]:
        """Let recorders take the steps so far before the model changes.

        What one cannot write is raised after the change.
        """
        problem = None
        if self.session is not None:
            try:
                self.session.flush()
            except FemuError as found:
                problem = found
        try:
            yield
        except FemuError as refused:
            if problem is not None:
                raise problem from refused  # the rows are gone; the command can be given again
            raise
        if problem is not None:
            raise problem

    def touch(self) -> None:
        """Say that the model has changed, so that it is compiled again before it is used."""
        self.touch_loads()
        self._rebuilt = True

    def touch_loads(self) -> None:
        """Say that the load patterns have changed, and nothing else."""
        if self.session is not None:
            self.session.end()
        self._stale = True
        self.places = {}

    @property
    def compiled(self) -> bool:
        """Whether there is a program that fits the model."""
        return not self._stale

    @property
    def program(self) -> Program:
        """The program of the model as it now is."""
        if self._stale:
            self._compile()
        assert self._program is not None
        return self._program

    @property
    def reached(self) -> State | None:
        """The state reached so far, as of the last compiled program: None before there is one."""
        return self._state

    @property
    def state(self) -> State:
        """The state reached, of the model as it now is."""
        if self._stale:
            self._compile()
        assert self._state is not None
        return self._state

    def _compile(self) -> None:
        model = self.model
        model.patterns = {}
        for node in model.nodes.values():
            node.motion = {}
        for pattern in self.patterns.values():
            made = model.patterns[pattern.name] = Pattern(pattern.name)
            for tag, direction, value in pattern.nodal:
                made.add_nodal(tag, {direction: value})
            made.member = list(pattern.member)
            for tag, direction in pattern.imposed:
                model.nodes[tag].motion[direction] = _PLACEHOLDER
        model.patterns[REFERENCE] = Pattern(REFERENCE)
        self._drop_unused_loads()
        program = None
        if self._program is not None and not self._rebuilt:
            program = self._program.reloaded(model)
        if program is None:
            program = self._compiled(model)
        self._rebuilt = False
        for name, value in self.changed.items():
            if name in program.parameters:
                program.parameters[name] = value
        state = program.state()
        old = self._program.numbering.place if self._program is not None else {}
        for dof, (u, v) in self.begin.items():
            at = program.numbering.place.get(dof)
            if at is not None and dof not in old:
                state.vector[program.layout.u + at] = u
                state.vector[program.layout.v + at] = v
        if self._state is not None:
            carry(self._state, state)
        else:
            state.vector[program.layout.time] = self.early_time
        self._program, self._state, self._stale = program, state, False
        self.places = {}

    def _compiled(self, model: Model) -> Program:
        """The program of a model: a node that is fixed does not follow others, unless the
        constraints of the script hold both."""
        equal = model.equal
        model.fixed_may_follow = chosen.constraints not in HOLDING
        if chosen.constraints not in HOLDING:
            model.equal = [
                (a, b, left)
                for a, b, directions in equal
                if (left := tuple(d for d in directions if d not in model.nodes[b].fixed))
            ]
        try:
            return Program(model)
        finally:
            model.equal = equal

    def _drop_unused_loads(self) -> None:
        """Leave out loads on directions that are fixed and that no element uses.

        They act on nothing.
        """
        on_fixed = [
            (pattern, dof)
            for pattern in self.model.patterns.values()
            for dof in pattern.nodal
            if dof[1] in self.model.nodes[dof[0]].fixed
        ]
        if on_fixed:
            coordinates = {n.name: n.coordinates for n in self.model.nodes.values()}
            used = {
                d
                for element in self.model.elements.values()
                for d in element.plan(coordinates).dofs
            }
            for pattern, dof in on_fixed:
                if dof not in used:
                    del pattern.nodal[dof]

    def restart(self) -> None:
        """Go back to the virgin state at time zero."""
        if self.session is not None:
            self.session.end()
        if self._state is not None:
            self._state.vector[:] = 0.0


# marks a degree of freedom; a session says how it moves
_PLACEHOLDER = Motion(1.0, displacement=[0.0, 0.0, 0.0])


def carry(old: State, new: State) -> None:
    """Copy all that two states share: by the names of nodes, patterns and elements."""
    a, b = old.program, new.program
    source, target = old.vector, new.vector
    target[b.layout.time] = source[a.layout.time]
    target[b.layout.energy : b.layout.factors] = source[a.layout.energy : a.layout.factors]
    rows = {name: row for row, name in enumerate(a.pattern_names)}
    for row, name in enumerate(b.pattern_names):
        if name in rows:
            target[b.layout.factors + row] = source[a.layout.factors + rows[name]]
    if a.numbering is b.numbering:  # the same program with other patterns
        target[b.layout.u :] = source[a.layout.u :]
        return
    places = a.numbering.place
    shared = [(places[dof], place) for dof, place in b.numbering.place.items() if dof in places]
    if shared:
        there, here = np.array(shared).T
        for start in ("u", "v", "a", "internal", "damping"):
            target[getattr(b.layout, start) + here] = source[getattr(a.layout, start) + there]
    for element, plan in b.plans.items():
        if element in a.plans and a.plans[element].state == plan.state:
            begin, to = (
                a.layout.elements + a.element_state(element)[0],
                b.layout.elements + b.element_state(element)[0],
            )
            target[to : to + len(plan.state)] = source[begin : begin + len(plan.state)]


@contextmanager
def kept_finite(state: State) -> Iterator[None]:
    """Leave a state as it was if it ends with a number that is not finite, and name the element
    that has it."""
    before = state.vector.copy()
    yield
    if np.isfinite(state.vector).all():
        return
    place = int(np.flatnonzero(~np.isfinite(state.vector))[0]) - state.program.layout.elements
    state.vector[:] = before
    begins = {name: state.program.element_state(name)[0] for name in state.program.plans}
    of = [
        name
        for name, begin in begins.items()
        if begin <= place < begin + len(state.program.plans[name].state)
    ]
    raise AnalysisError(
        f"element {of[0]} has a force or a stiffness that is not finite: check its numbers."
        if of
        else "a displacement or a force is not finite: check the numbers of the model."
    )


def tags(items: Iterable[int]) -> list[int]:
    """Tags in ascending order, as OpenSees lists them."""
    return sorted(items)


domain = Domain()
"""The one domain of the process, as in openseespy."""


def started(reader: Reader) -> None:
    """Raise if no model has been started."""
    if not domain.ndm:
        raise reader.error(
            "there is no model yet: call model('basic', '-ndm', 2, '-ndf', 3) first."
        )
