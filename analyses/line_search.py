"""Newton's method with a line search: each increment is made longer or shorter until the unbalance
does little work on it."""

from __future__ import annotations

from femu.analyses import code
from femu.analyses.newton import at_changes, small_or_exhausted, to_answer
from femu.analyses.newton_step import Method, iterating, moved
from femu.engine.residual import dot
from femu.kernels import inlined


@inlined
def _searched(run, settings, start, scale):
    """Lengthen or shorten the increment until the unbalance does little work on it.

    ``start`` is that work before the increment. Secant steps from the start; returns the size of
    the forces, or a negative number if an element has no answer.
    """
    neq, length = run.neq, 1.0
    dx, r = run.dx, run.r
    work = dot(neq, dx, r)
    for _ in range(code.LINE_SEARCH_TRIALS):
        if abs(work) <= settings.line_search * abs(start) or start == work:
            break
        wanted = min(max(length * start / (start - work), code.LINE_SEARCH_LEAST),
                     code.LINE_SEARCH_MOST)
        if wanted == length:
            break
        scale = moved(run, settings, wanted - length)
        if scale < 0.0:
            return scale
        length = wanted
        work = dot(neq, dx, r)
    for a in range(neq):
        dx[a] *= length
    return scale


LINE_SEARCH = Method("line_search", iterating(at_changes, to_answer, _searched, small_or_exhausted))
