"""One step of the updater as one compiled call.

A sample comes in; the filter predicts and corrects with its points evaluated as clones of the twin;
an outlier is taken back; the history of the twin moves on; a *shadow*, the twin as a numerical
member with the present parameters, moves along; the parameters are written to the running model if
the guards allow it; and a row of the record is filled. Nothing is allocated.

What changes from step to step is in the `Memory` (and in the filter's estimate and the rows of
the twin): copying these vectors is a checkpoint.
"""

from __future__ import annotations

from math import isfinite, isinf, sqrt

from femu.engine.fields import given
from femu.filters.base import STEP as FILTER_STEP
from femu.filters.copies_fields import sums_at
from femu.filters.copies_kernels import ALONE, call_take, stale
from femu.filters.filter_fields import estimate_at
from femu.filters.linalg import copy
from femu.kernels import caller, compiled, inlined, routine, shift
from femu.updating.history_states import commit_hidden
from femu.updating.twin_kernels import (
    NAN,
    clip,
    commit_rows,
    deform,
    evaluate,
    evaluate_from_force,
    to_force,
    value_of,
)
from femu.updating.updater_fields import Statistics, UpdaterFields

PURE, JOINT, STATE, CONSISTENT = range(4)

updater_at, statistics_at = UpdaterFields.at, Statistics.at
STATISTICS_SIZE = Statistics.words()
# record: step, time, flags, NIS, measured channels, mean of the normalised innovation; then by
# channels displacement, force, innovation, its standard deviation, residual of the shadow; by
# unknowns estimate, standard deviation, value in the model
(R_STEP, R_TIME, R_FLAG, R_NIS, R_CHANNELS, R_USUAL) = range(6)
RECORD_HEAD = 6
USED, MISSED, REJECTED_FLAG, COLLECTED = range(4)  # flags of a sample
WRITING = 4  # added where the guards were open

FIRST_GATED = 10.0  # no sample is called an outlier before this many: nothing is usual yet
USUAL_WINDOW = 50.0  # samples over which the usual size of an innovation is averaged
# samples after the start, or after the covariance was reset, before anything is written
SETTLING = 20.0
PATIENCE = 10.0  # samples in a row that are inconsistent before the covariance is reset
DONE, FILTER_FAILED, RESET, ATTEND = range(4)  # what a step returns

_call_filter = caller(FILTER_STEP)


@inlined
def _judge(memory, options, nis):
    """Count a correction with this normalised innovation; True if it is that of an outlier."""
    usual = options.gate * options.gate * max(memory.usual, 1.0)
    outlier = options.gate > 0.0 and memory.updates >= FIRST_GATED and not nis <= usual
    memory.updates += 1.0
    memory.wait = max(memory.wait - 1.0, 0.0)
    if isfinite(nis):
        size = min(nis, usual if outlier else nis)
        memory.usual += (size - memory.usual) / min(memory.updates, USUAL_WINDOW)
    memory.strained = memory.strained + 1.0 if memory.usual > options.consistent else 0.0
    return outlier


@routine
def _show(updater):
    """The estimate of the copies, as that of the filter."""
    copies, known, m = updater.copies, updater.nunknowns, updater.nchannels
    sums, estimate = sums_at(copies.sums, known, m), estimate_at(updater.estimate, known, m)
    low, span, x, P = updater.low, updater.span, estimate.mean, estimate.covariance
    for i in range(known):
        x[i] = low[i] + span[i] * (copies.centre[i] + sums.shift[i])
        for j in range(known):
            P[i * known + j] = span[i] * sums.P[i * known + j] * span[j]


@compiled
def show(context):
    """The estimate of the copies, as that of the filter."""
    _show(updater_at(context))


@routine
def _innovations(updater, sums, estimate):
    """Innovations of the copies, as those of the filter; True if the large ones may be outliers."""
    m = updater.nchannels
    innovation, spread = estimate.innovation, estimate.innovation_covariance
    channels, nis, alone = 0.0, 0.0, True
    for b in range(m):
        e, variance = sums.innovation[b], sums.innovation_variance[b]
        innovation[b] = spread[b * m + b] = NAN
        if isfinite(e) and isfinite(variance):  # measured, and the noise is known
            innovation[b], spread[b * m + b] = e, variance
            nis += e * e / variance
            channels += 1.0
            alone = alone and 0.0 < sums.large[b] <= ALONE
    estimate.nis, estimate.channels = nis if channels > 0.0 else NAN, channels
    return alone


