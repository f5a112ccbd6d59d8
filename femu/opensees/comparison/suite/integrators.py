"""Integrators for hybrid tests.

Explicit ones, operator splitting, and fixed numbers of iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlpha,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    Transient,
)
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, Case, Limit, ModelCase
from femu.opensees.comparison.suite.models import heavy_frame
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion

SECONDS = 6.0
STRONG = GroundMotion.el_centro().scaled(pga=6.0)  # members yield
WEAK = GroundMotion.el_centro().scaled(pga=0.3)  # they do not

FORCES = (
    "element force",
    "element moment",
    "section force",
    "section moment",
    "reaction",
    "reaction moment",
)
POSITIONS = ("displacement", "rotation")
MOTIONS = (*POSITIONS, "velocity", "angular velocity", "acceleration", "angular acceleration")

ABSORBED = (
    "The energy absorbed is not compared: femu's is that of the force that balances the step, and "
    "the elements of both programs keep the force of the displacement at which they were evaluated."
)
DIFFERENCES = (
    "Displacements and forces alone are compared: OpenSees' CentralDifference writes velocity and "
    "acceleration as differences towards the past."
)
TRANSFORMATION = (
    "OpenSees' P-Delta and corotational transformations read the displacement of the nodes, "
    "corrected after the elements were evaluated, whenever they are asked for a force: the "
    "unbalance it keeps from one step to the next, and the reactions, hold the difference."
)
BETWEEN = (
    "OpenSees' form without _TP evaluates the elements at a displacement inside the step, femu "
    "weighs the forces of its ends: the same while the structure is linear."
)

FRAME = partial(heavy_frame, 2, 1)
SPLIT = replace(DYNAMIC, kinds=MOTIONS + FORCES)


def _damped(set_damping: Callable[[Model], None], geometry: str = "linear") -> Model:
    model = heavy_frame(2, 1, geometry=geometry)
    set_damping(model)
    return model


def _case(
    name: str,
    integrator: Any,
    dt: float,
    model: Callable[[], Model] = FRAME,
    *,
    motion: Any = STRONG,
    quick: bool = False,
    limit: Limit = DYNAMIC,
    reason: str = "",
    peer: tuple[Any, ...] = (),
) -> Case:
    return ModelCase(
        name,
        model,
        [Stage(Transient(integrator, dt=dt), motion, SECONDS, peer)],
        limit=limit,
        reason=reason,
        quick=quick,
    )


def cases() -> list[Case]:
    """The cases of this group.

    Longer than a page: a list of cases.
    """
    by_mass = partial(_damped, lambda m: m.rayleigh(mass=0.5))
    by_ratio = partial(_damped, lambda m: m.rayleigh(0.05))
    bent = partial(heavy_frame, 2, 1, geometry="p-delta")
    return [
        _case("explicit Newmark, 2x1 frame", NewmarkExplicit(), 2e-3, quick=True),
        _case("explicit Newmark, damped, 2x1 frame", NewmarkExplicit(0.6), 2e-3),
        _case("explicit Newmark with damping by mass", NewmarkExplicit(), 2e-3, by_mass),
        _case(
            "explicit Newmark with Rayleigh damping, P-Delta",
            NewmarkExplicit(),
            2e-3,
            partial(_damped, lambda m: m.rayleigh(0.02), "p-delta"),
        ),
        _case(
            "central difference, 2x1 frame",
            CentralDifference(),
            2e-3,
            quick=True,
            limit=replace(DYNAMIC, kinds=POSITIONS + FORCES),
            reason=DIFFERENCES,
        ),
        _case(
            "central difference with damping by mass",
            CentralDifference(),
            2e-3,
            by_mass,
            limit=replace(DYNAMIC, kinds=POSITIONS + FORCES),
            reason=DIFFERENCES,
        ),
        _case("alpha-OS, 1, initial stiffness", AlphaOS(1.0), 0.005, limit=SPLIT, reason=ABSORBED),
        _case(
            "alpha-OS, 1, current stiffness",
            AlphaOS(1.0, "current"),
            0.005,
            limit=SPLIT,
            reason=ABSORBED,
        ),
        _case(
            "alpha-OS, 0.8, initial stiffness",
            AlphaOS(0.8),
            0.005,
            quick=True,
            limit=SPLIT,
            reason=ABSORBED,
        ),
        _case(
            "alpha-OS, 0.8, current stiffness",
            AlphaOS(0.8, "current"),
            0.005,
            quick=True,
            limit=SPLIT,
            reason=ABSORBED,
        ),
        _case(
            "alpha-OS, 2/3, with Rayleigh damping",
            AlphaOS(2.0 / 3.0),
            0.005,
            by_ratio,
            limit=SPLIT,
            reason=ABSORBED,
        ),
        _case(
            "alpha-OS, 0.8, P-Delta",
            AlphaOS(0.8),
            0.005,
            bent,
            limit=Limit(1e-4, kinds=MOTIONS + FORCES),
            reason=f"{ABSORBED} {TRANSFORMATION}",
        ),
        _case(
            "alpha-OS, 0.8, against AlphaOS, elastic",
            AlphaOS(0.8),
            0.005,
            motion=WEAK,
            peer=("AlphaOS", 0.8),
            limit=replace(DYNAMIC, kinds=MOTIONS),
            reason=BETWEEN,
        ),
        _case(
            "alpha-OS, 0.8, against AlphaOS, yielding",
            AlphaOS(0.8),
            0.005,
            peer=("AlphaOS", 0.8),
            limit=Limit(0.01, kinds=POSITIONS),
            reason=BETWEEN,
        ),
        _case("KR-alpha, radius 1", KRAlpha(1.0), 0.005),
        _case("KR-alpha, radius 0.5", KRAlpha(0.5), 0.005, quick=True),
        _case("KR-alpha, radius 0, with Rayleigh damping", KRAlpha(0.0), 0.01, by_ratio),
        _case("KR-alpha, radius 0.5, P-Delta", KRAlpha(0.5), 0.005, bent),
        _case(
            "KR-alpha, radius 0.5, against KRAlphaExplicit, elastic",
            KRAlpha(0.5),
            0.005,
            motion=WEAK,
            peer=("KRAlphaExplicit", 0.5),
            limit=replace(DYNAMIC, kinds=MOTIONS),
            reason=BETWEEN,
        ),
        _case(
            "KR-alpha, radius 0.5, against KRAlphaExplicit, yielding",
            KRAlpha(0.5),
            0.005,
            peer=("KRAlphaExplicit", 0.5),
            limit=Limit(0.01, kinds=POSITIONS),
            reason=BETWEEN,
        ),
        _case(
            "alpha-OS, 0.8, midpoint, initial stiffness",
            AlphaOS(0.8, form="midpoint"),
            0.005,
            quick=True,
        ),
        _case(
            "alpha-OS, 0.8, midpoint, current stiffness", AlphaOS(0.8, "current", "midpoint"), 0.005
        ),
        _case(
            "alpha-OS, 0.7, midpoint, with Rayleigh damping",
            AlphaOS(0.7, form="midpoint"),
            0.005,
            by_ratio,
        ),
        _case("alpha-OS, 0.8, midpoint, P-Delta", AlphaOS(0.8, form="midpoint"), 0.005, bent),
        _case("KR-alpha, radius 0.5, midpoint", KRAlpha(0.5, "midpoint"), 0.005, quick=True),
        _case(
            "KR-alpha, radius 0, midpoint, P-Delta with Rayleigh damping",
            KRAlpha(0.0, "midpoint"),
            0.005,
            partial(_damped, lambda m: m.rayleigh(0.02), "p-delta"),
        ),
        _case("Newmark, five fixed iterations", FixedIterations(), 0.01, quick=True),
        _case(
            "Newmark, three fixed iterations, cubic, initial stiffness",
            FixedIterations(Newmark(), 3, 3, "initial"),
            0.01,
        ),
        _case("HHT, 0.8, five fixed iterations", FixedIterations(HHT(0.8)), 0.01, quick=True),
        _case(
            "generalised-alpha, four fixed iterations, linear",
            FixedIterations(GeneralizedAlpha(0.5), 4, 1),
            0.01,
        ),
        _case(
            "HHT, 0.8, five fixed iterations with Rayleigh damping",
            FixedIterations(HHT(0.8)),
            0.01,
            by_ratio,
        ),
    ]
