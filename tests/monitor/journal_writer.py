"""A process that writes a journal on demand: HDF5 does not let one process write a file and follow
it too.

As a program: reads lines of JSON, ``[method, argument ...]``, and answers ``done`` after each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

DT = 0.01


class Writer:
    """The other side of this program."""

    def __init__(self, path: Path, **about: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(path), json.dumps(about)],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._wait()

    def _wait(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "done\n"

    def __call__(self, *words: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        self._wait()
        if words[0] == "close":
            self._process.communicate(timeout=20)


def main() -> None:
    """Write what is asked for."""
    import femu.experimental.journal.journal as module
    import femu.experimental.journal.rows
    from femu.results.outcome import Outcome

    about = json.loads(sys.argv[2])
    if "stamps" in about:
        # a clock that gives known stamps
        stamps = iter(about.pop("stamps"))
        femu.experimental.journal.rows.clock = type(
            "Clock", (), {"time": staticmethod(lambda: next(stamps))}
        )  # type: ignore[assignment]
    limits = {"column": {"displacement": [10.0, 20.0]}}
    journal = module.Journal(
        sys.argv[1],
        {"column": 2},
        state=3,
        specimens=1,
        overwrite=True,
        about={"model": "frame", "steps": 100, "limits": limits, **about},
    )
    print("done", flush=True)
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        if what == "steps":
            for k in range(*arguments):
                d = np.array([0.09 * k, 0.01 * k])
                journal.command("column", k, k * DT, d)
                journal.measured("column", k, k * DT, d + 0.001, 2.0 * d)
                journal.commit(k, k * DT, np.zeros(3), np.zeros(1))
        elif what == "command":
            journal.command("column", arguments[0], arguments[0] * DT, np.array(arguments[1]))
        elif what == "measured":
            journal.measured(
                "column", arguments[0], arguments[0] * DT, np.array(arguments[1]), np.zeros(2)
            )
        else:
            journal.close(Outcome[arguments[0]], arguments[1])
        print("done", flush=True)


if __name__ == "__main__":
    main()