@routine
def _follow_with_copies(updater):
    """The sample for the copies; the flag of the sample, or below 0 if the model failed."""
    copies, known, m = updater.copies, updater.nunknowns, updater.nchannels
    memory, options, step = updater.memory, updater.options, updater.step
    now, before, y = updater.now, updater.before, updater.force
    u = shift(updater.inputs, updater.samples * copies.ninputs)
    row = shift(updater.outputs, updater.samples * m)
    u[0], u[1], measured = step[0], step[1], False
    for b in range(m):
        u[2 + b], u[2 + m + b], row[b] = now[b], now[b] - before[b], y[b]
        measured = measured or isfinite(y[b])
    if call_take(updater.take_kernel, (copies, u, row)) != 0:
        return -1
    updater.samples += 1
    _show(updater)
    estimate = estimate_at(updater.estimate, known, m)
    alone = _innovations(updater, sums_at(copies.sums, known, m), estimate)
    memory.last_nis = estimate.nis
    if not measured:
        memory.missing += 1.0
        return MISSED
    if estimate.channels == 0.0:
        return COLLECTED
    if _judge(memory, options, estimate.nis / estimate.channels) and alone:
        memory.rejected += 1.0
        return REJECTED_FLAG
    return USED


@routine
def _must_attend(updater):
    """Whether it is time for what the copies leave to Python."""
    copies, samples = updater.copies, updater.samples
    if samples >= updater.ahead:
        return True
    sums = sums_at(copies.sums, updater.nunknowns, updater.nchannels)
    return samples >= updater.soonest and stale(copies, sums, updater.farthest)


@routine
def _predict_and_correct(updater):
    """Filter one sample; returns the flag of the sample, or below 0 if the filter failed."""
    filter, p, s = updater.filter, updater.filter_settings, updater.estimate
    estimate = estimate_at(s, filter.n, filter.m)
    u, y, memory, options = updater.no_input, updater.force, updater.memory, updater.options
    if options.collecting > 0.0:
        y = updater.silence
    if _call_filter(updater.predict_kernel, (filter, p, s, u, y)) != 0:
        return -1
    measured = False
    for b in range(updater.nchannels):
        measured = measured or isfinite(y[b])
    copy(updater.kept_size, s, updater.kept)
    if _call_filter(updater.update_kernel, (filter, p, s, u, y)) != 0:
        return -1
    memory.last_nis = estimate.nis
    if not measured:
        if options.collecting > 0.0:
            return COLLECTED
        memory.missing += 1.0
        return MISSED
    outlier = _judge(memory, options, estimate.nis / max(estimate.channels, 1.0))
    if outlier and memory.in_a_row < options.most_in_a_row:
        copy(updater.kept_size, updater.kept, s)
        memory.in_a_row += 1.0
        memory.rejected += 1.0
        return REJECTED_FLAG
    memory.in_a_row = 0.0
    return USED


@routine
def _move_on(updater, x, inside):
    """History of the twin and of its shadow at this displacement, with the corrected parameters."""
    mode, known, m = updater.mode, updater.nunknowns, updater.nbasic
    rows, trial = updater.rows, updater.trial
    if mode == STATE:
        commit_hidden(updater, x)
    elif updater.separate_rows != 0:
        commit_rows(updater, updater.nrows)
    elif mode == JOINT:
        if evaluate_from_force(updater, inside, updater.last_force, rows, trial):
            copy(updater.row_size, trial, rows)
    elif evaluate(updater, inside, rows, trial):
        copy(updater.row_size, trial, rows)
    if mode == JOINT:
        unit, force = updater.force_units, updater.last_force
        for a in range(m):
            force[a] = unit[a] * x[known + a]
    if (mode != PURE and mode != CONSISTENT) or updater.separate_rows != 0:
        rows, trial = updater.shadow, updater.shadow_trial
        if evaluate(updater, inside, rows, trial):
            copy(updater.row_size, trial, rows)
    return rows


@routine
def _observe(updater, record, row, flag):
    """Statistics and record of this sample; ``row`` is the shadow's."""
    m = updater.nchannels
    y, stats, options = updater.force, updater.statistics, updater.options
    estimate = estimate_at(updater.estimate, updater.filter.n, m)
    innovation, spread = estimate.innovation, estimate.innovation_covariance
    now, force = updater.now, updater.scratch
    by_channels = shift(record, RECORD_HEAD)
    to_force(updater, row, force)
    keep = 1.0 - 1.0 / options.window
    for b in range(m):
        own = statistics_at(shift(stats, b * STATISTICS_SIZE))
        residual, deviation = y[b] - force[b], sqrt(spread[b * m + b])
        normal = innovation[b] / deviation
        by_channels[b], by_channels[m + b] = now[b], y[b]
        by_channels[2 * m + b], by_channels[3 * m + b] = innovation[b], deviation
        by_channels[4 * m + b] = residual
        if isfinite(y[b]) and flag != REJECTED_FLAG:
            own.largest_force = max(own.largest_force, abs(y[b]))
        if not isfinite(residual):
            continue
        own.force_2 *= keep
        own.residual_2 *= keep
        own.rough_2 *= keep
        own.innovation_2 *= keep
        own.innovation_lag *= keep
        own.weight *= keep
        rough = residual - 2.0 * own.residual_1 + own.residual_0
        own.force_2 += y[b] * y[b]
        own.residual_2 += residual * residual
        own.rough_2 += rough * rough / 6.0 if own.taken >= 2.0 else residual * residual
        own.weight += 1.0
        own.taken += 1.0
        own.residual_0, own.residual_1 = own.residual_1, residual
        if isfinite(normal):
            own.innovation_2 += normal * normal
            own.innovation_lag += normal * own.innovation_0
            own.innovation_0 = normal


