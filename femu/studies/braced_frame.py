"""The three-storey frame with braces of Ou, Ozdagli, Dyke, Prakash (2015).

A shear frame of three floors (3.5 t each, 5 % Rayleigh damping in the first two modes of the bare
frame) with a Bouc-Wen brace in each storey. The first brace is tested and answers exactly; those
above are of the same type and start with wrong parameters. What the paper leaves open is chosen
as follows. The printed unit of the brace (35 kN/mm against a storey stiffness of 1800 kN/m) would
let the braces carry 99 % of the force; both are taken in the same unit. The storey stiffness is the
one that gives the printed first frequency of 1.5 Hz. The ground motion is scaled to 70 length
units/s², at which the errors without updating come near the printed ones.
"""

from __future__ import annotations

from functools import partial
from math import pi, sin

from femu.elements import ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalLink, Sensors
from femu.filters import IntervalUKF
from femu.materials import BoucWen, Elastic
from femu.model.model import Model
from femu.records import GroundMotion
from femu.studies.storey_frame import el_centro
from femu.updating import ModelUpdater, Unknown

MASS, STOREY, DAMPING = 3.5, 1570.0, 0.05
PEAK, DURATION, MASTER = 70.0, 20.0, 2000.0
NOISE = 0.4  # standard deviation of the measured brace force that the updater gets
NAMES = ("alpha", "beta", "gamma", "k", "n", "A")
EXACT = dict(zip(NAMES, (0.35, 1.7, 0.5, 35.0, 1.7, 15.0), strict=True))
INITIAL = dict(zip(NAMES, (0.63, 3.9, 0.7, 70.0, 2.38, 21.0), strict=True))
UPPER = dict(
    zip(NAMES, (1.0, float("inf"), float("inf"), float("inf"), 5.0, float("inf")), strict=True)
)
LOWER = dict(zip(NAMES, (0.0, 0.0, 0.0, 1e-6, 1.0, 1e-6), strict=True))
PRIOR = 0.1  # standard deviation of the first guess, as a share of it
# the same for the drift in one step at this rate; its variance falls with the time of a step
DRIFT, DRIFT_RATE = 1e-4, 200.0


def frame(specimen: EmulatedSpecimen | None, upper: dict[str, float]) -> Model:
    """The frame; without a specimen the first brace is numerical and exact."""
    made = Model("braced frame of Ou et al. (2015)")
    made.node(0, 0.0, 0.0, fixed=True)
    for floor in (1, 2, 3):
        made.node(floor, 0.0, 0.0, fixed=("y", "rz"), mass=(MASS, 0.0, 0.0))
        made.add(
            ZeroLength(f"storey {floor}", floor - 1, floor, {"x": Elastic(STOREY)}, damped=True)
        )
        if floor == 1 and specimen is not None:
            made.add(ExperimentalLink("brace 1", 0, 1, ("x",), specimen=specimen))
        else:
            made.add(
                ZeroLength(
                    f"brace {floor}",
                    floor - 1,
                    floor,
                    {"x": BoucWen(**(EXACT if floor == 1 else upper))},
                )
            )
    # of the bare frame
    first, second = (
        2.0 * (STOREY / MASS) ** 0.5 * sin((2 * mode - 1) * pi / 14.0) for mode in (1, 2)
    )
    made.rayleigh(
        mass=2.0 * DAMPING * first * second / (first + second),
        initial=2.0 * DAMPING / (first + second),
    )
    return made


def specimen(seed: int = 0) -> EmulatedSpecimen:
    """The exact brace, with noise on the measured force."""
    return EmulatedSpecimen(BoucWen(**EXACT), sensors=Sensors(force_noise=NOISE), seed=seed)


def ground_motion() -> GroundMotion:
    """El Centro NS without the zero in front of it."""
    return el_centro().scaled(pga=PEAK)


def updater(rate: float) -> ModelUpdater:
    """The interval-constrained filter of the paper, for samples at a rate."""
    drift = DRIFT * (DRIFT_RATE / rate) ** 0.5
    unknowns = {
        name: Unknown(
            INITIAL[name], LOWER[name], UPPER[name], PRIOR * INITIAL[name], drift * INITIAL[name]
        )
        for name in NAMES
    }
    return ModelUpdater(
        "brace 1",
        BoucWen(**INITIAL),
        unknowns,
        members={n: [f"brace 2.x.{n}", f"brace 3.x.{n}"] for n in NAMES},
        mode="state",
        integration="rk4",
        filter=partial(IntervalUKF),
        force_noise=NOISE,
        rate_limit=1.0,
    )


def updater_200() -> ModelUpdater:
    """For a separate process."""
    return updater(200.0)


def updater_500() -> ModelUpdater:
    """For a separate process."""
    return updater(500.0)


def updater_1000() -> ModelUpdater:
    """For a separate process."""
    return updater(1000.0)


def updater_2000() -> ModelUpdater:
    """For a separate process."""
    return updater(2000.0)
