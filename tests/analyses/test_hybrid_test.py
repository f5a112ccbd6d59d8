"""The hybrid test: what it records, how it ends, how it continues after an interruption, and what an
updater may do."""

from functools import partial

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from hybrid_models import CHAIN, LINK, MASSES, SPRINGS, frame, hybrid, laws, masses, ordinary

from femu import (
    AnalysisError,
    FileError,
    GroundMotion,
    HybridTest,
    InputError,
    Model,
    ModelError,
    Outcome,
    Result,
    Save,
)
from femu.analyses import HHT, ImplicitHybrid, KRAlpha, Newmark, RungeKutta, Transient
from femu.experimental import (
    AdaptiveCompensation,
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalElement,
    InitialTangent,
    Limits,
    Measurement,
    PolynomialCompensation,
    ReplaySpecimen,
    Sensors,
    Specimen,
    Unlimited,
    read_journal,
    replay,
)
from femu.experimental.hybrid_result import HybridResult
from femu.materials import Elastic

# failures are what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")

QUAKE = GroundMotion.el_centro()
DT, STEPS = 0.01, 300
NOISE = (2e-6, 2e-3)


def noisy(motion=QUAKE, initial=0.0, **options):
    model = hybrid(False, noise=NOISE, seed=2)
    model.rayleigh(mass=0.4, initial=initial)
    options.setdefault(
        "tangents",
        {"specimen": EigenvectorTangent(displacement_noise=NOISE[0], force_noise=NOISE[1])},
    )
    return HybridTest(model, motion, dt=DT, duration=STEPS * DT, **options)


class Learner:
    """Changes the stiffness of the numerical spring during the test, by a given table."""

    element = "specimen"

    def __init__(self, until=STEPS):
        self.calls, self.until = [], until

    def start(self, program, parameters):
        self.place, self.parameters = (
            [i for i, n in enumerate(program.parameters.names) if n.startswith("top.x.E")],
            parameters,
        )
        self.sum = np.zeros(2)

    def update(self, step, time, displacement, force):
        self.calls.append((step, time, displacement.copy(), force.copy()))
        self.sum += [displacement[0], 1.0]
        if step % 10 == 0 and step <= self.until:
            self.parameters[self.place] = LINK * (1.0 + 3.0 * np.tanh(self.sum[0]))

    def checkpoint(self):
        return self.sum.copy()

    def restore(self, values):
        self.sum[:] = values


# --- what is recorded ---


def test_record_of_the_exchange():
    result = noisy().run()
    assert result.steps == STEPS
    assert np.allclose(result.instants, DT * np.arange(STEPS + 1))
    specimen = EmulatedSpecimen(laws(False), coordinates=CHAIN, sensors=Sensors(*NOISE), seed=2)
    answers = [
        specimen.apply(command, DT * k)
        for k, command in enumerate(result.command("specimen")[1:], start=1)
    ]
    d, f = result.measured("specimen")
    assert np.array_equal(d[1:], [m.displacement for m in answers])
    assert np.array_equal(f[1:], [m.force for m in answers])
    v, q = result.converged_response("specimen")
    for place in range(2):
        assert np.allclose(v[:, place], result.displacement(place + 1, "x"), atol=1e-15)
    # linear about the measurement, with the recorded stiffness
    k = result.stiffness("specimen")
    assert np.allclose(
        q[1:], f[1:] + np.einsum("tab,tb->ta", k[1:], v[1:] - d[1:]), atol=1e-9 * np.abs(q).max()
    )
    assert np.array_equal(result.force("specimen", "basic"), q)
    assert np.all(result.of_step("seconds")[1:] >= result.of_step("waiting")[1:])
    assert np.all(result.of_step("waiting")[1:] > 0.0)
    with pytest.raises(ModelError, match="top"):
        result.stiffness("top")
    with pytest.raises(InputError, match="of_step"):
        result.of_step("colour")


