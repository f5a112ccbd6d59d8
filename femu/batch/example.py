"""The frame of the example suite: three storeys, three bays, columns of force-based fibre elements,
elastic beams.

H 300×300 columns of steel with 2 % hardening, P-Δ, 20 t at each joint, 3 % damping in the first two
modes; first period 0.92 s.
"""

from __future__ import annotations

from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, FibreSection
from femu.model.model import Model
from femu.units import GPa, MPa, g, mm, ton

STOREYS, BAYS = 3, 3
HEIGHT, SPAN = 3.5, 6.0
JOINT_MASS = (20 * ton, 20 * ton, 1e3)
STEEL = {"E": 206 * GPa, "fy": 280 * MPa, "b": 0.02}
COLUMN = {"depth": 300 * mm, "width": 300 * mm, "web": 10 * mm, "flange": 15 * mm}
FLANGE_FIBRES, WEB_FIBRES = 3, 8
BEAM = {"E": 206 * GPa, "A": 8e-3, "I": 2e-4}
DAMPING = 0.03


def frame(storeys: int = STOREYS, bays: int = BAYS) -> Model:
    """The frame, with its weight as pattern "gravity"."""
    section = FibreSection.h_shape(
        **COLUMN, material=Bilinear(**STEEL), flange_fibres=FLANGE_FIBRES, web_fibres=WEB_FIBRES
    )
    beam = ElasticSection(**BEAM)
    model = Model(f"{storeys} storeys, {bays} bays")
    for s in range(storeys + 1):
        for b in range(bays + 1):
            model.node(
                f"{s}.{b}", SPAN * b, HEIGHT * s, **({"mass": JOINT_MASS} if s else {"fixed": True})
            )
    for s in range(1, storeys + 1):
        for b in range(bays + 1):
            model.add(
                ForceBeamColumn(
                    f"column {s}.{b}",
                    f"{s - 1}.{b}",
                    f"{s}.{b}",
                    section=section,
                    geometry="p-delta",
                )
            )
            model.load(f"{s}.{b}", y=-JOINT_MASS[1] * g, pattern="gravity")
        for b in range(bays):
            model.add(ElasticBeamColumn(f"beam {s}.{b}", f"{s}.{b}", f"{s}.{b + 1}", section=beam))
    model.rayleigh(ratio=DAMPING, modes=(1, 2))
    return model
