"""Tables that commands print.

Rows with a limit, shown by rich or as JSON, and an exit code for the outcome.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from femu.support.printable import printable
from femu.support.whole_file import write_text

MISSED_LIMIT = 1
"""Exit code of a command whose table has a row that misses its limit."""

PAGE_WIDTH = 140
_OUTPUT = "femu.output"  # key under which a command keeps the file of `--output`

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    name: str
    value: float | int | str
    unit: str = ""
    reference: float | int | str | None = None
    """What the value is compared with: a paper's figure, a closed form, another program."""
    limit: str = ""
    """The rule that decides `ok`, in words: '< 60 s', 'within 1 %'."""
    ok: bool | None = None
    """Whether the limit is met; None without a limit."""

    def __post_init__(self) -> None:
        if self.ok is not None:
            # numpy's False is not the False that `Table.ok` looks for
            object.__setattr__(self, "ok", bool(self.ok))


@dataclass(frozen=True)
class Table:
    """Rows under a title, with notes below them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if no row misses its limit."""
        return all(row.ok is not False for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, as `--json` prints them.

        A number that JSON cannot hold becomes a string.
        """
        rows = [
            {
                "name": row.name,
                "value": _plain(row.value),
                "unit": row.unit,
                "reference": _plain(row.reference),
                "limit": row.limit,
                "ok": row.ok,
            }
            for row in self.rows
        ]
        made: dict[str, Any] = {"title": self.title, "ok": self.ok, "rows": rows}
        if self.notes:
            made["notes"] = list(self.notes)
        return made

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_markdown(self) -> str:
        """A Markdown table with its title and notes."""
        lines = [
            f"## {self.title}",
            "",
            "| | value | unit | reference | limit | |",
            "|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            reference = "" if row.reference is None else _number(row.reference)
            verdict = {None: "", True: "ok", False: "**missed**"}[row.ok]
            cells = (row.name, _number(row.value), row.unit, reference, row.limit, verdict)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        return "\n".join([*lines, "", *(f"{note}\n" for note in self.notes)])

    def write(self, path: str | PathLike[str]) -> None:
        """Write to a file: Markdown if its name ends in .md, JSON otherwise."""
        text = self.to_markdown() if str(path).endswith(".md") else self.to_json() + "\n"
        write_text(path, text)

    def show(self, console: Console | None = None) -> None:
        """Print with rich. Columns that no row uses are omitted."""
        console = console or _console()
        made = RichTable(
            title=_safe(self.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
        )
        made.add_column("")
        numbers = any(not isinstance(_plain(row.value), str) for row in self.rows)
        made.add_column("value", justify="right" if numbers else "left")
        with_unit = any(row.unit for row in self.rows)
        with_reference = any(row.reference is not None for row in self.rows)
        with_limit = any(row.limit or row.ok is not None for row in self.rows)
        if with_unit:
            made.add_column("unit")
        if with_reference:
            made.add_column("reference", justify="right")
        if with_limit:
            made.add_column("limit")
            made.add_column("")
        for row in self.rows:
            cells = [_safe(row.name), _shown(row.value)]
            if with_unit:
                cells.append(_safe(row.unit))
            if with_reference:
                cells.append("" if row.reference is None else _shown(row.reference))
            if with_limit:
                cells.append(_safe(row.limit))
                cells.append({None: "", True: "[green]ok[/]", False: "[red]missed[/]"}[row.ok])
            made.add_row(*cells)
        console.print(made)
        for note in self.notes:
            console.print(_safe(note), style="dim")


def table_options(function: Command) -> Command:
    """The options `--json`, `--quick` and `--output`, for a command that prints a table."""
    function = click.option(
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        expose_value=False,
        callback=_remember_output,
        help="Write the table to FILE too: .md or .json.",
    )(function)
    function = click.option(
        "--quick", is_flag=True, help="A shorter run, with fewer or smaller cases."
    )(function)
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."
    )(function)


def _remember_output(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    context.meta[_OUTPUT] = value


def finish(table: Table, as_json: bool) -> None:
    """Print a table, write it to `--output`, and leave with exit code 1 if a row misses its
    limit."""
    output = click.get_current_context().meta.get(_OUTPUT)
    if output is not None:
        table.write(output)
    if as_json:
        click.echo(table.to_json())
    else:
        table.show()
    if not table.ok:
        click.get_current_context().exit(MISSED_LIMIT)


def _console() -> Console:
    """The terminal, or a wide page if the output goes to a file or a pipe.

    There nothing needs to be folded.
    """
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def _plain(value: Any) -> Any:
    """A Python number or string for a value that may be a numpy scalar."""
    value = value.item() if hasattr(value, "item") else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _shown(value: float | int | str) -> str:
    return _safe(_number(value))


def _safe(text: str) -> str:
    """A text without markup and control characters."""
    return escape(printable(text))


def _number(value: float | int | str) -> str:
    value = _plain(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
