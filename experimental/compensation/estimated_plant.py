"""femu's own compensation: the inverse of a plant that is estimated while the test runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.compensation.compiled import (
    COMPENSATOR,
    CompiledCompensation,
    a_plant,
    fits,
    positive,
    whole,
)
from femu.experimental.compensation.derivatives import (
    backward_differences,
    derivative_filter,
    low_pass,
)
from femu.experimental.compensation.dynamic_inverse import dynamic_inverse, inverse_differences
from femu.experimental.compensation.kernel_parts import advance, filtered, remember
from femu.experimental.specimens.plant import Plant
from femu.kernels.compiler import inlined, kernel, shift
from femu.support.errors import InputError
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
HEAD = 17
LIMIT = 10.0  # standard deviations of the prior by which a coefficient may move
FAST_LIMIT = 3.0  # the same of the whole inverse above the band in which the filter sees it
# spread from which on these deviations count; that of a smaller one does not limit
LEAST_LIMITED = 0.1
FAST, FAST_POINTS = (1.5, 12.0), 12  # that band and its points, in cutoffs
SHARE = 0.05  # of the targets, and fast errors of tracking from which on the inverse is not trusted
SETTLED = 0.9  # how much of the window of targets there must be to judge
# times in 1/cutoff: time constants of the mean squares of errors and of targets, how long errors must
# be large, and time constants of the trust
RECENT, WINDOW, PATIENCE, FALL, RISE = 1.0, 5.0, 2.0, 1.0, 100.0
SLOW = 0.03  # of the cutoff: frequency below which signals say nothing, their means least of all
ORDERS = 3, 2  # of the polynomial for one channel, for several
SPREADS = 0.1, 0.005  # the same of the prior
MOST_SPREAD = 0.01  # of several channels without plants, beyond which a loop may become unstable
LEAST_SPREAD = 1e-3  # of the deviations of a family of plants, in directions that it does not have


@inlined
def parts_of_parameters(p):
    """Weights, inverse, its states, filter, prior deviations, fast frequencies with their limits."""
    m, points, orders, q, n = int(p[0]), int(p[1]), int(p[2]), int(p[3]), int(p[4])
    weights = shift(p, HEAD)
    inverse = shift(weights, orders * points)
    transition = shift(inverse, orders * m * m)
    before = shift(transition, n * n)
    after = shift(before, n * m)
    output = shift(after, n * m)
    moves = shift(output, m * n)
    entry = shift(moves, q * q)
    spread = shift(entry, q)
    fast = shift(spread, m * m * orders)
    low = shift(fast, int(p[9]) * (m + 1))
    return weights, inverse, transition, before, after, output, moves, entry, spread, fast, low


@inlined
def parts_of_state(p, s):
    """Targets, state and last target of the inverse, command, filtered commands, measurements and
    targets, their means of late, state and last measurement of the inverse of these, trust,
    coefficients, covariances, work.

    Trust has its share, the next fast frequency, how much of a window targets have moved, for how many
    samples fast errors have been large, the mean squares of filtered errors and targets, and for each
    channel the mean product of two fast errors in a row, the mean squares of fast errors and targets,
    and the last fast error.
    """
    m, points, orders, q, n = int(p[0]), int(p[1]), int(p[2]), int(p[3]), int(p[4])
    size = m * orders
    w = shift(s, points * m)
    last = shift(w, n)
    command = shift(last, m)
    commands = shift(command, m)
    reached = shift(commands, q * m)
    wanted = shift(reached, q * m)
    slow = shift(wanted, q * m)
    wy = shift(slow, 3 * m)
    last_y = shift(wy, n)
    trust = shift(last_y, m)
    theta = shift(trust, 6 + 4 * m)
    covariance = shift(theta, m * size)
    work = shift(covariance, m * size * size)
    return (
        w,
        last,
        command,
        commands,
        reached,
        wanted,
        slow,
        wy,
        last_y,
        trust,
        theta,
        covariance,
        work,
    )


@inlined
def restrain(theta, covariance, fast, trust, direction, gain, m, orders, points):
    """Keep the inverse near the nominal one at one of the fast frequencies, the next one each time.

    Slow motion does not show what the coefficients do there. What is too much is taken back where the
    coefficients are known least: a projection in the metric of their covariance.
    """
    size, at = m * orders, int(trust[1])
    trust[1] = (at + 1) % points
    x = fast[at * (m + 1)]
    for row in range(m):
        own, known = shift(theta, row * size), shift(covariance, row * size * size)
        most, total = fast[at * (m + 1) + 1 + row], 0.0
        for j in range(m):
            even, odd, power = 0.0, 0.0, 1.0  # real and imaginary part: (i x)^k
            for k in range(orders):
                part = power * own[k * m + j]
                if k % 2:
                    odd += part
                else:
                    even += part
                power *= x if k % 2 == 0 else -x
            total += even * even + odd * odd
            power = 1.0
            for k in range(orders):
                direction[k * m + j] = power * (odd if k % 2 else even)
                power *= x if k % 2 == 0 else -x
        if total <= most * most:
            continue
        length, along = total**0.5, 0.0
        for a in range(size):
            gain[a] = 0.0
            for b in range(size):
                gain[a] += known[a * size + b] * direction[b]
            along += gain[a] * direction[a]
        if along > 0.0:
            for a in range(size):
                own[a] -= gain[a] / along * length * (length - most)


@inlined
def without_mean(slow, value, rate):
    """A signal without its mean of late: a transducer may be off its zero."""
    slow[0] += rate * (value - slow[0])
    return value - slow[0]


@inlined
def follows(trust, reached, wanted, m, q, keep):
    """Whether errors of late are smaller than targets: what is measured comes from the commands.

    A specimen that moves by itself, because it was not at rest when the test began, shows a plant that
    is none.
    """
    errors, targets = 0.0, 0.0
    for j in range(m):
        errors += (reached[j * q] - wanted[j * q]) ** 2
        targets += wanted[j * q] ** 2
    trust[4] = keep * trust[4] + (1.0 - keep) * errors
    trust[5] = keep * trust[5] + (1.0 - keep) * targets
    return trust[4] < trust[5]


@inlined
def judge(trust, target, now, slow, wanted, reached, low, m, q, p):
    """How far the derivatives from the second on are trusted: less while fast errors are large.

    These errors are what the low-pass filter, and so the estimate, does not see: the target and the
    measurement, less what the filter passes of both. The mean product of two in a row has no noise of
    the sensor; below half of their mean square, noise hides what there is. Where movements begin, an
    error is large for a moment: the first ones are not judged, and later errors must stay large for
    some time. They count for a shorter time than targets, so that a specimen which settles where the
    test begins is forgotten by then.
    """
    keep, share, fall, rise, recent, patience = p[10], p[11], p[12], p[13], p[14], p[15]
    large, moves = False, False
    for j in range(m):
        error = now[j] - slow[3 * j + 1] - (target[j] - slow[3 * j + 2])
        for k in range(q):
            error -= low[k] * (reached[j * q + k] - wanted[j * q + k])
        powers = shift(trust, 6 + 4 * j)
        powers[0] = recent * powers[0] + (1.0 - recent) * error * powers[3]
        powers[1] = recent * powers[1] + (1.0 - recent) * error * error
        powers[2] = keep * powers[2] + (1.0 - keep) * target[j] * target[j]
        powers[3] = error
        if powers[0] > max(0.5 * powers[1], share * powers[2]):
            large = True
        if powers[2] > 0.0:
            moves = True
    if moves:
        trust[2] = keep * trust[2] + 1.0 - keep
    trust[3] = trust[3] + 1.0 if large and trust[2] > SETTLED else 0.0
    if trust[3] > patience:
        trust[0] -= fall * trust[0]
    else:
        trust[0] += rise * (1.0 - trust[0])


@kernel(COMPENSATOR)
def estimated_command(p, s, target, out):
    """The inverse with the present coefficients, of the target."""
    m, points, orders, n = int(p[0]), int(p[1]), int(p[2]), int(p[4])
    weights, inverse, transition, before, after, output, _, _, _, _, _ = parts_of_parameters(p)
    w, last, command, _, _, _, _, _, _, trust, theta, _, work = parts_of_state(p, s)
    remember(s, target, m, points)
    advance(w, transition, before, after, last, target, n, m, work)
    for row in range(m):
        total = 0.0
        for k in range(n):
            total += output[row * n + k] * w[k]
        out[row] = total
        last[row] = target[row]
    for k in range(orders):
        for j in range(m):
            derivative = 0.0
            for point in range(points):
                derivative += weights[k * points + point] * s[point * m + j]
            for row in range(m):
                part = inverse[(k * m + row) * m + j] + theta[(row * orders + k) * m + j]
                out[row] += (trust[0] if k > 1 else 1.0) * part * derivative
    for row in range(m):
        command[row] = out[row]
    return 0


@kernel(COMPENSATOR)
def estimated_measured(p, s, reached_now, out):
    """One step of the Kalman filter for the coefficients of each command.

    The error has the derivatives of the measurement, the gain those of the target in their place:
    they hardly have the noise of the sensor, which would bias the coefficients otherwise. How loud it
    is shows in fast errors: their mean square less the mean product of two in a row.
    """
    m, _, orders, q, n = int(p[0]), int(p[1]), int(p[2]), int(p[3]), int(p[4])
    noise, misfit, drift, limit = p[5], p[6], p[7], p[8]
    _, inverse, transition, before, after, output, moves, entry, spread, fast, low = (
        parts_of_parameters(p)
    )
    _, _, command, commands, reached, wanted, slow, wy, last_y, trust, theta, covariance, work = (
        parts_of_state(p, s)
    )
    size = m * orders
    phi, z = shift(work, n + q), shift(work, n + q + size)
    gain, now = shift(work, n + q + 2 * size), shift(work, n + q + 3 * size)
    for k in range(m):
        c = without_mean(shift(slow, 3 * k), command[k], p[16])
        y = without_mean(shift(slow, 3 * k + 1), reached_now[k], p[16])
        t = without_mean(shift(slow, 3 * k + 2), s[k], p[16])
        filtered(shift(commands, k * q), moves, entry, c, q, work)
        filtered(shift(reached, k * q), moves, entry, y, q, work)
        filtered(shift(wanted, k * q), moves, entry, t, q, work)
        now[k] = reached[k * q]
    advance(wy, transition, before, after, last_y, now, n, m, work)
    for k in range(orders):
        for j in range(m):
            phi[k * m + j] = reached[j * q + k]
            z[k * m + j] = wanted[j * q + k]
    learns = follows(trust, reached, wanted, m, q, p[10])
    for row in range(m):
        last_y[row] = now[row]
        own, known = shift(theta, row * size), shift(covariance, row * size * size)
        sent = commands[row * q]
        error = sent
        for k in range(n):
            error -= output[row * n + k] * wy[k]
        for k in range(orders):
            for j in range(m):
                part = inverse[(k * m + row) * m + j] + own[k * m + j]
                error -= part * phi[k * m + j]
        powers = shift(trust, 6 + 4 * row)
        total = max(noise, powers[1] - powers[0]) + misfit * max(sent * sent, powers[2])
        for a in range(size):
            gain[a] = 0.0
            for b in range(size):
                gain[a] += known[a * size + b] * z[b]
            total += gain[a] * z[a]
        if not (learns and total > 0.0):
            continue
        for a in range(size):
            most = limit * spread[row * size + a]
            own[a] = min(max(own[a] + gain[a] * error / total, -most), most)
            for b in range(size):
                known[a * size + b] -= gain[a] * gain[b] / total
            known[a * size + a] += drift * spread[row * size + a] ** 2
    restrain(theta, covariance, fast, trust, phi, gain, m, orders, int(p[9]))
    judge(trust, s, reached_now, slow, wanted, reached, low, m, q, p)
    return 0


class EstimatedPlantCompensation(CompiledCompensation):
    """Commands by the inverse of a plant whose coefficients are estimated while the test runs.

    ::

        plant = Plant.transfer_function([900.0], [1.0, 42.0, 900.0])
        compensation = EstimatedPlantCompensation(plant, noise=1.6e-5)

    The inverse of the nominal ``plant`` (see `identify_actuator`) has all its zeros, and a polynomial
    of ``order`` in the derivatives of the target (3 for one channel and 2 for several if left out;
    higher orders amplify high frequencies of the target). The coefficients a of the polynomial follow from
    commands c and measured displacements y, both through one low-pass filter F (Butterworth,
    ``cutoff`` in cycles a time)::

        F c = H^-1 F y + sum over k of (a_k - a_k nominal) s^k F y + noise

    This is linear in a, and the derivatives are states of F: no measurement is differentiated. A
    Kalman filter solves it, with the derivatives of the target as instruments, so the noise of the
    sensor does not bias it. Its prior is about the nominal plant: each coefficient deviates by
    ``spread`` of its size (0.1 for one channel and 0.005 for several if left out), or as in the
    ``plants`` that are thought possible. Channels that always move together hardly show each
    coefficient of their coupling, which is why their prior is narrow. ``noise`` is the least standard
    deviation of the measured displacements; how loud they are is measured. ``misfit`` is the share of a
    command that the model may miss, ``drift`` the share of the prior variance by which coefficients may
    change in a unit of time.
    Coefficients stay within ten deviations of the prior, of one with a spread of 0.1 if theirs is less.
    Signals count without their means of late, so a displacement transducer may be off its zero. Nothing
    is learned while errors are larger than targets: the specimen moves by itself then, or the nominal
    plant has less than half of the gain.

    What moves faster than the ``cutoff`` does not show in the estimate, and could become unstable with
    it: a resonance of the actuator, for example. So the inverse stays within three of these
    deviations there. If the fast part of the error of tracking still exceeds 5 % of the targets for some
    time, the derivatives from the second on fade out until it is below, see ``trust``. Tracking is
    coarser then. That keeps a loop stable if an inverse of order 1 does: of a structure that moves well
    below the ``cutoff``. Limit the tracking of others (`TrackingLimits`).
    """

    command_kernel = estimated_command
    measured_kernel = estimated_measured

    def __init__(
        self,
        plant: Plant,
        *,
        order: int | None = None,
        spread: float | None = None,
        plants: Sequence[Plant] | None = None,
        noise: float = 0.0,
        misfit: float = 0.002,
        cutoff: float = 15.0,
        drift: float = 1e-5,
    ) -> None:
        who = "EstimatedPlantCompensation"
        self.plant = a_plant(who, plant)
        usual = ORDERS[plant.size > 1]
        self.order = usual if order is None else whole(who, "order", order, 1, 5)
        usual_spread = SPREADS[plant.size > 1]
        self.spread = usual_spread if spread is None else positive(who, "spread", spread)
        self.noise = positive(who, "noise", noise, zero=True)
        self.misfit = positive(who, "misfit", misfit)
        self.cutoff = positive(who, "cutoff", cutoff)
        self.drift = positive(who, "drift", drift, zero=True)
        self.plants = None if plants is None else [a_plant(who, one) for one in plants]
        if self.plants is not None and any(one.size != plant.size for one in self.plants):
            rule = "must have as many channels as the nominal plant"
            raise InputError(who, "plants", plants, rule)
        if self.plants is not None and len(self.plants) < 2:
            rule = "must be at least two: their deviations are the prior"
            raise InputError(who, "plants", plants, rule)
        if self.plants is None and plant.size > 1 and self.spread > MOST_SPREAD:
            warn(
                f"{who}: spread = {self.spread:g} for {plant.size} channels may make the loop "
                "unstable: channels that move together do not show each coefficient of their "
                f"coupling. Fix: give plants that are possible, or a spread up to {MOST_SPREAD:g}."
            )

    def settings(self) -> dict[str, Any]:
        names = ("plant", "order", "spread", "plants", "noise", "misfit", "cutoff", "drift")
        return {name: getattr(self, name) for name in names}

    def vectors(self) -> tuple[Array, Array]:
        who, m, orders = "EstimatedPlantCompensation", self.size, self.order + 1
        fits(who, self.plant, m)
        if self.cutoff >= 0.25 / self.dt:
            rule = f"must be below a quarter of the rate, {0.25 / self.dt:g}"
            raise InputError(who, "cutoff", self.cutoff, rule)
        made = dynamic_inverse(self.plant, self.order, self.dt, self.cutoff)
        q = self.order + 2
        moves, entry, unit = derivative_filter(q, self.cutoff, self.dt)
        scale = unit ** np.arange(float(orders))
        weights = backward_differences(self.order, self.dt) / scale[:, None]
        inverse = made.polynomial * scale[:, None, None]
        prior = self._prior(inverse, scale)
        size, n, points = m * orders, len(made.transition), weights.shape[1]
        deviations = np.sqrt(np.array([np.diag(one) for one in prior]))
        fast = self._fast(prior)
        step = self.dt * self.cutoff
        head = [m, points, orders, q, n, self.noise**2, self.misfit**2, self.drift * self.dt]
        head.append(LIMIT * self._wide())
        head += [FAST_POINTS, np.exp(-step / WINDOW), SHARE**2, step / FALL, step / RISE]
        head += [np.exp(-step / RECENT), PATIENCE / step, -np.expm1(-2.0 * np.pi * SLOW * step)]
        blocks = (weights, inverse, *made[1:], moves, entry, deviations, fast, low_pass(q))
        p = np.concatenate([head, *(np.ravel(block) for block in blocks)])
        at = self._trust_at = points * m + 2 * n + 6 * m + 3 * q * m
        s = np.zeros(at + 6 + 4 * m + m * size * (1 + size))
        s[at] = 1.0
        s[-m * size * size :] = np.ravel(prior)
        return p, np.concatenate([s, np.zeros(n + q + 3 * size + m)])

    def _prior(self, inverse: Array, scale: Array) -> Array:
        """Covariance of the coefficients of each command, ordered by derivative and channel."""
        m = self.size
        if self.plants is None:
            largest = np.abs(inverse).max(axis=2, keepdims=True)
            made = self.spread * np.maximum(np.abs(inverse), 0.1 * largest)
            return np.array([np.diag(made[:, row].ravel() ** 2) for row in range(m)])
        parts = inverse_differences(self.plant, self.plants, self.order, self.cutoff)
        parts = parts * scale[None, :, None, None]
        rows = parts.transpose(2, 0, 1, 3).reshape(m, len(self.plants), -1)
        made = np.array([row.T @ row / len(self.plants) for row in rows])
        for one in made:
            one += LEAST_SPREAD * np.diag(np.diag(one)) + 1e-12 * np.trace(one) * np.eye(len(one))
        return made

    def _fast(self, prior: Array) -> Array:
        """Fast frequencies (in cutoffs), each with the limit of every command there."""
        m, powers = self.size, np.arange(float(self.order + 1))
        last = max(FAST[0], min(FAST[1], 0.25 / (self.dt * self.cutoff)))
        made = []
        for x in np.geomspace(FAST[0], last, FAST_POINTS):
            moved = np.kron((1j * x) ** powers, np.eye(m))  # the inverse by its coefficients
            deviations = [np.sqrt(np.trace(moved @ one @ moved.conj().T).real) for one in prior]
            made.append([x, *(FAST_LIMIT * self._wide() * np.array(deviations))])
        return np.array(made)

    def _wide(self) -> float:
        """How many times wider the limits are than those of the prior: it may begin narrow."""
        return max(1.0, LEAST_LIMITED / self.spread) if self.plants is None else 1.0

    @property
    def trust(self) -> float:
        """Share of the derivatives from the second on that the command has at present: 1 unless fast
        errors of tracking were large."""
        return float(self.vector[self._trust_at])

    @property
    def coefficients(self) -> Array:
        """Present coefficients of the polynomial, by derivative and pair of channels."""
        m, orders, points = self.size, self.order + 1, int(self.parameters[1])
        start = HEAD + orders * points
        nominal = self.parameters[start : start + orders * m * m].reshape(orders, m, m)
        at = self._trust_at + 6 + 4 * m
        moved = self.vector[at : at + m * m * orders].reshape(m, orders, m).transpose(1, 0, 2)
        unit = 2.0 * np.pi * self.cutoff
        return np.asarray((nominal + moved) / unit ** np.arange(float(orders))[:, None, None])
