"""Bilinear material with kinematic and isotropic hardening."""

from __future__ import annotations

from typing import ClassVar

from femu.materials.bilinear import AT_YIELD
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments up to it leave the state as it is.

Round-off is no reversal (as in OpenSees).
"""
_EXPONENT = 0.8  # of the strain range in the growth of the yield stress (Filippou et al., 1983)


class BilinearIsotropic(Material):
    """Bilinear steel with kinematic and isotropic hardening; OpenSees' ``Steel01`` with a1 to a4.

    The `Bilinear` law, whose yield stress grows with the range of strain seen so far. At each
    reversal from tension to compression the yield stress in compression becomes::

        fy (1 + a1 ((e_max - e_min) / (2 a2 e_y)) ** 0.8),        e_y = fy / E

    and at each reversal from compression to tension that in tension, with a3 and a4. e_max and
    e_min are the largest and smallest strains at which a reversal took place, and zero at first. As
    in OpenSees, the new yield stress is used from the step after the reversal on.

    Filippou, Popov and Bertero, "Effects of bond deterioration on hysteretic behavior of reinforced
    concrete joints", EERC 83-19, Berkeley, 1983.
    """

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress", "stress")
    b: float = number("hardening ratio, plastic to elastic modulus", lower=0.0, upper=1.0,
                      default=0.0)
    a1: float = nonnegative("growth of the yield stress in compression", default=0.0)
    a2: float = positive("strain range, in yield strains, at which that growth is a1", default=55.0)
    a3: float = nonnegative("growth of the yield stress in tension", default=0.0)
    a4: float = positive("strain range, in yield strains, at which that growth is a3", default=55.0)

    history: ClassVar[tuple[str, ...]] = (
        "plastic_strain", "strain", "largest_strain", "smallest_strain", "growth_tension",
        "growth_compression",
        "direction")

    @law
    def law(p, h, strain):
        E, fy, b, a1, a2, a3, a4 = p
        plastic, last, largest, smallest, tension, compression, direction = h
        increment = strain - last
        if abs(increment) <= SMALLEST_INCREMENT:
            increment = 0.0
            strain = last
        trial = E * (strain - plastic)
        upper, lower = fy * (1.0 + tension), -fy * (1.0 + compression)
        xi = min(max(trial, lower), upper)
        elastic = (trial < AT_YIELD * upper) & (trial > AT_YIELD * lower)
        tangent = E if elastic else b * E
        stress = b * E * strain + (1.0 - b) * xi
        if not elastic:
            plastic = strain - xi / E

        if increment < 0.0:
            if direction > 0.0:
                largest = max(largest, last)
                compression = a1 * ((largest - smallest) / (2.0 * a2 * fy / E)) ** _EXPONENT
            direction = -1.0
        elif increment > 0.0:
            if direction < 0.0:
                smallest = min(smallest, last)
                tension = a3 * ((largest - smallest) / (2.0 * a4 * fy / E)) ** _EXPONENT
            direction = 1.0
        return stress, tangent, (plastic, strain, largest, smallest, tension, compression,
                                 direction)
