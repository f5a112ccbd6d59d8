"""The motion between steps: against closed forms, in C to the last bit, and with late targets."""

import copy
import ctypes
import pickle
import shutil
import subprocess
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from femu import InputError
from femu.experimental import MotionGenerator
from femu.experimental.motion import c_source, generator_kernel

STEP, TICKS = 0.02, 80
RATE = TICKS / STEP
CC = shutil.which("cc")
STRICT = [CC, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
FLOATS = ctypes.POINTER(ctypes.c_double)


def target(k):
    """A motion of several frequencies up to 4 Hz, from rest: 0.01 m, 0.2 m/s, 4 m/s2."""
    t = STEP * k
    ramp = 1.0 - np.exp(-4.0 * t)
    return 0.01 * ramp * (np.sin(6.0 * t) + 0.3 * np.sin(25.0 * t))


def moved(generator, steps, delay, wanted=target):
    """Commands, and the sample of each arrival; step k is known ``delay(k)`` samples late."""
    made, arrived = [], []
    for k in range(1, steps + 1):
        made += [generator.tick() for _ in range(delay(k))]
        generator.accept(np.atleast_1d(wanted(k)))
        while True:
            made.append(generator.tick())
            if generator.arrived:
                arrived.append(len(made) - 1)
                break
    return np.array(made), arrived


# --- closed forms ---


@pytest.mark.parametrize("order", [1, 2, 3])
def test_it_predicts_by_a_polynomial_and_corrects_by_a_cubic(order):
    """The polynomial by numpy's fit through the last targets, the cubic by scipy."""
    generator = MotionGenerator(1, step=STEP, rate=RATE, order=order)
    late = 32  # samples
    made, arrived = moved(generator, 8, lambda _: late)
    assert [b - a for a, b in pairwise(arrived)] == [TICKS] * 7
    targets = np.array([target(k) if k > 0 else 0.0 for k in range(-4, 9)])
    x = np.arange(1, TICKS + 1) / TICKS
    for k in range(2, 8):  # from target k to target k + 1
        places = np.arange(-order, 1)
        past = np.polynomial.Polynomial.fit(places, targets[4 + k + places], order)
        next_one = np.polynomial.Polynomial.fit(places, targets[5 + k + places], order)
        s = x[late - 1]
        cubic = CubicHermiteSpline(
            [s, 1.0], [past(s), targets[5 + k]], [past.deriv()(s), next_one.deriv()(0.0)]
        )
        wanted = np.where(x <= s, past(x), cubic(x))
        found = made[arrived[k - 1] + 1 : arrived[k] + 1, 0]
        assert found == pytest.approx(wanted, abs=1e-15)


def test_a_target_that_is_known_at_once_is_reached_at_the_end_of_its_step():
    made, arrived = moved(MotionGenerator(1, step=STEP, rate=RATE), 20, lambda _: 0)
    assert arrived == [TICKS * k - 1 for k in range(1, 21)]
    assert made[arrived, 0].tolist() == [target(k) for k in range(1, 21)]


def test_a_late_target_is_waited_for_where_prediction_and_braking_end():
    """At predict + slow/2 of the step: the phase is the area under its falling rate."""
    generator = MotionGenerator(1, step=STEP, rate=RATE, order=1, predict=0.6, slow=0.4)
    moved(generator, 2, lambda _: 0, lambda k: 0.001 * k)
    modes = []
    for _ in range(3 * TICKS):
        generator.tick()
        modes.append(generator.mode)
    # rates of 31/32, 30/32, ... 1/32 of a sample: 15.5 of the 16 that an even fall would give
    assert generator.command[0] == pytest.approx(0.001 * (2.0 + 0.6 + 15.5 / TICKS), rel=1e-12)
    assert generator.at_rest and generator.speed[0] == 0.0
    assert modes == ["predict"] * 48 + ["slow"] * 31 + ["hold"] * (3 * TICKS - 79)
    assert generator.late == 3 * TICKS - 48
    generator.accept([0.003])
    samples = 0
    while not generator.arrived or samples == 0:
        generator.tick()
        samples += 1
    assert generator.mode == "predict" and samples < TICKS
    assert generator.command[0] == pytest.approx(0.003, abs=0.001 / TICKS)


@pytest.mark.parametrize("late", [0.2, 0.5, 2.0])
@pytest.mark.parametrize("limit", [8.0, 25.0])
def test_a_late_target_makes_no_jump_of_velocity_beyond_the_limit(late, limit):
    """The targets themselves need 4 m/s2. One in five comes late by a share of the step."""

    def delay(k):
        return round(TICKS * (0.3 + (late if k % 5 == 0 else 0.0)))

    generator = MotionGenerator(1, step=STEP, rate=RATE, acceleration=limit, velocity=0.5)
    made, arrived = moved(generator, 60, delay)
    velocity = np.diff(made[:, 0], prepend=0.0) / generator.interval
    jumps = np.abs(np.diff(velocity, prepend=0.0))
    # of 1e-2 m with 2e-16, over the sample of 2.5e-4 s
    assert jumps.max() <= limit * generator.interval + 1e-13
    assert np.abs(velocity).max() <= 0.5 + 1e-13
    # a target that came in time is reached to 1 % of the largest
    missed = np.abs(made[arrived, 0] - [target(k) for k in range(1, 61)])
    in_time = [k for k in range(10, 60) if k % 5 not in (4, 0)]
    assert missed[in_time].max() < 0.01 * 0.013
    # what a controller does that ramps to a target when it comes, and rests until the next one
    ramps = np.diff([target(k) for k in range(61)]) / ((1.0 - 0.3) * STEP)
    assert np.abs(ramps).max() > 10.0 * limit * generator.interval


def test_without_limits_velocity_is_continuous_whenever_a_target_comes():
    """Halving the sample halves every jump of velocity: none is a jump of the motion."""
    largest = []
    for ticks in (400, 800):
        generator = MotionGenerator(1, step=STEP, rate=ticks / STEP)
        made, _ = moved(generator, 40, lambda k, n=ticks: round(n * (0.1 * (k % 12))))
        velocity = np.diff(made[:, 0], prepend=0.0) / generator.interval
        largest.append(np.abs(np.diff(velocity, prepend=0.0)).max())
    assert largest[1] == pytest.approx(0.5 * largest[0], rel=0.1)


def test_a_limited_command_that_was_left_behind_arrives_without_swinging():
    generator = MotionGenerator(1, step=STEP, rate=RATE, acceleration=10.0, velocity=0.3)
    made, _ = moved(generator, 30, lambda _: 0, lambda k: 0.02)  # a step of 20 mm
    # to the rounding of the polynomial's differences
    assert made.max() <= 0.02 + 1e-15 and np.diff(made[:, 0]).min() >= -1e-15
    assert made[-1, 0] == pytest.approx(0.02, abs=1e-15)


def test_holding_stops_within_the_limits_and_forgets_the_target():
    generator = MotionGenerator(1, step=STEP, rate=RATE, acceleration=20.0)
    moved(generator, 12, lambda _: 10)
    generator.accept([1.0])
    before = generator.speed[0]
    generator.hold()
    where = generator.command[0]
    samples = 0
    while not generator.at_rest:
        last = generator.speed[0]
        generator.tick()
        assert abs(generator.speed[0] - last) <= 20.0 * generator.interval + 1e-13
        samples += 1
    assert generator.command[0] == where  # back where it was stopped
    assert before > 0.0 and samples < TICKS


# --- the same in C ---


def test_everything_that_c_has_no_equal_of_is_refused():
    def translated(text):
        node = c_source.ast.parse(text).body[0]
        return c_source._Function(node, True, {}).lines()

    good = translated("def f(state, n):\n    state[n] = 2.0 * (state[n] - 1.0)\n    return 0")
    assert good[2:4] == ["    state[n] = 2.0 * (state[n] - 1.0);", "    return 0;"]
    for line in (
        "x: float = state[0] ** 2.0",
        "x: float = state[0] % 2.0",
        "state[0] = 1 / 2",
        "state[0] = n / 2",
        "x = 1.0",
        "state[0] += 1.0",
        "state[0] = min(state[0], 1.0)",
        "while n > 0:\n        n = n - 1",
        "y = [1.0]",
    ):
        with pytest.raises(c_source.CannotTranslate, match="f: "):
            translated(f"def f(state, n):\n    {line}\n    return 0")


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    if CC is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("motion")
    source, _ = c_source.write(folder)
    made = folder / "motion.so"
    subprocess.run(
        [*STRICT, "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", made, source, "-lm"],
        check=True,
    )
    return ctypes.CDLL(str(made))


class InC(SimpleNamespace):
    """A generator of the C file with the settings and state of one in Python."""

    def __init__(self, library, python):
        super().__init__(library=library, size=python.size)
        self.settings, self.vector = python._settings.copy(), python.state

    def call(self, name, *vectors):
        pointers = [np.ascontiguousarray(v).ctypes.data_as(FLOATS) for v in vectors]
        return getattr(self.library, f"femu_motion_{name}")(*pointers, self.size)


@pytest.mark.parametrize("seed", range(6))
def test_c_and_python_take_every_sample_alike_to_the_last_bit(in_c, seed):
    """The whole state after each of 3000 samples, with targets at random times, and holds."""
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 4))
    limits = [None, tuple(random.uniform(0.1, 1.0, size)), tuple(random.uniform(1.0, 60.0, size))]
    python = MotionGenerator(
        size,
        step=float(random.uniform(0.005, 0.05)),
        rate=float(random.uniform(1000.0, 4096.0)),
        order=int(random.integers(1, 4)),
        predict=float(random.uniform(0.2, 0.7)),
        slow=float(random.choice([0.0, 0.2, 0.4])),
        velocity=limits[1 if seed % 3 == 1 else 0],
        acceleration=limits[2 if seed % 2 == 1 else 0],
    )
    twin = InC(in_c, python)
    place = random.normal(scale=0.01, size=size)
    python.begin(place)
    twin.call("begin", twin.vector, place)
    modes = set()
    for sample in range(3000):
        draw = random.random()
        if draw < 1.3 / python.ticks:
            goal = place + random.normal(scale=0.005, size=size)
            refused = twin.call("accept", twin.vector, twin.settings, goal)
            if refused:
                with pytest.raises(InputError, match="too early"):
                    python.accept(goal)
            else:
                python.accept(goal)
        elif draw > 1.0 - 0.05 / python.ticks:
            python.hold()
            twin.call("hold", twin.vector)
        command = python.tick()
        arrived = twin.call("tick", twin.vector, twin.settings)
        assert bool(arrived) == python.arrived
        assert twin.vector.tobytes() == python.state.tobytes(), sample
        at = generator_kernel.CHANNELS + generator_kernel.COMMAND
        assert twin.vector[at :: generator_kernel.FIELDS].tolist() == command.tolist()
        modes.add(python.mode)
    assert modes >= {"predict", "hold", "correct"}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("late", [0.2, 0.5, 2.0])
