"""The state: one vector that holds everything that changes.

`Layout` is the glossary of the vector. Copying it copies the structure: run on from a copy and the
same bits come out. Vectors over degrees of freedom follow the program's numbering.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.files.hdf5 import opened, put_text, table, text, written_whole
from femu.model.element import Name
from femu.support.arguments import typed
from femu.support.errors import FileError, InputError

if TYPE_CHECKING:
    from femu.engine.program import Program

Array = npt.NDArray[np.float64]
FORMAT = "femu state 1"
ENERGIES = ("input", "kinetic", "damping", "absorbed")


@dataclass(frozen=True)
class Layout:
    """Where things begin in the state vector."""

    time: int  # time (1)
    # work of the loads and supports, kinetic energy, energy damped and absorbed by the elements (4)
    energy: int
    factors: int  # factor of each load pattern (number of patterns)
    u: int  # displacement (degrees of freedom), relative to the ground under uniform excitation
    v: int  # velocity
    a: int  # acceleration
    internal: int  # internal force
    damping: int  # damping force
    axial: int  # axial force of each element in the matrix that was factored last
    stiffness: int  # committed stiffness for damping: a matrix, or nothing if it is not used
    elements: int  # state of the elements, one after the other; see Program.state_names
    size: int

    @classmethod
    def of(cls, patterns: int, dofs: int, members: int, stiffness: int, elements: int) -> Layout:
        """Layout for the given sizes."""
        sizes = (
            1,
            len(ENERGIES),
            patterns,
            dofs,
            dofs,
            dofs,
            dofs,
            dofs,
            members,
            stiffness,
            elements,
        )
        return cls(*accumulate(sizes, initial=0))


class State:
    """Everything that changes in a program, in one vector."""

    def __init__(self, program: Program, vector: Array | None = None) -> None:
        if not hasattr(program, "layout"):
            raise InputError("State", "program", program, "must be a Program")
        if vector is not None and np.shape(vector) != (program.layout.size,):
            raise InputError(
                "State",
                "vector",
                vector,
                f"must be {program.layout.size} numbers, as the program lays them out",
            )
        self.program = program
        self.vector = np.zeros(program.layout.size) if vector is None else vector

    def copy(self) -> State:
        """An independent copy."""
        return State(self.program, self.vector.copy())

    def _part(self, start: int, size: int) -> Array:
        return self.vector[start : start + size]

    @property
    def time(self) -> float:
        """Time reached."""
        return float(self.vector[self.program.layout.time])

    @property
    def energy(self) -> dict[str, float]:
        """Energies so far by name."""
        return dict(
            zip(
                ENERGIES,
                map(float, self._part(self.program.layout.energy, len(ENERGIES))),
                strict=True,
            )
        )

    @property
    def factors(self) -> dict[str, float]:
        """Factor of each load pattern."""
        names = self.program.pattern_names
        return dict(
            zip(names, map(float, self._part(self.program.layout.factors, len(names))), strict=True)
        )

    def displacement(self, node: Name, direction: str) -> float:
        """Displacement (or rotation) of a node."""
        return float(self.vector[self.program.layout.u + self.program.dof(node, direction)])

    def velocity(self, node: Name, direction: str) -> float:
        """Velocity of a node."""
        return float(self.vector[self.program.layout.v + self.program.dof(node, direction)])

    def element(self, name: Name) -> dict[str, float]:
        """State variables of an element by name; basic forces first."""
        start, names = self.program.element_state(name)
        return dict(
            zip(
                names,
                map(float, self._part(self.program.layout.elements + start, len(names))),
                strict=True,
            )
        )

    @typed
    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to an HDF5 file."""
        with written_whole(path) as file:
            self.write(file)

    def write(self, group: Any) -> None:
        """Write the state into an open HDF5 group."""
        put_text(group, "format", FORMAT)
        put_text(group, "program", self.program.digest)
        group.create_dataset("vector", data=self.vector)

    @classmethod
    @typed
    def load(cls, path: str | PathLike[str], program: Program) -> State:
        """Read a state written by `save`; the program must have the same layout."""
        with opened(path, "a femu state") as file:
            return cls.read(file, program, str(path))

    @classmethod
    def read(cls, group: Any, program: Program, path: str = "state") -> State:
        """Read a state from an open HDF5 group."""
        if text(group, "format", path, "") != FORMAT or "vector" not in group:
            raise FileError(path, "is not a femu state")
        vector = np.array(table(group, "vector", path, 1), dtype=float)
        size = (program.layout.size,)
        if vector.shape != size or not program.owns(text(group, "program", path, "")):
            raise InputError(
                f"state in {path}",
                "program",
                program,
                "must be compiled from the model the state belongs to",
                "Nodes, elements, sections and patterns must be the same, in the same order",
            )
        return cls(program, vector)

    def __repr__(self) -> str:
        return f"State(t={self.time:g}, {self.vector.size} numbers, of {self.program!r})"
