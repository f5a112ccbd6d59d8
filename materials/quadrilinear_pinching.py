"""Quadrilinear envelope with pinching and degradation by deformation, energy or cycles."""

from __future__ import annotations

from typing import ClassVar

from femu.kernels import inlined
from femu.materials._quadrilinear_steps import (
    COMPRESSION,
    ELASTIC,
    TENSION,
    TO_COMPRESSION,
    TO_TENSION,
    Damage,
    Envelope,
    Gamma,
    Left,
    Pinching,
    Point,
    Side,
    Way,
    area,
    grown_damage,
    respond,
    reverse,
)
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError

SMALLEST_INCREMENT = 1e-12
"""Strain increments below it are no reversal and do no work (as in OpenSees)."""
FIRST_SHARE = 1e-4
"""Strain of the elastic range about the origin, as a share of the larger of the two first strains.
"""


@inlined
def _given(p):
    """The two envelopes and their pinching, and the three kinds of damage."""
    s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p = p[:8]
    s1n, e1n, s2n, e2n, s3n, e3n, s4n, e4n = p[8:16]
    e0 = FIRST_SHARE * max(e1p, -e1n)
    s0 = e0 * max(s1p / e1p, s1n / e1n)
    return (Envelope(s0, e0, s1p, e1p, s2p, e2p, s3p, e3p, s4p, e4p),
            Envelope(s0, e0, -s1n, -e1n, -s2n, -e2n, -s3n, -e3n, -s4n, -e4n),
            Pinching(*p[16:19]), Pinching(*p[19:22]),
            (Gamma(*p[22:27]), Gamma(*p[27:32]), Gamma(*p[32:37])))


@inlined
def _point(h, tension, compression):
    """The history by name; first loading counts from e1 on."""
    return Point(h[0], h[1], h[2], h[3], Way(*h[4:8]), max(h[8], tension.e1),
                 min(h[9], -compression.e1), Damage(*h[10:13]), h[13], h[14], h[15])


