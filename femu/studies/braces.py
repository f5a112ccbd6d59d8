"""Buckling-restrained braces in the two test structures of Wu and Wang (2014), section 5, emulated
(kN, mm, s).

Two storeys with a brace in each, of which the first is tested (5.1); and two frames side by side
with a brace each, of which one is tested in real time through an actuator with a delay of 0.06 s
(5.2). The printed periods show that a brace of stiffness k adds k cos 30° to its storey: its
deformation is sqrt(cos 30°) of the drift. The specimens of the paper are not described by numbers;
two Bouc-Wen braces replace them, chosen so that the response with initial parameters resembles
Table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians, sqrt
from typing import Any

from femu.elements import TwoNodeLink
from femu.experimental import Actuator, EmulatedSpecimen, ExperimentalLink, Sensors
from femu.materials import BoucWen, Elastic, Viscous
from femu.model.model import Model
from femu.records import GroundMotion
from femu.studies.storey_frame import el_centro
from femu.studies.two_storeys import R, unguarded
from femu.updating import ModelUpdater

MASS, FRAME, BRACE, DAMPING = 3.0, 50.0, 130.0, 0.02
SLOPE = cos(radians(30.0))  # square of the cosine of the brace
PERIODS = (1.381, 0.5275)  # printed, 5.1
DELAY, SINGLE_PERIOD = 0.06, 0.6035  # 5.2
NAMES = ("k", "beta", "gamma", "n", "alpha")
SPECIMENS = {"A": (150.0, 0.175, 0.175, 1.0, 0.05), "C": (115.0, 0.35, 0.35, 1.0, 0.05)}
INITIAL = dict(zip(NAMES, (130.0, 0.5, 0.5, 2.0, 0.1), strict=True))
PEAK, DURATION = 100.0, 30.0  # mm/s², s
DT, STRIDE = 0.001, 10
Q = 1e-7
P0 = dict(zip(NAMES, (100.0, 10.0, 10.0, 0.1, 0.01), strict=True))


def values(specimen: str) -> dict[str, float]:
    """Parameters of a substitute brace by its letter."""
    return dict(zip(NAMES, SPECIMENS[specimen], strict=True))


def ground_motion() -> GroundMotion:
    """El Centro NS without the zero in front of it, in mm/s²."""
    return el_centro().scaled(pga=PEAK)


def specimen(which: str, seed: int, delay: float = 0.0) -> EmulatedSpecimen:
    """A brace with noise of the variance that the filters assume."""
    return EmulatedSpecimen(
        BoucWen(**values(which)),
        actuator=Actuator(delay=delay),
        sensors=Sensors(force_noise=sqrt(R)),
        seed=seed,
    )


def two_storeys(first: dict[str, float] | EmulatedSpecimen, second: dict[str, float]) -> Model:
    """The frame of 5.1. Every link has the direction of a brace, so that its deformation is
    sqrt(cos 30°) of the drift."""
    along, up = sqrt(SLOPE), sqrt(1.0 - SLOPE)
    made = Model("two storeys with braces, Wu and Wang (2014)")
    made.node(0, 0.0, 0.0, fixed=True)
    w1, w2 = (2.0 * pi / period for period in PERIODS)
    by_stiffness = 2.0 * DAMPING / (w1 + w2)
    for floor in (1, 2):
        made.node(floor, floor * along, floor * up, fixed=("y", "rz"), mass=(MASS, 0.0, 0.0))
        made.add(TwoNodeLink(f"frame {floor}", floor - 1, floor, {"x": Elastic(FRAME / SLOPE)}))
        made.add(
            TwoNodeLink(
                f"damper {floor}",
                floor - 1,
                floor,
                {"x": Viscous(by_stiffness * (FRAME / SLOPE + BRACE))},
            )
        )
    _brace(made, "brace 1", 0, 1, first)
    _brace(made, "brace 2", 1, 2, second)
    made.rayleigh(mass=2.0 * DAMPING * w1 * w2 / (w1 + w2))
    return made


def single(first: dict[str, float] | EmulatedSpecimen, second: dict[str, float]) -> Model:
    """The two frames of 5.2, joined by a rigid bar."""
    made = Model("two frames with braces, Wu and Wang (2014)")
    made.node(0, 0.0, 0.0, fixed=True)
    made.node(1, sqrt(SLOPE), sqrt(1.0 - SLOPE), fixed=("y", "rz"), mass=(MASS, 0.0, 0.0))
    made.add(TwoNodeLink("frame", 0, 1, {"x": Elastic(2.0 * FRAME / SLOPE)}))
    made.add(
        TwoNodeLink(
            "damper", 0, 1, {"x": Viscous(2.0 * DAMPING * MASS * 2.0 * pi / SINGLE_PERIOD / SLOPE)}
        )
    )
    _brace(made, "brace 1", 0, 1, first)
    _brace(made, "brace 2", 0, 1, second)
    return made


def updater(filter: Callable[..., Any]) -> ModelUpdater:
    """The updater of section 5."""
    return unguarded("brace 1", "brace 2", INITIAL, P0, Q, filter)


def _brace(
    model: Model, name: str, i: int, j: int, of: dict[str, float] | EmulatedSpecimen
) -> None:
    if isinstance(of, EmulatedSpecimen):
        model.add(ExperimentalLink(name, i, j, ("x",), specimen=of))
    else:
        model.add(TwoNodeLink(name, i, j, {"x": BoucWen(**of)}))
