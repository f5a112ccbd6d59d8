"""What every reader of ground-motion files shares.

The result, the units, and how numbers are read from a line.
"""

from __future__ import annotations

import math
import os
from typing import NamedTuple

from femu.support.errors import FileError, InputError
from femu.support.ordinary_file import text_of
from femu.units import cm, ft, g, gal, inch, m, mm, s

ACCELERATION_UNITS: dict[str, float] = {
    "g": g,
    "m/s2": m / s**2,
    "cm/s2": cm / s**2,
    "mm/s2": mm / s**2,
    "gal": gal,
    "in/s2": inch / s**2,
    "ft/s2": ft / s**2,
}
"""Units of acceleration that readers take, and the factor of each to m/s²."""


class Reading(NamedTuple):
    """What a reader returns."""

    name: str
    dt: float
    """Time between samples (s)."""
    acceleration: list[float]
    """Samples in m/s², the first at t = 0."""


def canonical_unit(text: str) -> str:
    """The spelling of a unit that `ACCELERATION_UNITS` uses.

    'M/S^2', 'm/s²' and 'm/s/s' all give 'm/s2'.
    """
    spelled = (
        text.strip().lower().replace(" ", "").replace("²", "2").replace("^", "").replace("**", "")
    )
    return spelled.replace("sec", "s").replace("/s/s", "/s2")


def unit_factor(unit: str, what: str) -> float:
    """Factor from a unit to m/s²."""
    factor = ACCELERATION_UNITS.get(canonical_unit(unit)) if isinstance(unit, str) else None
    if factor is None:
        known = ", ".join(repr(name) for name in ACCELERATION_UNITS)
        raise InputError(
            what,
            "unit",
            unit,
            "is not a unit of acceleration that femu knows",
            fix=f"use one of {known}",
        )
    return factor


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file; a file that is missing, unreadable or not text is a `FileError`."""
    try:
        return text_of(path, "utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileError(
            path, "is not a text file; give the path of a text file with the record"
        ) from None
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            path, f"cannot be read ({error.strerror or error}); check the path"
        ) from None


def number(text: str, path: str | os.PathLike[str], line: int) -> float:
    """A finite number from a piece of a line.

    Anything else is a `FileError` that names the line.
    """
    try:
        value = float(text)
    except ValueError:
        raise FileError(path, f"{text!r} is not a number", line) from None
    if not math.isfinite(value):
        raise FileError(path, f"{text!r} is not a finite number", line)
    return value
