"""Translation to OpenSees.

Everything femu has is either translated or said to have no equivalent.
"""

from __future__ import annotations

import json

import element_harness
import material_harness
import numpy as np
import pytest
import section_harness

from femu import Model
from femu.analyses import LoadControl, Newmark, RungeKutta, Transient
from femu.elements import ForceBeamColumn, Truss
from femu.materials import Bilinear, FibreSection, NMSection
from femu.opensees.comparison import Stage, Untranslatable
from femu.opensees.comparison.case import ModelCase
from femu.opensees.comparison.suite.models import COLUMN, cantilever, uncoupled
from femu.opensees.translation import materials as material_translation
from femu.opensees.translation import sections as section_translation
from femu.opensees.translation.command_list import CommandList
from femu.opensees.translation.script import opensees_script
from femu.opensees.translation.sections import h_of
from femu.records import GroundMotion


def named(made) -> set[str]:
    """Names of the classes of a component and its parts."""
    return {type(made).__name__}.union(*(named(part) for _, part in made.parts()))


@pytest.mark.parametrize("name", material_harness.EVERY)
def test_a_material_is_written_or_said_to_have_no_equivalent(name: str) -> None:
    case, book = material_harness.EVERY[name], CommandList()
    try:
        material_translation.write_material(case.material, book)
    except Untranslatable as problem:
        assert not case.opensees
        assert any(kind in str(problem) for kind in named(case.material))
    else:
        assert book.commands


@pytest.mark.parametrize("name", section_harness.SECTIONS)
def test_a_section_is_written_or_said_to_have_no_equivalent(name: str) -> None:
    section, book = section_harness.SECTIONS[name].section, CommandList()
    try:
        section_translation.write_section(section, book)
    except Untranslatable as problem:
        assert any(kind in str(problem) for kind in named(section))
    else:
        assert book.commands


@pytest.mark.parametrize(("name", "geometry"), element_harness.ALL)
def test_an_element_is_written_or_said_to_have_no_equivalent(name: str, geometry: str) -> None:
    case = element_harness.CASES[name]
    model = Model("free")
    model.node(1, 1.0, -0.5, fixed=True)
    model.node(2, *((1.0, -0.5) if case.coincident else (3.0, 1.5)), mass=1.0)
    model.add(case.make(geometry))
    try:
        script = opensees_script(model)
    except Untranslatable as problem:
        assert any(kind in str(problem) for kind in named(model.elements["e"]))
    else:
        assert "ops.element(" in script


def test_one_material_object_is_written_once() -> None:
    book, steel = CommandList(), Bilinear(2e11, 3e8, 0.01)
    first = material_translation.write_material(steel, book)
    assert material_translation.write_material(steel, book) == first
    assert book.commands == [["uniaxialMaterial", "Steel01", first, 3e8, 2e11, 0.01]]


def test_the_h_of_an_nm_section_has_its_stiffness_and_strength() -> None:
    size = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
    section = NMSection.h_shape(**size, E=206e9, fy=280e6, b=0.03)
    (group,) = h_of(section).groups
    exact = FibreSection.h_shape(
        **size, material=Bilinear(206e9, 280e6, 0.03), flange_fibres=16, web_fibres=60
    ).groups[0]
    assert np.allclose(group.y, exact.y, rtol=1e-9)
    assert np.allclose(group.area, 206e9 * exact.area, rtol=1e-9)


def test_an_nm_section_of_no_h_shape_is_refused() -> None:
    impossible = NMSection(
        EA=1e9, EI=1e3, yield_force=1e6, plastic_moment=1e6, flange_web_ratio=2.0
    )
    with pytest.raises(Untranslatable, match="not those of any H-shape"):
        h_of(impossible)


def test_what_opensees_does_not_have_is_named() -> None:
    def model():
        made = cantilever(ForceBeamColumn, section=uncoupled(*COLUMN))
        made.add(Truss("tie", 0, 1, material=Bilinear(2e11, 3e8), area=1e-4, geometry="p-delta"))
        return made

    with pytest.raises(Untranslatable, match=r"tie.*none with P-Delta"):
        ModelCase("tie", model, [Stage(LoadControl(pattern="gravity"))]).prepare()
    explicit = Stage(Transient(RungeKutta(), dt=1e-5), GroundMotion.el_centro(), 2e-5)
    with pytest.raises(Untranslatable, match="RungeKutta"):
        ModelCase(
            "explicit", lambda: cantilever(ForceBeamColumn, section=uncoupled(*COLUMN)), [explicit]
        ).prepare()


def test_a_job_is_plain_data() -> None:
    stage = Stage(Transient(Newmark(), dt=0.01), GroundMotion.el_centro(), 0.1)
    job = (
        ModelCase(
            "column", lambda: cantilever(ForceBeamColumn, section=uncoupled(*COLUMN)), [stage]
        )
        .prepare()
        .job
    )
    assert json.loads(json.dumps(job)) == job
