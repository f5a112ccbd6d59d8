"""Parameters: named, bounded, and changeable without compiling again."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from example_frames import ELASTIC, QUAKE, SECTIONS, cantilever, portal

from femu import InputError, Model
from femu.analyses import LoadControl, Pushover, Transient, eigen
from femu.elements import ElasticBeamColumn
from femu.materials import Bilinear, Fibres, FibreSection, UncoupledSection
from femu.model.parameters import Parameter, Parameters

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")


def test_every_number_has_a_name() -> None:
    p = portal("nm").compile().parameters
    assert p["left.section.plastic_moment"] == pytest.approx(221371.92)
    assert p["beam.section.E"] == 200e9
    assert p["node.C.mass.x"] == 30e3
    assert p["rayleigh.mass"] > 0.0
    assert len(p) == len(p.vector) == len(list(p)) == len(set(p.names))
    for name in p:
        declared = p.declaration(name)
        assert declared.meaning and declared.unit
        assert declared.lower <= p[name] <= declared.upper


def test_fibres_and_their_materials_are_parameters_too() -> None:
    p = portal("fibre").compile().parameters
    assert p["left.section.material.fy"] == 280e6
    assert len(p.matching("left.section.material.y[[]*")) == 8
    assert sum(p[n] for n in p.matching("left.section.material.area*")) == pytest.approx(
        2 * 0.25 * 0.012 + 0.226 * 0.006
    )


CHANGES = {
    "nm": {
        "left.section.plastic_moment": 1.5e5,
        "right.section.EI": 2.2e7,
        "beam.section.E": 2.5e11,
        "beam.mass": 50.0,
        "node.C.mass.x": 4e4,
        "rayleigh.initial": 3e-3,
        "rayleigh.mass": 0.4,
    },
    "fibre": {
        "left.section.material.fy": 2.4e8,
        "right.section.material.area[0]": 2e-3,
        "right.section.material.y[0]": -0.13,
        "left.mass": 20.0,
    },
    "uncoupled": {
        "left.section.moment.fy": 1.1e5,
        "left.section.axial.E": 1.2e9,
        "right.section.moment.b": 0.1,
    },
}


@pytest.mark.parametrize("section", CHANGES)
def test_a_change_equals_a_new_model(section: str) -> None:
    program = portal(section, "p-delta", None).compile()
    changed = program.parameters.copy()
    for name, value in CHANGES[section].items():
        changed[name] = value
    by_argument = Transient(dt=0.02).run(program, QUAKE, parameters=changed.vector, duration=4.0)
    untouched = Transient(dt=0.02).run(program, QUAKE, duration=4.0)
    program.parameters.vector[:] = changed.vector
    by_name = Transient(dt=0.02).run(program, QUAKE, duration=4.0)
    assert np.array_equal(by_argument.displacement("C", "x"), by_name.displacement("C", "x"))
    assert not np.allclose(
        untouched.displacement("C", "x"), by_name.displacement("C", "x"), rtol=1e-3
    )

    rerun = Transient(dt=0.02).run(rebuilt(section), QUAKE, duration=4.0)
    assert rerun.displacement("C", "x") == pytest.approx(
        by_name.displacement("C", "x"), rel=1e-9, abs=1e-12
    )


def rebuilt(section: str) -> Model:
    """The portal with the changes of CHANGES made in the description."""
    model = portal(section, "p-delta", None)
    left, right, beam = (model.elements[name] for name in ("left", "right", "beam"))
    if section == "nm":
        left.section = replace(SECTIONS["nm"], plastic_moment=1.5e5)  # type: ignore[attr-defined]
        right.section = replace(SECTIONS["nm"], EI=2.2e7)  # type: ignore[attr-defined]
        beam.section = replace(ELASTIC, E=2.5e11)  # type: ignore[attr-defined]
        beam.mass = 50.0  # type: ignore[attr-defined]
        model.mass("C", (4e4, 30e3, 2e4))
        model.rayleigh(mass=0.4, initial=3e-3)
    elif section == "fibre":
        (group,) = SECTIONS["fibre"].groups  # type: ignore[attr-defined]
        soft = Fibres("material", replace(group.material, fy=2.4e8), group.y, group.area)
        y, area = group.y.copy(), group.area.copy()
        y[0], area[0] = -0.13, 2e-3
        left.section = FibreSection([soft])  # type: ignore[attr-defined]
        right.section = FibreSection([Fibres("material", group.material, y, area)])  # type: ignore[attr-defined]
        left.mass = 20.0  # type: ignore[attr-defined]
    else:
        axial, moment = Bilinear(E=1.5e9, fy=2.0e6, b=0.03), Bilinear(E=1.87e7, fy=2.2e5, b=0.03)
        left.section = UncoupledSection(  # type: ignore[attr-defined]
            axial=replace(axial, E=1.2e9), moment=replace(moment, fy=1.1e5)
        )
        right.section = UncoupledSection(axial=axial, moment=replace(moment, b=0.1))  # type: ignore[attr-defined]
    return model


def test_each_parameter_matters() -> None:
    """A number that could be changed without any effect would be a trap."""
    program = portal("nm", "p-delta", "committed").compile()
    start = LoadControl(pattern="gravity", steps=1).run(program).state
    shaken = {"x": QUAKE, "y": QUAKE}
    before = Transient(dt=0.02).run(program, shaken, start=start, duration=5.0).state.vector
    for name in program.parameters:
        changed = program.parameters.copy()
        old = changed[name]
        changed[name] = 0.9 * old if old else 1e-3 if name.startswith("rayleigh") else 100.0
        after = (
            Transient(dt=0.02)
            .run(program, shaken, start=start, parameters=changed.vector, duration=5.0)
            .state.vector
        )
        assert np.abs(after - before).max() > 1e-9 * np.abs(before).max(), name


def test_patterns_set_many_at_once() -> None:
    p = portal("nm").compile().parameters
    assert set(p.set("*.section.plastic_moment", 1e5)) == {
        "left.section.plastic_moment",
        "right.section.plastic_moment",
    }
    assert p["left.section.plastic_moment"] == p["right.section.plastic_moment"] == 1e5


def test_a_pattern_that_breaks_a_bound_changes_nothing() -> None:
    p = portal("nm").compile().parameters
    before = p.vector.copy()
    with pytest.raises(InputError, match=r"must lie between 0 and 0.999"):
        p.set("*.section.b", 2.0)
    with pytest.raises(InputError):
        p.set("left.section.*", -1.0)
    assert np.array_equal(p.vector, before)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("left.section.EI", -1.0, r"left.section: EI = -1.0 must be above 0"),
        ("left.section.EI", math.nan, r"EI = nan must be above 0"),
        ("left.section.EI", math.inf, r"EI = inf must be above 0"),
        ("left.section.EI", "stiff", r"EI = 'stiff' must be a number"),
        ("left.section.EI", True, r"EI = True must be a number"),
        ("left.section.b", 1.5, r"b = 1.5 must lie between 0 and 0.999"),
        ("node.C.mass.x", -2.0, r"node.C.mass: x = -2.0 must not be negative"),
        ("left.section.EL", 1.0, r"Did you mean 'left.section.E"),
        (3, 1.0, r"name = 3 must be a parameter"),
        ([], 1.0, r"must be a parameter"),
    ],
)
def test_bad_values_and_names(name: str, value: float, words: str) -> None:
    p = portal("nm").compile().parameters
    with pytest.raises(InputError, match=words):
        p[name] = value


def test_no_match() -> None:
    p = cantilever().compile().parameters
    with pytest.raises(InputError, match="must match at least one parameter"):
        p.set("left.*", 1.0)


def test_copy_is_independent_and_repr_shows_units() -> None:
    p = cantilever().compile().parameters
    twin = p.copy()
    twin["column.section.E"] = 1.0
    assert p["column.section.E"] == 200e9
    assert "column.section.E" in repr(p)
    assert "[stress] Young's modulus" in repr(p)


def test_names_that_read_alike_are_refused() -> None:
    model = Model("alike")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 1.0)
    model.node(3, 1.0, 1.0)
    model.add(ElasticBeamColumn(1, 1, 2, section=ELASTIC))
    model.add(ElasticBeamColumn("1", 2, 3, section=ELASTIC))
    with pytest.raises(InputError, match="must belong to one number only"):
        model.compile()


@pytest.mark.parametrize(
    "bad", [np.zeros(3), np.full(11, np.nan), "numbers", object(), np.zeros((11, 1))]
)
def test_a_parameter_vector_of_the_wrong_kind_is_refused(bad: object) -> None:
    program = cantilever().compile()
    with pytest.raises(InputError, match="parameters"):
        eigen(program, 1, parameters=bad)  # type: ignore[arg-type]


def test_a_vector_of_other_numbers_is_taken_as_floats() -> None:
    program = cantilever().compile()
    program.parameters["column.section.E"] = 2e11
    whole = np.asarray(program.parameters.vector, dtype=np.float64)
    assert eigen(program, 1, parameters=list(whole)).periods == pytest.approx(
        eigen(program, 1).periods, rel=0.0
    )


@pytest.mark.parametrize(
    ("declared", "rule"),
    [
        (Parameter("m"), "must be a finite number"),
        (Parameter("m", "1", 0.0), "must not be negative"),
        (Parameter("m", "1", 0.0, open=True), "must be above 0"),
        (Parameter("m", "1", 2.0), "must be at least 2"),
        (Parameter("m", "1", 2.0, open=True), "must be above 2"),
        (Parameter("m", "1", upper=2.0), "must be at most 2"),
        (Parameter("m", "1", upper=2.0, open=True), "must be below 2"),
        (Parameter("m", "1", 1.0, 2.0, open=True), "must lie strictly between 1 and 2"),
    ],
)
def test_bounds_in_words(declared: Parameter, rule: str) -> None:
    assert declared.rule() == rule


def test_two_numbers_of_one_name() -> None:
    with pytest.raises(InputError, match="must belong to one number only"):
        Parameters(["a", "a"], [Parameter("m")] * 2, np.zeros(2))


def test_a_changed_program_runs_all_analyses_alike() -> None:
    program = portal("nm", "linear", None).compile()
    changed = program.parameters.copy()
    changed.set("*.section.plastic_moment", 1e5)
    one = Pushover("C", 0.1, pattern="push", steps=20).run(program, parameters=changed.vector)
    gravity = LoadControl(pattern="gravity", steps=1).run(program, parameters=changed.vector)
    program.parameters.set("*.section.plastic_moment", 1e5)
    assert np.array_equal(
        Pushover("C", 0.1, pattern="push", steps=20).run(program).base_shear(), one.base_shear()
    )
    assert np.array_equal(
        LoadControl(pattern="gravity", steps=1).run(program).state.vector, gravity.state.vector
    )
