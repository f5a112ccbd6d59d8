"""What every element must leave behind, in plane and in space.

A whole trial state, and the same answer at a second look.
"""

from __future__ import annotations

import element_harness
import numpy as np
import pytest
import space_harness

from femu.engine.element_kernels import AGAIN, AT_END, EVALUATE, FIRST, FORM, ITERATING

EVERY = [
    pytest.param(harness, name, geometry, id=f"{where}-{name}-{geometry}")
    for where, harness in (("plane", element_harness), ("space", space_harness))
    for name, geometry in harness.ALL
]


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_a_second_look_at_the_committed_state_changes_nothing(harness, name, geometry):
    probe = harness.free_element(name, geometry)
    u = harness.random_motion(probe, 1, harness.CASES[name].size)
    force, _ = probe(u)
    probe.commit()
    again, stiffness = probe(u)
    assert again == pytest.approx(force, rel=1e-8, abs=1e-8 * np.abs(force).max())
    assert np.isfinite(probe.run.fields.elements).all()
    formed, tangent = probe(u, mode=FORM)
    assert formed == pytest.approx(force, rel=1e-12, abs=1e-12 * np.abs(force).max())
    assert tangent.shape == stiffness.shape and np.isfinite(tangent).all()


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_every_state_variable_is_written_and_named(harness, name, geometry):
    probe = harness.free_element(name, geometry)
    for seed in range(2):
        # trial state and workspace were filled with NaN
        probe(harness.random_motion(probe, seed, harness.CASES[name].size))
        assert np.isfinite(probe.run.fields.elements).all()
        probe.commit()
    plan = probe.program.plans["e"]
    assert len(set(plan.state)) == len(plan.state) == len(probe.run.fields.elements)
    assert tuple(plan.state[: len(plan.basic_forces)]) == plan.basic_forces


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_form_of_a_virgin_element_has_its_initial_stiffness(harness, name, geometry):
    probe = harness.free_element(name, geometry)
    still = np.zeros(probe.program.ndof)
    assert probe(still, mode=FORM)[1] == pytest.approx(probe(still)[1], rel=1e-14)


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_the_iterations_of_a_step_lead_to_the_answer_from_the_committed_state(
    harness, name, geometry
):
    probe = harness.free_element(name, geometry)
    size = harness.CASES[name].size
    probe(harness.random_motion(probe, 1, size))
    probe.commit()
    end = harness.random_motion(probe, 1, size) + harness.random_motion(probe, 2, 0.1 * size)
    force, stiffness = probe(end)
    probe(0.9 * end)  # another trial state, far from it
    fields = probe.run.fields
    fields.u1[:] = end
    fields.step[ITERATING] = AGAIN
    for _ in range(5):
        probe.run.determine(EVALUATE)
    assert fields.internal == pytest.approx(force, rel=1e-8, abs=1e-8 * np.abs(force).max())
    most = np.abs(stiffness).max()
    assert probe.stiffness() == pytest.approx(stiffness, rel=1e-6, abs=1e-6 * most)


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_a_far_trial_state_is_no_start(harness, name, geometry):
    """A softening member has several answers: an iterate that went far must not decide between
    them."""
    probe = harness.free_element(name, geometry)
    size = harness.CASES[name].size
    start = harness.random_motion(probe, 1, size)
    probe(start)
    probe.commit()
    change = harness.random_motion(probe, 2, 0.1 * size)
    fields, found = probe.run.fields, []
    for place in (FIRST, AGAIN):
        probe(start - change)
        fields.u1[:] = start + change
        fields.step[ITERATING] = place
        probe.run.determine(EVALUATE)
        fields.step[ITERATING] = 0.0
        found.append(fields.internal.copy())
    assert np.array_equal(*found)


@pytest.mark.parametrize(("harness", "name", "geometry"), EVERY)
def test_the_end_of_a_step_that_is_in_balance_inside_it_is_exact(harness, name, geometry):
    """It continues from the trial state, and no iteration follows that would put errors right."""
    probe = harness.free_element(name, geometry)
    size = harness.CASES[name].size
    start = harness.random_motion(probe, 1, size)
    probe(start)
    probe.commit()
    change = harness.random_motion(probe, 2, 0.1 * size)
    force, _ = probe(start + change)
    probe(start + 0.9 * change)
    fields = probe.run.fields
    fields.u1[:] = start + change
    fields.step[ITERATING] = AT_END
    probe.run.determine(EVALUATE)
    assert fields.internal == pytest.approx(force, rel=1e-8, abs=1e-8 * np.abs(force).max())
