"""The material of CONTRIBUTING.

Its loop, and that a file of one's own gets the same kernel as a built-in law.
"""

from __future__ import annotations

import numpy as np
import pytest
from example_material import FlagShape
from material_harness import FY, Block, E, cyclic

from femu.benchmarks.own_material import OwnSteel
from femu.materials import Bilinear
from femu.model.strain_path import drive


def test_flag() -> None:
    """Up to 3: 1 + 2 b; the way back falls to the lower side, (1-b)(1-beta) + b u, and ends at
    zero; odd."""
    k, f, b, beta = 1.0, 1.0, 0.1, 0.6
    path = drive(FlagShape(k, f, b, beta), [1.0, 3.0, 2.9, 2.0, 1.0, 0.3, 0.0, -3.0, 0.0])
    lower = (1.0 - b) * (1.0 - beta)
    expected = [1.0, 1.2, 1.1, lower + 0.2, lower + 0.1, 0.3, 0.0, -1.2, 0.0]
    assert path.force[:, 0] == pytest.approx(expected)
    assert path.tangent[:, 0] == pytest.approx([1.0, b, 1.0, b, b, 1.0, 1.0, b, 1.0])


def test_the_same_law_outside_femu_gives_the_same_bits() -> None:
    strain = cyclic(0.01)
    mine, built_in = drive(OwnSteel(E, FY, 0.02), strain), drive(Bilinear(E, FY, 0.02), strain)
    assert mine.force.tobytes() == built_in.force.tobytes()
    many = np.random.default_rng(0).normal(0.0, 0.003, 33)
    one, other = Block(OwnSteel(E, FY, 0.02)), Block(Bilinear(E, FY, 0.02))
    assert (
        one(one.virgin(33), many).stress.tobytes() == other(other.virgin(33), many).stress.tobytes()
    )
