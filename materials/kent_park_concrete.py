"""Kent-Park concrete without tension."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import inlined
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, positive
from femu.support.errors import InputError, ModelWarning
from femu.support.users_line import warn

SMALLEST_INCREMENT = 2.220446049250313e-16
"""Strain increments below it leave the state as it is (as in OpenSees)."""


@inlined
def compression_envelope(shortening, fc, peak_strain, fcu, crushing_strain):
    """Stress and slope of the first loading in compression, all numbers positive in compression."""
    ratio = shortening * (1.0 / peak_strain)
    falls = crushing_strain > peak_strain  # if not, fcu holds from the peak on, as in OpenSees
    softening = (fcu - fc) / (crushing_strain - peak_strain) if falls else 0.0
    before_peak = shortening <= peak_strain
    crushed = (shortening >= crushing_strain) & (falls | (not before_peak))
    stress = fc * ratio * (2.0 - ratio) if before_peak else fc + softening * (shortening
                                                                              - peak_strain)
    slope = 2.0 * fc / peak_strain * (1.0 - ratio) if before_peak else softening
    return fcu if crushed else stress, 0.0 if crushed else slope


class KentParkConcrete(Material):
    """Concrete in compression after Kent, Scott and Park, without tensile strength; OpenSees'
    ``Concrete01``.

    First loading, with the shortening s = -strain, is a parabola to the peak, a straight line down
    to the crushing strain, and constant beyond::

        s <= peak_strain:   fc (2 r - r**2),  r = s / peak_strain
        then:               from fc at peak_strain to fcu at crushing_strain,  then fcu

    Unloading and reloading run on one straight line from the furthest point of first loading to the
    shortening at which the stress is zero, after Karsan and Jirsa::

        peak_strain (0.145 r**2 + 0.13 r)      r < 2,         r = min(s, crushing_strain) / peak_strain
        peak_strain (0.707 (r - 2) + 0.834)    r >= 2

    or, where that would be steeper, with the initial modulus ``2 fc / peak_strain``.

    **All parameters are positive numbers** although they describe compression; stresses and strains
    are positive in tension as everywhere. OpenSees takes them with either sign.

    Kent and Park, J. Struct. Div. ASCE 97(7), 1971; Scott, Park and Priestley, ACI J. 79(1), 1982;
    Karsan and Jirsa, J. Struct. Div. ASCE 95(12), 1969.
    """

    fc: float = positive("compressive strength, given as a positive number", "stress")
    peak_strain: float = positive("strain at the compressive strength, given as a positive number",
                                  "strain")
    fcu: float = nonnegative("strength left after crushing, given as a positive number", "stress")
    crushing_strain: float = positive("strain from which the strength is fcu, given as a positive "
                                      "number", "strain")

    history: ClassVar[tuple[str, ...]] = ("strain", "stress", "furthest_shortening")

    def validate(self) -> None:
        check_concrete(self.label(), self.fc, self.peak_strain, self.fcu, self.crushing_strain)

    @law(lanes=True)
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        fc, peak_strain, fcu, crushing_strain = p
        last, last_stress, furthest = h
        increment = strain - last
        idle = abs(increment) < SMALLEST_INCREMENT
        strain = last if idle else strain
        shortening = -strain
        further = shortening >= furthest
        furthest = max(furthest, shortening)

        modulus = 2.0 * fc / peak_strain
        strength, slope = compression_envelope(furthest, fc, peak_strain, fcu, crushing_strain)
        r = min(furthest, crushing_strain) * (1.0 / peak_strain)
        left = peak_strain * ((0.145 * r + 0.13) * r if r < 2.0 else 0.707 * (r - 2.0) + 0.834)
        steep = strength >= modulus * (furthest - left)
        unloading = modulus if steep else strength / (furthest - left)
        left = furthest - strength * (1.0 / modulus) if steep else left

        line = last_stress + unloading * (strain - last)
        reloading = -unloading * max(shortening - left, 0.0)
        loading = strain <= last
        follows_line = (line > reloading) | (not loading)
        stress = min(line, 0.0) if follows_line else reloading
        tangent = unloading if stress < 0.0 else 0.0
        stress = -strength if further else stress
        tangent = slope if further else tangent
        stress = 0.0 if strain > 0.0 else stress
        tangent = 0.0 if strain > 0.0 else tangent
        stress = last_stress if idle else stress
        return stress, tangent, (strain, stress, furthest)


def check_concrete(label: str, fc: float, peak_strain: float, fcu: float,
                   crushing_strain: float) -> None:
    """Rules between the parameters of compression."""
    if crushing_strain <= peak_strain:
        raise InputError(label, "crushing_strain", crushing_strain, "must be above peak_strain = "
                                                                    f"{peak_strain:g}",
                         fix="give all four as positive numbers; 0.002 and 0.004 are common for "
                             "unconfined concrete")
    if fcu > fc:
        warn(f"{label}: fcu = {fcu:g} is above fc = {fc:g}, so that the strength grows after the "
             "peak. Fix: give what is left of the strength after crushing.", ModelWarning)
