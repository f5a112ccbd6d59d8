"""The engine: workers take jobs, the caller's thread writes the results.

Results do not depend on which worker did what, or when.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol

from femu.batch.outcome import RunOutcome
from femu.batch.plan import Job, Task
from femu.batch.runner import Demand, failure
from femu.batch.worker_pool import Worker

POLL_SECONDS = 0.2  # so that Ctrl-C is seen on every platform


class Feed(Protocol):
    """The source of jobs.

    `take` may block until other results determine the next job; None ends the worker.
    """

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do; asked before the first `take`."""
        ...

    def take(self) -> Task | None: ...

    def give(self, task: Task, demand: Demand) -> None: ...

    def stop(self) -> None: ...


class BatchProgress(Protocol):
    """What a batch reports while it runs."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self, done: int, failures: int) -> None: ...

    def finish(self) -> None: ...


def execute(
    feed: Feed,
    hands: list[Worker],
    job_of: Callable[[Task], Job | Demand],
    keep: Callable[[Task, Demand], None],
) -> bool:
    """Do all tasks of a feed; returns False if the user stopped it.

    ``job_of`` reads the record of a task, or gives the outcome if that fails; ``keep`` is called in
    this thread alone.
    """
    found: queue.Queue[tuple[Task, Demand] | BaseException | None] = queue.Queue()
    reading = threading.Lock()  # one record is read at a time, and the last ones are kept

    def serve(hand: Worker) -> None:
        try:
            while (task := feed.take()) is not None:
                with reading:
                    job = job_of(task)
                found.put((task, job if isinstance(job, Demand) else hand.run(job)))
        except BaseException as error:
            found.put(error)
        finally:
            found.put(None)

    threads = [threading.Thread(target=serve, args=(hand,), daemon=True) for hand in hands]
    for thread in threads:
        thread.start()
    at_work = len(threads)
    finished = True
    try:
        while at_work:
            try:
                item = found.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if item is None:
                at_work -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                keep(*item)
                feed.give(*item)
    except KeyboardInterrupt:
        finished = False
    finally:
        feed.stop()
        for hand in hands:
            hand.close()
        deadline = time.monotonic() + 5.0
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
    return finished


def refused(error: Exception) -> Demand:
    """The outcome of a record that cannot be read."""
    return failure(RunOutcome.RECORD_REFUSED, error)
