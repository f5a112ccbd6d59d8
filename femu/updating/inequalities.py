"""Inequalities between unknowns, from names to the units of a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from femu.filters.bounds import Inequality
from femu.support.errors import InputError
from femu.updating.twin_clones import TwinClones


def rules_of(
    inequalities: Iterable[tuple[Mapping[str, float], float, str]], clones: TwinClones
) -> list[Inequality]:
    """Inequalities between the unknowns of clones, in the units of a filter."""
    rules = []
    for coefficients, limit, gives_way in inequalities:
        for name in (*coefficients, gives_way):
            if name not in clones.names:
                raise InputError(
                    "ModelUpdater",
                    "inequalities",
                    name,
                    f"must be one of the unknowns {clones.names}",
                )
        places = {
            clones.names.index(n): float(c) * clones.unknowns[clones.names.index(n)].scale
            for n, c in coefficients.items()
        }
        rules.append(Inequality(places, float(limit), clones.names.index(gives_way)))
    return rules
