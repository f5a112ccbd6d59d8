"""Plants: against scipy's systems, closed forms and a fine integration; converters and noise."""

import copy
import pickle

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

from femu import InputError
from femu.experimental import Converter, EmulatedSpecimen, Plant, Sensors, perturbed
from femu.experimental.stability.specimen_path import of_specimen
from femu.materials import Bilinear, Elastic

DT = 1.0 / 1024
SERVO = Plant.transfer_function([900.0, 30.0 * 900.0], [1.0, 60.0, 1900.0, 27000.0])
RNG = np.random.default_rng(3)
COMMANDS = np.cumsum(RNG.standard_normal(300)) * 1e-3


def positions(specimen, commands=COMMANDS, dt=DT):
    made = []
    for k, command in enumerate(np.reshape(commands, (len(commands), -1)), 1):
        specimen.apply(command, k * dt)
        made.append(specimen.position.copy())
    return np.array(made)


def test_held_commands_move_it_as_scipy_moves_the_same_system():
    matrices = signal.tf2ss([900.0, 27000.0], [1.0, 60.0, 1900.0, 27000.0])
    system = signal.cont2discrete(matrices, DT)
    # scipy's sample k is before its command; femu's after it
    _, wanted, _ = signal.dlsim(system, np.append(COMMANDS, 0.0))
    got = positions(EmulatedSpecimen(Elastic(1.0), actuator=SERVO))
    assert np.allclose(got, wanted[1:], rtol=0.0, atol=1e-12 * np.abs(wanted).max())


def test_zeros_poles_and_columns_are_the_same_systems():
    zeros, poles, gain = [-120.0], [-16.0, -50.0 + 63.0j, -50.0 - 63.0j], 900.0
    w = 2.0 * np.pi * np.array([0.5, 3.0, 20.0])
    _, wanted = signal.freqs_zpk(zeros, poles, gain, w)
    plant = Plant.zeros_poles(zeros, poles, gain)
    assert np.allclose(plant.gain(w / (2.0 * np.pi))[:, 0, 0], wanted, rtol=1e-12)
    num, den = signal.zpk2tf(zeros, poles, gain)
    both = Plant.columns([([num, 0.1 * num], den), ([[0.0], [50.0]], [1.0, 50.0])])
    got = both.gain(w / (2.0 * np.pi))
    assert np.allclose(got[:, 0, 0], wanted) and np.allclose(got[:, 1, 0], 0.1 * wanted)
    assert np.allclose(got[:, 1, 1], 50.0 / (1j * w + 50.0)) and not got[:, 0, 1].any()


def interacting(k, mass=2.0, damping=300.0, force_gain=4e4):
    """A mass on the specimen, pushed by a servo loop with a first-order valve."""
    a = [[0.0, 1.0, 0.0], [0.0, -damping / mass, 1.0 / mass], [-force_gain * 20.0, 0.0, -20.0]]
    b, c, e = [[0.0], [0.0], [force_gain * 20.0]], [[1.0, 0.0, 0.0]], [[0.0], [1.0 / mass], [0.0]]
    return Plant(a, b, c, force=e, mass=mass, damping=damping)


def test_the_force_of_a_linear_specimen_acts_exactly_and_its_inertia_is_measured():
    k = 9e4
    plant = interacting(k)
    assert plant.holding(k).stable
    specimen = EmulatedSpecimen(Elastic(k), actuator=plant)
    f, w = 2.0, 2.0 * np.pi * 2.0
    t = DT * np.arange(1, 3001)
    commands = 0.01 * np.sin(w * t)
    moved, forces = [], []
    for time, command in zip(t, commands, strict=True):
        measured = specimen.apply(np.array([command]), time)
        moved.append(measured.displacement[0])
        forces.append(measured.force[0])
    # steady state: gain of the plant with the specimen; a command held over a step is its sine,
    # half a step early, with a gain of sin(x) / x
    x = 0.5 * w * DT
    gain = plant.holding(k).gain(f)[0, 0, 0] * np.exp(1j * x) * np.sin(x) / x
    late = slice(2000, None)
    wanted = np.imag(0.01 * gain * np.exp(1j * w * t))[late]
    assert np.allclose(np.array(moved)[late], wanted, atol=2e-4 * np.abs(wanted).max())
    stiffness = k + 300.0j * w - 2.0 * w**2
    force = np.imag(0.01 * gain * stiffness * np.exp(1j * w * t))[late]
    assert np.allclose(np.array(forces)[late], force, atol=5e-3 * np.abs(force).max())


