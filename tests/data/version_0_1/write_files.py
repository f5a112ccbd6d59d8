"""Writes the files of this folder, with the version of femu that runs it.

They were written by version 0.1.0, before its modules were moved, and are kept as they are: a file
written by a later version would show nothing. To make such a folder for another version, copy
`described.py` and this script to a new folder and run it there, in a tree of that version::

    .venv/bin/python tests/data/version_0_2/write_files.py
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import described as d  # noqa: E402

from femu.experimental import read_journal  # noqa: E402
from femu.updating.worker import Checkpoint  # noqa: E402

SOME = 250
"""Samples that an updater has taken before its checkpoint is kept."""
KILLED_AT = 71
"""Number of the command on whose way a test is killed."""


def peak(values: Any) -> float:
    return float(np.abs(values).max())


def states_and_results(figures: dict[str, Any]) -> None:
    program = d.portal().compile()
    gravity = d.GRAVITY.run(program).state
    half = d.TRANSIENT.run(program, d.QUAKE, start=gravity, duration=0.5)
    half.state.save(FOLDER / "state_of_portal.h5")
    whole = d.TRANSIENT.run(program, d.QUAKE, start=gravity, duration=1.0)
    whole.save(FOLDER / "result_of_portal.h5")
    figures["portal"] = {
        "time": half.state.time,
        "C": half.state.displacement("C", "x"),
        "moment": half.state.element("left"),
        "energy": half.state.energy,
        "peak": peak(whole.displacement("C", "x")),
        "base shear": peak(whole.base_shear()),
        "end": whole.state.displacement("C", "x"),
        "columns": list(whole.columns()),
    }
    program = d.space_frame().compile()
    half = d.TRANSIENT.run(program, d.QUAKE, duration=0.4)
    half.state.save(FOLDER / "state_in_space.h5")
    whole = d.TRANSIENT.run(program, d.QUAKE, duration=0.8)
    whole.save(FOLDER / "result_in_space.h5")
    figures["space"] = {
        "time": half.state.time,
        "x": half.state.displacement(2, "x"),
        "peak": peak(whole.displacement(2, "x")),
        "end": whole.state.displacement(2, "x"),
    }
    d.portal().to_toml(FOLDER / "model_of_portal.toml")
    d.space_frame().to_toml(FOLDER / "model_in_space.toml")


def killed(test: Any, element: str, path: Path) -> None:
    """Run a test in a process that is killed on the way of a command."""
    child = os.fork()
    if child == 0:
        specimen = test.elements[element].specimen
        apply, count = specimen.apply, [0]

        def deadly(command: Any, time: float) -> Any:
            count[0] += 1
            if count[0] == KILLED_AT:
                os.kill(os.getpid(), signal.SIGKILL)
            return apply(command, time)

        specimen.apply = deadly
        test.run(path)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def packed(path: Path, name: str) -> None:
    """Journals have room for more steps: they are kept compressed."""
    (FOLDER / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


def journals(figures: dict[str, Any]) -> None:
    scratch = Path(tempfile.mkdtemp())
    for name, make, element in (
        ("device", d.device_test, "device"),
        ("updating", d.updated_test, "left"),
    ):
        test = make()
        result = test.run(scratch / f"{name}.h5")
        assert result.outcome.ok, result.message
        packed(scratch / f"{name}.h5", f"journal_of_{name}.h5")
        result.save(FOLDER / f"result_of_{name}.h5")
        killed(make(), element, scratch / f"{name}_killed.h5")
        packed(scratch / f"{name}_killed.h5", f"journal_of_{name}_killed.h5")
        record, rest = (read_journal(scratch / f"{name}{end}.h5") for end in ("", "_killed"))
        displacement, force = record.measurements(element)
        node = "B" if name == "device" else "C"
        figures[name] = {
            "steps": record.steps,
            "commands": len(record.commands(element)),
            "last command": record.commands(element)[-1].tolist(),
            "largest displacement": peak(displacement),
            "largest force": peak(force),
            "peak": peak(result.displacement(node, "x")),
            "end": float(result.displacement(node, "x")[-1]),
            "killed steps": rest.steps,
            "killed commands": len(rest.commands(element)),
            "killed measurements": len(rest.measured[element]),
        }
        if test.updater is not None:
            test.updater.history.save(FOLDER / "history_of_updating.h5")
            figures[name]["values"] = test.updater.values
            figures[name]["std"] = test.updater.std
    shutil.rmtree(scratch)


class Interrupt:
    """A progress object that stops a batch after some runs, as Ctrl-C does."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self, done: int, failures: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    def finish(self) -> None: ...


def batches(figures: dict[str, Any]) -> None:
    for name, make in (("suite", d.suite), ("ida", d.ida)):
        for end, progress in (("", None), ("_interrupted", Interrupt())):
            with contextlib.suppress(KeyboardInterrupt):
                options = {"workers": 1, "on": "threads", "progress": progress}
                path = FOLDER / f"batch_{name}{end}.h5"
                found = make().run(path, **options)
                figures[name] = {
                    "runs": len(found),
                    "scale": found["scale"].tolist(),
                    "peak_drift": found["peak_drift"].tolist(),
                    "outcomes": [outcome.name for outcome in found.outcomes],
                }


def updaters(figures: dict[str, Any]) -> None:
    t, u, force = d.samples()
    for name, settings in (("spring", {}), ("spring_pure", {"mode": "pure"})):
        updater = d.spring_updater(**settings)
        updater.run(t[:SOME], u[:SOME], force[:SOME])
        Checkpoint(FOLDER / f"checkpoint_of_{name}.npz", session=7).save(updater, SOME, 3, 0.0)
        kept = {"values": updater.values, "std": updater.std}
        history = updater.run(t[SOME:], u[SOME:], force[SOME:], first=SOME + 1)
        if not settings:
            history.save(FOLDER / f"history_of_{name}.h5")
        figures[name] = {
            "at the checkpoint": kept,
            "end": {"values": updater.values, "std": updater.std},
            "rows": len(history),
            "names": list(history.names),
            "force": history.force[-1].tolist(),
            "innovation_std": history.innovation_std[-1].tolist(),
        }


def main() -> None:
    figures: dict[str, Any] = {}
    for write in (states_and_results, journals, batches, updaters):
        write(figures)
    (FOLDER / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
