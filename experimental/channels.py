"""Names of actuators and channels, and what they measure: displacement and force, or rotation and
moment.

The channels of an element are named by its directions ("x", "rz"); the actuators by its setup. What
has no direction of its own, as a jack, is named by its number, from "1" on. A name that begins with
a rotation is one of rotation and moment; it is in radians, unless the setup scales it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
ROTATIONS = ("rx", "ry", "rz")
OF_ROTATION = {"displacement": "rotation", "velocity": "angular velocity", "force": "moment"}
SCALED = " (scaled)"  # ends the name of a rotation that is not in radians


def numbered(size: int) -> tuple[str, ...]:
    """Names of actuators that have no other: "1", "2", ..."""
    return tuple(str(k + 1) for k in range(size))


def checked_names(who: str, given: Sequence[str] | None, size: int) -> tuple[str, ...]:
    """Names of actuators as a user gave them; numbers if there are none."""
    if given is None:
        return numbered(size)
    names = () if isinstance(given, str) else tuple(given)
    good = all(isinstance(n, str) and n.strip() for n in names)
    if len(names) != size or not good or len(set(names)) != size:
        raise InputError(
            who,
            "actuators",
            given,
            f"must be {size} different names",
            fix='name them by their directions, such as "x"',
        )
    return names


def different(names: Sequence[str]) -> tuple[str, ...]:
    """The names, or numbers if two of them are the same."""
    return tuple(names) if len(set(names)) == len(names) else numbered(len(names))


def rotates(name: str) -> bool:
    """Whether a channel is one of rotation and moment."""
    return name.split(" ")[0] in ROTATIONS


def quantity(what: str, name: str) -> str:
    """What is measured or limited ("displacement", "force", ...), in the word for this channel."""
    return OF_ROTATION.get(what, what) if rotates(name) else what


def named(what: str, name: str) -> str:
    """A quantity of a channel: "force x", "measured moment rz"."""
    *before, last = what.split(" ")
    return " ".join([*before, quantity(last, name), name])


def unit_of(what: str, name: str) -> str:
    """Kind of the unit of a displacement or force, for `femu.plots.Units`.

    Empty if it is not known.
    """
    if not rotates(name):
        return {"displacement": "length"}.get(what, what)
    return quantity(what, name) if what != "displacement" or not name.endswith(SCALED) else ""


def peaks(names: Sequence[str], displacement: Array, force: Array) -> dict[str, float]:
    """Largest magnitudes, by what was measured: those of forces and of moments are separate."""
    found: dict[str, float] = {}
    for what, values in (("displacement", displacement), ("force", force)):
        for k, name in enumerate(names):
            channel_kind = quantity(what, name)
            found[channel_kind] = max(
                found.get(channel_kind, 0.0), float(np.abs(values[:, k]).max(initial=0.0))
            )
    return {
        channel_kind: found[channel_kind]
        for channel_kind in ("displacement", "rotation", "force", "moment")
        if channel_kind in found
    }


def names_in(about: Mapping[str, Any], element: str, size: int) -> tuple[str, ...]:
    """Names of the actuators of an element by what a journal says of its test.

    Numbers if it does not.
    """
    found = about.get("channels", {})
    names = found.get(element) if isinstance(found, dict) else None
    good = isinstance(names, list) and len(names) == size and all(isinstance(n, str) for n in names)
    return tuple(names) if good and names is not None else numbered(size)


def limits_in_words(about: Mapping[str, Any], element: str, size: int) -> str:
    """Limits of an element, as a journal has them: those of each actuator with its name."""
    names, said = names_in(about, element, size), []
    for what, value in about["limits"][element].items():
        if isinstance(value, list) and len(value) == size:
            said += [f"{named(what, n)} {one:g}" for n, one in zip(names, value, strict=True)]
        else:
            words = {quantity(what, n): None for n in names}  # one number for all, in a fixed order
            said.append(
                f"{' or '.join(words)} {value:g}"
                if isinstance(value, float)
                else f"{what}: {value}"
            )
    return ", ".join(said)
