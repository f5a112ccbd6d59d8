"""Elastic-plastic gap."""

from __future__ import annotations

from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive
from femu.support.errors import InputError


class ElasticGap(Material):
    """Gap that closes onto an elastic-plastic stop; OpenSees' ``ElasticPPGap``.

    A gap that closes in tension has ``fy`` and ``gap`` above zero, one that closes in compression
    below. Written for tension: the stop touches at the strain e_0 (``gap`` at first) and yields at
    e_1 (``gap + fy / E`` at first)::

        e <= e_0:         stress = 0
        e_0 < e <= e_1:   stress = E (e - e_0)
        e > e_1:          stress = fy + eta E (e - gap - fy / E),        e_1 <- e,  e_0 <- e - stress / E

    Yielding widens the gap. With ``damage=True`` it stays so; otherwise a strain that comes back to
    between ``gap`` and e_0 brings the stop back: e_0 becomes that strain and e_1 follows on the
    envelope. A stop that softens (``eta`` below zero) ends at no stress; that of OpenSees continues
    and pulls.
    """

    E: float = positive("stiffness of the closed gap", "stress")
    fy: float = number("yield stress of the stop, below zero for a gap that closes in compression",
                       "stress")
    gap: float = number("strain at which the gap closes, of the same sign as fy", "strain")
    eta: float = number("hardening ratio of the stop", lower=-1.0, upper=1.0, open=True,
                        default=0.0)
    damage: float | bool = number("whether the gap stays widened: True or False", lower=0.0,
                                  upper=1.0, default=False)

    history: ClassVar[tuple[str, ...]] = ("touch_shift", "yield_shift")

    def prepare(self) -> None:
        if isinstance(self.damage, bool):
            self.damage = float(self.damage)

    def validate(self) -> None:
        if self.fy == 0.0:
            raise InputError(self.label(), "fy", self.fy, "must not be zero",
                             fix="give a stress above zero for a gap that closes in tension, below "
                                 "zero for compression")
        if self.fy * self.gap < 0.0:
            raise InputError(self.label(), "gap", self.gap, "must have the sign of fy = "
                                                            f"{self.fy:g}",
                             "The gap closes in tension if both are above zero, in compression if "
                             "both are below zero")
        if self.damage not in (0.0, 1.0):
            raise InputError(self.label(), "damage", self.damage, "must be True or False", "")

    @law
    def law(p, h, strain):
        E, fy, gap, eta, damage = p
        touch_shift, yield_shift = h
        side = 1.0 if fy > 0.0 else -1.0  # everything below is for a gap that closes in tension
        strain, strength, closing = side * strain, side * fy, side * gap
        first_yield = closing + strength / E
        touch, limit = closing + touch_shift, first_yield + yield_shift
        if strain > limit:
            stress = max(strength + eta * E * (strain - first_yield), 0.0)
            tangent = eta * E if stress > 0.0 else 0.0
            limit = strain
            touch = strain - stress / E
        elif strain < touch:
            stress = 0.0
            tangent = 0.0
            if strain > closing and damage == 0.0:
                touch = strain
                limit = (strain - eta * closing) / (1.0 - eta) + strength / E
        else:
            stress = E * (strain - touch)
            tangent = E
        return side * stress, tangent, (touch - closing, limit - first_yield)
