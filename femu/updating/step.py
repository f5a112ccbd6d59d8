"""One step of the updater as one compiled call.

A sample comes in; the filter predicts and corrects with its points evaluated as clones of the twin; a wild sample is
taken back; the history of the twin moves on; a *shadow*, the twin as a numerical member with the present parameters,
moves along; the parameters are written to the running model if the guards allow it; and a row of the record is filled.
Nothing is allocated.

What changes from step to step stands in ``MEMORY`` (and in the filter's estimate and the rows of the twin): copying
these vectors is a checkpoint.
"""

from __future__ import annotations

from math import isfinite, isinf, sqrt

from femu.filters.base import STEP as FILTER_STEP
from femu.filters.estimate import CHANNELS as MEASURED
from femu.filters.estimate import NIS, covariance_of, innovation_of, mean_of
from femu.filters.linalg import copy
from femu.kernels import caller, compiled, floats_at, inlined, ints_at, ints_of, routine, shift
from femu.updating import twin
from femu.updating.hidden import commit_hidden
from femu.updating.twin import clip, commit_rows, deform, evaluate, evaluate_from_force, to_force, value_of

PURE, JOINT, STATE = range(3)

_names = iter(range(twin.OWN_SLOTS, twin.OWN_SLOTS + 64))
MODE = next(_names)
POINTS = next(_names)  # number of rows, where each point has its own
FILTER_D, FILTER_P, ESTIMATE = (next(_names) for _ in range(3))  # integers, numbers and estimate of the filter
KEPT = next(_names)  # room for the estimate before a correction
KEPT_SIZE = next(_names)
PREDICT, UPDATE = next(_names), next(_names)  # addresses of the filter's kernels
INPUT = next(_names)  # the filter's input
MEMORY = next(_names)
OPTIONS = next(_names)
FORCE = next(_names)  # measured force
SILENCE = next(_names)  # what the filter is given for a force while it only listens: nothing
LAST_FORCE = next(_names)  # basic force of the filter after the last step (joint)
SHADOW, SHADOW_TRIAL = next(_names), next(_names)  # rows of the shadow
MODEL_P = next(_names)  # parameter vector of the running model, or 0
TWIN_P = next(_names)  # parameter vector of the twin itself, for tangents that read it
WRITES = next(_names)  # for each unknown: number of its places in the model, then the places
WRITTEN = next(_names)  # value of each unknown in the model
STATISTICS = next(_names)  # for each channel: see below
RECORD = next(_names)
RECORD_WIDTH = next(_names)
ROW = next(_names)  # next row of the record
SLOTS = next(_names)

# memory
(COUNT, TIME, STARTED, MISSING, REJECTED, IN_A_ROW, UPDATES, USUAL, OPEN, HELD, LIMITED, LAST_NIS, STRAINED, REOPENED,
 WAIT) = range(15)
MEMORY_SIZE = 15
# options
(GATE, MOST_IN_A_ROW, CONSISTENT, RATE_LIMIT, WINDOW, LISTENING, REOPENINGS) = range(7)
OPTIONS_SIZE = 7
# statistics of a channel: weighted sums of squares of the force, of the residual of the shadow and of its second
# difference, of the normalised innovation, of its product with the one before; then the last two residuals, last
# innovation, weight, samples, and the largest force that was not rejected
(FORCE_2, RESIDUAL_2, ROUGH_2, INNOVATION_2, INNOVATION_LAG, RESIDUAL_1, RESIDUAL_0, INNOVATION_0, WEIGHT,
 TAKEN, LARGEST_FORCE) = range(11)
STATISTICS_SIZE = 11
# record: step, time, flags, NIS, measured channels, mean of the normalised innovation; then by channels displacement,
# force, innovation, its standard deviation, residual of the shadow; by unknowns estimate, standard deviation, value in the model
(R_STEP, R_TIME, R_FLAG, R_NIS, R_CHANNELS, R_USUAL) = range(6)
RECORD_HEAD = 6
USED, MISSED, REJECTED_FLAG, LISTENED = range(4)  # flags of a sample
WRITING = 4  # added where the guards were open

FIRST_GATED = 10.0  # no sample is called wild before this many: nothing is usual yet
USUAL_WINDOW = 50.0  # samples over which the usual size of an innovation is averaged
SETTLING = 20.0  # samples after the start, or after the filter was opened again, before anything is written
PATIENCE = 10.0  # samples in a row that are inconsistent before the filter is opened again
DONE, FILTER_FAILED, REOPEN = range(3)  # what a step returns

_call_filter = caller(FILTER_STEP)


