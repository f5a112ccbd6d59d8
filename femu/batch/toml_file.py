"""Suites in TOML: what `femu batch` reads. Every message names the line.

`data/suite.toml` is the example, with all keys.
"""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from femu.analyses import LoadControl, Newmark, Policy, RelativeUnbalance, Transient
from femu.batch.batch import Batch
from femu.batch.ida import IDA, Tracing
from femu.batch.plan import MEASURES, Plan
from femu.batch.sampling import Distribution, Lognormal, Normal, Uniform, latin_hypercube, sobol
from femu.batch.source import ModelSource, Record, RecordFile
from femu.batch.suite import Suite
from femu.files import toml_text
from femu.records import GroundMotion, synthetic
from femu.records.reading import ACCELERATION_UNITS, canonical_unit
from femu.support.errors import FemuError, FileError
from femu.support.ordinary_file import text_of

Kind = tuple[type, ...]
NUMBER: Kind = (float, int)
WHOLE: Kind = (int,)
TEXT: Kind = (str,)
FLAG: Kind = (bool,)
LIST: Kind = (list,)
TABLE: Kind = (dict,)
_WORDS: dict[Kind, str] = {
    NUMBER: "a number",
    WHOLE: "a whole number",
    TEXT: "a text",
    FLAG: "true or false",
    LIST: "a list",
    TABLE: "a table",
}
_KEYS: dict[str, dict[str, Kind]] = {
    "model": {"source": TEXT, "gravity": TEXT, "storeys": LIST},
    "records": {
        "synthetic": WHOLE,
        "seed": WHOLE,
        "duration": NUMBER,
        "el_centro": FLAG,
        "files": LIST,
        "listing": TEXT,
        "unit": TEXT,
        "dt": NUMBER,
    },
    "scales": {"by": TEXT, "period": NUMBER, "damping": NUMBER, "values": LIST, "unit": TEXT},
    "analysis": {
        "dt": NUMBER,
        "drift_limit": NUMBER,
        "time_limit": NUMBER,
        "iterations": WHOLE,
        "halvings": WHOLE,
        "rest": NUMBER,
        "iteration_limit": WHOLE,
    },
    "parameters": {"method": TEXT, "samples": WHOLE, "seed": WHOLE, "vary": TABLE},
    "ida": {
        "first": NUMBER,
        "step": NUMBER,
        "growth": NUMBER,
        "runs": WHOLE,
        "resolution": NUMBER,
        "flat_slope": NUMBER,
    },
    "output": {"file": TEXT},
}
_DISTRIBUTIONS: dict[str, tuple[Callable[..., Distribution], tuple[str, str]]] = {
    "uniform": (Uniform, ("lower", "upper")),
    "normal": (Normal, ("mean", "deviation")),
    "lognormal": (Lognormal, ("median", "dispersion")),
}
MOST_SECONDS = 5e4  # of synthetic motions: they are made when the file is read, in seconds
_SYNTAX_LINE = re.compile(r"\(at line (\d+)")


@dataclass(frozen=True)
class SuiteFile:
    """What a TOML file asks for."""

    batch: Batch
    output: Path


