"""Plants: an actuator with its servo valve and controller as any linear system.

::

    x' = A x + B c - E f,    y = C x + D c

c are the commands, y the reached displacements and f the forces of the specimen on the actuators
(control-structure interaction). A command is held until the next one, as a converter does, and the
system is discretised exactly for that: [A B; 0 0] is integrated by its matrix exponential. The
stiffness of the specimen is taken into A, so a linear specimen is exact too. What a nonlinear one
adds to that is held over a step.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm, matrix_balance

from femu.experimental.specimens.converter import Converter, converted
from femu.kernels.compiler import FLOATS, INT, Kernel, kernel
from femu.model.parameters import finite
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
MOST_STATES = 200
NO_CONVERTER = Converter()
HEAD = 4  # states, channels, step and range of the converter


@dataclass(frozen=True, eq=False)
class Plant:
    """An emulated actuator of one or several channels, as a linear system in state space.

    ::

        servo = Plant.transfer_function([900.0], [1.0, 42.0, 900.0])
        specimen = EmulatedSpecimen(BoucWen(k=4e6, alpha=0.1), actuator=servo)

    ``a``, ``b``, ``c``, ``d`` are its matrices. ``force`` is E, for a specimen whose force acts on
    the actuator. ``mass`` and ``damping`` lie between the load cell and the specimen: their
    forces are measured with its force. The ``converter`` is that of the commands.
    """

    a: npt.ArrayLike
    b: npt.ArrayLike
    c: npt.ArrayLike
    d: npt.ArrayLike | None = None
    force: npt.ArrayLike | None = None
    mass: npt.ArrayLike = 0.0
    damping: npt.ArrayLike = 0.0
    converter: Converter = field(default_factory=Converter)

    def __post_init__(self) -> None:
        a = self._matrix("a", self.a)
        n = len(a)
        if a.shape != (n, n) or not 1 <= n <= MOST_STATES:
            rule = f"must be a square matrix of at most {MOST_STATES} rows"
            raise InputError("Plant", "a", self.a, rule)
        b, c = self._matrix("b", self.b), self._matrix("c", self.c)
        if b.shape[0] != n:
            raise InputError("Plant", "b", self.b, f"must have {n} rows, as a has")
        m = b.shape[1]
        if c.shape != (m, n):
            rule = f"must be a matrix of {m} by {n}: as many outputs as commands"
            raise InputError("Plant", "c", self.c, rule)
        d = np.zeros((m, m)) if self.d is None else self._matrix("d", self.d)
        if d.shape != (m, m):
            raise InputError("Plant", "d", self.d, f"must be a matrix of {m} by {m}")
        e = np.zeros((n, m)) if self.force is None else self._matrix("force", self.force)
        if e.shape != (n, m):
            raise InputError("Plant", "force", self.force, f"must be a matrix of {n} by {m}")
        if not isinstance(self.converter, Converter):
            raise InputError("Plant", "converter", self.converter, "must be a Converter")
        carried = []
        for name in ("mass", "damping"):
            given = as_numbers("Plant", name, getattr(self, name))
            if given.shape not in ((), (m,)) or not (np.isfinite(given) & (given >= 0.0)).all():
                rule = f"must be a number or {m} numbers that are not negative"
                raise InputError("Plant", name, getattr(self, name), rule)
            carried.append(np.broadcast_to(given, (m,)).copy())
        direct = np.any(d) or np.any(np.abs(c @ b) > 1e-9 * np.abs(c) @ np.abs(b))
        if carried[0].any() and direct:
            rule = "needs a plant whose acceleration follows from its state"
            hint = "With these matrices a jump of the command is a jump of the velocity"
            raise InputError("Plant", "mass", self.mass, rule, hint)
        made = zip(
            ("a", "b", "c", "d", "force", "mass", "damping"), (a, b, c, d, e, *carried), strict=True
        )
        for name, values in made:
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @staticmethod
    def _matrix(name: str, given: Any) -> Array:
        made = np.array(as_numbers("Plant", name, given), ndmin=2)
        if made.ndim != 2 or not made.size or not np.isfinite(made).all():
            raise InputError("Plant", name, given, "must be a matrix of finite numbers")
        return made

    def __repr__(self) -> str:
        parts = (self.a, self.b, self.c, self.d, self.force, self.mass, self.damping)
        text = (
            b"".join(np.asarray(part).tobytes() for part in parts) + repr(self.converter).encode()
        )
        digest = hashlib.sha256(text).hexdigest()[:12]
        return f"Plant({len(np.asarray(self.a))} states, {self.size} channels, {digest})"

    # --- other forms ---

    @classmethod
    def transfer_function(
        cls,
        numerator: npt.ArrayLike,
        denominator: npt.ArrayLike,
        *,
        mass: npt.ArrayLike = 0.0,
        damping: npt.ArrayLike = 0.0,
        converter: Converter = NO_CONVERTER,
    ) -> Plant:
        """One channel by the coefficients of its transfer function, highest power of s first."""
        return cls.columns(
            [([numerator], denominator)], mass=mass, damping=damping, converter=converter
        )

    @classmethod
    def zeros_poles(
        cls,
        zeros: Any,
        poles: Any,
        gain: float,
        *,
        mass: npt.ArrayLike = 0.0,
        damping: npt.ArrayLike = 0.0,
        converter: Converter = NO_CONVERTER,
    ) -> Plant:
        """One channel by zeros, poles (1/time) and gain: gain (s - zero) ... / (s - pole) ..."""
        if not finite(gain) or gain == 0.0:
            raise InputError("Plant", "gain", gain, "must be a finite number other than 0")
        for name, given in (("zeros", zeros), ("poles", poles)):
            try:
                values = np.array(given, dtype=complex)
            except (TypeError, ValueError, OverflowError):
                values = np.zeros((0, 0))
            if values.ndim != 1 or not np.isfinite(values).all() or len(values) > MOST_STATES:
                raise InputError("Plant", name, given, "must be a list of finite numbers")
            if not np.allclose(np.sort_complex(values), np.sort_complex(values.conj())):
                raise InputError("Plant", name, given, "must come in conjugate pairs")
        return cls.transfer_function(
            np.real(gain * np.atleast_1d(np.poly(zeros))),
            np.real(np.poly(poles)),
            mass=mass,
            damping=damping,
            converter=converter,
        )

    @classmethod
    def columns(
        cls,
        columns: Sequence[tuple[Sequence[npt.ArrayLike], npt.ArrayLike]],
        *,
        mass: npt.ArrayLike = 0.0,
        damping: npt.ArrayLike = 0.0,
        converter: Converter = NO_CONVERTER,
    ) -> Plant:
        """Several channels by transfer functions: for each command the numerators of all outputs and
        the denominator that they share."""
        try:
            pairs = [(list(numerators), denominator) for numerators, denominator in columns]
        except (TypeError, ValueError):
            pairs = []
        if not pairs:
            rule = "must be a list of pairs: numerators of all outputs, and a denominator"
            raise InputError("Plant", "columns", columns, rule)
        m, blocks = len(pairs), []
        for numerators, denominator in pairs:
            if len(numerators) != m:
                rule = f"must have {m} numerators for each command, one for each output"
                raise InputError("Plant", "columns", numerators, rule)
            blocks.append(_companion(numerators, denominator))
        sizes = [len(block[0]) for block in blocks]
        total, at = sum(sizes), 0
        a, b = np.zeros((total, total)), np.zeros((total, m))
        c, d = np.zeros((m, total)), np.zeros((m, m))
        for k, (ak, bk, ck, dk) in enumerate(blocks):
            end = at + sizes[k]
            a[at:end, at:end], b[at:end, k], c[:, at:end], d[:, k] = ak, bk, ck, dk
            at = end
        return cls(a, b, c, d, mass=mass, damping=damping, converter=converter)

    # --- what it does ---

    @property
    def size(self) -> int:
        """Number of channels."""
        return int(np.asarray(self.b).shape[1])

    @property
    def stable(self) -> bool:
        """Whether all poles lie in the left half of the plane."""
        return bool((np.linalg.eigvals(np.asarray(self.a)).real < 0.0).all())

    def gain(self, frequency: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """Frequency response (displacement over command) at frequencies in cycles a time: a matrix
        for each one."""
        given = np.atleast_1d(as_numbers("Plant", "frequency", frequency))
        if given.ndim != 1 or not np.isfinite(given).all():
            raise InputError("Plant", "frequency", frequency, "must be finite numbers")
        s = 2j * np.pi * given
        a, b, c, d = (np.asarray(part) for part in (self.a, self.b, self.c, self.d))
        eye = np.eye(len(a))
        return np.array([c @ np.linalg.solve(z * eye - a, b) + d for z in s])

    def delay_at(self, frequency: float = 1.0) -> Array:
        """Delay of each channel for its own command at a frequency (cycles a time)."""
        if not (finite(frequency) and frequency > 0.0):
            raise InputError("Plant", "frequency", frequency, "must be a finite number above 0")
        phase = np.angle(np.diagonal(self.gain(frequency)[0]))
        return -phase / (2.0 * np.pi * frequency)

    def holding(self, stiffness: npt.ArrayLike) -> Plant:
        """The plant with a linear specimen whose force acts on it: what commands move in the end."""
        k = as_numbers("Plant", "stiffness", stiffness)
        if k.size != self.size**2 or not np.isfinite(k).all():
            rule = f"must be a finite matrix of {self.size} by {self.size}"
            raise InputError("Plant", "stiffness", stiffness, rule)
        k = k.reshape(self.size, self.size)
        a, b, c, d, e = (np.asarray(x) for x in (self.a, self.b, self.c, self.d, self.force))
        return replace(self, a=a - e @ k @ c, b=b - e @ k @ d)

    def step_parameters(self, dt: float, stiffness: npt.ArrayLike | None = None) -> Array:
        """Parameters of `plant_step` at steps of ``dt``, for a specimen of a ``stiffness``."""
        if not (finite(dt) and dt > 0.0):
            raise InputError("Plant", "dt", dt, "must be a finite number above 0")
        used = self if stiffness is None else self.holding(stiffness)
        a, b, c, d, e = (np.asarray(x) for x in (used.a, used.b, used.c, used.d, used.force))
        n, m = b.shape
        inputs = np.hstack([b, -e])
        block = np.zeros((n + 2 * m, n + 2 * m))
        block[:n, :n], block[:n, n:] = a, inputs
        moved = _exponential(dt * block)[:n]
        if not np.isfinite(moved).all():
            rule = "must not be longer than its poles allow: the step has no finite matrix"
            raise InputError("Plant", "dt", dt, rule)
        velocity = np.hstack([c @ a, c @ inputs])
        acceleration = np.hstack([c @ a @ a, c @ a @ inputs])
        outputs = np.vstack([np.hstack([c, d, np.zeros((m, m))]), velocity, acceleration])
        head = [n, m, self.converter.step, self.converter.largest]
        return np.concatenate([head, moved.ravel(), outputs.ravel()])

    def state_size(self, n: int) -> int:
        """Floats of state: those of the system, and what the specimen's force has beyond its
        stiffness."""
        return len(np.asarray(self.a)) + self.size

    def rest_at(self, position: npt.ArrayLike, stiffness: npt.ArrayLike | None) -> Array:
        """State in which the plant rests at a position of a linear specimen."""
        place = as_numbers("Plant", "position", position)
        if place.shape != (self.size,) or not np.isfinite(place).all():
            raise InputError("Plant", "position", position, f"must be {self.size} finite numbers")
        used = self if stiffness is None else self.holding(stiffness)
        a, b, c, d = (np.asarray(x) for x in (used.a, used.b, used.c, used.d))
        per_command = -np.linalg.lstsq(a, b, rcond=None)[0]
        commands = np.linalg.lstsq(c @ per_command + d, place, rcond=None)[0]
        return np.asarray(per_command @ commands)


def _exponential(matrix: Array) -> Array:
    """Matrix exponential, with rows and columns brought to one size before it."""
    balanced, (scale, _) = matrix_balance(matrix, permute=False, separate=True)
    return np.asarray(scale[:, None] * expm(balanced) / scale)


def _companion(
    numerators: Sequence[npt.ArrayLike], denominator: npt.ArrayLike
) -> tuple[Array, Array, Array, Array]:
    """State space of transfer functions with one denominator, its states scaled to one size."""
    for given in (*numerators, denominator):
        if np.ndim(as_numbers("Plant", "numerator", given)) > 1:
            raise InputError(
                "Plant", "numerator", given, "must be the coefficients of a polynomial"
            )
    den = np.trim_zeros(np.atleast_1d(as_numbers("Plant", "denominator", denominator)), "f")
    nums = [
        np.trim_zeros(np.atleast_1d(as_numbers("Plant", "numerator", g)), "f") for g in numerators
    ]
    n = len(den) - 1
    if n < 1 or not np.isfinite(den).all():
        raise InputError("Plant", "denominator", denominator, "must be a polynomial with s in it")
    for given, num in zip(numerators, nums, strict=True):
        if len(num) > len(den) or not np.isfinite(num).all():
            rule = "must be a polynomial of no higher order than the denominator"
            raise InputError("Plant", "numerator", given, rule)
    roots = np.abs(np.roots(den))
    unit = float(np.exp(np.mean(np.log(roots[roots > 0.0])))) if (roots > 0.0).any() else 1.0
    powers = unit ** np.arange(n, -1.0, -1.0)
    low = (den * powers / (den[0] * powers[0]))[1:][::-1]  # in s / unit, lowest power first
    a = np.zeros((n, n))
    a[:-1, 1:] = np.eye(n - 1)
    a[-1] = -low
    b = np.zeros(n)
    b[-1] = 1.0
    c, d = np.zeros((len(nums), n)), np.zeros(len(nums))
    for row, num in enumerate(nums):
        full = np.concatenate([np.zeros(n + 1 - len(num)), num]) * powers / (den[0] * powers[0])
        d[row] = full[0]
        c[row] = full[1:][::-1] - full[0] * low
    return unit * a, unit * b, c, d


@kernel(INT(FLOATS, FLOATS, FLOATS, FLOATS, FLOATS))
def plant_step(p, s, command, out, work):
    """One step: ``s`` is the state with the held remainder of the force, ``out`` gets displacements,
    velocities and accelerations, ``work`` is as long as ``s`` and the commands together."""
    n, m = int(p[0]), int(p[1])
    width = n + 2 * m
    for k in range(n):
        work[k] = s[k]
    for k in range(m):
        work[n + k] = converted(command[k], p[2], p[3])
        work[n + m + k] = s[n + k]
    at = HEAD
    for row in range(n):
        total = 0.0
        for k in range(width):
            total += p[at + k] * work[k]
        s[row] = total
        at += width
    for k in range(n):
        work[k] = s[k]
    for row in range(3 * m):
        total = 0.0
        for k in range(width):
            total += p[at + k] * work[k]
        out[row] = total
        at += width
    return 0


def bound(function: Kernel, *arrays: Array) -> Callable[[], int]:
    """A kernel with its vectors, as a call without arguments; the caller keeps the vectors."""
    made = ctypes.PYFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(arrays))
    return partial(made(function.c_address), *(array.ctypes.data for array in arrays))


class PlantDrive:
    """A plant in use: the state of one specimen moves with the commands."""

    def __init__(self, plant: Plant, stiffness: Array) -> None:
        self.plant, self.stiffness = plant, np.array(stiffness, dtype=float)
        self.out, self._command = np.zeros(3 * plant.size), np.zeros(plant.size)
        self._work = np.zeros(plant.state_size(plant.size) + plant.size)
        self._dt, self._parameters, self._state = -1.0, np.zeros(0), np.zeros(0)
        self._step: Callable[[], int] = int
        m = plant.size
        self._moved = (self.out[:m], self.out[m : 2 * m], self.out[2 * m :])
        self._mass, self._damping = np.asarray(plant.mass), np.asarray(plant.damping)
        self._interacts = bool(np.asarray(plant.force).any())

    def move(self, state: Array, command: Array, dt: float) -> tuple[Array, Array, Array]:
        """Displacement, velocity and acceleration after a command, ``dt`` after the last one."""
        if dt != self._dt or state is not self._state:
            self._parameters = self.plant.step_parameters(dt, self.stiffness)
            self._dt, self._state = dt, state
            used = (self._parameters, state, self._command, self.out, self._work)
            self._step = bound(plant_step, *used)
        self._command[:] = command
        self._step()
        return self._moved

    def forced(self, state: Array, position: Array, force: Array) -> None:
        """What the specimen's force has beyond its stiffness acts over the next step."""
        if self._interacts:
            state[-len(position) :] = force - self.stiffness @ position

    def carried(self) -> Array:
        """Force of the mass and the damping between load cell and specimen after the last move."""
        _, velocity, acceleration = self._moved
        return np.asarray(self._mass * acceleration + self._damping * velocity)

    def hold(self, state: Array, position: Array) -> None:
        """Rest where it is."""
        m = self.plant.size
        state[:-m] = self.plant.rest_at(position, self.stiffness if self._interacts else None)
