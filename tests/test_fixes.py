"""Every fix in a message is an instruction: it begins with a verb; every hint is a sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("femu", "analyses", "elements", "experimental", "materials", "benchmarks")
VERBS = frozenset(
    """
    add adjust bring build call change check choose close combine compile connect control
    correct declare define delete end fix give import install keep leave let limit lower make
    mark measure move name omit open pass place put raise reduce remove rename repeat replace
    resume return run save say scale see select set specify split start stop take trim turn
    update use wait write
    """.split()  # noqa: SIM905
)
ERRORS = ("InputError", "KeywordError")


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def _texts(value: ast.expr) -> list[str]:
    """The beginnings of the texts that an expression can be; none if they are not literal."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return [value.value]
    if isinstance(value, ast.JoinedStr) and isinstance(value.values[0], ast.Constant):
        return [str(value.values[0].value)]
    if isinstance(value, ast.IfExp):
        return _texts(value.body) + _texts(value.orelse)
    return []


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _fixes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts given as ``fix=``, and what follows "Fix: " in any other text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "fix":
                    yield from ((node.lineno, text) for text in _texts(keyword.value))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, text) for text in re.findall(r"Fix: (\w+)", node.value))


def _hints(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in ERRORS and len(node.args) > 4:
            yield from ((node.lineno, text) for text in _texts(node.args[4]))


def _not_a_verb(text: str) -> bool:
    return bool(text) and text.split()[0].rstrip(",;:") not in VERBS


def test_every_fix_begins_with_a_verb() -> None:
    seen = [(path, *fix) for path, tree in _sources() for fix in _fixes(tree)]
    assert len(seen) > 150
    assert [one for one in seen if _not_a_verb(one[2])] == []


def test_every_hint_is_a_sentence() -> None:
    seen = [(path, *hint) for path, tree in _sources() for hint in _hints(tree)]
    assert len(seen) > 15
    wrong = [one for one in seen if one[2] and not (one[2][0].isupper() or one[2][0].isdigit())]
    assert wrong == []


@pytest.mark.parametrize("text", ["it is the Young's modulus", "in seconds", "Normal(1.0, 0.1)"])
def test_what_explains_is_seen(text: str) -> None:
    tree = ast.parse(f"raise InputError('A', 'b', 1, 'must be 2', fix={text!r})")
    assert [_not_a_verb(found) for _, found in _fixes(tree)] == [True]
