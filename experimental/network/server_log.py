"""What happened at a server: who came, who was sent away, what was commanded, how it ended."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import TextIO

import numpy as np
import numpy.typing as npt

from femu.support.errors import FileError

MOST_DROPPED = 10_000  # visitors sent away that get a line each; then one in a thousand does
FLUSH_EVERY = 1.0  # seconds


class ServerLog:
    """Lines with a time (UTC), appended to a file and, but for the commands, said too.

    Nothing that came over the network is written as it is: only addresses, reasons and numbers.
    """

    def __init__(self, path: str | os.PathLike[str] | None, say: Callable[[str], None]) -> None:
        self._say, self._stream = say, self._opened(path)
        self.dropped, self._flushed = 0, time.monotonic()

    @staticmethod
    def _opened(path: str | os.PathLike[str] | None) -> TextIO | None:
        if path is None:
            return None
        try:
            return open(path, "a", encoding="utf-8", errors="backslashreplace")
        except (OSError, ValueError) as problem:
            raise FileError(path, f"cannot be written as the log of a server: {problem}") from None

    def event(self, text: str) -> None:
        """Something that everybody should see."""
        self._say(text)
        self._write(text)
        self.flush()

    def drop(self, who: str, why: str) -> None:
        """A visitor was sent away."""
        self.dropped += 1
        if self.dropped <= MOST_DROPPED:
            self.event(f"{who} was sent away: it {why}")
        elif self.dropped % 1000 == 0:
            self.event(f"{self.dropped} visitors were sent away; the last was {who}: it {why}")

    def command(self, instant: float, command: npt.NDArray[np.float64]) -> None:
        """A command is asked for."""
        if self._stream is not None:
            self._write(f"command at t = {instant!r}: {command.tolist()}")
            if time.monotonic() - self._flushed > FLUSH_EVERY:
                self.flush()

    def flush(self) -> None:
        self._flushed = time.monotonic()
        if self._stream is not None:
            try:
                self._stream.flush()
            except OSError as problem:
                self._give_up(problem)

    def close(self) -> None:
        self.flush()
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        now = datetime.now(timezone.utc).isoformat(timespec="microseconds")
        try:
            self._stream.write(f"{now} {' '.join(text.split())}\n")
        except OSError as problem:
            self._give_up(problem)

    def _give_up(self, problem: OSError) -> None:
        """A full disk must not end a test: the journal has the commands too."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
            self._say(f"the log cannot be written any more: {problem}")
