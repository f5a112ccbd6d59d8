"""The list in which a translation writes commands of OpenSees and assigns its tags."""

from __future__ import annotations

from typing import Any

from femu.support.errors import UnsupportedError

Command = list[Any]
"""A function of openseespy by name, then its arguments.

Plain numbers and strings, so that it can be written as JSON.
"""

Action = list[Any]
Job = list[Action]
"""What openseespy is to do: actions with their arguments, one after the other."""


class Untranslatable(UnsupportedError):
    """A part of a model without an equivalent in OpenSees."""


class CommandList:
    """Commands written so far, and the tags of the objects they made."""

    def __init__(self, space: bool = False) -> None:
        self.space = space  # whether the model is one in space
        self.commands: list[Command] = []
        self.notes: list[str] = []  # sentences on parts whose formulation differs
        self._last: dict[str, int] = {}
        self._tags: dict[tuple[str, Any], int] = {}
        self._kept: list[Any] = []  # objects whose id is a key must stay alive

    def write(self, name: str, *arguments: Any) -> None:
        """Add a command."""
        self.commands.append([name, *arguments])

    def note(self, sentence: str) -> None:
        """Add a reason, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def tag(self, kind: str) -> int:
        """A new tag of a kind."""
        self._last[kind] = self._last.get(kind, 0) + 1
        return self._last[kind]

    def rule(self, element: Any, tag: int, sections: list[int]) -> list[Any] | None:
        """Arguments of a named integration rule along a member, if places and weights are not to
        be written as numbers."""
        return None

    def known(self, kind: str, key: Any) -> int | None:
        """Tag under which something has been written before."""
        return self._tags.get((kind, key if isinstance(key, tuple) else id(key)))

    def remember(self, kind: str, key: Any, tag: int) -> int:
        """Keep the tag of an object, or of a tuple of numbers that describes one."""
        self._kept.append(key)
        self._tags[kind, key if isinstance(key, tuple) else id(key)] = tag
        return tag
