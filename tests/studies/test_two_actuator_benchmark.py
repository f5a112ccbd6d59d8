"""The benchmark with two actuators: its plant by the given zeros, poles and gains, its structure by
its frequencies, and that only a coupled inverse tracks."""

import numpy as np
import pytest

from femu.experimental import CoupledInverseCompensation, EstimatedPlantCompensation, perturbed
from femu.studies import rths_loop
from femu.studies import two_actuator_benchmark as study


def test_the_plant_has_the_given_zeros_poles_and_gains():
    s = 2j * np.pi * np.array([0.2, 3.0, 15.0])
    turn = 2.0 * np.pi
    pair = (s + turn * (50.0 - 63.0j)) * (s + turn * (50.0 + 63.0j))
    first = (s + turn * 2.65) * (s + turn * 40.0) * pair
    second = (s + turn * 3.5) * (s + turn * 18.5) * pair
    near = (s + turn * 120.0) * (s + turn * 90.0)
    wanted = np.array(
        [
            [2165.2 * near / first, 4.5394e6 * (s + turn * 3.0) / second],
            [349.95 * near / first, 1.9238e7 * (s + turn * 5.0) / second],
        ]
    )
    got = study.plant_of(study.NOMINAL).gain(np.imag(s) / turn)
    assert np.allclose(got, wanted.transpose(2, 0, 1), rtol=1e-9)
    one = study.plant_of(study.plants(1)[0])
    assert np.allclose(one.gain(0.0), study.plant_of(study.NOMINAL).gain(0.0), rtol=1e-9)
    assert not np.allclose(one.gain(5.0), study.plant_of(study.NOMINAL).gain(5.0), rtol=1e-3)


def test_the_implicit_march_has_the_frequencies_of_the_frame():
    """Eigenvalues of a step against those of the model; average acceleration turns w into
    2 atan(w dt / 2) / dt."""
    _, whole, _ = study.structures()
    free = rths_loop.Structure(
        whole.mass, 0.0 * whole.damping, whole.stiffness, whole.targets, whole.ground
    )
    values = np.linalg.eigvals(free.implicit(study.DT).moved)
    shares = np.linalg.eigvals(np.linalg.solve(whole.stiffness, whole.mass))
    w = 1.0 / np.sqrt(np.sort(shares.real)[-3:])
    wanted = 2.0 * np.arctan(0.5 * w * study.DT)
    assert all(np.abs(values - np.exp(1j * one)).min() < 1e-6 for one in wanted)


def test_a_perfect_actuator_gives_the_whole_frame():
    """Without compensation, but with a plant that is quick: what is left is the force of the step
    before."""
    from femu.experimental import InverseCompensation, Plant

    quick = Plant.columns([([[1.0], [0.0]], [1e-6, 1.0]), ([[0.0], [1.0]], [1e-6, 1.0])])
    numerical, _, forces = study.structures()
    run = rths_loop.run_loop(
        numerical,
        numerical.implicit(study.DT),
        quick,
        forces,
        InverseCompensation([1.0]),
        study.Sensors(),
        study.ground(6.0),
        study.DT,
    )
    whole = study.without_test(6.0)
    assert rths_loop.deviation(run.displacement[:, 25], whole[:, 25]) < 1.0


def test_only_with_the_coupling_the_actuators_track():
    plant = study.plant_of(study.NOMINAL)
    makers = study.compensators()
    duration, one = 6.0, study.plants(1)[0]
    alone, _ = study.tested(study.NOMINAL, makers[study.UNCOUPLED](), duration=duration)
    both, _ = study.tested(study.NOMINAL, makers[study.COUPLED](), duration=duration)
    there, _ = study.tested(
        study.NOMINAL,
        CoupledInverseCompensation(plant, coordinates=study.INTERFACE),
        duration=duration,
    )
    assert alone[2:4].max() > 10.0 and both[2:4].max() < 0.6
    assert np.allclose(both, there, rtol=1e-2, atol=1e-3)  # the same inverse in all coordinates
    fixed, _ = study.tested(one, makers[study.COUPLED](), duration=duration)
    own, _ = study.tested(one, makers[study.OWN](), duration=duration)
    assert own[2:4].max() < 0.5 * fixed[2:4].max() and own[8] < 1.0


@pytest.mark.parametrize("number", range(3))
def test_without_plants_one_far_from_the_nominal_is_tracked(number):
    """Three times the deviations of the study: ten and more of the prior. A limit near these would
    push errors into other coefficients."""
    wide = {name: 3.0 * value for name, value in study.DEVIATIONS.items()}
    values = perturbed(study.NOMINAL, wide, 3, 98, relative=True)[number]
    own = EstimatedPlantCompensation(study.plant_of(study.NOMINAL), noise=study.NOISE)
    found, _ = study.tested(values, own, duration=12.0)
    fixed = study.compensators()[study.COUPLED]()
    assert found[2:4].max() < 0.6
    assert found[2:4].max() < 0.2 * study.tested(values, fixed, duration=12.0)[0][2:4].max()


def test_further_delay_of_both_actuators_is_borne_without_plants():
    """Each command leaves 4 steps late, and the nominal plant knows nothing of it."""
    numerical, _, forces = study.structures()
    for values in study.plants(2):
        own = EstimatedPlantCompensation(study.plant_of(study.NOMINAL), noise=study.NOISE)
        run = rths_loop.run_loop(
            numerical,
            numerical.implicit(study.DT),
            study.plant_of(values),
            forces,
            own,
            study.SENSORS,
            study.ground(12.0),
            study.DT,
            waiting=4,
        )
        found = study.indices(run, study.without_test(12.0))
        assert found[2:4].max() < 3.0 and found[8] < 2.0
