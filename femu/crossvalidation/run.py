"""Running cases: femu here, openseespy in a process beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from femu.crossvalidation.book import Untranslatable
from femu.crossvalidation.case import DYNAMIC, STATIC, Case, Limit, ModelCase, Prepared, Verdict
from femu.crossvalidation.peer import JOB_SECONDS, Answer, run_jobs
from femu.crossvalidation.translate import Stage
from femu.errors import AnalysisError, FemuError
from femu.model import Model

CASES_A_PROCESS = 10


def run_cases(cases: Iterable[Case], *, seconds: float = JOB_SECONDS, seen: Callable[[str], None] | None = None) -> list[Verdict]:
    """Verdicts of cases, in their order. femu runs one lot of cases while openseespy runs the lot before.

    A case that cannot be compared has a message instead of differences; it does not stop the others. ``seen`` is
    told the name of each case as it begins.
    """
    verdicts: list[Verdict | None] = []
    waiting: list[tuple[list[int], list[Prepared], Future[list[Answer]]]] = []
    chosen = list(cases)
    with ThreadPoolExecutor(max_workers=1) as pool:
        for start in range(0, len(chosen), CASES_A_PROCESS):
            numbers, prepared = [], []
            for number in range(start, min(start + CASES_A_PROCESS, len(chosen))):
                verdicts.append(None)
                if seen:
                    seen(chosen[number].name)
                try:
                    made = chosen[number].prepare()
                except (FemuError, RuntimeError) as problem:
                    verdicts[number] = Verdict(chosen[number], message=str(problem))
                else:
                    numbers.append(number)
                    prepared.append(made)
            waiting.append((numbers, prepared, pool.submit(run_jobs, [p.job for p in prepared], seconds)))
        for numbers, prepared, future in waiting:
            for number, made, answer in zip(numbers, prepared, future.result(), strict=True):
                verdicts[number] = chosen[number].verdict(made, answer)
    return [v for v in verdicts if v is not None]


def crossvalidate(model: Model, analysis: Any, motion: Any = None, *, duration: float | None = None,
                  seconds: float = JOB_SECONDS) -> Verdict:
    """Compare one model and analysis (or a sequence of `Stage`) with openseespy.

    ::

        verdict = crossvalidate(frame, Transient(Newmark(), dt=0.01), GroundMotion.el_centro())
        print(verdict.worst)

    Raises `Untranslatable` where OpenSees has no equivalent of a part of the model, and `AnalysisError` where one of
    the two programs did not get through. A part that OpenSees has only something near for is named in
    ``verdict.notes``, and no limit is set.
    """
    stages: Sequence[Stage] = list(analysis) if isinstance(analysis, (list, tuple)) else [Stage(analysis, motion, duration)]
    limit = DYNAMIC if any(s.transient for s in stages) else STATIC
    case = ModelCase(model.name, lambda: model, stages, limit=limit)
    prepared = case.prepare()
    if prepared.notes:
        case = ModelCase(model.name, lambda: model, stages, limit=Limit(), reason=" ".join(prepared.notes))
    (answer,) = run_jobs([prepared.job], seconds)
    verdict = case.verdict(prepared, answer)
    if verdict.message:
        raise AnalysisError(verdict.message)
    return verdict


__all__ = ["Untranslatable", "crossvalidate", "run_cases"]