@routine
def _write(updater, inside):
    """Write the parameters to the running model, inside the bounds and no faster than the rate
    limit; True if open."""
    memory, options, limits = updater.memory, updater.options, updater.limits
    known, written, table = updater.nunknowns, updater.written, updater.writes
    # copies that are inconsistent are about to be replaced; until then theirs is the best estimate
    consistent = updater.mode == CONSISTENT or memory.usual <= options.consistent
    allowed = memory.updates > 0.0 and memory.wait == 0.0 and consistent
    memory.open = 1.0 if allowed else 0.0
    if not allowed:
        memory.held += 1.0
        return False
    at = 0
    for j in range(known):
        value = value_of(updater, j, inside[j])
        low, high = value_of(updater, j, limits[j]), value_of(updater, j, limits[known + j])
        most = options.rate_limit * (high - low)
        change = value - written[j]
        if abs(change) > most:
            memory.limited += 1.0
            value = written[j] + (most if change > 0.0 else -most)
        written[j] = value
        if given(updater.model_parameters):
            target = updater.model_parameters
            for k in range(table[at]):
                target[table[at + 1 + k]] = value
        at += 1 + table[at]
    return True


@routine
def _write_twin(updater, inside):
    """The calibrated parameters into the twin's own vector, for tangents."""
    own, targets = updater.twin_parameters, updater.targets
    at = 0
    for j in range(updater.nunknowns):
        value = value_of(updater, j, inside[j])
        for k in range(targets[at]):
            own[targets[at + 1 + k]] = value
        at += 1 + targets[at]


@inlined
def take_sample(updater, number, time):
    """One step; the sample is in ``now`` and ``force``.

    Returns DONE, FILTER_FAILED, RESET where the covariance should be reset, or ATTEND where the
    copies need Python.

    Longer than a page: one sample in order, with the guards between its parts.
    """
    memory, options, m = updater.memory, updater.options, updater.nchannels
    now, before, y = updater.now, updater.before, updater.force
    record = shift(updater.record, updater.row * updater.record_width)
    memory.count += 1.0
    record[R_STEP], record[R_TIME] = number, time
    moved = True
    for b in range(m):
        moved = moved and isfinite(now[b])
        if isinf(y[b]):
            y[b] = NAN
    step = updater.step
    dt = time - memory.time if memory.started > 0.0 else 0.0
    step[0], step[1], step[2] = time, max(dt, 0.0), 1.0 / dt if dt > 0.0 else 0.0
    n, known = updater.filter.n, updater.nunknowns
    estimate = estimate_at(updater.estimate, n, m)
    x, P = estimate.mean, estimate.covariance
    inside = shift(updater.scratch, 2 * (m + updater.nbasic + known))
    flag = MISSED
    by_unknowns = shift(record, RECORD_HEAD + 5 * m)
    if moved:
        deform(updater)
        if updater.mode == CONSISTENT:
            flag = _follow_with_copies(updater)
        else:
            flag = _predict_and_correct(updater)
        if flag < 0:
            return FILTER_FAILED
        clip(updater, x, inside)
        row = _move_on(updater, x, inside)
        _observe(updater, record, row, flag)
        copy(m, now, before)
        memory.time, memory.started = time, 1.0
    else:  # without a displacement nothing can move: the next sample takes both increments
        memory.missing += 1.0
        memory.last_nis = NAN
        clip(updater, x, inside)
        for b in range(5 * m):
            record[RECORD_HEAD + b] = NAN
    _write_twin(updater, inside)
    if _write(updater, inside):
        flag += WRITING
    record[R_FLAG], record[R_NIS] = flag, memory.last_nis
    record[R_CHANNELS] = estimate.channels if flag % WRITING == USED else 0.0
    record[R_USUAL] = memory.usual
    written, unit = updater.written, updater.units
    for j in range(known):
        value = value_of(updater, j, inside[j])
        by_unknowns[j] = value
        by_unknowns[known + j] = sqrt(max(P[j * n + j], 0.0)) * (unit[j] if unit[j] > 0.0
                                                                 else value)
        by_unknowns[2 * known + j] = written[j]
    updater.row += 1
    if updater.mode == CONSISTENT:
        return ATTEND if _must_attend(updater) else DONE
    if memory.strained >= PATIENCE and memory.resets < options.max_resets:
        return RESET
    return DONE


@compiled
def take_one(context, number, time):
    """One sample."""
    return take_sample(updater_at(context), number, time)


@compiled
def take_many(context, first, times, displacements, forces):
    """Samples of a record until one needs attention.

    Returns what that one did, and the number of samples taken.
    """
    updater = updater_at(context)
    now, y = updater.now, updater.force
    for k in range(times.size):
        for b in range(displacements.shape[1]):
            now[b], y[b] = displacements[k, b], forces[k, b]
        status = take_sample(updater, first + k, times[k])
        if status != DONE:
            return status, k + 1
    return DONE, times.size
