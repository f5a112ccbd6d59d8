"""What openseespy runs, the front end runs, with the same numbers; a doubt is a warning."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.opensees.collection_rows import FAILED, rows

ROWS = rows()
CLOSE = 1e-6  # relative difference of a number
ROUNDING = 1e-10  # share of the largest number of a row that may be rounding error


@pytest.fixture(scope="module")
def answers() -> dict[str, list[Any]]:
    """Answers of both engines and the warnings of femu, all from one process."""
    pytest.importorskip("openseespy")
    done = subprocess.run(
        [sys.executable, "-m", "tests.opensees.collection_rows"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}


def equal(a: Any, b: Any, size: float) -> bool:
    """Whether two answers are the same word, or the same number."""
    if not (isinstance(a, float) and isinstance(b, float)):
        return a == b
    return a == b or abs(a - b) <= max(CLOSE * max(abs(a), abs(b)), ROUNDING * size)


@pytest.mark.opensees
@pytest.mark.parametrize("name", ROWS)
def test_both_engines_agree(name: str, answers: dict[str, list[Any]]) -> None:
    theirs, ours, doubts = answers[name]
    assert theirs and theirs[0] != FAILED, theirs
    assert ours and ours[0] != FAILED, ours
    assert len(ours) == len(theirs)
    size = max((abs(v) for v in theirs if isinstance(v, float) and math.isfinite(v)), default=0.0)
    wrong = [(a, b) for a, b in zip(ours, theirs, strict=True) if not equal(a, b, size)]
    assert not wrong
    assert bool(doubts) == ROWS[name][1], doubts
