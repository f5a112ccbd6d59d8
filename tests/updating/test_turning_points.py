"""An updater that drops samples follows the specimen's path over the points where it turned."""

from __future__ import annotations

import numpy as np
import pytest
import remote_spring as spring
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from femu.materials import Bilinear
from femu.model.strain_path import drive
from femu.updating.turning_points import HEAD, TurningPoints

EVERY = 75  # steps between samples that are processed


def law(strength: float = spring.STRENGTH) -> Bilinear:
    return Bilinear(E=spring.STIFFNESS, fy=strength, b=spring.HARDENING)


@given(arrays(float, (40, 1), elements=st.integers(-9, 9)))
def test_a_law_has_the_same_force_after_the_turning_points_as_after_the_whole_path(
    path: np.ndarray,
) -> None:
    path = 0.05 * path
    points = TurningPoints(1, len(path))
    for step, row in enumerate(path):
        points.note(step, 0.01 * step, row)
    turns = points.rows
    assert (np.diff(turns[:, 0]) > 0.0).all()
    assert (path[turns[:, 0].astype(int)] == turns[:, HEAD:]).all()
    thinned = np.concatenate([turns[:, HEAD:], path[-1:]])
    start = path[:1]  # the first sample is processed in any case
    assert drive(law(), np.concatenate([start, thinned])).force[-1] == pytest.approx(
        drive(law(), path).force[-1], abs=1e-12
    )


def test_points_are_forgotten_up_to_a_step_and_the_oldest_if_there_is_no_room() -> None:
    points = TurningPoints(2, 3)
    for step in range(12):
        points.note(step, 0.1 * step, [(-1.0) ** step, 0.0])
    assert points.rows[:, 0].tolist() == [8.0, 9.0, 10.0]
    points.note(12, 1.2, [np.nan, 0.0])  # a sample without a displacement turns nothing
    assert len(points.rows) == 3
    points.forget(8)
    assert points.rows[:, 0].tolist() == [9.0, 10.0]
    points.forget(7)
    points.forget(10)
    assert len(points.rows) == 0


def test_a_strength_is_found_from_few_samples_if_the_turning_points_are_known() -> None:
    time = 0.004 * np.arange(1, 1501)
    turn = 2.0 * np.pi * time
    path = 0.12 * np.sin(turn) + 0.1 * np.sin(turn / 2.7) + 0.06 * np.sin(turn / 0.43)
    force = drive(law(), path).force[:, 0]
    errors = {}
    for known in (True, False):
        updater = spring.make_updater()
        updater.start()
        points, processed = TurningPoints(1, len(time)), -1
        for step, (t, d, f) in enumerate(zip(time, path, force, strict=True)):
            points.note(step, t, d)
            if step % EVERY == 0:
                for row in points.rows[points.rows[:, 0] > processed] if known else ():
                    updater.update(int(row[0]), row[1], row[HEAD:], None)
                updater.update(step, t, d, f)
                processed = step
        errors[known] = abs(updater.values["fy"] - spring.STRENGTH)
    assert errors[True] < 0.01
    assert errors[False] > 0.5, "the samples are so few that the path between them matters"
