"""The scripts for openseespy run as they are and give femu's numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_frames import QUAKE, portal

from femu import Model, PointLoad, UniformLoad
from femu.analyses import HHT, DisplacementControl, LoadControl, Newmark, Pushover, Transient, eigen
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
)
from femu.experimental import EmulatedSpecimen, ExperimentalTruss
from femu.materials import (
    Bilinear,
    Elastic,
    ElasticSection,
    FibreSection,
    MenegottoPinto,
    UncoupledSection,
)
from femu.model.series import Motion, Sine
from femu.opensees.translation.python_text import literal
from femu.opensees.translation.script import opensees_script
from femu.results.index import has_dof
from femu.support.errors import FileError, UnsupportedError

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")
ELASTIC = ElasticSection(E=200e9, A=6e-3, I=1e-4)
PLASTIC = UncoupledSection(axial=Bilinear(1.5e9, 2e6, 0.03), moment=Bilinear(1.9e7, 2.2e5, 0.03))
GRAVITY = LoadControl(pattern="gravity", steps=2)

DRIVER = """
import runpy, sys
from femu.opensees.load_openseespy import load_opensees
load_opensees()
for path in sys.argv[1:]:
    print("=== " + path)
    runpy.run_path(path, run_name="__main__")
"""


def mixed() -> Model:
    """Braces, links, hinges, rigid ends, a rigid link, a pinned beam, names that are no words."""
    model = Model("mixed frame")
    for name, x, y, fixed in (
        (1, 0.0, 0.0, True),
        ("b 2", 5.0, 0.0, "xy"),
        (3, 0.0, 3.0, False),
        (4, 5.0, 3.0, False),
    ):
        model.node(name, x, y, fixed=fixed, mass=None if fixed else (2e4, 2e4, 1e2))
    model.node("m", 5.0, 3.0)
    hinges = Hinges(PLASTIC, 0.2, PLASTIC, 0.2, ELASTIC)
    model.add(ForceBeamColumn("c1", 1, 3, integration=hinges, geometry="corotational"))
    fibres = FibreSection.rectangle(0.3, 0.3, MenegottoPinto(200e9, 300e6, 0.01), 4)
    model.add(
        DisplacementBeamColumn(
            "c'2", "b 2", 4, section=fibres, integration="legendre", points=3, offset_j=(0.0, -0.2)
        )
    )
    model.add(ElasticBeamColumn("beam", 3, "m", section=ELASTIC, release_i=True))
    model.add(
        ZeroLength(
            "joint", "m", 4, {"x": Elastic(1e9), "y": Elastic(1e9), "rz": Bilinear(1e7, 1e5, 0.1)}
        )
    )
    model.add(Truss("brace", 1, 4, material=Elastic(2e11), area=2e-4, geometry="corotational"))
    model.add(TwoNodeLink("link", "b 2", 3, {"x": Elastic(1e6)}))
    model.add(LumpedMass("extra", 3, mass=1e3, inertia=10.0))
    model.load(3, x=2e4, y=-5e4, pattern="gravity")
    model.load(4, rz=1e4, pattern="gravity")
    model.member_load("beam", UniformLoad(y=-1e4, x=1e3), "gravity")
    model.member_load("beam", PointLoad(0.3, y=-2e4), "gravity")
    model.pattern("machine", Sine(0.4, 3e3))
    model.load(4, x=1.0, pattern="machine")
    model.rayleigh(mass=0.3, initial=1e-3)
    return model


def moved() -> Model:
    """A support that moves, and modal damping."""
    model = portal("elastic", damping=None)
    model.support_motion(
        "A", "x", Motion(0.05, displacement=0.01 * np.sin(np.linspace(0.0, 6.0, 60)))
    )
    model.support_motion(
        "B", "x", Motion(0.05, displacement=0.01 * np.sin(np.linspace(0.0, 6.0, 60)))
    )
    return model


def space() -> Model:
    """A small frame in space."""
    model = Model("space", dimensions=3)
    section = ElasticSection(E=200e9, A=6e-3, I=1e-4, Iy=3e-5, G=8e10, J=2e-6)
    for name, x, y, z in (
        ("a", 0.0, 0.0, 0.0),
        ("b", 0.0, 0.0, 3.0),
        ("c", 4.0, 0.0, 3.0),
        ("d", 4.0, 2.0, 0.0),
    ):
        model.node(name, x, y, z, fixed=z == 0.0, mass=None if z == 0.0 else 1e4)
    for name, i, j in (("ab", "a", "b"), ("bc", "b", "c"), ("dc", "d", "c")):
        model.add(ElasticBeamColumn(name, i, j, section=section))
    model.load("b", x=1e4, y=2e4, z=-3e4, pattern="gravity")
    return model


QUAKES = {"motion": QUAKE, "duration": 2.0}
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "periods": (lambda: portal("uncoupled"), None, {}),
    "fibre_quake": (lambda: portal("fibre"), [GRAVITY, Transient(Newmark(), dt=0.02)], QUAKES),
    "push": (
        lambda: portal("uncoupled"),
        [GRAVITY, Pushover("C", to=0.06, steps=30, pattern="push")],
        {},
    ),
    "cycles": (
        lambda: portal("uncoupled"),
        DisplacementControl("C", "x", [0.03, -0.03, 0.0], 2e-3, pattern="push"),
        {},
    ),
    "mixed": (mixed, [GRAVITY, Transient(HHT(0.9), dt=0.01)], {"duration": 0.5}),
    "moved": (moved, Transient(Newmark(), dt=0.02), {"duration": 1.0}),
    "space": (space, GRAVITY, {}),
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the scripts of all cases print, run one after the other."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, (make, analysis, options) in CASES.items():
        make().to_opensees(folder / f"{name}.py", analysis, **options)
    paths = [str(folder / f"{name}.py") for name in CASES]
    run = subprocess.run(
        [sys.executable, "-c", DRIVER, *paths], capture_output=True, text=True, cwd=folder
    )
    assert run.returncode == 0, run.stdout + run.stderr
    pieces = run.stdout.split("=== ")[1:]
    return {Path(piece.split("\n")[0]).stem: piece for piece in pieces}


def numbers(text: str, node: Any, what: str) -> list[float]:
    found = re.findall(rf"^{re.escape(str(node))} {what}: (.*)$", text, flags=re.MULTILINE)
    return [float(word) for word in found[-1].split()]


def results(name: str) -> tuple[Model, Any]:
    """The model and femu's own last result."""
    make, analysis, options = CASES[name]
    model = make()
    program, state, result = model.compile(), None, None
    for stage in analysis if isinstance(analysis, list) else [analysis]:
        given = (
            {k: v for k, v in options.items() if k == "duration"}
            if isinstance(stage, Transient)
            else {}
        )
        motions = (
            [options["motion"]] if isinstance(stage, Transient) and "motion" in options else []
        )
        result = stage.run(program, *motions, start=state, **given)
        state = result.state
    return model, result


