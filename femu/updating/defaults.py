"""The filter of an updater that was given none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from femu.filters.adaptive_ukf import AdaptiveUKF
from femu.filters.base import Filter


def default_filter(mode: str) -> Callable[..., Filter]:
    """`AdaptiveUKF`, which keeps its points inside the bounds and learns the noise from the innovations.

    With forces in the state ("joint") the measurement is linear, one iteration is exact, and the prior is kept: it is as
    wide as the bounds. With parameters alone the first seconds of yielding are strongly nonlinear, and the prior has to
    fade. Wild samples are the updater's own business.
    """
    if mode == "joint":
        return partial(AdaptiveUKF, gate=0.0, iterations=1, growth=0.0)
    return partial(AdaptiveUKF, gate=0.0)
