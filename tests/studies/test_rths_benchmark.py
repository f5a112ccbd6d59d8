"""The benchmarks of real-time tests: their plants by the published figures, the compiled loop against
the objects of a test, and what compensators reach in a short run."""

import numpy as np
import pytest

from femu.experimental import (
    CompensatedSpecimen,
    EmulatedSpecimen,
    InverseCompensation,
    Sensors,
)
from femu.materials import Elastic
from femu.studies import rths_benchmark as study
from femu.studies import rths_loop


def test_the_plant_has_the_published_gain_and_delay():
    plant = study.moved_plant(study.NOMINAL)
    f = [1.0, 5.0, 10.0, 20.0]
    gains = np.abs(plant.gain(f)[:, 0, 0])
    assert np.allclose(gains, [0.999, 0.851, 0.633, 0.406], atol=6e-4)
    delays = [1e3 * plant.delay_at(one)[0] for one in f]
    assert np.allclose(delays, [25.0, 22.7, 19.0, 14.3], atol=0.06)


def test_the_transfer_function_is_that_of_the_problem():
    """G = 1.0261 Gs G0 / (1 + Gs G0) with G0 = Ga Gp / (1 + Ga Gp a2 s)."""
    values = dict(study.NOMINAL, k=1.1e6, a3=4.0)
    s = 2j * np.pi * np.array([0.5, 4.0, 30.0])
    damping = 2.0 * study.RATIO * np.sqrt(values["k"] * study.MASS)
    specimen = 1.0 / (study.MASS * s**2 + damping * s + values["k"])
    piston, valve = 1.0 / (s + 4.0), study.A1_BETA0 / (s**2 + 425.0 * s + 9.9976e4)
    inner = piston * specimen / (1.0 + piston * specimen * study.A2 * s)
    wanted = study.GAIN * valve * inner / (1.0 + valve * inner)
    got = study.moved_plant(values).gain(np.imag(s) / (2.0 * np.pi))[:, 0, 0]
    assert np.allclose(got, wanted, rtol=1e-9)


def test_the_compiled_loop_does_what_the_objects_of_a_test_do():
    numerical, _ = study.structures(1, study.NOMINAL)
    k, ground = study.NOMINAL["k"], study.ground(12.0)[8000:9500]
    plant, dt = study.plant_of(study.NOMINAL), study.DT
    make = study.compensators()[study.OWN]
    forces = rths_loop.of_specimens(plant, numerical, np.array([k]))
    march = numerical.explicit(dt)
    fast = rths_loop.run_loop(
        numerical, march, plant.holding(k), forces, make(), Sensors(), ground, dt
    )
    specimen = CompensatedSpecimen(EmulatedSpecimen(Elastic(k), actuator=plant), make(), dt)
    x, before, force = np.zeros(3), np.zeros(3), 0.0
    left = numerical.mass / dt**2 + numerical.damping / (2.0 * dt)
    for step in range(1, len(ground)):
        load = -numerical.ground * ground[step - 1] - force * numerical.targets[0]
        load += (2.0 * numerical.mass / dt**2 - numerical.stiffness) @ x
        load -= (numerical.mass / dt**2 - numerical.damping / (2.0 * dt)) @ before
        x, before = np.linalg.solve(left, load), x
        measured = specimen.apply(x[:1], step * dt)
        force = measured.force[0]
        assert np.allclose(fast.displacement[step], x, rtol=0.0, atol=1e-12)
        assert abs(fast.reached[step, 0] - measured.displacement[0]) < 1e-12
    assert fast.stable and np.abs(fast.reached).max() > 1e-3


def test_without_a_test_the_structure_is_that_of_its_modes():
    """Free vibration after an impulse of the ground: the first mode's period and damping."""
    _, whole = study.structures(4, study.NOMINAL)
    ground = np.zeros(3 * 4096)
    ground[0] = 1.0
    x = rths_loop.without_test(whole, whole.explicit(study.DT), ground)[:, 2]
    w = np.sqrt(np.linalg.eigvalsh(whole.stiffness / 1000.0)[0])
    crossings = np.flatnonzero((x[4096:-1] < 0.0) & (x[4097:] >= 0.0))
    period = study.DT * np.diff(crossings).mean()
    assert period == pytest.approx(2.0 * np.pi / (w * np.sqrt(1.0 - 0.03**2)), rel=2e-3)


def test_known_delays_are_found():
    t = study.DT * np.arange(8192)
    wave = np.sin(2.0 * np.pi * 3.0 * t) * np.sin(np.pi * t / 2.0) ** 2
    late = np.interp(t - 3.3 * study.DT, t, wave, left=0.0)
    assert rths_loop.delay_of(late, wave, study.DT) == pytest.approx(
        3.3 * study.DT, abs=0.02 * study.DT
    )


def test_nominal_and_perturbed_plants_in_a_short_run():
    """Without compensation the loop is unstable; a fixed inverse of order 2 has J2 of 0.84 % and J4 of
    2.3 % in an independent program; compensators that learn stay far below a fixed inverse for a plant
    that deviates by two standard deviations."""
    makers = study.compensators()
    duration, plant = 7.0, dict(study.NOMINAL, beta2=1.066 * study.NOMINAL["beta2"], a3=4.6)
    lost = study.tested(4, study.NOMINAL, InverseCompensation([1.0]), duration=12.0)[0]
    assert np.isnan(lost).all()
    second = study.tested(1, study.NOMINAL, InverseCompensation([1.0, 0.0249, 1.07e-4]))[0]
    assert second[1] == pytest.approx(0.84, abs=0.1) and second[3] == pytest.approx(2.3, abs=0.4)
    fixed = study.tested(4, plant, makers["fixed inverse, order 3"](), duration=duration)[0]
    for name in (study.OWN, study.ATS):
        found = study.tested(4, plant, makers[name](), duration=duration)[0]
        assert found[1] < 0.25 * fixed[1] and found[3] < 0.2 * fixed[3]
