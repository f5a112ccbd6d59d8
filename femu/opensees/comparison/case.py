"""Cases: something that femu and openseespy both do, and the difference allowed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import Increment, Policy, eigen
from femu.elements.beam_column import FrameElement
from femu.elements.section_beam_column import SectionedElement
from femu.engine.program import Program
from femu.model.component import Constitutive, Material
from femu.model.model import Model
from femu.model.strain_path import drive
from femu.opensees.comparison.compare import Columns, Difference, differences
from femu.opensees.comparison.energy import LABELS, energy_kinds, own_energy, peer_energy
from femu.opensees.comparison.peer import Answer, Fate
from femu.opensees.translation.command_list import CommandList, Job
from femu.opensees.translation.elements import Reading
from femu.opensees.translation.materials import write_material
from femu.opensees.translation.sections import write_section
from femu.opensees.translation.translate import ITERATIONS, Scales, Stage, Translator
from femu.results.outcome import failures_handled
from femu.results.result import Result
from femu.results.save import Save
from femu.support.errors import AnalysisError

Array = npt.NDArray[np.float64]
INCREMENT_TOLERANCE = 1e-12
"""Norm of the last increment of an iteration, as a share of the largest norm of the displacement,
in both programs."""


@dataclass(frozen=True)
class Limit:
    """The difference allowed, as a fraction of the peak of the kind.

    Of some ``kinds`` only, if they are named.
    """

    largest: float = math.inf
    rms: float = math.inf
    of_peaks: float = math.inf
    kinds: tuple[str, ...] = ()

    def measured(self, found: Sequence[Difference]) -> list[Difference]:
        """The differences that count."""
        return [d for d in found if not self.kinds or d.kind in self.kinds]

    def keeps(self, d: Difference) -> bool:
        """Whether a difference is within the limit."""
        return d.largest <= self.largest and d.rms <= self.rms and d.of_peaks <= self.of_peaks

    def __str__(self) -> str:
        parts = [
            f"{name} {value:g}"
            for name, value in (("", self.largest), ("rms", self.rms), ("peaks", self.of_peaks))
            if math.isfinite(value)
        ]
        return ("within " + ", ".join(parts)).replace("  ", " ")


STATIC = Limit(1e-9)
DYNAMIC = Limit(1e-8)
"""Limits of cases with the same formulation in both programs."""


@dataclass(frozen=True)
class Prepared:
    """A case after femu's run: the job for openseespy, and how its answer is compared."""

    job: Job
    compare: Callable[[dict[str, Any]], list[Difference]]
    notes: list[str] = field(default_factory=list)
    ours: list[Columns] = field(default_factory=list)
    theirs: Callable[[dict[str, Any]], list[Array]] = field(default=lambda arrays: [])
    own: list[Difference] = field(default_factory=list)
    """Of a model: difference of femu's run with the tests of its analyses from the one that is
    compared."""
    length: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """The result of a case."""

    case: Case
    found: list[Difference] = field(default_factory=list)
    message: str = ""  # why there is nothing to compare
    notes: list[str] = field(default_factory=list)
    left: dict[str, float] = field(default_factory=dict)
    """What convergence tests leave in each kind, if that was measured; it adds to the limit."""

    def limit_of(self, kind: str) -> Limit:
        """The limit of one kind of quantity."""
        limit = self.case.limit
        return replace(limit, largest=limit.largest + self.left.get(kind, 0.0))

    @property
    def ok(self) -> bool:
        """Whether everything that counts is within the limit, and a special limit has a reason."""
        counted = self.case.limit.measured(self.found)
        return bool(counted) and all(self.limit_of(d.kind).keeps(d) for d in counted)

    @property
    def worst(self) -> Difference | None:
        """The largest difference that counts."""
        return max(self.case.limit.measured(self.found), key=lambda d: d.largest, default=None)


@dataclass(frozen=True)
class Case(ABC):
    """A comparison with a name.

    ``reason`` says why the limit is not that of the same formulation.
    """

    name: str
    limit: Limit = field(default=STATIC, kw_only=True)
    reason: str = field(default="", kw_only=True)
    quick: bool = field(default=False, kw_only=True)

    @abstractmethod
    def prepare(self) -> Prepared:
        """Run femu, and make the job for openseespy."""

    def verdict(self, prepared: Prepared, answer: Answer) -> Verdict:
        """Compare with the answer of openseespy."""
        if answer.fate is not Fate.DONE:
            return Verdict(
                self, message=f"{answer.fate.value}: {answer.message}", notes=prepared.notes
            )
        return Verdict(self, prepared.compare(answer.arrays), notes=prepared.notes)


