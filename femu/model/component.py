"""Components: what a model is made of, described by plain objects with declared parameters.

`Component` turns a class body of declarations into a constructor that checks its arguments.
`Constitutive` is the common base of uniaxial materials and sections: something with parameters, a
history and a compiled block (see `femu.model.constitutive`). A component may have parts (the
materials of a fibre section); its parameters are its own in order of declaration, then those of its
parts.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Hashable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from femu.kernels import Kernel
from femu.model.constitutive import Law
from femu.model.doubts import raise_or_warn
from femu.model.law_check import LawKernel, check_law
from femu.model.moment_curvature import MomentCurvature, moment_curvature
from femu.model.parameters import Parameter, nonnegative, number, positive
from femu.support.arguments import broken_rule, kinds_of, typed
from femu.support.errors import InputError
from femu.support.keywords import explained

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import dataclass_transform

    from femu.model.moment_curvature import MomentCurvature
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


@dataclass_transform(field_specifiers=(positive, nonnegative, number, dataclasses.field))
class Component:
    """Base of everything with declared parameters. Subclasses become dataclasses automatically."""

    declared: ClassVar[dict[str, Parameter]] = {}
    _kinds: ClassVar[dict[str, list[str]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclasses.dataclass(eq=False)(cls)
        if "__init__" in vars(cls):
            cls.__init__ = explained(cls.__init__, "")  # type: ignore[method-assign]
        cls.declared = {
            f.name: f.metadata["parameter"]
            for f in dataclasses.fields(cls)  # type: ignore[arg-type]
            if "parameter" in f.metadata
        }
        for name, found in list(vars(cls).items()):
            # other ways to make one
            if isinstance(found, classmethod) and not name.startswith("_"):
                setattr(cls, name, classmethod(typed(found.__func__)))
        cls._kinds = {
            f.name: kinds_of(f.type)
            for f in dataclasses.fields(cls)  # type: ignore[arg-type]
            if f.init and f.name not in cls.declared and isinstance(f.type, str)
        }

    def __post_init__(self) -> None:
        names = getattr(sys.modules.get(type(self).__module__), "__dict__", {})
        for name, kinds in self._kinds.items():
            broken = broken_rule(kinds, getattr(self, name), names)
            if broken:
                raise InputError(self.label(), name, getattr(self, name), broken)
        self.prepare()
        for name, declaration in self.declared.items():
            try:
                setattr(self, name, declaration.check(self.label(), name, getattr(self, name)))
            except InputError as problem:
                raise_or_warn(self, problem)
                setattr(self, name, float(getattr(self, name)))
        try:
            self.validate()
        except InputError as problem:
            raise_or_warn(self, problem)

    def label(self) -> str:
        """How messages name this object."""
        name = getattr(self, "name", None)
        return (
            f"{type(self).__name__}({' '.join(repr(name).split())})"
            if name is not None
            else type(self).__name__
        )

    def prepare(self) -> None:
        """Fill in omitted arguments whose default depends on others."""

    def validate(self) -> None:
        """Rules that involve more than one argument; raises `InputError`."""

    def parts(self) -> list[tuple[str, Constitutive]]:
        """Named constitutive parts, in the order of their parameters."""
        return []

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        """Name, declaration and value of the numbers this component declares itself."""
        return [(name, d, getattr(self, name)) for name, d in self.declared.items()]

    def walk_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter, float]]:
        """All numbers, own first, then those of the parts, as (dotted name, declaration, value)."""
        for name, declaration, value in self.own_parameters():
            yield prefix + name, declaration, value
        for name, part in self.parts():
            yield from part.walk_parameters(f"{prefix}{name}.")

    def own_values(self) -> list[float]:
        """The values of `own_parameters`."""
        return [value for _, _, value in self.own_parameters()]

    def values(self) -> list[float]:
        """The values of `walk_parameters`, without the names."""
        if type(self).walk_parameters is not Component.walk_parameters:
            return [value for _, _, value in self.walk_parameters()]
        values = self.own_values()
        for _, part in self.parts():
            values += part.values()
        return values


class Itself:
    """An object as a key of a mapping: equal to itself alone, however it compares."""

    def __init__(self, of: Any) -> None:
        self.of = of  # kept, so that no other object gets its address

    def __hash__(self) -> int:
        return id(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.of is self.of


class Constitutive(Component):
    """A uniaxial material or a section: parameters, a history, and a compiled block of points."""

    components: ClassVar[int] = 1
    history: ClassVar[tuple[str, ...]] = ()
    law: ClassVar[Law]

    def alike(self) -> Hashable:
        """A key that two components share if nothing but the values of their parameters differs.

        They have the same names, integers, kernel and history, so that these are laid out once.
        """
        cls: Any = type(self)
        return ("law", cls) if _plain_law(cls) else Itself(self)

    @cached_property
    def parameter_count(self) -> int:
        """Numbers taken from the parameter vector, parts included."""
        return sum(1 for _ in self.walk_parameters())

    def history_names(self) -> list[str]:
        """Names of the history variables of one point, parts included, in order of storage."""
        return list(self.history) + [
            f"{name}.{h}" for name, part in self.parts() for h in part.history_names()
        ]

    @property
    def history_count(self) -> int:
        """Number of history variables of one point, parts included."""
        return len(self.history_names())

    def locate(self, variable: int, point: int, points: int) -> int:
        """Place of a history variable of one point in the history of a block of points."""
        return variable * points + point

    def places(self, points: int) -> list[list[int]]:
        """The same for all variables (rows) and points (columns).

        Worked out once, as members share sections.
        """
        known = self.__dict__.setdefault("_places", {})
        if points not in known:
            known[points] = self.all_places(points)
        return known[points]

    def all_places(self, points: int) -> list[list[int]]:
        """What `places` keeps."""
        variables = range(len(self.history_names()))
        if type(self).locate is Constitutive.locate:
            return [list(range(v * points, (v + 1) * points)) for v in variables]
        return [[self.locate(v, p, points) for p in range(points)] for v in variables]

    def integers(self) -> list[int]:
        """Integers its kernel reads: nothing for a plain law."""
        return []

    def workspace(self, points: int) -> int:
        """Floats of workspace its kernel needs for a block of that many points."""
        return 0

    @property
    def rate_dependent(self) -> bool:
        """Whether the response depends on the rate of deformation."""
        return any(part.rate_dependent for _, part in self.parts()) or (
            getattr(self, "law", None) is not None and self.law.rate
        )

    @property
    def breaks_after_step(self) -> bool:
        """Whether it may break at the end of a step, so that a second evaluation at the same strain
        finds it broken."""
        return any(part.breaks_after_step for _, part in self.parts())

    def kernel(self) -> Kernel:
        """The compiled block."""
        return _block(self)


@cache
def _plain_law(cls: Any) -> bool:
    """Whether the class alone determines how its instances are laid out."""
    return hasattr(cls, "law") and all(
        getattr(cls, name) is getattr(Constitutive, name)
        for name in (
            "kernel",
            "parts",
            "own_parameters",
            "walk_parameters",
            "history_names",
            "locate",
            "all_places",
            "integers",
            "workspace",
            "rate_dependent",
        )
    )


_BLOCKS: dict[type, Kernel] = {}


def _block(made: Constitutive) -> Kernel:
    cls = type(made)
    if cls not in _BLOCKS:
        check_law(made)
        block = cls.law.block(list(cls.declared), len(cls.history), cls.components)
        _BLOCKS[cls] = LawKernel(block, made)
    return _BLOCKS[cls]


PART_INTEGERS = 4


def part_table(
    parts: Sequence[Constitutive], own_parameters: int, own_history: int, start: int = 0
) -> list[int]:
    """Integers by which a composite's kernel reaches its parts.

    Four for each part: address of its block, and the starts of its integers, parameters and history
    (relative to the composite's own, the history counted in variables of one point). The parts' own
    integers follow. ``start`` is the number of integers before the table.
    """
    table: list[int] = []
    tail: list[int] = []
    p, h = own_parameters, own_history
    for part in parts:
        table += [part.kernel().address, start + PART_INTEGERS * len(parts) + len(tail), p, h]
        tail += part.integers()
        p += part.parameter_count
        h += len(part.history_names())
    return table + tail


class Material(Constitutive):
    """A uniaxial law: stress from strain (or force from displacement, in a link)."""


SPACE_COMPONENTS = 4
"""N, Mz, My and T, from axial strain, the curvatures about z and y, and twist."""


class Section(Constitutive):
    """A plane section: axial force N and moment M from axial strain and curvature.

    Signs: tension positive; a positive moment shortens the fibres at positive y. Deformations
    (axial strain, curvature) and forces (N, M) are work conjugate.
    """

    components: ClassVar[int] = 2

    def in_space(self) -> Section:
        """The same as the section of a member in space, with the components N, Mz, My, T; raises
        if it cannot be one.

        It has this section's parameters in the same order, and its own kernel, history and
        workspace.
        """
        raise InputError(
            self.label(),
            "section",
            type(self).__name__,
            "is a section of plane members",
            fix="use ElasticSection, FibreSection or UncoupledSection for members in space",
        )

    def shear_laws(self) -> dict[str, tuple[Constitutive, int]]:
        """Laws of the shear forces along local "y" and "z", if the section deforms in shear:
        shear force from shear strain.

        Each comes with the offset of its parameters among those of the section. Shear does
        not interact with the other forces. Members that deform in shear ask for these laws; all
        others see the section without.
        """
        return {}

    def moment_curvature(
        self, curvature: npt.ArrayLike, axial: npt.ArrayLike = 0.0
    ) -> MomentCurvature:
        """Moment along a path of curvatures under a given axial force.

        See `femu.model.moment_curvature`.
        """
        return moment_curvature(self, curvature, axial)


def require(what: str, argument: str, value: Any, kind: type, *, fix: str) -> None:
    """Raise if an argument is not of the class it must be."""
    if not isinstance(value, kind):
        raise InputError(what, argument, value, f"must be a {kind.__name__}", fix=fix)


class SpaceSection(Section):
    """A section in space, made of one that may be used in the plane too; subclasses add kernel,
    history and workspace.

    The strain at (y, z) is ``axial strain - y * curvature_z + z * curvature_y``.
    """

    plane: Section

    components: ClassVar[int] = SPACE_COMPONENTS

    def label(self) -> str:
        return self.plane.label()

    def walk_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter, float]]:
        return self.plane.walk_parameters(prefix)

    def values(self) -> list[float]:
        return self.plane.values()

    def in_space(self) -> Section:
        return self
