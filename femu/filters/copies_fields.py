"""The fields of copies of a model that follow a record with constant parameters."""

from __future__ import annotations

from femu.engine.fields import Fields, floats, integer, integers, kernel_at, number, part


class Sums(Fields, word=float, counts=("p", "m")):
    """What the copies have learned along the record: normal equations, and what is undecided."""

    samples = number("samples that the copies followed")
    used = number("measurements in the sums")
    bent = number("for them, what the slopes leave unexplained among the copies, over the noise")
    lost = number("samples for which a copy had no answer")
    H = part("p, p", "normal matrix, with the weights of the samples")
    b = part("p", "its right side")
    pending_H = part("m, p, p", "for each channel, what large residuals in a row would add to H")
    pending_b = part("m, p", "and to b")
    large = part("m", "for each channel, number of large residuals in a row")
    delta = part("p", "minimum of the normal equations less the centre of the copies")
    shift = part("p", "estimate less the centre")
    P = part("p, p", "covariance of the estimate")
    innovation = part("m", "measured less predicted force of the last sample")
    innovation_variance = part("m", "its predicted variance")


sums_at = Sums.at


class CopiesFields(Fields):
    """Copies of a model with parameters around a centre, each with its state since the start."""

    process = kernel_at("process function, by the C convention", topic="model")
    measurement = kernel_at("measurement function")
    data = integers("", "data of the model's kernels, or none")
    n = integer("number of states of a copy, its parameters among them")
    m = integer("number of measured channels")
    ninputs = integer("number of inputs")

    p = integer("number of unknowns", topic="copies")
    count = integer("number of copies; the first is the centre")
    states = floats("count, n", "states of the copies")
    trial = floats("count, n", "states after the evaluation")
    images = floats("count, m", "outputs of the copies")
    centre = floats("p", "unknowns of the first copy, in shares of the box")
    offsets = floats("count - 1, p", "unknowns of the others less those of the first")
    slopes = floats("p, count - 1", "pseudo-inverse of the offsets: slopes from differences")
    sums = floats("", "`Sums`")

    noise = floats(
        "m", "variance of the noise, or infinity if it is not known yet", topic="estimate"
    )
    correlation = floats("m", "number of residuals that count as one")
    prior = floats("p, p", "inverse covariance of the prior")
    expected = floats("p", "mean of the prior")
    box = floats("", "bounds and inequalities; see femu.filters.bounds")
    nrules = integer("number of inequalities")
    keep = floats("1", "share of the sums that a sample leaves: 1 without forgetting")
    scratch = floats("", "room for one sample")
