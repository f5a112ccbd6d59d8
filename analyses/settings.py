"""Numbers by which Python and the kernels of the marches talk: settings, choices, and why a march stopped."""

from __future__ import annotations

# settings of a run (floats)
(DT, ALPHA_M, ALPHA_F, BETA, GAMMA, TEST, TOLERANCE, ITERATIONS, TANGENT, LINE_SEARCH, KRYLOV, CONTROL, CONTROLLED,
 PATTERN, ARC_WEIGHT, CURRENT, COMMITTED, ADVANCED, FACTORED, LEFT, CLOCK, PREDICTOR,
 ACCEPT, SECANT, NESTED, STAY, NSETTINGS) = range(27)
# KRYLOV: increments that an accelerated iteration keeps before it forms a new tangent; SECANT: how it is accelerated;
# NESTED: 1 where the increments between two tangents have a test of their own, as OpenSees' quasi-Newton methods have it;
# STAY: 1 where elements stay where they were evaluated inside the step;
# ADVANCED: change of the load factor in the step so far; FACTORED: 1 where the initial matrix is factored;
# LEFT: iterations the run may still do; CLOCK: 1 where the time of a static step is the load factor, which the patterns
# follow by their series; PREDICTOR: 1 where a static step begins with an increment that is neither tested nor counted;
# ACCEPT: 1 where a step is taken as it is once its iterations are used up

# how the step is controlled
TRANSIENT, LOAD, DISPLACEMENT, ARC_LENGTH = 0, 1, 2, 3
# which norm must fall below the tolerance: of the unbalance or the increment, or the energy, absolute or relative
UNBALANCE, INCREMENT, ENERGY, RELATIVE_UNBALANCE, RELATIVE_INCREMENT, RELATIVE_ENERGY, STARTING_UNBALANCE = range(7)
# which tangent the iterations use
EACH, FIRST_OF_STEP, INITIAL = 0, 1, 2
# how increments are accelerated
SUBSPACE, BFGS, BROYDEN = 0, 1, 2

# why a march stopped
DONE, NOT_CONVERGED, SINGULAR, ELEMENT_FAILED, NOT_FINITE, NO_ROOT, LIMIT_REACHED, OUT_OF_ITERATIONS = range(8)

LINE_SEARCH_TRIALS = 10
LINE_SEARCH_LEAST, LINE_SEARCH_MOST = 0.1, 10.0
REPORT_FLOATS = 3  # iterations, last norm of the test, 1 where a fallback finished the step
ROUNDING = 1e-12  # a Newton increment this small beside the displacement betters nothing
