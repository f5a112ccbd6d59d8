"""Plays frames on openseespy or femu: ``python -m tests.campaign.frame_play opensees|femu`` reads
lines ``SEED [CHANGE]`` and answers each by a line.

A change leaves the problem as it is, so that a well-posed frame does not show it: see `CHANGES`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from typing import Any

from tests.campaign.frame_balance import equations
from tests.campaign.frame_generator import Frame, frame_of
from tests.campaign.frame_jumps import continued, deformations, fibres

CHANGES: dict[str, tuple[str, float]] = {
    "half the tolerance": ("test", 0.5),
    "more load": ("load", 1.0 + 1e-12),
}
"""Changes that leave the problem as it is.

The tolerance of the test, and gravity loads, by a factor.
"""
UNEVEN = "uneven load"
UNEVENNESS, NODES_ALIKE = 1e-9, 7
"""Change of gravity loads by a share that differs from node to node, so that members that rest by
symmetry deform by more than round-off."""
PARTS = "in parts:"
"""Change of static steps, whose numbers follow: they are taken in `PARTS_OF_A_STEP` equal parts."""
PARTS_OF_A_STEP = 10
SHORT_STEPS = "short steps:"
"""Change of all steps, also those in time: each is taken in as many equal parts as follow, and
none after the number of steps that comes next."""
DIRECT = "directly:"
"""Change of steps that Newton did not solve.

Each is taken by the algorithm that follows its number, without failing first.
"""
BALANCE = "balance"
"""No change: the answer also has the errors of balance and of compatibility of the force-based
members and the deformations of sections after each step."""
TOGETHER = "; "
"""Between two changes of one run."""
FIBRES = "fibres"
"""No step is taken: the answer has the fibres of all sections. Of openseespy alone."""
WITHOUT_JUMPS = "without jumps"
"""Change of laws whose stress jumps: see `frame_jumps`."""
HELP = (["NewtonLineSearch"], ["KrylovNewton"])
"""Algorithms that a step gets which Newton does not solve, on both programs; no step is divided."""


def changed(frame: Frame, change: str) -> Frame:
    """A frame with a change of `CHANGES`, or with uneven loads."""
    name, factor = CHANGES.get(change, ("load", 1.0))
    uneven = UNEVENNESS if change == UNEVEN else 0.0
    gravity = {id(words) for words in frame.commands}
    for words in (
        *frame.commands,
        *(words for stage in frame.stages for words in stage["commands"]),
    ):
        if name == words[0] == "load" and id(words) in gravity:
            share = factor + uneven * (words[1] % NODES_ALIKE)
            words[2:] = [share * component for component in words[2:]]
        elif name == words[0] == "test":
            words[2] *= factor
    return frame


def _without_steps(frame: Frame, changes: list[str]) -> None:
    """Changes that are in the commands of a frame."""
    for change in changes:
        if change in (*CHANGES, UNEVEN):
            changed(frame, change)
        elif change == WITHOUT_JUMPS:
            continued(frame)


def play(ops: Any, seed: int, change: str = "") -> dict[str, Any]:
    """Run the frame of a seed.

    Displacements after each step, and how many of its steps were taken.
    """
    frame, divided, direct = frame_of(seed), set[int](), dict[int, str]()
    count, most = PARTS_OF_A_STEP, sum(stage["steps"] for stage in frame.stages)
    changes = change.split(TOGETHER)
    _without_steps(frame, changes)
    for one in changes:
        if one.startswith(SHORT_STEPS):
            count, most = map(int, one.removeprefix(SHORT_STEPS).split(","))
        elif one.startswith(PARTS):
            divided = set(map(int, one.removeprefix(PARTS).split(",")))
        elif one.startswith(DIRECT):
            pairs = (pair.split("=") for pair in one.removeprefix(DIRECT).split(","))
            direct = {int(step): name for step, name in pairs}
    shortened = any(one.startswith(SHORT_STEPS) for one in changes)
    total, rows = sum(stage["steps"] for stage in frame.stages), list[list[float]]()
    answer: dict[str, Any] = {
        "seed": seed,
        "taken": 0,
        "total": total,
        "rows": rows,
        "again": [],
        "helped": {},
        "equations": [],
        "sections": [],
    }
    ops.wipe()
    try:
        for name, *words in frame.commands:
            getattr(ops, name)(*words)
        if FIBRES in changes:
            return {**answer, "fibres": fibres(ops, frame)}
        for stage in frame.stages:
            for name, *words in stage["commands"]:
                getattr(ops, name)(*words)
            control = next(words for words in stage["commands"] if words[0] == "integrator")
            for _ in range(stage["steps"]):
                if (taken := answer["taken"]) == most:
                    return answer
                parts = taken in divided or shortened
                how = direct.get(taken, "")
                if not (
                    _in_parts(ops, control, stage, count)
                    if parts
                    else _step(ops, stage["analyze"], answer, how)
                ):
                    return answer
                answer["taken"] += 1
                rows.append([v for node in frame.watched for v in ops.nodeDisp(node)])
                if BALANCE in changes:
                    answer["equations"].append(equations(ops, frame))
                    answer["sections"].append(deformations(ops, frame))
    except Exception as problem:
        answer["refused"] = f"{type(problem).__name__}: {problem}"
    return answer


def _in_parts(ops: Any, control: list[Any], stage: dict[str, Any], parts: int) -> bool:
    """A step in parts: the size of a static step is the last word of its control, that of one in
    time the last of analyze."""
    one, *dt = stage["analyze"]
    if dt:
        return all(_step(ops, [one, dt[0] / parts]) for _ in range(parts))
    ops.integrator(*control[1:-1], control[-1] / parts)
    done = all(_step(ops, [one]) for _ in range(parts))
    ops.integrator(*control[1:])
    return done


def _step(
    ops: Any, words: list[Any], answer: dict[str, Any] | None = None, directly: str = ""
) -> bool:
    """One step, with help if it fails.

    ``answer`` gets how it was taken: when simply asked for again, or by which algorithm.
    """
    how = answer or {"taken": 0, "again": [], "helped": {}}
    if not directly:
        if ops.analyze(*words) == 0:
            return True
        if ops.analyze(*words) == 0:
            how["again"].append(how["taken"])
            return True
    for algorithm in [directly.split()] if directly else HELP:
        ops.algorithm(*algorithm)
        done = ops.analyze(*words) == 0
        ops.algorithm("Newton")
        if done:
            how["helped"][how["taken"]] = algorithm[0]
            return True
    return False


def main(program: str) -> None:
    answers = os.fdopen(os.dup(1), "w")  # what the programs print goes elsewhere
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    warnings.simplefilter("ignore")
    if program == "opensees":
        from femu.opensees.load_openseespy import load_opensees

        ops = load_opensees()
    else:
        ops = importlib.import_module("femu.opensees")
    for line in sys.stdin:
        seed, _, change = line.strip().partition(" ")
        print(json.dumps(play(ops, int(seed), change)), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
