"""model.check(): each finding is triggered once, and a sound model has none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from example_frames import A, E, I, cantilever, portal

from femu import GroundMotion, Model, Outcome, UniformLoad
from femu.analyses import Newmark, Transient
from femu.check import Finding, Findings, check_motion
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss, ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalBeamColumn
from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    NMSection,
    UncoupledSection,
)
from femu.model.series import Motion
from femu.support.errors import InputError

SECTION = ElasticSection(E=E, A=A, I=I)


def only(findings: list[Finding], severity: str, *words: str) -> Finding:
    """The one finding of that severity that contains all words."""
    found = [f for f in findings if f.severity == severity and all(w in f.message for w in words)]
    assert len(found) == 1, findings
    return found[0]


@pytest.mark.parametrize(
    "model", [cantilever(), portal(), portal("fibre"), portal("uncoupled")], ids=repr
)
def test_a_sound_model_has_no_findings(model: Model) -> None:
    findings = model.check(GroundMotion.el_centro())
    assert findings == []
    assert repr(findings) == "no findings"


def test_findings_read_as_lines_with_the_worst_first() -> None:
    model = cantilever()
    model.pattern("live")
    model.node("lost", 9.0, 9.0, mass=5.0)
    findings = model.check()
    assert [f.severity for f in findings] == ["error", "warning"]
    assert repr(findings).splitlines() == [
        "error: node 'lost' is connected to no element, but has mass.",
        "warning: pattern 'live' has no loads.",
    ]
    assert findings[0].objects == ("lost",)


def test_no_elements() -> None:
    model = Model("empty")
    model.node(1, 0.0, 0.0)
    only(model.check(), "error", "has no elements")


def test_unused_node() -> None:
    model = cantilever()
    model.node("C", 1.0, 1.0)
    assert only(model.check(), "warning", "node 'C' is connected to no element").objects == ("C",)


def test_node_tied_by_a_rigid_link_is_not_unused() -> None:
    model = cantilever()
    model.node("top", 0.0, 3.5)
    model.rigid_link("B", "top")
    assert model.check() == []


def test_coincident_nodes() -> None:
    model = cantilever()
    model.node("B2", 0.0, 3.0 + 1e-9, mass=1e3)
    model.node("C", 2.0, 3.0, fixed=True)
    model.add(ElasticBeamColumn("beam", "B2", "C", section=SECTION))
    assert only(model.check(), "warning", "'B' and 'B2' are at the same place").objects == (
        "B",
        "B2",
    )
    model.equal_dof("B", "B2")
    assert model.check() == []


def test_nodes_at_one_place_may_be_joined_through_others_there() -> None:
    model = Model("storeys")
    model.node("ground", 0.0, 0.0, fixed=True)
    for k in range(3):
        model.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=1e3)
        model.add(
            ZeroLength(f"storey {k}", "ground" if k == 0 else k - 1, k, laws={"x": Elastic(E=1e6)})
        )
    assert model.check() == []


@pytest.mark.parametrize("length", [12.0, 48.0, 144.0, 300.0])
def test_kips_and_inches_are_no_mixed_units(length: float) -> None:
    """29,000 ksi and 3,600 ksi are numbers of N/mm2 too, but members of metres are not that long."""
    for modulus in (29e3, 3.6e3, 10e3):
        model = Model("column in kip and inch")
        model.node("A", 0.0, 0.0, fixed=True)
        model.node("B", 0.0, length, mass=0.1)
        model.add(
            ElasticBeamColumn(
                "column", "A", "B", section=ElasticSection(E=modulus, A=30.0, I=800.0)
            )
        )
        model.load("B", y=-0.1 * 386.09)
        assert not [
            f for f in model.check() if "look" in f.message or "times the weight" in f.message
        ], modulus


def test_the_end_of_a_hinge_needs_no_mass_of_its_own() -> None:
    def hinged(partner: float) -> Model:
        model = Model("hinged")
        model.node("A", 0.0, 0.0, fixed=True)
        model.node("B", 0.0, 3.0, mass=partner)
        model.node("C", 0.0, 3.0)
        model.node("D", 4.0, 3.0, mass=1e4)
        model.add(ElasticBeamColumn("column", "A", "B", section=SECTION))
        model.add(ElasticBeamColumn("beam", "C", "D", section=SECTION))
        model.add(
            ZeroLength(
                "hinge",
                "B",
                "C",
                laws={"x": Elastic(E=1e9), "y": Elastic(E=1e9), "rz": Elastic(E=1e7)},
            )
        )
        return model

    assert hinged(1e4).check() == []
    missing = [f for f in hinged(0.0).check() if "no mass there" in f.message]
    assert [f.objects for f in missing] == [("B", "C"), ("B", "C")]  # along x and along y


def test_springs_side_by_side_are_no_duplicates() -> None:
    model = Model("braced")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("floor", 0.0, 0.0, fixed=("y", "rz"), mass=1e3)
    model.add(ZeroLength("storey", "ground", "floor", laws={"x": Elastic(E=1e6)}))
    model.add(ZeroLength("brace", "ground", "floor", laws={"x": Elastic(E=2e6)}))
    assert model.check() == []
    model.add(ZeroLength("again", "ground", "floor", laws={"x": Elastic(E=2e6)}))
    assert only(
        model.check(), "warning", "'again'", "joins the same nodes as", "'brace'"
    ).objects == ("brace", "again")


def test_duplicate_member() -> None:
    model = cantilever()
    model.add(ElasticBeamColumn("again", "B", "A", section=SECTION))
    assert only(
        model.check(), "warning", "'again'", "joins the same nodes as", "'column'"
    ).objects == ("column", "again")


def test_zero_length() -> None:
    model = cantilever()
    model.node("B2", 0.0, 3.0)
    model.add(ElasticBeamColumn("dot", "B", "B2", section=SECTION))
    assert only(model.check(), "error", "has no length", "'dot'").objects == ("dot",)


def test_what_compile_refuses_is_an_error() -> None:
    model = cantilever()
    model.node("C", 1.0, 3.0, fixed=True)
    model.rigid_link("B", "C")
    only(model.check(), "error", "is fixed and follows a rigid link")


def test_everything_fixed() -> None:
    model = cantilever()
    model.fix("B")
    only(model.check(), "error", "every degree of freedom", "fixed")


def test_mechanism_of_a_column_on_a_hinge_names_its_top() -> None:
    model = Model("hinged")
    model.node("foot", 0.0, 0.0, fixed="xy")
    for i in range(30):
        model.node(i, 0.0, 0.1 * (i + 1), mass=10.0)
        model.add(ElasticBeamColumn(f"e{i}", i - 1 if i else "foot", i, section=SECTION))
    model.rayleigh(ratio=0.05)  # modes of a mechanism must not get in the way
    assert only(model.check(), "error", "mechanism", "direction x").objects == (29, "x")


def test_sway_mechanism_of_hinged_columns() -> None:
    model = Model("hinged portal")
    for name, x, y, fixed in (
        ("A", 0.0, 0.0, True),
        ("B", 6.0, 0.0, True),
        ("C", 0.0, 3.0, False),
        ("D", 6.0, 3.0, False),
    ):
        model.node(name, x, y, fixed=fixed)
    model.add(ElasticBeamColumn("left", "A", "C", section=SECTION, release_i=True, release_j=True))
    model.add(ElasticBeamColumn("right", "B", "D", section=SECTION, release_i=True, release_j=True))
    model.add(ElasticBeamColumn("beam", "C", "D", section=SECTION))
    found = only(model.check(), "error", "mechanism")
    assert found.objects[0] in ("C", "D")
    assert found.objects[1] == "x"


def test_two_mechanisms_are_named_apart() -> None:
    model = Model("two")
    for side, x in (("left", 0.0), ("right", 9.0)):
        model.node(f"{side} foot", x, 0.0, fixed="xy")
        model.node(side, x, 3.0)
        model.add(ElasticBeamColumn(f"{side} column", f"{side} foot", side, section=SECTION))
    found = [f for f in model.check() if "mechanism" in f.message]
    assert {f.objects for f in found} == {("left", "x"), ("right", "x")}


def test_a_large_model_is_searched_for_mechanisms_too() -> None:
    model = Model("long")
    for i in range(301):
        model.node(i, 0.1 * i, 0.0, fixed="xy" if i == 0 else False)
        if i:
            model.add(ElasticBeamColumn(i, i - 1, i, section=SECTION))
    assert only(model.check(), "error", "mechanism").objects == (300, "y")
    model.fix(0)
    assert not [f for f in model.check() if f.severity == "error"]


def test_loose_rotation() -> None:
    model = cantilever()
    model.node("C", 2.0, 3.0, fixed="xy")
    model.add(ElasticBeamColumn("beam", "B", "C", section=SECTION, release_j=True))
    assert only(model.check(), "error", "nothing holds node 'C' in direction rz").objects == (
        "C",
        "rz",
    )


def test_a_support_that_moves_counts_as_held() -> None:
    model = cantilever()
    model.support_motion("A", "x", Motion(0.01, displacement=np.zeros(5)))
    assert not [f for f in model.check() if f.severity == "error"]


def test_node_without_mass_among_others() -> None:
    model = Model("two storeys")
    for i in range(3):
        model.node(i, 0.0, 3.0 * i, fixed=i == 0, mass=1e3 if i == 2 else None)
    model.add(ElasticBeamColumn("lower", 0, 1, section=SECTION))
    model.add(ElasticBeamColumn("upper", 1, 2, section=SECTION))
    found = [f for f in model.check() if "no mass" in f.message]
    assert [(f.severity, f.objects) for f in found] == [("warning", (1,)), ("warning", (1,))]
    model.elements["lower"].mass = 10.0  # type: ignore[attr-defined]
    assert model.check() == []


def test_no_mass_at_all_is_a_note() -> None:
    model = cantilever(mass=0.0)
    only(model.check(), "note", "has no mass")


def test_mass_that_is_a_weight() -> None:
    model = cantilever(mass=1e4)
    model.load("B", y=-1e4, pattern="gravity")
    assert only(model.check(), "warning", "is it a weight?").objects == ("gravity",)
    model = cantilever(mass=1e4 / 9.81)
    model.load("B", y=-1e4, pattern="gravity")
    assert model.check() == []


def test_mass_that_is_a_weight_against_member_loads() -> None:
    model = Model("beam")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 3.0, 4.0, mass=(5e4, 0.0, 0.0))
    model.add(ElasticBeamColumn("b", 1, 2, section=SECTION))
    # 1e4 across the inclined member: 6e3 of it are vertical, over a length of 5
    model.member_load("b", UniformLoad(y=-1e4), "gravity")
    assert not [f for f in model.check() if "weight?" in f.message]
    model.mass(2, (3e4, 0.0, 0.0))
    only(model.check(), "warning", "is it a weight?")


@pytest.mark.parametrize(("mass", "word"), [(1e12, "very long"), (1e-3, "very short")])
def test_implausible_period(mass: float, word: str) -> None:
    only(cantilever(mass=mass).check(), "warning", "first period", word)


def test_units_of_the_modulus() -> None:
    model = cantilever()
    model.elements["column"].section = ElasticSection(E=2e5, A=A, I=I)  # type: ignore[attr-defined]
    only(model.check(), "warning", "column.section", "looks like N/mm2", "metres")
    model = cantilever(height=3000.0)
    only(model.check(), "warning", "looks like Pa", "millimetres")


@pytest.mark.parametrize(
    "section",
    [
        NMSection.h_shape(depth=0.25, width=0.25, web=0.006, flange=0.012, E=206e9, fy=280.0),
        FibreSection.rectangle(0.2, 0.3, Bilinear(E=206e9, fy=280e9)),
        UncoupledSection(axial=Bilinear(E=1.5e9, fy=2e9), moment=Bilinear(E=2e7, fy=2e5)),
    ],
    ids=lambda s: type(s).__name__,
)
def test_yield_strain(section: object) -> None:
    model = Model("yield")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0, mass=1e4)
    model.add(ForceBeamColumn("c", 1, 2, section=section))  # type: ignore[arg-type]
    assert only(model.check(), "warning", "strain at yield").objects == ("c",)


def test_yield_strain_of_a_truss() -> None:
    model = Model("truss")
    model.node(1, 0.0, 0.0, fixed="xy")
    model.node(2, 2.0, 0.0, mass=1e3, fixed="y")
    model.add(Truss("bar", 1, 2, material=Bilinear(E=2e11, fy=2e2), area=1e-3))
    assert only(model.check(), "warning", "strain at yield").objects == ("bar",)


def test_stiff_beside_soft() -> None:
    model = cantilever()
    model.node("C", 2.0, 3.0, fixed="xy")
    model.add(Truss("rigid", "B", "C", material=Elastic(E=2e23), area=1.0))
    assert only(model.check(), "warning", "times as stiff as").objects == ("B", "rigid", "column")


def test_pattern_without_loads_and_load_on_a_support() -> None:
    model = cantilever()
    model.pattern("live")
    model.load("A", y=-5.0, pattern="dead")
    findings = model.check()
    assert only(findings, "warning", "pattern 'live' has no loads").objects == ("live",)
    assert only(findings, "note", "goes straight into the support").objects == ("A", "dead")


def test_damping_that_grows_too_much() -> None:
    model = portal(damping=None)
    model.rayleigh(initial=0.05)
    only(model.check(), "warning", "% of critical at mode 3")
    model.rayleigh(mass=-0.5)
    only(model.check(), "warning", "Rayleigh damping is negative at mode 1")


@pytest.mark.parametrize("damped", [False, True])
def test_damping_that_no_element_takes_part_in(damped: bool) -> None:
    model = Model("storey")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("floor", 0.0, 0.0, fixed=("y", "rz"), mass=(20e3, 0.0, 0.0))
    model.add(ZeroLength("spring", "ground", "floor", {"x": Elastic(E=4e6)}, damped=damped))
    model.rayleigh(initial=0.002)
    words = "damps nothing: no element takes part in it"
    assert (words in str(model.check())) is not damped
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        result = Transient(Newmark(), dt=0.01).run(model, record(1.0), duration=0.05)
    assert result.outcome is Outcome.COMPLETE
    assert any(words in str(w.message) for w in shown) is not damped
    model.damping = None
    model.rayleigh(mass=0.5)
    assert words not in str(model.check())


def test_damping_at_modes_the_model_does_not_have() -> None:
    model = cantilever()
    model.rayleigh(ratio=0.02, modes=(1, 9))
    only(model.check(), "error", "9 modes were asked for")


def record(peak: float) -> GroundMotion:
    return GroundMotion("r", 0.01, peak * np.array([0.0, 1.0, -0.5]))


@pytest.mark.parametrize(
    ("peak", "severity", "words"),
    [
        (0.319, "warning", "peak of 0.319: is this in g?"),
        (1.2, "note", "very strong one in g"),
        (313.0, "warning", "cm/s2 or mm/s2"),
        (0.0, "warning", "zero throughout"),
    ],
)
def test_peak_of_a_motion(peak: float, severity: str, words: str) -> None:
    only(check_motion(record(peak)), severity, words)
    only(cantilever().check(record(peak)), severity, words)


@pytest.mark.parametrize("peak", [2.2, 3.13, 12.0, 0.001])
def test_plausible_peak(peak: float) -> None:
    assert check_motion(record(peak)) == Findings()


def test_peak_against_a_model_in_millimetres() -> None:
    assert check_motion(record(3130.0), 1e-3) == []
    only(check_motion(record(3.13), 1e-3), "warning", "model is in millimetres")
    only(check_motion(record(1e6), 1e-3), "warning", "more than any record")
    assert check_motion(record(313.0), None) == []


def test_motion_must_be_a_record() -> None:
    with pytest.raises(InputError, match=r"motion .* must be a GroundMotion"):
        cantilever().check(Motion(0.1, displacement=[0.0, 1.0, 2.0]))


def test_a_specimen_shorter_than_its_member() -> None:
    """The length of an emulated member is 1 unless it is given."""
    inside = ElasticBeamColumn("c", "i", "j", section=ElasticSection(E=200e9, A=1e-2, I=1e-4))

    def model(specimen: EmulatedSpecimen) -> Model:
        made = Model()
        made.node("A", 0.0, 0.0, fixed=True)
        made.node("B", 0.0, 3.6, mass=1e3)
        made.add(ExperimentalBeamColumn("tested", "A", "B", specimen=specimen))
        return made

    found = [f for f in model(EmulatedSpecimen(inside)).check() if "specimen" in f.message]
    only(
        found,
        "warning",
        "is 3.6 long and its specimen 1: is length=3.6 of the EmulatedSpecimen missing?",
    )
    assert not [
        f for f in model(EmulatedSpecimen(inside, length=3.6)).check() if "specimen" in f.message
    ]
