"""Elastic-perfectly-plastic material."""

from __future__ import annotations

from typing import ClassVar

from femu.materials.bilinear import AT_YIELD
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive


class ElasticPerfectlyPlastic(Material):
    """Elastic up to yield, then at constant stress; OpenSees' ``ElasticPP``.

    With the plastic strain e_p and the initial strain e_0, at which the virgin material is
    unstressed::

        stress = clip(E (e - e_0 - e_p), -fy_compression, fy),        e_p <- e - e_0 - stress / E

    exact for any size of step. OpenSees takes yield strains: ``fy / E`` and ``-fy_compression /
    E``.
    """

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress in tension", "stress")
    fy_compression: float | None = positive("yield stress in compression, as a positive number",
                                            "stress", default=None)
    initial_strain: float = number("strain at which the virgin material is unstressed", "strain",
                                   default=0.0)

    history: ClassVar[tuple[str, ...]] = ("plastic_strain",)

    def prepare(self) -> None:
        if self.fy_compression is None:
            self.fy_compression = self.fy

    @law
    def law(p, h, strain):
        E, fy, fy_compression, initial = p
        (plastic,) = h
        trial = E * (strain - initial - plastic)
        stress = min(max(trial, -fy_compression), fy)
        elastic = (trial < AT_YIELD * fy) & (trial > -AT_YIELD * fy_compression)
        tangent = E if elastic else 0.0
        return stress, tangent, (plastic if elastic else strain - initial - stress / E,)
