"""Scripts on both engines: every returned number and every file compared."""

from __future__ import annotations

import io
import json
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.support.errors import AnalysisError
from femu.support.isolated_python import python_module, surroundings

Array = npt.NDArray[np.float64]
SECONDS = 600.0
COUNTS = ("testIter", "numIter", "analyze", "getNodeTags", "getEleTags", "eleNodes")
"""Commands whose answers are counts and codes, which must be equal."""
OWN_ANSWERS = (
    "recorder",
    "nodeDOFs",
    "testNorm",
    "testNorms",
    "version",
    "systemSize",
    "getNumThreads",
    "numFact",
)
"""Commands whose answers depend on the engine."""
NOTHING = 1e-6  # a component this much smaller than the others of its answer is measured by them
FILE_DIGITS = 1e-5  # a recorder writes six digits: the last one may be rounded either way


@dataclass(frozen=True)
class Difference:
    """The largest difference of one command, as a share of the largest number of its kind."""

    command: str
    calls: int
    largest: float
    where: str = ""


@dataclass
class Comparison:
    """One script on both engines."""

    script: str
    differences: list[Difference] = field(default_factory=list)
    problem: str = ""  # why there is nothing to compare
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def worst(self) -> float:
        """The largest difference of all commands that count.

        Infinite if the two went different ways.
        """
        return (
            np.inf if self.problem else max((d.largest for d in self.differences), default=np.inf)
        )


