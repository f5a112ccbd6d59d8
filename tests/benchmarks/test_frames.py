"""The benchmark of frames: its figures on a small frame, and its tables."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from femu.benchmarks.everyday import Compared
from femu.benchmarks.frame_models import SIZES, FrameSize
from femu.benchmarks.frames import Measured, growth, markdown, table

_SMALL = """
import dataclasses, json
from femu.benchmarks import frame_peer
from femu.benchmarks.frame_models import FrameSize
from femu.benchmarks.frames import measure
ops = frame_peer.opensees()
print(json.dumps([dataclasses.asdict(measure(ops, FrameSize(2, 1, 300, 8.0), kind, 2)) for kind in ("uncoupled", "fibre")]))
"""


def measured(
    size: str, members: int, kind: str, seconds: float, iterations: float = 3.0
) -> Measured:
    return Measured(
        size,
        members,
        kind,
        100,
        0.8,
        seconds,
        1e-3,
        30.0 * seconds,
        "RCM, BandSPD",
        iterations,
        1e-12,
        1e-7,
        3e-6,
    )


def figures() -> dict:
    frames = [
        measured(size, members, kind, 1e-6 * members**1.2)
        for size, members in (("10x5", 110), ("60x20", 2460))
        for kind in ("uncoupled", "fibre")
    ]
    batch = {
        "records": 40.0,
        "steps": 100.0,
        "openseespy": 60.0,
        "femu": 2.5,
        "femu, two threads": 1.3,
    }
    return {
        "frames": frames,
        "own material": (0.100, 0.103),
        "everyday": [
            Compared(
                "steel", 35, 60, 15.0, 1e-4, 3.0, {"openseespy": 2e-3}, {"openseespy": "x"}, 1e-12
            )
        ],
        "batch": batch,
        "steel batch": {**batch, "femu": 2.0, "femu, two threads": 1.0},
        "startup": {"cold": 20.0, "warm": 1.0, "imports": 0.6},
        "memory": {
            "peak MB": 600.0,
            "seconds": 20.0,
            "complete": 1.0,
            "equations": 3780.0,
            "half bandwidth": 65.0,
        },
        "machine": {
            "processor": "a processor",
            "cores": 2,
            "python": "3.11",
            "peers": "openseespy 3.7",
        },
    }


def test_members_are_counted() -> None:
    assert [size.members for size in SIZES] == [3, 21, 110, 510, 2460]


def test_the_exponent_of_growth_is_that_of_the_times() -> None:
    assert growth(figures()["frames"], "fibre", "femu") == pytest.approx(1.2)


def test_the_table_keeps_and_misses_limits() -> None:
    assert table(figures()).ok
    slow = figures()
    slow["batch"]["femu"] = 3.5  # 60 / 3.5 is below 20
    assert [row.name for row in table(slow).rows if row.ok is False] == [
        "40 records on 10x5, uncoupled, one core: openseespy in sequence / femu"
    ]
    large = figures()
    large["memory"]["peak MB"] = 2000.0
    assert not table(large).ok


def test_markdown_has_a_row_for_each_frame() -> None:
    text = markdown(figures())
    assert text.count("| 60x20 |") == 2
    assert "30.0" in text


@pytest.mark.opensees
@pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
def test_both_programs_agree_on_a_small_yielding_frame() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SMALL], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for found in json.loads(done.stdout.strip().splitlines()[0]):
        assert found["agreement"] < 1e-8
        assert found["yielded"] > 0.3
        assert found["openseespy"] > found["femu"]
    assert FrameSize(2, 1, 300, 8.0).members == 6