def test_a_yielding_specimen_holds_the_actuator_back():
    """Against the same equations integrated finely. The yielded part of the force acts a step late,
    so the error halves with the step."""
    law, plant = Bilinear(9e4, 300.0, 0.1), interacting(9e4)
    a, b = np.asarray(plant.a), np.asarray(plant.b)[:, 0]
    fine, twin, y, wanted = DT / 16, EmulatedSpecimen(law), np.zeros(3), []
    moved = expm(fine * a)
    held = np.linalg.solve(a, moved - np.eye(3))
    commands = 0.02 * np.sin(2.0 * np.pi * 1.5 * DT * np.arange(1, 401))
    for k, command in enumerate(np.repeat(commands, 16), 1):
        force = twin.apply(y[:1].copy(), k * fine).force[0]
        y = moved @ y + held @ (b * command - np.array([0.0, force / 2.0, 0.0]))
        wanted.append(y[0])
    wanted = np.array(wanted[15::16])
    largest = np.abs(wanted).max()
    assert largest > 2.0 * 300.0 / 9e4  # it yields
    once = positions(EmulatedSpecimen(law, actuator=plant), commands)[:, 0]
    twice = positions(EmulatedSpecimen(law, actuator=plant), np.repeat(commands, 2), DT / 2)[
        1::2, 0
    ]
    errors = [np.abs(got - wanted).max() / largest for got in (once, twice)]
    assert errors[0] < 0.05 and errors[1] < 0.6 * errors[0]
    elastic = positions(EmulatedSpecimen(Elastic(9e4), actuator=plant), commands)[:, 0]
    assert np.abs(elastic - wanted).max() > 0.2 * largest


def test_state_copies_and_rest():
    make = lambda: EmulatedSpecimen(Elastic(1.0), actuator=SERVO, sensors=Sensors(1e-4), seed=2)  # noqa: E731
    specimen = make()
    positions(specimen, COMMANDS[:100])
    kept, twin = specimen.state, pickle.loads(pickle.dumps(copy.deepcopy(specimen)))
    after = [specimen.apply(COMMANDS[k : k + 1], DT * (k + 1)) for k in range(100, 150)]
    again = make()
    again.restore(kept)
    for other in (twin, again):
        for k, measured in zip(range(100, 150), after, strict=True):
            assert (
                other.apply(COMMANDS[k : k + 1], DT * (k + 1)).displacement == measured.displacement
            )
    assert specimen.every_step and not EmulatedSpecimen(Elastic(1.0)).every_step
    specimen.hold()
    place = specimen.position[0]
    rest = np.array([place / SERVO.gain(0.0)[0, 0, 0].real])
    assert specimen.apply(rest, 1.0) and specimen.position[0] == pytest.approx(place, rel=1e-12)


