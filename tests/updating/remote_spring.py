"""A spring whose strength is unknown, for updaters in another process."""

from __future__ import annotations

import numpy as np

from femu import Model
from femu.elements import ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalLink, Sensors
from femu.materials import Bilinear
from femu.updating import ModelUpdater, Unknown

STIFFNESS, STRENGTH, GUESS, HARDENING = (2.0 * np.pi) ** 2, 2.0, 1.2, 0.1
NOISE = 0.01


def make_updater() -> ModelUpdater:
    return ModelUpdater(
        "tested",
        Bilinear(E=STIFFNESS, fy=GUESS, b=HARDENING),
        {"fy": Unknown(lower=0.5, upper=4.0)},
        members={"fy": "beside.x.fy"},
        force_noise=NOISE,
    )


def two_springs() -> Model:
    model = Model("two springs")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(2.0, 0.0, 0.0))
    specimen = EmulatedSpecimen(
        Bilinear(E=STIFFNESS, fy=STRENGTH, b=HARDENING), sensors=Sensors(force_noise=NOISE), seed=3
    )
    model.add(ExperimentalLink("tested", "ground", "mass", ("x",), specimen=specimen))
    model.add(
        ZeroLength("beside", "ground", "mass", {"x": Bilinear(E=STIFFNESS, fy=GUESS, b=HARDENING)})
    )
    return model


def no_updater() -> int:
    return 3
