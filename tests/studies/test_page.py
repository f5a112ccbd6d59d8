"""The tables of the studies in the documentation are those that are kept, and each study has one."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

from femu.cli.reproduce import STUDIES

DOCS = Path(__file__).parents[2] / "docs"


def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", DOCS / "studies.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_hold_the_tables_that_are_kept() -> None:
    module = studies()
    shown: list[str] = []
    for path in module.pages():
        page = path.read_text(encoding="utf-8")
        assert module.written(page) == page, "python docs/studies.py write"
        shown += re.findall(r"<!-- study (\S+) -->", page)
    assert sorted(shown) == sorted([*STUDIES, *module.COMMANDS])


def test_what_is_kept_says_what_made_it_and_has_its_picture() -> None:
    for name in STUDIES:
        kept = json.loads((DOCS / "studies" / f"{name}.json").read_text(encoding="utf-8"))
        assert kept["command"] == f"femu reproduce {name}"
        assert {"Python", "femu", "numpy", "scipy", "numba"} <= set(kept["versions"])
        assert kept["table"]["ok"] is True and kept["table"]["rows"]
        assert (DOCS / "studies" / f"{name}.png").stat().st_size < 250_000


def test_a_block_has_every_row_and_note() -> None:
    module = studies()
    kept = json.loads((DOCS / "studies" / "rths-delay.json").read_text(encoding="utf-8"))
    block = module.block("rths-delay")
    assert all(row["name"] in block for row in kept["table"]["rows"])
    assert all(note in block for note in kept["table"]["notes"])
    assert "picture:" not in block and "(studies/rths-delay.png)" in block
