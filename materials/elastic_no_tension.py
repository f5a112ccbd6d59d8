"""Elastic material that takes no tension."""

from __future__ import annotations

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import positive


class ElasticNoTension(Material):
    """Elastic in compression, without stress in tension; OpenSees' ``ENT``.

    ``stress = E min(strain, 0)``; the tangent at zero strain is E.
    """

    E: float = positive("modulus in compression", "stress")

    @law
    def law(p, h, strain):
        (E,) = p
        return E * min(strain, 0.0), E if strain <= 0.0 else 0.0, h
