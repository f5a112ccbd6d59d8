"""What a part of the campaign counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Tally:
    """Counts of a part; those of the whole campaign are their sums."""

    steps: int = 0
    """Steps of tests and analyses that were taken: the load that was held."""
    faults: int = 0
    survived: int = 0
    inputs: int = 0
    """Bad inputs that were refused with an exception of femu."""
    bytes: int = 0
    """Bytes fed to readers, servers and clients."""
    properties: int = 0
    """Checks of physics and of numerical limits that held."""
    lost: int = 0
    """Samples that were acknowledged and are not in the journal."""
    failures: list[str] = field(default_factory=list)
    """Whatever was lost, hung, crashed or wrong: a sentence each."""
    lines: list[tuple[str, str]] = field(default_factory=list)
    """What was tried and what came of it, for the table."""

    def add(self, other: Tally) -> None:
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, made: dict[str, Any]) -> Tally:
        return cls(**{**made, "lines": [(a, b) for a, b in made["lines"]]})
