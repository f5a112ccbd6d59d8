"""Time series and support motions."""

from __future__ import annotations

import numpy as np
import pytest

from femu import GroundMotion, InputError
from femu.model.series import Constant, Linear, Motion, Pulse, Sampled, Series, Sine

T = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 7.0])


@pytest.mark.parametrize(
    ("series", "wanted"),
    [
        (Constant(3.0), [3.0] * 6),
        (Linear(2.0), [-2.0, 0.0, 1.0, 2.0, 4.0, 14.0]),
        (Pulse(0.0, 1.0, 5.0), [0.0, 5.0, 5.0, 5.0, 0.0, 0.0]),
        (Sine(2.0, amplitude=3.0, start=0.0, end=2.0), [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]),
        (Sine(2.0, phase=np.pi / 2), [0.0, 1.0, 0.0, -1.0, 1.0, -1.0]),
        (Sampled([0.0, 1.0, 2.0], [1.0, 3.0, 0.5]), [0.0, 1.0, 2.0, 3.0, 0.5, 0.0]),
        (Sampled([0.0, 1.0, 2.0], [1.0, 3.0, 0.5], hold=True), [0.0, 1.0, 2.0, 3.0, 0.5, 0.5]),
    ],
    ids=repr,
)
def test_values(series: Series, wanted: list[float]) -> None:
    assert isinstance(series, Series)
    assert series.at(T) == pytest.approx(wanted, abs=1e-12)
    assert float(series.at(0.5)) == pytest.approx(wanted[2], abs=1e-12)


def test_a_ground_motion_is_a_series() -> None:
    assert isinstance(GroundMotion.el_centro(), Series)


def test_samples_are_kept_apart_from_the_callers_array() -> None:
    values = np.array([0.0, 1.0])
    series = Sampled([0.0, 1.0], values)
    values[1] = 99.0
    assert series.at(1.0) == 1.0


def test_motion_from_displacement_has_its_derivatives() -> None:
    dt = 0.01
    t = dt * np.arange(400)
    motion = Motion(dt, displacement=0.02 * np.sin(5.0 * t))
    inside = t[3:-3]
    u, v, a = motion.at(inside)
    assert u == pytest.approx(0.02 * np.sin(5.0 * inside), abs=1e-15)
    assert v == pytest.approx(0.1 * np.cos(5.0 * inside), abs=1e-4)
    assert a == pytest.approx(-0.5 * np.sin(5.0 * inside), abs=1e-3)


def test_motion_from_acceleration_is_exact_for_a_linear_one() -> None:
    dt = 0.1
    t = dt * np.arange(11)
    u, v, a = Motion(dt, acceleration=6.0 * t).at(t)
    assert a == pytest.approx(6.0 * t)
    assert v == pytest.approx(3.0 * t**2)
    assert u == pytest.approx(t**3)


def test_motion_holds_its_last_displacement() -> None:
    u, v, a = Motion(0.5, displacement=[0.0, 1.0, 4.0]).at(np.array([-1.0, 9.0]))
    assert u == pytest.approx([0.0, 4.0])
    assert not v.any()
    assert not a.any()


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: Constant(NAN), "value"),
        (lambda: Constant("1"), "value"),
        (lambda: Linear(INF), "slope"),
        (lambda: Sine(0.0), "period"),
        (lambda: Sine(-1.0), "period"),
        (lambda: Sine(NAN), "period"),
        (lambda: Sine("1"), "period"),
        (lambda: Sine(1.0, amplitude=NAN), "amplitude"),
        (lambda: Sine(1.0, phase=INF), "phase"),
        (lambda: Sine(1.0, start=2.0, end=1.0), "end"),
        (lambda: Sine(1.0, end=NAN), "end"),
        (lambda: Pulse(1.0, 1.0), "end"),
        (lambda: Pulse(2.0, 1.0), "end"),
        (lambda: Pulse(NAN, 1.0), "start"),
        (lambda: Pulse(0.0, 1.0, NAN), "value"),
        (lambda: Sampled([0.0], [1.0]), "t, values"),
        (lambda: Sampled([0.0, 1.0], [1.0]), "t, values"),
        (lambda: Sampled([0.0, 0.0], [1.0, 2.0]), "t"),
        (lambda: Sampled([1.0, 0.0], [1.0, 2.0]), "t"),
        (lambda: Sampled([0.0, 1.0], [1.0, NAN]), "values"),
        (lambda: Sampled([0.0, INF], [1.0, 2.0]), "t"),
        (lambda: Sampled(["a", "b"], [1.0, 2.0]), "t"),
        (lambda: Sampled([0.0, 1.0], None), "values"),
        (lambda: Motion(0.0, displacement=[0, 1, 2]), "dt"),
        (lambda: Motion(NAN, displacement=[0, 1, 2]), "dt"),
        (lambda: Motion("1", displacement=[0, 1, 2]), "dt"),
        (lambda: Motion(0.1), "displacement, acceleration"),
        (
            lambda: Motion(0.1, displacement=[0, 1, 2], acceleration=[0, 1, 2]),
            "displacement, acceleration",
        ),
        (lambda: Motion(0.1, displacement=[0, 1]), "displacement"),
        (lambda: Motion(0.1, displacement=[0, 1, NAN]), "displacement"),
        (lambda: Motion(0.1, acceleration=[[0, 1, 2]]), "acceleration"),
        (lambda: Motion(0.1, acceleration="abc"), "acceleration"),
    ],
)
def test_bad_arguments(make: object, argument: str) -> None:
    with pytest.raises(InputError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.argument == argument
