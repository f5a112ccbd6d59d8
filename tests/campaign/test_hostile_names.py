"""Some names; `python -m tests.campaign hostile_names` has 220, all through all outputs."""

from __future__ import annotations

import pytest

from femu.report.csv_table import parts_of
from femu.support.printable import file_part, one_line, printable
from tests.campaign import hostile_names


@pytest.mark.filterwarnings("ignore")
def test_no_name_runs_breaks_or_changes_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    tally = hostile_names.run(True)
    assert not tally.failures
    assert tally.properties > 150


def test_a_terminal_gets_escapes_in_place_of_control_characters() -> None:
    assert printable("\x1b[31ma\x9b\ud800\u202e\u2028") == r"\x1b[31ma\x9b\ud800\u202e\u2028"
    assert printable("é 中 \U0001f4a9\n\tβ") == "é 中 \U0001f4a9\n\tβ"
    assert one_line("a\nb\tc") == r"a\nb\tc"


def test_names_of_specimens_make_names_of_files() -> None:
    assert file_part("../../etc/passwd") == "_._.._etc_passwd"
    assert file_part("Dämpfer_1.a+b") == "Dämpfer_1.a+b"
    assert len(file_part("x" * 9999)) == 80 and file_part("\x00\ud800<>|") == "_____"
    assert parts_of(["a/b", "a_b", "C", "c", "", "other"]) == [
        "a_b-1",
        "a_b-2",
        "C-3",
        "c-4",
        "-5",
        "other",
    ]
