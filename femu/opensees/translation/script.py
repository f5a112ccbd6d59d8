"""A model, and an analysis if wanted, as a plain script for openseespy.

The script has a function that builds the model, one for each load pattern, and one for each
analysis; run as a program it builds the model and prints periods, or the displacements that the
analyses end with. Names of nodes and elements are kept in two dictionaries. If OpenSees has no
exact equivalent, the head of the script says so. ::

    frame.to_opensees("frame.py")
    frame.to_opensees("frame.py", [LoadControl(pattern="gravity"), Transient(dt=0.01)], motion=quake)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from femu.analyses import ArcLength, DisplacementControl, LoadControl, Transient
from femu.analyses.transient import motions_by_direction
from femu.model.model import Model
from femu.opensees.translation.command_list import Untranslatable
from femu.opensees.translation.python_text import (
    Named,
    call,
    docstring,
    key,
    literal,
    numbers,
    variable,
)
from femu.opensees.translation.script_commands import ScriptCommands
from femu.opensees.translation.series import write_series
from femu.opensees.translation.translate import (
    DIRECTIONS,
    Scales,
    Translator,
    algorithm_words,
    force_share,
    integrator_words,
    own_test_and_algorithm,
)
from femu.support.arguments import typed
from femu.support.errors import InputError
from femu.support.version import VERSION
from femu.support.whole_file import write_text

ELEMENT_ENERGY = 1e10  # so that the tolerance of an element's own iteration is OpenSees' own, 1e-12
TOLERANCE = 1e-10  # of a displacement increment, as a share of the model's size
ITERATIONS = 50
PERIODS = 3
GROUPS = (
    ("nodes", ("node",)),
    ("supports", ("fix",)),
    ("masses", ("mass",)),
    ("constraints", ("equalDOF", "rigidDiaphragm", "rigidLink")),
    ("materials", ("uniaxialMaterial",)),
    ("sections", ("section", "fiber")),
    ("geometric transformations", ("geomTransf",)),
    ("integration along the members", ("beamIntegration",)),
    ("elements", ("element",)),
    ("supports that are held until they move", ("timeSeries", "pattern", "sp")),
    (
        "damping",
        (
            "rayleigh",
            "setElementRayleighDampingFactors",
            "wipeAnalysis",
            "constraints",
            "numberer",
            "system",
            "eigen",
            "modalDamping",
        ),
    ),
)
"""Commands in the order of a script people read; each needs only what comes before it."""


class ScriptWriter(Translator):
    """Writes the functions of a script, one after the other."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, model.compile(), Scales([], ELEMENT_ENERGY))
        self.book: ScriptCommands = ScriptCommands(model.dimensions == 3)
        self.nodes = {
            name: Named(tag, f"node[{key(name)}]") for name, tag in _tags(list(model.nodes)).items()
        }
        self.elements = {
            name: Named(tag, f"element[{key(name)}]")
            for name, tag in _tags(list(model.elements)).items()
        }
        points = np.array([node.coordinates for node in model.nodes.values()])
        self.tolerance = float(f"{TOLERANCE * (float(np.ptp(points, axis=0).max()) or 1.0):.1g}")
        self.loaders: dict[str, str] = {}  # functions of the load patterns by name
        for name in model.patterns:
            self.loaders[name] = variable(f"load_{name}", self.loaders.values())
        self.data: list[str] = []  # long lists of numbers, which are at the end of the script

    # --- functions of the script ---

    def build(self) -> list[str]:
        """Function that builds the model."""
        self._model()
        commands, self.book.commands = self.book.commands[1:], []
        lines = [
            "def build():",
            f"    {docstring(f'Model {self.model.name!r}.')}",
            "    ops.wipe()",
            *_indented([self._first()]),
        ]
        for title, names in GROUPS:
            chosen = [c for c in commands if c[0] in names]
            if not chosen:
                continue
            lines += ["", f"    # {title}"]
            kind = {
                "materials": "material",
                "sections": "section",
                "geometric transformations": "transformation",
                "integration along the members": "integration",
            }.get(title)
            if kind is not None:
                tags = self.book.names[kind]
                lines += _indented(
                    [f"{tag!r} = {int(tag)}" for tag in tags]
                    if len(tags) < 3
                    else numbers([repr(tag) for tag in tags], f"range(1, {len(tags) + 1})")
                )
            lines += _indented(
                _fibres(chosen) if title == "sections" else [call(*c) for c in chosen]
            )
        assert all(any(c[0] in names for _, names in GROUPS) for c in commands), (
            "a command without a group"
        )
        return lines

    def _first(self) -> str:
        return call("model", "basic", "-ndm", self.model.dimensions, "-ndf", len(self.directions))

    def pattern(self, name: str) -> list[str]:
        """Function that adds a load pattern."""
        pattern, book = self.model.patterns[name], self.book
        if pattern.series is None:
            series = book.tag("series")
            book.write("timeSeries", "Linear", series)
        else:
            series = write_series(pattern.series, book, np.array([0.0]))
        self._pattern(name, series)
        return self._function(self.loaders[name], f"Load pattern {name!r}.", _merged(self._taken()))

    def solver(self) -> list[str]:
        """Function with what all analyses share."""
        self._solver()
        commands = self._taken()
        return self._function("solver", "What all analyses share.", commands)

    def periods(self) -> list[str]:
        """Function that finds periods."""
        count = min(
            PERIODS,
            sum(
                1
                for d, p in self.program.numbering.place.items()
                if p < self.program.neq and self.program.mass_matrix().diagonal()[p] > 0.0
            ),
        )
        if count == 0:
            return []
        return [
            f"def periods(modes={count}):",
            '    """The longest natural periods."""',
            "    solver()",
            '    return [2.0 * math.pi / math.sqrt(value) for value in ops.eigen("-fullGenLapack", '
            "modes)]",
        ]

    def static(self, analysis: Any, name: str) -> list[str]:
        """Function of a static analysis; the loads stay on."""
        if analysis.pattern not in self.loaders:
            raise InputError(
                "to_opensees",
                "pattern",
                analysis.pattern,
                f"must be one of {', '.join(self.loaders) or 'none'}",
            )
        lines = [
            f"def {name}():",
            f"    {docstring(_described(analysis))}",
            f"    {self.loaders[analysis.pattern]}()",
            "    solver()",
        ]
        lines += _indented(
            [
                call("test", "NormDispIncr", self.tolerance, ITERATIONS),
                call("algorithm", *algorithm_words(analysis.algorithm)),
            ]
        )
        if isinstance(analysis, LoadControl):
            step = analysis.factor / analysis.steps
            lines += _indented(
                [
                    call("integrator", "LoadControl", step),
                    call("analysis", "Static"),
                    f"analyze({analysis.steps})",
                ]
            )
        elif isinstance(analysis, ArcLength):
            lines += _indented(
                [
                    call("integrator", "ArcLength", analysis.arc, float(np.sqrt(analysis.weight))),
                    call("analysis", "Static"),
                    f"analyze({analysis.steps})",
                ]
            )
        elif isinstance(analysis, DisplacementControl):
            node, place = self.nodes[analysis.node], self.directions.index(analysis.direction) + 1
            path = [float(v) for v in np.atleast_1d(np.asarray(analysis.path, dtype=float))]
            lines += [
                f"    at = ops.nodeDisp({node!r}, {place})",
                *_indented(
                    numbers(["for target in"], f"[{', '.join(map(literal, path))}]", colon=True)
                ),
                f"        parts = max(math.ceil(abs(target - at) / {literal(float(analysis.step))} "
                "- 1e-9), 1)",
                f'        ops.integrator("DisplacementControl", {node!r}, {place}, (target - at) / '
                "parts)",
                '        ops.analysis("Static")',
                "        analyze(parts)",
                "        at = target",
            ]
        else:
            raise Untranslatable(
                f"{type(analysis).__name__} has no equivalent in OpenSees that femu knows of."
            )
        return [*lines, '    ops.loadConst("-time", 0.0)']

    def transient(
        self, analysis: Transient, motion: Any, duration: float | None, name: str
    ) -> list[str]:
        """Function of a transient analysis, which returns the displacements of all nodes."""
        book = self.book
        motions = (
            motion if isinstance(motion, dict) else {"x": motion} if motion is not None else {}
        )
        count = analysis.count_steps(motions, duration, self.program.state())
        grid = analysis.dt * np.arange(count + 1)
        times = np.unique(
            np.concatenate([grid, grid[:-1] + force_share(analysis.integrator) * analysis.dt])
        )
        for direction, record in motions.items():
            tag, series = book.tag("pattern"), write_series(record, book, times)
            book.write("pattern", "UniformExcitation", tag, DIRECTIONS[direction], "-accel", series)
        self._support_motions()
        following = [
            self.loaders[p.name] for p in self.model.patterns.values() if p.series is not None
        ]
        lines = [
            f"def {name}():",
            "    "
            f"{docstring(f'{_described(analysis)} Returns displacements by node, one row per step.')}",
        ]
        lines += [f"    {pattern}()" for pattern in following]
        lines += _indented(self._written(self._taken()))
        own = own_test_and_algorithm(analysis.integrator)
        test, algorithm = own or (
            ["NormDispIncr", self.tolerance, ITERATIONS],
            algorithm_words(analysis.algorithm),
        )
        lines += [
            "    solver()",
            *_indented(
                [
                    call("test", *test),
                    call("algorithm", *algorithm),
                    call("integrator", *integrator_words(analysis.integrator)),
                    call("analysis", "Transient"),
                ]
            ),
            "    history = {name: [ops.nodeDisp(tag)] for name, tag in node.items()}",
            f"    for _ in range({count}):",
            f"        analyze(1, {literal(float(analysis.dt))})",
            "        for name, tag in node.items():",
            "            history[name].append(ops.nodeDisp(tag))",
            "    return history",
        ]
        return lines

    # --- pieces ---

    def _taken(self) -> list[list[Any]]:
        commands, self.book.commands = self.book.commands, []
        return commands

    def _function(self, name: str, words: str, commands: list[list[Any]]) -> list[str]:
        return [f"def {name}():", f"    {docstring(words)}", *_indented(self._written(commands))]

    def _written(self, commands: list[list[Any]]) -> list[str]:
        """Calls; the samples of a series become a list at the end of the script."""
        lines = []
        for command in commands:
            if (
                command[:2] == ["timeSeries", "Path"]
                and "-time" in command
                and "-values" in command
            ):
                times, values = command.index("-time"), command.index("-values")
                number = sum(1 for piece in self.data if piece.startswith("TIMES")) + 1
                t, v, rest = command[times + 1 : values], command[values + 1 :], []
                if v and isinstance(v[-1], str):
                    v, rest = v[:-1], [repr(v[-1])]
                self.data += [
                    *_times(number, t),
                    "\n".join(numbers([f"VALUES_{number} ="], f"[{', '.join(map(literal, v))}]")),
                ]
                tail = ", ".join(
                    ['"-time"', f"*TIMES_{number}", '"-values"', f"*VALUES_{number}", *rest]
                )
                lines.append(f'ops.timeSeries("Path", {command[2]}, {tail})')
            else:
                lines.append(call(*command))
        return lines


