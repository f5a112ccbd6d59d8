"""The updater as a process of its own, at its own rate: ``python -m femu.updating.worker``.

It takes the latest sample at each of its ticks, drops older ones except the points where the path
turned, and sends the latest estimate back. Its state goes to a checkpoint file as it works; a
worker that is started again continues from there, in the same session or (``--go-on``) in that of a
resumed test; if a power cut has left half of the file, it says so and starts over. With ``--keep``
the process watches another one that does the work, and starts it again if it dies.

The number of the session comes in a line of standard input: whoever knows it can write parameters
into the model, and every user of a machine can read its command lines.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from femu.experimental.pacing import Pace, Pacer
from femu.support.entry_point import call_named
from femu.support.errors import FemuError, FileError, InputError
from femu.support.isolated_python import python, surroundings
from femu.support.users_line import warn
from femu.support.whole_file import placed
from femu.updating import datagrams
from femu.updating.turning_points import HEAD as STEP_AND_TIME
from femu.updating.updater import ModelUpdater

HELLO_EVERY = 0.1  # seconds, until the first sample comes
SAVE_EVERY = 0.2  # seconds between checkpoints
LARGE_RECORD = (
    10_000  # samples of a record from which on checkpoints are rarer, as their files grow
)
# arrays of a checkpoint that hold the record of an updater on consistent histories
REMEMBERED = ("times", "displacements", "forces")
# seconds: a worker that dies at once must not keep a processor busy with its restarts
RESTART_AFTER = 0.05
START = "import sys; from femu.updating.worker import main; sys.exit(main())"
DAMAGED = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file raises that is empty, cut off or of another kind."""
ORPHANED = 1.0  # seconds between looks whether the test is still there


def make_updater(source: str) -> ModelUpdater:
    """The updater that a function makes."""
    made = call_named(source, "updater")
    if not isinstance(made, ModelUpdater):
        raise InputError(
            "updater",
            "source",
            source,
            f"must return a ModelUpdater, but returned {type(made).__name__}",
        )
    return made


class Checkpoint:
    """State of an updater in a file that is whole at any moment."""

    def __init__(self, path: Path | None, session: int, go_on: bool = False) -> None:
        self.path, self.session, self.go_on = path, session, go_on
        self.until = -1  # last step that a worker started again would know
        self._last = -np.inf

    def load(self, updater: ModelUpdater) -> tuple[int, int]:
        """Restore what was saved; returns the last step that was processed until then, and the number
        of samples that were dropped.

        What another session saved is restored only to continue it. From a damaged file nothing is
        restored: a test continues without what its updater had learnt, but not without an updater.
        """
        if self.path is None or not self.path.exists():
            return -1, 0
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                session, step, dropped = (
                    int(kept[name]) for name in ("session", "step", "dropped")
                )
                values = kept["values"]
                remembered = [kept[name] for name in REMEMBERED if name in kept]
        except DAMAGED as problem:
            warn(
                f"{self.path} is no checkpoint of an updater: {type(problem).__name__}: {problem}. "
                "The updater starts over, with the values that the test holds in use until then."
            )
            return -1, 0
        # those of earlier versions hold the number itself
        if session not in (self.session, digest_of(self.session)) and not self.go_on:
            return -1, 0
        try:
            if remembered:
                updater.remember(*remembered)
            updater.restore(values)
        except (ValueError, IndexError) as problem:
            raise FileError(
                str(self.path), f"is the checkpoint of another updater: {problem}"
            ) from problem
        self.until = step
        return step, dropped

    def save(self, updater: ModelUpdater, step: int, dropped: int, now: float) -> None:
        """Save where the last time was long enough ago. A full disk must not end the updating."""
        if self.path is None:
            self.until = step  # nothing to continue from: nobody will ask for the path again
            return
        remembered = updater.remembered()
        if now - self._last < SAVE_EVERY * max(len(remembered[0]) / LARGE_RECORD, 1.0):
            return
        self._last = now
        with contextlib.suppress(FileError):
            with placed(self.path) as file:
                np.savez(
                    file,
                    session=np.uint64(digest_of(self.session)),
                    values=updater.checkpoint(),
                    step=step,
                    dropped=dropped,
                    times=remembered[0],
                    displacements=remembered[1],
                    forces=remembered[2],
                )
            self.until = step


