"""Without vecxz a beam is upright, and check() questions one that is on its side."""

from __future__ import annotations

import numpy as np
import pytest

from femu import DistributedLoad, Model, UniformLoad
from femu.analyses import LoadControl, eigen
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.elements.space_member import default_vecxz
from femu.materials import Bilinear, ElasticSection, FibreSection
from femu.units import GPa, MPa, mm

E, G = 206 * GPa, 79 * GPa
H = (400 * mm, 200 * mm, 8 * mm, 13 * mm)
SECTION = ElasticSection.h_shape(*H, E=E, G=G)
FIBRES = FibreSection.h_shape(
    *H, Bilinear(E=E, fy=300 * MPa), flange_fibres=(2, 8), web_fibres=(8, 1), GJ=6e4
)
P, L = 10e3, 5.0


def cantilever(end: tuple[float, float, float], **options: object) -> Model:
    model = Model("cantilever", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", *end, mass=100.0)
    model.add(ElasticBeamColumn("beam", "A", "B", section=SECTION, **options))  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0, 135.0, 180.0, 270.0])
def test_a_level_beam_bends_about_its_strong_axis(angle: float) -> None:
    """P L^3 / (3 E I) with the larger I, wherever the beam points, and a load -y on it acts down."""
    x, y = L * np.cos(np.radians(angle)), L * np.sin(np.radians(angle))
    model = cantilever((x, y, 0.0))
    model.load("B", z=-P)
    assert LoadControl().run(model).displacement("B", "z")[-1] == pytest.approx(
        -P * L**3 / (3 * E * SECTION.I), rel=1e-9
    )
    under = cantilever((x, y, 0.0))
    under.member_load("beam", UniformLoad(y=-P / L))
    fall = LoadControl().run(under).displacement("B", "z")[-1]
    assert fall == pytest.approx(-P * L**3 / (8 * E * SECTION.I), rel=1e-9)
    assert under.check() == model.check() == []


@pytest.mark.parametrize(
    "end", [(0.0, 0.0, L), (0.02 * L, 0.0, L), (0.0, 0.02 * L, L), (-0.01, 0.01, L)]
)
def test_a_column_has_its_depth_along_x_also_out_of_plumb(end: tuple[float, float, float]) -> None:
    modes = eigen(cantilever(end), 2)
    strong = 2.0 * np.pi * np.sqrt(100.0 * L**3 / (3 * E * SECTION.I))
    # the lean changes length and direction by less
    assert modes.periods[1] == pytest.approx(strong, rel=1e-2)
    assert abs(modes.shape(2, "B", "x")) > 20.0 * abs(modes.shape(2, "B", "y"))


def test_a_frame_in_the_x_z_plane_has_the_axes_of_the_plane() -> None:
    """Local y to the left of a beam to the right and of a column up, as in the plane."""
    for x in ((1.0, 0.0, 0.0), (0.6, 0.0, 0.8), (0.0, 0.0, 1.0)):
        assert np.cross(default_vecxz(np.array(x)), x) / np.linalg.norm(
            default_vecxz(np.array(x))
        ) == pytest.approx([-x[2], 0.0, x[0]], abs=1e-15)


