"""Bad input of the public API, of files, and of the command line."""

from __future__ import annotations

from tests.campaign.bad_input import check


def test_bad_input_is_refused_by_name() -> None:
    tally = check()
    assert not tally.failures
    assert tally.inputs > 20_000
