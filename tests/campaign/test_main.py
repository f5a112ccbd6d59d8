"""The command that runs the campaign.

A part that crashed or hung fails it, and a sound one does not.
"""

from __future__ import annotations

import json
import sys

import pytest

from tests.campaign import __main__ as command
from tests.campaign.tally import Tally


def test_a_part_that_crashes_is_counted() -> None:
    (failure,) = command.of_part("nonsense", True).failures  # the process ends with exit code 2
    assert failure == "nonsense: crashed with exit code 2"


def test_a_part_that_hangs_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(command.LONGEST, True, 0.05)
    assert command.of_part("supply_chain", True).failures == ["supply_chain: hung"]


def test_one_call_runs_parts_and_prints_one_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["campaign", "--quick", "--json", "supply_chain"])
    assert command.main() == 0
    reported = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in reported["rows"]}
    assert (
        reported["ok"]
        and rows["supply_chain: in all"]["value"] == "sound"
        and rows["properties that held"]["value"] > 0
    )


@pytest.mark.parametrize(
    "wrong", [Tally(lost=1), Tally(faults=2, survived=1), Tally(failures=["a part hung"])]
)
def test_whatever_was_lost_fails_the_campaign(wrong: Tally) -> None:
    good = Tally(steps=5, faults=1, survived=1, inputs=300)
    assert command.table({"bad_input": good}, False).ok
    assert not command.table({"bad_input": good, "faults": wrong}, False).ok


def test_few_bad_inputs_fail_the_campaign() -> None:
    assert not command.table({"bad_input": Tally(inputs=199)}, False).ok


@pytest.mark.parametrize(("jobs", "first"), [(1, "physics"), (2, "fuzzing")])
def test_side_by_side_the_longest_go_first_and_the_table_keeps_its_order(
    jobs: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(command, "of_part", lambda name, quick: begun.append(name) or Tally())
    assert list(command.campaign(command.PARTS, True, jobs)) == list(command.PARTS)
    assert begun[0] == first and sorted(begun) == sorted(command.PARTS)


@pytest.mark.parametrize("words", [["nonsense"], ["--jobs", "0"]])
def test_wrong_words_are_refused(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["campaign", *words])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    assert words[-1] in capsys.readouterr().err
