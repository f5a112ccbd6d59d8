"""What to save of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from femu.engine.program import Program
from femu.engine.state import ENERGIES
from femu.model.element import Name
from femu.results.member_forces import TURNED
from femu.support.errors import InputError, ModelError

Names = bool | Iterable[Name]


@dataclass(frozen=True)
class Save:
    """What to save: True for all, False for nothing, or the names of nodes or elements.

    Displacements, reactions, basic forces and energies are saved of everything by default,
    velocities and accelerations too. ``sections`` adds section forces and deformations, ``fibres``
    the stress and strain of every fibre, of the named elements. ``every`` n keeps every n-th
    step.
    """

    displacement: Names = True
    velocity: Names = True
    acceleration: Names = True
    reactions: bool = True
    forces: Names = True
    sections: Names = False
    fibres: Names = False
    energy: bool = True
    every: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.every, bool) or not isinstance(self.every, int) or self.every < 1:
            raise InputError("Save", "every", self.every, "must be a whole number of at least 1")
        for name in ("reactions", "energy"):
            if not isinstance(getattr(self, name), bool):
                raise InputError("Save", name, getattr(self, name), "must be True or False")
        for name in ("displacement", "velocity", "acceleration", "forces", "sections", "fibres"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, (bool, Iterable)):
                raise InputError("Save", name, value, "must be True, False or a list of names")
            if not isinstance(value, bool):
                if any(isinstance(one, float) for one in value):
                    raise InputError("Save", name, value, "must be True, False or a list of names")
                object.__setattr__(self, name, tuple(value))

    def nodal_places(self, program: Program, wanted: Names) -> list[int]:
        """Degrees of freedom of the wanted nodes, as places in the vectors."""
        if wanted is True:
            return list(range(program.ndof))
        found: set[int] = set()
        for node in wanted or ():  # False wants none
            if not isinstance(node, (int, str)) or node not in program.coordinates:
                raise ModelError(f"Save: there is no node {node!r} in {program.name!r}.")
            at = [program.numbering.place.get((node, d)) for d in program.dof_names]
            found.update([place for place in at if place is not None])
        return sorted(found)

    def elements(self, program: Program, wanted: Names) -> list[Name]:
        """The wanted elements."""
        if isinstance(wanted, bool):
            return list(program.elements) if wanted else []
        for name in wanted:
            if not isinstance(name, (int, str)) or name not in program.elements:
                raise ModelError(f"Save: there is no element {name!r} in {program.name!r}.")
        chosen = set(wanted)
        return [name for name in program.elements if name in chosen]

    def sectioned(self, program: Program) -> list[Name]:
        """Elements whose section response is wanted."""
        return self._having(
            program,
            self.sections,
            "sections",
            "sections along it",
            lambda name: any(of_section(v) for v in program.plans[name].state),
        )

    def fibred(self, program: Program) -> list[Name]:
        """Elements whose fibre response is wanted."""
        return self._having(
            program,
            self.fibres,
            "fibres",
            "fibre sections",
            lambda name: any(hasattr(part, "groups") for _, part in program.elements[name].parts()),
        )

    def _having(
        self, program: Program, wanted: Names, argument: str, what: str, has: Callable[[Name], bool]
    ) -> list[Name]:
        """The wanted elements that have something.

        True means those that do, a name must be one of them.
        """
        names = self.elements(program, wanted)
        if not isinstance(wanted, bool):
            for name in names:
                if not has(name):
                    raise InputError("Save", argument, name, f"must be an element with {what}")
        return [name for name in names if has(name)]

    def blocks(self, program: Program) -> dict[str, list[int]]:
        """What to record by kind: places in the state vector."""
        layout = program.layout
        held = [p for p in range(program.neq, program.ndof) if p not in program.numbering.links]
        held += sorted(program.imposed)
        blocks = {"time": [layout.time], "factor": list(range(layout.factors, layout.u))}
        for kind, start, wanted in (
            ("u", layout.u, self.displacement),
            ("v", layout.v, self.velocity),
            ("a", layout.a, self.acceleration),
        ):
            blocks[kind] = [start + place for place in self.nodal_places(program, wanted)]
        blocks["internal"] = [layout.internal + place for place in held] if self.reactions else []
        blocks["energy"] = (
            list(range(layout.energy, layout.energy + len(ENERGIES))) if self.energy else []
        )
        basic: list[int] = []
        turned: list[int] = []
        corotated: dict[int, list[int]] = {}  # by the names, which members share
        for name in self.elements(program, self.forces):
            start, variables = program.element_state(name)
            first = layout.elements + start
            basic += range(first, first + len(program.plans[name].basic_forces))
            if id(variables) not in corotated:
                inside = TURNED[-1] in variables
                corotated[id(variables)] = [variables.index(v) for v in TURNED] if inside else []
            turned += [first + v for v in corotated[id(variables)]]
        blocks["basic"] = basic
        if turned:
            blocks["turned"] = turned
        blocks["section"] = []
        chosen: dict[int, list[int]] = {}  # by the names, which members share
        for name in self.sectioned(program):
            start, variables = program.element_state(name)
            if id(variables) not in chosen:
                chosen[id(variables)] = [v for v, n in enumerate(variables) if of_section(n)]
            first = layout.elements + start
            blocks["section"] += [first + v for v in chosen[id(variables)]]
        blocks["fibre"] = []
        for name in self.fibred(program):
            start, variables = program.element_state(name)
            first = layout.elements + start
            blocks["fibre"] += range(first, first + len(variables))
        return blocks


_SECTION_VARIABLES = {
    "axial_strain",
    "curvature",
    "N",
    "M",
    "curvature_z",
    "curvature_y",
    "twist",
    "Mz",
    "My",
    "T",
    "shear_strain",
    "V",
    "shear_strain_y",
    "shear_strain_z",
    "Vy",
    "Vz",
}


def of_section(variable: str) -> bool:
    """Whether a state variable is a force or deformation of a section."""
    return variable.startswith("section[") and variable.rpartition("].")[2] in _SECTION_VARIABLES
