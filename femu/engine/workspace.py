"""The vectors of one analysis of one program, and the fields through which kernels reach them.

Each run has vectors of its own, so several may run at once in threads: the kernels release the
lock.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.engine import ldlt
from femu.engine.element_kernels import EVALUATE, FORM, STEP_FLOATS
from femu.engine.field_kinds import Vector
from femu.engine.residual import damping_kernel, determine_kernel, loads_kernel, matrix_kernel
from femu.engine.run_fields import Run
from femu.engine.state import State
from femu.kernels import Kernel
from femu.support.errors import AnalysisError, InputError

if TYPE_CHECKING:
    from femu.engine.program import Program

Array = npt.NDArray[np.float64]
_ALIGNMENT = 64
_LINE = 8  # floats of a cache line
# fields that lie in the state vector, and where they begin there
_STATE = tuple(
    (Run.declared[name].slot, part)
    for name, part in {
        "time": "time",
        "energy": "energy",
        "load_factors0": "factors",
        "u0": "u",
        "v0": "v",
        "a0": "a",
        "internal0": "internal",
        "damping0": "damping",
        "axial0": "axial",
        "elements0": "elements",
    }.items()
)


def address(array: npt.NDArray[Any]) -> int:
    """Where an array's data begin; several times faster than ``array.ctypes.data``."""
    return int(array.__array_interface__["data"][0])