def test_energies():
    result = noisy(integrator=ImplicitHybrid(), save=Save(every=5)).run()
    rows = {
        name: result.of_step(name)
        for name in ("input", "kinetic", "damping", "strain", "hysteretic", "experimental error")
    }
    balance = (
        rows["input"] - rows["kinetic"] - rows["damping"] - rows["strain"] - rows["hysteretic"]
    )
    assert np.abs(balance).max() < 1e-5 * rows["input"].max()
    assert rows["hysteretic"][-1] > 0.2 * rows["input"][-1]
    assert np.all(rows["strain"] >= 0.0)
    for name, values in rows.items():
        assert np.array_equal(result.energy(name), values[::5])
    assert np.allclose(
        result.energy("absorbed"), result.energy("strain") + result.energy("hysteretic")
    )
    works = []
    for d, f in (result.converged_response("specimen"), result.measured("specimen")):
        works.append(
            np.concatenate(
                [[0.0], np.cumsum(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(d, axis=0), axis=1))]
            )
        )
    assert np.allclose(
        rows["experimental error"], works[0] - works[1], atol=1e-12 * np.abs(works[0]).max()
    )
    assert result.experimental_error == rows["experimental error"][-1] / rows["input"][-1]


def test_strain_energy_of_a_linear_model_is_all_it_absorbs():
    result = HybridTest(hybrid(), QUAKE, dt=DT, duration=STEPS * DT).run()
    u = np.stack([result.displacement(k, "x") for k in (1, 2, 3)], axis=1)
    v = result.velocity(1, "x"), result.velocity(2, "x"), result.velocity(3, "x")
    k = LINK * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
    k[:2, :2] += CHAIN.T @ np.diag(SPRINGS) @ CHAIN
    strain = 0.5 * np.einsum("ta,ab,tb->t", u, k, u)
    assert np.allclose(result.energy("strain"), strain, atol=1e-10 * strain.max())
    assert np.abs(result.energy("hysteretic")).max() < 1e-4 * strain.max()  # of the tolerance
    assert np.allclose(
        result.energy("kinetic"), sum(0.5 * m * x**2 for m, x in zip(MASSES, v, strict=True))
    )


def test_results_are_saved_and_read(tmp_path):
    result = noisy(save=Save(every=3)).run()
    result.save(tmp_path / "r.h5")
    again = HybridResult.load(tmp_path / "r.h5")
    assert again == result
    assert np.array_equal(again.stiffness("specimen"), result.stiffness("specimen"))
    assert np.array_equal(again.updated("specimen"), result.updated("specimen"))
    assert np.array_equal(
        Result.load(tmp_path / "r.h5").displacement(3, "x"), result.displacement(3, "x")
    )


