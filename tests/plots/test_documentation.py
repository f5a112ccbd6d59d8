"""The page on pictures, reports and exchange.

Its code runs in order, and writes every picture that the page shows.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec("\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)), {})
    shown = re.findall(r"\(_generated/(.*?)\)", PAGE)
    assert len(shown) == 8
    assert [name for name in shown if not (tmp_path / name).exists()] == []
    assert (tmp_path / "portal.html").stat().st_size > 100_000
    assert "OpenSees has no N-M section" in (tmp_path / "portal_opensees.py").read_text(
        encoding="utf-8"
    )
