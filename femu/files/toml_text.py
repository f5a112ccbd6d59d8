"""TOML: a small writer, and the reader of the standard library (or tomli, on Python 3.10).

The writer takes dictionaries of strings, numbers, lists and dictionaries. Numbers are written with
all their digits, so that reading gives the same bits.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from typing import Any

from femu.support.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LINE = 120  # characters; longer arrays are broken
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


class NotTOML(ValueError):
    """What the reader says of a text that it cannot read."""


def read(text: str) -> dict[str, Any]:
    """The tables of a TOML text; raises `NotTOML`."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise NotTOML("it is nested too deeply") from None
    # the reader's own, and that of an integer with thousands of digits
    except ValueError as problem:
        raise NotTOML(str(problem)) from None


def write(tables: Mapping[str, Any]) -> str:
    """TOML of nested dictionaries. A list of dictionaries becomes an array of tables, one
    dictionary in it a table each; a dictionary of dictionaries becomes a table each; everything
    deeper is inline.
    """
    lines: list[str] = [
        f"{key(k)} = {value(v)}"
        for k, v in tables.items()
        if not _is_table(v) and not _is_tables(v)
    ]
    for name, content in tables.items():
        if _is_tables(content):
            for table in content:
                lines += ["", f"[[{key(name)}]]", *_body(table)]
        elif _is_table(content):
            if content and all(isinstance(v, Mapping) for v in content.values()):
                for inner, table in content.items():
                    lines += ["", f"[{key(name)}.{key(inner)}]", *_body(table)]
            else:
                lines += ["", f"[{key(name)}]", *_body(content)]
    return "\n".join(lines) + "\n"


def _is_table(content: Any) -> bool:
    return isinstance(content, Mapping)


def _is_tables(content: Any) -> bool:
    return (
        isinstance(content, list) and bool(content) and all(isinstance(v, Mapping) for v in content)
    )


def _body(table: Mapping[str, Any]) -> list[str]:
    return [f"{key(k)} = {value(v, len(k) + 3)}" for k, v in table.items()]


def key(name: str) -> str:
    """A key, quoted if necessary."""
    return name if _BARE.match(name) else _string(name)


def value(content: Any, used: int = 0) -> str:
    """A value on one line, or with its arrays broken if it is long.

    ``used`` characters precede it.
    """
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, int):
        return str(content)
    if isinstance(content, float):
        return (
            repr(content)
            if math.isfinite(content)
            else "nan"
            if math.isnan(content)
            else "inf"
            if content > 0
            else "-inf"
        )
    if isinstance(content, str):
        return _string(content)
    if isinstance(content, Mapping):
        return (
            "{ " + ", ".join(f"{key(k)} = {value(v)}" for k, v in content.items()) + " }"
            if content
            else "{}"
        )
    if isinstance(content, (list, tuple)):
        return _array([value(v) for v in content], used)
    raise InputError("TOML", "value", content, "must be a string, a number, a list or a table")


def _array(items: list[str], used: int) -> str:
    plain = "[" + ", ".join(items) + "]"
    if len(plain) + used <= LINE and "\n" not in plain:
        return plain
    rows, row = [], ""
    for item in items:
        if row and len(row) + len(item) + 2 > LINE - 4:
            rows.append(row)
            row = ""
        row += (" " if row else "") + item + ","
    return "[\n" + "".join(f"    {r}\n" for r in [*rows, row] if r) + "]"


def _string(text: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(
            "TOML", "text", text, "must not hold a lone surrogate, which UTF-8 cannot write"
        )
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
