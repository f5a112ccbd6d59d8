"""Translation to OpenSees: everything femu has is either translated or said to have no equivalent."""

from __future__ import annotations

import json

import numpy as np
import pytest

import femu.elements
import femu.materials
from femu.analyses import LoadControl, Newmark, RungeKutta, Transient
from femu.component import Material, Section
from femu.crossvalidation import Stage, Untranslatable
from femu.crossvalidation import elements as element_translation
from femu.crossvalidation import materials as material_translation
from femu.crossvalidation import sections as section_translation
from femu.crossvalidation.book import Book
from femu.crossvalidation.case import ModelCase
from femu.crossvalidation.sections import h_of
from femu.crossvalidation.suite.models import COLUMN, cantilever, uncoupled
from femu.element import Element
from femu.elements import ForceBeamColumn, Truss
from femu.materials import Bilinear, FibreSection, NMSection
from femu.records import GroundMotion


def exported(module, kind):
    return [getattr(module, name) for name in module.__all__
            if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), kind)]


@pytest.mark.parametrize("kind", exported(femu.materials, Material))
def test_every_material_has_a_translation(kind: type) -> None:
    assert material_translation._write.dispatch(kind) is not material_translation._write.dispatch(object)


@pytest.mark.parametrize("kind", exported(femu.materials, Section))
def test_every_section_has_a_translation(kind: type) -> None:
    assert section_translation._write.dispatch(kind) is not section_translation._write.dispatch(object)


@pytest.mark.parametrize("kind", exported(femu.elements, Element))
def test_every_element_has_a_translation(kind: type) -> None:
    assert element_translation._write.dispatch(kind) is not element_translation._write.dispatch(object)


def test_one_material_object_is_written_once() -> None:
    book, steel = Book(), Bilinear(2e11, 3e8, 0.01)
    first = material_translation.write_material(steel, book)
    assert material_translation.write_material(steel, book) == first
    assert book.commands == [["uniaxialMaterial", "Steel01", first, 3e8, 2e11, 0.01]]


def test_the_h_of_an_nm_section_has_its_stiffness_and_strength() -> None:
    size = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
    section = NMSection.h_shape(**size, E=206e9, fy=280e6, b=0.03)
    (group,) = h_of(section).groups
    exact = FibreSection.h_shape(**size, material=Bilinear(206e9, 280e6, 0.03), flange_fibres=16, web_fibres=60).groups[0]
    assert np.allclose(group.y, exact.y, rtol=1e-9)
    assert np.allclose(group.area, 206e9 * exact.area, rtol=1e-9)


def test_an_nm_section_of_no_h_shape_is_refused() -> None:
    impossible = NMSection(EA=1e9, EI=1e3, yield_force=1e6, plastic_moment=1e6, flange_web_ratio=2.0)
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
        ModelCase("explicit", lambda: cantilever(ForceBeamColumn, section=uncoupled(*COLUMN)), [explicit]).prepare()


def test_a_job_is_plain_data() -> None:
    stage = Stage(Transient(Newmark(), dt=0.01), GroundMotion.el_centro(), 0.1)
    job = ModelCase("column", lambda: cantilever(ForceBeamColumn, section=uncoupled(*COLUMN)), [stage]).prepare().job
    assert json.loads(json.dumps(job)) == job
