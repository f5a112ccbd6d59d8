"""A model goes to TOML and comes back the same.

Text, parameters, state layout and response to the last bit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import element_harness
import numpy as np
import pytest
import section_harness
from example_frames import QUAKE, portal
from hypothesis import given
from hypothesis import strategies as st
from material_harness import EVERY

import femu.elements
import femu.materials
from femu import DistributedLoad, Model, PointLoad, Result, UniformLoad
from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    LumpedMass,
    Stations,
    Truss,
    TwoNodeLink,
    ViscousDashpot,
    ZeroLength,
    ZeroLengthSection,
)
from femu.exchange.objects import Decoder, Encoder
from femu.experimental import (
    Actuator,
    Cantilever,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    Limits,
    RemoteSpecimen,
    Sensors,
)
from femu.files import toml_text
from femu.materials import (
    Bilinear,
    BoucWen,
    Elastic,
    ElasticSection,
    FibreSection,
    NMSection,
    SectionWithShear,
    UncoupledSection,
)
from femu.model.component import Section
from femu.model.series import Constant, Linear, Motion, Pulse, Sampled, Sine
from femu.support.errors import FileError, UnsupportedError

STEEL = Bilinear(E=200e9, fy=300e6, b=0.01)
SECTIONS: dict[str, Section] = {
    "elastic": ElasticSection(E=200e9, A=0.01, I=1e-4),
    "uncoupled": UncoupledSection(Bilinear(2e9, 2e6, 0.01), Bilinear(2e7, 2e5, 0.02)),
    "nm": NMSection.h_shape(
        depth=0.25, width=0.25, web=0.006, flange=0.012, E=206e9, fy=280e6, b=0.03
    ),
    "fibre": FibreSection.reinforced_concrete(
        0.3,
        0.4,
        0.04,
        core=Elastic(3e10),
        steel=STEEL,
        unconfined=Elastic(2.8e10),
        top=1e-3,
        bottom=1e-3,
    ),
    "elastic shear": ElasticSection(E=200e9, A=0.01, I=1e-4, G=77e9, alpha_y=5 / 6),
    "shear": SectionWithShear(
        FibreSection.rectangle(0.2, 0.3, STEEL, 4), Bilinear(1e9, 1e6, 1 / 3)
    ),
}


def same(model: Model) -> Model:
    """The model after a round trip, which must be the same."""
    text = model.to_toml()
    again = Model.from_toml(text)
    assert again.to_toml() == text
    before, after = model.compile(), again.compile()
    assert before.digest == after.digest
    assert np.array_equal(before.parameters.vector, after.parameters.vector)
    assert np.array_equal(before.geometry, after.geometry)
    assert np.array_equal(before.nodal, after.nodal) and np.array_equal(before.member, after.member)
    assert [type(e) for e in before.elements.values()] == [type(e) for e in after.elements.values()]
    return again


def bar(element: Any) -> Model:
    model = Model("bar")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node("top", 0.3, 3.1, mass=(1e3, 1e3, 1e2))
    model.node(3, 0.0, 0.0, mass=1.0)
    model.add(element)
    if element.name != "base":
        model.add(ElasticBeamColumn("base", 1, "top", section=SECTIONS["elastic"]))
    return model


ELEMENTS = [
    ElasticBeamColumn(
        "base",
        1,
        "top",
        section=SECTIONS["elastic"],
        release_j=True,
        geometry="corotational",
        offset_i=(0.1, 0.2),
        mass=1 / 3,
        consistent_mass=True,
        damped=False,
    ),
    ForceBeamColumn("e", 1, "top", section=SECTIONS["nm"], points=4, integration="radau"),
    ForceBeamColumn(
        "e",
        1,
        "top",
        integration=Hinges(SECTIONS["nm"], 0.2, SECTIONS["uncoupled"], 0.3, SECTIONS["elastic"]),
    ),
    ForceBeamColumn(
        "e",
        1,
        "top",
        integration=Stations(
            [SECTIONS["nm"], SECTIONS["elastic"], SECTIONS["nm"]],
            [0.0, 0.5, 1.0],
            [0.25, 0.5, 0.25],
        ),
    ),
    DisplacementBeamColumn(
        "e", 1, "top", section=SECTIONS["fibre"], integration="legendre", points=3
    ),
    Truss("e", 1, "top", material=STEEL, area=0.01, geometry="p-delta", mass=0.1),
    ZeroLength(
        "e",
        1,
        3,
        {"rz": STEEL, "x": BoucWen(alpha=0.1, k=1e6, n=2, gamma=1e3, beta=1e3)},
        angle=0.7,
    ),
    TwoNodeLink("e", 1, "top", {"y": STEEL}, shear_distance=0.25),
    TwoNodeLink("e", 1, "top", {"x": STEEL, "y": STEEL, "rz": STEEL}, p_delta=(0.1, 1 / 3)),
    ForceBeamColumn("e", 1, "top", section=SECTIONS["shear"]),
    ForceBeamColumn(
        "e",
        1,
        "top",
        integration=Stations(
            [SECTIONS["shear"]] * 2 + [SECTIONS["elastic shear"]],
            [0.0, 1 / 3, 1.0],
            [0.25, 0.5, 0.25],
        ),
    ),
    ViscousDashpot("e", 1, "top", C=1e4, alpha=0.35),
    ZeroLengthSection("e", 1, 3, SECTIONS["fibre"], angle=0.1),
    LumpedMass("e", "top", mass=3.0, inertia=0.1),
]


def emulated_column() -> ExperimentalBeamColumn:
    """Made where it is needed: an emulated specimen is compiled at once."""
    column = EmulatedSpecimen(
        ForceBeamColumn("c", "i", "j", section=SECTIONS["nm"]),
        length=3.1,
        seed=4,
        actuator=Actuator(delay=0.01),
        sensors=Sensors(force_noise=5.0),
    )
    return ExperimentalBeamColumn(
        "e",
        1,
        "top",
        geometry="p-delta",
        setup=Cantilever(3.1),
        limits=Limits(displacement=(0.1, 0.2, 0.3)),
        specimen=column,
    )


@pytest.mark.parametrize(
    "element", [*ELEMENTS, emulated_column], ids=lambda e: getattr(e, "__name__", type(e).__name__)
)
def test_elements(element: Any) -> None:
    element = emulated_column() if element is emulated_column else element
    again = same(bar(element)).elements[element.name]
    assert repr(type(again)) == repr(type(element))


@pytest.mark.parametrize(("name", "geometry"), element_harness.ALL)
def test_elements_of_the_list_for_all_tests(name: str, geometry: str) -> None:
    model = Model("free")
    case = element_harness.CASES[name]
    model.node(1, 1.0, -0.5, mass=1.0)
    model.node(2, *((1.0, -0.5) if case.coincident else (3.0, 1.5)), mass=1.0)
    model.add(case.make(geometry))
    assert type(same(model).elements["e"]) is type(model.elements["e"])


def test_every_element_is_tried() -> None:
    tried = {type(e).__name__ for e in ELEMENTS} | {"ExperimentalBeamColumn", "Hinges", "Stations"}
    tried |= {type(case.make("linear")).__name__ for case in element_harness.CASES.values()}
    missing = set(femu.elements.__all__) - tried
    assert not missing, f"add a case to tests/elements/element_harness.py: {missing}"


@pytest.mark.parametrize("name", section_harness.SECTIONS)
def test_sections(name: str) -> None:
    section = section_harness.SECTIONS[name].section
    encoder = Encoder()
    table = encoder.value(section, "section")
    tables = toml_text.read(toml_text.write({"part": encoder.parts}))["part"]
    again = Decoder(tables, "test").value(table)
    assert type(again) is type(section)
    assert list(again.walk_parameters()) == list(section.walk_parameters())


def test_every_section_is_tried() -> None:
    exported = [getattr(femu.materials, name) for name in femu.materials.__all__]
    wanted = {k for k in exported if isinstance(k, type) and issubclass(k, Section)}
    missing = wanted - {type(case.section) for case in section_harness.SECTIONS.values()}
    assert not missing, f"add a case to tests/materials/section_harness.py: {missing}"


@pytest.mark.parametrize("name", EVERY)
def test_materials(name: str) -> None:
    law = EVERY[name].material
    encoder = Encoder()
    table = encoder.value(law, "law")
    tables = toml_text.read(toml_text.write({"part": encoder.parts}))["part"]
    again = Decoder(tables, "test").value(table)
    assert type(again) is type(law)
    assert list(again.walk_parameters()) == list(law.walk_parameters())
    assert again.integers() == law.integers()


@pytest.mark.parametrize("section", ["elastic", "uncoupled", "nm", "fibre"])
def test_response_is_the_same_to_the_last_bit(section: str) -> None:
    model = portal(section)
    quake = Transient(Newmark(), dt=0.01)
    results = []
    for one in (model, same(model)):
        weight = LoadControl(pattern="gravity").run(one)
        results.append(quake.run(one, QUAKE, start=weight.state, duration=3.0))
    assert np.array_equal(results[0].arrays["u"], results[1].arrays["u"])


def test_a_material_of_your_own_needs_nothing_more() -> None:
    import example_material

    law = example_material.FlagShape(k=200e9, f_activation=300e6, b=0.05, beta=0.6)
    model = bar(Truss("e", 1, "top", material=law, area=1.0))
    assert f'type = "example_material:{type(law).__name__}"' in model.to_toml()
    assert type(same(model).elements["e"].material) is type(law)  # type: ignore[attr-defined]


def test_shared_sections_are_shared_again() -> None:
    model = portal()
    again = same(model)
    assert again.elements["left"].section is again.elements["right"].section  # type: ignore[attr-defined]
    assert model.to_toml().count('type = "NMSection"') == 1


def test_loads_series_motions_constraints_and_damping() -> None:
    model = portal(damping="committed")
    for name, series in {
        "constant": Constant(2.0),
        "linear": Linear(0.3),
        "sine": Sine(0.7, phase=0.1),
        "pulse": Pulse(0.1, 0.2),
        "sampled": Sampled([0.0, 0.1, 0.3], [1 / 3, 2.0, -1.0], hold=True),
        "quake": QUAKE,
    }.items():
        model.pattern(name, series)
        model.load("C", x=0.1, rz=-1 / 7, pattern=name)
        model.load("D", x=0.1, pattern=name)
        model.load("C", y=5.0, pattern=name)
        model.member_load("beam", PointLoad(1 / 3, x=2.0, y=3.0), name)
        model.member_load("left", UniformLoad(x=1.0), name)
        model.member_load("left", DistributedLoad(1 / 7, 2 / 3, x=1.0, y=2.0, y_end=-1 / 3), name)
    samples = np.sin(np.linspace(0.0, 1.0, 20))
    model.support_motion("A", "x", Motion(0.02, displacement=samples))
    model.support_motion("B", "x", Motion(0.02, acceleration=samples))
    model.rigid_diaphragm(["C", "D"])
    model.modal_damping([0.01, 1 / 30])
    model.node("far", 8.0, 3.6, mass=1.0)
    model.rigid_link("D", "far")
    again = same(model)
    t = np.linspace(0.0, 1.0, 57)
    for name, pattern in model.patterns.items():
        assert list(again.patterns[name].nodal.items()) == list(pattern.nodal.items())
        if pattern.series is not None:
            assert np.array_equal(again.patterns[name].series.at(t), pattern.series.at(t))  # type: ignore[union-attr]
    for node, direction in (("A", "x"), ("B", "x")):
        given, found = model.nodes[node].motion[direction], again.nodes[node].motion[direction]
        assert all(np.array_equal(getattr(given, k), getattr(found, k)) for k in "uva")


@given(x=st.floats(allow_nan=False, allow_infinity=False), name=st.text(min_size=1))
def test_any_number_and_any_name(x: float, name: str) -> None:
    model = Model(name)
    model.node(name, x, -x)
    again = Model.from_toml(model.to_toml())
    assert again.name == name
    assert np.array_equal(again.nodes[name].coordinates, model.nodes[name].coordinates)
    assert np.array_equal(
        np.signbit(again.nodes[name].coordinates), np.signbit(model.nodes[name].coordinates)
    )


def test_file(tmp_path: Path) -> None:
    text = portal().to_toml(tmp_path / "m.toml")
    assert Model.from_toml(tmp_path / "m.toml").to_toml() == text
    with pytest.raises(FileError, match="cannot be read"):
        Model.from_toml(tmp_path / "none.toml")
    with pytest.raises(FileError, match="cannot be written"):
        portal().to_toml(tmp_path / "no" / "m.toml")


@pytest.mark.parametrize(
    "change, word",
    [
        (('format = "femu model 2"', 'format = "femu model 9"'), "format"),
        (('type = "NMSection"', 'type = "Concrete99"'), "Concrete99"),
        (('type = "NMSection"', 'type = "subprocess:Popen"'), "not a part of a model"),
        (('type = "NMSection"', 'type = "Journal"'), "Journal"),
        (('type = "NMSection"', 'type = "antigravity:NMSection"'), "Import antigravity"),
        (('part = "nm_section_1"', 'part = "gone"'), "gone"),
        (('i = "A"', 'i = "Z"'), "'Z'"),
        (("EA = ", "EB = "), "EB"),
        (("EA = ", "EA = -"), "EA"),
        (('name = "left"', 'names = "left"'), "argument"),
        (("at = [0.0, 0.0]", "at = [0.0]"), "y = None"),
        (("[[node]]", "[[node"), "not TOML"),
        (("[[node]]", "a = " + 5000 * "["), "nested too deeply"),
        (("[[node]]", "a = " + 5000 * "9"), "not TOML"),
    ],
)
def test_wrong_text_is_an_error_that_says_what(change: tuple[str, str], word: str) -> None:
    text = portal().to_toml()
    assert change[0] in text
    with pytest.raises(FileError, match=word):
        Model.from_toml(text.replace(change[0], change[1], 1))


def test_a_file_cannot_make_femu_import_a_module() -> None:
    import sys

    with pytest.raises(FileError):
        Model.from_toml(portal().to_toml().replace('type = "NMSection"', 'type = "this:NMSection"'))
    assert "this" not in sys.modules


def test_results_hold_their_model(tmp_path: Path) -> None:
    program = portal().compile()
    program.parameters["left.section.plastic_moment"] = 2.5e5
    result = LoadControl(pattern="gravity").run(program)
    result.save(tmp_path / "r.h5")
    found = Result.load(tmp_path / "r.h5")
    assert found.description().to_toml() == portal().to_toml()
    assert found.index["model"]["changed"] == {"left.section.plastic_moment": 2.5e5}


def test_results_say_why_they_hold_none(tmp_path: Path) -> None:
    class Local(Bilinear):
        pass

    model = portal()
    model.node("E", 0.0, 7.2)
    model.add(Truss("brace", "C", "E", material=Local(1e9, 1e6, 0.1), area=1.0))
    model.fix("E", True)
    with pytest.raises(UnsupportedError, match="Local"):
        model.to_toml()
    result = LoadControl(pattern="gravity").run(model)
    result.save(tmp_path / "r.h5")
    with pytest.raises(FileError, match="Local"):
        Result.load(tmp_path / "r.h5").description()


def test_a_copy_is_a_model_of_its_own() -> None:
    model = portal()
    made = model.copy()
    made.node("E", 1.0, 1.0)
    made.load("C", x=3.0, pattern="gravity")
    made.fix("C", "y")
    assert model.to_toml() == portal().to_toml()


def test_a_specimen_that_keeps_no_arguments_is_refused_in_words() -> None:
    specimen = RemoteSpecimen(3, 8090)
    with pytest.raises(UnsupportedError, match="RemoteSpecimen"):
        Encoder().object(specimen)
