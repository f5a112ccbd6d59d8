"""Running cases: femu here, openseespy in another process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from femu.analyses import Transient
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, STATIC, Case, Limit, ModelCase, Prepared, Verdict
from femu.opensees.comparison.peer import JOB_SECONDS, Peer
from femu.opensees.comparison.remainder import left_by_tests
from femu.opensees.translation.translate import Stage
from femu.support.arguments import typed
from femu.support.errors import AnalysisError, InputError, UnsupportedError

PROCESSES, MOST_PROCESSES = 2, 64


@typed
def run_cases(
    cases: Iterable[Case],
    *,
    seconds: float = JOB_SECONDS,
    processes: int = PROCESSES,
    seen: Callable[[str], None] | None = None,
) -> list[Verdict]:
    """Verdicts of cases, in their order. femu runs a case while openseespy runs those before, in
    its ``processes``.

    A case that cannot be compared has a message instead of differences; it does not stop the
    others. ``seen`` is called with the name of each case as it begins.
    """
    if not 1 <= processes <= MOST_PROCESSES:
        raise InputError(
            "run_cases",
            "processes",
            processes,
            f"must be a whole number from 1 to {MOST_PROCESSES}",
        )
    if not seconds > 0.0:
        raise InputError("run_cases", "seconds", seconds, "must be above 0")
    cases = list(cases)
    for case in cases:
        if not isinstance(case, Case):
            raise InputError("run_cases", "cases", case, "must be a Case")
    peers = [Peer(seconds) for _ in range(processes)]
    idle: SimpleQueue[Peer] = SimpleQueue()
    for peer in peers:
        idle.put(peer)

    def compare(case: Case, prepared: Prepared) -> Verdict:
        peer = idle.get()
        try:
            return case.verdict(prepared, peer.ask(prepared.job))
        finally:
            idle.put(peer)

    made: list[Verdict | Future[Verdict]] = []
    try:
        with ThreadPoolExecutor(max_workers=processes) as pool:
            for case in cases:
                if seen:
                    seen(case.name)
                try:
                    made.append(pool.submit(compare, case, case.prepare()))
                except (UnsupportedError, AnalysisError) as problem:
                    made.append(Verdict(case, message=str(problem)))
            return [v if isinstance(v, Verdict) else v.result() for v in made]
    finally:
        for peer in peers:
            peer.close()


@typed
def crossvalidate(
    model: Model,
    analysis: Any,
    motion: Any = None,
    *,
    duration: float | None = None,
    seconds: float = JOB_SECONDS,
) -> Verdict:
    """Compare one model and analysis with openseespy; in a sequence of analyses each continues
    from the one before.

    ::

        verdict = crossvalidate(frame, Transient(Newmark(), dt=0.01), GroundMotion.el_centro())
        print(verdict.worst)

    ``motion`` and ``duration`` are those of the transient analyses; an analysis with others is
    given as a `Stage`.

    Raises `Untranslatable` if OpenSees has no equivalent of a part of the model, and
    `AnalysisError` if one of the two programs did not finish. What the convergence tests leave,
    measured in each program, adds to the limit (``verdict.left``; see
    `femu.opensees.comparison.remainder`). A part with only an approximate equivalent in OpenSees is
    named in ``verdict.notes``, and no limit is set.
    """
    stages = _stages(analysis, motion, duration)
    limit = DYNAMIC if any(s.transient for s in stages) else STATIC
    case = ModelCase(model.name, lambda: model, stages, limit=limit)
    prepared = case.prepare()
    if prepared.notes:
        case = ModelCase(
            model.name, lambda: model, stages, limit=Limit(), reason=" ".join(prepared.notes)
        )
    with Peer(seconds) as peer:
        answer = peer.ask(prepared.job)
        verdict = case.verdict(prepared, answer)
        if verdict.message:
            raise AnalysisError(verdict.message)
        if not verdict.ok:
            verdict = replace(verdict, left=left_by_tests(case, prepared, answer, peer))
    return verdict


def _stages(analysis: Any, motion: Any, duration: float | None) -> list[Stage]:
    """An analysis, or a sequence of analyses or stages, as stages."""
    given = list(analysis) if isinstance(analysis, (list, tuple)) else [analysis]
    if not given:
        raise InputError(
            "crossvalidate",
            "analysis",
            analysis,
            "must not be empty",
            fix="give for example LoadControl(pattern='gravity')",
        )
    stages = []
    for one in given:
        if not isinstance(one, Stage) and not hasattr(one, "run"):
            raise InputError(
                "crossvalidate",
                "analysis",
                one,
                "must be a static or transient analysis, or a sequence of them",
            )
        alone = len(given) == 1  # a static analysis refuses a motion itself
        stages.append(
            one
            if isinstance(one, Stage)
            else Stage(one, motion, duration)
            if alone or isinstance(one, Transient)
            else Stage(one)
        )
    return stages
