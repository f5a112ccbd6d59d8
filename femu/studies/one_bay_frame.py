"""The one-bay frame of Wu, Chen, Xu, Zeng (2015), whose left column is tested (N, m, kg, s).

Columns HA 250×250 (force-based, five Lobatto sections with N-M interaction), an elastic beam HA
300×200, span 6.0 m, height 3.6 m, Rayleigh damping of 2 % in the first two modes, El Centro NS
scaled to 220 gal. Not printed and chosen here: 30 t on each corner, E = 206 GPa, dt = 0.01 s, noise
of the measured forces 0.3 kN and 0.3 kNm, no P-Δ, gravity on or off. Gravity comes slowly before
the earthquake: the weight of the corners in the first half second, the ground motion after one
second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.experimental import EmulatedSpecimen, ExperimentalBeamColumn, Sensors
from femu.materials import ElasticSection, NMSection
from femu.model.model import Model
from femu.model.series import Sampled
from femu.records import GroundMotion
from femu.studies.storey_frame import el_centro
from femu.units import GPa, g, kN, ton
from femu.updating import Unknown

SPAN, HEIGHT = 6.0, 3.6
MASS, ROTATIONAL_INERTIA = 30 * ton, 20e3
STEEL = 206 * GPa
AREA, INERTIA, FLANGE_WEB = 7.356e-3, 9.0810e-5, 2.21239
BEAM_AREA, BEAM_INERTIA = 6.456e-3, 1.10103e-4
PEAK = 2.2  # m/s²
DT = 0.01
RAMP, LEAD = 0.5, 1.0  # s, of gravity
FORCE_NOISE = 0.3 * kN  # N and Nm alike

NAMES = ("section.yield_force", "section.plastic_moment", "section.b")
"""Unknowns, in the order of Table 4.2: Ny, Mp, b."""
TRUE = (2059.7 * kN, 221.4 * kN, 0.030)
INITIAL = (1728.7 * kN, 185.8 * kN, 0.015)
LOWER = (1581.5 * kN, 170.0 * kN, 0.010)
UPPER = (2322.9 * kN, 249.4 * kN, 0.040)
# b is printed as 0.208; its error of 4.67 % makes it 0.0286
PAPER_FINAL = (2075.5 * kN, 223.3 * kN, 0.0286)


def column_section(values: tuple[float, float, float] = TRUE) -> NMSection:
    """Section of a column with Ny, Mp and b."""
    return NMSection(
        EA=STEEL * AREA,
        EI=STEEL * INERTIA,
        yield_force=values[0],
        plastic_moment=values[1],
        flange_web_ratio=FLANGE_WEB,
        b=values[2],
    )


def column(name: str, i: str, j: str, values: tuple[float, float, float] = TRUE) -> ForceBeamColumn:
    return ForceBeamColumn(name, i, j, section=column_section(values))


def frame(
    left: tuple[float, float, float] | EmulatedSpecimen = TRUE,
    right: tuple[float, float, float] = TRUE,
    *,
    gravity: bool = False,
    mass: float = MASS,
) -> Model:
    """The frame. The left column is numerical with the values given, or tested if it is a
    specimen.

    With ``gravity`` the weight of the corners is in the load pattern "gravity", which grows
    over the time `RAMP`.
    """
    made = Model("one-bay frame of Wu et al. (2015)")
    made.node("A", 0.0, 0.0, fixed=True)
    made.node("B", SPAN, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", SPAN)):
        made.node(name, x, HEIGHT, mass=(mass, mass, ROTATIONAL_INERTIA))
    if isinstance(left, EmulatedSpecimen):
        made.add(ExperimentalBeamColumn("left", "A", "C", specimen=left, damped=True))
    else:
        made.add(column("left", "A", "C", left))
    made.add(column("right", "B", "D", right))
    made.add(
        ElasticBeamColumn(
            "beam", "C", "D", section=ElasticSection(E=STEEL, A=BEAM_AREA, I=BEAM_INERTIA)
        )
    )
    made.rayleigh(ratio=0.02, modes=(1, 2))
    if gravity:
        made.pattern("gravity", Sampled([0.0, RAMP], [0.0, 1.0], hold=True))
        for corner in ("C", "D"):
            made.load(corner, y=-mass * g, pattern="gravity")
    return made


def specimen(seed: int = 0, noise: float = FORCE_NOISE) -> EmulatedSpecimen:
    """The left column as an emulated specimen, with noise on the measured forces."""
    return EmulatedSpecimen(
        column("specimen", "i", "j"), length=HEIGHT, sensors=Sensors(force_noise=noise), seed=seed
    )


def twin() -> ForceBeamColumn:
    """The numerical twin of the left column, with the initial guess."""
    return column("twin", "i", "j", INITIAL)


def unknowns(
    std: Sequence[float | None] = (None,) * 3, process_noise: Sequence[float | None] = (None,) * 3
) -> dict[str, Unknown]:
    """The three unknowns with the limits of Table 4.2."""
    return {
        name: Unknown(start, low, high, spread, drift)
        for name, start, low, high, spread, drift in zip(
            NAMES, INITIAL, LOWER, UPPER, std, process_noise, strict=True
        )
    }


def ground_motion(gravity: bool = False) -> GroundMotion:
    """El Centro NS, 220 gal; with gravity it begins after the time `LEAD`."""
    record = el_centro().scaled(pga=PEAK)
    quiet = np.zeros(round(LEAD / record.dt) if gravity else 0)
    return GroundMotion(record.name, record.dt, np.concatenate([quiet, record.acceleration]))
