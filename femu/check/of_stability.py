"""Finding of a hybrid test before it runs: whether its linearised loop is stable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from femu.experimental.stability.stability import Stability, stability_of
from femu.experimental.tangents.tangent import InitialTangent
from femu.model.findings import Finding, as_note, as_warning

WORTH_A_WARNING = 10.0
"""Growth of an unstable mode within the test."""


def loop_of_test(test: Any, in_full: bool = False) -> Iterator[Finding]:
    """A warning if the loop of a test is so unstable that it matters within the test; ``in_full``
    also a note on what is stable, or grows slowly, or rests on an estimate of the tangent."""
    found = stability_of(test, margin=in_full)
    matters = (
        not found.unknown
        and not found.stable
        and test.count * math.log(found.magnitude) > math.log(WORTH_A_WARNING)
        and all(isinstance(tangent, InitialTangent) for tangent in test.tangents.values())
    )
    if matters:
        if not in_full:
            found = stability_of(test)
        says = f"the hybrid test of {test.program.name!r} is {_with_help(found)}"
        yield as_warning(says, found.node)
    elif in_full:
        yield as_note(f"{test.program.name!r}: {_with_help(found)}")


def _with_help(found: Stability) -> str:
    if not found.remedies:
        return f"{found}"
    return f"{found} Fix: {'; or '.join(found.remedies)}."
