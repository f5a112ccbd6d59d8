"""Run as a program: jobs in openseespy, one after the other, each answered by a file of arrays.

Argument: a file to make when openseespy is loaded. Each line of the standard input is the path of a
job without its suffix: the job is read from ``.json`` and answered by ``.npz``, or by ``.txt`` with
a sentence if it could not be done. A job is a list of actions::

    ["call", function, arguments ...]        any function of openseespy
    ["record", readings]                     what to read from now on; a reading is [function, arguments ...]
    ["row"]                                  read now
    ["steps", count, dt]                     take steps (dt null: static) and read after each
    ["displacements", node, dof, increments] take steps of displacement control and read after each
    ["path", strains, rates]                 drive the material that testUniaxialMaterial has chosen
    ["eigen", modes]                         periods, and shapes of all nodes

The answer holds ``rows0``, ``rows1``, ... (one array for each "record", one row per
reading), ``path``, ``periods`` and ``shapes``, as far as requested.
"""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from femu.opensees.load_openseespy import load_opensees

ACTIONS = ("call", "record", "row", "steps", "displacements", "path", "eigen")


class NotDone(Exception):
    """A job that openseespy could not do, with a sentence."""


class Job:
    """One job: carries out actions and keeps what they give."""

    def __init__(self, ops: Any) -> None:
        self.ops = ops
        self.readings: list[tuple[Any, list[Any]]] = []
        self.rows: list[list[list[float]]] = []
        self.found: dict[str, Any] = {}

    def do(self, action: list[Any]) -> None:
        """Carry out one action."""
        kind, *arguments = action
        if kind not in ACTIONS:
            raise NotDone(f"there is no action {kind!r}")
        getattr(self, kind)(*arguments)

    def call(self, function: str, *arguments: Any) -> Any:
        return getattr(self.ops, function)(*arguments)

    def record(self, readings: list[list[Any]]) -> None:
        self.readings = [
            (getattr(self.ops, function), arguments) for function, *arguments in readings
        ]
        self.rows.append([])

    def row(self) -> None:
        self.ops.reactions()
        values: list[float] = []
        for function, arguments in self.readings:
            found = function(*arguments)
            if isinstance(found, list):
                values += found
            else:
                values.append(found)
        self.rows[-1].append(values)

    def steps(self, count: int, dt: float | None) -> None:
        arguments = (1,) if dt is None else (1, dt)
        for step in range(count):
            if self.ops.analyze(*arguments) != 0:
                raise NotDone(f"openseespy did not converge in step {step + 1} of {count}")
            self.row()

    def displacements(self, node: int, dof: int, increments: list[float]) -> None:
        last = None
        for step, increment in enumerate(increments):
            if increment != last:
                self.ops.integrator("DisplacementControl", node, dof, increment)
                last = increment
            if self.ops.analyze(1) != 0:
                raise NotDone(
                    f"openseespy did not converge in step {step + 1} of {len(increments)}"
                )
            self.row()

    def path(self, strains: list[float], rates: list[float]) -> None:
        found = []
        for strain, rate in zip(strains, rates, strict=True):
            self.ops.setStrain(strain, rate)
            found.append(self.ops.getStress())
        self.found["path"] = np.array(found)

    def eigen(self, modes: int) -> None:
        equations = self.ops.systemSize() if hasattr(self.ops, "systemSize") else 0
        solver = ["-fullGenLapack"] if 0 < equations <= modes + 1 else []
        values = self.ops.eigen(*solver, modes)
        self.found["periods"] = np.array(
            [2.0 * math.pi / math.sqrt(v) if v > 0.0 else math.nan for v in values]
        )
        self.found["shapes"] = np.array(
            [
                [self.ops.nodeEigenvector(node, mode + 1) for node in self.ops.getNodeTags()]
                for mode in range(modes)
            ]
        )


def main(ready: str) -> None:
    ops = load_opensees()
    Path(ready).touch()
    for line in sys.stdin:
        base = Path(line.strip())
        ops.wipe()
        job = Job(ops)
        try:
            for action in json.loads(base.with_suffix(".json").read_text()):
                job.do(action)
        except (NotDone, ops.OpenSeesError, TypeError, ValueError) as problem:
            _put(base.with_suffix(".txt"), (str(problem) or type(problem).__name__).encode())
            continue
        _put(base.with_suffix(".npz"), _packed(job))


def _packed(job: Job) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {f"rows{k}": np.array(rows) for k, rows in enumerate(job.rows)}
    np.savez(buffer, **arrays, **job.found)
    return buffer.getvalue()


def _put(place: Path, content: bytes) -> None:
    """Write a file that is complete as soon as it exists."""
    part = place.with_suffix(".part")
    part.write_bytes(content)
    part.replace(place)


if __name__ == "__main__":
    main(*sys.argv[1:])
