"""The record of an updater has room for every sample, whichever way they come."""

from __future__ import annotations

import numpy as np
import pytest

from femu.materials import Bilinear
from femu.updating import ModelUpdater, Unknown
from femu.updating.twin_clones import FIRST_ROOM

SAMPLES = 2 * FIRST_ROOM + 5
TIMES = 0.01 * np.arange(1, SAMPLES + 1)
MOVED = (3.0 * np.sin(0.7 * TIMES))[:, None]
FORCES = 40.0 * MOVED


def spring() -> ModelUpdater:
    return ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=1e3, b=0.1),
        {"E": Unknown(lower=10.0, upper=90.0)},
        force_noise=1.0,
        max_resets=0,
    )


@pytest.mark.parametrize("blocks", [(), (7,), (FIRST_ROOM - 1, FIRST_ROOM + 2)])
def test_one_by_one_and_in_blocks_in_any_order(blocks: tuple[int, ...]) -> None:
    whole, mixed = spring(), spring()
    whole.run(TIMES, MOVED, FORCES)
    done = 0
    for stop in (*blocks, SAMPLES):
        if stop <= done:
            continue
        mixed.run(TIMES[done:stop], MOVED[done:stop], FORCES[done:stop], first=done + 1)
        done = stop
        for k in range(done, min(done + FIRST_ROOM, SAMPLES)):
            mixed.update(k + 1, float(TIMES[k]), MOVED[k], FORCES[k])
            done = k + 1
        if done >= SAMPLES:
            break
    if done < SAMPLES:
        mixed.run(TIMES[done:], MOVED[done:], FORCES[done:], first=done + 1)
    assert np.array_equal(mixed.history.table, whole.history.table, equal_nan=True)
    assert mixed.values == whole.values
    for k in range(SAMPLES):  # a second test with the same updater, sample by sample
        if k == 0:
            mixed.start()
        mixed.update(k + 1, float(TIMES[k]), MOVED[k], FORCES[k])
    assert np.array_equal(mixed.history.table, whole.history.table, equal_nan=True)
