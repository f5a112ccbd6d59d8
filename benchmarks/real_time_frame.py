"""A yielding frame in real time: 30 force-based fibre members, a tested brace, braces that learn.

Six storeys of two bays. A brace in each storey; the lowest one is tested on a servo, with noise,
and the model updater gives the parameters of its twin to the five others (N, m, kg, s).
"""

from __future__ import annotations

import numpy as np

from femu.analyses import HybridTest, ImplicitHybrid, Pace
from femu.elements import ForceBeamColumn, TwoNodeLink
from femu.experimental import (
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    ExperimentalLink,
    Plant,
    Sensors,
)
from femu.experimental.hybrid_result import HybridResult
from femu.materials import BoucWen, FibreSection, MenegottoPinto
from femu.model.model import Model
from femu.records import GroundMotion
from femu.updating import ModelUpdater, Unknown

RATE = 1024.0
DT = 1.0 / RATE
STOREYS, BAYS, STOREY, BAY = 6, 2, 3.2, 6.0
PLASTIC = 1e-3  # rotation from which a member counts as yielded
MASS, INERTIA = 25e3, 5e3
PEAK = 6.0  # m/s2
STEEL = MenegottoPinto(E=200e9, fy=300e6, b=0.01)
MEMBERS = [
    *(f"column {k} {i}" for k in range(1, STOREYS + 1) for i in range(BAYS + 1)),
    *(f"beam {k} {i}" for k in range(1, STOREYS + 1) for i in range(BAYS)),
]
BRACE = {"k": 5e7, "alpha": 0.05, "beta": 150.0, "gamma": 100.0, "n": 1.0}
YIELD = 1.0 / (BRACE["beta"] + BRACE["gamma"])
BELIEVED = {"k": 4e7, "alpha": 0.1, "beta": 110.0, "gamma": 75.0}
"""What the twin begins with. The brace yields at 4 mm and about 190 kN."""
NOISE, FORCE_NOISE = 5e-6, 300.0
SERVO = Plant.transfer_function([2.4e6], [1.0, 230.0, 2.9e4, 2.4e6])
"""About 12 ms late; its bandwidth is 20 Hz."""
BELIEVED_SERVO = Plant.transfer_function([2.1e6], [1.0, 220.0, 2.7e4, 2.1e6])


def section(depth: float, width: float, web: float, flange: float) -> FibreSection:
    """A wide flange of fibres that harden."""
    return FibreSection.h_shape(depth=depth, width=width, web=web, flange=flange, material=STEEL)


def model(seed: int = 1) -> Model:
    """The frame with its tested brace."""
    made = Model("six storeys with braces")
    column, beam = section(0.30, 0.30, 0.011, 0.019), section(0.30, 0.15, 0.0071, 0.0107)
    for k in range(STOREYS + 1):
        for i in range(BAYS + 1):
            made.node(10 * k + i, BAY * i, STOREY * k, fixed=k == 0)
            if k > 0:
                made.mass(10 * k + i, (MASS, MASS, INERTIA))
    for k in range(1, STOREYS + 1):
        for i in range(BAYS + 1):
            made.add(
                ForceBeamColumn(f"column {k} {i}", 10 * k + i - 10, 10 * k + i, section=column)
            )
        for i in range(BAYS):
            made.add(ForceBeamColumn(f"beam {k} {i}", 10 * k + i, 10 * k + i + 1, section=beam))
    specimen = EmulatedSpecimen(
        BoucWen(**BRACE), actuator=SERVO, sensors=Sensors(NOISE, FORCE_NOISE), seed=seed
    )
    compensation = EstimatedPlantCompensation(BELIEVED_SERVO, noise=NOISE)
    made.add(
        ExperimentalLink("brace 1", 0, 11, ("x",), specimen=specimen, compensation=compensation)
    )
    for k in range(2, STOREYS + 1):
        brace = BoucWen(**{**BRACE, **BELIEVED})
        made.add(TwoNodeLink(f"brace {k}", 10 * k - 10, 10 * k + 1, {"x": brace}))
    made.rayleigh(ratio=0.02, modes=(1, 3))
    return made


def updater() -> ModelUpdater:
    """Four parameters of the twin, for the five braces that are computed."""
    return ModelUpdater(
        "brace 1",
        BoucWen(**{**BRACE, **BELIEVED}),
        {
            "k": Unknown(BELIEVED["k"], 2e7, 8e7),
            "alpha": Unknown(BELIEVED["alpha"], 0.0, 0.3),
            "beta": Unknown(BELIEVED["beta"], 20.0, 400.0),
            "gamma": Unknown(BELIEVED["gamma"], 20.0, 400.0),
        },
        members=[f"brace {k}" for k in range(2, STOREYS + 1)],
        force_noise=FORCE_NOISE,
    )


def shaking(seconds: float) -> GroundMotion:
    """El Centro, repeated, strong enough for the members to yield."""
    once = GroundMotion.el_centro().scaled(pga=PEAK)
    times = int(np.ceil(seconds / once.duration))
    return GroundMotion("El Centro, repeated", once.dt, np.tile(once.acceleration, times))


def hybrid_test(seconds: float, pace: Pace | None = None) -> HybridTest:
    """The test; the updater learns in each step."""
    return HybridTest(
        model(),
        shaking(seconds + DT),
        ImplicitHybrid(),
        dt=DT,
        duration=seconds,
        updater=updater(),
        pace=pace,
    )


def yielded(result: HybridResult) -> int:
    """How many force-based members have a plastic rotation at one of their ends."""
    return sum(
        any(np.abs(result.plastic_rotation(n, end)).max() > PLASTIC for end in "ij")
        for n in MEMBERS
    )
