"""The closed loop of the real-time benchmarks, compiled: numerical part, compensator, plant, sensors.

The structure is linear and advances by central differences; the measured forces act on it. One step
is: displacement of the next instant, target, command, plant, measurement. The same plant and the same
kernels run in a `HybridTest`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from femu.experimental import Compensation, Plant, Sensors
from femu.experimental.compensation.compiled import CompiledCompensation, call_compensator
from femu.experimental.specimens.converter import converted
from femu.experimental.specimens.plant import plant_step
from femu.kernels.compiler import caller, compiled, floats_of

Array = npt.NDArray[np.float64]
LARGEST = 1.0  # metres: beyond it a loop is called unstable
call_plant = caller(plant_step.signature)


@dataclass(frozen=True)
class Structure:
    """A linear numerical part: matrices, which displacements are targets, what the ground moves."""

    mass: Array
    damping: Array
    stiffness: Array
    targets: Array
    """Targets from displacements: (channels, degrees of freedom)."""
    ground: Array
    """Mass that a ground acceleration moves, for each degree of freedom."""


@dataclass(frozen=True)
class Motion:
    """What a loop did: displacements of the structure, targets, reached displacements, commands."""

    displacement: Array
    target: Array
    reached: Array
    command: Array
    stable: bool


@compiled
def _loop(
    ground,
    first,
    second,
    third,
    loads,
    targets,
    p,
    s,
    work,
    pc,
    sc,
    kernels,
    sensors,
    noise,
    displacement,
    target,
    reached,
    command,
):
    steps, n = displacement.shape
    m = targets.shape[0]
    x, before, load = np.zeros(n), np.zeros(n), np.zeros(n)
    force, now, out, moved = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(3 * m)
    stiffness, carried, damped = (
        sensors[4 : 4 + m],
        sensors[4 + m : 4 + 2 * m],
        sensors[4 + 2 * m :],
    )
    for step in range(1, steps):
        for a in range(n):
            load[a] = -loads[a] * ground[step - 1]
            for k in range(m):
                load[a] -= targets[k, a] * force[k]
            for b in range(n):
                load[a] += second[a, b] * x[b] - third[a, b] * before[b]
        for a in range(n):
            before[a] = x[a]
        for a in range(n):
            x[a] = 0.0
            for b in range(n):
                x[a] += first[a, b] * load[b]
            displacement[step, a] = x[a]
        for k in range(m):
            now[k] = 0.0
            for a in range(n):
                now[k] += targets[k, a] * x[a]
            target[step, k] = now[k]
        call_compensator(
            kernels[0], (floats_of(pc, 0), floats_of(sc, 0), floats_of(now, 0), floats_of(out, 0))
        )
        for k in range(m):
            if not abs(out[k]) < 100.0 * LARGEST or not abs(now[k]) < LARGEST:
                return step
            command[step, k] = out[k]
        call_plant(
            kernels[2],
            (
                floats_of(p, 0),
                floats_of(s, 0),
                floats_of(out, 0),
                floats_of(moved, 0),
                floats_of(work, 0),
            ),
        )
        for k in range(m):
            reached[step, k] = moved[k]
            now[k] = converted(moved[k] + noise[step, k], sensors[0], sensors[1])
            force[k] = stiffness[k] * moved[k] + damped[k] * moved[m + k]
            force[k] += carried[k] * moved[2 * m + k]
            force[k] = converted(force[k] + noise[step, m + k], sensors[2], sensors[3])
        call_compensator(
            kernels[1], (floats_of(pc, 0), floats_of(sc, 0), floats_of(now, 0), floats_of(out, 0))
        )
    return steps


def run_loop(
    structure: Structure,
    plant: Plant,
    stiffness: Array,
    compensation: Compensation,
    sensors: Sensors,
    ground: Array,
    dt: float,
    seed: int = 0,
) -> Motion:
    """One test: a structure with a plant that carries linear specimens of a ``stiffness`` (one for
    each channel), under a ground acceleration at steps of ``dt``."""
    if not isinstance(compensation, CompiledCompensation):
        raise TypeError("the compiled loop needs a compiled compensation")
    m, n, steps = plant.size, len(structure.mass), len(ground)
    compensation.start(m, dt)
    first = np.linalg.inv(structure.mass / dt**2 + structure.damping / (2.0 * dt))
    second = 2.0 * structure.mass / dt**2 - structure.stiffness
    third = structure.mass / dt**2 - structure.damping / (2.0 * dt)
    p = plant.step_parameters(dt, np.diag(stiffness))
    s = np.zeros(plant.state_size(m))
    noise = np.random.default_rng(seed).standard_normal((steps, 2 * m))
    noise[:, :m] *= sensors.displacement_noise
    noise[:, m:] *= sensors.force_noise
    numbers = [
        sensors.displacement_step, sensors.displacement_range, sensors.force_step,
        sensors.force_range, *stiffness, *np.asarray(plant.mass), *np.asarray(plant.damping),
    ]  # fmt: skip
    displacement = np.zeros((steps, n))
    target, reached, command = (np.zeros((steps, m)) for _ in range(3))
    kernels = (compensation.command_kernel, compensation.measured_kernel, plant_step)
    done = _loop(
        np.ascontiguousarray(ground, dtype=float), first, second, third,
        np.ascontiguousarray(structure.ground), np.ascontiguousarray(structure.targets),
        p, s, np.zeros(len(s) + m), compensation.parameters, compensation.vector,
        np.array([k.address for k in kernels], dtype=np.int64), np.array(numbers), noise,
        displacement, target, reached, command,
    )  # fmt: skip
    cut = (displacement[:done], target[:done], reached[:done], command[:done])
    return Motion(*cut, stable=done == steps)


def without_test(structure: Structure, ground: Array, dt: float) -> Array:
    """Displacements of a structure computed as a whole."""
    first = np.linalg.inv(structure.mass / dt**2 + structure.damping / (2.0 * dt))
    second = 2.0 * structure.mass / dt**2 - structure.stiffness
    third = structure.mass / dt**2 - structure.damping / (2.0 * dt)
    made = np.zeros((len(ground), len(structure.mass)))
    _march(ground, first @ second, first @ third, first @ structure.ground, made)
    return made


@compiled
def _march(ground, a, b, c, made):
    for k in range(1, len(made)):
        for i in range(made.shape[1]):
            total = -c[i] * ground[k - 1]
            for j in range(made.shape[1]):
                total += a[i, j] * made[k - 1, j]
                if k > 1:
                    total -= b[i, j] * made[k - 2, j]
            made[k, i] = total


def delay_of(reached: Array, target: Array, dt: float, most: float = 0.1) -> float:
    """Delay by which a signal follows its target best, by cross-correlation with a parabola through
    its peak."""
    span = int(most / dt)
    size = 1 << int(len(target) + 2 * span).bit_length()
    spectrum = np.fft.rfft(reached, size) * np.conj(np.fft.rfft(target, size))
    whole = np.fft.irfft(spectrum, size)
    near = np.concatenate([whole[-span:], whole[: span + 1]])
    k = int(np.clip(np.argmax(near), 1, 2 * span - 1))
    low, top, high = near[k - 1], near[k], near[k + 1]
    bend = low - 2.0 * top + high
    return float(dt * (k - span + (0.5 * (low - high) / bend if bend else 0.0)))


def deviation(values: Array, wanted: Array) -> float:
    """Standard deviation of the difference, in per cent of that of what is wanted."""
    return float(100.0 * np.std(values - wanted) / np.std(wanted))


def peak(values: Array, wanted: Array) -> float:
    """Largest difference, in per cent of the largest of what is wanted."""
    return float(100.0 * np.abs(values - wanted).max() / np.abs(wanted).max())
