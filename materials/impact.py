"""Impact of two bodies across a gap."""

from __future__ import annotations

from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive


class Impact(Material):
    """Contact in compression that loses energy when it opens; OpenSees' ``ImpactMaterial``.

    The gap closes at the strain ``gap``, a negative number. The stress changes with K1 between two
    lines of slope K2, and is zero while the gap is open::

        first = K1 yield_strain + K2 (e - gap - yield_strain),     last = K2 (e - gap)
        stress = clip(stress_0 + K1 (e - e_0), first, last),       e < gap

    A step that closes the gap counts K1 from its beginning, as in OpenSees: use short steps.

    Muthukumar and DesRoches, "A Hertz contact model with non-linear damping for pounding
    simulation", Earthq. Eng. Struct. Dyn. 35, 2006.
    """

    K1: float = positive("stiffness at the beginning of contact", "stress")
    K2: float = positive("slope of both lines", "stress")
    yield_strain: float = number("strain of contact at which the slope changes, below zero",
                                 "strain", upper=0.0)
    gap: float = number("strain at which the gap closes, not above zero", "strain", upper=0.0)

    history: ClassVar[tuple[str, ...]] = ("strain", "stress")

    @law
    def law(p, h, strain):
        K1, K2, yield_strain, gap = p
        before, stress_0 = h
        last = K2 * (strain - gap)
        first = K1 * yield_strain + K2 * (strain - gap - yield_strain)
        step = strain - before
        trial = stress_0 + K1 * step
        stress = min(max(trial, first) if step < 0.0 else trial, last)
        closed = strain < gap
        stress = stress_0 if step == 0.0 else stress
        stiffness = K1 if stress == trial else K2
        return stress if closed else 0.0, stiffness if closed else 0.0, (
            strain, stress if closed else 0.0)
