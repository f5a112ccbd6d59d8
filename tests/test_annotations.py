"""Every function has types, except those that are compiled: numba finds the types of kernels itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILING = {
    "compiled", "exact", "helper", "inlined", "intrinsic", "kernel", "law", "njit", "overload", "routine",
    "summed", "unfused", "unfused_inlined", "_instruction",
}  # fmt: skip
"""Decorators of what numba compiles."""


def untyped(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions without types that are not compiled, neither themselves nor as part of one that is made."""
    waiting: list[ast.AST] = [module]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(node, ast.FunctionDef):
                waiting.append(node)  # a function within a function is often a kernel in the making
                continue
            given = node.args
            arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            arguments += [one for one in (given.vararg, given.kwarg) if one is not None]
            own = "self", "cls", "mcs"
            if node.returns is None or any(
                one.annotation is None and one.arg not in own for one in arguments
            ):
                decorators = {
                    ast.unparse(d.func if isinstance(d, ast.Call) else d).rpartition(".")[2]
                    for d in node.decorator_list
                }
                if not decorators & COMPILING:
                    yield node


def test_every_function_that_is_not_compiled_has_types() -> None:
    found, read = [], 0
    for folder in ROOT.iterdir():
        if not (folder / "__init__.py").is_file() or folder.name in ("tests", "examples"):
            continue  # examples are scripts as OpenSees' users write them
        for path in folder.rglob("*.py"):
            read += 1
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = path.relative_to(ROOT).as_posix()
            found += [f"{name}:{node.lineno}: {node.name}" for node in untyped(tree)]
    assert read > 400 and sorted(found) == []


def test_a_function_without_types_is_found() -> None:
    text = (
        "def a(x): ...\n@kernel(INT(INT))\ndef b(x): ...\nclass C:\n    def d(self) -> None: ...\n"
    )
    text += "    def e(self): ...\n"
    assert sorted(node.name for node in untyped(ast.parse(text))) == ["a", "e"]
