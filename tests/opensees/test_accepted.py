"""What OpenSees runs, the front end runs, with a warning if it is a doubt; what stays refused, and
what OpenSees does with it.

`RUNS` and `REFUSED` are the table of the rules that refuse numbers: the command, and for those that
stay what openseespy gives.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import femu.opensees as ops
from femu.opensees import OpenSeesError
from femu.support.errors import ModelWarning

FY, E = 3e8, 2e11
POINTS = (FY, 0.0015, 1.2 * FY, 0.02, 1.3 * FY, 0.06)
NEGATIVE = tuple(-v for v in POINTS)
SM = ("-posEnv", *POINTS, "-negEnv", *NEGATIVE)
BARS = (1.3 * FY, 1.9 * FY, E, 0.03 * E, 0.01, 0.12)
IMK = (
    E,
    0.02,
    0.02,
    FY,
    -FY,
    2.0,
    2.0,
    2.0,
    2.0,
    1.0,
    1.0,
    1.0,
    1.0,
    0.04,
    0.04,
    0.15,
    0.15,
    0.3,
    0.3,
    0.4,
    0.4,
    1.0,
    1.0,
    0.0,
)
TURNS = (0.0, 0.001, -0.001, 0.004, -0.004, 0.012, -0.008, 0.03, -0.03)
STRAINS = np.concatenate([np.linspace(a, b, 31)[1:] for a, b in pairwise(TURNS)]).tolist()


IMK_NAMES = (
    "K",
    "alpha_p",
    "alpha_n",
    "fy_p",
    "fy_n",
    "lambda_s",
    "lambda_c",
    "lambda_a",
    "lambda_k",
    "c_s",
    "c_c",
    "c_a",
    "c_k",
    "theta_p_p",
    "theta_p_n",
    "theta_pc_p",
    "theta_pc_n",
    "residual_p",
    "residual_n",
    "theta_u_p",
    "theta_u_n",
    "rate_p",
    "rate_n",
    "n",
)


def pinching(
    first: float = FY,
    third: float = 0.06,
    exponent: float = 0.1,
    limit: float = 0.5,
    energy: float = 10.0,
) -> tuple[Any, ...]:
    points = (first, *POINTS[1:5], third, FY, 0.1)
    return (
        "Pinching4",
        *points,
        *(-v for v in points),
        *(0.4, 0.3, 0.05) * 2,
        *(0.1, 0.1, exponent, exponent, limit) * 2,
        *(0.05, 0.05, exponent, exponent, limit),
        energy,
        "energy",
    )


def imk(**changes: float) -> tuple[Any, ...]:
    return (
        "Bilin",
        *(changes.get(name, value) for name, value in zip(IMK_NAMES, IMK, strict=True)),
    )


RUNS: dict[str, tuple[Any, ...]] = {
    "a spring of negative stiffness": ("Elastic", -E),
    "negative stiffness in compression": ("Elastic", E, 0.0, -0.1 * E),
    "no-tension without stiffness": ("ENT", 0.0),
    "yield strains of the other sign": ("ElasticPP", E, -0.0015, 0.0015),
    "no strength in tension": ("ElasticPP", E, 0.0, -0.0015),
    "no strength in compression": ("ElasticPP", E, 0.0015, 0.0),
    "gap on the other side of the force": ("ElasticPPGap", E, FY, -0.001, 0.01),
    "Steel01 that softens": ("Steel01", FY, E, -0.02),
    "Steel01 with b = 1": ("Steel01", FY, E, 1.0),
    "Steel01 without hardening": ("Steel01", FY, E, 0.0),
    "Steel01 that shrinks": ("Steel01", FY, E, 0.02, -0.02, 5.0, -0.02, 5.0),
    "Steel02 that softens": ("Steel02", FY, E, -0.02, 18.0, 0.925, 0.15),
    "Steel02 without hardening": ("Steel02", FY, E, 0.0, 18.0, 0.925, 0.15),
    "Steel02 with R0 = 0": ("Steel02", FY, E, 0.02, 0.0, 0.925, 0.15),
    "Steel02 with R0 = 200": ("Steel02", FY, E, 0.02, 200.0, 0.925, 0.15),
    "Steel02 with cR1 below 0": ("Steel02", FY, E, 0.02, 18.0, -0.925, 0.15),
    "Steel02 with a1 and a3 below 0": (
        "Steel02",
        FY,
        E,
        0.02,
        18.0,
        0.925,
        0.15,
        -0.02,
        5.0,
        -0.02,
        5.0,
    ),
    "Hardening without strength": ("Hardening", E, 0.0, 1e9, 1e9),
    "Hardening that softens": ("Hardening", E, FY, -1e9, 1e9),
    "Hardening that softens kinematically": ("Hardening", E, FY, 1e9, -1e9),
    "Concrete01 with positive numbers": ("Concrete01", 30e6, 0.002, 6e6, 0.006),
    "Concrete01 that crushes before its peak": ("Concrete01", -30e6, -0.002, -6e6, -0.0006),
    "Concrete01 that crushes at its peak": ("Concrete01", -30e6, -0.002, -6e6, -0.002),
    "Concrete02 that crushes before its peak": (
        "Concrete02",
        -30e6,
        -0.002,
        -6e6,
        -0.0006,
        0.1,
        3e6,
        1.5e9,
    ),
    "Concrete02 with lambda = 0.1": ("Concrete02", -36e6, -0.004, -30e6, -0.014, 0.1, 3e6, 1.5e9),
    "Concrete02 with lambda below 0": ("Concrete02", -30e6, -0.002, -6e6, -0.006, -0.1, 3e6, 1.5e9),
    "Concrete02 without tension": ("Concrete02", -30e6, -0.002, -6e6, -0.006, 0.1, 0.0, 1.5e9),
    "Concrete02 with ft below 0": ("Concrete02", -30e6, -0.002, -6e6, -0.006, 0.1, -3e6, 1.5e9),
    "Concrete02 with a plateau in tension": (
        "Concrete02",
        -30e6,
        -0.002,
        -6e6,
        -0.006,
        0.1,
        3e6,
        0.0,
    ),
    "Concrete02 that hardens in tension": (
        "Concrete02",
        -30e6,
        -0.002,
        -6e6,
        -0.006,
        0.1,
        3e6,
        -1.5e9,
    ),
    "Concrete04 that crushes at once": ("Concrete04", -30e6, -0.002, 0.0, 27e9),
    "Concrete04 with et below 0": ("Concrete04", -30e6, -0.002, -0.006, 27e9, 3e6, -0.001),
    "Concrete04 with beta = 1": ("Concrete04", -30e6, -0.002, -0.006, 27e9, 3e6, 0.001, 1.0),
    "Hysteretic that pinches outwards": ("Hysteretic", *POINTS, *NEGATIVE, 1.6, 5.0, 0.0, 0.0, 0.0),
    "Hysteretic that pinches below 0": (
        "Hysteretic",
        *POINTS,
        *NEGATIVE,
        -0.8,
        -0.5,
        0.0,
        0.0,
        0.0,
    ),
    "Hysteretic that heals": ("Hysteretic", *POINTS, *NEGATIVE, 0.8, 0.5, -0.01, -0.01, -0.2),
    "Hysteretic without first strength": (
        "Hysteretic",
        0.0,
        *POINTS[1:],
        0.0,
        *NEGATIVE[1:],
        0.8,
        0.5,
        0.0,
        0.0,
        0.0,
    ),
    "HystereticSM that pinches outwards": ("HystereticSM", *SM, "-pinch", 1.6, 5.0),
    "HystereticSM that heals": ("HystereticSM", *SM, "-damage", -0.01, -0.01, "-beta", -0.2),
    "Pinching4 with damage by a small power of energy": pinching(),
    "Pinching4 with exponents below 0": pinching(exponent=-0.5),
    "Pinching4 with limits above 1": pinching(limit=5.0),
    "Pinching4 with limits below 0": pinching(limit=-0.1),
    "Pinching4 with an energy below 0": pinching(energy=-10.0),
    "Pinching4 with points out of order": pinching(third=0.015),
    "Bilin that softens at once": imk(alpha_p=-0.02, alpha_n=-0.02),
    "Bilin with exponents of 0": imk(c_s=0.0, c_c=0.0, c_k=0.0),
    "Bilin without a hardening range": imk(theta_p_p=0.0),
    "Bilin with much residual strength": imk(residual_p=3.0),
    "Bilin without ultimate rotation": imk(theta_u_p=0.0),
    "Bilin that deteriorates faster": imk(rate_p=2.0, rate_n=2.0),
    "BoucWen with alpha below 0": (
        "BoucWen",
        -0.05,
        E,
        1.0,
        333.0,
        333.0,
        1.0,
        0.0,
        0.0,
        0.0,
        1e-12,
        100,
    ),
    "ReinforcingSteel with fu below fy": ("ReinforcingSteel", BARS[0], 0.5 * BARS[0], *BARS[2:]),
    "ReinforcingSteel without hardening": ("ReinforcingSteel", *BARS[:3], 0.0, *BARS[4:]),
    "MinMax of tension alone": ("MinMax", 7, "-min", 0.0, "-max", 0.01),
    "MinMax of compression alone": ("MinMax", 7, "-min", -0.01, "-max", 0.0),
    "Fatigue with m = 0": ("Fatigue", 7, "-E0", 0.191, "-m", 0.0),
    "Fatigue without ductility": ("Fatigue", 7, "-E0", 0.0, "-m", -0.458),
}
SILENT = (
    "Steel01 with b = 1",
    "Steel01 without hardening",
    "Steel02 without hardening",
    "Steel02 with R0 = 200",
    "Concrete01 with positive numbers",
    "Concrete02 without tension",
    "Pinching4 with damage by a small power of energy",
)
"""Of these the ones that are no doubt."""

SIGN, GROWS, NONE, ODD = (
    "stiffness of a wrong sign",
    "stresses of many times the strength",
    "no stress at all",
    "an order of points that has no meaning",
)
REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "Steel01 without strength": (("Steel01", 0.0, E, 0.02), GROWS),
    "Steel01 with negative strength": (("Steel01", -FY, E, 0.02), GROWS),
    "Steel01 with negative modulus": (("Steel01", FY, -E, 0.02), GROWS),
    "Steel01 with a2 = 0": (("Steel01", FY, E, 0.02, 0.02, 0.0, 0.02, 5.0), GROWS),
    "Steel02 with negative R0": (("Steel02", FY, E, 0.02, -18.0, 0.925, 0.15), GROWS),
    "Steel02 with cR1 above 1": (("Steel02", FY, E, 0.02, 18.0, 1.85, 0.15), GROWS),
    "Steel02 with cR2 below 0": (("Steel02", FY, E, 0.02, 18.0, 0.925, -0.15), GROWS),
    "ENT that pushes in compression": (("ENT", -E), SIGN),
    "ElasticPP of negative modulus": (("ElasticPP", -E, 0.0015), SIGN),
    "ElasticPP without modulus": (("ElasticPP", 0.0, 0.0015), NONE),
    "Hardening of negative modulus": (("Hardening", -E, FY, 1e9, 1e9), SIGN),
    "Bilin of negative stiffness": (imk(K=-E), SIGN),
    "Bilin without stiffness": (imk(K=0.0), NONE),
    "BoucWen with n below 1": (
        ("BoucWen", 0.05, E, 0.5, 333.0, 333.0, 1.0, 0.0, 0.0, 0.0, 1e-12, 100),
        GROWS,
    ),
    "BoucWen that grows": (
        ("BoucWen", 0.05, E, 1.0, 333.0, -333.0, 1.0, 0.0, 0.0, 0.0, 1e-12, 100),
        GROWS,
    ),
    "Hysteretic of a wrong sign": (
        ("Hysteretic", -FY, *POINTS[1:], *NEGATIVE, 0.8, 0.5, 0.0, 0.0, 0.0),
        SIGN,
    ),
    "Pinching4 without first strength": (pinching(first=0.0), ODD),
    "ReinforcingSteel that hardens before it yields": (
        ("ReinforcingSteel", *BARS[:4], 0.0001, BARS[5]),
        ODD,
    ),
    "ReinforcingSteel that breaks before it hardens": (
        ("ReinforcingSteel", *BARS[:5], 0.0012),
        ODD,
    ),
    "Concrete01 without a strain at its peak": (("Concrete01", -30e6, 0.0, -6e6, -0.006), ODD),
    "Concrete02 without strength": (
        ("Concrete02", 0.0, -0.002, -6e6, -0.006, 0.1, 3e6, 1.5e9),
        ODD,
    ),
}
RUN = """
import json, math, os, sys
answers = os.fdopen(os.dup(1), "w")
quiet = os.open(os.devnull, os.O_WRONLY)
os.dup2(quiet, 1), os.dup2(quiet, 2)
from femu.opensees.load_openseespy import load_opensees
ops = load_opensees()
strains = json.loads(sys.argv[1])
for line in sys.stdin:
    name, words = json.loads(line)
    ops.wipe()
    ops.uniaxialMaterial("Steel01", 7, 3e8, 2e11, 0.02)
    ops.uniaxialMaterial(words[0], 1, *words[1:])
    ops.testUniaxialMaterial(1)
    found = []
    for strain in strains:
        ops.setStrain(strain)
        found.append(ops.getStress())
    print(json.dumps([name, found]), file=answers, flush=True)
