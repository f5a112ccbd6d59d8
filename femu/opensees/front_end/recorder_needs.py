"""What the recorders of a model want of each step of an analysis."""

from __future__ import annotations

from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.responses import summed
from femu.opensees.front_end.session import Needs


def needs() -> Needs:
    """What the recorders want of each step."""
    recorders = list(domain.recorders.values())
    for recorder in recorders:
        recorder.resolve()
    numbering, equations = domain.program.numbering, domain.program.neq
    reacting = {
        n
        for r in recorders
        if r.reactions
        for n in r.nodes
        if summed(domain, n, equations, [numbering.place.get((n, d)) for d in domain.node_dofs[n]])
    }
    around = (
        {int(t) for t, e in domain.model.elements.items() if reacting & set(e.nodes)}
        if reacting
        else set()
    )
    elements = sorted(around.union(*(r.elements for r in recorders)))
    nodes = {n for r in recorders for n in r.nodes} | {
        int(n) for e in elements for n in domain.model.elements[e].nodes
    }
    listed = tuple(sorted(nodes))
    return Needs(
        displacement=listed,
        velocity=tuple(sorted({n for r in recorders for n in r.nodes})),
        acceleration=tuple(sorted({n for r in recorders for n in r.nodes})),
        reactions=any(r.reactions for r in recorders),
        forces=tuple(elements),
        energy=False,
        states=tuple(sorted({s for r in recorders for s in r.states})),
    )
