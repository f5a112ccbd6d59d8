"""The fields of a filter: sizes and choices, the numbers it is given, and its estimate."""

from __future__ import annotations

from femu.engine.fields import Fields, integer, integers, kernel_at, number, part


class FilterFields(Fields):
    """Sizes, functions of the model, and choices of a filter."""

    n = integer("number of states", topic="model")
    m = integer("number of measured channels")
    ninputs = integer("number of inputs")
    process = kernel_at("process function, by the C convention")
    measurement = kernel_at("measurement function")
    process_jacobian = kernel_at("derivatives of the process function, or none")
    measurement_jacobian = kernel_at("derivatives of the measurement function, or none")
    data = integers("", "data of the model's kernels, or none")

    count = integer("number of sigma points, particles or members", topic="filter")
    nrules = integer("number of inequalities between states")
    repair = integer("1: an indefinite covariance is repaired, 0: it ends the filter")
    centre = integer("1: the mean is one of the points")
    redraw = integer("1: new points are drawn for the measurement")
    iterations = integer("iterations of a correction, at most")
    learn = integer("1: the noise is learned")
    resampling = integer("scheme of resampling")
    draw = integer("1: particles are drawn from their covariances")


class FilterSettings(Fields, word=float, counts=("n", "m", "nrules")):
    """Numbers that a filter is given."""

    Q = part("n, n", "covariance of the process noise")
    R = part("m, m", "covariance of the measurement noise")
    bounds = part("2 * n + nrules * (n + 2)", "bounds and inequalities; see femu.filters.bounds")
    options = part("", "options of the filter; see its class")


class EstimateFields(Fields, word=float, counts=("n", "m")):
    """What a filter knows, and what it needs to continue: copying it is a snapshot."""

    seed = number("stream of random numbers", topic="header")
    counter = number("numbers drawn from it")
    steps = number("predictions made")
    log_likelihood = number("of all measurements so far")
    nis = number("normalised innovation squared of the last update: ν'S⁻¹ν")
    channels = number("measurement channels used by the last update")
    repairs = number("covariances that had to be made positive semi-definite")
    lost_points = number("points whose image was not finite, replaced by the image of the mean")
    refused = number("updates refused because their result would not have been finite")
    projections = number("means moved back into their bounds")
    gated = number("measurements damped or dropped as outliers")
    effective = number("effective sample size of the last update (particle filters)")
    broken = number("step at which a filter without repairs broke down; 0 while it runs")
    resampled = number("resamplings (particle filters)")
    drawn = number("1: the points of the last prediction are kept for the update")
    spare = number("a filter's own number")

    mean = part("n", "estimated state", topic="estimate")
    covariance = part("n, n", "covariance of the estimation error")
    innovation = part("m", "measured minus predicted output of the last update")
    innovation_covariance = part("m, m", "its predicted covariance")
    own = part("", "the filter's own (points, particles, factors), then workspace, which is "
               "written before it is read")


settings_at, estimate_at, filter_at = FilterSettings.at, EstimateFields.at, FilterFields.at
