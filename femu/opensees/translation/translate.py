"""Translation of a model and the stages of its analysis into a job for openseespy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import (
    BFGS,
    HHT,
    AlphaOS,
    ArcLength,
    Broyden,
    CentralDifference,
    DisplacementControl,
    FixedIterations,
    GeneralizedAlpha,
    GeneralizedAlphaOS,
    KRAlpha,
    KrylovNewton,
    LoadControl,
    ModifiedNewton,
    Newmark,
    NewmarkExplicit,
    NewtonLineSearch,
    Transient,
)
from femu.elements import DisplacementBeamColumn, ElasticBeamColumn, LumpedMass
from femu.elements.beam_column import FrameElement
from femu.engine.program import Program
from femu.model.element import ROTATIONS, TRANSLATIONS, Name
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.model.model import Model
from femu.model.node import Node
from femu.model.series import Motion
from femu.opensees.translation.command_list import CommandList, Job, Untranslatable
from femu.opensees.translation.constraints import Constraints
from femu.opensees.translation.elements import Reading, Situation, write_element
from femu.opensees.translation.series import write_path, write_series
from femu.results.result import Result
from femu.support.errors import shown

Array = npt.NDArray[np.float64]
ITERATIONS = 100
DIRECTIONS = {"x": 1, "y": 2, "z": 3}


@dataclass(frozen=True)
class Stage:
    """One analysis in a sequence; each continues from the state that the one before left.

    ``peer`` names OpenSees' integrator with its arguments, if it is not that of
    the same formulation.
    """

    analysis: Any
    motion: Any = None
    duration: float | None = None
    peer: tuple[Any, ...] = ()

    @property
    def transient(self) -> bool:
        """Whether it is an analysis in time."""
        return isinstance(self.analysis, Transient)


@dataclass(frozen=True)
class Scales:
    """Sizes found in femu's own run, by which tolerances are set.

    Of displacement by stage, and energy of a member.
    """

    displacement: Sequence[float]
    energy: float


@dataclass
class Translation:
    """A job for openseespy, what its readings mean, and which formulations differ."""

    job: Job = field(default_factory=list)
    readings: list[list[Reading]] = field(default_factory=list)  # by stage
    notes: list[str] = field(default_factory=list)


class Translator:
    """Writes one model with its stages."""

    def __init__(self, model: Model, program: Program, scales: Scales) -> None:
        self.model, self.program, self.scales = model, program, scales
        self.directions = model.dof_names
        self.book = CommandList(model.dimensions == 3)
        self.nodes: dict[Name, int] = {name: tag for tag, name in enumerate(model.nodes, start=1)}
        self.elements: dict[Name, int] = {
            name: tag for tag, name in enumerate(model.elements, start=1)
        }
        self.element_readings: list[Reading] = []
        self.made = Translation()
        self._excitation: list[int] = []
        self._following: set[str] = set()
        self._holding: int | None = None  # pattern that holds the supports that will move

    def translate(self, stages: Sequence[Stage], results: Sequence[Result]) -> Translation:
        """The job; ``results`` are femu's own of the same stages, for the steps they took."""
        self._model()
        for number, (stage, result) in enumerate(zip(stages, results, strict=True)):
            if number > 0 and not stages[number - 1].transient:
                self.book.write("loadConst", "-time", 0.0)
            self._stage(number, stage, result)
        self._flush()
        self.made.notes = self.book.notes
        return self.made

    def eigen(self, modes: int) -> Translation:
        """The job that finds periods and mode shapes."""
        self._model()
        self._solver()
        self._flush()
        self.made.job.append(["eigen", modes])
        self.made.notes = self.book.notes
        return self.made

    def _flush(self) -> None:
        """Move the commands written so far into the job."""
        self.made.job += [["call", *command] for command in self.book.commands]
        self.book.commands.clear()

    # --- the model ---

    def _model(self) -> None:
        book, model = self.book, self.model
        book.write("model", "basic", "-ndm", model.dimensions, "-ndf", len(self.directions))
        constraints = Constraints(model, self.program)
        self._constrained, self._rigid = constraints.nodes, constraints.rigid
        lumped: dict[tuple[Name, str], float] = {}
        for element in model.elements.values():
            if isinstance(element, LumpedMass):
                for d in self.directions:
                    value = element.mass if d in TRANSLATIONS else element.inertia
                    lumped[element.node, d] = lumped.get((element.node, d), 0.0) + value
        for name, tag in self.nodes.items():
            node = model.nodes[name]
            book.write("node", tag, *map(float, node.coordinates))
            held = [int(constraints.fixed(name, d)) for d in self.directions]
            if any(held):
                book.write("fix", tag, *held)
            mass = [node.mass.get(d, 0.0) + lumped.get((name, d), 0.0) for d in self.directions]
            if any(mass):
                book.write("mass", tag, *mass)
        constraints.write(book, self.nodes)
        for name, element in model.elements.items():
            nodes = tuple(self.nodes[n] for n in element.nodes)
            situation = Situation(self.program, self.elements[name], nodes, self.scales.energy)
            self.element_readings += write_element(element, book, situation)
        self._hold_supports()
        self._damping()

    def _damping(self) -> None:
        p = self.program.parameters
        mass, initial, current, committed = (
            float(p[f"rayleigh.{t}"]) for t in ("mass", "initial", "current", "committed")
        )
        if mass or initial or current or committed:
            self.book.write("rayleigh", mass, current, initial, committed)
            for name, element in self.program.elements.items():
                if (
                    isinstance(element, FrameElement)
                    and not element.damped
                    and (initial or current or committed)
                ):
                    self.book.write(
                        "setElementRayleighDampingFactors", self.elements[name], mass, 0.0, 0.0, 0.0
                    )
        if self.program.modal_ratios and self._rigid:
            raise Untranslatable(
                f"node {shown(self._rigid[0])} follows a rigid link or floor: modalDamping of "
                "OpenSees takes its mass otherwise than by the mass matrix."
            )
        if self.program.modal_ratios:  # with the modes of the unstressed structure
            self._solver()
            self.book.write("eigen", "-fullGenLapack", len(self.program.modal_ratios))
            self.book.write("modalDamping", *self.program.modal_ratios)

    # --- stages ---

    def _solver(self, full: bool = False) -> None:
        model = self.model
        plain = not (
            model.equal
            or model.links
            or model.diaphragms
            or any(n.motion for n in model.nodes.values())
        )
        self.book.write("wipeAnalysis")
        self.book.write("constraints", "Plain" if plain else "Transformation")
        self.book.write("numberer", "RCM")
        self.book.write("system", "FullGeneral" if full else "BandGeneral" if plain else "UmfPack")

    def _stage(self, number: int, stage: Stage, result: Result) -> None:
        book, analysis = self.book, stage.analysis
        if stage.transient:
            steps = self._transient_loads(stage, result)
        else:
            steps = self._static_loads(stage, result)
        # the effective mass of KRAlphaExplicit is full; any other solver would drop what it does
        # not store
        self._solver(full=stage.transient and isinstance(analysis.integrator, KRAlpha))
        test, algorithm = (
            ["NormDispIncr", self.scales.displacement[number], ITERATIONS],
            algorithm_words(analysis.algorithm),
        )
        if stage.transient:
            test, algorithm = own_test_and_algorithm(analysis.integrator) or (test, algorithm)
        book.write("test", *test)
        book.write("algorithm", *algorithm)
        readings = self._readings(stage)
        self.made.readings.append(readings)
        if stage.transient:
            book.write("integrator", *(stage.peer or integrator_words(analysis.integrator)))
            book.write("analysis", "Transient")
        elif isinstance(analysis, LoadControl):
            before = float(result.factor(analysis.pattern)[0])
            book.write("integrator", "LoadControl", (analysis.factor - before) / analysis.steps)
            book.write("analysis", "Static")
        elif isinstance(analysis, ArcLength):
            book.write("integrator", "ArcLength", analysis.arc, float(np.sqrt(analysis.weight)))
            book.write("analysis", "Static")
        else:
            book.write("integrator", "DisplacementControl", steps[1], steps[2], steps[3][0])
            book.write("analysis", "Static")
        self._flush()
        self.made.job += [["record", [r.call for r in readings]], ["row"], steps]

    def _static_loads(self, stage: Stage, result: Result) -> list[Any]:
        analysis = stage.analysis
        series = self.book.tag("series")
        self.book.write("timeSeries", "Linear", series)
        self._pattern_tag = self._pattern(analysis.pattern, series)
        count = len(result.time) - 1
        if not isinstance(analysis, DisplacementControl):
            return ["steps", count, None]
        moved = result.displacement(analysis.node, analysis.direction)
        at = float(moved[0])
        increments: list[float] = []
        for target in np.atleast_1d(np.asarray(analysis.path, dtype=float)):
            parts = max(int(np.ceil(abs(target - at) / analysis.step - 1e-9)), 1)
            if target != at:
                increments += [float(target - at) / parts] * parts
            at = float(target)
        return [
            "displacements",
            self.nodes[analysis.node],
            self.directions.index(analysis.direction) + 1,
            increments[:count],
        ]

    def _transient_loads(self, stage: Stage, result: Result) -> list[Any]:
        book, analysis = self.book, stage.analysis
        inside = result.time[:-1] + force_share(analysis.integrator) * np.diff(result.time)
        times = np.unique(np.concatenate([result.time, inside]))
        for tag in self._excitation:
            book.write("remove", "loadPattern", tag)
        self._excitation = []
        motions = (
            stage.motion
            if isinstance(stage.motion, dict)
            else {"x": stage.motion}
            if stage.motion is not None
            else {}
        )
        if motions and any(
            isinstance(e, ElasticBeamColumn) and e.consistent_mass
            for e in self.model.elements.values()
        ):
            book.note(
                "OpenSees' elasticBeamColumn with consistent mass takes base acceleration "
                "otherwise than by its mass matrix."
            )
        for direction, motion in motions.items():
            tag, series = book.tag("pattern"), write_series(motion, book, times)
            book.write("pattern", "UniformExcitation", tag, DIRECTIONS[direction], "-accel", series)
            self._excitation.append(tag)
        for name, pattern in self.model.patterns.items():
            if pattern.series is not None and name not in self._following:
                self._following.add(name)
                self._pattern(name, write_series(pattern.series, book, times))
        self._support_motions()
        return ["steps", len(result.time) - 1, analysis.dt]

    def _moving(self) -> list[tuple[Node, str, Motion]]:
        """Supports that move, their directions and motions; none once they do."""
        if "" in self._following:
            return []
        return [(node, d, m) for node in self.model.nodes.values() for d, m in node.motion.items()]

    def _hold_supports(self) -> None:
        """Hold supports until they move: they are not fixed, and modes and gravity need them."""
        moving, book = self._moving(), self.book
        if not moving:
            return
        series, self._holding = book.tag("series"), book.tag("pattern")
        book.write("timeSeries", "Constant", series)
        book.write("pattern", "Plain", self._holding, series)
        for node, direction, _ in moving:
            book.write("sp", self.nodes[node.name], self.directions.index(direction) + 1, 0.0)

    def _support_motions(self) -> None:
        moving, book = self._moving(), self.book
        if not moving:
            return
        self._following.add("")  # once
        if self._holding is not None:
            book.write("remove", "loadPattern", self._holding)
        book.write("pattern", "MultipleSupport", book.tag("pattern"))
        for number, (node, direction, motion) in enumerate(moving, start=1):
            tags = [book.tag("series") for _ in range(3)]
            for tag, values, hold in zip(
                tags, (motion.u, motion.v, motion.a), (True, False, False), strict=True
            ):
                write_path(book, tag, motion.t, values, hold)
            book.write(
                "groundMotion",
                number,
                "Plain",
                "-disp",
                tags[0],
                "-vel",
                tags[1],
                "-accel",
                tags[2],
            )
            book.write(
                "imposedMotion", self.nodes[node.name], self.directions.index(direction) + 1, number
            )

    def _pattern(self, name: str, series: int) -> int:
        book, pattern, tag = self.book, self.model.patterns[name], self.book.tag("pattern")
        book.write("pattern", "Plain", tag, series)
        for (node, direction), value in pattern.nodal.items():
            forces = [0.0] * len(self.directions)
            forces[self.directions.index(direction)] = value
            book.write("load", self.nodes[node], *forces)
        for element, load in pattern.member:
            kind: list[Any]
            across = [load.z] if self.model.dimensions == 3 else []
            if isinstance(load, UniformLoad):
                kind = ["-beamUniform", load.y, *across, load.x]
            elif isinstance(load, PointLoad):
                kind = ["-beamPoint", load.y, *across, load.at, load.x]
            elif isinstance(load, DistributedLoad):
                kind = self._distributed(load, self.model.elements[element])
            else:
                raise Untranslatable(
                    f"a member load of the kind {type(load).__name__} has no equivalent in "
                    "OpenSees."
                )
            book.write("eleLoad", "-ele", self.elements[element], "-type", *kind)
        return tag

    def _distributed(self, load: DistributedLoad, element: Any) -> list[Any]:
        """A load over a part of a member, as far as the element of OpenSees takes it."""
        space = self.model.dimensions == 3
        axes = ("y", "z", "x") if space else ("y", "x")
        begin, end = zip(*(load.intensities(axis) for axis in axes), strict=True)
        if isinstance(element, DisplacementBeamColumn):
            raise Untranslatable(
                f"{element.label()}: dispBeamColumn of OpenSees omits loads over a part of a "
                "member."
            )
        if space and isinstance(element, ElasticBeamColumn) and begin != end:
            raise Untranslatable(
                f"{element.label()}: elasticBeamColumn of OpenSees takes a trapezoidal load for a "
                "uniform one in space."
            )
        return ["-beamUniform", *begin, load.start, load.end, *([] if begin == end else end)]

    # --- what is read ---

    def _readings(self, stage: Stage) -> list[Reading]:
        found = [Reading(["getTime"], ("",), ("time",), lambda result: result.time[:, None])]
        quantities = [("nodeDisp", "displacement", "rotation")]
        if stage.transient:
            quantities += [
                ("nodeVel", "velocity", "angular velocity"),
                ("nodeAccel", "acceleration", "angular acceleration"),
            ]
        for call, kind, angular in quantities:
            for name, tag in self.nodes.items():
                found.append(self._nodal(call, kind, angular, name, tag))
        for name, tag in self.nodes.items():
            node = self.model.nodes[name]
            held = [
                d
                for d in self.directions
                if (d in node.fixed or d in node.motion)
                and (name, d) in self.program.numbering.place
                and name not in self._constrained
            ]
            if held:
                found.append(self._reaction(name, tag, held))
        if not stage.transient:
            pattern = stage.analysis.pattern
            tag = self._pattern_tag
            found.append(
                Reading(
                    ["getLoadFactor", tag],
                    ("load factor",),
                    (f"pattern {pattern}",),
                    lambda result: (result.factor(pattern) - result.factor(pattern)[0])[:, None],
                )
            )
        return found + self.element_readings

    def _nodal(self, call: str, kind: str, angular: str, name: Name, tag: int) -> Reading:
        there = [d for d in self.directions if (name, d) in self.program.numbering.place]
        kinds = tuple(
            "" if d not in there else angular if d in ROTATIONS else kind for d in self.directions
        )
        function = {"nodeDisp": "displacement", "nodeVel": "velocity", "nodeAccel": "acceleration"}[
            call
        ]

        def femu(result: Result) -> Array:
            none = np.zeros(len(result.time))
            return np.stack(
                [
                    getattr(result, function)(name, d) if d in there else none
                    for d in self.directions
                ],
                axis=1,
            )

        return Reading(
            [call, tag],
            kinds,
            tuple(f"node {name}, {d}" for d in self.directions),
            femu,
            tuple((name, d) for d in self.directions),
        )

    def _reaction(self, name: Name, tag: int, held: list[str]) -> Reading:
        kinds = tuple(
            "" if d not in held else "reaction moment" if d in ROTATIONS else "reaction"
            for d in self.directions
        )

        def femu(result: Result) -> Array:
            none = np.zeros(len(result.time))
            return np.stack(
                [result.reaction(name, d) if d in held else none for d in self.directions], axis=1
            )

        return Reading(
            ["nodeReaction", tag],
            kinds,
            tuple(f"reaction at {name}, {d}" for d in self.directions),
            femu,
        )


