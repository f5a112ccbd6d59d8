"""femu and openseespy on the same frames: time, agreement, growth, batches, start-up and memory.

Frames of bilinear laws in many sizes, and models as people build them (`everyday`). Both programs
run in this process, in turns, on one core; each time is the least of several turns, in CPU seconds
of the process, so that other programs on the machine count less. openseespy runs with the fastest
of its settings for each frame. The time of a step excludes what comes before the first one: the
building of the model in both, and the setting up of a run in femu, which is measured by a run
without steps and shown separately.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from femu.benchmarks import everyday, everyday_peer, frame_peer, own_material
from femu.benchmarks.frame_models import (
    DT,
    SIZES,
    FrameSize,
    clocked,
    motion,
    program,
    spent,
    yielded,
)
from femu.benchmarks.frame_models import run as run_femu
from femu.opensees.comparison.suite.frames import artificial
from femu.records import GroundMotion
from femu.support.isolated_python import python, surroundings
from femu.support.tables import Row, Table

KINDS = {"uncoupled": 15.0, "fibre": 25.0}
"""Kind of section, and the least ratio of times."""
BATCH_ONE_CORE, BATCH_TWO_CORES = 20.0, 40.0
RECORDS, RECORD_STEPS = 40, 250
LARGEST_MEMORY = 1024.0  # MB
LARGEST_EXPONENT = 1.5
OWN_MATERIAL = 1.1  # time of a frame with a user's material over that with the built-in one
AGREEMENT = 1e-8  # of the peak
# openseespy's settings are compared over these steps, more on small frames
TRIALS, TRIAL_STEPS, TRIAL_PASSES = 4, 4, 1000


@dataclass(frozen=True)
class Measured:
    """One frame in both programs."""

    size: str
    members: int
    kind: str
    steps: int
    yielded: float  # share of the members
    femu: float  # s per step
    setup: float  # s of a run of femu before its first step
    openseespy: float  # s per step
    setting: str
    iterations: float  # of Newton per step
    agreement: float  # largest difference of the roof's displacement, of its peak
    determination: float  # s per member and iteration in femu, solver included
    openseespy_determination: float

    @property
    def ratio(self) -> float:
        """How many times longer openseespy takes."""
        return self.openseespy / self.femu


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, if the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(ops: Any, size: FrameSize, kind: str, repeats: int) -> Measured:
    """One frame in both programs, in turns."""
    made, record = program(size, kind), motion(size)
    run_femu(size, made, record, 2)  # its kernels are loaded now
    best = fastest_setting(ops, size, kind, record)
    frame_peer.build(ops, size, kind, record, best)
    theirs, peer_iterations = frame_peer.roof_history(ops, size, size.steps)
    result = run_femu(size, made, record, size.steps)
    ours = result.displacement(1000 * size.storeys, "x")
    femu, peer, setup = [], [], []
    for _ in range(repeats):
        setup.append(spent(lambda: run_femu(size, made, record, 0)))
        femu.append(spent(lambda: run_femu(size, made, record, size.steps)))
        frame_peer.build(ops, size, kind, record, best)
        peer.append(spent(lambda: ops.analyze(size.steps, DT)))
    passes = float(result.iterations.sum()) * size.members
    steps = min(femu) - min(setup)
    return Measured(
        str(size),
        size.members,
        kind,
        size.steps,
        yielded(made, record, size.steps),
        steps / size.steps,
        min(setup),
        min(peer) / size.steps,
        best,
        float(result.iterations.mean()),
        float(np.abs(ours - theirs).max() / np.abs(theirs).max()),
        steps / passes,
        min(peer) / (peer_iterations * size.members),
    )


def fastest_setting(ops: Any, size: FrameSize, kind: str, record: GroundMotion) -> str:
    """The numberer and solver with which openseespy is fastest on a frame, each tried several times
    in turns."""
    settings = (
        frame_peer.SETTINGS if size.members >= frame_peer.LARGE else frame_peer.SMALL_SETTINGS
    )
    steps = max(TRIAL_STEPS, TRIAL_PASSES // size.members)
    least = dict.fromkeys(settings, math.inf)
    for _ in range(TRIALS):
        for setting in settings:
            frame_peer.build(ops, size, kind, record, setting)
            ops.analyze(1, DT)
            least[setting] = min(least[setting], spent(lambda: ops.analyze(steps, DT)))
    return min(least, key=lambda s: least[s])


def batch(ops: Any, count: int, steps: int) -> dict[str, float]:
    """Many records on the 10x5 frame.

    openseespy in sequence, femu in sequence and in two threads.
    """
    size = next(s for s in SIZES if str(s) == "10x5")
    made = program(size, "uncoupled")
    records = [artificial(seed).trimmed(3.0).scaled(pga=size.pga) for seed in range(count)]
    run_femu(size, made, records[0], 2)
    with one_core():
        setting = fastest_setting(ops, size, "uncoupled", records[0])
        femu, peer = [], 0.0
        for record in records:
            femu.append(min(spent(partial(run_femu, size, made, record, steps)) for _ in range(2)))
            frame_peer.build(ops, size, "uncoupled", record, setting)
            peer += spent(lambda: ops.analyze(steps, DT))
    found = {"records": float(count), "steps": float(steps), "openseespy": peer, "femu": sum(femu)}

    def in_threads() -> None:
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda r: run_femu(size, made, r, steps), records))

    found["femu, two threads"] = min(clocked(in_threads) for _ in range(3))
    return found


# --- what needs a separate process ---

_STARTUP = """
import time
began = time.perf_counter()
from femu.benchmarks.frame_models import SIZES, motion, program, run
imported = time.perf_counter()
size = SIZES[0]
run(size, program(size, "fibre"), motion(size), 100)
print(imported - began, time.perf_counter() - began)
"""

_MEMORY = """
import resource, sys, time
from femu import GroundMotion
from femu.benchmarks.frame_models import SIZES, analysis, program
size = SIZES[-1]
made = program(size, sys.argv[1])
began = time.perf_counter()
result = analysis().run(made, GroundMotion.el_centro().scaled(pga=size.pga / 2), duration=float(sys.argv[2]),
                        check=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, time.perf_counter() - began, result.outcome.ok,
      made.neq, made.sparsity.band)
