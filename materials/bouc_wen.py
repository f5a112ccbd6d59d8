"""Bouc-Wen hysteresis with degradation."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import inlined
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError

ROOT_TOLERANCE = 1e-12
"""Last correction of z, as a share of z."""
MAX_ITERATIONS = 200
"""Bisection alone needs no more to close the bracket.

Newton takes 3 to 6 in steps of ordinary size.
"""


@inlined
def _evolution(p, z, increment, last_energy, psi):
    """dz/de of the evolution law, and its derivatives by z and by the energy.

    ``z`` and ``increment`` mirrored.
    """
    alpha, k, n, _, _, A, delta_A, delta_nu, delta_eta = p
    energy = last_energy + (1.0 - alpha) * k * increment * z
    nu = 1.0 + delta_nu * energy
    eta = 1.0 + delta_eta * energy
    slope_of_power = abs(z) ** (n - 1.0)
    power = slope_of_power * abs(z)
    growth = (A - delta_A * energy - power * psi * nu) / eta
    by_energy = (-delta_A - power * psi * delta_nu - growth * delta_eta) / eta
    by_z = -n * (slope_of_power if z > 0.0 else -slope_of_power) * psi * nu / eta
    return growth, by_z, by_energy


class BoucWen(Material):
    """Smooth hysteresis after Bouc and Wen with the degradation of Baber and Noori; OpenSees'
    ``BoucWen``.

    With the hysteretic strain z and the energy ε it has taken::

        stress = alpha k e + (1 - alpha) k z
        dz/de = (A - delta_A ε - |z|**n (gamma + beta sign(de z)) nu) / eta
        dε/de = (1 - alpha) k z,        nu = 1 + delta_nu ε,        eta = 1 + delta_eta ε

    delta_A takes away strength and stiffness, delta_nu strength, delta_eta stiffness. Without
    degradation z stays within ``(A / (gamma + beta)) ** (1 / n)``.

    A step is backward Euler: first order, stable for any size of step. The equation for z is solved
    by Newton inside a bracket, to `ROOT_TOLERANCE` of z whatever the unit of strain, and the
    tangent is that of the step. OpenSees solves the same equation from the start z = 0.01 to an
    absolute tolerance of 1e-8: to compare digits, give it a smaller one.

    Wen, J. Eng. Mech. Div. ASCE 102(2), 1976; Baber and Noori, J. Eng. Mech. 111(8), 1985; Haukaas
    and Der Kiureghian, PEER 2003/14.
    """

    alpha: float = number("share of the stiffness that stays elastic", lower=0.0, upper=1.0)
    k: float = positive("initial stiffness, for A = 1", "stress")
    n: float = number("exponent: the larger, the sharper the yielding", lower=1.0, default=1.0)
    gamma: float = number("shape of the loop", "strain^-n", default=0.5)
    beta: float = number("shape of the loop", "strain^-n", default=0.5)
    A: float = positive("initial slope of z", default=1.0)
    delta_A: float = nonnegative("loss of A with energy", "1/(stress*strain)", default=0.0)
    delta_nu: float = nonnegative("loss of strength with energy", "1/(stress*strain)", default=0.0)
    delta_eta: float = nonnegative("loss of stiffness with energy", "1/(stress*strain)",
                                   default=0.0)

    history: ClassVar[tuple[str, ...]] = ("strain", "z", "energy")

    def validate(self) -> None:
        if self.gamma + self.beta <= 0.0:
            raise InputError(self.label(), "gamma", self.gamma, f"plus beta = {self.beta:g} must "
                                                                "be above 0",
                             fix="use gamma = beta = 0.5, a common choice; otherwise z is "
                                 "unbounded")

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        alpha, k, _, gamma, beta, A, _, _, _ = p
        last, last_z, last_energy = h
        step = strain - last
        side = 1.0 if step >= 0.0 else -1.0  # the law is odd: solved for an increment above zero
        step = side * step
        start = side * last_z
        z = start
        psi = gamma - beta
        if step > 0.0:
            at_zero, _, _ = _evolution(p, 0.0, step, last_energy, 0.0)
            # the root lies on the side to which the strain moves
            if -start - step * at_zero <= 0.0:
                psi = gamma + beta
                low, high = 0.0, start + A * step
                z = max(start, 0.0)
            else:
                low, high = start, 0.0
            last_correction = abs(start) + A * step
            for _ in range(MAX_ITERATIONS):
                growth, by_z, by_energy = _evolution(p, z, step, last_energy, psi)
                residual = z - start - step * growth
                if residual > 0.0:
                    high = min(high, z)
                else:
                    low = max(low, z)
                new = z - residual / (1.0 - step * (by_z + by_energy * (1.0 - alpha) * k * step))
                # Newton creeps far from the root
                if not (low <= new <= high) or abs(new - z) > 0.5 * last_correction:
                    new = 0.5 * (low + high)
                last_correction = abs(new - z)
                z = new
                if last_correction <= ROOT_TOLERANCE * abs(z):
                    break
        growth, by_z, by_energy = _evolution(p, z, step, last_energy, psi)
        stiff = (1.0 - alpha) * k
        slope = (growth + step * by_energy * stiff * z) / (1.0
                                                           - step
                                                           * (by_z + by_energy * stiff * step))
        energy = last_energy + stiff * step * z
        z = side * z
        return alpha * k * strain + stiff * z, alpha * k + stiff * slope, (strain, z, energy)
