"""Pushover, load control, arc length, and the solution algorithms."""

from __future__ import annotations

from functools import partial

from femu.analyses import (
    ArcLength,
    DisplacementControl,
    KrylovNewton,
    LoadControl,
    ModifiedNewton,
    NewtonLineSearch,
    Pushover,
    protocol,
)
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss
from femu.materials import Elastic, ElasticSection
from femu.model.model import Model
from femu.opensees.comparison.case import Case, ModelCase
from femu.opensees.comparison.suite.elements import GRAVITY
from femu.opensees.comparison.suite.models import GEOMETRIES, fibres, frame
from femu.opensees.translation.translate import Stage


def _toggle() -> Model:
    """Williams' toggle: a shallow pair of elastic bars with clamped ends, which snaps through."""
    model = Model("toggle")
    span, rise, pieces = 0.6574, 0.0098, 4
    for k in range(2 * pieces + 1):
        share = k / (2 * pieces)
        model.node(
            k, span * share, rise * (1.0 - abs(2.0 * share - 1.0)), fixed=k in (0, 2 * pieces)
        )
    section = ElasticSection(E=71e9, A=1.18e-4, I=3.7e-10)
    for k in range(2 * pieces):
        model.add(ElasticBeamColumn(f"bar {k}", k, k + 1, section=section, geometry="corotational"))
    model.load(pieces, y=-1.0, pattern="push")
    return model


def _arch() -> Model:
    """Two bars of a shallow truss: snap-through."""
    model = Model("shallow truss")
    model.node("left", 0.0, 0.0, fixed="xy")
    model.node("right", 2.0, 0.0, fixed="xy")
    model.node("top", 1.02, 0.1)
    for name in ("left", "right"):
        model.add(
            Truss(
                f"{name} bar",
                name,
                "top",
                material=Elastic(200e9),
                area=1e-4,
                geometry="corotational",
            )
        )
    model.load("top", y=-1e3, pattern="push")
    return model


def _softening() -> Model:
    """A column so heavy that its lateral load falls, and reverses, as it yields."""
    model = Model("softening column")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("top", 0.0, 4.0)
    model.add(
        ForceBeamColumn("column", "foot", "top", section=fibres(0.2, 8e-3), geometry="corotational")
    )
    model.load("top", y=-500e3, pattern="gravity")
    model.load("top", x=1e4, pattern="push")
    return model


def cases() -> list[Case]:
    """The cases of this group.

    Longer than a page: a list of cases.
    """
    made: list[Case] = []
    for kind in ("uncoupled", "fibre"):
        for geometry in GEOMETRIES:
            made.append(
                ModelCase(
                    f"pushover of a 3x2 frame, {kind}, {geometry}",
                    partial(frame, 3, 2, kind, geometry),
                    [GRAVITY, Stage(Pushover(3000, 0.5, steps=50, pattern="push"))],
                    quick=geometry == "p-delta",
                )
            )
    made.append(
        ModelCase(
            "cyclic pushover of a 3x2 frame",
            partial(frame, 3, 2),
            [
                GRAVITY,
                Stage(DisplacementControl(3000, "x", protocol([0.1, 0.3]), 0.01, pattern="push")),
            ],
        )
    )
    made.append(
        ModelCase(
            "load control of a 3x2 frame",
            partial(frame, 3, 2),
            [
                GRAVITY,
                Stage(LoadControl(pattern="push", factor=9e4, steps=20)),
                Stage(LoadControl(pattern="push", factor=-8e4, steps=20)),
                Stage(LoadControl(pattern="gravity", factor=1.5, steps=3)),
            ],
            quick=True,
        )
    )
    # to the second limit point: there OpenSees turns back, because its next step takes the sign of
    # the last load increment
    made.append(
        ModelCase(
            "arc length, snap-through of a shallow truss",
            _arch,
            [Stage(ArcLength(0.01, 16, pattern="push"))],
            quick=True,
        )
    )
    made.append(
        ModelCase(
            "arc length with load weight, snap-through of a shallow truss",
            _arch,
            [Stage(ArcLength(0.01, 14, weight=1e-8, pattern="push"))],
        )
    )
    made.append(
        ModelCase(
            "arc length, Williams' toggle", _toggle, [Stage(ArcLength(0.002, 25, pattern="push"))]
        )
    )
    made.append(
        ModelCase(
            "arc length past the peak of a softening column",
            _softening,
            [GRAVITY, Stage(ArcLength(0.02, 30, pattern="push"))],
        )
    )
    for algorithm in (
        ModifiedNewton(),
        ModifiedNewton(initial=True),
        NewtonLineSearch(),
        KrylovNewton(),
    ):
        label = (
            "initial stiffness"
            if getattr(algorithm, "initial", False)
            else type(algorithm).__name__
        )
        made.append(
            ModelCase(
                f"pushover with {label}",
                partial(frame, 2, 1),
                [
                    GRAVITY,
                    Stage(Pushover(2000, 0.08, steps=40, pattern="push", algorithm=algorithm)),
                ],
            )
        )
    return made
