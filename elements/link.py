"""Links: springs, dashpots and other laws between two nodes.

A link turns the displacements u of its degrees of freedom into the deformations of its basic
system, one for each direction, by a constant matrix, and the basic forces back into nodal forces::

    v = B u,    f = B^T q,    K = B^T k B

Only the degrees of freedom that B touches belong to the link: a spring along x leaves rotations
alone.

With P-Delta the axial force N, the first of the basic forces, acts on the relative displacement
across the link as well::

    f = B^T q + sum N (s u) r,    K = B^T k B + sum N/2 (r s^T + s r^T)

with a row s of relative displacement and a row r of forces for each direction across. What the
change of N adds to the stiffness is not symmetric and left out, as is usual. Where the ends bear
moments of their own, r is not s times a factor, and of N r s^T the symmetric part is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY

import numpy as np

from femu.elements.assembly import scatter_vectors
from femu.elements.truss import check_damped
from femu.engine.element_kernels import BASIC_SIGNATURE, FORCES, GROUP, call_basic, element_at
from femu.kernels import Kernel, inlined, kernel, shift
from femu.model.component import Constitutive, Material, part_table
from femu.model.constitutive import call_block
from femu.model.element import SPACE_DOFS, Array, Element, Name, Plan, dimensions, dof_names
from femu.support.errors import InputError

# geometry: number of directions m, number of degrees of freedom n, then B row by row; with P-Delta
# then the number of directions across, and for each the rows s and r
DIRECTIONS, COUNT, B = 0, 1, 2
PLANE_COLUMNS = (0, 1, 5, 6, 7, 11)  # x, y and rz among the six directions of both nodes
NEGLIGIBLE = 1e-14  # entries of B that are only the round-off of sines and cosines
# workspace of a block: strain, rate, stress, tangent, damping
POINT_FLOATS = 5
PARALLEL = 1e-10  # sine of the angle below which two directions count as one
FORCE_NAMES = {"x": "Fx", "y": "Fy", "z": "Fz", "rx": "Mx", "ry": "My", "rz": "Mz"}


@inlined
def _links(run, first, count, mode, p_delta):
    """Forces and stiffnesses of many links, added to those of the structure.

    The laws are evaluated in all modes: at its committed deformation a law gives its committed
    force, and the force may depend on the velocity.

    Longer than a page: laws, coordinates and assembly are one loop, whose numbers stay in
    registers.
    """
    table, integers = run.element_starts, run.element_integers
    u, velocity = run.u, run.v
    for e in range(first, first + count):
        own = element_at(shift(integers, table[e]))
        g, dofs = shift(run.geometry, own.geometry_at), own.dofs
        m, n = int(g[DIRECTIONS]), int(g[COUNT])
        matrix, entries = shift(g, B), max(n * (n + 1), m * (m + 1)) // 2
        v = run.workspace
        rate, f, k, rest = shift(v, m), shift(v, 2 * m), shift(v, 2 * m + n), shift(v, 2 * m + n
                                                                                    + entries)
        for d in range(m):
            v[d], rate[d] = 0.0, 0.0
            for a in range(n):
                v[d] += matrix[d * n + a] * u[dofs[a]]
                rate[d] += matrix[d * n + a] * velocity[dofs[a]]
        state = shift(run.elements, own.state_at)
        stiffness, triangle = shift(state, m), m * (m + 1) // 2
        for a in range(triangle):
            k[a] = stiffness[a]
        if call_basic(own.basic_kernel, (
                shift(dofs, n), g, shift(run.parameters, own.parameters_at),
                shift(run.elements0, own.state_at), state, rest, v, rate, run.step, g)) != 0:
            run.failed_element = e + 1
            return 1
        for a in range(triangle):
            if k[a] != stiffness[a]:
                run.stiffness_changed = 1
        for a in range(n):
            f[a] = 0.0
            for d in range(m):
                f[a] += matrix[d * n + a] * state[d]
        if p_delta:
            run.stiffness_changed = 1  # its stiffness goes with the axial force
            across = shift(matrix, m * n + 1)
            for o in range(int(matrix[m * n])):
                moved = 0.0
                for a in range(n):
                    moved += across[2 * o * n + a] * u[dofs[a]]
                for a in range(n):
                    f[a] += state[0] * moved * across[(2 * o + 1) * n + a]
        if mode == FORCES:
            total = run.internal
            for a in range(n):
                total[dofs[a]] += f[a]
            continue
        for a in range(entries):
            k[a] = 0.0
        for d in range(m):
            for o in range(m):
                low, high = min(d, o), max(d, o)
                value = stiffness[low * m - low * (low - 1) // 2 + high - low]
                if value != 0.0:
                    for a in range(n):
                        for b in range(a + 1):
                            k[a * (a + 1) // 2 + b] += matrix[d * n + a] * value * matrix[o * n + b]
        if p_delta:
            for o in range(int(matrix[m * n])):
                s, r = shift(across, 2 * o * n), shift(across, (2 * o + 1) * n)
                for a in range(n):
                    for b in range(a + 1):
                        k[a * (a + 1) // 2 + b] += 0.5 * state[0] * (r[a] * s[b] + s[a] * r[b])
        scatter_vectors(run, own, n, f, k)
    return 0


@kernel(GROUP)
def link_group(run, first, count, mode):
    """Links without P-Delta."""
    return _links(run, first, count, mode, False)


@kernel(GROUP)
def p_delta_link_group(run, first, count, mode):
    """Links with P-Delta."""
    return _links(run, first, count, mode, True)


@kernel(BASIC_SIGNATURE)
def uniaxial_laws(i, g, p, c, t, w, v, rate, step, load):
    """Basic kernel: an independent law in each direction."""
    m = i[0]
    entries = m * (m + 1) // 2
    stiffness, deformation, history = shift(t, m), shift(t, m + entries), 2 * m + entries
    for a in range(entries):
        stiffness[a] = 0.0
    failed = 0
    for d in range(m):
        own = shift(i, 1 + 4 * d)
        w[0], w[1], w[4] = v[d], rate[d], 0.0
        failed += call_block(own[0], (
            1, shift(i, own[1]), shift(p, own[2]), shift(c, history + own[3]),
            shift(t, history + own[3]),
            shift(w, POINT_FLOATS), w, shift(w, 1), step, shift(w, 2), shift(w, 3), shift(w, 4)))
        t[d], deformation[d] = w[2], v[d]
        # a rate follows the displacement as the integrator has it
        stiffness[d * m - d * (d - 1) // 2] = w[3] + step[2] * w[4]
    return failed


class BasicLink(Element):
    """Base of the links: two nodes, and a matrix B that subclasses supply row by row."""

    name: Name
    i: Name
    j: Name

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def lay_out(self, rows: list[list[float]], basic: Kernel, integers: list[int],
                forces: list[str],
                deformations: list[str], histories: list[str], workspace: int, damped: bool,
                rate_dependent: bool,
                across: Sequence[tuple[Sequence[float], Sequence[float]]] = ()) -> Plan:
        """Plan with the rows of B over the degrees of freedom of node i, then of node j.

        ``across`` are the rows of P-Delta.
        """
        matrix = np.array(rows)
        matrix[np.abs(matrix) < NEGLIGIBLE * np.abs(matrix).max(axis=1, keepdims=True)] = 0.0
        used: list[int] = np.flatnonzero(matrix.any(axis=0)).tolist()
        directions = dof_names({2: 1, 6: 2, 12: 3}[matrix.shape[1]])
        dofs = [(node, d) for node in self.nodes for d in directions]
        m, n = len(rows), len(used)
        geometric = [float(row[a]) for pair in across for row in pair for a in used]
        triangle = [f"k_{forces[a]}_{forces[b]}" for a in range(m) for b in range(a, m)]
        return Plan(
            dofs=[dofs[a] for a in used], group=p_delta_link_group if across else link_group,
            basic=basic, integers=integers,
            geometry=[float(m), float(n), *(float(v) for v in matrix[:, used].ravel()),
                      *([float(len(across)), *geometric] if across else [])],
            state=[*forces, *triangle, *deformations, *histories],
            workspace=2 * m + n + max(n * (n + 1), m * (m + 1)) // 2 + workspace,
            damped=damped, rate_dependent=rate_dependent, basic_forces=tuple(forces))


class Link(BasicLink):
    """A link with a uniaxial law in each of some directions.

    ``laws`` maps the local directions "x", "y" and "rz" (in space also "z", "rx" and "ry") to
    materials, which give the force from the relative displacement (the moment from the relative
    rotation) in place of stress from strain. As in OpenSees, a link takes part in
    stiffness-proportional damping only where ``damped``.
    """

    laws: Mapping[str, Material]
    _: KW_ONLY
    damped: bool = False

    def validate(self) -> None:
        if self.i == self.j:
            raise InputError(self.label(), "j", self.j, "must differ from node i")
        if not isinstance(self.laws, Mapping) or not self.laws:
            raise InputError(self.label(), "laws", self.laws, "must map at least one direction to "
                                                              "a Material",
                             fix='give for example {"x": Elastic(1e6)}')
        for direction, law in self.laws.items():
            if direction not in SPACE_DOFS:
                raise InputError(self.label(), "laws", direction, "must have directions among "
                                                                  f"{SPACE_DOFS}")
            if not isinstance(law, Material):
                raise InputError(self.label(), f"laws[{direction!r}]", law, "must be a Material",
                                 fix="use one of femu.materials")
        # in the order of the degrees of freedom, whatever the order they were given in
        self.laws = {d: self.laws[d] for d in SPACE_DOFS if d in self.laws}
        check_damped(self, self.damped, any(law.rate_dependent for law in self.laws.values()))
        self.validate_link()

    def validate_link(self) -> None:
        """Rules of the subclass."""

    def parts(self) -> list[tuple[str, Constitutive]]:
        return list(self.laws.items())

    def rows(self, coordinates: dict[Name, Array]) -> dict[str, list[float]]:
        """Row of B for each direction."""
        raise NotImplementedError

    def across(self, coordinates: dict[Name, Array]) -> list[tuple[list[float], list[float]]]:
        """Rows s and r of P-Delta for each direction across the link; none without P-Delta."""
        return []

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        directions = dof_names(dimensions(self, coordinates))
        for direction in self.laws:
            if direction not in directions:
                raise InputError(self.label(), "laws", direction, "must have directions among "
                                                                  f"{directions} in this model",
                                 "Directions z, rx and ry exist in a model in space only")
        laws, rows = list(self.laws.values()), self.rows(coordinates)
        return self.lay_out(
            [rows[d] for d in self.laws], uniaxial_laws,
            [len(laws), *part_table(laws, len(self.declared), 0, start=1)],
            [FORCE_NAMES[d] for d in self.laws], [f"v_{d}" for d in self.laws],
            [f"{d}.{h}" for d, law in self.laws.items() for h in law.history_names()],
            POINT_FLOATS + max(law.workspace(1) for law in laws), self.damped,
            any(law.rate_dependent for law in laws),
            self.across(coordinates))


def turned(cosine: float, sine: float, arm_i: float = 0.0, arm_j: float = 0.0) -> dict[str,
                                                                                       list[float]]:
    """Rows of B for local axes turned by an angle.

    The arms are the lengths of rigid ends along local x.
    """
    return {"x": [-cosine, -sine, 0.0, cosine, sine, 0.0],
            "y": [sine, -cosine, -arm_i, -sine, cosine, -arm_j],
            "rz": [0.0, 0.0, -1.0, 0.0, 0.0, 1.0]}


def turned_in_space(axes: Array, arms_i: tuple[float, float] = (0.0, 0.0),
                    arms_j: tuple[float, float] = (0.0, 0.0)) -> dict[str, list[float]]:
    """Rows of B for local axes (rows) in space.

    The arms are the lengths of rigid ends along local x, for y and z.
    """
    rows = {}
    none = np.zeros(3)
    for axis, translation in enumerate(("x", "y", "z")):
        rows[translation] = [-axes[axis], none, axes[axis], none]
        rows[f"r{translation}"] = [none, -axes[axis], none, axes[axis]]
    for k, (direction, about, sign) in enumerate((("y", axes[2], -1.0), ("z", axes[1], 1.0))):
        rows[direction][1], rows[direction][3] = sign * arms_i[k] * about, sign * arms_j[k] * about
    return {direction: np.concatenate(row).tolist() for direction, row in rows.items()}


def turned_in_plane(element: Element, axes: Array, arm_i: float = 0.0,
                    arm_j: float = 0.0) -> dict[str, list[float]]:
    """Rows of B in the plane for local axes (rows) given in space; local z may be -Z."""
    if abs(axes[2, 2]) < 1.0 - PARALLEL:
        raise InputError(element.label(), "orient", axes[:2].tolist(),
                         "must be two vectors in the plane of the model")
    rows = turned_in_space(axes, (arm_i, arm_i), (arm_j, arm_j))
    return {d: [rows[d][k] for k in PLANE_COLUMNS] for d in ("x", "y", "rz")}


def oriented(element: Element, x: Array, yp: Array) -> Array:
    """Local axes (rows) from a vector along local x and one in the local x-y plane."""
    z = np.cross(x, yp)
    size = float(np.linalg.norm(x) * np.linalg.norm(yp))
    if not np.linalg.norm(z) > PARALLEL * size:
        raise InputError(element.label(), "orient", (tuple(x), tuple(yp)), "must be two vectors in "
                                                                           "different directions",
                         fix="give one vector along local x and one in the local x-y plane")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.array([x, np.cross(z, x), z])
