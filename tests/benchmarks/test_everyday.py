"""The models as people build them: their rows, and agreement of both programs on small ones."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from femu.benchmarks.everyday import Compared, rows_of
from femu.benchmarks.everyday_models import MODELS, RECORDS_MODEL

_SMALL = """
import json
from functools import partial
import numpy as np
from femu.benchmarks.everyday import Shaken, motion_of
from femu.benchmarks.everyday_models import Everyday, concrete_frame, hinged_frame, steel_frame
from femu.benchmarks.everyday_peer import PeerModel, peers
small = [
    Everyday("steel", partial(steel_frame, 1, 1), 60, 15.0, 1.0, "1.0"),
    Everyday("concrete", partial(concrete_frame, 1, 1), 60, 8.0, 1.0, "1.0"),
    Everyday("hinges", partial(hinged_frame, 2, 1), 60, 2.0, 1.0, "2.0"),
]
for of in small:
    shaken, motion, ops = Shaken(of), motion_of(of), peers()["openseespy"]
    ours = shaken.run(motion, of.steps).displacement(of.roof, "x")
    commands = PeerModel.of(shaken.model)
    commands.build(ops, motion, "RCM, BandSPD")
    theirs = commands.history(ops, of.roof, of.steps)
    print(json.dumps([of.name, np.abs(ours - theirs).max() / np.abs(theirs).max()]))
"""


def compared(ratio: float, agreement: float = 1e-12) -> Compared:
    peers = {"openseespy": 1e-4 * ratio, "xara": 8e-5 * ratio}
    settings = dict.fromkeys(peers, "RCM, BandSPD")
    return Compared("a frame", 35, 60, 15.0, 1e-4, 3.0, peers, settings, agreement)


def test_a_ratio_below_its_limit_misses_it() -> None:
    assert all(row.ok is not False for row in rows_of(compared(16.0)))
    missed = [row.name for row in rows_of(compared(14.0)) if row.ok is False]
    assert missed == ["a frame: openseespy / femu"]
    missed = [row.name for row in rows_of(compared(16.0, 1e-3)) if row.ok is False]
    assert missed == ["a frame: agreement"]


def test_a_second_peer_has_a_row_without_a_limit() -> None:
    row = next(row for row in rows_of(compared(20.0)) if "xara" in row.name)
    assert row.value == pytest.approx(16.0)
    assert row.limit == ""


def test_models_have_the_sizes_that_their_names_say() -> None:
    sizes = {m.name: len(m.model().elements) for m in MODELS}
    assert len(sizes) == len(MODELS)
    assert sizes["steel 10x5, Steel02"] == 110
    assert sizes["RC 5x3, Steel02 + Concrete02, displacement-based"] == 4 * 35
    assert sizes["RC in space 3x2x2, Steel02 + Concrete02, force-based"] == 63
    assert RECORDS_MODEL.name == "steel 10x5, Steel02"


@pytest.mark.opensees
@pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
def test_both_programs_agree_on_small_models() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SMALL], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [name for name, _ in found] == ["steel", "concrete", "hinges"]
    assert all(difference < 1e-8 for _, difference in found)
