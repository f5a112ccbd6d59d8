"""What analyses ask of themselves before they run.

Each finding is triggered once, and sound runs give none.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from example_frames import cantilever, portal

from femu import FailedAnalysis, GroundMotion, Model, Outcome, Result, UniformLoad, failures_handled
from femu.analyses import (
    AlphaOS,
    FixedIterations,
    HybridTest,
    ImplicitHybrid,
    LoadControl,
    Newmark,
    Pushover,
    Transient,
)
from femu.analyses.integrators.integrator import Integrator
from femu.batch import Plan, Suite, runner
from femu.check import CheckWarning, of_analysis
from femu.check.first_period import first_period, least_first_period
from femu.cli.main import main
from femu.elements import ElasticBeamColumn, ZeroLength
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    ExperimentalLink,
    PolynomialCompensation,
)
from femu.experimental.specimens.actuator import Actuator
from femu.materials import Elastic, ElasticSection
from femu.model.series import Pulse
from femu.support import hooks

STEEL = ElasticSection(E=200e9, A=1e-2, I=1e-4)
LENGTH, MASS = 3.0, 2e4
# 0.595 s, a cantilever without rotatory inertia
PERIOD = 2.0 * np.pi * np.sqrt(MASS * LENGTH**3 / (3.0 * 200e9 * 1e-4))


def column(
    gravity: float = -MASS * 9.81,
    mass: float = MASS,
    length: float = LENGTH,
    pattern: str = "gravity",
) -> Model:
    model = Model("column")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, length, mass=mass)
    model.add(ElasticBeamColumn("c", "A", "B", section=STEEL))
    model.load("B", y=gravity, pattern=pattern)
    model.load("B", x=1e3, pattern="push")
    return model


def sine(step: float, period: float, duration: float = 1.0) -> GroundMotion:
    times = np.arange(0.0, duration, step)
    return GroundMotion("sine", step, 3.0 * np.sin(2.0 * np.pi * times / period))


def loaded(model: Model) -> tuple[object, Result]:
    program = model.compile()
    return program, LoadControl(pattern="gravity", steps=1).run(program)


def specimen_test(
    delay: float = 0.0,
    rotatory: float = 0.0,
    known: float = 1.0,
    integrator: Integrator | None = None,
    duration: float = 0.1,
    compensation: object = None,
) -> HybridTest:
    """A cantilever that is a specimen, of which the test knows a share of the stiffness."""
    model = Model("specimen")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, LENGTH, mass=(MASS, MASS, rotatory))
    specimen = EmulatedSpecimen(
        ElasticBeamColumn("c", "i", "j", section=STEEL),
        length=LENGTH,
        actuator=Actuator(delay=delay),
    )
    model.add(
        ExperimentalBeamColumn(
            "c",
            "A",
            "B",
            specimen=specimen,
            stiffness=known * specimen.initial_stiffness(),
            compensation=compensation,
        )
    )
    return HybridTest(model, GroundMotion.el_centro(), integrator, dt=0.005, duration=duration)


def test_ordinary_runs_give_no_finding() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CheckWarning)
        for model in (portal(), portal("fibre"), cantilever()):
            program = model.compile()
            start = (
                LoadControl(pattern="gravity", steps=1).run(program).state
                if "gravity" in model.patterns
                else None
            )
            quake = GroundMotion.el_centro()
            assert (
                list(
                    Transient(Newmark(), dt=0.005)
                    .run(program, quake, duration=0.1, start=start)
                    .findings
                )
                == []
            )
        program, gravity = loaded(column())
        assert list(gravity.findings) == []
        assert (
            list(Transient(dt=0.01).run(program, sine(0.01, 0.5), start=gravity.state).findings)
            == []
        )
        assert (
            list(
                Pushover("B", 0.1, steps=2, pattern="push")
                .run(program, start=gravity.state)
                .findings
            )
            == []
        )
        assert list(specimen_test().run().findings) == []


def test_a_pattern_that_is_never_applied() -> None:
    with pytest.warns(CheckWarning, match="pattern 'gravity' of 'column' is never applied"):
        result = Transient(dt=0.01).run(column(), sine(0.01, 0.5))
    assert [f.objects for f in result.findings] == [("gravity",)]


@pytest.mark.parametrize("name", ["loads", "vertical", "DL", "roof"])
def test_loads_that_act_down_are_gravity_whatever_their_name(name: str) -> None:
    quake = sine(0.01, 0.5)
    with pytest.warns(CheckWarning, match=f"pattern '{name}' of 'column' is never applied"):
        found = Transient(dt=0.01).run(column(pattern=name), quake).findings
    assert [f.objects for f in found] == [(name,)]
    model = column(pattern=name)
    gravity = LoadControl(pattern=name, steps=1).run(model)
    assert not Transient(dt=0.01).run(model, quake, start=gravity.state).findings


@pytest.mark.parametrize("name", ["live", "snow"])
def test_variable_loads_may_be_left_out(name: str) -> None:
    assert not Transient(dt=0.01).run(column(pattern=name), sine(0.01, 0.5)).findings


def test_a_level_part_makes_a_pattern_no_gravity() -> None:
    model = column(pattern="pull")
    model.load("B", x=0.1 * MASS * 9.81, pattern="pull")
    assert not Transient(dt=0.01).run(model, sine(0.01, 0.5)).findings


def test_a_member_load_across_an_inclined_member_is_no_gravity() -> None:
    for end, count in (((4.0, 0.0), 1), ((3.0, 3.0), 0)):
        model = Model("beam")
        model.node("A", 0.0, 0.0, fixed=True)
        model.node("B", *end, mass=MASS)
        model.add(ElasticBeamColumn("b", "A", "B", section=STEEL))
        model.member_load("b", UniformLoad(y=-1e3), "cladding")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Transient(dt=0.001).run(model, sine(0.01, 0.5), duration=0.1)
        assert sum("never applied" in str(w.message) for w in caught) == count


def test_another_load_at_the_start_does_not_hide_missing_gravity() -> None:
    program = column().compile()
    pushed = Pushover("B", 0.01, steps=2, pattern="push").run(program, check=False)
    with pytest.warns(CheckWarning, match="pattern 'gravity' of 'column' is never applied"):
        Transient(dt=0.01).run(program, sine(0.01, 0.5), start=pushed.state)


def test_gravity_of_a_hybrid_test_needs_a_series() -> None:
    """No static analysis can go before a hybrid test."""
    test = specimen_test()
    test.program.source.load("B", y=-MASS * 9.81, pattern="gravity")
    test = HybridTest(
        test.program.source, GroundMotion.el_centro(), test.integrator, dt=0.005, duration=0.1
    )
    with pytest.warns(CheckWarning, match="'gravity' of 'specimen' is never applied") as caught:
        test.run()
    said = " ".join(str(w.message) for w in caught)
    assert "model.pattern('gravity', series)" in said and "LoadControl" not in said


def test_a_rotation_in_degrees() -> None:
    turn = dict(pattern="push", steps=2)
    program = column(pattern="live").compile()
    assert not Pushover("B", 3.0, direction="rz", **turn).run(program).findings
    with pytest.warns(CheckWarning, match="turned by 90 about z: rotations are in radians"):
        Pushover("B", 90.0, direction="rz", **turn).run(program)


def test_an_analysis_questions_beams_on_their_side() -> None:
    def cantilever_in_space(vecxz: tuple[float, float, float]) -> Model:
        model = Model("side", dimensions=3)
        model.node("A", 0.0, 0.0, 0.0, fixed=True)
        model.node("B", 3.0, 0.0, 0.0)
        section = ElasticSection(E=200e9, A=1e-2, I=1e-4, Iy=8e-6, G=80e9, J=1e-6)
        model.add(ElasticBeamColumn("b", "A", "B", section=section, vecxz=vecxz))
        model.load("B", z=-1e3, pattern="gravity")
        return model

    gravity = LoadControl(pattern="gravity", steps=1)
    assert not gravity.run(cantilever_in_space((0.0, 1.0, 0.0))).findings
    with pytest.warns(CheckWarning, match="bend the section about its weak axis, up to 12.5"):
        gravity.run(cantilever_in_space((0.0, 0.0, 1.0)))


def test_a_push_without_the_gravity_of_the_model() -> None:
    program, gravity = loaded(column())
    push = Pushover("B", 0.01, steps=2, pattern="push")
    with pytest.warns(CheckWarning, match="pattern 'gravity' of 'column' is never applied"):
        push.run(program)
    assert list(push.run(program, start=gravity.state).findings) == []
    # load cases may be run one by one
    assert list(LoadControl(pattern="push", steps=1).run(program).findings) == []


def test_a_pattern_without_series_and_no_other_load() -> None:
    with pytest.warns(CheckWarning, match="pattern 'wind' of 'column' is never applied"):
        Transient(dt=0.01).run(_with_wind_alone(), duration=0.1)


def _with_wind_alone() -> Model:
    model = column()
    del model.patterns["gravity"], model.patterns["push"]
    model.load("B", x=1e3, pattern="wind")
    return model


def test_a_mechanism_that_moves_in_time() -> None:
    """With mass it ends no analysis; without a stiffness its period is not implausible but
    missing."""
    model = Model("pinned")
    model.node("A", 0.0, 0.0, fixed=("x", "y"))
    model.node("B", 0.0, LENGTH, mass=MASS)
    model.add(ElasticBeamColumn("c", "A", "B", section=STEEL))
    with pytest.warns(CheckWarning, match="structure is a mechanism: node 'B'"):
        result = Transient(dt=0.01).run(model, GroundMotion.el_centro(), duration=0.05)
    assert [f.severity for f in result.findings] == ["warning"]


def test_a_step_longer_than_a_tenth_of_the_first_period() -> None:
    program, gravity = loaded(column())
    motion = sine(0.2, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CheckWarning)
        Transient(dt=0.99 * PERIOD / 10.0).run(program, motion, start=gravity.state)
    with pytest.warns(
        CheckWarning,
        match=r"longer than a tenth of the first period of 'column', "
        r"0\.5\d+: .* dt = 0\.02 or less",
    ):
        Transient(dt=1.01 * PERIOD / 10.0).run(program, motion, start=gravity.state)


def test_a_step_that_misses_what_is_in_the_record() -> None:
    program, gravity = loaded(column())
    with pytest.warns(
        CheckWarning, match="dt = 0.04 is longer than the step of the motion 'sine', 0.01"
    ):
        Transient(dt=0.04).run(program, sine(0.01, 0.08), start=gravity.state)


def test_a_longer_step_than_that_of_a_smooth_record_is_no_finding() -> None:
    program, gravity = loaded(column())
    assert (
        list(Transient(dt=0.02).run(program, sine(0.001, 0.5), start=gravity.state).findings) == []
    )


def test_a_push_in_another_unit() -> None:
    program, gravity = loaded(column())
    with pytest.warns(
        CheckWarning, match="is pushed 300 along x, 100 times the largest extent of the model, 3:"
    ):
        Pushover("B", 300.0, steps=1, pattern="push").run(program, start=gravity.state)


@pytest.mark.parametrize(
    ("mass", "says"),
    [
        (MASS / 1e3, "is 1000 times the weight"),
        (MASS * 1e3, "is 0.001 times the weight"),
        (MASS * 9.81, "is it a weight"),
    ],
)
def test_masses_in_another_unit(mass: float, says: str) -> None:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        result = LoadControl(pattern="gravity", steps=1).run(
            column(mass=mass, gravity=-MASS * 9.81)
        )
    assert any(says in f.message for f in result.findings)


def test_coordinates_in_another_unit() -> None:
    model = column()
    model.node("C", 4.0, 3.0)
    model.node("D", 4000.0, 3000.0)
    model.add(ElasticBeamColumn("b", "B", "C", section=STEEL))
    model.add(ElasticBeamColumn("d", "C", "D", section=STEEL))
    with pytest.warns(CheckWarning, match="node 'D' is .* away from its neighbours") as seen:
        LoadControl(pattern="gravity", steps=1).run(model)
    assert sum("away from its neighbours" in str(w.message) for w in seen) == 1
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        whole = LoadControl(pattern="gravity", steps=1).run(column(length=3000.0))
    assert any("looks like millimetres" in f.message for f in whole.findings)


def test_gravity_that_points_up() -> None:
    with pytest.warns(
        CheckWarning, match="pattern 'gravity' points up: its loads along y sum to 1.962e\\+05"
    ):
        LoadControl(pattern="gravity", steps=1).run(column(gravity=MASS * 9.81))
    assert (
        list(
            LoadControl(pattern="jack", steps=1)
            .run(column(gravity=MASS * 9.81, pattern="jack"))
            .findings
        )
        == []
    )


def one_step(error: float, late: int) -> np.ndarray:
    """A step without mass, over u, dt v, dt^2 a and the last d.

    Newmark's formulas with u_1 = error * d, seen late.
    """
    unit = np.eye(3 + late)
    asked = unit[0] + unit[1] + 0.5 * unit[2]
    end = error * (asked if late == 0 else unit[-1])
    acceleration = unit[2] + 4.0 * (end - asked)
    velocity = unit[1] + 0.5 * unit[2] + 0.5 * acceleration
    return np.array([end, velocity, acceleration, *([asked, *unit[3:-1]] if late else [])])


def _turning(known: float, late: int) -> HybridTest:
    """A rotational spring without mass that a short push has set in motion, and a mass that has
    nothing to do with it."""
    model = Model("turning")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 0.0, mass=(1.0, 1.0, 0.0))
    model.add(ZeroLength("s", "A", "B", laws={"x": Elastic(E=1e3), "y": Elastic(E=1e3)}))
    specimen = EmulatedSpecimen(Elastic(E=1e3), actuator=Actuator(delay=0.01 * late))
    model.add(
        ExperimentalLink("t", "A", "B", directions=["rz"], specimen=specimen, stiffness=known * 1e3)
    )
    model.pattern("push", Pulse(0.005, 0.015))
    model.load("B", rz=1.0, pattern="push")
    return HybridTest(model, dt=0.01, duration=0.4)


@pytest.mark.parametrize("late", [0, 1, 4])
@pytest.mark.parametrize("known", [0.8, 0.99, 1.01, 1.25])
def test_why_directions_without_mass_are_unstable(known: float, late: int) -> None:
    """A direction of its own follows the formulas of `femu.check.of_hybrid_test`, which have
    growing solutions."""
    step = one_step(1.0 - 1.0 / known, late)
    assert np.abs(np.linalg.eigvals(step)).max() > 1.01
    pushed = 1.0 / (1e3 * known)  # at the end of the first step
    state = pushed * np.array([1.0, 2.0, 4.0, *np.zeros(late)])
    expected = [0.0]
    for _ in range(40):
        expected.append(state[0])
        state = step @ state
    with failures_handled():
        turned = _turning(known, late).run(check=False).displacement("B", "rz")
    np.testing.assert_allclose(
        turned, expected, rtol=1e-6, atol=1e-9 * float(np.abs(expected).max())
    )


@pytest.mark.parametrize(
    ("delay", "integrator", "instead"),
    [
        (0.0, ImplicitHybrid(), AlphaOS()),
        (0.0, Newmark(), AlphaOS()),
        (0.02, ImplicitHybrid(), FixedIterations()),
        (0.02, AlphaOS(), FixedIterations()),
    ],
)
def test_a_specimen_in_a_direction_without_mass(
    delay: float, integrator: Integrator, instead: Integrator
) -> None:
    """The finding is true, and each fix that it names is one."""
    says = f"node 'B' along rz, which has no mass.*integrator={type(instead).__name__}"
    with (
        pytest.warns(CheckWarning, match=says),
        pytest.warns(FailedAnalysis, match="grown without bound: node 'B'"),
    ):
        unstable = specimen_test(delay, known=1.6, integrator=integrator, duration=4.0).run()
    assert unstable.outcome is Outcome.UNSTABLE
    with warnings.catch_warnings():
        # late and 1.6 times as stiff as it is, the loop is unstable along y too, which the motion
        # along x does not set off; that is another warning
        warnings.simplefilter("ignore", CheckWarning)
        warnings.filterwarnings("error", ".*no mass", CheckWarning)
        stable = [
            specimen_test(
                delay, rotatory=2e4, known=1.6, integrator=integrator, duration=4.0
            ).run(),
            specimen_test(delay, known=1.6, integrator=instead, duration=4.0).run(),
        ]
    rotations = [
        float(np.abs(result.displacement("B", "rz")).max()) for result in (unstable, *stable)
    ]
    # without bound, and some milliradians
    assert rotations[0] > 1e3 and max(rotations[1:]) < 0.1, rotations


def test_a_compensation_does_not_make_directions_without_mass_stable() -> None:
    with pytest.warns(CheckWarning, match="is measured 0.02 late"):
        specimen_test(0.02, known=1.6, compensation=PolynomialCompensation(0.02)).run()


def test_a_warning_is_shown_once_for_a_program_and_points_at_the_call() -> None:
    program = column().compile()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        both = [Transient(dt=0.01).run(program, sine(0.01, 0.5)) for _ in range(2)]
    assert [(w.category, w.filename) for w in seen] == [(CheckWarning, __file__)]
    assert [len(result.findings) for result in both] == [1, 1]


def test_a_reloaded_program_shares_what_is_known() -> None:
    model = column()
    program = model.compile()
    with pytest.warns(CheckWarning):
        Transient(dt=0.01).run(program, sine(0.01, 0.5))
    again = program.reloaded(model)
    assert again is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error", CheckWarning)
        Transient(dt=0.01).run(again, sine(0.01, 0.5))


def test_a_batch_says_it_once_and_its_runs_ask_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = of_analysis.check_transient
    for module in (runner, hooks):
        monkeypatch.setattr(
            module, "check_transient", lambda *given: asked.append(1) or real(*given)
        )
    quakes = [sine(0.01, period) for period in (0.3, 0.5)]
    batch = Suite(
        Plan(column(), Transient(dt=0.01), storeys=["A", "B"]), quakes, scales=(0.01, 0.02)
    )
    with pytest.warns(CheckWarning) as seen:
        batch.run(tmp_path / "a.h5", on="threads", workers=1)
    assert [(str(w.message)[:42], w.filename) for w in seen] == [
        ("pattern 'gravity' of 'column' is never app", __file__)
    ]
    assert len(asked) == 1
    batch.run(tmp_path / "b.h5", on="threads", workers=1, check=False)
    assert len(asked) == 1


def test_modes_are_found_only_if_a_bound_does_not_settle_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[float] = []
    real = of_analysis.first_period
    monkeypatch.setattr(
        of_analysis, "first_period", lambda *given: found.append(1.0) or real(*given)
    )
    program, gravity = loaded(column())
    for _ in range(2):
        Transient(dt=0.01).run(program, sine(0.01, 0.5), start=gravity.state)
    assert not found
    with pytest.warns(CheckWarning, match="a tenth of the first period"):
        for _ in range(3):
            Transient(dt=0.1).run(program, sine(0.1, 2.0), start=gravity.state)
    assert len(found) == 1


@pytest.mark.parametrize("kind", ["nm", "elastic", "fibre", "uncoupled"])
def test_the_bound_of_the_first_period_is_one(kind: str) -> None:
    """Rayleigh's quotient is never above the period, and for a frame in its first mode it is close."""
    program = portal(kind).compile()
    least, period = least_first_period(program), first_period(program)
    assert least is not None and period is not None
    assert 0.98 * period < least <= period * (1.0 + 1e-12)


