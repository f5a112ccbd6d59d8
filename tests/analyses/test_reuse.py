"""Steps that continue with the factors of the step before.

The same answer, and the same bits after a stop.
"""

from __future__ import annotations

import numpy as np
import pytest

from femu.analyses import Increment, Newmark, Transient, step_driver
from femu.opensees.comparison.suite.models import frame
from femu.records import GroundMotion

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")
DT, STEPS = 0.01, 120
ANALYSIS = Transient(Newmark(), dt=DT, test=Increment(1e-10))
MOTION = GroundMotion.el_centro().trimmed(1.0).scaled(pga=9.0)


@pytest.fixture(scope="module", params=["uncoupled", "fibre"])
def program(request):
    return frame(3, 3, request.param).compile()


def test_stops_do_not_change_a_bit(program):
    whole = ANALYSIS.run(program, MOTION, duration=STEPS * DT)
    assert whole.iterations.mean() > 2.0
    for cut in (1, 7, 50, 51, 99):
        half = ANALYSIS.run(program, MOTION, duration=cut * DT)
        rest = ANALYSIS.run(program, MOTION, duration=(STEPS - cut) * DT, start=half.state)
        assert np.array_equal(rest.state.vector, whole.state.vector), cut


def test_the_answer_is_that_of_fresh_factors(program, monkeypatch):
    kept = ANALYSIS.run(program, MOTION, duration=STEPS * DT).displacement(3000, "x")
    monkeypatch.setattr(step_driver, "REUSED_FROM", 1000)
    fresh = ANALYSIS.run(program, MOTION, duration=STEPS * DT).displacement(3000, "x")
    assert not np.array_equal(kept, fresh), "factors were reused"
    assert np.abs(kept - fresh).max() < 1e-9 * np.abs(fresh).max()


def test_factors_that_converge_slowly_are_made_anew():
    """Elastic members: only the axial forces in the stiffness change.

    Without new factors there are 3.5 iterations a step.
    """
    result = ANALYSIS.run(frame(4, 2, "elastic"), MOTION, duration=2.0)
    assert 2.0 < result.iterations.mean() < 3.2
