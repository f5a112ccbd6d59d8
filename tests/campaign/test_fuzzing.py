"""Some rounds of each target. `python -m tests.campaign fuzzing` runs for minutes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from femu import FemuError
from tests.campaign.fuzz_targets import HDF5, SOCKETS, TARGETS
from tests.campaign.fuzzing import fuzz, rounds, wrong_attributes

ROUNDS = 30
IN_PYTHON = [name for name in TARGETS if name not in (*HDF5, *SOCKETS)]
made = {}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_edited_inputs(name: str) -> None:
    assert not fuzz(name, 0.0, seed=1, rounds=ROUNDS).failures


@pytest.mark.parametrize("name", SOCKETS)
def test_edited_inputs_over_sockets(name: str) -> None:
    assert not fuzz(name, 0.0, seed=1, rounds=3).failures


def test_damaged_hdf5_files() -> None:
    """In another process: HDF5 is written in C."""
    names = [name for name in HDF5 if not name.endswith("version")]
    tally = rounds(12, names)
    assert not tally.failures
    assert len(tally.lines) == len(names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", IN_PYTHON)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=3000))
def test_any_bytes(name: str, data: bytes) -> None:
    if name not in made:
        made[name] = TARGETS[name].target()
    with contextlib.suppress(FemuError):
        made[name](data)


def test_hdf5_files_with_wrong_contents() -> None:
    tally = wrong_attributes()
    assert not tally.failures
    assert tally.inputs > 200
