"""`identify`: forwards with the updater's filter, then over the whole record, then by least
squares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.basic_system import BasicSystem
from femu.identify.identification import FORWARD, POLISHED, SMOOTHED, Identification, Way
from femu.identify.least_squares import polish
from femu.identify.recording import Recording
from femu.identify.smoothing import smooth
from femu.identify.twin_response import Path
from femu.model.component import Material
from femu.model.element import Element
from femu.support.arguments import typed
from femu.support.errors import AnalysisError, InputError
from femu.updating import ModelUpdater, Unknown
from femu.updating.diagnostics import OUTSIDE

Array = npt.NDArray[np.float64]
SPECIMEN = "specimen"


@typed
def identify(
    recording: Recording,
    twin: BasicSystem | Element | Material | Sequence[Material],
    unknowns: Mapping[str, Unknown] | Iterable[str],
    *,
    length: float = 1.0,
    name: str | None = None,
    **settings: Any,
) -> Identification:
    """Identify parameters of a numerical twin from a recorded test, by three methods that check
    each other.

    ::

        coupon = Recording.read("coupon.csv", "strain", "stress", force_unit="MPa")
        found = identify(coupon, MenegottoPinto(E=200e3, fy=350.0),
                         {"E": Unknown(lower=150e3, upper=250e3), "fy": Unknown(lower=200.0, upper=500.0), "b": Unknown()})
        print(found.report())

    ``twin`` is a material, materials, an element or a `BasicSystem` in the coordinates of the
    recording, in its virgin state before the first sample; a `BasicSystem` has the identified
    values afterwards. ``unknowns`` maps names of its parameters to `Unknown`, and ``settings`` go
    to the `ModelUpdater`: filter, mode, force_noise, displacement_noise and so on.

    1. *forward*: the updater processes the record sample by sample, as it would in the test. If the
       twin then leaves more than 5 % of the force beyond the noise, it processes the record once
       more with the residual of the smoothed twin as its noise, and the better of the two counts.
    2. *smoothed*: all samples at once, by sigma points that each run the record from its start; see
       `femu.identify.smoothing` for its advantage over a backward pass.
    3. *least squares*: from the better of the two, bounded, without a prior.
    """
    if not isinstance(recording, Recording):
        raise InputError(
            "identify",
            "recording",
            type(recording).__name__,
            "must be a Recording",
            fix="use Recording(displacements, forces), Recording.read(path, ...) or "
            "Recording.from_journal(path, element)",
        )
    system = twin if isinstance(twin, BasicSystem) else BasicSystem(twin, length=length)
    if recording.channels != system.size:
        raise InputError(
            "identify",
            "recording",
            f"{recording.channels} channels",
            f"must have {system.size}, as the twin has",
        )
    given = (
        dict(unknowns) if isinstance(unknowns, Mapping) else {str(n): Unknown() for n in unknowns}
    )
    own = system.parameters.vector.copy()
    updater = _heard(recording, system, given, settings)
    noise = np.sqrt(np.diagonal(updater.learner.measurement_noise()))
    path = Path(updater, recording, noise)
    forward = np.array(list(updater.values.values()))
    start = np.array([u.start for u in updater.unknowns])
    first = _better(path, start, forward)
    if settings.get("force_noise") is None:
        path.hear(path.left(first))
    smoothed = smooth(path, updater.unknowns, first)
    note = ""
    rest = path.share(path.left(forward)).max()
    if (
        rest > OUTSIDE + path.share_of_noise().max()
        and rest > path.share(path.left(smoothed.mean)).max()
    ):
        left = np.sqrt([np.mean(part**2) for part in path.by_channel(path.left(smoothed.mean))])
        system.parameters.vector[:] = own  # an updater leaves its estimate there
        again = _heard(
            recording,
            system,
            given,
            {**settings, "force_noise": np.maximum(left, path.noise), "max_resets": 0},
        )
        if _better(path, forward, np.array(list(again.values.values()))) is not forward:
            updater, forward = again, np.array(list(again.values.values()))
            note = "with the model error taken as noise"
    best = _better(path, forward, smoothed.mean)
    polished = polish(path, updater.unknowns, best)
    if settings.get("force_noise") is None:
        path.hear(path.left(_better(path, best, polished.mean)))
    k = len(updater.unknowns)
    spread = np.array(list(updater.std.values()))
    ways = (
        _way(path, FORWARD, forward, updater.correlation[:k, :k] * np.outer(spread, spread), note),
        _way(
            path,
            SMOOTHED,
            smoothed.mean,
            smoothed.covariance,
            f"points drawn {smoothed.iterations} times",
        ),
        _way(
            path,
            POLISHED,
            polished.mean,
            polished.covariance,
            f"{polished.evaluations} evaluations",
        ),
    )
    made = Identification(name or system.label, recording, updater, path, ways)
    made.use(made.best)
    return made


def _heard(
    recording: Recording,
    system: BasicSystem,
    unknowns: Mapping[str, Unknown],
    settings: Mapping[str, Any],
) -> ModelUpdater:
    """An updater after the whole record."""
    updater = ModelUpdater(SPECIMEN, system, unknowns, **settings)
    updater.start()
    updater.run(recording.time, recording.displacements, recording.forces)
    if not np.isfinite(updater.estimate.mean).all():
        raise AnalysisError(
            f"identify: the filter diverged on {recording.name}. Give force_noise, or narrower "
            "bounds."
        )
    return updater


def _better(path: Path, first: Array, second: Array) -> Array:
    """Of two sets of values the one with the smaller force residual, in the mean over the
    channels."""
    return (
        second
        if path.share(path.left(second)).mean() < path.share(path.left(first)).mean()
        else first
    )


def _way(path: Path, name: str, mean: Array, covariance: Array, note: str) -> Way:
    return Way(name, path.names, mean, covariance, path.share(path.left(mean)), note)