def test_c_and_python_are_alike_when_targets_are_late(in_c, order, late):
    """Two channels of which every fourth target is late: all samples to the last bit, and no jump of
    velocity beyond the limit."""
    limit = 15.0
    python = MotionGenerator(2, step=STEP, rate=RATE, order=order, acceleration=limit, velocity=0.4)
    twin = InC(in_c, python)
    place, velocity, jump = np.zeros(2), np.zeros(2), 0.0
    waited = False

    def both():
        nonlocal place, velocity, jump
        command = python.tick()
        twin.call("tick", twin.vector, twin.settings)
        assert twin.vector.tobytes() == python.state.tobytes()
        now = (command - place) / python.interval
        jump = max(jump, float(np.abs(now - velocity).max()))
        place, velocity = command.copy(), now
        return python.arrived

    for k in range(1, 41):
        for _ in range(round(TICKS * (0.25 + (late if k % 4 == 0 else 0.0)))):
            both()
        waited |= python.mode in ("slow", "hold")
        goal = np.array([target(k), -0.7 * target(k)])
        python.accept(goal)
        assert twin.call("accept", twin.vector, twin.settings, goal) == 0
        while not both():
            pass
    assert waited == (late > 0.3)
    assert jump <= limit * python.interval + 1e-13


def test_a_controller_is_compiled_against_the_header(in_c, tmp_path):
    """With the lengths, names and the command as the header has them."""
    (tmp_path / "controller.c").write_text(
        """
#include "femu_motion.h"
#include <math.h>
#include <stdio.h>
int main(void) {
    double settings[FEMU_MOTION_SETTINGS(1)], state[FEMU_MOTION_STATE(1)], place = 0.0;
    double target = 0.004;
    int sample, arrived = 0;
    settings[FEMU_TICKS] = 80.0;
    settings[FEMU_ORDER] = 3.0;
    settings[FEMU_PREDICT_UNTIL] = 0.6;
    settings[FEMU_SLOW_FOR] = 0.4;
    settings[FEMU_TICK] = 0.02 / 80.0;
    settings[FEMU_LIMITS] = INFINITY;
    settings[FEMU_LIMITS + 1] = INFINITY;
    femu_motion_begin(state, &place, 1);
    femu_motion_accept(state, settings, &target, 1);
    for (sample = 0; sample < 80; ++sample) arrived = femu_motion_tick(state, settings, 1);
    printf("%d %.17g\\n", arrived, femu_motion_command(state, 0));
    return 0;
}
"""
    )
    c_source.write(tmp_path)
    program = tmp_path / "controller"
    files = [tmp_path / name for name in ("controller.c", "femu_motion.c")]
    subprocess.run(
        [*STRICT, *files, "-o", program, "-lm"],
        check=True,
    )
    run = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["1", "0.0040000000000000001"]


