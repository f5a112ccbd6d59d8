"""The faults that need no further processes; `python -m tests.campaign faults` meets them all."""

from __future__ import annotations

import sys

import pytest

from tests.campaign.faults import FAULTS, LINUX_ONLY, SLOW, meet


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SLOW])
def test_fault(name: str) -> None:
    if name in LINUX_ONLY and sys.platform != "linux":
        pytest.skip("needs Linux")
    fate = meet(name)
    assert fate.ok, str(fate)
    if fate.outcome.startswith("skipped"):
        pytest.skip(fate.outcome)
