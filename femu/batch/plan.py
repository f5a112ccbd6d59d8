"""The plan of a batch: everything a worker needs except the record, small and the same for all
runs."""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import NamedTuple

from femu.analyses import LoadControl, Newmark, Transient
from femu.analyses.inputs import must_not_have_specimens
from femu.batch.source import ModelSource
from femu.engine.program import Program
from femu.model.element import Name
from femu.model.model import Model
from femu.model.parameters import finite
from femu.records import GroundMotion
from femu.support.errors import InputError

MEASURES = ("factor", "pga", "sa")


@dataclass(frozen=True)
class Plan:
    """How each run is done.

    ``gravity`` is a static analysis done first (its state is kept for all runs with the same
    parameters). ``storeys`` names a node at each level, from the ground up; by default the leftmost
    node of each level is taken. ``drift_limit`` ends a run when a storey drift ratio reaches it.
    ``scale_by`` says what the scales of the batch are: a ``factor`` on the record, a ``pga``
    (m/s²), or the pseudo-acceleration ``sa`` (m/s²) at ``period``. ``rest`` seconds of still ground
    follow each record, so that what remains can be read. ``time_limit`` is in seconds of wall clock
    for each run, ``iteration_limit`` in iterations of each run; the limit for a single step
    is in the analysis.
    """

    model: Model | ModelSource
    analysis: Transient = field(default_factory=lambda: Transient(Newmark(), dt=0.01))
    gravity: LoadControl | None = None
    storeys: tuple[Name, ...] | None = None
    drift_limit: float = 0.10
    scale_by: str = "factor"
    period: float = 1.0
    damping: float = 0.05
    rest: float = 0.0
    time_limit: float = 600.0
    iteration_limit: float = math.inf

    def __post_init__(self) -> None:
        if not isinstance(self.model, (Model, ModelSource)):
            raise InputError("batch", "model", self.model, "must be a Model or a ModelSource")
        if isinstance(self.model, Model):
            must_not_have_specimens(self.model, "a batch")
        if not isinstance(self.analysis, Transient):
            raise InputError("batch", "analysis", self.analysis, "must be a Transient")
        if self.gravity is not None and not isinstance(self.gravity, LoadControl):
            raise InputError("batch", "gravity", self.gravity, "must be a LoadControl")
        if not finite(self.damping) or not 0.0 <= self.damping < 1.0:
            raise InputError(
                "batch",
                "damping",
                self.damping,
                "must lie from 0 to below 1",
                fix="write 0.05 for 5 %",
            )
        if not isinstance(self.scale_by, str) or self.scale_by not in MEASURES:
            raise InputError(
                "batch", "scale_by", self.scale_by, f"must be one of {', '.join(MEASURES)}"
            )
        for name in ("drift_limit", "period", "time_limit", "iteration_limit"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0.0:
                raise InputError("batch", name, value, "must be above 0")
        if not (
            isinstance(self.rest, (int, float)) and math.isfinite(self.rest) and self.rest >= 0.0
        ):
            raise InputError("batch", "rest", self.rest, "must not be negative")
        if self.storeys is not None:
            listed = isinstance(self.storeys, Iterable) and not isinstance(
                self.storeys, (str, bytes)
            )
            if not listed or not all(isinstance(name, (int, str)) for name in self.storeys):
                raise InputError("batch", "storeys", self.storeys, "must be names of nodes")
            object.__setattr__(self, "storeys", tuple(self.storeys))

    def compile(self) -> Program:
        """The program of the model."""
        model = self.model.build() if isinstance(self.model, ModelSource) else self.model
        program = model.compile()
        must_not_have_specimens(program, "a batch")
        return program

    def levels(self, program: Program) -> tuple[Name, ...]:
        """A node at each level, from the ground up."""
        if self.storeys is not None:
            for node in self.storeys:
                program.dof(node, "x")
            found = self.storeys
        else:
            by_height: dict[float, tuple[float, Name]] = {}
            for node, point in program.coordinates.items():
                x, y = point[0], point[-1]  # along and up: y in the plane, z in space
                if (node, "x") in program.numbering.place and (
                    y not in by_height or x < by_height[y][0]
                ):
                    by_height[float(y)] = (float(x), node)
            found = tuple(node for _, (_, node) in sorted(by_height.items()))
        heights = [float(program.coordinates[node][-1]) for node in found]
        if len(found) < 2 or any(b <= a for a, b in pairwise(heights)):
            raise InputError(
                "batch", "storeys", found, "must be two nodes or more, each above the one before"
            )
        return found

    def fingerprint(self, program: Program) -> str:
        """Digest of everything that determines the numbers of a run, except its record."""
        digest = hashlib.sha256()
        for array in (
            program.parameters.vector,
            program.geometry,
            program.geometry_starts,
            program.nodal,
            program.member,
        ):
            digest.update(array.tobytes())
        analysis = replace(self.analysis, limits=())
        text = repr(
            (
                program.digest,
                analysis,
                self.analysis.limits,
                self.gravity,
                self.levels(program),
                self.drift_limit,
                self.scale_by,
                self.period,
                self.damping,
                self.rest,
                self.time_limit,
                self.iteration_limit,
            )
        )
        digest.update(text.encode())
        return digest.hexdigest()[:32]

    def inputs(self, program: Program) -> dict[str, str]:
        """What determines the numbers of a run except its record, by name."""
        described = program.describe()
        kinds = [
            (type(element).__qualname__, element.nodes) for element in program.elements.values()
        ]
        arrays = (
            program.parameters.vector,
            program.geometry,
            program.geometry_starts,
            program.nodal,
            program.member,
        )
        model = (program.digest, [array.tobytes() for array in arrays], described["toml"] or kinds)
        parts = {
            f"analysis.{one.name}": repr(getattr(self.analysis, one.name))
            for one in fields(self.analysis)
        }
        names = (
            "gravity",
            "drift_limit",
            "scale_by",
            "period",
            "damping",
            "rest",
            "time_limit",
            "iteration_limit",
        )
        parts.update({name: repr(getattr(self, name)) for name in names})
        parts["storeys"] = repr(self.levels(program))
        parts["model"] = "sha256 " + hashlib.sha256(repr(model).encode()).hexdigest()[:32]
        return parts

    def packed(self) -> bytes:
        """The plan as bytes that another process can read."""
        try:
            content = pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as problem:
            raise InputError(
                "batch",
                "model",
                self.model,
                f"must be something that can be sent to worker processes ({problem})",
                fix="use on='threads', or build the model in a file of its own (ModelSource)",
            ) from None
        if b"__main__" in content:
            raise InputError(
                "batch",
                "model",
                self.model,
                "uses a class that is defined in the script itself, which worker processes cannot "
                "find",
                fix="put the class in a file of its own, or use on='threads'",
            )
        return content


class Job(NamedTuple):
    """One run: the record as it was read, the scale, and the parameters that differ from the
    model's."""

    number: int
    motion: GroundMotion
    scale: float
    parameters: Mapping[str, float]


class Task(NamedTuple):
    """One run before its record is read: numbers into the lists of the batch."""

    number: int
    """Place of the run in the file."""
    record: int
    scale: float
    parameter_set: int


def parameter_digest(parameters: Mapping[str, float] | Sequence[float]) -> str:
    """Digest of a set of parameters."""
    return repr(sorted(parameters.items()) if isinstance(parameters, Mapping) else list(parameters))
