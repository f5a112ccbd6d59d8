"""Writes theory/fields.md: the fields of kernels, from their declarations.

``python docs/fields.py`` writes the page.
"""

from __future__ import annotations

from pathlib import Path

from femu.engine.element_kernels import ElementFields
from femu.engine.run_fields import Run
from femu.engine.run_settings import Settings
from femu.filters.copies_fields import CopiesFields, Sums
from femu.filters.filter_fields import EstimateFields, FilterFields, FilterSettings
from femu.updating.updater_fields import Memory, Options, Statistics, UpdaterFields

PAGE = Path(__file__).parent / "theory" / "fields.md"
HEAD = """<!-- made by: python docs/fields.py -->

# Fields of kernels

Kernels reach everything they work on through declared fields (`femu.engine.fields`). A kernel
reads them by their names, as in `r, external, internal = run.r, run.external, run.internal`. The
tables below list every field with its kind and shape.
"""
DECLARED = {
    "run": Run,
    "settings": Settings,
    "element": ElementFields,
    "filter": FilterFields,
    "settings of a filter": FilterSettings,
    "estimate": EstimateFields,
    "copies": CopiesFields,
    "sums of copies": Sums,
    "updater": UpdaterFields,
    "memory": Memory,
    "options": Options,
    "statistics": Statistics,
}


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for name, declared in DECLARED.items():
        place = f"`{declared.__module__}.{declared.__name__}`"
        parts.append(f"\n## {name.capitalize()}\n\n{declared.__doc__}\nDeclared in {place}.\n\n")
        parts.append(declared.glossary())
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
