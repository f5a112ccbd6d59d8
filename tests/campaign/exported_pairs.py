"""Every pair of features of a model, exported to a script for openseespy and compared with femu.

One frame of two storeys gets the two features, gravity and then an earthquake. The scripts run as
they are, all in one process of openseespy, and the largest displacement of each degree of freedom
is compared. A pair that OpenSees cannot express has to be refused by name; none may differ.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from femu import DistributedLoad, GroundMotion, Model, PointLoad, UniformLoad
from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    LumpedMass,
    Truss,
    TwoNodeLink,
    ZeroLength,
)
from femu.materials import Bilinear, Elastic, ElasticSection, UncoupledSection
from femu.model.series import Motion, Sine
from femu.opensees.translation.script import opensees_script
from femu.results.index import has_dof
from femu.support.errors import FemuError, UnsupportedError
from tests.campaign.tally import Tally

STEPS, DT = 40, 0.01
SAME = 1e-6  # of the largest displacement: OpenSees has integration rules to about ten digits
QUICK = 9  # every n-th pair
SECTION = ElasticSection(E=200e9, A=6e-3, I=1e-4)
PLASTIC = UncoupledSection(axial=Elastic(1.2e9), moment=Bilinear(2e7, 8e4, 0.03))
DRIVER = """
import json, runpy, sys
from femu.opensees.load_openseespy import load_opensees
ops = load_opensees()
for path in sys.stdin.read().split():
    try:
        script = runpy.run_path(path)
        script["build"]()
        script["apply_gravity"]()
        found = script["shake"]()
        answer = {str(n): [max(map(abs, column)) for column in zip(*rows)] for n, rows in found.items()}
    except (Exception, SystemExit) as problem:
        answer = repr(problem)
    print("FOUND " + json.dumps([path, answer]), flush=True)
