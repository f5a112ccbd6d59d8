"""Pictures of models, their deformed shapes and modes, in the plane, in space and on a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import EI, SECTION, SPACE, lines, mast, texts, xy
from example_frames import cantilever, portal

from femu import Model, Result, plots
from femu.analyses import LoadControl, eigen
from femu.elements import ElasticBeamColumn, Truss, ZeroLength
from femu.elements.space_member import placed
from femu.experimental import EmulatedSpecimen, ExperimentalTruss
from femu.materials import Elastic
from femu.plots.sketch import displacements, sketch
from femu.plots.style import figure, short
from femu.support.errors import InputError

# --- models ---


def test_model_has_members_supports_loads_names_and_legend() -> None:
    ax = plots.plot_model(portal(), local_axes=True, units=plots.SI)
    for name, start, end in (("left", (0.0, 0.0), (0.0, 3.6)), ("beam", (0.0, 3.6), (6.0, 3.6))):
        x, y = xy(lines(ax, f"_{name}")[0])
        assert (x[0], y[0], x[1], y[1]) == (*start, *end)
    assert len(lines(ax, "_support fixed")) == 2
    reported = texts(ax)
    assert {"A", "B", "C", "D", "left", "right", "beam", "260 kN", "10 kN/m"} <= set(reported)
    assert reported.count("x") == reported.count("y") == 3
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {
        "force-based beam-column",
        "elastic beam-column",
        "mass",
        "pattern gravity",
        "pattern push",
    } == set(legend)


def test_every_kind_of_support_and_element_is_drawn() -> None:
    model = Model("kinds")
    for number, fixed in enumerate(("xy", "y", "x", ("x", "rz"), "rz", True)):
        model.node(number, float(number), 0.0, fixed=fixed)
        model.node(f"t{number}", float(number), 1.0)
        model.add(
            ElasticBeamColumn(
                f"e{number}",
                number,
                f"t{number}",
                section=SECTION,
                release_j=True,
                offset_i=(0.0, 0.1),
            )
        )
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
    assert {"specimen", "link", "truss"} <= {
        text.get_text() for text in ax.get_legend().get_texts()
    }


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
    ax = plots.plot_model(model)
    plots.save(ax, tmp_path / "a.svg")
    shown = [text for text in ax.texts if "$" in text.get_text()]
    # what Matplotlib sets: an escaped dollar is a dollar, and an even number of others is
    # mathematics
    assert {text._preprocess_math(text.get_text())[0] for text in shown} >= {"$a", "$b$"}
    assert not any(text._preprocess_math(text.get_text())[1] is True for text in shown)


# --- deformed shapes ---


def test_deformed_member_is_the_cubic_of_beam_theory() -> None:
    """A cantilever with a load at its tip deflects by F x² (3 L - x) / (6 E I), to the last digit."""
    model = cantilever(3.0)
    model.load("B", x=1e4)
    result = LoadControl().run(model)
    plan = sketch(result)
    curve = plan.curve(plan.members["column"], displacements(result, -1), 1.0)
    height = np.linspace(0.0, 3.0, len(curve))
    np.testing.assert_allclose(
        curve[:, 0], 1e4 * height**2 * (9.0 - height) / (6 * EI), rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(curve[:, 1], height, atol=1e-12)
    ax = plots.plot_deformed(result, scale=10.0)
    np.testing.assert_allclose(xy(lines(ax, "_column")[1])[0], 10.0 * curve[:, 0], rtol=1e-12)
    assert "× 10" in ax.get_title()


@pytest.mark.parametrize("ends", [(True, False), (False, True), (True, True)])
def test_a_hinged_end_has_no_curvature(ends: tuple[bool, bool]) -> None:
    model = Model("hinges")
    model.node("A", 0.0, 0.0)
    model.node("B", 4.0, 3.0)
    model.add(
        ElasticBeamColumn("e", "A", "B", section=SECTION, release_i=ends[0], release_j=ends[1])
    )
    plan = sketch(model)
    moved = {"A": {"x": 0.1, "y": -0.2, "rz": 0.05}, "B": {"x": 0.3, "y": 0.1, "rz": -0.07}}
    curve = plan.curve(plan.members["e"], moved, 1.0)
    bend = np.abs(np.diff(curve @ np.array([-0.6, 0.8]), 2))
    for end, hinged in zip((0, -1), ends, strict=True):
        # the second difference at the first inner point is that of a cubic that starts without
        # curvature
        if hinged:
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
    reported = [text.get_text() for text in ax.get_legend().get_texts()]
    assert reported == [f"mode {k}: {short(float(modes.periods[k - 1]))} s" for k in (1, 2)]
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
    moved = np.outer(shape * (force @ y_local) / SPACE.I, y_local) + np.outer(
        shape * (force @ z_local) / SPACE.Iy, z_local
    )
    true = np.outer(z, [0.0, 0.0, 1.0]) + moved
    np.testing.assert_allclose(
        plan.curve(plan.members["mast"], displacements(result, -1), 1.0),
        true @ plan.view,
        atol=1e-9,
    )
    mast_itself: Any = model.elements["mast"]
    np.testing.assert_allclose(
        [x_local, y_local, z_local], placed(mast_itself, model.compile().coordinates)[1], atol=1e-12
    )


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


def test_shapes_in_space_without_the_model_keep_their_axes_and_rigid_ends() -> None:
    model = mast()
    model.node("C", 1.0, 0.0, 3.0)
    model.add(
        ElasticBeamColumn(
            "arm", "B", "C", section=SPACE, offset_i=(0.1, 0.0, 0.2), vecxz=(0.0, 1.0, 1.0)
        )
    )
    result = LoadControl(pattern="wind").run(model)
    bare = Result(
        result.kind,
        result.model,
        result.outcome,
        result.message,
        result.arrays,
        {k: v for k, v in result.index.items() if k != "model"},
    )
    moved = displacements(result, -1)
    for name in ("mast", "arm"):
        full, known = sketch(result), sketch(bare)
        np.testing.assert_allclose(
            known.curve(known.members[name], moved, 50.0),
            full.curve(full.members[name], moved, 50.0),
            atol=1e-12,
        )
