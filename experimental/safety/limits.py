"""Safety: what is checked before a command leaves, and before a measurement is believed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import numbered, quantity
from femu.experimental.errors import LimitTripped, OutlierMeasurement
from femu.experimental.specimens.specimen import Measurement
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
LIMITED = ("displacement", "increment", "velocity", "force")
"""What of an actuator can be limited."""
MEASURED = ("displacement", "force")
"""What of it is measured."""


def above_zero(what: str, argument: str, value: Any, most: float = math.inf) -> None:
    """Refuse what is neither None nor a number above zero and up to ``most``, nor one for each
    actuator."""
    try:
        array = np.atleast_1d(np.asarray(1.0 if value is None else value, dtype=float))
    except (TypeError, ValueError):
        array = np.array([math.nan])
    if array.ndim > 1 or not array.size or not ((array > 0.0) & (array <= most)).all():
        rule = "must be above 0" if most == math.inf else "must be finite and above 0"
        raise InputError(
            what, argument, value, rule, fix="give one number, or one for each actuator"
        )


@dataclass(frozen=True)
class Limits:
    """Largest displacement, increment, velocity and force of the actuators: one number for all or
    one for each.

    The force is predicted with the tangent before the command leaves. Measured displacements and
    forces are held against their limits too: a step is not taken with one that lies beyond.
    ``silence`` is the longest wait for an answer of the specimen, in seconds; left out, it is that
    of the specimen. ``tracking`` is the largest distance between target and measured displacement of
    a physical specimen; left out, it follows from the limit of displacement, the noise and the
    steps; see `femu.experimental.safety.following`. With `math.inf` there is none.
    """

    displacement: float | tuple[float, ...] | None = None
    increment: float | tuple[float, ...] | None = None
    velocity: float | tuple[float, ...] | None = None
    force: float | tuple[float, ...] | None = None
    silence: float | None = None
    tracking: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name in (*LIMITED, "tracking"):
            above_zero("Limits", name, getattr(self, name))
        if self.silence is not None and not (
            isinstance(self.silence, (int, float))
            and math.isfinite(self.silence)
            and self.silence > 0.0
        ):
            raise InputError(
                "Limits", "silence", self.silence, "must be above 0", fix="give it in seconds"
            )

    def as_data(self) -> dict[str, float | list[float]]:
        """The limits that were set, as plain data for a file."""
        given = {name: getattr(self, name) for name in (*LIMITED, "tracking")}
        return {
            name: np.asarray(value, dtype=float).tolist()
            for name, value in given.items()
            if value is not None
        }


@dataclass(frozen=True)
class Unlimited:
    """No limits, for a written ``reason``: it is kept in the journal, and shown with the outcome
    and in the report.

    Without limits nothing says how far the first step may move a physical specimen that is away
    from where its test begins or continues. ``start`` says it: one number for all actuators, or one
    for each. Left out, it is ten times the noise of the measured displacements if that is known
    (``SensorCheck(displacement_noise=...)``); otherwise the reading must be exact.
    """

    reason: str
    start: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.reason, str) or not self.reason.strip():
            raise InputError(
                "Unlimited",
                "reason",
                self.reason,
                "must be text",
                fix='say why no limits are needed, for example Unlimited("the controller has its '
                'own interlocks")',
            )
        above_zero("Unlimited", "start", self.start)

    def as_data(self) -> dict[str, Any]:
        """The reason, as plain data for a file."""
        start = (
            {} if self.start is None else {"start": np.asarray(self.start, dtype=float).tolist()}
        )
        return {"unlimited": self.reason, **start}


def bounds_of(limits: Limits | Unlimited | None) -> Limits:
    """The limits to check against: none of them if there are none."""
    return limits if isinstance(limits, Limits) else Limits()


def must_be_limited(who: str, physical: bool, limits: Any) -> None:
    """Refuse anything but limits, and a physical specimen without those that keep a step from
    breaking it."""
    if limits is not None and not isinstance(limits, (Limits, Unlimited)):
        raise InputError(who, "limits", limits, "must be Limits or Unlimited")
    if not physical or isinstance(limits, Unlimited):
        return
    known = bounds_of(limits)
    missing = [name for name in ("displacement", "force") if getattr(known, name) is None]
    if known.increment is known.velocity is None:
        missing.insert(1 if missing[:1] == ["displacement"] else 0, "increment or velocity")
    if missing:
        step = "increment" if known.increment is not None else "velocity"
        line = ", ".join(
            f"{name}={example if (given := getattr(known, name)) is None else given}"
            for name, example in (("displacement", 0.05), (step, 0.1), ("force", 1e5))
        )
        raise InputError(
            who,
            "limits",
            limits,
            f"must limit {', '.join(missing)}: a physical specimen can be broken only once",
            fix=f"give limits=Limits({line}) with the values that specimen and rig can bear, or "
            'limits=Unlimited("reason") if something else protects them',
        )


class Guard:
    """Checks commands against limits. It knows where the specimen is and how stiff it is.

    ``stiffness`` is the tangent in the coordinates of the actuators; whoever estimates it keeps it
    up to date.
    """

    def __init__(
        self,
        limits: Limits,
        size: int,
        stiffness: Array | None = None,
        who: str = "the specimen",
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.limits, self.who = limits, who
        self.names = numbered(size) if names is None else names
        self.stiffness = np.zeros((size, size)) if stiffness is None else stiffness
        if limits.force is not None and stiffness is None:
            raise InputError(
                "Limits",
                "force",
                limits.force,
                "needs a stiffness to predict the force with",
                fix="give the element an initial stiffness",
            )
        for name in (*LIMITED, "tracking"):
            if np.size(given := getattr(limits, name)) not in (1, size):
                raise InputError(
                    "Limits",
                    name,
                    given,
                    f"must be one number, or one for each of {size} actuators",
                )
        self.from_place = not limits.increment is limits.velocity is limits.force is None
        """Whether a limit counts from where the specimen is."""
        self._unlimited = (
            limits.displacement is limits.increment is limits.velocity is limits.force is None
        )
        self.command = np.zeros(size)
        self.time: float | None = None
        self.displacement, self.force = np.zeros(size), np.zeros(size)

    def check(self, command: Array, time: float) -> None:
        """Raise `LimitTripped` where the command must not leave; nothing changes then."""
        limits = self.limits
        if command.shape != self.command.shape:  # numpy would stretch one number over all actuators
            raise LimitTripped(
                f"The command {command.tolist()} has the shape {command.shape}; one number for "
                f"each of {len(self.command)} actuators was expected. It was not sent."
            )
        if self._unlimited and math.isfinite(command.sum()):
            return
        if not np.isfinite(command).all():
            raise LimitTripped(f"The command {command.tolist()} is not finite. It was not sent.")
        step = command - self.command
        self._compare("displacement", command, limits.displacement, command, time)
        self._compare("increment", step, limits.increment, command, time)
        if limits.velocity is not None:
            if self.time is None:
                raise LimitTripped(
                    f"The command {command.tolist()} at t = {time:g} is the first, and there is no "
                    "time from which its velocity counts. It was not sent. Call begin() before the "
                    "first command."
                )
            dt = time - self.time
            if dt > 0.0:
                self._compare("velocity", step / dt, limits.velocity, command, time)
            elif np.any(step != 0.0):
                raise LimitTripped(
                    f"The command {command.tolist()} at t = {time:g} comes no later than the last "
                    "one, so its velocity has no bound. It was not sent."
                )
        if limits.force is not None:
            predicted = self.force + self.stiffness @ (command - self.displacement)
            self._compare("force", predicted, limits.force, command, time)

    def _compare(self, what: str, values: Array, limit: Any, command: Array, time: float) -> None:
        if limit is None:
            return
        within = np.abs(values) <= np.asarray(limit)  # not a number is not within
        if not within.all():
            worst = int(
                np.argmax(
                    np.where(
                        within, 0.0, np.nan_to_num(np.abs(values) / np.asarray(limit), nan=np.inf)
                    )
                )
            )
            most = float(np.broadcast_to(limit, values.shape)[worst])
            raise LimitTripped(
                f"The {quantity(what, self.names[worst])} limit of {self.actuator(worst)} tripped "
                f"at t = {time:g}: {values[worst]:.6g} beyond {most:.6g}. The command "
                f"{command.tolist()} was not sent."
            )

    def actuator(self, place: int) -> str:
        """An actuator in a message."""
        return f"actuator {self.names[place]} of {self.who}"

    def begin(self) -> None:
        """A test begins, at time 0: the velocity of the first command counts from there."""
        self.time = 0.0

    def set_position(self, reading: Measurement) -> None:
        """The specimen was found here before a command: the next one is a step from here."""
        self.measured(reading, self.time or 0.0)
        self.command = reading.displacement.copy()

    @property
    def position(self) -> tuple[Array, Array, Array]:
        """Where the specimen is, for the limits.

        Last command, measured displacement and force.
        """
        return self.command, self.displacement, self.force

    @position.setter
    def position(self, place: tuple[Array, Array, Array]) -> None:
        self.command, self.displacement, self.force = place

    def sent(self, command: Array, time: float) -> None:
        """The command has left, or is held for longer.

        The velocity of the next one counts from this time on.
        """
        # a client whose time goes back must not win time for its next step
        self.command, self.time = (
            command.copy(),
            time if self.time is None else max(self.time, time),
        )

    def measured(self, measurement: Measurement, time: float) -> None:
        """Where the specimen is now.

        Raises `OutlierMeasurement` where that is beyond a limit, and nothing changes then.
        """
        for what in MEASURED:
            limit, values = getattr(self.limits, what), getattr(measurement, what)
            if limit is not None and np.any(over := np.abs(values) > np.asarray(limit)):
                worst = int(np.argmax(over))
                most = float(np.broadcast_to(limit, values.shape)[worst])
                raise OutlierMeasurement(
                    f"A{self.actuator(worst)[1:]} measured the {quantity(what, self.names[worst])} "
                    f"{values[worst]:.6g} at t = {time:g}, beyond its limit {most:.6g}. The step "
                    "was not taken."
                )
        self.displacement, self.force = measurement.displacement.copy(), measurement.force.copy()
