"""The program: a model compiled once to flat vectors, integer topology and kernels by address."""

from __future__ import annotations

import hashlib
from copy import copy
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.digest import digest_by_names, layout_digest
from femu.engine.element_tables import ElementTables, begins
from femu.engine.modal import natural_modes
from femu.engine.numbering import Dof, Numbering, number
from femu.engine.parameter_layout import Owned, lay_out_parameters
from femu.engine.state import Layout, State
from femu.engine.workspace import Workspace
from femu.model.element import TRANSLATIONS, TURNED_BY, Element, Name, Plan, dof_names
from femu.model.model import GROUND, Model
from femu.model.parameters import Parameter, ParameterBlock
from femu.model.plan_check import checked_plans
from femu.support.arguments import typed
from femu.support.errors import InputError, ModelError, UnsupportedError, shown
from femu.support.garbage import collector_paused

Array = npt.NDArray[np.float64]
_MASS = Parameter("nodal mass", "mass", 0.0)
_RAYLEIGH = {
    "mass": Parameter("Rayleigh damping, coefficient of the mass", "1/time"),
    "initial": Parameter("Rayleigh damping, coefficient of the initial stiffness", "time"),
    "current": Parameter("Rayleigh damping, coefficient of the current stiffness", "time"),
    "committed": Parameter("Rayleigh damping, coefficient of the committed stiffness", "time"),
}


