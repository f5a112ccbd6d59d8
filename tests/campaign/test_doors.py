"""Some strangers; `python -m tests.campaign doors` sends 4,000."""

from __future__ import annotations

import sys

import pytest

from tests.campaign import doors


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs 127.0.0.2")
def test_no_stranger_moves_a_specimen_and_all_are_in_the_log() -> None:
    tally = doors.run(True)
    assert not tally.failures
    assert tally.survived == tally.faults > 250
    assert tally.steps == 8 * len(doors.COMMANDS)
