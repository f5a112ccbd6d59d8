"""The problem of ``femu reproduce rths-benchmark``: plant, structures, record and indices.

Silva, Gomez, Maghareh, Dyke and Spencer 2020: a frame of three storeys of which a part of the first
one is tested. The actuator, its servo valve, its controller and the specimen that acts on it are a
plant of fifth order.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from femu.experimental import Compensation, Converter, Plant, Sensors, perturbed
from femu.records import GroundMotion
from femu.studies import rths_loop

Array = npt.NDArray[np.float64]
RATE = 4096.0
DT = 1.0 / RATE
STIFFNESS = np.array(
    [
        [26054883.8796, -23133938.8771, 5937035.4633],
        [-23133938.8771, 32560774.1864, -14419970.7772],
        [5937035.4633, -14419970.7772, 9267275.5062],
    ]
)
CASES = {1: (1000.0, 0.05), 2: (1100.0, 0.04), 3: (1300.0, 0.03), 4: (1000.0, 0.03)}
"""Mass of each floor and damping ratio of all modes."""
MASS, RATIO = 29.13, 0.0097  # of the specimen
A1_BETA0, A2, GAIN = 2.1283e13, 4.2297e6, 1.0261
NOMINAL = {"k": 1190e3, "beta1": 425.0, "beta2": 9.9976e4, "a3": 3.3}
DEVIATIONS = {"k": 50e3, "beta1": 3.3, "beta2": 3.3e3, "a3": 1.3}
SCALE, REST = 0.4, 10.0
VOLT = 0.0254  # metres of displacement a volt
FORCE_VOLT = 10e3  # newtons a volt
CONVERTER = Converter(VOLT * 2.0**-18, 3.8 * VOLT)
SENSORS = Sensors.of_power(
    6.25e-14, 1.16e-3, DT, CONVERTER, Converter(FORCE_VOLT * 2.0**-18, 3.8 * FORCE_VOLT)
)


def plant_of(values: dict[str, float]) -> Plant:
    """The actuator with a specimen whose elastic force acts on it.

    States: displacement, velocity, force of the piston, and that of the valve with its rate.
    """
    k, beta1, beta2, a3 = (values[name] for name in NOMINAL)
    damping = 2.0 * RATIO * np.sqrt(k * MASS)
    a = np.array(
        [
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, -damping / MASS, 1.0 / MASS, 0.0, 0.0],
            [0.0, -A2, -a3, 1.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
            [-A1_BETA0, 0.0, 0.0, -beta2, -beta1],
        ]
    )
    b = np.array([[0.0], [0.0], [0.0], [0.0], [GAIN * A1_BETA0]])
    c, e = np.eye(1, 5), np.array([[0.0], [1.0 / MASS], [0.0], [0.0], [0.0]])
    return Plant(a, b, c, force=e, mass=MASS, damping=damping, converter=CONVERTER)


def moved_plant(values: dict[str, float]) -> Plant:
    """What a command moves: the plant with its specimen."""
    return plant_of(values).holding(values["k"])


def structures(
    case: int, values: dict[str, float]
) -> tuple[rths_loop.Structure, rths_loop.Structure]:
    """The numerical part and the whole structure; what the specimen of a plant has is not in the
    numerical part, so the whole is the same for all plants."""
    mass, ratio = CASES[case]
    m = mass * np.eye(3)
    squares, modes = eigh(STIFFNESS, m)
    c = m @ modes @ np.diag(2.0 * ratio * np.sqrt(squares)) @ modes.T @ m
    tested = np.diag([1.0, 0.0, 0.0])
    own = 2.0 * RATIO * np.sqrt(values["k"] * MASS)
    first, ground = np.eye(1, 3), mass * np.ones(3)
    numerical = rths_loop.Structure(
        m - MASS * tested, c - own * tested, STIFFNESS - values["k"] * tested, first, ground
    )
    return numerical, rths_loop.Structure(m, c, STIFFNESS, first, ground)


@lru_cache(maxsize=8)
def ground(duration: float | None = None, path: Path | None = None) -> Array:
    """El Centro (or a record of a file) at 0.4, with ten seconds of rest after its end."""
    motion = GroundMotion.el_centro() if path is None else GroundMotion.from_at2(path)
    values = np.asarray(motion.acceleration)
    length = motion.dt * (len(values) - 1) + REST if duration is None else duration
    times = np.arange(0.0, length, DT)
    return SCALE * np.interp(times, motion.dt * np.arange(len(values)), values, right=0.0)


def indices(run: rths_loop.Motion, whole: Array) -> Array:
    """J1 (ms) and J2 to J9 (per cent) of a run; all NaN if it was unstable."""
    if rths_loop.is_unstable(run, whole[:, 0], DT):
        return np.full(9, np.nan)
    x, t, floors = run.reached[:, 0], run.target[:, 0], run.displacement
    return np.array(
        [
            1e3 * rths_loop.delay_of(x, t, DT),
            rths_loop.deviation(x, t),
            rths_loop.peak(x, t),
            rths_loop.deviation(x, whole[:, 0]),
            rths_loop.peak(x, whole[:, 0]),
            *(rths_loop.deviation(floors[:, k], whole[:, k]) for k in (1, 2)),
            *(rths_loop.peak(floors[:, k], whole[:, k]) for k in (1, 2)),
        ]
    )


def tested(
    case: int,
    values: dict[str, float],
    compensation: Compensation,
    seed: int = 0,
    sensors: Sensors = SENSORS,
    duration: float | None = None,
    path: Path | None = None,
    waiting: int = 0,
    believed: dict[str, float] | None = None,
) -> tuple[Array, rths_loop.Motion, Array]:
    """Indices of a test, its motion, and the whole structure without a test.

    Commands leave ``waiting`` steps late. The numerical part leaves out the specimen as it is, or as
    it is ``believed`` to be.
    """
    numerical, whole = structures(case, believed or values)
    motion = ground(duration, path)
    plant = plant_of(values)
    held = np.array([values["k"]])
    run = rths_loop.run_loop(
        numerical,
        numerical.explicit(DT),
        plant.holding(held),
        rths_loop.of_specimens(plant, numerical, held),
        compensation,
        sensors,
        motion,
        DT,
        seed,
        waiting,
    )
    exact = rths_loop.without_test(whole, whole.explicit(DT), motion)
    return indices(run, exact), run, exact


def plants(count: int) -> list[dict[str, float]]:
    """Perturbed plants, always the same ones."""
    return perturbed(NOMINAL, DEVIATIONS, count, seed=2020)
