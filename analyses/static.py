"""Static analyses: load control, displacement control and arc length, on one march."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import code
from femu.analyses.algorithms import Algorithm, Newton
from femu.analyses.convergence import RelativeUnbalance, Test
from femu.analyses.inputs import (
    MOST_STEPS,
    as_program,
    check_means,
    must_be_true_or_false,
    must_not_have_specimens,
    starting,
    what_to_save,
)
from femu.analyses.limits import Limit, install_limits
from femu.analyses.newton_step import march
from femu.analyses.policy import Policy
from femu.analyses.step_driver import StepDriver, Steps
from femu.engine.program import Program
from femu.engine.run_settings import Settings
from femu.engine.state import State
from femu.engine.workspace import Workspace
from femu.model.element import Name
from femu.model.model import DEFAULT_PATTERN, Model
from femu.model.parameters import finite
from femu.results.progress import Progress
from femu.results.result import Result
from femu.results.save import Save
from femu.support import hooks
from femu.support.errors import AnalysisError, InputError
from femu.support.keywords import must_be_words

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Static:
    algorithm: Algorithm = field(default_factory=Newton, kw_only=True)
    test: Test = field(default_factory=RelativeUnbalance, kw_only=True)
    policy: Policy = field(default_factory=Policy, kw_only=True)
    limits: tuple[Limit, ...] = field(default=(), kw_only=True)
    pattern: str = field(default=DEFAULT_PATTERN, kw_only=True)

    def __post_init__(self) -> None:
        check_means(type(self).__name__, self.algorithm, self.test, self.policy, self.limits)
        if not isinstance(self.pattern, str):
            raise InputError(
                type(self).__name__, "pattern", self.pattern, "must be the name of a pattern"
            )

    def _march(
        self,
        model: Model | Program,
        start: State | None,
        save: Save | None,
        parameters: Array | None,
        progress: Progress | None,
        check: bool,
        control: int,
        increments: Array,
        dof: int = 0,
        weight: float = 0.0,
        **place: Any,
    ) -> Result:
        program = as_program(model)
        must_not_have_specimens(program, type(self).__name__)
        must_be_true_or_false(f"{type(self).__name__}.run", check)
        if self.pattern not in program.pattern_names:
            raise InputError(
                type(self).__name__,
                "pattern",
                self.pattern,
                "must be one of the model's patterns: "
                f"{', '.join(program.pattern_names[:-2]) or 'none'}",
                fix="add loads with model.load(..., pattern=...)",
            )
        row = program.pattern_names.index(self.pattern)
        if not np.any(program.nodal[row, : program.neq]) and not (
            control == code.LOAD and np.any(program.member[row])
        ):
            raise AnalysisError(
                f"pattern {self.pattern!r} of {program.name!r} has no nodal load on a free degree "
                "of freedom, so there is nothing to control."
            )
        if control != code.LOAD and np.any(program.member[row]):
            raise AnalysisError(
                f"pattern {self.pattern!r} has member loads: displacement and arc-length control "
                "take nodal loads only. Put the member loads into a pattern of their own and hold "
                "it."
            )
        state = starting(program, start)
        findings = (
            hooks.show_findings(program, hooks.check_static(program, state, self.pattern, **place))
            if check
            else ()
        )
        run = Workspace(program, state, parameters)
        settings = run.fields.settings = Settings()
        run.fields.follows_series = np.zeros(len(program.pattern_names), dtype=np.int64)
        run.fields.rate_dependent = int(program.rate_dependent or bool(np.any(program.member[row])))
        run.hold_imposed()  # moving supports stay where they are
        install_limits(run, self.limits)

        def install(run: Workspace) -> None:
            settings.control, settings.pattern, settings.controlled_dof = (
                control,
                row,
                dof,
            )
            settings.alpha_f = settings.alpha_m = 1.0
            settings.arc_weight = weight
            run.fields.increments = increments

        def divide(run: Workspace, step: int, parts: int) -> None:
            run.fields.increments = np.full(parts, increments[step] / parts)

        marcher = StepDriver(
            run,
            march,
            Steps(len(increments), install, divide),
            self.algorithm,
            self.test,
            self.policy,
            what_to_save(save, Save(velocity=False, acceleration=False)),
            progress,
            f"{program.name}: {type(self).__name__}",
        )
        outcome = marcher.go()
        return Result.of(marcher, outcome, "static", findings)


@dataclass(frozen=True)
class LoadControl(_Static):
    """Raise the factor of a load pattern to ``factor`` in equal ``steps``; it is held from then on.

    ::

        gravity = LoadControl(pattern="gravity").run(frame)
        Transient().run(frame, quake, start=gravity.state)
    """

    factor: float = 1.0
    steps: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps("LoadControl", self.steps)
        if not (isinstance(self.factor, (int, float)) and math.isfinite(self.factor)):
            raise InputError("LoadControl", "factor", self.factor, "must be a finite number")

    def run(
        self,
        model: Model | Program,
        *,
        start: State | None = None,
        save: Save | None = None,
        parameters: Array | None = None,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Result:
        """Run from ``start`` (which is not changed), or from the virgin state.

        ``check=False`` questions nothing.
        """
        program = as_program(model)
        before = starting(program, start).factors.get(self.pattern, 0.0)
        increments = np.full(self.steps, (self.factor - before) / self.steps)
        return self._march(program, start, save, parameters, progress, check, code.LOAD, increments)


@dataclass(frozen=True)
class DisplacementControl(_Static):
    """Lead the displacement of one node along ``path``, scaling a load pattern as needed.

    ``path`` lists target displacements (from the undeformed position) to be visited in turn; steps
    are at most ``step`` long. Cyclic protocols are paths that turn back. The load factor is an
    unknown: peaks are passed.
    """

    node: Name
    direction: str
    path: Sequence[float]
    step: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_place("DisplacementControl", self.node, self.direction)
        if not (
            isinstance(self.step, (int, float)) and math.isfinite(self.step) and self.step > 0.0
        ):
            raise InputError("DisplacementControl", "step", self.step, "must be above 0")
        try:
            targets = np.atleast_1d(np.asarray(self.path, dtype=float))
        except (TypeError, ValueError):
            targets = np.zeros(0)
        if targets.ndim != 1 or not len(targets) or not np.isfinite(targets).all():
            raise InputError(
                "DisplacementControl", "path", self.path, "must be one or more finite displacements"
            )

    def run(
        self,
        model: Model | Program,
        *,
        start: State | None = None,
        save: Save | None = None,
        parameters: Array | None = None,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Result:
        """Run from ``start`` (which is not changed), or from the virgin state.

        ``check=False`` questions nothing.
        """
        program = as_program(model)
        dof = program.dof(self.node, self.direction)
        if dof >= program.neq:
            raise InputError(
                "DisplacementControl",
                "node, direction",
                (self.node, self.direction),
                "must be free to move",
            )
        at = starting(program, start).displacement(self.node, self.direction)
        increments: list[float] = []
        for target in np.atleast_1d(np.asarray(self.path, dtype=float)):
            parts = max(math.ceil(abs(target - at) / self.step - 1e-9), 1)
            if len(increments) + parts > MOST_STEPS:
                raise InputError(
                    "DisplacementControl",
                    "path",
                    self.path,
                    f"must be at most {MOST_STEPS} steps of {self.step:g}",
                )
            if target != at:
                increments += [(target - at) / parts] * parts
            at = float(target)
        if not increments:
            raise InputError(
                "DisplacementControl", "path", self.path, "must lead away from where the node is"
            )
        return self._march(
            program,
            start,
            save,
            parameters,
            progress,
            check,
            code.DISPLACEMENT,
            np.array(increments),
            dof,
            node=self.node,
            direction=self.direction,
            path=self.path,
        )


def Pushover(
    node: Name, to: float, *, direction: str = "x", steps: int = 100, **options: object
) -> DisplacementControl:
    """Push a node monotonically to a displacement in equal steps; see `DisplacementControl`."""
    must_be_words("Pushover", options, ["direction", "steps", *(f.name for f in fields(_Static))])
    _check_steps("Pushover", steps)
    _check_place("Pushover", node, direction)
    if not (isinstance(to, (int, float)) and math.isfinite(to) and to != 0.0):
        raise InputError("Pushover", "to", to, "must be a finite displacement other than 0")
    return DisplacementControl(node, direction, [to], abs(to) / steps, **options)  # type: ignore[arg-type]


def protocol(amplitudes: Iterable[float], cycles: int = 1) -> list[float]:
    """Path of a cyclic protocol.

    Each amplitude visited in both directions ``cycles`` times, ending at zero.
    """
    _check_steps("protocol", cycles, "cycles")
    path: list[float] = []
    given: list[Any] = list(amplitudes) if isinstance(amplitudes, Iterable) else [amplitudes]
    if (
        not isinstance(amplitudes, Iterable)
        or isinstance(amplitudes, (str, bytes))
        or not all(map(finite, given))
    ):
        raise InputError("protocol", "amplitudes", amplitudes, "must be finite numbers")
    for amplitude in given:
        path += [float(amplitude), -float(amplitude)] * cycles
    return [*path, 0.0]


@dataclass(frozen=True)
class ArcLength(_Static):
    """Follow the equilibrium path by steps of a given ``arc``, through limit points and snaps.

    Each step ends where ``|du|^2 + weight dlambda^2 = arc^2`` (Crisfield 1981). ``weight`` 0 is the
    cylindrical form. OpenSees: ``ArcLength arc weight``.
    """

    arc: float
    steps: int
    weight: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps("ArcLength", self.steps)
        for name in ("arc", "weight"):
            value = getattr(self, name)
            zero = name == "weight" and value == 0.0
            if not (
                isinstance(value, (int, float)) and math.isfinite(value) and (value > 0.0 or zero)
            ):
                raise InputError(
                    "ArcLength",
                    name,
                    value,
                    "must be above 0" if name == "arc" else "must not be negative",
                )

    def run(
        self,
        model: Model | Program,
        *,
        start: State | None = None,
        save: Save | None = None,
        parameters: Array | None = None,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Result:
        """Run from ``start`` (which is not changed), or from the virgin state.

        The first step raises the load.
        """
        return self._march(
            model,
            start,
            save,
            parameters,
            progress,
            check,
            code.ARC_LENGTH,
            np.full(self.steps, float(self.arc)),
            weight=float(self.weight),
        )


def _check_steps(what: str, steps: int, argument: str = "steps") -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise InputError(what, argument, steps, f"must be a whole number from 1 to {MOST_STEPS}")


def _check_place(what: str, node: Name, direction: str) -> None:
    if not isinstance(node, (int, str)) or isinstance(node, bool):
        raise InputError(what, "node", node, "must be the name of a node")
    if not isinstance(direction, str):
        raise InputError(what, "direction", direction, "must be the name of a direction")
