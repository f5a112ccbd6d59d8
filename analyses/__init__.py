"""Eigen, static and transient analyses, integrators, solution algorithms and the convergence policy."""

from femu.analyses.algorithms import BFGS, Broyden, KrylovNewton, ModifiedNewton, Newton, NewtonLineSearch
from femu.analyses.central_difference import CentralDifference
from femu.analyses.convergence import (
    Energy,
    Increment,
    RelativeEnergy,
    RelativeIncrement,
    RelativeUnbalance,
    Unbalance,
)
from femu.analyses.eigen import Modes, eigen
from femu.analyses.fixed_iterations import FixedIterations
from femu.analyses.generalized_alpha import GeneralizedAlpha
from femu.analyses.generalized_alpha_os import GeneralizedAlphaOS
from femu.analyses.hht import HHT
from femu.analyses.hybrid_result import HybridResult
from femu.analyses.hybrid_test import HybridTest
from femu.analyses.implicit_hybrid import ImplicitHybrid
from femu.analyses.kr_alpha import KRAlpha
from femu.analyses.limits import Limit
from femu.analyses.newmark import Newmark
from femu.analyses.newmark_explicit import NewmarkExplicit
from femu.analyses.operator_splitting import AlphaOS
from femu.analyses.pacing import Pace, PaceReport
from femu.analyses.policy import Policy, Relaxation
from femu.analyses.runge_kutta import RungeKutta
from femu.analyses.static import ArcLength, DisplacementControl, LoadControl, Pushover, protocol
from femu.analyses.transient import Transient
from femu.analyses.trbdf2 import TRBDF2
from femu.arguments import typed_classes, typed_methods

typed_classes(AlphaOS, BFGS, Broyden, FixedIterations, GeneralizedAlphaOS, ImplicitHybrid, KRAlpha, Limit, ModifiedNewton)
for _read in (HybridTest, HybridResult, Modes):
    typed_methods(_read)

__all__ = [
    "BFGS",
    "HHT",
    "TRBDF2",
    "AlphaOS",
    "ArcLength",
    "Broyden",
    "CentralDifference",
    "DisplacementControl",
    "Energy",
    "FixedIterations",
    "GeneralizedAlpha",
    "GeneralizedAlphaOS",
    "HybridResult",
    "HybridTest",
    "ImplicitHybrid",
    "Increment",
    "KRAlpha",
    "KrylovNewton",
    "Limit",
    "LoadControl",
    "Modes",
    "ModifiedNewton",
    "Newmark",
    "NewmarkExplicit",
    "Newton",
    "NewtonLineSearch",
    "Pace",
    "PaceReport",
    "Policy",
    "Pushover",
    "RelativeEnergy",
    "RelativeIncrement",
    "RelativeUnbalance",
    "Relaxation",
    "RungeKutta",
    "Transient",
    "Unbalance",
    "eigen",
    "protocol",
]
