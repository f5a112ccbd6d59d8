"""Tables: what counts as ok, what JSON holds, what is printed."""

from __future__ import annotations

import io
import json

import click
import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from femu.support.tables import Row, Table, finish

GOOD = Row("error", 0.5, "%", 0.4, "< 1 %", True)
BAD = Row("speed", 3.0, "", None, "> 10", False)
PLAIN = Row("note", "text")


def _command(table: Table) -> click.Command:
    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def command(as_json: bool) -> None:
        finish(table, as_json)

    return command


@pytest.mark.parametrize(("rows", "code"), [([GOOD, PLAIN], 0), ([], 0), ([GOOD, BAD], 1)])
@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_exit_code_tells_whether_a_limit_was_missed(
    rows: list[Row], code: int, arguments: list[str]
) -> None:
    assert CliRunner().invoke(_command(Table("t", rows)), arguments).exit_code == code


def test_a_false_of_numpy_counts_as_missed() -> None:
    assert not Table("t", [Row("a", np.float64(2.0), limit="< 1", ok=np.float64(2.0) < 1)]).ok  # type: ignore[arg-type]


def test_json_is_one_object_of_plain_values() -> None:
    table = Table(
        "t",
        [
            Row("a", np.float64(1.5), "s", np.int64(2), "< 2 s", np.bool_(True)),  # type: ignore[arg-type]
            Row("b", float("nan")),
            PLAIN,
        ],
    )
    output = CliRunner().invoke(_command(table), ["--json"]).output
    assert json.loads(output) == {
        "title": "t",
        "ok": True,
        "rows": [
            {"name": "a", "value": 1.5, "unit": "s", "reference": 2, "limit": "< 2 s", "ok": True},
            {"name": "b", "value": "nan", "unit": "", "reference": None, "limit": "", "ok": None},
            {
                "name": "note",
                "value": "text",
                "unit": "",
                "reference": None,
                "limit": "",
                "ok": None,
            },
        ],
    }


def test_printed_table_shows_all_it_knows_and_no_empty_column() -> None:
    def printed(table: Table) -> str:
        stream = io.StringIO()
        table.show(Console(file=stream, width=100))
        return stream.getvalue()

    full = printed(Table("Speed", [GOOD, BAD], ["measured on one core"]))
    for words in ("Speed", "0.5", "%", "0.4", "< 1 %", "ok", "missed", "measured on one core"):
        assert words in full
    assert "reference" not in printed(Table("t", [PLAIN]))


def test_square_brackets_in_a_cell_are_text_not_markup() -> None:
    stream = io.StringIO()
    table = Table("t", [Row("drift [bold]", "[x]", "[mm]", "[r]", "[l]", True)], ["[note]"])
    table.show(Console(file=stream, width=100))
    for words in ("drift [bold]", "[x]", "[mm]", "[r]", "[l]", "[note]"):
        assert words in stream.getvalue()


def test_output_writes_markdown_and_json(tmp_path):
    import json

    import click
    from click.testing import CliRunner

    from femu.support.tables import Row, Table, finish, table_options

    @click.command()
    @table_options
    def command(as_json, quick):
        finish(
            Table("Speeds", [Row("a | b", 1.23456, "s", 2.0, "< 2 s", True)], ["a note"]), as_json
        )

    for name in ("table.md", "table.json"):
        assert CliRunner().invoke(command, ["--output", str(tmp_path / name)]).exit_code == 0
    text = (tmp_path / "table.md").read_text()
    assert (
        "## Speeds" in text
        and "| a \\| b | 1.235 | s | 2 | < 2 s | ok |" in text
        and "a note" in text
    )
    assert json.loads((tmp_path / "table.json").read_text())["rows"][0]["value"] == 1.23456
    missing = CliRunner().invoke(command, ["--output", str(tmp_path / "no" / "table.md")])
    assert missing.exit_code != 0
