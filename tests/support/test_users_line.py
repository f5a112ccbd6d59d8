"""A warning of femu points at the line of the user that caused it."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import femu
from femu import GroundMotion
from femu.experimental import ExperimentalElement, ExperimentError, Measurement, Specimen, exchange
from femu.records.plausible import RecordWarning
from femu.updating.worker import Checkpoint


def test_a_warning_points_at_the_users_line(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    np.savetxt(path, np.full(1000, 500.0))
    with pytest.warns(RecordWarning) as seen:
        GroundMotion.from_text(path, 0.01, "m/s2")
    assert {warning.filename for warning in seen} == {__file__}


def test_every_warning_of_femu_goes_that_way() -> None:
    """No other module calls warnings.warn, so that none can point at a line of femu."""
    root = Path(femu.__file__).parents[1]
    files = [
        path
        for folder in ("femu", "analyses", "elements", "experimental", "materials", "benchmarks")
        for path in (root / folder).rglob("*.py")
    ]
    assert len(files) > 300
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert (
                called not in ("warnings.warn", "warnings.warn_explicit")
                or path.name == "users_line.py"
            ), (path, node.lineno)


def test_the_line_is_found_through_checked_arguments_and_callbacks(tmp_path: Path) -> None:
    """In checked calls, in the worker's own functions and after an error on the way."""
    path = tmp_path / "c.npz"
    path.write_bytes(b"")
    with pytest.warns(UserWarning, match="is no checkpoint of an updater") as seen:
        assert Checkpoint(path, 5).load(None) == (-1, 0)  # type: ignore[arg-type]
    assert [warning.filename for warning in seen] == [__file__]
    broken = ExperimentalElement("e", [("B", "x")], specimen=Broken(), stiffness=[[1.0]])
    with (
        pytest.warns(UserWarning, match="could not be held") as seen,
        pytest.raises(ExperimentError),
    ):
        exchange(broken, np.array([0.1]), 0.1)
    assert [warning.filename for warning in seen] == [__file__]


class Broken(Specimen):
    size = 1

    def apply(self, command: np.ndarray, time: float) -> Measurement:
        return None  # type: ignore[return-value]

    def hold(self) -> None:
        raise OSError("no hydraulics")
