"""Some power cuts; `python -m tests.campaign power_cuts` makes 2500."""

from __future__ import annotations

import pytest

from tests.campaign import power_cuts


@pytest.mark.filterwarnings("ignore")
def test_no_synced_row_is_lost_and_no_row_is_wrong() -> None:
    tally = power_cuts.run(True)
    assert not tally.failures
    assert (
        tally.survived
        == tally.faults
        == len(power_cuts.TESTS) * len(power_cuts.KINDS) * power_cuts.QUICK
    )
