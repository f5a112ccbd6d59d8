"""Chang and Mander's reinforcing steel: first loading, loops, fatigue and the plateau."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.materials import ChangManderSteel
from femu.model.strain_path import Path, drive
from femu.support.errors import InputError

FY, FU, E, EH, ONSET, ULTIMATE = 420.0, 620.0, 200e3, 8e3, 0.01, 0.1


def bar(**changes: float) -> ChangManderSteel:
    return ChangManderSteel(FY, FU, E, EH, ONSET, ULTIMATE, **changes)


def along(turns: list[float], step: float = 1e-4, **changes: float) -> Path:
    ends = [0.0, *turns]
    legs = [
        np.linspace(a, b, 1 + max(int(abs(b - a) / step), 1))[1:]
        for a, b in zip(ends, turns, strict=False)
    ]
    return drive(bar(**changes), np.concatenate([[0.0], *legs]))


def variable(path: Path, name: str) -> np.ndarray:
    return path.history[:, ChangManderSteel.history.index(name)]


def test_first_loading() -> None:
    """Elastic, plateau at fy, hardening modulus at its onset, fu from the ultimate strain on."""
    path = along([0.12], step=1e-5)
    strain, stress = path.deformation[:, 0], path.force[:, 0]
    at = lambda e: float(np.interp(e, strain, stress))  # noqa: E731
    assert at(0.001) == pytest.approx(0.001 * E, rel=2e-3)
    assert at(0.006) == pytest.approx(FY, rel=1e-5)
    assert at(ULTIMATE) == pytest.approx(FU, rel=1e-9)
    assert at(0.12) == pytest.approx(FU, rel=1e-3)
    assert path.tangent[np.searchsorted(strain, ONSET + 3e-4), 0] == pytest.approx(EH, rel=0.1)
    # Mander's power law in engineering stresses lies close by
    n = EH * (ULTIMATE - ONSET) / (FU - FY)
    mander = FU - (FU - FY) * ((ULTIMATE - 0.04) / (ULTIMATE - ONSET)) ** n
    assert at(0.04) == pytest.approx(mander, rel=0.02)


def test_tension_and_compression_are_alike_in_natural_strains() -> None:
    tension = along([0.03, -0.01, 0.05])
    mirrored = drive(bar(), np.expm1(-np.log1p(tension.deformation[:, 0])))
    # f = stress (1 + strain) changes its sign alone
    scale = np.exp(2.0 * np.log1p(tension.deformation[:, 0]))
    assert mirrored.force[:, 0] == pytest.approx(-tension.force[:, 0] * scale, abs=1e-6 * FU)


def test_unloading_slope_after_dodd_and_cooke() -> None:
    path = along([0.03, 0.03 - 1e-7])
    natural = np.log(1.03), path.force[-2, 0] * 1.03
    slope = path.tangent[-1, 0] * 1.03**2 + natural[1]
    modulus = FY * (1.0 + FY / E) / np.log(1.0 + FY / E)
    assert slope == pytest.approx(modulus * (0.82 + 1.0 / (5.55 + 1000.0 * natural[0])), rel=1e-4)


def test_inner_loops_close_where_they_began() -> None:
    """A small loop inside a large one ends at its start, and the large one continues as if it had not
    been."""
    plain = along([0.03, -0.01, 0.015, 0.03])
    looped = along([0.03, -0.01, 0.01, 0.0, 0.01, 0.015, 0.03])
    assert looped.force[-1, 0] == pytest.approx(plain.force[-1, 0], rel=1e-3)
    deep = along(
        [
            0.03,
            -0.02,
            0.02,
            -0.01,
            0.012,
            -0.004,
            0.006,
            0.0,
            0.004,
            0.001,
            0.003,
            0.0015,
            0.0025,
            0.0018,
            0.03,
        ]
    )
    assert variable(deep, "branch").max() == 20.0  # as deep as it goes
    shallow = along([0.03, -0.02, 0.03])
    assert deep.force[-1, 0] == pytest.approx(shallow.force[-1, 0], rel=2e-2)


def test_fatigue_after_coffin_and_manson() -> None:
    """Half cycles of one plastic strain.

    The damage of each is (plastic / Cf) ** (1 / alpha), and it breaks beyond 1.
    """
    path = along([0.02, -0.02] * 12, step=5e-4, Cf=0.1, alpha=0.5)
    damage, failed = variable(path, "damage"), variable(path, "failed")
    turns = np.flatnonzero(np.abs(np.abs(path.deformation[:, 0]) - 0.02) < 1e-12)
    each = np.diff(damage[turns])[2:8]
    plastic = 0.04 - 2.0 * np.abs(path.force[turns[4], 0]) / E
    assert each == pytest.approx((plastic / 0.1) ** 2, rel=0.1)
    assert failed[-1] == 1.0 and path.force[-1, 0] == 0.0
    assert damage[failed == 0.0].max() <= 1.04


def test_strength_lost_with_damage() -> None:
    whole, worn = (
        along([0.03, -0.03, 0.03]),
        along([0.03, -0.03, 0.03], Cf=0.26, alpha=0.506, Cd=0.389),
    )
    factor = 1.0 - variable(worn, "damage") * (0.26 / 0.389) ** (1.0 / 0.506)
    assert worn.force[:, 0] == pytest.approx(whole.force[:, 0] * factor, abs=1e-9 * FU)


def test_isotropic_hardening_shortens_the_plateau() -> None:
    path = along([0.006, -0.006] * 3, a1=40.0, least_plateau=0.3)
    lost = variable(path, "plateau_lost")
    assert lost[0] == 0.0 and (lost >= 0.0).all() and lost[-1] == pytest.approx(0.7)
    assert (variable(along([0.006, -0.006] * 3), "plateau_lost") == 0.0).all()


@settings(max_examples=25, deadline=None)
@given(
    fy=st.floats(200.0, 700.0),
    gain=st.floats(1.1, 1.8),
    Eh=st.floats(3e3, 12e3),
    onset=st.floats(0.004, 0.02),
    scale=st.floats(0.002, 0.05),
    seed=st.integers(0, 10**6),
)
def test_bars_of_all_kinds_have_an_answer(
    fy: float, gain: float, Eh: float, onset: float, scale: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    material = ChangManderSteel(fy, gain * fy, E, Eh, onset, 0.09, a1=3.0)
    path = drive(material, np.cumsum(rng.normal(0.0, 0.2 * scale, 120)))
    assert np.isfinite(path.force).all() and np.isfinite(path.tangent).all()
    assert np.abs(path.force).max() < 20.0 * gain * fy


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match=r"hardening_strain = 0.001.*between fy / E"):
        ChangManderSteel(FY, FU, E, EH, 0.001, ULTIMATE)
    with pytest.raises(InputError, match=r"fu = 400.*above fy"):
        ChangManderSteel(FY, 400.0, E, EH, ONSET, ULTIMATE)
    with pytest.raises(InputError, match=r"least_plateau = 2.*between 0 and 1"):
        bar(least_plateau=2.0)


def test_buckling_lowers_compression_alone() -> None:
    """A slender bar follows the straight one in tension, falls below it in compression, and not
    below its share of it."""
    straight, bent = along([0.03, -0.03]), along([0.03, -0.03], slenderness=9.0, reduction=0.3)
    strain, f_u = (
        straight.deformation[:, 0],
        FU * (1.0 + ULTIMATE) * (1.0 - np.log1p(ULTIMATE) + np.log1p(ONSET)),
    )
    # natural strain from which it is bent, up to the modulus of natural strains
    bend = np.log1p(0.03) - f_u / E
    upper = np.log1p(strain) > bend + 1e-4
    assert (bent.force[upper] == straight.force[upper]).all()
    assert (bent.force[-200:] > straight.force[-200:]).all()
    k = np.sqrt(32.0 / (bend - np.log(0.97))) / (3.0 * np.pi * 9.0)
    share = (0.7 * k + 0.3 + 0.5) / 1.5
    expected = (0.5 * f_u - share * (0.5 * f_u - straight.force[-1, 0] * 0.97)) / 0.97
    assert bent.force[-1, 0] == pytest.approx(expected, rel=1e-3)
