"""Sections of femu as those of OpenSees."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.optimize import fsolve

from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    NMSection,
    SectionWithShear,
    UncoupledSection,
)
from femu.model.component import Section
from femu.opensees.translation.command_list import CommandList, Untranslatable
from femu.opensees.translation.materials import write_material

FLANGE_FIBRES, WEB_FIBRES = 16, 60  # of the fibre section that replaces an N-M section


def write_section(section: Section, book: CommandList) -> int:
    """Write a section once; returns its tag."""
    tag = book.known("section", section)
    return tag if tag is not None else book.remember("section", section, _write(section, book))


@singledispatch
def _write(section: Any, book: CommandList) -> int:
    raise Untranslatable(
        f"{type(section).__name__} has no equivalent among the sections of OpenSees, or none that "
        "femu knows."
    )


def section_forces(section: Section, space: bool) -> tuple[str, ...]:
    """Names of a section's forces in femu, in the order in which OpenSees lists them."""
    shear = tuple(section.shear_laws())
    if not space:
        return ("N", "M", "V") if "y" in shear else ("N", "M")
    if isinstance(section, ElasticSection) and len(shear) == 2:
        return "N", "Mz", "Vy", "My", "Vz", "T"
    return "N", "Mz", "My", "T", *(f"V{axis}" for axis in shear)


@_write.register
def _(s: ElasticSection, book: CommandList) -> int:
    shares = [share for share in (s.alpha_y, s.alpha_z) if share is not None]
    if book.space and len(shares) == 1:  # OpenSees wants both shares
        axis, share = ("y", s.alpha_y) if s.alpha_y is not None else ("z", s.alpha_z)
        assert s.G is not None and share is not None
        base, law = ElasticSection(s.E, s.A, s.I, s.Iy, s.G, s.J), Elastic(share * s.G * s.A)
        return _aggregate(write_section(base, book), {f"V{axis}": law}, book)
    tag = book.tag("section")
    if book.space:
        more = [] if s.Iy is None else [s.Iy, s.G, s.J, *shares]
    else:
        more = [] if s.alpha_y is None else [s.G, s.alpha_y]
    book.write("section", "Elastic", tag, s.E, s.A, s.I, *more)
    return tag


@_write.register
def _(s: SectionWithShear, book: CommandList) -> int:
    given = {"Vy": s.shear_y, **({"Vz": s.shear_z} if book.space else {})}
    laws = {code: law for code, law in given.items() if law is not None}
    if not laws:
        return write_section(s.section, book)
    # an Aggregator inside another one does not work in OpenSees
    if isinstance(s.section, UncoupledSection):
        return _aggregate(None, _by_code(s.section, book) | laws, book)
    return _aggregate(write_section(s.section, book), laws, book)


def _aggregate(base: int | None, laws: dict[str, Any], book: CommandList) -> int:
    """Laws by the codes of OpenSees, with another section if there is one."""
    materials = [(write_material(law, book), code) for code, law in laws.items()]
    tag = book.tag("section")
    base_arguments = [] if base is None else ["-section", base]
    book.write(
        "section", "Aggregator", tag, *(v for pair in materials for v in pair), *base_arguments
    )
    return tag


def _by_code(s: UncoupledSection, book: CommandList) -> dict[str, Any]:
    laws = {
        "P": s.axial,
        "Mz": s.moment,
        **({"My": s.moment_y, "T": s.torsion} if book.space else {}),
    }
    return {code: law for code, law in laws.items() if law is not None}


@_write.register
def _(s: UncoupledSection, book: CommandList) -> int:
    return _aggregate(None, _by_code(s, book), book)


@_write.register
def _(s: FibreSection, book: CommandList) -> int:
    tags = [write_material(group.material, book) for group in s.groups]
    tag = book.tag("section")
    # OpenSees would measure y from the centroid, femu measures from y = 0
    torsion = [] if s.torsion is None else ["-torsion", write_material(s.torsion, book)]
    book.write("section", "Fiber", tag, *torsion, "-noCentroid")
    for material, group in zip(tags, s.groups, strict=True):
        aside = np.zeros(len(group.y)) if group.z is None else group.z
        for y, z, area in zip(group.y, aside, group.area, strict=True):
            book.write("fiber", float(y), float(z), float(area), material)
    return tag


@_write.register
def _(s: NMSection, book: CommandList) -> int:
    book.note(
        "OpenSees has no N-M section. The fibre section of an H with the same EA, EI, Ny, Mp and "
        "ratio of flange to web replaces it: it yields gradually over its depth, which the N-M "
        "section does at once."
    )
    return write_section(h_of(s), book)


def h_of(section: NMSection) -> FibreSection:
    """Fibre section of the H-shape that has the stiffness and the strength of an N-M section.

    In units of the section's EA: flange and web have the shares a/(2a+1) and 1/(2a+1) of the area,
    and the depth and the thickness of the flange follow from EI/EA and Mp/Ny.
    """
    flange, web = (
        section.flange_web_ratio / (2 * section.flange_web_ratio + 1),
        1 / (2 * section.flange_web_ratio + 1),
    )
    inertia, modulus = section.EI / section.EA, section.plastic_moment / section.yield_force

    def difference(x: Any) -> list[float]:
        # clear depth of the web, distance between the flanges' axes
        clear, lever = x[0], x[0] + x[1]
        return [
            (2 * flange * (lever**2 / 4 + x[1] ** 2 / 12) + web * clear**2 / 12) / inertia - 1.0,
            (flange * lever + web * clear / 4) / modulus - 1.0,
        ]

    size = 2.0 * np.sqrt(inertia)
    (clear, thickness), _, found, _ = fsolve(
        difference, [size, 0.1 * size], full_output=True, xtol=1e-13
    )
    if found != 1 or not (clear > 0.0 and thickness > 0.0):
        raise Untranslatable(
            "the EA, EI, Ny, Mp and flange_web_ratio of this NMSection are not those of any "
            "H-shape, so no fibre section can replace it."
        )
    steel = Bilinear(E=1.0, fy=section.yield_force / section.EA, b=section.b)
    return FibreSection.h_shape(
        depth=clear + 2 * thickness,
        width=flange * section.EA / thickness,
        web=web * section.EA / clear,
        flange=thickness,
        material=steel,
        flange_fibres=FLANGE_FIBRES,
        web_fibres=WEB_FIBRES,
    )
