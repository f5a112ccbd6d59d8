"""A physical specimen that does not go where it is sent."""

import math

import numpy as np
import pytest
from stone import BOUND, DT, K, Stone, make, serve

from femu.experimental import (
    Ending,
    ExperimentError,
    Limits,
    Measurement,
    RemoteApplication,
    SpecimenSession,
    read_journal,
)
from femu.experimental.errors import PoorTracking
from femu.experimental.safety.following import IN_A_ROW, FollowingMonitor
from femu.support.errors import InputError

LIMITS = Limits(displacement=0.2, increment=0.2, force=0.5 * K)


class Late(Stone):
    """Answers with where it was after the command before."""

    def apply(self, command, time):
        before = self.place
        super().apply(command, time)
        return Measurement(before, K * before, time)


class Elsewhere(Stone):
    def apply(self, command, time):
        super().apply(command, time)
        return Measurement(command + 0.15, K * command, time)


class Noisy(Stone):
    """Noise of 50 mm."""

    random = np.random.default_rng(7)

    def apply(self, command, time):
        super().apply(command, time)
        return Measurement(command + self.random.normal(0.0, 0.05, 1), K * command, time)


class Good(Stone):
    """Half a millimetre of noise, a millimetre off, and late by half a step."""

    random = np.random.default_rng(7)

    def apply(self, command, time):
        middle = 0.5 * (self.place + command)
        super().apply(command, time)
        noise = self.random.normal(0.0, 5e-4, 1)
        return Measurement(middle + 1e-3 + noise, K * middle, time)


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
@pytest.mark.parametrize(
    "kind, steps, said",
    [(Late, 3 * IN_A_ROW, "is one step late"), (Elsewhere, 1, "farther"), (Noisy, 12, "farther")],
)
def test_a_controller_that_does_not_follow_ends_the_test_within_a_few_steps(
    kind, steps, said, tmp_path
):
    """Without any limit of tracking being given. Noise of 50 mm is beyond 20 mm in 69 of 100 steps;
    of twelve steps all are within it once in a million times."""
    stone = kind()
    result = make(stone, 300, limits=LIMITS).run(tmp_path / "j.h5")
    assert result.outcome is Ending.POOR_TRACKING
    assert said in result.message and "The step was not taken" in result.message
    assert len(stone.commands) <= steps
    record = read_journal(tmp_path / "j.h5")
    assert len(record.refused["e"]) == 1  # what it answered is kept


@pytest.mark.parametrize("kind", [Stone, Good])
def test_an_ordinary_controller_is_followed_to_the_end(kind):
    assert make(kind(), 300, limits=LIMITS).run().outcome is Ending.COMPLETE


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_the_limit_can_be_given_and_switched_off():
    def ended(kind, tracking):
        limits = Limits(displacement=0.2, increment=0.2, force=0.5 * K, tracking=tracking)
        return make(kind(), 60, limits=limits).run().outcome

    assert ended(Late, math.inf) is ended(Late, 0.1) is Ending.COMPLETE
    assert ended(Good, 1e-4) is Ending.POOR_TRACKING
    with pytest.raises(InputError, match="tracking"):
        Limits(tracking=0.0)
    with pytest.raises(InputError, match="one number, or one for each"):
        SpecimenSession(make(Stone(), limits=Limits(tracking=(0.1, 0.2))).elements["e"])


def test_a_server_stops_for_clients_that_do_not_look():
    server, ended = serve(Elsewhere(), limits=LIMITS)
    remote = RemoteApplication(1, server.port, silence=BOUND)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.001]), DT)
    remote.close()
    assert ended().ending is Ending.POOR_TRACKING
    assert "was sent to 0.001 and measured 0.151" in ended().message


def monitor(**limits):
    return FollowingMonitor(Limits(**limits), np.array([1e-4]), "the specimen", ("1",))


def test_the_distance_comes_from_displacement_noise_and_steps():
    """0.1 * 0.2 + 10 * 1e-4 + 2 * 0.01 = 0.041."""
    watch = monitor(displacement=0.2)
    watch.see(np.array([0.0]), np.array([0.0]), 0.0)
    watch.see(np.array([0.01]), np.array([0.01 + 0.0409]), 0.1)
    with pytest.raises(PoorTracking, match=r"farther away than 0\.041"):
        watch.see(np.array([0.01]), np.array([0.01 - 0.0411]), 0.2)
    free = monitor()
    free.see(np.array([0.0]), np.array([100.0]), 0.0)  # no limit that says how far is far


def test_answers_of_the_step_before_count_in_a_row_and_in_motion():
    watch, before = monitor(), 0.0
    for k in range(1, 100):  # four late ones, and then one that is not
        target = before + 0.01
        watch.see(np.array([target]), np.array([before if k % IN_A_ROW else target]), 0.01 * k)
        before = target
    for k in range(100):  # steps below twenty times the noise say nothing
        watch.see(np.array([before + 1e-3]), np.array([before]), 1.0 + 0.01 * k)
        before += 1e-3
    with pytest.raises(PoorTracking, match="one step late"):
        for _ in range(IN_A_ROW + 1):
            watch.see(np.array([before + 0.01]), np.array([before]), 1.0)
            before += 0.01
