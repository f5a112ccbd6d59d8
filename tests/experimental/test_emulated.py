"""Emulated sensors and actuators, and the compensation of their delay."""

import numpy as np
import pytest

from femu import InputError
from femu.experimental import (
    Actuator,
    AdaptiveCompensation,
    CompensatedSpecimen,
    EmulatedSpecimen,
    PolynomialCompensation,
    Sensors,
    tracking_error,
)
from femu.materials import Bilinear, Elastic

DT = 0.001


def positions(actuator, commands, dt=DT, law=None):
    specimen = EmulatedSpecimen(law or Elastic(1.0), actuator=actuator)
    out = []
    for k, c in enumerate(commands):
        specimen.apply(np.array([c]), dt * k)
        out.append(specimen.position[0])
    return np.array(out)


T = DT * np.arange(3000)
MOTION = np.sin(0.5 * np.pi * np.minimum(T, 1.0)) ** 4 * (  # a smooth start
    10.0 * np.sin(2 * np.pi * 1.1 * T) + 3.0 * np.sin(2 * np.pi * 2.7 * T + 1.0)
)


def test_ideal_actuator_reaches_each_command():
    assert np.array_equal(positions(Actuator(), MOTION), MOTION)


def test_delay_is_a_shift():
    got = positions(Actuator(delay=0.015), MOTION)
    assert np.allclose(got[15:], MOTION[:-15], atol=1e-12)
    assert np.allclose(got[:15], 0.0, atol=1e-12)


def test_lag_follows_a_ramp_at_its_distance_and_a_step_by_its_exponential():
    ramp = positions(Actuator(lag=0.02), T)
    assert ramp[-1] == pytest.approx(T[-1] - 0.02, abs=1e-12)
    assert np.allclose(ramp, T - 0.02 * (1.0 - np.exp(-T / 0.02)), atol=1e-12)


def test_servo_has_its_frequency_response():
    f, zeta, w = 8.0, 0.6, 2 * np.pi * 3.0
    got = positions(Actuator(frequency=f, damping=zeta), np.sin(w * T))[1500:]
    w0 = 2 * np.pi * f
    response = w0**2 / (w0**2 - w**2 + 2j * zeta * w0 * w)
    wanted = np.imag(response * np.exp(1j * w * T[1500:]))
    assert np.allclose(got, wanted, atol=2e-4)


def test_undershoot_backlash_rate_stroke():
    assert np.allclose(positions(Actuator(undershoot=0.1), [1.0, 2.0, 1.0]), [0.9, 1.9, 1.1])
    assert np.allclose(
        positions(Actuator(backlash=0.2), [1.0, 0.95, 0.7, 0.75]), [0.9, 0.9, 0.8, 0.8]
    )
    assert np.allclose(
        positions(Actuator(rate_limit=5.0), [0.0, 1.0, 1.0], dt=0.1), [0.0, 0.5, 1.0]
    )
    assert np.allclose(positions(Actuator(stroke=0.8), [0.5, 1.0, -2.0]), [0.5, 0.8, -0.8])


def test_a_stalled_actuator_stops_at_its_force():
    specimen = EmulatedSpecimen(Elastic(100.0), actuator=Actuator(capacity=30.0))
    measured = specimen.apply(np.array([1.0]), 0.0)
    assert measured.force[0] == pytest.approx(30.0, rel=1e-12)
    assert measured.displacement[0] == pytest.approx(0.3, rel=1e-12)
    assert specimen.apply(np.array([0.1]), 0.1).force[0] == pytest.approx(10.0)


def test_noise_has_its_size_and_repeats_with_its_seed():
    def sample(seed):
        specimen = EmulatedSpecimen(Elastic(0.0 + 1.0), sensors=Sensors(0.01, 2.0), seed=seed)
        return np.array(
            [
                (m.displacement[0], m.force[0])
                for m in (specimen.apply(np.zeros(1), 0.1 * k) for k in range(4000))
            ]
        )

    one = sample(1)
    assert np.allclose(one.std(axis=0), [0.01, 2.0], rtol=0.05)
    assert np.abs(one.mean(axis=0)).max() < 4 * 2.0 / np.sqrt(4000)
    assert abs(np.corrcoef(one.T)[0, 1]) < 0.06
    assert np.array_equal(one, sample(1))
    assert not np.array_equal(one, sample(2))


