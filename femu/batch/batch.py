"""What suites and incremental dynamic analyses share: the plan, the records, the file, and how they are run."""

from __future__ import annotations

import hashlib
import json
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

from femu.arguments import typed
from femu.batch.engine import BatchProgress, Feed, execute, refused
from femu.batch.hands import hands
from femu.batch.outcome import RunOutcome
from femu.batch.plan import Job, Plan, Task
from femu.batch.result import BatchResult
from femu.batch.results_file import ResultsFile
from femu.batch.runner import Demand, Runner, failure
from femu.batch.source import Record, RecordFile, read, record_fingerprint
from femu.errors import FemuError, FileError, InputError
from femu.records import GroundMotion

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
            raise InputError("batch", "records", self.records, "must be a list of one record or more")
        object.__setattr__(self, "records", tuple(self.records))
        for record in self.records:
            if not isinstance(record, (GroundMotion, RecordFile)):
                raise InputError("batch", "records", record, "must be a GroundMotion or a RecordFile")

    # --- what kinds of batches differ in ---

    @abstractmethod
    def runs(self) -> dict[str, np.ndarray]:
        """Record, scale and parameter set of each run that the file has room for."""

    @abstractmethod
    def feed(self, file: ResultsFile) -> Feed:
        """Where the jobs come from that are not done yet."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What else decides the content, as plain data for the file."""

    def sets(self) -> Sequence[Mapping[str, float]]:
        """Sets of parameters that the model is run with."""
        return ({},)

    # --- running ---

    @typed
    def run(self, path: str | PathLike[str], *, workers: int | None = None, on: str | Executor | Any = "processes",
            resume: bool = False, progress: BatchProgress | None = None) -> BatchResult:
        """Do all runs and return what they found; ``path`` is the HDF5 file that takes the results as they come.

        ``workers``: how many at once, as many as there are cores if left out. ``on``: "processes", "threads" of this
        process, a `concurrent.futures.Executor`, or a `dask.distributed.Client`. ``resume``: go on with the file if it is
        there; no run in it is done again. Ctrl-C stops the batch, with all finished runs in the file.
        """
        if progress is not None and not all(callable(getattr(progress, name, None)) for name in ("start", "advance", "finish")):
            raise InputError("batch", "progress", progress, "must have the methods start, advance and finish")
        shared = lru_cache(maxsize=1)(lambda: Runner(self.plan))
        at_work = hands(self.plan, workers, on, shared)  # processes load while this one compiles what the cache lacks
        try:
            runner = shared()
            runner.warm()
            file = self._file(path, resume, runner)
        except BaseException:
            for hand in at_work:
                hand.close()
            raise
        try:
            done = int(np.count_nonzero(file.outcome))
            counts = {"done": done, "failures": sum(RunOutcome(int(o)).failed for o in file.outcome)}
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
        return BatchResult.load(path, stopped=not finished)

    def _file(self, path: str | PathLike[str], resume: bool, runner: Runner) -> ResultsFile:
        fingerprint = self.fingerprint(runner)
        if resume and Path(path).exists():
            return ResultsFile.reopen(path, fingerprint)
        attributes = {"fingerprint": fingerprint, "model": runner.program.name,
                      "levels": json.dumps([str(node) for node in runner.levels]),
                      "heights": np.array([float(runner.program.coordinates[node][-1]) for node in runner.levels]),
                      "scale_by": self.plan.scale_by, "period": self.plan.period, "damping": self.plan.damping,
                      "drift_limit": self.plan.drift_limit, "settings": json.dumps(self.settings(), sort_keys=True)}
        return ResultsFile.create(path, attributes, [record.name for record in self.records], self.sets(),
                                  len(runner.heights), self.runs())

    def fingerprint(self, runner: Runner) -> str:
        """Digest of all that decides the numbers in the file."""
        text = repr((type(self).__name__, self.plan.fingerprint(runner.program), [record_fingerprint(r) for r in self.records],
                     [sorted(values.items()) for values in self.sets()], json.dumps(self.settings(), sort_keys=True)))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class _Reader:
    """Makes jobs of tasks; keeps the last records it read, also the errors of those that were refused."""

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
        return motion if isinstance(motion, Demand) else Job(task.number, motion, task.scale, self._sets[task.parameter_set])
