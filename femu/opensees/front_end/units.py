"""defaultUnits: names of units, as numbers in the units of the script, written into its main
module."""

from __future__ import annotations

import math
import sys

from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.table import command
from femu.support.errors import shown

# N
FORCES = {
    "lb": 4.4482216152605,
    "kip": 4448.2216152605,
    "N": 1.0,
    "kN": 1e3,
    "MN": 1e6,
    "kgf": 9.80665,
    "tonf": 9806.65,
}
LENGTHS = {"in": 0.0254, "inch": 0.0254, "ft": 0.3048, "mm": 1e-3, "cm": 1e-2, "m": 1.0}  # m
TIMES = {"sec": 1.0, "msec": 1e-3}  # s
FORM = " | -force force:w | -length length:w | -time time:w | -temp temperature:w"
GRAVITY = 32.174049  # ft/s², the figure of OpenSees


def units(force: str, length: str, time: str) -> dict[str, float]:
    """All names that OpenSees defines."""
    found = {name: value / FORCES[force] for name, value in FORCES.items()}
    lengths = {name: value / LENGTHS[length] for name, value in LENGTHS.items() if name != "in"}
    found |= lengths | {name: value / TIMES[time] for name, value in TIMES.items()}
    for name in ("inch", "ft", "mm", "cm", "m"):
        short = "in" if name == "inch" else name
        found |= {f"{short}2": found[name] ** 2, f"{short}4": found[name] ** 4}
    newton, metre, foot, second = found["N"], found["m"], found["ft"], found["sec"]
    mass = newton * second**2 / metre
    found |= {
        "lbf": found["lb"],
        "Newton": newton,
        "kNewton": found["kN"],
        "meter": metre,
        "psi": found["lb"] / found["in2"],
        "ksi": found["kip"] / found["in2"],
        "psf": found["lb"] / found["ft2"],
        "ksf": found["kip"] / found["ft2"],
        "pcf": found["lb"] / foot**3,
        "Pa": newton / found["m2"],
        "kPa": found["kN"] / found["m2"],
        "MPa": found["MN"] / found["m2"],
        "kg": mass,
        "Mg": 1e3 * mass,
        "slug": found["lb"] * second**2 / foot,
        "g": GRAVITY * foot / second**2,
        "pi": math.pi,
        "PI": math.pi,
    }
    return found


@command(
    "defaultUnits",
    "model",
    FORM,
    "Define inch, kN, MPa, g and other names in the main module, as numbers in these units.",
)
def default_units(reader: Reader) -> None:
    # -Force is taken too
    reader.items = [
        item.lower() if isinstance(item, str) and item.startswith("-") else item
        for item in reader.items
    ]
    a = reader.read(FORM)
    for name, known in (("force", FORCES), ("length", LENGTHS), ("time", TIMES)):
        if a[name] is None:
            raise reader.error(f"-{name} is missing; known: {', '.join(known)}.")
        if a[name] not in known:
            raise reader.error(f"-{name} {shown(a[name])} is not known; known: {', '.join(known)}.")
    vars(sys.modules["__main__"]).update(units(a["force"], a["length"], a["time"]))
