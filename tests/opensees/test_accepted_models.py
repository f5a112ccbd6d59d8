"""What OpenSees runs of models and analyses, the front end runs, with a warning if it is a doubt;
what stays refused, and why.

`RUNS` and `REFUSED` are the table for all commands but `uniaxialMaterial`, which has its own in
`test_accepted.py`.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import femu.opensees as ops
from femu.opensees import OpenSeesError
from femu.support.errors import ModelWarning

Command = tuple[Any, ...]
E = 2e11
STEPS = (
    ("constraints", "Transformation"),
    ("numberer", "RCM"),
    ("system", "BandGen"),
    ("test", "NormDispIncr", 1e-11, 50),
    ("algorithm", "Newton"),
    ("integrator", "LoadControl", 0.1),
    ("analysis", "Static"),
    ("analyze", 10),
)
LAWS = (
    ("uniaxialMaterial", "Steel01", 1, 3e8, E, 0.02),
    ("uniaxialMaterial", "Elastic", 2, 3e10),
    ("uniaxialMaterial", "Elastic", 3, 1e7),
)


def steps(**changes: Command) -> list[Command]:
    """Ten steps of load, with other commands of the analysis."""
    return [
        (command[0], *changes[command[0]]) if command[0] in changes else command
        for command in STEPS
    ]


def loaded(*values: float) -> list[Command]:
    return [("timeSeries", "Linear", 1), ("pattern", "Plain", 1, 1), ("load", 2, *values)]


def cantilever(
    *section: Command,
    rule: Command = ("Lobatto", 1, 1, 3),
    element: str = "forceBeamColumn",
    load: Command = (1e4, -1e3, 1e3),
    analysis: list[Command] | None = None,
) -> list[Command]:
    """A member of one section."""
    return [
        ("model", "basic", "-ndm", 2, "-ndf", 3),
        ("node", 1, 0.0, 0.0),
        ("node", 2, 3.0, 1.0),
        ("fix", 1, 1, 1, 1),
        *LAWS,
        *section,
        ("geomTransf", "PDelta", 1),
        ("beamIntegration", *rule),
        ("element", element, 1, 1, 2, 1, 1),
        *loaded(*load),
        *(analysis or STEPS),
    ]


def fibres(*more: Command) -> list[Command]:
    return cantilever(
        ("section", "Fiber", 1), ("patch", "rect", 1, 6, 2, -0.15, -0.1, 0.15, 0.1), *more
    )


def beam(*numbers: float, held: int = 1, load: Command = (1e4, -1e3, 0.0)) -> list[Command]:
    """An elastic beam whose second end may be held against rotation."""
    return [
        ("model", "basic", "-ndm", 2, "-ndf", 3),
        ("node", 1, 0.0, 0.0),
        ("node", 2, 3.0, 1.0),
        ("node", 3, 3.0, 3.0),
        ("fix", 1, 1, 1, 1),
        ("fix", 2, 0, 0, held),
        ("fix", 3, 1, 1, 1),
        ("geomTransf", "Linear", 1),
        ("element", "elasticBeamColumn", 1, 1, 2, *numbers, 1),
        ("element", "elasticBeamColumn", 2, 2, 3, 1e-4, E, 1e-4, 1),
        *loaded(*load),
        *STEPS,
    ]


def spring(apart: tuple[float, float], kind: str = "zeroLength", *more: Any) -> list[Command]:
    element = ("-mat", 3, 2, 3, "-dir", 1, 2, 6) if kind == "zeroLength" else (1,)
    return [
        ("model", "basic", "-ndm", 2, "-ndf", 3),
        ("node", 1, 0.0, 0.0),
        ("node", 2, *apart),
        ("fix", 1, 1, 1, 1),
        ("fix", 2, 0, int(kind != "zeroLength"), 0),
        *LAWS,
        ("section", "Elastic", 1, E, 1e-2, 1e-4),
        ("element", kind, 1, 1, 2, *element, *more),
        *loaded(1e3, 2e3, 3e3),
        *STEPS,
    ]


def trusses(area: float, *series: Any) -> list[Command]:
    """Two bars in time, or three if an area is given to the third."""
    return [
        ("model", "basic", "-ndm", 2, "-ndf", 2),
        ("node", 1, 0.0, 0.0),
        ("node", 2, 3.0, 4.0),
        ("node", 3, 6.0, 0.0),
        ("node", 4, 3.0, 0.0),
        ("fix", 1, 1, 1),
        ("fix", 3, 1, 1),
        ("fix", 4, 1, 1),
        *LAWS,
        ("element", "Truss", 1, 1, 2, 1e-3, 1),
        ("element", "Truss", 2, 2, 3, 1e-3, 1),
        ("element", "Truss", 3, 2, 4, area, 1),
        ("mass", 2, 100.0, 100.0),
        ("timeSeries", *(series or ("Linear", 1))),
        ("pattern", "Plain", 1, 1),
        ("load", 2, 1e4, -1e5),
        *STEPS[:5],
        ("integrator", "Newmark", 0.5, 0.25),
        ("analysis", "Transient"),
        ("analyze", 20, 0.01),
    ]


def timed(*integrator: Any, algorithm: str = "Newton") -> list[Command]:
    """The bars in short steps of another integrator."""
    changed = {"integrator": integrator, "algorithm": (algorithm,), "analyze": (20, 1e-3)}
    return [(command[0], *changed.get(command[0], command[1:])) for command in trusses(1e-3)]


def masses(*values: float) -> list[Command]:
    return [*beam(1e-2, E, 1e-4, held=0)[: -len(STEPS)], ("mass", 2, *values), ("eigen", 1), *STEPS]


def gone(*analysis: Command) -> list[Command]:
    return cantilever(("section", "Elastic", 1, E, 1e-2, 1e-4), analysis=list(analysis))


def inelastic(force: float = 1.8e4, **changes: Command) -> list[Command]:
    return cantilever(
        ("section", "Fiber", 1),
        ("patch", "rect", 1, 6, 1, -0.05, -0.05, 0.05, 0.05),
        load=(1e4, -force, 1e3),
        analysis=steps(**changes),
    )


LINE_SEARCH = ("NewtonLineSearch", "-type")
RUNS: dict[str, list[Command]] = {
    "zeroLength with nodes apart": spring((0.1, 0.2)),
    "zeroLengthSection with nodes apart": spring((0.1, 0.0), "zeroLengthSection"),
    "elasticBeamColumn without area": beam(0.0, E, 1e-4),
    "elasticBeamColumn without second moment": beam(1e-2, E, 0.0),
    "elasticBeamColumn without modulus": beam(1e-2, 0.0, 1e-4),
    "Elastic section without second moment": cantilever(
        ("section", "Elastic", 1, E, 1e-2, 0.0),
        ("fix", 2, 0, 1, 1),
        element="dispBeamColumn",
        load=(1e4, 0.0, 0.0),
    ),
    "truss without area": trusses(0.0),
    "weights that do not add up to 1": cantilever(
        ("section", "Elastic", 1, E, 1e-2, 1e-4),
        rule=("UserDefined", 1, 3, 1, 1, 1, 0.1, 0.5, 0.9, 0.3, 0.6, 0.3),
    ),
    "fibre without area": fibres(("fiber", 0.05, 0.0, 0.0, 1)),
    "bars without area": fibres(("layer", "straight", 2, 3, 0.0, -0.12, -0.05, -0.12, 0.05)),
    "bars in place of concrete": fibres(
        ("layer", "straight", 2, 3, -1e-4, -0.12, -0.05, -0.12, 0.05)
    ),
    "ring of bars without area": fibres(("layer", "circ", 2, 5, 0.0, 0.0, 0.0, 0.1)),
    "ring of bars of negative area": fibres(
        ("layer", "circ", 2, 5, -1e-4, 0.0, 0.0, 0.1, 10.0, 250.0)
    ),
    "ring of bars without radius": fibres(("layer", "circ", 2, 5, 1e-4, 0.05, 0.0, 0.0)),
    "ring of bars of negative radius": fibres(
        ("layer", "circ", 2, 5, 1e-4, 0.0, 0.0, -0.1, 10.0, 250.0)
    ),
    "patch from high to low": cantilever(
        ("section", "Fiber", 1), ("patch", "rect", 1, 6, 2, 0.15, 0.1, -0.15, -0.1)
    ),
    "fewer masses than directions": masses(10.0, 20.0),
    "no step": gone(*STEPS[:-1], ("analyze", -1)),
    "largest entry as norm": inelastic(test=("NormDispIncr", 1e-11, 50, 0, 0)),
    "sum of entries as norm": inelastic(test=("NormUnbalance", 1e-5, 50, 0, 1)),
    "KrylovNewton with maxDim = 0": inelastic(algorithm=("KrylovNewton", "-maxDim", 0)),
    "KrylovNewton with maxDim = 100": inelastic(algorithm=("KrylovNewton", "-maxDim", 100)),
    "KrylovNewton with more increments than equations": inelastic(
        2.5e4, algorithm=("KrylovNewton", "-maxDim", 20)
    ),
    "BFGS with count = -1": inelastic(algorithm=("BFGS", "-count", -1)),
    "Newton -initialThenCurrent": inelastic(algorithm=("Newton", "-initialThenCurrent")),
    "ModifiedNewton -factoronce": inelastic(algorithm=("ModifiedNewton", "-factoronce")),
    "Linear -factorOnce": inelastic(algorithm=("Linear", "-factorOnce")),
    "line search by bisection": inelastic(algorithm=(*LINE_SEARCH, "Bisection")),
    "line search with one trial": inelastic(
        algorithm=(*LINE_SEARCH, "InitialInterpolated", "-maxIter", 1)
    ),
    "line search from 0.01 on": inelastic(
        algorithm=(*LINE_SEARCH, "InitialInterpolated", "-minEta", 0.01)
    ),
    "Newmark with gamma below 0.5": timed("Newmark", 0.4, 0.25),
    "HHT with alpha above 1": timed("HHT", 1.2),
    "HHT with alpha below 0.5": timed("HHT", 0.4),
    "GeneralizedAlpha with alphaM below alphaF": timed(
        "GeneralizedAlpha", 0.8, 0.9, algorithm="Linear"
    ),
    "HHTGeneralized with a radius above 1": timed("HHTGeneralized", 1.2),
    "NewmarkExplicit with gamma below 0.5": timed("NewmarkExplicit", 0.4, algorithm="Linear"),
    "AlphaOS with alpha below 2/3": timed("AlphaOS", 0.5, algorithm="Linear"),
    "AlphaOSGeneralized with a radius above 1": timed(
        "AlphaOSGeneralized", 1.2, algorithm="Linear"
    ),
    "KRAlphaExplicit with a radius above 1": timed("KRAlphaExplicit", 1.2, algorithm="Linear"),
    "Path with a jump": trusses(
        1e-3, "Path", 1, "-time", 0.0, 0.035, 0.035, 0.2, "-values", 0.0, 1.0, -1.0, 0.5
    ),
    "test tolerance with a print flag": inelastic(test=("NormDispIncr", 1e-11, 50, 5, 2)),
    "loads of zero": cantilever(("section", "Elastic", 1, E, 1e-2, 1e-4), load=(0.0, 0.0, 0.0)),
    "a load on a fixed node": [
        *beam(1e-2, E, 1e-4)[: -len(STEPS)],
        ("load", 3, 1.0, 2.0, 3.0),
        *STEPS,
    ],
    "offsets of zero": [
        command
        if command[0] != "geomTransf"
        else ("geomTransf", "Linear", 1, "-jntOffset", 0.0, 0.0, 0.0, 0.0)
        for command in beam(1e-2, E, 1e-4)
    ],
    "damping of zero": [
        ("rayleigh", 0.0, 0.0, 0.0, 0.0) if command[0] == "numberer" else command
        for command in trusses(1e-3)
    ],
    "-orient not of unit length": spring(
        (0.0, 0.0), "zeroLength", "-orient", 10.0, 5.0, 0.0, -50.0, 100.0, 0.0
    ),
    "-orient not at right angles": spring(
        (0.0, 0.0), "zeroLength", "-orient", 1.0, 0.5, 0.0, 1.0, 0.9, 0.0
    ),
    "an end released by -releasez": [
        (*command, "-releasez", 1)
        if command[:3] == ("element", "elasticBeamColumn", 1)
        else command
        for command in beam(1e-2, E, 1e-4)
    ],
}
SILENT = (
    "patch from high to low",
    "Path with a jump",
    "test tolerance with a print flag",
    "loads of zero",
    "offsets of zero",
    "a load on a fixed node",
    "damping of zero",
    "-orient not of unit length",
    "-orient not at right angles",
    "an end released by -releasez",
    "Linear -factorOnce",
    "KrylovNewton with more increments than equations",
)
"""Of these the ones that are no doubt."""

FAILS, SIGN, GROWS, OTHER, EMPTY = (
    "no step is taken",
    "a negative stiffness by a wrong sign",
    "a response without bound",
    "another number is taken in its place, or it has no effect",
    "an answer that has no meaning",
)
REFUSED: dict[str, tuple[list[Command], str]] = {
    "time step of zero": ([*trusses(1e-3)[:-1], ("analyze", 20, 0.0)], FAILS),
    "negative time step": ([*trusses(1e-3)[:-1], ("analyze", 20, -0.01)], FAILS),
    "Newmark with beta = 0": (
        [*trusses(1e-3)[:-3], ("integrator", "Newmark", 0.5, 0.0), *trusses(1e-3)[-2:]],
        FAILS,
    ),
    "NewmarkExplicit with gamma = 0": (timed("NewmarkExplicit", 0.0, algorithm="Linear"), FAILS),
    "HHT with beta = 0": (timed("HHT", 0.9, 0.6, 0.0), FAILS),
    "no iterations": (inelastic(test=("NormDispIncr", 1e-11, 0)), FAILS),
    "negative area": (cantilever(("section", "Elastic", 1, E, -1e-2, 1e-4)), SIGN),
    "negative second moment": (cantilever(("section", "Elastic", 1, E, 1e-2, -1e-4)), SIGN),
    "negative modulus": (cantilever(("section", "Elastic", 1, -E, 1e-2, 1e-4)), SIGN),
    "negative mass": (
        [
            ("mass", 2, -100.0, 100.0) if command[0] == "mass" else command
            for command in trusses(1e-3)
        ],
        GROWS,
    ),
    "patch without height": (fibres(("patch", "rect", 2, 2, 2, 0.1, -0.1, 0.1, 0.1)), FAILS),
    "patch without width": (fibres(("patch", "rect", 2, 2, 2, -0.1, 0.1, 0.1, 0.1)), FAILS),
    "ring from a large radius to a small one": (
        cantilever(("section", "Fiber", 1), ("patch", "circ", 1, 8, 4, 0.0, 0.0, 0.15, 0.05)),
        SIGN,
    ),
    "ring from a large angle to a small one": (
        cantilever(
            ("section", "Fiber", 1), ("patch", "circ", 1, 8, 4, 0.0, 0.0, 0.05, 0.15, 360.0, 0.0)
        ),
        SIGN,
    ),
    "one point of Lobatto": (
        cantilever(("section", "Elastic", 1, E, 1e-2, 1e-4), rule=("Lobatto", 1, 1, 1)),
        FAILS,
    ),
    "two laws for one force": (
        cantilever(("section", "Aggregator", 1, 2, "P", 3, "Mz", 2, "Mz")),
        OTHER,
    ),
    "a period of zero": (trusses(1e-3, "Trig", 1, 0.0, 1.0, 0.0), OTHER),
    "times out of order": (
        trusses(1e-3, "Path", 1, "-time", 0.0, 0.1, 0.05, 0.2, "-values", 0.0, 1.0, -1.0, 0.5),
        OTHER,
    ),
    "a node that follows itself": (
        [*beam(1e-2, E, 1e-4)[: -len(STEPS)], ("equalDOF", 2, 2, 1, 2), *STEPS],
        EMPTY,
    ),
    "arc of no length": (gone(*steps(integrator=("ArcLength", 0.0, 0.0))), EMPTY),
}
RUN = """
import json, os, sys
answers = os.fdopen(os.dup(1), "w")
quiet = os.open(os.devnull, os.O_WRONLY)
os.dup2(quiet, 1), os.dup2(quiet, 2)
from femu.opensees.load_openseespy import load_opensees
ops = load_opensees()
for line in sys.stdin:
    name, commands = json.loads(line)
    ops.wipe()
    code = None
    for word, *rest in commands:
        code = getattr(ops, word)(*rest)
    found = [value for tag in ops.getNodeTags() for value in ops.nodeDisp(tag)]
    print(json.dumps([name, code, found]), file=answers, flush=True)
