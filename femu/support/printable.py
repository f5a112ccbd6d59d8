"""Names that somebody else has chosen, where they are shown or become a part of a file name."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.+-]|^[.-]")
LONGEST_PART = 80


def printable(text: str) -> str:
    """The text with an escape in place of each control character, mark that turns the direction of
    writing, and half of a pair: a terminal obeys the first, and nothing can write the last."""
    if text.isprintable():
        return text
    return _HIDDEN.sub(_escaped, text)


def one_line(text: str) -> str:
    """The same for a heading, which has no line breaks and no tabs either."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def file_part(name: object) -> str:
    """A name as a part of a file name: letters, digits and ``._+-``, and not too many."""
    return _NOT_IN_FILE_NAMES.sub("_", str(name))[:LONGEST_PART]


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
