"""The central difference method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from femu import context as slot
from femu.analyses import settings as code
from femu.analyses.commit import conclude, follow, start
from femu.analyses.control import solve
from femu.analyses.one_step import OneStep
from femu.band import call_factor
from femu.equilibrium import apply_loads, clear_imposed, copy, damping_force, determine, form_matrix, spread_links
from femu.kernels import INT, INTS, Kernel, floats_at, inlined, ints_at, kernel, shift


@inlined
def _step(context, settings, step):
    neq, ndof, dt = context[slot.NEQ], context[slot.NDOF], settings[code.DT]
    u0, v0, a0 = floats_at(context[slot.U0]), floats_at(context[slot.V0]), floats_at(context[slot.A0])
    u1, v1, a1 = floats_at(context[slot.U1]), floats_at(context[slot.V1]), floats_at(context[slot.A1])
    r, seen = floats_at(context[slot.R]), floats_at(context[slot.STEP])
    for a in range(ndof):
        u1[a] = u0[a] + dt * v0[a] + 0.5 * dt * dt * a0[a]
        v1[a] = v0[a] + 0.5 * dt * a0[a]
    imposed, count = ints_at(context[slot.IMPOSED]), context[slot.NIMPOSED]
    motion = shift(floats_at(context[slot.MOTION]), step * 3 * count)
    for q in range(count):
        u1[imposed[q]], v1[imposed[q]] = motion[q], motion[count + q]
    spread_links(context, u1)
    spread_links(context, v1)
    seen[0], seen[1], seen[2] = floats_at(context[slot.TIME])[0] + dt, dt, 0.0
    copy(context[slot.NPATTERNS], floats_at(context[slot.FACTORS]), floats_at(context[slot.FACTORS1]))
    follow(context, shift(floats_at(context[slot.SERIES1]), step * context[slot.NPATTERNS]))
    apply_loads(context, floats_at(context[slot.FACTORS1]))
    if determine(context, slot.EVALUATE) != 0:
        return code.ELEMENT_FAILED
    current, committed = settings[code.CURRENT], settings[code.COMMITTED]
    damping_force(context, v1, current, committed, floats_at(context[slot.S1]))
    external, internal, damping = floats_at(context[slot.PEXT]), floats_at(context[slot.F]), floats_at(context[slot.D])
    for a in range(neq):
        r[a] = external[a] - internal[a] - damping[a]
    clear_imposed(context, r)
    if context[slot.FRESH] != 0 or current != 0.0 or committed != 0.0:
        # mass and constant damping do not change: factored once
        form_matrix(context, floats_at(context[slot.K]), 0.0, 0.5 * dt, 1.0, current, committed)
        if call_factor(context[slot.FACTOR], (neq, context[slot.BAND], context[slot.LD], floats_at(context[slot.A]))) < 0:
            return code.SINGULAR
    solve(context, r)
    size = 0.0
    for a in range(neq):
        a1[a] = r[a]
        v1[a] += 0.5 * dt * r[a]
        size += r[a] * r[a]
    for q in range(count):
        v1[imposed[q]], a1[imposed[q]] = motion[count + q], motion[2 * count + q]
    spread_links(context, v1)
    damping_force(context, v1, current, committed, floats_at(context[slot.S1]))
    report = shift(floats_at(context[slot.REPORT]), code.REPORT_FLOATS * step)
    report[0], report[1] = 1.0, 0.0
    return code.DONE if math.isfinite(size) else code.NOT_FINITE


@kernel(INT(INTS), noalias=False)
def central_difference(context):
    settings = floats_at(context[slot.SETTINGS])
    start(context)
    while context[slot.FIRST] < context[slot.LAST]:
        step = context[slot.FIRST]
        why = conclude(context, settings, step, _step(context, settings, step))
        if why != code.DONE:
            return why
    return code.DONE


@dataclass(frozen=True)
class CentralDifference(OneStep):
    """Central differences, explicit: one state determination a step and no iteration.

    In the form that needs no displacement before the start (Newmark's with beta = 0, gamma = 1/2)::

        u_1 = u_0 + dt v_0 + dt^2/2 a_0
        (M + dt/2 C) a_1 = P_1 - F(u_1) - C (v_0 + dt/2 a_0),     v_1 = v_0 + dt/2 (a_0 + a_1)

    Second order. Stable for linear systems while dt < 2/omega of the highest mode; every degree of freedom needs
    mass. OpenSees: ``CentralDifference``.
    """

    explicit: ClassVar[bool] = True
    kernel: ClassVar[Kernel] = central_difference

    def coefficients(self) -> tuple[float, float, float, float]:
        return 1.0, 1.0, 0.0, 0.5
