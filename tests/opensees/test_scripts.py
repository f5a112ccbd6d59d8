"""The example scripts on femu and on openseespy.

Every returned number, every file, and the counts of iterations.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from femu.benchmarks.opensees import scripts
from femu.opensees.comparison.compare_scripts import compared, explain, run_engine
from femu.opensees.comparison.script_report import LIMIT

SCRIPTS = {path.stem: str(path.resolve()) for path in scripts()}
HERE = importlib.util.find_spec("openseespy") is not None


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    """Answers of femu, from one process."""
    return run_engine("femu", list(SCRIPTS.values()))


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    """Answers of openseespy, from one process."""
    return run_engine("opensees", list(SCRIPTS.values()))


def test_there_are_enough_scripts() -> None:
    assert len(SCRIPTS) >= 40


@pytest.mark.opensees
@pytest.mark.skipif(not HERE, reason="openseespy is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_same_answers(ours: dict[str, Any], theirs: dict[str, Any], name: str) -> None:
    found = compared(SCRIPTS[name], ours, theirs)
    assert found.worst <= LIMIT, explain(found)
    assert sum(d.calls for d in found.differences) >= 5  # a script that asks nothing proves nothing
