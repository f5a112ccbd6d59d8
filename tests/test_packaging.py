"""The install carries what the tree holds, and imports from anywhere."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
MAPPED = {
    "femu": "femu",
    "femu.materials": "materials",
    "femu.elements": "elements",
    "femu.analyses": "analyses",
    "femu.experimental": "experimental",
    "femu.benchmarks": "benchmarks",
    "femu.examples": "examples",
}


def _packages_of_the_tree() -> set[str]:
    found = set()
    for name, folder in MAPPED.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join([name, *init.parent.relative_to(ROOT / folder).parts]))
    return found


def test_every_folder_with_modules_is_a_package() -> None:
    """Otherwise an install would leave it out."""
    modules = {f.parent for folder in MAPPED.values() for f in (ROOT / folder).rglob("*.py")}
    assert [folder for folder in modules if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("package", sorted(_packages_of_the_tree()))
def test_package_says_what_it_holds(package: str) -> None:
    assert importlib.import_module(package).__doc__


def test_imports_from_another_folder(tmp_path: Path) -> None:
    lines = [f"import {package}" for package in sorted(_packages_of_the_tree())]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_imports_in_the_clone_itself() -> None:
    """Python looks in the folder of a script first.

    There lies the source, in which femu.materials is no folder of femu.
    """
    lines = [
        "import sys",
        "sys.meta_path[:] = [finder for finder in sys.meta_path if 'editable' not in "
        "repr(finder).lower()]",
        *(f"import {package}" for package in sorted(_packages_of_the_tree())),
        "print(femu.materials.__file__)",
    ]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()) == ROOT / "materials" / "__init__.py"


def test_importing_femu_needs_no_optional_package(tmp_path: Path) -> None:
    """The default install has none of them, so nothing may import one before it is used."""
    optional = [
        "openseespy",
        "pandas",
        "xarray",
        "dask",
        "distributed",
        "nicegui",
        "filterpy",
        "stonesoup",
        "pytest",
    ]
    imports = "\n".join(f"import {package}" for package in sorted(_packages_of_the_tree()))
    code = f"{imports}\nimport sys\nprint([name for name in {optional!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


def test_version_is_the_same_everywhere() -> None:
    version = re.search(r'^version = "(.*)"$', PYPROJECT, flags=re.MULTILINE)
    assert version is not None
    assert f"version: {version.group(1)}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {version.group(1)}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
