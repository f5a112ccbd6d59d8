"""Settings of a run: what kernels are asked to do, and what they note about it."""

from __future__ import annotations

from femu.engine.fields import Fields, integer, number


class Settings(Fields, word=float):
    """Numbers and choices of one analysis. The codes of choices are in `femu.analyses.code`."""

    dt = number("length of a step", topic="integrator")
    alpha_m = number("share of the end of the step at which inertia is taken")
    alpha_f = number("share of the end of the step at which the other forces are taken")
    beta = number("Newmark's beta")
    gamma = number("Newmark's gamma")
    current_stiffness_damping = number("damping by the stiffness of the moment: factor of it")
    committed_stiffness_damping = number("damping by the committed stiffness: factor of it")
    keep_element_state = integer("1: elements stay where they were evaluated inside the step")

    test = integer("convergence test", topic="iteration")
    tolerance = number("what the tested size must not exceed")
    max_iterations = integer("iterations of a step, at most")
    iterations_left = number("iterations that the run may still do")
    accept_unconverged = integer("1: a step whose iterations are used up is taken as it is")
    tangent = integer("which tangent the iterations use")
    factored = integer("1: the matrix that all steps share is factored")
    line_search = number("work of the unbalance at which a line search ends, or 0: none")
    krylov = integer("increments that an accelerated iteration keeps before it forms a tangent")
    acceleration = integer("how increments are accelerated")

    control = integer("how a step is controlled", topic="static analysis")
    controlled_dof = integer("controlled degree of freedom")
    pattern = integer("load pattern whose factor is sought")
    arc_weight = number("weight of the load factor in the arc length")
    load_change = number("change of the load factor in the step so far")
    load_factor_is_time = integer(
        "1: the time of a step is the load factor, which the patterns follow by their series"
    )
    predictor = integer("1: a step begins with an increment that is neither tested nor counted")
