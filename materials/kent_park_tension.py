"""Kent-Park concrete with tension."""

from __future__ import annotations

import contextlib
import math
from typing import ClassVar

from femu.kernels import inlined
from femu.materials.kent_park_concrete import (
    SMALLEST_INCREMENT,
    check_concrete,
    compression_envelope,
)
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError, ModelWarning
from femu.support.users_line import warn


@inlined
def _tension_envelope(lengthening, ft, softening, modulus):
    cracking = ft / modulus
    broken = ft / softening + cracking
    falling = ft - softening * (lengthening - cracking)
    elastic, whole = lengthening <= cracking, lengthening <= broken
    stress = modulus * lengthening if elastic else (falling if whole else 0.0)
    slope = modulus if elastic else (-softening if whole else 0.0)
    return stress, slope


class KentParkTension(Material):
    """Concrete after Kent and Park with linear tension softening; OpenSees' ``Concrete02``.

    First loading in compression is that of `KentParkConcrete`. Unloading starts with the initial
    modulus ``E = 2 fc / peak_strain`` and then follows a line of half the slope E_r of reloading to
    the strain e_t of zero stress. Reloading lines all run through one focus, at the stress E e_f,
    in compression::

        e_f = (fcu - unloading_ratio E crushing_strain) / (E (1 - unloading_ratio))

    so that E_r falls from E to ``unloading_ratio E`` at the crushing strain. Tension is measured
    from e_t: elastic to ft, then down with the slope ``softening_modulus`` to zero. Closing and
    opening again run on the straight line through e_t.

    An ``unloading_ratio`` below fcu / (E crushing_strain), the secant at the crushing strain, puts
    the focus on the side of tension: concrete that unloads is then still compressed at zero strain.
    It is accepted with a warning.

    **The parameters of compression are positive numbers**; OpenSees takes them below zero.

    Yassin, "Nonlinear analysis of prestressed concrete structures under monotonic and cyclic
    loads", PhD thesis, Berkeley, 1994 (the equations 2.31 to 2.43).
    """

    fc: float = positive("compressive strength, given as a positive number", "stress")
    peak_strain: float = positive("strain at the compressive strength, given as a positive number",
                                  "strain")
    fcu: float = nonnegative("strength left after crushing, given as a positive number", "stress")
    crushing_strain: float = positive("strain from which the strength is fcu, given as a positive "
                                      "number", "strain")
    unloading_ratio: float = number("slope of unloading at the crushing strain, as a share of the "
                                    "initial modulus",
                                    lower=0.0, upper=0.999, default=0.1)
    ft: float | None = nonnegative("tensile strength; a tenth of fc if left out", "stress",
                                   default=None)
    softening_modulus: float | None = positive(
        "slope of tension softening, as a positive number; a twentieth of the initial modulus if "
        "left out", "stress",
        default=None)

    history: ClassVar[tuple[str, ...]] = ("strain", "stress", "smallest_strain", "largest_opening")

    def prepare(self) -> None:
        # the check of fc and peak_strain says what is wrong
        with contextlib.suppress(TypeError, ZeroDivisionError):
            if self.ft is None:
                self.ft = 0.1 * self.fc
            if self.softening_modulus is None:
                self.softening_modulus = 0.1 * self.fc / self.peak_strain

    def validate(self) -> None:
        check_concrete(self.label(), self.fc, self.peak_strain, self.fcu, self.crushing_strain)
        modulus = 2.0 * self.fc / self.peak_strain
        if not math.isfinite(modulus * self.crushing_strain):
            raise InputError(self.label(), "crushing_strain", self.crushing_strain,
                             f"must be so small that its product with the modulus, {modulus:.4g}, "
                             "is a finite number")
        least = self.fcu / (modulus * self.crushing_strain)
        if self.unloading_ratio == least:
            raise InputError(self.label(), "unloading_ratio", self.unloading_ratio,
                             "must not be fcu / (E crushing_strain), E = 2 fc / peak_strain",
                             fix="raise it a little; otherwise the focus of the reloading lines is "
                                 "the virgin state")
        if self.unloading_ratio < least:
            warn(f"{self.label()}: unloading_ratio = {self.unloading_ratio:g} is below fcu / (E "
                 f"crushing_strain) = {least:.4g}, E = 2 fc / peak_strain: concrete that unloads "
                 "from the crushing strain is still compressed at zero strain. Fix: raise "
                 "unloading_ratio, or lower fcu.", ModelWarning)

    @law(lanes=True)
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        fc, peak_strain, fcu, crushing_strain, ratio, ft, softening = p
        last, last_stress, smallest, opening = h
        increment = strain - last
        idle = abs(increment) < SMALLEST_INCREMENT
        strain = last if idle else strain
        modulus = 2.0 * fc / peak_strain

        further = strain < smallest or (idle and strain == smallest)
        smallest = min(smallest, strain)
        strength, slope = compression_envelope(-smallest, fc, peak_strain, fcu, crushing_strain)
        focus = (ratio * modulus * crushing_strain - fcu) / (modulus * (1.0 - ratio))
        # the slope of reloading and its inverse by one division, the slowest of operations
        rise, run = strength + modulus * focus, focus - smallest
        inverse = 1.0 / (rise * run)
        reloading = rise * rise * inverse
        unstressed = smallest + strength * (run * run * inverse)

        # between the lines of reloading and of unloading
        within = last_stress + modulus * (strain - last)
        lower = -strength + reloading * (strain - smallest)
        upper = 0.5 * reloading * (strain - unstressed)
        stress = max(within, lower)
        tangent = reloading if within <= lower else modulus
        tangent = 0.5 * reloading if stress >= upper else tangent
        stress = min(stress, upper)

        # open: on the first loading in tension, or on the way back to it
        opened = strain - unstressed
        compressed, wider = opened <= 0.0, strain > unstressed + opening
        new_opening = opened if wider else opening
        reached, rising = _tension_envelope(new_opening, ft, softening, modulus)
        secant = reached / new_opening
        stress = stress if compressed else (reached if wider else secant * opened)
        tangent = tangent if compressed else (rising if wider else secant)
        opening = opening if compressed or further else new_opening

        stress = -strength if further else stress
        tangent = slope if further else tangent
        stress = last_stress if idle else stress
        return stress, tangent, (strain, stress, smallest, opening)
