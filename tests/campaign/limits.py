"""Numerical limits: sizes, time steps, stiffness ratios, near-singular flexibility and
snap-through: converges, or says why."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from femu import FemuError, GroundMotion, Model, failures_handled
from femu.analyses import ArcLength, DisplacementControl, LoadControl, Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss
from femu.materials import Bilinear, Elastic, ElasticSection, NMSection, UncoupledSection
from tests.campaign.tally import Tally

SECTION = ElasticSection(E=2e11, A=1e-2, I=1e-4)
YIELDING = UncoupledSection(Elastic(2e9), Bilinear(2e7, 2e5, 0.02))
BAY, STOREY, MASS, WEIGHT, PUSH = 6.0, 3.5, 2e4, 1e5, 2e4
SIZES, QUICK_SIZES = (1, 10, 100, 1000, 5000), (1, 10, 100)
STEPS, QUICK_STEPS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5), (1e-1, 1e-2, 1e-3)
DURATION = 1.0
RATIOS, QUICK_RATIOS = (1e0, 1e3, 1e6, 1e9, 1e12), (1e0, 1e6, 1e12)


def chain(elements: int, length: float = 10.0) -> Model:
    """A cantilever of a number of elements, with a load at its tip."""
    model = Model("chain")
    model.node(0, 0.0, 0.0, fixed=True)
    for k in range(1, elements + 1):
        model.node(k, length * k / elements, 0.0, mass=10.0)
        model.add(ElasticBeamColumn(f"e{k}", k - 1, k, section=SECTION))
    model.load(elements, y=1e3)
    return model


def cantilever(elements: int) -> str | None:
    """Deflection of a cantilever, P L^3 / 3 E I, to what doubles leave of it.

    The condition number grows with n^4.
    """
    result = LoadControl(steps=1).run(chain(elements))
    exact = 1e3 * 1e3 / (3.0 * 2e11 * 1e-4)
    found = float(result.displacement(elements, "y")[-1])
    limit = max(1e-9, 1e-15 * elements**4)
    if not result.outcome.ok:
        return f"{elements} elements: {result.message}"
    return (
        None
        if abs(found / exact - 1.0) < limit
        else f"{elements} elements: {found / exact - 1.0:.2e} off"
    )


def frame(
    elements: int, kind: Any, section: Any, **options: Any
) -> tuple[Model, list[tuple[int, int]]]:
    """A frame of at least about this number of members, as many bays as storeys, and its nodes from the
    ground up (storey, line)."""
    storeys = max(1, round(math.sqrt(elements / 2.0)))
    bays = max(0, round((elements / storeys - 1.0) / 2.0))
    model, nodes = Model(f"frame of {elements}"), []
    for storey in range(storeys + 1):
        for line in range(bays + 1):
            if storey == 0:
                model.node(f"0-{line}", BAY * line, 0.0, fixed=True)
                continue
            model.node(f"{storey}-{line}", BAY * line, STOREY * storey, mass=MASS)
            nodes.append((storey, line))
            model.add(
                kind(
                    f"c{storey}-{line}",
                    f"{storey - 1}-{line}",
                    f"{storey}-{line}",
                    section=section,
                    **options,
                )
            )
            if line:
                model.add(
                    kind(
                        f"b{storey}-{line}",
                        f"{storey}-{line - 1}",
                        f"{storey}-{line}",
                        section=section,
                        **options,
                    )
                )
    return model, nodes


def reactions(result: Any, nodes: list[tuple[int, int]], direction: str) -> float:
    lines = sorted({line for _, line in nodes})
    return float(sum(result.reaction(f"0-{line}", direction)[-1] for line in lines))


def equilibrium(elements: int) -> str | None:
    """An elastic frame under gravity and wind.

    The supports carry the loads, and displacements are reciprocal (Maxwell).
    """
    model, nodes = frame(elements, ElasticBeamColumn, SECTION)
    top, first = f"{nodes[-1][0]}-{nodes[-1][1]}", f"{nodes[0][0]}-{nodes[0][1]}"
    deflections = []
    for loaded, seen in ((top, first), (first, top)):
        unit = model.copy()
        unit.load(loaded, x=1.0)
        result = LoadControl(steps=1).run(unit)
        if not result.outcome.ok:
            return f"frame of {elements}: {result.message}"
        deflections.append(float(result.displacement(seen, "x")[-1]))
    for storey, line in nodes:
        model.load(f"{storey}-{line}", x=PUSH, y=-WEIGHT)
    result = LoadControl(steps=1).run(model)
    off = [
        reactions(result, nodes, d) / (load * len(nodes)) + 1.0
        for d, load in (("x", PUSH), ("y", -WEIGHT))
    ]
    reciprocal = abs(deflections[0] / deflections[1] - 1.0)
    if not result.outcome.ok or max(map(abs, off)) > 1e-9 or reciprocal > 1e-8:
        return f"frame of {elements}: reactions {max(map(abs, off)):.1e} off, reciprocity {reciprocal:.1e} off; {result.message}"
    return None


def shaken(elements: int) -> str | None:
    """A yielding frame of force-based members, pushed and shaken.

    It comes to its end in equilibrium, or says why not.
    """
    model, nodes = frame(elements, ForceBeamColumn, YIELDING, geometry="p-delta")
    for storey, line in nodes:
        model.load(f"{storey}-{line}", y=-WEIGHT / 10.0)
    pushed = LoadControl(steps=2).run(model)
    if not pushed.outcome.ok:
        return None if pushed.message else f"frame of {elements}: ended without a word"
    off = abs(reactions(pushed, nodes, "y") / (WEIGHT / 10.0 * len(nodes)) - 1.0)
    result = Transient(Newmark(), dt=0.01).run(
        model, GroundMotion.el_centro().scaled(pga=4.0), duration=0.2, check=False
    )
    u = result.displacement(f"{nodes[-1][0]}-{nodes[-1][1]}", "x")
    if not np.isfinite(u).all() or off > 1e-6 or not (result.outcome.ok or result.message):
        return f"yielding frame of {elements}: {off:.1e} off, {np.abs(u).max():g} m, {result.message!r}"
    return None


def oscillation(dt: float) -> Any:
    model = Model("oscillator")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 3.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(Truss("t", 1, 2, material=Bilinear(2e11, 3e6, 0.02), area=1e-4))
    return Transient(Newmark(), dt=dt).run(
        model, GroundMotion.el_centro().scaled(pga=5.0), duration=DURATION
    )


def time_steps(steps: tuple[float, ...]) -> str | None:
    """A yielding oscillator over four decades of steps.

    The peaks approach that of the finest step, or a sentence says why.
    """
    peaks = []
    for dt in steps:
        result = oscillation(dt)
        u = result.displacement(2, "x")
        if not result.outcome.ok and not result.message:
            return f"dt = {dt:g}: ended without a word"
        if not np.isfinite(u).all() or np.abs(u).max() > 1.0:
            return f"dt = {dt:g}: {np.abs(u).max():g} m"
        peaks.append(float(np.abs(u).max()))
    off = [abs(peak / peaks[-1] - 1.0) for peak in peaks[:-1]]
    falls = all(fine < max(coarse / 5.0, 1e-4) for coarse, fine in itertools.pairwise(off))
    return None if falls else f"peaks over {steps}: {peaks}"


def ratio(value: float) -> str | None:
    """Two springs in a row whose stiffnesses differ by up to 1e12.

    The displacement of the soft one is exact.
    """
    model = Model("springs")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 1.0, 0.0, fixed=("y", "rz"))
    model.node(3, 2.0, 0.0, fixed=("y", "rz"))
    model.add(Truss("stiff", 1, 2, material=Elastic(1e3 * value), area=1.0))
    model.add(Truss("soft", 2, 3, material=Elastic(1e3), area=1.0))
    model.load(3, x=1.0)
    result = LoadControl(steps=1).run(model)
    found, exact = float(result.displacement(3, "x")[-1]), 1e-3 * (1.0 + 1.0 / value)
    if not result.outcome.ok:
        return None if result.message else f"ratio {value:g}: ended without a word"
    # the unit roundoff of the sum of both stiffnesses, relative to the soft one
    return (
        None
        if abs(found / exact - 1.0) < max(1e-12, 1e-15 * value)
        else f"ratio {value:g}: {found / exact - 1.0:.1e} off"
    )


def flexibility(hardening: float) -> str | None:
    """A force-based member far into a plateau that is nearly flat.

    Its section flexibility is nearly singular.
    """
    section = UncoupledSection(Elastic(2e9), Bilinear(2e7, 1e5, hardening))
    model = Model("plateau")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    model.add(ForceBeamColumn("c", 1, 2, section=section))
    model.load(2, x=1.2e5 / 3.0)
    with failures_handled():
        result = LoadControl(steps=10).run(model)
    u = result.displacement(2, "x")
    if result.outcome.ok:
        return None if np.isfinite(u).all() else f"hardening {hardening:g}: not finite"
    return (
        None
        if result.message and np.isfinite(u).all()
        else f"hardening {hardening:g}: {result.message!r}"
    )


def snap_through(geometry: str = "corotational") -> str | None:
    """A shallow arch of two bars past its limit load, by arc length.

    P = 2 k (L0 - L) sin(angle), on both branches.
    """
    half, rise, area, modulus = 1.0, 0.1, 1e-3, 1e9
    model = Model("arch")
    model.node(1, -half, 0.0, fixed=True)
    model.node(2, half, 0.0, fixed=True)
    model.node(3, 0.0, rise, fixed=("x", "rz"))
    for k in (1, 2):
        model.add(Truss(f"bar{k}", k, 3, material=Elastic(modulus), area=area, geometry=geometry))
    model.load(3, y=-1.0)
    result = ArcLength(0.005, 60).run(model)
    if not result.outcome.ok:
        return f"snap-through: {result.message}"
    w = -result.displacement(3, "y")
    first, length = np.hypot(half, rise), np.hypot(half, rise - w)
    exact = 2.0 * modulus * area * (first - length) / first * (rise - w) / length
    factor = result.factor("loads")
    falls = bool((np.diff(factor) < 0.0).any() and w.max() > 2.0 * rise)
    scale = np.abs(exact).max()
    off = float(np.abs(factor - exact).max() / scale)
    return None if falls and off < 1e-5 else f"snap-through: {off:.1e} off, to {w.max():g}"


def arch(members: int = 8) -> Model:
    """A shallow clamped arch of beam-columns with corotational geometry, as a parabola, with a load
    at its crown."""
    model, half, rise = Model("arch of beams"), 1.0, 0.08
    section = ElasticSection(E=2e11, A=1e-3, I=1e-8)
    for k in range(members + 1):
        x = -half + 2.0 * half * k / members
        end = k in (0, members)
        held = {"fixed": True} if end else {"fixed": ("x", "rz")} if k == members // 2 else {}
        model.node(k, x, rise * (1.0 - (x / half) ** 2), **held)
        if k:
            model.add(
                ElasticBeamColumn(f"e{k}", k - 1, k, section=section, geometry="corotational")
            )
    model.load(members // 2, y=-1.0)
    return model


def snap_of_beams() -> str | None:
    """An arch of beam-columns.

    Arc length passes the limit load, and displacement control gives the same loads.
    """
    model, crown = arch(), 4
    result = ArcLength(0.01, 60).run(model)
    if not result.outcome.ok:
        return f"arch of beams: {result.message}"
    w, load = -result.displacement(crown, "y"), result.factor("loads")
    if not ((np.diff(load) < 0.0).any() and w.max() > 0.1):
        return f"arch of beams: no limit load up to {w.max():g}"
    off = 0.0
    for k in range(10, len(w), 10):
        led = DisplacementControl(crown, "y", [-float(w[k])], 0.002).run(model)
        if not led.outcome.ok:
            return f"arch of beams led to {w[k]:g}: {led.message}"
        off = max(
            off, abs(float(led.factor("loads")[-1]) - float(load[k])) / float(np.abs(load).max())
        )
    return None if off < 1e-5 else f"arch of beams: {off:.1e} apart"


def past_the_limit() -> str | None:
    """More load than the arch bears before it snaps.

    Equilibrium on the other side, or a sentence, but no wrong number.
    """
    model = arch()
    model.load(4, y=-2e5 + 1.0)
    result = LoadControl(steps=20).run(model)
    if not result.outcome.ok:
        return None if result.message else "arch under too much load: ended without a word"
    supports = sum(float(result.reaction(node, "y")[-1]) for node in (0, 8))
    return (
        None
        if abs(supports / 2e5 - 1.0) < 1e-6
        else f"arch under too much load: reactions {supports:g}"
    )


def wrong_number(make: Callable[[], Any]) -> str | None:
    """Numbers at the edge of the range: an answer or an exception of femu."""
    try:
        made = make()
    except FemuError:
        return None
    return (
        None
        if np.isfinite(np.asarray(made, dtype=float)).all()
        else "a number that is not finite came out"
    )


def extreme(scale: float) -> float:
    """A cantilever in units so odd that all its numbers are tiny or huge."""
    model = Model("units")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    section = NMSection(
        EA=2e9 * scale, EI=2e7 * scale, yield_force=2e6 * scale, plastic_moment=1e5 * scale
    )
    model.add(ForceBeamColumn("c", 1, 2, section=section))
    model.load(2, x=1e4 * scale)
    result = LoadControl(steps=2).run(model)
    return float(result.displacement(2, "x")[-1])


def checks(quick: bool) -> dict[str, Callable[[], str | None]]:
    sizes = QUICK_SIZES if quick else SIZES
    return {
        **{f"cantilever of {n} elements": lambda n=n: cantilever(n) for n in sizes},
        **{f"elastic frame of {n} elements": lambda n=n: equilibrium(n) for n in sizes},
        **{f"yielding frame of {n} elements": lambda n=n: shaken(n) for n in sizes},
        "time steps": lambda: time_steps(QUICK_STEPS if quick else STEPS),
        **{
            f"stiffness ratio {r:g}": lambda r=r: ratio(r)
            for r in (QUICK_RATIOS if quick else RATIOS)
        },
        **{f"hardening {b:g}": lambda b=b: flexibility(b) for b in (1e-2, 1e-6, 1e-12, 0.0)},
        "snap-through of bars": snap_through,
        "snap-through of beams": snap_of_beams,
        "past the limit load": past_the_limit,
        **{f"units {s:g}": lambda s=s: wrong_number(lambda: extreme(s)) for s in (1e-12, 1e12)},
    }


def run(quick: bool) -> Tally:
    tally = Tally()
    for name, check in checks(quick).items():
        try:
            wrong = check()
        except FemuError as problem:
            wrong = None if str(problem) else f"{name}: an error without a word"
        except Exception as problem:
            wrong = f"{name}: {type(problem).__name__}: {problem}"
        tally.properties += wrong is None
        tally.failures += [wrong] if wrong else []
    tally.lines.append(
        (
            f"frames of 1 to {(QUICK_SIZES if quick else SIZES)[-1]}, steps, ratios, plateaus, "
            "snap-through",
            f"{tally.properties} held",
        )
    )
    return tally
