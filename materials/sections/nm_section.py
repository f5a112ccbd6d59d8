"""Section with axial force-moment interaction and kinematic hardening."""

from __future__ import annotations

from typing import ClassVar

from femu.materials.sections.elastic_section import h_shape_properties
from femu.model.component import Section
from femu.model.constitutive import law
from femu.model.parameters import check_sizes, nonnegative, number, positive

NEWTON_LIMIT = 60
NEWTON_TOLERANCE = 1e-15


class NMSection(Section):
    """Kinematic-hardening N-M section with the yield surface of an H-shape (Wu, Chen, Xu, Zeng
    2015).

    With n = N/Ny and m = M/Mp of the force relative to the back force, a = A_flange/A_web,
    c1 = (2a+1)^2/(4a+1), c = 2(2a+1)/(4a+1), n0 = 1/(2a+1), the surface is::

        f = |m| + c1 n^2 - 1        |n| <  n0     (neutral axis in the web)
        f = |m| + c (|n| - 1)       |n| >= n0     (neutral axis in a flange)

    Both pieces meet with one value and one slope; the true corners are the two apexes n = +-1, m =
    0. Hardening is linear and kinematic (back force Fa = b/(1-b) k e_p), which is the same as a
    section of stiffness b k parallel to an elastic-perfectly-plastic one::

        s = b k e + (1 - b) xi,     xi = closest point to k (e - e_p/(1-b)) on or inside f = 0

    The closest point in the energy norm (backward Euler) is found on the linear face, at an apex,
    or on the parabola by Newton's method (a convex function, monotone from zero). The tangent is
    consistent with it.
    """

    EA: float = positive("axial stiffness", "force")
    EI: float = positive("flexural stiffness", "force*length^2")
    yield_force: float = positive("axial yield force Ny", "force")
    plastic_moment: float = positive("plastic moment Mp", "force*length")
    flange_web_ratio: float = nonnegative("area of one flange over area of the web, a", default=1.0)
    b: float = number("hardening ratio, plastic to elastic stiffness", lower=0.0, upper=0.999,
                      default=0.0)

    history: ClassVar[tuple[str, ...]] = ("plastic_strain", "plastic_curvature")

    @law
    def law(p, h, x):
        """Many locals: the parameters, the two springs and the entries of their matrix by their
        symbols."""
        EA, EI, Ny, Mp, a, b = p
        c = 2.0 * (2.0 * a + 1.0) / (4.0 * a + 1.0)
        c1 = (2.0 * a + 1.0) ** 2 / (4.0 * a + 1.0)
        n0 = 1.0 / (2.0 * a + 1.0)
        trial_N = EA * (x[0] - h[0] / (1.0 - b))
        trial_M = EI * (x[1] - h[1] / (1.0 - b))
        nt, mt = abs(trial_N) / Ny, abs(trial_M) / Mp
        excess = mt + (c1 * nt * nt - 1.0 if nt < n0 else c * (nt - 1.0))
        if excess <= 0.0:
            return ((b * EA * x[0] + (1.0 - b) * trial_N, b * EI * x[1] + (1.0 - b) * trial_M),
                    (EA, 0.0, EI), h)

        an, am = EA / (Ny * Ny), EI / (Mp * Mp)
        multiplier = (mt + c * (nt - 1.0)) / (am + c * c * an)
        n, m = nt - an * c * multiplier, mt - am * multiplier
        gn, softened = c / Ny, EA  # gradient by N, and EA weakened by the curvature of the surface
        apex = False
        if n >= n0:
            if m < 0.0:
                n, m, apex = 1.0, 0.0, True
        else:
            multiplier = 0.0
            for _ in range(NEWTON_LIMIT):
                stretch = 1.0 + 2.0 * c1 * an * multiplier
                n = nt / stretch
                value = mt - am * multiplier + c1 * n * n - 1.0
                change = value / (am + 4.0 * c1 * c1 * an * n * n / stretch)
                multiplier += change
                if abs(change) <= NEWTON_TOLERANCE * multiplier:
                    break
            n = nt / (1.0 + 2.0 * c1 * an * multiplier)
            m = 1.0 - c1 * n * n
            gn = 2.0 * c1 * n / Ny
            softened = 1.0 / (1.0 / EA + multiplier * 2.0 * c1 / (Ny * Ny))

        sign_N, sign_M = (1.0 if trial_N >= 0.0 else -1.0), (1.0 if trial_M >= 0.0 else -1.0)
        N, M = sign_N * n * Ny, sign_M * m * Mp
        force = (b * EA * x[0] + (1.0 - b) * N, b * EI * x[1] + (1.0 - b) * M)
        plastic = ((1.0 - b) * (x[0] - N / EA), (1.0 - b) * (x[1] - M / EI))
        if apex:
            return force, (b * EA, 0.0, b * EI), plastic
        gm = 1.0 / Mp
        norm = softened * gn * gn + EI * gm * gm
        tangent = (b * EA + (1.0 - b) * softened * EI * gm * gm / norm,
                   -(1.0 - b) * sign_N * sign_M * softened * gn * EI * gm / norm,
                   b * EI + (1.0 - b) * EI * softened * gn * gn / norm)
        return force, tangent, plastic

    @classmethod
    def h_shape(cls, depth: float, width: float, web: float, flange: float, *, E: float, fy: float,
                b: float = 0.0) -> NMSection:
        """Section of a doubly symmetric H bent about its strong axis, of one steel."""
        area, inertia, modulus, ratio = h_shape_properties(depth, width, web, flange)
        check_sizes("NMSection.h_shape", E=E, fy=fy)
        return cls(EA=E * area, EI=E * inertia, yield_force=fy * area, plastic_moment=fy * modulus,
                   flange_web_ratio=ratio, b=b)
