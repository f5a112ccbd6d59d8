"""Fibre section of a member in space.

Biaxial bending by fibres, and torsion by a law of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from femu.kernels import Kernel, inlined, kernel, shift
from femu.kernels.simd import minus, pick, plus, spread, take, times
from femu.model.component import SpaceSection
from femu.model.constitutive import BLOCK, call_block

if TYPE_CHECKING:
    from femu.materials.sections.fibre_section import FibreSection

GROUP_INTEGERS, TORSION_INTEGERS = 6, 4
FORCES, STIFFNESSES = 4, 10
# places in the upper triangle of the stiffness
NN, NZ, NY, ZZ, ZY, YY, TT = 0, 1, 2, 4, 5, 7, 9


@inlined
def _sum(lanes):
    return pick(lanes, 0) + pick(lanes, 1) + (pick(lanes, 2) + pick(lanes, 3))


@inlined
def _add_sums(n, j, fibres, stress, modulus, area, y, z, force, k):
    """Add the forces and stiffnesses of one point's fibres to those of point j, four fibres at a
    time.

    Many locals: four fibres at a time, whose sums stay in registers.
    """
    zero, one = spread(0.0), spread(1.0)
    N, Mz, My = zero, zero, zero
    nn, nz, ny, zz, zy, yy = zero, zero, zero, zero, zero, zero
    whole = fibres - fibres % 4
    for f in range(0, whole, 4):
        a, up, aside = take(area, f), take(y, f), take(z, f)
        bears, stiff = times(take(stress, f), a), times(take(modulus, f), a)
        by_y, by_z = times(stiff, up), times(stiff, aside)
        N, Mz, My = plus(N, bears, one), minus(Mz, bears, up), plus(My, bears, aside)
        nn, nz, ny = plus(nn, stiff, one), minus(nz, by_y, one), plus(ny, by_z, one)
        zz, zy, yy = plus(zz, by_y, up), minus(zy, by_y, aside), plus(yy, by_z, aside)
    sums = (_sum(N), _sum(Mz), _sum(My), _sum(nn), _sum(nz), _sum(ny), _sum(zz), _sum(zy), _sum(yy))
    force_n, force_z, force_y, k_nn, k_nz, k_ny, k_zz, k_zy, k_yy = sums
    for f in range(whole, fibres):
        bears, stiff = stress[f] * area[f], modulus[f] * area[f]
        force_n += bears
        force_z -= bears * y[f]
        force_y += bears * z[f]
        k_nn += stiff
        k_nz -= stiff * y[f]
        k_ny += stiff * z[f]
        k_zz += stiff * y[f] * y[f]
        k_zy -= stiff * y[f] * z[f]
        k_yy += stiff * z[f] * z[f]
    force[j] += force_n
    force[n + j] += force_z
    force[2 * n + j] += force_y
    k[NN * n + j] += k_nn
    k[NZ * n + j] += k_nz
    k[NY * n + j] += k_ny
    k[ZZ * n + j] += k_zz
    k[ZY * n + j] += k_zy
    k[YY * n + j] += k_yy


@kernel(BLOCK)
def _fibres_in_space(n, i, p, c, t, w, x, r, s, y, k, d):
    """Many locals: sizes, places and views of the vectors."""
    # i: number of groups, then for each group: address, integers, shape (y, area, z), parameters,
    # history, fibres; then torsion: address, integers, parameters, history
    for j in range(FORCES * n):
        y[j] = 0.0
    for j in range(STIFFNESSES * n):
        k[j] = 0.0
    failed = 0
    for g in range(i[0]):
        own = shift(i, 1 + GROUP_INTEGERS * g)
        fibres = own[5]
        height, area, aside = shift(p, own[2]), shift(p,
                                                      own[2] + fibres), shift(p,
                                                                              own[2] + 2 * fibres)
        points = n * fibres
        strain, stress, modulus, rest = w, shift(w, points), shift(w, 2 * points), shift(w,
                                                                                         3 * points)
        for j in range(n):
            axial, about_z, about_y = x[j], x[n + j], x[2 * n + j]
            line = shift(strain, j * fibres)
            for f in range(fibres):
                line[f] = axial - height[f] * about_z + aside[f] * about_y
        failed += call_block(own[0], (
            points, shift(i, own[1]), shift(p, own[3]), shift(c, own[4] * n), shift(t, own[4] * n),
            rest,
            strain, r, s, stress, modulus, d))
        for j in range(n):
            _add_sums(n, j, fibres, shift(stress, j * fibres), shift(modulus, j * fibres), area,
                      height, aside, y, k)
    own = shift(i, 1 + GROUP_INTEGERS * i[0])
    return failed + call_block(own[0], (
        n, shift(i, own[1]), shift(p, own[2]), shift(c, own[3] * n), shift(t, own[3] * n), w,
        shift(x, 3 * n), r, s,
        shift(y, 3 * n), shift(k, TT * n), d))


class FibresInSpace(SpaceSection):
    """A `FibreSection` of a member in space.

    The strain of a fibre is axial strain - y curvature_z + z curvature_y.
    """

    @property
    def section(self) -> FibreSection:
        """The section it was made of."""
        section: Any = self.plane
        return section

    @property
    def torsion(self) -> Any:
        """The law of torsion."""
        return self.section.torsion

    def history_names(self) -> list[str]:
        return self.section.history_names() + [f"torsion.{h}" for h in self.torsion.history_names()]

    @property
    def history_count(self) -> int:
        return self._fibre_variables + int(self.torsion.history_count)

    def locate(self, variable: int, point: int, points: int) -> int:
        before = self._fibre_variables
        if variable < before:
            return self.section.locate(variable, point, points)
        return before * points + int(self.torsion.locate(variable - before, point, points))

    @cached_property
    def _fibre_variables(self) -> int:
        return self.section.history_count

    def integers(self) -> list[int]:
        table = [len(self.section.groups)]
        tail: list[int] = []
        shape, history, parameters = 0, 0, len(self.section.own_parameters())
        start = 1 + GROUP_INTEGERS * len(self.section.groups) + TORSION_INTEGERS
        for group in self.section.groups:
            fibres = len(group.y)
            table += [group.material.kernel().address, start + len(tail), shape, parameters,
                      history, fibres]
            tail += group.material.integers()
            shape += 3 * fibres
            parameters += group.material.parameter_count
            history += fibres * len(group.material.history_names())
        table += [self.torsion.kernel().address, start + len(tail), parameters, history]
        return table + tail + self.torsion.integers()

    def workspace(self, points: int) -> int:
        return max(self.section.workspace(points), int(self.torsion.workspace(points)))

    def kernel(self) -> Kernel:
        return _fibres_in_space
