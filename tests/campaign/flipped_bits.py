"""Flipped bits: no file of femu is read with other numbers than were written, unless a warning or an
error says that it is damaged.

One bit of a file is flipped at a time: of a result, a state, a history, a journal and a batch. A
batch is also resumed, and must then hold what it held before.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu import GroundMotion, Model, Result
from femu.analyses import Newmark, Transient
from femu.batch import BatchResult, Plan, Suite
from femu.elements import ElasticBeamColumn
from femu.engine.state import State
from femu.experimental import read_journal
from femu.materials import ElasticSection
from femu.support.errors import FemuError
from femu.updating import UpdatingHistory
from tests.campaign import rig
from tests.campaign.tally import Tally

QUICK, FULL = 40, 1500  # bits of each kind of file
RESUMED = {True: 2, False: 40}  # damaged batches that are resumed
SAME, REFUSED, SAID, OTHER = "same", "refused", "read with a warning", "other numbers in silence"
Read = Callable[[Path], Any]


def column() -> Model:
    model = Model("column")
    model.node("base", 0.0, 0.0, fixed=True)
    model.node("top", 0.0, 3.0, mass=1e4)
    section = ElasticSection(E=2e11, A=1e-2, I=1e-5)
    model.add(ElasticBeamColumn("column", "base", "top", section=section))
    return model


QUAKE = GroundMotion("bits", 0.02, np.sin(np.arange(40)))


def batch(path: Path) -> BatchResult:
    plan = Plan(column(), Transient(Newmark(), dt=0.02), storeys=["base", "top"])
    return Suite(plan, [QUAKE], scales=[0.5, 1.0, 2.0]).run(path, workers=1)


def plain(value: Any) -> Any:
    """Whatever was read, as something to compare by its bits."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return sorted((repr(key), plain(one)) for key, one in value.items())
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return plain(
            {k: v for k, v in vars(value).items() if k not in ("path", "program", "environment")}
        )
    return repr(value)


def files(folder: Path) -> dict[str, tuple[bytes, Read]]:
    """A file of each kind, and how it is read."""
    program = column().compile()
    found = Transient(Newmark(), dt=0.02).run(program, QUAKE, check=False)
    found.save(folder / "result.h5")
    program.state().save(folder / "state.h5")
    UpdatingHistory(("k",), 1, np.random.default_rng(0).normal(size=(40, 14))).save(
        folder / "history.h5"
    )
    rig.test_of(rig.specimen()).run(folder / "journal.h5")
    batch(folder / "batch.h5")
    readers: dict[str, Read] = {
        "result": lambda path: Result.load(path, program),
        "state": lambda path: State.load(path, program),
        "history": UpdatingHistory.load,
        "journal": read_journal,
        "batch": BatchResult.load,
    }
    return {name: ((folder / f"{name}.h5").read_bytes(), read) for name, read in readers.items()}


def judged(path: Path, read: Read, whole: Any) -> str:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = plain(read(path))
        except FemuError:
            return REFUSED
    return SAME if found == whole else SAID if said else OTHER


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(content)
    damaged[int(rng.integers(len(damaged)))] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def resumed(path: Path, whole: Any) -> str:
    """What a batch holds that is resumed after it was damaged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            batch(path)
            found = plain(BatchResult.load(path))
        except FemuError:
            return REFUSED
    return SAME if found == whole else OTHER


def run(quick: bool) -> Tally:
    tally, rng = Tally(), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        for kind, (content, read) in files(folder).items():
            path = folder / f"{kind}.h5"  # a file that names itself keeps its name
            whole = plain(read(path))
            found: Counter[str] = Counter()
            for _ in range(QUICK if quick else FULL):
                path.write_bytes(flipped(content, rng))
                found[judged(path, read, whole)] += 1
            _count(tally, kind, found)
            if kind == "batch":
                found = Counter()
                for _ in range(RESUMED[quick]):
                    path.write_bytes(flipped(content, rng))
                    found[resumed(path, whole)] += 1
                _count(tally, "batch, resumed", found)
    return tally


def _count(tally: Tally, kind: str, found: Counter[str]) -> None:
    tally.faults += found.total()
    tally.survived += found.total() - found[OTHER]
    said = ", ".join(f"{count} {what}" for what, count in found.most_common())
    tally.lines.append((f"{found.total()} flipped bits, {kind}", said))
    if found[OTHER]:
        tally.failures.append(f"{kind}: {found[OTHER]} flipped bits gave other numbers in silence")
