"""Mode and filter of an updater that was given none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from femu.filters.adaptive_ukf import AdaptiveUKF
from femu.filters.base import Filter

HIDDEN_NAMES = ("z", "w", "plastic_strain", "plastic_curvature")
"""History variables that a filter can carry: they move smoothly and change the force."""
SWITCHES = ("failed",)  # which it cannot: they jump


def carried(directions: int, history: Sequence[str]) -> list[str]:
    """The history variables of a twin that a filter carries.

    Those of known names, or the only one of each direction.
    """
    known = [name for name in history if name.rpartition(".")[2] in HIDDEN_NAMES]
    alone = len(history) == directions and not any(
        name.rpartition(".")[2] in SWITCHES for name in history
    )
    return known or (list(history) if alone else [])


def default_mode(directions: int, history: Sequence[str]) -> str:
    """The mode for a twin with this number of basic directions and these history variables.

    A spring with one variable a direction (a plastic strain, z of Bouc and Wen) is followed best
    with that variable in the state, where it is corrected along with the parameters. A member of
    many sections would make the state large; there the forces in the state do it ("joint").

    Measured over 48 bilinear springs (four rates of sampling, three noise levels, four starts) and
    32 columns in the frame of Wu et al. (2015), four masses, gravity on and off, noise of 0.3 and 3
    kN, with these filters; failures are final errors above 3 % of a yield force or stiffness, 5 %
    of Ny, 2 % of Mp, 20 % of b::

        state                        springs  0 of 48, columns  2 of 32
        pure                         springs  4 of 48, columns  8 of 32
        joint, histories shared      springs 23 of 48, columns  0 of 32
        joint, histories per point   springs 21 of 48, columns 11 of 32

    So the defaults fail in none. Without resets (see `ModelUpdater`) "state" fails for 27
    springs and "joint" for 2 columns.
    """
    return "state" if len(carried(directions, history)) == directions else "joint"


def default_filter(mode: str) -> Callable[..., Filter]:
    """`AdaptiveUKF`, which keeps its points inside the bounds and learns the noise from the
    innovations.

    With forces in the state ("joint") the measurement is linear and one iteration is exact. With
    parameters alone the first seconds of yielding are strongly nonlinear: more iterations, and a
    prior that fades faster. Outliers are handled by the updater.
    """
    settings: dict[str, dict[str, Any]] = {
        "joint": {"iterations": 1, "growth": 1.0},
        "state": {"iterations": 2, "growth": 1.0},
        "pure": {"iterations": 3, "growth": 2.0},
    }
    return partial(AdaptiveUKF, gate=0.0, **settings[mode])