@pytest.mark.opensees
def test_periods(printed: dict[str, str]) -> None:
    reported = [float(word) for word in printed["periods"].split("periods:")[1].split()]
    np.testing.assert_allclose(reported, eigen(portal("uncoupled"), 3).periods, rtol=1e-8)


@pytest.mark.opensees
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1] is not None])
def test_displacements(name: str, printed: dict[str, str]) -> None:
    """To 1e-6 of the largest: OpenSees tabulates its integration rules with about ten digits."""
    model, result = results(name)
    what = (
        "largest displacements"
        if isinstance(np.atleast_1d(CASES[name][1])[-1], Transient)
        else "displacements"
    )
    size = float(np.abs(result.arrays["u"]).max())
    for node in model.nodes:
        reported = numbers(printed[name], node, what)
        for direction, value in zip(model.dof_names, reported, strict=True):
            if not has_dof(result, node, direction):
                assert value == 0.0
                continue
            own = result.displacement(node, direction)
            expected = float(np.abs(own).max()) if "largest" in what else float(own[-1])
            assert value == pytest.approx(expected, abs=1e-6 * size), (node, direction)


def test_a_script_people_can_read() -> None:
    script = opensees_script(portal("fibre"), [GRAVITY, Transient(Newmark(), dt=0.02)], QUAKE, 2.0)
    compile(script, "script", "exec")
    assert max(map(len, script.splitlines())) <= 122
    for line in (
        'ops.geomTransf("PDelta", p_delta_geometry)',
        'ops.beamIntegration("Lobatto", along_fibre_section, fibre_section, 5)',
        "def load_gravity():",
        "def apply_gravity():",
        "def shake():",
        "node = {'A': 1, 'B': 2, 'C': 3, 'D': 4}",
    ):
        assert line in script
    assert "OpenSees has no N-M section" in opensees_script(portal("nm")), (
        "where it differs, the head says so"
    )


def test_whole_numbers_keep_their_tags() -> None:
    model = Model("numbers")
    model.node(10, 0.0, 0.0, fixed=True)
    model.node(20, 0.0, 3.0)
    model.add(ElasticBeamColumn(7, 10, 20, section=ELASTIC))
    script = opensees_script(model)
    assert "node = {10: 10, 20: 20}" in script and "element = {7: 7}" in script


def test_what_opensees_lacks_is_named(tmp_path: Path) -> None:
    model = portal()
    model.add(ExperimentalTruss("specimen", "A", "D", specimen=EmulatedSpecimen(Elastic(1e6))))
    with pytest.raises(UnsupportedError, match="ExperimentalTruss"):
        model.to_opensees(tmp_path / "a.py")
    assert not (tmp_path / "a.py").exists()
    with pytest.raises(FileError, match="written"):
        portal().to_opensees(tmp_path / "no" / "a.py")


def test_numbers_keep_their_bits() -> None:
    for value in (
        0.1,
        1 / 3,
        2.06e11,
        280000000.0,
        -1.1e-4,
        0.0,
        1e22,
        123456.789,
        float(np.nextafter(1e-9, 1)),
    ):
        assert float(literal(value)) == value
    assert [literal(v) for v in (2.06e11, 30000.0, 1e-4)] == ["2.06e11", "30000.0", "1e-4"]
