"""Masses: nodes that can move and have none, unlike others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from femu.engine.program import Program
from femu.model.element import Array, Name
from femu.model.findings import Finding, as_note, as_warning


def free_equations(program: Program) -> Array:
    """The equations that are free in all analyses: those with imposed motion are held."""
    return np.setdiff1d(np.arange(program.neq), sorted(program.imposed))


def missing_mass(program: Program) -> Iterator[Finding]:
    """Findings on nodes without mass in a direction in which they can move."""
    diagonal = program.mass_matrix().diagonal()
    if not np.any(diagonal[free_equations(program)] > 0.0):
        yield as_note(
            f"model {program.name!r} has no mass in any direction in which it can move: it has no "
            "periods and no transient response."
        )
        return
    free = set(free_equations(program).tolist())
    # the nodes at the place of each node that has an element without length
    at: dict[Name, list[Name]] = {}
    for a, b in ((e.nodes[0], n) for e in program.elements.values() for n in e.nodes[1:]):
        if np.array_equal(program.coordinates[a], program.coordinates[b]):
            at.setdefault(a, []).append(b)
            at.setdefault(b, []).append(a)
    for direction in program.translations:
        places = {
            n: p for (n, d), p in program.numbering.place.items() if d == direction and p in free
        }
        # an end of a hinge needs none of its own
        bare = [
            n
            for n, p in places.items()
            if diagonal[p] == 0.0
            and not any(o not in places or diagonal[places[o]] > 0.0 for o in at.get(n, ()))
        ]
        if bare and len(bare) < len(places):
            shown = ", ".join(repr(n) for n in bare[:5]) + (
                f" and {len(bare) - 5} more" if len(bare) > 5 else ""
            )
            yield as_warning(
                f"node{'s' if len(bare) > 1 else ''} {shown} can move along {direction} but "
                f"{'have' if len(bare) > 1 else 'has'} no mass there, unlike others: is that meant "
                "in a transient run?",
                *bare,
            )
