"""Servers that host a specimen for a client of OpenSees or OpenFresco.

- "application": OpenSees' ``genericClient`` (protocol A), and the site and element servers of
  OpenFresco (B.3, B.4).
- "site": the far end of an OpenFresco remote site (B.2).

One client at a time. A client that is refused, or whose specimen fails, is answered with NaN until
it ends; see `femu.experimental.network.refusal`. Whatever the client does, the server ends with an
`Ending`, the specimen held and the journal closed. What was measured is in the journal before it is
sent, whether the client is still there or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import checked_names
from femu.experimental.errors import BadMessage, Ending, ExperimentError, PeerLost, PeerSilent
from femu.experimental.exchange import send_command
from femu.experimental.journal.journal import Journal
from femu.experimental.network import refusal
from femu.experimental.network.address_list import AddressList, is_loopback
from femu.experimental.network.listener import Listener
from femu.experimental.network.refusal import Refusal
from femu.experimental.network.secret import as_secret
from femu.experimental.network.server_log import ServerLog
from femu.experimental.network.transport import LOOPBACK, Link, family_of, must_be_positive
from femu.experimental.network.wire import (
    DEFAULT_DATA,
    ENDIAN_CHECK,
    IDS_BYTES,
    MATRICES,
    MOST_DATA,
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
from femu.experimental.safety.deferred_signals import FREE, WRITING, DeferredSignals
from femu.experimental.safety.following import FollowingMonitor
from femu.experimental.safety.limits import Guard, Limits, Unlimited, bounds_of, must_be_limited
from femu.experimental.safety.own_clock import ClockedGuard
from femu.experimental.specimens.specimen import Measurement, Specimen, checked
from femu.support.errors import FemuError, InputError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
PROTOCOLS = ("application", "site")
SILENCE = 300.0  # seconds: a client may compute for a while between two steps
CHANNEL = "specimen"  # name of the specimen in the journal of a server
OPEN_DOOR = (
    "Other computers can reach this server ({allowed}), and messages without a secret are neither "
    "signed nor encrypted: whoever uses or forges an allowed address moves the specimen. Use a "
    'cable of its own, a secret (clients of femu), or host="127.0.0.1" and a tunnel: ssh -L '
    "{port}:127.0.0.1:{port} this-computer."
)
SAME_FORCE = 1e-9  # share of a force by which two ways to the same state may differ in rounding


@dataclass(frozen=True)
class Served:
    """How a session went."""

    ending: Ending
    message: str
    moves: int
    commits: int
    client: str = ""
    """Address of the client that was served."""
    dropped: int = 0
    """Visitors that were sent away."""


class SpecimenServer:
    """Hosts a specimen. ``port=0`` takes any free port; see ``server.port``.

    ``wait`` is how long it waits for a client (None: for ever), ``silence`` how long for each
    message of it. What a physical specimen has measured is on the disk before it is sent; that
    takes some milliseconds, and ``durable=False`` leaves it to the system, for tests in real time.
    ``actuators`` are their names in messages and in the journal, as "rz"; numbers if left out.

    A limit of velocity counts by the client's time, from 0 on, and for a physical specimen also by
    the clock of the server: the way to a command must be within the limit by both. A client that
    sends no time is refused then. The limit says little of the first command after a pause; a limit
    of the increment does.

    ``allow`` are the addresses, networks and names of the computers that may connect. It is
    required if ``host`` lets others than this computer connect. With a ``secret`` only clients of
    femu that have the same (``RemoteSite(..., secret=...)``) are served. Whoever is not allowed,
    does not know the secret or does not begin as a client is sent away, and the server goes on
    waiting. ``log`` is a text file to which a line is appended for everyone who connects, for every
    command, and for how it ended.
    """

    def __init__(
        self,
        specimen: Specimen,
        *,
        protocol: str = "application",
        port: int = 0,
        host: str = LOOPBACK,
        udp: bool = False,
        limits: Limits | Unlimited | None = None,
        journal: str | PathLike[str] | None = None,
        wait: float | None = None,
        silence: float = SILENCE,
        tag: int = 1,
        version: float = VERSION,
        say: Callable[[str], None] | None = None,
        durable: bool = True,
        actuators: Sequence[str] | None = None,
        allow: Sequence[str] | None = None,
        secret: str | bytes | None = None,
        log: str | PathLike[str] | None = None,
    ) -> None:
        if protocol not in PROTOCOLS:
            raise InputError("SpecimenServer", "protocol", protocol, f"must be one of {PROTOCOLS}")
        must_be_positive("SpecimenServer", silence=silence, version=version)
        if wait is not None:
            must_be_positive("SpecimenServer", wait=wait)
        self.specimen, self.protocol, self.udp = specimen, protocol, udp
        must_be_limited("SpecimenServer", specimen.physical, limits)
        self._limits = bounds_of(limits)
        known = {CHANNEL: limits.as_data()} if limits is not None else {}
        self._tag, self._version, self._wait, self._silence = float(tag), version, wait, silence
        names = checked_names("SpecimenServer", actuators, specimen.size)
        self._following = (
            FollowingMonitor(self._limits, specimen.sensor_noise()[0], "the specimen", names)
            if specimen.physical
            else None
        )
        guard = ClockedGuard if specimen.physical else Guard
        self._guard = guard(self._limits, specimen.size, specimen.initial_stiffness(), names=names)
        family_of(host)
        self._allow = AddressList("SpecimenServer", host, allow)
        self._secret = as_secret("SpecimenServer", secret)
        self._log = ServerLog(log, say or (lambda _: None))
        self._say = self._log.event
        self._listener = Listener(
            port,
            host,
            udp,
            allow=self._allow,
            secret=self._secret,
            report=self._log.drop,
            site=protocol == "site",
        )
        self.host, self.port = self._listener.host, self._listener.port
        if not is_loopback(host) and self._secret is None:
            warn(OPEN_DOOR.format(allowed=f"allowed are {self._allow}", port=self.port))
        self._journal = (
            Journal(
                journal,
                {CHANNEL: specimen.size},
                specimens=len(specimen.state),
                durable=durable and specimen.physical,
                about={
                    "model": "server",
                    "protocol": protocol,
                    "limits": known,
                    "channels": {CHANNEL: list(names)},
                },
            )
            if journal is not None
            else None
        )
        n = specimen.size
        self._measured = Measurement(np.zeros(n), np.zeros(n))
        self._target: Array | None = None
        self._at_specimen = self._commanded = self._answered = self._ended = False
        self._answers_time = False
        self._refusal = Refusal(self._tag, silence, protocol == "site")
        self._before_first = np.zeros(0)
        # state of a numerical specimen before steps were taken without a commit
        self._virgin: Array | None = None
        self._signals = DeferredSignals()
        self._time, self._rates = 0.0, [np.zeros(n), np.zeros(n)]
        self.moves = self.commits = 0

    def serve(self) -> Served:
        """Wait for a client, host the specimen until it ends, and say how."""
        link: Link | None = None
        ending, message = Ending.ERROR, ""
        with self._signals as signals:
            try:
                self.specimen.open()
                self._guard.begin()
                # a broken sensor is found before a client comes; it is read again when one asks
                self._stand()
                self._say(
                    f"waiting for a client on {self.host}, port {self.port} "
                    f"({'UDP' if self.udp else 'TCP'}, {self.protocol}, {self.specimen.size} "
                    f"actuators); allowed: {self._allow}; "
                    f"{'with' if self._secret else 'without'} a secret"
                )
                link = self._listener.accept(self._wait, self._silence)
                self._say(f"client connected from {self._listener.client}")
                if self.protocol == "site":
                    self._site(link)
                else:
                    self._application(link)
                ending = Ending.PEER_DONE
            except Exception as problem:
                ending, message = self._explained(problem)
                gone = isinstance(problem, (PeerLost, PeerSilent)) and not self._at_specimen
                signals.level = WRITING
                message = self._end(ending, message)
                if link is not None and not gone:
                    signals.answered = self._refuse(link)
            except KeyboardInterrupt:
                ending, signals.answered = Ending.STOPPED_BY_USER, True
            finally:
                signals.level = WRITING
                message = self._end(ending, message)
                for connection in (link, self._listener):
                    if connection is not None:
                        connection.close()
                self._log.close()
        return Served(
            ending,
            message or ending.value,
            self.moves,
            self.commits,
            self._listener.client,
            self._log.dropped,
        )

    def _explained(self, problem: Exception) -> tuple[Ending, str]:
        if isinstance(problem, FemuError):
            return problem.ending if isinstance(
                problem, ExperimentError
            ) else Ending.BAD_MEASUREMENT, str(problem)
        # of a specimen of the user's own: the client must not hang, the journal not stay open
        return Ending.ERROR, f"The specimen failed with {type(problem).__name__}: {problem}."

    def _end(self, ending: Ending, message: str) -> str:
        """Hold the specimen if something went wrong, close the journal, and say how it ended.

        Once.
        """
        if not self._ended:
            self._ended = True
            message = message or ending.value
            if not ending.ok:
                message = self._hold(message)
            if self._journal is not None:
                self._journal.close(ending, message)
            self._say(message)
        return message

    def _refuse(self, link: Link) -> bool:
        """Let the client come to an end; whether a signal cut it short."""
        try:
            self._signals.level = FREE
            self._signals.stop()
            self._refusal.answer(link)
        except KeyboardInterrupt:
            return True
        return False

    def _stand(self) -> None:
        """Find where the specimen is before the first command, if it can be read.

        Hours may lie between the start of a server and its client, and the laboratory may have
        moved it.
        """
        if self._commanded:
            return
        self._at_specimen = True
        reading = self.specimen.reading(np.zeros(self.specimen.size))
        if reading is not None:
            self._measured = checked(reading, self.specimen.size, "The specimen")
            self._guard.set_position(self._measured)
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
        terms = self._ids(link)
        self._check(terms)
        self._say(
            f"client asks for {terms.control.displacement} displacements, messages of {terms.data} "
            "numbers"
        )
        self._answer_application(link, terms)

    def _ids(self, link: Link) -> Terms:
        """The first message, unless the client is the near end of a remote site."""
        try:
            data = link.receive(IDS_BYTES if self.udp else len(ENDIAN_CHECK))
            if len(data) == len(ENDIAN_CHECK):
                # one integer of 1 is how a site begins
                rest = None if data == ENDIAN_CHECK else self._silence
                data += link.receive(
                    IDS_BYTES - len(data),
                    within=min(self._silence, refusal.IDS_WITHIN) if rest is None else rest,
                )
        except BadMessage as problem:  # a datagram of another size
            self._refusal.opening = True
            raise BadMessage(
                f"{problem} If the client is an OpenFresco remote site, start the server with "
                'protocol="site".'
            ) from None
        except PeerSilent:
            if self.udp or data != ENDIAN_CHECK:
                raise
            self._refusal.opening = False
            raise BadMessage(
                "The client is an OpenFresco remote site, and this server is for OpenSees and for "
                'clients of application servers. Start the server with protocol="site".'
            ) from None
        return self._refusal.ids(data)

    def _answer_application(self, link: Link, terms: Terms) -> None:
        while True:
            action, blocks = terms.parse_request(
                self._refusal.request(link.receive(8 * terms.data))
            )
            if action in (Action.DIE, Action.SHUTDOWN):
                return
            if action is Action.TRIAL:
                self._trial(terms.control, blocks)
            elif action is Action.COMMIT:
                self._commit()
            elif action in READINGS:
                link.send(vector(terms.data, self._answer(terms, blocks)))
            elif action in MATRICES:
                matrix = self._matrix(action)
                if matrix.size > terms.data:
                    raise BadMessage(
                        f"The client wants a matrix of {matrix.size} numbers in messages of "
                        f"{terms.data}."
                    )
                link.send(vector(terms.data, matrix.ravel(order="F")))
            elif action is Action.EXECUTE:
                raise BadMessage(
                    f"The client asked for action {int(action)}, which has no meaning here."
                )

    def _site(self, link: Link) -> None:
        """Protocol B.2: the far end of a remote site."""
        opening = numbers(self._opening(link), 3)
        self._refusal.length = DEFAULT_DATA
        if action_of(opening[0]) is not Action.OPEN:
            raise BadMessage(
                f"The client began with action {opening[0]:g} in place of {int(Action.OPEN)}."
            )
        link.send(vector(DEFAULT_DATA, [0.0, self._tag, self._version]))
        if opening[2] != self._version:
            raise BadMessage(
                f"The client is of version {opening[2]:g}; this server is of version "
                f"{self._version:g}. Start the server with the client's: version={opening[2]:g}, "
                f"or femu serve --version {opening[2]:g}."
            )
        request = numbers(link.receive(8 * DEFAULT_DATA), 2)
        if action_of(request[0]) is not Action.SETUP:
            raise BadMessage(
                f"The client sent action {request[0]:g} in place of {int(Action.SETUP)}."
            )
        sizes = [link.receive(SIZES_BYTES) for _ in range(2)]
        self._refusal.length = max(0, min(int(request[1]), MOST_DATA))
        control, acquired = (Sizes.of(one) for one in sizes)
        terms = Terms(control, acquired, int(request[1]))
        self._check(terms)
        while True:
            action, blocks = terms.parse_request(
                self._refusal.request(link.receive(8 * terms.data))
            )
            if action is Action.DIE:
                link.send(vector(terms.data, [RECEIVED, self._tag]))
                return
            if action is Action.TRIAL:
                self._trial(control, blocks)
            elif action is Action.COMMIT:
                self._commit()
            elif action is Action.ALL:
                link.send(vector(terms.data, self._answer(terms, blocks)))
            else:
                raise BadMessage(
                    f"The client asked for action {int(action)}, which a site does not know."
                )

    def _opening(self, link: Link) -> bytes:
        """The message with which a site opens its end, unless the client is one of OpenSees or of
        an application server."""
        begun = b""
        try:
            if self.udp:
                return link.receive(8 * DEFAULT_DATA)
            begun = link.receive(len(ENDIAN_CHECK))
            if begun == ENDIAN_CHECK and not getattr(link, "answered", False):
                link.send(ENDIAN_CHECK)
            rest = IDS_BYTES - len(begun)
            head = link.receive(
                rest,
                within=self._silence
                if begun == ENDIAN_CHECK
                else min(self._silence, refusal.IDS_WITHIN),
            )
            if begun == ENDIAN_CHECK and np.frombuffer(head, "<f8", 1)[0] == Action.OPEN:
                return head + link.receive(8 * DEFAULT_DATA - rest)
            ids = begun + head
        except BadMessage as problem:
            ids = problem.received
        except PeerSilent:
            if not begun or begun == ENDIAN_CHECK:
                raise
            ids = b""
        try:
            self._refusal.ids(ids)
        except BadMessage:
            raise BadMessage("The client is not a little-endian OpenFresco site.") from None
        raise BadMessage(
            "The client is one of OpenSees or of an application server, and this server is the far "
            'end of an OpenFresco remote site. Start the server with protocol="application".'
        )

    # --- the specimen ---

    def _check(self, terms: Terms) -> None:
        n = self.specimen.size
        self._answers_time = terms.acquired.time > 0
        if terms.control.displacement != n:
            raise BadMessage(
                f"The client commands {terms.control.displacement} displacements; the specimen has "
                f"{n}."
            )
        if terms.control.force:
            raise BadMessage(
                f"The client commands {terms.control.force} forces, and this server moves its "
                "specimen by displacements alone. Let the client command displacements."
            )
        for name, size in (
            *zip(("velocity", "acceleration"), terms.control.all[1:3], strict=True),
            *zip(
                ("displacement", "velocity", "acceleration", "force"),
                terms.acquired.all[:4],
                strict=True,
            ),
        ):
            if size not in (0, n):
                raise BadMessage(
                    f"The client declared a {name} of {size} numbers; 0 or {n} are possible."
                )
        if not any(terms.acquired.all):
            raise BadMessage(
                "The client declared no measured quantity; without any there is nothing to answer "
                "it with."
            )
        if terms.control.time > 1 or terms.acquired.time > 1:
            raise BadMessage("The client declared a time of more than one number.")
        if self._limits.velocity is not None and not terms.control.time:
            raise BadMessage(
                "The client sends no time with its commands, so the velocity limit of this server "
                f"means nothing to it. Let it send one (of femu: control=Sizes(displacement={n}, "
                "time=1)), or limit the increment."
            )

    def _trial(self, sizes: Sizes, blocks: Array) -> None:
        displacement, velocity, acceleration, _, instant = sizes.split(blocks)
        if self.udp and len(instant) and instant[0] < self._time:
            # a datagram that comes late must not move the specimen back
            if self._answers_time:
                return  # the client knows it by the time of the answer
            raise BadMessage(
                f"The time of the client went back from {self._time:g} to {instant[0]:g}. Over UDP "
                "that may be a command that came late, and answers without a time would not show "
                "it. Use TCP."
            )
        before = self._time
        # without a time block the commands count as one unit of time each
        self._time = float(instant[0]) if len(instant) else self._time + 1.0
        for kept, new in zip(self._rates, (velocity, acceleration), strict=True):
            kept[:] = new if len(new) else 0.0
        if (
            self._target is not None
            and np.array_equal(displacement, self._target)
            and not (
                self.specimen.every_step
                and self._guard.time is not None
                and self._time > self._guard.time
            )
        ):
            # else the next step would have the whole rest for its velocity
            self._guard.sent(self._guard.command, self._time)
            return
        self._stand()
        if self._time > before:
            self._step_without_commit(before)
        elif self._time < before:
            self._must_be_the_same_step(displacement, before)
        self._commanded, self._answered = True, False
        if self._target is None:
            self._before_first = self.specimen.state
        # what fails from here on is not the client's connection; a specimen may have one of its own
        self._at_specimen = True
        self._log.command(self._time, displacement)
        self._measured = send_command(
            self.specimen,
            self._guard,
            displacement,
            self._time,
            self._validated,
            self._signals,
            self._journal,
            CHANNEL,
            self.commits + 1,
        )
        self._at_specimen = False
        self._target = displacement.copy()

    def _step_without_commit(self, before: float) -> None:
        """A numerical specimen starts each command from the last commit; if there is none, the last
        command was a step.

        Iterates of one step have one time, so a command of a later time is another step. Some
        methods command two times in a step: that is put right by the first commit.
        """
        if not self._guesses_steps:
            return
        if self._virgin is None:
            self._virgin = self._before_first
        self.specimen.commit(before)

    @property
    def _guesses_steps(self) -> bool:
        """Whether the time of the commands says which of them are steps, for want of commits."""
        numerical = getattr(self.specimen, "numerical", False)
        return numerical and not self.commits and self._target is not None

    def _must_be_the_same_step(self, displacement: Array, before: float) -> None:
        """Without commits a command of an earlier time is another iterate, or a step of an analysis
        whose time goes back, such as a static one that unloads.

        Both must lead to the same force.
        """
        if not self._guesses_steps:
            return
        specimen: Any = self.specimen
        now, forces = specimen.state, []
        for is_step in (False, True):
            if is_step:
                specimen.commit(before)
            specimen.apply(displacement.copy(), self._time)
            forces.append(specimen.true_force)
            specimen.restore(now)
        held, stepped = forces
        if not np.allclose(held, stepped, rtol=SAME_FORCE, atol=0.0):
            raise BadMessage(
                f"The time of the client went back from {before:g} to {self._time:g}, and it has "
                "sent no commit: another iterate of its step would have the force "
                f"{forces[0].tolist()}, another step {forces[1].tolist()}. Let it commit its "
                "steps, or send a time that grows from step to step."
            )

    def _put_right(self) -> None:
        """The first commit of a client whose commands of several times were taken for steps.

        They were none, but for the last.
        """
        virgin, self._virgin = self._virgin, None
        if virgin is None or self._target is None:
            return
        answered = self.specimen.true_force  # type: ignore[attr-defined]
        self.specimen.restore(virgin)
        self.specimen.apply(self._target.copy(), self._time)
        force = self.specimen.true_force  # type: ignore[attr-defined]
        if self._answered and not np.allclose(force, answered, rtol=SAME_FORCE, atol=0.0):
            raise BadMessage(
                "The client sent its first commit after commands that were taken for steps without "
                f"one, and it was answered the force {answered.tolist()} in place of "
                f"{force.tolist()}. Let it send the time with its commands, one for all iterates "
                "of a step."
            )

    def _validated(self, raw: Any, command: Array, time: float) -> tuple[Measurement, Measurement]:
        self.moves += 1
        measured = checked(raw, self.specimen.size, "The specimen")
        self._guard.measured(measured, time)
        if self._following is not None:
            self._following.see(command, measured.displacement, time)
        return measured, measured

    def _commit(self) -> None:
        if not self.commits:
            self._put_right()
        self._at_specimen = True
        self.specimen.commit(self._time)
        self._at_specimen = False
        self.commits += 1
        if self._journal is not None:
            self._journal.commit(self.commits, self._time, np.zeros(0), self.specimen.state)

    def _answer(self, terms: Terms, blocks: Array) -> Array:
        self._stand()
        self._answered = True
        # before the first command the time is that of the request: it shows a client that answers
        # carry it
        now = self._time if self._commanded or not terms.control.time else float(blocks[-1])
        values = (self._measured.displacement, *self._rates, self._measured.force, np.array([now]))
        return np.concatenate(
            [v for v, size in zip(values, terms.acquired.all, strict=True) if size]
        )

    def _matrix(self, action: Action) -> Array:
        n = self.specimen.size
        if action in (Action.DAMPING, Action.MASS):
            return np.zeros((n, n))
        matrix = (
            self.specimen.initial_stiffness()
            if action is Action.INITIAL_STIFFNESS
            else self.specimen.tangent()
        )
        if matrix is None:
            raise BadMessage(
                "The client asks for a stiffness, and the specimen does not know its own."
            )
        return matrix
