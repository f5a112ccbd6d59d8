"""Workers: processes, threads of this process, or an executor from the caller.

Each worker does one run at a time and blocks meanwhile; the batch gives each its own thread.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Protocol

from femu.batch.outcome import RunOutcome
from femu.batch.plan import Job, Plan
from femu.batch.runner import Demand, Runner, failure, run_packed
from femu.batch.worker import receive, send
from femu.support.errors import InputError
from femu.support.isolated_python import python, surroundings

_WORKER = "from femu.batch.worker import main; main()"
ATTEMPTS = 2  # a worker may be killed from outside once; a job that kills two is at fault
PATIENCE = 30.0  # s that a worker gets beyond its time limit, to load and to stop by itself
PINNED = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Environment variables that keep a worker's libraries to one thread: many workers with many
threads each get in each other's way."""


class Worker(Protocol):
    """Does runs, one at a time."""

    def run(self, job: Job) -> Demand: ...

    def close(self) -> None: ...


class ProcessHand:
    """A worker process. One that dies is replaced, and its job is tried once more."""

    def __init__(self, plan: Plan, packed: bytes) -> None:
        self._packed = packed
        self._limit = plan.time_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._warned = False
        self._late = False
        self._closed = False
        self.start()  # it imports what it needs while the caller continues

    @property
    def pid(self) -> int | None:
        """Number of the worker process, if there is one."""
        return self._process.pid if self._process is not None else None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the worker, if it does not run. It compiles nothing before its first job."""
        if self._process is None:
            self._warned = False
            self._process = subprocess.Popen(
                python(_WORKER),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=surroundings(**dict.fromkeys(PINNED, "1")),
                start_new_session=True,
            )  # Ctrl-C is for the parent
        return self._process

    def run(self, job: Job) -> Demand:
        for _ in range(ATTEMPTS):
            if self._closed:
                break
            try:
                return self._ask(job)
            except (OSError, EOFError, ValueError):  # ValueError: the stream was closed meanwhile
                self._stop()
                if self._late:
                    return failure(RunOutcome.TIME_LIMIT)
        return failure(RunOutcome.WORKER_DIED)

    def _ask(self, job: Job) -> Demand:
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        self._late = False
        watch = None
        if self._limit + PATIENCE < threading.TIMEOUT_MAX:
            watch = threading.Timer(self._limit + PATIENCE, self._give_up)
            watch.daemon = True
            watch.start()
        try:
            if not self._warned:
                send(process.stdin, self._packed)
                self._warned = True
            send(process.stdin, job)
            return receive(process.stdout)
        finally:
            if watch is not None:
                watch.cancel()

    def _give_up(self) -> None:
        self._late = True
        if self._process is not None:
            self._process.kill()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError, ValueError):
                        stream.close()
            process.wait()

    def close(self) -> None:
        """End the worker, also in the middle of a run."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()  # a thread that waits for it sees the end
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError, ValueError):
                        stream.close()


class ThreadHand:
    """A thread of this process, with a runner that others may share."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self, job: Job) -> Demand:
        return self._runner.run(job)

    def close(self) -> None: ...


class ExecutorHand:
    """One place in the queue of an executor."""

    def __init__(self, executor: Executor, packed: bytes) -> None:
        self._executor, self._packed = executor, packed

    def run(self, job: Job) -> Demand:
        try:
            return self._executor.submit(run_packed, self._packed, job).result()
        # also those by which pools and clusters say that a worker has died
        except Exception as error:
            return failure(RunOutcome.WORKER_DIED, f"{type(error).__name__}: {error}")

    def close(self) -> None: ...


MOST_WORKERS = 4096


def hands(
    plan: Plan, workers: int | None, kind: str | Executor | Any, runner: Callable[[], Runner]
) -> list[Worker]:
    """The wanted number of workers: processes, threads, or places of an executor or a Dask
    client.

    ``runner`` gives the runner that threads share.
    """
    count = cores() if workers is None else workers
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise InputError(
            "batch", "workers", workers, f"must be a whole number from 1 to {MOST_WORKERS}"
        )
    if not isinstance(kind, str):
        pass
    elif kind == "threads":
        return [ThreadHand(runner()) for _ in range(count)]
    elif kind == "processes":
        packed = plan.packed()
        return [ProcessHand(plan, packed) for _ in range(count)]
    if isinstance(kind, Executor):
        places = workers or 2 * (getattr(kind, "_max_workers", None) or count)
        return [ExecutorHand(kind, plan.packed()) for _ in range(places)]
    if hasattr(kind, "get_executor"):
        from femu.batch.cluster import places_of

        return [
            ExecutorHand(kind.get_executor(pure=False), plan.packed())
            for _ in range(places_of(kind))
        ]
    raise InputError(
        "batch",
        "on",
        kind,
        "must be 'processes', 'threads', an Executor or a dask.distributed.Client",
    )


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
