"""Every section along paths of axial strain and curvature."""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.component import Section
from femu.crossvalidation.case import Case, Limit, PathCase
from femu.crossvalidation.suite.paths import cyclic, random
from femu.materials import (
    Bilinear,
    ElasticSection,
    FibreSection,
    KentParkConcrete,
    KentParkTension,
    MenegottoPinto,
    NMSection,
    UncoupledSection,
)

E, FY = 206e9, 280e6
STEEL = Bilinear(E, FY, 0.03)
H = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
YIELD_CURVATURE = FY / E / 0.125

SECTIONS: dict[str, Section] = {
    "ElasticSection": ElasticSection.h_shape(**H, E=E),
    "UncoupledSection": UncoupledSection(axial=Bilinear(E * 7.356e-3, FY * 7.356e-3, 0.02),
                                         moment=MenegottoPinto(E * 9.081e-5, FY * 7.9e-4)),
    "FibreSection, rectangle": FibreSection.rectangle(0.2, 0.25, STEEL),
    "FibreSection, H": FibreSection.h_shape(**H, material=STEEL),
    "FibreSection, tube": FibreSection.circle(0.25, STEEL, hole=0.23),
    "FibreSection, reinforced concrete": FibreSection.reinforced_concrete(
        0.4, 0.5, 0.05, core=KentParkConcrete(36e6, 0.003, 10e6, 0.012), steel=Bilinear(200e9, 420e6, 0.01),
        unconfined=KentParkTension(30e6, 0.002, 6e6, 0.006), bars=[(0.2, 1.5e-3), (0.0, 1e-3), (-0.2, 2.5e-3)]),
}

NEAREST = ("OpenSees has no N-M section. It is compared with the fibre section of the same H, which yields gradually over its "
           "depth where the N-M section yields at once (shape factor).")


def _together(axial: Any, curvature: Any) -> Any:
    return np.stack([np.broadcast_to(axial, np.shape(curvature)), curvature], axis=1)


def cases() -> list[Case]:
    made: list[Case] = []
    for name, section in SECTIONS.items():
        curvature = cyclic(8.0 * YIELD_CURVATURE)
        axial = -0.3 * FY / E + 0.5 * FY / E * np.sin(np.arange(len(curvature)) / 37.0)
        made.append(PathCase(f"{name}, cyclic", section, _together(axial, curvature), quick=True))
        steps = random(8.0 * YIELD_CURVATURE, 3)
        made.append(PathCase(f"{name}, random", section, _together(random(2.0 * FY / E, 4), steps)))
    nm = NMSection.h_shape(**H, E=E, fy=FY, b=0.03)
    for share in (0.0, -0.2, -0.4):
        curvature = np.concatenate([np.zeros(2), cyclic(8.0 * YIELD_CURVATURE, 100)])
        made.append(PathCase(
            f"NMSection, held at axial strain {share:g} of yield", nm, _together(share * FY / E, curvature),
            limit=Limit(rms=0.05, of_peaks=0.04, kinds=("M",)), reason=NEAREST, quick=share == 0.0))
    return made