class Program:
    """A frozen model: topology, names and kernels, a parameter vector, and the layout of its state.

    ``program.parameters["left.section.fy"] = 280e6`` changes a number without compiling again.
    Several programs live side by side; threads may run copies of one state in parallel.
    """

    @typed
    def __init__(self, model: Model) -> None:
        if not model.elements:
            raise ModelError(f"model {model.name!r} has no elements.")
        with collector_paused():
            self._compile(model)
        self._damping(model)
        self._described = self.parameters.vector.copy()

    def _compile(self, model: Model) -> None:
        self.name = model.name
        self.source = model.copy()  # what results keep of the model they came from
        self.dimensions, self.dof_names = model.dimensions, dof_names(model.dimensions)
        self.translations = TRANSLATIONS[: model.dimensions]
        self.coordinates = {n.name: n.coordinates.copy() for n in model.nodes.values()}
        plans = checked_plans(model.elements, self.coordinates, self.dof_names)
        # elements that share a kernel are kept together, in the order in which the kinds first appear
        kinds: dict[int, int] = {}
        for plan in plans.values():
            kinds.setdefault(id(plan.group), len(kinds))
        order = sorted(model.elements, key=lambda n: kinds[id(plans[n].group)])
        self.elements: dict[Name, Element] = {name: model.elements[name] for name in order}
        self.plans = {name: plans[name] for name in order}
        self.pattern_names = [*model.patterns, *(GROUND[d] for d in self.translations)]
        self._imposed = {(n.name, d): m for n in model.nodes.values() for d, m in n.motion.items()}
        self.numbering = self._number(model)
        self.neq, self.ndof = self.numbering.equations, self.numbering.total
        self.sparsity = self.numbering.sparsity
        self.storage = self.sparsity.size
        self._lay_out(model)
        self._loads(model)

    def reloaded(self, model: Model) -> Program | None:
        """The same program with the load patterns that the model has now; None if they load
        other members, or other supports move.

        Everything else of the model must be as it was when it was compiled: it is not looked at
        again.
        """
        loaded = {name for pattern in model.patterns.values() for name, _ in pattern.member}
        moved = {(n.name, d) for n in model.nodes.values() for d in n.motion}
        if loaded != set(self._load_start) or moved != set(self._imposed):
            return None
        made = copy(self)
        made.source = model.copy()
        made.pattern_names = [*model.patterns, *(GROUND[d] for d in self.translations)]
        old = self.layout
        made.layout = Layout.of(
            len(made.pattern_names),
            self.ndof,
            len(self.elements),
            old.elements - old.stiffness,
            old.size - old.elements,
        )
        key = repr((self.digest, made.pattern_names))
        made.digest = made._digest_by_names = hashlib.sha256(key.encode()).hexdigest()[:32]
        made._loads(model)
        return made

    # --- names ---

    def describe(self, parameters: Array | None = None) -> dict[str, Any]:
        """The model as plain data.

        Its TOML text, or the reason why there is none, and the parameters that differ from it.
        """
        values = self.parameters.vector if parameters is None else parameters
        changed = {
            self.parameters.name_at(i): float(values[i])
            for i in np.flatnonzero(values != self._described).tolist()
        }
        try:
            return {"toml": self.source.to_toml(), "changed": changed}
        except (UnsupportedError, InputError) as problem:
            return {"toml": "", "reason": str(problem), "changed": changed}

    def dof(self, node: Name, direction: str) -> int:
        """Place of a degree of freedom in the vectors."""
        try:
            return self.numbering.place[node, direction]
        except (KeyError, TypeError):
            pass
        if not isinstance(node, (int, str)) or node not in self.coordinates:
            raise ModelError(f"there is no node {shown(node)} in {self!r}.")
        if not isinstance(direction, str) or direction not in self.dof_names:
            raise InputError(
                f"node {node!r}", "direction", direction, f"must be one of {self.dof_names}"
            )
        raise ModelError(
            f"node {node!r} has no degree of freedom {direction!r}: no element uses it."
        )

    def element_state(self, name: Name) -> tuple[int, list[str]]:
        """Where an element's state begins among the elements' states, and the names of its
        variables."""
        if not isinstance(name, (int, str)) or name not in self.plans:
            raise ModelError(f"there is no element {shown(name)} in {self!r}.")
        return self._state_start[name], self.plans[name].state

    def state(self) -> State:
        """A virgin state."""
        return State(self)

    def end_loads(self, name: Name) -> list[list[float]] | None:
        """End reactions of an element's member load at factor 1, a row a pattern.

        None if it has no load.
        """
        if name not in self._load_start:
            return None
        start = self._load_start[name]
        return self.member[:, start : start + self.plans[name].end_reactions].tolist()

    @property
    def imposed(self) -> dict[int, Any]:
        """Equations with imposed motion, and the motions."""
        return {self.numbering.place[d]: m for d, m in self._imposed.items()}

    def __repr__(self) -> str:
        return (
            f"Program({self.name!r}: {self.neq} equations, half bandwidth {self.sparsity.band}, "
            f"{len(self.elements)} elements, {len(self.parameters)} parameters, state of "
            f"{self.layout.size} numbers)"
        )

    # --- compiling ---

    def _number(self, model: Model) -> Numbering:
        groups = [plan.dofs for plan in self.plans.values()]
        dofs: dict[Dof, None] = dict.fromkeys(chain.from_iterable(groups))
        for node in model.nodes.values():
            dofs.update({(node.name, d): None for d, m in node.mass.items() if m > 0.0})
        links: dict[Dof, list[tuple[Dof, float]]] = {}
        for master, other, directions in self._rigid(model):
            arm = dict(
                zip(
                    self.translations,
                    self.coordinates[other] - self.coordinates[master],
                    strict=True,
                )
            )
            held = model.nodes[other].fixed if model.fixed_may_follow else frozenset()
            for direction in (d for d in directions if d not in held):
                dof, terms = (other, direction), [((master, direction), 1.0)]
                # displacement by the rotations: theta x arm
                terms += [
                    ((master, about), sign * float(arm.get(along, 0.0)))
                    for about, along, sign in TURNED_BY.get(direction, ())
                    if about in directions
                ]
                if dof in links:
                    raise ModelError(
                        f"node {other!r} follows two rigid links in direction {dof[1]!r}."
                    )
                links[dof] = [(d, f) for d, f in terms if f != 0.0]
                # mass on the follower couples what it follows
                groups.append([dof, *(d for d, _ in links[dof])])
                dofs.update({d: None for d in [dof, *(d for d, _ in links[dof])]})
        parent: dict[Dof, Dof] = {}

        def base(d: Dof) -> Dof:
            while d in parent:
                d = parent[d]
            return d

        for a, b, directions in model.equal:
            for d in directions:
                dofs.update({(a, d): None, (b, d): None})
                if base((b, d)) != base((a, d)):
                    parent[base((b, d))] = base((a, d))
        same = {d: base(d) for d in dofs if base(d) != d}
        fixed: set[Dof] = set()
        for node in model.nodes.values():
            fixed |= {same.get((node.name, d), (node.name, d)) for d in node.fixed}
        for moved in self._imposed:
            if moved not in dofs:
                raise ModelError(
                    f"node {moved[0]!r}, direction {moved[1]!r} has a support motion but no "
                    "element there."
                )
            fixed.discard(same.get(moved, moved))
        followed = set(same.values())
        for linked in links:
            where = f"node {linked[0]!r}, direction {linked[1]!r}"
            if linked in same or linked in followed:
                raise ModelError(f"{where} is in a rigid link and in equal_dof. Use one of them.")
            if linked in fixed:
                raise ModelError(f"{where} is fixed and follows a rigid link. Fix the other node.")
        fixed &= {same.get(d, d) for d in dofs}
        return number(dofs, fixed, same, links, groups, self.coordinates)

    def _rigid(self, model: Model) -> list[tuple[Name, Name, tuple[str, ...]]]:
        """Nodes that follow another as one rigid body, and in which directions."""
        floors = {"x": ("y", "z", "rx"), "y": ("x", "z", "ry"), "z": ("x", "y", "rz")}
        return [
            *((a, b, self.dof_names) for a, b in model.links),
            *((a, b, floors[n]) for a, b, n in model.diaphragms),
        ]

    def _lay_out(self, model: Model) -> None:
        """Parameters, states, loads and tables of the elements."""
        plans = list(self.plans.values())
        states = begins(len(plan.state) for plan in plans)
        self._state_start = dict(zip(self.plans, states.tolist(), strict=False))
        load_end = self._lay_out_loads(model)
        loads = np.array([self._load_start.get(name, 0) for name in self.plans], np.int64)
        masses = self._nodal_masses(model)
        damping = [getattr(model.damping, term) if model.damping else 0.0 for term in _RAYLEIGH]
        rayleigh = Owned("rayleigh.", ParameterBlock(_RAYLEIGH, _RAYLEIGH.values()), damping)
        made = lay_out_parameters(self.elements, [*(mass for mass, _ in masses), rayleigh])
        self.parameters = made.parameters
        tables = ElementTables(plans, self.numbering, made.starts[: len(plans)], states[:-1], loads)
        own = [block.places for block in made.blocks[: len(plans)]]
        of_elements = tables.mass_terms(plans, own, made.starts)
        at_nodes = np.array([place for _, places in masses for place in places], np.int64)
        first = int(made.starts[len(plans)])
        nodal = (at_nodes, at_nodes, first + np.arange(len(at_nodes)), np.ones(len(at_nodes)))
        self._mass_terms = [np.concatenate(both) for both in zip(of_elements, nodal, strict=True)]
        links: list[int] = []
        for place, terms in self.numbering.links.items():
            links += [place, len(terms)]
            for equation, factor in terms:
                links += [equation, len(tables.geometry)]
                tables.geometry.append(factor)
        self.geometry = np.array(tables.geometry or [0.0])
        self.geometry_starts, self.table = tables.geometry_starts, tables.table
        self.integers = tables.integers
        self.sparsity.locate(self.integers, self.table, tables.sizes)
        self.groups = tables.groups
        self.links = np.array(links or [0], dtype=np.int64)
        self.load_size = load_end if self._load_start else 0
        self.load_floats = max(load_end, 1)
        # with room for the stiffness of linked degrees of freedom, if a plan has forgotten it
        self.workspace = max(
            plan.workspace + len(plan.dofs) * (len(plan.dofs) + 1) // 2 for plan in plans
        )
        self.rate_dependent = any(plan.rate_dependent for plan in plans)
        self.reusable_stiffness = all(plan.reusable_stiffness for plan in plans)
        committed = model.damping is not None and (
            model.damping.committed != 0.0
            or (model.damping.ratios is not None and model.damping.stiffness == "committed")
        )
        self.layout = Layout.of(
            len(self.pattern_names),
            self.ndof,
            len(self.elements),
            self.storage if committed else 0,
            int(states[-1]),
        )

    def _nodal_masses(self, model: Model) -> list[tuple[Owned, list[int]]]:
        """The masses of the nodes, and their degrees of freedom."""
        blocks: dict[tuple[str, ...], ParameterBlock] = {}
        found = []
        for node in model.nodes.values():
            used = tuple([d for d in node.mass if (node.name, d) in self.numbering.place])
            if used:
                if used not in blocks:
                    blocks[used] = ParameterBlock(used, [_MASS] * len(used))
                values = [node.mass[d] for d in used]
                places = [self.numbering.place[node.name, d] for d in used]
                found.append((Owned(f"node.{node.name}.mass.", blocks[used], values), places))
        return found

    def _lay_out_loads(self, model: Model) -> int:
        """Where the loads of the loaded elements begin, and where the last one ends."""
        loaded = {name for pattern in model.patterns.values() for name, _ in pattern.member}
        # elements without load share a stretch of zeros at the head of the load vector
        load_end = max(plan.load_size for plan in self.plans.values())
        self._load_start: dict[Name, int] = {}
        for name, plan in self.plans.items() if loaded else ():
            if name in loaded:
                self._load_start[name] = load_end
                load_end += plan.load_size
        return load_end

    @cached_property
    def digest(self) -> str:
        """What identifies the layout of the vectors: names and their order."""
        return layout_digest(self)

    def owns(self, digest: str) -> bool:
        """Whether a file with this digest holds vectors of this program."""
        return digest == self.digest or digest == self._digest_by_names

    @cached_property
    def _digest_by_names(self) -> str:
        return digest_by_names(self)

    def _loads(self, model: Model) -> None:
        count = len(self.pattern_names)
        self.nodal = np.zeros((max(count, 1), self.ndof))
        self.member = np.zeros((max(count, 1), self.load_floats))
        self.series = [model.patterns[name].series for name in model.patterns] + [None] * len(
            self.translations
        )
        for row, name in enumerate(model.patterns):
            pattern = model.patterns[name]
            for (node, direction), value in pattern.nodal.items():
                self.nodal[row, self.dof(node, direction)] += value
            for element, load in pattern.member:
                start, plan = self._load_start[element], self.plans[element]
                self.member[row, start : start + plan.load_size] += self.elements[
                    element
                ].member_load(load, plan)
            self.gather(self.nodal[row])

    def gather(self, force: Array) -> None:
        """Hand the force on linked degrees of freedom to the equations they follow."""
        for place, terms in self.numbering.links.items():
            for equation, factor in terms:
                force[equation] += factor * force[place]

    def mass_matrix(self, p: Array | None = None) -> Any:
        """The mass matrix over all degrees of freedom, as a sparse matrix of the given parameter
        vector."""
        from scipy.sparse import coo_array

        rows, columns, index, factors = self.mass_terms
        values = factors * (self.parameters.vector if p is None else p)[index]
        return coo_array((values, (rows, columns)), shape=(self.ndof, self.ndof)).tocsr()

    @cached_property
    def mass_terms(self) -> tuple[Any, Any, Any, Array]:
        """The mass matrix as a sum.

        Rows, columns, places in the parameter vector, factors; linked ones resolved.
        """
        rows, columns, index, factors = self._mass_terms
        links = self.numbering.links
        if not links:
            return rows, columns, index, factors
        terms = [
            (i, j, index, fi * fj * factor)
            for r, c, index, factor in zip(
                *(part.tolist() for part in self._mass_terms), strict=True
            )
            for i, fi in links.get(r, [(r, 1.0)])
            for j, fj in links.get(c, [(c, 1.0)])
        ]
        table = np.array(terms).reshape(-1, 4)
        rows, columns, index = (table[:, k].astype(np.int64) for k in range(3))
        return rows, columns, index, table[:, 3].copy()

    @cached_property
    def mass_entries(self) -> tuple[Any, Any, Any, Array]:
        """The terms of the mass matrix in its lower triangle over the equations: places, those
        off the diagonal, places in the parameter vector, factors."""
        rows, columns, index, factors = self.mass_terms
        lower = (rows < self.neq) & (columns <= rows)
        rows, columns = rows[lower], columns[lower]
        return (
            self.sparsity.places(rows, columns),
            np.flatnonzero(rows != columns),
            index[lower],
            factors[lower],
        )

    def influence(self, direction: str) -> Array:
        """Displacement of every degree of freedom when the ground moves by 1 in a direction."""
        if not isinstance(direction, str) or direction not in self.dof_names:
            raise InputError(
                "Program.influence", "direction", direction, f"must be one of {self.dof_names}"
            )
        return self._influences[direction].copy()

    @cached_property
    def _influences(self) -> dict[str, Array]:
        return {direction: self._influence(direction) for direction in self.dof_names}

    def _influence(self, direction: str) -> Array:
        r = np.zeros(self.ndof)
        for (_, d), place in self.numbering.place.items():
            if d == direction:
                r[place] = 1.0
        return r

    def _damping(self, model: Model) -> None:
        self.modal_ratios = model.modal.ratios if model.modal else ()
        rayleigh = model.damping
        if rayleigh is not None and rayleigh.ratios is not None:
            run = Workspace(self, self.state())
            squares = natural_modes(self, run, max(rayleigh.modes), tangent=False)[0]
            frequencies = 2.0 * np.pi / (2.0 * np.pi / np.sqrt(squares))
            wi, wj = frequencies[rayleigh.modes[0] - 1], frequencies[rayleigh.modes[1] - 1]
            # ratio = (a / w + b w) / 2 at the two frequencies
            a, b = np.linalg.solve(
                [[1.0 / wi, wi], [1.0 / wj, wj]], 2.0 * np.array(rayleigh.ratios)
            )
            self.parameters.vector[self.parameters.index("rayleigh.mass")] = a
            self.parameters.vector[self.parameters.index(f"rayleigh.{rayleigh.stiffness}")] = b


__all__ = ["Plan", "Program"]
