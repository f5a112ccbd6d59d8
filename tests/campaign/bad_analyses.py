"""Good calls of the analyses.

Integrators, algorithms, tests of convergence, policies, and the runs themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from femu import GroundMotion, HybridTest, Result, Save
from femu import analyses as an
from femu.analyses.integrators.integrator import Integrator
from femu.elements import ForceBeamColumn
from femu.materials import Bilinear, FibreSection
from tests.campaign import rig
from tests.campaign.bad_calls import Call
from tests.campaign.bad_model import frame, two

QUAKE = GroundMotion("quake", 0.01, np.sin(0.1 * np.arange(20)))


def means() -> Iterator[Call]:
    """Everything that says how an analysis goes."""
    for name in an.__all__:
        kind = getattr(an, name)
        if isinstance(kind, type) and issubclass(kind, Integrator):
            yield Call(kind)
    yield from map(
        Call,
        (
            an.Newton,
            an.ModifiedNewton,
            an.NewtonLineSearch,
            an.KrylovNewton,
            an.BFGS,
            an.Broyden,
            an.Policy,
        ),
    )
    for test in (
        an.Unbalance,
        an.Increment,
        an.Energy,
        an.RelativeUnbalance,
        an.RelativeIncrement,
        an.RelativeEnergy,
    ):
        yield Call(test, 1e-6)
    yield from (
        Call(an.Limit, 2, "x", 0.1),
        Call(an.Pace, clock=lambda: 0.0, sleep=lambda _: None, may=("clock", "sleep")),
        Call(an.LoadControl),
        Call(an.DisplacementControl, 2, "x", [0.1], 0.05),
        Call(an.Pushover, 2, 0.1),
        Call(an.ArcLength, 0.1, 5),
        Call(an.Transient),
        Call(an.protocol, [0.1, 0.2], 2),
    )


def runs() -> Iterator[Call]:
    """The runs of small models. What comes out of an accepted call has no NaN."""
    model = frame().compile()
    options: dict[str, Any] = {
        "start": model.state(),
        "save": Save(),
        "parameters": model.parameters.vector.copy(),
    }
    modes = an.eigen(model, 1)
    yield from (
        Call(an.LoadControl.run, model, on=lambda: an.LoadControl(steps=1), **options),
        Call(an.DisplacementControl.run, model, on=lambda: an.Pushover(2, 0.1, steps=1), **options),
        Call(an.ArcLength.run, model, on=lambda: an.ArcLength(0.1, 1), **options),
        Call(an.Transient.run, model, QUAKE, duration=0.05, on=an.Transient, **options),
        Call(an.eigen, model, 1, model.state(), model.parameters.vector.copy()),
        Call(an.Modes.shape, 1, 2, "x", on=lambda: modes),
    )


def hybrids() -> Iterator[Call]:
    """A hybrid test, and what reads its result."""
    test = rig.test_of(rig.specimen(), 3)
    result = rig.test_of(rig.specimen(), 3).run("hybrid.h5")
    record = rig.read_journal("hybrid.h5")
    yield from (
        Call(HybridTest, test.program, QUAKE, dt=0.01),
        Call(HybridTest.run, None, on=lambda: rig.test_of(rig.specimen(), 2)),
        Call(HybridTest.check, record, on=lambda: test),
        Call(HybridTest.resume, "hybrid.h5", on=lambda: rig.test_of(rig.specimen(), 3)),
        *(
            Call(getattr(type(result), name), rig.NAME, on=lambda: result)
            for name in (
                "channels",
                "command",
                "converged_response",
                "measured",
                "peaks",
                "stiffness",
                "updated",
            )
        ),
        Call(type(result).energy, "input", on=lambda: result),
        Call(type(result).of_step, "iterations", on=lambda: result),
    )


def results() -> Iterator[Call]:
    """What reads a result."""
    model = two()
    section = FibreSection.rectangle(0.2, 0.3, Bilinear(2e11, 3e8, 0.01), 4)
    model.add(ForceBeamColumn("column", 1, 2, section=section, points=3))
    model.load(2, x=1.0)
    result = an.Transient(dt=0.005).run(
        model, QUAKE, duration=0.05, save=Save(sections=True, fibres=True)
    )
    result.save("result.h5")
    for name in ("displacement", "velocity", "acceleration"):
        yield Call(getattr(Result, name), 2, "x", on=lambda: result)
    yield from (
        Call(Result.reaction, 1, "x", on=lambda: result),
        Call(Result.drift, 1, 2, on=lambda: result),
        Call(Result.base_shear, "x", on=lambda: result),
        Call(Result.force, "column", on=lambda: result),
        Call(Result.basic_force, "column", "N", on=lambda: result),
        Call(Result.deformation, "column", on=lambda: result),
        Call(Result.plastic_rotation, "column", on=lambda: result),
        Call(Result.section, "column", 0, "M", on=lambda: result),
        Call(Result.fibre, "column", 0, 0, on=lambda: result),
        Call(Result.energy, "input", on=lambda: result),
        Call(Result.factor, "loads", on=lambda: result),
        Call(Result.save, "copy.h5", on=lambda: result),
        Call(Result.load, "result.h5"),
    )


def calls() -> list[Call]:
    return [*means(), *runs(), *hybrids(), *results()]
