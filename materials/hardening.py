"""Material with linear kinematic and isotropic hardening."""

from __future__ import annotations

from typing import ClassVar

from femu.materials.bilinear import AT_YIELD
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, positive


class Hardening(Material):
    """Plasticity with linear isotropic and kinematic hardening; OpenSees' ``Hardening`` without
    viscosity.

    Yield function and return to it, exact for any size of step (Simo and Hughes, *Computational
    Inelasticity*, 1998, box 1.5)::

        f = |E (e - e_p) - H_kin e_p| - (fy + H_iso a) <= 0
        d = f / (E + H_iso + H_kin) if f > 0,        e_p <- e_p + d sign,        a <- a + d

    with the plastic strain e_p and its accumulated length a. ``Bilinear(E, fy, b)`` is the case
    H_iso = 0, H_kin = b E / (1 - b).
    """

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress", "stress")
    H_iso: float = nonnegative("isotropic hardening modulus", "stress", default=0.0)
    H_kin: float = nonnegative("kinematic hardening modulus", "stress", default=0.0)

    history: ClassVar[tuple[str, ...]] = ("plastic_strain", "accumulated_plastic_strain")

    @law
    def law(p, h, strain):
        E, fy, H_iso, H_kin = p
        plastic, accumulated = h
        relative = E * (strain - plastic) - H_kin * plastic
        radius = fy + H_iso * accumulated
        elastic = abs(relative) < AT_YIELD * radius
        size = max(abs(relative) - radius, 0.0) / (E + H_iso + H_kin)
        flow = size if relative > 0.0 else -size
        tangent = E if elastic else E * (H_iso + H_kin) / (E + H_iso + H_kin)
        return E * (strain - plastic - flow), tangent, (plastic + flow, accumulated + size)
