"""Base of the beam-columns with sections along them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import KW_ONLY
from functools import partial
from typing import NamedTuple

from femu.elements.beam_column import BASIC_STATE, FrameElement
from femu.elements.quadrature import RULES, Hinges, Integration, Stations, spread
from femu.elements.sections import NO_SHEAR, RUN, RUN_SIZE, gather_floats, initial_stiffness
from femu.elements.space_member import SPACE_STATE
from femu.model.component import Constitutive, Itself, Section
from femu.model.element import Shared
from femu.support.errors import InputError


class Sections(NamedTuple):
    """The sections of one member, laid out; the same for all members whose sections are alike."""

    integers: list[int]  # for `determine_sections`
    state: list[str]  # names of the whole state of the basic system
    workspace: int  # floats of workspace


class SectionedElement(FrameElement):
    """A beam-column with sections along it: one ``section`` at ``points`` of a rule, plastic
    `Hinges`, or `Stations`.

    ``integration`` is "lobatto", "legendre" or "radau", or Hinges(...) or Stations(...), which
    bring their own sections.
    """

    _: KW_ONLY
    section: Section | None = None
    points: int = 5
    integration: str | Hinges | Stations = "lobatto"

    def validate_member(self) -> None:
        if isinstance(self.integration, (Hinges, Stations)):
            if self.section is not None:
                raise InputError(
                    self.label(),
                    "section",
                    self.section,
                    "must not be given together with Hinges or Stations",
                    fix="omit section: Hinges and Stations have their own sections",
                )
            return
        if self.integration not in RULES:
            raise InputError(
                self.label(),
                "integration",
                self.integration,
                f"must be one of {tuple(RULES)}, or Hinges(...) or Stations(...)",
            )
        if not isinstance(self.section, Section):
            raise InputError(
                self.label(),
                "section",
                self.section,
                "must be a Section",
                fix="use one of femu.materials",
            )
        self.along(1.0)

    def along(self, length: float) -> Integration:
        """The sections along the member."""
        if not isinstance(self.integration, str):
            return self.integration.along(length, self.label())
        assert self.section is not None
        return spread(self.section, self.points, self.integration, self.label())

    @property
    def section_count(self) -> int:
        """Number of sections along the member."""
        return self.points if isinstance(self.integration, str) else self.integration.count

    def parts(self) -> list[tuple[str, Constitutive]]:
        if not isinstance(self.integration, str):
            return list(self.integration.parts())
        assert self.section is not None
        return [("section", self.section)]

    @property
    def in_shear(self) -> bool:
        """Whether a section along the member deforms in shear."""
        return any(isinstance(part, Section) and part.shear_laws() for _, part in self.parts())

    def lay_out_sections(
        self,
        integration: Integration,
        variables: Sequence[str],
        shared: Shared,
        in_space: bool = False,
        shear: str = "",
    ) -> Sections:
        """Lay out the sections; ``variables`` of each point are in the state between the basic ones
        and the histories.

        ``shear`` names the axes along which shear laws are laid out too: their tables follow that
        of the sections, and where they begin is in front of it.
        """
        runs: Hashable = tuple([(n, part.alike(), count) for n, part, count in integration.runs])
        key = (Sections, len(self.declared), tuple(variables), in_space, shear, runs)
        if key not in shared:
            basic = SPACE_STATE if in_space else BASIC_STATE
            points = range(len(integration.places))
            head = basic + [f"section[{p}].{v}" for v in variables for p in points]
            shared[key] = self._lay_out(integration, head, in_space, shear)
        found: Sections = shared[key]
        return found

    def _lay_out(
        self, integration: Integration, head: list[str], in_space: bool, shear: str
    ) -> Sections:
        runs = [
            (label, section.in_space() if in_space else section, count)
            for label, section, count in integration.runs
        ]
        integers: list[int] = [len(runs)]
        tail: list[int] = []
        parameters, history = len(self.declared), len(head)
        names: list[str] = []
        workspace, first = 0, 0
        begins: list[int] = []
        for (label, section, count), (_, original, _) in zip(runs, integration.runs, strict=True):
            integers += [
                section.kernel().address,
                RUN + RUN_SIZE * len(runs) + len(tail),
                parameters,
                history,
                count,
            ]
            tail += section.integers()
            begins.append(parameters)
            parameters += original.parameter_count
            own = _history(section, count, lambda point, h: f"{label}[{point}].{h}", first)  # noqa: B023
            names += own
            history += len(own)
            first += count
            workspace = max(
                workspace,
                section.workspace(count)
                + (gather_floats(section.components) * count if len(runs) > 1 else 0),
            )
        tables = [integers + tail]
        for axis in shear:
            table, own, more = self._lay_out_shear(axis, integration, begins, history)
            tables.append(table)
            names += own
            history += len(own)
            workspace = max(workspace, more)
        at = [len(shear) + sum(len(table) for table in tables[:k]) for k in range(1, len(tables))]
        return Sections([*at, *(v for table in tables for v in table)], head + names, workspace)

    @staticmethod
    def _lay_out_shear(
        axis: str, integration: Integration, parameters: list[int], history: int
    ) -> tuple[list[int], list[str], int]:
        """Table of the shear laws along an axis, their history, and workspace."""
        laws = [
            (label, *section.shear_laws().get(axis, (NO_SHEAR, 0)), count)
            for label, section, count in integration.runs
        ]
        integers, tail, names, workspace, first = [len(laws)], list[int](), list[str](), 0, 0
        for (label, law, start, count), begin in zip(laws, parameters, strict=True):
            integers += [
                law.kernel().address,
                RUN + RUN_SIZE * len(laws) + len(tail),
                begin + start,
                history + len(names),
                count,
            ]
            tail += law.integers()
            names += _history(law, count, partial(_shear_name, label, axis), first)
            workspace = max(
                workspace, law.workspace(count) + (gather_floats(1) * count if len(laws) > 1 else 0)
            )
            first += count
        return integers + tail, names, workspace


def last_stiffness(
    integration: Integration, shared: Shared, in_space: bool = False
) -> tuple[float, ...]:
    """Diagonal of the stiffness of the last section, virgin: EA and EI in the plane."""
    section = integration.runs[-1][1]
    key = (initial_stiffness, Itself(section), in_space)
    if key not in shared:
        shared[key] = initial_stiffness(section.in_space() if in_space else section)
    found: tuple[float, ...] = shared[key]
    return found


def shear_stiffness(
    integration: Integration, axis: str, shared: Shared
) -> tuple[float, tuple[bool, ...]]:
    """Largest stiffness GA of the virgin sections in shear along an axis, and which points deform
    in shear."""
    key = (shear_stiffness, axis, tuple([(Itself(s), count) for _, s, count in integration.runs]))
    if key not in shared:
        laws = [(section.shear_laws().get(axis), count) for _, section, count in integration.runs]
        stiffness = max((initial_stiffness(law[0])[0] for law, _ in laws if law), default=1.0)
        shared[key] = stiffness, tuple(law is not None for law, count in laws for _ in range(count))
    found: tuple[float, tuple[bool, ...]] = shared[key]
    return found


def _shear_name(label: str, axis: str, point: int, variable: str) -> str:
    return f"{label}[{point}].shear_{axis}.{variable}"


def _history(
    part: Constitutive, count: int, name: Callable[[int, str], str], first: int
) -> list[str]:
    """Names of the history of a run of points, in order of storage."""
    variables = part.history_names()
    own = [""] * (len(variables) * count)
    for variable, places in zip(variables, part.places(count), strict=True):
        for point, place in enumerate(places):
            own[place] = name(first + point, variable)
    return own