def test_converters_and_noise_of_a_power():
    converter = Converter.of_bits(4, 0.8)
    assert converter.step == pytest.approx(0.1)
    assert np.allclose(converter.convert(np.array([0.04, 0.06, -3.0, 0.8])), [0.0, 0.1, -0.8, 0.8])
    quick = Plant.transfer_function([1e5], [1.0, 1e5], converter=converter)
    got = positions(EmulatedSpecimen(Elastic(1.0), actuator=quick), [0.26, 5.0])
    assert np.allclose(got[:, 0], [0.3, 0.8])
    sensors = Sensors.of_power(4e-6, 1e-2, DT, Converter(0.0, 0.1), Converter(2.0))
    assert sensors.displacement_noise == pytest.approx(np.sqrt(4e-6 * 1024.0))
    specimen = EmulatedSpecimen(Elastic(1.0), sensors=sensors)
    found = [specimen.apply(np.zeros(1), k * DT) for k in range(3000)]
    moved, pushed = (np.array([getattr(m, n)[0] for m in found]) for n in ("displacement", "force"))
    assert np.abs(moved).max() == 0.1  # its range
    assert set(np.unique(pushed)) <= {-16.0, -14.0, -12.0, -10.0, -8.0, -6.0, -4.0, -2.0, 0.0, 2.0,
                                      4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0}  # fmt: skip
    # standard deviation of noise of sqrt(1e-2 * 1024) = 3.2, rounded to steps of 2: + 2^2 / 12
    assert pushed.std() == pytest.approx(np.sqrt(10.24 + 4.0 / 12.0), rel=0.06)


def test_perturbed_values_repeat_with_their_seed():
    many = perturbed({"k": 10.0, "z": -2.0}, {"k": 0.1, "z": 0.5}, 4000, seed=1, relative=True)
    assert perturbed({"k": 10.0, "z": -2.0}, {"k": 0.1, "z": 0.5}, 2, 1, True) == many[:2]
    k, z = (np.array([one[name] for one in many]) for name in ("k", "z"))
    assert k.mean() == pytest.approx(10.0, abs=0.06) and k.std() == pytest.approx(1.0, rel=0.05)
    assert z.mean() == pytest.approx(-2.0, abs=0.06) and z.std() == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Plant([[1.0, 2.0]], [[1.0]], [[1.0]]), "square"),
        (lambda: Plant([[-1.0]], [[1.0], [1.0]], [[1.0]]), "rows"),
        (lambda: Plant([[-1.0]], [[1.0]], [[1.0, 1.0]]), "outputs"),
        (lambda: Plant([[np.nan]], [[1.0]], [[1.0]]), "finite"),
        (lambda: Plant([[-1.0]], [[1.0]], [[1.0]], mass=2.0), "acceleration"),
        (lambda: Plant([[-1.0]], [[1.0]], [[1.0]], damping=-2.0), "negative"),
        (lambda: Plant.transfer_function([1.0, 0.0, 0.0], [1.0, 2.0]), "order"),
        (lambda: Plant.transfer_function([1.0], [2.0]), "with s in it"),
        (lambda: Plant.zeros_poles([], [-1.0 + 1.0j], 1.0), "conjugate"),
        (lambda: Plant.columns([([[1.0]], [1.0, 2.0])] * 2), "numerators"),
        (lambda: EmulatedSpecimen(Elastic(1.0), actuator=SERVO, numerical=True), "numerical"),
        (lambda: EmulatedSpecimen([Elastic(1.0)] * 2, actuator=SERVO), "channels"),
        (lambda: Converter(-1.0), "negative"),
        (lambda: Converter.of_bits(60, 1.0), "from 1 to 52"),
        (lambda: Sensors(displacement_range=0.0), "above 0"),
        (lambda: Sensors.of_power(-1.0, 0.0, 0.1), "negative"),
        (lambda: perturbed({"k": 1.0}, {"m": 1.0}, 3), "must name one"),
    ],
)
def test_bad_input(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_the_linear_model_of_the_stability_check_is_the_plant_with_its_specimen():
    k = 9e4
    plant = interacting(k)
    massless = Plant(plant.a, plant.b, plant.c, force=plant.force)
    for one in (massless, plant):
        specimen = EmulatedSpecimen(Elastic(k), actuator=one)
        wanted = of_specimen(EmulatedSpecimen(Elastic(k), actuator=one), DT, np.array([[k]]))
        got = []
        for step, command in enumerate(COMMANDS, 1):
            measured = specimen.apply(np.array([command]), step * DT)
            got.append([measured.displacement[0], measured.force[0]])
        answer = wanted.response(COMMANDS)
        assert np.allclose(got, answer, rtol=0.0, atol=1e-9 * np.abs(answer).max(axis=0))