@typed
def write_opensees(
    model: Model,
    path: str | PathLike[str],
    analysis: Any = None,
    motion: Any = None,
    duration: float | None = None,
) -> None:
    """Write the script; ``analysis`` may be a sequence, whose parts continue from each other.
    ``motion`` moves the base in the transient ones."""
    text = opensees_script(model, analysis, motion, duration)
    write_text(path, text)


@typed
def opensees_script(
    model: Model, analysis: Any = None, motion: Any = None, duration: float | None = None
) -> str:
    """The text of the script; see `write_opensees`."""
    stages = (
        list(analysis)
        if isinstance(analysis, (list, tuple))
        else [analysis]
        if analysis is not None
        else []
    )
    motions_by_direction(motion)  # refuses what is not a motion
    writer = ScriptWriter(model)
    functions = [
        writer.build(),
        *(writer.pattern(name) for name in model.patterns),
        writer.solver(),
    ]
    main = ["    build()"]
    if not stages:
        found = writer.periods()
        if found:
            functions.append(found)
            main.append('    print("periods:", *(f"{period:.9g}" for period in periods()))')
    else:
        functions.append(
            [
                "def analyze(steps, *dt):",
                '    """Take steps, or say that one did not converge."""',
                "    if ops.analyze(steps, *dt) != 0:",
                '        raise SystemExit(f"no convergence at t = {ops.getTime():g}")',
            ]
        )
    names: list[str] = []
    for stage in stages:
        name = _stage_name(stage, names)
        names.append(name)
        if isinstance(stage, Transient):
            functions.append(writer.transient(stage, motion, duration, name))
            main += [
                f"    history = {name}()",
                "    for name, rows in history.items():",
                '        print(name, "largest displacements:", *(f"{max(abs(u) for u in '
                'column):.9g}" for column in zip(*rows)))',
            ]
        elif hasattr(stage, "pattern"):
            functions.append(writer.static(stage, name))
            main += [
                f"    {name}()",
                "    for name, tag in node.items():",
                '        print(name, "displacements:", *(f"{u:.9g}" for u in ops.nodeDisp(tag)))',
            ]
        else:
            raise InputError(
                "to_opensees",
                "analysis",
                stage,
                "must be a static or transient analysis, or a sequence of them",
            )
    body = ["\n".join(lines) for lines in functions]
    needs_math = any("math." in piece for piece in body)
    head = [
        docstring(
            f"Model {model.name!r} for openseespy, written by femu {VERSION}.",
            "",
            "Units are those of the model.",
            *(line for note in writer.book.notes for line in ("", note)),
            "",
        ),
        "",
        *(["import math", ""] if needs_math else []),
        "import openseespy.opensees as ops",
        "",
        *_dictionary("node", writer.nodes),
        *_dictionary("element", writer.elements),
    ]
    data = ["\n".join(writer.data)] if writer.data else []
    return (
        "\n".join(head)
        + "\n\n\n"
        + "\n\n\n".join([*body, *data, "\n".join(['if __name__ == "__main__":', *main])])
        + "\n"
    )


