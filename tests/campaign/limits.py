"""Numerical limits: sizes, time steps, stiffness ratios, near-singular flexibility and snap-through: converges, or says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from femu import FemuError, GroundMotion, Model
from femu.analyses import ArcLength, LoadControl, Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss
from femu.materials import Bilinear, Elastic, ElasticSection, NMSection, UncoupledSection
from tests.campaign.tally import Tally

SECTION = ElasticSection(E=2e11, A=1e-2, I=1e-4)
SIZES, QUICK_SIZES = (1, 10, 100, 1000, 5000), (1, 10, 100)
STEPS, QUICK_STEPS = (1e-1, 1e-2, 1e-3, 1e-4), (1e-1, 1e-2)
RATIOS, QUICK_RATIOS = (1e0, 1e3, 1e6, 1e9, 1e12), (1e0, 1e6, 1e12)


def chain(elements: int, length: float = 10.0) -> Model:
    """A cantilever of so many elements, with a load at its tip."""
    model = Model("chain")
    model.node(0, 0.0, 0.0, fixed=True)
    for k in range(1, elements + 1):
        model.node(k, length * k / elements, 0.0, mass=10.0)
        model.add(ElasticBeamColumn(f"e{k}", k - 1, k, section=SECTION))
    model.load(elements, y=1e3)
    return model


def size(elements: int) -> str | None:
    """Deflection of a cantilever, P L^3 / 3 E I, to what doubles leave of it: the condition number grows with n^4."""
    result = LoadControl(steps=1).run(chain(elements))
    exact = 1e3 * 1e3 / (3.0 * 2e11 * 1e-4)
    found = float(result.displacement(elements, "y")[-1])
    limit = max(1e-9, 1e-15 * elements**4)
    if not result.outcome.ok:
        return f"{elements} elements: {result.message}"
    return None if abs(found / exact - 1.0) < limit else f"{elements} elements: {found / exact - 1.0:.2e} off"


def time_step(dt: float) -> str | None:
    """A yielding oscillator over four decades of steps: finite, or a sentence."""
    model = Model("oscillator")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 3.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(Truss("t", 1, 2, material=Bilinear(2e11, 3e6, 0.02), area=1e-4))
    result = Transient(Newmark(), dt=dt).run(model, GroundMotion.el_centro().scaled(pga=5.0), duration=2.0)
    u = result.displacement(2, "x")
    if not result.outcome.ok:
        return None if result.message else f"dt = {dt:g}: ended without a word"
    return None if np.isfinite(u).all() and np.abs(u).max() < 1.0 else f"dt = {dt:g}: {np.abs(u).max():g} m"


def ratio(value: float) -> str | None:
    """Two springs in a row whose stiffnesses differ by up to 1e12: the displacement of the soft one is exact."""
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
    return None if abs(found / exact - 1.0) < max(1e-12, 1e-15 * value) else f"ratio {value:g}: {found / exact - 1.0:.1e} off"


def flexibility(hardening: float) -> str | None:
    """A force-based member far into a plateau that is nearly flat: its section flexibility is nearly singular."""
    section = UncoupledSection(Elastic(2e9), Bilinear(2e7, 1e5, hardening))
    model = Model("plateau")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    model.add(ForceBeamColumn("c", 1, 2, section=section))
    model.load(2, x=1.2e5 / 3.0)
    result = LoadControl(steps=10).run(model)
    u = result.displacement(2, "x")
    if result.outcome.ok:
        return None if np.isfinite(u).all() else f"hardening {hardening:g}: not finite"
    return None if result.message and np.isfinite(u).all() else f"hardening {hardening:g}: {result.message!r}"


def snap_through(geometry: str = "corotational") -> str | None:
    """A shallow arch of two bars past its limit load, by arc length: P = 2 k (L0 - L) sin(angle), on both branches."""
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


def wrong_number(make: Callable[[], Any]) -> str | None:
    """Numbers at the edge of the range: an answer or an exception of femu."""
    try:
        made = make()
    except FemuError:
        return None
    return None if np.isfinite(np.asarray(made, dtype=float)).all() else "a number that is not finite came out"


def extreme(scale: float) -> float:
    """A cantilever in units so odd that all its numbers are tiny or huge."""
    model = Model("units")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    section = NMSection(EA=2e9 * scale, EI=2e7 * scale, yield_force=2e6 * scale, plastic_moment=1e5 * scale)
    model.add(ForceBeamColumn("c", 1, 2, section=section))
    model.load(2, x=1e4 * scale)
    result = LoadControl(steps=2).run(model)
    return float(result.displacement(2, "x")[-1])


def checks(quick: bool) -> dict[str, Callable[[], str | None]]:
    return {
        **{f"{n} elements": lambda n=n: size(n) for n in (QUICK_SIZES if quick else SIZES)},
        **{f"dt = {dt:g} s": lambda dt=dt: time_step(dt) for dt in (QUICK_STEPS if quick else STEPS)},
        **{f"stiffness ratio {r:g}": lambda r=r: ratio(r) for r in (QUICK_RATIOS if quick else RATIOS)},
        **{f"hardening {b:g}": lambda b=b: flexibility(b) for b in (1e-2, 1e-6, 1e-12, 0.0)},
        "snap-through": snap_through,
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
    tally.lines.append(("sizes, steps, ratios, plateaus, snap-through", f"{tally.properties} held"))
    return tally
