"""The context: one integer vector through which kernels reach everything of a run.

Python fills it once for a run with the addresses of the run's vectors and a few numbers; kernels read from
it. The names below are its glossary. Vectors over the degrees of freedom hold the equations first (`NEQ` of
them), then the linked, then the fixed degrees of freedom. Matrices hold the entries that femu.solver names.
"""

from __future__ import annotations

from femu.kernels import FLOATS, INT, INTS, caller

_names = iter(range(200))

# --- the program ---
INTEGERS = next(_names)  # integers of all elements
TABLE = next(_names)  # where each element's integers begin
GROUPS = next(_names)  # for each group of elements: address of its kernel, first element, number of elements
NGROUPS = next(_names)
P = next(_names)  # parameter vector
G = next(_names)  # geometry: constants of the elements (lengths, directions, integration points)
NEQ = next(_names)  # number of equations
NDOF = next(_names)  # number of degrees of freedom
PLAN = next(_names)  # pattern of the matrices and order of elimination; see femu.solver
STORAGE = next(_names)  # floats of a matrix
NFACTORS = next(_names)  # floats of its factors
LINKS = next(_names)  # for each linked degree of freedom: itself, number of terms, then (equation, place of factor)
NLINKS = next(_names)
RESTLESS = next(_names)  # 1 where elements' forces change while they rest: by velocity, or by moving member loads
NELEMENT = next(_names)  # floats of the elements' state

# --- committed state: addresses inside the one state vector ---
TIME = next(_names)
ENERGY = next(_names)  # [input, kinetic, damping, absorbed]
FACTORS = next(_names)  # factor of each load pattern
U0, V0, A0 = next(_names), next(_names), next(_names)
F0 = next(_names)  # internal force
D0 = next(_names)  # damping force
AXIAL0 = next(_names)  # AXIAL_FACTORED, or AXIAL where the next step factors its matrix anew
KC = next(_names)  # committed stiffness for damping, or 0
C = next(_names)  # elements

# --- trial values ---
U, V = next(_names), next(_names)  # displacement and velocity that the elements see
U1, V1, A1 = next(_names), next(_names), next(_names)  # at the end of the step
F = next(_names)  # internal force
D = next(_names)  # damping force
T = next(_names)  # elements
K = next(_names)  # tangent stiffness
IN_PLACE = next(_names)  # 1 where K is assembled as the matrix of the iteration
CHANGED = next(_names)  # 1 where an element changed its stiffness since the matrix was factored
AXIAL = next(_names)  # axial force of each element in its stiffness as last assembled
RESUMED = next(_names)  # 1 where the stiffness is assembled with AXIAL0
AXIAL_FACTORED = next(_names)  # the same in the matrix that was factored last
REUSABLE = next(_names)  # 1 where a step may begin with the factors of the step before
NMEMBERS = next(_names)  # number of elements
BASE = next(_names)  # what K begins with before the elements add to it (mass and damping in place), or 0 for zeros
BASE_MASS = next(_names)  # 1 where K begins with STEP[3] times a diagonal mass
KD = next(_names)  # tangent stiffness of the elements with stiffness-proportional damping, or 0
STEP = next(_names)  # [time, dt, d velocity / d displacement] as the elements see it, [factor of the mass in A], [ESTIMATE]
COMMAND = next(_names)  # hybrid test: displacement at which the specimens are asked
LOAD = next(_names)  # current member loads
W = next(_names)  # workspace of the element kernels
FAILED = next(_names)  # element that had no answer, as index + 1

# --- loads ---
NPATTERNS = next(_names)
NODAL = next(_names)  # nodal loads of each pattern, rows of NDOF
NODAL_WANTED = next(_names)  # for each pattern: 1 where it has nodal loads
MEMBER = next(_names)  # member loads of each pattern, rows of NLOAD
NLOAD = next(_names)
FACTORS1 = next(_names)  # trial factors of the patterns
MOVES = next(_names)  # for each pattern: 1 where it follows a series, 0 where its factor holds
SERIES = next(_names)  # factors at the instant where each step is balanced: rows of NPATTERNS
SERIES1 = next(_names)  # factors at the end of each step
PEXT = next(_names)  # external force
PEXT0 = next(_names)  # external force at the committed end of the last step
IMPOSED = next(_names)  # equations with imposed motion
NIMPOSED = next(_names)
COUPLED = next(_names)  # places of the matrix entries beside the diagonal that belong to them
NCOUPLED = next(_names)
MOTION = next(_names)  # imposed displacement, velocity, acceleration at the end of each step: rows of 3 NIMPOSED

