"""Servers that host a specimen for a client of OpenSees or OpenFresco.

- "application": OpenSees' ``genericClient`` (protocol A), and the site and element servers of OpenFresco (B.3, B.4).
- "site": the far end of an OpenFresco remote site (B.2).

One client at a time. Whatever the client does, the server ends with an `Ending`, the specimen held and the journal closed.
What was measured is in the journal before it is sent, whether the client is still there or not.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.errors import FemuError, InputError
from femu.experimental.asking import ask
from femu.experimental.errors import BadMessage, Ending, ExperimentError, PeerLost, PeerSilent
from femu.experimental.journal import Journal
from femu.experimental.safety import Guard, Limits
from femu.experimental.shield import WRITING, Shield
from femu.experimental.specimen import Measurement, Specimen, checked
from femu.experimental.transport import LOOPBACK, Link, Listener
from femu.experimental.wire import (
    DEFAULT_DATA,
    ENDIAN_CHECK,
    IDS_BYTES,
    MATRICES,
    READINGS,
    RECEIVED,
    SIZES_BYTES,
    VERSION,
    Action,
    Sizes,
    Terms,
    action_of,
    numbers,
    vector,
)

Array = npt.NDArray[np.float64]
PROTOCOLS = ("application", "site")
REFUSAL = 10.0  # seconds
SILENCE = 300.0  # seconds: a client may compute for a while between two steps
CHANNEL = "specimen"  # name of the specimen in the journal of a server


@dataclass(frozen=True)
class Served:
    """How a session went."""

    ending: Ending
    message: str
    moves: int
    commits: int


class SpecimenServer:
    """Hosts a specimen. ``port=0`` takes any free port; see ``server.port``.

    ``wait`` is how long it waits for a client (None: for ever), ``silence`` how long for each message of it. What a physical
    specimen has measured is on the disk before it is sent; that takes some milliseconds, and ``durable=False`` leaves it to the
    system, for tests in real time.

    A limit of velocity counts by the client's time, from 0 on; a client that sends none is refused then. So it says little of the
    first command of a client that goes on with an interrupted test; a limit of the increment does.
    """

    def __init__(self, specimen: Specimen, *, protocol: str = "application", port: int = 0, host: str = LOOPBACK,
                 udp: bool = False, limits: Limits | None = None, journal: str | PathLike[str] | None = None,
                 wait: float | None = None, silence: float = SILENCE, tag: int = 1, version: float = VERSION,
                 say: Callable[[str], None] | None = None, durable: bool = True) -> None:
        if protocol not in PROTOCOLS:
            raise InputError("SpecimenServer", "protocol", protocol, f"must be one of {PROTOCOLS}")
        self.specimen, self.protocol, self.udp = specimen, protocol, udp
        self._limits = limits or Limits()
        self._tag, self._version, self._wait, self._silence = float(tag), version, wait, silence
        self._say = say or (lambda _: None)
        self._guard = Guard(self._limits, specimen.size, specimen.initial_stiffness())
        self._listener = Listener(port, host, udp)
        self.host, self.port = self._listener.host, self._listener.port
        self._journal = Journal(journal, {CHANNEL: specimen.size}, specimens=len(specimen.state),
                                durable=durable and specimen.physical,
                                about={"model": "server", "protocol": protocol}) if journal is not None else None
        n = specimen.size
        self._measured = Measurement(np.zeros(n), np.zeros(n))
        self._target: Array | None = None
        self._at_specimen = self._commanded = self._owed = False
        self._shield = Shield()
        self._time, self._rates = 0.0, [np.zeros(n), np.zeros(n)]
        self.moves = self.commits = 0

    def serve(self) -> Served:
        """Wait for a client, host the specimen until it ends, and say how."""
        link: Link | None = None
        ending, message = Ending.ERROR, ""
        with self._shield as shield:
            try:
                self.specimen.open()
                self._guard.begin()
                self._stand()  # a broken sensor is found before a client comes; it is read again when one asks
                self._say(f"waiting for a client on {self.host}, port {self.port} ({'UDP' if self.udp else 'TCP'}, "
                          f"{self.protocol}, {self.specimen.size} actuators)")
                link = self._listener.accept(self._wait, self._silence)
                self._say("client connected")
                if self.protocol == "site":
                    self._site(link)
                else:
                    self._application(link)
                ending = Ending.PEER_DONE
            except FemuError as problem:
                ending = problem.ending if isinstance(problem, ExperimentError) else Ending.BAD_MEASUREMENT
                message = str(problem)
            except KeyboardInterrupt:
                ending, shield.answered = Ending.STOPPED_BY_USER, True
            except Exception as problem:  # of a specimen of the user's own: the client must not hang, the journal not stay open
                ending, message = Ending.ERROR, f"The specimen failed with {type(problem).__name__}: {problem}."
            finally:
                shield.level = WRITING
                if not ending.ok:
                    message = self._hold(message or ending.value)
                for connection in (link, self._listener):
                    if connection is not None:
                        connection.close()
                if self._journal is not None:
                    self._journal.close(ending, message)
        self._say(message or ending.value)
        return Served(ending, message or ending.value, self.moves, self.commits)

    def _stand(self) -> None:
        """Know where the specimen stands before the first command, where it can be read.

        Hours may lie between the start of a server and its client, and the laboratory may have moved it.
        """
        if self._commanded:
            return
        self._at_specimen = True
        reading = self.specimen.reading(np.zeros(self.specimen.size))
        if reading is not None:
            self._measured = checked(reading, self.specimen.size, "The specimen")
            self._guard.stand(self._measured)
        self._at_specimen = False

    def _hold(self, message: str) -> str:
        """Hold the specimen; what cannot be held must not keep the journal from being closed."""
        try:
            self.specimen.hold()
        except Exception as problem:
            return f"{message} The specimen could not be held: {type(problem).__name__}: {problem}."
        return message

    # --- the protocols ---

    def _application(self, link: Link) -> None:
        """Protocols A, B.3 and B.4."""
        terms = Terms.of(link.receive(IDS_BYTES))
        self._check(terms)
        self._say(f"client asks for {terms.control.displacement} displacements, messages of {terms.data} numbers")
        try:
            self._answer_application(link, terms)
        except Exception as problem:
            if isinstance(problem, (PeerLost, PeerSilent, BadMessage)) and not self._at_specimen:
                raise
            # it is not the client's fault, and it must not wait for an answer
            self._hold("")
            self._refuse(link, terms)
            raise

    def _refuse(self, link: Link, terms: Terms) -> None:
        """Answer what is asked with NaN for a while, without moving.

        OpenSees knows no message of failure, and where the server just goes away it waits for ever. With NaN its step does
        not converge, and the script gets the control back.
        """
        deadline = time.monotonic() + REFUSAL
        nothing = np.full(terms.data, np.nan, dtype="<f8").tobytes()
        with contextlib.suppress(ExperimentError):
            if self._owed:  # it failed when it was read
                link.send(nothing)
            while (left := deadline - time.monotonic()) > 0.0:
                action = np.frombuffer(link.receive(8 * terms.data, within=left), "<f8", 1)[0]
                if action in (Action.DIE, Action.SHUTDOWN):
                    return
                if action in READINGS or action in MATRICES:
                    link.send(nothing)

    def _answer_application(self, link: Link, terms: Terms) -> None:
        while True:
            action, blocks = terms.parse_request(link.receive(8 * terms.data))
            self._owed = action in READINGS or action in MATRICES
            if action in (Action.DIE, Action.SHUTDOWN):
                return
            if action is Action.TRIAL:
                self._trial(terms.control, blocks)
            elif action is Action.COMMIT:
                self._commit()
            elif action in READINGS:
                link.send(vector(terms.data, self._answer(terms.acquired)))
            elif action in MATRICES:
                matrix = self._matrix(action)
                if matrix.size > terms.data:
                    raise BadMessage(f"The client wants a matrix of {matrix.size} numbers in messages of {terms.data}.")
                link.send(vector(terms.data, matrix.ravel(order="F")))
            elif action is Action.EXECUTE:
                raise BadMessage(f"The client asked for action {int(action)}, which has no meaning here.")

    def _site(self, link: Link) -> None:
        """Protocol B.2: the far end of a remote site."""
        if not self.udp:
            if link.receive(len(ENDIAN_CHECK)) != ENDIAN_CHECK:
                raise BadMessage("The client is not a little-endian OpenFresco site.")
            link.send(ENDIAN_CHECK)
        opening = numbers(link.receive(8 * DEFAULT_DATA), 3)
        if action_of(opening[0]) is not Action.OPEN:
            raise BadMessage(f"The client began with action {opening[0]:g} in place of {int(Action.OPEN)}.")
        link.send(vector(DEFAULT_DATA, [0.0, self._tag, self._version]))
        if opening[2] != self._version:
            raise BadMessage(f"The client is of version {opening[2]:g}; this server is of version {self._version:g}. "
                             "Start the server with the client's version.")
        request = numbers(link.receive(8 * DEFAULT_DATA), 2)
        if action_of(request[0]) is not Action.SETUP:
            raise BadMessage(f"The client sent action {request[0]:g} in place of {int(Action.SETUP)}.")
        control, acquired = Sizes.of(link.receive(SIZES_BYTES)), Sizes.of(link.receive(SIZES_BYTES))
        terms = Terms(control, acquired, int(request[1]))
        self._check(terms)
        while True:
            action, blocks = terms.parse_request(link.receive(8 * terms.data))
            if action is Action.DIE:
                link.send(vector(terms.data, [RECEIVED, self._tag]))
                return
            if action is Action.TRIAL:
                self._trial(control, blocks)
            elif action is Action.COMMIT:
                self._commit()
            elif action is Action.ALL:
                link.send(vector(terms.data, self._answer(acquired)))
            else:
                raise BadMessage(f"The client asked for action {int(action)}, which a site does not know.")

    # --- the specimen ---

    def _check(self, terms: Terms) -> None:
        n = self.specimen.size
        if terms.control.displacement != n:
            raise BadMessage(f"The client commands {terms.control.displacement} displacements; the specimen has {n}.")
        for name, size in (*zip(("velocity", "acceleration"), terms.control.all[1:3], strict=True),
                           *zip(("displacement", "velocity", "acceleration", "force"), terms.acquired.all[:4], strict=True)):
            if size not in (0, n):
                raise BadMessage(f"The client declared a {name} of {size} numbers; 0 or {n} are possible.")
        if not any(terms.acquired.all):
            raise BadMessage("The client declared no measured quantity; without any there is nothing to answer it with.")
        if terms.control.time > 1 or terms.acquired.time > 1:
            raise BadMessage("The client declared a time of more than one number.")
        if self._limits.velocity is not None and not terms.control.time:
            raise BadMessage("The client sends no time with its commands, so the velocity limit of this server means nothing to "
                             f"it. Let it send one (of femu: control=Sizes(displacement={n}, time=1)), or limit the increment.")

    def _trial(self, sizes: Sizes, blocks: Array) -> None:
        displacement, velocity, acceleration, _, instant = sizes.split(blocks)
        if self.udp and len(instant) and instant[0] < self._time:
            return  # a datagram that comes late must not move the specimen back
        # without a time block the commands count as one unit of time each
        self._time = float(instant[0]) if len(instant) else self._time + 1.0
        for kept, new in zip(self._rates, (velocity, acceleration), strict=True):
            kept[:] = new if len(new) else 0.0
        if self._target is not None and np.array_equal(displacement, self._target) and not (
                self.specimen.every_step and self._guard.time is not None and self._time > self._guard.time):
            self._guard.sent(self._guard.command, self._time)  # else the next step would have the whole rest for its velocity
            return
        self._stand()
        self._commanded = True
        self._at_specimen = True  # what fails from here on is not the client's connection; a specimen may have one of its own
        self._measured = ask(self.specimen, self._guard, displacement, self._time, self._believed, self._shield, self._journal,
                             CHANNEL, self.commits + 1)
        self._at_specimen = False
        self._target = displacement.copy()

    def _believed(self, raw: Any, command: Array, time: float) -> tuple[Measurement, Measurement]:
        self.moves += 1
        measured = checked(raw, self.specimen.size, "The specimen")
        self._guard.measured(measured, time)
        return measured, measured

    def _commit(self) -> None:
        self._at_specimen = True
        self.specimen.commit(self._time)
        self._at_specimen = False
        self.commits += 1
        if self._journal is not None:
            self._journal.commit(self.commits, self._time, np.zeros(0), self.specimen.state)

    def _answer(self, acquired: Sizes) -> Array:
        self._stand()
        values = (self._measured.displacement, *self._rates, self._measured.force, np.array([self._time]))
        return np.concatenate([v for v, size in zip(values, acquired.all, strict=True) if size])

    def _matrix(self, action: Action) -> Array:
        n = self.specimen.size
        if action in (Action.DAMPING, Action.MASS):
            return np.zeros((n, n))
        matrix = self.specimen.initial_stiffness() if action is Action.INITIAL_STIFFNESS else self.specimen.tangent()
        if matrix is None:
            raise BadMessage("The client asks for a stiffness, and the specimen does not know its own.")
        return matrix
