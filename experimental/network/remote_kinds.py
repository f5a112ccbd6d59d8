"""The three kinds of connection to a specimen: remote site, application server and controller."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.experimental.errors import BadMessage
from femu.experimental.network.remote import RemoteSpecimen
from femu.experimental.network.transport import LOOPBACK, Link, must_be_positive
from femu.experimental.network.validate import (
    must_be_stiffness,
    must_not_be_simulink,
    must_not_refuse,
)
from femu.experimental.network.wire import (
    DEFAULT_DATA,
    DOUBLE,
    ENDIAN_CHECK,
    INIT_BYTES,
    INIT_MARK,
    VERSION,
    Action,
    Sizes,
    numbers,
    vector,
)
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
FAREWELL = 2.0  # seconds that a server gets to answer the end of a test


class RemoteSite(RemoteSpecimen):
    """The near end of an OpenFresco remote site (protocol B.2): a laboratory that runs
    ``startLabServer``.

    ``version`` is that of the laboratory's OpenFresco; both ends must name the same.
    """

    def __init__(
        self,
        size: int,
        port: int,
        host: str = LOOPBACK,
        *,
        tag: int = 1,
        version: float = VERSION,
        udp: bool = False,
        silence: float = 60.0,
        control: Sizes | None = None,
        acquired: Sizes | None = None,
        data: int = DEFAULT_DATA,
        stiffness: npt.ArrayLike | None = None,
        reads: bool = True,
        secret: str | bytes | None = None,
    ) -> None:
        must_be_positive("RemoteSite", version=version)
        self.tag, self.version = float(tag), version
        super().__init__(
            size,
            port,
            host,
            udp=udp,
            silence=silence,
            control=control,
            acquired=acquired,
            data=data,
            stiffness=stiffness,
            reads=reads,
            secret=secret,
        )

    def begin(self, link: Link) -> None:
        if not self.udp:
            link.send(ENDIAN_CHECK)
            if link.receive(len(ENDIAN_CHECK)) != ENDIAN_CHECK:
                raise BadMessage("The server is not a little-endian OpenFresco site.")
        link.send(vector(DEFAULT_DATA, [Action.OPEN, self.tag, self.version]))
        answer = numbers(link.receive(8 * DEFAULT_DATA), 3)
        if answer[0] != 0.0:
            raise BadMessage(
                f"The site answered {answer[0]:g} to the opening of the test, and 0 means that it "
                "is ready."
            )
        if answer[2] != self.version:
            raise BadMessage(
                f"The site is of version {answer[2]:g} in place of {self.version:g}. Give "
                f"version={answer[2]:g}."
            )
        link.send(vector(DEFAULT_DATA, [Action.SETUP, self.terms.data]))
        link.send(self.control.encoded())
        link.send(self.acquired.encoded())

    def farewell(self, link: Link) -> None:
        link.send(vector(self.terms.data, [Action.DIE, self.tag]))
        link.receive(8 * self.terms.data, within=FAREWELL)


class RemoteApplication(RemoteSpecimen):
    """A client of OpenFresco's site and element servers (B.3, B.4: ``startSimAppSiteServer``,
    ``startSimAppElemServer``).

    An element server (``element=True``) measures forces alone, and also has a stiffness: its
    displacements are 0 whatever it is sent to, so that of the command is taken. OpenFresco 2.8 has
    no handshake over UDP; older ones do.
    """

    handshake = False

    def __init__(
        self,
        size: int,
        port: int,
        host: str = LOOPBACK,
        *,
        element: bool = False,
        handshake: bool = False,
        udp: bool = False,
        silence: float = 60.0,
        control: Sizes | None = None,
        acquired: Sizes | None = None,
        data: int = DEFAULT_DATA,
        stiffness: npt.ArrayLike | None = None,
        reads: bool = True,
        secret: str | bytes | None = None,
    ) -> None:
        self.handshake = handshake
        self._element = element
        if element:
            self.asks = Action.FORCE
            acquired = acquired or Sizes(force=size)
            if acquired.displacement:
                raise InputError(
                    "RemoteApplication",
                    "acquired",
                    acquired,
                    "must have no displacements with element=True: an element server of OpenFresco "
                    "answers 0 for them",
                    fix=f"omit it, or give Sizes(force={size})",
                )
        super().__init__(
            size,
            port,
            host,
            udp=udp,
            silence=silence,
            control=control,
            acquired=acquired,
            data=max(data, size * size if element else 0),
            stiffness=stiffness,
            reads=reads,
            secret=secret,
        )

    def _matrix(self, action: Action) -> Array:
        n = self.size
        try:
            self._send(action)
            data = self._link.receive(8 * self.terms.data)
            must_not_refuse(data, n * n)
            return numbers(data, n * n).reshape((n, n), order="F")
        except BaseException:
            self._drop()
            raise

    def initial_stiffness(self) -> Array | None:
        if self._element and self._stiffness is None:
            found = self._matrix(Action.INITIAL_STIFFNESS)
            try:
                must_be_stiffness(found)
            except BadMessage:
                self._drop()
                raise
            self._stiffness = found
        return self._stiffness

    def why_dead(self, sensor: str) -> str:
        if self._element or sensor != "displacement":
            return ""
        return (
            "If the server is an element server of OpenFresco (startSimAppElemServer), which "
            "measures no displacements, give RemoteApplication(..., element=True)."
        )

    def tangent(self) -> Array | None:
        return self._matrix(Action.TANGENT) if self._element else self._stiffness


class RemoteController(RemoteSpecimen):
    """A laboratory controller that speaks OpenFresco's GenericTCP: a program of one's own on
    whatever drives the actuators.

    After 11 integers the controller is asked for its reading (action 6), gets commands (3) and is
    asked for a reading after each, and gets the end (99). It is not informed of committed steps.
    ``lines`` are sent to it first, one message each. See docs/lab-controller.md. The dialogue of
    OpenFresco's SimSimulink, whose answers begin with a flag, is another one: a controller that
    speaks it is refused.
    """

    commits = False
    handshake = False
    looks_first = True

    def __init__(
        self,
        size: int,
        port: int,
        host: str = LOOPBACK,
        *,
        lines: Sequence[str] = (),
        udp: bool = False,
        silence: float = 60.0,
        control: Sizes | None = None,
        acquired: Sizes | None = None,
        stiffness: npt.ArrayLike | None = None,
        reads: bool = True,
        secret: str | bytes | None = None,
    ) -> None:
        self._lines = [line.encode() for line in lines]
        if any(len(line) > INIT_BYTES - 2 for line in self._lines):
            raise InputError(
                "RemoteController",
                "lines",
                lines,
                f"must be of at most {INIT_BYTES - 2} bytes each",
            )
        super().__init__(
            size,
            port,
            host,
            udp=udp,
            silence=silence,
            control=control or Sizes(displacement=size),
            acquired=acquired,
            stiffness=stiffness,
            reads=reads,
            secret=secret,
        )
        if self.terms.data != DEFAULT_DATA:
            raise InputError(
                "RemoteController",
                "size",
                size,
                f"must fit into messages of {DEFAULT_DATA} numbers",
            )

    def why_dead(self, sensor: str) -> str:
        return (
            "If the controller was made for OpenFresco's SimSimulink, its answers begin with a "
            "flag and it stays at its first target: femu does not speak that dialogue."
        )

    def _check_protocol(self, data: bytes, command: Array) -> None:
        must_not_be_simulink(np.frombuffer(data, DOUBLE), self.acquired, command)

    def begin(self, link: Link) -> None:
        super().begin(link)
        for line in self._lines:
            link.send((bytes([INIT_MARK]) + line).ljust(INIT_BYTES, b"\0"))
