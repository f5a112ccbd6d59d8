"""A suite: one model with every record, at every scale, with every set of parameters."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from femu.batch.batch import Batch
from femu.batch.plan import Task
from femu.batch.results_file import ResultsFile
from femu.batch.runner import Demand
from femu.model.parameters import finite
from femu.support.errors import InputError


@dataclass(frozen=True)
class Suite(Batch):
    """Runs for records × scales × parameter sets, in this order, made one by one as workers ask for
    them.

    ::

        plan = Plan(model, gravity=LoadControl(pattern="gravity"), scale_by="sa", period=0.9)
        found = Suite(plan, [GroundMotion.el_centro(), RecordFile("a.AT2")], scales=[1.0, 2.0]).run("suite.h5")
        found.to_pandas()

    ``parameter_sets``: each a mapping of parameter names, or patterns with ``*``, to values; an
    empty one is the model as it is. Damping coefficients that follow from a ratio stay those of the
    model as it was built.
    """

    scales: Sequence[float] = (1.0,)
    parameter_sets: Sequence[Mapping[str, float]] = ({},)

    def __post_init__(self) -> None:
        super().__post_init__()
        scales, sets = self.scales, self.parameter_sets
        if (
            not isinstance(scales, (Sequence, np.ndarray))
            or not len(scales)
            or not all(map(finite, scales))
        ):
            raise InputError("Suite", "scales", scales, "must be one finite number or more")
        if (
            not isinstance(sets, Sequence)
            or isinstance(sets, str)
            or not all(isinstance(p, Mapping) for p in sets)
        ):
            raise InputError("Suite", "parameter_sets", sets, "must be tables of values by name")
        object.__setattr__(self, "scales", tuple(float(s) for s in scales))
        object.__setattr__(self, "parameter_sets", tuple(dict(p) for p in sets))
        if self.plan.scale_by != "factor" and min(self.scales) <= 0.0:
            raise InputError(
                "Suite",
                "scales",
                self.scales,
                f"must be above 0, as they are values of {self.plan.scale_by}",
            )
        if not self.parameter_sets:
            raise InputError(
                "Suite",
                "parameter_sets",
                self.parameter_sets,
                "must be one set or more",
                fix="give [{}] to change nothing",
            )

    def __len__(self) -> int:
        return len(self.records) * len(self.scales) * len(self.parameter_sets)

    def tasks(self) -> Iterator[Task]:
        """All runs, one by one."""
        index = 0
        for record in range(len(self.records)):
            for scale in self.scales:
                for chosen in range(len(self.parameter_sets)):
                    yield Task(index, record, scale, chosen)
                    index += 1

    def sets(self) -> Sequence[Mapping[str, float]]:
        return self.parameter_sets

    def runs(self) -> dict[str, np.ndarray]:
        records, scales, sets = len(self.records), len(self.scales), len(self.parameter_sets)
        return {
            "record": np.repeat(np.arange(records), scales * sets),
            "scale": np.tile(np.repeat(self.scales, sets), records),
            "parameter_set": np.tile(np.arange(sets), records * scales),
        }

    def settings(self) -> dict[str, Any]:
        return {"kind": "suite", "scales": list(self.scales)}

    def feed(self, file: ResultsFile) -> _Queue:
        return _Queue(task for task in self.tasks() if not file.done(task.number))


class _Queue:
    """Tasks in order."""

    def __init__(self, tasks: Iterator[Task]) -> None:
        self._tasks = tasks
        self._lock = threading.Lock()
        self._stopped = False

    def take(self) -> Task | None:
        with self._lock:
            return None if self._stopped else next(self._tasks, None)

    @property
    def finished(self) -> bool:
        with self._lock:
            first = next(self._tasks, None)
            self._tasks = iter(()) if first is None else chain([first], self._tasks)
            return first is None

    def give(self, task: Task, demand: Demand) -> None: ...

    def stop(self) -> None:
        self._stopped = True