def test_tables_have_the_exchange_too():
    result = noisy(save=Save(every=3)).run()
    columns = result.columns()
    assert {len(values) for values in columns.values()} == {STEPS // 3 + 1}
    assert np.array_equal(
        columns["specimen measured force x at 2"], result.measured("specimen")[1][::3, 1]
    )
    assert np.array_equal(
        columns["specimen stiffness x at 1 by x at 2"], result.stiffness("specimen")[::3, 0, 1]
    )
    assert np.array_equal(columns["energy experimental error"], result.energy("experimental error"))
    assert np.array_equal(columns["energy input"], result.energy("input"))


# --- after an interruption ---


def stopped(test, step):
    """Make a test stop before the command of a step."""
    specimen = test.elements["specimen"].specimen
    apply = specimen.apply

    def until(command, time):
        if time > (step - 0.5) * DT:
            raise KeyboardInterrupt
        return apply(command, time)

    specimen.apply = until
    return test


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": ImplicitHybrid(HHT(0.9), estimates=15, failing=(40, 150, 220))},
        {"tangents": {}},
        {"integrator": Newmark(), "save": Save(every=7)},
        {"updater": Learner},
        {"updater": Learner, "initial": 1e-3},
        {"updater": Learner, "integrator": KRAlpha(0.8)},
    ],
    ids=[
        "default",
        "hht",
        "K0",
        "newmark",
        "updater",
        "updater and damping of the start",
        "updater and stiffness of the start",
    ],
)
def test_a_resumed_test_has_the_bits_and_the_result_of_an_uninterrupted_one(tmp_path, options):
    def make():
        return noisy(**{k: v() if k == "updater" else v for k, v in options.items()})

    whole = make().run(tmp_path / "whole.h5")
    assert whole.outcome is Outcome.COMPLETE
    first = stopped_by_ctrl_c(stopped(make(), 137).run, tmp_path / "j.h5")
    assert (first.outcome, first.steps) == (Outcome.STOPPED_BY_USER, 136)
    result = make().resume(tmp_path / "j.h5")
    assert np.array_equal(result.state.vector, whole.state.vector)
    for name, array in whole.arrays.items():
        if name != "test":
            assert np.array_equal(result.arrays[name], array), name
    timing = [2, 3]  # seconds, waiting
    assert np.array_equal(
        np.delete(result.arrays["test"], timing, 1), np.delete(whole.arrays["test"], timing, 1)
    )
    assert np.array_equal(result.iterations, whole.iterations)
    one, two = read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5")
    for table in ("state", "specimens", "parameter_history"):
        a, b = getattr(one, table), getattr(two, table)
        assert a.shape == b.shape and np.array_equal(a[:, :-1], b[:, :-1]), table


def test_another_integrator_cannot_go_on(tmp_path):
    stopped_by_ctrl_c(stopped(noisy(), 20).run, tmp_path / "j.h5")
    with pytest.raises(InputError, match="integrator"):
        noisy(integrator=Newmark()).resume(tmp_path / "j.h5")


@pytest.mark.parametrize(
    "motion", [GroundMotion("louder", QUAKE.dt, 1.01 * QUAKE.acceleration), None]
)
def test_another_ground_motion_cannot_go_on(tmp_path, motion):
    stopped_by_ctrl_c(stopped(noisy(), 20).run, tmp_path / "j.h5")
    with pytest.raises(InputError, match="loading"):
        noisy(motion).resume(tmp_path / "j.h5")


