"""The one-actuator benchmark as a test that a user would write: the same motion as the compiled loop
of the study, and what femu's correction of measured forces changes."""

import numpy as np
import pytest

from femu.experimental import InverseCompensation, Sensors
from femu.materials import BoucWen
from femu.studies import rths_benchmark as study
from femu.studies import rths_hybrid, rths_loop
from femu.studies import rths_problem as problem

GROUND = problem.ground(12.0)[8000:10500].copy()
GROUND[0] = 0.0  # the loop has no displacement before the first instant


def loop(case, values, compensation):
    numerical, _ = problem.structures(case, values)
    plant, k = problem.plant_of(values), np.array([values["k"]])
    return rths_loop.run_loop(
        numerical,
        numerical.explicit(problem.DT),
        plant.holding(k),
        rths_loop.of_specimens(plant, numerical, k),
        compensation,
        Sensors(),
        GROUND,
        problem.DT,
    )


@pytest.mark.parametrize(
    "name", [study.OWN, study.ATS, "fixed inverse, order 3", "two-stage", "RLS-FIR", "LQG"]
)
def test_a_hybrid_test_moves_as_the_loop_of_the_study(name):
    """A perturbed plant, without noise: all floors, to the rounding of 2500 steps."""
    values, make = problem.plants(1)[0], study.compensators()[name]
    fast = loop(4, values, make())
    test = rths_hybrid.hybrid_test(4, values, make(), GROUND, sensors=Sensors())
    result = test.run(check=False)
    assert result.outcome.ok
    slow = rths_hybrid.motion_of(test, result)
    for one, other in (
        (slow.displacement, fast.displacement),
        (slow.target, fast.target),
        (slow.reached, fast.reached),
    ):
        assert one == pytest.approx(other, rel=0.0, abs=1e-12)
    assert np.abs(fast.reached).max() > 1e-3


def test_a_correction_by_the_initial_stiffness_makes_up_for_what_is_missing():
    """Without compensation the loop of the problem is unstable. With the force of what is missing
    between target and reached displacement, which femu adds unless it is given another stiffness, it
    is stable."""
    none = InverseCompensation([1.0])
    found = {
        stiffness: rths_hybrid.hybrid_test(
            4, problem.NOMINAL, none, GROUND, sensors=Sensors(), stiffness=stiffness
        ).stability()
        for stiffness in (rths_hybrid.AS_MEASURED, None)
    }
    assert not found[rths_hybrid.AS_MEASURED].stable and found[None].stable


def test_a_specimen_that_yields_runs_in_the_same_test():
    """A Bouc-Wen specimen behind the plant of the problem, shaken ten times as hard."""
    law = BoucWen(k=problem.NOMINAL["k"], alpha=0.1, beta=300.0, gamma=200.0, n=1.0)
    test = rths_hybrid.hybrid_test(
        1, problem.NOMINAL, study.compensators()[study.OWN](), 10.0 * GROUND, of=law
    )
    result = test.run(check=False)
    assert result.outcome.ok
    assert np.abs(result.command("specimen")).max() > 3.0 / 500.0  # three times that of yielding
    # of the measurements, with their noise; a fixed inverse has several times that
    assert result.tracking("specimen")[0].error < 0.03
