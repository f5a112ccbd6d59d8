"""Integration rules: degrees of exactness, symmetry, hinges."""

from __future__ import annotations

import numpy as np
import pytest
from element_harness import BILINEAR, ELASTIC

from femu.elements.quadrature import HINGE_POINTS, Hinges, Stations, legendre, lobatto, radau

DEGREES = (
    [(lobatto, n, 2 * n - 3) for n in range(2, 11)]
    + [(legendre, n, 2 * n - 1) for n in range(1, 11)]
    + [(radau, n, 2 * n - 2) for n in range(1, 11)]
)


@pytest.mark.parametrize(("rule", "points", "degree"), DEGREES)
def test_exact_to_its_degree_and_no_further(rule, points, degree):
    x, w = (np.array(v) for v in rule(points))
    for power in range(degree + 1):
        assert w @ x**power == pytest.approx(1.0 / (power + 1), rel=1e-13)
    # the Legendre polynomial of the next degree shows the error in full size
    further = np.polynomial.legendre.Legendre.basis(degree + 1)(2.0 * x - 1.0)
    assert abs(w @ further) > 1e-2


@pytest.mark.parametrize("points", range(2, 11))
def test_lobatto_and_legendre_are_symmetric_to_the_bit(points):
    for rule in (lobatto, legendre):
        x, w = (np.array(v) for v in rule(points))
        assert np.array_equal(w, w[::-1])
        assert np.abs(x + x[::-1] - 1.0).max() <= 1.2e-16
    assert lobatto(points)[0][0] == 0.0
    assert lobatto(points)[0][-1] == 1.0


def test_lobatto_five_as_in_the_books():
    x, w = lobatto(5)
    assert x == pytest.approx(
        [0.0, 0.5 - 0.5 * np.sqrt(3 / 7), 0.5, 0.5 + 0.5 * np.sqrt(3 / 7), 1.0], rel=1e-15
    )
    assert w == pytest.approx([1 / 20, 49 / 180, 16 / 45, 49 / 180, 1 / 20], rel=1e-14)


def test_hinges_weigh_their_length_and_integrate_quadratics():
    along = Hinges(BILINEAR, 0.25, BILINEAR, 0.4, ELASTIC).along(4.0, "test")
    x, w = np.array(along.places), np.array(along.weights)
    assert len(x) == HINGE_POINTS
    assert (w[0] * 4.0, w[-1] * 4.0) == pytest.approx((0.25, 0.4))
    assert (x[0], x[-1]) == (0.0, 1.0)
    for power in range(3):
        assert w @ x**power == pytest.approx(1.0 / (power + 1), rel=1e-14)
    assert [count for _, _, count in along.runs] == [1, 4, 1]


def test_stations_share_a_section_among_neighbours():
    stations = Stations(
        [ELASTIC, ELASTIC, BILINEAR, ELASTIC], *((0.0, 0.3, 0.7, 1.0), (0.1, 0.4, 0.4, 0.1))
    )
    along = stations.along(2.0, "member")
    assert [(name, section, count) for name, section, count in along.runs] == [
        ("section_1", ELASTIC, 2),
        ("section_2", BILINEAR, 1),
        ("section_3", ELASTIC, 1),
    ]
    assert (along.places, along.weights, stations.count) == (
        (0.0, 0.3, 0.7, 1.0),
        (0.1, 0.4, 0.4, 0.1),
        4,
    )


@pytest.mark.parametrize(
    ("places", "weights", "wrong"),
    [
        ((0.0, 1.2), (0.5, 0.5), "places"),
        ((0.0, 1.0), (0.5, 0.6), "weights"),
        ((0.0, 1.0), (0.5, np.nan), "weights"),
        ((0.0,), (1.0,), "sections"),
    ],
)
def test_stations_refuse(places, weights, wrong):
    with pytest.raises(ValueError, match=wrong):
        Stations([ELASTIC, ELASTIC], places, weights)
