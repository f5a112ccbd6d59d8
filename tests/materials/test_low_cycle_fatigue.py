"""Low-cycle fatigue: the count of cycles, the damage, and how it breaks."""

from __future__ import annotations

import numpy as np
import pytest
from material_harness import FY, STEEL, E

from femu.materials import Elastic, LowCycleFatigue, Parallel
from femu.materials.low_cycle_fatigue import RESIDUAL
from femu.model.strain_path import Path, drive
from femu.support.errors import InputError

E0, M = 0.1, -0.5  # one cycle of the range r does the damage 100 r**2
NEVER = 1e3


def along(turns: list[float], steps: int = 20, **changes: float) -> Path:
    """A path through turning points, from zero."""
    legs = [np.linspace(a, b, steps + 1)[1:] for a, b in zip([0.0, *turns], turns, strict=False)]
    return drive(
        LowCycleFatigue(STEEL, **{"E0": E0, "m": M} | changes), np.concatenate([[0.0], *legs])
    )


def damage(path: Path, which: str = "damage") -> np.ndarray:
    return path.history[:, LowCycleFatigue.history.index(which)]


def test_equal_cycles_break_it_after_coffin_and_manson() -> None:
    """Range 0.02: 100 * 0.02**2 = 0.04 a cycle, 25 cycles of life, and it breaks under tension."""
    path = along([0.01, -0.01] * 30)
    broken = np.flatnonzero(damage(path, "failed"))
    turns = broken[0] / 20
    # the quarter cycle of the start is a half cycle of the range 0.01
    assert 2 * 24.5 < turns < 2 * 26.5
    # the step that breaks it is in balance with the unbroken stress
    assert path.force[broken[0], 0] > 0.0
    assert np.abs(path.force[broken[0] + 1 :]).max() <= RESIDUAL * 1.2 * FY + RESIDUAL * E * 0.02
    before = drive(STEEL, path.deformation[: broken[0] + 1])
    assert (path.force[: broken[0] + 1] == before.force).all()


def test_damage_of_counted_ranges() -> None:
    """A half cycle 0.01, then a small cycle of 0.004 inside a half cycle of 0.02, closed by the
    next large range."""
    path = along([0.01, -0.01, -0.006, -0.01, 0.01, -0.01, 0.01])
    small, first, large = 100 * 0.004**2, 0.5 * 100 * 0.01**2, 0.5 * 100 * 0.02**2
    # one step behind each turn: the turn has been seen
    ends = damage(path)[[20 * k + 1 for k in range(1, 7)]]
    assert ends == pytest.approx(
        [0.0, first, first, first + small, first + small + large, first + small + 2 * large]
    )


def test_estimate_takes_the_strain_of_now_as_a_peak() -> None:
    path = along([0.01, -0.01, 0.004])
    first, second, under_way = 0.5 * 100 * 0.01**2, 0.5 * 100 * 0.02**2, 100 * 0.014**2
    assert damage(path, "estimated_damage")[20] == pytest.approx(first)
    assert damage(path, "estimated_damage")[40] == pytest.approx(first + second)
    assert damage(path, "estimated_damage")[-1] == pytest.approx(first + second + 0.5 * under_way)


def test_it_does_not_break_under_compression_before_a_peak() -> None:
    """Half cycles of 0.05 and 0.14.

    The estimate passes 1 on the way down, and it breaks once it is pulled again.
    """
    path = along([0.05, -0.09, 0.06], steps=40)
    broken = int(np.flatnonzero(damage(path, "failed"))[0])
    passed = np.flatnonzero(damage(path, "estimated_damage")[:broken] > 1.0)
    assert len(passed) > 0 and (path.force[passed, 0] <= 0.0).all()
    assert path.force[broken, 0] > 0.0


def test_limits_of_strain() -> None:
    path = along([0.01, -0.01], E0=NEVER, smallest_strain=-0.005, largest_strain=0.02)
    at = int(np.flatnonzero(path.deformation[:, 0] <= -0.005)[0])
    assert (np.flatnonzero(damage(path, "failed")) >= at).all() and damage(path, "failed")[
        at
    ] == 1.0
    assert path.force[at, 0] < -FY and abs(path.force[at + 1, 0]) < 1e-7 * FY


def test_a_broken_part_keeps_its_history_and_says_so() -> None:
    wrapped = LowCycleFatigue(STEEL, E0=0.01, m=M)
    path = drive(wrapped, [0.0, 0.002, 0.016, 0.0, 0.005])
    own = len(LowCycleFatigue.history)
    assert damage(path, "failed").tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert (path.history[2:, own:] == path.history[1, own:]).all()
    assert (
        wrapped.breaks_after_step
        and Parallel([wrapped, STEEL]).breaks_after_step
        and not STEEL.breaks_after_step
    )
    assert [name for name, _, _ in wrapped.walk_parameters()][:6] == [
        "E0",
        "m",
        "largest_damage",
        "smallest_strain",
        "largest_strain",
        "material.E",
    ]


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match=r"material = 3.*Material"):
        LowCycleFatigue(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"m = 0.458.*below 0"):
        LowCycleFatigue(Elastic(E), m=0.458)
    with pytest.raises(InputError, match=r"largest_damage = 1.2.*between 0 and 1"):
        LowCycleFatigue(Elastic(E), largest_damage=1.2)
    with pytest.raises(InputError, match=r"two sides of zero"):
        LowCycleFatigue(Elastic(E), largest_strain=-0.1)


def test_damage_stays_finite_however_small_the_range_that_breaks_it() -> None:
    path = along([0.01, -0.01], E0=1e-300)
    assert np.isfinite(path.history).all() and np.isfinite(path.force).all()
    assert damage(path, "failed")[-1] == 1.0
