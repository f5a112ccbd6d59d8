"""The suite: what femu and OpenSees have in common, case by case.

A group is a module with a function ``cases``, and one line in `GROUPS`.
"""

from __future__ import annotations

import importlib

from femu.opensees.comparison.case import Case

GROUPS: dict[str, str] = {
    "materials": "femu.opensees.comparison.suite.materials",
    "sections": "femu.opensees.comparison.suite.sections",
    "elements": "femu.opensees.comparison.suite.elements",
    "members": "femu.opensees.comparison.suite.members",
    "loads": "femu.opensees.comparison.suite.loads",
    "statics": "femu.opensees.comparison.suite.statics",
    "dynamics": "femu.opensees.comparison.suite.dynamics",
    "integrators": "femu.opensees.comparison.suite.integrators",
    "frames": "femu.opensees.comparison.suite.frames",
    "space": "femu.opensees.comparison.suite.space",
}


def suite(quick: bool = False, groups: tuple[str, ...] = tuple(GROUPS)) -> dict[str, list[Case]]:
    """Cases by group; with ``quick`` some of each."""
    made = {name: importlib.import_module(GROUPS[name]).cases() for name in groups}
    return {name: [c for c in cases if c.quick or not quick] for name, cases in made.items()}
