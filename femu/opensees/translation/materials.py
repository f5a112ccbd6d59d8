"""Uniaxial materials of femu as those of OpenSees.

A material is written by the function registered for its class, which returns its tag. A new
material that has an equivalent needs one more function here.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

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
from femu.model.component import Material
from femu.opensees.translation.command_list import CommandList, Untranslatable

BOUC_WEN_TOLERANCE, BOUC_WEN_ITERATIONS = 1e-15, 200  # OpenSees' own default is an absolute 1e-8
DAMPER_TOLERANCE, DAMPER_HALVINGS = 1e-13, 15


def write_material(material: Material, book: CommandList) -> int:
    """Write a material once; returns its tag."""
    tag = book.known("material", material)
    return tag if tag is not None else book.remember("material", material, _write(material, book))


@singledispatch
def _write(material: Any, book: CommandList) -> int:
    raise Untranslatable(
        f"{type(material).__name__} has no equivalent among the uniaxial materials of OpenSees, or "
        "none that femu knows."
    )


def _command(book: CommandList, kind: str, *arguments: Any) -> int:
    tag = book.tag("material")
    book.write("uniaxialMaterial", kind, tag, *arguments)
    return tag


@_write.register
def _(m: Elastic, book: CommandList) -> int:
    return _command(book, "Elastic", m.E, 0.0, m.E_compression)


@_write.register
def _(m: ElasticNoTension, book: CommandList) -> int:
    return _command(book, "ENT", m.E)


@_write.register
def _(m: ElasticPerfectlyPlastic, book: CommandList) -> int:
    assert m.fy_compression is not None
    return _command(book, "ElasticPP", m.E, m.fy / m.E, -m.fy_compression / m.E, m.initial_strain)


@_write.register
def _(m: Bilinear, book: CommandList) -> int:
    return _command(book, "Steel01", m.fy, m.E, m.b)


@_write.register
def _(m: BilinearIsotropic, book: CommandList) -> int:
    return _command(book, "Steel01", m.fy, m.E, m.b, m.a1, m.a2, m.a3, m.a4)


@_write.register
def _(m: Hardening, book: CommandList) -> int:
    return _command(book, "Hardening", m.E, m.fy, m.H_iso, m.H_kin)


@_write.register
def _(m: MenegottoPinto, book: CommandList) -> int:
    return _command(
        book,
        "Steel02",
        m.fy,
        m.E,
        m.b,
        m.R0,
        m.cR1,
        m.cR2,
        m.a1,
        m.a2,
        m.a3,
        m.a4,
        m.initial_stress,
    )


@_write.register
def _(m: TrilinearPinching, book: CommandList) -> int:
    return _command(book, "Hysteretic", *(value for _, _, value in m.own_parameters()))


@_write.register
def _(m: ModifiedIMK, book: CommandList) -> int:
    return _command(
        book,
        "Bilin",
        m.K,
        m.alpha_p,
        m.alpha_n,
        m.fy_p,
        -m.fy_n,
        m.lambda_s,
        m.lambda_c,
        0.0,
        m.lambda_k,
        m.c_s,
        m.c_c,
        1.0,
        m.c_k,
        m.theta_p_p,
        m.theta_p_n,
        m.theta_pc_p,
        m.theta_pc_n,
        m.residual_p,
        m.residual_n,
        m.theta_u_p,
        m.theta_u_n,
        m.rate_p,
        m.rate_n,
        m.n,
    )


@_write.register
def _(m: MultilinearPinching, book: CommandList) -> int:
    values = [value for _, _, value in m.own_parameters()]
    if m.loss_p or m.loss_n:
        book.note(
            "Elements of OpenSees 3.7 omit the loss of strength of HystereticSM (-degEnv); femu's "
            "do not."
        )
    return _command(
        book,
        "HystereticSM",
        "-posEnv",
        *values[:14],
        "-negEnv",
        *values[14:28],
        "-pinch",
        m.pinch_x,
        m.pinch_y,
        "-damage",
        m.damage_1,
        m.damage_2,
        "-beta",
        m.beta,
        "-degEnv",
        m.loss_p,
        m.loss_n,
    )


@_write.register
def _(m: QuadrilinearPinching, book: CommandList) -> int:
    book.note(
        "OpenSees keeps the damage that a tried and discarded change of direction has taken over; "
        "femu does not."
    )
    *numbers, by_cycles = (value for _, _, value in m.own_parameters())
    return _command(book, "Pinching4", *numbers, "cycle" if by_cycles else "energy")


@_write.register
def _(m: BoucWen, book: CommandList) -> int:
    return _command(
        book,
        "BoucWen",
        m.alpha,
        m.k,
        m.n,
        m.gamma,
        m.beta,
        m.A,
        m.delta_A,
        m.delta_nu,
        m.delta_eta,
        BOUC_WEN_TOLERANCE,
        BOUC_WEN_ITERATIONS,
    )


@_write.register
def _(m: ExactBoucWen, book: CommandList) -> int:
    book.note(
        "OpenSees steps Bouc and Wen's law by backward Euler; femu's ExactBoucWen is exact along "
        "the step."
    )
    share = 0.5 / m.yield_strain**2
    return _command(
        book,
        "BoucWen",
        m.alpha,
        m.k,
        2.0,
        share,
        share,
        1.0,
        0.0,
        0.0,
        0.0,
        BOUC_WEN_TOLERANCE,
        BOUC_WEN_ITERATIONS,
    )


@_write.register
def _(m: KentParkConcrete, book: CommandList) -> int:
    return _command(book, "Concrete01", -m.fc, -m.peak_strain, -m.fcu, -m.crushing_strain)


@_write.register
def _(m: KentParkTension, book: CommandList) -> int:
    return _command(
        book,
        "Concrete02",
        -m.fc,
        -m.peak_strain,
        -m.fcu,
        -m.crushing_strain,
        m.unloading_ratio,
        m.ft,
        m.softening_modulus,
    )


@_write.register
def _(m: PopovicsConcrete, book: CommandList) -> int:
    tension = [m.ft, m.tension_strain, m.beta] if m.ft else []
    return _command(book, "Concrete04", -m.fc, -m.peak_strain, -m.crushing_strain, m.Ec, *tension)


@_write.register
def _(m: ElasticGap, book: CommandList) -> int:
    damage = ["damage"] if m.damage else []
    return _command(book, "ElasticPPGap", m.E, m.fy, m.gap, m.eta, *damage)


@_write.register
def _(m: Viscous, book: CommandList) -> int:
    return _command(book, "Viscous", m.C, m.alpha)


@_write.register
def _(m: CoulombDamper, book: CommandList) -> int:
    return _command(book, "CoulombDamper", m.k, m.friction, "-tol", m.smallest_rate)


@_write.register
def _(m: MaxwellDamper, book: CommandList) -> int:
    return _command(
        book,
        "ViscousDamper",
        m.K,
        m.C,
        m.alpha,
        0.0,
        1,
        DAMPER_TOLERANCE,
        DAMPER_TOLERANCE,
        DAMPER_HALVINGS,
    )


@_write.register
def _(m: MinMax, book: CommandList) -> int:
    return _command(
        book,
        "MinMax",
        write_material(m.material, book),
        "-min",
        m.smallest_strain,
        "-max",
        m.largest_strain,
    )


@_write.register
def _(m: InitialStrain, book: CommandList) -> int:
    return _command(book, "InitStrainMaterial", write_material(m.material, book), m.strain)


@_write.register
def _(m: SelfCentering, book: CommandList) -> int:
    return _command(book, "SelfCentering", m.k1, m.k2, m.activation, m.beta)


@_write.register
def _(m: Impact, book: CommandList) -> int:
    return _command(book, "ImpactMaterial", m.K1, m.K2, m.yield_strain, m.gap)


@_write.register
def _(m: ChangManderSteel, book: CommandList) -> int:
    return _command(
        book,
        "ReinforcingSteel",
        m.fy,
        m.fu,
        m.E,
        m.Eh,
        m.hardening_strain,
        m.ultimate_strain,
        *(("-GABuck", m.slenderness, 1.0, m.reduction, m.gamma) if m.slenderness > 0.0 else ()),
        "-CMFatigue",
        m.Cf,
        m.alpha,
        m.Cd,
        "-IsoHard",
        m.a1,
        m.least_plateau,
        "-MPCurveParams",
        m.R1,
        m.R2,
        m.R3,
    )


@_write.register
def _(m: StrainPenetration, book: CommandList) -> int:
    book.note(
        "OpenSees' Bond_SP01 takes 0.00405 as the slip of virgin friction, and none if the first "
        "step of all is done without a second iteration."
    )
    return _command(book, "Bond_SP01", m.fy, m.sy, m.fu, m.su, m.b, m.R)


@_write.register
def _(m: LowCycleFatigue, book: CommandList) -> int:
    return _command(
        book,
        "Fatigue",
        write_material(m.material, book),
        "-E0",
        m.E0,
        "-m",
        m.m,
        "-Dmax",
        m.largest_damage,
        "-min",
        m.smallest_strain,
        "-max",
        m.largest_strain,
    )


@_write.register
def _(m: Parallel, book: CommandList) -> int:
    tags = [write_material(part, book) for _, part in m.parts()]  # type: ignore[arg-type]
    assert m.factors is not None
    return _command(book, "Parallel", *tags, "-factors", *m.factors)


@_write.register
def _(m: Series, book: CommandList) -> int:
    book.note(
        "OpenSees' Series makes one pass per call and carries the unequal stresses over to the "
        "next call; femu iterates until they are equal."
    )
    tags = [write_material(part, book) for _, part in m.parts()]  # type: ignore[arg-type]
    return _command(book, "Series", *tags)
