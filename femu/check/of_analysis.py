"""Checks of an analysis before it runs: its step, its loads, its path, and the units of its
model.

Findings on the model are made once for each program, those on the analysis in every run. A warning
is shown once for each program; `Result.findings` has all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.check.axes import weak_axes
from femu.check.first_period import first_period, least_first_period
from femu.check.gravity import is_permanent, weights
from femu.check.of_hybrid_test import directions_without_mass
from femu.check.of_model import (
    PERIODS,
    check_units,
    damps_nothing,
    far_nodes,
    implausible,
    length_unit_of,
    mechanisms,
)
from femu.elements.beam_column import FrameElement
from femu.engine.program import Program
from femu.engine.state import State
from femu.model.element import ROTATIONS
from femu.model.findings import CheckWarning, Finding, Findings, as_warning
from femu.model.model import Model
from femu.model.series import Series
from femu.results.progress import AMBIENCE
from femu.support.errors import FemuError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
STEPS_IN_A_PERIOD = 10.0
MISSED = 0.1  # share of the peak of a record that its coarser samples may miss
FARTHEST_TURN = np.pi  # of a node that is turned
FARTHEST_PUSH = 3.0  # times the largest extent of the model
OVER_ONE = 1.0 + 1e-6
NUMBERS = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


@dataclass
class Memory:
    """What is known about a program, and what was reported."""

    source: Model | None = None  # that of the findings
    model: list[Finding] | None = None
    in_time: list[Finding] | None = None  # those that matter only if it moves in time
    least: tuple[float | None] | None = None  # lower bound of the first period
    # the parameters it belongs to, and the first period
    period: tuple[bytes, float | None] | None = None
    said: set[tuple[object, ...]] = field(default_factory=set)


def memory_of(program: Program) -> Memory:
    """The memory of a program; its reloaded copies share it."""
    known: Memory | None = program.__dict__.get("_checked")
    if known is None:
        known = program.__dict__["_checked"] = Memory()
    return known


def say(program: Program, found: list[Finding]) -> Findings:
    """Show the warnings among findings at the user's line, each once for a program whatever numbers
    are in it."""
    findings = Findings(found)
    if AMBIENCE.found is not None:
        AMBIENCE.found(program.name, findings)
    if not findings:
        return findings
    said = memory_of(program).said
    for finding in findings:
        key = (finding.objects, NUMBERS.sub("#", finding.message))
        if finding.severity != "note" and key not in said:
            said.add(key)
            warn(finding.message, CheckWarning)
    return findings


# --- the analyses ---


def check_transient(
    program: Program,
    dt: float,
    motions: Mapping[str, Series],
    start: State,
    parameters: Array | None,
    statics_first: bool = True,
) -> list[Finding]:
    """Findings of a response in time: on its step, and on patterns that load nothing.

    ``statics_first`` says whether a static analysis may go before it.
    """
    driven = bool(
        motions or program.imposed or any(series is not None for series in program.series)
    )
    return [
        *_of_model(program, True),
        *_never_applied(program, start, driven, statics_first=statics_first),
        *_steps(program, dt, motions, parameters),
    ]


def check_static(
    program: Program,
    start: State,
    pushed: str,
    node: Any = None,
    direction: str = "",
    path: Any = None,
) -> list[Finding]:
    """Findings of a static analysis of a ``pushed`` pattern.

    If it has a path, on that and on permanent loads that do not act.
    """
    found = _of_model(program, False)
    if path is not None:
        found += _never_applied(program, start, True, pushed)
    if path is not None and direction in program.translations:
        points = np.array(list(program.coordinates.values()))
        size = float(np.ptp(points, axis=0).max())
        most = float(np.abs(np.asarray(path, dtype=float)).max())
        if size > 0.0 and most > FARTHEST_PUSH * size:
            found.append(
                as_warning(
                    f"node {node!r} of {program.name!r} is pushed {most:.4g} along {direction}, "
                    f"{most / size:.3g} times the largest extent of the model, {size:.4g}: are "
                    "they in one unit? Fix: give the displacement in the unit of the coordinates.",
                    node,
                )
            )
    elif path is not None and direction in ROTATIONS:
        most = float(np.abs(np.asarray(path, dtype=float)).max())
        if most > FARTHEST_TURN:
            found.append(
                as_warning(
                    f"node {node!r} of {program.name!r} is turned by {most:.4g} about "
                    f"{direction[1:]}: rotations are in radians. Fix: give math.radians({most:g}) "
                    "if they are degrees.",
                    node,
                )
            )
    return found


def check_hybrid(test: Any, in_full: bool = False) -> list[Finding]:
    """Findings of a hybrid test: on its steps, on directions in which it is unstable, and on its
    loop; ``in_full`` also how far a stable loop is from instability."""
    # other analyses need not wait for what hybrid tests import
    from femu.check.of_stability import loop_of_test

    found = check_transient(
        test.program, test.transient.dt, test.motions, test.program.state(), None, False
    )
    bare = list(directions_without_mass(test))
    # the same instability, by its reason, is warned of once
    return [*found, *bare, *(loop_of_test(test, in_full) if in_full or not bare else ())]


# --- loads ---


def _never_applied(
    program: Program, start: State, driven: bool, pushed: str = "", statics_first: bool = True
) -> list[Finding]:
    """Patterns without series that do not act at the start.

    Permanent loads if none of them acts, and all patterns if nothing else moves the model.
    """
    model = program.source
    acting = [name for name, factor in start.factors.items() if factor != 0.0]
    idle = [
        name
        for row, (name, series) in enumerate(
            zip(program.pattern_names, program.series, strict=True)
        )
        if series is None
        and name in model.patterns
        and name != pushed
        and name not in acting
        and bool(np.any(program.nodal[row]) or np.any(program.member[row]))
    ]
    if idle and (driven or acting or np.any(start.vector)):
        permanent = {name for name in model.patterns if is_permanent(model, program, name)}
        # of several that are permanent some may be alternatives
        idle = [] if permanent & set(acting) else [name for name in idle if name in permanent]
    fix = (
        "run LoadControl(pattern={0!r}) first and give its result.state as start, or give the "
        "pattern a series."
        if statics_first
        else "give it a series with model.pattern({0!r}, series), for example one that rises "
        "slowly, Sampled([0.0, 0.5], [0.0, 1.0], hold=True) of femu.model.series."
    )
    return [
        as_warning(
            f"pattern {name!r} of {program.name!r} is never applied: it has no series, and its "
            f"factor is 0 at the start. Fix: {fix.format(name)}",
            name,
        )
        for name in idle
    ]


# --- the model ---


def _of_model(program: Program, moves: bool) -> list[Finding]:
    known = memory_of(program)
    model = program.source
    if known.source is not model:  # a program with other loads
        known.source, known.model = model, None
    if known.model is None:
        known.model = _kept(
            lambda: [
                *far_nodes(model),
                *weights(model, program, length_unit_of(model)),
                *weak_axes(model, program),
                *(check_units(model) if _is_a_frame(program) else ()),
            ]
        )
    if moves and known.in_time is None:
        known.in_time = _kept(
            lambda: [
                *_implausible_period(program),
                *_moves_freely(program),
                *damps_nothing(program),
            ]
        )
    return known.model + (known.in_time or []) if moves else list(known.model)


def _kept(question: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return [finding for finding in question() if finding.severity != "note"]
    # a question must not end an analysis
    except (FemuError, AttributeError, TypeError, np.linalg.LinAlgError):
        return []


def _is_a_frame(program: Program) -> bool:
    """Springs and bars alone may be an oscillator in numbers of its own."""
    return any(isinstance(element, FrameElement) for element in program.elements.values())


def _implausible_period(program: Program) -> list[Finding]:
    least = _least(program, None)
    if least is None or PERIODS[0] <= least <= PERIODS[1] or not _is_a_frame(program):
        return []
    period = _exactly(program, None)
    return list(implausible(period)) if period is not None else []


def _moves_freely(program: Program) -> list[Finding]:
    """Motions without resistance: with mass they do not end an analysis in time."""
    if _least(program, None) is not None or not _is_a_frame(program):
        return []
    return [replace(finding, severity="warning") for finding in mechanisms(program)]


# --- the step ---


def _least(program: Program, parameters: Array | None) -> float | None:
    """The lower bound of the first period, found once for a program."""
    known = memory_of(program)
    if known.least is None:
        known.least = (least_first_period(program, parameters),)
    return known.least[0]


def _exactly(program: Program, parameters: Array | None) -> float | None:
    """The first period, found once for the parameters asked for last."""
    known = memory_of(program)
    vector = program.parameters.vector if parameters is None else parameters
    digest = np.ascontiguousarray(vector).tobytes()
    if known.period is None or known.period[0] != digest:
        known.period = digest, first_period(program, vector)
    return known.period[1]


def _steps(
    program: Program, dt: float, motions: Mapping[str, Series], parameters: Array | None
) -> list[Finding]:
    found = []
    limit = dt * STEPS_IN_A_PERIOD / OVER_ONE
    least = _least(program, parameters)
    period = _exactly(program, parameters) if least is not None and limit > least else None
    if period is not None and limit > period:
        found.append(
            as_warning(
                f"dt = {dt:g} is longer than a tenth of the first period of {program.name!r}, "
                f"{period:.4g}: its response is not resolved. Fix: take dt = "
                f"{_round_down(period / (2.0 * STEPS_IN_A_PERIOD)):g} or less."
            )
        )
    for direction, motion in motions.items():
        step, samples = getattr(motion, "dt", None), getattr(motion, "acceleration", None)
        if step is None or samples is None or dt <= step * OVER_ONE:
            continue
        missed = _missed(np.asarray(samples), step, dt)
        if missed > MISSED:
            found.append(
                as_warning(
                    f"dt = {dt:g} is longer than the step of the motion "
                    f"{getattr(motion, 'name', direction)!r}, {step:g}: the analysis does not see "
                    f"what lies between, up to {100 * missed:.0f} % of its peak. Fix: take dt = "
                    f"{step:g}, or resample the motion."
                )
            )
    return found


def _missed(samples: Array, step: float, dt: float) -> float:
    """Largest difference between a record and straight lines through its samples at a longer step,
    over its peak."""
    peak = float(np.abs(samples).max())
    times = step * np.arange(len(samples))
    coarse = np.arange(0.0, times[-1] + dt, dt)
    seen = np.interp(times, coarse, np.interp(coarse, times, samples))
    return float(np.abs(seen - samples).max()) / peak if peak > 0.0 else 0.0


def _round_down(value: float) -> float:
    """To 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(m for m in (1.0, 2.0, 5.0) if m * power <= value * OVER_ONE))
