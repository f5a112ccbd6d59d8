"""Compiled compensators: coefficients in closed form, what they learn, how they track, their states."""

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

from femu import InputError
from femu.experimental import (
    AdaptiveCompensation,
    AdaptiveDelayCompensation,
    AdaptiveModelCompensation,
    AdaptiveTimeSeriesCompensation,
    CompensatedSpecimen,
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    FIRCompensation,
    InverseCompensation,
    LQGCompensation,
    Plant,
    PolynomialCompensation,
    Sensors,
    TwoStageCompensation,
    tracking_error,
)
from femu.experimental.compensation.dynamic_inverse import dynamic_inverse, zeros_of
from femu.experimental.compensation.inverse_series import inverse_series
from femu.experimental.hybrid_test import _renamed
from femu.materials import Elastic

DT = 1.0 / 1024
NOISE = 1e-5


def servo(a1=0.02, a2=1.6e-4, a3=6e-7, gain=1.0):
    """All poles: its inverse is this polynomial."""
    return Plant.transfer_function([1.0 / gain], np.array([a3, a2, a1, 1.0]))


NOMINAL, ACTUAL = servo(), servo(0.021, 1.65e-4, 6.2e-7, gain=1.02)
TRUE = 1.02 * np.array([1.0, 0.021, 1.65e-4, 6.2e-7])
T = DT * np.arange(1, 5001)
MOTION = (
    0.01
    * np.minimum(T, 1.0) ** 3
    * (np.sin(2.0 * np.pi * 2.1 * T) + 0.4 * np.sin(2.0 * np.pi * 5.3 * T + 1.0))
)
MADE = {
    "inverse": lambda: InverseCompensation(plant=NOMINAL),
    "ATS": lambda: AdaptiveTimeSeriesCompensation([1.0, 0.02, 1.6e-4], threshold=3e-4),
    "AMB": lambda: AdaptiveModelCompensation([1.0, 0.02, 1.6e-4, 6e-7]),
    "two-stage": lambda: TwoStageCompensation(NOMINAL, threshold=3e-4),
    "FIR": lambda: FIRCompensation(NOMINAL, threshold=3e-4, spacing=0.002),
    "LQG": lambda: LQGCompensation(NOMINAL, noise=NOISE, disturbance=1e-3),
    "estimated": lambda: EstimatedPlantCompensation(NOMINAL, order=3, noise=NOISE),
}


def drive(compensation, plant=ACTUAL, motion=MOTION, noise=NOISE, of=EmulatedSpecimen):
    specimen = of(Elastic(1.0), actuator=plant, sensors=Sensors(noise))
    driven = CompensatedSpecimen(specimen, compensation, DT)
    reached = []
    for k, target in enumerate(motion, 1):
        driven.apply(np.array([target]), DT * k)
        reached.append(specimen.position[0])
    return np.array(reached)


def error(compensation, plant=ACTUAL):
    """Of the second half: what is learnt is learnt by then."""
    half = len(MOTION) // 2
    return tracking_error(MOTION[half:], drive(compensation, plant)[half:])


def test_the_series_of_an_all_pole_plant_is_its_denominator():
    got = inverse_series(ACTUAL, 4)[:, 0, 0]
    assert np.allclose(got, [*TRUE, 0.0], rtol=1e-12, atol=1e-18)
    early = inverse_series(ACTUAL, 1, DT)[:, 0, 0]  # half a step
    assert np.allclose(early, [TRUE[0], TRUE[1] - 0.5 * DT * TRUE[0]], rtol=1e-12)