def work(
    source: str,
    master: tuple[str, int],
    session: int,
    rate: float,
    checkpoint: Path | None,
    core: int | None,
    go_on: bool = False,
) -> None:
    """Process samples and send estimates, until the test says stop or is gone."""
    updater = make_updater(source)
    updater.start()
    # compiles, while the test still waits
    updater.update(1, 0.0, np.zeros(updater.twin.size), np.zeros(updater.twin.size))
    updater.start()
    kept = Checkpoint(checkpoint, session, go_on)
    processed, dropped = kept.load(updater)
    channel = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    channel.bind((master[0] if master[0].startswith("127.") else "", 0))
    channel.setblocking(False)
    size, number, parent = updater.twin.size, 0, os.getppid()
    hello, looked, last = -np.inf, -np.inf, -1
    with Pacer(Pace(rate, core=core)) as pacer:
        while True:
            pacer.wait()
            now = time.monotonic()
            message, _, older = datagrams.latest(
                channel, session, (datagrams.SAMPLE, datagrams.STOP)
            )
            if message is not None and message.kind == datagrams.STOP:
                return
            if (
                message is None
                or message.number <= last
                or (len(message.values) - 2 * size) % (STEP_AND_TIME + size)
            ):
                if last < 0 and now - hello > HELLO_EVERY:
                    hello = now
                    channel.sendto(
                        datagrams.pack(
                            session, datagrams.HELLO, 0, 0, 0.0, time.time(), np.zeros(0)
                        ),
                        master,
                    )
                if processed > kept.until:
                    kept.save(updater, processed, dropped, now)
                if now - looked > ORPHANED:
                    looked = now
                    if os.getppid() != parent:
                        return  # whoever started it is gone
                continue
            dropped += older
            last = message.number
            if message.step <= processed:
                continue  # a resumed test takes the step again that it had not committed
            sample, path = (
                message.values[: 2 * size],
                message.values[2 * size :].reshape(-1, STEP_AND_TIME + size),
            )
            for point in path[path[:, 0] > processed]:
                updater.update(int(point[0]), point[1], point[STEP_AND_TIME:], None)
            processed = message.step
            updater.update(message.step, message.time, sample[:size], sample[size:])
            number += 1
            counts = updater.counts
            head = [
                float(counts["samples"] - counts["missing"]),
                float(dropped),
                float(updater.consistent),
                float(kept.until),
            ]
            values = np.array([*head, *updater.written, *updater.std.values()])
            channel.sendto(
                datagrams.pack(
                    session,
                    datagrams.ESTIMATE,
                    number,
                    message.step,
                    message.time,
                    message.clock,
                    values,
                ),
                master,
            )
            kept.save(updater, processed, dropped, now)


def digest_of(session: int) -> int:
    """What a file that others can read holds of the number of a session."""
    return int.from_bytes(hashlib.sha256(str(session).encode()).digest()[:8], "little")


def started(arguments: Sequence[str], session: int) -> subprocess.Popen[bytes]:
    """A worker of a session, with the words of its command line."""
    process = subprocess.Popen(python(START, *arguments), env=surroundings(), stdin=subprocess.PIPE)
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it has ended already; whoever waits for it says so
        process.stdin.write(f"{session}\n".encode())
        process.stdin.close()
    return process


def keep(arguments: list[str], session: int) -> None:
    """Run a worker, and another where it dies, until one ends normally."""
    parent = os.getppid()
    while True:
        child = started(arguments, session)

        def end(*_: Any, child: subprocess.Popen[bytes] = child) -> None:
            child.terminate()
            sys.exit(0)

        signal.signal(signal.SIGTERM, end)
        while True:
            try:
                ended = child.wait(timeout=ORPHANED)
                break
            except subprocess.TimeoutExpired:
                if os.getppid() != parent:  # the test was killed: nobody else ends the worker
                    child.terminate()
                    child.wait()
                    return
        if ended in (0, 2):  # done, or refused for a reason that stays
            return
        time.sleep(RESTART_AFTER)


def main(arguments: list[str] | None = None) -> int:
    """The command line of the process."""
    parser = argparse.ArgumentParser(prog="python -m femu.updating.worker", description=__doc__)
    parser.add_argument(
        "source",
        help="function that makes the updater, as package.module:function or file.py:function",
    )
    parser.add_argument("--master", required=True, help="address of the test, as host:port")
    parser.add_argument(
        "--rate", type=float, default=200.0, help="samples processed per second, at most"
    )
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument(
        "--go-on", action="store_true", help="continue from a checkpoint of another session"
    )
    parser.add_argument("--core", type=int)
    parser.add_argument("--keep", action="store_true", help="start the worker again where it dies")
    given = parser.parse_args(arguments)
    try:
        session = int(sys.stdin.readline())
    except ValueError:
        parser.error("the number of the session must be the first line of standard input")
    if given.keep:
        keep(
            [
                word
                for word in (sys.argv[1:] if arguments is None else arguments)
                if word != "--keep"
            ],
            session,
        )
        return 0
    # no line of the user's is in this process
    warnings.formatwarning = lambda message, *_, **__: f"femu: {message}\n"
    host, _, port = given.master.rpartition(":")
    try:
        work(
            given.source,
            (host, int(port)),
            session,
            given.rate,
            given.checkpoint,
            given.core,
            given.go_on,
        )
    except FemuError as error:
        print(f"femu: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
