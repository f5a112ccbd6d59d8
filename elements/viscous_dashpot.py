"""Viscous dashpot between two nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field

from femu.elements.two_node_link import TwoNodeLink
from femu.materials.viscous import Viscous
from femu.model.component import Material


class ViscousDashpot(TwoNodeLink):
    """Dashpot along the line between two nodes: ``force = C |rate| ** alpha sign(rate)`` of its
    elongation.

    A `TwoNodeLink` with a `femu.materials.Viscous` law; its parameters are ``name.x.C`` and so on.
    Between nodes at the same place use a `ZeroLength` with that law.
    """

    laws: Mapping[str, Material] = field(init=False)
    _: KW_ONLY
    C: float
    alpha: float = 1.0

    def prepare(self) -> None:
        self.laws = {"x": Viscous(self.C, self.alpha)}
