"""Motion between the steps of a test, sample by sample: the equations of the generator.

A step lasts N samples; x = phase/N runs from 0 to 1 in it. The last targets T_0, T_-1, ... were
reached at x = 0, -1, .... While the next target is not known, the reference follows the polynomial
of order p through the last p + 1 targets (prediction)::

    P(x) = T_0 + x D1 + x (x+1)/2 D2 + x (x+1) (x+2)/6 D3,      D1, D2, D3: backward differences

Once it is known, at x = s, the reference goes to it on a cubic (correction) that begins with the
displacement and slope that it has at s, and ends at x = 1 with the target and the slope with which
the next prediction begins. So displacement and velocity are continuous at both ends, whenever the
target comes. If x passes ``predict`` without a target, the phase slows down evenly over ``slow`` of
a step and stops, which is a hold at x = predict + slow/2; a target that comes later lets the phase
speed up again as evenly. The step takes longer then.

The command follows the reference exactly where its limits of velocity and of acceleration allow it.
Beyond them the velocity changes by at most acceleration times sample from one sample to the next,
and the lag is made up for at the highest speed from which it can brake.

The functions below are compiled by numba, and are translated to C by
`femu.experimental.motion.c_source`, so that a controller runs the same code. That limits them to
numbers, vectors, branches, loops and functions of this file; the first assignment of each name has
its type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from femu.kernels import FLOATS, INT, Helper, for_kernels, kernel

# what the generator does
REST = 0
"""no target has come yet"""
PREDICT = 1
"""the next target is not known: on the polynomial of the last ones"""
SLOW = 2
"""the target is late: the motion slows down"""
HOLD = 3
"""the target is late: the motion has stopped"""
CORRECT = 4
"""on the way to the target"""

# settings
TICKS = 0
"""samples of a step"""
ORDER = 1
"""order of the prediction, 1 to 3"""
PREDICT_UNTIL = 2
"""share of a step after which a target is late"""
SLOW_FOR = 3
"""share of a step in which the motion slows down and stops"""
TICK = 4
"""time from sample to sample"""
LIMITS = 5
"""from here: the velocity limit of each channel, then the acceleration limit of each channel"""

# state
MODE = 0
"""what the generator does"""
PHASE = 1
"""samples of this step that have passed"""
RATE = 2
"""samples by which the phase moves on in one sample, 0 to 1"""
SWITCH = 3
"""x at which the correction began"""
WAITING = 4
"""1 if one more target waits for the end of this step"""
REACHED = 5
"""targets reached"""
LATE = 6
"""samples in which the motion slowed down or stopped for a target"""
CHANNELS = 7
"""from here: the numbers of each channel"""

# numbers of a channel
LAST = 0
"""the last target that was reached, and the three before it"""
GOAL = 4
"""the target on the way"""
NEXT = 5
"""the target that waits"""
BEGIN = 6
"""reference where the correction began"""
BEGIN_SLOPE = 7
"""slope there, by x"""
END_SLOPE = 8
"""slope with which the correction ends, by x"""
REFERENCE = 9
"""where the command would be without limits"""
SLOPE = 10
"""slope of the reference, by x"""
COMMAND = 11
"""the command"""
VELOCITY = 12
"""its velocity"""
BEFORE = 13
"""reference of the sample before"""
FIELDS = 14
"""numbers of a channel in the state"""


def exact(function: Callable[..., Any]) -> Helper:
    """A function of the kernels below, in which no two operations are merged into one: the same
    bits as in C."""
    return for_kernels(function, forceinline=True, fastmath=set())


@exact
def at_prediction(state, settings, channel):
    """Put reference and slope of a channel on the polynomial through the last targets."""
    c: int = CHANNELS + FIELDS * channel
    x: float = state[PHASE] / settings[TICKS]
    d1: float = state[c + LAST] - state[c + LAST + 1]
    d2: float = 0.0
    d3: float = 0.0
    if settings[ORDER] >= 2.0:
        d2 = state[c + LAST] - 2.0 * state[c + LAST + 1] + state[c + LAST + 2]
    if settings[ORDER] >= 3.0:
        d3 = (state[c + LAST] - 3.0 * state[c + LAST + 1] + 3.0 * state[c + LAST + 2]
              - state[c + LAST + 3])
    state[c + REFERENCE] = (state[c + LAST] + x * d1 + 0.5 * x * (x + 1.0) * d2
                            + x * (x + 1.0) * (x + 2.0) / 6.0 * d3)
    state[c + SLOPE] = d1 + (x + 0.5) * d2 + (3.0 * x * x + 6.0 * x + 2.0) / 6.0 * d3


@exact
def at_correction(state, settings, channel):
    """Put reference and slope of a channel on the cubic to the target."""
    c: int = CHANNELS + FIELDS * channel
    length: float = 1.0 - state[SWITCH]
    t: float = (state[PHASE] / settings[TICKS] - state[SWITCH]) / length
    rest: float = 1.0 - t
    state[c + REFERENCE] = (rest * rest * ((1.0 + 2.0 * t) * state[c + BEGIN]
                                           + t * length * state[c + BEGIN_SLOPE])
                            + t * t * ((3.0 - 2.0 * t) * state[c + GOAL]
                                       - rest * length * state[c + END_SLOPE]))
    state[c + SLOPE] = (6.0 * t * rest * (state[c + GOAL] - state[c + BEGIN]) / length
                        + rest * (1.0 - 3.0 * t) * state[c + BEGIN_SLOPE]
                        + t * (3.0 * t - 2.0) * state[c + END_SLOPE])


@exact
def set_out(state, settings, channels):
    """Begin the correction to the goal from where the reference is."""
    state[MODE] = CORRECT
    state[SWITCH] = state[PHASE] / settings[TICKS]
    for k in range(channels):
        c: int = CHANNELS + FIELDS * k
        d1: float = state[c + GOAL] - state[c + LAST]
        end: float = d1
        if settings[ORDER] >= 2.0:
            end = end + 0.5 * (d1 - (state[c + LAST] - state[c + LAST + 1]))
        if settings[ORDER] >= 3.0:
            end = end + (state[c + GOAL] - 3.0 * state[c + LAST] + 3.0 * state[c + LAST + 1]
                         - state[c + LAST + 2]) / 3.0
        state[c + BEGIN] = state[c + REFERENCE]
        state[c + BEGIN_SLOPE] = state[c + SLOPE]
        state[c + END_SLOPE] = end


@exact
def arrive(state, settings, channels):
    """The target is reached: it becomes the last one."""
    state[PHASE] = state[PHASE] - settings[TICKS]
    state[REACHED] = state[REACHED] + 1.0
    for k in range(channels):
        c: int = CHANNELS + FIELDS * k
        state[c + LAST + 3] = state[c + LAST + 2]
        state[c + LAST + 2] = state[c + LAST + 1]
        state[c + LAST + 1] = state[c + LAST]
        state[c + LAST] = state[c + GOAL]
        state[c + GOAL] = state[c + NEXT]
        at_prediction(state, settings, k)
    state[MODE] = PREDICT
    if state[WAITING] != 0.0:
        state[WAITING] = 0.0
        set_out(state, settings, channels)


@exact
def follow(state, settings, channel, channels):
    """Let the command of a channel follow its reference within the limits."""
    c: int = CHANNELS + FIELDS * channel
    tick: float = settings[TICK]
    fastest: float = settings[LIMITS + channel]
    jump: float = settings[LIMITS + channels + channel] * tick
    brake: float = 0.5 * jump
    before: float = state[c + BEFORE]
    wanted: float = (state[c + REFERENCE] - state[c + COMMAND]) / tick
    velocity: float = wanted
    behind: float = (before - state[c + COMMAND]) / tick
    size: float = abs(behind)
    if size > brake:
        # what is covered while the speed falls from here by ``brake`` a sample
        size = brake * (math.sqrt(0.25 + 2.0 * size / brake) - 0.5)
        if behind < 0.0:
            size = -size
        velocity = (state[c + REFERENCE] - before) / tick + size
    if velocity > state[c + VELOCITY] + jump:
        velocity = state[c + VELOCITY] + jump
    if velocity < state[c + VELOCITY] - jump:
        velocity = state[c + VELOCITY] - jump
    if velocity > fastest:
        velocity = fastest
    if velocity < -fastest:
        velocity = -fastest
    if velocity == wanted:
        state[c + COMMAND] = state[c + REFERENCE]
    else:
        state[c + COMMAND] = state[c + COMMAND] + velocity * tick
    state[c + VELOCITY] = velocity


@kernel(INT(FLOATS, FLOATS, INT), fastmath=set())
def begin(state, position, channels):
    """Be at rest at a position, without a target."""
    for j in range(CHANNELS):
        state[j] = 0.0
    state[RATE] = 1.0
    for k in range(channels):
        c: int = CHANNELS + FIELDS * k
        for j in range(FIELDS):
            state[c + j] = 0.0
        for j in range(NEXT + 1):
            state[c + LAST + j] = position[k]
        state[c + BEGIN] = position[k]
        state[c + REFERENCE] = position[k]
        state[c + COMMAND] = position[k]
    return 0


@kernel(INT(FLOATS, FLOATS, FLOATS, INT), fastmath=set())
def accept(state, settings, target, channels):
    """The next target is known. Returns 0, or 1 if it is refused: one is waiting already."""
    if state[WAITING] != 0.0:
        return 1
    if state[MODE] == CORRECT:
        state[WAITING] = 1.0
        for k in range(channels):
            state[CHANNELS + FIELDS * k + NEXT] = target[k]
        return 0
    for k in range(channels):
        state[CHANNELS + FIELDS * k + GOAL] = target[k]
    set_out(state, settings, channels)
    return 0


@kernel(INT(FLOATS, FLOATS, INT), fastmath=set())
def tick(state, settings, channels):
    """One sample. Returns 1 if a target is reached with it, otherwise 0."""
    reached: int = 0
    change: float = 1.0
    if settings[SLOW_FOR] > 0.0:
        change = 1.0 / (settings[SLOW_FOR] * settings[TICKS])
    if state[MODE] == PREDICT and state[PHASE] >= settings[PREDICT_UNTIL] * settings[TICKS]:
        state[MODE] = SLOW
    if state[MODE] == SLOW:
        state[RATE] = state[RATE] - change
        if state[RATE] <= 0.0:
            state[RATE] = 0.0
            state[MODE] = HOLD
    elif (state[MODE] == CORRECT or state[MODE] == PREDICT) and state[RATE] < 1.0:
        state[RATE] = state[RATE] + change
        if state[RATE] > 1.0:
            state[RATE] = 1.0
    if state[MODE] == SLOW or state[MODE] == HOLD:
        state[LATE] = state[LATE] + 1.0
    if state[MODE] == CORRECT or state[MODE] == PREDICT or state[MODE] == SLOW:
        state[PHASE] = state[PHASE] + state[RATE]
    for k in range(channels):
        state[CHANNELS + FIELDS * k + BEFORE] = state[CHANNELS + FIELDS * k + REFERENCE]
    if state[MODE] == CORRECT and state[PHASE] >= settings[TICKS]:
        reached = 1
        arrive(state, settings, channels)
    else:
        for k in range(channels):
            if state[MODE] == CORRECT:
                at_correction(state, settings, k)
            elif state[MODE] == PREDICT or state[MODE] == SLOW:
                at_prediction(state, settings, k)
    for k in range(channels):
        follow(state, settings, k, channels)
    return reached


@kernel(INT(FLOATS, INT), fastmath=set())
def hold(state, channels):
    """Stop here, as fast as the limits allow, and forget targets that were not reached."""
    state[MODE] = HOLD
    state[RATE] = 0.0
    state[WAITING] = 0.0
    for k in range(channels):
        state[CHANNELS + FIELDS * k + REFERENCE] = state[CHANNELS + FIELDS * k + COMMAND]
        state[CHANNELS + FIELDS * k + SLOPE] = 0.0
    return 0
