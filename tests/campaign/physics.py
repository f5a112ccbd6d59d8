"""Physics as properties, over every material, section, element, integrator and filter.

The tests of the folders beside this one check tangents, rigid motion, rotation, the Kalman filter and the orders of accuracy in
depth; the whole campaign runs them too. What is here goes across: the same path gives the same bits, a copied state too, closed
cycles dissipate, a mirrored element has mirrored forces, parameters at their bounds work, halving the step converges, and
covariances stay positive definite. And whatever is exported is among what is checked.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu import FemuError, analyses, elements, filters, materials
from femu.analyses import (
    HHT,
    TRBDF2,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlpha,
    ImplicitHybrid,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    RungeKutta,
    Transient,
)
from femu.analyses.one_step import OneStep
from femu.component import Component, Constitutive
from femu.element import Element
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
from test_laws import EVERY as MATERIALS  # noqa: E402
from test_space_sections import SECTIONS as SPACE_SECTIONS  # noqa: E402

Check = Callable[[], None]
IN_DEPTH = ("materials/test_laws.py", "materials/test_space_sections.py", "elements/test_all_elements.py",
            "elements/test_space_elements.py", "elements/test_trial_states.py", "analyses/test_accuracy.py",
            "filters/test_every_filter.py")
SECTIONS = {"bilinear": plane.BILINEAR, "N-M": plane.INTERACTION, "elastic": plane.ELASTIC, "fibres": space.FIBRES,
            "with shear": materials.SectionWithShear(plane.BILINEAR, materials.Bilinear(0.3 * plane.EA, 0.2 * plane.NY, 0.05))}
INTEGRATORS: dict[str, tuple[Any, float]] = {  # with the order of accuracy
    "Newmark": (Newmark(), 2), "HHT": (HHT(0.9), 2), "GeneralizedAlpha": (GeneralizedAlpha(0.8), 2), "TRBDF2": (TRBDF2(), 2),
    "CentralDifference": (CentralDifference(), 2), "RungeKutta": (RungeKutta(), 4), "NewmarkExplicit": (NewmarkExplicit(), 2),
    "AlphaOS": (AlphaOS(), 2), "KRAlpha": (KRAlpha(), 2), "FixedIterations": (FixedIterations(Newmark()), 2),
    "ImplicitHybrid": (ImplicitHybrid(), 2),
}
for _name in analyses.__all__:  # whatever else is exported: of second order unless it is told above
    _kind = getattr(analyses, _name)
    if isinstance(_kind, type) and issubclass(_kind, OneStep) and _name not in INTEGRATORS:
        INTEGRATORS[_name] = (_kind(), 2)
AT_BOUNDS: tuple[Any, ...] = (
    Newmark(0.5, 0.25), Newmark(1.0, 1.0), HHT(1.0), HHT(2.0 / 3.0), GeneralizedAlpha(0.0), GeneralizedAlpha(1.0), KRAlpha(0.0),
    KRAlpha(1.0), AlphaOS(1.0), AlphaOS(2.0 / 3.0), NewmarkExplicit(0.5), FixedIterations(Newmark(), 1),
    FixedIterations(HHT(1.0), 10))
FILTER_STEPS, QUICK_FILTER_STEPS = 100_000, 2_000


def material(name: str) -> None:
    """Same path, same bits; and any cut of the path into two gives them too, since only the history is carried on."""
    case = MATERIALS[name]
    path = laws.random_walk(case.scale, 5, 120)
    one, two = drive(case.material, path, 0.02), drive(case.material, path, 0.02)
    assert one.force.tobytes() == two.force.tobytes() and one.history.tobytes() == two.history.tobytes()
    short = drive(case.material, path[:50], 0.02)
    assert short.force.tobytes() == one.force[:50].tobytes()
    block = laws.Block(case.material)
    histories = [block.virgin()]
    for strain in path[:50]:
        histories[0] = block(histories[0], strain).history
    histories.append(histories[0].copy())
    for strain in path[50:80]:
        answers = [block(history, strain) for history in histories]
        assert answers[0].stress.tobytes() == answers[1].stress.tobytes()
        histories = [answer.history for answer in answers]
    assert histories[0].tobytes() == histories[1].tobytes()


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


def section_tangent(made: Any, scale: float) -> None:
    """The tangent of a section is the derivative of its forces, away from corners, elastic and yielding, loaded and unloaded."""
    m = made.components
    weights = np.array([0.1, 1.0, 0.7, 0.5])[:m] * scale
    turns = np.array([0.0, 1.0, -0.8, 0.6])
    path = np.concatenate([np.linspace(a, b, 60) for a, b in itertools.pairwise(turns)])[:, None] * weights[None, :]
    upper, checked = np.triu_indices(m), 0
    for k in range(7, len(path), 23):
        found = drive(made, path[:k])
        tangent = np.zeros((m, m))
        tangent[upper] = found.tangent[-1]
        tangent = (tangent + np.triu(tangent, 1).T) * weights[None, :]
        for a in range(m):
            sides = []
            for h in (1e-6, -1e-6):
                other = path[:k].copy()
                other[-1, a] += h * weights[a]
                sides.append((drive(made, other).force[-1] - found.force[-1]) / h)
            size = np.abs(tangent).max(axis=1)
            if (np.abs(sides[0] - sides[1]) <= 1e-3 * size).all():  # no corner
                checked += 1
                assert (np.abs(0.5 * (sides[0] + sides[1]) - tangent[:, a]) <= 1e-4 * size).all(), f"point {k}, component {a}"
    assert checked > 4


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
        end = start if case.coincident else start + plane.LENGTH * np.array([math.cos(plane.SLOPE), math.sin(plane.SLOPE)])
        model.node(1, sign * start[0], start[1])
        model.node(2, sign * end[0], end[1])
        member = case.make(geometry)
        seen = {end: (sign * x, y) for end in ("offset_i", "offset_j") if (offset := getattr(member, end, None)) is not None
                for x, y in [offset]}
        if hasattr(member, "angle"):
            seen["angle"] = sign * member.angle  # local x points the other way: laws are the same both ways
        model.add(dataclasses.replace(member, **seen))  # type: ignore[type-var]
        made.append(plane.Probe(model))
    one, two = made
    flip = np.zeros((two.program.ndof, one.program.ndof))
    for (node, direction), place in one.program.numbering.place.items():
        flip[two.program.dof(node, direction), place] = 1.0 if direction == "y" else -1.0
    _same_in_the_mirror(one, two, flip, plane.random_motion(one, 4, case.size))


def mirrored_in_space(name: str, geometry: str) -> None:
    """As in the plane, at a mirror of any direction: moments turn as forces do, and change their sign."""
    normal = np.array([2.0, -1.0, 3.0]) / math.sqrt(14.0)
    mirror = np.eye(3) - 2.0 * np.outer(normal, normal)
    one, two = space.free_element(name, geometry), space.free_element(name, geometry, mirror)
    flip = space.turned_dofs(one, two, mirror)
    for (_, direction), place in two.program.numbering.place.items():
        if direction.startswith("r"):
            flip[place] *= -1.0
    _same_in_the_mirror(one, two, flip, space.random_motion(one, 4, space.CASES[name].size))


def _same_in_the_mirror(one: Any, two: Any, flip: Any, u: Any) -> None:
    force, stiffness = one(u)
    other, turned = two(flip @ u)
    assert np.abs(other - flip @ force).max() <= 1e-9 * np.abs(force).max()
    assert np.abs(turned - flip @ stiffness @ flip.T).max() <= 1e-9 * np.abs(stiffness).max()


def dashpot() -> None:
    """A dashpot: a rigid velocity gives no force, any other one takes energy, and its matrix is symmetric."""
    model = plane.Model("dashpot")
    model.node(1, 1.0, -0.5)
    model.node(2, 2.5, 0.7)
    model.add(elements.ViscousDashpot("e", 1, 2, C=3.0))
    probe, rng = plane.Probe(model), np.random.default_rng(1)
    still = np.zeros(probe.program.ndof)
    shift = np.array([{"x": 0.3, "y": -0.7, "rz": 0.0}[d] for _, d in sorted(
        probe.program.numbering.place, key=probe.program.numbering.place.__getitem__)])
    assert np.abs(probe(still, shift)[0]).max() <= 1e-12
    for _ in range(20):
        velocity = rng.normal(size=probe.program.ndof)
        assert probe(still, velocity)[0] @ velocity >= 0.0


def values_at_bounds(made: Component) -> list[tuple[str, float]]:
    """Names of the declared numbers of a component with the values at their bounds, or just inside where these are open."""
    found = []
    for name, declared in made.declared.items():
        for bound, inwards in ((declared.lower, 1.0), (declared.upper, -1.0)):
            if math.isfinite(bound):
                found.append((name, bound + inwards * 1e-9 * max(1.0, abs(bound)) if declared.open else bound))
    return found


def at_bounds(made: Any, scale: float) -> None:
    """A material or section with one number after the other at a bound: it works, or says what is wrong."""
    path = scale * np.sin(np.linspace(0.0, 12.0, 60))[:, None] * np.array([1.0, 1.0, 0.7, 0.5])[:made.components]
    for name, value in values_at_bounds(made):
        try:
            found = drive(dataclasses.replace(made, **{name: value}), path, 0.01)
        except FemuError:
            continue
        assert np.isfinite(found.force).all() and np.isfinite(found.tangent).all(), f"{name} = {value}"


def element_at_bounds(harness: Any, name: str, geometry: str) -> None:
    """An element with one number after the other at a bound: it works, or says what is wrong."""
    case = harness.CASES[name]
    turn = () if harness is plane else (np.eye(3),)
    for number, value in values_at_bounds(case.make(geometry, *turn)):
        model = plane.Model(name) if harness is plane else plane.Model(name, dimensions=3)
        places = (np.array([1.0, -0.5]), np.array([3.2, 1.1])) if harness is plane else (space.ORIGIN, space.ORIGIN + space.CHORD)
        for node, place in ((1, places[0]), (2, places[0] if case.coincident else places[1])):
            model.node(node, *(float(x) for x in place))
        try:
            model.add(dataclasses.replace(case.make(geometry, *turn), **{number: value}))
            probe = plane.Probe(model)
        except FemuError:
            continue
        force, stiffness = probe(harness.random_motion(probe, 2, 0.01 * case.size))
        assert np.isfinite(force).all() and np.isfinite(stiffness).all(), f"{number} = {value}"


def integrator_at_bounds(made: Any) -> None:
    """An integrator with its numbers at their bounds: a short run is finite."""
    result = Transient(made, dt=0.005).run(chain(), duration=0.5)
    assert result.outcome.ok and np.isfinite(result.displacement(3, "x")).all(), result.message


def everything_is_checked() -> None:
    """Each exported material, section, element, integrator and filter is among those that are checked here."""
    def kinds(module: Any, base: type, but: tuple[str, ...] = ()) -> set[type]:
        return {k for name in module.__all__ if name not in but and isinstance(k := getattr(module, name), type)
                and issubclass(k, base)}

    def all_of(made: Any) -> set[type]:
        return {type(made)}.union(*(all_of(part) for _, part in made.parts()))

    seen: set[type] = set()
    for made in (*(case.material for case in MATERIALS.values()), *SECTIONS.values()):
        seen |= all_of(made)
    members = {type(case.make(g)) for case in plane.CASES.values() for g in case.geometries}
    wanted = {
        "materials and sections": kinds(materials, Constitutive) - seen,
        "elements": kinds(elements, Element, ("LumpedMass", "ViscousDashpot")) - members,
        "integrators": kinds(analyses, OneStep) - {type(made) for made, _ in INTEGRATORS.values()},
        "filters": kinds(filters, filters.base.Filter, ("KalmanFilter",)) - {
            type(make(systems.linear_model(), systems.Q, systems.R)) for make in systems.EVERY.values()},
    }
    missing = {what: sorted(k.__name__ for k in left) for what, left in wanted.items() if left}
    assert not missing, f"not checked: {missing}"


def integrator(name: str) -> None:
    """Same bits twice and from a copied state; halving the step divides the error as the order says."""
    made, order = INTEGRATORS[name]
    whole = Transient(made, dt=0.01).run(chain(), duration=0.4)
    again = Transient(made, dt=0.01).run(chain(), duration=0.4)
    assert whole.state is not None and again.state is not None
    assert whole.state.vector.tobytes() == again.state.vector.tobytes()
    before = whole.state.vector.copy()
    two = [Transient(made, dt=0.01).run(chain(), duration=0.2, start=state) for state in (whole.state, whole.state.copy())]
    assert two[0].state is not None and two[1].state is not None
    assert two[0].state.vector.tobytes() == two[1].state.vector.tobytes() != before.tobytes()
    assert whole.state.vector.tobytes() == before.tobytes()
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


def checks(quick: bool) -> dict[str, Check]:
    steps = QUICK_FILTER_STEPS if quick else FILTER_STEPS
    return {
        **{f"material {n}": lambda n=n: material(n) for n in MATERIALS},
        **{f"section {n}": lambda s=s: section(s, 0.02) for n, s in SECTIONS.items()},
        **{f"section in space {n}": lambda s=s: section(s.in_space(), 0.02) for n, s in SPACE_SECTIONS.items()},
        **{f"tangent of section {n}": lambda s=s: section_tangent(s, 0.02) for n, s in SECTIONS.items()},
        **{f"tangent of section in space {n}": lambda s=s: section_tangent(s.in_space(), 0.02)
           for n, s in SPACE_SECTIONS.items()},
        **{f"element {n}, {g}": lambda n=n, g=g: element(plane, n, g) for n, g in plane.ALL},
        **{f"element in space {n}, {g}": lambda n=n, g=g: element(space, n, g)
           for n, g in space.ALL if (n, g) not in space.TURNING},
        **{f"mirrored {n}, {g}": lambda n=n, g=g: mirrored(n, g) for n, g in plane.ALL},
        **{f"mirrored in space {n}, {g}": lambda n=n, g=g: mirrored_in_space(n, g) for n, g in space.ALL},
        "dashpot": dashpot,
        **{f"material {n} at its bounds": lambda c=c: at_bounds(c.material, 0.5 * c.scale) for n, c in MATERIALS.items()},
        **{f"section {n} at its bounds": lambda s=s: at_bounds(s, 0.01) for n, s in SECTIONS.items()},
        **{f"element {n}, {g} at its bounds": lambda n=n, g=g: element_at_bounds(plane, n, g) for n, g in plane.ALL},
        **{f"element in space {n}, {g} at its bounds": lambda n=n, g=g: element_at_bounds(space, n, g) for n, g in space.ALL},
        **{f"{made} at its bounds": lambda made=made: integrator_at_bounds(made) for made in AT_BOUNDS},
        "everything is checked": everything_is_checked,
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
