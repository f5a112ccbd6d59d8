"""Reader of files with two columns, time (s) and acceleration: CSV, or text with blanks between
them.

Lines that start with # are comments. A first line of words is the heading; a unit in brackets in
its second column, as in ``time,acc (g)``, is the unit of the file (CSV only). Times must be evenly
spaced, within the digits they are printed with, and start at zero or one step after it (then the
sample at t = 0 is zero).
"""

from __future__ import annotations

import os
import re
from decimal import Decimal
from pathlib import Path

from femu.records.reading import Reading, canonical_unit, number, read_lines, unit_factor
from femu.support.errors import FileError, InputError

_BRACKETED = re.compile(r"[(\[]([^)\]]+)[)\]]")
_LARGEST_JITTER = 0.25  # of a time step; beyond it a sample is mistaken for its neighbour


def read_csv(
    path: str | os.PathLike[str],
    unit: str | None = None,
    dt: float | None = None,
    separator: str | None = ",",
) -> Reading:
    """The record of a file of two columns, in m/s². `unit` is needed if the heading does not
    state it.

    `separator` None takes any blanks.
    """
    heading, rows = _rows(path, separator)
    factor = unit_factor(_unit(path, heading, unit), "two-column file")
    if len(rows) < 2:
        raise FileError(path, f"holds {len(rows)} samples, but a record needs at least two")
    times = [number(row[0], path, line) for line, row in rows]
    samples = [factor * number(row[1], path, line) for line, row in rows]
    step = _step(path, rows, times, dt)
    if abs(times[0] - step) <= _LARGEST_JITTER * step:
        samples.insert(0, 0.0)
    elif abs(times[0]) > _LARGEST_JITTER * step:
        raise FileError(
            path,
            f"starts at t = {times[0]:g} s, but must start at zero or one step later",
            rows[0][0],
        )
    return Reading(Path(path).stem, step, samples)


def _rows(
    path: str | os.PathLike[str], separator: str | None
) -> tuple[tuple[int, list[str]] | None, list[tuple[int, list[str]]]]:
    """The heading, if there is one, and the rows of two columns, each with the number of its line."""
    rows: list[tuple[int, list[str]]] = []
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        row = [piece.strip() for piece in text.split(separator)]
        if len(row) != 2:
            raise FileError(
                path, f"has {len(row)} columns, but time and acceleration are two", line
            )
        rows.append((line, row))
    if not rows:
        return None, []
    try:
        float(rows[0][1][0])
    except ValueError:
        return rows[0], rows[1:]
    return None, rows


def _unit(
    path: str | os.PathLike[str], heading: tuple[int, list[str]] | None, unit: str | None
) -> str:
    """The unit of the second column, from the heading or the caller.

    The two must not contradict each other.
    """
    bracketed = _BRACKETED.search(heading[1][1]) if heading else None
    if bracketed is None and unit is None:
        raise InputError(
            "two-column file",
            "unit",
            None,
            f"is not stated by the heading of {os.fspath(path)}",
            fix="give it, for example unit='g'",
        )
    if bracketed is None or heading is None:
        return str(unit)
    stated = bracketed.group(1)
    if unit is not None and canonical_unit(unit) != canonical_unit(stated):
        raise FileError(
            path, f"states the unit {stated!r}, but unit={unit!r} was given", heading[0]
        )
    return stated


def _step(
    path: str | os.PathLike[str],
    rows: list[tuple[int, list[str]]],
    times: list[float],
    asked: float | None,
) -> float:
    """The time step, checked at every line."""
    mean = (times[-1] - times[0]) / (len(times) - 1)
    if mean <= 0.0:
        raise FileError(path, "has times that do not increase", rows[-1][0])
    step = float(f"{mean:.12g}") if asked is None else asked
    # the last printed digit of a time is uncertain by half a unit, and so is the mean step taken
    # from two of them
    last_digit = max(-int(Decimal(row[0]).as_tuple().exponent) for _, row in rows)
    allowed = min(10.0**-last_digit, _LARGEST_JITTER * mean)
    for index, ((line, _), time) in enumerate(zip(rows, times, strict=True)):
        expected = times[0] + index * step
        if abs(time - expected) > allowed + 1e-9 * abs(expected):
            raise FileError(
                path, f"has t = {time:g} s, but a step of {step:g} s gives {expected:g} s", line
            )
    return step
