"""A specimen reached over the network."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.errors import InputError
from femu.experimental.errors import BadMessage, ExperimentError, PeerSilent
from femu.experimental.specimen import Measurement, Specimen
from femu.experimental.transport import LOOPBACK, Link, connect
from femu.experimental.wire import (
    DEFAULT_DATA,
    DOUBLE,
    ENDIAN_CHECK,
    INIT_BYTES,
    INIT_MARK,
    VERSION,
    Action,
    Sizes,
    Terms,
    numbers,
    vector,
)

Array = npt.NDArray[np.float64]
MOST_STALE = 100  # answers to earlier commands that are passed over while one is waited for
FAREWELL = 2.0  # seconds that a server gets to answer the end of a test


class RemoteSpecimen(Specimen):
    """A specimen behind a server; the base of the three kinds of connection.

    ``silence`` is the longest wait for an answer, in seconds. Nothing is sent to hold: a server that hears nothing keeps the
    last position.

    Datagrams (``udp=True``) can come twice, late or not at all. Where commands and answers carry a time (those of `RemoteSite`
    and `RemoteApplication` do over UDP; femu's servers answer with that of the command), an answer to another command is
    recognised and passed over. A server that answers with a clock of its own needs
    ``acquired=Sizes(displacement=..., force=...)``.

    Where an exchange fails, the connection is given up: an answer that comes late must not be taken for that of another command.
    Before a test begins with limits that count from where the specimen stands, and before a resumed test goes on, the server is
    asked for a reading; with ``reads=False`` it is not, for those that cannot answer before they have a command, or answer zeros
    then. Zeros are a reading as any other: a specimen that was brought back to zero is not sent to the end of a journal.
    """

    commits = True  # whether the server is told of committed steps
    handshake = True  # whether it begins with one byte over UDP

    def __init__(self, size: int, port: int, host: str = LOOPBACK, *, udp: bool = False, silence: float = 60.0,
                 control: Sizes | None = None, acquired: Sizes | None = None, data: int = DEFAULT_DATA,
                 stiffness: npt.ArrayLike | None = None, reads: bool = True) -> None:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise InputError(type(self).__name__, "size", size, "must be a whole number from 1 on")
        self.size = size
        self.control = control or Sizes(displacement=size, time=1)
        # over UDP an answer without its time could be that to another command: one of them may have been lost
        self.acquired = acquired or Sizes(displacement=size, force=size, time=self.control.time if udp else 0)
        if self.control.displacement != size or any(self.control.all[1:4]) or self.control.time > 1:
            raise InputError(type(self).__name__, "control", self.control, f"must be {size} displacements, and a time or none",
                             "nothing else is sent")
        if self.acquired.force != size or self.acquired.displacement not in (0, size) or self.acquired.time > 1:
            raise InputError(type(self).__name__, "acquired", self.acquired,
                             f"must have {size} forces, and as many displacements or none, and a time or none")
        self.terms = Terms.fitting(self.control, self.acquired, data)
        self._stiffness = None if stiffness is None else np.atleast_2d(np.asarray(stiffness, dtype=float))
        if self._stiffness is not None and not np.isfinite(self._stiffness).all():
            raise InputError(type(self).__name__, "stiffness", stiffness, "must be a matrix of finite numbers")
        self.udp, self.reads = udp, reads
        self._blocks = np.zeros(self.control.total)
        self._host, self._port, self._silence = host, port, silence
        self._connected: Link | None = None

    @property
    def _link(self) -> Link:
        """The connection, made when it is first needed: a script can describe a test where there is no laboratory."""
        if self._connected is None:
            self.open()
        assert self._connected is not None
        return self._connected

    def open(self) -> None:
        """Connect to the server."""
        if self._connected is not None:
            return
        link = connect(self._host, self._port, udp=self.udp, silence=self._silence, handshake=self.handshake)
        try:
            self.begin(link)
        except ExperimentError:
            link.close()
            raise
        self._connected = link

    def begin(self, link: Link) -> None:
        """What is said before the first command."""
        link.send(self.terms.encoded())

    def apply(self, command: Array, time: float) -> Measurement:
        command = self._checked(command, time)
        other: Measurement | None = None
        try:
            self._ask(command, time, Action.TRIAL, Action.ALL)
            for _ in range(MOST_STALE):
                measured = self._answer(command, time)
                if not (self.udp and self.control.time and self.acquired.time) or measured.time == time:
                    return measured
                other = measured
            raise BadMessage(f"{MOST_STALE} answers came, none of them to the command of t = {time:g}.")
        except BaseException as problem:
            self._drop()
            if other is not None and getattr(problem, "measurement", None) is None:
                problem.measurement = other  # type: ignore[attr-defined]  # for the journal: it may be that of this command
            if other is not None and isinstance(problem, PeerSilent):
                problem.args = (f"{problem} To the command of t = {time:g} came an answer of t = {other.time:g}: the command was "
                                "lost on the way, or the server answers with a clock of its own. For such a one give "
                                f"acquired=Sizes(displacement={self.size}, force={self.size}).",)
            raise

    def _checked(self, command: npt.ArrayLike, time: float) -> Array:
        """A command that can be sent as it is."""
        made = np.asarray(command, dtype=float)
        if made.shape != (self.size,) or not np.isfinite(made).all():
            raise InputError(type(self).__name__, "command", command, f"must be {self.size} finite numbers", "it was not sent")
        if not math.isfinite(time):
            raise InputError(type(self).__name__, "time", time, "must be finite", "the command was not sent")
        return made

    def reading(self, last: Array) -> Measurement | None:
        if not self.reads:
            return None
        last = self._checked(last, 0.0)
        try:
            self._ask(last, 0.0, Action.ALL)
            measured = self._answer(last, 0.0)
        except PeerSilent as problem:
            self._drop()
            raise PeerSilent(f"{problem} It was asked where the specimen stands. Give reads=False where it cannot answer that "
                             "before it has a command.") from problem
        except BaseException:
            self._drop()
            raise
        return measured if self.acquired.displacement else None  # without displacements it says nothing of where it stands

    def _ask(self, command: Array, time: float, *actions: Action) -> None:
        self._blocks[:self.size] = command
        if self.control.time:
            self._blocks[-1] = time
        self._link.forget()
        for action in actions:
            self._send(action)

    def _answer(self, command: Array, time: float) -> Measurement:
        data = self._link.receive(8 * self.terms.data)
        try:
            return self._measurement(numbers(data, self.acquired.total), command, time)
        except BadMessage as problem:  # what else came with it belongs into the journal
            problem.measurement = self._measurement(np.frombuffer(data, DOUBLE, self.acquired.total), command, time)
            raise

    def _measurement(self, values: Array, command: Array, time: float) -> Measurement:
        displacement, _, _, force, clock = self.acquired.split(values)
        return Measurement(displacement if len(displacement) else np.array(command, dtype=float), force,
                           float(clock[0]) if len(clock) else time)

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
        """How the test ends in good order."""
        link.send(self.terms.request(Action.DIE, self._blocks))


class RemoteSite(RemoteSpecimen):
    """The near end of an OpenFresco remote site (protocol B.2): a laboratory that runs ``startLabServer``.

    ``version`` is that of the laboratory's OpenFresco; both ends must name the same.
    """

    def __init__(self, size: int, port: int, host: str = LOOPBACK, *, tag: int = 1, version: float = VERSION,
                 udp: bool = False, silence: float = 60.0, control: Sizes | None = None, acquired: Sizes | None = None,
                 data: int = DEFAULT_DATA, stiffness: npt.ArrayLike | None = None, reads: bool = True) -> None:
        self.tag, self.version = float(tag), version
        super().__init__(size, port, host, udp=udp, silence=silence, control=control, acquired=acquired, data=data,
                         stiffness=stiffness, reads=reads)

    def begin(self, link: Link) -> None:
        if not self.udp:
            link.send(ENDIAN_CHECK)
            if link.receive(len(ENDIAN_CHECK)) != ENDIAN_CHECK:
                raise BadMessage("The server is not a little-endian OpenFresco site.")
        link.send(vector(DEFAULT_DATA, [Action.OPEN, self.tag, self.version]))
        answer = numbers(link.receive(8 * DEFAULT_DATA), 3)
        if answer[2] != self.version:
            raise BadMessage(f"The site is of version {answer[2]:g} in place of {self.version:g}. Give version={answer[2]:g}.")
        link.send(vector(DEFAULT_DATA, [Action.SETUP, self.terms.data]))
        link.send(self.control.encoded())
        link.send(self.acquired.encoded())

    def farewell(self, link: Link) -> None:
        link.send(vector(self.terms.data, [Action.DIE, self.tag]))
        link.receive(8 * self.terms.data, within=FAREWELL)


class RemoteApplication(RemoteSpecimen):
    """A client of OpenFresco's site and element servers (B.3, B.4: ``startSimAppSiteServer``, ``startSimAppElemServer``).

    An element server (``element=True``) also tells its stiffness. OpenFresco 2.8 has no handshake over UDP; older ones do.
    """

    handshake = False

    def __init__(self, size: int, port: int, host: str = LOOPBACK, *, element: bool = False, handshake: bool = False,
                 udp: bool = False, silence: float = 60.0, control: Sizes | None = None, acquired: Sizes | None = None,
                 data: int = DEFAULT_DATA, stiffness: npt.ArrayLike | None = None, reads: bool = True) -> None:
        self.handshake = handshake
        self._element = element
        super().__init__(size, port, host, udp=udp, silence=silence, control=control, acquired=acquired,
                         data=max(data, size * size if element else 0), stiffness=stiffness, reads=reads)

    def _matrix(self, action: Action) -> Array:
        n = self.size
        try:
            self._send(action)
            return numbers(self._link.receive(8 * self.terms.data), n * n).reshape((n, n), order="F")
        except BaseException:
            self._drop()
            raise

    def initial_stiffness(self) -> Array | None:
        if self._element and self._stiffness is None:
            self._stiffness = self._matrix(Action.INITIAL_STIFFNESS)
        return self._stiffness

    def tangent(self) -> Array | None:
        return self._matrix(Action.TANGENT) if self._element else self._stiffness


class RemoteController(RemoteSpecimen):
    """A laboratory controller that speaks OpenFresco's GenericTCP: dSPACE, a Simulink target, LabVIEW or a program of one's own.

    After 11 integers the controller gets a command (action 3), is asked for its reading (action 6), and is told the end (99).
    It hears nothing of committed steps. ``lines`` are sent to it first, one message each. See docs/lab-controller.md.
    """

    commits = False
    handshake = False

    def __init__(self, size: int, port: int, host: str = LOOPBACK, *, lines: Sequence[str] = (), udp: bool = False,
                 silence: float = 60.0, control: Sizes | None = None, acquired: Sizes | None = None,
                 stiffness: npt.ArrayLike | None = None, reads: bool = True) -> None:
        self._lines = [line.encode() for line in lines]
        if any(len(line) > INIT_BYTES - 2 for line in self._lines):
            raise InputError("RemoteController", "lines", lines, f"must be of at most {INIT_BYTES - 2} bytes each")
        super().__init__(size, port, host, udp=udp, silence=silence, control=control or Sizes(displacement=size),
                         acquired=acquired, stiffness=stiffness, reads=reads)
        if self.terms.data != DEFAULT_DATA:
            raise InputError("RemoteController", "size", size, f"must fit into messages of {DEFAULT_DATA} numbers")

    def begin(self, link: Link) -> None:
        super().begin(link)
        for line in self._lines:
            link.send((bytes([INIT_MARK]) + line).ljust(INIT_BYTES, b"\0"))


__all__ = ["RemoteApplication", "RemoteController", "RemoteSite", "RemoteSpecimen"]
