"""The hybrid tests of Wu and Wang (2014), sections 4 and 5.

Their structures, and one test of each.
"""

from __future__ import annotations

import numpy as np
import pytest

from femu.analyses import eigen
from femu.studies import braces, brb_frame, cukf_hybrid, rths_delay, two_storeys
from femu.studies.offline_identification import rmsd


def test_periods_are_the_printed_ones() -> None:
    np.testing.assert_allclose(
        eigen(two_storeys.structure(two_storeys.TRUE, two_storeys.TRUE), 2).periods,
        cukf_hybrid.PERIODS,
        rtol=1e-3,
    )
    np.testing.assert_allclose(
        eigen(braces.two_storeys(braces.INITIAL, braces.INITIAL), 2).periods,
        braces.PERIODS,
        rtol=1e-3,
    )
    assert eigen(braces.single(braces.INITIAL, braces.INITIAL), 1).periods[0] == pytest.approx(
        braces.SINGLE_PERIOD, rel=1e-3
    )


def test_without_updating_the_response_is_that_of_the_rebuild() -> None:
    exact = cukf_hybrid.response(cukf_hybrid.numerical(two_storeys.TRUE, two_storeys.TRUE))
    initial = cukf_hybrid.response(cukf_hybrid.numerical(two_storeys.TRUE, two_storeys.INITIAL))
    for kind, wanted in cukf_hybrid.INITIAL.items():
        assert rmsd(initial[kind], exact[kind]) == pytest.approx(wanted, rel=0.05)
    own = braces.values("A")
    exact_a, initial_a = (
        brb_frame.response(brb_frame.numerical(own, second), "A")
        for second in (own, braces.INITIAL)
    )
    found = [rmsd(a, b) for a, b in zip(initial_a, exact_a, strict=True)]
    np.testing.assert_allclose(found, brb_frame.REBUILT["A"], rtol=0.05)


def test_updating_leaves_a_tenth_of_the_error_of_the_numerical_storey() -> None:
    exact = cukf_hybrid.response(cukf_hybrid.numerical(two_storeys.TRUE, two_storeys.TRUE))
    updater = two_storeys.updater(cukf_hybrid.FILTERS["CUKF"])
    noise = cukf_hybrid.NOISE * float(exact["r1"].std())
    found = cukf_hybrid.response(cukf_hybrid.tested(noise, 0, updater))
    assert rmsd(found["r2"], exact["r2"]) < 0.04  # 0.387 without updating
    assert updater.values["k"] == pytest.approx(two_storeys.TRUE["k"], rel=0.03)


def test_with_the_delay_only_the_measured_displacement_tells_the_force() -> None:
    commanded, measured, _ = rths_delay.tested("C", 0, "CUKF")
    assert rths_delay.COMMAND_RANGE[0] <= commanded <= rths_delay.COMMAND_RANGE[1]
    assert measured <= 0.025
