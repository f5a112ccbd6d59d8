"""Uniaxial laws and sections, one file each with its kernel."""

from femu.materials.bilinear import Bilinear
from femu.materials.bilinear_isotropic import BilinearIsotropic
from femu.materials.bouc_wen import BoucWen
from femu.materials.chang_mander_steel import ChangManderSteel
from femu.materials.coulomb_damper import CoulombDamper
from femu.materials.elastic import Elastic
from femu.materials.elastic_gap import ElasticGap
from femu.materials.elastic_no_tension import ElasticNoTension
from femu.materials.elastic_perfectly_plastic import ElasticPerfectlyPlastic
from femu.materials.exact_bouc_wen import ExactBoucWen
from femu.materials.hardening import Hardening
from femu.materials.impact import Impact
from femu.materials.initial_strain import InitialStrain
from femu.materials.kent_park_concrete import KentParkConcrete
from femu.materials.kent_park_tension import KentParkTension
from femu.materials.low_cycle_fatigue import LowCycleFatigue
from femu.materials.maxwell_damper import MaxwellDamper
from femu.materials.menegotto_pinto import MenegottoPinto
from femu.materials.min_max import MinMax
from femu.materials.modified_imk import ModifiedIMK
from femu.materials.multilinear_pinching import MultilinearPinching
from femu.materials.parallel import Parallel
from femu.materials.popovics_concrete import PopovicsConcrete
from femu.materials.quadrilinear_pinching import QuadrilinearPinching
from femu.materials.sections.elastic_section import ElasticSection
from femu.materials.sections.fibre_section import Fibres, FibreSection
from femu.materials.sections.nm_section import NMSection
from femu.materials.sections.section_with_shear import SectionWithShear
from femu.materials.sections.uncoupled_section import UncoupledSection
from femu.materials.self_centering import SelfCentering
from femu.materials.series import Series
from femu.materials.strain_penetration import StrainPenetration
from femu.materials.trilinear_pinching import TrilinearPinching
from femu.materials.viscous import Viscous
from femu.support.keywords import explain_all

__all__ = [
    "Bilinear",
    "BilinearIsotropic",
    "BoucWen",
    "ChangManderSteel",
    "CoulombDamper",
    "Elastic",
    "ElasticGap",
    "ElasticNoTension",
    "ElasticPerfectlyPlastic",
    "ElasticSection",
    "ExactBoucWen",
    "FibreSection",
    "Fibres",
    "Hardening",
    "Impact",
    "InitialStrain",
    "KentParkConcrete",
    "KentParkTension",
    "LowCycleFatigue",
    "MaxwellDamper",
    "MenegottoPinto",
    "MinMax",
    "ModifiedIMK",
    "MultilinearPinching",
    "NMSection",
    "Parallel",
    "PopovicsConcrete",
    "QuadrilinearPinching",
    "SectionWithShear",
    "SelfCentering",
    "Series",
    "StrainPenetration",
    "TrilinearPinching",
    "UncoupledSection",
    "Viscous",
]

explain_all(__name__, __all__)