@dataclass(frozen=True)
class PathCase(Case):
    """A material, or a section, along a path of deformations.

    ``dt`` for laws that depend on the rate.
    """

    component: Constitutive
    path: Any
    dt: float = 0.0

    def prepare(self) -> Prepared:
        path = np.asarray(self.path, dtype=float)
        response = drive(self.component, path, self.dt)
        book = CommandList()
        if isinstance(self.component, Material):
            book.write("model", "basic", "-ndm", 1, "-ndf", 1)
            book.write("testUniaxialMaterial", write_material(self.component, book))
            rates = (
                np.diff(path, prepend=path[0]) / self.dt if self.dt > 0.0 else np.zeros(len(path))
            )
            job: Job = [*_calls(book), ["path", path.tolist(), rates.tolist()]]
            columns = Columns(
                np.arange(len(path)) * 1.0, "step", ["stress"], ["stress"], response.force
            )
            return Prepared(
                job, lambda arrays: differences([columns], [arrays["path"][:, None]]), book.notes
            )
        job = _section_job(self.component, path, book)
        columns = Columns(
            np.arange(len(path)) * 1.0, "step", ["N", "M"], ["N", "M"], response.force
        )
        return Prepared(job, lambda arrays: differences([columns], [arrays["rows0"]]), book.notes)


def _calls(book: CommandList) -> Job:
    return [["call", *command] for command in book.commands]


def _section_job(section: Any, path: Array, book: CommandList) -> Job:
    """A section between two nodes at one place, whose relative displacement and rotation are
    imposed."""
    book.write("model", "basic", "-ndm", 2, "-ndf", 3)
    tag = write_section(section, book)
    for node in (1, 2, 3):
        book.write("node", node, 0.0, 0.0)
    book.write("fix", 1, 1, 1, 1)
    book.write("fix", 2, 0, 1, 0)
    book.write("fix", 3, 0, 1, 1)
    book.write("element", "zeroLengthSection", 1, 1, 2, tag)
    # openseespy needs at least one equation: a spring without load
    spring = book.tag("material")
    book.write("uniaxialMaterial", "Elastic", spring, 1.0)
    book.write("element", "zeroLength", 2, 1, 3, "-mat", spring, "-dir", 1)
    for column, dof in ((0, 1), (1, 3)):
        series, pattern = book.tag("series"), book.tag("pattern")
        book.write(
            "timeSeries", "Path", series, "-dt", 1.0, "-values", *path[:, column].tolist(), 0.0
        )
        book.write("pattern", "Plain", pattern, series)
        book.write("sp", 2, dof, 1.0)
    for command in (
        ["constraints", "Transformation"],
        ["numberer", "Plain"],
        ["system", "FullGeneral"],
        ["test", "NormUnbalance", 1.0, 10],
        ["algorithm", "Linear"],
        ["integrator", "LoadControl", 1.0],
        ["analysis", "Static"],
    ):
        book.write(*command)
    return [
        *_calls(book),
        ["record", [["eleResponse", 1, "section", "force"]]],
        ["row"],
        ["steps", len(path) - 1, None],
    ]


@dataclass(frozen=True)
class EigenCase(Case):
    """Periods and mode shapes of a model."""

    model: Callable[[], Model]
    modes: int = 3

    def prepare(self) -> Prepared:
        model = self.model()
        program = model.compile()
        found = eigen(program, self.modes)
        translation = Translator(model, program, Scales([1.0], 1.0)).eigen(self.modes)
        places = program.numbering.place
        shapes = np.array(
            [
                [
                    [
                        found.shapes[places[n, d], m] if (n, d) in places else 0.0
                        for d in model.dof_names
                    ]
                    for n in model.nodes
                ]
                for m in range(self.modes)
            ]
        )

        def compare(arrays: dict[str, Any]) -> list[Difference]:
            # one row per mode: a shape is known up to its size and sign
            theirs = arrays["shapes"].reshape(self.modes, -1)
            ours = shapes.reshape(self.modes, -1)
            theirs = theirs * (np.sum(ours * theirs, axis=1) / np.sum(theirs**2, axis=1))[:, None]
            sizes = np.abs(ours).max(axis=1)[:, None]
            ratio = arrays["periods"] / found.periods
            labels = [f"node {n}, {d}" for n in model.nodes for d in model.dof_names]
            mode = np.arange(1.0, self.modes + 1.0)
            return sorted(
                differences(
                    [Columns(mode, "mode", ["period"], ["period"], np.ones((self.modes, 1)))],
                    [ratio[:, None]],
                )
                + differences(
                    [Columns(mode, "mode", ["mode shape"] * len(labels), labels, ours / sizes)],
                    [theirs / sizes],
                ),
                key=lambda d: -d.largest,
            )

        return Prepared(translation.job, compare, translation.notes)


