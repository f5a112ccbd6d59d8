"""The law of an experimental element between two answers of its specimen.

It is linear about the last answer, with the basic deformations v::

    q = r_m + K (v - v_m),        k = K = K_0 + dK

The stiffness comes from outside (the `TangentEstimator` of the test, once a step), or is estimated
here in every iteration of an implicit step, after Mosqueda and Ahmadizadeh ("Implicit numerical
integration in hybrid simulation with iteration strategy for experimental substructures", Eq. 6 to
11). There the coordinates ``T`` of the estimator make the specimen a set of springs, and with the
last converged state (v_0, q_0)::

    d(tau), r(tau)    least-squares parabolas through the last four samples of each channel, tau in steps from the last
    d(tau) = v        the root nearest to 0; none within ``reach`` of a sample: the stiffness stays what it was
    P_j = (T^-T (r(tau) - q_0))_j / (T (v - v_0))_j     where the denominator exceeds the noise, else as before
    dK = T^T (P - P_0) T                                with P between two shares of P_0

Which of these it is, the integrator says by the entry ESTIMATE of run.step. Everything is in the
state of the element.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from femu.engine.element_kernels import AS_BEFORE, BASIC_SIGNATURE, ESTIMATE, HELD, POLYNOMIALS
from femu.kernels import compiled, inlined, kernel, shift

Array = npt.NDArray[np.float64]
SAMPLES = 4
MEASURED = 2  # vectors after the head: measured displacement and force
# a parabola through samples at s = -1.5, -0.5, 0.5, 1.5 in orthogonal polynomials: 1, s, s^2 - 5/4
MIDDLE, LINEAR_NORM, CURVED, CURVED_NORM = 1.5, 5.0, 1.25, 4.0
# numbers after the arrays of the state
ON, REACH, LOW, HIGH, NUMBERS = range(5)


@inlined
def _places(n):
    """Where things begin in the state.

    Measured v, measured q, dK, updated, P, earlier samples, numbers, T, T^-T, P_0, least.
    """
    entries = n * (n + 1) // 2
    measured_v = 2 * n + entries
    measured_q = measured_v + n
    change = measured_q + n
    updated = change + entries
    springs = updated + 1
    earlier = springs + n
    numbers = earlier + 2 * n * (SAMPLES - 1)
    coordinates = numbers + NUMBERS
    conjugate = coordinates + n * n
    springs0 = conjugate + n * n
    least = springs0 + n
    return measured_v, measured_q, change, updated, springs, earlier, numbers, coordinates, conjugate, springs0, least


def held_names(n: int) -> list[str]:
    """State variables after the basic head."""
    pairs = [f"{a}{b}" for a in range(n) for b in range(n)]
    return [*(f"measured_v_{a}" for a in range(n)), *(f"measured_q_{a}" for a in range(n)),
            *(f"change_k_{a}{b}" for a in range(n) for b in range(a, n)), "updated",
            *(f"spring_{a}" for a in range(n)),
            *(f"before_{k}_{x}_{a}" for k in range(1, SAMPLES) for x in ("v", "q")
              for a in range(n)),
            "estimates", "reach", "least_share", "most_share",
            *(f"coordinate_{ab}" for ab in pairs),
            *(f"conjugate_{ab}" for ab in pairs), *(f"initial_spring_{a}" for a in range(n)),
            *(f"least_{a}" for a in range(n))]


@inlined
def _parabola(y3, y2, y1, y0):
    """Value, slope and curvature terms of the least-squares parabola in s = tau + 1.5.

    Y0 is the newest sample.
    """
    return (0.25 * (y0 + y1 + y2 + y3), (1.5 * (y0 - y3) + 0.5 * (y1 - y2)) / LINEAR_NORM,
            (y0 - y1 - y2 + y3) / CURVED_NORM)


@inlined
def _root(value, slope, curve, wanted, reach):
    """The tau nearest to 0 at which the parabola has the wanted value, and whether there is one
    within reach."""
    # in tau = s - 1.5: c tau^2 + b tau + a = 0
    a = value + slope * MIDDLE + curve * (MIDDLE * MIDDLE - CURVED) - wanted
    b = slope + 2.0 * MIDDLE * curve
    under = b * b - 4.0 * curve * a
    if under < 0.0:
        return 0.0, False
    # the root of the smaller size without cancellation; it is the only one where the parabola is a
    # line
    bottom = b + math.copysign(math.sqrt(under), b)
    if bottom == 0.0:
        return 0.0, a == 0.0
    tau = -2.0 * a / bottom
    return tau, abs(tau) <= reach


@inlined
def _estimate(n, c, t, v, how):
    """Springs P and the change of the stiffness they make; returns whether a spring was learnt.

    Many locals: views of one workspace.
    """
    at_v, at_q, change, _, springs, earlier, numbers, coordinates, conjugate, springs0, least = _places(n)
    last_v = n + n * (n + 1) // 2
    for j in range(n):
        t[springs + j] = c[springs + j]
    found = True
    if how == POLYNOMIALS:
        # the estimated force waits where the result will be written
        for a in range(n):
            b1, b2, b3 = earlier + a, earlier + 2 * n + a, earlier + 4 * n + a
            value, slope, curve = _parabola(c[b3], c[b2], c[b1], c[at_v + a])
            tau, inside = _root(value, slope, curve, v[a], c[numbers + REACH])
            found = found and inside
            value, slope, curve = _parabola(c[b3 + n], c[b2 + n], c[b1 + n], c[at_q + a])
            s = tau + MIDDLE
            t[change + a] = value + slope * s + curve * (s * s - CURVED)
    else:
        for a in range(n):
            t[change + a] = c[at_q + a]
    learnt = False
    if found:
        for j in range(n):
            moved, force = 0.0, 0.0
            for a in range(n):
                where = v[a] if how == POLYNOMIALS else c[at_v + a]
                moved += c[coordinates + j * n + a] * (where - c[last_v + a])
                force += c[conjugate + j * n + a] * (t[change + a] - c[a])
            if abs(moved) > c[least + j]:
                share = force / (moved * c[springs0 + j])
                t[springs + j] = c[springs0 + j] * min(max(share, c[numbers + LOW]),
                                                       c[numbers + HIGH])
                learnt = True
    place = change
    for a in range(n):
        for b in range(a, n):
            total = 0.0
            for j in range(n):
                total += c[coordinates + j * n + a] * (t[springs + j]
                                                       - c[springs0 + j]) * c[coordinates + j * n
                                                                              + b]
            t[place] = total
            place += 1
    return learnt


@kernel(BASIC_SIGNATURE)
def measured_law(i, g, p, c, t, w, v, rate, step, load):
    """Basic kernel; see the docstring of the module.

    Integers: size, and where the initial stiffness is in p.

    Many locals: views of one state.
    """
    n = i[0]
    entries = n * (n + 1) // 2
    initial, stiffness, deformation = shift(p, i[1]), shift(t, n), shift(t, n + entries)
    at_v, at_q, change, updated, springs, earlier, numbers, _, _, _, least = _places(n)
    how = int(step[ESTIMATE])
    for a in range(at_v, change):
        t[a] = c[a]
    for a in range(earlier, least + n):
        t[a] = c[a]
    if c[numbers + ON] == 0.0 or how == HELD:
        for a in range(change, earlier):
            t[a] = c[a]
    elif how != AS_BEFORE:
        t[updated] = 1.0 if _estimate(n, c, t, v, how) else 0.0
    for a in range(entries):
        stiffness[a] = initial[a] + t[change + a]
    for a in range(n):
        deformation[a] = v[a]
        total = c[at_q + a]
        for b in range(n):
            low, high = min(a, b), max(a, b)
            total += stiffness[low * n - low * (low - 1) // 2 + high - low] * (v[b] - c[at_v + b])
        t[a] = total
    return 0


@compiled
def shift_samples(own, n, displacement, force, initial, stiffness, renewed, updated):
    """Write an answer into the state of an element; the answer before it becomes a sample."""
    at_v, at_q, change, flag, _, earlier, _, _, _, _, _ = _places(n)
    for a in range(2 * n):
        own[earlier + 4 * n + a] = own[earlier + 2 * n + a]
        own[earlier + 2 * n + a] = own[earlier + a]
        own[earlier + a] = own[at_v + a]
    for a in range(n):
        own[at_v + a] = displacement[a]
        own[at_q + a] = force[a]
    own[flag] = 0.0
    if renewed:
        own[flag] = 1.0 if updated else 0.0
        place = change
        for a in range(n):
            for b in range(a, n):
                own[place] = 0.5 * (stiffness[a, b] + stiffness[b, a]) - initial[a, b]
                place += 1


@compiled
def follow_springs(own, n, reach, coordinates, conjugate, springs0, least, low, high):
    """Write into the state of an element by which springs it estimates its stiffness."""
    _, _, _, _, springs, _, numbers, at_t, at_c, at_0, at_least = _places(n)
    own[numbers + ON], own[numbers + REACH], own[numbers + LOW], own[numbers
                                                                     + HIGH] = 1.0, reach, low, high
    for j in range(n):
        own[springs + j] = own[at_0 + j] = springs0[j]
        own[at_least + j] = least[j]
        for a in range(n):
            own[at_t + j * n + a] = coordinates[j, a]
            own[at_c + j * n + a] = conjugate[j, a]