def test_the_check_can_be_turned_off() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CheckWarning)
        assert list(Transient(dt=0.2).run(column(), sine(0.01, 0.08), check=False).findings) == []
        specimen_test(0.02, known=0.8).run(check=False)
        Pushover("B", 300.0, steps=1, pattern="push").run(column(), check=False)


def test_findings_are_kept_in_the_file_of_a_result(tmp_path: Path) -> None:
    with pytest.warns(CheckWarning):
        result = Transient(dt=0.01).run(column(), sine(0.01, 0.5))
    result.save(tmp_path / "a.h5")
    assert Result.load(tmp_path / "a.h5").findings == result.findings
    CliRunner().invoke(main, ["report", str(tmp_path / "a.h5")])
    assert "is never applied" in (tmp_path / "a.html").read_text()


SCRIPT = """
from femu import Model
from femu.analyses import LoadControl
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection

model = Model("cantilever")
model.node("A", 0.0, 0.0, fixed=True)
model.node("B", 3.0, 0.0)
model.add(ElasticBeamColumn("b", "A", "B", section=ElasticSection(E=200e9, A=1e-2, I=1e-4)))
model.load("B", y={load}, pattern="gravity")
LoadControl(pattern="gravity", steps=1).run(model)
"""
STARTS_A_TEST = """
from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import ElasticBeamColumn
from femu.experimental import EmulatedSpecimen, ExperimentalBeamColumn
from femu.experimental.specimens.actuator import Actuator
from femu.materials import ElasticSection

model = Model("late")
model.node("A", 0.0, 0.0, fixed=True)
model.node("B", 0.0, 3.0, mass=(2e4, 2e4, 0.0))
column = ElasticBeamColumn("c", "i", "j", section=ElasticSection(E=200e9, A=1e-2, I=1e-4))
specimen = EmulatedSpecimen(column, length=3.0, actuator=Actuator(delay=0.02))
model.add(ExperimentalBeamColumn("c", "A", "B", specimen=specimen, stiffness=0.8 * specimen.initial_stiffness()))
test = HybridTest(model, GroundMotion.el_centro(), dt=0.005, duration=0.1)
{start}
"""


