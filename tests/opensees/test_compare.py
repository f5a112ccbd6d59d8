"""How the answers of two engines are compared.

What counts as equal, and what is said where they are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femu.opensees.comparison.compare_scripts import compared, explain


def answers(
    calls: list[Any], files: dict[str, str] | None = None, error: str = ""
) -> dict[str, Any]:
    return {"script": {"calls": calls, "files": files or {}, "seconds": 0.1, "error": error}}


CALLS = [
    ["nodeDisp", ["2", "1"], [1.0]],
    ["testIter", [], [3.0]],
    ["eleForce", ["1"], [10.0, -2.0, 1e-13, -10.0, 2.0, 6.0]],
]


def changed(place: int, numbers: list[float]) -> list[Any]:
    calls = [list(c) for c in CALLS]
    calls[place][2] = numbers
    return calls


def test_equal() -> None:
    assert compared("script", answers(CALLS), answers(CALLS)).worst == 0.0


@pytest.mark.parametrize(
    ("calls", "worst"),
    [
        (changed(0, [1.0 + 1e-7]), 1e-7),
        (changed(1, [4.0]), np.inf),
        (changed(2, [10.0, -2.0, 0.0, -10.0, 2.0, 6.0]), 1e-13 / 6.0),
        (changed(2, [10.0, -2.0, 0.0, -10.0, 2.0, 6.06]), 0.06 / 6.0),
        (changed(2, [10.0, -2.0]), np.inf),
    ],
)
def test_differences(calls: list[Any], worst: float) -> None:
    assert compared("script", answers(calls), answers(CALLS)).worst == pytest.approx(
        worst, rel=1e-6
    )


def test_what_is_said() -> None:
    found = compared("script", answers(changed(0, [1.5])), answers(CALLS))
    assert "nodeDisp(2, 1): [1.5] and [1]" in explain(found)


def test_different_ways() -> None:
    found = compared("script", answers(CALLS[:2]), answers(CALLS))
    assert found.worst == np.inf
    assert "answer 3: femu the end, openseespy eleForce" in found.problem


def test_an_engine_that_failed() -> None:
    found = compared("script", answers(CALLS), answers([], error="Traceback\nValueError: no"))
    assert found.problem == "openseespy: ValueError: no"


def test_modes_may_have_either_sign() -> None:
    mode = [["nodeEigenvector", ["1", "1"], [0.5, -0.2]]]
    other = [["nodeEigenvector", ["1", "1"], [-0.5, 0.2]]]
    assert compared("script", answers(mode), answers(other)).worst == 0.0


@pytest.mark.parametrize(
    ("ours", "theirs", "equal"),
    [
        ("0.1 1.23456\n0.2 2.5\n", "0.1 1.23457\n0.2 2.5\n", True),  # the last of six digits
        ("0.1 1.2346\n0.2 2.5\n", "0.1 1.2345\n0.2 2.5\n", False),
        ("0.1 1\n", "0.1 1\n0.2 2\n", False),
    ],
)
def test_files(ours: str, theirs: str, equal: bool) -> None:
    found = compared("script", answers(CALLS, {"a.out": ours}), answers(CALLS, {"a.out": theirs}))
    assert (found.worst <= 1e-6) is equal


def test_a_file_that_one_did_not_write() -> None:
    found = compared("script", answers(CALLS, {"a.out": "1 2\n"}), answers(CALLS))
    assert "only femu wrote it" in explain(found)
