"""Supports and constraints of a model, as OpenSees takes them.

In a program of femu a degree of freedom may follow others that follow others again. OpenSees'
handler of constraints takes one constraint per node, of a node that follows none, and computes
something else without a word if there are more. So each node gets one constraint of the node that
leads in the end; if none of OpenSees' own has the same meaning, the model is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from femu.engine.numbering import Dof
from femu.engine.program import Program
from femu.model.element import TRANSLATIONS, TURNED_BY, Name
from femu.model.model import Model
from femu.opensees.translation.command_list import CommandList, Untranslatable
from femu.support.errors import shown

NORMALS = {"x": 1, "y": 2, "z": 3}
FLOORS = {"x": ("y", "z", "rx"), "y": ("x", "z", "ry"), "z": ("x", "y", "rz")}
ROUND_OFF = 1e-12
Terms = dict[Dof, float]


class Constraints:
    """Which degrees of freedom are held, and the command for each node that follows another."""

    def __init__(self, model: Model, program: Program) -> None:
        self.model, self.program = model, program
        numbering = program.numbering
        moved = {
            numbering.place[node.name, d]: (node.name, d)
            for node in model.nodes.values()
            for d in node.motion
        }
        leaders = [moved.get(p, dof) for p, dof in enumerate(numbering.representative)]
        self._held: set[Dof] = set()
        follows: dict[Name, dict[str, Terms]] = {}
        for dof, place in numbering.place.items():
            terms = {
                leaders[p]: factor
                for p, factor in numbering.links.get(place, [(place, 1.0)])
                if p < program.neq or p in moved
            }
            if not terms:
                self._held.add(dof)
            elif terms != {dof: 1.0}:
                follows.setdefault(dof[0], {})[dof[1]] = terms
        self._commands: dict[Name, tuple[list[Any], tuple[str, ...]]] = {}
        for node, rows in follows.items():
            self._commands[node] = self._command(node, rows, follows)
        self.nodes = {
            name for node, ((_, leader, *_), _) in self._commands.items() for name in (node, leader)
        }
        """Nodes that follow or lead: OpenSees has no reactions of theirs."""

    def fixed(self, node: Name, direction: str) -> bool:
        """Whether a degree of freedom of a node must be fixed: it is held, or nothing uses it."""
        if (node, direction) in self._held or (node, direction) not in self.program.numbering.place:
            return node not in self._commands or direction not in self._commands[node][1]
        return False

    @property
    def rigid(self) -> list[Name]:
        """Nodes that follow another as a rigid body."""
        return [node for node, ((kind, *_), _) in self._commands.items() if kind != "equalDOF"]

    def write(self, book: CommandList, tags: Mapping[Name, int]) -> None:
        """Write one constraint for each node that follows another."""
        order = ("equalDOF", "rigidDiaphragm", "rigidLink")
        for node, ((kind, leader, *rest), _) in sorted(
            self._commands.items(), key=lambda item: order.index(item[1][0][0])
        ):
            pair = [tags[leader], tags[node]]
            book.write(kind, *([*pair, *rest] if kind == "equalDOF" else [*rest, *pair]))

    def _command(
        self, node: Name, rows: Mapping[str, Terms], follows: Mapping[Name, Any]
    ) -> tuple[list[Any], tuple[str, ...]]:
        """The constraint that has the meaning of some rows, and the directions that it covers."""
        leaders = list(dict.fromkeys(name for terms in rows.values() for name, _ in terms))
        if len(leaders) > 1:
            self._refuse(node, f"nodes {' and '.join(map(shown, leaders))} at once")
        leader, directions = leaders[0], tuple(self.model.dof_names)
        if leader in follows:
            self._refuse(node, f"node {shown(leader)}, which follows another one itself")
        if self.model.nodes[node].motion:
            self._refuse(node, f"node {shown(leader)} and has a motion of its own")
        if all(terms == {(leader, d): 1.0} for d, terms in rows.items()):
            return ["equalDOF", leader, *(directions.index(d) + 1 for d in rows)], tuple(rows)
        rigid: list[tuple[list[Any], tuple[str, ...]]] = [
            (["rigidLink", leader, "beam"], directions)
        ]
        if self.model.dimensions == 3:
            rigid += [(["rigidDiaphragm", leader, NORMALS[n]], FLOORS[n]) for n in FLOORS]
        for command, covered in rigid:
            if set(rows) <= set(covered) and self._is_rigid(node, leader, rows, covered):
                if any((leader, d) in self._held for d in covered):
                    self._refuse(node, f"node {shown(leader)} as a rigid body and that one is held")
                return command, covered
        self._refuse(node, f"node {shown(leader)} by several constraints in a row")

    def _is_rigid(
        self, node: Name, leader: Name, rows: Mapping[str, Terms], covered: Iterable[str]
    ) -> bool:
        """Whether rows are those of a body that is rigid in the directions ``covered``."""
        axes, coordinates = TRANSLATIONS[: self.model.dimensions], self.program.coordinates
        arm = dict(zip(axes, coordinates[node] - coordinates[leader], strict=True))
        reach = ROUND_OFF * (1.0 + max(map(abs, arm.values())))
        for d in covered:
            row = {(leader, d): 1.0}
            for about, along, sign in TURNED_BY.get(d, ()):
                if about in covered:
                    row[leader, about] = sign * float(arm.get(along, 0.0))
            given = rows.get(d, {})
            if not given and (node, d) not in self._held:
                return False
            free = {dof for dof in row if dof in self.program.numbering.place} - self._held
            dofs = free | set(given)
            if any(
                abs((row.get(dof, 0.0) if dof in free else 0.0) - given.get(dof, 0.0)) > reach
                for dof in dofs
            ):
                return False
        return True

    def _refuse(self, node: Name, what: str) -> NoReturn:
        raise Untranslatable(
            f"node {shown(node)} follows {what}, which OpenSees' handler of constraints does not "
            "take. Let it follow one node that follows none."
        )
