"""A basic system outside a model: the kernel of an element or of materials, with parameters and
states of its own.

Emulated specimens and numerical twins are made of it. With displacements d, the deformations of the
basic system are ``v = T d`` and the forces ``f = s T^T q`` with a constant matrix T (the identity
unless ``coordinates`` are given) and a factor s (1, but for a truss, whose material sees strains).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from femu.elements.link import POINT_FLOATS, link_group, uniaxial_laws
from femu.elements.transformations.frame import FRAME_CONSTANTS, frame_group
from femu.elements.truss import Truss
from femu.engine.element_kernels import STEP_FLOATS, call_basic
from femu.kernels import Kernel, compiled, floats_of, ints_of
from femu.model.component import Material, part_table
from femu.model.element import Element, Name
from femu.model.parameters import Parameters, finite
from femu.support.errors import AnalysisError, InputError

Array = npt.NDArray[np.float64]
_FRAME_INTEGERS = 2  # a frame element's own integers before those of its basic kernel


@compiled
def _evaluate(
    address,
    integers,
    constants,
    p,
    committed,
    trial,
    workspace,
    matrix,
    scale,
    d,
    rate,
    step,
    load,
    f,
    k,
):
    """State, forces and stiffness at displacement d.

    0, or above 0 if the system has no answer.

    Many arguments: the vectors of the kernel of an element, one by one.
    """
    m, n = matrix.shape
    v, v_rate = np.zeros(m), np.zeros(m)
    for a in range(m):
        for b in range(n):
            v[a] += matrix[a, b] * d[b]
            v_rate[a] += matrix[a, b] * rate[b]
    failed = call_basic(
        address,
        (
            ints_of(integers, 0),
            floats_of(constants, 0),
            floats_of(p, 0),
            floats_of(committed, 0),
            floats_of(trial, 0),
            floats_of(workspace, 0),
            floats_of(v, 0),
            floats_of(v_rate, 0),
            floats_of(step, 0),
            floats_of(load, 0),
        ),
    )
    for b in range(n):
        f[b] = 0.0
        for c in range(n):
            k[b, c] = 0.0
    for a in range(m):
        for b in range(n):
            f[b] += scale * matrix[a, b] * trial[a]
        for o in range(m):
            low, high = min(a, o), max(a, o)
            value = scale * trial[m + low * m - low * (low - 1) // 2 + high - low]
            for b in range(n):
                for c in range(n):
                    k[b, c] += matrix[a, b] * value * matrix[o, c]
    return failed


class _Made(NamedTuple):
    """The kernel of a basic system and what it needs."""

    kernel: Kernel
    integers: list[int]
    constants: list[float]
    state: list[str]
    workspace: int
    matrix: Array  # its deformations by the coordinates
    named: list[tuple[str, Any, float]]  # parameters: name, declaration, value
    load_size: int = 0


def _of_element(element: Element, length: float, nodal: bool) -> _Made:
    """Of a beam-column or a link."""
    ends: list[Name] = list(element.nodes)
    along = np.array([length if element.has_length else 0.0, 0.0])
    plan = element.plan({ends[0]: np.zeros(2), ends[-1]: along})
    m = len(plan.basic_forces)
    if plan.group is frame_group:
        integers = plan.integers[_FRAME_INTEGERS:]
        constants = plan.geometry[FRAME_CONSTANTS:]
        chord = plan.geometry[0]
        rows = [
            [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, 1.0 / chord, 1.0, 0.0, -1.0 / chord, 0.0],
            [0.0, 1.0 / chord, 0.0, 0.0, -1.0 / chord, 1.0],
        ]
    elif plan.group is link_group:
        integers, constants = plan.integers, plan.geometry
        rows = np.reshape(plan.geometry[2:], (m, -1)).tolist()
    else:
        raise InputError(
            "BasicSystem", "of", element, "must be a beam-column, a truss, a link or a material"
        )
    assert plan.basic is not None
    return _Made(
        plan.basic,
        integers,
        constants,
        plan.state,
        plan.workspace,
        np.array(rows) if nodal else np.eye(m),
        list(element.walk_parameters()),
        plan.load_size,
    )


def _of_materials(materials: Sequence[Material]) -> _Made:
    """Of a material for each coordinate."""
    if not isinstance(materials, Sequence) or not materials:
        raise InputError(
            "BasicSystem",
            "of",
            materials,
            "must be a material, materials or an element",
            fix="use BoucWen(alpha=0.05, k=1e6), for example",
        )
    if not all(isinstance(law, Material) for law in materials):
        raise InputError(
            "BasicSystem", "of", materials, "must be materials", fix="give one for each coordinate"
        )
    m = len(materials)
    owner = [f"{i}." if m > 1 else "" for i in range(m)]
    state = [
        *(f"q_{i}" for i in range(m)),
        *(f"k_{a}{b}" for a in range(m) for b in range(a, m)),
        *(f"v_{i}" for i in range(m)),
        *(of + h for of, law in zip(owner, materials, strict=True) for h in law.history_names()),
    ]
    return _Made(
        uniaxial_laws,
        [m, *part_table(materials, 0, 0, start=1)],
        [float(m)],
        state,
        POINT_FLOATS + max(law.workspace(1) for law in materials),
        np.eye(m),
        [
            (of + n, d, x)
            for of, law in zip(owner, materials, strict=True)
            for n, d, x in law.walk_parameters()
        ],
    )


def _of_truss(truss: Truss, length: float, nodal: bool) -> _Made:
    """Of the material of a truss, by its elongation."""
    rows = [[-1.0, 0.0, 1.0, 0.0]] if nodal else [[1.0]]
    named = list(truss.walk_parameters())[len(truss.declared) :]
    return _of_materials([truss.material])._replace(matrix=np.array(rows) / length, named=named)


class BasicSystem:
    """The basic system of an element, or one material a channel.

    ``of`` is a material, a sequence of materials (one each coordinate), or an element; ``length``
    is the length of an element between its nodes (1 if left out). With ``nodal=True`` the
    coordinates are the displacements (x, y, rz) of the element's nodes, along its own axes and for
    small displacements. ``coordinates`` is a matrix T of one's own.
    """

    def __init__(
        self,
        of: Material | Sequence[Material] | Element,
        *,
        length: float = 1.0,
        nodal: bool = False,
        coordinates: npt.ArrayLike | None = None,
    ) -> None:
        if not finite(length) or not length > 0.0:
            raise InputError("BasicSystem", "length", length, "must be above 0")
        self.scale = of.area * length if isinstance(of, Truss) else 1.0
        if isinstance(of, Element):
            made = (
                _of_truss(of, length, nodal)
                if isinstance(of, Truss)
                else _of_element(of, length, nodal)
            )
        else:
            made = _of_materials([of] if isinstance(of, Material) else of)
        own = made.matrix
        turned = (
            np.eye(own.shape[1])
            if coordinates is None
            else np.atleast_2d(np.asarray(coordinates, dtype=float))
        )
        if turned.ndim != 2 or len(turned) != own.shape[1]:
            raise InputError(
                "BasicSystem",
                "coordinates",
                coordinates,
                f"must be a finite matrix of {own.shape[1]} rows",
            )
        matrix = own if coordinates is None else own @ turned
        if matrix.ndim != 2 or not np.isfinite(matrix).all():
            raise InputError(
                "BasicSystem",
                "coordinates",
                coordinates,
                f"must be a finite matrix of {own.shape[1]} rows",
            )
        self.matrix = np.ascontiguousarray(matrix)
        self.size = self.matrix.shape[1]
        self.state_names = made.state
        self.parameters = Parameters(
            [n for n, _, _ in made.named],
            [d for _, d, _ in made.named],
            np.array([x for _, _, x in made.named], dtype=float),
        )
        self.integers = np.array(made.integers or [0], dtype=np.int64)
        self.constants = np.array(made.constants or [0.0])
        self.workspace = np.zeros(made.workspace + 64)
        self.load = np.zeros(max(made.load_size, 1) + 64)
        self._step = np.zeros(STEP_FLOATS)
        self._still = np.zeros(self.size)
        self.label = of.label() if isinstance(of, (Element, Material)) else "materials"
        self._kernel = made.kernel  # held as long as its address
        self.kernel_address = made.kernel.address

    def evaluate(
        self,
        committed: Array,
        trial: Array,
        displacement: Array,
        rate: Array | None = None,
        time: float = 0.0,
        dt: float = 0.0,
        force: Array | None = None,
        stiffness: Array | None = None,
        parameters: Array | None = None,
    ) -> tuple[Array, Array]:
        """Force and tangent at a displacement, from the committed state.

        ``trial`` becomes the new state.
        """
        self._step[0], self._step[1], self._step[2] = time, dt, 1.0 / dt if dt > 0.0 else 0.0
        f = np.empty(self.size) if force is None else force
        k = np.empty((self.size, self.size)) if stiffness is None else stiffness
        p = self.parameters.vector if parameters is None else parameters
        failed = _evaluate(
            self.kernel_address,
            self.integers,
            self.constants,
            p,
            committed,
            trial,
            self.workspace,
            self.matrix,
            self.scale,
            displacement,
            self._still if rate is None else rate,
            self._step,
            self.load,
            f,
            k,
        )
        if failed != 0:
            raise AnalysisError(
                f"{self.label} has no answer at displacement {displacement.tolist()}."
            )
        return f, k

    def virgin(self) -> Array:
        """State before anything happened, with the initial stiffness in it."""
        state = np.zeros(len(self.state_names))
        self.evaluate(np.zeros_like(state), state, self._still)
        return state

    def initial_stiffness(self) -> Array:
        """Stiffness of the virgin system."""
        state = np.zeros(len(self.state_names))
        return self.evaluate(np.zeros_like(state), state, self._still)[1]
