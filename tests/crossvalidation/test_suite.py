"""The suite: what it holds, and that femu agrees with openseespy on the quick part of it."""

from __future__ import annotations

import dataclasses
import importlib.util

import pytest

from femu.materials import Elastic
from femu.opensees.comparison import STATIC, PathCase, Verdict, run_cases
from femu.opensees.comparison.case import DYNAMIC, ModelCase
from femu.opensees.comparison.peer import Answer, Fate
from femu.opensees.comparison.suite import suite
from femu.opensees.comparison.suite.frames import artificial

CASES = [case for cases in suite().values() for case in cases]
QUICK = [case for case in CASES if case.quick]


def test_there_are_enough_cases_with_names_of_their_own() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert [case.name for cases in suite(quick=True).values() for case in cases] == [
        case.name for case in QUICK
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_limit_of_its_own_has_a_reason(case) -> None:
    if case.limit in (STATIC, DYNAMIC):
        assert not case.reason
        transient = isinstance(case, ModelCase) and any(stage.transient for stage in case.stages)
        assert (case.limit is DYNAMIC) == transient
    else:
        assert case.reason.endswith(".")


def test_the_artificial_motion_is_the_same_each_time() -> None:
    assert artificial(3) == artificial(3)
    assert artificial(3) != artificial(4)


def test_a_difference_above_the_limit_is_seen() -> None:
    case = PathCase("spring", Elastic(100.0), [0.0, 1.0, -1.0])
    prepared = case.prepare()
    exact = prepared.compare({"path": case_path(1.0)})
    assert Verdict(case, exact).ok
    assert not case.verdict(prepared, Answer(Fate.DONE, arrays={"path": case_path(1.0 + 2e-9)})).ok
    assert not case.verdict(prepared, Answer(Fate.CRASHED, "exit code -11")).ok


def case_path(factor: float):
    import numpy as np

    return 100.0 * factor * np.array([0.0, 1.0, -1.0])


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    if importlib.util.find_spec("openseespy") is None:
        pytest.skip("openseespy is not installed")
    return {verdict.case.name: verdict for verdict in run_cases(QUICK)}


@pytest.mark.opensees
@pytest.mark.slow
@pytest.mark.parametrize("name", [case.name for case in QUICK])
def test_femu_agrees_with_openseespy(verdicts: dict[str, Verdict], name: str) -> None:
    verdict = verdicts[name]
    assert verdict.ok, verdict.message or [dataclasses.astuple(d) for d in verdict.found[:5]]
