"""Fuzzing with atheris, which keeps the inputs that reach lines no other has reached, and edits
those further.

``python -m tests.campaign.coverage_fuzz NAME SECONDS`` for a target of
`tests.campaign.fuzz_targets`; needs atheris (``pip install femu[fuzz]``; there are wheels for
Linux). Kernels are left as they are.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FunctionType

from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
WATCHDOG, MEMORY = 90, 3000  # seconds for an input, megabytes for the process
READING = [
    "femu.records",
    "femu.exchange",
    "femu.batch.toml_file",
    "femu.batch.result",
    "femu.batch.results_file",
    "femu.files.hdf5",
    "femu.files.hdf5_recovery",
    "femu.results.validate",
    "femu.results.result",
    "femu.engine.state",
    "femu.monitor.tail",
    "femu.report.write",
    "femu.updating.history",
    "femu.updating.datagrams",
    "femu.experimental.network.wire",
    "femu.experimental.network.server",
    "femu.experimental.network.remote",
    "femu.experimental.network.remote_kinds",
    "femu.experimental.journal.journal",
    "femu.experimental.network.description",
    "tomllib",
    "tomli",
    "json.decoder",
]
"""Modules whose lines count."""


def search(name: str, folder: Path, seconds: int) -> None:
    """Fuzz in this process until the time is over; does not return."""
    import warnings

    import atheris

    from femu import FemuError
    from tests.campaign.fuzz_targets import TARGETS

    warnings.simplefilter("ignore")
    target, seed = TARGETS[name].target(), TARGETS[name].seed()
    target(seed)  # whatever is compiled must be compiled before lines are counted
    for function in _functions():
        atheris.instrument_func(function)
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "seed").write_bytes(seed)
    counts, tried = open(folder / "bytes", "w", encoding="ascii"), [0, 0]  # noqa: SIM115

    def one(data: bytes) -> None:
        tried[0] += 1
        tried[1] += len(data)
        if tried[0] % 50 == 0:
            counts.seek(0)
            counts.write(f"{tried[1]:20d}")
            counts.flush()
        try:
            target(data)
        except FemuError:
            return

    atheris.Setup(
        [
            "fuzz",
            str(corpus),
            f"-max_total_time={seconds}",
            f"-timeout={WATCHDOG}",
            f"-rss_limit_mb={MEMORY}",
            f"-max_len={max(4096, 2 * len(seed))}",
            f"-artifact_prefix={folder}/found-",
            "-print_final_stats=1",
        ],
        one,
    )
    atheris.Fuzz()


def _functions() -> list[FunctionType]:
    """Functions and methods of the modules whose lines count; kernels are none of them."""
    found: list[FunctionType] = []
    for name, module in list(sys.modules.items()):
        if any(name == known or name.startswith(f"{known}.") for known in READING):
            for thing in list(vars(module).values()):
                of = (
                    vars(thing).values()
                    if isinstance(thing, type) and thing.__module__ == name
                    else [thing]
                )
                plain = [getattr(f, "__func__", f) for f in of]
                found += [f for f in plain if isinstance(f, FunctionType) and f.__module__ == name]
    return list(dict.fromkeys(found))


def run(name: str, seconds: float) -> Tally:
    """Fuzz in a process of its own, and count."""
    folder = Path(tempfile.mkdtemp(prefix="femu-coverage-"))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.campaign.coverage_fuzz",
            "--alone",
            name,
            str(folder),
            str(int(seconds)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
    )
    tally = Tally()
    count = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    known = folder / "bytes"
    tally.bytes = int(known.read_text() or 0) if known.exists() else 0
    found = sorted(folder.glob("found-*"))
    if done.returncode or found or count is None:
        why = [
            line
            for line in done.stderr.splitlines()
            if re.search(r"Error|ALARM|rss_limit|Uncaught", line)
        ][:3]
        where = Path(tempfile.gettempdir()).parent / f"{folder.name}-{os.getpid()}"
        if found:
            where.write_bytes(found[0].read_bytes())
        tally.failures.append(
            f"{name}, atheris: exit code {done.returncode}, {' '.join(why)} "
            f"({where if found else 'no input'})"
        )
    covered = re.findall(r"cov: (\d+)", done.stderr)
    tally.lines.append(
        (
            f"fuzzed with atheris: {name}",
            f"{count.group(1) if count else 0} inputs, {tally.bytes} bytes, "
            f"{covered[-1] if covered else 0} places reached, {len(tally.failures)} failures",
        )
    )
    return tally


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        search(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        print(json.dumps(run(sys.argv[1], float(sys.argv[2])).to_dict()), flush=True)
