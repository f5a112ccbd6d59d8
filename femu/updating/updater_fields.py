"""The fields through which the kernels of an updater reach everything they work on."""

from __future__ import annotations

from femu.engine.fields import Fields, fields_at, floats, integer, integers, kernel_at, number
from femu.filters.copies_fields import CopiesFields
from femu.filters.filter_fields import FilterFields


class TwinFields(Fields):
    """Clones of one basic system, which a filter's points are evaluated with."""

    kernel = kernel_at("basic kernel of the twin", topic="basic system")
    element_integers = integers("", "integers of the basic kernel")
    constants = floats("", "constants of the basic kernel")
    workspace = floats("", "workspace of the basic kernel")
    load = floats("", "loads of the basic kernel")
    step = floats("6", "as that of a run: time, dt, d velocity / d displacement, the rest zero")
    matrix = floats("nbasic, nchannels", "T: deformations from displacements")
    scale = number("factor of the forces")
    nbasic = integer("number of basic deformations")
    nchannels = integer("number of displacements")
    nstate = integer("numbers of a twin's state")
    plain = integer("1: displacements are the deformations, and forces the basic ones")

    nunknowns = integer("number of unknowns", topic="unknowns")
    parameters = floats("", "parameter vector of the clone in hand")
    targets = integers(
        "", "for each unknown: number of its places in the parameters, then the places"
    )
    units = floats("nunknowns", "unit inside the filter, or 0 if the filter has the logarithm")
    limits = floats("2, nunknowns", "lower and upper bounds inside the filter")
    force_units = floats("nbasic", "unit of each basic force inside the filter")
    stiffness_unknown = integer("1: the elastic stiffness depends on the unknowns")

    rows = floats("nrows, row_size", "committed rows", topic="clones")
    trial = floats("nrows, row_size", "rows after the evaluation")
    row_size = integer("numbers of a row: state, then plastic deformation")
    separate_rows = integer("1: each point has a row of its own")
    now = floats("nchannels", "displacements of this step")
    before = floats("nchannels", "displacements of the last step")
    deformation = floats("nbasic", "deformation of this step")
    change = floats("nbasic", "its change over the step")
    rate = floats("nbasic", "its rate")
    v = floats("nbasic", "deformation of the clone in hand")
    flexibility = floats("nbasic, nbasic", "elastic flexibility of the clone in hand")
    virgin = floats("2, row_size", "scratch for the elastic stiffness: zeros, and what they become")
    hidden = integers(
        "nhidden", 'places in a row of the history variables that the filter carries (mode "state")'
    )
    nhidden = integer("number of them")
    hidden_units = floats("nhidden", "unit of each of them inside the filter")
    scratch = floats("", "numbers of one point")
    clone = floats("2, row_size", "scratch rows")
    integration = integer("how a step of the history variables is integrated")
    failures = integer("clones that had no answer, counted")


class Memory(Fields, word=float):
    """What an updater remembers from sample to sample, besides the estimate and the twin."""

    count = number("samples")
    time = number("time of the last sample with a displacement")
    started = number("1: there was such a sample")
    missing = number("samples without a measurement")
    rejected = number("samples rejected as outliers")
    in_a_row = number("samples rejected in a row")
    updates = number("corrections")
    usual = number("mean of the normalised innovation")
    open = number("1: parameters are written to the model")
    held = number("samples at which they were not")
    limited = number("writes that the rate limit reduced")
    last_nis = number("normalised innovation squared of the last correction")
    strained = number("samples in a row that are inconsistent")
    resets = number("resets of the parameter covariance")
    wait = number("corrections before parameters are written")


class Options(Fields, word=float):
    """Options of an updater."""

    gate = number(
        "size of an innovation, in usual ones, above which a sample is an outlier; 0: none"
    )
    most_in_a_row = number("samples that may be rejected in a row")
    consistent = number("mean of the normalised innovation above which the filter is inconsistent")
    rate_limit = number("largest change of a parameter per sample, as a share of its bounds")
    window = number("samples over which the statistics reach back")
    collecting = number("1: samples are only collected, to find their noise")
    max_resets = number("resets of the parameter covariance, at most")


class Statistics(Fields, word=float):
    """Statistics of a channel: weighted sums, last values, and the largest force."""

    force_2 = number("square of the force, summed")
    residual_2 = number("square of the residual of the shadow, summed")
    rough_2 = number("square of its second difference, summed")
    innovation_2 = number("square of the normalised innovation, summed")
    innovation_lag = number("its product with the one before, summed")
    residual_1 = number("last residual")
    residual_0 = number("residual before it")
    innovation_0 = number("last normalised innovation")
    weight = number("weight of the sums")
    taken = number("samples")
    largest_force = number("largest force that was not rejected")


class UpdaterFields(TwinFields):
    """The twin, and what the update adds to it."""

    mode = integer("what the filter's state is", topic="update")
    nrows = integer("number of rows: points, if each has its own")
    filter = fields_at(FilterFields, "the filter")
    filter_settings = floats("", "`FilterSettings`")
    estimate = floats("", "`EstimateFields`")
    kept = floats("kept_size", "room for the estimate before a correction")
    kept_size = integer("numbers of it")
    predict_kernel = kernel_at("the filter's prediction")
    update_kernel = kernel_at("the filter's correction")
    no_input = floats("1", "inputs of the filter, which has none")
    memory = fields_at(Memory, "what changes from sample to sample")
    options = fields_at(Options, "options")
    force = floats("nchannels", "measured force")
    silence = floats(
        "nchannels", "what the filter is given for a force while samples are only collected: NaN"
    )
    last_force = floats("nbasic", 'basic force of the filter after the last step (mode "joint")')
    shadow = floats("row_size", "row of the shadow")
    shadow_trial = floats("row_size", "row of the shadow after the evaluation")
    model_parameters = floats("", "parameter vector of the running model, or none")
    twin_parameters = floats("", "parameter vector of the twin itself, for tangents that read it")
    writes = integers("", "for each unknown: number of its places in the model, then the places")
    written = floats("nunknowns", "value of each unknown in the model")
    statistics = floats("nchannels, statistics", "statistics of each channel")
    record = floats("rows, record_width", "record of all samples")
    record_width = integer("numbers of a row of the record")
    row = integer("next row of the record")

    copies = fields_at(CopiesFields, "the copies that are in use", topic='mode "consistent"')
    take_kernel = kernel_at("what moves them through a sample")
    inputs = floats("samples, ninputs", "inputs of the copies along the record")
    outputs = floats("samples, nchannels", "measured forces along the record")
    samples = integer("samples that the copies have followed")
    ahead = integer("number of samples after which Python must attend to the copies")
    soonest = integer("the same, if the estimate has moved from the centre of the copies")
    farthest = number("squared distance from which on it has moved")
    low = floats("nunknowns", "unknowns where the shares of the box are 0")
    span = floats("nunknowns", "unknowns for a share of 1, less low")
