"""`femu demo`: its numbers against independent ones, its picture, its progress."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from femu import kernels
from femu.cli import demo
from femu.cli.demo_picture import member_curve
from femu.cli.main import main
from femu.cli.stages import Stages


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `femu demo --json` prints, with its rows by name."""
    picture = tmp_path_factory.mktemp("demo") / "portal.png"
    run = CliRunner().invoke(main, ["demo", "--json", "--output", str(picture)])
    assert run.exit_code == 0, run.output
    made = json.loads(run.stdout)
    return {**made, "rows": {row["name"]: row for row in made["rows"]}}


def _member(i: tuple[float, float], j: tuple[float, float], EA: float, EI: float) -> np.ndarray:
    """Stiffness of an elastic plane member along the global axes, by the slope-deflection equations."""
    dx, dy = j[0] - i[0], j[1] - i[1]
    L = float(np.hypot(dx, dy))
    c, s = dx / L, dy / L
    # rows: elongation, and the rotations of the ends from the chord
    B = np.array([[-c, -s, 0, c, s, 0], [-s / L, c / L, 1, s / L, -c / L, 0], [-s / L, c / L, 0, s / L, -c / L, 1]])
    k = np.array([[EA / L, 0, 0], [0, 4 * EI / L, 2 * EI / L], [0, 2 * EI / L, 4 * EI / L]])
    return B.T @ k @ B


def test_periods_against_an_assembly_by_hand(told: dict[str, Any]) -> None:
    A, B, C, D = (0.0, 0.0), (demo.SPAN, 0.0), (0.0, demo.HEIGHT), (demo.SPAN, demo.HEIGHT)
    column = demo.column_section()
    K = np.zeros((6, 6))
    K[:3, :3] += _member(A, C, column.EA, column.EI)[3:, 3:]
    K[3:, 3:] += _member(B, D, column.EA, column.EI)[3:, 3:]
    K += _member(C, D, demo.STEEL * demo.BEAM_AREA, demo.STEEL * demo.BEAM_INERTIA)
    M = np.diag([demo.MASS, demo.MASS, demo.ROTATIONAL_INERTIA] * 2)
    periods = 2 * np.pi / np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    for number in (1, 2, 3):
        assert told["rows"][f"period {number}"]["value"] == pytest.approx(periods[number - 1], rel=1e-9)


def test_strength_lies_between_the_bounds_of_plastic_theory(told: dict[str, Any]) -> None:
    """Feet and tops of both columns yield: 4 Mp / h without hardening; with it, and less P-Δ, somewhat above."""
    mechanism = 4 * demo.column_section().plastic_moment / demo.HEIGHT - 2 * demo.MASS * demo.g * 0.02
    shear = told["rows"]["shear at 2 % drift"]["value"] * demo.kN
    assert mechanism < shear < 1.25 * mechanism


def test_the_frame_yields_and_every_check_holds(told: dict[str, Any]) -> None:
    assert told["ok"]
    assert told["rows"]["plastic rotation"]["value"] > 1.0
    assert told["rows"]["outcome"]["value"] == "complete"
    checked = [row for row in told["rows"].values() if row["ok"] is not None]
    assert len(checked) >= 3


def test_picture_is_written(told: dict[str, Any]) -> None:
    content = Path(told["picture"]).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 50_000


def test_stages_are_announced_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with Stages(Console(file=stream)) as stages:
        demo.run(stages)
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if "compiling" not in line] == [
        "periods ...", "weight ...", "pushover ...", "El Centro ..."]


def test_compiling_is_announced_once_and_the_hook_is_given_back() -> None:
    stream = io.StringIO()
    with Stages(Console(file=stream)) as stages:
        stages._compiling("femu.materials.bilinear.block")
        stages._compiling("femu.analyses.march.march")
    assert stream.getvalue().count("compiling") == 1
    assert stages.compiled == 2
    assert kernels._announce.hook is None


def test_deformed_axis_of_a_cantilever_is_its_elastic_line() -> None:
    """Tip load on a vertical cantilever: v = (3 x² - x³)/2 of the tip's sway, which the cubic holds exactly."""
    start, end = np.array([1.0, 0.0]), np.array([1.0, 2.0])
    sway = 0.3
    tip = np.array([sway, 0.0, -1.5 * sway / 2.0])
    x, y = member_curve(start, end, np.zeros(3), tip, 1.0)
    z = np.linspace(0.0, 1.0, len(x))
    np.testing.assert_allclose(x, 1.0 + sway * (3 * z**2 - z**3) / 2, atol=1e-14)
    np.testing.assert_allclose(y, 2.0 * z, atol=1e-14)
