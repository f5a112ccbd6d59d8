"""The hybrid test of Mosqueda and Ahmadizadeh (2008), shortened.

The first seconds of the record, a seed or two.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from femu.analyses.eigen import eigen
from femu.experimental import PolynomialCompensation
from femu.studies import fifteen_storeys, implicit_methods
from femu.studies.implicit_picture import draw

DT = fifteen_storeys.DT
STRONG = 420 * DT  # the peaks are at 3 s


def plain_solution(dt: float, steps: int) -> np.ndarray:
    """Average acceleration on plain arrays, with Bouc-Wen by its hyperbolic tangents.

    Independent of femu's elements.
    """
    n, m, hardening = 15, 2.1573e-3, 0.05
    stiffness = np.array([1.77] + 14 * [8.86] + [2 * 1.93632, 2 * 0.78368])
    limit = np.array(15 * [3.6] + [5.0, 6.18])
    b = np.zeros((17, n))
    b[:n] = np.eye(n) - np.eye(n, k=-1)
    b[15, 0] = 1.0
    b[16, :2] = -(1.0 + 1.0 / 1.07353), 1.0 / 1.07353

    def springs(z0, change):
        z, x = z0 / limit, change / limit
        back = z * x < 0.0
        still = back & (np.abs(x) < np.abs(z))
        on = np.where(
            back & ~still,
            np.tanh(z + x),
            np.tanh(np.arctanh(np.where(back, 0.0, z)) + np.where(back, 0.0, x)),
        )
        z = np.where(still, z + x, on)
        return limit * z, np.where(still, 1.0, 1.0 - z**2)

    values, shapes = np.linalg.eigh(b.T @ (stiffness[:, None] * b) / m)
    c = m * (shapes * (2.0 * 0.02 * np.sqrt(values))) @ shapes.T
    ground = fifteen_storeys.motion().at(dt * np.arange(steps + 1))
    d, v, a, z = np.zeros(n), np.zeros(n), np.full(n, -ground[0]), np.zeros(17)
    found = [d]
    for k in range(steps):
        new = d + dt * v + 0.5 * dt**2 * a
        for _ in range(30):
            a1 = (new - d - dt * v) * 4.0 / dt**2 - a
            v1 = v + 0.5 * dt * (a + a1)
            z1, slope = springs(z, b @ (new - d))
            force = b.T @ (stiffness * (hardening * (b @ new) + (1.0 - hardening) * z1))
            tangent = b.T @ ((stiffness * (hardening + (1.0 - hardening) * slope))[:, None] * b)
            move = np.linalg.solve(
                4.0 * m / dt**2 * np.eye(n) + 2.0 / dt * c + tangent,
                -m * ground[k + 1] - force - c @ v1 - m * a1,
            )
            new = new + move
            if np.abs(move).max() < 1e-12:
                break
        a1 = (new - d - dt * v) * 4.0 / dt**2 - a
        z, v, a, d = springs(z, b @ (new - d))[0], v + 0.5 * dt * (a + a1), a1, new
        found.append(d)
    return np.array(found)


def test_the_building_has_the_printed_stiffness_and_period() -> None:
    assert eigen(fifteen_storeys.numerical_building(), 1).periods[0] == pytest.approx(1.0, rel=1e-4)
    assert fifteen_storeys.emulated().initial_stiffness() == pytest.approx(
        np.array([[4.86, -1.41], [-1.41, 0.68]]), abs=2e-4
    )
    hybrid = eigen(fifteen_storeys.hybrid_building(fifteen_storeys.emulated()), 15).periods
    assert hybrid == pytest.approx(
        eigen(fifteen_storeys.numerical_building(), 15).periods, rel=1e-12
    )


def test_numerical_solution_is_that_of_plain_arrays() -> None:
    found = fifteen_storeys.floors_of(fifteen_storeys.numerical(DT, STRONG))
    assert np.abs(found).max(axis=0) == pytest.approx([21.3, 39.7, 102.0], rel=0.005)
    assert found == pytest.approx(plain_solution(DT, 420)[:, [0, 1, 14]], abs=1e-8)


def test_the_default_keeps_close_to_the_solution_and_splitting_does_not() -> None:
    default, splitting = (
        implicit_methods.tested(m, 1, duration=STRONG)
        for m in (implicit_methods.DEFAULT, implicit_methods.SAME_PREDICTOR)
    )
    assert default.converged == 1.0
    assert default.iterations.mean() <= 2.3
    assert 0.65 <= default.updated <= 0.85
    assert (default.error <= [0.02, 0.01, 0.01]).all()
    assert (default.error[1:] <= 0.8 * splitting.error[1:]).all()
    assert abs(default.energy_error) < 0.005


def test_at_four_times_the_step_the_default_is_stable_and_the_printed_method_is_not() -> None:
    duration = 1200 * DT
    default, literal = (
        implicit_methods.tested(m, 1, times=4, duration=duration)
        for m in (implicit_methods.DEFAULT, implicit_methods.LITERAL)
    )
    assert default.stable and default.converged == 1.0
    assert (default.error < 0.1).all()
    assert not literal.stable and literal.converged < 0.7


def test_steps_that_fail_are_finished_and_counted() -> None:
    failing = tuple(range(20, 420, 20))
    found = implicit_methods.tested(implicit_methods.DEFAULT, 1, duration=STRONG, failing=failing)
    assert found.result.steps == 420
    assert np.flatnonzero(~found.result.converged).tolist() == [s - 1 for s in failing]
    plain = implicit_methods.tested(implicit_methods.DEFAULT, 1, duration=STRONG)
    assert (found.error <= 1.5 * plain.error).all()


def test_compensation_takes_most_of_the_delay_away() -> None:
    late, compensated = (
        implicit_methods.tested(
            implicit_methods.INITIAL, 1, duration=STRONG, delay=0.015, compensation=c
        )
        for c in (None, PolynomialCompensation(0.015, order=2))
    )
    assert (compensated.error < 0.5 * late.error).all()


def test_a_twin_that_learns_knows_the_tangent_better_than_eigenvectors() -> None:
    twin, default = (
        implicit_methods.tested(m, 2, duration=STRONG)
        for m in (implicit_methods.TWIN, implicit_methods.DEFAULT)
    )
    assert twin.tangent_error < 0.5 * default.tangent_error


def test_exact_tangents_are_those_of_the_specimen() -> None:
    path = np.array([[0.0, 0.0], [4.0, 9.0], [12.0, 20.0], [11.0, 19.5]])
    specimen = fifteen_storeys.emulated()
    for k, (place, tangent) in enumerate(
        zip(path, implicit_methods.exact_tangents(path), strict=True)
    ):
        specimen.apply(place, 0.01 * k)
        assert fifteen_storeys.TWICE * tangent == pytest.approx(specimen.tangent(), rel=1e-12)


def test_the_picture_is_written(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    draw(
        implicit_methods.tested(implicit_methods.DEFAULT, 1, duration=700 * DT).result,
        fifteen_storeys.numerical(DT, 700 * DT),
        path,
    )
    assert path.read_bytes().startswith(b"\x89PNG")
