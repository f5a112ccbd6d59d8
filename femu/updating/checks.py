"""What looks wrong with the settings of an updater, before a test."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from femu.filters.ukf import UKF
from femu.model.findings import Finding

if TYPE_CHECKING:
    from femu.updating.unknown import Resolved
    from femu.updating.updater import ModelUpdater

STEPS = (
    1000  # without information, after which the drift must still be small compared with the bounds
)
DRIFT_MOST = 0.5  # of the distance between the bounds, over these steps
FAR = 6.0  # standard deviations of the prior to a bound, beyond which it cannot be reached
NEAR_BOUND = 0.01  # of the distance between the bounds


def check(updater: ModelUpdater) -> list[Finding]:
    """Findings on the settings: "error", "warning" or "note", each a sentence."""
    found = [finding for unknown in updater.unknowns for finding in _of_prior(unknown)]
    return [*found, *_of_mode(updater), *_of_noise(updater), *_of_bouc_wen(updater)]


def _finding(severity: str, message: str, *objects: str) -> Finding:
    return Finding(severity, message, objects)


def _of_prior(u: Resolved) -> Iterator[Finding]:
    """On the bounds, the prior and the process noise of a parameter."""
    span = u.upper - u.lower
    if not isfinite(span):
        return
    drift = u.process_noise * sqrt(STEPS)
    if u.process_noise >= span:
        yield _finding(
            "error",
            f"{u.name}: a process noise of {u.process_noise:.3g} a step is larger than the "
            f"distance between its bounds ({span:.3g}). The points of the filter lie on the "
            "bounds and its mean goes to a value between them whatever is measured. Take "
            f"{1e-3 * span:.1g} or less.",
            u.name,
        )
    elif drift > DRIFT_MOST * span:
        yield _finding(
            "error",
            f"{u.name}: a process noise of {u.process_noise:.3g} a step adds up to {drift:.3g} "
            f"in {STEPS} steps, against bounds that are {span:.3g} apart: what was learned is "
            f"forgotten at once. Take {1e-3 * span:.1g} or less.",
            u.name,
        )
    for side, distance in (("lower", u.start - u.lower), ("upper", u.upper - u.start)):
        if distance > FAR * u.std:
            yield _finding(
                "warning",
                f"{u.name}: the prior (± {u.std:.3g}) is too narrow for the {side} bound, "
                f"{distance / u.std:.0f} standard deviations away: a value near it would be "
                f"reached late or never. Take {0.25 * span:.2g}.",
                u.name,
            )
            break
    if min(u.start - u.lower, u.upper - u.start) < NEAR_BOUND * span:
        yield _finding(
            "warning",
            f"{u.name}: it starts at its bound, from where a filter moves slowly.",
            u.name,
        )


def _of_mode(updater: ModelUpdater) -> Iterator[Finding]:
    """On what the filter estimates, and on its points."""
    if updater.clones.histories == "per_point":
        severity = "error" if updater.mode == "pure" else "warning"
        yield _finding(
            severity,
            'Each point keeps its own history (histories="per_point"): the points are drawn again '
            'in each step, so a history and the parameters it came from part. In the mode "pure" '
            'this diverges. Use histories="shared".',
        )
    if updater.mode == "joint" and len(updater.twin.matrix) == 1 and updater.clones.history_names:
        yield _finding(
            "note",
            f"The history of the twin ({', '.join(updater.clones.history_names)}) is not in the "
            "filter's state; springs are followed best with it. Name variables that move smoothly "
            'and change the force as hidden=(...), or take mode="pure".',
        )
    if isinstance(updater.filter, UKF) and updater.filter.weights[1] < 0.0:
        yield _finding(
            "note",
            f"The first weight of the filter is negative ({updater.filter.weights[1]:.3g}): "
            "covariances may have to be repaired, and points may leave the bounds. kappa = 0.5 "
            "without alpha avoids it.",
        )
    if not any(updater.members):
        yield _finding(
            "note", "No member of the model takes the parameters: the updater only learns."
        )


def _of_noise(updater: ModelUpdater) -> Iterator[Finding]:
    """On the noise of the sensors."""
    if updater.learner.given_noise is not None:
        elastic = (
            np.abs(np.diagonal(updater.learner.stiffness)) * updater.learner.displacement_noise
        )
        for b, (force, moved) in enumerate(zip(updater.learner.given_noise, elastic, strict=True)):
            if moved > 3.0 * force:
                yield _finding(
                    "note",
                    f"Channel {b + 1}: the error of the displacement makes {moved:.3g} of force "
                    f"noise, more than the force sensor's {force:.3g}. It limits what can be "
                    "learned.",
                )


def _of_bouc_wen(updater: ModelUpdater) -> Iterator[Finding]:
    """On the parameters that bound z."""
    names = {u.name.rpartition(".")[2]: u for u in updater.unknowns}
    if (
        {"beta", "gamma"} <= set(names)
        and names["beta"].lower + names["gamma"].lower < 0.0
        and not updater.learner.inequalities
    ):
        yield _finding(
            "warning",
            "beta + gamma may become negative within their bounds, and z unbounded: add "
            'inequalities=[({"beta": 1, "gamma": 1}, 0.0, "gamma")] or raise a bound.',
        )
