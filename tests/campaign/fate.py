"""What became of a hybrid test that met a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from femu.analyses import HybridResult
from femu.experimental import read_journal
from femu.results.outcome import Outcome
from tests.campaign import rig


@dataclass
class Fate:
    """What became of a test."""

    outcome: str
    held: bool
    """Whether the test ended as it should, with the specimen held, or reached its end."""
    lost: int
    same: bool | None
    """Whether the test, resumed where it was interrupted, equals the whole one bit for bit.

    None if that has no meaning.
    """
    steps: int = 0
    sameness: str = "same bits"
    """What the comparison with the whole test showed."""

    @property
    def ok(self) -> bool:
        return self.held and self.lost == 0 and self.same is not False

    def __str__(self) -> str:
        return (
            f"{self.outcome}; {'held or finished' if self.held else 'NOT HELD'}; {self.lost} lost"
            + (
                ""
                if self.same is None
                else f"; {self.sameness}"
                if self.same
                else f"; NOT {self.sameness}"
            )
        )


Fault = Callable[[Path], Fate]


def after(
    folder: Path, result: HybridResult, again: Callable[[], HybridResult], held: bool
) -> Fate:
    """The fate of a test with its journal in this folder, resumed where it did not reach its end."""
    record = read_journal(folder / "test.h5")
    missing = rig.lost(result, record)
    outcome, steps = result.outcome.name, result.steps
    if result.outcome is not Outcome.COMPLETE:
        final = again()
        outcome += f", resumed: {final.outcome.name}"
        steps = final.steps
        held = held and final.outcome is Outcome.COMPLETE and bool(result.message)
    return Fate(
        outcome, held, missing, rig.same(rig.whole(folder), read_journal(folder / "test.h5")), steps
    )