def test_a_journal_of_an_earlier_version_goes_on(tmp_path):
    stopped_by_ctrl_c(stopped(noisy(), 20).run, tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    for name in ("loading", "compensations", "estimators"):
        del record.about[name]
    noisy().check(record)


def test_another_compensation_or_estimator_cannot_go_on(tmp_path):
    def make(delay, **options):
        test = noisy(**options)
        test.elements["specimen"].compensation = PolynomialCompensation(delay)
        return test

    stopped_by_ctrl_c(stopped(make(0.004), 20).run, tmp_path / "j.h5")
    with pytest.raises(InputError, match="compensations"):
        make(0.008).resume(tmp_path / "j.h5")
    with pytest.raises(InputError, match="estimators"):
        make(0.004, tangents={"specimen": InitialTangent()}).resume(tmp_path / "j.h5")
    assert make(0.004).resume(tmp_path / "j.h5").outcome is Outcome.COMPLETE


def test_a_journal_with_steps_that_do_not_follow_each_other_is_refused(tmp_path):
    stopped_by_ctrl_c(stopped(noisy(), 20).run, tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    record.committed[7, 0] = np.nan
    with pytest.raises(FileError, match="damaged"):
        noisy().check(record)


@pytest.mark.parametrize("shared", ["specimen", "compensation", "tangents"])
def test_two_elements_do_not_share_what_remembers(shared):
    """One compensation would take the targets of both for those of one actuator, and command
    something between them."""

    def make(shared):
        model, one = (
            frame(),
            {
                "specimen": EmulatedSpecimen(Elastic(LINK)),
                "compensation": PolynomialCompensation(0.004),
                "tangents": EigenvectorTangent(),
            },
        )
        tangents = {}
        for k in (1, 2):
            own = {
                "specimen": EmulatedSpecimen(Elastic(LINK)),
                "compensation": PolynomialCompensation(0.004),
                "tangents": EigenvectorTangent(),
            }
            own.update({shared: one[shared]} if shared else {})
            tangents[k] = own.pop("tangents")
            model.add(ExperimentalElement(k, [(k, "x")], **own))
        return HybridTest(model, QUAKE, dt=DT, duration=DT, tangents=tangents)

    make(None)
    with pytest.raises(InputError, match=f"{shared} = .* must not be the same object for 1 and 2"):
        make(shared)


def test_replay(tmp_path):
    noisy().run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    assert replay(noisy(), record) == {"specimen": None}
    other = noisy(integrator=ImplicitHybrid(estimates=3))
    found = replay(other, record)["specimen"]
    assert found is not None
    assert found.step > 1
    assert isinstance(other.elements["specimen"].specimen, ReplaySpecimen)


def test_a_replay_that_ends_too_early_is_not_the_same_test(tmp_path):
    noisy().run(tmp_path / "j.h5")
    record = read_journal(tmp_path / "j.h5")
    most = 0.5 * np.abs(record.commands("specimen")).max()
    limited = HybridTest(
        hybrid(False, limits=Limits(displacement=most)), QUAKE, dt=DT, duration=STEPS * DT
    )
    limited.program.parameters["rayleigh.mass"] = 0.4
    limited.tangents["specimen"] = EigenvectorTangent(
        displacement_noise=NOISE[0], force_noise=NOISE[1]
    )
    found = replay(limited, record)["specimen"]
    assert found is not None and found.given is None
    assert np.abs(found.wanted).max() > most
    assert "the replay ended before it: The displacement limit" in str(found)


@pytest.mark.parametrize(
    "compensation",
    [None, PolynomialCompensation(0.004), AdaptiveCompensation(0.004)],
    ids=lambda c: type(c).__name__,
)
def test_run_again_from_the_start(compensation):
    test = noisy(updater=Learner())
    test.elements["specimen"].compensation = compensation
    first, second = test.run(), test.run()
    assert np.array_equal(first.state.vector, second.state.vector)
    assert np.array_equal(first.measured("specimen")[1], second.measured("specimen")[1])


def test_a_model_that_cannot_run_leaves_no_journal(tmp_path):
    model = Model("no mass")
    model.node(0, 0.0, 0.0, fixed=True)
    model.node(1, 0.0, 0.0, fixed=("y", "rz"))
    model.add(ExperimentalElement("e", [(1, "x")], specimen=EmulatedSpecimen(Elastic(1.0))))
    with pytest.raises(AnalysisError, match="no mass"):
        HybridTest(model, QUAKE, dt=DT).run(tmp_path / "j.h5")
    assert not (tmp_path / "j.h5").exists()


# --- the updater ---


def test_an_updater_sees_each_step_and_the_model_runs_on_what_it_writes(tmp_path):
    learner = Learner()
    test = noisy(updater=learner)
    result = test.run(tmp_path / "j.h5")
    d, f = result.measured("specimen")
    assert [c[0] for c in learner.calls] == list(range(1, STEPS + 1))
    assert np.allclose([c[1] for c in learner.calls], result.instants[1:])
    assert np.array_equal([c[2] for c in learner.calls], d[1:])
    assert np.array_equal([c[3] for c in learner.calls], f[1:])
    history = read_journal(tmp_path / "j.h5").parameter_history[:, 2:-1]
    stiffness = history[:, learner.place[0]]
    assert len(stiffness) == STEPS
    assert np.ptp(stiffness) > 0.01 * LINK
    # the journal has what is in use after the step; the force of a step is by what was written
    # before it
    stretch = result.displacement(3, "x") - result.displacement(2, "x")
    used = np.concatenate([[LINK], stiffness[:-1]])
    assert np.allclose(
        result.basic_force("top", "Fx")[1:], used * stretch[1:], rtol=1e-12, atol=1e-12
    )
    assert result.converged.all()
    assert test.program.parameters["top.x.E"] == LINK  # of the program, which others may run


def test_an_updater_must_belong_to_a_specimen():
    learner = Learner()
    learner.element = "top"
    with pytest.raises(InputError, match="updater"):
        noisy(updater=learner)


# --- how it ends ---


class Faulty(Specimen):
    """Answers correctly until a time, and then as its test asks."""

    size = 1

    def __init__(self, then, until=0.5):
        self.then, self.until, self.asked, self.held = then, until, 0, 0

    def apply(self, command, time):
        self.asked += 1
        return (
            self.then(command, time)
            if time > self.until
            else Measurement(command, 2e6 * command, time)
        )

    def hold(self):
        self.held += 1


def one_mass(specimen, **options):
    return masses(
        ExperimentalElement(
            "e",
            [("B", "x")],
            specimen=specimen,
            stiffness=[[2e6]],
            **{"limits": Unlimited("a specimen of the tests"), **options},
        )
    )


def interrupt(command, time):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "then, outcome",
    [
        (lambda c, t: Measurement(c, np.array([np.nan]), t), Outcome.BAD_MEASUREMENT),
        (lambda c, t: Measurement(np.zeros(2), np.zeros(2), t), Outcome.BAD_MEASUREMENT),
        (interrupt, Outcome.STOPPED_BY_USER),
    ],
)
def test_endings_by_the_specimen(tmp_path, then, outcome):
    specimen = Faulty(then)
    test = HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0)
    run = partial(stopped_by_ctrl_c, test.run) if outcome is Outcome.STOPPED_BY_USER else test.run
    result = run(tmp_path / "j.h5")
    assert result.outcome is outcome
    assert "50 of 100 steps were done, to t = 0.5." in result.message
    assert result.steps == len(result.iterations) == len(result.time) - 1 == 50
    assert specimen.held >= 1
    record = read_journal(tmp_path / "j.h5")
    assert record.ending is outcome
    assert record.message == result.message
    assert np.isfinite(result.displacement("B", "x")).all()


