"""Every uniaxial material under cyclic and random strain histories."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from femu.materials import (
    Bilinear,
    BilinearIsotropic,
    BoucWen,
    ChangManderSteel,
    Elastic,
    ElasticGap,
    ElasticNoTension,
    ElasticPerfectlyPlastic,
    FibreSection,
    Hardening,
    KentParkConcrete,
    KentParkTension,
    LowCycleFatigue,
    MenegottoPinto,
    MinMax,
    ModifiedIMK,
    MultilinearPinching,
    Parallel,
    QuadrilinearPinching,
    Series,
    StrainPenetration,
    Viscous,
)
from femu.model.component import Material
from femu.opensees.comparison.case import Case, Limit, PathCase
from femu.opensees.comparison.suite.paths import Array, cyclic, random

E, FY = 200e9, 300e6
STEEL = Bilinear(E, FY, 0.02)
SEVEN = (
    (1.0, 0.004),
    (1.5, 0.01),
    (1.6, 0.02),
    (1.4, 0.025),
    (1.1, 0.03),
    (0.9, 0.04),
    (0.2, 0.05),
)
FIVE = ((-1.1, -0.006), (-1.4, -0.015), (-1.5, -0.02), (-1.2, -0.03), (0.0, -0.04))
HINGE = (
    1e5,
    0.02,
    0.04,
    1000.0,
    800.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    0.03,
    0.02,
    0.15,
    0.2,
    0.3,
    0.2,
    0.4,
    0.3,
    1.0,
    0.7,
)
"""Parameters of a ModifiedIMK in order of declaration."""
QUADRILINEAR = (
    1.0,
    0.005,
    1.5,
    0.02,
    1.2,
    0.05,
    0.3,
    0.08,
    -1.1,
    -0.006,
    -1.4,
    -0.025,
    -1.5,
    -0.04,
    -1.6,
    -0.06,
)
PINCHING = (0.6, 0.3, -0.1, 0.5, 0.4, -0.2)
DEGRADATION = (0.3, 0.02, 0.5, 1.0, 0.6, 0.2, 0.01, 1.0, 1.0, 0.3, 0.1, 0.02, 1.0, 1.0, 0.5)
DASHPOT_DT = 0.02

MATERIALS: dict[str, tuple[Material, float]] = {
    "Elastic, two moduli": (Elastic(E, 0.4 * E), 0.003),
    "ElasticNoTension": (ElasticNoTension(E), 0.003),
    "ElasticPerfectlyPlastic": (ElasticPerfectlyPlastic(E, FY, 0.5 * FY, 0.0004), 0.006),
    "Bilinear": (STEEL, 0.008),
    "BilinearIsotropic": (BilinearIsotropic(E, FY, 0.02, 0.1, 5.0, 0.2, 8.0), 0.01),
    "Hardening": (Hardening(E, FY, 2e9, 5e9), 0.008),
    "MenegottoPinto": (MenegottoPinto(E, FY, 0.01, 20.0, 0.925, 0.15), 0.01),
    "MenegottoPinto, isotropic": (
        MenegottoPinto(E, FY, 0.02, 18.0, 0.9, 0.2, 0.05, 1.5, 0.08, 2.0),
        0.01,
    ),
    "BoucWen": (BoucWen(0.05, 2e6, 2.0, 5000.0, 5000.0), 0.05),
    "BoucWen, degrading": (BoucWen(0.1, 2e6, 1.5, 400.0, 600.0, 1.1, 1e-7, 2e-7, 3e-7), 0.04),
    "KentParkConcrete": (
        KentParkConcrete(fc=30e6, peak_strain=0.002, fcu=6e6, crushing_strain=0.006),
        0.005,
    ),
    "KentParkTension": (
        KentParkTension(
            fc=30e6,
            peak_strain=0.002,
            fcu=6e6,
            crushing_strain=0.006,
            unloading_ratio=0.1,
            ft=3e6,
            softening_modulus=2e9,
        ),
        0.003,
    ),
    "ModifiedIMK": (ModifiedIMK(*HINGE), 0.05),
    "ModifiedIMK, hinge of a member": (ModifiedIMK(*HINGE, 10.0), 0.05),
    "MultilinearPinching": (
        MultilinearPinching.through(SEVEN, FIVE, 0.7, 0.3, 0.02, 0.03, 0.2),
        0.05,
    ),
    "QuadrilinearPinching, by energy": (
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING, *DEGRADATION, 20.0),
        0.06,
    ),
    "QuadrilinearPinching, by cycles": (
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING, *DEGRADATION, 20.0, True),
        0.06,
    ),
    "ChangManderSteel": (ChangManderSteel(420e6, 620e6, 200e9, 8e9, 0.01, 0.1), 0.03),
    "ChangManderSteel, fatigue and isotropic hardening": (
        ChangManderSteel(
            420e6, 620e6, 200e9, 8e9, 0.01, 0.1, 0.26, 0.506, 0.389, a1=4.3, least_plateau=0.2
        ),
        0.02,
    ),
    "ChangManderSteel, buckling": (
        ChangManderSteel(
            420e6, 620e6, 200e9, 8e9, 0.01, 0.1, slenderness=6.0, reduction=0.4, gamma=0.5
        ),
        0.03,
    ),
    "ElasticGap": (ElasticGap(E, FY, 0.001, 0.05), 0.006),
    "ElasticGap, compression, damage": (ElasticGap(E, -FY, -0.001, 0.05, damage=True), 0.006),
    "MinMax": (MinMax(STEEL, -0.0075, 0.0078), 0.008),
    "Parallel": (Parallel([STEEL, Elastic(E), ElasticNoTension(E)], [1.0, 0.3, 0.5]), 0.008),
}

RATES: dict[str, Material] = {
    "Viscous": Viscous(3.0),
    "Viscous, power 0.35": Viscous(3.0, 0.35),
    "Parallel, steel and dashpot": Parallel(
        [Bilinear(10.0, 1.0, 0.1), Viscous(3.0, 0.5)], [2.0, 0.5]
    ),
}

SERIES = (
    "OpenSees' Series makes one pass per call and carries unequal stresses over to the next call: "
    "it is off by about one step at each corner of a part that yields or closes. femu's stresses "
    "are equal."
)
SERIES_STEPS = 400  # of a leg: fine enough for one pass per call


def _bent(axial: Array, curvature: Array) -> Array:
    """Rows of axial strain and curvature."""
    return np.stack([axial, curvature], axis=1)


def cases() -> list[Case]:
    """The cases of this group."""
    made: list[Case] = []
    for number, (name, (material, scale)) in enumerate(MATERIALS.items()):
        made.append(PathCase(f"{name}, cyclic strain", material, cyclic(scale), quick=True))
        made.append(PathCase(f"{name}, random strain", material, random(scale, number)))
    for number, (name, material) in enumerate(RATES.items()):
        made.append(
            PathCase(f"{name}, cyclic strain", material, cyclic(1.0, 8), DASHPOT_DT, quick=True)
        )
        made.append(PathCase(f"{name}, random strain", material, random(0.2, number), DASHPOT_DT))
    # turned on both sides before it yields, because OpenSees forgets the virgin slip of a material
    # alone
    slip, first = (
        StrainPenetration(64.0, 0.021, 102.2, 1.0, 0.3, 0.8, virgin_slip=0.0),
        cyclic(0.04, 6),
    )
    made.append(PathCase("StrainPenetration, cyclic strain", slip, cyclic(0.1), quick=True))
    made.append(
        PathCase("StrainPenetration, random strain", slip, np.append(first, random(0.3, 72)))
    )
    # as a section, because OpenSees' answer for the material alone is that after the step which
    # broke it
    wearing = FibreSection.rectangle(0.2, 0.25, LowCycleFatigue(MenegottoPinto(E, FY), 0.04))
    made.append(
        PathCase(
            "LowCycleFatigue, cyclic strain",
            wearing,
            _bent(cyclic(0.006), cyclic(0.12)),
            quick=True,
        )
    )
    made.append(
        PathCase(
            "LowCycleFatigue, random strain", wearing, _bent(random(0.004, 70), random(0.08, 71))
        )
    )
    turns = random(0.016, 9, 40)
    slowly = np.concatenate([np.linspace(a, b, SERIES_STEPS)[:-1] for a, b in pairwise(turns)])
    two = Series({"spring": Elastic(0.5 * E), "steel": STEEL})
    made.append(PathCase("Series of two, cyclic strain", two, cyclic(0.016, SERIES_STEPS)))
    made.append(PathCase("Series of two, random strain", two, slowly))
    three = Series([Bilinear(2 * E, 0.8 * FY, 0.05), ElasticGap(E, FY, 0.002, 0.05), Elastic(E)])
    made.append(PathCase("Series of three, cyclic strain", three, cyclic(0.02, SERIES_STEPS)))
    made.append(
        PathCase(
            "Series of three, cyclic strain in larger steps",
            three,
            cyclic(0.016),
            limit=Limit(0.1, rms=0.02),
            reason=SERIES,
        )
    )
    return made
