"""Slip of anchored bars: envelope, reversals, and the side not loaded yet."""

from __future__ import annotations

import numpy as np
import pytest

from femu.materials import StrainPenetration
from femu.materials.strain_penetration import VIRGIN_SLIP
from femu.model.strain_path import drive
from femu.support.errors import InputError

FY, SY, FU, SU = 64.0, 0.021, 102.2, 1.0


def bar(**changes: float) -> StrainPenetration:
    return StrainPenetration(
        **{"fy": FY, "sy": SY, "fu": FU, "su": SU, "b": 0.3, "R": 0.8} | changes
    )


def stress(slips: list[float], **changes: float) -> np.ndarray:
    return drive(bar(**changes), slips).force[:, 0]


def test_envelope_of_the_paper() -> None:
    """Stress over slip as in the paper.

    (f - fy) / (fu - fy) of the normalised slip s' = (s - sy) / sy.
    """
    slips = np.array([0.03, 0.1, 0.4, 0.9])
    normal, ultimate, c = (slips - SY) / SY, (SU - SY) / SY, 1.01
    ratio = normal / (ultimate - normal)
    share = ratio / ((1.0 / (ultimate * 0.3)) ** c + ratio**c) ** (1.0 / c)
    assert stress([0.01, 0.021, *slips, 1.0, 1.5]) == pytest.approx(
        [FY * 0.01 / SY, FY, *(FY + share * (FU - FY)), FU, FU], rel=1e-13
    )
    assert stress([-0.01, -0.1]) == pytest.approx(
        [-FY * 0.01 / SY, -(FY + share[1] * (FU - FY))], rel=1e-13
    )


def test_slope_behind_first_yield() -> None:
    """The envelope leaves the yield point with b times the initial slope, scaled to what is left of
    the strength."""
    path = drive(bar(), [SY, SY * (1.0 + 1e-9)])
    assert path.tangent[0, 0] == pytest.approx(FY / SY)
    assert path.tangent[1, 0] == pytest.approx(0.3 * (FU - FY) / SY, rel=1e-3)


def test_unloading_is_straight_to_zero_stress_and_leads_to_the_furthest_slip() -> None:
    top = stress([0.2])[0]
    zero = 0.2 - top * SY / FY
    down = stress([0.2, zero + 0.01, zero, -0.1])
    assert down[1:3] == pytest.approx([0.01 * FY / SY, 0.0], abs=1e-10)
    bottom = down[3]
    assert bottom == pytest.approx(-stress([0.1])[0])  # the envelope of the other side
    back = stress([0.2, -0.1, 0.2 - 1e-9, 0.3])
    assert back[2] == pytest.approx(top, rel=1e-4)
    assert back[3] == pytest.approx(stress([0.3])[0], rel=1e-13)


def test_reversal_without_change_of_sign_starts_where_it_is() -> None:
    top, down, again, end = stress([0.2, 0.19, 0.19 + 1e-9, 0.2 - 1e-12])
    assert 0.0 < down < again < end < top
    assert again - down == pytest.approx(1e-9 * (1.0 - down / top) * FY / SY, rel=1e-4)
    assert end == pytest.approx(top, rel=1e-6)


def test_the_virgin_slip_is_where_the_first_curve_leads() -> None:
    target = -FY / SY * VIRGIN_SLIP
    assert stress([0.2, -VIRGIN_SLIP * (1 - 1e-12)])[1] == pytest.approx(target, rel=1e-5)
    assert stress([0.2, -VIRGIN_SLIP * 0.5], virgin_slip=0.0)[1] == pytest.approx(target / 2)
    assert stress([0.2, 0.05], virgin_slip=0.0)[1] == 0.0
    assert -FY < stress([0.2, 0.05])[1] < 0.0


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match=r"su = 0.01.*above sy"):
        bar(su=0.01)
    with pytest.raises(InputError, match=r"fu = 50.*below fy"):
        bar(fu=50.0)
    with pytest.raises(InputError, match=r"R = 1.2.*between"):
        bar(R=1.2)