"""


@pytest.fixture(scope="module")
def peer() -> dict[str, np.ndarray]:
    """Stresses of openseespy, in one process."""
    pytest.importorskip("openseespy")
    cases = [*RUNS.items(), *((name, words) for name, (words, _) in REFUSED.items())]
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(STRAINS)],
        input="".join(json.dumps(c) + "\n" for c in cases),
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: np.array(stress) for name, stress in map(json.loads, done.stdout.splitlines())}


def made(words: tuple[Any, ...]) -> None:
    ops.uniaxialMaterial("Steel01", 7, FY, E, 0.02)
    ops.uniaxialMaterial(words[0], 1, *words[1:])


@pytest.mark.parametrize("name", RUNS)
def test_a_doubt_is_a_warning_at_the_line_of_the_script(name: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made(RUNS[name])
    assert [w.category for w in found[:1]] == ([] if name in SILENT else [ModelWarning])
    assert all(w.filename == __file__ for w in found)


@pytest.mark.opensees
@pytest.mark.filterwarnings("ignore::femu.support.errors.ModelWarning")
@pytest.mark.parametrize("name", RUNS)
def test_it_gives_the_stresses_of_opensees(name: str, peer: dict[str, np.ndarray]) -> None:
    made(RUNS[name])
    ops.testUniaxialMaterial(1)
    stress = []
    for strain in STRAINS:
        ops.setStrain(strain)
        stress.append(ops.getStress())
    size = max(np.abs(peer[name]).max(), 1.0)
    assert np.abs(np.array(stress) - peer[name]).max() <= 1e-9 * size


@pytest.mark.parametrize("name", REFUSED)
def test_what_stays_refused(name: str) -> None:
    with pytest.raises(OpenSeesError, match="must"):
        made(REFUSED[name][0])


@pytest.mark.opensees
@pytest.mark.parametrize("name", REFUSED)
def test_opensees_has_no_answer_of_use(name: str, peer: dict[str, np.ndarray]) -> None:
    """The reason that the table gives is what openseespy shows."""
    stress, why, strains = peer[name], REFUSED[name][1], np.array(STRAINS)
    if why == NONE:
        assert not stress.any()
    elif why == GROWS:
        assert np.abs(stress).max() > 5.0 * FY
    elif why == SIGN:  # work that an elastic beginning gives back
        assert (np.diff(stress)[:15] * np.diff(strains)[:15]).min() < 0.0 or (
            stress * strains
        ).min() < 0.0
    else:
        assert why == ODD and math.isfinite(np.abs(stress).max())


def test_a_hole_is_a_fibre_of_negative_area() -> None:
    """A rectangle less a fibre of its size is as stiff as what is left of it, by the rule of
    Steiner."""
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.node(1, 0.0, 0.0)
    ops.node(2, 2.0, 0.0)
    ops.fix(1, 1, 1, 1)
    ops.uniaxialMaterial("Elastic", 1, E)
    ops.section("Fiber", 1, "-noCentroid")
    for y in (-0.1, 0.0, 0.1):
        ops.fiber(y, 0.0, 1e-3, 1)
    for y in (-0.1, 0.1):
        ops.fiber(y, 0.0, -4e-4, 1)
    ops.geomTransf("Linear", 1)
    ops.beamIntegration("Lobatto", 1, 1, 3)
    with pytest.warns(ModelWarning, match="area"):
        ops.section("Fiber", 2)
        ops.fiber(0.0, 0.0, -1e-3, 1)
        ops.fiber(0.1, 0.0, 2e-3, 1)
        ops.beamIntegration("Lobatto", 2, 2, 3)
        ops.element("forceBeamColumn", 9, 1, 2, 1, 2)
    ops.remove("ele", 9)
    ops.element("forceBeamColumn", 1, 1, 2, 1, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1e4, 1e3, 0.0)
    ops.constraints("Plain")
    ops.integrator("LoadControl", 1.0)
    ops.analysis("Static")
    assert ops.analyze(1) == 0
    area, inertia = 1e-3 + 2 * 6e-4, 2 * 6e-4 * 0.1**2
    assert ops.nodeDisp(2, 1) == pytest.approx(1e4 * 2.0 / (E * area), rel=1e-9)
    assert ops.nodeDisp(2, 2) == pytest.approx(1e3 * 2.0**3 / (3 * E * inertia), rel=1e-9)
