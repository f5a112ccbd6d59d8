"""A specimen reached over the network."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMessage, ExperimentError, PeerSilent, ServerRefused
from femu.experimental.network.secret import as_secret
from femu.experimental.network.transport import LOOPBACK, Link, connect, must_be_positive
from femu.experimental.network.validate import (
    must_be_measured,
    must_not_refuse,
)
from femu.experimental.network.wire import (
    DEFAULT_DATA,
    DOUBLE,
    Action,
    Sizes,
    Terms,
    numbers,
)
from femu.experimental.specimens.specimen import Measurement, Specimen
from femu.support.errors import InputError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
MOST_STALE = 100  # answers to earlier commands that are passed over while one is waited for
ASKED_AT = -1.0  # time of a request for a reading before the first command; no command has it
OWN_CLOCK = (
    "{who}: the server does not answer with the time of the command, so a command that is lost on "
    "the way is not noticed: its answer would be that of the command before. Use TCP, or UDP on a "
    "cable of your own."
)


class RemoteSpecimen(Specimen):
    """A specimen that a server moves; the base of the three kinds of connection.

    ``silence`` is the longest wait for an answer, in seconds. Nothing is sent to hold: a server
    that hears nothing keeps the last position.

    Datagrams (``udp=True``) can come twice, late or not at all. If commands and answers carry a
    time (those of `RemoteSite` and `RemoteApplication` do over UDP) and the server answers with
    that of the command, as femu's servers do, an answer to another command is recognised and passed
    over. Whether it does is found out by a reading before the first command; servers of OpenFresco
    do not, and a warning says what that means. Give ``acquired`` with a time if the server must
    answer with that of the command, and without one if it must not be asked for it.

    Where an exchange fails, the connection is given up: an answer that comes late must not be taken
    for that of another command. Before a test begins with limits that count from where the specimen
    is, and before a resumed test continues, the server is asked for a reading; with
    ``reads=False`` it is not, for those that cannot answer before they have a command, or answer
    zeros then. Zeros are a reading as any other: a specimen that was brought back to zero is not
    sent to the end of a journal.

    With a ``secret`` the server must be one of femu with the same: each side proves that it knows it,
    and every message carries a counter and a code (HMAC-SHA256), so that nobody else can command or
    answer. It is not encryption. `read_secret` reads one from a file.
    """

    commits = True  # whether the server is notified of committed steps
    handshake = True  # whether it begins with one byte over UDP
    asks = Action.ALL  # how it is asked for what was measured
    # whether a reading before the first command shows if it is the right kind of server
    looks_first = False

    def __init__(
        self,
        size: int,
        port: int,
        host: str = LOOPBACK,
        *,
        udp: bool = False,
        silence: float = 60.0,
        control: Sizes | None = None,
        acquired: Sizes | None = None,
        data: int = DEFAULT_DATA,
        stiffness: npt.ArrayLike | None = None,
        reads: bool = True,
        secret: str | bytes | None = None,
    ) -> None:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise InputError(type(self).__name__, "size", size, "must be a whole number from 1 on")
        self.size = size
        self.control = control or Sizes(displacement=size, time=1)
        # over UDP an answer without its time could be that to another command: one of them may have
        # been lost
        self.acquired = acquired or Sizes(
            displacement=size, force=size, time=self.control.time if udp else 0
        )
        self._asks_time = bool(udp and self.control.time and self.acquired.time)
        # whether answers carry the time of their command; None until it is known
        self._dated_given: bool | None = (
            None if acquired is None and self._asks_time else self._asks_time
        )
        self._dated, self._looked, self._own_clock = self._dated_given, False, False
        if self.control.displacement != size or any(self.control.all[1:4]) or self.control.time > 1:
            raise InputError(
                type(self).__name__,
                "control",
                self.control,
                f"must be {size} displacements, and a time or none",
                "Nothing else can be sent",
            )
        if (
            self.acquired.force != size
            or self.acquired.displacement not in (0, size)
            or self.acquired.time > 1
        ):
            raise InputError(
                type(self).__name__,
                "acquired",
                self.acquired,
                f"must have {size} forces, and as many displacements or none, and a time or none",
            )
        self.terms = Terms.fitting(self.control, self.acquired, data)
        self._stiffness = (
            None if stiffness is None else np.atleast_2d(np.asarray(stiffness, dtype=float))
        )
        if self._stiffness is not None and not np.isfinite(self._stiffness).all():
            raise InputError(
                type(self).__name__, "stiffness", stiffness, "must be a matrix of finite numbers"
            )
        self.udp, self.reads = udp, reads
        self._blocks = np.zeros(self.control.total)
        must_be_positive(type(self).__name__, silence=silence)
        self._secret = as_secret(type(self).__name__, secret)
        self._host, self._port, self._silence = host, port, silence
        self._connected: Link | None = None

    @property
    def _link(self) -> Link:
        """The connection, made when it is first needed.

        A script can describe a test where there is no laboratory.
        """
        if self._connected is None:
            self.open()
        assert self._connected is not None
        return self._connected

    def open(self) -> None:
        """Connect to the server."""
        if self._connected is not None:
            return
        link = connect(
            self._host,
            self._port,
            udp=self.udp,
            silence=self._silence,
            handshake=self.handshake,
            secret=self._secret,
        )
        try:
            self.begin(link)
        except ExperimentError:
            link.close()
            raise
        self._connected = link
        self._dated, self._looked, self._own_clock = self._dated_given, False, False

    def begin(self, link: Link) -> None:
        """What is said before the first command."""
        link.send(self.terms.encoded())

    def apply(self, command: Array, time: float) -> Measurement:
        command = self._checked(command, time)
        self._look()
        other: Measurement | None = None
        try:
            self._ask(command, time, Action.TRIAL, self.asks)
            for _ in range(MOST_STALE):
                measured = self._answer(command, time)
                if self._is_answer(measured, time):
                    return (
                        measured
                        if self._dated
                        else Measurement(measured.displacement, measured.force, time)
                    )
                other = measured
            raise BadMessage(
                f"{MOST_STALE} answers came, none of them to the command of t = {time:g}."
            )
        except BaseException as problem:
            self._drop()
            if other is not None and getattr(problem, "measurement", None) is None:
                problem.measurement = other  # type: ignore[attr-defined]  # for the journal: it may be that of this command
            if other is not None and isinstance(problem, PeerSilent):
                problem.args = (
                    f"{problem} To the command of t = {time:g} came an answer of t = "
                    f"{other.time:g}: the command was lost on the way, or the server answers with "
                    "a clock of its own. For such a one give "
                    f"acquired=Sizes(displacement={self.acquired.displacement}, "
                    f"force={self.size}).",
                )
            raise

    def _is_answer(self, measured: Measurement, time: float) -> bool:
        """Whether this answers the command of a time.

        If a reading did not show that it has one, the first answers do.
        """
        if not self._asks_time or self._dated is False:
            return True
        if self._dated or time == 0.0:
            return measured.time == time or not self._dated
        if measured.time == time:
            if self._own_clock:
                raise BadMessage(
                    "The server answers with the time of the command after all: an earlier command "
                    "was lost on the way, and its answer was that of another one. The step was not "
                    "taken."
                )
            self._dated = True
        elif not self._own_clock:
            self._own_clock = True
            warn(OWN_CLOCK.format(who=type(self).__name__))
        return True

    def _look(self) -> None:
        """Before the first command of a connection.

        A reading, if something must be known of the server that it shows.
        """
        self.open()
        if self.reads and not self._looked and (self.looks_first or self._dated is None):
            self.reading(self._blocks[: self.size].copy())

    def _checked(self, command: npt.ArrayLike, time: float) -> Array:
        """A command that can be sent as it is."""
        made = np.asarray(command, dtype=float)
        if made.shape != (self.size,) or not np.isfinite(made).all():
            raise InputError(
                type(self).__name__,
                "command",
                command,
                f"must be {self.size} finite numbers",
                "It was not sent",
            )
        if not math.isfinite(time):
            raise InputError(
                type(self).__name__, "time", time, "must be finite", "The command was not sent"
            )
        return made

    def reading(self, last: Array) -> Measurement | None:
        if not self.reads:
            return None
        last = self._checked(last, 0.0)
        self.open()
        first, self._looked = not self._looked, True
        try:
            self._ask(last, ASKED_AT, self.asks)
            measured = self._answer(last, 0.0)
            if first and self._dated is None and measured.time == ASKED_AT:
                self._dated = True
        except PeerSilent as problem:
            self._drop()
            raise PeerSilent(
                f"{problem} It was asked for a reading. Give reads=False if it cannot answer that "
                "before it has a command."
            ) from problem
        except BaseException:
            self._drop()
            raise
        measured = Measurement(measured.displacement, measured.force, 0.0)
        # without displacements it says nothing of where it is
        return measured if self.acquired.displacement else None

    @property
    def can_be_read(self) -> bool:
        return self.reads and bool(self.acquired.displacement)

    def _ask(self, command: Array, time: float, *actions: Action) -> None:
        self._blocks[: self.size] = command
        if self.control.time:
            self._blocks[-1] = time
        self._link.forget()
        for action in actions:
            self._send(action)

    def _answer(self, command: Array, time: float) -> Measurement:
        data = self._link.receive(8 * self.terms.data)
        try:
            must_not_refuse(data, self.acquired.total)
            values = numbers(data, self.acquired.total)
            self._check_protocol(data, command)
            must_be_measured(values[: self.acquired.total - self.acquired.time])
            return self._measurement(values, command, time)
        except ServerRefused:
            with contextlib.suppress(ExperimentError):
                self.farewell(self._link)  # over UDP it would not notice otherwise
            raise
        except BadMessage as problem:  # what else came with it belongs in the journal
            problem.measurement = self._measurement(
                np.frombuffer(data, DOUBLE, self.acquired.total), command, time
            )
            raise

    def _measurement(self, values: Array, command: Array, time: float) -> Measurement:
        displacement, _, _, force, clock = self.acquired.split(values)
        return Measurement(
            displacement if len(displacement) else np.array(command, dtype=float),
            force,
            float(clock[0]) if len(clock) else time,
        )

    def _check_protocol(self, data: bytes, command: Array) -> None:
        """Refuse an answer that another protocol gives."""

    def _drop(self) -> None:
        """Give the connection up."""
        link, self._connected = self._connected, None
        if link is not None:
            link.close()

    def _send(self, action: Action) -> None:
        self._link.send(self.terms.request(action, self._blocks))

    def commit(self, time: float) -> None:
        if self.commits:
            try:
                self._send(Action.COMMIT)
            except BaseException:
                self._drop()
                raise

    def wait_at_most(self, seconds: float) -> None:
        self._silence = seconds
        if self._connected is not None:
            self._connected.silence = seconds

    def initial_stiffness(self) -> Array | None:
        return self._stiffness

    def close(self) -> None:
        link, self._connected = self._connected, None
        if link is None:
            return
        with contextlib.suppress(ExperimentError):
            self.farewell(link)
        link.close()

    def farewell(self, link: Link) -> None:
        """How the test ends normally."""
        link.send(self.terms.request(Action.DIE, self._blocks))