"""


def _in_process(source: str, *arguments: str, cache: str | None = None) -> list[str]:
    environment = surroundings(FEMU_QUIET="1", **({"FEMU_CACHE_DIR": cache} if cache else {}))
    done = subprocess.run(
        python(source, *arguments),
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=True,
    )
    return done.stdout.split()


def startup(cold: bool) -> dict[str, float]:
    """Seconds from the first import to the result of a small frame, with an empty and with a full
    cache of kernels."""
    found: dict[str, float] = {}
    if cold:
        with tempfile.TemporaryDirectory(prefix="femu-cold-") as folder:
            found["cold"] = float(_in_process(_STARTUP, cache=folder)[1])
            imported, whole = _in_process(_STARTUP, cache=folder)
    else:
        _in_process(_STARTUP)
        imported, whole = _in_process(_STARTUP)
    found["imports"], found["warm"] = float(imported), float(whole)
    return found


def memory(kind: str, seconds: float) -> dict[str, float]:
    """Peak memory and time of a record on the largest frame, with everything that is saved by
    default."""
    peak, wall, ok, equations, band = _in_process(_MEMORY, kind, str(seconds))
    return {
        "peak MB": float(peak),
        "seconds": float(wall),
        "complete": float(ok == "True"),
        "equations": float(equations),
        "half bandwidth": float(band),
        "record": seconds,
    }


# --- the whole ---


def collect(quick: bool) -> dict[str, Any]:
    """All figures."""
    ops = frame_peer.opensees()
    found: dict[str, Any] = {"frames": []}
    with one_core():
        for size in [replace(s, steps=s.steps // 2) for s in SIZES[:3]] if quick else SIZES:
            for kind in KINDS:
                found["frames"].append(measure(ops, size, kind, turns(size, quick)))
        found["own material"] = own_material.compare(SIZES[2], 5 if quick else 20)
        peers = everyday_peer.peers()
        found["everyday"] = everyday.collect(peers, quick)
    many = (4, 100) if quick else (RECORDS, RECORD_STEPS)
    found["batch"] = batch(ops, *many)
    found["steel batch"] = everyday.records(ops, *many, one_core)
    found["startup"] = startup(cold=not quick)
    if not quick:
        found["memory"] = memory("fibre", 20.0)
    found["machine"] = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "peers": ", ".join(f"{name} {everyday_peer.version(name)}" for name in peers),
    }
    return found


def turns(size: FrameSize, quick: bool) -> int:
    """Turns of a frame: many if a turn is short."""
    return max(2 if quick else 3, min(4 if quick else 8, 200 // size.members))


def growth(frames: list[Measured], kind: str, program_name: str) -> float:
    """Exponent of the time an iteration takes against the number of members, between the two
    largest frames."""
    small, large = [m for m in frames if m.kind == kind][-2:]
    times = [getattr(m, program_name) / m.iterations for m in (small, large)]
    return math.log(times[1] / times[0]) / math.log(large.members / small.members)


def table(found: dict[str, Any]) -> Table:
    """The figures as rows with limits.

    Longer than a page: the rows of the table, one after the other.
    """
    rows: list[Row] = []
    frames: list[Measured] = found["frames"]
    for m in frames:
        name = f"{m.size}, {m.kind}"
        rows.append(
            Row(
                f"{name}: openseespy / femu",
                m.ratio,
                "",
                limit=f">= {KINDS[m.kind]:g}",
                ok=m.ratio >= KINDS[m.kind],
                reference=f"{1e6 * m.openseespy:.4g} / {1e6 * m.femu:.4g} us per step "
                f"({m.setting})",
            )
        )
        rows.append(
            Row(
                f"{name}: per member and iteration",
                1e9 * m.determination,
                "ns",
                reference=f"openseespy {1e9 * m.openseespy_determination:.4g} ns; "
                f"{m.iterations:.3g} iterations per step",
            )
        )
        rows.append(
            Row(
                f"{name}: agreement",
                f"{m.agreement:.1e}",
                limit=f"<= {AGREEMENT:g}",
                ok=m.agreement <= AGREEMENT,
                reference=f"{100 * m.yielded:.0f} % of {m.members} members yield",
            )
        )
    for kind in KINDS:
        exponent = growth(frames, kind, "femu")
        largest = [m for m in frames if m.kind == kind][-1].size
        rows.append(
            Row(
                f"setting up a run, {largest}, {kind}",
                1e3 * [m for m in frames if m.kind == kind][-1].setup,
                "ms",
            )
        )
        rows.append(
            Row(
                f"growth to {largest}, {kind}: exponent",
                exponent,
                limit=f"<= {LARGEST_EXPONENT:g}",
                ok=exponent <= LARGEST_EXPONENT,
                reference=f"openseespy {growth(frames, kind, 'openseespy'):.3g}",
            )
        )
    built_in, own = found["own material"]
    rows.append(
        Row(
            "10x5: a user's own material / built-in",
            own / built_in,
            limit=f"<= {OWN_MATERIAL:g}",
            ok=own / built_in <= OWN_MATERIAL,
            reference=f"{1e3 * own:.3g} / {1e3 * built_in:.3g} ms",
        )
    )
    rows += [row for m in found["everyday"] for row in everyday.rows_of(m)]
    for frame, batch_key, limits in (
        ("10x5, uncoupled", "batch", (BATCH_ONE_CORE, BATCH_TWO_CORES)),
        (
            everyday.RECORDS_MODEL.name,
            "steel batch",
            (everyday.BATCH_ONE_CORE, everyday.BATCH_TWO_CORES),
        ),
    ):
        rows += _batch_rows(frame, found[batch_key], limits)
    for label in ("cold", "warm", "imports"):
        if label in found["startup"]:
            rows.append(Row(f"start-up, {label}", found["startup"][label], "s"))
    if "memory" in found:
        m = found["memory"]
        rows.append(
            Row(
                "60x20, fibre, 20 s record: peak memory",
                m["peak MB"],
                "MB",
                limit=f"< {LARGEST_MEMORY:g}",
                ok=m["peak MB"] < LARGEST_MEMORY and m["complete"] == 1.0,
                reference=f"{m['seconds']:.3g} s, {m['equations']:.0f} equations, half bandwidth "
                f"{m['half bandwidth']:.0f}",
            )
        )
    machine = found["machine"]
    notes = [
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, "
        f"{machine['peers']}. Force-based members with 5 points, P-Delta, Newmark, full "
        "Newton (femu factors when an element changed its stiffness), increments below 1e-8; least "
        "CPU time of several turns on one core, two cores by the clock."
    ]
    return Table("femu and openseespy on frames", rows, notes)


def _batch_rows(frame: str, b: dict[str, float], limits: tuple[float, float]) -> list[Row]:
    """What was measured of many records on one frame, on one core and on two."""
    rows, whole = [], b["records"] >= RECORDS
    for label, key, least in zip(
        ("one core", "two cores"), ("femu", "femu, two threads"), limits, strict=True
    ):
        ratio = b["openseespy"] / b[key]
        rows.append(
            Row(
                f"{b['records']:.0f} records on {frame}, {label}: openseespy in sequence / femu",
                ratio,
                limit=f">= {least:g}" if whole else "",
                ok=ratio >= least if whole else None,
                reference=f"{b['openseespy']:.3g} / {b[key]:.3g} s",
            )
        )
    return rows


def run(quick: bool = False) -> Table:
    """Measure, as a table."""
    return table(collect(quick))


def markdown(found: dict[str, Any]) -> str:
    """The figures as a Markdown table of frames, and lines below it."""
    lines = [
        "| frame | sections | members | yield | openseespy, µs per step | its setting | femu, µs "
        "per step | ratio | femu, ns per member and iteration | roof displacement differs by |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for m in found["frames"]:
        lines.append(
            f"| {m.size} | {m.kind} | {m.members} | {100 * m.yielded:.0f} % | "
            f"{1e6 * m.openseespy:.4g} | {m.setting} | {1e6 * m.femu:.4g} | {m.ratio:.1f} | "
            f"{1e9 * m.determination:.0f} | {m.agreement:.1e} |"
        )
    made = table(found)
    lines += ["", "| | value | | |", "|---|---|---|---|"]
    for row in made.rows[3 * len(found["frames"]) :]:
        value = f"{row.value:.3g}" if isinstance(row.value, float) else str(row.value)
        lines.append(f"| {row.name} | {value} {row.unit} | {row.reference or ''} | {row.limit} |")
    return "\n".join([*lines, "", *made.notes, ""])


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure femu against openseespy on frames.")
    parser.add_argument("--quick", action="store_true", help="a shorter run, with smaller frames")
    parser.add_argument("--output", type=Path, help="folder for frames.json and frames.md")
    options = parser.parse_args()
    found = collect(options.quick)
    table(found).show()
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        plain = {
            **found,
            **{
                key: [{**asdict(m), "ratio": m.ratio} for m in found[key]]
                for key in ("frames", "everyday")
            },
        }
        (options.output / "frames.json").write_text(json.dumps(plain, indent=2))
        (options.output / "frames.md").write_text(markdown(found))


if __name__ == "__main__":
    main()
