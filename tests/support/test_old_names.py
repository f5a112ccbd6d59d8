"""Import names that stay valid, and what importing an integrator loads."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from femu.support import old_names

FINDERS = [f for f in sys.meta_path if isinstance(f, old_names._Moved)]
MOVED = {old: new for finder in FINDERS for old, new in finder._places.items()}


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_name_gives_the_same_module(old: str) -> None:
    assert importlib.import_module(old) is importlib.import_module(MOVED[old])


@pytest.mark.parametrize("package", sorted(old_names.NAMES))
def test_names_that_lie_elsewhere(package: str) -> None:
    module = importlib.import_module(package)
    for name, place in old_names.NAMES[package].items():
        assert getattr(module, name) is getattr(importlib.import_module(place), name)
        assert name in module.__all__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_an_integrator_loads_no_specimen_and_no_network() -> None:
    code = "import sys; from femu.analyses import Newmark; print([m for m in sys.modules if m.startswith('femu.exp')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
