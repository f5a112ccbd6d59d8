"""Samples of parameters: same seed, same sets; each share of the distribution met once."""

from __future__ import annotations

import numpy as np
import pytest

from femu.batch import Lognormal, Normal, Uniform, latin_hypercube, sobol
from femu.support.errors import InputError

VARY = {
    "*.fy": Lognormal(280e6, 0.1),
    "*.b": Uniform(0.01, 0.05),
    "rayleigh.mass": Normal(0.2, 0.02),
}


@pytest.mark.parametrize("method", [latin_hypercube, sobol])
def test_same_seed_same_sets(method: object) -> None:
    first, again, other = (method(VARY, 16, seed) for seed in (1, 1, 2))  # type: ignore[operator]
    assert first == again != other
    assert [list(values) for values in first] == [list(VARY)] * 16


@pytest.mark.parametrize("method", [latin_hypercube, sobol])
def test_each_interval_is_met_once(method: object) -> None:
    sets = method({"x": Uniform(0.0, 1.0), "y": Uniform(0.0, 16.0)}, 16, 5)  # type: ignore[operator]
    for name, width in (("x", 1.0), ("y", 16.0)):
        assert sorted(int(16 * values[name] / width) for values in sets) == list(range(16))


def test_distributions_have_their_quantiles() -> None:
    share = np.array([0.15865525393145707, 0.5, 0.8413447460685429])
    np.testing.assert_allclose(Normal(2.0, 0.5).quantile(share), [1.5, 2.0, 2.5])
    np.testing.assert_allclose(Lognormal(2.0, 0.5).quantile(share), 2.0 * np.exp([-0.5, 0.0, 0.5]))
    np.testing.assert_allclose(Uniform(1.0, 3.0).quantile(share), 1.0 + 2.0 * share)


@pytest.mark.parametrize(
    "call",
    [
        lambda: latin_hypercube({}, 4, 1),
        lambda: latin_hypercube(VARY, 0, 1),
        lambda: latin_hypercube(VARY, 4, -1),
        lambda: sobol(VARY, 6, 1),
        lambda: Uniform(1.0, 1.0),
        lambda: Normal(0.0, 0.0),
        lambda: Lognormal(-1.0, 0.1),
    ],
)
def test_bad_input_is_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]
