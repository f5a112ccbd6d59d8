"""The fields of a run, through which kernels reach everything they work on.

Python fills them once for a run with the addresses of the run's vectors and a few numbers; kernels
read them. Vectors over the degrees of freedom hold the equations first (``neq`` of them), then the
linked, then the fixed degrees of freedom. Matrices hold the entries that femu.engine.ldlt names.
A name with 0 is of the committed state, a name with 1 of the end of the step.
"""

from __future__ import annotations

from femu.engine.fields import (
    Fields,
    fields_at,
    floats,
    integer,
    integers,
    kernel_at,
    number_at,
)
from femu.engine.run_settings import Settings


class Run(Fields):
    """One analysis of one program."""

    element_integers = integers("", "integers of all elements", topic="program")
    element_starts = integers("nelements", "where each element's integers begin")
    groups = integers("ngroups, 3", "for each group of elements: address of its kernel, first "
                      "element, number of elements")
    ngroups = integer("number of groups")
    nelements = integer("number of elements")
    parameters = floats("", "parameter vector")
    geometry = floats("", "constants of the elements: lengths, directions, integration points")
    neq = integer("number of equations")
    ndof = integer("number of degrees of freedom")
    plan = integers("", "pattern of the matrices and order of elimination; see femu.engine.ldlt")
    storage = integer("floats of a matrix")
    nfactors = integer("floats of its factors")
    links = integers("", "for each linked degree of freedom: itself, number of terms, then "
                     "(equation, place of factor)")
    nlinks = integer("number of linked degrees of freedom")
    rate_dependent = integer("1: elements' forces change while they rest, by velocity or by moving "
                             "member loads")
    nstate = integer("floats of the elements' state")

    time = number_at("time", topic="committed state: addresses inside the one state vector")
    energy = floats("4", "input, kinetic, damping and absorbed energy")
    load_factors0 = floats("npatterns", "factor of each load pattern")
    u0 = floats("ndof", "displacement")
    v0 = floats("ndof", "velocity")
    a0 = floats("ndof", "acceleration")
    internal0 = floats("ndof", "internal force")
    damping0 = floats("ndof", "damping force")
    axial0 = floats("nelements", "axial_factored, or axial if the next step factors its matrix")
    damped_tangent0 = floats("storage", "committed stiffness for damping, or none")
    elements0 = floats("nstate", "state of the elements")

    u = floats("ndof", "displacement that the elements see", topic="trial values")
    v = floats("ndof", "velocity that the elements see")
    u1 = floats("ndof", "displacement at the end of the step")
    v1 = floats("ndof", "velocity at the end of the step")
    a1 = floats("ndof", "acceleration at the end of the step")
    internal = floats("ndof", "internal force")
    damping = floats("ndof", "damping force")
    elements = floats("nstate", "state of the elements")
    tangent = floats("storage", "tangent stiffness")
    in_place = integer("1: the tangent is assembled as the matrix of the iteration")
    stiffness_changed = integer("1: an element changed its stiffness since the matrix was factored")
    axial = floats("nelements", "axial force of each element in its stiffness as last assembled")
    resumed = integer("1: the stiffness is assembled with axial0")
    axial_factored = floats("nelements", "axial force in the matrix that was factored last")
    reusable = integer("1: a step may begin with the factors of the step before")
    tangent_base = floats("storage", "what the tangent begins with before the elements add to it "
                          "(mass and damping in place), or none: zeros")
    base_mass = integer("1: the tangent begins with step[3] times a diagonal mass")
    damped_tangent = floats("storage", "tangent stiffness of the elements with "
                            "stiffness-proportional damping, or none")
    step = floats("6", "time, dt and d velocity / d displacement as the elements see them, factor "
                  "of the mass in the matrix, how experimental elements come by their stiffness, "
                  "halvings of their increment that force-based members begin with")
    command = floats("ndof", "hybrid test: displacement commanded to the specimens")
    member_load = floats("nload", "current member loads")
    workspace = floats("", "workspace of the element kernels")
    failed_element = integer("element that had no answer, as index + 1")

    npatterns = integer("number of load patterns", topic="loads")
    nodal_loads = floats("npatterns, ndof", "nodal loads of each pattern")
    has_nodal_loads = integers("npatterns", "1: the pattern has nodal loads")
    member_loads = floats("npatterns, nload", "member loads of each pattern")
    nload = integer("floats of the member loads")
    load_factors1 = floats("npatterns", "trial factors of the patterns")
    follows_series = integers("npatterns", "1: the pattern follows a series, 0: its factor is held")
    series = floats("steps, npatterns", "factors at the instant at which each step is balanced")
    series1 = floats("steps, npatterns", "factors at the end of each step")
    external = floats("ndof", "external force")
    external0 = floats("ndof", "external force at the committed end of the last step")
    imposed = integers("nimposed", "equations with imposed motion")
    nimposed = integer("number of them")
    coupled = integers("ncoupled", "places of the matrix entries off the diagonal that belong to "
                       "them")
    ncoupled = integer("number of these entries")
    motion = floats("steps, 3, nimposed", "imposed displacement, velocity and acceleration at the "
                    "end of each step")

    mass = floats("storage", "mass matrix", topic="matrices and solver")
    mass_diagonal = floats("neq", "diagonal of the mass matrix if that is all of it, or none")
    damping_matrix = floats("storage", "constant part of the damping matrix, or none")
    modal_shapes = floats("nmodes, neq", "modal damping: mass times shape, scaled")
    nmodes = integer("number of damped modes")
    initial_tangent = floats("storage", "stiffness of the virgin structure, or none")
    matrix = floats("storage", "matrix of the iteration if it is not the tangent in place")
    factors = floats("nfactors", "factors of the matrix of the iteration")
    r = floats("neq", "unbalance")
    dx = floats("neq", "increment")
    dx_load = floats("neq", "displacement by the reference load")
    scratch1 = floats("ndof", "scratch vector")
    scratch2 = floats("ndof", "scratch vector")
    last_increment = floats("neq", "displacement increment of the last step: direction of the arc")
    subspace = floats("", "increments that an accelerated iteration keeps; see "
                      "femu.analyses.krylov and quasi_newton")
    factor_kernel = kernel_at("femu.engine.ldlt: factor a matrix")
    solve_kernel = kernel_at("femu.engine.ldlt: solve with factors")
    multiply_kernel = kernel_at("femu.engine.ldlt: matrix times vector")
    determine_kernel = kernel_at("femu.engine.residual: state determination of all elements")
    loads_kernel = kernel_at("femu.engine.residual: external force and member loads")
    damping_kernel = kernel_at("femu.engine.residual: damping force")
    matrix_kernel = kernel_at("femu.engine.residual: matrix of the iteration")
    commit_kernel = kernel_at("femu.analyses.commit: commit a step")

    settings = fields_at(Settings, "settings of the analysis", topic="what to do")
    own = floats("", "what the integrator keeps for itself, or none")
    increments = floats("steps", "static analysis: increment of the controlled quantity")
    first = integer("next step; counts up as steps are committed")
    last = integer("step before which to stop")
    fresh = integer("1: tangent and loads must be formed from the committed state first")
    report = floats("steps, 3", "iterations, last size of the test, 1 if a fallback finished it")
    limits = integers("nlimits, 2", "degrees of freedom whose difference is watched")
    limit_values = floats("nlimits", "size of the difference at which the run stops")
    nlimits = integer("number of watched differences")
    row = integer("next row of the output")
    every = integer("steps from one row to the next")
    output = floats("rows, nrecorded", "what was recorded")
    recorded = integers("nrecorded", "addresses of the numbers to record")
    nrecorded = integer("number of them")


RUN = Run.kernel_type
"""Type of a run among the arguments of a kernel."""
