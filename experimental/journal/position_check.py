"""Where a specimen is when a test continues: where the test has left it, or it must not be moved.

Between two days a laboratory may bring its actuators back to zero. The next command of the test
would then be a jump over the whole displacement in one step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import LimitTripped
from femu.experimental.journal.reader import HEAD, TAIL, Record
from femu.experimental.safety.limits import Guard, Limits, Unlimited
from femu.experimental.specimens.specimen import Specimen, checked
from femu.support.errors import InputError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
# times the largest step, or the largest distance from a command, so far: as far a specimen may have
# crept
ROOM = 2.0
FEW = 20  # samples from which that is not yet known
# standard deviations of a reading within which a specimen without limits counts as being in its
# place
NOISES = 10.0
DECLARE = (
    "Or declare how far the first step may move it, with the number that specimen and rig bear, "
    'for example Unlimited("reason", start=0.001).'
)
UNREAD = "Not read before the first step, and taken to be at zero:"
SAME_SETUP = 1e-9  # share of a command by which another machine may compute it differently
OF_LIMIT = 0.1  # share of the displacement limit that is allowed until then


def check_start_position(
    guard: Guard, place: Array, given: Limits | Unlimited | None, noise: Array
) -> None:
    """Raise `LimitTripped` if a specimen is too far from zero, where a test begins.

    Its first step would be a jump.
    """
    limits = guard.limits
    allowed, rule = (
        np.full(len(place), np.inf),
        "its limit of increment, or a tenth of that of displacement",
    )
    fix = "Bring the specimen to zero slowly, or set its zero where it is."
    if isinstance(given, Unlimited):
        allowed = _without_limits(given, noise)
        rule = (
            "the start of its Unlimited"
            if given.start is not None
            else "ten times the noise of its sensor"
        )
        fix = f"{fix} {DECLARE}"
    if limits.displacement is not None:
        allowed = OF_LIMIT * np.broadcast_to(
            np.asarray(limits.displacement, dtype=float), place.shape
        )
    if limits.increment is not None:
        allowed = np.minimum(allowed, limits.increment)
    away = np.abs(place)
    if np.any(away > allowed):
        worst = int(np.argmax(away - allowed))
        room = (
            f"{allowed[worst]:.6g} are allowed: {rule}"
            if allowed[worst] > 0.0
            else ("without limits nothing says how far that step may move it")
        )
        raise LimitTripped(
            f"A{guard.actuator(worst)[1:]} is at {place[worst]:.6g} before the first step, which "
            f"begins at 0, and {room}. Nothing was sent. {fix}"
        )


def _without_limits(given: Unlimited, noise: Array) -> Array:
    """How far a specimen without limits may be from where its test begins or continues."""
    return np.broadcast_to(
        NOISES * noise if given.start is None else np.asarray(given.start, dtype=float), noise.shape
    )


def check_resume_position(
    guard: Guard,
    position: Array,
    record: Record,
    name: str,
    given: Limits | Unlimited | None,
    noise: Array,
) -> str:
    """Raise `LimitTripped` if a specimen is farther from where its journal ends than a step may be.

    Returns a sentence if it is farther than it has ever been from a command, since the journal may
    have lost commands; empty if it is not.
    """
    limits = guard.limits
    commands, (reached, _) = record.commands(name), record.measurements(name)
    if not len(commands) and not len(reached):
        return ""
    # it may have gone there, or not yet; a lost command was measured
    last = commands[-1] if len(commands) >= len(reached) else reached[-1]
    away = np.minimum(
        np.abs(position - last), np.abs(position - (reached[-1] if len(reached) else 0.0 * last))
    )
    allowed = (
        np.full(len(last), np.inf)
        if limits.increment is None
        else np.broadcast_to(limits.increment, last.shape)
    )
    free = isinstance(given, Unlimited)
    both = min(len(commands), len(reached))  # a power cut may have taken the last commands
    errors = np.nanmax(np.abs(reached[:both] - commands[:both]), axis=0, initial=0.0)
    if limits.increment is None and (free or len(reached) >= FEW):
        steps = np.nanmax(np.abs(np.diff(commands, axis=0, prepend=0.0)), axis=0, initial=0.0)
        allowed = ROOM * np.maximum(steps, errors)
        if isinstance(given, Unlimited):
            allowed = np.maximum(allowed, _without_limits(given, noise))
    elif limits.increment is None and limits.displacement is not None:
        allowed = np.broadcast_to(
            OF_LIMIT * np.asarray(limits.displacement, dtype=float), last.shape
        )
    if np.any(away > allowed):
        worst = int(np.argmax(away - allowed))
        unsure = (
            ""
            if position.any()
            else (
                " If it answers zeros because it does not know where it is, see that it is where "
                "the journal ends, and give the RemoteSpecimen reads=False."
            )
        )
        unsure += f" {DECLARE}" if free else ""
        raise LimitTripped(
            f"A{guard.actuator(worst)[1:]} is at {position[worst]:.6g}, but the journal ends with "
            f"the command {last[worst]:.6g}: {away[worst]:.6g} away, and {allowed[worst]:.6g} are "
            "allowed. Nothing was sent. Bring the specimen back to where the journal ends, slowly, "
            f"and resume the test.{unsure}"
        )
    most = np.nanmax(np.abs(commands), axis=0, initial=0.0)
    usual = ROOM * errors + NOISES * noise + SAME_SETUP * most
    if len(reached) < FEW or not np.any(away > usual):
        return ""
    worst = int(np.argmax(away - usual))
    return (
        f"A{guard.actuator(worst)[1:]} was at {position[worst]:.6g} before the test continued, and "
        f"its journal ended with the command {last[worst]:.6g}: {away[worst]:.6g} away, farther "
        "than it had been from any command. If nobody has moved it, later commands were sent and "
        "the journal has lost them, as after a power cut: they are sent again."
    )


def find_position(
    specimen: Specimen,
    guard: Guard,
    label: str,
    name: str,
    record: Record | None,
    given: Limits | Unlimited | None,
    noise: Array,
) -> tuple[bool, str]:
    """Before a test begins, or continues from the journal ``record``: let the guard know where the
    specimen is; False if that cannot be read. With the doubt of `check_resume_position`.

    Raises `LimitTripped` if it is not where its journal ends, or too far from zero for a test that
    begins.
    """
    size = len(noise)
    if record is None:
        if (found := specimen.reading(np.zeros(size))) is None:
            return False, ""
        found = checked(found, size, label)
        check_start_position(guard, found.displacement, given, noise)
        guard.set_position(found)
        return True, ""
    commands = record.commands(name)
    # the last commands are lost
    if len(reached := record.measurements(name)[0]) > len(commands):
        commands = reached
    reading = specimen.reading(commands[-1].copy() if len(commands) else np.zeros(size))
    if reading is None:
        if len(commands) and commands[-1].any():
            warn(
                f"{label}: the specimen cannot report its position. The test continues from its "
                f"last command, {commands[-1].tolist()}: see that the specimen is there."
            )
        return False, ""
    reading = checked(reading, size, label)
    doubt = check_resume_position(guard, reading.displacement, record, name, given, noise)
    guard.set_position(reading)
    if doubt:
        warn(doubt)
    return True, doubt


def must_have_sent(
    record: Record, name: str, step: int, made: Array, setup: Any, label: str
) -> None:
    """Refuse a setup that makes another command of the target of a step than the journal has."""
    rows = record.command[name]
    rows = rows[rows[:, 0] <= step]
    if not len(rows):
        return
    sent = rows[-1, HEAD:-TAIL]
    if not np.allclose(made, sent, rtol=SAME_SETUP, atol=SAME_SETUP * float(np.abs(sent).max())):
        raise InputError(
            label,
            "setup",
            setup,
            f"must be that of the journal: for the last step it gives the command {made.tolist()}, "
            f"and {sent.tolist()} was sent",
        )
