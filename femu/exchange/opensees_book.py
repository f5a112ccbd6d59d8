"""Tags with names: the book in which a script for openseespy is written."""

from __future__ import annotations

import re
from typing import Any

from femu.crossvalidation.book import Book
from femu.elements import Hinges

RULES = {"lobatto": "Lobatto", "legendre": "Legendre", "radau": "Radau"}
NAMED = ("material", "section", "transformation", "integration")
"""Kinds of OpenSees' objects that get a name of their own in the script."""


class Tag(int):
    """A tag of OpenSees that is written by name."""

    text: str

    def __new__(cls, value: int, text: str) -> Tag:
        made = super().__new__(cls, value)
        made.text = text
        return made

    def __repr__(self) -> str:
        return self.text


class ScriptBook(Book):
    """A book whose tags have the names of what they stand for."""

    def __init__(self, space: bool = False) -> None:
        super().__init__(space)
        self.names: dict[str, list[Tag]] = {kind: [] for kind in NAMED}
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
        told: Any = next((key for k, key in reversed(self._open) if k == kind), None)
        if kind == "transformation":
            base = f"{_word(told[0])}_geometry"
        else:
            base = f"along_{told[0][0]!r}" if kind == "integration" else _word(type(told).__name__)
        same = sum(1 for other in self.names[kind] if re.fullmatch(rf"{base}(_\d+)?", other.text))
        made = Tag(number, base if same == 0 else f"{base}_{same + 1}")
        self.names[kind].append(made)
        return made

    def rule(self, element: Any, tag: int, sections: list[int]) -> list[Any] | None:
        if isinstance(element.integration, str):
            return [RULES[element.integration], tag, sections[0], len(sections)]
        hinges = element.integration
        if not isinstance(hinges, Hinges):
            return None
        return ["HingeRadau", tag, sections[0], hinges.length_i, sections[-1], hinges.length_j, sections[1]]


def _word(name: str) -> str:
    """A name as a variable: NMSection becomes nm_section, p-delta becomes p_delta."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+", "_", spaced).lower()
