"""nodeDisp, eleForce, eleResponse and the like: reading and writing the present state."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.engine.element_kernels import EVALUATE
from femu.engine.workspace import Workspace
from femu.opensees.front_end import element_responses, responses, section_responses
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import LARGEST_WHOLE, Reader
from femu.opensees.front_end.domain import domain, tags
from femu.opensees.front_end.files import write_text
from femu.opensees.front_end.session import Session
from femu.opensees.front_end.table import SLOW, command
from femu.support.errors import FemuError, shown

Array = npt.NDArray[np.float64]
SMALL = 1e-9  # largest displacement of the motion by which damping forces are found


def _picked(values: list[float], node: int, dof: int | None, reader: Reader) -> Any:
    if dof is None:
        return values
    domain.direction(node, dof, reader)
    return values[dof - 1]


def _quick(start: str) -> Any:
    """One number of a node, whose place in the state is known from an earlier call."""

    def quick(arguments: tuple[Any, ...]) -> Any:
        try:
            place = domain.places.get((start, *arguments)) if len(arguments) == 2 else None
        except TypeError:  # an argument that is not a tag
            return SLOW
        return SLOW if place is None else domain.reached.vector.item(place)  # type: ignore[union-attr]

    return quick


def _nodal(reader: Reader, start: str) -> Any:
    a = reader.read("nodeTag:i dof:i=None")
    node, dof = a["nodeTag"], a["dof"]
    names = domain.node(node, reader)
    if not domain.model.elements:
        return _picked([0.0] * len(names), node, dof, reader)
    state = domain.state
    place, begin, vector = (
        state.program.numbering.place,
        getattr(state.program.layout, start),
        state.vector,
    )
    if dof is not None and 1 <= dof <= len(names):
        at = place.get((node, names[dof - 1]))
        if at is None:
            return 0.0
        domain.places[start, node, dof] = begin + at
        return float(vector[begin + at])
    return _picked(
        [float(vector[begin + place[node, d]]) if (node, d) in place else 0.0 for d in names],
        node,
        dof,
        reader,
    )


@command(
    "nodeDisp",
    "queries",
    "nodeTag:i dof:i=None",
    "Displacement of a node: a list, or one number.",
    _quick("u"),
)
def node_disp(reader: Reader) -> Any:
    return _nodal(reader, "u")


@command("nodeVel", "queries", "nodeTag:i dof:i=None", "Velocity of a node.", _quick("v"))
def node_vel(reader: Reader) -> Any:
    return _nodal(reader, "v")


@command("nodeAccel", "queries", "nodeTag:i dof:i=None", "Acceleration of a node.", _quick("a"))
def node_accel(reader: Reader) -> Any:
    return _nodal(reader, "a")


@command(
    "reactions",
    "queries",
    "| -dynamic | -rayleigh",
    "Compute the reactions, for nodeReaction: with inertia and damping, or of damping alone.",
)
def reactions(reader: Reader) -> None:
    a = reader.read(" | -dynamic | -rayleigh")
    session = present(reader)
    domain.reacting, domain.reacting_too = session.now(), None
    program, state = session.program, session.state
    if a["rayleigh"]:
        domain.reacting = None
    if a["dynamic"] or a["rayleigh"]:
        domain.reacting_too = damping_force(session)
    if a["dynamic"]:
        domain.reacting_too += session.run.mass_times(
            state.vector[program.layout.a : program.layout.a + program.ndof]
        )


def damping_force(session: Session) -> Array:
    """Rayleigh damping of all degrees of freedom, those of supports too."""
    program, run, layout = session.program, session.run, session.program.layout
    velocity = session.state.vector[layout.v : layout.v + program.ndof]
    p = run.parameters
    mass, initial, current, committed = (
        p[program.parameters.index(f"rayleigh.{n}")]
        for n in ("mass", "initial", "current", "committed")
    )
    force = mass * run.mass_times(velocity)
    if initial or current or committed:
        force += _stiffness_damping(session, initial, current + committed, velocity)
    return force


def _stiffness_damping(session: Session, initial: float, now: float, velocity: Array) -> Array:
    """Damping by stiffness, of the forces in a small motion along the velocity."""
    largest = float(np.abs(velocity).max(initial=0.0))
    force = np.zeros_like(velocity)
    if largest == 0.0:
        return force
    program = session.program
    for share, state in ((initial, program.state()), (now, session.state.copy())):
        if share == 0.0:
            continue
        run = Workspace(program, state, session.run.parameters)
        layout, size = program.layout, SMALL / largest
        ends = []
        for sign in (1.0, -1.0):
            run.fields.u[:] = state.vector[layout.u : layout.v] + sign * size * velocity
            run.determine(EVALUATE)
            ends.append(run.fields.internal.copy())
        force += share * (ends[0] - ends[1]) / (2.0 * size)
    return force


@command(
    "nodeReaction",
    "queries",
    "nodeTag:i dof:i=None",
    "Reaction at a node, as the last call of reactions found it.",
)
def node_reaction(reader: Reader) -> Any:
    a = reader.read("nodeTag:i dof:i=None")
    domain.node(a["nodeTag"], reader)
    # OpenSees then computes them at each step
    if any(r.reactions for r in domain.recorders.values()) and domain.reacting_too is None:
        domain.reacting = present(reader).now()
    names = domain.node_dofs[a["nodeTag"]]
    if domain.reacting is None:
        found = [0.0] * len(names)
    else:
        found = responses.reaction(domain.reacting, domain, a["nodeTag"])[0].tolist()
    if domain.reacting_too is not None:
        place = domain.program.numbering.place
        for k, d in enumerate(names):
            at = place.get((a["nodeTag"], d))
            found[k] += 0.0 if at is None else float(domain.reacting_too[at])
    return _picked(found, a["nodeTag"], a["dof"], reader)


@command("nodeUnbalance", "queries", "nodeTag:i dof:i=None", "Loads on a node.")
def node_unbalance(reader: Reader) -> Any:
    a = reader.read("nodeTag:i dof:i=None")
    domain.node(a["nodeTag"], reader)
    found = responses.unbalance(present(reader).now(), domain, a["nodeTag"])[0].tolist()
    return _picked(found, a["nodeTag"], a["dof"], reader)


@command(
    "nodeResponse",
    "queries",
    "nodeTag:i dof:i responseID:i",
    "Response of a node by number: 1 disp, 2 vel, 3 accel, 6 reaction, 7 unbalance.",
)
def node_response(reader: Reader) -> float:
    a = reader.read("nodeTag:i dof:i responseID:i")
    domain.direction(a["nodeTag"], a["dof"], reader)
    known = {1: node_disp, 2: node_vel, 3: node_accel, 6: node_reaction, 7: node_unbalance}
    if a["responseID"] not in known:
        raise reader.unsupported(
            f"responseID = {a['responseID']} is not supported. Supported: 1 disp, 2 vel, 3 accel, "
            "6 reaction, 7 unbalance."
        )
    return known[a["responseID"]](Reader(reader.command, (a["nodeTag"], a["dof"])))


@command("nodeCoord", "queries", "nodeTag:i dim:i=None", "Coordinates of a node.")
def node_coord(reader: Reader) -> Any:
    a = reader.read("nodeTag:i dim:i=None")
    domain.node(a["nodeTag"], reader)
    found = domain.model.nodes[a["nodeTag"]].coordinates[: domain.ndm].tolist()
    if a["dim"] is None:
        return found
    if not 1 <= a["dim"] <= len(found):
        raise reader.error(f"dim = {a['dim']} must lie between 1 and {len(found)}.")
    return found[a["dim"] - 1]


@command("nodeMass", "queries", "nodeTag:i dof:i=None", "Mass of a node.")
def node_mass(reader: Reader) -> Any:
    a = reader.read("nodeTag:i dof:i=None")
    names = domain.node(a["nodeTag"], reader)
    return _picked(
        domain.node_mass.get(a["nodeTag"], [0.0] * len(names)), a["nodeTag"], a["dof"], reader
    )


@command(
    "nodeDOFs", "queries", "nodeTag:i", "Equations of a node; femu's own numbering, -1 if fixed."
)
def node_dofs(reader: Reader) -> list[int]:
    node = reader.read("nodeTag:i")["nodeTag"]
    place, neq = domain.program.numbering.place, domain.program.neq
    found = [place.get((node, d), -1) for d in domain.node(node, reader)]
    return [p if p < neq else -1 for p in found]


@command("nodeBounds", "queries", "", "Smallest and largest coordinates.")
def node_bounds(reader: Reader) -> list[float]:
    if not domain.model.nodes:
        raise reader.error("there are no nodes yet.")
    all_nodes = np.array([n.coordinates for n in domain.model.nodes.values()])
    low, high = np.zeros(3), np.zeros(3)
    low[: all_nodes.shape[1]], high[: all_nodes.shape[1]] = (
        all_nodes.min(axis=0),
        all_nodes.max(axis=0),
    )
    return [*low.tolist(), *high.tolist()]


@command(
    "eleForce", "queries", "eleTag:i dof:i=None", "Forces of an element along the global axes."
)
def ele_force(reader: Reader) -> Any:
    a = reader.read("eleTag:i dof:i=None")
    domain.element(a["eleTag"], reader)
    return _one(
        element_responses.global_force(present(reader).now(), domain, a["eleTag"])[0].tolist(),
        a["dof"],
        reader,
    )


def _one(values: list[float], number: int | None, reader: Reader) -> Any:
    if number is None:
        return values
    if not 1 <= number <= len(values):
        raise reader.error(f"dof = {number} must lie between 1 and {len(values)}.")
    return values[number - 1]


@command("basicForce", "queries", "eleTag:i", "Basic forces of an element.")
def basic_force(reader: Reader) -> list[float]:
    tag = reader.read("eleTag:i")["eleTag"]
    domain.element(tag, reader)
    return element_responses.basic(present(reader).now(), tag)[0].tolist()


@command("basicDeformation", "queries", "eleTag:i", "Basic deformations of an element.")
def basic_deformation(reader: Reader) -> list[float]:
    tag = reader.read("eleTag:i")["eleTag"]
    domain.element(tag, reader)
    return element_responses.deformation(present(reader).now(), tag)[0].tolist()


def _quick_response(arguments: tuple[Any, ...]) -> Any:
    """A response that this session has been asked for before."""
    session = domain.session
    if session is None or not all(type(a) in (int, str, float) for a in arguments):
        return SLOW
    asked = session.asked.get(arguments)
    return SLOW if asked is None else asked.response(session.now())[0].tolist()


@command(
    "eleResponse",
    "queries",
    "eleTag:i *words",
    "A response of an element by its words, for example 'localForce'.",
    _quick_response,
)
def ele_response(reader: Reader) -> list[float]:
    tag = reader.take("eleTag", "i")
    words, reader.at = reader.items[reader.at :], len(reader.items)
    asked, session = responses.element_response(domain, tag, words, reader), present(reader)
    session.asked[tuple(reader.items)] = asked
    return asked.response(session.now())[0].tolist()


def _section(reader: Reader, names: dict[int, dict[str, str]]) -> Any:
    a = reader.read("eleTag:i secNum:i dof:i=None")
    element = domain.element(a["eleTag"], reader)
    if not hasattr(element, "along"):
        raise reader.error(f"element {a['eleTag']} has no sections along it.")
    if not 1 <= a["secNum"] <= element.section_count:
        raise reader.error(
            f"secNum = {a['secNum']} must lie between 1 and {element.section_count}."
        )
    rows, tag, point = present(reader).now(), a["eleTag"], a["secNum"] - 1
    found = section_responses.section_values(
        rows, tag, point, section_responses.section_columns(domain, tag, point, names)
    )
    return _one(found[0].tolist(), a["dof"], reader)


@command("sectionForce", "queries", "eleTag:i secNum:i dof:i=None", "Forces of a section.")
def section_force(reader: Reader) -> Any:
    return _section(reader, section_responses.SECTION_FORCES)


@command(
    "sectionDeformation", "queries", "eleTag:i secNum:i dof:i=None", "Deformations of a section."
)
def section_deformation(reader: Reader) -> Any:
    return _section(reader, section_responses.SECTION_DEFORMATIONS)


def _places(reader: Reader, weights: bool) -> Any:
    a = reader.read("eleTag:i secNum:i=None")
    element = domain.element(a["eleTag"], reader)
    if not hasattr(element, "along"):
        raise reader.error(f"element {a['eleTag']} has no sections along it.")
    length = domain.program.plans[a["eleTag"]].geometry[0]
    along = element.along(length)
    found = [v * length for v in (along.weights if weights else along.places)]
    return _one(found, a["secNum"], reader)


@command(
    "sectionLocation", "queries", "eleTag:i secNum:i=None", "Place of a section along an element."
)
def section_location(reader: Reader) -> Any:
    return _places(reader, False)


@command(
    "sectionWeight", "queries", "eleTag:i secNum:i=None", "Weight of a section along an element."
)
def section_weight(reader: Reader) -> Any:
    return _places(reader, True)


@command("getNodeTags", "queries", "", "Tags of all nodes.")
def get_node_tags(reader: Reader) -> list[int]:
    return tags(domain.node_dofs)


@command("getEleTags", "queries", "", "Tags of all elements.")
def get_ele_tags(reader: Reader) -> list[int]:
    return tags(int(t) for t in domain.model.elements)


@command("eleNodes", "queries", "eleTag:i", "Nodes of an element.")
def ele_nodes(reader: Reader) -> list[int]:
    return [int(n) for n in domain.element(reader.read("eleTag:i")["eleTag"], reader).nodes]


@command("getFixedNodes", "queries", "", "Tags of the nodes that are fixed in some direction.")
def get_fixed_nodes(reader: Reader) -> list[int]:
    return tags(
        int(t) for t, n in domain.model.nodes.items() if n.fixed & set(domain.node_dofs[int(t)])
    )


@command("getFixedDOFs", "queries", "nodeTag:i", "Directions in which a node is fixed.")
def get_fixed_dofs(reader: Reader) -> list[int]:
    node = reader.read("nodeTag:i")["nodeTag"]
    names = domain.node(node, reader)
    return [k for k, d in enumerate(names, start=1) if d in domain.model.nodes[node].fixed]


@command("getNumElements", "queries", "", "Number of elements.")
def get_num_elements(reader: Reader) -> int:
    return len(domain.model.elements)


@command("getNDM", "queries", "nodeTag:i=None", "Number of dimensions.")
def get_ndm(reader: Reader) -> list[int]:
    node = reader.read("nodeTag:i=None")["nodeTag"]
    if node is not None:
        domain.node(node, reader)
    return [domain.ndm]


@command("getNDF", "queries", "nodeTag:i=None", "Number of degrees of freedom of a node.")
def get_ndf(reader: Reader) -> list[int]:
    node = reader.read("nodeTag:i=None")["nodeTag"]
    return [domain.ndf if node is None else len(domain.node(node, reader))]


@command("systemSize", "queries", "", "Number of equations.")
def system_size(reader: Reader) -> int:
    return domain.program.neq


@command(
    "printModel", "queries", "*words | -file file:w", "Print nodes and elements, in femu's words."
)
def print_model(reader: Reader) -> None:
    for item in reader.items:
        if not isinstance(item, (str, int)) or (
            isinstance(item, int) and abs(item) > LARGEST_WHOLE
        ):
            raise reader.error(f"{shown(item)} must be a word or a tag.")
    lines = [
        str(found) for found in (*domain.model.nodes.values(), *domain.model.elements.values())
    ]
    option = next(
        (
            place
            for place, item in enumerate(reader.items)
            if isinstance(item, str) and item == "-file"
        ),
        None,
    )
    if option is not None:
        reader.at = option + 1
        write_text(reader, reader.take("-file file", "w"), "\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


@command("version", "queries", "", "femu's version, named as such.")
def version(reader: Reader) -> str:
    from importlib.metadata import version as installed

    return f"femu {installed('femu')}"


@command(
    "logFile", "model", "*arguments", "Accepted without effect: messages go to the standard error."
)
def log_file(reader: Reader) -> None:
    reader.at = len(reader.items)


@command("setPrecision", "recorders", "digits:i", "Digits of the numbers that recorders write.")
def set_precision(reader: Reader) -> None:
    from femu.opensees.front_end import recorders

    recorders.DIGITS = recorders.digits_of(reader, reader.read("digits:i")["digits"])


# --- writing into the state ---


def _write(reader: Reader, start: str) -> None:
    a = reader.read("nodeTag:i dof:i value | -commit")
    direction = domain.direction(a["nodeTag"], a["dof"], reader)
    session = present(reader)
    session.flush()
    program, state = session.program, session.state
    place = program.numbering.place.get((a["nodeTag"], direction))
    if place is None:
        raise reader.error(f"no element uses node {a['nodeTag']}, dof {a['dof']}.")
    at = getattr(program.layout, start) + place
    before = float(state.vector[at])
    state.vector[at] = a["value"]
    if start == "u":
        try:
            session.evaluate(reader)
        except FemuError:
            state.vector[at] = before
            session.end()  # it has evaluated what was refused
            raise
    session.refresh()


@command(
    "setNodeDisp", "queries", "nodeTag:i dof:i value | -commit", "Set the displacement of a node."
)
def set_node_disp(reader: Reader) -> None:
    _write(reader, "u")


@command("setNodeVel", "queries", "nodeTag:i dof:i value | -commit", "Set the velocity of a node.")
def set_node_vel(reader: Reader) -> None:
    _write(reader, "v")


@command(
    "setNodeAccel", "queries", "nodeTag:i dof:i value | -commit", "Set the acceleration of a node."
)
def set_node_accel(reader: Reader) -> None:
    _write(reader, "a")