def test_the_inverse_of_two_coupled_channels_with_zeros():
    plant = Plant.columns(
        [
            ([[30.0, 6000.0], [3.0, 900.0]], [1.0, 60.0, 6000.0]),
            ([[200.0], [5000.0, 1e5]], [1.0, 45.0, 1.2e3, 1e5]),
        ]
    )
    f = np.array([0.3, 2.0, 7.0])
    s = 2j * np.pi * f
    series = inverse_series(plant, 3)
    low = 2j * np.pi * 0.01
    assert np.allclose(
        sum(a * low**k for k, a in enumerate(series)), np.linalg.inv(plant.gain(0.01)[0]), rtol=1e-6
    )
    zeros = zeros_of(plant)
    assert len(zeros) == 2
    for z in zeros:  # where the determinant of the plant vanishes
        a, b, c = (np.asarray(part) for part in (plant.a, plant.b, plant.c))
        gain = c @ np.linalg.solve(z * np.eye(len(a)) - a, b)
        assert abs(np.linalg.det(gain)) < 1e-7 * np.abs(gain).max() ** 2
    dt = DT / 10.0
    made = dynamic_inverse(plant, 2, dt, 10.0)
    z = np.exp(s * dt)
    for freq, one in zip(range(3), z, strict=True):
        w = np.linalg.solve(
            one * np.eye(len(made.transition)) - made.transition, made.before + one * made.after
        )
        got = made.output @ w + sum(p * s[freq] ** k for k, p in enumerate(made.polynomial))
        wanted = np.linalg.inv(plant.gain(f[freq])[0]) * np.exp(-0.5 * dt * s[freq])
        # targets are straight between the steps: an error of (2 pi f dt)^2 / 12 = 2e-6, by which a
        # part of 50 times the whole deviates
        assert np.allclose(got, wanted, atol=1e-4 * np.abs(wanted).max())


def test_a_fixed_inverse_of_the_right_plant_tracks_and_coefficients_are_the_same():
    plain = tracking_error(MOTION, drive(InverseCompensation([1.0])))
    right = tracking_error(MOTION, drive(InverseCompensation(plant=ACTUAL), noise=0.0))
    assert plain > 0.3 and right < 2e-4
    given = InverseCompensation(inverse_series(ACTUAL, 3, DT)[:, 0, 0])
    assert np.allclose(drive(given, noise=0.0), drive(InverseCompensation(plant=ACTUAL), noise=0.0))


@pytest.mark.parametrize("name", [name for name in MADE if name not in ("inverse", "LQG")])
def test_adaptive_compensators_track_a_plant_that_they_do_not_know(name):
    """Far below the fixed inverse, of which the error is the deviation of the plant: 2 %."""
    fixed = error(InverseCompensation(plant=NOMINAL))
    assert 0.015 < fixed < 0.04
    assert error(MADE[name]()) < 0.2 * fixed


def test_feedback_of_the_error_betters_a_fixed_inverse():
    assert error(MADE["LQG"]()) < 0.6 * error(InverseCompensation(plant=NOMINAL))


def test_coefficients_are_learnt():
    """Those of displacement and velocity; those of higher derivatives act little in this motion."""
    second = Plant.transfer_function([1.0], [1.7e-4, 0.021, 1.0])
    ats = MADE["ATS"]()
    drive(ats, second, noise=0.0)
    wanted = inverse_series(second, 2, DT)[:, 0, 0]
    assert np.allclose(ats.present[0], wanted, rtol=5e-3)
    wanted = inverse_series(ACTUAL, 3, DT)[:, 0, 0]
    own = MADE["estimated"]()
    drive(own)
    got = own.coefficients[:, 0, 0]
    assert np.allclose(got[:2], wanted[:2], rtol=2e-3)
    assert np.allclose(got[2:], wanted[2:], rtol=0.05)


class OffZero(EmulatedSpecimen):
    """Its displacement transducer is 1 mm off its zero."""

    def apply(self, command, time):
        made = super().apply(command, time)
        return replace(made, displacement=made.displacement + 1e-3)


def test_a_transducer_off_its_zero_does_not_spoil_the_estimate():
    """A tenth of the motion; the specimen itself follows as if the transducer were right."""
    driven = drive(MADE["estimated"](), of=OffZero)
    half = len(MOTION) // 2
    assert tracking_error(MOTION[half:], driven[half:]) < 0.002


