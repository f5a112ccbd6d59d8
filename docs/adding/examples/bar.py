"""A tension-only bar from scratch: two nodes, its own kernel, no material."""

from __future__ import annotations

from femu.elements.assembly import scatter, scatter_force
from femu.engine.element_kernels import FORCES, GROUP, element_at
from femu.kernels import kernel, shift
from femu.model.element import Array, Element, Name, Plan, chord
from femu.model.parameters import positive

EA, STRENGTH, LIMIT = range(3)  # places in its parameters, in order of declaration
LENGTH, COSINE, SINE = range(3)  # in its constants, `Plan.geometry`
FORCE, STIFFNESS, SLACK = range(3)  # in its state, `Plan.state`
ELONGATION, LINKED, WORKSPACE = 0, 1, 11  # in the workspace, and its size


@kernel(GROUP)
def bars(run, first, count, mode):
    starts, integers, u, w = run.element_starts, run.element_integers, run.u, run.workspace
    parameters, geometry = run.parameters, run.geometry
    states0, states = run.elements0, run.elements
    for e in range(first, first + count):
        own = element_at(shift(integers, starts[e]))
        p, g = shift(parameters, own.parameters_at), shift(geometry, own.geometry_at)
        committed, trial = shift(states0, own.state_at), shift(states, own.state_at)
        dofs = own.dofs
        ix, iy, jx, jy = dofs[0], dofs[1], dofs[2], dofs[3]
        # deformation, and whether there is an answer
        c, s = g[COSINE], g[SINE]
        v = c * (u[jx] - u[ix]) + s * (u[jy] - u[iy])
        if v > p[LIMIT] * g[LENGTH]:
            w[ELONGATION] = v  # for `failure`
            run.failed_element = e + 1
            return 1
        # force and stiffness, from the committed state
        k, slack = p[EA] / g[LENGTH], committed[SLACK]
        axial, tangent = k * (v - slack), k
        if axial < 0.0:
            axial, tangent = 0.0, 0.0
        elif axial > p[STRENGTH]:
            axial, tangent, slack = p[STRENGTH], 0.0, v - p[STRENGTH] / k
        # the matrix is factored again if the stiffness is not that of the last evaluation
        if tangent != trial[STIFFNESS]:
            run.stiffness_changed = 1
        trial[FORCE], trial[STIFFNESS], trial[SLACK] = axial, tangent, slack
        # into the structure: B^T N, and the lower triangle of B^T k B, row by row
        force = (-c * axial, -s * axial, c * axial, s * axial)
        if mode == FORCES:
            scatter_force(run, own, force)
            continue
        xx, xy, yy = c * c * tangent, c * s * tangent, s * s * tangent
        scatter(run, own, force, (xx, xy, yy, -xx, -xy, xx, -xy, -yy, xy, yy), shift(w, LINKED))
    return 0


class TensionBar(Element):
    """N = EA/L (v - slack), at least 0 and at most the strength; yielding adds to the slack.

    A slender brace that buckles at once. Beyond the strain ``limit`` it has no answer.
    """

    name: Name
    i: Name
    j: Name
    EA: float = positive("axial stiffness", "force")
    strength: float = positive("force at which it yields", "force")
    limit: float = positive("largest strain for which it is valid", default=0.1)

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def plan(self, coordinates: dict[Name, Array]) -> Plan:
        dofs = [(node, direction) for node in self.nodes for direction in ("x", "y")]
        constants, state = list(chord(self, coordinates)), ["N", "k_NN", "slack"]
        return Plan(dofs, bars, None, [], constants, state, WORKSPACE, basic_forces=("N",))

    def failure(self, workspace: Array) -> str:
        return f"{self.label()}: elongation {workspace[ELONGATION]:.3g} is beyond its limit."
