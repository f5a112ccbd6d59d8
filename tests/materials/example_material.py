"""A material of one's own: one file, with nothing but femu's public interface.

To make it part of femu, put the file into ``materials/`` and add a line to ``materials/__init__.py``.
"""

from __future__ import annotations

from typing import ClassVar

from femu.component import Material
from femu.laws import law
from femu.parameters import number, positive


class FlagShape(Material):
    """Self-centring spring with a flag-shaped loop.

    Elastic with stiffness k up to f_activation, then b k; on the way back the force falls by beta times
    (1-b) f_activation with stiffness k before it follows the slope b k home. It is a bilinear elastic spring
    beside an elastic-perfectly-plastic one. With xi_e the force of the first and xi_p that of the second::

        xi_e = (1 - beta/2) clip(k u, -f, f),        xi_p = (beta/2) clip(k (u - u_p), -f, f)
        force = b k u + (1 - b) (xi_e + xi_p)

    Christopoulos, Filiatrault and Folz, "Seismic response of self-centring hysteretic SDOF systems", Earthq. Eng.
    Struct. Dyn. 31, 2002.
    """

    k: float = positive("initial stiffness", "force/length")
    f_activation: float = positive("force at which the slope changes", "force")
    b: float = number("stiffness after activation, as a share of k", lower=0.0, upper=1.0, default=0.02)
    beta: float = number("height of the flag, as a share of the force; it centres itself up to 1",
                         lower=0.0, upper=2.0, default=0.8)

    history: ClassVar[tuple[str, ...]] = ("plastic_displacement",)

    @law
    def law(p, h, u):
        k, f, b, beta = p
        (plastic,) = h
        elastic = min(max(k * u, -f), f)
        trial = k * (u - plastic)
        friction = min(max(trial, -f), f)
        sticks = abs(trial) < f
        share = 0.5 * beta
        force = b * k * u + (1.0 - b) * ((1.0 - share) * elastic + share * friction)
        stiffness = b * k + (1.0 - b) * k * ((1.0 - share) * (abs(k * u) < f) + share * sticks)
        return force, stiffness, (plastic if sticks else u - friction / k,)