class QuadrilinearPinching(Material):
    """Envelope of four lines a side, pinched reloading, degradation; OpenSees' ``Pinching4``.

    First loading follows straight lines through (e1p, s1p) ... (e4p, s4p) in tension and the points
    with ``n`` in compression (numbers below zero); beyond the fourth point the last line continues
    if it rises, and is all but flat if it falls. The largest strain e_max so far (first
    loading counts from e1 on) is what reloading aims at. A change of direction at the point a leads
    to the point d of the other envelope along three lines with the corners b and c, for a way to
    tension::

        d = (e_d, s_d) on the envelope,         e_d = (1 + g_D) e_max
        c = (reload_strain_p e_d, reload_stress_p s_d)
        b = (e_a + (s_b - s_a) / k, s_b),       s_b = unload_stress_p s_3  (s_4 once e3 was passed),    k = (1 - g_K) k_1

    with the first stiffness k_1 = s1 / e1 of the side that is left. The line c-d is never steeper
    than k; corners in the wrong order are moved, in the end to one straight line. The stresses of
    the envelope are those given times (1 - g_F). The three indices of damage follow, each up to its
    limit, from the largest strain of both sides as a share of the larger e4, and from the energy W
    or the number of cycles n = sum abs(de) / (4 e_max)::

        g = gamma_1 (e_max / e4) ** gamma_3 + gamma_2 D ** gamma_4,    D = (W - W_elastic) / (gamma_e W_1)  or  D = n

    where W_1 is the energy under the larger of the two envelopes (what W exceeds W_elastic by
    round-off does not count); g_K is also no more than 1 - k_secant / k_1 at the largest strain.
    Once W exceeds gamma_e W_1, all three are at their limits; beyond e4 they grow no more. A change
    of direction takes over the indices of the step before.

    Two differences from OpenSees: a line of the envelope or of the way back that is exactly level
    is level here, while OpenSees reads it from the line after it; and here a step that is tried and
    not kept leaves no trace, while OpenSees keeps the damage that a tried change of direction has
    taken over.

    Cycles within the first line may give back a few percent more energy than they took, if the
    two sides differ: the line of unloading aims at the other side. So it is in OpenSees.

    Lowes, Mitra and Altoontash, A Beam-Column Joint Model for Simulating the Earthquake Response of
    Reinforced Concrete Frames, PEER report 2003/10, 2004.
    """

    s1p: float = positive("stress at the first point in tension", "stress")
    e1p: float = positive("strain at the first point in tension", "strain")
    s2p: float = number("stress at the second point in tension", "stress")
    e2p: float = positive("strain at the second point in tension", "strain")
    s3p: float = number("stress at the third point in tension", "stress")
    e3p: float = positive("strain at the third point in tension", "strain")
    s4p: float = number("stress at the fourth point in tension", "stress")
    e4p: float = positive("strain at the fourth point in tension", "strain")
    s1n: float = number("stress at the first point in compression, below zero", "stress", upper=0.0,
                        open=True)
    e1n: float = number("strain at the first point in compression, below zero", "strain", upper=0.0,
                        open=True)
    s2n: float = number("stress at the second point in compression", "stress")
    e2n: float = number("strain at the second point in compression, below zero", "strain",
                        upper=0.0, open=True)
    s3n: float = number("stress at the third point in compression", "stress")
    e3n: float = number("strain at the third point in compression, below zero", "strain", upper=0.0,
                        open=True)
    s4n: float = number("stress at the fourth point in compression", "stress")
    e4n: float = number("strain at the fourth point in compression, below zero", "strain",
                        upper=0.0, open=True)
    reload_strain_p: float = number("strain where reloading to tension begins, as a share of the "
                                    "strain aimed at", upper=1.0)
    reload_stress_p: float = number("stress where reloading to tension begins, as a share of the "
                                    "stress aimed at")
    unload_stress_p: float = number("stress where unloading to tension ends, as a share of s3p, "
                                    "then of s4p")
    reload_strain_n: float = number("strain where reloading to compression begins, as a share of "
                                    "the strain aimed at", upper=1.0)
    reload_stress_n: float = number("stress where reloading to compression begins, as a share of "
                                    "the stress aimed at")
    unload_stress_n: float = number("stress where unloading to compression ends, as a share of "
                                    "s3n, then of s4n")
    gamma_k1: float = number("loss of unloading stiffness at the last strain", default=0.0)
    gamma_k2: float = number("loss of unloading stiffness by energy or cycles", default=0.0)
    gamma_k3: float = nonnegative("exponent of the strain in the loss of unloading stiffness",
                                  default=0.0)
    gamma_k4: float = nonnegative("exponent of energy or cycles in the loss of unloading stiffness",
                                  default=0.0)
    gamma_k_limit: float = number("limit of the loss of unloading stiffness", lower=0.0, upper=1.0,
                                  default=0.0)
    gamma_d1: float = number("growth of the strain aimed at, at the last strain", default=0.0)
    gamma_d2: float = number("growth of the strain aimed at by energy or cycles", default=0.0)
    gamma_d3: float = nonnegative("exponent of the strain in the growth of the strain aimed at",
                                  default=0.0)
    gamma_d4: float = nonnegative("exponent of energy or cycles in the growth of the strain aimed "
                                  "at", default=0.0)
    gamma_d_limit: float = nonnegative("limit of the growth of the strain aimed at", default=0.0)
    gamma_f1: float = number("loss of strength at the last strain", default=0.0)
    gamma_f2: float = number("loss of strength by energy or cycles", default=0.0)
    gamma_f3: float = nonnegative("exponent of the strain in the loss of strength", default=0.0)
    gamma_f4: float = nonnegative("exponent of energy or cycles in the loss of strength",
                                  default=0.0)
    gamma_f_limit: float = number("limit of the loss of strength", lower=0.0, upper=1.0,
                                  default=0.0)
    gamma_e: float = nonnegative("energy at which all damage is at its limit, as a multiple of W_1",
                                 default=1.0)
    by_cycles: float | bool = number("whether damage grows with cycles (True) or energy (False)",
                                     lower=0.0, upper=1.0,
                                     default=False)

    history: ClassVar[tuple[str, ...]] = (
        "branch", "strain", "stress", "energy", "from_strain", "from_stress", "to_strain",
        "to_stress", "largest_strain",
        "smallest_strain", "loss_of_stiffness", "growth_of_strain", "loss_of_strength", "cycles",
        "stiffness_used",
        "strength_used")

    def prepare(self) -> None:
        if isinstance(self.by_cycles, bool):
            self.by_cycles = float(self.by_cycles)

    def validate(self) -> None:
        tension, compression = (self.e1p, self.e2p, self.e3p, self.e4p), (self.e1n, self.e2n,
                                                                          self.e3n, self.e4n)
        if not self.e1p < self.e2p < self.e3p < self.e4p:
            raise InputError(self.label(), "e1p, e2p, e3p, e4p", tension, "must increase")
        if not self.e1n > self.e2n > self.e3n > self.e4n:
            raise InputError(self.label(), "e1n, e2n, e3n, e4n", compression, "must decrease")
        if self.by_cycles not in (0.0, 1.0):
            raise InputError(self.label(), "by_cycles", self.by_cycles, "must be True or False", "")

    @classmethod
    def symmetric(cls, s1: float, e1: float, s2: float, e2: float, s3: float, e3: float, s4: float,
                  e4: float,
                  reload_strain: float, reload_stress: float, unload_stress: float,
                  *damage: float | bool) -> QuadrilinearPinching:
        """The same in compression as in tension; ``damage`` is gamma_k1 ... by_cycles."""
        points, pinching = (s1, e1, s2, e2, s3, e3, s4, e4), (reload_strain, reload_stress,
                                                              unload_stress)
        values: list[float | bool] = [*points, *(-value for value in points), *pinching, *pinching,
                                      *damage]
        return cls(*values)

    @law
    def law(p, h, strain):
        """Many locals: the numbers of the history and the parameters by their symbols."""
        tension, compression, pinching_p, pinching_n, gammas = _given(p)
        gamma_e, by_cycles = p[37], p[38]
        point = _point(h, tension, compression)
        increment = strain - point.strain
        if abs(increment) < SMALLEST_INCREMENT:
            increment = 0.0
        branch, way, e0 = point.branch, point.way, tension.e0
        largest, smallest, used_k, used_f = point.largest, point.smallest, point.used_k, point.used_f
        left = Left(1.0 - used_k, 1.0 - used_k, 1.0 - used_f, 1.0 - used_f)
        if branch == ELASTIC:
            branch = TENSION if strain > e0 else (COMPRESSION if strain < -e0 else ELASTIC)
        elif branch == TO_TENSION and strain > way.xd:
            branch = TENSION
        elif branch == TO_COMPRESSION and strain < way.xd:
            branch = COMPRESSION
        elif ((branch == TENSION or branch == TO_TENSION) and increment < 0.0) or (
                (branch == COMPRESSION or branch == TO_COMPRESSION) and increment > 0.0):
            branch, way, largest, smallest, left, takes_over = reverse(
                point, strain, increment > 0.0, tension, compression, left)
            if takes_over:
                used_k, used_f = point.damage.k, point.damage.f

        k_p, k_n = tension.s1 / tension.e1, compression.s1 / compression.e1
        side_p = Side(tension, pinching_p, largest, k_p * left.k_p, left.f_p)
        side_n = Side(compression, pinching_n, -smallest, k_n * left.k_n, left.f_n)
        stress, tangent = respond(branch, strain, way, side_p, side_n, max(k_p, k_n))

        energy = point.energy + 0.5 * (stress + point.stress) * increment
        cycles = point.cycles + abs(increment) / (4.0 * max(largest, -smallest))
        damage = point.damage
        if abs(strain) < max(tension.e4, compression.e4):
            stored = 0.5 * stress * stress / (side_p.k if strain > 0.0 else side_n.k)
            capacity = gamma_e * 0.5 * max(area(tension), area(compression))
            damage = grown_damage(gammas, side_p, side_n, energy, stored, capacity, cycles,
                                  by_cycles)
        if strain == point.strain:
            stress = point.stress
        return stress, tangent, (
            branch, strain, stress, energy, way.xa, way.ya, way.xd, way.yd, largest, smallest,
            damage.k, damage.d, damage.f, cycles, used_k, used_f)
