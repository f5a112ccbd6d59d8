"""Modes, damping and integrators."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from femu.analyses import HHT, GeneralizedAlpha, KrylovNewton, ModifiedNewton, Newmark, Transient
from femu.elements import ElasticBeamColumn
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, Case, EigenCase, ModelCase
from femu.opensees.comparison.suite.elements import GRAVITY
from femu.opensees.comparison.suite.models import COLUMN, cantilever, elastic, frame, heavy_frame
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion

SECONDS = 10.0
EL_CENTRO = GroundMotion.el_centro()


def _damped(set_damping: Callable[[Model], None], kind: str = "uncoupled") -> Model:
    model = (
        frame(3, 2, kind, "corotational", ElasticBeamColumn)
        if kind == "elastic"
        else frame(3, 2, kind)
    )
    set_damping(model)
    return model


def _partly_damped() -> Model:
    model = frame(3, 2)
    for name, element in model.elements.items():
        element.damped = not str(name).startswith("beam")  # type: ignore[attr-defined]
    model.rayleigh(0.03, (1, 3))
    return model


# damping by the current stiffness jumps with it: if members yield there may be no equilibrium,
# so they are elastic there
DAMPINGS: dict[str, Callable[[], Model]] = {
    "Rayleigh by ratio, initial stiffness": partial(_damped, lambda m: m.rayleigh(0.05)),
    "Rayleigh by two ratios, current stiffness": partial(
        _damped, lambda m: m.rayleigh((0.02, 0.04), (1, 3), stiffness="current"), "elastic"
    ),
    "Rayleigh by ratio, committed stiffness": partial(
        _damped, lambda m: m.rayleigh(0.03, stiffness="committed")
    ),
    "Rayleigh by coefficients, mass only": partial(_damped, lambda m: m.rayleigh(mass=0.4)),
    "Rayleigh by coefficients, all four": partial(
        _damped,
        lambda m: m.rayleigh(mass=0.2, initial=1e-3, current=5e-4, committed=8e-4),
        "elastic",
    ),
    "Rayleigh, beams left out": _partly_damped,
    "modal damping, four modes": partial(
        _damped, lambda m: m.modal_damping((0.05, 0.03, 0.02, 0.02))
    ),
}

INTEGRATORS: dict[str, Any] = {
    "Newmark, average acceleration": Newmark(),
    "Newmark, damped": Newmark(0.6, 0.3025),
    "HHT, 0.9": HHT(0.9),
    "HHT, 2/3": HHT(2.0 / 3.0),
    "generalised-alpha, radius 0.8": GeneralizedAlpha(0.8),
    "generalised-alpha, radius 0.3": GeneralizedAlpha(0.3),
}


def cases() -> list[Case]:
    """The cases of this group.

    Longer than a page: a list of cases.
    """
    made: list[Case] = [
        EigenCase(
            "modes of a leaning column",
            partial(cantilever, ElasticBeamColumn, section=elastic(*COLUMN), pieces=5),
            6,
            quick=True,
        ),
        EigenCase(
            "modes of a column with consistent mass",
            partial(
                cantilever,
                ElasticBeamColumn,
                section=elastic(*COLUMN),
                pieces=5,
                mass=3000.0,
                consistent_mass=True,
            ),
            6,
        ),
        EigenCase("modes of a 3x3 frame", partial(frame, 3, 3), 6, quick=True),
        EigenCase("modes of a 10x5 frame", partial(frame, 10, 5, "fibre"), 10),
    ]
    strong = EL_CENTRO.scaled(pga=6.0)
    for name, model in DAMPINGS.items():
        made.append(
            ModelCase(
                name,
                model,
                [GRAVITY, Stage(Transient(Newmark(), dt=0.01), strong, SECONDS)],
                limit=DYNAMIC,
                quick="committed" in name or "modal" in name,
            )
        )
    made.append(
        ModelCase(
            "Newmark, linear acceleration, 2x1 frame",
            partial(heavy_frame, 2, 1, geometry="p-delta"),
            [Stage(Transient(Newmark(0.5, 1.0 / 6.0), dt=5e-4), strong, 4.0)],
            limit=DYNAMIC,
        )
    )
    for name, integrator in INTEGRATORS.items():
        made.append(
            ModelCase(
                f"{name}, 3x3 frame",
                partial(frame, 3, 3),
                [GRAVITY, Stage(Transient(integrator, dt=0.01), strong, SECONDS)],
                limit=DYNAMIC,
                quick="0.8" in name or "0.9" in name,
            )
        )
    made.append(
        ModelCase(
            "HHT, 0.8, with Rayleigh damping",
            DAMPINGS["Rayleigh by ratio, initial stiffness"],
            [Stage(Transient(HHT(0.8), dt=0.01), strong, SECONDS)],
            limit=DYNAMIC,
        )
    )
    for algorithm in (ModifiedNewton(), KrylovNewton()):
        made.append(
            ModelCase(
                f"Newmark with {type(algorithm).__name__}",
                partial(frame, 2, 1),
                [
                    Stage(
                        Transient(Newmark(), dt=0.01, algorithm=algorithm),
                        EL_CENTRO.scaled(pga=2.0),
                        SECONDS,
                    )
                ],
                limit=DYNAMIC,
            )
        )
    return made
