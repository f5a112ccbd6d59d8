"""uniaxialMaterial: the laws of OpenSees by name, as femu's materials.

Each kind has its arguments as in OpenSees; the law itself is a file of `femu.materials`. The
inverse is in `femu.opensees.translation.materials`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from femu import materials as laws
from femu.model.component import Material
from femu.model.doubts import accepting
from femu.opensees.front_end.accepted import ACCEPTED
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import Domain, domain
from femu.opensees.front_end.table import Kinds, command
from femu.opensees.front_end.uniaxial_point import Point
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

MATERIALS = Kinds("uniaxialMaterial", "material")
NEVER_REACHED = 1e6  # strain at which the stop of an elastic line would yield
MOST_LOOKS, CLOSE, FAR = 100, 1e-14, 1e-6  # to find the strain of a stress


@command("uniaxialMaterial", "materials", "kind:w tag:i", "A uniaxial law; see the kinds.")
def uniaxial_material(reader: Reader) -> None:
    kind = MATERIALS.find(reader)
    tag = reader.take("matTag", "i")
    reader.command = f"uniaxialMaterial({kind.name!r}, {tag})"
    a = reader.read(kind.form)
    with accepting(ACCEPTED):
        made = kind.make(domain, reader, a)
    domain.define("uniaxialMaterial", domain.materials, tag, made, reader)


@MATERIALS.kind(
    "Elastic", form="E eta=0 Eneg=None", into="Elastic, with a parallel Viscous if eta is not 0"
)
def _elastic(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    spring = laws.Elastic(a["E"], a["Eneg"])
    if a["eta"]:
        return laws.Parallel([spring, laws.Viscous(a["eta"])])
    return spring


@MATERIALS.kind("ENT", form="E", into="ElasticNoTension")
def _ent(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.ElasticNoTension(a["E"])


@MATERIALS.kind("ElasticPP", form="E epsyP epsyN=None eps0=0", into="ElasticPerfectlyPlastic")
def _elastic_pp(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    positive, negative = a["epsyP"], -a["epsyP"] if a["epsyN"] is None else a["epsyN"]
    if positive < 0.0 or negative > 0.0:
        warn(
            f"{reader.command}: epsyP = {positive:g} and epsyN = {negative:g} count as "
            f"{abs(positive):g} and {-abs(negative):g}, as in OpenSees. Fix: give epsyP above 0 "
            "and epsyN below 0.",
            ModelWarning,
        )
    return laws.ElasticPerfectlyPlastic(
        a["E"], a["E"] * abs(positive), a["E"] * abs(negative), a["eps0"]
    )


@MATERIALS.kind("ElasticPPGap", form="E Fy gap eta=0 damage:w=noDamage", into="ElasticGap")
def _gap(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.ElasticGap(a["E"], a["Fy"], a["gap"], a["eta"], a["damage"] == "damage")


@MATERIALS.kind(
    "Steel01",
    form="Fy E0 b a1=0 a2=55 a3=0 a4=55",
    into="Bilinear; BilinearIsotropic if a1 or a3 is not 0",
)
def _steel01(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["a1"] == 0.0 and a["a3"] == 0.0:
        return laws.Bilinear(a["E0"], a["Fy"], a["b"])
    return laws.BilinearIsotropic(a["E0"], a["Fy"], a["b"], a["a1"], a["a2"], a["a3"], a["a4"])


@MATERIALS.kind(
    "Steel02",
    form="Fy E0 b R0=15 cR1=0.925 cR2=0.15 a1=0 a2=1 a3=0 a4=1 sigInit=0",
    into="MenegottoPinto",
)
def _steel02(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.MenegottoPinto(
        a["E0"],
        a["Fy"],
        a["b"],
        a["R0"],
        a["cR1"],
        a["cR2"],
        a["a1"],
        a["a2"],
        a["a3"],
        a["a4"],
        a["sigInit"],
    )


@MATERIALS.kind("Hardening", form="E sigmaY H_iso H_kin eta=0", into="Hardening")
def _hardening(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["eta"]:
        raise reader.unsupported("argument eta (visco-plasticity) is not supported.")
    return laws.Hardening(a["E"], a["sigmaY"], a["H_iso"], a["H_kin"])


@MATERIALS.kind("Concrete01", form="fpc epsc0 fpcu epsU", into="KentParkConcrete")
def _concrete01(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.KentParkConcrete(*(abs(a[n]) for n in ("fpc", "epsc0", "fpcu", "epsU")))


@MATERIALS.kind(
    "Concrete02", form="fpc epsc0 fpcu epsU lambda=0.1 ft=None Ets=None", into="KentParkTension"
)
def _concrete02(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    fc, peak, fcu, crushing = (abs(a[n]) for n in ("fpc", "epsc0", "fpcu", "epsU"))
    return laws.KentParkTension(fc, peak, fcu, crushing, a["lambda"], a["ft"], a["Ets"])


@MATERIALS.kind("Concrete04", form="fc epsc epscu Ec fct=0 et=0 beta=0.1", into="PopovicsConcrete")
def _concrete04(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    fc, peak, crushing, modulus = (abs(a[n]) for n in ("fc", "epsc", "epscu", "Ec"))
    return laws.PopovicsConcrete(fc, peak, crushing, modulus, a["fct"], a["et"], a["beta"])


def _sides(reader: Reader, positive: list[float], negative: list[float]) -> tuple[list[float], int]:
    """Points of both envelopes, two or three per side."""
    if len(positive) != len(negative) or len(positive) not in (4, 6):
        raise reader.error(
            f"needs two or three points (stress, strain) per side, {len(positive) / 2:g} and "
            f"{len(negative) / 2:g} were given."
        )
    return [*positive, *negative], len(positive) // 2


def _pinching(points: list[float], count: int, *rest: float) -> Material:
    made = laws.TrilinearPinching if count == 3 else laws.TrilinearPinching.bilinear
    return made(*points, *rest)


@MATERIALS.kind("Hysteretic", form="s1p e1p s2p e2p *numbers", into="TrilinearPinching")
def _hysteretic(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    numbers = [a["s1p"], a["e1p"], a["s2p"], a["e2p"], *a["numbers"]]
    points = 12 if len(numbers) >= 16 else 8
    if len(numbers) - points not in (4, 5):
        raise reader.error(
            "needs 2 or 3 points per side, then pinchX pinchY damage1 damage2 <beta>; "
            f"{len(numbers)} numbers were given."
        )
    half = points // 2
    return _pinching(*_sides(reader, numbers[:half], numbers[half:points]), *numbers[points:])


def _pair(reader: Reader, option: str, values: list[float], default: float) -> list[float]:
    """One or two values of an option: one applies to both."""
    if len(values) > 2:
        raise reader.error(
            f"option {shown(option)} takes one or two numbers, {len(values)} were given."
        )
    return values * 2 if len(values) == 1 else values or [default, default]


@MATERIALS.kind(
    "HystereticSM",
    into="MultilinearPinching",
    form="*numbers | -posEnv *posEnv | -Env *Env | -env *env | -negEnv *negEnv | -posEnvXY "
    "*posEnvXY | -EnvXY *EnvXY | -envXY *envXY | -negEnvXY *negEnvXY | -pinch *pinch | -damage "
    "*damage | -beta beta | -degEnv *degEnv | -defoLimitStates *defo | -forceLimitStates *force | "
    "-XYorder | -printInput | -print",
)
def _hysteretic_sm(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    in_order = a["posEnv"] or a["Env"] or a["env"]
    exchanged = a["posEnvXY"] or a["EnvXY"] or a["envXY"]
    positive, negative = in_order or exchanged, a["negEnv"] or a["negEnvXY"]
    pinch, damage, beta = a["pinch"], a["damage"], a["beta"] or 0.0
    if a["numbers"]:  # as Hysteretic has them
        numbers = list(a["numbers"])
        if len(numbers) % 2:
            beta = numbers.pop()
        half = (len(numbers) - 4) // 2
        positive, negative, pinch, damage = (
            numbers[:half],
            numbers[half : 2 * half],
            numbers[-4:-2],
            numbers[-2:],
        )
    for side, values in (("-posEnv", positive), ("-negEnv", negative or positive)):
        if len(values) % 2 or not 4 <= len(values) <= 14:
            raise reader.error(
                f"{side} needs 2 to 7 points (stress, strain), {len(values) / 2:g} were given."
            )
    swap = -1 if exchanged or a["XYorder"] else 1
    tension, compression = (
        [(v[i], v[i + 1])[::swap] for i in range(0, len(v), 2)] for v in (positive, negative)
    )
    pinch_x, pinch_y = _pair(reader, "-pinch", pinch, 1.0)
    damage_1, damage_2 = _pair(reader, "-damage", damage, 0.0)
    loss_p, loss_n = _pair(reader, "-degEnv", a["degEnv"], 0.0)
    return laws.MultilinearPinching.through(
        tension, compression or None, pinch_x, pinch_y, damage_1, damage_2, beta, loss_p, loss_n
    )


@MATERIALS.kind("Pinching4", form="*numbers dmgType:w", into="QuadrilinearPinching")
def _pinching4(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    numbers, kind = a["numbers"], a["dmgType"].removeprefix("damage").removeprefix("Damage").lower()
    if kind not in ("cycle", "energy"):
        raise reader.error(f"dmgType = {shown(a['dmgType'])} must be 'cycle' or 'energy'.")
    if len(numbers) not in (27, 38):
        raise reader.error(
            "needs 4 points (stress, strain) per side, rDisp rForce uForce per side, gK1 gK2 gK3 "
            "gK4 gKLim, gD1 ... gDLim, gF1 ... gFLim, gE (38 numbers), or one side alone (27); "
            f"{len(numbers)} numbers were given."
        )
    made = laws.QuadrilinearPinching if len(numbers) == 38 else laws.QuadrilinearPinching.symmetric
    values: list[float | bool] = [*numbers, kind == "cycle"]
    return made(*values)


@MATERIALS.kind(
    "Bilin",
    into="ModifiedIMK; LamdaA and cA have no effect, as in OpenSees",
    form="Ke AsPos AsNeg MyPos MyNeg LamdaS LamdaC LamdaA LamdaK cS cC cA cK thetapPos thetapNeg "
    "thetapcPos thetapcNeg KPos KNeg thetauPos thetauNeg DPos DNeg nFactor=0",
)
def _bilin(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    without = ("LamdaA", "cA")
    numbers = {name: value for name, value in a.items() if name not in without}
    return laws.ModifiedIMK(
        *(abs(value) if name == "MyNeg" else value for name, value in numbers.items())
    )


@MATERIALS.kind(
    "BoucWen",
    form="alpha ko n gamma beta Ao deltaA deltaNu deltaEta tolerance=1e-8 maxNumIter:i=20",
    into="BoucWen",
)
def _bouc_wen(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.BoucWen(
        a["alpha"],
        a["ko"],
        a["n"],
        a["gamma"],
        a["beta"],
        a["Ao"],
        a["deltaA"],
        a["deltaNu"],
        a["deltaEta"],
    )


@MATERIALS.kind("Viscous", form="C alpha=1 minVel=1e-11", into="Viscous")
def _viscous(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.Viscous(a["C"], a["alpha"], a["minVel"])


@MATERIALS.kind("CoulombDamper", form="tangent frictionForce | -tol tol", into="CoulombDamper")
def _coulomb(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.CoulombDamper(
        a["tangent"], a["frictionForce"], 1e-6 if a["tol"] is None else a["tol"]
    )


@MATERIALS.kind(
    "ViscousDamper",
    form="K Cd alpha LGap=0 NM:i=1 RelTol=1e-6 AbsTol=1e-10 MaxHalf:i=15",
    into="MaxwellDamper",
)
def _viscous_damper(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["LGap"]:
        raise reader.unsupported("argument LGap other than 0 is not supported.")
    return laws.MaxwellDamper(a["K"], a["Cd"], a["alpha"], a["RelTol"])


@MATERIALS.kind("Parallel", form="*tags:i | -factors *factors", into="Parallel")
def _parallel(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    parts = [d.material(tag, reader) for tag in a["tags"]]
    return laws.Parallel(parts, a["factors"] or None)


@MATERIALS.kind("Series", form="*tags:i", into="Series, iterated until the stresses are equal")
def _series(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.Series([d.material(tag, reader) for tag in a["tags"]])


@MATERIALS.kind("MinMax", form="other:i | -min min | -max max", into="MinMax")
def _min_max(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    limits: dict[str, Any] = {}
    if a["min"] is not None:
        limits["smallest_strain"] = a["min"]
    if a["max"] is not None:
        limits["largest_strain"] = a["max"]
    return laws.MinMax(d.material(a["other"], reader), **limits)


@MATERIALS.kind(
    "Fatigue",
    form="other:i | -E0 E0 | -m m | -Dmax Dmax | -min min | -max max",
    into="LowCycleFatigue",
)
def _fatigue(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    names = {
        "E0": "E0",
        "m": "m",
        "Dmax": "largest_damage",
        "min": "smallest_strain",
        "max": "largest_strain",
    }
    return laws.LowCycleFatigue(
        d.material(a["other"], reader), **{names[n]: a[n] for n in names if a[n] is not None}
    )


@MATERIALS.kind(
    "ReinforcingSteel",
    into="ChangManderSteel; beta has no effect (nor in OpenSees), -DMBuck is not supported",
    form="fy fu Es Esh esh eult | -GABuck lsr beta r gamma | -DMBuck lsr alpha | -CMFatigue Cf "
    "alpha Cd | -IsoHard a1 limit | -MPCurveParams R1 R2 R3",
)
def _reinforcing_steel(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["DMBuck"] is not None and a["DMBuck"][0] > 0.0:
        raise reader.unsupported(
            "option '-DMBuck' (buckling after Dhakal and Maekawa) is not supported: use '-GABuck'."
        )
    options: dict[str, float] = {}
    for option, names in (
        ("CMFatigue", ("Cf", "alpha", "Cd")),
        ("IsoHard", ("a1", "least_plateau")),
        ("MPCurveParams", ("R1", "R2", "R3")),
    ):
        if a[option] is not None and (option != "CMFatigue" or a[option][0] * a[option][1] != 0.0):
            options.update(zip(names, a[option], strict=True))
    if a["GABuck"] is not None:
        lsr, _, r, gamma = a["GABuck"]
        options.update(slenderness=max(lsr, 0.0), reduction=min(max(r, 0.0), 1.0), gamma=gamma)
    return laws.ChangManderSteel(
        *(a[n] for n in ("fy", "fu", "Es", "Esh", "esh", "eult")), **options
    )


@MATERIALS.kind(
    "Bond_SP01",
    form="Fy Sy Fu Su b R Cd=0 db=1 fc=4.35 la=0",
    into="StrainPenetration; Cd, db, fc and la have no effect",
)
def _bond_sp01(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.StrainPenetration(*(a[n] for n in ("Fy", "Sy", "Fu", "Su", "b", "R")))


@MATERIALS.kind("InitStrainMaterial", "InitStrain", form="other:i initStrain", into="InitialStrain")
def _init_strain(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.InitialStrain(d.material(a["other"], reader), a["initStrain"])


@MATERIALS.kind("InitStressMaterial", "InitStress", form="other:i initStress", into="InitialStrain")
def _init_stress(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    """The strain of the stress is found on the way from zero, as OpenSees does."""
    part = d.material(a["other"], reader)
    point, strain = Point(part), 0.0
    stress, tangent, _ = point.look(strain)
    for _ in range(MOST_LOOKS):
        if abs(stress - a["initStress"]) <= CLOSE * abs(a["initStress"]) or tangent == 0.0:
            break
        strain += (a["initStress"] - stress) / tangent
        stress, tangent, _ = point.look(strain)
    if abs(stress - a["initStress"]) > FAR * abs(a["initStress"]):
        raise reader.wrong("initStress", a["initStress"], "is a stress that the material never has")
    return laws.InitialStrain(part, strain)


@MATERIALS.kind("Multiplier", form="other:i multiplier", into="Parallel of one part")
def _multiplier(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.Parallel([d.material(a["other"], reader)], [a["multiplier"]])


@MATERIALS.kind(
    "SelfCentering",
    form="k1 k2 sigAct beta epsSlip=0 epsBear=0 rBear=None",
    into="SelfCentering",
)
def _self_centering(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["epsSlip"] or a["epsBear"]:
        raise reader.unsupported("epsSlip and epsBear other than 0 are not supported.")
    return laws.SelfCentering(a["k1"], a["k2"], a["sigAct"], a["beta"])


@MATERIALS.kind("ImpactMaterial", "Impact", form="K1 K2 Delta_y gap", into="Impact")
def _impact(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    return laws.Impact(a["K1"], a["K2"], a["Delta_y"], a["gap"])


@MATERIALS.kind(
    "ElasticBilin",
    form="EP1 EP2 epsP2 EN1=None EN2=None epsN2=None",
    into="Parallel of Elastic and ElasticGap",
)
def _elastic_bilin(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    both = a["EN1"] is None
    EN1, EN2 = (a["EP1"], a["EP2"]) if both else (a["EN1"], a["EN2"])
    epsN2 = -a["epsP2"] if both else a["epsN2"]
    if EN2 is None or epsN2 is None:
        raise reader.error("EN1 needs EN2 and epsN2 after it.")
    return _elastic_lines(
        (a["EP1"], EN1), [(a["epsP2"], a["EP2"] - a["EP1"])], [(epsN2, EN2 - EN1)]
    )


@MATERIALS.kind(
    "ElasticMultiLinear",
    form="eta=0 | -strain *strain | -stress *stress",
    into="Parallel of Elastic and ElasticGap, with a Viscous if eta is not 0",
)
def _elastic_multilinear(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    strain, stress = a["strain"], a["stress"]
    if len(strain) != len(stress) or len(strain) < 3:
        raise reader.error(
            f"needs as many -strain as -stress, 3 or more; {len(strain)} and {len(stress)} were "
            "given."
        )
    points = list(zip(strain, stress, strict=True))
    if (0.0, 0.0) not in points[1:-1] or any(q[0] <= p[0] for p, q in pairwise(points)):
        raise reader.unsupported(
            "strains that do not increase, or without the point 0, 0 inside, are not supported."
        )
    zero = points.index((0.0, 0.0))
    slopes = [(q[1] - p[1]) / (q[0] - p[0]) for p, q in pairwise(points)]
    bends = [
        (points[k][0], slopes[k] - slopes[k - 1])
        for k in range(1, len(slopes))
        if points[k][0] > 0.0
    ]
    back = [
        (points[k][0], slopes[k - 1] - slopes[k])
        for k in range(1, len(slopes))
        if points[k][0] < 0.0
    ]
    spring = _elastic_lines((slopes[zero], slopes[zero - 1]), bends, back)
    return laws.Parallel([spring, laws.Viscous(a["eta"])]) if a["eta"] else spring


def _elastic_lines(
    first: tuple[float, float], bends: list[tuple[float, float]], back: list[tuple[float, float]]
) -> Material:
    """An elastic law of straight lines: the first slopes in tension and compression, then each
    strain at which the slope changes, and by how much."""
    parts: list[Material] = [laws.Elastic(*first)]
    factors = [1.0]
    for side, turns in ((1.0, bends), (-1.0, back)):
        for strain, change in turns:
            if change != 0.0:
                stop = side * NEVER_REACHED * abs(change)
                parts.append(laws.ElasticGap(abs(change), stop, strain))
                factors.append(1.0 if change > 0.0 else -1.0)
    return laws.Parallel(parts, factors)


@MATERIALS.kind("MultiLinear", form="*points", into="Parallel of ElasticPerfectlyPlastic")
def _multilinear(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    numbers = a["points"]
    if len(numbers) < 4 or len(numbers) % 2:
        raise reader.error(f"needs two or more points, strain and stress; {numbers} were given.")
    points = [(0.0, 0.0), *zip(numbers[::2], numbers[1::2], strict=True)]
    if any(q[0] <= p[0] for p, q in pairwise(points)):
        raise reader.wrong("points", numbers, "must have strains that increase from 0")
    slopes = [(q[1] - p[1]) / (q[0] - p[0]) for p, q in pairwise(points)]
    parts: list[Material] = []
    for k, (slope, then) in enumerate(pairwise(slopes)):
        if slope < then:
            raise reader.unsupported("slopes that grow are not supported.")
        if slope > then:
            yielding = (slope - then) * points[k + 1][0]
            parts.append(laws.ElasticPerfectlyPlastic(slope - then, yielding, yielding))
    return laws.Parallel([*parts, laws.Elastic(slopes[-1])])


@MATERIALS.kind(
    "SteelMPF",
    form="fyp fyn E0 bp bn R0 cR1 cR2 a1=0 a2=1 a3=0 a4=1",
    into="MenegottoPinto, if tension and compression are alike",
)
def _steel_mpf(d: Domain, reader: Reader, a: dict[str, Any]) -> Material:
    if a["fyp"] != a["fyn"] or a["bp"] != a["bn"] or a["a1"] or a["a3"]:
        raise reader.unsupported(
            "fyn other than fyp, bn other than bp, and a1 or a3 other than 0 are not supported."
        )
    return laws.MenegottoPinto(a["E0"], a["fyp"], a["bp"], a["R0"], a["cR1"], a["cR2"])


_REFUSED = """APDFMD APDMD APDVFD ASDConcrete1D BWBN Backbone BarSlip BoucWenOriginal Cast CastFuse
    Concrete03 Concrete06 Concrete07 ConcreteCM ConcreteD ConcretewithSITC ConfinedConcrete01
    Dodd_Restrepo DowelType FRPConfinedConcrete GNG HyperbolicGap IMKBilin IMKPeakOriented IMKPinching
    KikuchiAikenHDR KikuchiAikenLRB LimitState ModIMKPeakOriented ModIMKPinching
    PathIndependent PySimple1 QzSimple1 RambergOsgoodSteel Ratchet SAWS SMA
    Steel4 TzSimple1"""
MATERIALS.refuse("femu has no such law", *_REFUSED.split())
