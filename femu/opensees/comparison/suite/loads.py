"""Member loads, load patterns that follow a series, moving supports and constraints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, ForceBeamColumn
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model
from femu.model.series import Motion, Pulse, Sampled, Sine
from femu.opensees.comparison.case import DYNAMIC, Case, EigenCase, ModelCase
from femu.opensees.comparison.suite.elements import GRAVITY, cycles, quake
from femu.opensees.comparison.suite.models import BEAM, COLUMN, elastic, fibres, frame, uncoupled
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion

LOADS: dict[str, Any] = {
    "uniform": UniformLoad(y=-80e3),
    "uniform, both directions": UniformLoad(x=30e3, y=-60e3),
    "point": PointLoad(0.35, y=-150e3),
    "point, both directions": PointLoad(0.6, x=60e3, y=-120e3),
}
MEMBERS: dict[str, Callable[..., Any]] = {
    "ElasticBeamColumn": partial(ElasticBeamColumn, section=elastic(*BEAM)),
    "ForceBeamColumn": partial(ForceBeamColumn, section=fibres(*BEAM)),
    "DisplacementBeamColumn": partial(DisplacementBeamColumn, section=uncoupled(*BEAM)),
}


def _loaded(member: Callable[..., Any], load: Any, **options: Any) -> Model:
    """A leaning portal with a load on its sloping beam."""
    model = Model("loaded portal")
    for k, (x, y) in enumerate(((0.0, 0.0), (6.0, 0.0), (0.3, 3.6), (6.0, 4.4))):
        model.node(k, x, y, fixed=k < 2, mass=(20e3, 20e3, 100.0) if k > 1 else None)
    column = uncoupled(*COLUMN)
    model.add(ForceBeamColumn("left", 0, 2, section=column, geometry="corotational"))
    model.add(ForceBeamColumn("right", 1, 3, section=column, geometry="corotational"))
    model.add(member("beam", 2, 3, **options))
    model.member_load("beam", load, pattern="gravity")
    model.load(2, x=1.0, pattern="push")
    return model


def _member_loads() -> list[Case]:
    made: list[Case] = []
    for name, member in MEMBERS.items():
        for label, load in LOADS.items():
            made.append(
                ModelCase(
                    f"{name}, {label} load, static",
                    partial(_loaded, member, load),
                    [GRAVITY, cycles(2)],
                    quick=label == "point, both directions",
                )
            )
        made.append(
            ModelCase(
                f"{name}, uniform load, dynamic",
                partial(_loaded, member, LOADS["uniform"]),
                [GRAVITY, quake()],
                limit=DYNAMIC,
            )
        )
    made.append(
        ModelCase(
            "ElasticBeamColumn, released, uniform load, static",
            partial(
                _loaded,
                partial(ElasticBeamColumn, section=elastic(*BEAM), release_j=True),
                LOADS["uniform"],
            ),
            [GRAVITY],
        )
    )
    made.append(
        ModelCase(
            "ForceBeamColumn, uniform load, p-delta, static",
            partial(_loaded, MEMBERS["ForceBeamColumn"], LOADS["uniform"], geometry="p-delta"),
            [GRAVITY, cycles(2)],
        )
    )
    return made


def _forced(series: Any) -> Model:
    model = frame(2, 1, "uncoupled")
    model.pattern("shaker", series)
    model.load(2000, x=2.5e5, rz=1e4, pattern="shaker")
    return model


def _member_forced() -> Model:
    model = frame(2, 1, "uncoupled")
    # between steps: on one, the last bit of the time decides
    model.pattern("blast", Pulse(0.105, 0.405))
    model.member_load("column 1.0", UniformLoad(y=-1.5e5), pattern="blast")
    return model


def _moving(kind: str) -> Model:
    """Three supports that move each in its own way."""
    model = frame(2, 2, "uncoupled", "linear")
    t = np.arange(401) * 0.02
    for line, delay in ((0, 0.0), (1, 0.3), (2, 0.6)):
        model.nodes[line].fixed.discard("x")
        if kind == "displacement":
            shape = np.where(t > delay, 0.12 * np.sin(3.0 * (t - delay)) ** 3, 0.0)
            model.support_motion(line, "x", Motion(0.02, displacement=shape))
        else:
            record = GroundMotion.el_centro().scaled(pga=5.0)
            model.support_motion(line, "x", Motion(0.02, acceleration=record.at(t - delay)))
    return model


def _diaphragm() -> Model:
    model = frame(3, 2, "uncoupled")
    for storey in (1, 2, 3):
        model.rigid_diaphragm([1000 * storey + line for line in range(3)])
    return model


def _equal() -> Model:
    model = frame(2, 1, "uncoupled")
    model.equal_dof(1000, 1001, "xy")
    model.equal_dof(2000, 2001, ("x", "rz"))
    return model


def _linked() -> Model:
    """A frame whose columns are offset from the ends of its beams, and a mass on a rigid arm."""
    model = frame(1, 1, "uncoupled", "linear")
    model.node("arm", -1.2, 4.1, mass=(10e3, 10e3, 200.0))
    model.rigid_link(1000, "arm")
    model.node("end", 5.7, 3.7)
    model.node("tip", 5.0, 5.0, mass=(5e3, 5e3, 10.0))
    model.rigid_link(1001, "end")
    model.add(ForceBeamColumn("post", "end", "tip", section=uncoupled(0.15, 5e-3, 4e-5)))
    return model


def cases() -> list[Case]:
    """The cases of this group.

    Longer than a page: a list of cases.
    """
    free = Stage(Transient(Newmark(), dt=0.01), duration=4.0)
    t = np.arange(0.0, 3.0, 0.07)
    made = _member_loads()
    for name, series in (
        ("sine", Sine(0.8, end=2.5)),
        ("pulse", Pulse(0.205, 0.705)),
        ("samples", Sampled(t, np.sin(5.0 * t) * t)),
    ):
        made.append(
            ModelCase(
                f"nodal load following a {name}",
                partial(_forced, series),
                [GRAVITY, free],
                limit=DYNAMIC,
            )
        )
    made.append(
        ModelCase("member load following a pulse", _member_forced, [GRAVITY, free], limit=DYNAMIC)
    )
    made.append(
        ModelCase(
            "base acceleration along x and y",
            partial(frame, 2, 1),
            [
                Stage(
                    Transient(Newmark(), dt=0.01),
                    {
                        "x": GroundMotion.el_centro().scaled(pga=5.0),
                        "y": GroundMotion.el_centro().scaled(pga=3.0),
                    },
                    8.0,
                )
            ],
            limit=DYNAMIC,
        )
    )
    for kind in ("displacement", "acceleration"):
        made.append(
            ModelCase(
                f"supports moved apart, by {kind}",
                partial(_moving, kind),
                [Stage(Transient(Newmark(), dt=0.01), duration=8.0)],
                limit=DYNAMIC,
                quick=kind == "displacement",
            )
        )
    for name, model in (
        ("rigid diaphragms", _diaphragm),
        ("equal displacements", _equal),
        ("rigid links", _linked),
    ):
        made += [
            ModelCase(
                f"{name}, static",
                model,
                [GRAVITY, Stage(LoadControl(pattern="push", factor=1.5e5, steps=10))],
            ),
            ModelCase(f"{name}, dynamic", model, [GRAVITY, quake()], limit=DYNAMIC, quick=True),
            EigenCase(f"{name}, modes", model, 4),
        ]
    return made
