"""Models in space and on a line: trusses, links, diaphragms, findings, messages, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from space_frames import IY, IZ, SECTION, TURNS, A, E, G, J, L, cantilever, portal

from femu import GroundMotion
from femu.analyses import DisplacementControl, LoadControl, Newmark, Transient, eigen
from femu.elements import (
    ElasticBeamColumn,
    ForceBeamColumn,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
)
from femu.materials import Bilinear, Elastic, ElasticSection, FibreSection
from femu.model.model import Model
from femu.support.errors import FemuError, InputError, ModelError

# a light cantilever, in long steps
pytestmark = pytest.mark.filterwarnings("ignore::femu.check.CheckWarning")


def test_trusses_alone_need_no_rotation() -> None:
    """A tripod under a load at its top: bar forces by equilibrium."""
    model = Model("tripod", dimensions=3)
    feet = [(2.0, 0.0, 0.0), (-1.0, 1.5, 0.0), (-1.0, -1.0, 0.0)]
    top = np.array([0.1, 0.2, 3.0])
    model.node("top", *top)
    for k, foot in enumerate(feet):
        model.node(k, *foot, fixed="xyz")
        model.add(Truss(f"bar {k}", k, "top", material=Elastic(E), area=1e-3))
    force = np.array([2e3, -1e3, -8e3])
    model.load("top", x=force[0], y=force[1], z=force[2])
    program = model.compile()
    assert (program.neq, program.ndof) == (3, 12)
    result = LoadControl(steps=1).run(program)
    directions = np.array([(top - foot) / np.linalg.norm(top - foot) for foot in feet]).T
    bars = np.linalg.solve(directions, force)
    assert [result.basic_force(f"bar {k}", "N")[-1] for k in range(3)] == pytest.approx(
        bars, rel=1e-10
    )
    assert not [f for f in model.check() if f.severity == "error"]


def test_a_line_of_two_springs() -> None:
    model = Model("line", dimensions=1)
    for name, x in (("wall", 0.0), ("a", 1.0), ("b", 1.0)):
        model.node(name, x, fixed=name == "wall", mass=2.0)
    model.add(Truss("bar", "wall", "a", material=Elastic(300.0), area=2.0))
    model.add(ZeroLength("spring", "a", "b", {"x": Elastic(150.0)}))
    model.add(LumpedMass("more", "b", 1.0))
    model.load("b", x=3.0)
    result = LoadControl(steps=1).run(model)
    assert result.displacement("b", "x")[-1] == pytest.approx(3.0 / 600.0 + 3.0 / 150.0)
    squares = np.linalg.eigvals(
        np.array([[750.0, -150.0], [-150.0, 150.0]]) / np.array([[2.0], [3.0]])
    )
    assert eigen(model, 2).frequencies == pytest.approx(np.sqrt(np.sort(squares)))


def test_a_rigid_diaphragm_moves_as_one_body() -> None:
    model = Model("floor", dimensions=3)
    corners = {"a": (0.0, 0.0), "b": (5.0, 0.0), "c": (5.0, 3.0), "d": (0.0, 3.0)}
    for name, (x, y) in corners.items():
        model.node(f"{name}0", x, y, 0.0, fixed=True)
        model.node(name, x, y, 3.0)
        model.add(ElasticBeamColumn(f"column {name}", f"{name}0", name, section=SECTION))
    model.node("centre", 2.0, 1.0, 3.0, fixed=("z", "rx", "ry"))
    model.rigid_diaphragm(["centre", *corners], normal="z")
    model.load("centre", x=1e4, y=2e4, rz=5e3)
    result = LoadControl(steps=1).run(model)
    u = {
        n: np.array([result.displacement(n, d)[-1] for d in ("x", "y", "rz")])
        for n in ("centre", *corners)
    }
    for name, (x, y) in corners.items():
        turn = u["centre"][2]
        assert u[name] == pytest.approx(
            u["centre"] + [-turn * (y - 1.0), turn * (x - 2.0), 0.0], rel=1e-12
        )
        assert result.displacement(name, "rx")[-1] != 0.0
    assert result.base_shear("y")[-1] == pytest.approx(-2e4, rel=1e-9)


def test_a_rigid_link_in_space_turns_with_its_node() -> None:
    """A mass at the end of an arm: the force on it reaches the beam with its moment."""
    arm = np.array([0.4, -0.3, 0.7])
    linked, direct = cantilever(TURNS[1]), cantilever(TURNS[1])
    at = L * TURNS[1][:, 0] + arm
    linked.node(3, *at)
    linked.rigid_link(2, 3)
    force = np.array([1e3, -2e3, 1.5e3])
    linked.load(3, x=force[0], y=force[1], z=force[2])
    moment = np.cross(arm, force)
    direct.load(2, x=force[0], y=force[1], z=force[2], rx=moment[0], ry=moment[1], rz=moment[2])
    one, two = LoadControl(steps=1).run(linked), LoadControl(steps=1).run(direct)
    for d in ("x", "y", "z", "rx", "ry", "rz"):
        assert one.displacement(2, d)[-1] == pytest.approx(two.displacement(2, d)[-1], rel=1e-10)
    turned = np.array([one.displacement(2, d)[-1] for d in ("rx", "ry", "rz")])
    moved = np.array([one.displacement(2, d)[-1] for d in "xyz"]) + np.cross(turned, arm)
    assert [one.displacement(3, d)[-1] for d in "xyz"] == pytest.approx(moved, rel=1e-12)


def test_links_in_space_have_their_directions() -> None:
    model = Model("springs", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 2.0)
    model.add(
        TwoNodeLink(
            "link",
            1,
            2,
            {
                "x": Elastic(5.0),
                "y": Elastic(7.0),
                "z": Elastic(11.0),
                "rx": Elastic(1.0),
                "ry": Elastic(2.0),
                "rz": Elastic(3.0),
            },
            shear_distance=0.0,
        )
    )
    model.load(2, x=1.0, y=2.0, z=3.0)
    result = LoadControl(steps=1).run(model)
    # local x is global z, local y global y, local z global -x; springs of shear at node i: the arm
    # to j bends the others
    assert result.displacement(2, "z")[-1] == pytest.approx(3.0 / 5.0)
    assert result.displacement(2, "y")[-1] == pytest.approx(2.0 / 7.0 + 2.0 * 2.0**2 / 3.0)
    assert result.displacement(2, "x")[-1] == pytest.approx(1.0 / 11.0 + 1.0 * 2.0**2 / 2.0)


def test_a_link_may_have_axes_of_its_own() -> None:
    model = Model("springs", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 2.0)
    model.add(
        TwoNodeLink(
            "link",
            1,
            2,
            {"x": Elastic(5.0), "y": Elastic(7.0), "z": Elastic(11.0)},
            orient=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        )
    )
    model.fix(2, ("rx", "ry", "rz"))
    model.load(2, x=1.0, y=2.0, z=3.0)
    result = LoadControl(steps=1).run(model)
    assert [result.displacement(2, d)[-1] for d in "xyz"] == pytest.approx(
        [1.0 / 5.0, 2.0 / 7.0, 3.0 / 11.0]
    )


def test_displacement_control_in_space() -> None:
    model = Model("post", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 0.0)
    model.add(ZeroLength("spring", 1, 2, {"z": Bilinear(100.0, 2.0, 0.1)}))
    model.load(2, z=1.0, pattern="push")
    result = DisplacementControl(2, "z", [0.05, -0.05], 0.01, pattern="push").run(model)
    # kinematic hardening: 2 at yield, 10 a length beyond; unloading by twice the yield displacement
    assert result.factor("push")[5] == pytest.approx(2.0 + 10.0 * 0.03)
    assert result.factor("push")[-1] == pytest.approx(-(2.0 + 10.0 * 0.03))


def test_findings_name_what_is_loose_in_space() -> None:
    model = Model("loose", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 3.0)
    model.node(3, 0.0, 0.0, 3.0)
    model.node(4, 9.0, 9.0, 9.0, mass=1.0)
    model.add(ElasticBeamColumn("post", 1, 2, section=SECTION))
    model.add(ZeroLength("spring", 2, 3, {"x": Elastic(1.0), "ry": Elastic(1.0)}))
    words = " ".join(f.message for f in model.check())
    assert "node 4 is connected to no element" in words
    del model.nodes[4]
    model.nodes[1].fixed = {"x", "y", "z", "ry", "rz"}
    found = [f for f in model.check() if f.severity == "error"]
    # it turns about x: the top goes along y
    assert any("mechanism" in f.message and "y" in f.objects for f in found)


def _space() -> Model:
    model = Model("m", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 3.0)
    return model


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Model("m", dimensions=4), ("dimensions = 4", "1, 2 or 3")),
        (lambda: _space().node(3, 0.0, 0.0), ("node 3", "z = None")),
        (lambda: Model("m").node(3, 0.0, 0.0, 1.0), ("node 3", "z = 1.0", "omitted")),
        (lambda: _space().fix(1, "xw"), ("xw", "rx")),
        (lambda: _space().mass(1, (1.0, 2.0)), ("mass", "(x, y, z)")),
        (lambda: Model("m").load(1, z=1.0), ("load", "node 1")),
        (lambda: _space().rigid_diaphragm([1, 2]), ("normal = None",)),
        (
            lambda: ElasticBeamColumn("b", 1, 2, section=SECTION, vecxz=(0.0, 0.0, 0.0)),
            ("vecxz", "three finite numbers"),
        ),
        (
            lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=SECTION, vecxz=(0.0, 0.0, 2.0))),
            ("vecxz", "along the member"),
        ),
        (
            lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=ElasticSection(E=E, A=A, I=IZ))),
            ("Iy", "in space"),
        ),
        (lambda: ElasticSection(E=E, A=A, I=IZ, Iy=IY), ("G", "given with the others")),
        (lambda: ElasticSection(E=E, A=A, I=IZ, Iy=-IY, G=G, J=J), ("Iy", "above 0")),
        (
            lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=SECTION, offset_i=(0.1, 0.0))),
            ("offset_i", "three numbers"),
        ),
        (lambda: _compiled(ZeroLength("z", 1, 2, {"x": Elastic(1.0)})), ("apart",)),
        (
            lambda: _compiled(TwoNodeLink("l", 1, 2, {"x": Elastic(1.0)}, orient=(0.0, 0.0, 1.0))),
            ("orient", "different directions"),
        ),
        (
            lambda: Transient(Newmark(), dt=0.01).run(_plane(), {"z": GroundMotion.el_centro()}),
            ("motion = 'z'",),
        ),
        (
            lambda: _plane_with(ZeroLength("z", 1, 3, {"z": Elastic(1.0)})),
            ("laws = 'z'", "in this model"),
        ),
        (
            lambda: _plane_with(
                ZeroLength("z", 1, 3, {"x": Elastic(1.0)}, orient=((0, 0, 1), (0, 1, 0)))
            ),
            ("orient", "in the plane of the model"),
        ),
    ],
)
def test_messages(wrong, words: tuple[str, ...]) -> None:
    with pytest.raises(FemuError) as caught:
        wrong()
    assert isinstance(caught.value, (InputError, ModelError))
    for word in words:
        assert word in str(caught.value)


def _compiled(element) -> None:
    model = _space()
    model.add(element)
    model.compile()


def _plane() -> Model:
    model = Model("p")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0, mass=1.0)
    model.node(3, 0.0, 0.0)
    model.add(ElasticBeamColumn("b", 1, 2, section=SECTION))
    return model


def _plane_with(element) -> None:
    model = _plane()
    model.add(element)
    model.compile()


def test_a_model_in_space_goes_to_toml_and_back() -> None:
    model = portal(3, TURNS[1])
    section = FibreSection.rectangle(0.1, 0.2, Bilinear(E, 300e6, 0.02), (4, 3), GJ=G * J)
    model.add(ForceBeamColumn("brace", "A", "D", section=section, vecxz=TURNS[1][:, 2]))
    model.node("floor", 1.0, 2.0, 3.0, fixed=("z", "rx", "ry"))
    model.rigid_diaphragm(["floor", "C", "D"], normal="z")
    again = Model.from_toml(model.to_toml())
    assert again.diaphragms == model.diaphragms and again.dimensions == 3
    assert again.compile().digest == model.compile().digest
    assert LoadControl(steps=1).run(again).displacement("C", "z") == pytest.approx(
        LoadControl(steps=1).run(model).displacement("C", "z"), rel=1e-15
    )


def test_the_documented_house_stands() -> None:
    """The script of docs/space.md runs as it is."""
    text = (Path(__file__).parents[1] / "docs" / "space.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["result"].outcome.ok
    floor = names["result"].displacement("floor", "rz")
    assert 1e-6 < np.abs(floor).max() < 0.05
    assert not [f for f in names["house"].check() if f.severity == "error"]
