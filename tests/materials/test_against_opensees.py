"""Every uniaxial material that has an equivalent in openseespy against it, on cyclic and random
paths."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from material_harness import CASES, RATE_CASES, Block, cyclic, random_walk

from femu.materials import MaxwellDamper

pytestmark = [
    pytest.mark.opensees,
    pytest.mark.skipif(
        importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
    ),
]

KNOWN = {name: case for name, case in CASES.items() if case.opensees}
PATHS = {
    "cyclic": cyclic,
    "coarse": lambda scale: cyclic(scale, 2),
    "random": lambda scale: random_walk(scale, 1),
    "random again": lambda scale: random_walk(scale, 2),
    "thirtyfold": lambda scale: np.append(
        cyclic(scale, 2), random_walk(30 * scale, 4, smallest=-4.0)
    ),
}
RATES = 2.0 * np.cos(np.linspace(0.0, 15.0, 80)) * np.linspace(0.0, 1.0, 80)
RATE_PATH = np.cumsum(RATES) * 0.02

DAMPERS: dict[str, dict[str, Any]] = {
    name: {
        "K": 40.0,
        "C": 3.0,
        "alpha": alpha,
        "dt": 0.02,
        "force": list(6.0 * np.sin(np.arange(250) * 0.11) * np.sin(np.arange(250) * 0.013)),
    }
    for name, alpha in (("linear", 1.0), ("power", 0.4), ("strong power", 0.15))
}

FINE = 400  # steps a leg where OpenSees' one pass a step has to come close to the converged series


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], np.ndarray]:
    """Results of openseespy for all materials and paths, from one process."""
    jobs: dict[tuple[str, str], dict[str, Any]] = {}
    for name, case in KNOWN.items():
        for path, make in PATHS.items():
            if case.exact:
                jobs[name, path] = {
                    "commands": case.opensees,
                    "strain": list(make(case.scale)),
                    "rate": None,
                }
        if not case.exact:
            jobs[name, "fine"] = {
                "commands": case.opensees,
                "strain": list(cyclic(case.scale, FINE)),
                "rate": None,
            }
    for name, case in RATE_CASES.items():
        if case.opensees:
            jobs[name, "rates"] = {
                "commands": case.opensees,
                "strain": list(RATE_PATH),
                "rate": list(RATES),
            }
    for name, damper in DAMPERS.items():
        jobs["damper", name] = {"damper": damper}
    folder = tmp_path_factory.mktemp("opensees")
    given, wanted = folder / "jobs.json", folder / "results.npz"
    given.write_text(json.dumps(list(jobs.values())))
    program = Path(__file__).with_name("opensees_paths.py")
    done = subprocess.run(
        [sys.executable, str(program), str(given), str(wanted)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert wanted.exists(), done.stderr[-2000:]
    with np.load(wanted) as results:
        return {key: results[f"{number}"] for number, key in enumerate(jobs)}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", [name for name, case in KNOWN.items() if case.exact])
def test_same_stress(peer: dict[tuple[str, str], np.ndarray], name: str, path: str) -> None:
    case = CASES[name]
    strain = PATHS[path](case.scale)
    block = Block(case.material)
    stress = block.settled(strain) if case.material.breaks_after_step else block.run(strain)[0]
    expected = peer[name, path][:, 0]
    assert np.abs(expected).max() > 0.0
    assert np.abs(stress - expected).max() <= case.round_off * np.abs(expected).max()


@pytest.mark.parametrize("name", [name for name, case in KNOWN.items() if not case.exact])
def test_series_is_what_opensees_tends_to(
    peer: dict[tuple[str, str], np.ndarray], name: str
) -> None:
    """One pass a step leaves an error of about one step at each corner of a part, and none in
    between."""
    case = CASES[name]
    strain = cyclic(case.scale, FINE)
    stress, _ = Block(case.material).run(strain)
    difference = np.abs(stress - peer[name, "fine"][:, 0]) / np.abs(stress).max()
    assert difference.max() < 0.02
    assert np.median(difference) < 1e-9


@pytest.mark.parametrize("name", [name for name, case in RATE_CASES.items() if case.opensees])
def test_same_stress_of_rate(peer: dict[tuple[str, str], np.ndarray], name: str) -> None:
    case = RATE_CASES[name]
    stress, _ = Block(case.material).run(RATE_PATH, RATES, 0.02)
    expected = peer[name, "rates"][:, 0]
    assert np.abs(stress - expected).max() <= case.round_off * np.abs(expected).max()


@pytest.mark.parametrize("name", DAMPERS)
def test_maxwell_damper_on_a_mass(peer: dict[tuple[str, str], np.ndarray], name: str) -> None:
    """The motion is that of the run in openseespy.

    Both integrate the damper to tight tolerances.
    """
    given = DAMPERS[name]
    displacement, velocity, expected = peer["damper", name].T
    material = MaxwellDamper(given["K"], given["C"], given["alpha"], relative_tolerance=1e-13)
    stress, _ = Block(material).run(displacement, velocity, given["dt"])
    assert np.abs(stress - expected).max() <= 1e-9 * np.abs(expected).max()