# --- matrices and solver ---
MASS = next(_names)
MASS_DIAGONAL = next(_names)  # diagonal of the mass matrix where that is all of it, or 0
DAMPING = next(_names)  # constant part of the damping matrix, or 0
MODAL = next(_names)  # modal damping: rows of NEQ (mass times shape, scaled)
NMODAL = next(_names)
KINITIAL = next(_names)  # initial stiffness, or 0 where not wanted
A = next(_names)  # matrix of the iteration, where it is not K
L = next(_names)  # factors of the matrix of the iteration
R = next(_names)  # unbalance
DX = next(_names)  # increment
XP = next(_names)  # displacement by the reference load
S1, S2 = next(_names), next(_names)  # scratch vectors
PREVIOUS = next(_names)  # displacement increment of the last step: the direction of the arc
BASIS = next(_names)  # Krylov subspace; see femu.analyses.krylov
FACTOR, SOLVE, MULTIPLY = next(_names), next(_names), next(_names)  # addresses of the kernels of femu.solver, ...
DETERMINE, APPLY_LOADS, DAMPING_FORCE, FORM_MATRIX = (next(_names) for _ in range(4))  # ... of femu.equilibrium, ...
COMMIT = next(_names)  # ... and of femu.analyses.commit

# --- what to do ---
SETTINGS = next(_names)  # floats; see femu.analyses.settings
OWN = next(_names)  # floats that the integrator keeps for itself, or 0
INCREMENTS = next(_names)  # static analysis: increment of the controlled quantity at each step
FIRST, LAST = next(_names), next(_names)  # steps to do; FIRST counts up as they are committed
FRESH = next(_names)  # 1 where the tangent and loads must be formed from the committed state first
REPORT = next(_names)  # floats for each step: iterations, last norm of the test
LIMITS = next(_names)  # pairs of degrees of freedom whose difference is watched, and ...
LIMIT_VALUES = next(_names)  # ... the size at which the march stops
NLIMITS = next(_names)
ROW = next(_names)  # next row of the output
EVERY = next(_names)  # record one step in so many
OUTPUT = next(_names)
RECORD = next(_names)  # addresses of the numbers to record
NRECORD = next(_names)
SLOTS = next(_names)

GROUP = INT(INTS, INT, INT, INT)
"""Signature of an element group: (context, first element, count, mode); 0, or 1 where an element has no answer."""

EVALUATE = 0  # state determination at the trial displacement
FORM = 1  # force and tangent from the committed state, without state determination
FORCES = 2  # as EVALUATE, with the tangent left as it was: for steps that do not use one
RESUME = 3  # as FORM, with the axial forces AXIAL0 in the tangent: the matrix that the step before left factored. The
# groups of elements are called with FORM, and see it by RESUMED

# how an experimental element comes by its stiffness in a state determination: the entry STEP[ESTIMATE]
ESTIMATE = 4
HELD, POLYNOMIALS, INCREMENTS_MEASURED, AS_BEFORE = range(4)
"""As it was handed over; from the last samples at the trial displacement; from what was measured in this step; as in the
determination before."""

call_group = caller(GROUP)

# integers of every element, before its own
AT_P, AT_STATE, AT_G, AT_LOAD, DAMPED, BASIC, LINKED, POSITIONS, DOFS = range(9)
"""Where its parameters, state, geometry and loads begin; whether it takes part in stiffness-proportional
damping; address of its basic kernel; where its links begin among its integers (0: none); where the band
positions of its matrix begin among its integers; then its degrees of freedom."""

BASIC_SIGNATURE = INT(INTS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS)
"""Signature of a basic element: (integers, geometry, parameters, committed, trial, workspace, deformation,
rate, step, load). It writes the basic forces and the upper triangle of the basic stiffness at the head of the
trial state, then the rest of its state; 0, or above 0 where it has no answer."""

call_basic = caller(BASIC_SIGNATURE)