def test_femu_check_prints_findings_and_its_exit_code_says_whether_there_are_warnings(
    tmp_path: Path,
) -> None:
    script = tmp_path / "beam.py"
    script.write_text(SCRIPT.format(load=1e3))
    found = CliRunner().invoke(main, ["check", str(script)])
    assert found.exit_code == 1, found.output
    assert found.output.count("cantilever: warning: pattern 'gravity' points up") == 1
    script.write_text(SCRIPT.format(load=-1e3))
    found = CliRunner().invoke(main, ["check", str(script)])
    assert found.exit_code == 0, found.output
    assert "note: model 'cantilever' has no mass" in found.output  # a static model needs none
    assert found.output.endswith("beam.py: no warnings\n")


@pytest.mark.parametrize("start", ["", "test.run()"])
def test_femu_check_starts_no_hybrid_test(tmp_path: Path, start: str) -> None:
    script = tmp_path / "late.py"
    script.write_text(STARTS_A_TEST.format(start=start))
    found = CliRunner().invoke(main, ["check", str(script)])
    assert found.exit_code == 1, found.output
    assert found.output.count("is measured 0.02 late") == 1
    assert ("was not started" in found.output) is bool(start)
    assert found.output.count("node 'B' is connected to no") == 0
    script.write_text(STARTS_A_TEST.format(start="model.node('far', 9.0, 9.0)\n" + start))
    found = CliRunner().invoke(main, ["check", str(script)])
    # also of what was defined before the test
    assert found.output.count("node 'far' is connected to no element") == 1


def test_femu_check_says_that_there_is_nothing_to_check(tmp_path: Path) -> None:
    script = tmp_path / "guarded.py"
    script.write_text("if __name__ == '__main__':\n    print('hidden')\n")
    found = CliRunner().invoke(main, ["check", str(script)])
    assert found.exit_code not in (0, 1) and "defines no model" in found.output + found.stderr, (
        found.output
    )
    script.write_text(SCRIPT.format(load=1e3) + "raise SystemExit(0)\n")
    assert CliRunner().invoke(main, ["check", str(script)]).exit_code == 1


def test_a_script_that_only_runs_sound_analyses_is_sound(tmp_path: Path) -> None:
    script = tmp_path / "inside.py"
    inside = SCRIPT.format(load=-1e3).replace("\n", "\n    ")
    script.write_text(f"def calculate():\n    {inside}\n\ncalculate()\n")
    found = CliRunner().invoke(main, ["check", str(script)])
    assert (found.exit_code, found.output) == (0, "inside.py: no warnings\n"), found.output