"""


def frame() -> Model:
    """Two storeys and two bays, with a node next to the frame for constraints to hang on."""
    model = Model("pairs")
    for i, x in enumerate((0.0, 5.0, 9.0)):
        for j, y in enumerate((0.0, 3.0, 6.0)):
            model.node(f"{i}{j}", x, y, fixed=j == 0, mass=(4e3, 4e3, 50.0) if j else None)
    for i in range(3):
        model.add(ElasticBeamColumn(f"c{i}1", f"{i}0", f"{i}1", section=SECTION))
        model.add(ElasticBeamColumn(f"c{i}2", f"{i}1", f"{i}2", section=SECTION))
    for j in (1, 2):
        for i in range(2):
            model.add(ElasticBeamColumn(f"b{i}{j}", f"{i}{j}", f"{i + 1}{j}", section=SECTION))
    model.load("11", x=2e4, y=-1e5, pattern="gravity")
    model.rayleigh(mass=0.3, initial=1e-3)
    return model


def _member(model: Model, name: str, ends: tuple[str, str], make: Callable[..., object]) -> None:
    model.add(make(name, *ends))


def _outrigger(model: Model, name: str, at: str, dx: float, dy: float) -> str:
    """A node that is not on the frame, with a mass and a spring to the ground."""
    x, y = model.nodes[at].coordinates
    if name not in model.nodes:
        model.node(name, x + dx, y + dy, mass=(2e3, 2e3, 20.0))
        model.node(f"{name} ground", x + dx, y + dy, fixed=True)
        model.add(
            ZeroLength(
                f"{name} spring",
                f"{name} ground",
                name,
                {"x": Elastic(4e5), "y": Elastic(3e5), "rz": Elastic(2e5)},
            )
        )
    return name


def _equal(model: Model) -> None:
    model.equal_dof("01", "11", "x")


def _equal_chain(model: Model) -> None:
    model.equal_dof("01", "11", "x")
    model.equal_dof("11", "21", "x")


def _equal_other_way(model: Model) -> None:
    model.equal_dof("21", "11", "x")


def _equal_vertical(model: Model) -> None:
    model.equal_dof("02", "12", "y")


def _equal_to_two(model: Model) -> None:
    model.equal_dof("02", "12", "x")
    model.equal_dof("22", "12", "y")


def _equal_to_support(model: Model) -> None:
    model.equal_dof("00", "01", "y")


def _floor(model: Model) -> None:
    model.rigid_diaphragm(["02", "12", "22"], "x")


def _link(model: Model) -> None:
    model.rigid_link("12", _outrigger(model, "out", "12", 1.0, 0.5))


def _link_chain(model: Model) -> None:
    model.rigid_link("12", _outrigger(model, "out", "12", 1.0, 0.5))
    model.rigid_link("out", _outrigger(model, "far", "12", 2.0, 1.5))


def _link_of_a_support(model: Model) -> None:
    model.rigid_link("20", _outrigger(model, "foot", "20", 0.5, 0.3))


def _link_and_equal(model: Model) -> None:
    model.rigid_link("12", _outrigger(model, "out", "12", 1.0, 0.5))
    _outrigger(model, "beside", "12", 2.0, 0.0)
    model.equal_dof("12", "beside", "xy")


def _link_then_equal(model: Model) -> None:
    """Of a node that follows a rigid link."""
    model.rigid_link("12", _outrigger(model, "out", "12", 1.0, 0.5))
    model.equal_dof("02", "12", "x")


def _roller(model: Model) -> None:
    model.nodes["20"].fixed = frozenset({"y"})


def _force(model: Model) -> None:
    model.node("f", 2.5, 8.0, mass=1e3)
    for end in ("02", "12"):
        model.add(ForceBeamColumn(f"force {end}", end, "f", section=PLASTIC, points=4))


def _displacement(model: Model) -> None:
    model.node("d", 7.0, 8.0, mass=1e3)
    for end in ("12", "22"):
        model.add(DisplacementBeamColumn(f"disp {end}", end, "d", section=PLASTIC, points=4))


def _p_delta(model: Model) -> None:
    model.add(ElasticBeamColumn("pd", "00", "11", section=SECTION, geometry="p-delta"))


def _corotational(model: Model) -> None:
    model.add(ElasticBeamColumn("co", "10", "21", section=SECTION, geometry="corotational"))


def _offsets(model: Model) -> None:
    model.add(
        ElasticBeamColumn(
            "off", "01", "12", section=SECTION, offset_i=(0.2, 0.1), offset_j=(0.0, -0.3)
        )
    )


def _release(model: Model) -> None:
    model.add(ElasticBeamColumn("pin", "11", "22", section=SECTION, release_j=True))


def _truss(model: Model) -> None:
    model.add(Truss("brace", "10", "01", material=Bilinear(2e11, 2e8, 0.02), area=3e-4))


def _truss_corotational(model: Model) -> None:
    model.add(Truss("tie", "11", "02", material=Elastic(2e11), area=3e-4, geometry="corotational"))


def _spring(model: Model) -> None:
    model.add(TwoNodeLink("spring", "00", "12", {"x": Elastic(1e6), "y": Elastic(2e6)}))


def _mass(model: Model) -> None:
    model.add(LumpedMass("extra", "22", mass=5e3, inertia=30.0))


def _uniform(model: Model) -> None:
    model.member_load("b01", UniformLoad(y=-1e4, x=1e3), "gravity")


def _point(model: Model) -> None:
    model.member_load("b12", PointLoad(0.3, y=-2e4), "gravity")


def _partial(model: Model) -> None:
    model.member_load("b02", DistributedLoad(y=-1e4, start=0.2, end=0.7), "gravity")


def _machine(model: Model) -> None:
    model.pattern("machine", Sine(0.4, 3e3))
    model.load("22", x=1.0, rz=0.5, pattern="machine")


def _moving(model: Model) -> None:
    time = np.linspace(0.0, 6.0, 60)
    model.support_motion("10", "x", Motion(0.05, displacement=0.002 * (1.0 - np.cos(time))))


def _modal(model: Model) -> None:
    model.damping = None
    model.modal_damping([0.03, 0.04])


def _stiffness(model: Model) -> None:
    model.damping = None
    model.rayleigh(mass=0.2, committed=1e-3)


FEATURES: dict[str, Callable[[Model], None]] = {
    function.__name__.strip("_").replace("_", " "): function
    for function in (
        _equal,
        _equal_chain,
        _equal_other_way,
        _equal_vertical,
        _equal_to_two,
        _equal_to_support,
        _floor,
        _link,
        _link_chain,
        _link_of_a_support,
        _link_and_equal,
        _link_then_equal,
        _roller,
        _force,
        _displacement,
        _p_delta,
        _corotational,
        _offsets,
        _release,
        _truss,
        _truss_corotational,
        _spring,
        _mass,
        _uniform,
        _point,
        _partial,
        _machine,
        _moving,
        _modal,
        _stiffness,
    )
}
PAIRS = list(combinations_with_replacement(FEATURES, 2))


def of_pair(one: str, other: str) -> Model:
    """The frame with two features."""
    model = frame()
    for name in dict.fromkeys((one, other)):
        FEATURES[name](model)
    return model


def own(model: Model) -> dict[str, list[float]]:
    """Largest displacement of each degree of freedom that femu finds."""
    program = model.compile()
    gravity, shake = stages()
    state = gravity.run(program, check=False).state
    found = shake.run(program, QUAKE, duration=STEPS * DT, start=state, check=False)
    return {
        str(name): [
            float(np.abs(found.displacement(name, d)).max()) if has_dof(found, name, d) else 0.0
            for d in model.dof_names
        ]
        for name in model.nodes
    }


def stages() -> tuple[LoadControl, Transient]:
    return LoadControl(pattern="gravity", steps=2), Transient(Newmark(), dt=DT)


QUAKE = GroundMotion.el_centro().scaled(factor=2.0)


def compared(pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What came of each pair: "same", "refused: ..." by femu's export, or what is wrong."""
    out: dict[tuple[str, str], str] = {}
    ours, paths = {}, {}
    with tempfile.TemporaryDirectory() as name:
        for number, pair in enumerate(pairs):
            try:
                model = of_pair(*pair)
                ours[pair] = own(model)
                script = opensees_script(model, list(stages()), QUAKE, STEPS * DT)
            except UnsupportedError as refusal:
                out[pair] = f"refused: {refusal}"
                continue
            except FemuError as problem:  # a model that femu refuses itself
                out[pair] = f"no model: {problem}"
                continue
            paths[str(Path(name) / f"pair{number}.py")] = pair
            (Path(name) / f"pair{number}.py").write_text(script, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-c", DRIVER],
            input="\n".join(paths),
            capture_output=True,
            text=True,
            cwd=name,
        )
    for line in run.stdout.splitlines():
        if line.startswith("FOUND "):
            path, answer = json.loads(line.removeprefix("FOUND "))
            out[paths[path]] = (
                answer if isinstance(answer, str) else verdict(ours[paths[path]], answer)
            )
    for pair in pairs:
        out.setdefault(pair, f"openseespy ended with {run.returncode}")
    return out


def verdict(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> str:
    size = max(max(row) for row in ours.values())
    worst = max(
        (abs(a - b) / size, node, direction)
        for node, row in ours.items()
        for direction, a, b in zip("xyr", row, theirs[node], strict=True)
    )
    return (
        "same" if worst[0] <= SAME else f"differs by {worst[0]:.1e} at node {worst[1]}, {worst[2]}"
    )


def run(quick: bool) -> Tally:
    tally = Tally()
    pairs = PAIRS[:: QUICK if quick else 1]
    found = compared(pairs)
    same = sum(came == "same" for came in found.values())
    refused = sum(came.startswith(("refused", "no model")) for came in found.values())
    tally.lines.append(
        (
            f"{len(pairs)} pairs of {len(FEATURES)} features",
            f"{same} the same in both programs, {refused} refused by name",
        )
    )
    tally.properties += same
    tally.failures += [
        f"{one} with {other}: {came}"
        for (one, other), came in found.items()
        if came != "same" and not came.startswith(("refused", "no model"))
    ]
    return tally
