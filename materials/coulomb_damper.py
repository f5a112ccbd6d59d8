"""Coulomb friction parallel to a spring."""

from __future__ import annotations

from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, positive


class CoulombDamper(Material):
    """Friction of constant size against the motion, parallel to a linear spring; OpenSees'
    ``CoulombDamper``.

    ``stress = k strain + friction sign(rate)``. The jump at rest is a steep line: up to
    ``smallest_rate`` the friction grows in proportion to the rate. (OpenSees counts how often the
    sign changes within a step, and lowers the friction where it does not settle; a law of femu
    knows the step alone.)
    """

    k: float = nonnegative("stiffness of the spring", "stress")
    friction: float = positive("friction stress", "stress")
    smallest_rate: float = positive("rate from which the friction is fully there", "strain/time",
                                    default=1e-6)

    @law(rate=True)
    def law(p, h, strain, rate, dt):
        k, friction, smallest = p
        slow = abs(rate) < smallest
        full = friction if rate > 0.0 else -friction
        return k * strain + (friction / smallest * rate if slow
                             else full), k, friction / smallest if slow else 0.0, h
