"""Menegotto-Pinto steel."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels.elementary import quick_power
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive

# a smaller first strain does not choose a direction (as in OpenSees)
_VIRGIN_INCREMENT = 10.0 * 2.220446049250313e-16
_EXPONENT = 0.8  # of the strain range in the shift of the asymptote (Filippou et al., 1983)


class MenegottoPinto(Material):
    """Steel with a smooth transition from elastic to plastic; OpenSees' ``Steel02``.

    Between two reversals the stress runs from the point of reversal (e_r, s_r) along the elastic
    slope and bends into an asymptote of slope b E. The two lines meet at the strain e_0::

        r = (e - e_r) / (e_0 - e_r)
        s = s_r + E (e_0 - e_r) (b r + (1 - b) r / (1 + |r| ** R) ** (1 / R))
        R = R0 (1 - cR1 x / (cR2 + x)),        x = |e_p - e_0| / e_y

    with the extreme strain e_p of the side to which the stress runs. Isotropic hardening moves the
    asymptote out, in compression by the factor ``1 + a1 ((e_max - e_min) / (2 a2 e_y)) ** 0.8``, in
    tension with a3 and a4. ``initial_stress`` is the stress at zero strain.

    Where R0 (1 - cR1) is below 1, the curve after a large reversal is softer than the loading
    before it, and cycles may give energy back. So it is in OpenSees; usual values are R0 = 10 to
    20, cR1 = 0.925, cR2 = 0.15.

    OpenSees takes the slope to the corner as a quotient of two small differences and loses up to
    eight digits where a reversal lies on an asymptote; here that slope is E.

    Menegotto and Pinto, IABSE Symposium, Lisbon, 1973; Filippou, Popov and Bertero, EERC 83-19,
    1983.
    """

    E: float = positive("Young's modulus", "stress")
    fy: float = positive("yield stress", "stress")
    b: float = number("hardening ratio, plastic to elastic modulus", lower=0.0, upper=0.999,
                      default=0.01)
    R0: float = positive("exponent of the transition at first loading", default=15.0)
    cR1: float = number("share of R0 lost under large plastic strain", lower=0.0, upper=0.999,
                        default=0.925)
    cR2: float = positive("plastic strain, in yield strains, at which half of that is lost",
                          default=0.15)
    a1: float = nonnegative("shift of the asymptote in compression", default=0.0)
    a2: float = positive("strain range, in yield strains, at which that shift is a1", default=1.0)
    a3: float = nonnegative("shift of the asymptote in tension", default=0.0)
    a4: float = positive("strain range, in yield strains, at which that shift is a3", default=1.0)
    initial_stress: float = number("stress at zero strain", "stress", default=0.0)

    history: ClassVar[tuple[str, ...]] = (
        "strain", "stress", "largest_strain", "smallest_strain", "reversal_strain",
        "reversal_stress",
        "elastic_span", "direction")

    @law(lanes=True, often_zero=("a1", "a3"))
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        E, fy, b, R0, cR1, cR2, a1, a2, a3, a4, initial_stress = p
        last, last_stress, largest, smallest, reversal, reversal_stress, span, direction = h
        yield_strain, yield_strains = fy / E, E / fy
        initial = initial_stress / E
        increment = strain - last
        largest = max(largest, yield_strain)
        smallest = min(smallest, -yield_strain)
        virgin = direction == 0.0
        # elastic, not unstressed as in OpenSees: force-based members could not settle on strains
        # around this size
        idle = virgin and abs(increment) < _VIRGIN_INCREMENT

        turned = direction * increment < 0.0
        up = increment > 0.0 if virgin or turned else direction > 0.0
        direction = 1.0 if up else -1.0
        reversal = last + initial if turned else reversal
        reversal_stress = last_stress if turned else reversal_stress
        smallest = min(smallest, reversal) if turned and up else smallest
        largest = max(largest, reversal) if turned and not up else largest
        growth = 0.0
        if a1 != 0.0 or a3 != 0.0:
            strains = (largest - smallest) * (0.5 * yield_strains)
            growth = ((a3 if up else a1)
                      * quick_power(strains * (1.0 / a4 if up else 1.0 / a2), _EXPONENT))
        # its stress at the reversal
        asymptote = direction * (1.0 + growth) * (1.0 - b) * fy + b * E * reversal
        found = (asymptote - reversal_stress) * (1.0 / ((1.0 - b) * E))
        span = direction * yield_strain if virgin else (found if turned else span)

        moved = strain + initial - reversal
        extreme = largest if up else smallest
        x = abs(extreme - reversal - span) * yield_strains
        # R and 1/R by one division, the slowest of operations
        above, below = cR2 + (1.0 - cR1) * x, cR2 + x
        inverse = 1.0 / (above * below)
        R, over_R = R0 * (above * above) * inverse, (1.0 / R0) * (below * below) * inverse
        ratio = moved / span
        size = abs(ratio)
        near = size <= 1.0  # otherwise the same divided by |r| ** R, which would overflow
        height = quick_power(size, R if near else -R)
        bend = quick_power(1.0 + height, -over_R)
        curve = (ratio if near else (1.0 if ratio > 0.0 else -1.0)) * bend
        slope = (1.0 if near else height) * bend / ((1.0 + height) * (1.0 if near else size))
        on_asymptote = span == 0.0  # the reversal lies there
        curve = 0.0 if on_asymptote else curve
        slope = 0.0 if on_asymptote else slope
        stress = reversal_stress + b * E * moved + (1.0 - b) * E * span * curve
        tangent = E * (b + (1.0 - b) * slope)
        stress = initial_stress + E * strain if idle else stress
        return (stress, E if idle else tangent,
                (strain, stress, 0.0 if idle else largest, 0.0 if idle else smallest,
                 reversal, reversal_stress, 0.0 if idle else span, 0.0 if idle else direction))
