"""A clean domain for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import femu.opensees as ops


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the model before and after, and let recorders write into a folder of their own."""
    monkeypatch.chdir(tmp_path)
    ops.wipe()
    yield
    ops.wipe()
