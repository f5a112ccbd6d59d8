"""Files that are missing, wrong, unreadable or unwritable, and a full disk where one can be
mounted."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from femu import FemuError, GroundMotion, Result, State, plots, report
from femu.analyses import LoadControl, Transient
from femu.batch import BatchResult, Plan, RecordFile, Suite
from femu.batch.toml_file import read_suite
from femu.exchange.model_toml import read_model, write_model
from femu.experimental import Journal, read_description, read_journal
from femu.identify import Recording
from femu.updating import UpdatingHistory
from tests.campaign import rig
from tests.campaign.bad_model import frame, quake
from tests.campaign.fault_disk import small_disk

Case = Callable[[], Any]


def readers() -> dict[str, Callable[[Path], Any]]:
    """Everything that reads a file."""
    program = frame().compile()
    return {
        "AT2": GroundMotion.from_at2,
        "CSV": GroundMotion.from_csv,
        "SMC": GroundMotion.from_smc,
        "COSMOS": GroundMotion.from_cosmos,
        "text": lambda p: GroundMotion.from_text(p, 0.01, "g"),
        "columns": lambda p: GroundMotion.from_columns(p, "g"),
        "suite": read_suite,
        "model": read_model,
        "specimen": read_description,
        "journal": read_journal,
        "result": Result.load,
        "state": lambda p: State.load(p, program),
        "history": UpdatingHistory.load,
        "batch": BatchResult.load,
        "recording": lambda p: Recording.read(p, "d", "f"),
        "recorded test": lambda p: Recording.from_journal(p, "e"),
        "report": report.page_of,
        "record of a batch": lambda p: RecordFile(p, "at2").read(),
    }


def writers() -> dict[str, Callable[[Path], Any]]:
    """Everything that writes a file."""
    result = LoadControl(steps=1).run(frame())
    state, ax = result.state, plots.plot_convention("node")
    assert state is not None
    history = UpdatingHistory(("fy",), 1, np.zeros((20000, 14)), ((0.0, 1.0),))
    suite = Suite(Plan(frame(), Transient()), [quake()])
    return {
        "result": result.save,
        "state": state.save,
        "history": history.save,
        "model": lambda p: write_model(frame(), p),
        "script": frame().to_opensees,
        "CSV": GroundMotion.el_centro().to_csv,
        "AT2": GroundMotion.el_centro().to_at2,
        "journal": lambda p: Journal(p, {"e": 1}),
        "test": lambda p: rig.test_of(rig.specimen(), 3).run(p),
        "picture": lambda p: plots.save(ax, p.with_suffix(".png")),
        "moving picture": lambda p: plots.animate(result, p.with_suffix(".html"), frames=2),
        "report": lambda p: report.write(result, p),
        "batch": lambda p: suite.run(p, on="threads", workers=1),
    }


@contextlib.contextmanager
def cases() -> Iterator[dict[str, Case]]:
    """All of them, while their folder and the small disk are there."""
    with tempfile.TemporaryDirectory() as name:
        folder, found, writes = Path(name), dict[str, Case](), writers()
        (folder / "empty").write_bytes(b"")
        (folder / "words").write_text("these are words\nand more of them\n")
        (folder / "binary").write_bytes(bytes(range(256)) * 8)
        for ending in (".h5", ".png", ".html"):
            (folder / f"taken{ending}").mkdir()
        for kind, read in readers().items():
            for what in ("missing", "empty", "words", "binary", ".", "words/below"):
                found[f"{kind} file: {what}"] = lambda read=read, what=what: read(folder / what)
        for kind, write in writes.items():
            found[f"{kind} to a folder that is not there"] = lambda write=write: write(
                folder / "no" / "such" / "folder.h5"
            )
            found[f"{kind} in the place of a folder"] = lambda write=write: write(
                folder / "taken.h5"
            )
        closed = folder / "closed"
        closed.mkdir()
        closed.chmod(0o500)
        if os.access(closed, os.W_OK):  # of the administrator
            closed = Path("/sys/kernel")
        for kind, write in writes.items() if closed.exists() else ():
            found[f"{kind} to a read-only folder"] = lambda write=write: write(
                closed / "femu-test.h5"
            )
        try:
            with small_disk(folder, "128k") as disk:
                with contextlib.suppress(OSError):
                    (disk / "other").write_bytes(bytes(1 << 20))
                for kind, write in writes.items():
                    # small enough for what is left of a page
                    if kind not in ("state", "model", "script"):
                        found[f"{kind} to a full disk"] = lambda write=write: write(
                            disk / "file.h5"
                        )
                yield found
        except OSError as problem:
            if isinstance(problem, FemuError):
                raise
            yield found