def test_a_limit_ends_the_test_before_the_command_leaves():
    specimen = Faulty(None, until=np.inf)
    result = HybridTest(
        one_mass(specimen, limits=Limits(displacement=1.0, velocity=1e3, force=3e4)),
        QUAKE,
        dt=DT,
        duration=8.0,
        tangents={"e": EigenvectorTangent()},
    ).run()
    assert result.outcome is Outcome.SPECIMEN_LIMIT
    assert "force limit" in result.message
    assert specimen.asked == result.steps
    assert np.abs(result.measured("e")[1]).max() <= 3e4


class Poison(Learner):
    """Writes what no model can run on."""

    element = "e"

    def __init__(self, value):
        self.value = value

    def start(self, program, parameters):
        self.place, self.parameters, self.sum = (
            program.parameters.index("other.x.E"),
            parameters,
            np.zeros(2),
        )

    def update(self, step, time, displacement, force):
        if step == 30:
            self.parameters[:3] = self.value


def test_parameters_that_are_not_finite_end_the_test(tmp_path):
    specimen = Faulty(None, until=np.inf)
    result = HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0, updater=Poison(np.nan)).run(
        tmp_path / "j.h5"
    )
    assert result.outcome is Outcome.BAD_PARAMETERS
    assert "After step 30 of 100 the updater wrote" in result.message
    assert (result.steps, specimen.asked) == (29, 30)
    assert specimen.held >= 1


def test_a_step_without_any_solution_ends_the_test(tmp_path):
    specimen = Faulty(None, until=np.inf)
    result = HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0, updater=Poison(1e308)).run(
        tmp_path / "j.h5"
    )
    assert result.outcome is Outcome.NOT_CONVERGED
    assert "Step 31 of 100" in result.message
    assert "did not converge:" in result.message
    assert result.steps == 30
    assert specimen.asked == 31  # asked for the step, and never again
    assert specimen.held >= 1
    assert np.isfinite(result.displacement("B", "x")).all()