def _times(number: int, times: list[float]) -> list[str]:
    """The list of times; equal steps in one line."""
    step, even = times[1] - times[0], 0
    while even < len(times) and times[even] == step * even:
        even += 1
    if even < len(times) - 1:
        return ["\n".join(numbers([f"TIMES_{number} ="], f"[{', '.join(map(literal, times))}]"))]
    last = f" + [{literal(times[-1])}]" if even < len(times) else ""
    return [f"TIMES_{number} = [{literal(step)} * k for k in range({even})]{last}"]


def _tags(names: list[Any]) -> dict[Any, int]:
    """Tags by name: whole numbers keep theirs."""
    if all(isinstance(name, int) and name > 0 for name in names):
        return {name: name for name in names}
    return {name: tag for tag, name in enumerate(names, start=1)}


def _dictionary(title: str, tags: Mapping[Any, int]) -> list[str]:
    return numbers(
        [f"{title} ="],
        "{" + ", ".join(f"{key(name)}: {int(tag)}" for name, tag in tags.items()) + "}",
    )


def _stage_name(stage: Any, taken: Collection[str]) -> str:
    if isinstance(stage, Transient):
        return variable("shake", taken)
    kind = "apply" if isinstance(stage, LoadControl) else "push"
    return variable(f"{kind}_{getattr(stage, 'pattern', '')}", taken)


