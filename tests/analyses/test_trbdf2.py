"""TRBDF2: order of accuracy, damping of fast modes, and the trapezoidal step it begins with."""

from __future__ import annotations

import numpy as np
import pytest

from femu import Model
from femu.analyses import TRBDF2, Newmark, Transient
from femu.elements import ZeroLength
from femu.materials import Elastic
from femu.model.series import Sine


def oscillator(frequency: float) -> Model:
    model = Model("oscillator")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
    model.add(ZeroLength("spring", 1, 2, {"x": Elastic(frequency**2)}))
    return model


def response(
    model: Model, integrator: object, dt: float, duration: float, start: float
) -> np.ndarray:
    program = model.compile()
    state = program.state()
    place = program.dof(2, "x")
    state.vector[program.layout.v + place] = start
    result = Transient(integrator, dt=dt).run(program, duration=duration, start=state)  # type: ignore[arg-type]
    assert result.outcome.ok
    return result.displacement(2, "x")


def test_second_order() -> None:
    w, duration = 2.0, 3.0
    exact = np.sin(w * duration) / w
    errors = [
        abs(response(oscillator(w), TRBDF2(), dt, duration, 1.0)[-1] - exact)
        for dt in (0.02, 0.01, 0.005)
    ]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates == pytest.approx([2.0, 2.0], abs=0.05)


@pytest.mark.filterwarnings("ignore:dt = 0.1 is longer than a tenth")
def test_fast_modes_die_out() -> None:
    """At a step of ten periods the trapezoidal rule swings on for ever.

    Backward differences take the swing away.
    """
    fast = oscillator(2.0 * np.pi * 100.0)
    swinging = response(fast, Newmark(), 0.1, 2.0, 1.0)
    damped = response(fast, TRBDF2(), 0.1, 2.0, 1.0)
    assert np.abs(damped[-4:]).max() < 1e-3 * np.abs(swinging[-4:]).max()


def test_first_step_is_trapezoidal() -> None:
    one = response(oscillator(3.0), TRBDF2(), 0.05, 0.05, 1.0)
    assert one == pytest.approx(response(oscillator(3.0), Newmark(), 0.05, 0.05, 1.0), rel=1e-14)


def test_under_load() -> None:
    model = oscillator(5.0)
    model.pattern("push", Sine(0.7))
    model.load(2, x=2.0, pattern="push")
    ours, fine = (
        Transient(i, dt=dt).run(model, duration=2.0)
        for i, dt in ((TRBDF2(), 0.002), (Newmark(), 0.0005))
    )
    size = np.abs(fine.displacement(2, "x")).max()
    assert ours.displacement(2, "x")[-1] == pytest.approx(
        fine.displacement(2, "x")[-1], abs=1e-4 * size
    )