def test_quantisation():
    specimen = EmulatedSpecimen(
        Elastic(1.0), sensors=Sensors(displacement_step=0.25, force_step=0.1)
    )
    measured = specimen.apply(np.array([0.6]), 0.0)
    assert measured.displacement[0] == 0.5
    assert measured.force[0] == pytest.approx(0.6)


def test_state_of_everything_is_restored():
    law = Bilinear(100.0, 1.0, 0.1)
    actuator = Actuator(delay=0.0043, frequency=12.0, backlash=0.01, undershoot=0.002)
    specimen = EmulatedSpecimen(law, actuator=actuator, sensors=Sensors(0.001, 0.01), seed=4)
    compensated = CompensatedSpecimen(specimen, AdaptiveCompensation(0.004, window=0.1), DT)
    for k in range(400):
        compensated.apply(MOTION[k : k + 1], DT * k)
    kept = compensated.state
    after = [compensated.apply(MOTION[k : k + 1], DT * k) for k in range(400, 500)]
    again = CompensatedSpecimen(
        EmulatedSpecimen(law, actuator=actuator, sensors=Sensors(0.001, 0.01), seed=4),
        AdaptiveCompensation(0.004, window=0.1),
        DT,
    )
    again.restore(kept)
    for k, measured in zip(range(400, 500), after, strict=True):
        repeated = again.apply(MOTION[k : k + 1], DT * k)
        assert repeated.force.tolist() == measured.force.tolist()
        assert repeated.displacement.tolist() == measured.displacement.tolist()


def tracked(actuator, compensation, noise=0.0):
    specimen = EmulatedSpecimen(
        Elastic(1.0), actuator=actuator, sensors=Sensors(displacement_noise=noise)
    )
    driven = specimen if compensation is None else CompensatedSpecimen(specimen, compensation, DT)
    reached = []
    for k, x in enumerate(MOTION):
        driven.apply(np.array([x]), DT * k)
        reached.append(specimen.position[0])
    return tracking_error(MOTION, reached)


@pytest.mark.parametrize(
    "actuator",
    [Actuator(delay=0.015), Actuator(lag=0.02), Actuator(frequency=12.0, damping=0.8, delay=0.01)],
)
def test_compensation_betters_the_tracking(actuator):
    plain = tracked(actuator, None)
    polynomial = tracked(actuator, PolynomialCompensation(0.015))
    # given 5 ms, it finds the delay by itself
    adaptive = tracked(actuator, AdaptiveCompensation(0.005, noise=0.003), noise=0.003)
    assert plain > 0.09
    assert polynomial < 0.65 * plain
    assert adaptive < 0.25 * plain


def test_polynomial_compensation_removes_a_known_delay():
    assert tracked(Actuator(delay=0.015), PolynomialCompensation(0.015)) < 0.01


def test_adaptive_compensation_finds_delay_and_amplitude():
    class Weak(EmulatedSpecimen):
        def apply(self, command, time):
            return super().apply(0.9 * command, time)

    specimen = Weak(Elastic(1.0), actuator=Actuator(delay=0.012))
    compensation = AdaptiveCompensation(0.004)
    driven = CompensatedSpecimen(specimen, compensation, DT)
    for k, x in enumerate(MOTION):
        driven.apply(np.array([x]), DT * k)
    assert compensation.delay[0] == pytest.approx(0.012, rel=0.1)
    assert compensation.amplitude[0] == pytest.approx(0.9, rel=0.02)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Actuator(delay=-1.0),
        lambda: Actuator(lag=0.1, frequency=3.0),
        lambda: Sensors(force_noise=-1.0),
        lambda: EmulatedSpecimen("steel"),
        lambda: EmulatedSpecimen(Elastic(1.0), seed=-1),
        lambda: PolynomialCompensation(-0.1),
        lambda: EmulatedSpecimen(Elastic(1.0)).apply(np.zeros(2), 0.0),
    ],
)
def test_bad_input(make):
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize(
    "argument, ends",
    [
        ("amplitudes", (1.3, 0.7)),
        ("amplitudes", (0.0, 1.3)),
        ("amplitudes", (0.7,)),
        ("delays", (0.01, np.nan)),
        ("delays", (-0.01, 0.01)),
        ("delays", "short"),
    ],
)
def test_ends_of_an_estimate_that_cannot_be(argument, ends):
    """In the wrong order, the estimate would always be the second.

    An amplitude that is not there.
    """
    with pytest.raises(InputError, match=argument):
        AdaptiveCompensation(0.004, **{argument: ends})
