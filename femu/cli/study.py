"""Commands that run one of several named studies, each in its own module.

A study is a function ``run(quick: bool) -> Table``. A registry names it as ``module:function``; the
module is imported when the study is run.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import replace

import click

from femu.support.tables import Table, finish, table_options

ALL = "all"


def installed(registry: Mapping[str, str]) -> dict[str, str]:
    """The studies whose module is installed."""
    return {name: target for name, target in registry.items() if _found(target.partition(":")[0])}


def study_command(name: str, registry: Mapping[str, str], help_text: str) -> click.Command:
    """A command that runs a study of the registry by its name, or all of them."""
    studies = installed(registry)
    listing = "\n".join(f"  {study}" for study in studies) or "  (none is installed)"
    example = next(iter(studies), "NAME")

    text = (
        f"{help_text}\n\n\b\nStudies:\n{listing}\n\n\b\nExample:\n  femu {name} {example} --quick"
    )

    @click.command(name, help=text)
    @click.argument("study", metavar="NAME|all", type=click.Choice([*studies, ALL]))
    @table_options
    def command(study: str, as_json: bool, quick: bool) -> None:
        names = list(studies) if study == ALL else [study]
        tables = [_run(studies[each], quick) for each in names]
        finish(tables[0] if study != ALL else _together(name, tables), as_json)

    return command


def _run(target: str, quick: bool) -> Table:
    module, _, function = target.partition(":")
    run: Callable[..., Table] = getattr(importlib.import_module(module), function)
    return run(quick=quick)


def _together(name: str, tables: list[Table]) -> Table:
    """One table of all studies; row names begin with the title of their study."""
    rows = [
        replace(row, name=f"{table.title}: {row.name}") for table in tables for row in table.rows
    ]
    return Table(f"{name} {ALL}", rows, [note for table in tables for note in table.notes])


def _found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package is not installed either
        return False
