"""What suites and incremental dynamic analyses share.

The plan, the records, the file, and how they are run.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from femu.batch.engine import BatchProgress, Feed, execute, refused
from femu.batch.exclusive import locked
from femu.batch.outcome import RunOutcome
from femu.batch.plan import Job, Plan, Task
from femu.batch.result import BatchResult
from femu.batch.results_file import NOT_A_BATCH, ResultsFile, is_batch
from femu.batch.runner import Demand, Runner, failure
from femu.batch.source import Record, RecordFile, read, record_fingerprint
from femu.batch.worker_pool import Worker, hands
from femu.records import GroundMotion
from femu.results.outcome import FailedAnalysis, are_failures_handled, stopped
from femu.results.progress import AMBIENCE
from femu.support.arguments import typed
from femu.support.environment import environment
from femu.support.errors import FemuError, FileError, InputError
from femu.support.users_line import warn

RECORDS_KEPT = 64  # records in memory at once; a longer list is read again as runs come to them


@dataclass(frozen=True)
class Batch(ABC):
    """A plan and the records it is run with."""

    plan: Plan
    records: Sequence[Record]

    def __post_init__(self) -> None:
        if not isinstance(self.plan, Plan):
            raise InputError("batch", "plan", self.plan, "must be a Plan")
        if not isinstance(self.records, (list, tuple)) or not self.records:
            raise InputError(
                "batch", "records", self.records, "must be a list of one record or more"
            )
        object.__setattr__(self, "records", tuple(self.records))
        for record in self.records:
            if not isinstance(record, (GroundMotion, RecordFile)):
                raise InputError(
                    "batch", "records", record, "must be a GroundMotion or a RecordFile"
                )

    # --- what differs between kinds of batches ---

    @abstractmethod
    def runs(self) -> dict[str, np.ndarray]:
        """Record, scale and parameter set of each run that the file has room for."""

    @abstractmethod
    def feed(self, file: ResultsFile) -> Feed:
        """The source of the jobs that are still to be done."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What else decides the content, as plain data for the file."""

    def sets(self) -> Sequence[Mapping[str, float]]:
        """Sets of parameters that the model is run with."""
        return ({},)

    # --- running ---

    @typed
    def run(
        self,
        path: str | PathLike[str],
        *,
        workers: int | None = None,
        on: str | Executor | Any = "processes",
        resume: bool = True,
        overwrite: bool = False,
        progress: BatchProgress | None = None,
        check: bool = True,
    ) -> BatchResult:
        """Do all runs and return what they found; ``path`` is the HDF5 file that takes the results
        as they come.

        ``workers``: how many at once, by default the number of cores. ``on``: "processes",
        "threads" of this process, a `concurrent.futures.Executor`, or a `dask.distributed.Client`.
        A file that holds the same batch is resumed: no run in it is repeated, and a finished
        batch is only opened. A file that holds anything else is refused. ``resume=False`` refuses
        any existing file; ``overwrite=True`` starts over and replaces a batch, never a journal
        or another file. Ctrl-C stops the batch, with all finished runs in the file, and the script:
        the KeyboardInterrupt has the `BatchResult` as its ``result``. Runs that failed are one
        `FailedAnalysis` warning. What looks wrong in the model, its loads and the step is also a
        warning, once for all runs, unless ``check=False``.
        """
        if progress is not None and not all(
            callable(getattr(progress, name, None)) for name in ("start", "advance", "finish")
        ):
            raise InputError(
                "batch", "progress", progress, "must have the methods start, advance and finish"
            )
        place = Path(path)
        file: ResultsFile | None = None
        shared = lru_cache(maxsize=1)(lambda: Runner(self.plan))
        if os.path.lexists(place):
            if not is_batch(place):
                raise FileError(place, NOT_A_BATCH)
            if not resume and not overwrite:
                raise FileError(
                    place,
                    "already exists. Resume it with resume=True (femu batch: --resume), start over "
                    "with overwrite=True (--overwrite), or choose another file name",
                )
            if overwrite:
                locked(place).close()  # refused before anything is computed
            else:
                file = self._reopened(place, shared())
                if self.feed(file).finished:
                    file.close()
                    if progress is None and not os.environ.get("FEMU_QUIET"):
                        print(
                            f"femu: {place} contains this batch, finished: opened, nothing "
                            "computed.",
                            file=sys.stderr,
                            flush=True,
                        )
                    return self._opened(place, progress)
        at_work: list[Worker] = []
        try:
            # processes start while this one compiles what is not in the cache
            at_work = hands(self.plan, workers, on, shared)
            runner = shared()
            runner.warm()
            if check:
                runner.question(self.records)
            file = file or self._created(place, runner, overwrite)
        except BaseException:
            for hand in at_work:
                hand.close()
            if file is not None:
                file.close()
            raise
        try:
            done = int(np.count_nonzero(file.outcome))
            counts = {
                "done": done,
                "failures": sum(RunOutcome(int(o)).failed for o in file.outcome),
            }
            if progress:
                progress.start(len(file.outcome), done)
            reader = _Reader(self.records, self.sets())

            def keep(task: Task, demand: Demand) -> None:
                file.put(task.number, demand, task.scale)
                counts["done"] += 1
                counts["failures"] += demand.outcome.failed
                if progress:
                    progress.advance(counts["done"], counts["failures"])

            finished = execute(self.feed(file), at_work, reader.job, keep)
        finally:
            file.close()
            if progress:
                progress.finish()
        found = BatchResult.load(path, stopped=not finished)
        if found.stopped:
            raise stopped(
                f"The batch was stopped by the user. {counts['done']} of {len(found)} runs are in "
                f"{place}; run it again to do the others.",
                found,
            )
        _warn_of_failures(found)
        return found

    def _opened(self, path: Path, progress: BatchProgress | None) -> BatchResult:
        found = BatchResult.load(path)
        if progress:
            progress.start(len(found), int(np.count_nonzero(found["outcome"])))
            progress.finish()
        _warn_of_failures(found)
        return found

    def _reopened(self, path: Path, runner: Runner) -> ResultsFile:
        return ResultsFile.reopen(path, self.fingerprint(runner), self.inputs(runner))

    def _created(self, path: Path, runner: Runner, overwrite: bool) -> ResultsFile:
        attributes = {
            "fingerprint": self.fingerprint(runner),
            "model": runner.program.name,
            "levels": json.dumps([str(node) for node in runner.levels]),
            "heights": np.array(
                [float(runner.program.coordinates[node][-1]) for node in runner.levels]
            ),
            "scale_by": self.plan.scale_by,
            "period": self.plan.period,
            "damping": self.plan.damping,
            "drift_limit": self.plan.drift_limit,
            "settings": json.dumps(self.settings(), sort_keys=True),
            "inputs": json.dumps(self.inputs(runner), sort_keys=True),
            "environment": json.dumps(environment(), sort_keys=True),
        }
        return ResultsFile.create(
            path,
            attributes,
            [record.name for record in self.records],
            self.sets(),
            len(runner.heights),
            self.runs(),
            overwrite,
        )

    def inputs(self, runner: Runner) -> dict[str, Any]:
        """What decides the numbers in the file, by name: short values, and digests of long ones."""
        found: dict[str, Any] = {
            "kind of batch": type(self).__name__,
            "number of records": len(self.records),
            "records": _digest([record_fingerprint(r) for r in self.records]),
        }
        found.update(
            {
                name: value if isinstance(value, (int, float, str)) else _digest(value)
                for name, value in self.settings().items()
                if name != "kind"
            }
        )
        found["parameter sets"] = _digest([sorted(values.items()) for values in self.sets()])
        return {**found, **self.plan.inputs(runner.program)}

    def fingerprint(self, runner: Runner) -> str:
        """Digest of all that decides the numbers in the file."""
        text = repr(
            (
                type(self).__name__,
                self.plan.fingerprint(runner.program),
                [record_fingerprint(r) for r in self.records],
                [sorted(values.items()) for values in self.sets()],
                json.dumps(self.settings(), sort_keys=True),
            )
        )
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def _warn_of_failures(found: BatchResult) -> None:
    failures = found.failures()
    if failures and not are_failures_handled():
        AMBIENCE.failed = True
        more = f" BatchResult.failures() has all {len(failures)}." if len(failures) > 1 else ""
        warn(
            FailedAnalysis(
                f"{len(failures)} of {len(found)} runs of the batch of {found.model!r} failed; "
                f"{failures[0]}{more}",
                found,
            )
        )


def _digest(value: Any) -> str:
    return "sha256 " + hashlib.sha256(repr(value).encode()).hexdigest()[:32]


class _Reader:
    """Makes jobs of tasks; keeps the last records it read, also the errors of those that were
    refused."""

    def __init__(self, records: Sequence[Record], sets: Sequence[Mapping[str, float]]) -> None:
        self._records, self._sets = records, sets
        self._kept: OrderedDict[int, GroundMotion | Demand] = OrderedDict()

    def job(self, task: Task) -> Job | Demand:
        if task.record not in self._kept:
            try:
                found: GroundMotion | Demand = read(self._records[task.record])
            except FileError as error:
                found = refused(error)
            except FemuError as error:
                found = failure(RunOutcome.INPUT_REFUSED, error)
            self._kept[task.record] = found
            if len(self._kept) > RECORDS_KEPT:
                self._kept.popitem(last=False)
        motion = self._kept[task.record]
        return (
            motion
            if isinstance(motion, Demand)
            else Job(task.number, motion, task.scale, self._sets[task.parameter_set])
        )