def test_an_unknown_error_is_journalled_and_handed_on(tmp_path):
    def fail(command, time):
        raise ZeroDivisionError("my own bug")

    specimen = Faulty(fail)
    with pytest.raises(ZeroDivisionError, match="my own bug"):
        HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0).run(tmp_path / "j.h5")
    assert specimen.held >= 1
    assert read_journal(tmp_path / "j.h5").ending is Outcome.ERROR


@pytest.mark.parametrize("then", [None, interrupt])
@pytest.mark.parametrize("journal", [None, "j.h5"])
def test_after_a_test_its_specimen_can_be_moved_by_hand(tmp_path, then, journal):
    """Its journal is closed, and the signal that has ended it belongs to it alone."""
    specimen = Faulty(then, until=np.inf if then is None else 0.5)
    test = HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0)
    run = test.run if then is None else partial(stopped_by_ctrl_c, test.run)
    run(tmp_path / journal if journal else None)
    specimen.until = np.inf
    assert test.sessions["e"].exchange(np.array([0.001]), 9.0).displacement[0] == 0.001


def test_ctrl_c_of_a_test_does_not_stay_in_its_elements():
    import signal

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:

        def stop(command, time):
            signal.raise_signal(signal.SIGINT)
            return Measurement(command, 2e6 * command, time)

        specimen = Faulty(stop)
        test = HybridTest(one_mass(specimen), QUAKE, dt=DT, duration=1.0)
        assert stopped_by_ctrl_c(test.run).outcome is Outcome.STOPPED_BY_USER
        specimen.until = np.inf
        assert test.sessions["e"].exchange(np.array([0.001]), 9.0).displacement[0] == 0.001
    except KeyboardInterrupt:  # it would end the tests
        pytest.fail("the signal was not over")
    finally:
        signal.signal(signal.SIGINT, before)


def test_every_outcome_has_a_sentence_of_its_own():
    assert len({o.value for o in Outcome}) == len(Outcome)
    assert [o for o in Outcome if o.ok] == [Outcome.COMPLETE, Outcome.PEER_DONE]


# --- what it takes ---


def test_wrong_arguments_are_explained():
    for argument, options in (
        ("integrator", {"integrator": RungeKutta()}),
        ("integrator", {"integrator": "implicit"}),
        ("tangents", {"tangents": {"top": InitialTangent()}}),
        ("tangents", {"tangents": {"specimen": 3}}),
        ("save", {"save": 1}),
    ):
        with pytest.raises(InputError, match=argument):
            noisy(**options)
    with pytest.raises(InputError, match="experimental element"):
        HybridTest(ordinary(), QUAKE, dt=DT)
    with pytest.raises(InputError, match="dt"):
        HybridTest(hybrid(), QUAKE, dt=0.0)
    with pytest.raises(AnalysisError, match="HybridTest"):
        Transient(Newmark(), dt=DT).run(hybrid(), QUAKE)


def test_two_specimens():
    model = frame()
    for name, dofs, law in (
        ("lower", [(1, "x")], Elastic(SPRINGS[0])),
        ("other", [(3, "x")], Elastic(200.0)),
    ):
        model.add(ExperimentalElement(name, dofs, specimen=EmulatedSpecimen(law)))
    storey = EmulatedSpecimen(Elastic(SPRINGS[1]), coordinates=[[-1.0, 1.0]])
    model.add(ExperimentalElement("both", [(1, "x"), (2, "x")], specimen=storey))
    result = HybridTest(model, QUAKE, dt=DT, duration=1.0).run()
    assert result.outcome is Outcome.COMPLETE
    assert np.allclose(result.measured("other")[1], 200.0 * result.measured("other")[0])
    assert np.allclose(result.command("both")[:, 0], result.command("lower")[:, 0])
    assert result.command("both").shape == (101, 2)
