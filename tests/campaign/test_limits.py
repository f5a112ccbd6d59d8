"""Numerical limits, the smaller ones."""

from __future__ import annotations

import pytest

from tests.campaign.limits import checks

QUICK = checks(quick=True)


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")  # what a failure says is checked
@pytest.mark.filterwarnings("ignore:dt = .* is longer than")
@pytest.mark.parametrize("name", QUICK)
def test_it_converges_or_says_why(name: str) -> None:
    assert QUICK[name]() is None
