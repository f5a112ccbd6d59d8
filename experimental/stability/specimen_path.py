"""From the target of a step to what is measured of a specimen, as a linear system.

Compensator, actuator, specimen, one after the other, at the step of the test. What stops, slips or
has a limit (backlash, undershoot, stroke, rate, capacity) is left out: it does not act on small
motions, or is no linear system.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm

from femu.experimental.compensation.compensated_specimen import CompensatedSpecimen
from femu.experimental.compensation.compensation import Compensation
from femu.experimental.compensation.compiled import CompiledCompensation
from femu.experimental.elements.experimental import Experimental
from femu.experimental.motion.continuous import ContinuousSpecimen
from femu.experimental.specimens.actuator import Actuator
from femu.experimental.specimens.emulated import EmulatedSpecimen
from femu.experimental.specimens.plant import HEAD, Plant
from femu.experimental.specimens.specimen import Specimen
from femu.experimental.stability.compensator_system import compensator_system
from femu.experimental.stability.linear_system import (
    LinearSystem,
    as_linear_system,
    delayed,
    filtered,
    gain,
)

Array = npt.NDArray[np.float64]
LONGEST = 512
"""Steps over which the answer of a compensator to an impulse is followed."""
QUIET = 16
"""Steps without an answer after which there is none any more."""
IMPULSE = 1e-6
"""Size of the impulse: small, since a compensator may adapt to large motions."""
SMALL_RATE = 1e-6


class NotLinear(Exception):
    """No linear system is known for a part; the text says which."""


def of_actuator(actuator: Any, dt: float) -> LinearSystem:
    """One channel of an actuator: delay, then lag or servo, exactly for straight commands."""
    if hasattr(actuator, "state_space"):
        return as_linear_system(actuator.state_space(dt), type(actuator).__name__)
    if not isinstance(actuator, Actuator):
        raise NotLinear(f"{type(actuator).__name__} has no state_space(dt)")
    made = delayed(actuator.delay / dt)
    if actuator.lag > 0.0:
        decay = math.exp(-dt / actuator.lag)
        share = actuator.lag / dt * (1.0 - decay)
        # y' = u' - lag/dt (u' - u) + decay (y - u + lag/dt (u' - u)), with x = decay y + b u
        before, now = share - decay, 1.0 - share
        rows = [[decay]], [[decay * now + before]], [[1.0]], [[now]]
        made = made.then(LinearSystem(*map(np.array, rows)))
    if actuator.frequency > 0.0:
        w = 2.0 * math.pi * actuator.frequency
        motion = [
            [0.0, 1.0, 0.0, 0.0],
            [-w * w, -2.0 * actuator.damping * w, w * w, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 0.0, 0.0],
        ]
        step = expm(dt * np.array(motion))[:2]
        old, slope = step[:, 2], step[:, 3] / dt
        # (position, speed)' = S (position, speed) + (old - slope) u + slope u'
        a = np.zeros((3, 3))
        a[:2, :2], a[:2, 2] = step[:, :2], old - slope
        b = np.array([[slope[0]], [slope[1]], [1.0]])
        # the state holds position, speed and command of the step before
        made = made.then(LinearSystem(a, b, a[:1], b[:1]))
    return made


def of_plant(plant: Plant, stiffness: Array, dt: float, rates: Array | None = None) -> LinearSystem:
    """From commands to displacements and forces of a plant that moves a specimen of a stiffness,
    and of ``rates`` of its forces, for held commands.

    The steps are those of `femu.experimental.specimens.plant.plant_step`: what the specimen's force
    has beyond its stiffness acts over the next step.
    """
    n, m = np.asarray(plant.b).shape
    known = plant.step_parameters(dt, stiffness)[HEAD:].reshape(n + 3 * m, n + 2 * m)
    moved, shown = known[:n], known[n:]
    by_state = shown[:, :n] @ moved[:, :n]
    by_command = shown[:, :n] @ moved[:, n : n + m] + shown[:, n : n + m]
    by_force = shown[:, :n] @ moved[:, n + m :] + shown[:, n + m :]
    own = np.zeros((m, m)) if rates is None else rates
    c, d = np.hstack([by_state, by_force]), by_command
    place, speed, change = slice(0, m), slice(m, 2 * m), slice(2 * m, 3 * m)
    inertia, damper = np.diag(np.asarray(plant.mass)), np.diag(np.asarray(plant.damping))

    def force(by: Array) -> Array:
        return np.asarray(stiffness @ by[place] + (own + damper) @ by[speed] + inertia @ by[change])

    acts = np.any(np.asarray(plant.force))
    remainder = own if acts else np.zeros((m, m))
    return LinearSystem(
        np.vstack([np.hstack([moved[:, :n], moved[:, n + m :]]), remainder @ c[speed]]),
        np.vstack([moved[:, n : n + m], remainder @ d[speed]]),
        np.vstack([c[place], force(c)]),
        np.vstack([d[place], force(d)]),
    )


def of_compensation(compensation: Compensation | None, dt: float) -> LinearSystem:
    """A compensator as it is when a test begins: one channel, unless it has a system of more."""
    if compensation is None or type(compensation) is Compensation:
        return gain([[1.0]])
    known = getattr(compensation, "state_space", None)
    if known is not None:
        return as_linear_system(known(dt), type(compensation).__name__)
    if type(compensation).__module__.split(".")[0] != "femu":  # its code may do more than compute
        raise NotLinear(f"{type(compensation).__name__} has no state_space(dt)")
    made = copy.deepcopy(compensation)
    made.start(1, dt)
    answer: list[float] = []
    while len(answer) < LONGEST:
        target = np.array([IMPULSE if not answer else 0.0])
        answer.append(float(made.command(target)[0]) / IMPULSE)
        made.measured(target)
        if len(answer) > QUIET and not np.any(answer[-QUIET:]):
            break
    else:
        if max(map(abs, answer[-QUIET:])) > 1e-9 * max(map(abs, answer)):
            raise NotLinear(
                f"{type(compensation).__name__} has no state_space(dt), and an impulse is in its "
                f"commands for more than {LONGEST} steps"
            )
    last = int(np.flatnonzero(answer)[-1]) if np.any(answer) else 0
    return filtered(answer[: last + 1])


def compensated(
    compensation: Compensation | None, moved: LinearSystem, channels: int, dt: float
) -> LinearSystem:
    """What is moved, with a compensator in front of it that sees what is reached."""
    known = hasattr(compensation, "state_space")
    if isinstance(compensation, CompiledCompensation) and not known:
        if type(compensation).__module__.split(".")[0] != "femu":
            raise NotLinear(f"{type(compensation).__name__} has no state_space(dt)")
        return compensator_system(compensation, channels, dt).before(moved)
    ahead = of_compensation(compensation, dt)
    return (ahead if ahead.inputs == channels else ahead.repeated(channels)).then(moved)


def _rates(specimen: EmulatedSpecimen) -> Array:
    """Force of each actuator by the velocity of each, at rest."""
    system = specimen.system
    virgin, n = system.virgin(), system.size
    made = np.zeros((n, n))
    for k in range(n):
        rate = np.zeros(n)
        rate[k] = SMALL_RATE
        force, _ = system.evaluate(virgin, virgin.copy(), np.zeros(n), rate)
        made[:, k] = force / SMALL_RATE
    return made


def with_force(stiffness: Array, rates: Array | None, dt: float) -> LinearSystem:
    """From reached displacements to displacements and forces."""
    n = len(stiffness)
    if rates is None or not rates.any():
        return gain(np.vstack([np.eye(n), stiffness]))
    by_step = rates / dt
    return LinearSystem(
        np.zeros((n, n)),
        np.eye(n),
        np.vstack([np.zeros((n, n)), -by_step]),
        np.vstack([np.eye(n), stiffness + by_step]),
    )


def of_specimen(
    specimen: Specimen, dt: float, stiffness: Array, plant: Any = None, delay: float = 0.0
) -> LinearSystem:
    """From the commands of a specimen to its displacements and forces.

    ``stiffness`` is that in the coordinates of the actuators, for a specimen that does not know its
    own. A ``plant`` replaces what is known of the actuators. With a further ``delay`` of theirs.
    """
    n = specimen.size
    if isinstance(specimen, CompensatedSpecimen):
        inner = of_specimen(specimen.specimen, dt, stiffness, plant, delay)
        return compensated(specimen.compensation, inner, n, dt)
    if isinstance(specimen, ContinuousSpecimen):
        raise NotLinear("the motion between the steps is not part of the linear model")
    more = delayed(delay / dt).repeated(n)
    if plant is None and hasattr(specimen, "state_space"):
        known = as_linear_system(specimen.state_space(dt), type(specimen).__name__)
        return more.then(_checked(known, n))
    if plant is None:
        plant = getattr(specimen, "actuator", Actuator())
    if isinstance(plant, Actuator):  # two delays between the steps are not the same as their sum
        reached = of_actuator(replace(plant, delay=plant.delay + delay), dt)
        more = gain(np.eye(n))
    elif isinstance(plant, Plant):
        own = specimen.initial_stiffness()
        held = stiffness if own is None else own
        rates = _rates(specimen) if isinstance(specimen, EmulatedSpecimen) else None
        return more.then(of_plant(plant, held, dt, rates))
    elif isinstance(plant, (LinearSystem, tuple, list)):
        reached = as_linear_system(plant, "plants")
    else:
        reached = of_actuator(plant, dt)
    if reached.inputs == 1 < n and reached.outputs == 1:
        reached = reached.repeated(n)
    if (reached.inputs, reached.outputs) == (n, 2 * n):
        return more.then(reached)
    if (reached.inputs, reached.outputs) != (n, n):
        raise NotLinear(
            f"the plant has {reached.inputs} inputs and {reached.outputs} outputs, and the "
            f"specimen {n} actuators"
        )
    own = specimen.initial_stiffness()
    rates = _rates(specimen) if isinstance(specimen, EmulatedSpecimen) else None
    return more.then(reached).then(with_force(stiffness if own is None else own, rates, dt))


def _checked(system: LinearSystem, n: int) -> LinearSystem:
    if (system.inputs, system.outputs) != (n, 2 * n):
        raise NotLinear(
            f"state_space(dt) of the specimen has {system.inputs} inputs and {system.outputs} "
            f"outputs; {n} commands, {n} displacements and {n} forces were expected"
        )
    return system


def path_of(
    element: Experimental,
    specimen: Specimen,
    dt: float,
    plant: Any = None,
    compensation: Compensation | None = None,
    delay: float = 0.0,
) -> LinearSystem:
    """From the strokes that an element asks for to measured strokes and forces of its actuators.

    With a further ``delay`` of the actuators.
    """
    setup = element.actuator_setup
    guess = setup.stiffness_of_actuators(element.initial)
    moved = of_specimen(specimen, dt, guess, plant, delay)
    return compensated(compensation, moved, specimen.size, dt)
