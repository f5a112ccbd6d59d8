"""N-M section: limits, yield surface, tangent, convergence of the return, and the fibre section
next to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.materials import Bilinear, FibreSection, NMSection
from femu.model.strain_path import drive

H = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
SECTION = NMSection.h_shape(**H, E=2.06e11, fy=280e6, b=0.03)
STRAIN_Y = SECTION.yield_force / SECTION.EA
CURVATURE_Y = SECTION.plastic_moment / SECTION.EI


def zigzag(turns, steps=50):
    points = [0.0]
    for turn in turns:
        points += list(np.linspace(points[-1], turn, steps + 1)[1:])
    return np.array(points)


def yield_value(section, path):
    """f of the force relative to the back force b/(1-b) k e_p."""
    stiffness = np.array([section.EA, section.EI])
    relative = path.force - section.b / (1 - section.b) * stiffness * path.history
    n, m = np.abs(relative / [section.yield_force, section.plastic_moment]).T
    a = section.flange_web_ratio
    c, c1, n0 = 2 * (2 * a + 1) / (4 * a + 1), (2 * a + 1) ** 2 / (4 * a + 1), 1 / (2 * a + 1)
    return m + np.where(n < n0, c1 * n**2 - 1, c * (n - 1))


def test_shape_of_the_published_column():
    # Wu, Chen, Xu, Zeng 2015: HA250x250
    assert pytest.approx(7.356e-3, rel=1e-12) == SECTION.EA / 2.06e11
    assert pytest.approx(9.0810e-5, rel=1e-4) == SECTION.EI / 2.06e11
    assert SECTION.plastic_moment / 280e6 == pytest.approx(7.9061e-4, rel=1e-4)
    assert SECTION.flange_web_ratio == pytest.approx(2.21239, rel=1e-5)


@pytest.mark.parametrize("component", [0, 1], ids=["axial", "bending"])
def test_one_component_alone_is_the_bilinear_law(component):
    scale = (STRAIN_Y, CURVATURE_Y)[component]
    strain = scale * zigzag([3.0, -5.0, 8.0, -8.0, 0.0])
    path = np.zeros((len(strain), 2))
    path[:, component] = strain
    modulus = (SECTION.EA, SECTION.EI)[component]
    limit = (SECTION.yield_force, SECTION.plastic_moment)[component]
    expected = drive(Bilinear(E=modulus, fy=limit, b=SECTION.b), strain).force[:, 0]
    found = drive(SECTION, path).force
    assert np.abs(found[:, component] - expected).max() < 1e-10 * limit
    assert np.abs(found[:, 1 - component]).max() < 1e-10 * limit


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-6, 6), st.floats(-6, 6)), min_size=1, max_size=15),
    st.floats(0.0, 0.9),
    st.floats(0.0, 5.0),
)
def test_yield_function_is_never_positive(points, b, ratio):
    section = NMSection(
        EA=1.5e9, EI=1.9e7, yield_force=2e6, plastic_moment=2.2e5, flange_web_ratio=ratio, b=b
    )
    path = drive(section, np.array(points) * [2e6 / 1.5e9, 2.2e5 / 1.9e7])
    assert yield_value(section, path).max() <= 1e-10


def test_tangent_is_consistent_everywhere_on_the_surface():
    generator = np.random.default_rng(3)
    kinds = {"parabola": 0, "linear": 0, "apex": 0}
    stiffness = np.array([SECTION.EA, SECTION.EI])
    for _ in range(400):
        start = generator.uniform(-2, 2, 2) * [STRAIN_Y, CURVATURE_Y]
        end = (
            generator.uniform(-4, 4, 2)
            * [STRAIN_Y, CURVATURE_Y]
            * generator.choice([[1, 1], [1, 0.05]])
        )
        path = drive(SECTION, np.array([start, end]))
        if yield_value(SECTION, path)[-1] < -1e-9:
            continue
        relative = path.force[-1] - SECTION.b / (1 - SECTION.b) * stiffness * path.history[-1]
        n = abs(relative[0]) / SECTION.yield_force
        kind = (
            "apex"
            if n > 1 - 1e-12
            else "linear"
            if n >= 1 / (2 * SECTION.flange_web_ratio + 1)
            else "parabola"
        )
        kinds[kind] += 1
        k11, k12, k22 = path.tangent[-1]
        for column, (scale, expected) in enumerate(
            zip((STRAIN_Y, CURVATURE_Y), ((k11, k12), (k12, k22)), strict=True)
        ):
            h = 1e-6 * scale
            step = np.eye(2)[column] * h
            up = drive(SECTION, np.array([start, end + step])).force[-1]
            down = drive(SECTION, np.array([start, end - step])).force[-1]
            difference = (up - down) / (2 * h)
            size = np.sqrt(stiffness * stiffness[column])
            if np.abs((difference - expected) / size).max() > 1e-6:
                # a corner of the surface between the two sides: only there may they differ
                left = (path.force[-1] - down) / h
                right = (up - path.force[-1]) / h
                assert np.abs((left - right) / size).max() > 1e-3, (kind, start, end)
    assert min(kinds.values()) > 20, kinds


def nonproportional(steps):
    s = np.linspace(0.0, 1.0, steps + 1)
    return np.stack(
        [
            3.0 * STRAIN_Y * np.sin(2 * np.pi * 1.5 * s) * np.minimum(1.0, 3 * s),
            4.0 * CURVATURE_Y * np.sin(2 * np.pi * 2.5 * s + 0.7) * s,
        ],
        axis=1,
    )


def test_return_converges_with_first_order_through_the_apex():
    reference = drive(SECTION, nonproportional(2**17))
    apexes = np.abs(yield_value(SECTION, reference)) < 1e-12
    assert apexes.any()
    errors = []
    for steps in (2048, 4096, 8192, 16384):
        found = drive(SECTION, nonproportional(steps)).force
        stride = 2**17 // steps
        errors.append(
            np.abs(
                (found - reference.force[::stride]) / [SECTION.yield_force, SECTION.plastic_moment]
            ).max()
        )
    order = np.log2(errors[0] / errors[-1]) / 3
    assert 0.9 < order < 1.15, (order, errors)


def test_squash_load_with_a_parasitic_curvature():
    strain = np.linspace(0, 6 * STRAIN_Y, 61)
    path = drive(SECTION, np.stack([strain, np.full_like(strain, 1e-6 * CURVATURE_Y)], axis=1))
    assert path.force[-1, 0] / SECTION.yield_force == pytest.approx(1.15, abs=1e-6)


@pytest.mark.parametrize("axial", [0.0, -0.1, -0.2, -0.4, -0.6])
def test_near_the_fibre_section(axial):
    curvature = CURVATURE_Y * zigzag([8.0, -8.0, 8.0], 200)
    fibres = FibreSection.h_shape(
        **H, material=Bilinear(E=2.06e11, fy=280e6, b=0.03), flange_fibres=8, web_fibres=40
    )
    surface = SECTION.moment_curvature(curvature, axial * SECTION.yield_force)
    exact = fibres.moment_curvature(curvature, axial * SECTION.yield_force)
    assert surface.moment.max() == pytest.approx(exact.moment.max(), rel=0.02)
    difference = (surface.moment - exact.moment) / SECTION.plastic_moment
    assert np.sqrt(np.mean(difference**2)) < 0.03
