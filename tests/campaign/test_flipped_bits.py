"""Some flipped bits; `python -m tests.campaign flipped_bits` flips 7,500."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from tests.campaign import flipped_bits
from tests.campaign.tally import Tally


def test_no_flipped_bit_gives_other_numbers_in_silence() -> None:
    tally = flipped_bits.run(True)
    assert not tally.failures
    assert tally.survived == tally.faults == 5 * flipped_bits.QUICK + flipped_bits.RESUMED[True]


def test_other_numbers_are_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(3.0).tobytes())

    def read(path: Path) -> np.ndarray:
        return np.frombuffer(path.read_bytes())

    whole = flipped_bits.plain(read(path))
    assert flipped_bits.judged(path, read, whole) == flipped_bits.SAME
    path.write_bytes(flipped_bits.flipped(path.read_bytes(), np.random.default_rng(0)))
    assert flipped_bits.judged(path, read, whole) == flipped_bits.OTHER
    tally = Tally()
    flipped_bits._count(tally, "numbers", Counter({flipped_bits.OTHER: 1}))
    assert tally.failures and tally.survived == 0
