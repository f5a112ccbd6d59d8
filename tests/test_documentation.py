"""Pages of the documentation whose code runs as it is, in order, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def blocks(page: str) -> list[str]:
    return re.findall(
        r"^```python\n(.*?)^```$",
        (DOCS / page).read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )


def test_the_page_on_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec("\n".join(blocks("files.md")), {})
    assert "500 The analysis reached its end." in capsys.readouterr().out


def test_the_page_on_real_time_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    exec("\n".join(blocks("real-time.md")), known)
    shown = capsys.readouterr().out
    assert "poles explain 99" in shown and "The analysis reached its end." in shown
    percent = float(re.findall(r"^([\d.]+) %$", shown, flags=re.MULTILINE)[0])
    assert percent < 1.0  # without compensation 40
    assert "stable: largest eigenvalue 0.99" in shown
    assert float(re.findall(r"J2 of the brace: ([\d.]+) %", shown)[0]) < 1.0


def test_the_scripts_of_a_day_in_the_laboratory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Server and test on this computer, on a free port and for a second of the earthquake."""
    import threading

    monkeypatch.chdir(tmp_path)
    server, test = blocks("lab-day.md")
    lab: dict[str, object] = {}
    exec(
        server.split("print(server.serve()")[0]
        .replace("port=8095", "port=0")
        .replace("say=print,", ""),
        lab,
    )
    hosted: list[object] = []
    serving = threading.Thread(target=lambda: hosted.append(lab["server"].serve()))  # type: ignore[attr-defined]
    serving.start()
    try:
        known: dict[str, object] = {"__name__": "__main__"}
        exec(
            test.replace("8095", str(lab["server"].port)).replace(
                "dt=0.01", "dt=0.01, duration=1.0"
            ),
            known,
        )  # type: ignore[attr-defined]
    finally:
        serving.join(30.0)
    assert known["result"].outcome.ok and known["result"].steps == 100  # type: ignore[attr-defined]
    assert hosted[0].ending.ok and hosted[0].moves == 100  # type: ignore[attr-defined]
    assert (tmp_path / "test.h5").exists() and (tmp_path / "lab.h5").exists()