def algorithm_words(algorithm: Any) -> list[Any]:
    if isinstance(algorithm, KrylovNewton):
        return ["KrylovNewton", "-maxDim", algorithm.dimension]
    if isinstance(algorithm, NewtonLineSearch):
        return ["NewtonLineSearch", "-tol", algorithm.ratio]
    if isinstance(algorithm, (BFGS, Broyden)):
        return [
            type(algorithm).__name__,
            *(["-initial"] if algorithm.initial else []),
            "-count",
            algorithm.updates,
        ]
    if isinstance(algorithm, ModifiedNewton):
        return ["ModifiedNewton", *(["-initial"] if algorithm.initial else [])]
    return ["Newton"]


def own_test_and_algorithm(integrator: Any) -> tuple[list[Any], list[Any]] | None:
    """Convergence test and algorithm of the integrators that do a fixed amount of work per step.

    None for the others.
    """
    initial = ["-initial"] if getattr(integrator, "tangent", "") == "initial" else []
    if isinstance(integrator, FixedIterations):
        return ["FixedNumIter", integrator.iterations], ["Newton", *initial]
    if isinstance(integrator, (AlphaOS, GeneralizedAlphaOS)) or getattr(
        integrator, "explicit", False
    ):
        return ["NormDispIncr", 1.0, 1], ["Linear", *initial]
    return None


