"""Finding of a hybrid test before it runs: whether its linearised loop is stable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from femu.experimental.stability.stability import Stability, stability_of
from femu.model.findings import Finding, _note, _warning


def loop_of_test(test: Any, in_full: bool = False) -> Iterator[Finding]:
    """A warning if the loop of a test is unstable; ``in_full`` also how far a stable one is from
    it."""
    found = stability_of(test, margin=in_full)
    if found.unknown or found.stable:
        if in_full:
            yield _note(f"{test.program.name!r}: {found}")
        return
    if not in_full:
        found = stability_of(test)
    yield _warning(f"the hybrid test of {test.program.name!r} is {_with_help(found)}", found.node)


def _with_help(found: Stability) -> str:
    if not found.remedies:
        return f"{found}"
    return f"{found} Fix: {'; or '.join(found.remedies)}."
