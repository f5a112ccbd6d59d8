"""Sources of records and models for a batch.

Both are made when and in the process in which they are needed.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from femu.model.model import Model
from femu.model.parameters import finite
from femu.records import GroundMotion
from femu.support.arguments import typed_class
from femu.support.entry_point import call_named
from femu.support.errors import InputError

Path_ = str | os.PathLike[str]
KINDS = ("at2", "csv", "columns", "text", "cosmos", "smc")
_BY_ENDING = {".at2": "at2", ".csv": "csv", ".v2": "cosmos", ".v2c": "cosmos", ".smc": "smc"}


@typed_class
@dataclass(frozen=True)
class RecordFile:
    """A record in a file, read when a run needs it.

    ``kind`` is taken from the ending of the name by default: AT2, CSV, COSMOS (.v2) and SMC files
    state their unit and step; any other file is plain text, in ``unit`` and ``dt`` seconds apart.
    ``factor`` multiplies the samples.
    """

    path: str | os.PathLike[str]
    kind: str | None = None
    unit: str | None = None
    dt: float | None = None
    factor: float = 1.0

    def __post_init__(self) -> None:
        for name in ("dt", "factor"):
            value = getattr(self, name)
            if value is not None and (not finite(value) or (name == "dt" and value <= 0.0)):
                raise InputError(
                    f"record {self.name!r}",
                    name,
                    value,
                    "must be a finite number, and a step above 0",
                )
        if self.kind is not None and self.kind not in KINDS:
            raise InputError(
                f"record {self.name!r}", "kind", self.kind, f"must be one of {', '.join(KINDS)}"
            )
        if self._kind in ("text", "columns") and self.unit is None:
            raise InputError(
                f"record {self.name!r}",
                "unit",
                None,
                "must be given for a plain text file",
                fix="give for example unit='g'",
            )
        if self._kind == "text" and self.dt is None:
            raise InputError(
                f"record {self.name!r}",
                "dt",
                None,
                "must be given for a file that does not state it",
            )

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return Path(self.path).stem

    @property
    def _kind(self) -> str:
        return self.kind or _BY_ENDING.get(Path(self.path).suffix.lower(), "text")

    def read(self) -> GroundMotion:
        """The record; a file that is refused is a `FileError`."""
        kind = self._kind
        if kind == "at2":
            motion = GroundMotion.from_at2(self.path)
        elif kind == "cosmos":
            motion = GroundMotion.from_cosmos(self.path)
        elif kind == "smc":
            motion = GroundMotion.from_smc(self.path)
        elif kind == "csv":
            motion = GroundMotion.from_csv(self.path, self.unit, self.dt)
        elif kind == "columns":
            motion = GroundMotion.from_columns(self.path, str(self.unit), self.dt)
        else:
            motion = GroundMotion.from_text(self.path, float(self.dt or 0.0), str(self.unit))
        return motion if self.factor == 1.0 else motion.scaled(factor=self.factor)

    def fingerprint(self) -> str:
        """Digest of what the file holds and how it is read, or of its absence."""
        try:
            content = hashlib.sha256(Path(self.path).read_bytes()).hexdigest()
        except OSError:
            content = "unreadable"
        return repr((self.name, self._kind, self.unit, self.dt, self.factor, content))


Record = GroundMotion | RecordFile


def read(record: Record) -> GroundMotion:
    """The ground motion of a record."""
    return record.read() if isinstance(record, RecordFile) else record


def record_fingerprint(record: Record) -> str:
    """Digest of a record's content."""
    if isinstance(record, RecordFile):
        return record.fingerprint()
    return repr((record.name, record.dt, hashlib.sha256(record.acceleration.tobytes()).hexdigest()))


@typed_class
@dataclass(frozen=True)
class ModelSource:
    """A function that returns a `Model`: ``package.module:function`` or ``file.py:function``.

    Each worker calls it itself, so the model may use materials that are defined in that file.
    """

    target: str

    def build(self) -> Model:
        """Call the function."""
        made = call_named(self.target, "model")
        if not isinstance(made, Model):
            raise InputError(
                "model",
                "source",
                self.target,
                f"must return a Model, but returned {type(made).__name__}",
            )
        return made