def integrator_words(integrator: Any) -> list[Any]:
    if isinstance(integrator, Newmark):
        return ["Newmark", integrator.gamma, integrator.beta]
    if isinstance(integrator, HHT):
        return ["HHT", integrator.alpha]
    if isinstance(integrator, GeneralizedAlpha):
        # GeneralizedAlpha of OpenSees 3.7 takes inertia at the end of the step
        return ["HHTGeneralized", integrator.radius]
    if isinstance(integrator, CentralDifference):
        return ["CentralDifference"]
    if isinstance(integrator, NewmarkExplicit):
        return ["NewmarkExplicit", integrator.gamma]
    if isinstance(integrator, AlphaOS) and integrator.predictor == "newmark":
        if integrator.form != "trapezoidal":
            return ["AlphaOS", integrator.alpha, *_update(integrator)]
        return ["AlphaOS" if integrator.alpha == 1.0 else "AlphaOS_TP", integrator.alpha]
    if isinstance(integrator, GeneralizedAlphaOS) and integrator.predictor == "newmark":
        if integrator.form != "trapezoidal":
            return ["AlphaOSGeneralized", integrator.radius, *_update(integrator)]
        return ["AlphaOSGeneralized_TP", integrator.radius]
    if isinstance(integrator, KRAlpha):
        if integrator.form != "trapezoidal":
            return ["KRAlphaExplicit", integrator.radius, *_update(integrator)]
        return ["KRAlphaExplicit_TP", integrator.radius]
    if isinstance(integrator, FixedIterations):
        alpha_m, alpha_f, beta, gamma = integrator.of.coefficients()
        name = (
            ["NewmarkHSFixedNumIter", gamma, beta]
            if alpha_m == alpha_f == 1.0
            else ["HHTHSFixedNumIter_TP", alpha_m, alpha_f, beta, gamma]
        )
        return [*name, "-polyOrder", integrator.order]
    raise Untranslatable(
        f"{integrator!r} has no equivalent among the integrators of OpenSees, or none that femu "
        "knows."
    )


def _update(integrator: Any) -> list[str]:
    return ["-updateElemDisp"] if integrator.form == "midpoint" else []


def force_share(integrator: Any) -> float:
    """The point within the step at which the loads are taken."""
    return float(integrator.coefficients()[1]) if hasattr(integrator, "coefficients") else 1.0
