"""Bad input by hand: rules of the experimental side, of updating and of filters that no kind of an
argument shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from femu import GroundMotion
from femu.analyses import HybridTest, ImplicitHybrid, Pace, RungeKutta
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    ExperimentalLink,
    Limits,
    RemoteController,
    Sensors,
    SpecimenServer,
)
from femu.filters import UKF, Bounds
from femu.materials import Bilinear
from femu.updating import ModelUpdater, RemoteUpdater, Unknown
from tests.campaign import rig
from tests.campaign.bad_model import frame

import systems  # isort: skip

NAN, INF = float("nan"), float("inf")
STEEL = Bilinear(E=2e11, fy=3e8, b=0.01)
Case = Callable[[], Any]


def updater(**change: Any) -> ModelUpdater:
    return ModelUpdater(
        **{
            "element": "tested",
            "twin": STEEL,
            "parameters": {"fy": Unknown(lower=1e8, upper=6e8)},
            **change,
        }
    )


def hybrid(**change: Any) -> HybridTest:
    return rig.test_of(rig.specimen(), 3, **change)


EXPERIMENTAL: dict[str, Case] = {
    **{
        f"Limits {name} = {value!r}": lambda name=name, value=value: Limits(**{name: value})
        for name in ("displacement", "increment", "velocity", "force")
        for value in (0.0, -1.0, NAN, "far", (1.0, -1.0))
    },
    **{
        f"Limits silence = {value!r}": lambda value=value: Limits(silence=value)
        for value in (0.0, -1.0, NAN, INF, "long")
    },
    **{
        f"Sensors {name} = {value!r}": lambda name=name, value=value: Sensors(**{name: value})
        for name in ("displacement_noise", "force_noise", "displacement_step", "force_step")
        for value in (-1.0, NAN, INF, "loud")
    },
    **{
        f"Actuator delay = {value!r}": lambda value=value: Actuator(delay=value)
        for value in (-1.0, NAN, "late")
    },
    **{
        f"Actuator backlash = {value!r}": lambda value=value: Actuator(backlash=value)
        for value in (-1.0, NAN, "loose")
    },
    **{
        f"specimen seed = {value!r}": lambda value=value: EmulatedSpecimen(STEEL, seed=value)
        for value in (-1, 1.5, "x", True)
    },
    **{
        f"specimen command = {value!r}": lambda value=value: rig.specimen().apply(
            np.array(value), 0.0
        )
        for value in ([NAN], [INF], [1.0, 2.0], [])
    },
    **{
        f"controller size = {value!r}": lambda value=value: RemoteController(value, 80)
        for value in (0, -1, 1.5, True, "1", 5000)
    },
    **{
        f"server port = {value!r}": lambda value=value: SpecimenServer(rig.specimen(), port=value)
        for value in (-1, 70000, "x")
    },
    **{
        f"server host = {value!r}": lambda value=value: SpecimenServer(rig.specimen(), host=value)
        for value in ("localhost", "", 3)
    },
    "server protocol": lambda: SpecimenServer(rig.specimen(), protocol="http"),
    "server force limit without stiffness": lambda: SpecimenServer(
        RemoteController(1, 80), limits=Limits(force=1.0)
    ),
    **{
        f"dofs = {value!r}": lambda value=value: ExperimentalElement(
            "e", value, specimen=rig.specimen(), stiffness=[[1.0]]
        )
        for value in ([], [("B", "q")], [("B", "x"), ("B", "x")], 3, None, [("B",)])
    },
    **{
        f"directions = {value!r}": lambda value=value: ExperimentalLink(
            "e", 1, 2, value, specimen=rig.specimen()
        )
        for value in ((), ("q",), ("x", "x"))
    },
    "link to itself": lambda: ExperimentalLink("e", 1, 1, ("x",), specimen=rig.specimen()),
    **{
        f"test dt = {value!r}": lambda value=value: HybridTest(
            rig.test_of(rig.specimen()).program, GroundMotion.el_centro(), dt=value
        )
        for value in (0.0, -1.0, NAN, "x")
    },
    "test without specimen": lambda: HybridTest(frame(), GroundMotion.el_centro(), dt=0.01),
    "test integrator": lambda: hybrid(integrator=RungeKutta()),
    "test integrator class": lambda: hybrid(integrator=ImplicitHybrid),
    "test tangents": lambda: hybrid(tangents={"nobody": 3}),
    "test tangent": lambda: hybrid(tangents={rig.NAME: 3}),
    "test updater": lambda: hybrid(updater=3),
    "test pace": lambda: hybrid(pace=1024),
    **{
        f"pace rate = {value!r}": lambda value=value: Pace(value)
        for value in (0.0, -1.0, NAN, INF, "fast")
    },
    **{
        f"pace priority = {value!r}": lambda value=value: Pace(priority=value)
        for value in (0, 100, 1.5, True)
    },
}
LEARNING: dict[str, Case] = {
    "updater parameter": lambda: updater(parameters={"q": Unknown()}),
    "updater no parameters": lambda: updater(parameters={}),
    "updater twin": lambda: updater(twin=3),
    "updater mode": lambda: updater(mode="guess"),
    **{
        f"updater force_noise = {v!r}": lambda v=v: updater(force_noise=v) for v in (-1.0, NAN, "x")
    },
    **{
        f"unknown bounds = {v!r}": lambda v=v: updater(
            parameters={"fy": Unknown(lower=v[0], upper=v[1])}
        )
        for v in ((2.0, 1.0), (NAN, 1.0), (0.0, NAN))
    },
    **{
        f"remote rate = {v!r}": lambda v=v: RemoteUpdater("a:b", rate=v)
        for v in (0.0, -1.0, NAN, INF, "x")
    },
    **{
        f"remote source = {v!r}": lambda v=v: RemoteUpdater(v)
        for v in ("nothing", "no.such.module:f", "os:no_such_function", "")
    },
    **{
        f"filter Q = {v!r}": lambda v=v: UKF(systems.linear_model(), v, 1.0)
        for v in (NAN, -1.0, "x", np.zeros((3, 3)))
    },
    **{
        f"filter R = {v!r}": lambda v=v: UKF(systems.linear_model(), 1.0, v)
        for v in (NAN, -1.0, "x", np.zeros((3, 3)))
    },
    "bounds crossed": lambda: Bounds([1.0], [0.0]),
    "bounds nan": lambda: Bounds([NAN], [0.0]),
    "bounds lengths": lambda: Bounds([0.0, 0.0], [1.0]),
}
