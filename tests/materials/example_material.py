"""A material of one's own: one file, with nothing but femu's public interface.

To make it part of femu, put the file into ``materials/`` and add a line to
``materials/__init__.py``.
"""

from __future__ import annotations

from typing import ClassVar

from femu.model import Material, law, number, positive


class FlagShape(Material):
    """Self-centring spring with a flag-shaped loop.

    Elastic with stiffness k up to f_activation, then b k. In unloading the force drops by beta
    (1-b) f_activation with stiffness k, follows the slope b k, and returns to the elastic line. At
    displacement u > 0 the force is bounded by the two sides of the flag (odd for u < 0), and moves
    between them with stiffness k::

        upper = min(k u, (1-b) f + b k u),     lower = min(k u, (1-b) (1-beta) f + b k u)
        force = clip(force_0 + k (u - u_0), lower, upper)

    Christopoulos, Filiatrault and Folz, "Seismic response of self-centring hysteretic SDOF
    systems", Earthq. Eng. Struct. Dyn. 31, 2002.
    """

    k: float = positive("initial stiffness", "force/length")
    f_activation: float = positive("force at which the slope changes", "force")
    b: float = number("post-activation stiffness ratio", lower=0.0, upper=1.0, default=0.02)
    beta: float = number("flag height as a share of the force", lower=0.0, upper=1.0, default=0.8)

    history: ClassVar[tuple[str, ...]] = ("displacement", "force")

    @law
    def law(p, h, u):
        k, f, b, beta = p
        u_0, force_0 = h
        size = abs(u)
        upper = min(k * size, (1.0 - b) * f + b * k * size)
        lower = min(k * size, (1.0 - b) * (1.0 - beta) * f + b * k * size)
        if u < 0.0:
            upper, lower = -lower, -upper
        trial = force_0 + k * (u - u_0)
        force = min(max(trial, lower), upper)
        on_elastic_line = abs(force) >= k * size
        stiffness = k if force == trial or on_elastic_line else b * k
        return force, stiffness, (u, force)
