"""The hybrid test: a model with specimens under a ground motion, step by step.

Each step asks the specimens at the displacement that the integrator wants, once (or as often as the
integrator says), and then takes the numerical step with the specimens linear about what they
answered. A specimen is never asked twice for a step.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from os import PathLike, fspath
from os.path import realpath
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses.convergence import RelativeUnbalance
from femu.analyses.inputs import as_program, what_to_save
from femu.analyses.integrators.implicit_hybrid import ImplicitHybrid
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.policy import Policy
from femu.analyses.transient import Excitation, Transient, motions_by_direction, time_grid
from femu.engine.program import Program
from femu.experimental.elements.experimental import Experimental
from femu.experimental.hybrid_checkpoint import saved_places
from femu.experimental.hybrid_record import HybridRecord
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.hybrid_run import HybridRun
from femu.experimental.journal.checkpoints import keeps
from femu.experimental.journal.journal import HEAD, TAIL, Record, read_journal
from femu.experimental.journal.lock import taken_alone
from femu.experimental.journal.resume_copy import scratch_beside
from femu.experimental.late_steps import NOTED, are_noted
from femu.experimental.loop import HybridLoop
from femu.experimental.pacing import Pace
from femu.experimental.safety.tracking import TrackingLimits, limits_by_element
from femu.experimental.script import must_be_asked_for
from femu.experimental.session import SpecimenSession
from femu.experimental.specimens.specimen import Specimen
from femu.experimental.stability.stability import Stability, stability_of
from femu.experimental.tangents.tangent import (
    InitialTangent,
    TangentEstimator,
    must_estimate,
)
from femu.experimental.updater import Updater, as_updater
from femu.files import toml_text
from femu.model.element import Name
from femu.model.findings import Findings
from femu.model.model import Model
from femu.results.outcome import Outcome
from femu.results.save import Save
from femu.support import hooks
from femu.support.errors import FileError, InputError

Array = npt.NDArray[np.float64]
ADDED_LATER = ("loading", "compensations", "estimators")
"""What journals of earlier versions do not say of their test."""

RENAMED = {"AdaptiveCompensation": "AdaptiveDelayCompensation"}
"""Compensations that journals of earlier versions call by another name."""


class HybridTest:
    """A hybrid test of a model with experimental elements.

    ::

        test = HybridTest(model, GroundMotion.el_centro(), dt=0.01, tangents={"column": EigenvectorTangent(force_noise=50.0)})
        result = test.run("column.h5")

    ``tangents`` maps names of experimental elements to estimators; the others keep their initial
    stiffness. ``updater`` learns parameters of the model on the way; mass and damping matrices stay
    those of the start. ``pace`` takes the steps in real time, otherwise they follow as fast as they
    come. The result says how the test ended; see `femu.Outcome`.

    ``tracking`` limits, for all elements or for some of them, end the test before it diverges if a
    specimen does not follow its targets.

    What was measured is handed to the system before the test continues, and survives the end of the
    program. ``durable`` says whether it must be on the disk by then, and survive a power cut: some
    milliseconds a step. Left out, it is so where a specimen is physical and no pace is held.
    """

    def __init__(
        self,
        model: Model | Program,
        motion: Excitation = None,
        integrator: Integrator | None = None,
        *,
        dt: float,
        duration: float | None = None,
        tangents: Mapping[Name, TangentEstimator] | None = None,
        updater: Updater | None = None,
        pace: Pace | None = None,
        save: Save | None = None,
        durable: bool | None = None,
        tracking: TrackingLimits | Mapping[Name, TrackingLimits] | None = None,
    ) -> None:
        self.program = as_program(model)
        self.elements: dict[Name, Experimental] = {
            n: e for n, e in self.program.elements.items() if isinstance(e, Experimental)
        }
        if not self.elements:
            raise InputError(
                "HybridTest",
                "model",
                model,
                "must have an experimental element",
                fix="use Transient for a model without specimens",
            )
        for what, parts in (
            ("specimen", {n: e.specimen for n, e in self.elements.items()}),
            ("tangents", tangents or {}),
            ("compensation", {n: e.compensation for n, e in self.elements.items()}),
        ):
            _each_its_own(what, parts)
        self.integrator = ImplicitHybrid() if integrator is None else integrator
        if not isinstance(self.integrator, Integrator) or not self.integrator.hybrid:
            raise InputError(
                "HybridTest",
                "integrator",
                integrator,
                "must be an integrator that serves in hybrid tests",
                fix="use ImplicitHybrid(), for example",
            )
        self.tangents = self._check_tangents(tangents or {})
        self.tracking = limits_by_element(tracking, self.elements)
        if updater is not None and getattr(updater, "element", None) not in self.elements:
            raise InputError(
                "HybridTest", "updater", updater, f"must learn from one of {list(self.elements)}"
            )
        if pace is not None and not isinstance(pace, Pace):
            raise InputError(
                "HybridTest", "pace", pace, "must be a Pace", fix="use Pace(1024), for example"
            )
        self.updater, self.pace = updater, pace
        self.save, self.durable = what_to_save(save, Save()), durable
        test = getattr(self.integrator, "test", None) or RelativeUnbalance()
        self.transient = Transient(self.integrator, dt=dt, test=test, policy=Policy.none())
        self.motions = motions_by_direction(motion)
        self.count = self.transient.count_steps(self.motions, duration, self.program.state())
        self.before_first_run: dict[Name, tuple[Specimen, Array]] = {}
        """Specimens, and what was known of them before the first run."""
        self._run: HybridRun | None = None

    @property
    def updater_hooks(self) -> Updater | None:
        """The updater with all hooks, also if it has only some of them."""
        return as_updater(self.updater)

    @property
    def sessions(self) -> Mapping[Name, SpecimenSession]:
        """The sessions of the last run with the specimens, by element; none before the first."""
        return self._run.sessions if self._run is not None else {}

    @property
    def parameters(self) -> Array:
        """Parameters of the last run, as it has left them; those of the model before the first."""
        return self._run.parameters if self._run is not None else self.program.parameters.vector

    def _check_tangents(
        self, given: Mapping[Name, TangentEstimator]
    ) -> dict[Name, TangentEstimator]:
        for name, estimator in given.items():
            if name not in self.elements:
                raise InputError(
                    "HybridTest",
                    "tangents",
                    name,
                    f"must name experimental elements: {list(self.elements)}",
                )
            if not isinstance(estimator, TangentEstimator):
                raise InputError(
                    "HybridTest",
                    f"tangents[{name!r}]",
                    estimator,
                    "must be a TangentEstimator",
                    fix="use EigenvectorTangent(), for example",
                )
            must_estimate("HybridTest", f"tangents[{name!r}]", estimator)
        return {name: given.get(name) or InitialTangent() for name in self.elements}

    def describe(self) -> dict[str, Any]:
        """The test in a few words, for the journal."""
        p = self.program
        constants = _digest(p.geometry, p.geometry_starts, p.nodal)
        times = time_grid(0.0, self.transient.dt, self.count)
        moving = [
            *zip(p.pattern_names, p.series, strict=True),
            *self.motions.items(),
            *p.imposed.items(),
        ]
        loading = _digest(
            p.member,
            *(
                part
                for name, series in moving
                if series is not None
                for part in (
                    np.frombuffer(str(name).encode(), np.uint8),
                    np.asarray(series.at(times), dtype=float),
                )
            ),
        )
        return {
            "model": self.program.name,
            "program": self.program.digest,
            "constants": constants,
            "loading": loading,
            "integrator": repr(self.integrator),
            "dt": self.transient.dt,
            "steps": self.count,
            "updated": self.updater is not None,
            "compensations": {
                str(n): repr(e.compensation)
                for n, e in self.elements.items()
                if e.compensation is not None
            },
            "estimators": {str(n): type(t).__name__ for n, t in self.tangents.items()},
        }

    def run(
        self, journal: str | PathLike[str] | None = None, *, check: bool = True
    ) -> HybridResult:
        """Run from the start, with everything in a ``journal`` where one is wanted.

        Run again, emulated specimens are set back to where they were before the first run; physical
        ones stay where they are. ``check=False`` questions nothing; see `femu.check`.
        """
        findings = hooks.show_findings(self.program, hooks.check_hybrid(self)) if check else ()
        must_be_asked_for("run")
        self._must_be_limited()
        run = HybridRun(self)
        with run.alone():
            self._run = run
            if run.updater is not None:
                run.updater.prepare_for_journal(journal, False)
            run.begin()  # first: a compensation has a state only once it has begun
            run.set_back()
            loop = HybridLoop(run, None)
            loop.findings = findings
            run.write_to(run.new_journal(journal) if journal is not None else None)
            return run.take_steps(loop)

    def resume(self, journal: str | PathLike[str]) -> HybridResult:
        """Continue from the last committed step of an interrupted test.

        A physical specimen that can be read must be where the journal ends. What was measured of
        steps that were not committed is used and not measured again. A journal whose test is still
        running is refused. The journal stays as it is until the specimens are found ready; that of
        a complete test stays as it is, and nothing is sent. Of a link, the journal that it leads to
        is continued.
        """
        must_be_asked_for("resume")
        if isinstance(journal, (str, PathLike)) and fspath(journal):
            journal = realpath(journal)
        self._must_be_limited()
        run = HybridRun(self)
        with contextlib.ExitStack() as reading:
            reading.enter_context(taken_alone(journal))
            record = read_journal(journal)
            self.check(record)
            with run.alone():
                self._run = run
                loop, kept = self._restored(run, journal, record)
                if loop.done == loop.count and record.ending is Outcome.COMPLETE:
                    run.end_updater(Outcome.COMPLETE)
                    return loop.result(Outcome.COMPLETE, record.message, None)

                def take_over() -> None:
                    late = NOTED if not loop.done or are_noted(record.about) else None
                    made = run.new_journal(scratch_beside(fspath(journal)), late=late)
                    made.take_over(record, loop.done, kept)
                    run.write_to(made)
                    reading.close()  # the new file has its own mark

                return run.take_steps(loop, take_over)

    def _restored(
        self, run: HybridRun, journal: str | PathLike[str], record: Record
    ) -> tuple[HybridLoop, list[str]]:
        """The loop of a test as its journal has left it, and the names of the physical specimens."""
        if run.updater is not None:
            run.updater.prepare_for_journal(journal, True)
        run.begin()
        parameters = None
        if record.steps:
            parameters = run.restore(record)
        else:
            run.set_back()
        physical = run.queue_known_answers(record)
        # with the parameters of the start: mass and damping stay what they were
        loop = HybridLoop(run, record)
        if parameters is not None:
            run.parameters[:] = parameters
        return loop, physical

    def _is_of_model(self, record: Record) -> bool:
        """Whether the model that a journal holds is the one of this test.

        Versions of femu compile a model to different constants, so those of a journal of an earlier
        version can differ although its model does not.
        """
        there = record.about.get("description", {}).get("toml")
        here = self.program.describe()["toml"]
        return bool(there and here) and toml_text.read(there) == toml_text.read(here)

    def stability(self, plants: Mapping[Name, Any] | None = None) -> Stability:
        """Whether the test is stable, by the eigenvalues of its linearised loop, and what would
        help if it is not.

        Emulated actuators and compensations are known. For a physical specimen ``plants`` has by
        element what its actuators do to a command: an `Actuator`, a `LinearSystem` from commands to
        reached strokes (or to strokes and forces), its four matrices, or an object with a method
        ``state_space(dt)``. A specimen counts with its own initial stiffness if it knows it, so a
        specimen that yields is not covered, and neither are estimators of the tangent.
        """
        return stability_of(self, plants)

    def check(self, record: Record | None = None) -> Findings | None:
        """What looks wrong, and whether the test is stable: a list of findings, which prints one
        line each.

        With the ``record`` of a journal: raise where it belongs to another test.
        """
        if record is None:
            return Findings(hooks.check_hybrid(self, True))
        self._must_be_of_this_test(record)
        return None

    def _must_be_of_this_test(self, record: Record) -> None:
        """Raise if a journal belongs to another test."""
        for key, value in self.describe().items():
            if record.about.get(key) != value and (key in record.about or key not in ADDED_LATER):
                if key == "compensations" and _renamed(record.about[key]) == value:
                    continue
                if key == "constants" and self._is_of_model(record):
                    continue
                raise InputError(
                    f"journal {record.path}",
                    key,
                    record.about.get(key),
                    f"must be {value!r}, as in this test",
                    "The model or the test has changed since the journal was written",
                )
        sizes = {str(n): e.specimen.size for n, e in self.elements.items()}
        if record.about["elements"] != sizes:
            raise InputError(
                f"journal {record.path}",
                "elements",
                record.about["elements"],
                f"must be {sizes}, with as many actuators as in this test",
            )
        if not np.array_equal(record.committed[:, 0], np.arange(1.0, record.steps + 1.0)):
            raise FileError(record.path, "is damaged: the steps in it do not follow each other")
        if not keeps(record, saved_places(self.program, self.save)):
            raise InputError(
                f"journal {record.path}",
                "save",
                self.save,
                "must not save more than the interrupted test saved: the journal keeps no more of "
                "every step",
                fix="resume the test with the Save that it was run with",
            )
        if (
            record.steps
            and record.record.shape[1]
            < HEAD + HybridRecord(self.program, self.elements, 0).rows.shape[1] + TAIL
        ):
            raise InputError(
                f"journal {record.path}",
                "record",
                record.record.shape[1],
                "has too few numbers a step",
                "The journal was written by another version of femu",
            )
        if not np.array_equal(record.parameters, self.program.parameters.vector):
            changed = [
                n
                for n, a, b in zip(
                    record.parameter_names,
                    record.parameters,
                    self.program.parameters.vector,
                    strict=True,
                )
                if a != b
            ]
            raise InputError(
                f"journal {record.path}", "parameters", changed, "must have the values of this test"
            )

    # --- pieces ---

    def _must_be_limited(self) -> None:
        for element in self.elements.values():
            element.must_be_limited()


def _each_its_own(what: str, parts: Mapping[Name, Any]) -> None:
    """Refuse what two elements share: it would take what one of them did for what the other did."""
    first: dict[int, Name] = {}
    for name, part in parts.items():
        if part is not None and first.setdefault(id(part), name) != name:
            raise InputError(
                "HybridTest",
                what,
                part,
                f"must not be the same object for {first[id(part)]!r} and {name!r}",
                fix="make one for each element",
            )


def _renamed(compensations: Any) -> Any:
    """Compensations of a journal, by their names of today."""
    if not isinstance(compensations, Mapping):
        return compensations
    return {
        name: f"{RENAMED[kind]}({rest}"
        if (kind := str(text).partition("(")[0]) in RENAMED
        else text
        for name, text in compensations.items()
        for rest in [str(text).partition("(")[2]]
    }


def _digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[
        :32
    ]
