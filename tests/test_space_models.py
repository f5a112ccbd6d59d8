"""Members in space: closed forms, plane frames turned in space, large rotations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from space_frames import IY, IZ, SECTION, TURNS, A, E, G, J, L, cantilever, end, load, portal

from femu import GroundMotion
from femu.analyses import LoadControl, Newmark, Transient, eigen
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, FibreSection
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model
from femu.results.save import Save

# steps of any size have a closed form
pytestmark = [
    pytest.mark.filterwarnings("ignore:dt = .* is longer than a tenth"),
    pytest.mark.filterwarnings("ignore:.*bend the section about its weak axis"),
]


@pytest.mark.parametrize("turn", TURNS)
def test_a_cantilever_in_any_direction(turn: np.ndarray) -> None:
    """Tip displacements of a bar under forces and moments at its end, by the formulas of strength
    of materials."""
    model = cantilever(turn)
    N, Fy, Fz, T, My, Mz = 5e4, 2e3, -3e3, 700.0, 900.0, -400.0
    load(model, 2, turn, (N, Fy, Fz), (T, My, Mz))
    result = LoadControl(steps=1).run(model)
    u, r = end(result, 2, turn)
    assert u == pytest.approx(
        [
            N * L / (E * A),
            Fy * L**3 / (3 * E * IZ) + Mz * L**2 / (2 * E * IZ),
            Fz * L**3 / (3 * E * IY) - My * L**2 / (2 * E * IY),
        ],
        rel=1e-10,
    )
    assert r == pytest.approx(
        [
            T * L / (G * J),
            -Fz * L**2 / (2 * E * IY) + My * L / (E * IY),
            Fy * L**2 / (2 * E * IZ) + Mz * L / (E * IZ),
        ],
        rel=1e-10,
    )
    basic = result.force("beam", "basic")[-1]
    assert basic == pytest.approx([N, -(Fy * L + Mz), Mz, Fz * L - My, My, T], rel=1e-9)
    assert result.deformation("beam")[-1] == pytest.approx(
        [
            N * L / (E * A),
            *(np.array([[2, -1], [-1, 2]]) @ basic[1:3] * L / (6 * E * IZ)),
            *(np.array([[2, -1], [-1, 2]]) @ basic[3:5] * L / (6 * E * IY)),
            T * L / (G * J),
        ],
        rel=1e-9,
    )
    local = result.force("beam", "local")[-1]
    assert local[6:] == pytest.approx([N, Fy, Fz, T, My, Mz], rel=1e-9)
    turned = np.concatenate([turn @ local[3 * k : 3 * k + 3] for k in range(4)])
    assert result.force("beam", "global")[-1] == pytest.approx(turned, rel=1e-9)
    assert [result.reaction(1, d)[-1] for d in "xyz"] == pytest.approx(
        -turn @ [N, Fy, Fz], rel=1e-9
    )


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
    assert eigen(twisted, 1).periods == pytest.approx(
        [2 * math.pi * math.sqrt(7.0 * L / (G * J))], rel=1e-10
    )


@pytest.mark.parametrize(
    ("load_", "expected"),
    [
        # propped cantilever: released about z at the far end, which is held across
        (UniformLoad(y=1e3), -1e3 * L**2 / 8),
        (PointLoad(0.3, y=1e3), -1e3 * 0.3 * L * 0.7 * 1.7 / 2),
    ],
)
@pytest.mark.parametrize("axis", ["z", "y"])
def test_a_released_end_under_a_member_load(load_, expected: float, axis: str) -> None:
    if axis == "y":
        load_ = (
            UniformLoad(z=load_.y)
            if isinstance(load_, UniformLoad)
            else PointLoad(load_.at, z=load_.y)
        )
        expected = -expected
    model = cantilever(TURNS[1], release_j=axis)
    model.fix(2)
    model.member_load("beam", load_)
    result = LoadControl(steps=1).run(model)
    basic = dict(
        zip(
            ("N", "Mz_i", "Mz_j", "My_i", "My_j", "T"),
            result.force("beam", "basic")[-1],
            strict=True,
        )
    )
    assert basic[f"M{axis}_i"] == pytest.approx(expected, rel=1e-9)
    assert basic[f"M{axis}_j"] == 0.0


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
        assert space.force(name, "basic")[-1][[0, 1, 2]] == pytest.approx(
            plane.force(name, "basic")[-1], rel=1e-9, abs=1e-4
        )
        assert space.deformation(name)[-1][[0, 1, 2]] == pytest.approx(
            plane.deformation(name)[-1], rel=1e-9, abs=1e-12
        )
    found = eigen(portal(3, turn), 6).periods  # two of them out of the plane
    for period in eigen(portal(2, turn), 4).periods:
        assert np.abs(found / period - 1.0).min() < 1e-9


@pytest.mark.parametrize("member", [ForceBeamColumn, DisplacementBeamColumn])
def test_a_yielding_column_turned_in_space_gives_the_plane_result(member) -> None:
    """Fibres in both: cyclic bending in the plane of the strong axis, with an axial load and
    P-Delta."""
    steel, turn = Bilinear(E, 300e6, 0.02), TURNS[1]
    results = []
    for dimensions in (2, 3):
        model = Model("column", dimensions=dimensions)
        axes = {"vecxz": turn[:, 2]} if dimensions == 3 else {}
        fibres = (
            {"flange_fibres": (2, 5), "web_fibres": (8, 1), "GJ": G * J}
            if dimensions == 3
            else {"flange_fibres": 2, "web_fibres": 8}
        )
        section = FibreSection.h_shape(0.3, 0.2, 0.01, 0.015, steel, **fibres)  # type: ignore[arg-type]
        for node, height in ((0, 0.0), (1, 3.0)):
            model.node(
                node,
                *(turn @ [0.0, height, 0.0] if dimensions == 3 else (0.0, height)),
                fixed=node == 0,
            )
        model.add(member("column", 0, 1, section=section, geometry="p-delta", **axes))
        for pattern, force in (("gravity", (0.0, -5e4, 0.0)), ("push", (1e5, 0.0, 0.0))):
            x, y, z = turn @ np.array(force) if dimensions == 3 else force
            model.load(1, x=x, y=y, z=z, pattern=pattern)
        program = model.compile()
        state = LoadControl(pattern="gravity", steps=2).run(program).state
        for factor in (1.3, -1.25, 0.7):
            result = LoadControl(pattern="push", factor=factor, steps=20).run(program, start=state)
            assert result.outcome.ok
            state = result.state
        results.append(result)
    plane, space = results
    u, r = end(space, 1, turn)
    assert [*u[:2], r[2]] == pytest.approx(
        [plane.displacement(1, d)[-1] for d in ("x", "y", "rz")], rel=1e-8
    )
    assert np.abs(plane.plastic_rotation("column", "i")).max() > 1e-3
    assert space.plastic_rotation("column", "i")[-1] == pytest.approx(
        plane.plastic_rotation("column", "i")[-1], rel=1e-7
    )
    assert space.plastic_rotation("column", "i", "y")[-1] == pytest.approx(0.0, abs=1e-12)


def test_sections_and_fibres_are_saved_in_space() -> None:
    model = cantilever(TURNS[0])
    del model.elements["beam"]
    section = FibreSection.rectangle(0.1, 0.2, Bilinear(E, 300e6, 0.02), (4, 3), GJ=G * J)
    model.add(ForceBeamColumn("beam", 1, 2, section=section, points=3, vecxz=(0, 0, 1)))
    model.load(2, x=1e4, y=2e4, z=-1e4, rx=500.0)
    result = LoadControl(steps=2).run(model, save=Save(sections=True, fibres=True))
    assert [result.section("beam", 0, q)[-1] for q in ("N", "Mz", "My", "T")] == pytest.approx(
        [1e4, 2e4 * L, 1e4 * L, 500.0], rel=1e-9
    )
    assert result.section("beam", 0, "twist")[-1] == pytest.approx(500.0 / (G * J))
    group = section.groups[0]
    for fibre in (0, 7, 11):
        strain, stress = result.fibre("beam", 0, fibre)
        expected = (
            result.section("beam", 0, "axial_strain")
            - group.y[fibre] * result.section("beam", 0, "curvature_z")
            + group.z[fibre] * result.section("beam", 0, "curvature_y")
        )  # type: ignore[index]
        assert strain == pytest.approx(expected, rel=1e-12)
        assert stress[-1] == pytest.approx(E * strain[-1])


def test_a_cantilever_bends_to_an_arc() -> None:
    """Under a moment at its end a bar becomes an arc of a circle.

    Exactly, in any plane (here to a third of a turn).
    """
    pieces, turn = 30, TURNS[1]
    model = Model("arc", dimensions=3)
    for k in range(pieces + 1):
        model.node(k, *(turn @ [L * k / pieces, 0.0, 0.0]), fixed=k == 0)
        if k:
            model.add(
                ElasticBeamColumn(
                    k, k - 1, k, section=SECTION, vecxz=turn[:, 2], geometry="corotational"
                )
            )
    bent = 2.0 * math.pi / 3.0
    load(model, pieces, turn, (0.0, 0.0, 0.0), (0.0, 0.0, bent * E * IZ / L))
    result = LoadControl(steps=10).run(model)
    u, r = end(result, pieces, turn)
    assert r == pytest.approx([0.0, 0.0, bent], abs=2e-3)
    assert u == pytest.approx(
        [L * (math.sin(bent) / bent - 1.0), L * (1.0 - math.cos(bent)) / bent, 0.0], abs=2e-3 * L
    )
    assert result.force(pieces, "global")[-1][9:] == pytest.approx(
        turn @ [0.0, 0.0, bent * E * IZ / L], rel=1e-6, abs=10.0
    )


def test_the_cantilever_bend_of_bathe_and_bolourchi() -> None:
    """A quarter-turn bend of radius 100 under a load out of its plane (Bathe and Bolourchi 1979).

    An eighth of a circle; the tip is at (47.2, 15.9, 53.4) under 600 in their paper, at (47.23,
    15.79, 53.37) in that of Simo and Vu-Quoc (1986), and others are within 1 % of these.
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
    assert np.array_equal(
        rest.state.vector[program.layout.elements :], whole.state.vector[program.layout.elements :]
    )


def test_transient_in_the_third_direction() -> None:
    """A mass on a column: motion along each axis at once is the sum of the motions one by one
    (linear)."""
    model = cantilever(TURNS[1])
    quake = GroundMotion.el_centro().scaled(pga=2.0)
    run = Transient(Newmark(), dt=0.01)
    one = {d: run.run(model, {d: quake}, duration=2.0).displacement(2, "x") for d in "xyz"}
    together = run.run(model, dict.fromkeys("xyz", quake), duration=2.0)
    assert together.displacement(2, "x") == pytest.approx(
        one["x"] + one["y"] + one["z"], abs=1e-9 * np.abs(one["x"]).max()
    )
    assert together.energy_error < 1e-3
    assert together.base_shear("z").shape == together.time.shape
