"""Damping of a model: Rayleigh damping and damping ratios of modes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from femu.model.parameters import finite
from femu.support.errors import InputError

MOST_MODES = 100_000
STIFFNESSES = ("initial", "current", "committed")


@dataclass(frozen=True)
class Rayleigh:
    """Rayleigh damping: C = mass M + initial K_0 + current K + committed K_c, or by ratios.

    With ``ratios`` at two ``modes`` the coefficients follow from the frequencies of the unstressed
    model: ratio = (a / w + b w) / 2.
    """

    mass: float = 0.0
    initial: float = 0.0
    current: float = 0.0
    committed: float = 0.0
    ratios: tuple[float, float] | None = None
    modes: tuple[int, int] = (1, 2)
    stiffness: str = "initial"

    @staticmethod
    def by_coefficients(coefficients: dict[str, float]) -> Rayleigh:
        """From the coefficients of mass and stiffnesses, by their names."""
        for name, value in coefficients.items():
            if not finite(value):
                raise InputError("rayleigh", name, value, "must be a finite number")
        mass, initial, current, committed = (coefficients[name] for name in ("mass", *STIFFNESSES))
        return Rayleigh(mass, initial, current, committed)

    @staticmethod
    def by_ratios(ratio: Any, modes: Any, stiffness: Any) -> Rayleigh:
        """From one ratio for both modes, or one for each."""
        if not isinstance(stiffness, str) or stiffness not in STIFFNESSES:
            raise InputError("rayleigh", "stiffness", stiffness, f"must be one of {STIFFNESSES}")
        pair = tuple(modes) if isinstance(modes, Iterable) else ()
        if len(pair) != 2 or not all(_is_count(m) for m in pair) or pair[0] == pair[1]:
            raise InputError(
                "rayleigh", "modes", modes, "must be two different mode numbers of at least 1"
            )
        ratios = tuple(ratio) if isinstance(ratio, Iterable) else (ratio, ratio)
        if len(ratios) != 2 or not _are_ratios(ratios):
            rule = "must be one or two numbers from 0 to below 1"
            raise InputError("rayleigh", "ratio", ratio, rule, fix="write 0.02 for 2 %")
        return Rayleigh(
            ratios=(float(ratios[0]), float(ratios[1])),
            modes=(pair[0], pair[1]),
            stiffness=stiffness,
        )


@dataclass(frozen=True)
class ModalDamping:
    """A damping ratio for each of the first modes."""

    ratios: tuple[float, ...]

    @staticmethod
    def of(ratio: Any, modes: Any) -> ModalDamping:
        """One ratio for a number of ``modes``, or a ratio for each."""
        if isinstance(ratio, Iterable):
            ratios = list(ratio)
        else:
            if modes is None or not _is_count(modes) or modes > MOST_MODES:
                rule = "must be a number of modes of at least 1"
                raise InputError("modal_damping", "modes", modes, rule)
            ratios = [ratio] * modes
        if not ratios or not _are_ratios(ratios):
            rule = "must be numbers from 0 to below 1"
            raise InputError("modal_damping", "ratio", ratio, rule, fix="write 0.02 for 2 %")
        return ModalDamping(tuple(float(r) for r in ratios))


def _are_ratios(ratios: Iterable[Any]) -> bool:
    return all(finite(r) and 0.0 <= r < 1.0 for r in ratios)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
