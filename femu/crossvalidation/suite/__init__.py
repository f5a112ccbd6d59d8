"""The suite: what femu and OpenSees have in common, case by case."""

from __future__ import annotations

from collections.abc import Callable

from femu.crossvalidation.case import Case
from femu.crossvalidation.suite import materials, sections

GROUPS: dict[str, Callable[[], list[Case]]] = {
    "materials": materials.cases,
    "sections": sections.cases,
}


def suite(quick: bool = False) -> dict[str, list[Case]]:
    """Cases by group; with ``quick`` some of each."""
    made = {name: make() for name, make in GROUPS.items()}
    return {name: [c for c in cases if c.quick or not quick] for name, cases in made.items()}
