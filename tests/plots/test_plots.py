"""Pictures show what they are given: their lines, bars and words are checked, not their pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from example_frames import QUAKE, cantilever, portal
from matplotlib.axes import Axes
from PIL import Image

from femu import Model, PointLoad, Result, Save, UniformLoad, plots
from femu.analyses import LoadControl, Newmark, Transient, eigen
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss, ZeroLength
from femu.elements.quadrature import lobatto
from femu.elements.space_member import placed
from femu.errors import FileError, InputError
from femu.experimental import EmulatedSpecimen, ExperimentalTruss
from femu.materials import Bilinear, Elastic, ElasticSection, FibreSection, NMSection
from femu.plots.conventions import CONVENTIONS
from femu.plots.sketch import displacements, rounded, sketch
from femu.plots.style import LINES, figure, short

SECTION = ElasticSection(E=200e9, A=6e-3, I=1e-4)
EI = SECTION.E * SECTION.I


def lines(ax: Axes, label: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def xy(line: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def beam(*loads: UniformLoad | PointLoad, **options: Any) -> Model:
    """A beam of 6 m, clamped at both ends."""
    model = Model("beam")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    model.node("C", 6.0, 2.0)
    model.add(ElasticBeamColumn("beam", "A", "B", section=SECTION, **options))
    model.add(ElasticBeamColumn("post", "B", "C", section=SECTION))
    for load in loads:
        model.member_load("beam", load, "gravity")
    model.pattern("gravity") if not loads else None
    return model


@pytest.fixture(scope="module")
def shaken() -> Result:
    model = portal()
    weight = LoadControl(pattern="gravity").run(model)
    return Transient(Newmark(), dt=0.02).run(model, QUAKE, start=weight.state, duration=4.0)


# --- models ---


def test_model_has_members_supports_loads_names_and_legend() -> None:
    ax = plots.plot_model(portal(), local_axes=True, units=plots.SI)
    for name, start, end in (("left", (0.0, 0.0), (0.0, 3.6)), ("beam", (0.0, 3.6), (6.0, 3.6))):
        x, y = xy(lines(ax, f"_{name}")[0])
        assert (x[0], y[0], x[1], y[1]) == (*start, *end)
    assert len(lines(ax, "_support fixed")) == 2
    told = texts(ax)
    assert {"A", "B", "C", "D", "left", "right", "beam", "260 kN", "10 kN/m"} <= set(told)
    assert told.count("x") == told.count("y") == 3
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"force-based beam-column", "elastic beam-column", "mass", "pattern gravity", "pattern push"} == set(legend)


def test_every_kind_of_support_and_element_is_drawn() -> None:
    model = Model("kinds")
    for number, fixed in enumerate(("xy", "y", "x", ("x", "rz"), "rz", True)):
        model.node(number, float(number), 0.0, fixed=fixed)
        model.node(f"t{number}", float(number), 1.0)
        model.add(ElasticBeamColumn(f"e{number}", number, f"t{number}", section=SECTION, release_j=True, offset_i=(0.0, 0.1)))
    model.add(Truss("truss", 0, "t1", material=Elastic(1e9), area=1.0))
    model.node("z", 0.0, 0.0)
    model.add(ZeroLength("spring", 0, "z", {"x": Elastic(1e6)}))
    model.add(ExperimentalTruss("specimen", 1, "t2", specimen=EmulatedSpecimen(Elastic(1e6))))
    model.rigid_link("t1", "t3")
    model.load("t2", rz=-3.0)
    ax = plots.plot_model(model)
    kinds = {line.get_label() for line in ax.get_lines()}
    assert {f"_support {kind}" for kind in ("pinned", "roller", "slider", "turn", "fixed")} <= kinds
    assert {"_truss", "_spring", "_specimen", "_rigid", "_rigid link", "_hinge"} <= kinds
    assert "↻" in texts(ax)
    assert {"specimen", "link", "truss"} <= {text.get_text() for text in ax.get_legend().get_texts()}


def test_patterns_are_chosen_by_name() -> None:
    ax = plots.plot_model(portal(), loads="push")
    assert not lines(ax, "_uniform")
    assert "pattern gravity" not in [text.get_text() for text in ax.get_legend().get_texts()]
    with pytest.raises(InputError, match="snow"):
        plots.plot_model(portal(), loads="snow")


def test_axes_that_are_given_are_used() -> None:
    ax = figure().add_subplot()
    assert plots.plot_model(cantilever(), ax) is ax


def test_a_dollar_in_a_name_is_only_a_dollar(tmp_path: Path) -> None:
    model = Model("costs")
    model.node("$a", 0.0, 0.0, fixed=True)
    model.node("$b$", 0.0, 1.0)
    model.add(ElasticBeamColumn("$", "$a", "$b$", section=SECTION))
    plots.save(plots.plot_model(model), tmp_path / "a.svg")


# --- deformed shapes ---


def test_deformed_member_is_the_cubic_of_beam_theory() -> None:
    """A cantilever with a load at its tip deflects by F x² (3 L - x) / (6 E I), to the last digit."""
    model = cantilever(3.0)
    model.load("B", x=1e4)
    result = LoadControl().run(model)
    plan = sketch(result)
    curve = plan.curve(plan.members["column"], displacements(result, -1), 1.0)
    height = np.linspace(0.0, 3.0, len(curve))
    np.testing.assert_allclose(curve[:, 0], 1e4 * height**2 * (9.0 - height) / (6 * EI), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(curve[:, 1], height, atol=1e-12)
    ax = plots.plot_deformed(result, scale=10.0)
    np.testing.assert_allclose(xy(lines(ax, "_column")[1])[0], 10.0 * curve[:, 0], rtol=1e-12)
    assert "× 10" in ax.get_title()


@pytest.mark.parametrize("ends", [(True, False), (False, True), (True, True)])
def test_a_hinged_end_has_no_curvature(ends: tuple[bool, bool]) -> None:
    model = Model("hinges")
    model.node("A", 0.0, 0.0)
    model.node("B", 4.0, 3.0)
    model.add(ElasticBeamColumn("e", "A", "B", section=SECTION, release_i=ends[0], release_j=ends[1]))
    plan = sketch(model)
    moved = {"A": {"x": 0.1, "y": -0.2, "rz": 0.05}, "B": {"x": 0.3, "y": 0.1, "rz": -0.07}}
    curve = plan.curve(plan.members["e"], moved, 1.0)
    bend = np.abs(np.diff(curve @ np.array([-0.6, 0.8]), 2))
    for end, hinged in zip((0, -1), ends, strict=True):
        if hinged:  # the second difference at the first inner point is that of a cubic that starts without curvature
            assert bend[end] <= 0.07 * max(bend.max(), 1e-300) or bend.max() < 1e-14
    np.testing.assert_allclose(curve[[0, -1]], [[0.1, -0.2], [4.3, 3.1]])


def test_rigid_ends_turn_with_their_node() -> None:
    model = Model("offset")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 3.0)
    model.add(ElasticBeamColumn("e", "A", "B", section=SECTION, offset_j=(0.0, -0.5)))
    plan = sketch(model)
    member = plan.members["e"]
    moved = {"B": {"x": 0.1, "y": 0.0, "rz": 0.02}}
    np.testing.assert_allclose(plan.curve(member, moved, 1.0)[-1], [0.1 + 0.02 * 0.5, 2.5])
    np.testing.assert_allclose(plan.rigid_ends(member, moved, 1.0)[0], [[0.1, 3.0], [0.11, 2.5]])


def test_modes_are_drawn_upright_with_their_periods() -> None:
    modes = eigen(portal(), 3)
    ax = plots.plot_modes(modes, numbers=[1, 2])
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == [f"mode {k}: {short(float(modes.periods[k - 1]))} s" for k in (1, 2)]
    assert xy(lines(ax, "_left")[1])[0][-1] > 0.0
    with pytest.raises(InputError, match="numbers"):
        plots.plot_modes(modes, numbers=[9])


def test_rows_are_chosen_by_time_or_number(shaken: Result) -> None:
    assert "t = 2," in plots.plot_deformed(shaken, time=2.0).get_title()
    assert f"t = {shaken.time[-1]:.4g}," in plots.plot_deformed(shaken, step=-1).get_title()
    with pytest.raises(InputError, match="time"):
        plots.plot_deformed(shaken, time=99.0)
    with pytest.raises(InputError, match="step"):
        plots.plot_deformed(shaken, step=10**6)


# --- models in space ---

SPACE = ElasticSection(E=200e9, A=6e-3, I=1e-4, Iy=3e-5, G=8e10, J=2e-6)


def mast() -> Model:
    """A mast along z in space, with a load in both horizontal directions at its top."""
    model = Model("mast", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 0.0, 3.0, mass=1e3)
    model.add(ElasticBeamColumn("mast", "A", "B", section=SPACE, vecxz=(0.6, 0.8, 0.0)))
    model.load("B", x=1e4, y=5e3, pattern="wind")
    model.member_load("mast", UniformLoad(y=1e3, z=2e3), "wind")
    return model


def test_a_member_in_space_is_the_cubic_of_beam_theory_in_both_planes() -> None:
    """Load at the tip: F x² (3 L - x) / (6 E I) about each principal axis, seen on the paper."""
    model = mast()
    model.patterns["wind"].member.clear()
    result = LoadControl(pattern="wind").run(model)
    plan = sketch(result)
    z = np.linspace(0.0, 3.0, 25)
    shape = z**2 * (9.0 - z) / 6.0 / SPACE.E
    x_local, y_local, z_local = plan._axes(plan.members["mast"])
    force = np.array([1e4, 5e3, 0.0])
    moved = (np.outer(shape * (force @ y_local) / SPACE.I, y_local) + np.outer(shape * (force @ z_local) / SPACE.Iy, z_local))
    true = np.outer(z, [0.0, 0.0, 1.0]) + moved
    np.testing.assert_allclose(plan.curve(plan.members["mast"], displacements(result, -1), 1.0), true @ plan.view, atol=1e-9)
    mast_itself: Any = model.elements["mast"]
    np.testing.assert_allclose([x_local, y_local, z_local], placed(mast_itself, model.compile().coordinates)[1], atol=1e-12)


def test_models_in_space_are_drawn() -> None:
    ax = plots.plot_model(mast(), local_axes=True)
    assert len(lines(ax, "_support fixed")) == 1 and len(lines(ax, "_uniform")) == 1
    assert texts(ax).count("z") == 2, "of the globe and of the member"
    result = LoadControl(pattern="wind").run(mast())
    assert len(lines(plots.plot_deformed(result), "_mast")) == 2
    assert "mode 2" in plots.plot_modes(eigen(mast(), 2)).get_legend().get_texts()[1].get_text()


def test_a_model_on_a_line_is_drawn() -> None:
    model = Model("line", dimensions=1)
    model.node("A", 0.0, fixed=True)
    model.node("B", 2.0, mass=1.0)
    model.add(Truss("spring", "A", "B", material=Elastic(1e6), area=1.0))
    assert len(lines(plots.plot_model(model), "_spring")) == 1


# --- diagrams ---


def test_clamped_beam_under_uniform_load() -> None:
    """M = -q L²/12 at the ends and q L²/24 in the middle; V = ± q L/2."""
    q, L = 12e3, 6.0
    result = LoadControl(pattern="gravity").run(beam(UniformLoad(y=-q)))
    x, N, V, M = plots.section_forces(result, "beam", -1)
    np.testing.assert_allclose(M, -q * L**2 / 12 + 0.5 * q * L * (x * L) - 0.5 * q * (x * L) ** 2, atol=1e-6 * q)
    np.testing.assert_allclose(V, q * L * (0.5 - x), atol=1e-6 * q)
    np.testing.assert_allclose(N, 0.0, atol=1e-6)
    ax = plots.plot_diagram(result, "moment", units=plots.SI)
    assert {"−36", "18"} <= set(texts(ax))
    assert "\n" not in ax.get_title()
    narrow = plots.style.panels(1, 2)[1]
    assert plots.plot_diagram(result, "moment", narrow).get_title().count("\n") >= 1, "it would lie over the picture beside it"
    tips = xy(lines(ax, "_beam")[1])[1]
    assert tips[0] > 0.0 > tips[len(tips) // 2], "drawn on the side in tension: above at the ends, below in the span"


def test_point_load_with_force_along_the_member() -> None:
    """M = -F a b²/L² at i; N jumps by the force along the member, V by that across it."""
    F, H, L, a = 30e3, 8e3, 6.0, 0.25
    result = LoadControl(pattern="gravity").run(beam(PointLoad(a, x=H, y=-F)))
    x, N, V, M = plots.section_forces(result, "beam", -1)
    assert M[0] == pytest.approx(-F * L * a * (1 - a) ** 2)
    assert M[-1] == pytest.approx(-F * L * a**2 * (1 - a))
    assert M[np.abs(x - a).argmin()] == pytest.approx(2 * F * L * a**2 * (1 - a) ** 2)
    assert V[x < a][-1] - V[x > a][0] == pytest.approx(F)
    assert N[0] == pytest.approx(H * (1 - a)) and N[-1] == pytest.approx(-H * a)


def test_forces_close_at_end_j(shaken: Result) -> None:
    """What equilibrium gives at end j is what the member has there."""
    force = shaken.force("beam", "local")
    for row in (0, 57, -1):
        _, N, V, M = plots.section_forces(shaken, "beam", row)
        np.testing.assert_allclose([N[-1], -V[-1], M[-1]], force[row, 3:], rtol=1e-9, atol=1e-3)


def test_axial_diagram_shows_trusses_too() -> None:
    model = cantilever()
    model.node("C", 3.0, 0.0, fixed=True)
    model.add(Truss("stay", "B", "C", material=Elastic(200e9), area=1e-3))
    model.load("B", x=1e4)
    ax = plots.plot_diagram(LoadControl().run(model), "axial")
    assert len(lines(ax, "_stay")) == 2 and len(lines(ax, "_column")) == 2
    with pytest.raises(InputError, match="kind"):
        plots.plot_diagram(LoadControl().run(model), "torsion")


# --- diagrams in space ---

SKEW = np.array([3.0, 4.0, 12.0]) / 13.0  # direction of a member along no axis
KINDS_IN_SPACE = {"moment": "Mz", "moment-y": "My", "shear": "Vy", "shear-z": "Vz", "axial": "N", "torsion": "T"}


def skew_beam(*loads: UniformLoad | PointLoad) -> Model:
    """A beam of 6.5 m along no axis of space, clamped at both ends, with a post on it that something can move."""
    model = Model("skew", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", *(6.5 * SKEW), fixed=True)
    model.node("C", 9.0, 0.0, 0.0)
    model.add(ElasticBeamColumn("beam", "A", "B", section=SPACE, vecxz=(1.0, -2.0, 0.5)))
    model.add(ElasticBeamColumn("post", "A", "C", section=SPACE))
    for load in loads:
        model.member_load("beam", load, "gravity")
    return model


def test_clamped_beam_in_space_under_uniform_and_point_loads() -> None:
    """The closed forms of the plane in both local planes: a load along +z bends as one along +y, with the other sign of My."""
    q, p, F, L, a = np.array([2e3, -12e3, 7e3]), np.array([5e3, 9e3, -4e3]), 30e3, 6.5, 0.3
    loads = UniformLoad(*q), PointLoad(a, *(F * p / 1e4))
    result = LoadControl(pattern="gravity").run(skew_beam(*loads))
    found = plots.section_forces(result, "beam", -1)
    s, P, b = found.x * L, F * p / 1e4, 1 - a
    behind = found.x > a
    shear, moment = [], []
    for w, f in zip(q[1:], P[1:], strict=True):
        at_i = w * L**2 / 12 + f * L * a * b**2
        V = -w * L / 2 - f * b**2 * (1 + 2 * a)
        shear.append(V + w * s + np.where(behind, f, 0.0))
        moment.append(at_i + V * s + w * s**2 / 2 + np.where(behind, f * (s - a * L), 0.0))
    axial = q[0] * (L / 2 - s) + P[0] * (b - behind)
    close = {"rtol": 1e-9, "atol": 1e-3}
    np.testing.assert_allclose(found.N, axial, **close)
    np.testing.assert_allclose(found.Vy, shear[0], **close)
    np.testing.assert_allclose(found.Vz, shear[1], **close)
    np.testing.assert_allclose(found.Mz, moment[0], **close)
    np.testing.assert_allclose(found.My, -moment[1], **close)
    np.testing.assert_allclose(found.T, 0.0, atol=1e-6)


def test_a_bracket_in_space_twists_and_bends() -> None:
    """A load P at the end of an arm of length c: torsion P c and moment P (L - x) in the cantilever, P (c - x) in the arm."""
    P, L, c = 5e3, 4.0, 1.5
    model = Model("bracket", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", L, 0.0, 0.0)
    model.node("C", L, c, 0.0)
    model.add(ElasticBeamColumn("cantilever", "A", "B", section=SPACE))
    model.add(ElasticBeamColumn("arm", "B", "C", section=SPACE))
    model.load("C", z=-P)
    result = LoadControl().run(model)
    found = plots.section_forces(result, "cantilever", -1)
    np.testing.assert_allclose(found.T, -P * c, rtol=1e-9)  # the load at +y turns against x
    np.testing.assert_allclose(found.My, P * L * (1 - found.x), atol=1e-6 * P)  # the upper fibres, at +z, are stretched
    np.testing.assert_allclose(found.Vz, P, rtol=1e-9)
    np.testing.assert_allclose(plots.section_forces(result, "arm", -1).My, P * c * (1 - found.x), atol=1e-6 * P)
    ax = plots.plot_diagram(result, "moment-y", units=plots.SI)
    assert {"20", "7.5"} <= set(texts(ax))
    line, tips = (np.transpose(xy(each)) for each in lines(ax, "_cantilever"))
    assert tips[0] @ [0.0, 1.0] > line[0] @ [0.0, 1.0], "drawn on the side in tension: above"
    assert "−7.5" in texts(plots.plot_diagram(result, "torsion", units=plots.SI))


def shaken_tower() -> Result:
    """Two columns and a beam with hinging fibre sections, shaken in both horizontal directions under member loads."""
    section = FibreSection.h_shape(0.2, 0.2, 0.01, 0.015, Bilinear(E=200e9, fy=250e6, b=0.02), flange_fibres=(1, 4),
                                   web_fibres=(4, 1), GJ=5e4)
    model = Model("tower", dimensions=3)
    for name, x in (("A", 0.0), ("B", 4.0)):
        model.node(f"{name}0", x, 0.0, 0.0, fixed=True)
        model.node(name, x, 0.0, 3.0, mass=(4e3, 4e3, 4e3, 1e3, 1e3, 1e3))
        model.add(ForceBeamColumn(f"column {name}", f"{name}0", name, section=section, vecxz=(1, 0.4, 0)))
    model.add(ForceBeamColumn("beam", "A", "B", section=section))
    model.member_load("beam", UniformLoad(z=-5e3), "gravity")
    model.member_load("column A", PointLoad(0.4, x=-2e4, y=3e3, z=-4e3), "gravity")
    weight = LoadControl(pattern="gravity").run(model)
    return Transient(Newmark(), dt=0.02).run(
        model, {"x": QUAKE, "y": QUAKE}, start=weight.state, duration=3.0, save=Save(sections=["beam", "column A"]))


def test_forces_in_space_close_at_end_j_and_at_the_integration_points() -> None:
    """What equilibrium gives at end j, and at the integration points, is what the member has there."""
    result = shaken_tower()
    places = lobatto(5)[0]  # of a ForceBeamColumn
    for row in (0, 70, -1):
        for name in ("beam", "column A"):
            x, N, Vy, Vz, T, My, Mz = plots.section_forces(result, name, row)
            ends = [N[-1], -Vy[-1], -Vz[-1], T[-1], My[-1], Mz[-1]]
            np.testing.assert_allclose(ends, result.force(name, "local")[row, 6:], rtol=1e-9, atol=1e-3)
            for point, at in enumerate(places):
                for values, quantity in ((N, "N"), (My, "My"), (Mz, "Mz"), (T, "T")):
                    there = result.section(name, point, quantity)[row]
                    assert np.interp(at, x, values) == pytest.approx(there, rel=1e-3, abs=10.0)
    for kind, name in KINDS_IN_SPACE.items():
        assert name in plots.plot_diagram(result, kind).get_title()
    loop = plots.plot_element_loop(result, "column A", axis="y")
    assert "My at i" in loop.get_ylabel()
    drawn = max((xy(line)[1] for line in loop.get_lines()), key=len)
    np.testing.assert_allclose(drawn, result.basic_force("column A", "My_i"))


def test_kinds_of_diagrams_and_loops_fit_the_model(shaken: Result) -> None:
    with pytest.raises(InputError, match="plane model"):
        plots.plot_diagram(shaken, "torsion")
    with pytest.raises(InputError, match="axis"):
        plots.plot_element_loop(shaken, "left", axis="y")


def test_numbers_of_a_diagram_do_not_cover_each_other() -> None:
    """At a joint two members have the same moment; its number stands once where both would cover each other."""
    result = LoadControl(pattern="wind").run(mast())
    for kind in KINDS_IN_SPACE:
        ax = plots.plot_diagram(result, kind)
        ax.get_figure().canvas.draw()  # type: ignore[union-attr]
        boxes = [text.get_window_extent() for text in ax.texts if text.get_text()[-1:].isdigit()]
        assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_shapes_in_space_without_the_model_keep_their_axes_and_rigid_ends() -> None:
    model = mast()
    model.node("C", 1.0, 0.0, 3.0)
    model.add(ElasticBeamColumn("arm", "B", "C", section=SPACE, offset_i=(0.1, 0.0, 0.2), vecxz=(0.0, 1.0, 1.0)))
    result = LoadControl(pattern="wind").run(model)
    bare = Result(result.kind, result.model, result.outcome, result.message, result.arrays,
                  {k: v for k, v in result.index.items() if k != "model"})
    moved = displacements(result, -1)
    for name in ("mast", "arm"):
        full, known = sketch(result), sketch(bare)
        np.testing.assert_allclose(known.curve(known.members[name], moved, 50.0), full.curve(full.members[name], moved, 50.0),
                                   atol=1e-12)


# --- curves ---


def test_history_marks_its_peak(shaken: Result) -> None:
    ax = plots.plot_displacement(shaken, "C", "x", units=plots.SI)
    u = shaken.displacement("C", "x") / 1e-3
    assert np.array_equal(xy(ax.get_lines()[0])[1], u)
    peak = xy(lines(ax, "_peak")[0])
    assert peak[1][0] == u[np.abs(u).argmax()]
    assert ax.get_ylabel() == "displacement C, x (mm)"
    many = plots.plot_history(shaken.time, {"a": u, "b": -u})
    assert [text.get_text() for text in many.get_legend().get_texts()] == ["a", "b"]
    assert len({(line.get_color(), str(line.get_linestyle())) for line in many.get_lines()[:2]}) == 2
    with pytest.raises(InputError, match="values"):
        plots.plot_history([0.0, 1.0], [1.0, 2.0, 3.0])


def test_lines_that_share_axes_differ_in_grey_too() -> None:
    assert len({dash for _, dash in LINES[:4]}) == 4


def test_loops(shaken: Result) -> None:
    ax = plots.plot_element_loop(shaken, "left", units=plots.SI)
    x, y = xy(ax.get_lines()[-1])
    assert np.array_equal(x, 1e3 * shaken.deformation("left")[:, 1])
    assert np.array_equal(y, shaken.basic_force("left", "Mi") / 1e3)
    limited = plots.plot_loop([0.0, 1.0], [0.0, 2.0], limits=[-1.5, 1.5], limit_name="plastic moment")
    assert [text.get_text() for text in limited.get_legend().get_texts()] == ["plastic moment"]
    with pytest.raises(InputError, match="end"):
        plots.plot_element_loop(shaken, "left", "k")


def test_energies_add_up_to_the_input(shaken: Result) -> None:
    ax = plots.plot_energies(shaken, units=plots.SI)
    top = max(float(area.get_paths()[0].vertices[:, 1].max()) for area in ax.collections)
    total = xy(ax.get_lines()[0])[1]
    assert top == pytest.approx(total.max(), rel=1e-3)
    assert ax.get_ylabel() == "energy (kJ)"


def test_interaction_stays_on_the_yield_surface() -> None:
    section = NMSection(EA=1e9, EI=1e7, yield_force=1e6, plastic_moment=2e5, flange_web_ratio=1.7)
    n, m = plots.yield_surface(1.7)
    a = 1.7
    assert m.max() == 1.0 and n.max() == 1.0
    inner = np.abs(n) < 1 / (2 * a + 1)
    np.testing.assert_allclose(np.abs(m[inner]), 1 - (2 * a + 1) ** 2 / (4 * a + 1) * n[inner] ** 2)
    # the section itself, loaded far beyond yield at several ratios, ends on the surface that is drawn
    path = section.moment_curvature(np.linspace(0.0, 0.5, 200), axial=-4e5)
    assert np.interp(-0.4, n[:201], m[:201]) == pytest.approx(float(np.max(path.moment)) / 2e5, rel=1e-3)
    ax = plots.plot_interaction(section, [-4e5] * 200, np.asarray(path.moment), back=(0.0, 1e4))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["yield surface, virgin", "yield surface, at the end", "path",
                                                                  "start", "end"]


def test_interaction_of_an_element(shaken: Result) -> None:
    ax = plots.plot_element_interaction(shaken, "left", "j")
    path = next(line for line in ax.get_lines() if line.get_label() == "path")
    force = shaken.force("left", "local")
    section = portal().elements["left"].section  # type: ignore[attr-defined]
    np.testing.assert_allclose(xy(path)[0], force[:, 5] / section.plastic_moment)
    np.testing.assert_allclose(xy(path)[1], force[:, 3] / section.yield_force)
    with pytest.raises(InputError, match="beam"):
        plots.plot_element_interaction(shaken, "beam")


def test_timing_counts_the_steps_over_budget() -> None:
    ax = plots.plot_timing([1e-4] * 98 + [2e-3, 3e-3], budget=1e-3)
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told[0] == "median: 100 µs" and told[2] == "worst: 3 ms" and told[3] == "budget: 1 ms, 2 of 100 over it"
    assert sum(bar.get_height() for bar in ax.patches) == 100  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="seconds"):
        plots.plot_timing([])


# --- filters ---


def test_parameter_with_band_truth_and_bounds() -> None:
    t = np.linspace(0.0, 1.0, 50)
    mean, std = 2.0 + 0.1 * t, np.full(50, 0.2)
    ax = plots.plot_parameter(t, mean, std, name="fy", unit="Pa", truth=2.3, bounds=(1.5, np.inf))
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(2.5) and band[:, 1].min() == pytest.approx(1.6)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["estimate ± 2σ", "estimate", "true value", "bounds"]
    assert ax.get_ylim()[0] < 1.5
    assert len(plots.plot_parameters(t, np.stack([mean, mean], axis=1), names=["a", "b"])) == 2
    with pytest.raises(InputError, match="mean"):
        plots.plot_parameters(t, mean, names=["a"])


def test_innovation_and_consistency_of_white_noise() -> None:
    draw = np.random.default_rng(3)
    t, s = np.arange(4000.0), np.full(4000, 2.0)
    nu = 2.0 * draw.standard_normal(4000)
    ax = plots.plot_innovation(t, nu, s)
    inside = float(ax.get_legend().get_texts()[1].get_text().split()[1])
    assert inside == pytest.approx(100 * float(np.mean(np.abs(nu) <= 4.0)), abs=0.06) and 94.0 < inside < 97.0
    # band of the mean of 50 chi-square numbers of one degree each: 32.357/50 and 71.420/50 (tables)
    ax = plots.plot_consistency(t, (nu / s) ** 2, 1)
    low, high = ax.patches[0].get_y(), ax.patches[0].get_y() + ax.patches[0].get_height()  # type: ignore[attr-defined]
    assert low == pytest.approx(32.357 / 50, rel=1e-4) and high == pytest.approx(71.420 / 50, rel=1e-4)


# --- animation ---


def test_animation_as_gif_and_page(shaken: Result, tmp_path: Path) -> None:
    plots.animate(shaken, tmp_path / "a.gif", frames=5)
    with Image.open(tmp_path / "a.gif") as picture:
        assert getattr(picture, "n_frames", 1) == 5
    plots.animate(shaken, tmp_path / "a.html", frames=5)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http-equiv", "") and '"shapes":' in page
    with pytest.raises(InputError, match="gif"):
        plots.animate(shaken, tmp_path / "a.avi")
    with pytest.raises(FileError):
        plots.animate(shaken, tmp_path / "no" / "a.html", frames=5)


# --- conventions, and small things ---


@pytest.mark.parametrize("kind", CONVENTIONS)
def test_conventions(kind: str) -> None:
    ax = plots.plot_convention(kind)
    assert texts(ax) and ax.get_title(loc="left") == CONVENTIONS[kind][0]
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    for text in ax.texts:
        x, y = text.get_position()
        assert x0 <= x <= x1 and y0 <= y <= y1


def test_numbers_as_people_write_them() -> None:
    assert [short(v) for v in (0.0, 260.0, -1234.6, 0.0123, 2.5e8, -3e-7)] == [
        "0", "260", "−1235", "0.0123", "2.5·10⁸", "−3·10⁻⁷"]
    assert [rounded(v) for v in (1.0, 4.9, 5.0, 77.0, 0.03)] == [1.0, 2.0, 5.0, 50.0, 0.02]


def test_a_picture_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        plots.save(plots.plot_model(cantilever()), tmp_path / "no" / "a.png")


def test_result_without_its_model_is_still_drawn(shaken: Result) -> None:
    bare = Result(shaken.kind, shaken.model, shaken.outcome, shaken.message, shaken.arrays,
                  {k: v for k, v in shaken.index.items() if k != "model"})
    ax = plots.plot_deformed(bare)
    assert len(lines(ax, "_left")) == 2
    assert len(xy(lines(ax, "_left")[1])[0]) > 2


