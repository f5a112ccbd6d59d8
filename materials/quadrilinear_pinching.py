"""Quadrilinear envelope with pinching and degradation by deformation, energy or cycles."""

from __future__ import annotations

from typing import ClassVar

from femu.component import Material
from femu.errors import InputError
from femu.kernels import inlined
from femu.laws import law
from femu.parameters import nonnegative, number, positive

SMALLEST_INCREMENT = 1e-12
"""Strain increments below it are no reversal and do no work (as in OpenSees)."""
FIRST_SHARE = 1e-4
"""Strain of the elastic range about the origin, as a share of the larger of the two first strains."""
FAR = 1e6
"""Strain at which the last line of the envelope ends, as a multiple of the fourth strain."""
FLAT_END = 1.1
"""Stress there where the envelope falls before, as a multiple of the fourth stress."""
ABOVE = 1.0 + 1e-6
SAME_FORCE = 1e-8

ELASTIC, TENSION, COMPRESSION, TO_COMPRESSION, TO_TENSION = 0.0, 1.0, 2.0, 3.0, 4.0
"""What the point does: elastic, on one of the two envelopes, on the way to one of them."""


@inlined
def _line(x, x1, y1, x2, y2):
    """Stress and slope of the line through two points."""
    slope = (y2 - y1) / (x2 - x1)
    return y1 + (x - x1) * slope, slope


@inlined
def _envelope(x, s0, e0, s1, e1, s2, e2, s3, e3, s4, e4):
    """Stress and slope of the first loading in tension, without damage."""
    if x <= e1:
        return _line(x, e0, s0, e1, s1)
    if x <= e2:
        return _line(x, e1, s1, e2, s2)
    if x <= e3:
        return _line(x, e2, s2, e3, s3)
    if x <= e4:
        return _line(x, e3, s3, e4, s4)
    rising = (s4 - s3) / (e4 - e3)
    end = s4 + rising * (FAR * e4 - e4) if rising > 0.0 else FLAT_END * s4
    return _line(x, e4, s4, FAR * e4, end)


@inlined
def _way(x, xa, ya, xd, yd, reload_strain, reload_stress, unload_stress, forced, s3, s4, beyond, k_left, k_right, stiffest,
         start_is_compared):
    """Stress and slope on the way from (xa, ya) to (xd, yd) on the right: three lines with the corners b and c.

    ``s3``, ``s4`` are the stresses of the envelope aimed at, ``beyond`` says whether its third strain was passed.
    """
    dx, dy = xd - xa, yd - ya
    straight_b, straight_c = (xa + 0.33 * dx, ya + 0.33 * dy), (xa + 0.67 * dx, ya + 0.67 * dy)
    (xb, yb), (xc, yc) = straight_b, straight_c
    if xa * xd < 0.0:
        xc = xd * reload_strain
        if forced or reload_stress - unload_stress > SAME_FORCE:
            yc = yd * reload_stress
        else:
            yc = max((yd if beyond else s3) * unload_stress * ABOVE, s4 * ABOVE)
        if yd - yc > k_right * (xd - xc):
            xc = xd - (yd - yc) / k_right
        if xc < xa:
            xc, yc = straight_c
        else:
            yb = unload_stress * (s4 if beyond else s3)
            xb = xa + (yb - ya) / k_left
            run, rise = xc - xb, yc - yb
            if xb < xa:
                xb, yb = 0.5 * (xa + xc), 0.5 * (ya + yc)
            elif (run > 0.0 and rise > stiffest * run) or (run < 0.0 and rise < stiffest * run) or (run == 0.0 and rise > 0.0):
                (xb, yb), (xc, yc) = straight_b, straight_c
            elif run < 0.0 or rise < 0.0:
                if xb > 0.0:
                    xb, yb = 0.5 * (xa + xc), 0.5 * (ya + yc)
                elif xc < 0.0:
                    xc, yc = 0.5 * (xb + xd), 0.5 * (yb + yd)
                else:
                    middle = 0.5 * (yb + yc)
                    half = abs(middle) / 100.0
                    first, last = (yb - ya) / (xb - xa), (yd - yc) / (xd - xc) if xd > xc else k_right
                    yb, yc = middle - half, middle + half
                    xb, xc = xa + (yb - ya) / first, xd - (yd - yc) / last
    if xb < xa or yb < ya or xc < xb or yc < yb or xd < xc or yd < yc:
        (xb, yb), (xc, yc) = straight_b, straight_c
        secant = ya / xa if start_is_compared else yd / xd
        if SAME_FORCE * dx < dy < secant * dx:
            if start_is_compared:
                xb, yb, xc, yc = 0.0, 0.0, 0.5 * xd, 0.5 * yd
            else:
                xb, yb, xc, yc = 0.5 * xa, 0.5 * ya, 0.0, 0.0
    if x >= xc and xd > xc:
        return _line(x, xc, yc, xd, yd)
    if x >= xb and xc > xb:
        return _line(x, xb, yb, xc, yc)
    return _line(x, xa, ya, xb, yb)


