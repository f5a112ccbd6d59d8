"""Runs blocks of points by hand, and the one list of materials for all tests.

A material that is in `CASES` (or in `RATE_CASES`, if its force depends on the rate) is tested by
`test_laws.py`, by the properties of the physics and the bad input of the campaign, by the files of
models, and, if the case has commands of OpenSees, by `test_against_opensees.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from example_material import FlagShape

from femu.kernels import compiled, floats_of, ints_of
from femu.materials import (
    Bilinear,
    BilinearIsotropic,
    BoucWen,
    ChangManderSteel,
    CoulombDamper,
    Elastic,
    ElasticGap,
    ElasticNoTension,
    ElasticPerfectlyPlastic,
    ExactBoucWen,
    Hardening,
    Impact,
    InitialStrain,
    KentParkConcrete,
    KentParkTension,
    LowCycleFatigue,
    MaxwellDamper,
    MenegottoPinto,
    MinMax,
    ModifiedIMK,
    MultilinearPinching,
    Parallel,
    PopovicsConcrete,
    QuadrilinearPinching,
    SelfCentering,
    Series,
    StrainPenetration,
    TrilinearPinching,
    Viscous,
)
from femu.model.component import Constitutive, Material
from femu.model.constitutive import call_block
from femu.opensees.comparison.suite.materials import (
    DEGRADATION,
    FIVE,
    HINGE,
    PINCHING,
    QUADRILINEAR,
    SEVEN,
    STEEL,
)
from femu.opensees.comparison.suite.paths import cyclic

Array = npt.NDArray[np.float64]

E, FY = 200e9, 300e6
YIELD_STRAIN = FY / E
# gamma = beta of a Bouc-Wen material with n = 2 whose z is bounded by the yield strain
Z = 0.5 / YIELD_STRAIN**2


@compiled
def call(address, n, integers, p, c, t, w, x, r, s, y, k, d):
    return call_block(
        address,
        (
            n,
            ints_of(integers, 0),
            floats_of(p, 0),
            floats_of(c, 0),
            floats_of(t, 0),
            floats_of(w, 0),
            floats_of(x, 0),
            floats_of(r, 0),
            floats_of(s, 0),
            floats_of(y, 0),
            floats_of(k, 0),
            floats_of(d, 0),
        ),
    )


@dataclass
class Response:
    """Stress, tangent, damping and trial history (variables by points) of a block."""

    stress: Array
    tangent: Array
    damping: Array
    history: Array


class Block:
    """A material ready to be called for a block of points."""

    def __init__(self, material: Constitutive) -> None:
        self.material = material
        self.address = material.kernel().address
        self.integers = np.array(material.integers() or [0], dtype=np.int64)
        self.parameters = np.array([value for _, _, value in material.walk_parameters()] or [0.0])
        self.variables = len(material.history_names())

    def virgin(self, points: int = 1) -> Array:
        return np.zeros((self.variables, points))

    def __call__(self, history: Array, strain: Any, rate: Any = 0.0, dt: float = 0.0) -> Response:
        x = np.atleast_1d(np.asarray(strain, dtype=float)).copy()
        n = len(x)
        r = np.broadcast_to(np.asarray(rate, dtype=float), x.shape).copy()
        c = np.append(np.ascontiguousarray(history), 0.0)
        t = np.full(self.variables * n + 1, np.nan)
        y, k, d = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n)
        w = np.full(self.material.workspace(n) + 1, np.nan)
        failed = call(
            self.address,
            n,
            self.integers,
            self.parameters,
            c,
            t,
            w,
            x,
            r,
            np.array([0.0, dt]),
            y,
            k,
            d,
        )
        assert failed == 0, "the law has no answer"
        return Response(y, k, d, t[:-1].reshape(self.variables, n))

    def run(self, strains: Any, rates: Any = None, dt: float = 0.0) -> tuple[Array, Array]:
        """Stress and tangent along a path of one point, every step committed."""
        history = self.virgin()
        stress, tangent = np.empty(len(strains)), np.empty(len(strains))
        rates = np.zeros(len(strains)) if rates is None else rates
        for j, (strain, rate) in enumerate(zip(strains, rates, strict=True)):
            response = self(history, strain, rate, dt)
            stress[j], tangent[j], history = (
                response.stress[0],
                response.tangent[0],
                response.history,
            )
        return stress, tangent

    def settled(self, strains: Any) -> Array:
        """Stress behind each step of a path of one point.

        What a material that breaks after a step has left.
        """
        history, stress = self.virgin(), np.empty(len(strains))
        for j, strain in enumerate(strains):
            history = self(history, strain).history
            stress[j] = self(history, strain).stress[0]
        return stress


def flat(points: Iterable[tuple[float, float]]) -> list[float]:
    """Points of an envelope as one list."""
    return [value for point in points for value in point]


def bilin(*values: float) -> list[float]:
    """Parameters of a ModifiedIMK as Bilin takes them.

    Compression below zero, LamdaA and cA (without effect) between.
    """
    return [*values[:4], -values[4], *values[5:7], 0.0, *values[7:10], 1.0, *values[10:]]


@dataclass
class Case:
    """A material, the size of strain that exercises it, and the commands that make its equivalent
    in OpenSees, if there is one."""

    material: Material
    scale: float
    opensees: list[list[Any]] = field(default_factory=list)
    exact: bool = True  # the formulation of OpenSees is the same, step for step
    round_off: float = 1e-12  # difference allowed, as a share of the largest stress


STIFFENING = (1.0, 0.005, 4.0, 0.01, 4.5, 0.02)
TRILINEAR = (1.0, 0.005, 1.5, 0.02, 1.2, 0.05, -1.1, -0.006, -1.4, -0.025, -1.5, -0.04)
WEAK_HINGE = (
    1e5,
    0.03,
    0.01,
    1000.0,
    900.0,
    0.3,
    0.4,
    0.0,
    1.0,
    1.0,
    1.0,
    0.02,
    0.01,
    0.05,
    0.06,
    0.3,
    0.4,
    0.3,
    0.2,
    0.9,
    1.0,
)
CONCRETE = dict(fc=30e6, peak_strain=0.002, fcu=6e6, crushing_strain=0.006)

STEEL02 = 1e-9
"""Steel02 loses digits where a reversal lies on an asymptote: it takes the slope to the corner as
the quotient of two differences. femu's law does not (test_laws.py compares it with extended
precision)."""
PINCHING4 = 1e-9
"""Beyond its last point Pinching4 measures compression from a million times the strain of that
point."""

BAR = (420e6, 620e6, 200e9, 8e9, 0.01, 0.1)
CHANG_MANDER = 1e-8
"""Where an inner loop is straight to the last digit, rounding decides how ReinforcingSteel closes
it."""

CASES: dict[str, Case] = {
    "elastic": Case(Elastic(E), 0.003, [["Elastic", 1, E]]),
    "elastic two moduli": Case(Elastic(E, 0.4 * E), 0.003, [["Elastic", 1, E, 0.0, 0.4 * E]]),
    "perfectly plastic": Case(
        ElasticPerfectlyPlastic(E, FY), 0.006, [["ElasticPP", 1, E, YIELD_STRAIN]]
    ),
    "perfectly plastic, unequal, initial strain": Case(
        ElasticPerfectlyPlastic(E, FY, 0.5 * FY, 0.0004),
        0.006,
        [["ElasticPP", 1, E, YIELD_STRAIN, -0.5 * YIELD_STRAIN, 0.0004]],
    ),
    "bilinear": Case(STEEL, 0.008, [["Steel01", 1, FY, E, 0.02]]),
    "bilinear, hardly plastic": Case(Bilinear(E, FY, 0.97), 0.008, [["Steel01", 1, FY, E, 0.97]]),
    "bilinear isotropic": Case(
        BilinearIsotropic(E, FY, 0.02, 0.1, 5.0, 0.2, 8.0),
        0.01,
        [["Steel01", 1, FY, E, 0.02, 0.1, 5.0, 0.2, 8.0]],
    ),
    "hardening": Case(Hardening(E, FY, 2e9, 5e9), 0.008, [["Hardening", 1, E, FY, 2e9, 5e9]]),
    "menegotto-pinto": Case(
        MenegottoPinto(E, FY, 0.01, 20.0, 0.925, 0.15),
        0.01,
        [["Steel02", 1, FY, E, 0.01, 20.0, 0.925, 0.15]],
        round_off=STEEL02,
    ),
    "menegotto-pinto, isotropic, initial stress": Case(
        MenegottoPinto(E, FY, 0.02, 18.0, 0.9, 0.2, 0.05, 1.5, 0.08, 2.0, 0.3 * FY),
        0.01,
        [["Steel02", 1, FY, E, 0.02, 18.0, 0.9, 0.2, 0.05, 1.5, 0.08, 2.0, 0.3 * FY]],
        round_off=STEEL02,
    ),
    "bouc-wen": Case(
        BoucWen(0.05, 2e6, 2.0, 5000.0, 5000.0),
        0.05,
        [["BoucWen", 1, 0.05, 2e6, 2.0, 5000.0, 5000.0, 1.0, 0.0, 0.0, 0.0, 1e-15, 200]],
    ),
    "bouc-wen, exponent one": Case(
        BoucWen(0.1, 2e6, 1.0, 30.0, 70.0),
        0.05,
        [["BoucWen", 1, 0.1, 2e6, 1.0, 30.0, 70.0, 1.0, 0.0, 0.0, 0.0, 1e-15, 200]],
    ),
    "bouc-wen, degrading": Case(
        BoucWen(0.1, 2e6, 1.5, 400.0, 600.0, 1.1, 1e-7, 2e-7, 3e-7),
        0.04,
        [["BoucWen", 1, 0.1, 2e6, 1.5, 400.0, 600.0, 1.1, 1e-7, 2e-7, 3e-7, 1e-15, 200]],
    ),
    "trilinear": Case(
        TrilinearPinching(*TRILINEAR),
        0.03,
        [["Hysteretic", 1, *TRILINEAR, 1.0, 1.0, 0.0, 0.0, 0.0]],
    ),
    "trilinear, pinched and damaged": Case(
        TrilinearPinching(*TRILINEAR, 0.8, 0.2, 0.02, 0.01, 0.3),
        0.03,
        [["Hysteretic", 1, *TRILINEAR, 0.8, 0.2, 0.02, 0.01, 0.3]],
    ),
    "bilinear, pinched": Case(
        TrilinearPinching.bilinear(*TRILINEAR[:4], *TRILINEAR[6:10], 0.6, 0.3, 0.0, 0.02, 0.1),
        0.03,
        [["Hysteretic", 1, *TRILINEAR[:4], *TRILINEAR[6:10], 0.6, 0.3, 0.0, 0.02, 0.1]],
    ),
    "trilinear, stiffening": Case(
        TrilinearPinching(
            *STIFFENING, *(-value for value in STIFFENING), 0.8, 0.3, 0.02, 0.01, 0.2
        ),
        0.02,
        [
            [
                "Hysteretic",
                1,
                *STIFFENING,
                *(-value for value in STIFFENING),
                0.8,
                0.3,
                0.02,
                0.01,
                0.2,
            ]
        ],
    ),
    "multilinear, pinched and damaged": Case(
        MultilinearPinching.through(SEVEN, FIVE, 0.7, 0.3, 0.02, 0.03, 0.2),
        0.05,
        [
            [
                "HystereticSM",
                1,
                "-posEnv",
                *flat(SEVEN),
                "-negEnv",
                *flat(FIVE),
                "-pinch",
                0.7,
                0.3,
                "-damage",
                0.02,
                0.03,
                "-beta",
                0.2,
            ]
        ],
    ),
    "multilinear, losing strength": Case(
        MultilinearPinching.through(SEVEN, None, 1.0, 1.0, 0.03, 0.01, 0.0, 0.4, -0.6),
        0.05,
        [["HystereticSM", 1, "-posEnv", *flat(SEVEN), "-damage", 0.03, 0.01, "-degEnv", 0.4, -0.6]],
    ),
    "modified imk": Case(ModifiedIMK(*HINGE), 0.05, [["Bilin", 1, *bilin(*HINGE)]]),
    "modified imk, weak": Case(ModifiedIMK(*WEAK_HINGE), 0.05, [["Bilin", 1, *bilin(*WEAK_HINGE)]]),
    "modified imk, hinge of a member": Case(
        ModifiedIMK(*HINGE, 10.0), 0.05, [["Bilin", 1, *bilin(*HINGE), 10.0]]
    ),
    "quadrilinear": Case(
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING),
        0.06,
        [["Pinching4", 1, *QUADRILINEAR, *PINCHING, *[0.0] * 15, 1.0, "energy"]],
        round_off=PINCHING4,
    ),
    "quadrilinear, degrading by cycles": Case(
        QuadrilinearPinching(*QUADRILINEAR, *PINCHING, *DEGRADATION, 20.0, by_cycles=True),
        0.06,
        [["Pinching4", 1, *QUADRILINEAR, *PINCHING, *DEGRADATION, 20.0, "cycle"]],
        round_off=PINCHING4,
    ),
    "quadrilinear, degrading by energy": Case(
        QuadrilinearPinching.symmetric(
            *QUADRILINEAR[:8], 0.5, 0.25, 0.05, *DEGRADATION, 5.0, False
        ),
        0.05,
        [["Pinching4", 1, *QUADRILINEAR[:8], 0.5, 0.25, 0.05, *DEGRADATION, 5.0, "energy"]],
        round_off=PINCHING4,
    ),
    "concrete": Case(
        KentParkConcrete(**CONCRETE), 0.005, [["Concrete01", 1, -30e6, -0.002, -6e6, -0.006]]
    ),
    "concrete, nothing left": Case(
        KentParkConcrete(30e6, 0.002, 0.0, 0.004),
        0.005,
        [["Concrete01", 1, -30e6, -0.002, 0.0, -0.004]],
    ),
    "concrete after Popovics": Case(
        PopovicsConcrete(30e6, 0.002, 0.006, 25e9, 3e6, 0.001, 0.1),
        0.004,
        [["Concrete04", 1, -30e6, -0.002, -0.006, 25e9, 3e6, 0.001, 0.1]],
    ),
    "concrete after Popovics without tension": Case(
        PopovicsConcrete(30e6, 0.002, 0.006, 25e9),
        0.004,
        [["Concrete04", 1, -30e6, -0.002, -0.006, 25e9]],
    ),
    "concrete with tension": Case(
        KentParkTension(**CONCRETE, unloading_ratio=0.1, ft=3e6, softening_modulus=2e9),
        0.003,
        [["Concrete02", 1, -30e6, -0.002, -6e6, -0.006, 0.1, 3e6, 2e9]],
    ),
    "concrete with tension, defaults": Case(
        KentParkTension(**CONCRETE), 0.004, [["Concrete02", 1, -30e6, -0.002, -6e6, -0.006]]
    ),
    "no tension": Case(ElasticNoTension(E), 0.003, [["ENT", 1, E]]),
    "gap": Case(ElasticGap(E, FY, 0.001, 0.05), 0.006, [["ElasticPPGap", 1, E, FY, 0.001, 0.05]]),
    "gap in compression, damage": Case(
        ElasticGap(E, -FY, -0.001, 0.05, damage=True),
        0.006,
        [["ElasticPPGap", 1, E, -FY, -0.001, 0.05, "damage"]],
    ),
    "parallel": Case(
        Parallel([STEEL, Elastic(E), ElasticNoTension(E)], [1.0, 0.3, 0.5]),
        0.008,
        [
            ["Steel01", 2, FY, E, 0.02],
            ["Elastic", 3, E],
            ["ENT", 4, E],
            ["Parallel", 1, 2, 3, 4, "-factors", 1.0, 0.3, 0.5],
        ],
    ),
    "series": Case(
        Series({"spring": Elastic(0.5 * E), "steel": STEEL}),
        0.016,
        [["Elastic", 2, 0.5 * E], ["Steel01", 3, FY, E, 0.02], ["Series", 1, 2, 3]],
        exact=False,
    ),
    "series of three": Case(
        Series([Bilinear(2 * E, 0.8 * FY, 0.05), ElasticGap(E, FY, 0.002, 0.05), Elastic(E)]),
        0.02,
        [
            ["Steel01", 2, 0.8 * FY, 2 * E, 0.05],
            ["ElasticPPGap", 3, E, FY, 0.002, 0.05],
            ["Elastic", 4, E],
            ["Series", 1, 2, 3, 4],
        ],
        exact=False,
    ),
    "min-max": Case(
        MinMax(STEEL, -0.0075, 0.0078),
        0.008,
        [["Steel01", 2, FY, E, 0.02], ["MinMax", 1, 2, "-min", -0.0075, "-max", 0.0078]],
    ),
    "self-centring": Case(
        SelfCentering(E, 0.03 * E, FY, 0.7),
        0.008,
        [["SelfCentering", 1, E, 0.03 * E, FY, 0.7]],
    ),
    "impact": Case(
        Impact(E, 0.1 * E, -0.001, -0.0005),
        0.004,
        [["ImpactMaterial", 1, E, 0.1 * E, -0.001, -0.0005]],
    ),
    "initial strain": Case(
        InitialStrain(STEEL, 0.001),
        0.008,
        [["Steel01", 2, FY, E, 0.02], ["InitStrainMaterial", 1, 2, 0.001]],
    ),
    "initial strain beyond yield": Case(
        InitialStrain(STEEL, 0.004),
        0.008,
        [["Steel01", 2, FY, E, 0.02], ["InitStrainMaterial", 1, 2, 0.004]],
    ),
    "reinforcing steel": Case(
        ChangManderSteel(*BAR), 0.01, [["ReinforcingSteel", 1, *BAR]], round_off=CHANG_MANDER
    ),
    "reinforcing steel, wears out": Case(
        ChangManderSteel(*BAR, 0.26, 0.506, 0.389, 0.3, 15.0, 3.0),
        0.04,
        [
            [
                "ReinforcingSteel",
                1,
                *BAR,
                "-CMFatigue",
                0.26,
                0.506,
                0.389,
                "-MPCurveParams",
                0.3,
                15.0,
                3.0,
            ]
        ],
        round_off=CHANG_MANDER,
    ),
    "reinforcing steel, plateau gets shorter": Case(
        ChangManderSteel(*BAR, a1=4.3, least_plateau=0.2),
        0.012,
        [["ReinforcingSteel", 1, *BAR, "-IsoHard", 4.3, 0.2]],
        round_off=CHANG_MANDER,
    ),
    "reinforcing steel, buckles": Case(
        ChangManderSteel(*BAR, 0.26, 0.506, 0.389, slenderness=7.0, reduction=0.2, gamma=0.4),
        0.03,
        [
            [
                "ReinforcingSteel",
                1,
                *BAR,
                "-CMFatigue",
                0.26,
                0.506,
                0.389,
                "-GABuck",
                7.0,
                1.0,
                0.2,
                0.4,
            ]
        ],
        round_off=CHANG_MANDER,
    ),
    # OpenSees forgets the virgin slip at the first commit of a material alone
    "strain penetration": Case(
        StrainPenetration(64.0, 0.021, 102.2, 1.0, 0.3, 0.8, virgin_slip=0.0),
        0.1,
        [["Bond_SP01", 1, 64.0, 0.021, 102.2, 1.0, 0.3, 0.8]],
    ),
    "strain penetration, much pinched": Case(
        StrainPenetration(64.0, 0.021, 102.2, 0.7, 0.5, 0.5, virgin_slip=0.0),
        0.125,
        [["Bond_SP01", 1, 64.0, 0.021, 102.2, 0.7, 0.5, 0.5, 0.0, 1.0, 4.35, 0.0]],
    ),
    "low-cycle fatigue": Case(
        LowCycleFatigue(STEEL, 0.04, -0.5),
        0.008,
        [["Steel01", 2, FY, E, 0.02], ["Fatigue", 1, 2, "-E0", 0.04, "-m", -0.5]],
    ),
    "low-cycle fatigue, breaks early": Case(
        LowCycleFatigue(Hardening(E, FY, 2e9, 5e9), 0.02, -0.4, 0.6, -0.02, 0.0079),
        0.008,
        [
            ["Hardening", 2, E, FY, 2e9, 5e9],
            ["Fatigue", 1, 2, "-E0", 0.02, "-m", -0.4, "-Dmax", 0.6, "-min", -0.02, "-max", 0.0079],
        ],
    ),
    "example": Case(FlagShape(k=E, f_activation=FY, b=0.05, beta=0.6), 0.008),
    "exact bouc-wen": Case(ExactBoucWen(2e6, 0.01, 0.05), 0.05),
    "strain penetration, virgin slip": Case(
        StrainPenetration(64.0, 0.021, 102.2, 1.0, 0.3, 0.8), 0.1
    ),
}

RATE_CASES: dict[str, Case] = {
    "viscous": Case(Viscous(3.0), 1.0, [["Viscous", 1, 3.0, 1.0]]),
    "viscous, power": Case(Viscous(3.0, 0.35), 1.0, [["Viscous", 1, 3.0, 0.35]]),
    "viscous, quadratic": Case(Viscous(3.0, 2.0), 1.0, [["Viscous", 1, 3.0, 2.0]]),
    "friction": Case(CoulombDamper(2.0, 3.0), 1.0, [["CoulombDamper", 1, 2.0, 3.0]]),
    "maxwell": Case(MaxwellDamper(50.0, 3.0, 1.0), 1.0),
    "maxwell, power": Case(MaxwellDamper(50.0, 3.0, 0.35), 1.0),
    "maxwell, quadratic": Case(MaxwellDamper(50.0, 3.0, 2.0), 1.0),
    "dashpot beside steel": Case(
        Parallel({"steel": Bilinear(10.0, 1.0, 0.1), "dashpot": Viscous(3.0, 0.5)}, [2.0, 0.5]),
        1.0,
        [
            ["Steel01", 2, 1.0, 10.0, 0.1],
            ["Viscous", 3, 3.0, 0.5],
            ["Parallel", 1, 2, 3, "-factors", 2.0, 0.5],
        ],
    ),
    "dashpot that wears out": Case(
        LowCycleFatigue(Viscous(3.0, 0.5), 2.0),
        1.0,
        [["Viscous", 2, 3.0, 0.5], ["Fatigue", 1, 2, "-E0", 2.0]],
    ),
    "dashpot that breaks": Case(
        MinMax(Viscous(3.0, 0.5), -1.2, 1.2),
        1.0,
        [["Viscous", 2, 3.0, 0.5], ["MinMax", 1, 2, "-min", -1.2, "-max", 1.2]],
    ),
}

EVERY = {**CASES, **RATE_CASES}


def random_walk(scale: float, seed: int, steps: int = 400, smallest: float = -10.0) -> Array:
    """A small cycle, then steps from ``10**smallest`` to three times ``scale``, within about
    ``scale`` of zero."""
    rng = np.random.default_rng(seed)
    size = scale * 10.0 ** rng.uniform(smallest, 0.5, steps)
    path = np.zeros(steps)
    for j in range(1, steps):
        step = size[j] * rng.choice((-1.0, 1.0))
        inside = abs(path[j - 1] + step) <= 1.2 * scale
        path[j] = path[j - 1] + step if inside else path[j - 1] - np.sign(path[j - 1]) * abs(step)
    return np.concatenate([cyclic(0.3 * scale, 2), path[1:]])
