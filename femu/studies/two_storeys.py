"""The two-storey structure of Wu and Wang (2014), section 4, as a hybrid test (kN, mm, s).

The restoring force of the first storey is tested, that of the second has the same Bouc-Wen law with
wrong parameters. Masses 200 t, dampers 0.3 kN s/mm in each storey, El Centro NS at 1000 mm/s² for
30 s. The structure is integrated in steps of 1 ms, which replace the Runge-Kutta scheme of the
paper; the filters get a sample every 10 ms, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from femu.elements import ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalLink, Sensors
from femu.materials import BoucWen, Viscous
from femu.model.model import Model
from femu.records import GroundMotion
from femu.studies.storey_frame import el_centro
from femu.updating import ModelUpdater, Unknown

MASS, DAMPING = 0.2, 0.3
TRUE = {"k": 135.0, "beta": 0.2, "gamma": 0.2, "n": 1.0, "alpha": 0.02}
INITIAL = {"k": 115.0, "beta": 0.5, "gamma": 0.5, "n": 2.0, "alpha": 0.1}
PEAK, DURATION = 1.0, 30.0  # m/s², s
MM = 1000.0
DT, STRIDE = 0.001, 10  # of the structure; samples of the filter
R, Q = 1.5, 1e-6
P0 = {"k": 10.0, "beta": 10.0, "gamma": 10.0, "n": 1e-2, "alpha": 1e-2}
NEVER = 1e12  # a guard that never acts: the paper has none
INFINITE = float("inf")
BOUNDS = {
    "k": (1e-6, INFINITE),
    "beta": (0.0, INFINITE),
    "gamma": (-INFINITE, INFINITE),
    "n": (1.0, INFINITE),
    "alpha": (0.0, 1.0),
}


def structure(first: dict[str, float] | EmulatedSpecimen, second: dict[str, float]) -> Model:
    """The structure; the first storey is numerical with its parameters, or tested."""
    made = Model("two storeys of Wu and Wang (2014)")
    made.node(0, 0.0, 0.0, fixed=True)
    for floor in (1, 2):
        made.node(floor, 0.0, 0.0, fixed=("y", "rz"), mass=(MASS, 0.0, 0.0))
        made.add(ZeroLength(f"damper {floor}", floor - 1, floor, {"x": Viscous(DAMPING)}))
    if isinstance(first, EmulatedSpecimen):
        made.add(ExperimentalLink("storey 1", 0, 1, ("x",), specimen=first))
    else:
        made.add(ZeroLength("storey 1", 0, 1, {"x": BoucWen(**first)}))
    made.add(ZeroLength("storey 2", 1, 2, {"x": BoucWen(**second)}))
    return made


def specimen(noise: float, seed: int) -> EmulatedSpecimen:
    """The first storey with noise on its force."""
    return EmulatedSpecimen(BoucWen(**TRUE), sensors=Sensors(force_noise=noise), seed=seed)


def ground_motion() -> GroundMotion:
    """El Centro NS without the zero in front of it, in mm/s²."""
    return el_centro().scaled(pga=PEAK * MM)


def unguarded(
    tested: str,
    taught: str,
    initial: dict[str, float],
    prior: dict[str, float],
    drift: float,
    filter: Callable[..., Any],
) -> ModelUpdater:
    """A Bouc-Wen spring that learns with a filter of the paper, without the guards of
    `ModelUpdater`; variances as printed."""
    unknowns = {
        name: Unknown(start, *BOUNDS[name], prior[name] ** 0.5, drift**0.5)
        for name, start in initial.items()
    }
    return ModelUpdater(
        tested,
        BoucWen(**initial),
        unknowns,
        members={name: f"{taught}.x.{name}" for name in initial},
        mode="state",
        integration="rk4",
        filter=filter,
        force_noise=R**0.5,
        gate=NEVER,
        nis_limit=NEVER,
        rate_limit=NEVER,
        max_resets=0,
        inequalities=[({"beta": 1.0, "gamma": 1.0}, 0.0, "gamma")],
    )


def updater(filter: Callable[..., Any]) -> ModelUpdater:
    """The updater of section 4."""
    return unguarded("storey 1", "storey 2", INITIAL, P0, Q, filter)
