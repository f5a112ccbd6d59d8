"""Physics as properties, over every material, section, element, integrator and filter.

The tests of the folders beside this one check tangents, rigid motion, rotation, the Kalman filter and the orders of accuracy in
depth; the whole campaign runs them too. What is here goes across: the same path gives the same bits, a copied state too, closed
cycles dissipate, a mirrored element has mirrored forces, parameters at their bounds work, halving the step converges, and
covariances stay positive definite.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu import FemuError
from femu.analyses import (
    HHT,
    TRBDF2,
    AlphaOS,
    CentralDifference,
    GeneralizedAlpha,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    RungeKutta,
    Transient,
)
from femu.component import Constitutive
from femu.path import drive
from tests.campaign.tally import Tally

TESTS = Path(__file__).parents[1]
for _folder in ("", "materials", "elements", "filters", "analyses"):
    if str(TESTS / _folder) not in sys.path:
        sys.path.insert(0, str(TESTS / _folder))

import element_harness as plane  # noqa: E402
import material_harness as laws  # noqa: E402
import space_harness as space  # noqa: E402
import systems  # noqa: E402
from test_accuracy import chain  # noqa: E402
from test_bad_input import NUMBERS, SOUND  # noqa: E402
from test_space_sections import SECTIONS as SPACE_SECTIONS  # noqa: E402

Check = Callable[[], None]
IN_DEPTH = ("materials/test_laws.py", "materials/test_space_sections.py", "elements/test_all_elements.py",
            "elements/test_space_elements.py", "analyses/test_accuracy.py", "filters/test_every_filter.py")
MATERIALS = {**laws.CASES, **laws.RATE_CASES}
SECTIONS = {"bilinear": plane.BILINEAR, "N-M": plane.INTERACTION, "elastic": plane.ELASTIC}
INTEGRATORS: dict[str, tuple[Any, float]] = {  # with the order of accuracy
    "Newmark": (Newmark(), 2), "HHT": (HHT(0.9), 2), "GeneralizedAlpha": (GeneralizedAlpha(0.8), 2), "TRBDF2": (TRBDF2(), 2),
    "CentralDifference": (CentralDifference(), 2), "RungeKutta": (RungeKutta(), 4), "NewmarkExplicit": (NewmarkExplicit(), 2),
    "AlphaOS": (AlphaOS(), 2), "KRAlpha": (KRAlpha(), 2),
}
FILTER_STEPS, QUICK_FILTER_STEPS = 100_000, 2_000


def material(name: str) -> None:
    """Same path, same bits; and any cut of the path into two gives them too, since only the history is carried on."""
    case = MATERIALS[name]
    path = laws.random_walk(case.scale, 5, 120)
    one, two = drive(case.material, path, 0.02), drive(case.material, path, 0.02)
    assert one.force.tobytes() == two.force.tobytes() and one.history.tobytes() == two.history.tobytes()
    short = drive(case.material, path[:50], 0.02)
    assert short.force.tobytes() == one.force[:50].tobytes()


def section(made: Any, scale: float) -> None:
    """Same path, same bits; a closed cycle from rest dissipates."""
    m = made.components
    weights = np.array([0.1, 1.0, 0.7, 0.5])[:m] * scale
    turns = np.array([0.0, 1.0, -0.8, 0.6, -1.0, 0.0])
    legs = np.concatenate([np.linspace(a, b, 400) for a, b in itertools.pairwise(turns)])
    path = legs[:, None] * weights[None, :]
    one, two = drive(made, path), drive(made, path)
    assert one.force.tobytes() == two.force.tobytes() and one.history.tobytes() == two.history.tobytes()
    work = np.sum(0.5 * (one.force[1:] + one.force[:-1]) * np.diff(path, axis=0), axis=1)
    assert work.sum() >= -1e-3 * np.abs(work).sum()


def element(harness: Any, name: str, geometry: str) -> None:
    """Same path and copied state give the same bits; K is symmetric; a closed cycle dissipates."""
    case = harness.CASES[name]
    one, two, other = (harness.free_element(name, geometry) for _ in range(3))
    shape = harness.random_motion(one, 3, case.size)
    turns = np.array([0.0, 1.0, -0.7, 0.4, 0.0])
    legs = np.concatenate([np.linspace(a, b, 60)[1:] for a, b in itertools.pairwise(turns)])
    forces = [np.zeros_like(shape)]
    for k, share in enumerate(legs):
        f1, k1 = one(share * shape)
        f2, _ = two(share * shape)
        assert f1.tobytes() == f2.tobytes()
        if k == len(legs) // 2:
            other.run.state.vector[:] = one.run.state.vector
        if k >= len(legs) // 2:
            assert other(share * shape)[0].tobytes() == f1.tobytes()
            other.commit()
        assert np.abs(k1 - k1.T).max() <= 1e-12 * np.abs(k1).max()
        one.commit()
        two.commit()
        forces.append(f1)
    if geometry == "p-delta":
        return  # its forces are no derivative of an energy: the change of N with the sway is left out
    path = np.concatenate([[0.0], legs])[:, None] * shape[None, :]
    f = np.array(forces)
    work = np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(path, axis=0), axis=1)
    assert work.sum() >= -2e-3 * np.abs(work).sum()


def mirrored(name: str, geometry: str) -> None:
    """A member seen in a mirror at x = 0: forces along x and moments change their sign, the others do not."""
    case = plane.CASES[name]
    made = []
    for sign in (1.0, -1.0):
        model = plane.Model(name)
        start = np.array([1.0, -0.5])
        end = start + plane.LENGTH * np.array([math.cos(plane.SLOPE), math.sin(plane.SLOPE)])
        model.node(1, sign * start[0], start[1])
        model.node(2, sign * end[0], end[1])
        model.add(case.make(geometry))
        made.append(plane.Probe(model))
    one, two = made
    flip = np.zeros((two.program.ndof, one.program.ndof))
    for (node, direction), place in one.program.numbering.place.items():
        flip[two.program.dof(node, direction), place] = 1.0 if direction == "y" else -1.0
    u = plane.random_motion(one, 4, case.size)
    force, stiffness = one(u)
    other, turned = two(flip @ u)
    assert np.abs(other - flip @ force).max() <= 1e-9 * np.abs(force).max()
    assert np.abs(turned - flip @ stiffness @ flip.T).max() <= 1e-9 * np.abs(stiffness).max()


def at_bound(kind: Any, name: str) -> None:
    """A component with one number at a bound: it works, or says what is wrong."""
    declared = kind.declared[name]
    for bound, inwards in ((declared.lower, 1.0), (declared.upper, -1.0)):
        if not math.isfinite(bound):
            continue
        value = bound + inwards * 1e-9 * max(1.0, abs(bound)) if declared.open else bound
        try:
            made = kind(**{**SOUND[kind], name: value})
            if isinstance(made, Constitutive):
                found = drive(made, 1e-3 * np.sin(np.linspace(0.0, 12.0, 200))[:, None] * np.ones(made.components), 0.01)
                assert np.isfinite(found.force).all() and np.isfinite(found.tangent).all(), f"{name} = {value}"
        except FemuError:
            pass


def integrator(name: str) -> None:
    """Same bits twice and from a copied state; halving the step divides the error as the order says."""
    made, order = INTEGRATORS[name]
    whole = Transient(made, dt=0.01).run(chain(), duration=0.4)
    again = Transient(made, dt=0.01).run(chain(), duration=0.4)
    assert whole.state is not None and again.state is not None
    assert whole.state.vector.tobytes() == again.state.vector.tobytes()
    fine = Transient(RungeKutta(), dt=0.0005).run(chain(), duration=1.0).displacement(3, "x")[-1]
    errors = []
    for dt in (0.02, 0.01, 0.005):
        errors.append(abs(Transient(made, dt=dt).run(chain(), duration=1.0).displacement(3, "x")[-1] - fine))
    found = math.log2(errors[0] / errors[1])
    assert found > order - 0.5, f"order {found:.2f}"
    assert errors[2] < errors[1] < errors[0]


def filter_(name: str, steps: int) -> None:
    """Random measurements with gaps for a long time: the covariance stays symmetric and positive definite."""
    made = systems.EVERY[name](systems.linear_model(), systems.Q, systems.R)
    rng = np.random.default_rng(3)
    estimate, left = made.init(systems.X0, systems.P0, seed=1), steps
    while left > 0:
        count = min(left, 2000)
        y = rng.normal(0.0, 3.0, (count, 2))
        y[rng.random(y.shape) < 0.05] = np.nan
        history = made.run(estimate, y)
        estimate = history.final
        P = history.covariance
        assert np.abs(P - np.swapaxes(P, 1, 2)).max() <= 1e-12 * np.abs(P).max()
        # of particles it is the covariance of a sample: with all weight on one of them it is zero
        least = np.linalg.eigvalsh(P).min()
        assert least >= -1e-12 * np.abs(P).max() if name in systems.MONTE_CARLO else least > 0.0
        assert np.isfinite(history.mean).all()
        left -= count


MIRRORED = [(n, g) for n, g in plane.ALL if not plane.CASES[n].coincident and "offsets" not in n]


def checks(quick: bool) -> dict[str, Check]:
    steps = QUICK_FILTER_STEPS if quick else FILTER_STEPS
    return {
        **{f"material {n}": lambda n=n: material(n) for n in MATERIALS},
        **{f"section {n}": lambda s=s: section(s, 0.02) for n, s in SECTIONS.items()},
        **{f"section in space {n}": lambda s=s: section(s.in_space(), 0.02) for n, s in SPACE_SECTIONS.items()},
        **{f"element {n}, {g}": lambda n=n, g=g: element(plane, n, g) for n, g in plane.ALL},
        **{f"element in space {n}, {g}": lambda n=n, g=g: element(space, n, g)
           for n, g in space.ALL if (n, g) not in space.TURNING},
        **{f"mirrored {n}, {g}": lambda n=n, g=g: mirrored(n, g) for n, g in MIRRORED},
        **{f"{k.__name__}.{n} at its bounds": lambda k=k, n=n: at_bound(k, n) for k, n in NUMBERS},
        **{f"integrator {n}": lambda n=n: integrator(n) for n in INTEGRATORS},
        **{f"filter {n}": lambda n=n: filter_(n, steps) for n in systems.EVERY},
    }


def run(quick: bool) -> Tally:
    tally = Tally()
    for name, check in checks(quick).items():
        try:
            check()
            tally.properties += 1
        except Exception as problem:
            tally.failures.append(f"{name}: {type(problem).__name__}: {problem}")
    tally.lines.append(("properties across all components", f"{tally.properties} held"))
    if not quick:
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *IN_DEPTH], cwd=TESTS,
                              capture_output=True, text=True)
        words = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-200:]
        tally.properties += next((int(a) for a, b in itertools.pairwise(words.split()) if b.startswith("passed")), 0)
        tally.failures += [f"tests in depth: {words}"] if done.returncode else []
        tally.lines.append(("tests in depth", words))
    return tally
