"""`femu demo`: a portal frame from its periods to an earthquake, in a table and a picture.

The frame is that of Wu, Chen, Xu and Zeng (2015): columns of H 250×250 with coupled axial force and moment, an elastic
beam, fixed feet, 30 t on each corner. Weight and P-Δ act throughout.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich.console import Console

from femu.cli.table import MISSED_LIMIT, Row, Table
from femu.units import GPa, MPa, g, kN, mm, ton

if TYPE_CHECKING:
    from femu.analyses import Modes
    from femu.cli.demo_picture import Picture
    from femu.cli.stages import Stages
    from femu.materials import NMSection
    from femu.model import Model
    from femu.records import GroundMotion
    from femu.results import Result

SPAN, HEIGHT = 6.0, 3.6
MASS = 30 * ton
ROTATIONAL_INERTIA = 20e3  # kg m²
STEEL = 206 * GPa
BEAM_AREA, BEAM_INERTIA = 6.456e-3, 1.10103e-4  # H 300×200, from the paper
PUSHED_TO = 0.02 * HEIGHT
PEAK_ACCELERATION = 3.4  # m/s²: El Centro a little above its recorded peak, so that the columns yield in earnest
STEP = 0.01
BALANCE = 1e-6  # of the energy put in; Newmark's rule keeps the balance to the tolerance of the iteration
DEFAULT_PICTURE = Path("femu-demo.png")


@click.command("demo")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), default=DEFAULT_PICTURE, show_default=True,
              help="Where to write the picture.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(output: Path, as_json: bool) -> None:
    """Run a portal frame: periods, pushover, El Centro, and write a picture of them.

    \b
    Example:
      femu demo --output portal.png
    """
    from femu.cli.stages import Stages

    with Stages(Console(stderr=as_json)) as stages:
        table, picture = run(stages)
        stages.begin("drawing")
        picture.save(output)
    if as_json:
        click.echo(json.dumps({**table.to_dict(), "picture": str(output)}, ensure_ascii=False, indent=2))
    else:
        table.show()
        click.echo(f"picture: {output}")
    if not table.ok:
        click.get_current_context().exit(MISSED_LIMIT)


def column_section() -> NMSection:
    """The section of the columns."""
    from femu.materials import NMSection

    return NMSection.h_shape(depth=250*mm, width=250*mm, web=6*mm, flange=12*mm, E=STEEL, fy=280*MPa, b=0.03)


def portal() -> Model:
    """The frame, with its weight as pattern "gravity" and a push at the roof as pattern "push"."""
    from femu.elements import ElasticBeamColumn, ForceBeamColumn
    from femu.materials import ElasticSection
    from femu.model import Model

    column = column_section()
    frame = Model("portal")
    frame.node("A", 0.0, 0.0, fixed=True)
    frame.node("B", SPAN, 0.0, fixed=True)
    frame.node("C", 0.0, HEIGHT, mass=(MASS, MASS, ROTATIONAL_INERTIA))
    frame.node("D", SPAN, HEIGHT, mass=(MASS, MASS, ROTATIONAL_INERTIA))
    frame.add(ForceBeamColumn("left", "A", "C", section=column, geometry="p-delta"))
    frame.add(ForceBeamColumn("right", "B", "D", section=column, geometry="p-delta"))
    frame.add(ElasticBeamColumn("beam", "C", "D", section=ElasticSection(E=STEEL, A=BEAM_AREA, I=BEAM_INERTIA)))
    frame.rayleigh(ratio=0.02, modes=(1, 2))
    for corner in ("C", "D"):
        frame.load(corner, y=-MASS * g, pattern="gravity")
        frame.load(corner, x=1.0, pattern="push")
    return frame


def run(stages: Stages) -> tuple[Table, Picture]:
    """All analyses of the demo, and what they give."""
    began = time.perf_counter()
    stages.begin("periods")
    from femu.analyses import LoadControl, Newmark, Pushover, Transient, eigen
    from femu.kernels import compile_statistics
    from femu.records import GroundMotion

    program = portal().compile()
    modes = eigen(program, 3)
    stages.begin("weight")
    weight = LoadControl(pattern="gravity").run(program, progress=stages)
    stages.begin("pushover")
    push = Pushover("C", to=PUSHED_TO, steps=200, pattern="push").run(program, start=weight.state, progress=stages)
    stages.begin("El Centro")
    quake = GroundMotion.el_centro().scaled(pga=PEAK_ACCELERATION)
    shaken = Transient(Newmark(), dt=STEP).run(program, quake, start=weight.state, progress=stages)
    rows = [*_modal_rows(modes), *_push_rows(push), *_quake_rows(shaken, weight)]
    rows.append(Row(f"time of {len(shaken.time) - 1} steps", 1e3 * shaken.seconds, "ms"))
    rows.append(Row("time of all analyses", time.perf_counter() - began, "s"))
    note = f"{stages.compiled} kernels were compiled in {compile_statistics()[1]:.0f} s and are kept for the next run."
    table = Table("Portal frame", rows, [note] if stages.compiled else [])
    return table, _picture(modes, push, shaken, quake)


def portal_stiffness(EI_column: float) -> float:
    """Lateral stiffness of a portal with fixed feet whose members do not stretch (Chopra, Dynamics of Structures)."""
    ratio = (STEEL * BEAM_INERTIA / SPAN) / (2 * EI_column / HEIGHT)
    return 24 * EI_column / HEIGHT**3 * (12 * ratio + 1) / (12 * ratio + 4)


def _modal_rows(modes: Modes) -> list[Row]:
    rows = [Row(f"period {number}", period, "s") for number, period in enumerate(modes.periods, start=1)]
    return [*rows, Row("mass moving in mode 1", 100 * modes.participation["x"][0], "%")]


def _push_rows(push: Result) -> list[Row]:
    drift, shear = push.displacement("C", "x"), -push.base_shear()
    # what the weight pulls on the sway is no part of the closed form for the frame itself
    stiffness = (shear[1] - shear[0]) / (drift[1] - drift[0]) + 2 * MASS * g / HEIGHT
    exact = portal_stiffness(column_section().EI)
    return [
        Row("stiffness without P-Δ", stiffness / (kN / mm), "kN/mm", exact / (kN / mm), "within 2 %",
            abs(stiffness / exact - 1) < 0.02),
        Row("shear at 2 % drift", shear[-1] / kN, "kN"),
    ]


def _quake_rows(shaken: Result, weight: Result) -> list[Row]:
    drift = shaken.displacement("C", "x") - weight.displacement("C", "x")[-1]
    absorbed = shaken.energy("absorbed")
    return [
        Row("El Centro: peak ground", PEAK_ACCELERATION / g, "g"),
        Row("peak drift", np.abs(drift).max() / mm, "mm"),
        Row("peak drift over height", 100 * np.abs(drift).max() / HEIGHT, "%"),
        Row("drift that remains", drift[-1] / mm, "mm"),
        Row("peak base shear", np.abs(shaken.base_shear()).max() / kN, "kN"),
        Row("plastic rotation", 1e3 * np.abs(shaken.plastic_rotation("left", "i")).max(), "mrad"),
        Row("energy absorbed", (absorbed[-1] - absorbed[0]) / kN, "kJ"),
        Row("energy out of balance", 100 * shaken.energy_error, "%", 0, f"< {100 * BALANCE:g} %",
            shaken.energy_error < BALANCE),
        Row("steps that needed help", len(shaken.relaxations)),
        Row("outcome", shaken.outcome.name.lower(), limit="complete", ok=shaken.outcome.ok),
    ]


def _picture(modes: Modes, push: Result, shaken: Result, quake: GroundMotion) -> Picture:
    from femu.cli.demo_picture import Mode, Picture

    at = {"A": (0.0, 0.0), "B": (SPAN, 0.0), "C": (0.0, HEIGHT), "D": (SPAN, HEIGHT)}
    members = (("A", "C"), ("B", "D"), ("C", "D"))

    def moved(mode: int, node: str) -> np.ndarray:
        shape = np.array([modes.shape(mode, node, direction) for direction in ("x", "y", "rz")])
        return shape if modes.shape(mode, "C", "x") > 0.0 else -shape  # the sign of a mode is free: drawn to the right

    shapes = [
        Mode(float(modes.periods[mode - 1]), [(moved(mode, i), moved(mode, j)) for i, j in members]) for mode in (1, 2)
    ]
    return Picture(
        members=[(np.array(at[i]), np.array(at[j])) for i, j in members],
        modes=shapes,
        pushover_drift=push.displacement("C", "x"),
        pushover_shear=-push.base_shear(),
        rotation=shaken.deformation("left")[:, 1],
        moment=shaken.basic_force("left", "Mi"),
        plastic_moment=column_section().plastic_moment,
        ground_times=quake.times,
        ground_acceleration=quake.acceleration,
        times=shaken.time - shaken.time[0],
        drift=shaken.displacement("C", "x"),
        height=HEIGHT,
    )
