"""The suite: what femu and OpenSees have in common, case by case.

A group is a module with a function ``cases``, and one line in `GROUPS`.
"""

from __future__ import annotations

import importlib

from femu.crossvalidation.case import Case

GROUPS: dict[str, str] = {
    "materials": "femu.crossvalidation.suite.materials",
    "sections": "femu.crossvalidation.suite.sections",
    "elements": "femu.crossvalidation.suite.elements",
    "members": "femu.crossvalidation.suite.members",
    "loads": "femu.crossvalidation.suite.loads",
    "statics": "femu.crossvalidation.suite.statics",
    "dynamics": "femu.crossvalidation.suite.dynamics",
    "integrators": "femu.crossvalidation.suite.integrators",
    "frames": "femu.crossvalidation.suite.frames",
    "space": "femu.crossvalidation.suite.space",
}


def suite(quick: bool = False, groups: tuple[str, ...] = tuple(GROUPS)) -> dict[str, list[Case]]:
    """Cases by group; with ``quick`` some of each."""
    made = {name: importlib.import_module(GROUPS[name]).cases() for name in groups}
    return {name: [c for c in cases if c.quick or not quick] for name, cases in made.items()}
