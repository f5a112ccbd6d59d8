"""Linear elastic section."""

from __future__ import annotations

from collections.abc import Iterator

from femu.kernels import Kernel, kernel
from femu.model.component import Constitutive, Section, SpaceSection
from femu.model.constitutive import BLOCK, law
from femu.model.parameters import Parameter, check_sizes, positive
from femu.support.errors import InputError

_IN_SPACE = {"Iy": Parameter("second moment of area about local y", "length^4", 0.0, open=True),
             "G": Parameter("shear modulus", "stress", 0.0, open=True),
             "J": Parameter("torsion constant", "length^4", 0.0, open=True)}
_IN_SHEAR = {"alpha_y": Parameter("share of the area that bears shear along local y", "", 0.0,
                                  open=True),
             "alpha_z": Parameter("share of the area that bears shear along local z", "", 0.0,
                                  open=True)}
_OPTIONAL = {**_IN_SPACE, **_IN_SHEAR}


class ElasticSection(Section):
    """Linear elastic section: ``N = E A strain``, ``M = E I curvature``.

    In space I is the second moment about local z, and ``Iy``, ``G`` and ``J`` are needed too:
    ``My = E Iy curvature_y``, ``T = G J twist``.

    With ``alpha_y`` (and ``alpha_z`` in space) the section deforms in shear too: ``Vy = alpha_y G A
    shear strain``. Then an `ElasticBeamColumn` is a Timoshenko beam, and a `ForceBeamColumn` counts
    the shear of its sections. In the plane G and alpha_y are enough; a rectangle has alpha = 5/6.
    """

    E: float = positive("Young's modulus", "stress")
    A: float = positive("area", "length^2")
    I: float = positive("second moment of area", "length^4")
    Iy: float | None = None
    G: float | None = None
    J: float | None = None
    alpha_y: float | None = None
    alpha_z: float | None = None

    def validate(self) -> None:
        for name, declaration in _OPTIONAL.items():
            if getattr(self, name) is not None:
                setattr(self, name, declaration.check(self.label(), name, getattr(self, name)))
        in_shear = self.alpha_y is not None or self.alpha_z is not None
        if in_shear and self.G is None:
            raise InputError(self.label(), "G", None, "must be given with alpha_y and alpha_z")
        if self.alpha_z is not None and self.Iy is None:
            raise InputError(self.label(), "alpha_z", self.alpha_z, "must be left out in the plane",
                             fix="omit it, or give Iy, G and J")
        # in the plane shear alone needs G
        missing = [name for name in _IN_SPACE if getattr(self, name) is None]
        if missing and missing != list(_IN_SPACE) and not (in_shear and missing == ["Iy", "J"]):
            raise InputError(self.label(), missing[0], None, "must be given with the others",
                             fix="give Iy, G and J, or none of them")

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        extra = [(name, d, getattr(self, name)) for name, d in _OPTIONAL.items()]
        return super().own_parameters() + [item for item in extra if item[2] is not None]

    def shear_laws(self) -> dict[str, tuple[Constitutive, int]]:
        return {axis: (ElasticShear(self, axis), 0) for axis in "yz"
                if getattr(self, f"alpha_{axis}") is not None}

    def place(self, name: str) -> int:
        """Where a parameter is among the section's own."""
        return [own for own, _, _ in self.own_parameters()].index(name)

    def in_space(self) -> Section:
        if self.Iy is None:
            raise InputError(self.label(), "Iy", None, "must be given for a member in space",
                             fix="give Iy, G and J")
        return ElasticInSpace(self)

    @law
    def law(p, h, x):
        E, A, I = p
        strain, curvature = x
        return (E * A * strain, E * I * curvature), (E * A, 0.0, E * I), h

    @classmethod
    def rectangle(cls, width: float, depth: float, E: float,
                  G: float | None = None) -> ElasticSection:
        """Solid rectangle bent about the axis parallel to its width.

        With G for members in space too (J after Roark).
        """
        check_sizes("ElasticSection.rectangle", width=width, depth=depth)
        long, short = max(width, depth), min(width, depth)
        ratio = short / long
        J = long * short**3 * (1.0 / 3.0 - 0.21 * ratio * (1.0 - ratio**4 / 12.0))
        space = {} if G is None else {"Iy": depth * width**3 / 12.0, "G": G, "J": J}
        return cls(E=E, A=width * depth, I=width * depth**3 / 12.0, **space)

    @classmethod
    def h_shape(cls, depth: float, width: float, web: float, flange: float, E: float,
                G: float | None = None) -> ElasticSection:
        """Doubly symmetric H bent about its strong axis.

        With G for members in space too (J of the three thin plates).
        """
        A, I, _, _ = h_shape_properties(depth, width, web, flange)
        clear = depth - 2.0 * flange
        space = {} if G is None else {"Iy": (2.0 * flange * width**3 + clear * web**3) / 12.0,
                                      "G": G,
                                      "J": (2.0 * width * flange**3 + clear * web**3) / 3.0}
        return cls(E=E, A=A, I=I, **space)


@kernel(BLOCK)
def _elastic(n, i, p, c, t, w, x, r, s, y, k, d):
    stiffness = (p[0] * p[1], p[0] * p[2], p[0] * p[3], p[4] * p[5])
    entry = 0
    for a in range(4):
        for b in range(a, 4):
            for j in range(n):
                k[entry * n + j] = stiffness[a] if a == b else 0.0
            entry += 1
        for j in range(n):
            y[a * n + j] = stiffness[a] * x[a * n + j]
    return 0


class ElasticInSpace(SpaceSection):
    """An `ElasticSection` of a member in space."""

    def kernel(self) -> Kernel:
        return _elastic


@kernel(BLOCK)
def _shear(n, i, p, c, t, w, x, r, s, y, k, d):
    # i: places of A, G and alpha among the section's parameters
    stiffness = p[i[0]] * p[i[1]] * p[i[2]]
    for j in range(n):
        y[j], k[j] = stiffness * x[j], stiffness
    return 0


class ElasticShear(Constitutive):
    """Shear along one local axis of an `ElasticSection`, by the section's own parameters.

    V = alpha G A shear strain.
    """

    section: ElasticSection
    axis: str

    def walk_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter, float]]:
        return self.section.walk_parameters(prefix)

    def integers(self) -> list[int]:
        return [self.section.place(name) for name in ("A", "G", f"alpha_{self.axis}")]

    def kernel(self) -> Kernel:
        return _shear


def h_shape_properties(depth: float, width: float, web: float,
                       flange: float) -> tuple[float, float, float, float]:
    """Area, second moment, plastic modulus and ratio of one flange to the web, of a doubly
    symmetric H."""
    check_sizes("h_shape", depth=depth, width=width, web=web, flange=flange)
    if not 2.0 * flange < depth or not web < width:
        raise InputError("h_shape", "flange, web", (flange, web), "must leave room: 2*flange < "
                                                                  "depth, web < width")
    clear = depth - 2.0 * flange
    area = 2.0 * width * flange + clear * web
    inertia = (width * depth**3 - (width - web) * clear**3) / 12.0
    modulus = width * flange * (depth - flange) + web * clear**2 / 4.0
    return area, inertia, modulus, width * flange / (clear * web)
