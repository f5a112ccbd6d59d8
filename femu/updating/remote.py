"""An updater in another process, at its own rate (Ou, Ozdagli, Dyke and Prakash 2015)."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import tempfile
import time as clock
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from femu.experimental.network.transport import LOOPBACK
from femu.experimental.updater import Updater
from femu.model.parameters import finite
from femu.results.outcome import Outcome
from femu.support.arguments import typed_class
from femu.support.errors import AnalysisError, InputError
from femu.support.users_line import warn
from femu.updating import datagrams
from femu.updating.targets import model_places
from femu.updating.turning_points import HEAD as STEP_AND_TIME
from femu.updating.turning_points import TurningPoints
from femu.updating.worker import make_updater, started

if TYPE_CHECKING:
    from femu.engine.program import Program

Array = npt.NDArray[np.float64]
PATIENCE = 120.0  # seconds that the process gets to start: it may have to compile
HEAD = 3  # numbers of an estimate that go to the history: samples processed, dropped, consistent
COLUMNS = ("step", "age", "samples", "dropped", "consistent")
FIRST_ROOM = 20_000
CHECKPOINT = (
    ".updater.npz"  # ending of the file with the filter's state, after the name of the journal
)


@typed_class
class RemoteUpdater(Updater):
    """Runs a `ModelUpdater` in a process of its own, and takes part in a `HybridTest` in its place.

    ::

        with RemoteUpdater("column.py:make_updater", rate=500) as updater:
            HybridTest(model, quake, dt=1/2000, pace=Pace(2000), updater=updater).run()

    ``source`` names a function that returns the updater; both processes call it. At each step the
    latest sample goes out as one datagram and the latest estimate that has come is written into the
    model: within the bounds, and finite, whatever the other side says. Neither waits for the other.
    Old samples are dropped, never queued, but the points where the path turned come with the next
    sample, so that the twin follows the path of the specimen. The process may die: the test
    continues with the parameters it has, the process is started again and continues from its last
    checkpoint. A test with a journal keeps the checkpoint next to it until the test is complete,
    and a resumed test continues with the filter from there.

    ``history`` has one row a step: step, age of the estimate in use (in steps; NaN before the
    first), samples processed, samples dropped, whether the filter was consistent, then the values in
    use.
    """

    def __init__(self, source: str, *, rate: float = 200.0, core: int | None = None) -> None:
        if not (finite(rate) and rate > 0.0):
            raise InputError(
                "RemoteUpdater",
                "rate",
                rate,
                "must be above 0",
                fix="give it in samples per second",
            )
        self.source, self.rate, self.core = source, float(rate), core
        self._model = make_updater(source)
        self.element, self.names = self._model.element, self._model.names
        self._low = np.array([u.lower for u in self._model.unknowns])
        self._high = np.array([u.upper for u in self._model.unknowns])
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._table = np.zeros((0, len(COLUMNS) + len(self.names)))
        self._rows = 0
        self._turns = self._no_turns()
        self._checkpoint: Path | None = None
        self._resumed = self._complete = False

    # --- the contract with the runner ---

    def prepare_for_journal(self, journal: str | PathLike[str] | None, resumed: bool) -> None:
        """Before the start: the journal of the test, and whether the test continues from it."""
        self.close()
        self._checkpoint = Path(f"{fspath(journal)}{CHECKPOINT}") if journal is not None else None
        self._resumed, self._complete = resumed, False
        if journal is None or self._checkpoint is None:
            return
        # where it exists the test will not begin, and may be resumed yet
        if not resumed and not Path(journal).exists():
            self._checkpoint.unlink(missing_ok=True)
        if resumed and not self._checkpoint.exists():
            warn(
                f"There is no checkpoint {self._checkpoint} of the updater: its filter starts over, "
                "with the values that the journal holds in use until then."
            )

    def test_ended(self, outcome: Outcome) -> None:
        """How the test ended: what is needed to continue is kept unless it is complete."""
        self._complete = outcome is Outcome.COMPLETE

    def start(self, program: Program, parameters: Array) -> None:
        """Start the process and wait until it is ready."""
        self.close()
        self._vector = parameters
        self._places = [
            np.array(p, dtype=np.int64)
            for p in model_places(self.names, self._model.members, program.parameters)
        ]
        self.values = np.array([u.start for u in self._model.unknowns])
        for k, places in enumerate(self._places):
            if len(places):
                self.values[k] = np.clip(parameters[places[0]], self._low[k], self._high[k])
        self.std = np.array([u.std for u in self._model.unknowns])
        self._table = np.zeros((FIRST_ROOM, len(COLUMNS) + len(self.names)))
        self._rows = self._number = 0
        self._heard = -1
        self._reported = np.zeros(HEAD)
        self._turns = self._no_turns()
        self._session = secrets.randbits(63)
        self._channel = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._channel.bind((LOOPBACK, 0))
        self._folder = tempfile.TemporaryDirectory(prefix="femu-updater-")
        words = [
            self.source,
            "--master",
            f"{LOOPBACK}:{self._channel.getsockname()[1]}",
            "--rate",
            repr(self.rate),
            "--keep",
            "--checkpoint",
            str(self._checkpoint or Path(self._folder.name) / "updater.npz"),
            *(["--go-on"] if self._resumed else []),
            *(["--core", str(self.core)] if self.core is not None else []),
        ]
        self._process = started(words, self._session)
        self._worker = self._meet()
        self._channel.setblocking(False)

    @property
    def writes_to(self) -> npt.NDArray[np.int64]:
        """Places in the model's vector of parameters that it writes, once it is started."""
        return np.concatenate([np.zeros(0, np.int64), *self._places])

    def update(
        self, step: int, time: float, displacement: npt.ArrayLike, force: npt.ArrayLike
    ) -> None:
        """Send a sample, and write the latest estimate that has come."""
        assert self._channel is not None
        self._number += 1
        self._turns.note(step, time, displacement)
        sample = np.concatenate(
            [np.ravel(displacement), np.ravel(force), self._turns.rows.ravel()]
        ).astype(float)
        message = datagrams.pack(
            self._session, datagrams.SAMPLE, self._number, step, time, clock.time(), sample
        )
        # nobody may be there at the moment: the sample is dropped
        with contextlib.suppress(OSError):
            self._channel.sendto(message, self._worker)
        answer, sender, _ = datagrams.latest(
            self._channel, self._session, (datagrams.HELLO, datagrams.ESTIMATE)
        )
        if answer is not None and sender is not None:
            self._worker = sender  # a process that was started again has another port
            if answer.kind == datagrams.ESTIMATE:
                self._take(answer)
        self._note(step)

    def values_to_monitor(self) -> Array:
        """What a page shows while the test runs.

        Values in use and their standard deviations; the rest is with the process.
        """
        return np.concatenate([self.values, self.std, np.full(3, np.nan)])

    def checkpoint(self) -> Array:
        """Values in use. The filter's own state is with its process."""
        return np.concatenate([self.values, self.std, [float(self._number), float(self._heard)]])

    def restore(self, values: Array) -> None:
        """Continue with the values of a checkpoint."""
        n = len(self.names)
        self.values[:], self.std[:] = values[:n], values[n : 2 * n]
        self._number, self._heard = int(values[2 * n]), int(values[2 * n + 1])

    # --- during the test ---

    @property
    def history(self) -> Array:
        """One row a step; see the class."""
        return self._table[: self._rows]

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._channel is not None:
            if getattr(self, "_worker", None) is not None:
                stop = datagrams.pack(
                    self._session, datagrams.STOP, 0, 0, 0.0, clock.time(), np.zeros(0)
                )
                with contextlib.suppress(OSError):  # it is asked to end in another way then
                    for _ in range(3):
                        self._channel.sendto(stop, self._worker)
            try:
                self._process.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                self._process.terminate()
                self._process.wait()
            self._channel.close()
        if self._folder is not None:
            self._folder.cleanup()
            if self._complete and self._checkpoint is not None:
                self._checkpoint.unlink(missing_ok=True)
        self._process = self._channel = self._folder = None

    def __enter__(self) -> RemoteUpdater:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- pieces ---

    def _no_turns(self) -> TurningPoints:
        """Room for the turning points that fit into a datagram with its sample."""
        channels = self._model.twin.size
        room = (datagrams.LARGEST - datagrams.HEAD.size) // 8 - 2 * channels
        return TurningPoints(channels, room // (STEP_AND_TIME + channels))

    def _meet(self) -> Any:
        assert self._channel is not None and self._process is not None
        deadline = clock.monotonic() + PATIENCE
        self._channel.settimeout(0.2)
        while clock.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                data, sender = self._channel.recvfrom(datagrams.LARGEST)
            except (TimeoutError, OSError):
                continue
            message = datagrams.unpack(data, self._session)
            if message is not None and message.kind == datagrams.HELLO:
                return sender
        self._worker = None
        self.close()
        raise AnalysisError(
            f"The updater of {self.source} did not start in its own process; its message is above."
        )

    def _take(self, message: datagrams.Datagram) -> None:
        n = len(self.names)
        values = message.values
        if len(values) != HEAD + 1 + 2 * n or not np.isfinite(values).all():
            return
        self._reported[:] = values[:HEAD]
        self._turns.forget(int(values[HEAD]))
        values = values[HEAD + 1 :]
        self._heard = message.step
        self.values[:] = np.clip(values[:n], self._low, self._high)
        self.std[:] = values[n:]
        for places, value in zip(self._places, self.values, strict=True):
            self._vector[places] = value

    def _note(self, step: int) -> None:
        if self._rows == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        row = self._table[self._rows]
        row[0], row[1] = step, step - self._heard if self._heard >= 0 else np.nan
        row[2 : 2 + HEAD], row[len(COLUMNS) :] = self._reported, self.values
        self._rows += 1