def run_engine(
    engine: str, scripts: Sequence[str | Path], rounds: int = 1, share: float = 1.0
) -> dict[str, Any]:
    """Answers of one engine to scripts, from a separate process, restarted after a script that
    ends it.

    Their convergence tests are given a ``share`` of their tolerances.
    """
    left = [str(Path(s).resolve()) for s in scripts]
    found: dict[str, Any] = {}
    environment = surroundings(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with tempfile.TemporaryDirectory(prefix="femu-compare-") as folder:
        while left:
            answers = Path(folder) / "answers.json"
            answers.unlink(missing_ok=True)
            done = subprocess.run(
                python_module(
                    "femu.opensees.comparison.play",
                    engine,
                    str(answers),
                    str(rounds),
                    repr(share),
                    *left,
                ),
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
                env=environment,
            )
            new = json.loads(answers.read_text()) if answers.exists() else {}
            found.update(new)
            left = left[len(new) :]
            if left:
                words = done.stderr.strip()[-400:]
                found[left[0]] = {
                    "calls": [],
                    "files": {},
                    "seconds": 0.0,
                    "error": f"{engine} ended its process (exit code {done.returncode}). {words}",
                }
                left = left[1:]
    return found


def compare(scripts: Sequence[str | Path], rounds: int = 1) -> list[Comparison]:
    """Run scripts on both engines and compare."""
    ours, theirs = run_engine("femu", scripts, rounds), run_engine("opensees", scripts, rounds)
    return [compared(str(Path(s).resolve()), ours, theirs) for s in scripts]


def compared(script: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Comparison:
    """Comparison of the answers to one script."""
    a, b = ours[script], theirs[script]
    result = Comparison(Path(script).name, seconds={"femu": a["seconds"], "opensees": b["seconds"]})
    for engine, answer in (("femu", a), ("openseespy", b)):
        if answer["error"]:
            result.problem = f"{engine}: {answer['error'].strip().splitlines()[-1]}"
            return result
    names = [[call[0] for call in answer["calls"]] for answer in (a, b)]
    if names[0] != names[1]:
        at = next(
            (k for k, (x, y) in enumerate(zip(*names, strict=False)) if x != y),
            min(map(len, names)),
        )
        next_answers = [n[at] if at < len(n) else "the end" for n in names]
        result.problem = (
            f"the scripts went different ways at answer {at + 1}: femu {next_answers[0]}, "
            f"openseespy {next_answers[1]}"
        )
        return result
    result.differences = _of_calls(a["calls"], b["calls"]) + _of_files(a["files"], b["files"])
    return result


def _of_calls(a: list[Any], b: list[Any]) -> list[Difference]:
    kinds: dict[str, list[int]] = {}
    for k, call in enumerate(a):
        kinds.setdefault(call[0], []).append(k)
    found = []
    for name, places in kinds.items():
        if name in OWN_ANSWERS:
            continue
        largest, where, peak = 0.0, "", _peaks(b, places)
        for k in places:
            x, y = np.array(a[k][2]), np.array(b[k][2])
            if len(x) != len(y):
                return [
                    Difference(
                        name,
                        len(places),
                        np.inf,
                        f"{name}({', '.join(a[k][1])}): {len(x)} numbers, not {len(y)}",
                    )
                ]
            if name == "nodeEigenvector" and len(x) and x @ y < 0.0:
                x = -x  # the sign of a mode is free
            if name == "modalProperties":
                x, y = np.abs(x), np.abs(y)
            if name in COUNTS:
                difference = 0.0 if np.array_equal(x, y) else np.inf
            else:
                difference = float((np.abs(x - y) / peak[len(x)][: len(x)]).max())
            if difference > largest:
                largest, where = (
                    difference,
                    f"{name}({', '.join(a[k][1])}): {_shown(x)} and {_shown(y)}",
                )
        found.append(Difference(name, len(places), largest, where))
    return found


def _shown(x: Array) -> str:
    return "[" + ", ".join(f"{v:.8g}" for v in x[:6]) + ("]" if len(x) <= 6 else ", ...]")


def _peaks(calls: list[Any], places: list[int]) -> dict[int, Array]:
    """The largest number of each kind: of all answers of a command with the same number of numbers.

    Forces and moments, or displacements and rotations, share an answer: their places keep them
    apart if all calls give several numbers, modulo the number of directions of a node.
    """
    found: dict[int, Array] = {}
    for k in places:
        values = np.abs(np.array(calls[k][2]))
        before = found.get(len(values), np.zeros(len(values)))
        found[len(values)] = np.maximum(before, values)
    for size, peak in found.items():
        for period in (3, 6):
            if size % period == 0 and size > period:
                peak[:] = np.tile(peak.reshape(-1, period).max(axis=0), size // period)
        peak[:] = np.where(peak > NOTHING * peak.max(initial=0.0), peak, peak.max(initial=0.0))
        peak[peak == 0.0] = 1.0
    return found


def _of_files(a: dict[str, str], b: dict[str, str]) -> list[Difference]:
    found = []
    for name in sorted(set(a) | set(b)):
        if name not in a or name not in b:
            found.append(
                Difference(
                    f"file {name}",
                    1,
                    np.inf,
                    f"only {'femu' if name in a else 'openseespy'} wrote it",
                )
            )
            continue
        x, y = _table(a[name]), _table(b[name])
        if x is None or y is None:
            continue
        if x.shape != y.shape:
            found.append(Difference(f"file {name}", 1, np.inf, f"{x.shape} and {y.shape} numbers"))
            continue
        scale = np.abs(y).max(axis=0)
        scale = np.where(
            scale > NOTHING * scale.max(initial=0.0), scale, scale.max(initial=0.0) or 1.0
        )
        apart = np.abs(x - y) / scale
        largest = float(apart.max(initial=0.0))
        # six digits are written: what differs by the rounding of the last one is equal
        found.append(
            Difference(
                f"file {name}",
                1,
                0.0 if largest <= FILE_DIGITS and _rounded(x, y) else largest,
                f"line {int(apart.max(axis=1).argmax()) + 1}" if largest else "",
            )
        )
    return found


def _rounded(x: Array, y: Array) -> bool:
    last = 10.0 ** (np.floor(np.log10(np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300))) - 5)
    size = np.abs(y).max(initial=0.0)
    return bool(np.all(np.abs(x - y) <= np.maximum(1.01 * last, 1e-6 * size)))


def _table(text: str) -> Array | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.loadtxt(io.StringIO(text), ndmin=2)
    except ValueError:
        return None


def explain(comparison: Comparison) -> str:
    """What is wrong with a comparison; empty if nothing is."""
    if comparison.problem:
        return f"{comparison.script}: {comparison.problem}"
    worst = max(comparison.differences, key=lambda d: d.largest, default=None)
    if worst is None:
        raise AnalysisError(f"{comparison.script}: the script asked nothing and recorded nothing.")
    return f"{comparison.script}: {worst.command}: {worst.largest:.3g} {worst.where}"
