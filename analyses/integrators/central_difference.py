"""The central difference method."""

from __future__ import annotations

from dataclasses import dataclass, field

from femu.analyses.integrators.newmark_explicit import NewmarkExplicit


@dataclass(frozen=True)
class CentralDifference(NewmarkExplicit):
    """Central differences, explicit: one state determination a step and no iteration.

    In the form that needs no displacement before the start (Newmark's with beta = 0, gamma = 1/2)::

        u_1 = u_0 + dt v_0 + dt^2/2 a_0
        (M + dt/2 C) a_1 = P_1 - F(u_1) - C (v_0 + dt/2 a_0),     v_1 = v_0 + dt/2 (a_0 + a_1)

    Second order. Stable for linear systems while dt < 2/omega of the highest mode; every degree of
    freedom needs mass. OpenSees: ``CentralDifference`` gives the same displacements where the
    structure starts at rest without load; it writes velocity and acceleration as differences
    towards the past, and the displacement before the start is that at the start.
    """

    gamma: float = field(default=0.5, init=False, repr=False)
