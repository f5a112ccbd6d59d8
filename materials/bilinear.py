"""Bilinear material with kinematic hardening."""

from __future__ import annotations

from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive

AT_YIELD = 1.0 - 1e-12
"""Share of the yield stress from which a point counts as yielding.

One that has yielded still does on a second look.
"""


class Bilinear(Material):
    """Bilinear steel with linear kinematic hardening; OpenSees' ``Steel01`` without isotropic
    hardening.

    A spring of modulus b E parallel to an elastic-perfectly-plastic one of modulus (1-b) E that yields
    at (1-b) fy. With the strain e_p at which the second is unstressed::

        xi = clip(E (e - e_p), -fy, fy)
        stress = b E e + (1 - b) xi,        e_p <- e - xi / E

    exact for any size of step, and without a singularity as b tends to 1.
    """

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress", "stress")
    b: float = number("hardening ratio, plastic to elastic modulus", lower=0.0, upper=1.0,
                      default=0.0)

    history: ClassVar[tuple[str, ...]] = ("plastic_strain",)

    @law
    def law(p, h, strain):
        E, fy, b = p
        (plastic,) = h
        trial = E * (strain - plastic)
        xi = min(max(trial, -fy), fy)
        elastic = abs(trial) < AT_YIELD * fy
        tangent = E if elastic else b * E
        # the reciprocal is the same for all points of a block, a division at each would cost as
        # much as all the rest
        return b * E * strain + (1.0 - b) * xi, tangent, (plastic if elastic
                                                          else strain - xi * (1.0 / E),)
