"""Diagrams of section forces, in the plane and in space, against closed forms and equilibrium."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import SPACE, beam, lines, mast, texts, xy
from example_frames import QUAKE, cantilever

from femu import Model, PointLoad, Result, Save, UniformLoad, plots
from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss
from femu.elements.quadrature import lobatto
from femu.materials import Bilinear, Elastic, FibreSection
from femu.support.errors import InputError

# loads in all directions
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' points up")


def test_clamped_beam_under_uniform_load() -> None:
    """M = -q L²/12 at the ends and q L²/24 in the middle; V = ± q L/2."""
    q, L = 12e3, 6.0
    result = LoadControl(pattern="gravity").run(beam(UniformLoad(y=-q)))
    x, N, V, M = plots.section_forces(result, "beam", -1)
    np.testing.assert_allclose(
        M, -q * L**2 / 12 + 0.5 * q * L * (x * L) - 0.5 * q * (x * L) ** 2, atol=1e-6 * q
    )
    np.testing.assert_allclose(V, q * L * (0.5 - x), atol=1e-6 * q)
    np.testing.assert_allclose(N, 0.0, atol=1e-6)
    ax = plots.plot_diagram(result, "moment", units=plots.SI)
    assert {"−36", "18"} <= set(texts(ax))
    assert "\n" not in ax.get_title()
    narrow = plots.style.panels(1, 2)[1]
    assert plots.plot_diagram(result, "moment", narrow).get_title().count("\n") >= 1, (
        "it would lie over the picture next to it"
    )
    tips = xy(lines(ax, "_beam")[1])[1]
    assert tips[0] > 0.0 > tips[len(tips) // 2], (
        "drawn on the side in tension: above at the ends, below in the span"
    )


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
KINDS_IN_SPACE = {
    "moment": "Mz",
    "moment-y": "My",
    "shear": "Vy",
    "shear-z": "Vz",
    "axial": "N",
    "torsion": "T",
}


def skew_beam(*loads: UniformLoad | PointLoad) -> Model:
    """A beam of 6.5 m along no axis of space, clamped at both ends, with a post on it that
    something can move."""
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
    """The closed forms of the plane in both local planes.

    A load along +z bends as one along +y, with the other sign of My.
    """
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
    """A load P at the end of an arm of length c.

    Torsion P c and moment P (L - x) in the cantilever, P (c - x) in the arm.
    """
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
    # the upper fibres, at +y, are stretched
    np.testing.assert_allclose(found.Mz, -P * L * (1 - found.x), atol=1e-6 * P)
    np.testing.assert_allclose(found.Vy, P, rtol=1e-9)
    np.testing.assert_allclose(
        plots.section_forces(result, "arm", -1).Mz, -P * c * (1 - found.x), atol=1e-6 * P
    )
    ax = plots.plot_diagram(result, "moment", units=plots.SI)
    assert {"−20", "−7.5"} <= set(texts(ax)) or {"-20", "-7.5"} <= set(texts(ax)), texts(ax)
    line, tips = (np.transpose(xy(each)) for each in lines(ax, "_cantilever"))
    assert tips[0] @ [0.0, 1.0] > line[0] @ [0.0, 1.0], "drawn on the side in tension: above"
    assert "−7.5" in texts(plots.plot_diagram(result, "torsion", units=plots.SI))


def shaken_tower() -> Result:
    """Two columns and a beam with hinging fibre sections, shaken in both horizontal directions
    under member loads."""
    section = FibreSection.h_shape(
        0.2,
        0.2,
        0.01,
        0.015,
        Bilinear(E=200e9, fy=250e6, b=0.02),
        flange_fibres=(1, 4),
        web_fibres=(4, 1),
        GJ=5e4,
    )
    model = Model("tower", dimensions=3)
    for name, x in (("A", 0.0), ("B", 4.0)):
        model.node(f"{name}0", x, 0.0, 0.0, fixed=True)
        model.node(name, x, 0.0, 3.0, mass=(4e3, 4e3, 4e3, 1e3, 1e3, 1e3))
        model.add(
            ForceBeamColumn(f"column {name}", f"{name}0", name, section=section, vecxz=(1, 0.4, 0))
        )
    model.add(ForceBeamColumn("beam", "A", "B", section=section))
    model.member_load("beam", UniformLoad(z=-5e3), "gravity")
    model.member_load("column A", PointLoad(0.4, x=-2e4, y=3e3, z=-4e3), "gravity")
    weight = LoadControl(pattern="gravity").run(model)
    return Transient(Newmark(), dt=0.02).run(
        model,
        {"x": QUAKE, "y": QUAKE},
        start=weight.state,
        duration=3.0,
        save=Save(sections=["beam", "column A"]),
    )


def test_forces_in_space_close_at_end_j_and_at_the_integration_points() -> None:
    """What equilibrium gives at end j, and at the integration points, is what the member has there."""
    result = shaken_tower()
    places = lobatto(5)[0]  # of a ForceBeamColumn
    for row in (0, 70, -1):
        for name in ("beam", "column A"):
            x, N, Vy, Vz, T, My, Mz = plots.section_forces(result, name, row)
            ends = [N[-1], -Vy[-1], -Vz[-1], T[-1], My[-1], Mz[-1]]
            np.testing.assert_allclose(
                ends, result.force(name, "local")[row, 6:], rtol=1e-9, atol=1e-3
            )
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
    """At a joint two members have the same moment.

    Its number is shown once where both would cover each other.
    """
    result = LoadControl(pattern="wind").run(mast())
    for kind in KINDS_IN_SPACE:
        ax = plots.plot_diagram(result, kind)
        ax.get_figure().canvas.draw()  # type: ignore[union-attr]
        boxes = [text.get_window_extent() for text in ax.texts if text.get_text()[-1:].isdigit()]
        assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
