"""Elements of femu as those of OpenSees, and what is read from them after each step.

An element is written by the function registered for its class, which returns its readings. A new
element that has an equivalent needs one more function here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
    ZeroLengthSection,
)
from femu.elements.beam_column import FrameElement
from femu.elements.section_beam_column import SectionedElement
from femu.elements.space_member import placed
from femu.engine.program import Program
from femu.model.element import SPACE_DOFS, Name
from femu.opensees.translation.command_list import CommandList, Untranslatable
from femu.opensees.translation.materials import write_material
from femu.opensees.translation.sections import section_forces, write_section
from femu.results.result import Result

Array = npt.NDArray[np.float64]
TRANSFORMATIONS = {"linear": "Linear", "p-delta": "PDelta", "corotational": "Corotational"}
FORCE, MOMENT = "element force", "element moment"
SECTION_FORCE, SECTION_MOMENT = "section force", "section moment"
_ENDS = ("x at i", "y at i", "moment at i", "x at j", "y at j", "moment at j")
_END_KINDS = (FORCE, FORCE, MOMENT) * 2
_SPACE_ENDS = tuple(
    f"{what}{axis} at {end}" for end in "ij" for what in ("", "moment ") for axis in "xyz"
)
_SPACE_KINDS = (FORCE, FORCE, FORCE, MOMENT, MOMENT, MOMENT) * 2


@dataclass(frozen=True)
class Reading:
    """Numbers read after each step.

    The call of openseespy, what they are, and the same from a result of femu.
    """

    call: list[Any]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    femu: Callable[[Result], Array]
    # degrees of freedom that these numbers belong to, if any
    dofs: tuple[tuple[Name, str], ...] = ()


@dataclass(frozen=True)
class Situation:
    """What an element needs to know about its model."""

    program: Program
    tag: int
    nodes: tuple[int, ...]
    energy: float  # of a member, force times deformation: the scale of its own iteration


def write_element(element: Any, book: CommandList, situation: Situation) -> list[Reading]:
    """Write an element; returns its readings."""
    return _write(element, book, situation)


@singledispatch
def _write(element: Any, book: CommandList, situation: Situation) -> list[Reading]:
    raise Untranslatable(
        f"{type(element).__name__} has no equivalent among the elements of OpenSees, or none that "
        "femu knows."
    )


# --- beam-columns ---

ELEMENT_ITERATIONS = 60
ELEMENT_TOLERANCE = 1e-22  # of the energy of the member: its own iteration leaves no visible error


def transformation(element: FrameElement, book: CommandList, situation: Situation) -> int:
    """Tag of the geometric transformation of a beam-column."""
    offsets = tuple(float(v) for v in (*element.offset_i, *element.offset_j))
    axes: tuple[float, ...] = ()
    if situation.program.dimensions == 3:
        _, local, offset_i, offset_j = placed(element, situation.program.coordinates)
        offsets, axes = tuple((*offset_i.tolist(), *offset_j.tolist())), tuple(local[2].tolist())
    key = (element.geometry, axes, offsets)
    tag = book.known("transformation", key)
    if tag is None:
        tag = book.remember("transformation", key, book.tag("transformation"))
        rigid = ["-jntOffset", *offsets] if any(offsets) else []
        book.write("geomTransf", TRANSFORMATIONS[element.geometry], tag, *axes, *rigid)
    return tag


def integration(element: Any, book: CommandList, situation: Situation) -> tuple[int, int]:
    """Tag of the integration along a member with sections, and the number of points.

    Places and weights are passed as numbers: those tabulated in OpenSees are rounded to fewer
    digits.
    """
    along = element.along(situation.program.plans[element.name].geometry[0])
    sections = [
        write_section(section, book) for _, section, count in along.runs for _ in range(count)
    ]
    key = (tuple(sections), along.places, along.weights)
    tag = book.known("integration", key)
    if tag is None:
        tag = book.remember("integration", key, book.tag("integration"))
        named = book.rule(element, tag, sections)
        book.write(
            "beamIntegration",
            *(
                named
                or ["UserDefined", tag, len(sections), *sections, *along.places, *along.weights]
            ),
        )
    return tag, len(sections)


def mass_options(element: FrameElement, consistent: bool) -> list[Any]:
    """Mass per length as the last arguments of a beam-column."""
    if element.mass == 0.0:
        return []
    if element.consistent_mass and not consistent:
        raise Untranslatable(
            f"{element.label()}: this beam-column of OpenSees has no consistent mass matrix."
        )
    return ["-mass", element.mass] + (["-cMass"] if element.consistent_mass else [])


def _section_forces(name: Name, point: int, components: tuple[str, ...], result: Result) -> Array:
    none = np.zeros(len(result.time))
    return np.stack([result.section(name, point, c) if c else none for c in components], axis=1)


def _one_basic_force(name: Name, k: int, result: Result) -> Array:
    return result.force(name, "basic")[:, k : k + 1]


def frame_readings(
    element: FrameElement, situation: Situation, in_shear: bool = False
) -> list[Reading]:
    """Basic, local and global forces, and the forces of the sections, their shear force
    ``in_shear``."""
    name, tag, program = element.name, situation.tag, situation.program
    space = program.dimensions == 3
    ends, end_kinds = (_SPACE_ENDS, _SPACE_KINDS) if space else (_ENDS, _END_KINDS)
    basic = program.plans[name].basic_forces
    # else with the inertia of its mass in OpenSees
    global_kinds = end_kinds if element.mass == 0.0 else ("",) * len(ends)
    found = [
        Reading(
            ["basicForce", tag],
            (FORCE,) + (MOMENT,) * (len(basic) - 1),
            tuple(f"{name}, {c}" for c in basic),
            lambda result: result.force(name, "basic"),
        ),
        Reading(
            ["eleResponse", tag, "localForce"],
            end_kinds,
            tuple(f"{name}, local {c}" for c in ends),
            lambda result: result.force(name, "local"),
        ),
        Reading(
            ["eleForce", tag],
            global_kinds,
            tuple(f"{name}, global {c}" for c in ends),
            lambda result: result.force(name, "global"),
            tuple((n, d) for n in element.nodes for d in program.dof_names),
        ),
    ]
    along = (
        element.along(program.plans[name].geometry[0]).runs
        if isinstance(element, SectionedElement)
        else ()
    )
    for point, section in enumerate(section for _, section, count in along for _ in range(count)):
        listed = section_forces(section, space)
        # what femu's member does not have is read and not compared: OpenSees lists it as zero
        components = tuple(c if in_shear or not c.startswith("V") else "" for c in listed)
        kinds = tuple(
            SECTION_MOMENT if c[:1] in ("M", "T") else SECTION_FORCE if c else ""
            for c in components
        )
        found.append(
            Reading(
                ["sectionForce", tag, point + 1],
                kinds,
                tuple(f"{name}, section {point + 1}, {c}" for c in listed),
                partial(_section_forces, name, point, components),
            )
        )
    return found


@_write.register
def _(e: ElasticBeamColumn, book: CommandList, situation: Situation) -> list[Reading]:
    s: Any = e.section
    space = situation.program.dimensions == 3
    if e.in_shear:
        return _timoshenko(e, book, situation)
    numbers = [s.A, s.E, s.G, s.J, s.Iy, s.I] if space else [s.A, s.E, s.I]
    releases: list[Any] = []
    for axis in ("z", "y") if space else ("z",):
        at_i, at_j = e.released(axis)
        if at_i or at_j:
            releases += [f"-release{axis}" if space else "-release", int(at_i) + 2 * int(at_j)]
    book.write(
        "element",
        "elasticBeamColumn",
        situation.tag,
        *situation.nodes,
        *numbers,
        transformation(e, book, situation),
        *mass_options(e, consistent=True),
        *releases,
    )
    return frame_readings(e, situation)


def _timoshenko(e: ElasticBeamColumn, book: CommandList, situation: Situation) -> list[Reading]:
    """An elastic member that deforms in shear, as far as ElasticTimoshenkoBeam goes."""
    s: Any = e.section
    space = situation.program.dimensions == 3
    shares = [s.alpha_y, s.alpha_z] if space else [s.alpha_y]
    if (
        e.geometry != "linear"
        or None in shares
        or any(e.released("z"))
        or any(e.released("y"))
        or e.consistent_mass
    ):
        raise Untranslatable(
            f"{e.label()}: ElasticTimoshenkoBeam of OpenSees is compared in the linear geometry, "
            "with shear along all axes, without releases and without consistent mass."
        )
    numbers = [s.E, s.G, s.A, s.J, s.Iy, s.I] if space else [s.E, s.G, s.A, s.I]
    book.write(
        "element",
        "ElasticTimoshenkoBeam",
        situation.tag,
        *situation.nodes,
        *numbers,
        *(share * s.A for share in shares),
        transformation(e, book, situation),
        *mass_options(e, consistent=False),
    )
    return frame_readings(e, situation)[1:]  # it has no basic forces


@_write.register
def _(e: ForceBeamColumn, book: CommandList, situation: Situation) -> list[Reading]:
    rule, _ = integration(e, book, situation)
    book.write(
        "element",
        "forceBeamColumn",
        situation.tag,
        *situation.nodes,
        transformation(e, book, situation),
        rule,
        "-iter",
        ELEMENT_ITERATIONS,
        ELEMENT_TOLERANCE * situation.energy,
        *mass_options(e, consistent=False),
    )
    return frame_readings(e, situation, in_shear=True)


@_write.register
def _(e: DisplacementBeamColumn, book: CommandList, situation: Situation) -> list[Reading]:
    rule, _ = integration(e, book, situation)
    book.write(
        "element",
        "dispBeamColumn",
        situation.tag,
        *situation.nodes,
        transformation(e, book, situation),
        rule,
        *mass_options(e, consistent=True),
    )
    return frame_readings(e, situation)


# --- trusses and links ---

_LINK_KINDS = {
    "Fx": FORCE,
    "Fy": FORCE,
    "Fz": FORCE,
    "Mx": MOMENT,
    "My": MOMENT,
    "Mz": MOMENT,
    "N": FORCE,
    "M": MOMENT,
    "T": MOMENT,
    "V": FORCE,
    "Vy": FORCE,
    "Vz": FORCE,
}


def work_reading(element: Any, situation: Situation) -> Reading:
    """End forces that are read for their work only."""
    dofs = tuple((n, d) for n in element.nodes for d in situation.program.dof_names)
    none = ("",) * len(dofs)
    return Reading(
        ["eleForce", situation.tag],
        none,
        none,
        lambda result: np.zeros((len(result.time), len(dofs))),
        dofs,
    )


def basic_reading(element: Any, call: list[Any], names: tuple[str, ...]) -> Reading:
    """Basic forces of a truss or link."""
    return Reading(
        call,
        tuple(_LINK_KINDS[n] for n in names),
        tuple(f"{element.name}, {n}" for n in names),
        lambda result: result.force(element.name, "basic"),
    )


@_write.register
def _(e: Truss, book: CommandList, situation: Situation) -> list[Reading]:
    if e.geometry == "p-delta":
        raise Untranslatable(
            f"{e.label()}: OpenSees has linear and corotational trusses, none with P-Delta."
        )
    kind = "corotTruss" if e.geometry == "corotational" else "Truss"
    book.write(
        "element",
        kind,
        situation.tag,
        *situation.nodes,
        e.area,
        write_material(e.material, book),
        "-rho",
        e.mass,
        "-cMass",
        int(e.consistent_mass),
        "-doRayleigh",
        int(e.damped),
    )
    tag = situation.tag
    return [
        basic_reading(e, ["eleResponse", tag, "axialForce"], ("N",)),
        work_reading(e, situation),
    ]


def _orientation(element: Any) -> list[Any]:
    if element.orient is not None:
        return ["-orient", *(float(v) for vector in element.orient for v in vector)]
    angle = element.angle
    c, s = math.cos(angle), math.sin(angle)
    return ["-orient", c, s, 0.0, -s, c, 0.0] if angle else []


@_write.register
def _(e: ZeroLength, book: CommandList, situation: Situation) -> list[Reading]:
    materials = [write_material(law, book) for law in e.laws.values()]
    directions = [SPACE_DOFS.index(d) + 1 for d in e.laws]
    tag = situation.tag
    book.write(
        "element",
        "zeroLength",
        tag,
        *situation.nodes,
        "-mat",
        *materials,
        "-dir",
        *directions,
        "-doRayleigh",
        int(e.damped),
        *_orientation(e),
    )
    names = situation.program.plans[e.name].basic_forces
    readings = [
        Reading(
            ["eleResponse", tag, "material", k + 1, "stress"],
            (_LINK_KINDS[name],),
            (f"{e.name}, {name}",),
            partial(_one_basic_force, e.name, k),
        )
        for k, name in enumerate(names)
    ]
    return [*readings, work_reading(e, situation)]


@_write.register
def _(e: TwoNodeLink, book: CommandList, situation: Situation) -> list[Reading]:
    materials = [write_material(law, book) for law in e.laws.values()]
    tag = situation.tag
    directions = situation.program.dof_names
    space = situation.program.dimensions == 3
    shares = np.atleast_1d(np.asarray(e.shear_distance, dtype=float)).tolist()
    shear = (
        ["-shearDist", *(shares * 2)[: 2 if space else 1]] if "y" in e.laws or "z" in e.laws else []
    )
    orient: list[Any] = []
    if space:
        x, yp = e.orientation(situation.program.coordinates)
        orient = ["-orient", *x.tolist(), *yp.tolist()]
    p_delta: list[Any] = []
    if e.p_delta is not False:
        p_delta = [
            "-pDelta",
            *(
                [0.0] * (4 if space else 2)
                if isinstance(e.p_delta, bool)
                else map(float, e.p_delta)
            ),
        ]
    book.write(
        "element",
        "twoNodeLink",
        tag,
        *situation.nodes,
        "-mat",
        *materials,
        "-dir",
        *(directions.index(d) + 1 for d in e.laws),
        *orient,
        *p_delta,
        *shear,
        *(["-doRayleigh"] if e.damped else []),
    )
    names = situation.program.plans[e.name].basic_forces
    return [basic_reading(e, ["eleResponse", tag, "basicForce"], names), work_reading(e, situation)]


@_write.register
def _(e: ZeroLengthSection, book: CommandList, situation: Situation) -> list[Reading]:
    tag = situation.tag
    section = write_section(e.section, book)
    book.write(
        "element",
        "zeroLengthSection",
        tag,
        *situation.nodes,
        section,
        *_orientation(e),
        "-doRayleigh",
        int(e.damped),
    )
    names = situation.program.plans[e.name].basic_forces
    listed = section_forces(e.section, situation.program.dimensions == 3)
    order = [names.index(name) for name in listed]
    reading = Reading(
        ["eleResponse", tag, "section", "force"],
        tuple(_LINK_KINDS[n] for n in listed),
        tuple(f"{e.name}, {n}" for n in listed),
        lambda result: result.force(e.name, "basic")[:, order],
    )
    return [reading, work_reading(e, situation)]


@_write.register
def _(e: LumpedMass, book: CommandList, situation: Situation) -> list[Reading]:
    return []  # written with the masses of the nodes
