"""Reinforcing steel after Chang and Mander."""

from __future__ import annotations

import math
from typing import ClassVar

from femu.kernels import Kernel, kernel, unfused
from femu.materials._bar_curves import Curve, first_loading
from femu.materials._bar_history import (
    BRANCH,
    COUNT,
    CURVE,
    DAMAGE,
    FAILED,
    HALVES,
    NUMBERS,
    PLASTIC,
    PLATEAU_LOST,
    STRESS,
    TANGENT,
    Branch,
    Step,
    Wear,
    half_cycle,
    read_sides,
    recalled,
    write_sides,
)
from femu.materials._bar_steps import (
    TOLERANCE,
    buckled,
    follow,
    pass_ends,
    reverse,
    strength_left,
    wear_out,
)
from femu.model.component import Material
from femu.model.constitutive import BLOCK
from femu.model.parameters import nonnegative, number, positive
from femu.support.errors import InputError

LEAST_STRAIN = -0.95
"""Compressive strain beyond which the stress does not change any more.

OpenSees does not answer there.
"""
LEAST_YIELD_STRAIN = 1e-12  # ln(1 + fy / E) of less has no digits left


@unfused
def _step(p, virgin, c, t, j, n, strain):
    """Stress and tangent of one point; the trial history is written whole.

    Many locals: the numbers of the branch and of both sides have names.
    """
    for v in range(COUNT):
        t[v * n + j] = c[v * n + j]
    onset = 1.0 - c[PLATEAU_LOST * n + j]
    steel = virgin if onset == 1.0 else first_loading(p[0], p[1], p[2], p[3], p[4], p[5], onset,
                                                      0.0)
    stretch = 1.0 + max(strain, LEAST_STRAIN)
    now = math.log(stretch)
    if c[FAILED * n + j] != 0.0:
        t[j] = now
        return 0.0, 0.0
    if now == c[j]:
        return c[STRESS * n + j], steel.E + c[TANGENT * n + j]
    number = int(c[BRANCH * n + j])
    if number == 0:
        number = 1 if now > 0.0 else 2
    plus = number % 2 == 1
    s, k = (1.0, number) if plus else (-1.0, number - 1)
    step, sides = Step(plus, s * now, s * c[j], s * c[n + j]), read_sides(c, j, n, plus)
    wear = Wear(c[PLASTIC * n + j], c[DAMAGE * n + j])
    curve = recalled(c, j, n, k) if k > 1 else Curve(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    reverses = (step.e < step.last) == (k % 4 == 1)
    crossed = reverses and k == 1 and step.e - sides.zero <= -TOLERANCE
    elastic = (reverses and k == 1 and not crossed
               and step.e - sides.zero - steel.ey <= -TOLERANCE)
    branch = Branch(k, crossed, curve, onset, steel)
    if reverses and not crossed and not elastic:
        sides, branch = reverse(p, c, j, n, step, sides, branch, wear.total)
        t[half_cycle(j, n, (branch.k + 1) // 2)] = 0.0
    branch, wear = pass_ends(p, c, t, j, n, step, sides, branch, wear)
    f, slope, from_e, from_f, place = follow(t, j, n, step, sides, branch)
    steel, by_strain = branch.steel, 0.0
    if not elastic:
        wear, by_strain = wear_out(p, t, place, steel.E, step.e, f, slope, from_e, from_f, wear)

    if branch.crossed:
        number = 2 if plus else 1
    else:
        number = branch.k if plus else branch.k + 1
    f *= s
    t[j], t[n + j], t[BRANCH * n + j] = now, f, float(number)
    write_sides(t, j, n, plus, sides)
    t[PLASTIC * n + j], t[PLATEAU_LOST * n + j] = wear.total, 1.0 - branch.onset
    t[DAMAGE * n + j] = wear.damage
    left, loss = strength_left(p, wear.damage)
    if left < 0.0:
        t[FAILED * n + j] = 1.0
        t[STRESS * n + j], t[TANGENT * n + j] = 0.0, -steel.E
        return 0.0, 0.0
    f, slope = buckled(p, steel, sides.top if plus else -sides.bottom, now, f, slope)
    stress = f * left / stretch
    tangent = 0.0 if strain < LEAST_STRAIN else ((slope - f) * left
                                                 - f * loss * s * by_strain) / stretch**2
    t[STRESS * n + j], t[TANGENT * n + j] = stress, tangent - steel.E
    return stress, tangent


@kernel(BLOCK)
def _block(n, i, p, c, t, w, x, r, s, y, k, d):
    virgin = first_loading(p[0], p[1], p[2], p[3], p[4], p[5], 1.0, 0.0)
    for j in range(n):
        y[j], k[j] = _step(p, virgin, c, t, j, n, x[j])
    return 0


class ChangManderSteel(Material):
    """Reinforcing steel with a yield plateau, memory of inner loops and fatigue; OpenSees'
    ``ReinforcingSteel``.

    The law works on natural strains e = ln(1 + strain) and stresses f = stress (1 + strain), in
    which tension and compression are alike. First loading is elastic, then a yield plateau, then
    from ``hardening_strain`` on ::

        f = f_h + (e - e_h) E_u + (f_u - f_h) (1 - ((e_u - e) / (e_u - e_h)) ** n),      n = E_h (e_u - e_h) / (f_u - f_h)

    to the ultimate strain, after which the stress stays near fu. Every other branch is a curve of
    Menegotto and Pinto ::

        f = f_a + E_a (e - e_a) (Q - (Q - 1) / (1 + |E_a (e - e_a) / (f_ch - f_a)| ** R) ** (1 / R))

    from the last reversal (e_a, f_a) to a point (e_b, f_b) at which it has the slope of what it
    meets there: Q and f_ch follow from that, E_a = E (0.82 + 1 / (5.55 + 1000 e_max)) after Dodd
    and Cooke, and R = R2 (f_y / E) ** R1 (1 - R3 abs(e_b - e_a)). A reversal from first loading
    leads to the first loading of the other side, whose zero has moved; one from such a curve leads
    back; inner loops, up to nine deep, close where they began.

    ``a1`` shortens the plateau with the plastic strain summed up over half cycles, down to
    ``least_plateau``. With ``Cf`` the bar wears out: a half cycle of the plastic strain e_p does
    the damage (e_p / Cf) ** (1 / alpha), the strength falls to ``1 - damage (Cf / Cd) ** (1 /
    alpha)`` of itself, and from a damage of 1 on to nothing at 1.04.

    With ``slenderness`` the bar buckles after Gomes and Appleton, from the natural strain e_0 =
    e_max - f_u / E down ::

        f_buckled = gamma f_u - (g + gamma) / (1 + gamma) (gamma f_u - f),     g = (1 - reduction) min(k, 1) + reduction
        k = sqrt(32 / (e_0 - e)) / (3 pi slenderness)

    (the corner at k = 1 is cut off by 10 % over a quarter to each side).

    As in OpenSees, the strain at the end of a step, not at the reversal, says whether a reversal
    comes from the hardening branch, the plateau or the elastic line: steps have to be short
    compared with the yield strain if it reverses. Rounding decides between two slopes 0.1 % apart
    if an inner loop closes on a straight piece. A bar breaks at the step that is kept; in OpenSees also
    one that a discarded iteration broke stays broken. The tangent is the derivative of the stress,
    with that of the damage.

    Chang and Mander, NCEER-94-0006, 1994; Gomes and Appleton, Eng. Struct. 19(10), 1997; Kunnath,
    Heo and Mohle, J. Struct. Eng. 135(4), 2009; Coffin and Manson, see `LowCycleFatigue`.
    """

    fy: float = positive("yield stress", "stress")
    fu: float = positive("ultimate stress", "stress")
    E: float = positive("Young's modulus", "stress")
    Eh: float = positive("modulus at the onset of hardening", "stress")
    hardening_strain: float = positive("strain at the onset of hardening", "strain")
    ultimate_strain: float = positive("strain at the ultimate stress", "strain")
    Cf: float = nonnegative("plastic strain of the half cycle that breaks the bar; 0: no fatigue",
                            "strain", default=0.0)
    alpha: float = positive("exponent of fatigue", default=0.506)
    Cd: float = nonnegative("plastic strain of fatigue at which strength is lost too; 0: none is "
                            "lost", "strain", default=0.0)
    R1: float = number("exponent of the yield strain in the curvature of the curves", lower=0.0,
                       default=1.0 / 3.0)
    R2: float = positive("factor of the curvature", default=18.0)
    R3: float = nonnegative("loss of curvature with the length of a curve", default=4.0)
    a1: float = nonnegative("loss of the yield plateau with plastic strain", default=0.0)
    least_plateau: float = number("share of the plateau that is left at least", lower=0.0,
                                  upper=1.0, default=0.01)
    slenderness: float = nonnegative("free length of the bar over its diameter; 0: it does not "
                                     "buckle", default=0.0)
    reduction: float = number("share of the stress that buckling leaves alone", lower=0.0,
                              upper=1.0, default=0.0)
    gamma: float = nonnegative("pole of the buckled stress, as a share of the ultimate stress in "
                               "tension", default=0.5)

    history: ClassVar[tuple[str, ...]] = (
        *NUMBERS, *(f"half_cycle_{v}" for v in range(HALVES)),
        *(f"curve_{v}_{name}" for v in range(2, HALVES) for name in CURVE))

    def validate(self) -> None:
        if self.fy < LEAST_YIELD_STRAIN * self.E:
            raise InputError(self.label(), "fy", self.fy, "must be at least "
                                                          f"{LEAST_YIELD_STRAIN:g} E: less has no "
                                                          "digits left")
        if not self.fy / self.E < self.hardening_strain < self.ultimate_strain:
            raise InputError(self.label(), "hardening_strain", self.hardening_strain,
                             f"must lie between fy / E = {self.fy / self.E:g} and ultimate_strain "
                             f"= {self.ultimate_strain:g}")
        if self.fu <= self.fy:
            raise InputError(self.label(), "fu", self.fu, f"must be above fy = {self.fy:g}")

    def kernel(self) -> Kernel:
        return _block
