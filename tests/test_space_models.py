"""Models in space and on a line: closed forms, a plane frame turned in space, constraints, findings, messages."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from femu import GroundMotion
from femu.analyses import DisplacementControl, LoadControl, Newmark, Transient, eigen
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
)
from femu.errors import FemuError, InputError, ModelError
from femu.loads import PointLoad, UniformLoad
from femu.materials import Bilinear, Elastic, ElasticSection, FibreSection
from femu.model import Model
from femu.results import Result
from femu.save import Save

E, G, A, IZ, IY, J, L = 200e9, 80e9, 8e-3, 1.2e-4, 3e-5, 5e-6, 3.0
SECTION = ElasticSection(E=E, A=A, I=IZ, Iy=IY, G=G, J=J)


def cantilever(turn: np.ndarray, **options: object) -> Model:
    """Fixed at the origin, along x before it is turned, its local z along the turned z axis."""
    model = Model("cantilever", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, *(L * turn[:, 0]), mass=100.0)
    model.add(ElasticBeamColumn("beam", 1, 2, section=SECTION, vecxz=turn[:, 2], **options))  # type: ignore[arg-type]
    return model


def load(model: Model, node: object, turn: np.ndarray, force: tuple, moment: tuple = (0.0, 0.0, 0.0)) -> None:
    f, m = turn @ np.array(force), turn @ np.array(moment)
    model.load(node, x=f[0], y=f[1], z=f[2], rx=m[0], ry=m[1], rz=m[2])  # type: ignore[arg-type]


def end(result: Result, node: object, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u = turn.T @ np.array([result.displacement(node, d)[-1] for d in "xyz"])  # type: ignore[arg-type]
    return u, turn.T @ np.array([result.displacement(node, d)[-1] for d in ("rx", "ry", "rz")])  # type: ignore[arg-type]


TURNS = [np.eye(3), Rotation.from_rotvec([0.3, 1.1, -0.6]).as_matrix(), Rotation.from_rotvec([2.0, -0.2, 0.9]).as_matrix()]


@pytest.mark.parametrize("turn", TURNS)
def test_a_cantilever_in_any_direction(turn: np.ndarray) -> None:
    """Tip displacements of a bar under forces and moments at its end, by the formulas of strength of materials."""
    model = cantilever(turn)
    N, Fy, Fz, T, My, Mz = 5e4, 2e3, -3e3, 700.0, 900.0, -400.0
    load(model, 2, turn, (N, Fy, Fz), (T, My, Mz))
    result = LoadControl(steps=1).run(model)
    u, r = end(result, 2, turn)
    assert u == pytest.approx([N * L / (E * A), Fy * L**3 / (3 * E * IZ) + Mz * L**2 / (2 * E * IZ),
                               Fz * L**3 / (3 * E * IY) - My * L**2 / (2 * E * IY)], rel=1e-10)
    assert r == pytest.approx([T * L / (G * J), -Fz * L**2 / (2 * E * IY) + My * L / (E * IY),
                               Fy * L**2 / (2 * E * IZ) + Mz * L / (E * IZ)], rel=1e-10)
    basic = result.force("beam", "basic")[-1]
    assert basic == pytest.approx([N, -(Fy * L + Mz), Mz, Fz * L - My, My, T], rel=1e-9)
    assert result.deformation("beam")[-1] == pytest.approx(
        [N * L / (E * A), *(np.array([[2, -1], [-1, 2]]) @ basic[1:3] * L / (6 * E * IZ)),
         *(np.array([[2, -1], [-1, 2]]) @ basic[3:5] * L / (6 * E * IY)), T * L / (G * J)], rel=1e-9)
    local = result.force("beam", "local")[-1]
    assert local[6:] == pytest.approx([N, Fy, Fz, T, My, Mz], rel=1e-9)
    turned = np.concatenate([turn @ local[3 * k:3 * k + 3] for k in range(4)])
    assert result.force("beam", "global")[-1] == pytest.approx(turned, rel=1e-9)
    assert [result.reaction(1, d)[-1] for d in "xyz"] == pytest.approx(-turn @ [N, Fy, Fz], rel=1e-9)


def test_torsional_and_bending_periods() -> None:
    model = cantilever(TURNS[1])
    model.mass(2, (100.0, 100.0, 100.0, 7.0, 7.0, 7.0))
    model.nodes[2].mass.update({"rx": 0.0, "ry": 0.0, "rz": 0.0})
    modes = eigen(model, 3)
    stiffness = np.sort([3 * E * IY / L**3, 3 * E * IZ / L**3, E * A / L])
    assert modes.periods == pytest.approx(2 * math.pi / np.sqrt(stiffness / 100.0), rel=1e-10)
    assert sum(modes.participation["z"]) == pytest.approx(1.0)
    twisted = cantilever(np.eye(3))
    twisted.mass(2, (0.0, 0.0, 0.0, 7.0, 0.0, 0.0))
    assert eigen(twisted, 1).periods == pytest.approx([2 * math.pi * math.sqrt(7.0 * L / (G * J))], rel=1e-10)


@pytest.mark.parametrize(("load_", "expected"), [
    # propped cantilever: released about z at the far end, which is held across
    (UniformLoad(y=1e3), -1e3 * L**2 / 8), (PointLoad(0.3, y=1e3), -1e3 * 0.3 * L * 0.7 * 1.7 / 2)])
@pytest.mark.parametrize("axis", ["z", "y"])
def test_a_released_end_under_a_member_load(load_, expected: float, axis: str) -> None:
    if axis == "y":
        load_ = UniformLoad(z=load_.y) if isinstance(load_, UniformLoad) else PointLoad(load_.at, z=load_.y)
        expected = -expected
    model = cantilever(TURNS[1], release_j=axis)
    model.fix(2)
    model.member_load("beam", load_)
    result = LoadControl(steps=1).run(model)
    basic = dict(zip(("N", "Mz_i", "Mz_j", "My_i", "My_j", "T"), result.force("beam", "basic")[-1], strict=True))
    assert basic[f"M{axis}_i"] == pytest.approx(expected, rel=1e-9)
    assert basic[f"M{axis}_j"] == 0.0


def portal(dimensions: int, turn: np.ndarray) -> Model:
    """A plane frame with a hinge, offsets, member loads and a spring: in the plane, or turned in space."""
    space = dimensions == 3
    model = Model("portal", dimensions=dimensions)

    def place(x: float, y: float) -> tuple[float, ...]:
        return tuple(turn @ np.array([x, y, 0.0])) if space else (x, y)

    offsets = {"offset_i": place(0.2, 0.1), "offset_j": place(-0.3, 0.0)}
    axes = {"vecxz": turn[:, 2]} if space else {}
    for name, x, y, fixed in (("A", 0.0, 0.0, True), ("B", 6.0, 0.5, True), ("C", 0.0, 3.5, False), ("D", 6.0, 3.8, False)):
        model.node(name, *place(x, y), fixed=fixed, mass=[3e3] * dimensions + [0.0] * (3 if space else 1))
    for name, i, j, options in (("left", "A", "C", {"geometry": "p-delta"}), ("right", "B", "D", {"release_j": "z"}),
                                ("beam", "C", "D", offsets)):
        model.add(ElasticBeamColumn(name, i, j, section=SECTION, **axes, **options))  # type: ignore[arg-type]
    for node, (x, y, m) in {"C": (4e4, -2e5, 1e4), "D": (1e4, -1e5, 0.0)}.items():
        if space:
            load(model, node, turn, (x, y, 0.0), (0.0, 0.0, m))
        else:
            model.load(node, x=x, y=y, rz=m)
    model.member_load("beam", UniformLoad(x=1e3, y=-5e3), pattern="loads")
    model.member_load("right", PointLoad(0.4, x=2e3, y=3e3), pattern="loads")
    return model


@pytest.mark.parametrize("turn", TURNS)
def test_a_plane_frame_turned_in_space_gives_the_plane_result(turn: np.ndarray) -> None:
    plane = LoadControl(steps=2).run(portal(2, turn))
    space = LoadControl(steps=2).run(portal(3, turn))
    for node in ("C", "D"):
        u, r = end(space, node, turn)
        flat = [plane.displacement(node, d)[-1] for d in ("x", "y", "rz")]
        assert [*u[:2], r[2]] == pytest.approx(flat, rel=1e-9)
        assert abs(u[2]) < 1e-12 and np.abs(r[:2]).max() < 1e-12
    for name in ("left", "right", "beam"):
        assert space.force(name, "basic")[-1][[0, 1, 2]] == pytest.approx(plane.force(name, "basic")[-1], rel=1e-9, abs=1e-4)
        assert space.deformation(name)[-1][[0, 1, 2]] == pytest.approx(plane.deformation(name)[-1], rel=1e-9, abs=1e-12)
    found = eigen(portal(3, turn), 6).periods  # two of them out of the plane
    for period in eigen(portal(2, turn), 4).periods:
        assert np.abs(found / period - 1.0).min() < 1e-9


@pytest.mark.parametrize("member", [ForceBeamColumn, DisplacementBeamColumn])
def test_a_yielding_column_turned_in_space_gives_the_plane_result(member) -> None:
    """Fibres in both: cyclic bending in the plane of the strong axis, with an axial load and P-Delta."""
    steel, turn = Bilinear(E, 300e6, 0.02), TURNS[1]
    results = []
    for dimensions in (2, 3):
        model = Model("column", dimensions=dimensions)
        axes = {"vecxz": turn[:, 2]} if dimensions == 3 else {}
        fibres = {"flange_fibres": (2, 5), "web_fibres": (8, 1), "GJ": G * J} if dimensions == 3 else {
            "flange_fibres": 2, "web_fibres": 8}
        section = FibreSection.h_shape(0.3, 0.2, 0.01, 0.015, steel, **fibres)  # type: ignore[arg-type]
        for node, height in ((0, 0.0), (1, 3.0)):
            model.node(node, *(turn @ [0.0, height, 0.0] if dimensions == 3 else (0.0, height)), fixed=node == 0)
        model.add(member("column", 0, 1, section=section, geometry="p-delta", **axes))
        for pattern, force in (("gravity", (0.0, -3e5, 0.0)), ("push", (1e5, 0.0, 0.0))):
            x, y, z = turn @ np.array(force) if dimensions == 3 else force
            model.load(1, x=x, y=y, z=z, pattern=pattern)
        program = model.compile()
        state = LoadControl(pattern="gravity", steps=2).run(program).state
        for factor in (1.6, -1.5, 0.7):
            result = LoadControl(pattern="push", factor=factor, steps=20).run(program, start=state)
            state = result.state
        results.append(result)
    plane, space = results
    u, r = end(space, 1, turn)
    assert [*u[:2], r[2]] == pytest.approx([plane.displacement(1, d)[-1] for d in ("x", "y", "rz")], rel=1e-8)
    assert np.abs(plane.plastic_rotation("column", "i")).max() > 1e-3
    assert space.plastic_rotation("column", "i")[-1] == pytest.approx(plane.plastic_rotation("column", "i")[-1], rel=1e-7)
    assert space.plastic_rotation("column", "i", "y")[-1] == pytest.approx(0.0, abs=1e-12)


def test_sections_and_fibres_are_saved_in_space() -> None:
    model = cantilever(TURNS[0])
    del model.elements["beam"]
    section = FibreSection.rectangle(0.1, 0.2, Bilinear(E, 300e6, 0.02), (4, 3), GJ=G * J)
    model.add(ForceBeamColumn("beam", 1, 2, section=section, points=3))
    model.load(2, x=1e4, y=2e4, z=-1e4, rx=500.0)
    result = LoadControl(steps=2).run(model, save=Save(sections=True, fibres=True))
    assert [result.section("beam", 0, q)[-1] for q in ("N", "Mz", "My", "T")] == pytest.approx(
        [1e4, 2e4 * L, 1e4 * L, 500.0], rel=1e-9)
    assert result.section("beam", 0, "twist")[-1] == pytest.approx(500.0 / (G * J))
    group = section.groups[0]
    for fibre in (0, 7, 11):
        strain, stress = result.fibre("beam", 0, fibre)
        expected = (result.section("beam", 0, "axial_strain") - group.y[fibre] * result.section("beam", 0, "curvature_z")
                    + group.z[fibre] * result.section("beam", 0, "curvature_y"))  # type: ignore[index]
        assert strain == pytest.approx(expected, rel=1e-12)
        assert stress[-1] == pytest.approx(E * strain[-1])


def test_a_cantilever_bends_to_an_arc() -> None:
    """Under a moment at its end a bar becomes an arc of a circle: exactly, in any plane (here to a third of a turn)."""
    pieces, turn = 30, TURNS[1]
    model = Model("arc", dimensions=3)
    for k in range(pieces + 1):
        model.node(k, *(turn @ [L * k / pieces, 0.0, 0.0]), fixed=k == 0)
        if k:
            model.add(ElasticBeamColumn(k, k - 1, k, section=SECTION, vecxz=turn[:, 2], geometry="corotational"))
    bent = 2.0 * math.pi / 3.0
    load(model, pieces, turn, (0.0, 0.0, 0.0), (0.0, 0.0, bent * E * IZ / L))
    result = LoadControl(steps=10).run(model)
    u, r = end(result, pieces, turn)
    assert r == pytest.approx([0.0, 0.0, bent], abs=2e-3)
    assert u == pytest.approx([L * (math.sin(bent) / bent - 1.0), L * (1.0 - math.cos(bent)) / bent, 0.0], abs=2e-3 * L)
    assert result.force(pieces, "global")[-1][9:] == pytest.approx(turn @ [0.0, 0.0, bent * E * IZ / L], rel=1e-6, abs=10.0)


def test_the_cantilever_bend_of_bathe_and_bolourchi() -> None:
    """A quarter-turn bend of radius 100 under a load out of its plane (Bathe and Bolourchi 1979).

    An eighth of a circle; the tip stands at (47.2, 15.9, 53.4) under 600 in their paper, at (47.23, 15.79, 53.37) in that of
    Simo and Vu-Quoc (1986), and others are within 1 % of these.
    """
    radius, pieces = 100.0, 16
    section = ElasticSection(E=1e7, A=1.0, I=1.0 / 12.0, Iy=1.0 / 12.0, G=5e6, J=1.0 / 6.0)
    model = Model("bend", dimensions=3)
    for k in range(pieces + 1):
        angle = math.pi / 4.0 * k / pieces
        model.node(k, radius * (1.0 - math.cos(angle)), radius * math.sin(angle), 0.0, fixed=k == 0)
        if k:
            model.add(ElasticBeamColumn(k, k - 1, k, section=section, geometry="corotational"))
    model.load(pieces, z=600.0)
    result = LoadControl(steps=12).run(model)
    start = model.nodes[pieces].coordinates
    tip = start + [result.displacement(pieces, d)[-1] for d in "xyz"]
    assert tip == pytest.approx([15.79, 47.23, 53.37], abs=0.6)


def test_a_corotational_run_goes_on_from_a_copy_with_the_same_bits() -> None:
    model = cantilever(TURNS[2], geometry="corotational")
    load(model, 2, TURNS[2], (-1e4, 8e4, 5e4), (1e3, 0.0, 0.0))
    program = model.compile()
    whole = LoadControl(steps=8).run(program)
    first = LoadControl(factor=0.5, steps=4).run(program)
    rest = LoadControl(factor=1.0, steps=4).run(program, start=first.state)
    assert rest.state is not None and whole.state is not None
    assert np.array_equal(rest.arrays["u"][-1], whole.arrays["u"][-1])
    start, names = program.element_state("beam")
    assert "quaternion_w_j" in names
    assert np.array_equal(rest.state.vector[program.layout.elements:], whole.state.vector[program.layout.elements:])


def test_transient_in_the_third_direction() -> None:
    """A mass on a column: motion along each axis at once is the sum of the motions one by one (linear)."""
    model = cantilever(TURNS[1])
    quake = GroundMotion.el_centro().scaled(pga=2.0)
    run = Transient(Newmark(), dt=0.01)
    one = {d: run.run(model, {d: quake}, duration=2.0).displacement(2, "x") for d in "xyz"}
    together = run.run(model, dict.fromkeys("xyz", quake), duration=2.0)
    assert together.displacement(2, "x") == pytest.approx(one["x"] + one["y"] + one["z"], abs=1e-9 * np.abs(one["x"]).max())
    assert together.energy_error < 1e-3
    assert together.base_shear("z").shape == together.time.shape


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
    assert [result.basic_force(f"bar {k}", "N")[-1] for k in range(3)] == pytest.approx(bars, rel=1e-10)
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
    squares = np.linalg.eigvals(np.array([[750.0, -150.0], [-150.0, 150.0]]) / np.array([[2.0], [3.0]]))
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
    u = {n: np.array([result.displacement(n, d)[-1] for d in ("x", "y", "rz")]) for n in ("centre", *corners)}
    for name, (x, y) in corners.items():
        turn = u["centre"][2]
        assert u[name] == pytest.approx(u["centre"] + [-turn * (y - 1.0), turn * (x - 2.0), 0.0], rel=1e-12)
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
    model.add(TwoNodeLink("link", 1, 2, {"x": Elastic(5.0), "y": Elastic(7.0), "z": Elastic(11.0), "rx": Elastic(1.0),
                                         "ry": Elastic(2.0), "rz": Elastic(3.0)}, shear_distance=0.0))
    model.load(2, x=1.0, y=2.0, z=3.0)
    result = LoadControl(steps=1).run(model)
    # local x is global z, local y global y, local z global -x; springs of shear at node i: the arm to j bends the others
    assert result.displacement(2, "z")[-1] == pytest.approx(3.0 / 5.0)
    assert result.displacement(2, "y")[-1] == pytest.approx(2.0 / 7.0 + 2.0 * 2.0**2 / 3.0)
    assert result.displacement(2, "x")[-1] == pytest.approx(1.0 / 11.0 + 1.0 * 2.0**2 / 2.0)


def test_a_link_may_have_axes_of_its_own() -> None:
    model = Model("springs", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 2.0)
    model.add(TwoNodeLink("link", 1, 2, {"x": Elastic(5.0), "y": Elastic(7.0), "z": Elastic(11.0)},
                          orient=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))))
    model.fix(2, ("rx", "ry", "rz"))
    model.load(2, x=1.0, y=2.0, z=3.0)
    result = LoadControl(steps=1).run(model)
    assert [result.displacement(2, d)[-1] for d in "xyz"] == pytest.approx([1.0 / 5.0, 2.0 / 7.0, 3.0 / 11.0])


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


@pytest.mark.parametrize(("wrong", "words"), [
    (lambda: Model("m", dimensions=4), ("dimensions = 4", "1, 2 or 3")),
    (lambda: _space().node(3, 0.0, 0.0), ("node 3", "z = None")),
    (lambda: Model("m").node(3, 0.0, 0.0, 1.0), ("node 3", "z = 1.0", "left out")),
    (lambda: _space().fix(1, "xw"), ("xw", "rx")),
    (lambda: _space().mass(1, (1.0, 2.0)), ("mass", "(x, y, z)")),
    (lambda: Model("m").load(1, z=1.0), ("load", "node 1")),
    (lambda: _space().rigid_diaphragm([1, 2]), ("normal = None",)),
    (lambda: ElasticBeamColumn("b", 1, 2, section=SECTION, vecxz=(0.0, 0.0, 0.0)), ("vecxz", "three finite numbers")),
    (lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=SECTION, vecxz=(0.0, 0.0, 2.0))), ("vecxz", "along the member")),
    (lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=ElasticSection(E=E, A=A, I=IZ))), ("Iy", "in space")),
    (lambda: ElasticSection(E=E, A=A, I=IZ, Iy=IY), ("G", "given with the others")),
    (lambda: ElasticSection(E=E, A=A, I=IZ, Iy=-IY, G=G, J=J), ("Iy", "above 0")),
    (lambda: _compiled(ElasticBeamColumn("b", 1, 2, section=SECTION, offset_i=(0.1, 0.0))), ("offset_i", "three numbers")),
    (lambda: _compiled(ZeroLength("z", 1, 2, {"x": Elastic(1.0)})), ("apart",)),
    (lambda: _compiled(TwoNodeLink("l", 1, 2, {"x": Elastic(1.0)}, orient=(0.0, 0.0, 1.0))), ("orient", "different directions")),
    (lambda: Transient(Newmark(), dt=0.01).run(_plane(), {"z": GroundMotion.el_centro()}), ("motion = 'z'",)),
    (lambda: _plane_with(ZeroLength("z", 1, 3, {"z": Elastic(1.0)})), ("laws = 'z'", "in this model")),
    (lambda: _plane_with(ZeroLength("z", 1, 3, {"x": Elastic(1.0)}, orient=((1, 0, 0), (0, 1, 0)))), ("orient", "angle")),
])
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
        LoadControl(steps=1).run(model).displacement("C", "z"), rel=1e-15)


def test_the_documented_house_stands() -> None:
    """The script of docs/space.md runs as it stands."""
    text = (Path(__file__).parents[1] / "docs" / "space.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["result"].outcome.ok
    floor = names["result"].displacement("floor", "rz")
    assert 1e-6 < np.abs(floor).max() < 0.05
    assert not [f for f in names["house"].check() if f.severity == "error"]