@routine
def _predict_and_correct(c):
    """Filter one sample; returns the flag of the sample, or below 0 where the filter failed."""
    d, p, s = ints_at(c[FILTER_D]), floats_at(c[FILTER_P]), floats_at(c[ESTIMATE])
    u, y, memory, options = floats_at(c[INPUT]), floats_at(c[FORCE]), floats_at(c[MEMORY]), floats_at(c[OPTIONS])
    if options[LISTENING] > 0.0:
        y = floats_at(c[SILENCE])
    if _call_filter(c[PREDICT], (d, p, s, u, y)) != 0:
        return -1
    measured = False
    for b in range(c[twin.CHANNELS]):
        measured = measured or isfinite(y[b])
    copy(c[KEPT_SIZE], s, floats_at(c[KEPT]))
    if _call_filter(c[UPDATE], (d, p, s, u, y)) != 0:
        return -1
    memory[LAST_NIS] = s[NIS]
    if not measured:
        if options[LISTENING] > 0.0:
            return LISTENED
        memory[MISSING] += 1.0
        return MISSED
    nis = s[NIS] / max(s[MEASURED], 1.0)
    usual = options[GATE] * options[GATE] * max(memory[USUAL], 1.0)
    wild = options[GATE] > 0.0 and memory[UPDATES] >= FIRST_GATED and not nis <= usual
    memory[UPDATES] += 1.0
    memory[WAIT] = max(memory[WAIT] - 1.0, 0.0)
    if isfinite(nis):
        memory[USUAL] += (min(nis, usual if wild else nis) - memory[USUAL]) / min(memory[UPDATES], USUAL_WINDOW)
    memory[STRAINED] = memory[STRAINED] + 1.0 if memory[USUAL] > options[CONSISTENT] else 0.0
    if wild and memory[IN_A_ROW] < options[MOST_IN_A_ROW]:
        copy(c[KEPT_SIZE], floats_at(c[KEPT]), s)
        memory[IN_A_ROW] += 1.0
        memory[REJECTED] += 1.0
        return REJECTED_FLAG
    memory[IN_A_ROW] = 0.0
    return USED


@routine
def _move_on(c, x, inside):
    """History of the twin and of its shadow at this displacement, with the corrected parameters."""
    mode, known, m = c[MODE], c[twin.UNKNOWNS], c[twin.BASIC]
    rows, trial = floats_at(c[twin.ROWS]), floats_at(c[twin.TRIAL])
    if mode == STATE:
        commit_hidden(c, x)
    elif c[twin.SEPARATE] != 0:
        commit_rows(c, c[POINTS])
    elif mode == JOINT:
        if evaluate_from_force(c, inside, floats_at(c[LAST_FORCE]), rows, trial):
            copy(c[twin.STRIDE], trial, rows)
    elif evaluate(c, inside, rows, trial):
        copy(c[twin.STRIDE], trial, rows)
    if mode == JOINT:
        unit, force = floats_at(c[twin.FORCE_UNIT]), floats_at(c[LAST_FORCE])
        for a in range(m):
            force[a] = unit[a] * x[known + a]
    if mode != PURE or c[twin.SEPARATE] != 0:
        rows, trial = floats_at(c[SHADOW]), floats_at(c[SHADOW_TRIAL])
        if evaluate(c, inside, rows, trial):
            copy(c[twin.STRIDE], trial, rows)
    return rows


@routine
def _observe(c, record, row, flag):
    """Statistics and record of this sample; ``row`` is the shadow's."""
    m = c[twin.CHANNELS]
    y, stats, options = floats_at(c[FORCE]), floats_at(c[STATISTICS]), floats_at(c[OPTIONS])
    d, s = ints_at(c[FILTER_D]), floats_at(c[ESTIMATE])
    innovation = innovation_of(d, s)
    spread = shift(innovation, m)
    now, force = floats_at(c[twin.NOW]), floats_at(c[twin.SCRATCH])
    by_channels = shift(record, RECORD_HEAD)
    to_force(c, row, force)
    keep = 1.0 - 1.0 / options[WINDOW]
    for b in range(m):
        own = shift(stats, b * STATISTICS_SIZE)
        residual, deviation = y[b] - force[b], sqrt(spread[b * m + b])
        normal = innovation[b] / deviation
        by_channels[b], by_channels[m + b] = now[b], y[b]
        by_channels[2 * m + b], by_channels[3 * m + b], by_channels[4 * m + b] = innovation[b], deviation, residual
        if isfinite(y[b]) and flag != REJECTED_FLAG:
            own[LARGEST_FORCE] = max(own[LARGEST_FORCE], abs(y[b]))
        if not isfinite(residual):
            continue
        for k in (FORCE_2, RESIDUAL_2, ROUGH_2, INNOVATION_2, INNOVATION_LAG, WEIGHT):
            own[k] *= keep
        rough = residual - 2.0 * own[RESIDUAL_1] + own[RESIDUAL_0]
        own[FORCE_2] += y[b] * y[b]
        own[RESIDUAL_2] += residual * residual
        own[ROUGH_2] += rough * rough / 6.0 if own[TAKEN] >= 2.0 else residual * residual
        own[WEIGHT] += 1.0
        own[TAKEN] += 1.0
        own[RESIDUAL_0], own[RESIDUAL_1] = own[RESIDUAL_1], residual
        if isfinite(normal):
            own[INNOVATION_2] += normal * normal
            own[INNOVATION_LAG] += normal * own[INNOVATION_0]
            own[INNOVATION_0] = normal


