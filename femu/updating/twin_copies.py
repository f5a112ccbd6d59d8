"""Copies of a twin with constant parameters, as a model that can be followed from its start.

The state of a copy is the state of the basic system, then the unknowns. The inputs of a sample are
the time, the time since the sample before, the displacements, and their change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from femu.filters.linalg import copy
from femu.filters.model import StateSpace
from femu.kernels import kernel, shift
from femu.updating.twin_clones import TwinClones
from femu.updating.twin_kernels import NAN, TWIN_MODEL, deform, evaluate, to_force
from femu.updating.updater_fields import UpdaterFields

TIMES = 2  # inputs before the displacements
POINT = 256  # numbers of scratch of one point
OWN = ("workspace", "step", "now", "before", "v", "deformation", "change", "rate", "virgin")


@kernel(TWIN_MODEL)
def copies_process(count, points, u, out, twin):
    n, known, size = twin.nchannels, twin.nunknowns, twin.nstate
    step, now, before = twin.step, twin.now, twin.before
    step[0], step[1] = u[0], u[1]
    step[2] = 1.0 / u[1] if u[1] > 0.0 else 0.0
    for b in range(n):
        now[b], before[b] = u[2 + b], u[2 + b] - u[2 + n + b]
    deform(twin)
    for i in range(count):
        point, image = shift(points, i * (size + known)), shift(out, i * (size + known))
        if not evaluate(twin, shift(point, size), point, image):
            for a in range(size):
                image[a] = NAN
        copy(known, shift(point, size), shift(image, size))
    return 0


@kernel(TWIN_MODEL)
def copies_measurement(count, points, u, out, twin):
    n, width = twin.nchannels, twin.nstate + twin.nunknowns
    for i in range(count):
        to_force(twin, shift(points, i * width), shift(out, i * n))
    return 0


@dataclass(frozen=True)
class TwinSpace(StateSpace):
    """Copies of a twin as a model, with the vectors that its kernels write to."""

    twin: UpdaterFields | None = None


def own_fields(clones: TwinClones) -> UpdaterFields:
    """The fields of a twin with vectors of their own: the running updater is not touched."""
    fields = clones.fields
    own = UpdaterFields(fields.vector.copy())
    own.parameters, own.scratch = clones.start_values.copy(), np.zeros(POINT)
    for name in OWN:
        setattr(own, name, np.zeros_like(getattr(fields, name)))
    own.failures = 0
    return own


def twin_space(clones: TwinClones) -> TwinSpace:
    """Copies of a twin as a model."""
    own, n = own_fields(clones), clones.twin.size
    return TwinSpace(
        copies_process,
        copies_measurement,
        states=own.nstate + own.nunknowns,
        outputs=n,
        inputs=TIMES + 2 * n,
        data=own.vector,
        twin=own,
    )