@dataclass(frozen=True)
class ModelCase(Case):
    """A model through one or more stages of analysis, each continuing from the one before."""

    model: Callable[[], Model]
    stages: Sequence[Stage]

    def prepare(self, looser: float = 1.0) -> Prepared:
        """Run femu, and make the job for openseespy, both with a tolerance that may be ``looser``
        times the usual one."""
        model = self.model()
        program = model.compile()
        by_own_tests = _run(program, self.stages)
        scales = _scales(program, by_own_tests, looser)
        results = _run(
            program,
            [_tight(s, size) for s, size in zip(self.stages, scales.displacement, strict=True)],
        )
        for result in results:
            if not result.outcome.ok or result.relaxations:
                raise AnalysisError(
                    f"case {self.name!r}: femu's own run did not finish without help: "
                    f"{result.message}"
                )
        translation = Translator(model, program, scales).translate(self.stages, results)
        length = float(np.ptp(list(program.coordinates.values()), axis=0).max())

        def columns(stage: Stage, readings: list[Reading], result: Result) -> Columns:
            kinds = [k for r in readings for k in r.kinds]
            labels = [label for r in readings for label in r.labels]
            values = np.concatenate([r.femu(result) for r in readings], axis=1)
            clock, when = (
                ("t", result.time)
                if stage.transient
                else ("step", np.arange(len(result.time)) * 1.0)
            )
            return Columns(
                when,
                clock,
                [*kinds, *energy_kinds(program)],
                [*labels, *LABELS],
                np.concatenate([values, own_energy(result)], axis=1),
            )

        def theirs(arrays: dict[str, Any]) -> list[Array]:
            rows = [arrays[f"rows{number}"] for number in range(len(translation.readings))]
            return [
                np.concatenate([r, peer_energy(program, readings, r)], axis=1)
                for r, readings in zip(rows, translation.readings, strict=True)
            ]

        ours, first = (
            [*map(columns, self.stages, translation.readings, r)] for r in (results, by_own_tests)
        )
        whole = all(a.values.shape == b.values.shape for a, b in zip(ours, first, strict=True))
        own = differences(ours, [c.values for c in first], length) if whole else []
        return Prepared(
            translation.job,
            lambda arrays: differences(ours, theirs(arrays), length),
            translation.notes,
            ours,
            theirs,
            own,
            length,
        )


def _run(program: Program, stages: Sequence[Stage]) -> list[Result]:
    state = None
    results: list[Result] = []
    sectioned = [
        name for name, element in program.elements.items() if isinstance(element, SectionedElement)
    ]
    for stage in stages:
        save = Save(sections=sectioned)
        with failures_handled():
            if stage.transient:
                result = stage.analysis.run(
                    program,
                    stage.motion,
                    duration=stage.duration,
                    start=state,
                    save=save,
                    check=False,
                )
            else:
                result = stage.analysis.run(program, start=state, save=save, check=False)
        results.append(result)
        state = result.state
    return results


def _tight(stage: Stage, tolerance: float) -> Stage:
    """The same stage, iterated until nothing is left, and without help if that fails."""
    return replace(
        stage,
        analysis=replace(
            stage.analysis, test=Increment(tolerance, ITERATIONS), policy=Policy.none()
        ),
    )


def _scales(program: Program, results: Sequence[Result], looser: float = 1.0) -> Scales:
    """Tolerances of the increments by stage, and the energy of the members."""
    energy = 0.0
    for result in results:
        for name, element in program.elements.items():
            if isinstance(element, FrameElement):
                work = (
                    np.abs(result.force(name, "basic") * result.deformation(name)).sum(axis=1).max()
                )
                energy = max(energy, float(work))
    sizes = [
        looser * INCREMENT_TOLERANCE * float(np.linalg.norm(r.arrays["u"], axis=1).max())
        for r in results
    ]
    return Scales([s if s > 0.0 else 1.0 for s in sizes], energy or 1.0)
