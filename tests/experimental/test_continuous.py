"""A specimen that a generator drives between the steps: in a test, by the clock, and in a server."""

import copy
import threading
import time

import numpy as np
import pytest
from stone import BOUND, Stone

from femu import GroundMotion, InputError, Model, Outcome
from femu.analyses import HybridTest
from femu.elements import ZeroLength
from femu.experimental import (
    Actuator,
    CompensatedSpecimen,
    ContinuousSpecimen,
    EmulatedSpecimen,
    Ending,
    ExperimentalElement,
    Limits,
    LimitTripped,
    MotionGenerator,
    PeerSilent,
    PolynomialCompensation,
    RemoteApplication,
    SpecimenServer,
    read_description,
)
from femu.materials import Elastic
from femu.support.errors import FileError

STEP, STIFFNESS = 0.02, 4e5


def generator(size=1, rate=4096.0, **options):
    return MotionGenerator(size, step=STEP, rate=rate, **options)


def steel():
    return EmulatedSpecimen([Elastic(STIFFNESS)])


def model(specimen, **options):
    """One mass between a specimen and a spring; 0.63 s."""
    made = Model("mass")
    made.node("A", 0.0, 0.0, fixed=True)
    made.node("B", 0.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    made.add(ExperimentalElement("s", [("B", "x")], specimen=specimen, **options))
    made.add(ZeroLength("other", "A", "B", {"x": Elastic(6e5)}))
    return made


def run(specimen, duration=1.0, **options):
    test = HybridTest(
        model(specimen, **options), GroundMotion.el_centro(), dt=STEP, duration=duration
    )
    return test.run(check=False)


def test_a_structure_solved_every_20_ms_drives_an_actuator_smoothly_at_4096_hz():
    """The answers are those of a specimen that follows at once; between them the motion is even."""
    samples = []
    specimen = ContinuousSpecimen(steel(), generator(), solving=0.3)
    specimen.follow = lambda t, command, measured: samples.append((t, command[0]))
    result, plain = run(specimen, 2.0), run(steel(), 2.0)
    assert result.outcome is Outcome.COMPLETE
    assert result.measured("s")[0].tolist() == plain.measured("s")[0].tolist()
    made = np.array(samples)
    # 82 samples a step of 20 ms, and before the first the 25 in which it was solved
    assert len(made) == 100 * 82 + 25
    assert np.diff(made[:, 0]) == pytest.approx(STEP / 82, rel=1e-9)
    accelerations = np.diff(made[:, 1], 2) / (STEP / 82) ** 2
    floor = np.abs(np.diff(plain.measured("s")[0][:, 0], 2)).max() / STEP**2
    # a cubic over 0.7 of a step that corrects a prediction needs a few times that of the targets
    assert np.abs(accelerations).max() < 6.0 * floor
    # moved in ramps over the same 0.7 of a step it would start and stop within a sample
    ramp = np.abs(np.diff(plain.measured("s")[0][:, 0])).max() / (0.7 * STEP) / (STEP / 82)
    assert ramp > 20.0 * np.abs(accelerations).max()


def test_a_target_later_than_a_step_stops_the_motion_and_the_test_continues():
    specimen = ContinuousSpecimen(
        steel(),
        generator(acceleration=30.0),
        solving=lambda k: 2.0 if k == 20 else 0.3,
    )
    speeds = []
    specimen.follow = lambda t, c, m: speeds.append(specimen.generator.speed[0])
    result = run(specimen)
    assert result.outcome is Outcome.COMPLETE
    assert specimen.generator.late > 82  # it comes a step after the motion began to slow down
    assert np.abs(np.diff(speeds)).max() <= 30.0 * STEP / 82 + 1e-12
    assert 0.0 in speeds[19 * 82 :]


def test_compensation_at_the_high_rate_belongs_inside():
    """A pure delay of 12 ms: a polynomial at 82 samples a step makes up for it."""
    late = EmulatedSpecimen([Elastic(STIFFNESS)], actuator=Actuator(delay=0.012))
    inside = CompensatedSpecimen(late, PolynomialCompensation(0.012, 2), STEP / 82)
    missed = []
    for specimen in (copy.deepcopy(late), inside):
        continuous = ContinuousSpecimen(specimen, generator(), solving=0.0)
        ways = 0.01 * np.sin(2.0 * np.pi * np.arange(1, 51) * STEP)
        found = [continuous.apply(np.array([x]), STEP * (k + 1)) for k, x in enumerate(ways)]
        missed.append(np.std([m.displacement[0] for m in found] - ways) / np.std(ways))
    assert missed[0] > 0.07  # 2 pi times 1 Hz times 12 ms
    assert missed[1] < 0.005


def test_limits_hold_for_predicted_commands_too():
    """Targets that end at the limit: the prediction goes beyond it, and nothing is sent."""
    stone = Stone()
    specimen = ContinuousSpecimen(stone, generator(), solving=0.5, limits=Limits(displacement=0.01))
    for k in range(1, 11):
        specimen.apply(np.array([0.001 * k]), STEP * k)
    with pytest.raises(LimitTripped, match="displacement limit"):
        specimen.apply(np.array([0.01]), STEP * 11)
    assert max(stone.commands) == pytest.approx(0.01, abs=1e-15)
    specimen.hold()
    assert specimen.generator.at_rest


def test_a_test_is_set_back_and_continues_from_its_state():
    specimen = ContinuousSpecimen(steel(), generator(order=2), solving=0.2)
    times = STEP * np.arange(1, 13)
    ways = 0.01 * np.sin(7.0 * times)
    for k in range(6):
        specimen.apply(ways[k : k + 1], times[k])
    kept, other = specimen.state, copy.deepcopy(specimen)
    wanted = [specimen.apply(ways[k : k + 1], times[k]).force[0] for k in range(6, 12)]
    specimen.restore(kept)
    for one in (specimen, other):
        assert [one.apply(ways[k : k + 1], times[k]).force[0] for k in range(6, 12)] == wanted


# --- by the clock of the wall ---


def test_by_the_clock_it_moves_on_while_nobody_asks():
    """Between two targets it predicts, slows down and holds, and its thread ends."""
    stone = Stone()
    specimen = ContinuousSpecimen(stone, generator(rate=1000.0), paced=True)
    specimen.open()
    found = [specimen.apply(np.array([0.001 * k]), STEP * k).displacement[0] for k in (1, 2, 3)]
    assert found == pytest.approx([0.001, 0.002, 0.003], rel=0.06)  # to one sample of a step
    thread = specimen._thread
    if thread is not None:
        thread.join(BOUND)
    assert specimen.generator.at_rest and specimen.generator.mode == "hold"
    assert stone.commands[-1] > 0.0035
    assert not any(t.name == "femu motion" and t is thread for t in threading.enumerate())
    assert specimen.apply(np.array([0.004]), STEP * 9).displacement[0] == pytest.approx(
        0.004, rel=0.05
    )
    specimen.close()


class Breaking(Stone):
    def apply(self, command, time):
        if len(self.commands) == 30:
            raise OSError("the valve is shut")
        return super().apply(command, time)

    holds = 0

    def hold(self):
        self.holds += 1


def test_what_fails_in_the_thread_ends_the_test():
    stone = Breaking()
    specimen = ContinuousSpecimen(stone, generator(rate=1000.0), paced=True)
    with pytest.raises(OSError, match="valve"):
        for k in range(1, 4):
            specimen.apply(np.array([0.001 * k]), STEP * k)
    assert stone.holds == 1 and specimen._thread is None


class Slow(Stone):
    def apply(self, command, time_of_test):
        time.sleep(0.05)
        return super().apply(command, time_of_test)


def test_a_target_that_is_not_reached_in_time_ends_the_test():
    specimen = ContinuousSpecimen(Slow(), generator(rate=1000.0), paced=True)
    specimen.wait_at_most(0.1)
    with pytest.raises(PeerSilent, match=r"within 0\.1 s"):
        specimen.apply(np.array([0.001]), STEP)
    specimen.hold()
    thread = specimen._thread
    if thread is not None:
        thread.join(BOUND)
    assert specimen.generator.at_rest and specimen.overruns > 0


def test_a_server_drives_its_specimen_between_the_steps_of_a_client(tmp_path):
    """By a table [motion] of the file that `femu serve` reads."""
    file = tmp_path / "specimen.toml"
    file.write_text(
        """
[specimen.of]
type = "Elastic"
E = 4.0e5
[motion]
step = 0.02
rate = 1000.0
acceleration = 50.0
[limits]
displacement = 0.1
"""
    )
    described = read_description(file)
    specimen = described.specimen
    assert isinstance(specimen, ContinuousSpecimen) and specimen.paced
    samples = []
    specimen.follow = lambda t, command, measured: samples.append(command[0])
    server = SpecimenServer(specimen, limits=described.limits, wait=BOUND, silence=BOUND)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(server.serve()))
    thread.start()
    remote = RemoteApplication(1, server.port, silence=BOUND)
    result = run(remote, 0.4, stiffness=STIFFNESS, limits=Limits(0.1, increment=0.1, force=1e6))
    plain = run(steel(), 0.4)
    remote.close()
    thread.join(BOUND)
    assert result.outcome is Outcome.COMPLETE, result.message
    assert ended[0].ending is Ending.PEER_DONE
    assert len(samples) >= 20 * 20
    # targets are reached to one sample of motion; the answers say where it was
    both = [r.converged_response("s")[0][:, 0] for r in (result, plain)]
    assert both[0] == pytest.approx(both[1], abs=1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[specimen]\nnumerical = true\n[motion]\nstep = 0.02\n", "numerical"),
        ("[motion]\nstep = 0.02\nspeed = 1.0\n", "speed"),
        ("[motion]\nstep = -0.02\n", "step"),
    ],
)
def test_a_motion_that_cannot_be_is_refused_in_a_file(tmp_path, text, says):
    file = tmp_path / "specimen.toml"
    file.write_text(f'{text}[specimen.of]\ntype = "Elastic"\nE = 4.0e5\n')
    with pytest.raises(FileError, match=says):
        read_description(file)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"specimen": EmulatedSpecimen([Elastic(1.0)], numerical=True)}, "specimen"),
        ({"generator": generator(2)}, "generator"),
        ({"solving": -0.1}, "solving"),
        ({"solving": "late"}, "solving"),
        ({"paced": 1}, "paced"),
    ],
)
def test_what_cannot_be_is_refused(given, argument):
    with pytest.raises(InputError) as caught:
        ContinuousSpecimen(**{"specimen": steel(), "generator": generator(), **given})
    assert caught.value.argument == argument


def test_a_share_that_a_function_gives_is_checked():
    specimen = ContinuousSpecimen(steel(), generator(), solving=lambda k: float("nan"))
    with pytest.raises(InputError, match="share of a step"):
        specimen.apply(np.array([0.001]), STEP)
