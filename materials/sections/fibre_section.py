"""Fibre section: a cross-section of uniaxial fibres under plane sections."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.kernels import Kernel, inlined, kernel, shift
from femu.kernels.simd import minus, pick, plus, spread, take, times, transposed
from femu.materials.elastic import Elastic
from femu.materials.sections.fibre_section_space import FibresInSpace
from femu.materials.sections.patches import rectangle_patch
from femu.model.component import Constitutive, Material, Section, require
from femu.model.constitutive import BLOCK, call_block
from femu.model.parameters import LARGEST_SIZE, Parameter, check_sizes, finite
from femu.support.arguments import typed_class
from femu.support.errors import InputError

_GROUP_INTEGERS = 6
_HEIGHT, _AREA = Parameter("height of a fibre", "length"), Parameter("area of a fibre", "length^2",
                                                                     0.0)
_ASIDE = Parameter("place of a fibre along local z", "length")
_TORSION = Parameter("torsional stiffness", "force*length^2", 0.0, open=True)


@inlined
def _add_sums(n, j, fibres, stress, modulus, area, height, y, k):
    """Add the forces and stiffnesses of one point's fibres to those of point j, four fibres at a
    time.

    Many locals: four fibres at a time, whose sums stay in registers.
    """
    zero, one = spread(0.0), spread(1.0)
    forces, moments, axials, bendings, coupled = zero, zero, zero, zero, zero
    whole = fibres - fibres % 4
    for f in range(0, whole, 4):
        a, h = take(area, f), take(height, f)
        force, stiffness = times(take(stress, f), a), times(take(modulus, f), a)
        arm = times(stiffness, h)
        forces, moments = plus(forces, force, one), minus(moments, force, h)
        axials, bendings, coupled = plus(axials, stiffness, one), plus(bendings, arm,
                                                                       h), minus(coupled, arm, one)
    rows = transposed((forces, moments, axials, bendings))
    sums = plus(plus(rows[0], rows[1], one), plus(rows[2], rows[3], one), one)
    both = pick(coupled, 0) + pick(coupled, 1) + (pick(coupled, 2) + pick(coupled, 3))
    total_force, total_moment, axial, bending = pick(sums, 0), pick(sums, 1), pick(sums,
                                                                                   2), pick(sums, 3)
    for f in range(whole, fibres):
        force, stiffness = stress[f] * area[f], modulus[f] * area[f]
        total_force += force
        total_moment -= force * height[f]
        axial += stiffness
        both -= stiffness * height[f]
        bending += stiffness * height[f] * height[f]
    y[j] += total_force
    y[n + j] += total_moment
    k[j] += axial
    k[n + j] += both
    k[2 * n + j] += bending


@kernel(BLOCK)
def _fibres(n, i, p, c, t, w, x, r, s, y, k, d):
    """Many locals: sizes, places and views of the vectors."""
    # i: number of groups, then for each group: address, integers, y and area, parameters, history,
    # fibres
    for j in range(2 * n):
        y[j] = 0.0
    for j in range(3 * n):
        k[j] = 0.0
    failed = 0
    for g in range(i[0]):
        own = shift(i, 1 + _GROUP_INTEGERS * g)
        fibres = own[5]
        height, area = shift(p, own[2]), shift(p, own[2] + fibres)
        points = n * fibres
        strain, stress, modulus, rest = w, shift(w, points), shift(w, 2 * points), shift(w,
                                                                                         3 * points)
        for j in range(n):
            axial, curvature = x[j], x[n + j]
            line = shift(strain, j * fibres)
            for f in range(fibres):
                line[f] = axial - height[f] * curvature
        failed += call_block(own[0], (
            points, shift(i, own[1]), shift(p, own[3]), shift(c, own[4] * n), shift(t, own[4] * n),
            rest,
            strain, r, s, stress, modulus, d))
        for j in range(n):
            _add_sums(n, j, fibres, shift(stress, j * fibres), shift(modulus, j * fibres), area,
                      height, y, k)
    return failed


@typed_class
@dataclass(frozen=True)
class Fibres:
    """Fibres of one material.

    Heights y above the reference axis, areas, and a name for the group; in space also z.
    """

    name: str
    material: Material
    y: npt.NDArray[np.float64] = field(repr=False)
    area: npt.NDArray[np.float64] = field(repr=False)
    z: npt.NDArray[np.float64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("y", "area") if self.z is None else ("y", "area", "z"):
            values = np.asarray(getattr(self, name), dtype=float)
            if values.ndim != 1 or not np.isfinite(values).all():
                raise InputError(f"Fibres({self.name!r})", name, getattr(self, name),
                                 "must be a row of finite numbers")


class FibreSection(Section):
    """Fibre section: the strain of a fibre at height y is ``axial strain - y * curvature``.

    N and M are sums over the fibres. Build one from groups of `Fibres`, or with the shapes below.
    For members in space the fibres need their z too, ``axial strain - y * curvature_z + z *
    curvature_y``, and torsion a law: ``GJ`` for an elastic one, or a material in ``torsion``, which
    gives the torque from the twist.
    """

    groups: Sequence[Fibres]
    GJ: float | None = None
    torsion: Material | None = None

    def prepare(self) -> None:
        if self.GJ is not None:
            if self.torsion is not None:
                raise InputError(self.label(), "GJ", self.GJ, "must not be given together with "
                                                              "torsion")
            self.torsion = Elastic(_TORSION.check(self.label(), "GJ", self.GJ))
            self.GJ = None  # the law has it now

    def validate(self) -> None:
        if (not isinstance(self.groups, (list, tuple)) or not self.groups
                or not all(isinstance(group, Fibres) for group in self.groups)):
            raise InputError(self.label(), "groups", self.groups, "must hold at least one group of "
                                                                  "Fibres")
        names = [group.name for group in self.groups] + ([] if self.torsion is None
                                                         else ["torsion"])
        if len(set(names)) != len(names):
            raise InputError(self.label(), "groups", names, "must have different names")
        if len({group.z is None for group in self.groups}) > 1:
            raise InputError(self.label(), "groups", names, "must all have z, or none of them")
        if self.torsion is not None:
            require(self.label(), "torsion", self.torsion, Material,
                    fix="give torque from twist, for example Elastic(GJ)")
            if self.torsion.rate_dependent:
                raise InputError(self.label(), "torsion", self.torsion, "must not depend on the "
                                                                        "rate of twist")
        for group in self.groups:
            require(self.label(), f"{group.name}.material", group.material, Material,
                    fix="give a uniaxial material")
            if group.material.rate_dependent:
                raise InputError(self.label(), f"{group.name}.material", group.material,
                                 "must not depend on the rate of strain", fix="put it in a link or "
                                                                          "truss")
            if len(group.y) == 0 or len(group.y) != len(group.area):
                raise InputError(self.label(), group.name, (len(group.y), len(group.area)),
                                 "must have as many heights as areas, at least one")
            if group.z is not None and (len(group.z) != len(group.y)
                                        or not np.isfinite(group.z).all()):
                raise InputError(self.label(), f"{group.name}.z", group.z, "must be as many finite "
                                                                           "numbers as y")
            if not (np.isfinite(group.y).all() and np.isfinite(group.area).all()):
                raise InputError(self.label(), group.name, group.area, "must have finite heights "
                                                                       "and areas")
        least = min(float(np.min(group.area)) for group in self.groups)
        if not least > 0.0:
            raise InputError(self.label(), "area", least, "must be above 0",
                             fix="omit what a section does not have")

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        return [item for g in self.groups for item in (
            [(f"{g.name}.y[{f}]", _HEIGHT, float(v)) for f, v in enumerate(g.y)]
            + [(f"{g.name}.area[{f}]", _AREA, float(v)) for f, v in enumerate(g.area)]
            + [(f"{g.name}.z[{f}]", _ASIDE, float(v)) for f,
               v in enumerate(() if g.z is None else g.z)])]

    def own_values(self) -> list[float]:
        columns = [c for g in self.groups for c in (g.y, g.area, () if g.z is None else g.z)]
        values: list[float] = np.concatenate(columns).astype(float).tolist()
        return values

    def alike(self) -> Hashable:
        if type(self) is not FibreSection:
            return super().alike()
        shapes = tuple((g.name, len(g.y), g.z is None, g.material.alike()) for g in self.groups)
        return type(self), shapes, None if self.torsion is None else self.torsion.alike()

    def parts(self) -> list[tuple[str, Constitutive]]:
        laws: list[tuple[str, Constitutive]] = [(group.name, group.material)
                                                for group in self.groups]
        return laws if self.torsion is None else [*laws, ("torsion", self.torsion)]

    def in_space(self) -> Section:
        if any(group.z is None for group in self.groups):
            raise InputError(self.label(), "groups", [g.name for g in self.groups],
                             "must have the z of their fibres in space",
                             fix="use from_points([(y, z, area, material), ...], GJ=...)")
        if self.torsion is None:
            raise InputError(self.label(), "GJ", None, "must be given for a member in space",
                             fix="give GJ, or a material as torsion")
        return self._in_space

    @cached_property
    def _in_space(self) -> FibresInSpace:
        return FibresInSpace(self)  # one for all members that share the section

    def history_names(self) -> list[str]:
        # of one section point; inside a group variable by variable, as the kernel's block stores
        # them
        return [f"{g.name}[{f}].{h}" for g in self.groups for h in g.material.history_names()
                for f in range(len(g.y))]

    @property
    def history_count(self) -> int:
        if type(self) is not FibreSection:
            return super().history_count
        return sum(len(g.y) * g.material.history_count for g in self.groups)

    def locate(self, variable: int, point: int, points: int) -> int:
        before = 0
        for group in self.groups:
            fibres = len(group.y)
            size = fibres * len(group.material.history_names())
            if variable < size:
                inner, fibre = divmod(variable, fibres)
                return before * points + group.material.locate(inner, point * fibres + fibre,
                                                               points * fibres)
            variable -= size
            before += size
        raise IndexError(variable)

    def all_places(self, points: int) -> list[list[int]]:
        found: list[list[int]] = []
        before = 0
        for group in self.groups:
            fibres = len(group.y)
            rows = group.material.places(points * fibres)
            found += [[before * points + row[p * fibres + f] for p in range(points)]
                      for row in rows for f in range(fibres)]
            before += fibres * len(rows)
        return found

    def integers(self) -> list[int]:
        table = [len(self.groups)]
        tail: list[int] = []
        shape, history = 0, 0
        parameters = sum((2 if group.z is None else 3) * len(group.y) for group in self.groups)
        for group in self.groups:
            fibres = len(group.y)
            table += [group.material.kernel().address, 1 + _GROUP_INTEGERS * len(self.groups)
                      + len(tail), shape,
                      parameters, history, fibres]
            tail += group.material.integers()
            shape += (2 if group.z is None else 3) * fibres
            parameters += group.material.parameter_count
            history += fibres * len(group.material.history_names())
        return table + tail

    def workspace(self, points: int) -> int:
        return max(3 * points * len(g.y) + g.material.workspace(points * len(g.y))
                   for g in self.groups)

    def kernel(self) -> Kernel:
        return _fibres

    @classmethod
    def from_points(cls, points: Iterable[Sequence[Any]], *, GJ: float | None = None,
                    torsion: Material | None = None) -> FibreSection:
        """From (y, area, material) of each fibre, in space (y, z, area, material).

        Fibres that share a material object form a group. `femu.materials.sections.patches` makes
        the points of patches and layers.
        """
        found: dict[int, tuple[Material, list[list[float]]]] = {}
        for point in points:
            numbers: list[Any]
            *numbers, material = point if isinstance(point,
                                                     Sequence) and len(point) in (3,
                                                                                  4) else [None] * 3
            if not all(finite(v) for v in numbers) or not isinstance(material, Material):
                raise InputError("FibreSection.from_points", "points", point, "must be (y, area, "
                                                                              "material)",
                                 "In space they are (y, z, area, material)")
            found.setdefault(id(material), (material, []))[1].append([float(v) for v in numbers])
        if not found:
            raise InputError("FibreSection.from_points", "points", points, "must be at least one "
                                                                           "fibre")
        if len({len(numbers) for _, rows in found.values() for numbers in rows}) > 1:
            raise InputError("FibreSection.from_points", "points", "of both kinds",
                             "must all have z, or none of them")
        groups = []
        for number, (material, rows) in enumerate(found.values(), start=1):
            columns = np.array(rows).T
            name = "material" if len(found) == 1 else f"material{number}"
            groups.append(Fibres(name, material, columns[0], columns[-1],
                                 columns[1] if len(columns) == 3 else None))
        return cls(groups, GJ=GJ, torsion=torsion)

    @classmethod
    def rectangle(cls, width: float, depth: float, material: Material,
                  fibres: int | tuple[int, int] = 20,
                  GJ: float | None = None) -> FibreSection:
        """Solid rectangle in equal layers.

        With ``fibres`` = (along the depth, along the width) a grid for members in space.
        """
        if isinstance(fibres, tuple):
            check_sizes("FibreSection.rectangle", width=width, depth=depth)
            cells = rectangle_patch(*fibres, (-depth / 2, -width / 2), (depth / 2, width / 2))
            return cls.from_points([(*cell, material) for cell in cells], GJ=GJ)
        check_sizes("FibreSection.rectangle", width=width, depth=depth, fibres=fibres)
        return cls([Fibres("material", material, *_layers(-depth / 2, depth / 2, width, fibres))],
                   GJ=GJ)

    @classmethod
    def h_shape(cls, depth: float, width: float, web: float, flange: float, material: Material,
                flange_fibres: int | tuple[int, int] = 4, web_fibres: int | tuple[int, int] = 12,
                GJ: float | None = None) -> FibreSection:
        """Doubly symmetric H bent about its strong axis: layers in each flange and in the web.

        For members in space give the fibres as (along the depth, along the width).
        """
        grid = isinstance(flange_fibres, tuple) and isinstance(web_fibres, tuple)
        check_sizes("FibreSection.h_shape", depth=depth, width=width, web=web, flange=flange,
                     **({} if grid else {"flange_fibres": flange_fibres,
                                         "web_fibres": web_fibres}))  # type: ignore[arg-type]
        inner = depth / 2 - flange
        if not 0.0 < inner < depth / 2 or web > width:
            raise InputError("FibreSection.h_shape", "depth, width, web, flange",
                             (depth, width, web, flange),
                             "must leave room: 2*flange < depth, web <= width")
        if isinstance(flange_fibres, tuple) and isinstance(web_fibres, tuple):
            half = width / 2
            cells = [*rectangle_patch(*flange_fibres, (-depth / 2, -half), (-inner, half)),
                     *rectangle_patch(*web_fibres, (-inner, -web / 2), (inner, web / 2)),
                     *rectangle_patch(*flange_fibres, (inner, -half), (depth / 2, half))]
            return cls.from_points([(*cell, material) for cell in cells], GJ=GJ)
        assert isinstance(flange_fibres, int) and isinstance(web_fibres, int)
        pieces = [_layers(-depth / 2, -inner, width, flange_fibres),
                  _layers(-inner, inner, web, web_fibres),
                  _layers(inner, depth / 2, width, flange_fibres)]
        return cls([Fibres("material", material, np.concatenate([y for y, _ in pieces]),
                           np.concatenate([a for _, a in pieces]))], GJ=GJ)

    @classmethod
    def circle(cls, diameter: float, material: Material, fibres: int = 20,
               hole: float = 0.0) -> FibreSection:
        """Solid circle, or a tube with a hole, in layers of equal height with their exact area and
        centroid."""
        check_sizes("FibreSection.circle", diameter=diameter, fibres=fibres)
        if not 0.0 <= hole < diameter:
            raise InputError("FibreSection.circle", "hole", hole, "must lie between 0 and the "
                                                                  f"diameter {diameter:g}")
        edges = np.linspace(-diameter / 2, diameter / 2, fibres + 1)
        area, first = _circle_strips(edges, diameter / 2)
        if hole > 0.0:
            inner_area, inner_first = _circle_strips(np.clip(edges, -hole / 2, hole / 2), hole / 2)
            area, first = area - inner_area, first - inner_first
        return cls([Fibres("material", material, first / area, area)])

    @classmethod
    def reinforced_concrete(cls, width: float, depth: float, cover: float, *, core: Material,
                            steel: Material,
                            unconfined: Material | None = None,
                            bars: Sequence[tuple[float, float]] | None = None,
                            top: float = 0.0, bottom: float = 0.0,
                            fibres: int = 20) -> FibreSection:
        """Rectangular reinforced concrete section.

        Steel areas ``top`` and ``bottom`` lie at the depth of the cover; ``bars`` gives (y, area)
        pairs instead. The concrete outside the stirrups (``cover`` all round) is ``unconfined``;
        without it, all is core. The area of the bars is not taken out of the concrete.
        """
        check_sizes("FibreSection.reinforced_concrete", width=width, depth=depth, cover=cover,
                    fibres=fibres)
        for name, value in (("top", top), ("bottom", bottom)):
            if not finite(value) or not 0.0 <= value < LARGEST_SIZE:
                raise InputError("FibreSection.reinforced_concrete", name, value, "must not be "
                                                                                  "negative, or "
                                                                                  f"{LARGEST_SIZE:g}")
        if not 2.0 * cover < min(width, depth):
            raise InputError("FibreSection.reinforced_concrete", "cover", cover, "must be under "
                                                                                 "half of width "
                                                                                 "and depth")
        if bars is not None and not all(np.shape(bar) == (2,) and all(map(finite, bar))
                                        for bar in bars):
            raise InputError("FibreSection.reinforced_concrete", "bars", bars, "must be pairs (y, "
                                                                               "area) of finite "
                                                                               "numbers")
        layers = list(bars) if bars is not None else [(y, float(a)) for y, a in
                                                      ((depth / 2 - cover, top),
                                                       (cover - depth / 2, bottom)) if a > 0.0]
        if not layers:
            raise InputError("FibreSection.reinforced_concrete", "bars", bars, "must name some "
                                                                               "steel",
                             fix="give top= and bottom= areas, or bars=[(y, area), ...]")
        steel_group = Fibres("steel", steel, np.array([y for y, _ in layers]),
                             np.array([a for _, a in layers]))
        if unconfined is None:
            return cls([Fibres("core", core, *_layers(-depth / 2, depth / 2, width, fibres)),
                        steel_group])
        inner = depth / 2 - cover
        edge = max(1, math.ceil(fibres * cover / depth))
        pieces = [_layers(-depth / 2, -inner, width, edge), _layers(inner, depth / 2, width, edge),
                  _layers(-inner, inner, 2.0 * cover, fibres)]
        return cls([Fibres("core", core, *_layers(-inner, inner, width - 2.0 * cover, fibres)),
                    Fibres("cover", unconfined, np.concatenate([y for y, _ in pieces]),
                           np.concatenate([a for _, a in pieces])), steel_group])


def _layers(low: float, high: float, width: float, count: int) -> tuple[Any, Any]:
    height = (high - low) / count
    return low + height * (np.arange(count) + 0.5), np.full(count, width * height)


def _circle_strips(edges: Any, radius: float) -> tuple[Any, Any]:
    """Area and first moment of the strips of a disc between edges."""
    half = np.sqrt(np.maximum(radius**2 - edges**2, 0.0))
    area = edges * half + radius**2 * np.arcsin(np.clip(edges / radius, -1.0, 1.0))
    return np.diff(area), np.diff(-2.0 / 3.0 * half**3)
