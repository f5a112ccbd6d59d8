"""Base of the beam-columns with sections along them."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import NamedTuple

from femu.component import Constitutive, Section
from femu.elements.frame_element import BASIC_STATE, FrameElement
from femu.elements.quadrature import RULES, Hinges, Integration, Stations, spread
from femu.elements.sections import RUN, RUN_SIZE, gather_floats, initial_stiffness
from femu.elements.space_member import SPACE_STATE
from femu.errors import InputError


class Sections(NamedTuple):
    """The sections of one member, laid out."""

    integers: list[int]  # for `determine_sections`
    histories: list[str]  # names of their history variables
    workspace: int  # floats of workspace
    stiffness: tuple[float, ...]  # diagonal of that of the virgin section: EA and EI in the plane


class SectionedElement(FrameElement):
    """A beam-column with sections along it: one ``section`` at ``points`` of a rule, plastic `Hinges`, or `Stations`.

    ``integration`` is "lobatto", "legendre" or "radau", or Hinges(...) or Stations(...), which bring their own sections.
    """

    _: KW_ONLY
    section: Section | None = None
    points: int = 5
    integration: str | Hinges | Stations = "lobatto"

    def validate_member(self) -> None:
        if isinstance(self.integration, (Hinges, Stations)):
            if self.section is not None:
                raise InputError(self.label(), "section", self.section, "must not be given together with Hinges or Stations",
                                 "they bring their own sections")
            return
        if not isinstance(self.section, Section):
            raise InputError(self.label(), "section", self.section, "must be a Section", "see femu.materials")
        if not isinstance(self.integration, str):
            raise InputError(self.label(), "integration", self.integration,
                             f"must be one of {tuple(RULES)}, or Hinges(...) or Stations(...)")
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

    def lay_out_sections(self, integration: Integration, before: list[str], in_space: bool = False) -> Sections:
        """Lay out the sections; ``before`` are the state variables between the basic ones and the histories."""
        runs = [(label, section.in_space() if in_space else section, count) for label, section, count in integration.runs]
        integers: list[int] = [len(runs)]
        tail: list[int] = []
        parameters, history = len(self.declared), len(SPACE_STATE if in_space else BASIC_STATE) + len(before)
        names: list[str] = []
        workspace, first = 0, 0
        for label, section, count in runs:
            integers += [section.kernel().address, RUN + RUN_SIZE * len(runs) + len(tail), parameters, history, count]
            tail += section.integers()
            parameters += section.parameter_count
            variables = section.history_names()
            own = [""] * (len(variables) * count)
            for variable, places in zip(variables, section.places(count), strict=True):
                for point, place in enumerate(places):
                    own[place] = f"{label}[{first + point}].{variable}"
            names += own
            history += len(own)
            first += count
            workspace = max(workspace, section.workspace(count) + (
                gather_floats(section.components) * count if len(runs) > 1 else 0))
        return Sections(integers + tail, names, workspace, initial_stiffness(runs[-1][1]))
