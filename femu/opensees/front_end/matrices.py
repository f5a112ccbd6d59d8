"""printA, printB: the matrix and the right-hand side of the equations, and GimmeMCK, which makes
the matrix what a script wants of mass, damping and stiffness."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.workspace import Workspace
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import Gimme, Implicit, chosen
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.files import write_text
from femu.opensees.front_end.integrators import INTEGRATORS
from femu.opensees.front_end.queries import damping_force
from femu.opensees.front_end.table import command

Array = npt.NDArray[np.float64]
_FORM = " | -file file:w | -ret"
_DIGITS = "%.6g"


@INTEGRATORS.kind(
    "GimmeMCK",
    form="mFact cFact kFact kInitFact=0",
    into="the matrix that printA shows: no step is taken",
)
def _gimme(reader: Reader, a: dict[str, Any], name: str) -> Gimme:
    if a["kInitFact"]:
        raise reader.unsupported("argument kInitFact other than 0 is not supported.")
    return Gimme(a["mFact"], a["cFact"], a["kFact"])


def in_order_of_nodes() -> Array:
    """Equations in the order of the numberer Plain: by the tags of the nodes."""
    numbering, equations = domain.program.numbering, domain.program.neq
    found = [
        numbering.place.get((node, d))
        for node in sorted(domain.node_dofs)
        for d in domain.node_dofs[node]
    ]
    return np.array([p for p in found if p is not None and p < equations], dtype=np.int64)


def _dense(matrix: Array) -> Array:
    return domain.program.sparsity.to_dense(matrix)


def _damping(reader: Reader) -> Array:
    """The Rayleigh damping matrix, column by column."""
    session = present(reader)
    program, layout = session.program, session.program.layout
    velocities = session.state.vector[layout.v : layout.v + program.ndof]
    before, found = velocities.copy(), np.zeros((program.neq, program.neq))
    try:
        for column in range(program.neq):
            velocities[:] = 0.0
            velocities[column] = 1.0
            for place, terms in program.numbering.links.items():
                velocities[place] = sum(f * velocities[e] for e, f in terms)
            force = damping_force(session)
            program.gather(force)
            found[:, column] = force[: program.neq]
    finally:
        velocities[:] = before
    return found


def matrix(reader: Reader) -> Array:
    """The matrix of the equations of the analysis that is chosen."""
    session = present(reader)
    program, state = session.program, session.state
    run = Workspace(program, state.copy(), session.run.parameters)
    stiffness = _dense(run.tangent())
    if chosen.kind != "Transient":
        return stiffness
    integrator: Any = chosen.transient or Implicit("Newmark", 1.0, 1.0, 0.25, 0.5)
    if isinstance(integrator, Gimme):
        shares = integrator
    elif isinstance(integrator, Implicit) and session.dt > 0.0:
        alpha_m, alpha_f, beta, gamma = integrator.coefficients()
        shares = Gimme(
            alpha_m / (beta * session.dt**2), alpha_f * gamma / (beta * session.dt), alpha_f
        )
    else:
        raise reader.unsupported(
            f"the matrix of {type(integrator).__name__} is not supported, nor that before a step."
        )
    found = shares.stiffness * stiffness + shares.mass * _dense(run.mass_matrix()[0])
    return found + shares.damping * _damping(reader) if shares.damping else found


def _give(reader: Reader, table: Array) -> Any:
    a = reader.read(_FORM)
    if a["ret"]:
        return table.ravel().tolist()
    text = "\n".join(" ".join(_DIGITS % v for v in row) for row in np.atleast_2d(table)) + "\n"
    if a["file"] is not None:
        write_text(reader, a["file"], text)
    else:
        print(text)
    return None


@command(
    "printA",
    "queries",
    "| -file file:w | -ret",
    "The matrix of the equations, as a list by rows or in a file, in the order of the nodes.",
)
def print_a(reader: Reader) -> Any:
    order = in_order_of_nodes()
    return _give(reader, matrix(reader)[np.ix_(order, order)])


@command(
    "printB",
    "queries",
    "| -file file:w | -ret",
    "The unbalanced force of the equations, in the order of the nodes.",
)
def print_b(reader: Reader) -> Any:
    session = present(reader)
    layout = session.program.layout
    force = -session.state.vector[layout.internal : layout.internal + session.program.ndof].copy()
    factors = session.now().result.arrays["factor"][0]
    force += factors @ session.run.fields.nodal_loads
    session.program.gather(force)
    return _give(reader, force[in_order_of_nodes()])
