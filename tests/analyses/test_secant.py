"""Quasi-Newton methods.

With one equation both are the secant method; with several they need fewer increments.
"""

from __future__ import annotations

import numpy as np
import pytest

from femu import Model
from femu.analyses import (
    BFGS,
    Broyden,
    LoadControl,
    ModifiedNewton,
    Newton,
    Policy,
    RelativeUnbalance,
    Transient,
    Unbalance,
)
from femu.elements import Truss
from femu.materials import Bilinear, Elastic
from femu.model.series import Sampled
from femu.support.errors import InputError

SPAN, RISE, EA = 3.0, 1.0, 2.0e6


def shallow() -> Model:
    """Two bars that lean against each other; the load pulls them up, so that they stiffen."""
    model = Model("shallow")
    model.node("a", 0.0, 0.0, fixed="xy")
    model.node("b", SPAN, RISE, fixed="x")
    model.add(Truss("bar", "a", "b", material=Elastic(EA), area=1.0, geometry="corotational"))
    model.load("b", y=1.0)
    return model


def force(v: float) -> float:
    length, stretched = np.hypot(SPAN, RISE), np.hypot(SPAN, RISE + v)
    return EA * (stretched - length) / length * (RISE + v) / stretched


def secant_increments(load: float, tolerance: float) -> int:
    stiffness = EA * RISE**2 / np.hypot(SPAN, RISE) ** 3
    v, r, count = 0.0, load, 0
    s = r / stiffness
    while True:
        count += 1
        v, before = v + s, r
        r = load - force(v)
        if abs(r) <= tolerance:
            return count
        s = r * s / (before - r)


@pytest.mark.parametrize("algorithm", [BFGS(30), Broyden(30), BFGS(30, initial=True)], ids=str)
@pytest.mark.parametrize("load", [2.0e4, 2.0e5])
def test_one_equation_is_the_secant_method(algorithm, load):
    test = Unbalance(1e-7 * load, 60)
    result = LoadControl(load, steps=1, algorithm=algorithm, test=test, policy=Policy.none()).run(
        shallow()
    )
    assert result.outcome.ok
    assert force(result.displacement("b", "y")[-1]) == pytest.approx(load, rel=1e-7)
    assert result.iterations.sum() == secant_increments(load, 1e-7 * load)


def chain(yields: float) -> Model:
    model = Model("chain")
    model.node(0, 0.0, 0.0, fixed="xy")
    for i in range(1, 7):
        model.node(i, float(i), 0.0, fixed="y", mass=(50.0, 0.0, 0.0))
        model.add(
            Truss(
                f"bar{i}", i - 1, i, material=Bilinear(E=1e6, fy=yields * (8 - i), b=0.2), area=1.0
            )
        )
    model.load(6, x=1.0)
    return model


@pytest.mark.parametrize("algorithm", [BFGS(), Broyden()], ids=str)
def test_several_equations_take_fewer_increments_than_without_corrections(algorithm):
    test = RelativeUnbalance(1e-11, 300)
    runs = [
        LoadControl(700.0, steps=2, algorithm=a, test=test, policy=Policy.none()).run(chain(90.0))
        for a in (Newton(), ModifiedNewton(), algorithm)
    ]
    exact, plain, found = runs
    assert all(r.outcome.ok for r in runs)
    assert found.iterations.sum() < plain.iterations.sum()
    np.testing.assert_allclose(found.displacement(6, "x"), exact.displacement(6, "x"), rtol=1e-9)


@pytest.mark.parametrize("algorithm", [BFGS(4), Broyden(4), BFGS(initial=True)], ids=str)
def test_steps_in_time(algorithm):
    motion = Sampled(0.02 * np.arange(40), 40.0 * np.sin(0.7 * np.arange(40)))
    test = RelativeUnbalance(1e-11, 100)
    expected, found = (
        Transient(dt=0.01, algorithm=a, test=test).run(chain(1500.0), motion, duration=0.8)
        for a in (Newton(), algorithm)
    )
    assert found.outcome.ok
    u = expected.displacement(6, "x")
    np.testing.assert_allclose(found.displacement(6, "x"), u, atol=1e-8 * np.abs(u).max())


@pytest.mark.parametrize(
    "make", [lambda: BFGS(0), lambda: Broyden(101), lambda: BFGS(2.5), lambda: Broyden(True)]
)
def test_bad_input(make):
    with pytest.raises(InputError, match="updates"):
        make()
