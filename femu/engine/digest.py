"""Digests of the layout of a program: files name by them the program that their numbers belong to.

A program with few names is identified by all of them, as files of every version are. Where they
would be millions, each list of names that elements share is digested once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from femu.engine.program import Program

MOST_NAMES = 1_000_000
LENGTH = 32


def layout_digest(program: Program) -> str:
    """What identifies the layout of the vectors: names and their order."""
    names = len(program.parameters) + program.layout.size - program.layout.elements
    return digest_by_names(program) if names <= MOST_NAMES else digest_by_kinds(program)


def digest_by_names(program: Program) -> str:
    """From every name of a parameter and of a state variable."""
    found = hashlib.sha256()
    # piece by piece the text of one tuple
    found.update(b"([")
    for piece in _separated(repr(name) for name in program.parameters):
        found.update(piece)
    found.update(b"], [")
    known: dict[int, str] = {}
    for piece in _separated(
        known.get(id(plan.state)) or known.setdefault(id(plan.state), repr(plan.state))
        for plan in program.plans.values()
    ):
        found.update(piece)
    found.update(f"], {', '.join(map(repr, _rest(program)))})".encode())
    return found.hexdigest()[:LENGTH]


def digest_by_kinds(program: Program) -> str:
    """From the names of the elements and of other owners, and the digest of each list of names."""
    known: dict[int, str] = {}

    def digested(names: Sequence[str]) -> str:
        if id(names) not in known:
            known[id(names)] = hashlib.sha256(repr(tuple(names)).encode()).hexdigest()
        return known[id(names)]

    found = hashlib.sha256(b"by kinds")
    for owner, block in program.parameters.blocks():
        found.update(repr((owner, digested(block.names))).encode())
    for plan in program.plans.values():
        found.update(digested(plan.state).encode())
    found.update(repr(_rest(program)).encode())
    return found.hexdigest()[:LENGTH]


def _rest(program: Program) -> tuple[object, ...]:
    return (
        program.pattern_names,
        program.layout,
        sorted((str(d), p) for d, p in program.numbering.place.items()),
    )


def _separated(texts: Iterable[str]) -> Iterable[bytes]:
    first = True
    for text in texts:
        yield text.encode() if first else f", {text}".encode()
        first = False