def aligned(size: int) -> Array:
    """Zeros that begin at a cache line."""
    raw = np.zeros(size + _ALIGNMENT // 8)
    shift = (-address(raw)) % _ALIGNMENT // 8
    return raw[shift : shift + size]


def _checked(program: Program, parameters: Array) -> Array:
    try:
        vector = np.ascontiguousarray(parameters, dtype=float)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != program.parameters.vector.shape or not np.isfinite(vector).all():
        raise InputError(
            "analysis",
            "parameters",
            parameters,
            f"must be {len(program.parameters)} finite numbers, as program.parameters.vector",
        )
    return vector


class Workspace:
    """Vectors and fields of one analysis, working on ``state`` in place."""

    def __init__(self, program: Program, state: State, parameters: Array | None = None) -> None:
        self.program = program
        self.parameters = (
            program.parameters.vector if parameters is None else _checked(program, parameters)
        )
        self.fields = fields = Run()
        """Through them kernels reach the vectors; they keep what they are given."""
        p, layout = program, program.layout
        # after the matrix: a place for what belongs to fixed degrees of freedom
        matrix = p.storage + 8
        elements, members = layout.size - layout.elements, len(p.elements)
        fields.element_integers, fields.element_starts = p.integers, p.table
        fields.groups, fields.ngroups = p.groups, len(p.groups)
        fields.parameters, fields.geometry = self.parameters, p.geometry
        fields.plan = p.sparsity.plan
        fields.neq, fields.ndof = p.neq, p.ndof
        fields.storage, fields.nfactors = p.storage, p.sparsity.factors
        fields.links, fields.nlinks = p.links, len(p.numbering.links)
        fields.nelements, fields.nstate = members, elements
        fields.rate_dependent = p.rate_dependent
        fields.npatterns = len(p.pattern_names)
        fields.nload = p.load_floats if p.load_size else 0
        fields.nodal_loads, fields.member_loads = p.nodal, p.member
        fields.has_nodal_loads = np.asarray(p.nodal.any(axis=1), dtype=np.int64)
        self.rooms(
            {
                **dict.fromkeys(("u1", "v1", "a1", "internal", "damping"), p.ndof),
                "elements": elements,
                "tangent": matrix,
                "axial": members,
                "axial_factored": members,
                "step": STEP_FLOATS,
                "member_load": p.load_floats,
                "workspace": p.workspace + 64,
                "external": p.ndof,
                "external0": p.ndof,
                "load_factors1": len(p.pattern_names),
            }
        )
        fields.u, fields.v = fields.u1, fields.v1
        fields.every = 1
        fields.factor_kernel, fields.solve_kernel = ldlt.factor, ldlt.solve_kernel
        fields.multiply_kernel = ldlt.multiply
        fields.determine_kernel, fields.loads_kernel = determine_kernel, loads_kernel
        fields.damping_kernel, fields.matrix_kernel = damping_kernel, matrix_kernel
        self.use(state)

    def rooms(self, sizes: dict[str, int]) -> None:
        """Give some fields zeros of these sizes, one after the other.

        Each begins at a cache line.
        """
        whole = {name: (max(size, 1) + _LINE - 1) // _LINE * _LINE for name, size in sizes.items()}
        shared, start = aligned(sum(whole.values())), 0
        base = address(shared)
        for name, size in sizes.items():
            field = Run.declared[name]
            assert isinstance(field, Vector)
            field.put(self.fields, shared[start : start + size], base + 8 * start)
            start += whole[name]

    def use(self, state: State) -> None:
        """Work on this state from now on."""
        same = state.program is self.program or state.program.digest == self.program.digest
        if not same or state.vector.shape != (self.program.layout.size,):
            raise InputError(
                "analysis",
                "start",
                state,
                f"must be a state of {self.program!r}",
                fix="add members, loads and damping before the first analysis: a state belongs to "
                "the model as it was",
            )
        self.state = state
        base, layout = address(state.vector), self.program.layout
        fields = self.fields
        for slot_of_field, part in _STATE:
            fields.vector[slot_of_field] = base + 8 * getattr(layout, part)
        fields.damped_tangent0 = (
            base + 8 * layout.stiffness if layout.elements > layout.stiffness else 0
        )
        fields.fresh = 1

    def call(self, kernel: Kernel, *arguments: int) -> int:
        """Run a kernel of signature (run, integers ...) with the lock released."""
        return int(
            kernel.ctypes(
                self.fields.vector.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), *arguments
            )
        )

    def initial_stiffness(self, damped: bool = False) -> Array:
        """The stiffness of the virgin structure.

        ``damped``: of the members that take part in damping.
        """
        p = self.program
        virgin = Workspace(p, p.state(), self.parameters)
        if damped:
            virgin.fields.damped_tangent = aligned(p.storage + 8)
        virgin.determine(EVALUATE)
        return virgin.fields.damped_tangent if damped else virgin.fields.tangent

    def begin(self) -> None:
        """Give a virgin state the stiffness of its elements, which steps begin with."""
        elements = self.state.vector[self.program.layout.elements :]
        if not np.any(elements):
            self.fields.u[:] = 0.0
            self.determine(EVALUATE)
            elements[:] = self.fields.elements

    def tangent(self, damped: bool = False) -> Array:
        """The tangent stiffness at the committed state.

        ``damped``: of the members that take part in damping.
        """
        self.begin()
        if damped:
            self.fields.damped_tangent = aligned(self.program.storage + 8)
        self.fields.u[:] = self._vector(self.program.layout.u)
        self.determine(FORM)
        return self.fields.damped_tangent if damped else self.fields.tangent

    def _vector(self, start: int) -> Array:
        return self.state.vector[start : start + self.program.ndof]

    def determine(self, mode: int) -> None:
        """Forces and tangent of all elements at the trial displacement.

        Raises if an element has no answer.
        """
        if self.call(determine_kernel, mode) != 0:
            raise AnalysisError(self.failure())

    def mass_matrix(self) -> tuple[Array, bool]:
        """The mass matrix over the equations, and whether it is diagonal."""
        p = self.program
        places, others, index, factors = p.mass_entries
        values = factors * self.parameters[index]
        result = aligned(p.storage + 8)
        result[: p.storage] = np.bincount(places, values, p.storage)
        return result, not np.any(values[others])

    def hold_imposed(self) -> None:
        """Give the kernels the equations with imposed motion."""
        equations = sorted(self.program.imposed)
        coupled = self.program.sparsity.coupled(equations)
        self.fields.imposed = np.array(equations or [0], dtype=np.int64)
        self.fields.coupled = np.append(coupled, 0)
        self.fields.nimposed, self.fields.ncoupled = len(equations), len(coupled)

    def mass_times(self, x: Array) -> Array:
        """Product of the mass matrix with a vector over all degrees of freedom."""
        row, column, index, factors = self.program.mass_terms
        return np.asarray(
            np.bincount(row, factors * self.parameters[index] * x[column], self.program.ndof),
            dtype=float,
        )

    def failure(self) -> str:
        """Sentence on the element that had no answer."""
        index = self.fields.failed_element - 1
        name = list(self.program.elements)[index]
        return self.program.elements[name].failure(self.fields.workspace)
