"""Some rounds of each target. `python -m tests.campaign fuzzing` goes on for minutes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from femu import FemuError
from tests.campaign.fuzzing import HDF5, TARGETS, fuzz, wrong_attributes

ROUNDS = 30
made = {}


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in HDF5])
def test_edited_inputs(name: str) -> None:
    assert not fuzz(name, 0.0, seed=1, rounds=ROUNDS).failures


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in TARGETS if name not in HDF5])
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
