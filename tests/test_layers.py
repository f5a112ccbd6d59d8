"""Imports go one way: each room imports from the rooms before it, and no modules form a circle."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = [
    "support",
    "files",
    "units",
    "kernels",
    "model",
    "records",
    "engine",
    "materials",
    "elements",
    "results",
    "filters",
    "analyses",
    "experimental",
    "updating",
    "check",
    "exchange",
    "plots",
    "batch",
    "report",
    "identify",
    "monitor",
    "opensees",
    "studies",
    "benchmarks",
    "cli",
]
"""From the lowest to the highest. `femu/__init__.py` is above all of them."""
OUTSIDE = ("materials", "elements", "analyses", "experimental", "benchmarks")


def modules() -> dict[str, Path]:
    """Every module by the name under which it is imported."""
    folders = {"femu": ROOT / "femu", **{f"femu.{name}": ROOT / name for name in OUTSIDE}}
    found = {}
    for package, folder in folders.items():
        for file in folder.rglob("*.py"):
            parts = file.relative_to(folder).with_suffix("").parts
            found[".".join([package, *(part for part in parts if part != "__init__")])] = file
    return found


MODULES = modules()


def imported(module: str) -> set[str]:
    """Modules of femu that a module imports, also inside its functions, but not for types alone."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                visit(child)
            return
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in MODULES else str(node.module) for name in names)
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(MODULES[module].read_text(encoding="utf-8")))
    with_packages = found | {p for name in found for p in packages(name) if not inside(module, p)}
    return {name for name in with_packages if name in MODULES} - {module}


def packages(name: str) -> list[str]:
    """The packages in which a module lies, which are imported before it.

    Femu itself comes first anyway.
    """
    parts = name.split(".")
    return [".".join(parts[:k]) for k in range(2, len(parts))]


def inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def room(module: str) -> int:
    return ROOMS.index(module.split(".")[1]) if "." in module else len(ROOMS)


GRAPH = {module: imported(module) for module in MODULES}


def test_every_room_is_known_and_the_top_is_empty() -> None:
    assert {m.split(".")[1] for m in MODULES if "." in m} == set(ROOMS)
    assert [f.name for f in (ROOT / "femu").glob("*.py")] == ["__init__.py"]


def test_no_room_imports_from_a_higher_one() -> None:
    found = [f"{m} -> {n}" for m in GRAPH for n in GRAPH[m] if room(n) > room(m)]
    assert found == []


def test_no_modules_form_a_circle() -> None:
    """Modules that import nothing that is left are taken away in turn; what remains is a circle."""
    left = {module: set(names) for module, names in GRAPH.items()}
    while True:
        free = {module for module, names in left.items() if not names & left.keys()}
        if not free:
            break
        left = {module: names for module, names in left.items() if module not in free}
    assert sorted(left) == []


def test_no_module_is_always_imported_under_another_name() -> None:
    """Such a module has the wrong name."""
    names: dict[str, set[str]] = {}
    for file in MODULES.values():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    module = f"{node.module}.{alias.name}"
                    if module in MODULES:
                        names.setdefault(module, set()).add(alias.asname or alias.name)
    assert len(names) > 10
    misnamed = {m for m, found in names.items() if m.split(".")[-1] not in found}
    # next to `femu.materials`, these need longer names
    assert misnamed <= {
        "femu.opensees.translation.materials",
        "femu.opensees.translation.sections",
    }
