"""The closed loop of the real-time benchmarks, compiled: numerical part, compensator, plant, sensors.

The structure is linear; the measured forces act on it. One step is: displacement of the next instant,
target, command, plant, measurement. The same plant and the same kernels run in a `HybridTest`.
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
RUN_AWAY = 5.0  # times the largest displacement of the whole structure
LAST, SWINGING = 2.0, 0.3  # seconds at the end; share of the largest displacement
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

    def explicit(self, dt: float) -> March:
        """By central differences; the state is the displacements of two instants."""
        n = len(self.mass)
        first = np.linalg.inv(self.mass / dt**2 + self.damping / (2.0 * dt))
        second = 2.0 * self.mass / dt**2 - self.stiffness
        third = self.mass / dt**2 - self.damping / (2.0 * dt)
        moved = np.block([[first @ second, -first @ third], [np.eye(n), np.zeros((n, n))]])
        entry = np.vstack([first, np.zeros((n, n))])
        return March(moved, entry, np.eye(n, 2 * n), 0)

    def implicit(self, dt: float) -> March:
        """By constant average acceleration; the state is displacements, velocities and
        accelerations. Degrees of freedom may have no mass."""
        m, c, k = self.mass, self.damping, self.stiffness
        n, zero, eye = len(m), np.zeros_like(m), np.eye(len(m))
        left = np.linalg.inv(k + 4.0 / dt**2 * m + 2.0 / dt * c)
        by_x = left @ (4.0 / dt**2 * m + 2.0 / dt * c)
        by_v = left @ (4.0 / dt * m + c)
        x = np.hstack([by_x, by_v, left @ m])
        v = 2.0 / dt * (x - np.hstack([eye, zero, zero])) - np.hstack([zero, eye, zero])
        a = 2.0 / dt * (v - np.hstack([zero, eye, zero])) - np.hstack([zero, zero, eye])
        entry = np.vstack([left, 2.0 / dt * left, 4.0 / dt**2 * left])
        return March(np.vstack([x, v, a]), entry, np.eye(n, 3 * n), 1)


@dataclass(frozen=True)
class March:
    """One step of a structure: z_1 = moved z_0 + entry load, displacements = shown z_1.

    The ground acceleration is that of ``late`` instants after z_0; forces are those at z_0.
    """

    moved: Array
    entry: Array
    shown: Array
    late: int


@dataclass(frozen=True)
class Interaction:
    """Forces on the structure: ``by_motion`` times displacements, velocities and accelerations of the
    plant, and ``by_state`` times the state of the structure; ``loads`` are the degrees of freedom that
    they load (forces, degrees of freedom)."""

    by_motion: Array
    by_state: Array
    loads: Array


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
    moved,
    entry,
    per_ground,
    shown,
    late,
    targets,
    by_motion,
    by_state,
    p,
    s,
    work,
    pc,
    sc,
    kernels,
    sensors,
    noise,
    waiting,
    displacement,
    target,
    reached,
    command,
):
    """Longer than a page: one step of the loop in order, with numbers by their symbols."""
    steps, n = displacement.shape
    m, states, forces = targets.shape[0], moved.shape[0], by_motion.shape[0]
    z, before, force = np.zeros(states), np.zeros(states), np.zeros(forces)
    now, out, motion = np.zeros(m), np.zeros(m), np.zeros(3 * m)
    for step in range(1, steps):
        for a in range(states):
            before[a] = z[a]
        for a in range(states):
            total = -per_ground[a] * ground[step - 1 + late]
            for k in range(forces):
                total -= entry[a, k] * force[k]
            for b in range(states):
                total += moved[a, b] * before[b]
            z[a] = total
        for a in range(n):
            displacement[step, a] = z[shown[a]]
        for k in range(m):
            now[k] = 0.0
            for a in range(n):
                now[k] += targets[k, a] * displacement[step, a]
            target[step, k] = now[k]
        call_compensator(
            kernels[0], (floats_of(pc, 0), floats_of(sc, 0), floats_of(now, 0), floats_of(out, 0))
        )
        for k in range(m):
            if not abs(out[k]) < 100.0 * LARGEST or not abs(now[k]) < LARGEST:
                return step
            command[step, k] = out[k]
            out[k] = command[max(step - waiting, 0), k]
        call_plant(
            kernels[2],
            (
                floats_of(p, 0),
                floats_of(s, 0),
                floats_of(out, 0),
                floats_of(motion, 0),
                floats_of(work, 0),
            ),
        )
        for k in range(m):
            reached[step, k] = motion[k]
            now[k] = converted(motion[k] + noise[step, k], sensors[0], sensors[1])
        for k in range(forces):
            total = noise[step, m + k]
            for a in range(3 * m):
                total += by_motion[k, a] * motion[a]
            for a in range(states):
                total += by_state[k, a] * z[a]
            force[k] = converted(total, sensors[2], sensors[3])
        call_compensator(
            kernels[1], (floats_of(pc, 0), floats_of(sc, 0), floats_of(now, 0), floats_of(out, 0))
        )
    return steps


def of_specimens(plant: Plant, structure: Structure, stiffness: Array) -> Interaction:
    """Linear specimens, one for each channel, with what the plant has between them and the load
    cells."""
    mass, damping = np.asarray(plant.mass), np.asarray(plant.damping)
    by_motion = np.hstack([np.diag(stiffness), np.diag(damping), np.diag(mass)])
    states = 2 * len(structure.mass)
    return Interaction(by_motion, np.zeros((plant.size, states)), structure.targets)


def run_loop(
    structure: Structure,
    march: March,
    plant: Plant,
    interaction: Interaction,
    compensation: Compensation,
    sensors: Sensors,
    ground: Array,
    dt: float,
    seed: int = 0,
    waiting: int = 0,
) -> Motion:
    """One test: a structure and a plant, with its specimen in it, under a ground acceleration at
    steps of ``dt``.

    A command leaves ``waiting`` steps after it is made: 1 if computing and converting take until the
    next instant."""
    if not isinstance(compensation, CompiledCompensation):
        raise TypeError("the compiled loop needs a compiled compensation")
    m, n, steps = plant.size, len(structure.mass), len(ground)
    forces = len(interaction.by_motion)
    if interaction.by_state.shape != (forces, len(march.moved)):
        wanted = forces, len(march.moved)
        raise ValueError(f"by_state is {interaction.by_state.shape}, and the march needs {wanted}")
    compensation.start(m, dt)
    p = plant.step_parameters(dt)
    s = np.zeros(plant.state_size(m))
    noise = np.random.default_rng(seed).standard_normal((steps, m + forces))
    noise[:, :m] *= sensors.displacement_noise
    noise[:, m:] *= sensors.force_noise
    limits = [
        sensors.displacement_step,
        sensors.displacement_range,
        sensors.force_step,
        sensors.force_range,
    ]
    displacement = np.zeros((steps, n))
    target, reached, command = (np.zeros((steps, m)) for _ in range(3))
    kernels = (compensation.command_kernel, compensation.measured_kernel, plant_step)
    done = _loop(
        np.ascontiguousarray(ground, dtype=float), march.moved,
        np.ascontiguousarray(march.entry @ interaction.loads.T), march.entry @ structure.ground,
        np.argmax(march.shown, axis=1), march.late, np.ascontiguousarray(structure.targets),
        np.ascontiguousarray(interaction.by_motion), np.ascontiguousarray(interaction.by_state),
        p, s, np.zeros(len(s) + m), compensation.parameters, compensation.vector,
        np.array([k.address for k in kernels], dtype=np.int64), np.array(limits), noise,
        waiting, displacement, target, reached, command,
    )  # fmt: skip
    cut = (displacement[:done], target[:done], reached[:done], command[:done])
    return Motion(*cut, stable=done == steps)


def without_test(structure: Structure, march: March, ground: Array) -> Array:
    """Displacements of a structure computed as a whole."""
    made = np.zeros((len(ground), len(structure.mass)))
    shown = np.argmax(march.shown, axis=1)
    _march(ground, march.moved, march.entry @ structure.ground, shown, march.late, made)
    return made


@compiled
def _march(ground, moved, per_ground, shown, late, made):
    states = len(moved)
    z, before = np.zeros(states), np.zeros(states)
    for step in range(1, len(made)):
        for a in range(states):
            before[a] = z[a]
        for a in range(states):
            total = -per_ground[a] * ground[step - 1 + late]
            for b in range(states):
                total += moved[a, b] * before[b]
            z[a] = total
        for a in range(made.shape[1]):
            made[step, a] = z[shown[a]]


def is_unstable(run: Motion, whole: Array, dt: float) -> bool:
    """Whether a loop ran away, or swings on at the end: a converter bounds what would grow.

    ``whole`` is the displacement of the same floor without a test.
    """
    largest = float(np.abs(whole).max())
    if not run.stable or np.abs(run.target).max() > RUN_AWAY * largest:
        return True
    last = slice(-round(LAST / dt), None)
    swings = max(float(np.abs(x[last]).max()) for x in (run.target, run.reached))
    return swings > SWINGING * largest + 2.0 * float(np.abs(whole[last]).max())


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