class QuadrilinearPinching(Material):
    """Envelope of four lines a side, pinched reloading, degradation; OpenSees' ``Pinching4``.

    First loading follows straight lines through (e1p, s1p) ... (e4p, s4p) in tension and the points with ``n`` in compression
    (numbers below zero); beyond the fourth point the last line goes on where it rises, and is all but flat where it falls.
    The largest strain e_max so far (first loading counts from e1 on) is what reloading aims at. A change of direction at the
    point a leads to the point d of the other envelope along three lines with the corners b and c, for a way to tension::

        d = (e_d, s_d) on the envelope,         e_d = (1 + g_D) e_max
        c = (reload_strain_p e_d, reload_stress_p s_d)
        b = (e_a + (s_b - s_a) / k, s_b),       s_b = unload_stress_p s_3  (s_4 once e3 was passed),    k = (1 - g_K) k_1

    with the first stiffness k_1 = s1 / e1 of the side that is left. The line c-d is never steeper than k; corners in the wrong
    order are moved, in the end to one straight line. The stresses of the envelope are those given times (1 - g_F). The three
    indices of damage follow, each up to its limit, from the largest strain of both sides as a share of the larger e4, and from
    the energy W or the number of cycles n = sum abs(de) / (4 e_max)::

        g = gamma_1 (e_max / e4) ** gamma_3 + gamma_2 D ** gamma_4,    D = (W - W_elastic) / (gamma_e W_1)  or  D = n

    where W_1 is the energy under the larger of the two envelopes; g_K is also no more than 1 - k_secant / k_1 at the largest
    strain. Once W exceeds gamma_e W_1, all three are at their limits; beyond e4 they grow no more. A change of direction takes
    over the indices of the step before.

    Two differences from OpenSees: a line of the envelope or of the way back that is exactly level is level here, while
    OpenSees reads it from the line after it; and here a step that is tried and not kept leaves no trace, while OpenSees
    keeps the damage that a tried change of direction has taken over.

    Cycles within the first line may give back a few percent more energy than they took, where the two sides differ: the line
    of unloading aims at the other side. So it is in OpenSees.

    Lowes, Mitra and Altoontash, A Beam-Column Joint Model for Simulating the Earthquake Response of Reinforced Concrete
    Frames, PEER report 2003/10, 2004.
    """

    s1p: float = positive("stress at the first point in tension", "stress")
    e1p: float = positive("strain at the first point in tension", "strain")
    s2p: float = number("stress at the second point in tension", "stress")
    e2p: float = positive("strain at the second point in tension", "strain")
    s3p: float = number("stress at the third point in tension", "stress")
    e3p: float = positive("strain at the third point in tension", "strain")
    s4p: float = number("stress at the fourth point in tension", "stress")
    e4p: float = positive("strain at the fourth point in tension", "strain")
    s1n: float = number("stress at the first point in compression, below zero", "stress", upper=0.0, open=True)
    e1n: float = number("strain at the first point in compression, below zero", "strain", upper=0.0, open=True)
    s2n: float = number("stress at the second point in compression", "stress")
    e2n: float = number("strain at the second point in compression, below zero", "strain", upper=0.0, open=True)
    s3n: float = number("stress at the third point in compression", "stress")
    e3n: float = number("strain at the third point in compression, below zero", "strain", upper=0.0, open=True)
    s4n: float = number("stress at the fourth point in compression", "stress")
    e4n: float = number("strain at the fourth point in compression, below zero", "strain", upper=0.0, open=True)
    reload_strain_p: float = number("strain where reloading to tension begins, as a share of the strain aimed at", upper=1.0)
    reload_stress_p: float = number("stress where reloading to tension begins, as a share of the stress aimed at")
    unload_stress_p: float = number("stress where unloading to tension ends, as a share of s3p, then of s4p")
    reload_strain_n: float = number("strain where reloading to compression begins, as a share of the strain aimed at", upper=1.0)
    reload_stress_n: float = number("stress where reloading to compression begins, as a share of the stress aimed at")
    unload_stress_n: float = number("stress where unloading to compression ends, as a share of s3n, then of s4n")
    gamma_k1: float = number("loss of unloading stiffness at the last strain", default=0.0)
    gamma_k2: float = number("loss of unloading stiffness by energy or cycles", default=0.0)
    gamma_k3: float = nonnegative("exponent of the strain in the loss of unloading stiffness", default=0.0)
    gamma_k4: float = nonnegative("exponent of energy or cycles in the loss of unloading stiffness", default=0.0)
    gamma_k_limit: float = number("limit of the loss of unloading stiffness", lower=0.0, upper=1.0, default=0.0)
    gamma_d1: float = number("growth of the strain aimed at, at the last strain", default=0.0)
    gamma_d2: float = number("growth of the strain aimed at by energy or cycles", default=0.0)
    gamma_d3: float = nonnegative("exponent of the strain in the growth of the strain aimed at", default=0.0)
    gamma_d4: float = nonnegative("exponent of energy or cycles in the growth of the strain aimed at", default=0.0)
    gamma_d_limit: float = nonnegative("limit of the growth of the strain aimed at", default=0.0)
    gamma_f1: float = number("loss of strength at the last strain", default=0.0)
    gamma_f2: float = number("loss of strength by energy or cycles", default=0.0)
    gamma_f3: float = nonnegative("exponent of the strain in the loss of strength", default=0.0)
    gamma_f4: float = nonnegative("exponent of energy or cycles in the loss of strength", default=0.0)
    gamma_f_limit: float = number("limit of the loss of strength", lower=0.0, upper=1.0, default=0.0)
    gamma_e: float = nonnegative("energy at which all damage is at its limit, as a multiple of W_1", default=1.0)
    by_cycles: float | bool = number("whether damage grows with cycles (True) or energy (False)", lower=0.0, upper=1.0,
                                     default=False)

    history: ClassVar[tuple[str, ...]] = (
        "branch", "strain", "stress", "energy", "from_strain", "from_stress", "to_strain", "to_stress", "largest_strain",
        "smallest_strain", "loss_of_stiffness", "growth_of_strain", "loss_of_strength", "cycles", "stiffness_used",
        "strength_used")

    def prepare(self) -> None:
        if isinstance(self.by_cycles, bool):
            self.by_cycles = float(self.by_cycles)

    def validate(self) -> None:
        tension, compression = (self.e1p, self.e2p, self.e3p, self.e4p), (self.e1n, self.e2n, self.e3n, self.e4n)
        if not self.e1p < self.e2p < self.e3p < self.e4p:
            raise InputError(self.label(), "e1p, e2p, e3p, e4p", tension, "must increase")
        if not self.e1n > self.e2n > self.e3n > self.e4n:
            raise InputError(self.label(), "e1n, e2n, e3n, e4n", compression, "must decrease")
        if self.by_cycles not in (0.0, 1.0):
            raise InputError(self.label(), "by_cycles", self.by_cycles, "must be True or False", "")

    @classmethod
    def symmetric(cls, s1: float, e1: float, s2: float, e2: float, s3: float, e3: float, s4: float, e4: float,
                  reload_strain: float, reload_stress: float, unload_stress: float,
                  *damage: float | bool) -> QuadrilinearPinching:
        """The same in compression as in tension; ``damage`` is gamma_k1 ... by_cycles."""
        points, pinching = (s1, e1, s2, e2, s3, e3, s4, e4), (reload_strain, reload_stress, unload_stress)
        values: list[float | bool] = [*points, *(-value for value in points), *pinching, *pinching, *damage]
        return cls(*values)

    @law
    def law(p, h, strain):
        (s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p, s1n, e1n, s2n, e2n, s3n, e3n, s4n, e4n, reload_strain_p, reload_stress_p,
         unload_stress_p, reload_strain_n, reload_stress_n, unload_stress_n, k1, k2, k3, k4, k_limit, d1, d2, d3, d4, d_limit,
         f1, f2, f3, f4, f_limit, gamma_e, by_cycles) = p
        (branch, last, last_stress, energy, from_strain, from_stress, to_strain, to_stress, largest, smallest, loss_k, growth,
         loss_f, cycles, used_k, used_f) = h
        e0 = FIRST_SHARE * max(e1p, -e1n)
        first = max(s1p / e1p, s1n / e1n)
        s0 = e0 * first
        tension = (s0, e0, s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p)
        compression = (s0, e0, -s1n, -e1n, -s2n, -e2n, -s3n, -e3n, -s4n, -e4n)
        elastic_p, elastic_n = s1p / e1p, s1n / e1n
        largest, smallest = max(largest, e1p), min(smallest, e1n)
        increment = strain - last
        if abs(increment) < SMALLEST_INCREMENT:
            increment = 0.0
        aim_p, aim_n = largest * (1.0 + growth), smallest * (1.0 + growth)
        left_k_p = left_k_n = 1.0 - used_k
        left_f_p = left_f_n = 1.0 - used_f

        reversed_ = ((branch == TENSION or branch == TO_TENSION) and increment < 0.0) or (
            (branch == COMPRESSION or branch == TO_COMPRESSION) and increment > 0.0)
        if branch == ELASTIC:
            branch = TENSION if strain > e0 else (COMPRESSION if strain < -e0 else ELASTIC)
        elif branch == TO_TENSION and strain > to_strain:
            branch = TENSION
        elif branch == TO_COMPRESSION and strain < to_strain:
            branch = COMPRESSION
        elif reversed_:
            on_envelope = branch == TENSION or branch == COMPRESSION
            upwards = increment > 0.0
            beyond = strain > aim_p if upwards else strain < aim_n
            if branch == TENSION:
                largest = max(largest, last, aim_p)
            elif branch == COMPRESSION:
                smallest = min(smallest, last, aim_n)
            if on_envelope or not beyond:
                used_f, used_k = loss_f, loss_k
                if upwards:
                    left_f_p, left_k_n = 1.0 - loss_f, 1.0 - loss_k
                else:
                    left_f_n, left_k_p = 1.0 - loss_f, 1.0 - loss_k
            if beyond:
                branch = TENSION if upwards else COMPRESSION
            else:
                branch = TO_TENSION if upwards else TO_COMPRESSION
                from_strain, from_stress = last, last_stress
                to_strain = aim_p if upwards else aim_n
                to_stress = (left_f_p * _envelope(aim_p, *tension)[0] if upwards
                             else -left_f_n * _envelope(-aim_n, *compression)[0])

        k_p, k_n = elastic_p * left_k_p, elastic_n * left_k_n
        if branch == ELASTIC:
            stress, tangent = first * strain, first
        elif branch == TENSION:
            stress, tangent = _envelope(strain, *tension)
            stress, tangent = left_f_p * stress, left_f_p * tangent
        elif branch == COMPRESSION:
            stress, tangent = _envelope(-strain, *compression)
            stress, tangent = -left_f_n * stress, left_f_n * tangent
        elif branch == TO_TENSION:
            left = k_n if from_strain < 0.0 else k_p
            stress, tangent = _way(
                strain, from_strain, from_stress, to_strain, to_stress, reload_strain_p, reload_stress_p, unload_stress_p,
                unload_stress_p == 0.0, left_f_p * s3p, left_f_p * s4p, largest > e3p, left, k_p, max(left, k_p), True)
        else:
            left = k_n if from_strain < 0.0 else k_p
            stress, tangent = _way(
                -strain, -from_strain, -from_stress, -to_strain, -to_stress, reload_strain_n, reload_stress_n, unload_stress_n,
                False, -left_f_n * s3n, -left_f_n * s4n, smallest < e3n, left, k_n, max(left, k_n), False)
            stress = -stress

        energy += 0.5 * (stress + last_stress) * increment
        stored = 0.5 * stress * stress / (k_p if strain > 0.0 else k_n)
        area_p = s0 * e0 + (s0 + s1p) * (e1p - e0) + (s1p + s2p) * (e2p - e1p) + (s2p + s3p) * (e3p - e2p) + (
            s3p + s4p) * (e4p - e3p)
        area_n = s0 * e0 + (s1n - s0) * (e1n + e0) + (s1n + s2n) * (e2n - e1n) + (s2n + s3n) * (e3n - e2n) + (
            s3n + s4n) * (e4n - e3n)
        capacity = gamma_e * 0.5 * max(area_p, area_n)
        furthest, last_strain = max(largest, -smallest), max(e4p, -e4n)
        cycles += abs(increment) / (4.0 * furthest)
        if abs(strain) < last_strain:
            secant = max(left_f_p * _envelope(largest, *tension)[0] / largest / elastic_p,
                         left_f_n * _envelope(-smallest, *compression)[0] / -smallest / elastic_n)
            if energy < capacity:
                share = furthest / last_strain
                loss_k, growth, loss_f = k1 * share**k3, d1 * share**d3, f1 * share**f3
                if by_cycles == 0.0:
                    counts, spent = energy > stored, max(energy - stored, 0.0) / capacity
                else:
                    counts, spent = True, cycles
                if counts:
                    loss_k, growth, loss_f = loss_k + k2 * spent**k4, growth + d2 * spent**d4, loss_f + f2 * spent**f4
                loss_k, growth, loss_f = min(loss_k, k_limit), min(growth, d_limit), min(loss_f, f_limit)
            else:
                loss_k, growth, loss_f = k_limit, d_limit, f_limit
            loss_k = min(loss_k, max(1.0 - secant, 0.0))
        if strain == last:
            stress = last_stress
        return stress, tangent, (
            branch, strain, stress, energy, from_strain, from_stress, to_strain, to_stress, largest, smallest, loss_k, growth,
            loss_f, cycles, used_k, used_f)
