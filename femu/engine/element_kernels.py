"""What kernels of elements have in common: signatures, modes, and the integers of an element."""

from __future__ import annotations

from femu.engine.fields import Fields, integer, kernel_at, part
from femu.engine.run_fields import RUN
from femu.kernels import FLOATS, INT, INTS, caller

GROUP = INT(RUN, INT, INT, INT)
"""Signature of an element group.

(run, first element, count, mode); 0, or 1 if an element has no answer.
"""

EVALUATE = 0  # state determination at the trial displacement
FORM = 1  # force and tangent from the committed state, without state determination
FORCES = 2  # as EVALUATE, with the tangent left as it was: for steps that do not use one
# as FORM, with the axial forces axial0 in the tangent: the matrix that the step before left
# factored. The groups of elements are called with FORM, and see it by ``resumed``
RESUME = 3

# how an experimental element comes by its stiffness in a state determination: the entry
# step[ESTIMATE]
ESTIMATE = 4
HELD, POLYNOMIALS, INCREMENTS_MEASURED, AS_BEFORE = range(4)
"""As it was handed over; from the last samples at the trial displacement; from what was measured in
this step; as in the determination before."""

# halvings of their increment that force-based members begin with: the entry step[HALVINGS]
HALVINGS = 5

# where a determination is within the iterations of a step: the entry step[ITERATING]. A force-based
# member then begins with its last trial state if it is near, and errors far below its change are
# left to the next iteration
ITERATING = 6
ALONE, FIRST, AGAIN, AT_END = range(4)
"""Not within iterations; from the committed state; after another trial state of the same step; at
the end of a step whose forces are in balance inside it: from that state, however far."""
STEP_FLOATS = 7

call_group = caller(GROUP)


class ElementFields(Fields):
    """Integers of an element."""

    parameters_at = integer("where its parameters begin")
    state_at = integer("where its state begins")
    geometry_at = integer("where its geometry begins")
    loads_at = integer("where its member loads begin")
    damped = integer("1: it takes part in stiffness-proportional damping")
    basic_kernel = kernel_at("its basic kernel")
    links_at = integer("where its links begin among these integers, or 0: it has none")
    positions_at = integer("where the places of its matrix begin among these integers")
    dofs = part("", "its degrees of freedom, then what belongs to its kind")


element_at = ElementFields.at
POSITIONS_AT, DOFS_AT = ElementFields.positions_at.slot, ElementFields.dofs.slot

BASIC_SIGNATURE = INT(INTS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS)
"""Signature of a basic element: (integers, geometry, parameters, committed, trial, workspace,
deformation, rate, step, load). It writes the basic forces and the upper triangle of the basic
stiffness at the head of the trial state, then the rest of its state; 0, or above 0 if it has no
answer."""

call_basic = caller(BASIC_SIGNATURE)