def read_suite(path: str | os.PathLike[str]) -> SuiteFile:
    """The batch that a TOML file describes; a mistake in it is a `FileError` with its line."""
    return _Reader(Path(path)).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = text_of(path)
        except FileError:
            raise
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(path, f"cannot be read ({error}); check the path") from None
        self.content = _parse(path, self.text)
        self.lines = _lines(self.text)

    def read(self) -> SuiteFile:
        for table, keys in self.content.items():
            if table not in _KEYS:
                raise self.error(
                    f"[{table}] is not a table of a suite; they are {', '.join(_KEYS)}", table
                )
            if not isinstance(keys, dict):
                raise self.error(f"{table} must be a table: write [{table}]", table)
            for key, value in keys.items():
                self.check(table, key, value)
        if "source" not in self.content.get("model", {}):
            raise self.error(
                '[model] must have a source, for example source = "frame.py:frame"', "model"
            )
        plan, records = self.plan(), self.records()
        batch = (
            self.guard("ida", lambda: self.ida(plan, records))
            if "ida" in self.content
            else self.suite(plan, records)
        )
        output = self.get("output", "file", f"{self.path.stem}.h5")
        return SuiteFile(batch, self.path.parent / output)

    def check(self, table: str, key: str, value: Any) -> None:
        if key not in _KEYS[table]:
            raise self.error(
                f"{key} is not a key of [{table}]; they are {', '.join(_KEYS[table])}", table, key
            )
        kind = _KEYS[table][key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not FLAG):
            raise self.error(f"{key} = {value!r} must be {_WORDS[kind]}", table, key)

    def get(self, table: str, key: str, default: Any) -> Any:
        return self.content.get(table, {}).get(key, default)

    def error(self, text: str, table: str, key: str = "") -> FileError:
        return FileError(
            self.path, text, self.lines.get((table, key)) or self.lines.get((table, ""))
        )

    def guard(self, table: str, make: Callable[[], Any], key: str = "") -> Any:
        """Let femu's own errors name the line of the table they come from."""
        try:
            return make()
        except FileError:
            raise
        except FemuError as error:
            named = getattr(error, "argument", "")
            raise self.error(
                str(error), table, key or (named if (table, named) in self.lines else "")
            ) from None

    # --- pieces ---

    def plan(self) -> Plan:
        by = self.get("scales", "by", "factor")
        if by not in MEASURES:
            raise self.error(f"by = {by!r} must be one of {', '.join(MEASURES)}", "scales", "by")
        gravity = self.get("model", "gravity", None)
        source = self.get("model", "source", "")
        place, _, function = source.rpartition(":")
        if place.endswith(".py"):
            source = f"{self.path.parent.resolve() / place}:{function}"

        def analysis() -> Transient:
            policy = Policy(halvings=self.get("analysis", "halvings", 8))
            test = replace(
                RelativeUnbalance(),
                iterations=self.get("analysis", "iterations", RelativeUnbalance().iterations),
            )
            return Transient(
                Newmark(), dt=self.get("analysis", "dt", 0.01), policy=policy, test=test
            )

        storeys = self.get("model", "storeys", None)
        return self.guard(
            "analysis",
            lambda: Plan(
                ModelSource(source),
                analysis(),
                LoadControl(pattern=gravity) if gravity else None,
                tuple(storeys) if storeys else None,
                self.get("analysis", "drift_limit", 0.10),
                by,
                self.get("scales", "period", 1.0),
                self.get("scales", "damping", 0.05),
                self.get("analysis", "rest", 0.0),
                self.get("analysis", "time_limit", 600.0),
                self.get("analysis", "iteration_limit", math.inf),
            ),
        )

    def records(self) -> list[Record]:
        found: list[Record] = []
        folder = self.path.parent
        unit, dt = self.get("records", "unit", None), self.get("records", "dt", None)
        if self.get("records", "el_centro", False):
            found.append(GroundMotion.el_centro())
        count, seed = self.get("records", "synthetic", 0), self.get("records", "seed", 0)
        duration = self.get("records", "duration", 30.0)
        if not 0 <= count <= MOST_SECONDS or count * abs(duration) > MOST_SECONDS:
            raise self.error(
                f"synthetic = {count} motions of {duration:g} s must be 0 or more, and at most "
                f"{MOST_SECONDS:g} s in all. Ask for fewer, or make several suites",
                "records",
                "synthetic",
            )
        found += self.guard(
            "records",
            lambda: [synthetic(seed + k, duration=duration) for k in range(count)],
            "synthetic",
        )
        for pattern in self.get("records", "files", []):
            if not isinstance(pattern, str):
                raise self.error(f"files = {pattern!r} must be names of files", "records", "files")
            names = (
                sorted(glob.glob(str(folder / pattern)))
                if glob.has_magic(pattern)
                else [str(folder / pattern)]
            )
            if not names:
                raise self.error(f"no file matches {pattern!r} in {folder}", "records", "files")
            found += self.guard("records", partial(_files, names, unit, dt), "files")
        if "listing" in self.content.get("records", {}):
            found += self.listing(folder / self.get("records", "listing", ""), unit)
        if not found:
            raise self.error(
                "[records] names none: give files, listing, synthetic or el_centro", "records"
            )
        return found

    def listing(self, path: Path, unit: str | None) -> list[Record]:
        try:
            lines = text_of(path).splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise self.error(
                f"listing {path} cannot be read ({error})", "records", "listing"
            ) from None
        found: list[Record] = []
        for number, line in enumerate(lines, start=1):
            pieces = line.split("#")[0].split()
            if not pieces:
                continue
            try:
                dt = float(pieces[1])
                factor = float(pieces[2]) if len(pieces) > 2 else 1.0
            except (ValueError, IndexError):
                raise FileError(
                    path, "must hold a file name, a time step and, if wanted, a factor", number
                ) from None
            found.append(
                RecordFile(path.parent / pieces[0], unit=unit or "g", dt=dt, factor=factor)
            )
        return found

    def unit(self) -> float:
        if self.get("scales", "by", "factor") == "factor":
            return 1.0
        unit = canonical_unit(self.get("scales", "unit", "g"))
        if unit not in ACCELERATION_UNITS:
            raise self.error(
                f"unit = {unit!r} must be one of {', '.join(ACCELERATION_UNITS)}", "scales", "unit"
            )
        return ACCELERATION_UNITS[unit]

    def suite(self, plan: Plan, records: list[Record]) -> Suite:
        values = self.get("scales", "values", [1.0])
        for value in values:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise self.error(f"values: {value!r} must be a number", "scales", "values")
        scales = [self.unit() * value for value in values]
        return self.guard(
            "scales", lambda: Suite(plan, records, scales, self.parameter_sets()), "values"
        )

    def ida(self, plan: Plan, records: list[Record]) -> IDA:
        unit, keys = self.unit(), dict(self.content["ida"])
        for name in ("first", "step"):
            if name not in keys:
                raise self.error(f"[ida] must have a {name}", "ida")
        for name in ("first", "step", "growth"):
            if name in keys:
                keys[name] = unit * keys[name]
        return IDA(plan, records, Tracing(**keys))

    def parameter_sets(self) -> list[dict[str, float]]:
        if "parameters" not in self.content:
            return [{}]
        vary: dict[str, Distribution] = {}
        for name, given in self.get("parameters", "vary", {}).items():
            kind = given.get("distribution") if isinstance(given, dict) else None
            if kind not in _DISTRIBUTIONS:
                raise self.error(
                    f"{name!r} must have a distribution: {', '.join(_DISTRIBUTIONS)}",
                    "parameters.vary",
                    name,
                )
            make, keys = _DISTRIBUTIONS[kind]
            if set(given) != {"distribution", *keys} or not all(
                isinstance(given[k], (int, float)) for k in keys
            ):
                raise self.error(
                    f"{name!r} must give the numbers {' and '.join(keys)}", "parameters.vary", name
                )
            numbers = [given[key] for key in keys]
            vary[name] = self.guard("parameters.vary", partial(make, *numbers), name)
        methods = {"latin hypercube": latin_hypercube, "sobol": sobol}
        method = self.get("parameters", "method", "latin hypercube")
        if method not in methods:
            raise self.error(
                f"method = {method!r} must be one of {', '.join(methods)}", "parameters", "method"
            )
        samples, seed = self.get("parameters", "samples", 1), self.get("parameters", "seed", 0)
        return self.guard("parameters", lambda: methods[method](vary, samples, seed))


def _files(names: list[str], unit: str | None, dt: float | None) -> list[RecordFile]:
    return [RecordFile(name, unit=unit, dt=dt) for name in names]


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return toml_text.read(text)
    except toml_text.NotTOML as error:
        line = _SYNTAX_LINE.search(str(error))
        reason = _SYNTAX_LINE.split(str(error))[0].strip()
        raise FileError(
            path, f"is not TOML: {reason}", int(line.group(1)) if line else text.count("\n") + 1
        ) from None


def _lines(text: str) -> dict[tuple[str, str], int]:
    """Line of each table (key "") and of each key of a table, which TOML readers do not report."""
    found: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        key = re.match(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*=""", line)
        if header:
            table = header.group(1).strip()
            found.setdefault((table, ""), number)
        elif key:
            name = next(part for part in key.groups() if part is not None)
            found.setdefault((table, name) if table else (name, ""), number)
    return found
