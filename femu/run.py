"""A run: the vectors of one analysis of one program, and the context through which kernels reach them.

Each run has vectors of its own, so several may go on at once in threads: the kernels release the lock.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from femu import context as slot
from femu import solver
from femu.equilibrium import damping_kernel, determine_kernel, loads_kernel, matrix_kernel
from femu.errors import AnalysisError, InputError
from femu.kernels import Kernel
from femu.program import Program
from femu.state import State

Array = npt.NDArray[np.float64]
_ALIGNMENT = 64
_LINE = 8  # floats of a cache line


def address(array: npt.NDArray[Any]) -> int:
    """Where an array's data begin; several times faster than ``array.ctypes.data``."""
    return int(array.__array_interface__["data"][0])


def aligned(size: int) -> Array:
    """Zeros that begin at a cache line."""
    raw = np.zeros(size + _ALIGNMENT // 8)
    shift = (-address(raw)) % _ALIGNMENT // 8
    return raw[shift:shift + size]


def _checked(program: Program, parameters: Array) -> Array:
    try:
        vector = np.ascontiguousarray(parameters, dtype=float)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != program.parameters.vector.shape or not np.isfinite(vector).all():
        raise InputError("analysis", "parameters", parameters,
                         f"must be {len(program.parameters)} finite numbers, as program.parameters.vector")
    return vector


class Run:
    """Vectors and context of one analysis, working on ``state`` in place."""

    def __init__(self, program: Program, state: State, parameters: Array | None = None) -> None:
        self.program = program
        self.parameters = program.parameters.vector if parameters is None else _checked(program, parameters)
        self.context = np.zeros(slot.SLOTS, dtype=np.int64)
        self._held: dict[int, Any] = {}
        p, layout = program, program.layout
        matrix = p.storage + 8  # behind the matrix: a place for what belongs to fixed degrees of freedom
        elements, members = layout.size - layout.elements, len(p.elements)
        wanted = np.asarray(p.nodal.any(axis=1), dtype=np.int64)
        for place, array in (
                (slot.INTEGERS, p.integers), (slot.TABLE, p.table), (slot.GROUPS, p.groups), (slot.P, self.parameters),
                (slot.G, p.geometry), (slot.PLAN, p.pattern.plan), (slot.LINKS, p.links), (slot.NODAL, p.nodal),
                (slot.MEMBER, p.member), (slot.NODAL_WANTED, wanted)):
            self.hold(place, array)
        self.rooms({slot.U1: p.ndof, slot.V1: p.ndof, slot.A1: p.ndof, slot.F: p.ndof, slot.D: p.ndof, slot.T: elements,
                    slot.K: matrix, slot.AXIAL: members, slot.AXIAL_FACTORED: members, slot.STEP: 5,
                    slot.LOAD: p.load_floats, slot.W: p.workspace + 64, slot.PEXT: p.ndof, slot.PEXT0: p.ndof,
                    slot.FACTORS1: len(p.pattern_names)})
        for place, array in ((slot.U, self[slot.U1]), (slot.V, self[slot.V1])):
            self.hold(place, array)
        for place, number in (
                (slot.NGROUPS, len(p.groups)), (slot.NEQ, p.neq), (slot.NDOF, p.ndof),
                (slot.STORAGE, p.storage), (slot.NFACTORS, p.pattern.factors),
                (slot.NLINKS, len(p.numbering.links)), (slot.RESTLESS, int(p.restless)),
                (slot.NELEMENT, elements), (slot.NMEMBERS, members), (slot.NPATTERNS, len(p.pattern_names)),
                (slot.NLOAD, p.load_floats if p.load_size else 0), (slot.FRESH, 1), (slot.EVERY, 1),
                (slot.FACTOR, solver.factor.address), (slot.SOLVE, solver.solve_kernel.address),
                (slot.MULTIPLY, solver.multiply.address), (slot.DETERMINE, determine_kernel.address),
                (slot.APPLY_LOADS, loads_kernel.address), (slot.DAMPING_FORCE, damping_kernel.address),
                (slot.FORM_MATRIX, matrix_kernel.address)):
            self.context[place] = number
        self.use(state)

    def __getitem__(self, place: int) -> Array:
        return self._held[place]

    def hold(self, place: int, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Put an array into a slot of the context, and keep it alive."""
        assert array.flags.c_contiguous
        self._held[place] = array
        self.context[place] = address(array)
        return array

    def rooms(self, sizes: dict[int, int]) -> None:
        """Hold zeros of so many floats in each of some slots, one after the other; each begins at a cache line."""
        whole = {place: (max(size, 1) + _LINE - 1) // _LINE * _LINE for place, size in sizes.items()}
        shared = aligned(sum(whole.values()))
        base, start = address(shared), 0
        for place, size in sizes.items():
            self._held[place] = shared[start:start + size]
            self.context[place] = base + 8 * start
            start += whole[place]

    def use(self, state: State) -> None:
        """Work on this state from now on."""
        if state.program.digest != self.program.digest or state.vector.shape != (self.program.layout.size,):
            raise InputError("analysis", "start", state, f"must be a state of {self.program!r}",
                             "a state belongs to the model as it was: add members, loads and damping before the first analysis")
        self.state = state
        base, layout = address(state.vector), self.program.layout
        for place, start in ((slot.TIME, layout.time), (slot.ENERGY, layout.energy), (slot.FACTORS, layout.factors),
                             (slot.U0, layout.u), (slot.V0, layout.v), (slot.A0, layout.a), (slot.F0, layout.internal),
                             (slot.D0, layout.damping), (slot.AXIAL0, layout.axial), (slot.C, layout.elements)):
            self.context[place] = base + 8 * start
        self.context[slot.KC] = base + 8 * layout.stiffness if layout.elements > layout.stiffness else 0
        self.context[slot.FRESH] = 1

    def call(self, kernel: Kernel, *arguments: int) -> int:
        """Run a kernel of signature (context, integers ...) with the lock released."""
        return int(kernel.ctypes(self.context.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), *arguments))

    def initial_stiffness(self, damped: bool = False) -> Array:
        """The stiffness of the virgin structure; ``damped``: of the members that take part in damping."""
        p = self.program
        virgin = Run(p, p.state(), self.parameters)
        if damped:
            virgin.hold(slot.KD, aligned(p.storage + 8))
        virgin.determine(slot.EVALUATE)
        return virgin[slot.KD] if damped else virgin[slot.K]

    def begin(self) -> None:
        """Give a virgin state the stiffness of its elements, which steps begin with."""
        elements = self.state.vector[self.program.layout.elements:]
        if not np.any(elements):
            self[slot.U][:] = 0.0
            self.determine(slot.EVALUATE)
            elements[:] = self[slot.T]

    def tangent(self, damped: bool = False) -> Array:
        """The tangent stiffness at the committed state; ``damped``: of the members that take part in damping."""
        self.begin()
        if damped:
            self.hold(slot.KD, aligned(self.program.storage + 8))
        self[slot.U][:] = self._vector(self.program.layout.u)
        self.determine(slot.FORM)
        return self[slot.KD] if damped else self[slot.K]

    def _vector(self, start: int) -> Array:
        return self.state.vector[start:start + self.program.ndof]

    def determine(self, mode: int) -> None:
        """Forces and tangent of all elements at the trial displacement; raises where an element has no answer."""
        if self.call(determine_kernel, mode) != 0:
            raise AnalysisError(self.failure())

    def mass_matrix(self) -> tuple[Array, bool]:
        """The mass matrix over the equations, and whether it is diagonal."""
        p = self.program
        places, beside, index, factors = p.mass_entries
        values = factors * self.parameters[index]
        result = aligned(p.storage + 8)
        result[:p.storage] = np.bincount(places, values, p.storage)
        return result, not np.any(values[beside])

    def hold_imposed(self) -> None:
        """Tell the kernels which equations have imposed motion."""
        equations = sorted(self.program.imposed)
        coupled = self.program.pattern.coupled(equations)
        self.hold(slot.IMPOSED, np.array(equations or [0], dtype=np.int64))
        self.hold(slot.COUPLED, np.append(coupled, 0))
        self.context[slot.NIMPOSED], self.context[slot.NCOUPLED] = len(equations), len(coupled)

    def mass_times(self, x: Array) -> Array:
        """Product of the mass matrix with a vector over all degrees of freedom."""
        row, column, index, factors = self.program.mass_terms
        return np.asarray(np.bincount(row, factors * self.parameters[index] * x[column], self.program.ndof), dtype=float)

    def failure(self) -> str:
        """Sentence on the element that had no answer."""
        index = int(self.context[slot.FAILED]) - 1
        name = list(self.program.elements)[index]
        return self.program.elements[name].failure(self[slot.W])
