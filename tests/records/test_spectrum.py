"""Response spectra: closed forms, and equality with eqsig and pyrotd where they define the same
thing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femu.records import GroundMotion, response_spectrum, rotated_spectrum, synthetic
from femu.support.errors import InputError
from femu.units import g

PERIODS = np.geomspace(0.1, 4.0, 25)
# s of zeros behind a record: pyrotd's Fourier transform runs the end of the record into its start
QUIET = 90.0


def fine(motion: GroundMotion, tail: float = 0.0, dt: float = 0.002) -> GroundMotion:
    samples = motion.resampled(dt).acceleration
    return GroundMotion(motion.name, dt, np.concatenate([samples, np.zeros(round(tail / dt))]))


def test_step_of_acceleration_gives_twice_the_static_displacement() -> None:
    """Undamped oscillator under a constant acceleration a.

    Peak 2 a / w² at half a period, whatever the sampling.
    """
    period, a = 0.5, 2.0
    for dt in (0.001, 0.01, 0.1):
        motion = GroundMotion("step", dt, np.full(round(1.0 / dt) + 1, a))
        found = response_spectrum(motion, [period], 0.0)
        assert found.displacement[0] == pytest.approx(
            2.0 * a / (2.0 * math.pi / period) ** 2, rel=2e-5
        )
        assert found.pseudo_acceleration[0] == pytest.approx(2.0 * a, rel=2e-5)


def test_ramp_has_its_closed_form() -> None:
    """Undamped under a = c t: u = -c (t - sin(wt) / w) / w²."""
    w, c = 2.0 * math.pi, 3.0
    motion = GroundMotion("ramp", 0.1, c * 0.1 * np.arange(21))
    found = response_spectrum(motion, [1.0], 0.0)
    assert found.displacement[0] == pytest.approx(c * 2.0 / w**2, rel=1e-9)
    assert found.acceleration[0] == pytest.approx(6.0, rel=1e-9)


def test_limits_of_very_stiff_and_very_soft_oscillators() -> None:
    quake = GroundMotion.el_centro()
    assert quake.sa(0.01) == pytest.approx(quake.pga, rel=0.01)
    soft = quake.spectrum([200.0]).displacement[0]
    from femu.records import peak_displacement

    assert soft == pytest.approx(peak_displacement(quake), rel=0.1)


def test_coarse_sampling_loses_no_peak() -> None:
    quake = GroundMotion.el_centro()
    at = np.geomspace(0.02, 4.0, 40)
    np.testing.assert_allclose(
        quake.spectrum(at).pseudo_acceleration,
        fine(quake).spectrum(at).pseudo_acceleration,
        rtol=1e-4,
    )


def test_equal_to_eqsig() -> None:
    eqsig = pytest.importorskip("eqsig")
    # eqsig sees samples only: 100 a period lose 5e-4 of a peak
    quake = fine(GroundMotion.el_centro(), dt=0.001)
    mine = quake.spectrum(PERIODS)
    theirs = eqsig.sdof.pseudo_response_spectra(quake.acceleration, quake.dt, PERIODS, 0.05)
    for a, b in zip(
        (mine.displacement, mine.pseudo_velocity, mine.pseudo_acceleration), theirs, strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-3)


def test_equal_to_pyrotd() -> None:
    pyrotd = pytest.importorskip("pyrotd")
    first = fine(GroundMotion.el_centro(), QUIET)
    second = fine(synthetic(3, duration=GroundMotion.el_centro().duration, dt=0.02), QUIET)
    theirs = pyrotd.calc_spec_accels(first.dt, first.acceleration, 1.0 / PERIODS, 0.05).spec_accel
    np.testing.assert_allclose(first.spectrum(PERIODS).pseudo_acceleration, theirs, rtol=1e-3)
    both = pyrotd.calc_rotated_spec_accels(
        first.dt,
        first.acceleration,
        second.acceleration,
        1.0 / PERIODS,
        0.05,
        percentiles=[50, 100],
    )
    for row, percentile in zip(rotated_spectrum(first, second, PERIODS), (50, 100), strict=True):
        np.testing.assert_allclose(row, both.spec_accel[both.percentile == percentile], rtol=1e-3)


def test_rotated_spectrum_of_one_component_and_itself() -> None:
    """Equal components: all motion is along 45 degrees, where it is sqrt(2) of one."""
    quake = GroundMotion.el_centro()
    _, largest = rotated_spectrum(quake, quake, PERIODS)
    np.testing.assert_allclose(
        largest, math.sqrt(2.0) * quake.spectrum(PERIODS).pseudo_acceleration, rtol=1e-3
    )


def test_scaling_to_a_spectral_acceleration() -> None:
    quake = GroundMotion.el_centro().scaled(sa=0.6 * g, period=0.9)
    assert quake.sa(0.9) == pytest.approx(0.6 * g, rel=1e-12)
    for arguments in (
        {"sa": 1.0},
        {"period": 1.0},
        {"sa": 1.0, "period": 1.0, "pga": 1.0},
        {"sa": -1.0, "period": 1.0},
    ):
        with pytest.raises(InputError):
            quake.scaled(**arguments)


@pytest.mark.parametrize("periods", [[], [0.0], [-1.0], [math.nan]])
def test_bad_periods_are_refused(periods: list[float]) -> None:
    with pytest.raises(InputError, match="periods"):
        GroundMotion.el_centro().spectrum(periods)


@pytest.mark.parametrize("damping", [-0.1, 1.0, "5 %"])
def test_bad_damping_is_refused(damping: object) -> None:
    with pytest.raises(InputError, match="damping"):
        GroundMotion.el_centro().spectrum([1.0], damping)  # type: ignore[arg-type]


def test_pair_with_other_samples_is_refused() -> None:
    quake = GroundMotion.el_centro()
    with pytest.raises(InputError, match="second"):
        rotated_spectrum(quake, quake.trimmed(end=5.0))
