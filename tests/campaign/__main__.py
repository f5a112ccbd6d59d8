"""``python -m tests.campaign [--quick] [--json] [--jobs N] [PART ...]``: runs the campaign and
prints one table.

Each part runs in a process of its own, so that a crash or a hang of one is counted and the others
go on. Exit code 1 where anything was lost, hung, crashed or wrong. With ``--jobs 3`` three parts
run side by side, the longest first: the soak test then has to hold its rate on a busy machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from femu.support.tables import Row, Table
from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
PARTS = (
    "physics",
    "bad_input",
    "fuzzing",
    "faults",
    "power_cuts",
    "flipped_bits",
    "doors",
    "hostile_names",
    "interrupts",
    "races",
    "soak",
    "limits",
    "frames",
    "exported_pairs",
    "supply_chain",
)
LONGEST_FIRST = ("fuzzing", "soak")
LONGEST = {True: 900.0, False: 6 * 3600.0}  # seconds after which a part counts as hung
MARK = "campaign: "


def of_part(name: str, quick: bool) -> Tally:
    """Run a part in another process, and say when it begins and how it ended."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    began = time.monotonic()
    tally = _run(name, quick)
    how = f"{len(tally.failures)} failures" if tally.failures else "sound"
    print(f"{name}: {how}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return tally


def _run(name: str, quick: bool) -> Tally:
    words = [
        sys.executable,
        "-m",
        "tests.campaign",
        "--alone",
        name,
        *(["--quick"] if quick else []),
    ]
    try:
        done = subprocess.run(
            words, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=LONGEST[quick]
        )
    except subprocess.TimeoutExpired:
        return Tally(failures=[f"{name}: hung"])
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return Tally.of(json.loads(line[len(MARK) :]))
    return Tally(failures=[f"{name}: crashed with exit code {done.returncode}"])


def campaign(names: Sequence[str], quick: bool, jobs: int) -> dict[str, Tally]:
    """Run parts, a number of them in parallel."""
    in_turn = sorted(names, key=lambda name: name not in LONGEST_FIRST) if jobs > 1 else names
    with ThreadPoolExecutor(jobs) as pool:
        came = dict(zip(in_turn, pool.map(lambda name: of_part(name, quick), in_turn), strict=True))
    return {name: came[name] for name in names}


def table(tallies: dict[str, Tally], quick: bool) -> Table:
    """One table of everything."""
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    rows = [
        Row("load held", total.steps, "steps"),
        Row(
            "faults survived",
            total.survived,
            "",
            reference=total.faults,
            limit="all",
            ok=total.survived == total.faults,
        ),
        Row("bad inputs refused", total.inputs, ""),
        Row("bytes fuzzed", total.bytes, "bytes"),
        Row("properties that held", total.properties, ""),
        Row("samples lost", total.lost, "", limit="0", ok=total.lost == 0),
        Row(
            "lost, hung, crashed or wrong",
            len(total.failures),
            "",
            limit="0",
            ok=not total.failures,
        ),
    ]
    if "bad_input" in tallies:
        rows[2] = Row(
            "bad inputs refused", total.inputs, "", limit="at least 200", ok=total.inputs >= 200
        )
    for name, tally in tallies.items():
        failed = len(tally.failures)
        rows += [Row(f"{name}: {what}", came) for what, came in tally.lines]
        rows.append(
            Row(f"{name}: in all", "sound" if not failed else f"{failed} failures", ok=not failed)
        )
    return Table(f"Reliability campaign{', quick' if quick else ''}", rows, total.failures)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; all if left out"
    )
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a table"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="parts side by side; 1 if left out"
    )
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    unknown = [name for name in given.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    if given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}, but must be at least 1")
    if given.alone:
        tally = importlib.import_module(f"tests.campaign.{given.parts[0]}").run(given.quick)
        print(MARK + json.dumps(tally.to_dict()), flush=True)
        return 0
    made = table(campaign(given.parts or PARTS, given.quick, given.jobs), given.quick)
    if given.json:
        print(made.to_json())
    else:
        made.show()
    return 0 if made.ok else 1


if __name__ == "__main__":
    sys.exit(main())
