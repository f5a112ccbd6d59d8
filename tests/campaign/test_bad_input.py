"""Bad input of the public API, of files, and of the command line."""

from __future__ import annotations

from typing import Any

import pytest

from tests.campaign import bad_commands
from tests.campaign.bad_input import TOPICS, arguments, by_hand, front_end, left_out


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.__name__.rpartition("_")[2])
def test_every_argument_is_refused_by_name(topic: Any) -> None:
    tally = arguments(topic)
    assert not tally.failures
    assert tally.inputs > 2000


def test_nothing_public_is_left_out() -> None:
    assert not left_out()


def test_files_and_rules() -> None:
    tally = by_hand()
    assert not tally.failures
    assert tally.inputs > 200


def test_words_on_the_command_line() -> None:
    tally = bad_commands.check()
    assert not tally.failures
    assert tally.inputs > 100


def test_commands_of_the_opensees_front_end() -> None:
    tally = front_end(quick=True)
    assert not tally.failures
    assert tally.inputs > 4000
