"""Thinning: bounded, in order, and every peak kept; the range of a loop likewise."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from femu.monitor import Thinned
from femu.monitor.envelope import BINS, Envelope
from femu.monitor.thinned import MOST, PARTS


@given(st.lists(st.integers(1, 900), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_the_series_stays_short_and_keeps_its_peaks(sizes: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=sum(sizes))
    rows = np.stack([np.arange(len(values), dtype=float), values], axis=1)
    thinned = Thinned(2, most=200)
    for part in np.split(rows, np.cumsum(sizes)[:-1]):
        thinned.add(part)
        kept = thinned.rows
        assert len(kept) <= 200 + min(thinned.block, 4 * PARTS)
        assert (np.diff(kept[:, 0]) >= 0.0).all()
        seen = rows[: int(part[-1, 0]) + 1, 1]
        assert kept[:, 1].max() == seen.max()
        assert kept[:, 1].min() == seen.min()
        assert kept[-1, 0] >= len(seen) - thinned.block
    if len(values) <= 200:
        assert np.array_equal(thinned.rows, rows)


def test_an_hour_at_2000_hz_is_a_few_thousand_rows() -> None:
    thinned = Thinned(2)
    for k in range(72):
        t = (k * 100_000 + np.arange(100_000)) / 2000.0
        thinned.add(np.stack([t, np.sin(t)], axis=1))
    assert MOST / 2 <= len(thinned) <= MOST + 4 * PARTS
    assert thinned.rows[-1, 0] > 3599.0


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 300), st.floats(0.01, 50.0)), min_size=1, max_size=6),
    st.integers(0, 2**32 - 1),
)
def test_the_range_of_a_loop_holds_its_line_and_no_more(
    parts: list[tuple[int, float]], seed: int
) -> None:
    random, envelope, seen = np.random.default_rng(seed), Envelope(), []
    for count, size in parts:
        x, y = size * random.normal(size=(2, count + 1))
        envelope.add(x, y)
        seen.append(np.stack([x, y], axis=1))
    x, y = np.concatenate(seen).T
    middle, low, high = envelope.rows.T
    assert len(middle) <= BINS
    np.testing.assert_allclose(
        np.diff(middle), envelope._width, err_msg="a line leaves no bin out on its way"
    )
    assert low.min() == y.min() and high.max() == y.max()
    bounds = middle[:, None] + envelope._width * np.array([[[-0.5]], [[0.5]]])
    # places on each piece of the line between which it is in the bin
    at = np.clip((bounds - x[:-1]) / np.diff(x), 0.0, 1.0)
    through, reached = np.abs(at[1] - at[0]) > 1e-9, y[:-1] + at * np.diff(y)
    touched = np.abs(x - middle[:, None]) <= 0.5 * envelope._width * (1 + 1e-9)
    for found, sign in ((low, 1.0), (-high, -1.0)):
        in_bin = np.where(through, sign * reached, np.inf).min(axis=(0, 2))
        at_edge = np.minimum(in_bin, np.where(touched, sign * y, np.inf).min(axis=1))
        assert (found <= in_bin + 1e-6).all() and (found >= at_edge - 1e-6).all()
