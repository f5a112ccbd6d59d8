"""The convergence policy: on by default, honest about what it did, and within its budget."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from femu import GroundMotion, Model, Outcome, Result
from femu.analyses import (
    BFGS,
    KrylovNewton,
    Limit,
    LoadControl,
    ModifiedNewton,
    Newmark,
    Newton,
    NewtonLineSearch,
    Policy,
    Pushover,
    RelativeUnbalance,
    Transient,
)
from femu.analyses.step_driver import StepDriver
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss
from femu.engine.element_kernels import HALVINGS
from femu.materials import (
    Bilinear,
    Elastic,
    ElasticGap,
    ElasticPerfectlyPlastic,
    ElasticSection,
    Parallel,
    UncoupledSection,
)
from femu.support.errors import InputError

# failures are what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")


def cable(mass: float | None = None) -> Model:
    """Two level bars that resist a load across them only as they stretch, next to a soft hanger.

    The force grows with the cube of the displacement: the first iteration of Newton's method
    overshoots far, and each further one comes back by a third only.
    """
    model = Model("cable")
    model.node(1, -1.0, 0.0, fixed="xy")
    model.node(2, 0.0, 0.0, fixed="x", mass=mass)
    model.node(3, 1.0, 0.0, fixed="xy")
    model.node(4, 0.0, 1.0, fixed="xy")
    for name, end in (("left", 1), ("right", 3)):
        model.add(Truss(name, end, 2, material=Elastic(E=1e6), area=1.0, geometry="corotational"))
    model.add(Truss("hanger", 4, 2, material=Elastic(E=1.0), area=1.0))
    model.load(2, y=-1.0)
    return model


def pull(**options: Any) -> Result:
    """Load the cable in four steps; ten iterations are too few for the first of them."""
    return LoadControl(100.0, steps=4, test=RelativeUnbalance(1e-10, iterations=10), **options).run(
        cable()
    )


def shake(iterations: int = 4, **options: Any) -> Result:
    """Shake the cable; in a few steps four iterations are too few."""
    motion = GroundMotion("sine", 0.02, 300.0 * np.sin(0.08 * np.arange(200)))
    analysis = Transient(
        Newmark(), dt=0.02, test=RelativeUnbalance(1e-10, iterations=iterations), **options
    )
    return analysis.run(cable(mass=1.0), {"y": motion}, check=False)


def test_without_policy_the_run_ends_where_newton_fails() -> None:
    result = pull(policy=Policy.none())
    assert result.outcome is Outcome.NOT_CONVERGED
    assert len(result.time) == 1
    assert "Step 1 of 4" in result.message
    shaken = shake(policy=Policy.none())
    assert shaken.outcome is Outcome.NOT_CONVERGED
    assert not shaken.outcome.ok
    assert 1 < len(shaken.time) < 200
    assert f"Step {len(shaken.time)} of 199" in shaken.message
    assert shaken.relaxations == []


def test_the_ladder_takes_the_same_run_to_its_end() -> None:
    result = pull()
    assert result.outcome is Outcome.COMPLETE
    (relaxation,) = result.relaxations
    assert relaxation["step"] == 1
    assert "parts with NewtonLineSearch" in relaxation["what"]
    assert relaxation["iterations"] > 10
    shaken = shake()
    assert shaken.outcome is Outcome.COMPLETE
    assert len(shaken.time) == 200
    steps = [r["step"] for r in shaken.relaxations]
    assert steps
    assert steps == sorted(set(steps))
    for r in shaken.relaxations:
        assert r["time"] == pytest.approx(0.02 * r["step"])
    assert f"{len(steps)} steps needed help" in repr(shaken)


def test_each_algorithm_takes_steps_by_its_own_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    call = StepDriver.advance

    def noted(self: StepDriver, first: int, last: int) -> int:
        used.append(self.kernel.name.rpartition(".")[2])
        return call(self, first, last)

    monkeypatch.setattr(StepDriver, "advance", noted)
    helpers = (ModifiedNewton(), KrylovNewton(8), BFGS(), NewtonLineSearch())
    test = RelativeUnbalance(1e-10, iterations=10)
    analysis = LoadControl(100.0, steps=4, test=test, policy=Policy(algorithms=helpers))
    (relaxation,) = analysis.run(cable(), check=False).relaxations
    assert "NewtonLineSearch" in relaxation["what"]
    names = ("newton", "modified_newton", "krylov", "quasi_newton", "line_search")
    first = [f"march_{name}" for name in names]
    assert used[:5] == first  # of the first step as a whole
    assert used[-2:] == [first[4], first[0]]  # what helped, and the steps after it


def test_help_does_not_loosen_the_tolerance() -> None:
    """A step that was helped is in balance like any other.

    The result is that of patient iterations.
    """
    u = pull().displacement(2, "y")
    patient = LoadControl(
        100.0, steps=4, test=RelativeUnbalance(1e-10, iterations=100), policy=Policy.none()
    ).run(cable())
    assert patient.outcome.ok
    assert u == pytest.approx(patient.displacement(2, "y"), rel=1e-9)
    length = np.hypot(1.0, u[-1])
    assert 2e6 * (length - 1.0) * -u[-1] / length - u[-1] == pytest.approx(100.0, rel=1e-8)
    whole = {
        a: shake(policy=Policy(algorithms=(a,), halvings=0))
        for a in (NewtonLineSearch(), KrylovNewton(8))
    }
    for algorithm, helped in whole.items():
        if helped.outcome.ok:
            assert helped.displacement(2, "y") == pytest.approx(
                shake(50).displacement(2, "y"), abs=1e-8
            ), algorithm


def hopeless() -> Model:
    """A bar that yields without hardening, to be loaded beyond its strength."""
    model = Model("bar")
    model.node(1, 0.0, 0.0, fixed="xy")
    model.node(2, 1.0, 0.0, fixed="y")
    model.add(Truss("bar", 1, 2, material=ElasticPerfectlyPlastic(E=1e3, fy=10.0), area=1.0))
    model.load(2, x=1.0)
    return model


def test_a_hopeless_step_ends_the_run_and_keeps_what_came_before() -> None:
    result = LoadControl(20.0, steps=20).run(hopeless())
    assert result.outcome is Outcome.NOT_CONVERGED
    assert result.factor("loads") == pytest.approx(np.arange(len(result.time)), abs=1e-9)
    assert 9 <= len(result.time) - 1 <= 10
    assert result.displacement(2, "x")[1:10] == pytest.approx(np.arange(1, 10) / 1e3)
    assert "did not converge" in result.message
    assert "Other algorithms and up to 256 parts did not help" in result.message
    assert result.message.endswith(".")
    assert ".." not in result.message
    # the state is the last one in balance, and can be run on
    assert result.state is not None
    assert result.state.factors["loads"] == result.factor("loads")[-1]
    back = LoadControl(0.0, steps=2).run(hopeless(), start=result.state)
    assert back.outcome.ok
    assert back.displacement(2, "x")[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_mechanism_is_named_as_singular() -> None:
    model = Model("hinged")
    model.node(1, 0.0, 0.0, fixed="xy")
    model.node(2, 0.0, 3.0)
    model.add(ElasticBeamColumn("c", 1, 2, section=ElasticSection(E=2e11, A=1e-2, I=1e-4)))
    model.load(2, x=1.0)
    result = LoadControl(steps=1).run(model)
    assert result.outcome is Outcome.NOT_CONVERGED
    assert "singular" in result.message


def test_the_element_that_has_no_answer_is_named() -> None:
    section = UncoupledSection(
        axial=ElasticPerfectlyPlastic(E=1e9, fy=1e6), moment=ElasticPerfectlyPlastic(E=1e7, fy=1e5)
    )
    model = Model("limp")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("head", 0.0, 3.0)
    model.add(ForceBeamColumn("column", "foot", "head", section=section))
    model.load("head", x=1.0)
    result = LoadControl(1e5, steps=10).run(model)
    assert result.outcome is Outcome.NOT_CONVERGED
    assert (
        "column" in result.message
        or "singular" in result.message
        or "did not converge" in result.message
    )
    assert len(result.time) >= 3


ALGORITHMS = [
    Newton(),
    ModifiedNewton(),
    ModifiedNewton(initial=True),
    NewtonLineSearch(),
    KrylovNewton(),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_every_algorithm_finds_the_same_path(algorithm: Any) -> None:
    model = Model("two bars")
    model.node(1, 0.0, 0.0, fixed="xy")
    model.node(2, 1.0, 0.0, fixed="y")
    law = Parallel([Bilinear(E=1e3, fy=1.0, b=0.1), ElasticGap(E=500.0, fy=1e6, gap=0.004)])
    model.add(Truss("bar", 1, 2, material=law, area=1.0))
    model.load(2, x=1.0)
    result = Pushover(2, 0.01, steps=10, algorithm=algorithm).run(model)
    reference = Pushover(2, 0.01, steps=10).run(model)
    assert result.outcome.ok, result.message
    assert result.factor("loads") == pytest.approx(reference.factor("loads"), rel=1e-8)


def test_a_limit_reached_in_a_step_that_needed_help_ends_the_run() -> None:
    first = -pull().displacement(2, "y")[1]
    result = pull(limits=(Limit(2, "y", 0.5 * first),))
    assert result.outcome is Outcome.LIMIT_REACHED
    assert result.relaxations[0]["step"] == 1
    assert result.state is not None
    # reached on the way through the parts of the step: the state is there, in balance
    u = -result.state.displacement(2, "y")
    assert 0.5 * first <= u < first
    assert result.state.factors["loads"] < 25.0
    assert 2e6 * (1.0 - 1.0 / np.hypot(1.0, u)) * u + u == pytest.approx(
        result.state.factors["loads"], rel=1e-8
    )


def test_the_time_limit_holds_inside_the_ladder_too() -> None:
    result = LoadControl(20.0, steps=1, policy=Policy(halvings=20, time_limit=1e-6)).run(hopeless())
    assert result.outcome is Outcome.TIME_LIMIT
    assert len(result.time) == 1
    assert result.state is not None
    assert result.state.factors["loads"] == 0.0


def test_an_interrupt_inside_the_ladder_leaves_the_last_step_in_balance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from femu.analyses.step_driver import StepDriver

    original = StepDriver.advance
    calls = {"parts": 0}

    def call(self: StepDriver, first: int, last: int) -> int:
        why = original(self, first, last)
        if first == 0 and last == 4 and self.steps.count != 4:  # the step in four parts
            calls["parts"] += 1
            raise KeyboardInterrupt
        return why

    monkeypatch.setattr(StepDriver, "advance", call)
    policy = Policy(algorithms=(), halvings=8)
    with pytest.raises(KeyboardInterrupt) as stop:
        LoadControl(20.0, steps=20, policy=policy).run(hopeless())
    whole: Result = stop.value.result  # type: ignore[attr-defined]
    assert calls["parts"] == 1
    assert whole.outcome is Outcome.STOPPED_BY_USER
    assert whole.state is not None
    assert whole.factor("loads")[-1] == whole.state.factors["loads"]
    assert whole.state.factors["loads"] == pytest.approx(
        round(whole.state.factors["loads"]), abs=1e-12
    )


def test_same_input_same_bits_with_help() -> None:
    one, two = shake(), shake()
    assert one.relaxations
    assert np.array_equal(one.arrays["u"], two.arrays["u"])
    assert one.relaxations == two.relaxations


def test_the_iteration_limit_ends_a_run_at_the_same_step_each_time() -> None:
    def push(most: float) -> Result:
        return LoadControl(8.0, steps=40, policy=Policy(iteration_limit=most)).run(hopeless())

    whole = push(math.inf)
    assert whole.outcome is Outcome.COMPLETE
    spent = np.cumsum(whole.iterations)
    ended = push(float(spent[9]))
    assert ended.outcome is Outcome.ITERATION_LIMIT
    assert "used up its iterations" in ended.message
    assert len(ended.time) == 11  # the step that used up the last iteration still counts
    assert np.array_equal(ended.displacement(2, "x"), whole.displacement(2, "x")[:11])
    assert push(float(spent[-1])).outcome is Outcome.COMPLETE


def test_failed_tries_count_in_the_iteration_limit() -> None:
    result = LoadControl(20.0, steps=1, policy=Policy(halvings=20, iteration_limit=40)).run(
        hopeless()
    )
    assert result.outcome is Outcome.ITERATION_LIMIT
    assert len(result.time) == 1
    assert result.state is not None
    assert not np.any(result.state.vector[: result.state.program.layout.elements])


def cantilever(hardening: float = 0.0) -> Model:
    """A force-based member whose base yields at 1e4 / 3."""
    model = Model("cantilever")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0)
    bending = Bilinear(E=1e7, fy=1e4, b=hardening)
    section = UncoupledSection(axial=Elastic(E=1e9), moment=bending)
    model.add(ForceBeamColumn("column", 1, 2, section=section))
    model.load(2, x=1.0)
    return model


def test_increments_of_members_are_divided_last_and_only_in_a_step_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each call of the kernel, by what force-based members begin with."""
    seen: list[float] = []
    call = StepDriver.advance

    def noted(self: StepDriver, first: int, last: int) -> int:
        seen.append(float(self.run.fields.step[HALVINGS]))
        return call(self, first, last)

    monkeypatch.setattr(StepDriver, "advance", noted)
    short = Policy(algorithms=(NewtonLineSearch(),), halvings=1)
    for policy, expected in (
        (short, [0.0, 0.0, 0.0, 0.0, 2.0, 4.0]),
        (replace(short, divide_members=False), [0.0, 0.0, 0.0, 0.0]),
        (Policy.none(), [0.0]),
    ):
        seen.clear()
        result = LoadControl(1e5, steps=1, policy=policy).run(cantilever())
        assert result.outcome is Outcome.NOT_CONVERGED
        assert seen == expected
    seen.clear()
    assert LoadControl(1e3, steps=1).run(cantilever()).outcome is Outcome.COMPLETE
    assert seen == [0.0]


def test_divided_increments_of_a_member_with_one_answer_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hardening cantilever, with members divided in every step and in none."""
    model = cantilever(0.1)
    found = []
    for halvings in (0.0, 2.0, 4.0):
        install = StepDriver.install

        def divided(self: StepDriver, by: float = halvings, how: Any = install) -> None:
            how(self)
            self.run.fields.step[HALVINGS] = by

        with monkeypatch.context() as patch:
            patch.setattr(StepDriver, "install", divided)
            result = LoadControl(5e3, steps=3).run(model)
        assert result.outcome is Outcome.COMPLETE
        found.append(result.displacement(2, "x"))
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[2] == pytest.approx(found[0], rel=1e-9)


def test_divide_members_is_true_or_false() -> None:
    with pytest.raises(InputError, match="divide_members"):
        Policy(divide_members=1)  # type: ignore[arg-type]