def _described(analysis: Any) -> str:
    kind = type(analysis).__name__
    if isinstance(analysis, LoadControl):
        return f"Pattern {analysis.pattern!r} to the factor {analysis.factor:g}."
    if isinstance(analysis, DisplacementControl):
        return f"Push by pattern {analysis.pattern!r} along the path of node {analysis.node!r}, {analysis.direction}."
    return (
        f"Steps of {analysis.dt:g} by {type(analysis.integrator).__name__}."
        if isinstance(analysis, Transient)
        else f"{kind}."
    )


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for text in lines for line in text.split("\n")]


def _merged(commands: list[list[Any]]) -> list[list[Any]]:
    """Loads of one node that follow each other, in one command."""
    made: list[list[Any]] = []
    for command in commands:
        if made and command[0] == made[-1][0] == "load" and command[1] == made[-1][1]:
            made[-1] = [
                "load",
                command[1],
                *(a + b for a, b in zip(made[-1][2:], command[2:], strict=True)),
            ]
        else:
            made.append(command)
    return made


def _fibres(commands: list[list[Any]]) -> list[str]:
    """Sections, with the fibres of one material in a loop."""
    lines: list[str] = []
    run: list[list[Any]] = []

    def close() -> None:
        if len(run) > 2:
            pairs = ", ".join(f"({literal(c[1])}, {literal(c[3])})" for c in run)
            lines.extend(numbers(["for y, area in"], f"[{pairs}]", colon=True))
            lines.append(f"    ops.fiber(y, 0.0, area, {run[0][4]!r})")
        else:
            lines.extend(call(*c) for c in run)
        run.clear()

    for command in commands:
        plain = command[0] == "fiber" and len(command) == 5 and command[2] == 0.0
        if run and not (plain and command[4] == run[0][4]):
            close()
        if plain:
            run.append(command)
        else:
            lines.append(call(*command))
    close()
    return lines