"""
Answer = tuple[int, np.ndarray]


@pytest.fixture(scope="module")
def peer() -> dict[str, Answer]:
    """What analyze of openseespy returns, and the displacements, in one process."""
    pytest.importorskip("openseespy")
    cases = [*RUNS.items(), *((name, commands) for name, (commands, _) in REFUSED.items())]
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input="".join(json.dumps(c) + "\n" for c in cases),
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        name: (code, np.array(found))
        for name, code, found in map(json.loads, done.stdout.splitlines())
    }


def run(commands: list[Command]) -> Answer:
    code = None
    for word, *rest in commands:
        code = getattr(ops, word)(*rest)
    return int(code or 0), np.array(
        [value for tag in ops.getNodeTags() for value in ops.nodeDisp(tag)]
    )


@pytest.mark.parametrize("name", RUNS)
def test_a_doubt_is_a_warning_at_the_line_of_the_script(name: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run(RUNS[name])
    assert {w.category for w in found} == (set() if name in SILENT else {ModelWarning})
    assert all(w.filename == __file__ for w in found)


@pytest.mark.opensees
@pytest.mark.filterwarnings("ignore::femu.support.errors.ModelWarning")
@pytest.mark.parametrize("name", RUNS)
def test_it_gives_the_displacements_of_opensees(name: str, peer: dict[str, Answer]) -> None:
    """To 1e-7: both iterate to the same equilibrium within the tolerance of the test, 1e-11 m of
    about 1e-3."""
    code, found = run(RUNS[name])
    theirs, wanted = peer[name]
    assert code == theirs == 0
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


@pytest.mark.parametrize("name", REFUSED)
def test_what_stays_refused(name: str) -> None:
    with pytest.raises(OpenSeesError, match=r"must|needs|twice|but .* were given|not supported"):
        run(REFUSED[name][0])


@pytest.mark.opensees
@pytest.mark.parametrize("name", REFUSED)
def test_opensees_has_no_answer_of_use(name: str, peer: dict[str, Answer]) -> None:
    """The reason that the table gives is what openseespy shows."""
    (code, found), why = peer[name], REFUSED[name][1]
    if why == FAILS:
        assert code < 0 or not found.any()
    elif why == SIGN:  # work of the loads, which a stiff structure never gives back
        load = next(command for command in REFUSED[name][0] if command[0] == "load")
        assert (np.array(load[2:]) * found.reshape(-1, 3)[1]).min() < 0.0
    elif why == GROWS:
        assert np.abs(found).max() > 10.0  # m: the bars are 5 m long
    elif why == EMPTY:
        assert not found.any()
    else:
        assert why == OTHER and math.isfinite(np.abs(found).max())


@pytest.mark.parametrize("order", [("equalDOF", "fix"), ("fix", "equalDOF")])
def test_a_follower_that_is_fixed(order: tuple[str, str]) -> None:
    """Plain constraints leave out the equalDOF and move node 2; Penalty holds both nodes."""
    words = {"equalDOF": ("equalDOF", 2, 9, 1, 2), "fix": ("fix", 9, 1, 1, 1)}
    first, last = (
        [*beam(1e-2, E, 1e-4)[: -len(STEPS)], ("node", 9, 3.0, 1.0), words[order[0]]],
        [words[order[1]], *STEPS],
    )
    run(first)
    with pytest.warns(
        ModelWarning, match="node 9 follows node 2 in x, y by equalDOF, and is fixed there"
    ):
        run(last)
    assert ops.nodeDisp(2, 2) != 0.0
    assert not any(ops.nodeDisp(9))
    ops.reset()
    ops.constraints("Penalty", 1e14, 1e14)
    assert ops.analyze(1) == 0
    assert not any(ops.nodeDisp(2)[:2])


def test_more_loads_than_directions_are_questioned() -> None:
    with pytest.warns(ModelWarning, match="node 2 has 3 degrees of freedom, but 4 loadValues"):
        run(cantilever(("section", "Elastic", 1, E, 1e-2, 1e-4), load=(1e4, 1e3, 0.0, 0.0)))


def test_clockwise_corners_are_questioned() -> None:
    """The area of femu is positive: the member is as stiff as with the corners in order."""
    corners = [(-0.15, -0.1), (0.15, -0.1), (0.15, 0.1), (-0.15, 0.1)]
    found = []
    for ordered in (corners, corners[::-1]):
        ops.wipe()
        patch = ("patch", "quad", 1, 4, 4, *(value for corner in ordered for value in corner))
        commands = cantilever(("section", "Fiber", 1), patch)
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always")
            found.append(run(commands)[1])
        assert len(doubts) == (ordered is not corners)
    assert found[1] == pytest.approx(found[0], rel=1e-9)
