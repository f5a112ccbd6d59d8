"""Laws with an envelope of points and pinched reloading, against what their points say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from material_harness import DEGRADATION, FIVE, PINCHING, QUADRILINEAR, SEVEN, TRILINEAR

from femu.materials import MultilinearPinching, QuadrilinearPinching, TrilinearPinching
from femu.model.strain_path import drive
from femu.support.errors import InputError

TENSION, COMPRESSION = QUADRILINEAR[:8], QUADRILINEAR[8:]


def stress(
    material: QuadrilinearPinching | MultilinearPinching | TrilinearPinching, strain: object
) -> np.ndarray:
    return drive(material, strain).force[:, 0]


@pytest.mark.parametrize("side", [TENSION, COMPRESSION])
def test_first_loading_goes_through_the_four_points(side: tuple[float, ...]) -> None:
    found = stress(QuadrilinearPinching(*QUADRILINEAR, *PINCHING), side[1::2])
    assert found == pytest.approx(side[::2], rel=1e-12)


def test_a_level_line_is_level() -> None:
    level = QuadrilinearPinching.symmetric(
        1.0, 0.01, 2.0, 0.02, 2.0, 0.04, 0.5, 0.06, 0.5, 0.3, 0.0
    )
    assert stress(level, [0.02, 0.03, 0.04]) == pytest.approx([2.0, 2.0, 2.0], rel=1e-12)


def test_reloading_passes_its_corner() -> None:
    """To the third point of both sides and back.

    The way to tension has its corner at the shares given.
    """
    s3, e3 = TENSION[4:6]
    found = stress(
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING), [e3, COMPRESSION[5], PINCHING[0] * e3, e3]
    )
    assert found[2:] == pytest.approx([PINCHING[1] * s3, s3], rel=1e-12)


def test_strength_is_lost_at_the_next_change_of_direction() -> None:
    """gamma_f1 alone, exponent 1: loss = 0.2 e_max / e4 on the side that comes next."""
    loss = {"gamma_f1": 0.2, "gamma_f3": 1.0, "gamma_f_limit": 0.9}
    material = QuadrilinearPinching(*QUADRILINEAR, *PINCHING, **loss, gamma_e=1000.0)
    # the largest strain is known from the first change of direction on: the second one takes over
    # what it costs
    found = stress(material, [0.05, 0.04, -0.06, -0.05, 0.06])
    fourth = np.interp(0.06, TENSION[1::2], TENSION[::2])
    assert found[-1] == pytest.approx(fourth * (1.0 - 0.2 * 0.05 / 0.08), rel=1e-12)


def test_damage_by_energy_and_by_cycles_differ() -> None:
    strain = 0.05 * np.sin(np.linspace(0.0, 20.0, 300))
    degrading = (
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING, *DEGRADATION, 20.0, by)
        for by in (False, True)
    )
    energy, cycles = (stress(material, strain) for material in degrading)
    assert np.abs(energy - cycles).max() > 1e-3


def test_elastic_cycles_do_no_damage_by_energy() -> None:
    """The energy spent is nothing but round-off there, and a small power of that is not.

    1e-16 ** 0.1 is 0.025.
    """
    e1 = TENSION[1]
    turns = [0.0, *np.outer([0.3, 0.6, 0.9], [e1, -e1]).ravel(), 0.0]
    strain = np.concatenate([np.linspace(a, b, 31)[1:] for a, b in pairwise(turns)])
    symmetric = (*TENSION, *PINCHING[:3])
    damaged = QuadrilinearPinching.symmetric(*symmetric, *[0.0] * 10, 0.0, 0.2, 0.0, 0.1, 0.9, 10.0)
    assert stress(damaged, strain) == pytest.approx(
        stress(QuadrilinearPinching.symmetric(*symmetric), strain), rel=1e-12
    )


def test_both_sides_alike() -> None:
    material = QuadrilinearPinching.symmetric(*TENSION, 0.5, 0.25, 0.05, *DEGRADATION, 5.0, True)
    strain = 0.05 * np.sin(np.linspace(0.0, 20.0, 300)) * np.linspace(0.1, 1.0, 300)
    assert stress(material, -strain) == pytest.approx(-stress(material, strain), abs=1e-12)


def test_first_loading_goes_through_seven_points_and_stays_at_the_last() -> None:
    material = MultilinearPinching.through(SEVEN, FIVE)
    assert stress(material, [e for _, e in SEVEN] + [0.2]) == pytest.approx(
        [s for s, _ in SEVEN] + [SEVEN[-1][0]], rel=1e-12
    )
    assert stress(material, [e for _, e in FIVE]) == pytest.approx([s for s, _ in FIVE], abs=1e-12)


def test_three_points_are_trilinear() -> None:
    points = [(TRILINEAR[i], TRILINEAR[i + 1]) for i in range(0, 12, 2)]
    options = {"pinch_x": 0.7, "pinch_y": 0.3, "damage_1": 0.02, "beta": 0.3}
    strain = 0.03 * np.sin(np.linspace(0.0, 25.0, 500)) * np.linspace(0.1, 1.0, 500)
    seven = stress(MultilinearPinching.through(points[:3], points[3:], **options), strain)
    assert seven == pytest.approx(
        stress(TrilinearPinching(*TRILINEAR, **options), strain), abs=1e-12
    )


def test_loss_of_strength_of_the_envelope() -> None:
    """One reversal from mu = 5 in compression.

    D = 0.02 (mu - 1) = 0.08, half of it is lost in tension.
    """
    material = MultilinearPinching.through(SEVEN, damage_1=0.02, loss_p=-0.5)
    found = stress(material, [-0.02, -0.019, 0.02])
    assert found[-1] == pytest.approx(1.6 * (1.0 - 0.5 * 0.08), rel=1e-12)


@pytest.mark.parametrize("tension", [[(1.0, 0.01)], [(1.0, 0.01 * i) for i in range(1, 9)]])
def test_wrong_number_of_points(tension: list[tuple[float, float]]) -> None:
    with pytest.raises(InputError, match="2 to 7 points"):
        MultilinearPinching.through(tension)


def test_strains_in_the_wrong_order() -> None:
    with pytest.raises(InputError, match="must increase"):
        MultilinearPinching.through([(1.0, 0.01), (1.2, 0.03), (1.1, 0.02)])
    with pytest.raises(InputError, match="must decrease"):
        MultilinearPinching.through(SEVEN, [(-1.0, -0.01), (-1.2, -0.03), (-1.1, -0.02)])
    wrong = list(QUADRILINEAR)
    wrong[3] = 0.06
    with pytest.raises(InputError, match="must increase"):
        QuadrilinearPinching(*wrong, *PINCHING)