def test_a_wide_prior_of_several_channels_is_warned_of():
    pair = Plant.columns([([[1.0], [0.1]], [0.02, 1.0]), ([[0.1], [1.0]], [0.02, 1.0])])
    with pytest.warns(UserWarning, match=r"spread = 0\.1 .* give plants"):
        EstimatedPlantCompensation(pair, spread=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EstimatedPlantCompensation(pair, spread=0.01)
        EstimatedPlantCompensation(pair, plants=[pair, pair], spread=0.1)
        EstimatedPlantCompensation(NOMINAL, spread=0.3)


@pytest.mark.parametrize("name", MADE)
def test_states_are_restored_and_copies_go_their_own_way(name):
    compensation = MADE[name]()
    drive(compensation, motion=MOTION[:600])
    twins = [copy.deepcopy(compensation), pickle.loads(pickle.dumps(compensation)), MADE[name]()]
    twins[2].start(1, DT)
    twins[2].restore(compensation.state)

    def further(one):
        made = []
        for x in MOTION[600:650]:
            made.append(one.command(np.array([x]))[0])
            one.measured(np.array([0.9 * x]))
        return made

    wanted = further(compensation)
    assert all(further(twin) == wanted for twin in twins)
    assert repr(compensation) == repr(MADE[name]())
    with pytest.raises(InputError, match="state"):
        compensation.restore(np.zeros(3))


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_commanded_at_rest(name):
    compensation = MADE[name]()
    compensation.start(1, DT)
    for _ in range(50):
        assert compensation.command(np.zeros(1))[0] == 0.0
        compensation.measured(np.zeros(1))


def test_channels_of_one_compensation_do_not_mix():
    pair = Plant.columns([([[1.0], [0.0]], [0.02, 1.0]), ([[0.0], [1.0]], [0.02, 1.0])])
    single = Plant.transfer_function([1.0], [0.02, 1.0])
    for make in (
        lambda plant: InverseCompensation(plant=plant, order=2),
        lambda plant: AdaptiveTimeSeriesCompensation([1.0, 0.02, 1e-6], threshold=1e-3),
        lambda plant: TwoStageCompensation(plant, threshold=1e-3),
        lambda plant: PolynomialCompensation(0.01),
    ):
        both, one = make(pair), make(single)
        both.start(2, DT)
        one.start(1, DT)
        for k, x in enumerate(MOTION[:400]):
            got = both.command(np.array([x, 2.0 * MOTION[k + 50]]))
            assert got[0] == pytest.approx(one.command(np.array([x]))[0], rel=1e-9, abs=1e-15)
            both.measured(np.array([0.9 * x, 0.1 * x]))
            one.measured(np.array([0.9 * x]))


def test_the_old_name_is_that_of_the_same_class_also_in_journals():
    assert AdaptiveCompensation is AdaptiveDelayCompensation
    made = repr(AdaptiveCompensation(0.004))
    assert made.startswith("AdaptiveDelayCompensation(delay=0.004")
    old = {"e": made.replace("AdaptiveDelay", "Adaptive"), "f": "Other(1)"}
    assert _renamed(old) == {"e": made, "f": "Other(1)"}


UNSTABLE = Plant.transfer_function([1.0], [1.0, -1.0])
BACKWARD = Plant.transfer_function([-1.0, 60.0], [1.0, 15.0, 60.0])


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: InverseCompensation(), "must be given"),
        (lambda: InverseCompensation([1.0], plant=NOMINAL), "not both"),
        (lambda: InverseCompensation([1.0, np.inf]), "finite"),
        (lambda: InverseCompensation([[1.0]] * 2).start(3, DT), "each channel"),
        (lambda: InverseCompensation(plant=NOMINAL, order=7), "order"),
        (lambda: InverseCompensation(plant=NOMINAL).start(2, DT), "2 channels"),
        (lambda: InverseCompensation(plant=UNSTABLE), "stable"),
        (lambda: AdaptiveTimeSeriesCompensation([1.0, 0.1], threshold=1.0), "three"),
        (lambda: AdaptiveTimeSeriesCompensation([1.0, 0.1, 1e-3], threshold=0.0), "above 0"),
        (
            lambda: AdaptiveTimeSeriesCompensation(
                [1.0, 0.1, 1e-3], threshold=1.0, ranges=[(2.0, 3.0), (0.0, 1.0), (0.0, 1.0)]
            ),
            "contain",
        ),
        (lambda: AdaptiveModelCompensation([1.0, 0.1, 1e-3]), "four"),
        (lambda: AdaptiveModelCompensation([1.0, 0.1, 1e-3, 0.0], gains=[-1.0] * 4), "negative"),
        (lambda: FIRCompensation(NOMINAL, threshold=1.0, taps=1), "taps"),
        (lambda: LQGCompensation(NOMINAL, noise=0.0, disturbance=1.0), "noise"),
        (lambda: EstimatedPlantCompensation(NOMINAL, cutoff=400.0).start(1, DT), "quarter"),
        (lambda: EstimatedPlantCompensation(NOMINAL, plants=[NOMINAL]), "at least two"),
        (lambda: EstimatedPlantCompensation(BACKWARD).start(1, DT), "zeros"),
    ],
)
def test_bad_input(make, said):
    with pytest.raises(InputError, match=said):
        make()
