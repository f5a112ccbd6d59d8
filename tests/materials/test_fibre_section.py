"""Fibre section: shapes against closed forms, forces against sums, moment-curvature."""

import numpy as np
import pytest

from femu import InputError
from femu.materials import Bilinear, Elastic, FibreSection, KentParkConcrete
from femu.model.strain_path import drive

STEEL = Bilinear(E=2e11, fy=250e6, b=0.01)


def totals(section):
    y = np.concatenate([g.y for g in section.groups])
    a = np.concatenate([g.area for g in section.groups])
    return a.sum(), (a * y).sum(), (a * y**2).sum()


def test_rectangle():
    area, first, second = totals(FibreSection.rectangle(0.3, 0.5, STEEL, fibres=200))
    assert area == pytest.approx(0.15)
    assert first == pytest.approx(0.0, abs=1e-15)
    assert second == pytest.approx(0.3 * 0.5**3 / 12, rel=1e-4)


def test_h_shape_meets_its_closed_form():
    from femu.materials.sections.elastic_section import h_shape_properties

    area, _, second = totals(
        FibreSection.h_shape(0.3, 0.2, 0.008, 0.012, STEEL, flange_fibres=20, web_fibres=200)
    )
    expected = h_shape_properties(0.3, 0.2, 0.008, 0.012)
    assert area == pytest.approx(expected[0])
    assert second == pytest.approx(expected[1], rel=1e-4)


def test_circle_and_tube():
    area, first, second = totals(FibreSection.circle(0.4, STEEL, fibres=400))
    assert area == pytest.approx(np.pi * 0.04, rel=1e-12)
    assert first == pytest.approx(0.0, abs=1e-14)
    assert second == pytest.approx(np.pi * 0.4**4 / 64, rel=1e-4)
    area, _, second = totals(FibreSection.circle(0.4, STEEL, fibres=400, hole=0.36))
    assert area == pytest.approx(np.pi * (0.04 - 0.0324), rel=1e-12)
    assert second == pytest.approx(np.pi * (0.4**4 - 0.36**4) / 64, rel=1e-3)


def test_reinforced_concrete_areas():
    concrete, core = (
        KentParkConcrete(25e6, 0.002, 0.0, 0.006),
        KentParkConcrete(32e6, 0.004, 6e6, 0.014),
    )
    section = FibreSection.reinforced_concrete(
        0.4, 0.6, 0.05, core=core, steel=STEEL, unconfined=concrete, top=1.5e-3, bottom=2e-3
    )
    by_name = {g.name: g for g in section.groups}
    assert by_name["core"].area.sum() == pytest.approx(0.3 * 0.5)
    assert by_name["cover"].area.sum() == pytest.approx(0.4 * 0.6 - 0.3 * 0.5)
    assert sorted(by_name["steel"].y) == pytest.approx([-0.25, 0.25])
    response = section.moment_curvature(np.linspace(0, 0.03, 60), axial=-500e3)
    assert np.allclose(response.axial_force, -500e3, rtol=1e-6)
    assert response.moment.max() > 100e3


def test_forces_and_tangent_are_the_sums_over_the_fibres():
    section = FibreSection.from_points(
        [(-0.2, 1e-3, STEEL), (0.1, 2e-3, STEEL), (0.25, 5e-4, Elastic(1e11))]
    )
    path = drive(section, np.array([[1e-3, 0.01], [-2e-3, -0.02], [5e-4, 0.03]]))
    force = np.zeros((3, 2))
    for y, area, material in ((-0.2, 1e-3, STEEL), (0.1, 2e-3, STEEL), (0.25, 5e-4, Elastic(1e11))):
        stress = drive(material, path.deformation[:, 0] - y * path.deformation[:, 1]).force[:, 0]
        force += np.stack([area * stress, -area * y * stress], axis=1)
    assert np.allclose(path.force, force, rtol=1e-13)


def test_tangent_is_the_derivative():
    section = FibreSection.rectangle(0.2, 0.4, STEEL, fibres=33)
    start, end, h = np.array([1e-3, 0.02]), np.array([-5e-4, 0.031]), np.array([1e-9, 1e-8])
    k11, k12, k22 = drive(section, np.array([start, end])).tangent[-1]
    for column, expected in enumerate(((k11, k12), (k12, k22))):
        step = np.eye(2)[column] * h
        up, down = (
            drive(section, np.array([start, end + sign * step])).force[-1] for sign in (1, -1)
        )
        assert np.allclose((up - down) / (2 * h[column]), expected, rtol=1e-6)


def test_moment_curvature_of_a_rectangle_reaches_its_plastic_moment():
    section = FibreSection.rectangle(0.1, 0.2, Bilinear(E=2e11, fy=250e6, b=0.0), fibres=400)
    response = section.moment_curvature(np.linspace(0, 0.5, 200))
    assert response.moment[-1] == pytest.approx(250e6 * 0.1 * 0.2**2 / 4, rel=1e-3)
    with_force = section.moment_curvature(np.linspace(0, 0.5, 200), axial=-0.5 * 250e6 * 0.02)
    assert with_force.moment[-1] == pytest.approx(0.75 * 250e6 * 0.1 * 0.2**2 / 4, rel=1e-3)


@pytest.mark.parametrize(
    "make, word",
    [
        (lambda: FibreSection([]), "groups"),
        (lambda: FibreSection.rectangle(0.0, 0.2, STEEL), "width"),
        (lambda: FibreSection.rectangle(0.1, 0.2, STEEL, fibres=2.5), "fibres"),
        (lambda: FibreSection.rectangle(0.1, 0.2, "steel"), "material"),
        (lambda: FibreSection.h_shape(0.2, 0.1, 0.01, 0.1, STEEL), "flange"),
        (lambda: FibreSection.circle(0.2, STEEL, hole=0.3), "hole"),
        (
            lambda: FibreSection.reinforced_concrete(
                0.3, 0.5, 0.2, core=STEEL, steel=STEEL, top=1e-3
            ),
            "cover",
        ),
        (lambda: FibreSection.reinforced_concrete(0.3, 0.5, 0.05, core=STEEL, steel=STEEL), "bars"),
    ],
)
def test_bad_input_names_the_argument(make, word):
    with pytest.raises(InputError, match=word):
        make()
