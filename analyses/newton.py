"""Newton's method and the modified one, as the iterations of a step.

Each increment answers the unbalance by a matrix of the structure: K dx = r. Newton's matrix is that
of the iteration, the modified one that of the start of the step or of the unstressed structure.
"""

from __future__ import annotations

from femu.analyses import code
from femu.analyses.newton_step import Method, iterating, small
from femu.analyses.static_control import controlled
from femu.engine.residual import norm
from femu.kernels import inlined

# iterations of a step with the same factors; after a step that needs more, the matrix is factored again
SERVED = 3


@inlined
def at_changes(run, settings, iteration, known):
    """The matrix is renewed at the start of a step and where an element changed its stiffness.

    The factors of the step before may still serve.
    """
    kept = run.reusable != 0 and run.fresh == 0
    return run.stiffness_changed != 0 or (iteration <= 0 and not kept)


@inlined
def at_start(run, settings, iteration, known):
    """The matrix is renewed at the start of a step alone."""
    return iteration <= 0


@inlined
def to_answer(run, settings, step, iteration, known):
    """The increment is the answer of the matrix, with what the load changes."""
    return controlled(run, settings, step, iteration)


@inlined
def small_or_exhausted(run, settings, value, known):
    """The test is passed, or no increment can better it.

    Next to very stiff members the unbalance keeps their rounding error.
    """
    neq = run.neq
    if (settings.test == code.RELATIVE_UNBALANCE
            and norm(neq, run.dx) <= code.ROUNDING * norm(neq, run.u1)):
        return True
    done = small(run, settings, value, known)
    if done and known > SERVED:
        run.stiffness_changed = 1  # the next step does not begin with these factors
    return done


NEWTON = Method("newton", iterating(at_changes, to_answer, passed=small_or_exhausted))
MODIFIED_NEWTON = Method("modified_newton", iterating(at_start, to_answer))
