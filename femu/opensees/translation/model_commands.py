"""A model as commands of OpenSees, without an analysis."""

from __future__ import annotations

from femu.model.element import Name
from femu.model.model import Model
from femu.opensees.translation.command_list import Command
from femu.opensees.translation.script import ELEMENT_ENERGY
from femu.opensees.translation.translate import Scales, Translator


class _ModelWriter(Translator):
    def all(self) -> tuple[list[Command], dict[str, list[Command]]]:
        self._model()
        commands, self.book.commands = self.book.commands, []
        patterns = {}
        for name in self.model.patterns:
            series = self.book.tag("series")
            self.book.write("timeSeries", "Linear", series)
            self._pattern(name, series)
            patterns[name], self.book.commands = self.book.commands, []
        return commands, patterns


def model_commands(model: Model) -> tuple[list[Command], dict[str, list[Command]], dict[Name, int]]:
    """The commands that make a model, those of each load pattern with a linear series, and the
    tags of the nodes by name.

    The iterations of its members end at OpenSees' own tolerance.
    """
    writer = _ModelWriter(model, model.compile(), Scales([], ELEMENT_ENERGY))
    commands, patterns = writer.all()
    return commands, patterns, writer.nodes
