"""openseespy in a separate process.

It has one model per process, and may end the process at a wrong argument.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from femu.opensees.translation.command_list import Job
from femu.support.errors import UnsupportedError, missing_extra
from femu.support.isolated_python import python_module, surroundings

JOB_SECONDS = 120.0
START_SECONDS = 120.0  # loading openseespy from a cold disk may take long
_POLL_SECONDS = 0.005
_LAST_WORDS = 400  # characters of its messages that are kept


class Fate(Enum):
    """How a job ended in openseespy. The value is the sentence the user reads."""

    DONE = "openseespy did it"
    FAILED = "openseespy could not do it"
    CRASHED = "openseespy ended its process"
    TIME_LIMIT = "openseespy took longer than the time limit"


@dataclass(frozen=True)
class Answer:
    """The answer of openseespy to a job."""

    fate: Fate
    message: str = ""
    arrays: dict[str, Any] = field(default_factory=dict)


class Peer:
    """A process that does jobs one after the other, and is started again if a job ends it.

    ::

        with Peer() as peer:
            answer = peer.ask(job)

    ``seconds`` is the time limit of each job.
    """

    def __init__(self, seconds: float = JOB_SECONDS) -> None:
        if importlib.util.find_spec("openseespy") is None:
            raise missing_extra("openseespy", "opensees", "A comparison with OpenSees")
        self.seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="femu-opensees-")
        self._process: subprocess.Popen[bytes] | None = None
        self._count = 0

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and forget its files."""
        self._end()
        self._folder.cleanup()

    def ask(self, job: Job) -> Answer:
        """The answer to a job: its arrays, or what went wrong."""
        folder = Path(self._folder.name)
        process = self._running()
        assert process.stdin is not None
        self._count += 1
        base = folder / f"{self._count}"
        base.with_suffix(".json").write_text(json.dumps(job))
        with contextlib.suppress(OSError):  # if it has ended, which is seen below
            process.stdin.write(f"{base}\n".encode())
            process.stdin.flush()
        began = time.monotonic()
        while process.poll() is None and not (
            base.with_suffix(".npz").exists() or base.with_suffix(".txt").exists()
        ):
            if time.monotonic() - began > self.seconds:
                self._end()
                return Answer(Fate.TIME_LIMIT, f"{self.seconds:g} s")
            time.sleep(_POLL_SECONDS)
        if base.with_suffix(".npz").exists():
            with np.load(base.with_suffix(".npz")) as arrays:
                answer = Answer(Fate.DONE, arrays=dict(arrays))
        elif base.with_suffix(".txt").exists():
            answer = Answer(
                Fate.FAILED, f"{base.with_suffix('.txt').read_text()}. {self._last_words()}"
            )
        else:
            answer = Answer(Fate.CRASHED, f"exit code {process.wait()}. {self._last_words()}")
            self._end()
        for suffix in (".json", ".npz", ".txt"):
            base.with_suffix(suffix).unlink(missing_ok=True)
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            folder = Path(self._folder.name)
            ready = folder / "ready"
            ready.unlink(missing_ok=True)
            # one thread of BLAS: the matrices are small, and femu runs at the same time
            environment = surroundings(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
            with (folder / "words").open("wb") as sink:
                self._process = subprocess.Popen(
                    python_module("femu.opensees.comparison.opensees_process", str(ready)),
                    stdin=subprocess.PIPE,
                    stdout=sink,
                    stderr=sink,
                    env=environment,
                    cwd=folder,
                )
            began = time.monotonic()
            while not ready.exists():
                if self._process.poll() is not None or time.monotonic() - began > START_SECONDS:
                    words = self._last_words()
                    self._end()
                    raise UnsupportedError(
                        f"openseespy is installed but does not start: {words or 'no message'}"
                    )
                time.sleep(_POLL_SECONDS)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()

    def _last_words(self) -> str:
        words = Path(self._folder.name) / "words"
        return words.read_text(errors="replace").strip()[-_LAST_WORDS:] if words.exists() else ""