@pytest.mark.parametrize("kind, section", [(ElasticBeamColumn, SECTION), (ForceBeamColumn, FIBRES)])
def test_check_questions_a_beam_on_its_side(kind: type, section: object) -> None:
    model = Model("side", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", L, 0.0, 0.0, fixed=True)
    model.add(kind("beam", "A", "B", section=section, vecxz=(0, 0, 1)))
    model.node("C", 2 * L, 0.0, 0.0, mass=100.0)
    model.add(kind("free", "B", "C", section=section, vecxz=(0, 0, 1)))
    assert not [f for f in model.check() if "weak axis" in f.message], "it carries nothing"
    model.member_load("beam", UniformLoad(z=-P), pattern="gravity")
    (found,) = [f for f in model.check() if "weak axis" in f.message]
    assert found.severity == "warning"
    assert found.objects == ("beam",)
    # the strong axis of this H is 13 times as stiff as the weak one
    assert kind is ForceBeamColumn or f"{SECTION.I / SECTION.Iy:.3g} times softer" in found.message
    assert "vecxz=(0, 1, 0)" in found.message


def test_check_asks_for_loads_that_vary_along_a_member_and_for_loads_between_columns() -> None:
    def on_its_side() -> Model:
        model = cantilever((L, 0.0, 0.0), vecxz=(0, 0, 1))
        model.node("C", 2 * L, 0.0, 0.0, fixed=True)
        model.add(ElasticBeamColumn("next", "B", "C", section=SECTION))
        return model

    for load in (DistributedLoad(z=0.0, z_end=-P), DistributedLoad(z=-P, z_end=0.0, start=0.5)):
        model = on_its_side()
        model.member_load("beam", load)
        assert [f.objects for f in model.check() if "weak axis" in f.message] == [("beam",)]
    model = on_its_side()
    model.member_load("beam", DistributedLoad(z=-P, z_end=P))
    assert not [f for f in model.check() if "weak axis" in f.message], "as much up as down"
    model = on_its_side()
    model.load("B", z=-P)
    assert [f.objects for f in model.check() if "weak axis" in f.message] == [("beam",)]
    # a girt, laid on its side for the wind: the load of its node goes into the column
    model.node("foot", L, 0.0, -3.0, fixed=True)
    model.add(ElasticBeamColumn("column", "foot", "B", section=SECTION))
    assert not [f for f in model.check() if "weak axis" in f.message]


def test_check_questions_the_beams_of_a_frame_that_all_are_on_their_side() -> None:
    """The weights are at the nodes of the columns, which carry them.

    With an upright beam besides, the others may be girts.
    """
    model = Model("frame", dimensions=3)
    places = {"A": (0.0, 0.0), "B": (L, 0.0), "C": (L, L), "D": (0.0, L)}
    for name, (x, y) in places.items():
        model.node(f"{name}0", x, y, 0.0, fixed=True)
        model.node(name, x, y, 3.0, mass=1e3)
        model.load(name, z=-1e4, pattern="gravity")
        model.add(ElasticBeamColumn(f"column {name}", f"{name}0", name, section=SECTION))
    for i, j in ("AB", "BC", "CD"):
        model.add(ElasticBeamColumn(i + j, i, j, section=SECTION, vecxz=(0, 0, 1)))
    assert [f.objects for f in model.check() if "weak axis" in f.message] == [("AB", "BC", "CD")]
    model.add(ElasticBeamColumn("DA", "D", "A", section=SECTION))
    assert not [f for f in model.check() if "weak axis" in f.message]


@pytest.mark.parametrize(
    "section",
    [ElasticSection.rectangle(1.0, 0.2, E=E, G=G), ElasticSection.rectangle(0.4, 0.4, E=E, G=G)],
)
@pytest.mark.parametrize("vecxz", [None, (0, 1, 0), (0, 0, 1)])
def test_check_does_not_question_slabs_and_square_sections(
    section: ElasticSection, vecxz: object
) -> None:
    """A strip of a slab is wider than deep; laid on its side it would be stiffer."""
    model = Model("deck", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", L, 0.0, 0.0, mass=100.0)
    model.add(ElasticBeamColumn("strip", "A", "B", section=section, vecxz=vecxz))
    model.load("B", z=-P)
    assert not [f for f in model.check() if "weak axis" in f.message]


def test_check_takes_y_for_the_vertical_of_a_model_on_its_supports() -> None:
    model = Model("y up", dimensions=3)
    for name, x in (("A", 0.0), ("B", L)):
        model.node(f"{name}0", x, 0.0, 0.0, fixed=True)
        model.node(name, x, 3.0, 0.0, mass=1e3)
        model.add(
            ElasticBeamColumn(f"column {name}", f"{name}0", name, section=SECTION, vecxz=(0, 0, 1))
        )
        model.load(name, y=-1e5)
    model.node("C0", 0.0, 0.0, L, fixed=True)
    model.node("C", 0.0, 3.0, L, mass=1e3)
    model.add(ElasticBeamColumn("column C", "C0", "C", section=SECTION, vecxz=(0, 0, 1)))
    model.add(ElasticBeamColumn("beam AC", "A", "C", section=SECTION, vecxz=(1, 0, 0)))
    model.add(ElasticBeamColumn("beam", "A", "B", section=SECTION))
    (found,) = [f for f in model.check() if "weak axis" in f.message]
    assert found.objects == ("beam",)
    assert "leave vecxz out" not in found.message


def test_a_model_file_of_format_1_keeps_its_axes() -> None:
    for end, given in (((L, 1.0, 0.0), (0.0, 0.0, 1.0)), ((0.0, 0.0, L), (1.0, 0.0, 0.0))):
        text = cantilever(end).to_toml()
        assert 'format = "femu model 2"' in text
        old = Model.from_toml(text.replace("femu model 2", "femu model 1"))
        assert old.elements["beam"].vecxz == given  # type: ignore[attr-defined]
        assert Model.from_toml(text).elements["beam"].vecxz is None  # type: ignore[attr-defined]
