"""`femu bench batch`: the far-field records at five scales on a frame of force-based fibre columns,
against openseespy.

Both programs do the same runs on the same cores, one after the other, each with a pool of
processes; wall times include starting the pools. The frame is that of `femu.batch.example`, the
scales are spectral accelerations at its first period. The 44 far-field records of FEMA P-695 are
read from the folder that FEMU_RECORDS names (``eqData.dat`` and the files it lists); without it, as
many synthetic motions take their place.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import BatchResult, ModelSource, Plan, RecordFile, RunOutcome, Suite
from femu.batch.source import Record, read
from femu.batch.worker_pool import cores
from femu.records import synthetic
from femu.results.outcome import failures_handled
from femu.support.errors import AnalysisError
from femu.support.isolated_python import python, python_module, surroundings
from femu.support.tables import Row, Table
from femu.units import g

FOLDER = "FEMU_RECORDS"
PERIOD = 0.92  # s, first period of the frame
SCALES = (0.2, 0.4, 0.6, 0.8, 1.0)  # g, spectral acceleration
DT = 0.01
FASTER = 20.0
EFFICIENCY = 0.85
SCALING_RUNS = 40
FREE_CORES = 0.9  # of two plain loops, from which on the cores count as free
TRIES = 3  # of which the shortest counts: other programs may be at work
AGREEMENT = 1e-4  # of the drift; tolerances of the two programs differ


def far_field() -> tuple[list[Record], str]:
    """The records, and a word on their source."""
    folder = Path(os.environ.get(FOLDER, ""))
    listing = folder / "eqData.dat"
    if os.environ.get(FOLDER) and listing.exists():
        lines = [line.split() for line in listing.read_text().splitlines() if line.strip()]
        return [
            RecordFile(folder / name, unit="g", dt=float(dt)) for name, dt, *_ in lines
        ], "FEMA P-695 far-field records"
    return [
        synthetic(seed, duration=40.0) for seed in range(44)
    ], f"synthetic motions; set {FOLDER} to the far-field set"


def plan() -> Plan:
    """How each run is done."""
    return Plan(
        ModelSource("femu.batch.example:frame"),
        Transient(Newmark(), dt=DT),
        LoadControl(pattern="gravity"),
        scale_by="sa",
        period=PERIOD,
        time_limit=120.0,
    )


def timed(suite: Suite, folder: Path, name: str, **options: Any) -> tuple[float, BatchResult]:
    """Wall time of a suite, and what it found."""
    began = time.perf_counter()
    with failures_handled():  # their number is in the table
        found = suite.run(folder / f"{name}.h5", **options)
    return time.perf_counter() - began, found


def plain_loops() -> float:
    """Efficiency that two processes with nothing in common reach at this moment.

    Below 1 if other processes use the cores.
    """
    loop = python("import time\nwhile time.process_time() < 1.0: pass")
    walls = []
    for count in (1, 2):
        began = time.perf_counter()
        for process in [subprocess.Popen(loop) for _ in range(count)]:
            process.wait()
        walls.append(time.perf_counter() - began)
    return walls[0] / walls[1]


def opensees_suite(
    suite: Suite, found: BatchResult, folder: Path, workers: int
) -> dict[str, np.ndarray]:
    """The same runs in openseespy."""
    motions = [read(record) for record in suite.records]
    steps = [int(np.ceil(m.duration / DT - 1e-9)) for m in motions]
    program = suite.plan.compile()
    jobs: dict[str, Any] = {f"record{k}": m.acceleration for k, m in enumerate(motions)}
    jobs.update(
        records=len(motions),
        dt=DT,
        steps_of=[m.dt for m in motions],
        workers=workers,
        rayleigh=[program.parameters["rayleigh.mass"], program.parameters["rayleigh.initial"]],
        runs=[(r, f, steps[r]) for r, f in zip(found["run_record"], found["factor"], strict=True)],
    )
    np.savez(folder / "jobs.npz", **jobs)
    done = subprocess.run(
        python_module(
            "femu.benchmarks.batch_peer", str(folder / "jobs.npz"), str(folder / "answers.npz")
        ),
        capture_output=True,
        text=True,
        env=surroundings(),
    )
    if done.returncode != 0:
        raise AnalysisError(
            f"openseespy did not finish the suite: {done.stderr.strip().splitlines()[-1:]}"
        )
    with np.load(folder / "answers.npz") as answers:
        return dict(answers)


def run(quick: bool = False) -> Table:
    """The table of the benchmark.

    Longer than a page: the rows of the table, one after the other.
    """
    records, origin = far_field()
    chosen = records[::11] if quick else records
    scales = [g * s for s in (SCALES[::2] if quick else SCALES)]
    suite = Suite(plan(), chosen, scales=scales)
    workers = cores()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # fills the cache
        timed(Suite(plan(), chosen[:1], scales=scales[:1]), folder, "warm", workers=1, on="threads")
        wall, found = timed(suite, folder, "processes", workers=workers)
        threads, again = timed(suite, folder, "threads", workers=workers, on="threads")
        rows.append(Row(f"femu, {workers} processes", wall, "s"))
        rows.append(Row(f"femu, {workers} threads", threads, "s"))
        rows.append(
            Row(
                "same bytes",
                str(found.path.read_bytes() == again.path.read_bytes()).lower(),
                limit="true",
                ok=found.path.read_bytes() == again.path.read_bytes(),
            )
        )
        counts = found.counts()
        rows += [Row(f"runs: {o.name.lower().replace('_', ' ')}", n) for o, n in counts.items()]
        rows.append(
            Row(
                "runs that are neither done nor a typed failure",
                counts.get(RunOutcome.PENDING, 0),
                limit="0",
                ok=RunOutcome.PENDING not in counts,
            )
        )
        notes = [
            f"{len(suite)} runs of {len(chosen)} records: {origin}.",
            "Wall times include the start of the pools, which takes each process about a second.",
        ]
        try:
            theirs = opensees_suite(suite, found, folder, workers)
        except AnalysisError as error:
            notes.append(str(error))
        else:
            rows += _compared(found, theirs, wall, threads, workers, quick)
        small = Suite(
            plan(),
            records[: 2 if quick else SCALING_RUNS // len(SCALES)],
            scales=[g * s for s in SCALES],
        )
        for on in ("threads", "processes"):
            one, two = (
                min(timed(small, folder, f"{on}{n}", workers=n, on=on)[0] for _ in range(TRIES))
                for n in (1, 2)
            )
            efficiency, machine = one / (2.0 * two), plain_loops()
            # if the machine does not give two plain loops a core each, the figure says nothing
            # about femu
            judged = on == "threads" and len(small) >= SCALING_RUNS and machine >= FREE_CORES
            rows.append(
                Row(
                    f"efficiency of two {on}, {len(small)} runs (reference: two plain loops)",
                    efficiency,
                    "",
                    machine,
                    f">= {EFFICIENCY:g}" if judged else "",
                    efficiency >= EFFICIENCY if judged else None,
                )
            )
    return Table("Batch: a suite of earthquakes", rows, notes)


def _compared(
    found: BatchResult,
    theirs: dict[str, np.ndarray],
    wall: float,
    threads: float,
    workers: int,
    quick: bool,
) -> list[Row]:
    peer = float(theirs["wall"])
    both = theirs["complete"] & (found["outcome"] == RunOutcome.COMPLETE)
    off = np.abs(theirs["drifts"][both] / found["peak_drift"][both] - 1.0)
    return [
        Row(f"openseespy, {workers} processes", peer, "s"),
        Row("openseespy: runs that ended early", int((~theirs["complete"]).sum())),
        Row("processes faster than openseespy", peer / wall, "times"),
        Row("threads faster than openseespy", peer / threads, "times"),
        Row(
            "the better of both",
            peer / min(wall, threads),
            "times",
            None,
            f">= {FASTER:g}" if not quick else "",
            peer / min(wall, threads) >= FASTER if not quick else None,
        ),
        Row(
            "largest difference of a peak drift",
            float(off.max()) if off.size else float("nan"),
            "",
            None,
            f"<= {AGREEMENT:g}",
            bool(off.size and off.max() <= AGREEMENT),
        ),
    ]
