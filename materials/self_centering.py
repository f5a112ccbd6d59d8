"""Self-centring material."""

from __future__ import annotations

from typing import ClassVar

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import number, positive


class SelfCentering(Material):
    """Self-centring material with a flag-shaped loop; OpenSees' ``SelfCentering``.

    Elastic with k1 up to the stress ``activation``, then with the slope k2. In unloading the stress
    drops by ``beta`` activation with k1, and follows k2 down to the elastic line. For tension (odd
    for compression), with f the activation, the end e_c = (1-beta) f / k1 of the elastic core, and
    the shift s of the elastic line that begins on the lower side of the flag::

        e <= e_c:                        stress = k1 e
        e <= e_c + s:                    stress = (1-beta) f + k2 (e - e_c),        s <- e - e_c
        e >= e_c + s + beta f / k1:      stress = f + k2 (e - f / k1),              s <- e - f / k1
        else:                            stress = (1-beta) f + k2 s + k1 (e - e_c - s)

    Each side keeps its shift while the strain is in the core. As in OpenSees, a step that leaves
    the core begins on the lower side of the flag, where the last unloading left it.

    Christopoulos, Tremblay, Kim and Lacerte, "Self-centering energy dissipative bracing system for
    the seismic resistance of structures", J. Struct. Eng. 134, 2008.
    """

    k1: float = positive("initial stiffness", "stress")
    k2: float = number("slope beyond activation", "stress", lower=0.0)
    activation: float = positive("stress at which the slope changes", "stress")
    beta: float = number("height of the flag as a share of the activation", lower=0.0, upper=1.0)

    history: ClassVar[tuple[str, ...]] = ("shift_p", "shift_n")

    @law
    def law(p, h, strain):
        k1, k2, activation, beta = p
        shift_p, shift_n = h
        tension = strain >= 0.0
        size = abs(strain)
        shift = shift_p if tension else shift_n
        base = (1.0 - beta) * activation
        beyond = size - base / k1  # the end of the core
        span = beta * activation / k1
        core, lower, upper = beyond <= 0.0, beyond <= shift, beyond - span >= shift
        moved = beyond if lower else (beyond - span if upper else shift)
        moved = shift if core else moved
        stress = k1 * size if core else base + k2 * moved + k1 * (beyond - moved)
        stiffness = k2 if (lower or upper) and not core else k1
        return (stress if tension else -stress), stiffness, (
            moved if tension else shift_p, shift_n if tension else moved)
