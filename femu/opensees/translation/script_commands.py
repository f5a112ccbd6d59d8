"""Tags with names: the list of commands of a script for openseespy."""

from __future__ import annotations

import re
from typing import Any

from femu.elements import Hinges
from femu.opensees.translation.command_list import CommandList
from femu.opensees.translation.python_text import Named, variable

RULES = {"lobatto": "Lobatto", "legendre": "Legendre", "radau": "Radau"}
NAMED = ("material", "section", "transformation", "integration")
"""Kinds of OpenSees' objects that have their own name in the script."""


RESERVED = ("element", "math", "node", "ops")
"""Names that a script uses for something else."""


class ScriptCommands(CommandList):
    """A list whose tags have the names of what they mean."""

    def __init__(self, space: bool = False) -> None:
        super().__init__(space)
        self.names: dict[str, list[Named]] = {kind: [] for kind in NAMED}
        self._open: list[tuple[str, Any]] = []  # what is being written, the innermost last

    def known(self, kind: str, key: Any) -> int | None:
        found = super().known(kind, key)
        if found is None:
            self._open.append((kind, key))
        return found

    def remember(self, kind: str, key: Any, tag: int) -> int:
        self._open.pop()
        return super().remember(kind, key, tag)

    def tag(self, kind: str) -> int:
        number = super().tag(kind)
        if kind not in NAMED:
            return number
        outer: Any = next((key for k, key in reversed(self._open) if k == kind), None)
        if kind == "transformation":
            base = f"{_word(outer[0])}_geometry"
        else:
            base = (
                f"along_{outer[0][0]!r}" if kind == "integration" else _word(type(outer).__name__)
            )
        taken = {tag.text for tags in self.names.values() for tag in tags}
        made = Named(number, variable(base, {*taken, *RESERVED}))
        self.names[kind].append(made)
        return made

    def rule(self, element: Any, tag: int, sections: list[int]) -> list[Any] | None:
        if isinstance(element.integration, str):
            return [RULES[element.integration], tag, sections[0], len(sections)]
        hinges = element.integration
        if not isinstance(hinges, Hinges):
            return None
        return [
            "HingeRadau",
            tag,
            sections[0],
            hinges.length_i,
            sections[-1],
            hinges.length_j,
            sections[1],
        ]


def _word(name: str) -> str:
    """A name as a variable: NMSection becomes nm_section, p-delta becomes p_delta."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+", "_", spaced).lower()