@routine
def _write(c, inside):
    """Write the parameters to the running model, inside the bounds and no faster than the rate limit; True if open."""
    memory, options, limits = floats_at(c[MEMORY]), floats_at(c[OPTIONS]), floats_at(c[twin.LIMITS])
    known, written, table = c[twin.UNKNOWNS], floats_at(c[WRITTEN]), ints_at(c[WRITES])
    allowed = memory[UPDATES] > 0.0 and memory[WAIT] == 0.0 and memory[USUAL] <= options[CONSISTENT]
    memory[OPEN] = 1.0 if allowed else 0.0
    if not allowed:
        memory[HELD] += 1.0
        return False
    at = 0
    for j in range(known):
        value, low, high = value_of(c, j, inside[j]), value_of(c, j, limits[j]), value_of(c, j, limits[known + j])
        most = options[RATE_LIMIT] * (high - low)
        change = value - written[j]
        if abs(change) > most:
            memory[LIMITED] += 1.0
            value = written[j] + (most if change > 0.0 else -most)
        written[j] = value
        if c[MODEL_P] != 0:
            target = floats_at(c[MODEL_P])
            for k in range(table[at]):
                target[table[at + 1 + k]] = value
        at += 1 + table[at]
    return True


@routine
def _write_twin(c, inside):
    """The calibrated parameters into the twin's own vector, for tangents."""
    own, targets = floats_at(c[TWIN_P]), ints_at(c[twin.TARGETS])
    at = 0
    for j in range(c[twin.UNKNOWNS]):
        value = value_of(c, j, inside[j])
        for k in range(targets[at]):
            own[targets[at + 1 + k]] = value
        at += 1 + targets[at]


@inlined
def take_sample(c, number, time):
    """One step; the sample stands in NOW and FORCE. Returns DONE, FILTER_FAILED, or REOPEN where the filter should be."""
    memory, options, m = floats_at(c[MEMORY]), floats_at(c[OPTIONS]), c[twin.CHANNELS]
    now, before, y = floats_at(c[twin.NOW]), floats_at(c[twin.BEFORE]), floats_at(c[FORCE])
    record = shift(floats_at(c[RECORD]), c[ROW] * c[RECORD_WIDTH])
    memory[COUNT] += 1.0
    record[R_STEP], record[R_TIME] = number, time
    moved = True
    for b in range(m):
        moved = moved and isfinite(now[b])
        if isinf(y[b]):
            y[b] = twin.NAN
    step = floats_at(c[twin.STEP])
    dt = time - memory[TIME] if memory[STARTED] > 0.0 else 0.0
    step[0], step[1], step[2] = time, max(dt, 0.0), 1.0 / dt if dt > 0.0 else 0.0
    d, s = ints_at(c[FILTER_D]), floats_at(c[ESTIMATE])
    x, P, known = mean_of(d, s), covariance_of(d, s), c[twin.UNKNOWNS]
    inside = shift(floats_at(c[twin.SCRATCH]), 2 * (m + c[twin.BASIC] + known))
    flag = MISSED
    by_unknowns = shift(record, RECORD_HEAD + 5 * m)
    if moved:
        deform(c)
        flag = _predict_and_correct(c)
        if flag < 0:
            return FILTER_FAILED
        clip(c, x, inside)
        row = _move_on(c, x, inside)
        _observe(c, record, row, flag)
        copy(m, now, before)
        memory[TIME], memory[STARTED] = time, 1.0
    else:  # without a displacement nothing can move: the next sample takes both increments
        memory[MISSING] += 1.0
        memory[LAST_NIS] = twin.NAN
        clip(c, x, inside)
        for b in range(5 * m):
            record[RECORD_HEAD + b] = twin.NAN
    _write_twin(c, inside)
    if _write(c, inside):
        flag += WRITING
    record[R_FLAG], record[R_NIS], record[R_CHANNELS] = flag, memory[LAST_NIS], s[MEASURED] if flag % WRITING == USED else 0.0
    record[R_USUAL] = memory[USUAL]
    n, written, unit = d[0], floats_at(c[WRITTEN]), floats_at(c[twin.UNIT])
    for j in range(known):
        value = value_of(c, j, inside[j])
        by_unknowns[j] = value
        by_unknowns[known + j] = sqrt(max(P[j * n + j], 0.0)) * (unit[j] if unit[j] > 0.0 else value)
        by_unknowns[2 * known + j] = written[j]
    c[ROW] += 1
    if memory[STRAINED] >= PATIENCE and memory[REOPENED] < options[REOPENINGS]:
        return REOPEN
    return DONE


@compiled
def take_one(context, number, time):
    """One sample."""
    return take_sample(ints_of(context, 0), number, time)


@compiled
def take_many(context, first, times, displacements, forces):
    """Samples of a record until one needs attention; returns what that one did, and the number of samples taken."""
    c = ints_of(context, 0)
    now, y = floats_at(c[twin.NOW]), floats_at(c[FORCE])
    for k in range(times.size):
        for b in range(displacements.shape[1]):
            now[b], y[b] = displacements[k, b], forces[k, b]
        status = take_sample(c, first + k, times[k])
        if status != DONE:
            return status, k + 1
    return DONE, times.size
