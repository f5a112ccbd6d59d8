"""Eigen, static and transient analyses, integrators, solution algorithms and the convergence
policy."""

from typing import TYPE_CHECKING

from femu.analyses.algorithms import (
    BFGS,
    Broyden,
    KrylovNewton,
    ModifiedNewton,
    Newton,
    NewtonLineSearch,
)
from femu.analyses.convergence import (
    Energy,
    Increment,
    RelativeEnergy,
    RelativeIncrement,
    RelativeUnbalance,
    Unbalance,
)
from femu.analyses.eigen import Modes, eigen
from femu.analyses.integrators.central_difference import CentralDifference
from femu.analyses.integrators.fixed_iterations import FixedIterations
from femu.analyses.integrators.generalized_alpha import GeneralizedAlpha
from femu.analyses.integrators.generalized_alpha_os import GeneralizedAlphaOS
from femu.analyses.integrators.hht import HHT
from femu.analyses.integrators.implicit_hybrid import ImplicitHybrid
from femu.analyses.integrators.kr_alpha import KRAlpha
from femu.analyses.integrators.newmark import Newmark
from femu.analyses.integrators.newmark_explicit import NewmarkExplicit
from femu.analyses.integrators.operator_splitting import AlphaOS
from femu.analyses.integrators.runge_kutta import RungeKutta
from femu.analyses.integrators.trbdf2 import TRBDF2
from femu.analyses.limits import Limit
from femu.analyses.policy import Policy, Relaxation
from femu.analyses.static import ArcLength, DisplacementControl, LoadControl, Pushover, protocol
from femu.analyses.transient import Transient
from femu.support.arguments import typed_classes, typed_methods
from femu.support.keywords import explain_all
from femu.support.old_names import getattr_of

if TYPE_CHECKING:
    from femu.experimental import HybridResult, HybridTest, Pace, PaceReport

typed_classes(
    AlphaOS,
    BFGS,
    Broyden,
    FixedIterations,
    GeneralizedAlphaOS,
    ImplicitHybrid,
    KRAlpha,
    Limit,
    ModifiedNewton,
)
typed_methods(Modes)

__getattr__ = getattr_of(__name__)

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

explain_all(__name__, [name for name in __all__ if name in globals()])
