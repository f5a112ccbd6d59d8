"""Sections in space: tangents, sums over the fibres, the plane as a special case, patches and
layers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    KentParkConcrete,
    MenegottoPinto,
    NMSection,
    UncoupledSection,
)
from femu.materials.sections.fibre_section import Fibres
from femu.materials.sections.patches import (
    circle_layer,
    circle_patch,
    quad_patch,
    rectangle_patch,
    straight_layer,
)
from femu.model.component import Section
from femu.model.strain_path import drive
from femu.opensees.comparison.peer import Peer
from femu.support.errors import FemuError

STEEL = MenegottoPinto(200e9, 350e6, 0.02)
CONCRETE = KentParkConcrete(30e6, 0.002, 5e6, 0.01)


def mixed() -> FibreSection:
    points = [(*f, CONCRETE) for f in rectangle_patch(7, 5, (-0.2, -0.15), (0.2, 0.12))]
    points += [(*f, STEEL) for f in straight_layer(3, 4e-4, (-0.17, -0.1), (-0.17, 0.1))]
    points += [(*f, STEEL) for f in circle_layer(5, 2e-4, (0.05, 0.0), 0.1)]
    return FibreSection.from_points(points, torsion=Bilinear(5e6, 2e3, 0.05))


SECTIONS: dict[str, Section] = {
    "elastic": ElasticSection(E=200e9, A=8e-3, I=1e-4, Iy=3e-5, G=80e9, J=5e-6),
    "uncoupled": UncoupledSection(
        Bilinear(2e9, 2e6, 0.02),
        MenegottoPinto(2e7, 1e5, 0.03),
        Bilinear(6e6, 5e4, 0.1),
        Bilinear(4e5, 1e3, 0.05),
    ),
    "fibres": FibreSection.h_shape(0.3, 0.2, 0.01, 0.015, STEEL, (2, 7), (6, 1), GJ=3e5),
    "mixed fibres": mixed(),
}
SIZES = np.array([2e-3, 1.5e-2, 1.5e-2, 5e-3])


@pytest.mark.parametrize("name", SECTIONS)
def test_tangent_is_the_derivative_of_the_forces(name: str) -> None:
    section = SECTIONS[name].in_space()
    rng = np.random.default_rng(1)
    for _ in range(5):
        first, second = SIZES * rng.uniform(-1, 1, 4), SIZES * rng.uniform(-1, 1, 4)
        tangent = np.zeros((4, 4))
        tangent[np.triu_indices(4)] = drive(section, [first, second]).tangent[-1]
        tangent = tangent + np.triu(tangent, 1).T
        columns = []
        for a in range(4):
            h = np.zeros(4)
            h[a] = 1e-6 * SIZES[a]
            columns.append(
                (
                    drive(section, [first, second + h]).force[-1]
                    - drive(section, [first, second - h]).force[-1]
                )
                / (2.0 * h[a])
            )
        scale = np.sqrt(np.diag(tangent_of_virgin(section)))
        assert np.abs((tangent - np.array(columns).T) / np.outer(scale, scale)).max() < 1e-6


def tangent_of_virgin(section: Section) -> np.ndarray:
    tangent = np.zeros((4, 4))
    tangent[np.triu_indices(4)] = drive(section, [np.zeros(4)]).tangent[-1]
    return tangent + np.triu(tangent, 1).T


def test_forces_are_the_sums_over_the_fibres() -> None:
    """By hand: the strain of each fibre, its stress from the material alone, forces and lever arms."""
    section = mixed()
    path = np.cumsum(np.random.default_rng(3).uniform(-0.3, 0.3, (20, 4)) * SIZES, axis=0)
    found = drive(section.in_space(), path)
    N, Mz, My = np.zeros((3, len(path)))
    for group in section.groups:
        assert group.z is not None
        for y, z, area in zip(group.y, group.z, group.area, strict=True):
            force = (
                area
                * drive(group.material, path[:, 0] - y * path[:, 1] + z * path[:, 2]).force[:, 0]
            )
            N, Mz, My = N + force, Mz - y * force, My + z * force
    T = drive(section.torsion, path[:, 3]).force[:, 0]  # type: ignore[arg-type]
    assert found.force == pytest.approx(
        np.stack([N, Mz, My, T], axis=1), rel=1e-12, abs=1e-9 * np.abs(N).max()
    )


@pytest.mark.parametrize("name", SECTIONS)
def test_bending_about_z_alone_is_the_plane_section(name: str) -> None:
    section = SECTIONS[name]
    rng = np.random.default_rng(5)
    plane = np.cumsum(rng.uniform(-0.3, 0.3, (30, 2)) * SIZES[:2], axis=0)
    space = np.zeros((30, 4))
    space[:, :2] = plane
    flat, found = drive(section, plane), drive(section.in_space(), space)
    assert found.force[:, :2] == pytest.approx(
        flat.force, rel=1e-12, abs=1e-12 * np.abs(flat.force).max()
    )
    assert found.tangent[:, [0, 1, 4]] == pytest.approx(flat.tangent, rel=1e-12, abs=1e-9)


def moments(fibres: list[tuple[float, float, float]]) -> list[float]:
    y, z, area = np.array(fibres).T
    return [
        area.sum(),
        (area * y).sum(),
        (area * z).sum(),
        (area * y * y).sum(),
        (area * z * z).sum(),
        (area * y * z).sum(),
    ]


def test_patches_have_area_and_centroid_exactly_and_second_moments_in_the_limit() -> None:
    b, h, y, z = 0.3, 0.5, 0.1, -0.2
    cells = rectangle_patch(40, 40, (y - h / 2, z - b / 2), (y + h / 2, z + b / 2))
    A = b * h
    assert moments(cells)[:3] == pytest.approx([A, A * y, A * z], rel=1e-12)
    assert moments(cells)[3:] == pytest.approx(
        [A * y**2 + b * h**3 / 12, A * z**2 + h * b**3 / 12, A * y * z], rel=2e-3
    )
    r0, r1 = 0.1, 0.25
    ring = circle_patch(24, 20, (y, z), r0, r1)
    A = math.pi * (r1**2 - r0**2)
    assert moments(ring)[:3] == pytest.approx([A, A * y, A * z], rel=1e-12)
    assert moments(ring)[3] == pytest.approx(A * y**2 + math.pi * (r1**4 - r0**4) / 4, rel=5e-3)
    # a trapezoid: two triangles
    corners = [(0.0, 0.0), (0.4, 0.0), (0.3, 0.2), (0.1, 0.2)]
    quad = quad_patch(5, 4, *corners)
    assert moments(quad)[:3] == pytest.approx(
        [0.06, 0.06 * 0.2, 0.4 * 0.2 / 2 * 0.2 / 3 + 0.2 * 0.2 / 2 * 0.4 / 3], rel=1e-12
    )


def test_elastic_shapes_in_space() -> None:
    square = ElasticSection.rectangle(0.2, 0.2, E=3e10, G=1.2e10)
    assert square.Iy == square.I
    assert pytest.approx(0.2**4 / 12.0) == square.I
    assert pytest.approx(0.1406 * 0.2**4, rel=2e-3) == square.J  # Saint-Venant
    plate = ElasticSection.rectangle(0.01, 1.0, E=3e10, G=1.2e10)
    assert pytest.approx(0.01**3 / 3.0, rel=1e-2) == plate.J
    h = ElasticSection.h_shape(0.3, 0.2, 0.008, 0.012, E=2e11, G=8e10)
    fibres = FibreSection.h_shape(
        0.3, 0.2, 0.008, 0.012, Elastic(2e11), (4, 80), (200, 2), GJ=8e10 * h.J
    ).in_space()  # type: ignore[operator]
    assert np.diag(tangent_of_virgin(fibres)) == pytest.approx(
        np.diag(tangent_of_virgin(h.in_space())), rel=2e-3
    )
    assert ElasticSection.rectangle(0.2, 0.3, E=3e10).Iy is None


def test_layers() -> None:
    assert straight_layer(3, 2.0, (0.0, 0.0), (1.0, 4.0)) == [
        (0.0, 0.0, 2.0),
        (0.5, 2.0, 2.0),
        (1.0, 4.0, 2.0),
    ]
    assert straight_layer(1, 2.0, (0.0, 0.0), (1.0, 4.0)) == [(0.5, 2.0, 2.0)]
    ring = np.array(circle_layer(4, 1.0, (1.0, 2.0), 3.0))
    assert ring[:, :2] == pytest.approx(
        np.array([(4.0, 2.0), (1.0, 5.0), (-2.0, 2.0), (1.0, -1.0)])
    )


PATCHES = {
    "rect": (
        ["patch", "rect", 1, 3, 4, -0.2, -0.1, 0.25, 0.15],
        rectangle_patch(3, 4, (-0.2, -0.1), (0.25, 0.15)),
    ),
    "quad": (
        ["patch", "quad", 1, 3, 2, 0.0, 0.0, 0.4, 0.05, 0.3, 0.25, 0.1, 0.2],
        quad_patch(3, 2, (0.0, 0.0), (0.4, 0.05), (0.3, 0.25), (0.1, 0.2)),
    ),
    "circ": (
        ["patch", "circ", 1, 5, 3, 0.05, -0.1, 0.1, 0.3, 20.0, 290.0],
        circle_patch(5, 3, (0.05, -0.1), 0.1, 0.3, 20.0, 290.0),
    ),
    "straight layer": (
        ["layer", "straight", 1, 4, 3e-4, -0.1, 0.2, 0.3, -0.1],
        straight_layer(4, 3e-4, (-0.1, 0.2), (0.3, -0.1)),
    ),
    "circular layer": (
        ["layer", "circ", 1, 6, 3e-4, 0.1, 0.0, 0.25],
        circle_layer(6, 3e-4, (0.1, 0.0), 0.25),
    ),
    "part of a circular layer": (
        ["layer", "circ", 1, 4, 3e-4, 0.1, 0.0, 0.25, 30.0, 200.0],
        circle_layer(4, 3e-4, (0.1, 0.0), 0.25, 30.0, 200.0),
    ),
}


@pytest.mark.opensees
def test_the_fibres_are_those_of_opensees() -> None:
    pytest.importorskip("openseespy")
    with Peer() as peer:
        for name, (command, fibres) in PATCHES.items():
            setup = [
                ["model", "basic", "-ndm", 3, "-ndf", 6],
                ["node", 1, 0.0, 0.0, 0.0],
                ["node", 2, 0.0, 0.0, 0.0],
                ["uniaxialMaterial", "Elastic", 1, 1.0],
                ["section", "Fiber", 1, "-GJ", 1.0, "-noCentroid"],
                command,
                ["element", "zeroLengthSection", 1, 1, 2, 1],
            ]
            answer = peer.ask(
                [
                    *(["call", *c] for c in setup),
                    ["record", [["eleResponse", 1, "section", "stiffness"]]],
                    ["row"],
                ]
            )
            y, z, area = np.array(fibres).T
            expected = [
                area.sum(),
                -(area * y).sum(),
                (area * z).sum(),
                (area * y * y).sum(),
                -(area * y * z).sum(),
                (area * z * z).sum(),
            ]
            found = answer.arrays["rows0"].reshape(4, 4)[np.triu_indices(3)]
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-15), name


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda: NMSection(
                EA=1.0, EI=1.0, yield_force=1.0, plastic_moment=1.0, flange_web_ratio=1.0
            ).in_space(),
            ("plane members",),
        ),
        (lambda: FibreSection.rectangle(0.3, 0.5, STEEL).in_space(), ("z", "from_points")),
        (lambda: FibreSection.rectangle(0.3, 0.5, STEEL, (4, 4)).in_space(), ("GJ", "in space")),
        (lambda: FibreSection.rectangle(0.3, 0.5, STEEL, (4, 4), GJ=-1.0), ("GJ", "above 0")),
        (
            lambda: FibreSection.from_points([(0.1, 0.2, 1.0, STEEL), (0.1, 1.0, STEEL)]),
            ("all have z",),
        ),
        (lambda: FibreSection.from_points([(0.1, STEEL)]), ("points", "(y, area, material)")),
        (
            lambda: FibreSection(
                [Fibres("torsion", STEEL, np.ones(1), np.ones(1), np.ones(1))], GJ=1.0
            ),
            ("different names",),
        ),
        (
            lambda: FibreSection([Fibres("a", STEEL, np.ones(1), np.ones(1), np.ones(2))], GJ=1.0),
            ("a.z",),
        ),
        (
            lambda: (
                FibreSection.rectangle(0.3, 0.5, STEEL, (4, 4), GJ=1.0).torsion
                and FibreSection(
                    [Fibres("a", STEEL, np.ones(1), np.ones(1))], GJ=1.0, torsion=Elastic(1.0)
                )
            ),
            ("GJ", "together with torsion"),
        ),
        (
            lambda: UncoupledSection(Elastic(1.0), Elastic(1.0), Elastic(1.0)),
            ("moment_y, torsion", "together"),
        ),
        (lambda: UncoupledSection(Elastic(1.0), Elastic(1.0)).in_space(), ("moment_y", "in space")),
        (lambda: rectangle_patch(0, 3, (0, 0), (1, 1)), ("count", "whole number")),
        (lambda: circle_patch(4, 4, (0, 0), 0.5, 0.4), ("inner", "outer")),
        (lambda: straight_layer(3, -1.0, (0, 0), (1, 1)), ("area",)),
        (lambda: rectangle_patch(2, 3, (0, 0), (1, 1, 1)), ("high", "two finite numbers")),
    ],
)
def test_messages(wrong, words: tuple[str, ...]) -> None:
    with pytest.raises(FemuError) as caught:
        wrong()
    for word in words:
        assert word in str(caught.value)
