"""A plant from a record: against the plant that made it, with noise, and in a compensation."""

import numpy as np
import pytest

from femu import InputError, Model
from femu.analyses import CentralDifference
from femu.experimental import (
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    ExperimentalElement,
    HybridTest,
    Plant,
    Sensors,
    identify_actuator,
    read_journal,
)
from femu.materials import Elastic
from femu.records import GroundMotion
from femu.studies import rths_problem as benchmark

DT = 1.0 / 1024
T = DT * np.arange(1, 20001)
CHIRP = 0.01 * np.sin(2.0 * np.pi * (0.2 * T + 0.5 * (25.0 - 0.2) / T[-1] * T**2))


def record(plant, commands, noise=0.0, seed=0):
    n = plant.size
    law = Elastic(1.0) if n == 1 else [Elastic(1.0)] * n
    specimen = EmulatedSpecimen(law, actuator=plant, sensors=Sensors(noise), seed=seed)
    rows = commands.reshape(len(commands), n)
    return np.array([specimen.apply(c, t).displacement for c, t in zip(rows, T, strict=False)])


@pytest.mark.parametrize("noise", [0.0, 2e-5])
def test_a_chirp_shows_the_plant(noise):
    plant = Plant.transfer_function([0.97], [6e-7, 1.6e-4, 0.02, 1.0])
    found = identify_actuator((CHIRP, record(plant, CHIRP, noise)), DT, band=(0.3, 24.0))
    f = np.array([0.5, 2.0, 8.0, 20.0])
    assert np.allclose(found.plant.gain(f), plant.gain(f), rtol=2e-3 if noise else 1e-5)
    assert len(np.asarray(found.plant.a)) == 3
    assert found.delay[0] == pytest.approx(plant.delay_at(found.band[0])[0], rel=0.01)
    assert found.fit > (0.99 if noise else 0.9999)  # the first sample is taken as rest
    if noise:
        assert found.noise[0] == pytest.approx(noise, rel=0.1)
    assert "explain" in str(found)


def test_coupled_channels_with_zeros_are_found():
    plant = Plant.columns(
        [
            ([[3.0, 300.0], [0.2, 30.0]], [5e-3, 4.0, 300.0]),
            ([[0.5, 20.0], [4.0, 250.0]], [6e-3, 5.0, 250.0]),
        ]
    )
    # white noise below 30 Hz, another one in each channel
    noise = np.random.default_rng(5).standard_normal((len(T), 2))
    spectrum = np.fft.rfft(noise, axis=0)
    spectrum[np.fft.rfftfreq(len(T), DT) > 30.0] = 0.0
    commands = 0.01 * np.fft.irfft(spectrum, len(T), axis=0)
    found = identify_actuator(
        (commands, record(plant, commands)), DT, poles=2, zeros=1, band=(0.3, 25.0)
    )
    f = np.array([1.0, 5.0, 15.0])
    wanted = plant.gain(f)
    assert np.allclose(found.plant.gain(f), wanted, atol=0.02 * np.abs(wanted).max())


def test_an_identified_plant_serves_in_the_benchmark():
    """Twenty seconds of a chirp before the test, with the noise and the converters of the problem."""
    plant = benchmark.moved_plant(benchmark.NOMINAL)
    t = benchmark.DT * np.arange(1, 20 * 4096)
    chirp = 0.005 * np.sin(2.0 * np.pi * (0.2 * t + 0.5 * (20.0 - 0.2) / t[-1] * t**2))
    specimen = EmulatedSpecimen(Elastic(1.0), actuator=plant, sensors=benchmark.SENSORS)
    reached = [
        specimen.apply(np.array([c]), x).displacement[0] for c, x in zip(chirp, t, strict=True)
    ]
    found = identify_actuator((chirp, reached), benchmark.DT, band=(0.3, 18.0))
    assert found.noise[0] == pytest.approx(benchmark.SENSORS.displacement_noise, rel=0.1)
    own = EstimatedPlantCompensation(found.plant, noise=float(found.noise[0]))
    values = benchmark.tested(1, benchmark.NOMINAL, own, duration=8.0)[0]
    assert values[1] < 0.5 and values[3] < 1.0


@pytest.mark.parametrize(
    "given, said",
    [
        ((np.zeros(3000), np.zeros(3000)), "move"),
        ((CHIRP[:100], CHIRP[:100]), "at least"),
        ((CHIRP, CHIRP[:-1]), "as many"),
        (CHIRP[0], "pair"),
        ((CHIRP, np.random.default_rng(1).standard_normal(len(T))), "coherence"),
    ],
)
def test_records_that_show_no_plant_are_refused(given, said):
    with pytest.raises(InputError, match=said):
        identify_actuator(given, DT)


def test_bad_arguments_are_refused():
    pair = (CHIRP, CHIRP)
    with pytest.raises(InputError, match="dt"):
        identify_actuator(pair)
    with pytest.raises(InputError, match="band"):
        identify_actuator(pair, DT, band=(5.0, 1.0))
    with pytest.raises(InputError, match="poles"):
        identify_actuator(pair, DT, poles=1, zeros=2)


def test_the_journal_of_a_test_is_a_record(tmp_path):
    plant = Plant.transfer_function([1.0], [1.6e-4, 0.02, 1.0])
    model = Model()
    model.node("top", 0.0, 0.0, fixed=("y", "rz"), mass=50.0)
    specimen = EmulatedSpecimen(Elastic(1e3), actuator=plant)
    model.add(ExperimentalElement("device", [("top", "x")], specimen=specimen))
    ground = GroundMotion.el_centro()
    HybridTest(model, ground, CentralDifference(), dt=0.005, duration=8.0).run(tmp_path / "j.h5")
    found = identify_actuator(read_journal(tmp_path / "j.h5"), poles=2, band=(0.2, 20.0))
    f = np.array([0.5, 2.0, 8.0])
    assert np.allclose(found.plant.gain(f), plant.gain(f), rtol=0.01)
    with pytest.raises(InputError, match="name of an element"):
        identify_actuator(read_journal(tmp_path / "j.h5"), element="other")


def test_a_transducer_off_its_zero_shows_the_same_plant():
    """By a tenth of the motion."""
    plant = Plant.transfer_function([0.97], [6e-7, 1.6e-4, 0.02, 1.0])
    off = record(plant, CHIRP) + 1e-3
    found = identify_actuator((CHIRP, off), DT, band=(0.3, 24.0))
    f = np.array([0.5, 2.0, 8.0, 20.0])
    assert np.allclose(found.plant.gain(f), plant.gain(f), rtol=1e-5)
