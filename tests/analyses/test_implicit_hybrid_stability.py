"""How wrong the stiffness of a specimen may be in an implicit hybrid test: closed form against
tests.

A linear specimen K on a mass M, taken with the stiffness K_e about its answer at d + dt v + dt^2/2
a. With average acceleration the poles z = (1+w)/(1-w) are the roots of

    (M - 2s) w^3 + M w^2 + k w + k,    s = (K - K_e) dt^2/4,    k = K dt^2/4

so that the test is stable where K_e <= K and (K - K_e) dt^2/2 < M, and for no other K_e.
"""

from __future__ import annotations

import numpy as np
import pytest

from femu import GroundMotion, HybridTest, Model
from femu.analyses import ImplicitHybrid
from femu.experimental import EmulatedSpecimen, ExperimentalElement, TangentEstimator
from femu.materials import Elastic

# steps beyond the limit of stability
pytestmark = pytest.mark.filterwarnings("ignore:dt = .* is longer than")
MASS, DT, STEPS = 2.0, 0.01, 400
PUSH = GroundMotion("push", DT, np.array([0.0, 1.0, 0.0]))


class Share(TangentEstimator):
    """A fixed share of the initial stiffness."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def start(self, initial):
        super().start(initial)
        self.stiffness = self.share * self.initial

    def learn(self, d, f):
        return False


def largest_pole(ratio: float, share: float) -> float:
    """Of omega dt squared, and of K_e / K."""
    s = 0.25 * (1.0 - share) * ratio
    w = np.roots([1.0 - 2.0 * s, 1.0, 0.25 * ratio, 0.25 * ratio])
    return float(np.abs((1.0 + w) / (1.0 - w)).max())


def growth(ratio: float, share: float) -> float:
    """Factor a step by which the response grows in a test."""
    model = Model("oscillator")
    model.node(1, 0.0, 0.0, mass=(MASS, 0.0, 0.0))
    specimen = EmulatedSpecimen(Elastic(ratio * MASS / DT**2))
    model.add(ExperimentalElement("spring", [(1, "x")], specimen=specimen))
    test = HybridTest(
        model,
        PUSH,
        ImplicitHybrid(safe=False),
        dt=DT,
        duration=STEPS * DT,
        tangents={"spring": Share(share)},
    )
    result = test.run()
    energy = np.abs(result.displacement(1, "x")) + DT * np.abs(result.velocity(1, "x"))
    first, last = energy[20:60].max(), energy[-40:].max()
    return float((last / first) ** (1.0 / (len(energy) - 60)))


@pytest.mark.parametrize(
    ("ratio", "share"),
    [
        (0.5, 1.0),
        (0.5, 0.2),
        (0.5, 1.3),
        (6.0, 1.0),
        (6.0, 0.7),
        (6.0, 0.6),
        (6.0, 1.1),
        (20.0, 0.92),
        (20.0, 0.85),
    ],
)
def test_stability_is_that_of_the_closed_form(ratio, share):
    wanted = largest_pole(ratio, share)
    stable = share <= 1.0 and 0.5 * (1.0 - share) * ratio < 1.0
    assert (wanted <= 1.0 + 1e-9) == stable
    if wanted < 5.0:  # beyond, the displacements leave what a floating point number holds
        assert growth(ratio, share) == pytest.approx(wanted, abs=5e-3)
