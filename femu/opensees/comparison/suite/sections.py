"""Every section along paths of axial strain and curvature."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from femu.model.component import Section
from femu.opensees.comparison.case import Case, Limit, PathCase
from femu.opensees.comparison.suite.paths import cyclic, random

E, FY = 206e9, 280e6
STEEL = Bilinear(E, FY, 0.03)
H: dict[str, Any] = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
YIELD_CURVATURE = FY / E / 0.125

SECTIONS: dict[str, Section] = {
    "ElasticSection": ElasticSection.h_shape(**H, E=E),
    "UncoupledSection": UncoupledSection(
        axial=Bilinear(E * 7.356e-3, FY * 7.356e-3, 0.02),
        moment=MenegottoPinto(E * 9.081e-5, FY * 7.9e-4),
    ),
    "FibreSection, rectangle": FibreSection.rectangle(0.2, 0.25, STEEL),
    "FibreSection, H": FibreSection.h_shape(**H, material=STEEL),
    "FibreSection, tube": FibreSection.circle(0.25, STEEL, hole=0.23),
    "FibreSection, reinforced concrete": FibreSection.reinforced_concrete(
        0.4,
        0.5,
        0.05,
        core=KentParkConcrete(36e6, 0.003, 10e6, 0.012),
        steel=Bilinear(200e9, 420e6, 0.01),
        unconfined=KentParkTension(30e6, 0.002, 6e6, 0.006),
        bars=[(0.2, 1.5e-3), (0.0, 1e-3), (-0.2, 2.5e-3)],
    ),
}

CONSTANT = Limit(rms=0.03, of_peaks=0.01, kinds=("M",))
VARYING = Limit(rms=0.05, of_peaks=0.04, kinds=("M",))
NEAREST = (
    "OpenSees has no N-M section. It is compared with the fibre section of the same H, which "
    "yields gradually over its depth, while the N-M section yields at once (shape factor)."
)


def _together(axial: Any, curvature: Any) -> Any:
    """Rows of axial strain and curvature, the first of them zero."""
    path = np.stack([np.broadcast_to(axial, np.shape(curvature)), curvature], axis=1)
    return np.concatenate([np.zeros((1, 2)), path])


def cases() -> list[Case]:
    """The cases of this group."""
    made: list[Case] = []
    curvature = cyclic(8.0 * YIELD_CURVATURE)
    varying = FY / E * (-0.3 + 0.5 * np.sin(np.arange(len(curvature)) / 37.0))
    for name, section in SECTIONS.items():
        made.append(PathCase(f"{name}, cyclic", section, _together(varying, curvature), quick=True))
        made.append(
            PathCase(
                f"{name}, random",
                section,
                _together(random(2.0 * FY / E, 4), random(8.0 * YIELD_CURVATURE, 3)),
            )
        )
    nm = NMSection.h_shape(**H, E=E, fy=FY, b=0.03)
    for label, axial, limit in (
        ("no axial strain", 0.0 * varying, CONSTANT),
        ("varying axial strain", varying, VARYING),
    ):
        made.append(
            PathCase(
                f"NMSection, cyclic, {label}",
                nm,
                _together(axial, curvature),
                limit=limit,
                reason=NEAREST,
                quick=True,
            )
        )
    return made
