"""Doubts about a record that was read.

What breaks no rule, but looks like a wrong unit or a wrong time step.
"""

from __future__ import annotations

from femu.support.users_line import warn
from femu.units import g

LARGEST_PEAK = 3.0 * g  # the strongest horizontal ground acceleration ever recorded is below 3 g
SMALLEST_PEAK = 1e-4 * g  # below it nobody feels the shaking
LONGEST, SHORTEST = 1000.0, 1.0  # s
LARGEST_STEP, SMALLEST_STEP = 0.05, 2e-4  # s; instruments sample at 20 to 5000 per second


class RecordWarning(UserWarning):
    """A record that looks wrong, though it contradicts nothing."""


def question(name: str, dt: float, peak: float, duration: float) -> None:
    """Warn if peak, time step or duration are not those of a ground motion."""
    found = []
    if peak > LARGEST_PEAK:
        found.append(
            f"its peak is {peak / g:.3g} g, more than any ground has moved: is the unit right?"
        )
    elif 0.0 < peak < SMALLEST_PEAK:
        found.append(f"its peak is {peak / g:.3g} g, too little to be felt: is the unit right?")
    if not SMALLEST_STEP <= dt <= LARGEST_STEP:
        found.append(
            f"its time step of {dt:g} s makes a duration of {duration:g} s: is the time step right?"
        )
    elif not SHORTEST <= duration <= LONGEST:
        found.append(f"it lasts {duration:g} s at a time step of {dt:g} s: is the time step right?")
    for text in found:
        warn(f"GroundMotion {name!r}: {text}", RecordWarning)
