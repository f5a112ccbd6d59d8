"""Can the updater be trusted? What the motion identifies, whether the twin can be the specimen,
and both in words.

- **Identifiability.** With the sensitivities J of the forces to the parameters along the recorded
  path and the noise R, the data hold the information ``I = Σ JᵀR⁻¹J`` (Fisher). Against the prior
  P₀ the variance that no estimator can beat is the diagonal of ``(I + P₀⁻¹)⁻¹``; *identified* is 1 less
  its share of the prior variance: 0 if the motion so far says nothing, 1 if it says all.
- **Model class.** The twin is run again along the whole path with the final parameters. What
  remains of the measured force is split by its second differences: white noise has ``E (r_k - 2
  r_{k-1} + r_{k-2})² = 6 σ²``, an error of the model is smooth. The *model error* is the smooth
  part as a share of the force (root mean square).
- **Stiffness.** While the twin is elastic, at its start and with the final parameters, the slope of
  the measured force over its own.
- **Consistency.** Mean normalised innovation with its band, and the correlation of neighbouring
  innovations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from femu.updating import update_kernel
from femu.updating.replay import Replay
from femu.updating.updater_fields import Statistics

if TYPE_CHECKING:
    from femu.updating.updater import ModelUpdater

Array = npt.NDArray[np.float64]
IDENTIFIED, HALF_IDENTIFIED = 0.9, 0.5  # share of the prior variance that the motion took away
EXPLAINED, OUTSIDE = 0.02, 0.05  # model error as a share of the force
CORRELATED = 0.98  # correlation above which two parameters cannot be separated
AT_BOUND = 0.01  # distance to a bound, as a share of the distance between the bounds
# deviation of the elastic stiffness that is spoken of, and its standard errors
STIFFNESS_OFF, SURE = 0.05, 4.0
# departure from the straight line, as a share of the largest force, up to which a twin is elastic
ELASTIC = 1e-3
BAND = 0.95  # probability of the band of the mean normalised innovation
# correlation of neighbouring innovations that is spoken of, and its standard errors
LAG_LIMIT, LAG_SURE = 0.3, 5.0
FEWEST = 10  # samples for a slope
PROBES = 100  # lengths of the elastic part that are tried
NO_FORCE = 1e-12


@dataclass(frozen=True)
class Identifiability:
    """Whether one parameter is identifiable from the motion."""

    name: str
    value: float
    std: float
    """Standard deviation by the filter."""
    bound: float
    """Standard deviation that no estimator can beat with this motion, noise and prior (Cramér and
    Rao)."""
    identified: float
    """Share of the prior variance that the motion takes away: 0 nothing, 1 all."""
    at_bound: bool


@dataclass(frozen=True)
class Diagnosis:
    """The state of an updater."""

    parameters: tuple[Identifiability, ...]
    correlation: Array
    """Of the parameters, by the information in the motion and the prior."""
    consistency: float
    """Mean normalised innovation squared over its expectation, over the last samples."""
    band: tuple[float, float]
    """Where it lies for a consistent filter with probability 0.95."""
    lag: Array
    """Correlation of neighbouring normalised innovations, a channel."""
    model_error: Array
    """Part of the force that the twin cannot give with any of what was found, as a share of the
    force; a channel."""
    noise: Array
    """Standard deviation of the white part of what remains; a channel."""
    stiffness: Array
    """Elastic stiffness of the specimen over that of the twin, a channel.

    NaN if the motion does not identify it.
    """
    samples: int
    whole: bool
    """Whether the record reaches back to the first sample, so that the twin could be run again."""
    sentences: tuple[str, ...]

    @property
    def in_class(self) -> bool:
        """Whether the twin can be the specimen."""
        error = self.model_error[np.isfinite(self.model_error)]
        return bool((error < OUTSIDE).all())

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@lru_cache(maxsize=256)
def consistency_band(degrees: int) -> tuple[float, float]:
    """Band of the mean normalised innovation of a consistent filter, with this number of degrees
    of freedom."""
    count = max(degrees, 1)
    return float(chi2.ppf(0.5 * (1 - BAND), count) / count), float(
        chi2.ppf(0.5 * (1 + BAND), count) / count
    )


def diagnose(updater: ModelUpdater) -> Diagnosis:
    """The state of an updater after the samples so far."""
    history = updater.history
    use = np.isfinite(history.displacement).all(axis=1)
    samples = int(updater.clones.memory.count)
    whole = len(history) == samples and samples > 0
    values, spread = updater.values, updater.std
    t, d, f = history.time[use], history.displacement[use], history.force[use]
    known, n = len(updater.unknowns), updater.twin.size
    prior = np.diag([1.0 / u.std**2 for u in updater.unknowns])
    information = np.zeros((known, known))
    error, white, slope = (np.full(n, np.nan) for _ in range(3))
    if whole and len(t) > 2:
        replay = Replay(updater)
        given = replay.forces(values, t, d)
        J = replay.sensitivity(values, t, d)
        measured = np.isfinite(f).all(axis=1)
        noise = updater.learner.measurement_noise()
        weighted = np.linalg.solve(
            noise, J[measured].reshape(-1, n, known).transpose(1, 0, 2).reshape(n, -1)
        )
        information = np.einsum("kbi,bkj->ij", J[measured], weighted.reshape(n, -1, known))
        error, white = _split(f[measured] - given[measured], f[measured])
        at_start = replay.forces({u.name: u.start for u in updater.unknowns}, t, d)
        first = min(_elastic_samples(d[measured], forces[measured]) for forces in (given, at_start))
        slope = _slope(f[measured][:first], given[measured][:first])
    else:
        stats = updater.clones.statistics.reshape(n, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = stats / stats[:, [Statistics.weight.slot]]
            white = np.sqrt(mean[:, Statistics.rough_2.slot])
            smooth = np.maximum(
                mean[:, Statistics.residual_2.slot] - mean[:, Statistics.rough_2.slot], 0.0
            )
            error = np.sqrt(smooth / mean[:, Statistics.force_2.slot])
    bound = np.linalg.inv(information + prior)
    best = np.sqrt(np.diagonal(bound))
    found = []
    for j, u in enumerate(updater.unknowns):
        near = min(values[u.name] - u.lower, u.upper - values[u.name]) <= AT_BOUND * u.scale
        found.append(
            Identifiability(
                u.name,
                values[u.name],
                spread[u.name],
                float(best[j]),
                float(np.clip(1.0 - (best[j] / u.std) ** 2, 0.0, 1.0)),
                bool(near),
            )
        )
    stats = updater.clones.statistics.reshape(n, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        lag = stats[:, Statistics.innovation_lag.slot] / stats[:, Statistics.innovation_2.slot]
    updates = int(min(updater.clones.memory.updates, update_kernel.USUAL_WINDOW))
    degrees = max(updates * n, 1)
    band = consistency_band(degrees)
    made = Diagnosis(
        tuple(found),
        bound / np.outer(best, best),
        float(updater.clones.memory.usual),
        band,
        lag,
        error,
        white,
        slope,
        samples,
        whole,
        (),
    )
    return Diagnosis(**{**made.__dict__, "sentences": tuple(_sentences(updater, made))})


def _split(residual: Array, force: Array) -> tuple[Array, Array]:
    """Smooth part of a residual over the force, and standard deviation of its white part."""
    rough = np.diff(residual, n=2, axis=0)
    white = (rough**2).mean(axis=0) / 6.0 if len(rough) else np.zeros(residual.shape[1])
    smooth = np.maximum((residual**2).mean(axis=0) - white, 0.0)
    # a channel whose force is noise alone has nothing to explain
    size = np.maximum(
        (force**2).mean(axis=0) - white, white + NO_FORCE * np.max(force**2, initial=0.0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > 0.0, np.sqrt(smooth / size), 0.0), np.sqrt(white)


def _elastic_samples(d: Array, given: Array) -> int:
    """Number of samples before the twin's forces leave the line that its first ones lie on."""
    for count in range(len(d), d.shape[1], -max(len(d) // PROBES, 1)):
        line = np.linalg.lstsq(d[:count], given[:count], rcond=None)[0]
        if np.abs(d[:count] @ line - given[:count]).max() <= ELASTIC * np.abs(given[:count]).max():
            return count
    return 0


def _slope(f: Array, given: Array) -> Array:
    """Measured force over that of the twin by least squares, a channel.

    NaN if the motion does not identify it.
    """
    slope = np.full(f.shape[1], np.nan)
    if len(f) < FEWEST:
        return slope
    for b in range(f.shape[1]):
        x, y = given[:, b] - given[:, b].mean(), f[:, b] - f[:, b].mean()
        power = float(x @ x)
        if power <= 0.0:
            continue
        ratio = float(x @ y) / power
        deviation = np.sqrt(float(((y - ratio * x) ** 2).sum()) / (len(f) - 2) / power)
        if deviation * SURE <= STIFFNESS_OFF:
            slope[b] = ratio
    return slope


def _sentences(updater: ModelUpdater, d: Diagnosis) -> list[str]:
    counts, said = updater.counts, []
    said.append(
        f"{d.samples} samples processed ({counts['missing']} without a measurement, "
        f"{counts['rejected']} rejected as outliers)."
    )
    for p in d.parameters:
        share = 200.0 * p.std / abs(p.value) if p.value else float("inf")
        text = f"{p.name} = {p.value:.5g} ± {2.0 * p.std:.2g} (2σ, {share:.1f} %): "
        known = f"{100.0 * p.identified:.0f}"
        if not d.whole:
            text += (
                "the record does not reach back to the start, so its identifiability is unknown."
            )
        elif p.identified >= IDENTIFIED:
            text += f"identifiable from this motion (lower bound ± {2.0 * p.bound:.2g})."
        elif p.identified >= HALF_IDENTIFIED:
            text += f"partly identifiable from this motion ({known} % of the prior variance)."
        else:
            text += (
                f"hardly identifiable from the motion so far ({known} % of the prior variance): it "
                "is mostly the prior."
            )
        if p.at_bound:
            text += " It lies at its bound."
        said.append(text)
    for a in range(len(d.parameters)):
        for b in range(a):
            if d.whole and abs(d.correlation[a, b]) > CORRELATED:
                said.append(
                    f"{d.parameters[b].name} and {d.parameters[a].name} can hardly be separated "
                    f"(correlation {d.correlation[a, b]:.3f})."
                )
    said.append(_on_consistency(d, counts))
    for b, ratio in enumerate(d.stiffness):
        if np.isfinite(ratio) and abs(ratio - 1.0) > STIFFNESS_OFF:
            said.append(
                f"Before the twin yields the specimen is {ratio:.2f} times as stiff in channel "
                f"{b + 1}: the twin's elastic stiffness is wrong. Correct it, or identify it too."
            )
    said.append(_on_class(d))
    return said


def _on_consistency(d: Diagnosis, counts: dict[str, int]) -> str:
    text = f"Mean normalised innovation {d.consistency:.2f} (a consistent filter: {d.band[0]:.2f} to {d.band[1]:.2f})"
    lag = np.abs(d.lag[np.isfinite(d.lag)])
    if d.consistency > d.band[1]:
        text += ": the filter is overconfident"
    elif d.consistency < d.band[0]:
        text += ": the filter is underconfident"
    text += f"; neighbouring innovations correlate by up to {lag.max(initial=0.0):.2f}."
    if lag.max(initial=0.0) > max(LAG_LIMIT, LAG_SURE / np.sqrt(max(d.samples, 1))):
        text += " They are not noise: the twin has a systematic error."
    if counts["resets"]:
        times = {1: "once", 2: "twice"}.get(counts["resets"], f"{counts['resets']} times")
        text += f" The parameter covariance was reset {times}."
    return text


def _on_class(d: Diagnosis) -> str:
    worst = float(np.nanmax(d.model_error)) if np.isfinite(d.model_error).any() else float("nan")
    if not np.isfinite(worst):
        return "Nothing can be said yet on whether the twin can be the specimen."
    text = f"With the final parameters the twin leaves {100.0 * worst:.1f} % of the force unexplained beyond the noise"
    if worst < EXPLAINED:
        return f"{text}: it can be the specimen."
    if worst < OUTSIDE:
        return f"{text}: it is close to the specimen, but not the same."
    return f"{text}: the specimen is outside its model class. Do not trust the parameters."
