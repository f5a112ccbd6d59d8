"""Wu et al. (2015): what its study claims, in a short run."""

from __future__ import annotations

import numpy as np
import pytest

from femu.studies import section_updating as study

SHORT = 3.0  # s: past the strongest yielding


@pytest.mark.parametrize("gravity", [False, True])
def test_online_updating_reaches_the_limits(gravity):
    updated = study.case_c(gravity, SHORT, seed=0, mode="joint")
    assert (
        np.abs(updated.errors) <= study.LIMITS
    ).all() and updated.converged <= study.CONVERGED_BY
    b = study.deviation(study.case_b(gravity, SHORT), study.case_a(gravity, SHORT))
    assert updated.displacement <= min(study.DISPLACEMENT_LIMIT, study.SHARE_OF_B * b)
    assert updated.updater.diagnose().in_class


def test_settings_of_the_paper_along_the_path_of_case_a():
    by_name = {s.name: s for s in study.SETTINGS}
    printed = study.offline(by_name["printed Q, joint/shared"], False, study.PATH_DURATION, 2)
    # the fixed point of the clipped points, whatever is measured
    assert printed[:, 2] == pytest.approx(-100.0 / 6.0, abs=0.01)
    pure = study.offline(by_name["Q_b 1e-8, pure/shared"], False, study.PATH_DURATION, 5).mean(
        axis=0
    )
    assert pure == pytest.approx([-7.6, 0.36, 6.0], abs=0.7)  # an independent rebuild
    wide = study.offline(by_name["Q_b 1e-8, wide, joint/shared"], True, study.PATH_DURATION, 2)
    assert (np.abs(wide) <= (2.0, 1.0, 10.0)).all()


def test_the_printed_process_noise_is_called_destructive():
    assert all(row.ok for row in study._printed_setting())