# --- what is kept, and what is refused ---


def test_a_copy_continues_as_the_original_does():
    generator = MotionGenerator(2, step=STEP, rate=RATE, order=2, acceleration=(5.0, 9.0))
    moved(generator, 5, lambda _: 20, lambda k: [target(k), -target(k)])
    others = [copy.deepcopy(generator), pickle.loads(pickle.dumps(generator))]
    fresh = MotionGenerator(2, step=STEP, rate=RATE, order=2, acceleration=(5.0, 9.0))
    fresh.restore(generator.state)
    for one in (generator, *others, fresh):
        one.accept([target(6), -target(6)])
    wanted = [generator.tick().tolist() for _ in range(TICKS)]
    for one in (*others, fresh):
        assert [one.tick().tolist() for _ in range(TICKS)] == wanted
        assert repr(one) == repr(generator)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"size": 0}, "size"),
        ({"step": 0.0}, "step"),
        ({"rate": float("nan")}, "rate"),
        ({"rate": 60.0}, "rate"),
        ({"order": 4}, "order"),
        ({"order": True}, "order"),
        ({"predict": 0.9}, "predict"),
        ({"predict": 0.0}, "predict"),
        ({"slow": -0.1}, "slow"),
        ({"velocity": 0.0}, "velocity"),
        ({"acceleration": (1.0, 2.0)}, "acceleration"),
    ],
)
def test_what_cannot_be_is_refused(given, argument):
    with pytest.raises(InputError) as caught:
        MotionGenerator(**{"size": 1, "step": STEP, **given})
    assert caught.value.argument == argument


def test_targets_that_cannot_be_are_refused():
    generator = MotionGenerator(1, step=STEP)
    for bad in ([np.nan], [1.0, 2.0], ["a"]):
        with pytest.raises(InputError, match="finite"):
            generator.accept(bad)
    generator.accept([0.1])
    generator.accept([0.2])
    with pytest.raises(InputError, match="too early"):
        generator.accept([0.3])
