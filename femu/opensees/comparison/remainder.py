"""What convergence tests leave in the two programs, by which a correct model may exceed the limit
of the same formulation.

Both programs iterate a user's model until the norm of an increment is a small share t of the
displacements. By algorithms whose error falls in proportion, and not with its square as Newton's
does, each answer is then off by about a ninth of what it changes by from 10 t to t. So the programs
a and b, of the same model, differ by no more than

    |a(10 t) - a(t)| + |b(10 t) - b(t)|,

which is measured, in each program separately. What the user's own test leaves, measured in femu,
counts too: no result of the user is more accurate than that. It counts up to `MOST`, so that a
loose test does not hide a wrong model.
"""

from __future__ import annotations

from dataclasses import replace

from femu.opensees.comparison.case import ModelCase, Prepared
from femu.opensees.comparison.compare import Difference, differences
from femu.opensees.comparison.peer import Answer, Fate, Peer

LOOSER = 10.0
MOST = 1e-6
"""What the user's own test may add, as a share of the peak of a kind."""


def left_by_tests(
    case: ModelCase, prepared: Prepared, answer: Answer, peer: Peer
) -> dict[str, float]:
    """What the tests leave in each kind of quantity, as a share of its peak."""
    left = {d.kind: min(d.largest, MOST) for d in prepared.own}
    looser = case.prepare(LOOSER)
    again = peer.ask(looser.job)
    if again.fate is not Fate.DONE:
        return left
    other = [
        replace(c, values=values)
        for c, values in zip(prepared.ours, prepared.theirs(answer.arrays), strict=True)
    ]
    in_femu: list[Difference] = differences(
        prepared.ours, [c.values for c in looser.ours], prepared.length
    )
    in_opensees = differences(other, looser.theirs(again.arrays), prepared.length)
    for d in (*in_femu, *in_opensees):
        left[d.kind] = left.get(d.kind, 0.0) + d.largest
    return left
