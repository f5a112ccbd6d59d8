"""A specimen driven by a program that reads commands and writes measurements as lines of text."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from femu.experimental import BadMessage, Measurement, PeerLost, Specimen

Array = npt.NDArray[np.float64]


class ProgramSpecimen(Specimen):
    """Each command is sent to the program as one line of numbers.

    The program answers with displacements and forces on one line.
    """

    def __init__(self, command: Sequence[str], size: int, stiffness: npt.ArrayLike) -> None:
        self.size, self._command = size, list(command)
        self._stiffness = np.atleast_2d(np.asarray(stiffness, dtype=float))
        self._program: subprocess.Popen[str] | None = None

    def open(self) -> None:
        if self._program is None:
            # in its own session: Ctrl-C in the terminal must not end it while femu waits for a
            # measurement
            self._program = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )

    def apply(self, command: Array, time: float) -> Measurement:
        self.open()
        assert (
            self._program is not None
            and self._program.stdin is not None
            and self._program.stdout is not None
        )
        try:
            self._program.stdin.write(" ".join(repr(float(c)) for c in command) + "\n")
            self._program.stdin.flush()
            answer = self._program.stdout.readline()
        except OSError as problem:
            raise PeerLost(f"{self._command[0]} is no longer running: {problem}.") from problem
        if not answer:
            raise PeerLost(f"{self._command[0]} ended during the test.")
        try:
            numbers = np.array([float(word) for word in answer.split()])
        except ValueError:
            raise BadMessage(
                f"{self._command[0]} answered {answer!r}, which is not a line of numbers."
            ) from None
        if len(numbers) != 2 * self.size:
            problem = BadMessage(
                f"{self._command[0]} answered {len(numbers)} numbers; {2 * self.size} were "
                f"expected: {numbers.tolist()}."
            )
            # for the journal
            problem.measurement = Measurement(numbers[: self.size], numbers[self.size :], time)
            raise problem
        return Measurement(numbers[: self.size], numbers[self.size :], time)

    def initial_stiffness(self) -> Array:
        return self._stiffness

    def close(self) -> None:
        if self._program is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._program.communicate(timeout=5.0)
            self._program.kill()
            self._program = None
