"""The study of Ou et al. (2015), in one process."""

from __future__ import annotations

import numpy as np
import pytest

from femu.analyses import CentralDifference, Transient
from femu.studies import braced_frame as study
from femu.studies import multirate


@pytest.fixture(scope="module")
def runs() -> list[object]:
    return [
        Transient(CentralDifference(), dt=1.0 / study.MASTER).run(
            study.frame(None, upper), study.ground_motion(), duration=study.DURATION
        )
        for upper in (study.EXACT, study.INITIAL)
    ]


def test_without_updating_the_errors_are_those_of_the_rebuild(runs: list[object]) -> None:
    exact, fixed = runs
    found = multirate.errors(fixed, multirate.drifts(exact))
    np.testing.assert_allclose(found, multirate.EXPECTED[1:], rtol=multirate.WITHIN)


def test_updating_at_200_hz_leaves_a_tenth_of_the_error(runs: list[object]) -> None:
    truth = multirate.drifts(runs[0])
    updater = study.updater(200.0)
    result = multirate.tested(1, multirate.EveryNth(updater, 10))
    floor_2, floor_3, whole = multirate.errors(result, truth)
    assert updater.counts["samples"] == result.steps // 10
    assert multirate.local(updater) <= multirate.LIMITS[0]
    assert floor_2 <= multirate.LIMITS[1] and floor_3 <= multirate.LIMITS[2]
    assert whole <= multirate.EXPECTED[3] / multirate.LEAST_RATIO
