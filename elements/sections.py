"""Sections along a member: how a basic kernel reaches them, block by block.

Neighbouring points with equal sections form a run, and each run is one call of the section's block.
Vectors over the points are stored component by component: entry v of point j of n at ``v*n + j``.
"""

from __future__ import annotations

import ctypes

from femu.kernels import Kernel, inlined, kernel, shift
from femu.model.component import Constitutive
from femu.model.constitutive import BLOCK, call_block

# integers: number of runs, then for each its block's address, where its integers, parameters and
# history begin, and its number of points
RUNS, RUN = 0, 1
RUN_ADDRESS, RUN_INTEGERS, RUN_P, RUN_HISTORY, RUN_COUNT = range(5)
RUN_SIZE = 5


def gather_floats(components: int) -> int:
    """Workspace by points of a run among several: its deformations, forces and stiffnesses."""
    return 2 * components + components * (components + 1) // 2


@inlined
def determine_sections(n, i, p, c, t, w, x, y, k, step, components=2):
    """Forces y and stiffnesses k of n sections at deformations x, from the committed history.

    0, or above 0.
    """
    own = shift(i, RUN)
    if own[RUN_COUNT] == n:
        return call_block(
            own[RUN_ADDRESS],
            (
                n,
                shift(i, own[RUN_INTEGERS]),
                shift(p, own[RUN_P]),
                shift(c, own[RUN_HISTORY]),
                shift(t, own[RUN_HISTORY]),
                w,
                x,
                x,
                step,
                y,
                k,
                k,
            ),
        )
    first, failed = 0, 0
    for run in range(i[RUNS]):
        own = shift(i, RUN + RUN_SIZE * run)
        count = own[RUN_COUNT]
        # the points of one section among several are gathered side by side, and spread again
        entries = components * (components + 1) // 2
        gx, gy, gk = w, shift(w, components * count), shift(w, 2 * components * count)
        rest = shift(w, (2 * components + entries) * count)
        for a in range(components):
            for j in range(count):
                gx[a * count + j] = x[a * n + first + j]
        failed += call_block(
            own[RUN_ADDRESS],
            (
                count,
                shift(i, own[RUN_INTEGERS]),
                shift(p, own[RUN_P]),
                shift(c, own[RUN_HISTORY]),
                shift(t, own[RUN_HISTORY]),
                rest,
                gx,
                gx,
                step,
                gy,
                gk,
                gk,
            ),
        )
        for j in range(count):
            for a in range(components):
                y[a * n + first + j] = gy[a * count + j]
            for a in range(entries):
                k[a * n + first + j] = gk[a * count + j]
        first += count
    return failed


@kernel(BLOCK)
def _held(n, i, p, c, t, w, x, r, s, y, k, d):
    for j in range(n):
        y[j], k[j] = x[j], 1.0
    return 0


class NoShear(Constitutive):
    """In place of a shear law where a section of a member with shear has none.

    The member never gives it a shear strain.
    """

    def kernel(self) -> Kernel:
        return _held


NO_SHEAR = NoShear()


def initial_stiffness(section: Constitutive) -> tuple[float, ...]:
    """Diagonal of the stiffness of a virgin section (EA and EI in the plane).

    The scale of what counts as no stiffness.
    """
    m, variables = section.components, section.history_count
    values, integers = section.values() or [0.0], section.integers() or [0]

    def floats(size: int) -> ctypes.Array[ctypes.c_double]:
        return (ctypes.c_double * size)()

    stiffness = floats(m * (m + 1) // 2)
    section.kernel().ctypes(
        1,
        (ctypes.c_int64 * len(integers))(*integers),
        (ctypes.c_double * len(values))(*values),
        floats(variables + 1),
        floats(variables + 1),
        floats(section.workspace(1) + 1),
        floats(m),  # deformations
        floats(m),  # rates
        floats(3),  # step
        floats(m),  # forces
        stiffness,
        floats(len(stiffness)),
    )
    return tuple(float(stiffness[a * m - a * (a - 1) // 2]) for a in range(m))
