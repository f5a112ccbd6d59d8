"""Codes by which Python and the kernels of the analyses communicate.

Choices in the settings (`femu.engine.run_settings`), and why a run stopped.
"""

from __future__ import annotations

# how the step is controlled
TRANSIENT, LOAD, DISPLACEMENT, ARC_LENGTH = 0, 1, 2, 3
# which norm must fall below the tolerance: of the unbalance or the increment, or the energy,
# absolute or relative
(
    UNBALANCE,
    INCREMENT,
    ENERGY,
    RELATIVE_UNBALANCE,
    RELATIVE_INCREMENT,
    RELATIVE_ENERGY,
    STARTING_UNBALANCE,
) = range(7)
# which tangent the iterations use
EACH, FIRST_OF_STEP, INITIAL = 0, 1, 2
# how increments are accelerated
SUBSPACE, BFGS, BROYDEN = 0, 1, 2

# why a march stopped
(
    DONE,
    NOT_CONVERGED,
    SINGULAR,
    ELEMENT_FAILED,
    NOT_FINITE,
    NO_ROOT,
    LIMIT_REACHED,
    OUT_OF_ITERATIONS,
) = range(8)

LINE_SEARCH_TRIALS = 10
LINE_SEARCH_LEAST, LINE_SEARCH_MOST = 0.1, 10.0
REPORT_FLOATS = 3  # iterations, last norm of the test, 1 if a fallback finished the step
ROUNDING = 1e-12  # a Newton increment this small compared with the displacement improves nothing
