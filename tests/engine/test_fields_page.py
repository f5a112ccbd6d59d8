"""The page of fields in the documentation follows the declarations."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from femu.engine.run_fields import Run

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_fields_is_current() -> None:
    spec = importlib.util.spec_from_file_location("fields", DOCS / "fields.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "python docs/fields.py"


def test_every_field_of_a_run_has_a_meaning() -> None:
    without = [name for name, field in Run.declared.items() if not field.meaning]
    assert not without
