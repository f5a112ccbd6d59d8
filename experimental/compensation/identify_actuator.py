"""The plant of an actuator from a record of commands and measured displacements.

Cross-spectra give the frequency response at each frequency, H = S_yu S_uu^-1. For each command, the
responses of all displacements get polynomials over one denominator, by iterated linear least squares
(Sanathanan and Koerner 1963): ``|N - H D| / |D of the iteration before|`` is least, with the coherence
as weight. What the hold of the commands does to the response is taken out before. From there the
coefficients move until the simulated displacements differ least from the measured ones (output error,
Levenberg and Marquardt), which leakage of the spectra does not bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import signal
from scipy.optimize import least_squares

from femu.experimental.compensation.compiled import positive, whole
from femu.experimental.compensation.inverse_series import inverse_series
from femu.experimental.journal.reader import Record
from femu.experimental.specimens.plant import Plant, plant_step
from femu.kernels.compiler import caller, compiled, floats_of
from femu.support.arguments import as_numbers
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
WHO = "identify_actuator"
MOST_POLES, ITERATIONS = 6, 30
SEGMENTS = 8  # of a record, overlapping by half
LEAST_SAMPLES = 256
LEAST_COHERENCE = 0.9  # of a frequency that counts
BETTER = 0.8  # another pole must bring the misfit below this share
FAR = 1e6  # standard deviations: no plant differs by more
MISSED = 1e-4  # smallest share of a response that a sample of noise may hide


call_plant = caller(plant_step.signature)


@dataclass(frozen=True)
class IdentifiedActuator:
    """A plant that was identified, and how well it explains the record."""

    plant: Plant
    coefficients: Array
    """a0 to a3 of the inverse of each channel, for compensators at the rate of the record."""
    delay: Array
    """Delay of each channel at the lowest frequency that was used."""
    noise: Array
    """Standard deviation of the measurement that looks like white noise."""
    fit: float
    """Share of the measured motion that the plant explains: 1 for all of it."""
    band: tuple[float, float]
    """Frequencies that were used, in cycles a time."""

    def __str__(self) -> str:
        late = ", ".join(f"{value:.4g}" for value in self.delay)
        loud = ", ".join(f"{value:.3g}" for value in self.noise)
        low, high = self.band
        return (
            f"{len(np.asarray(self.plant.a))} poles explain {100.0 * self.fit:.2f} % of the measured "
            f"motion ({low:.3g} to {high:.3g} cycles a time). Delay {late}; noise {loud}."
        )


def identify_actuator(
    record: Any,
    dt: float | None = None,
    *,
    element: Any = None,
    band: tuple[float, float] | None = None,
    poles: int | None = None,
    zeros: int = 0,
) -> IdentifiedActuator:
    """Find the plant of an actuator from a test with a chirp or white noise.

    ::

        t = 0.001 * np.arange(20000)
        command = 0.01 * np.sin(2 * np.pi * (0.2 + 0.5 * t) * t)
        servo = EmulatedSpecimen(Elastic(1.0), actuator=Actuator(frequency=15.0, damping=0.9))
        reached = [servo.apply(np.array([x]), 0.001 * (k + 1)).displacement[0] for k, x in enumerate(command)]
        found = identify_actuator((command, reached), 0.001, band=(0.3, 15.0))
        compensation = EstimatedPlantCompensation(found.plant, noise=max(found.noise))

    ``record`` is the journal of a hybrid test (with the name of its ``element`` if there are several)
    or a pair of commands and measured displacements, one row for each step ``dt``. With several
    channels each must have a motion of its own. ``band`` are the frequencies that count (all that the
    commands reach if left out), ``poles`` how many poles each command gets (as many as the record
    shows, up to six) and ``zeros`` how many zeros.
    """
    commands, reached, dt = _samples(record, dt, element)
    zeros = whole(WHO, "zeros", zeros, 0, MOST_POLES - 1)
    if poles is not None:
        whole(WHO, "poles", poles, zeros + 1, MOST_POLES)
    frequency, response, weight = _response(commands, reached, dt, band)
    tried = range(zeros + 1, MOST_POLES + 1) if poles is None else [poles]
    best: tuple[float, Plant] | None = None
    for count in tried:
        made = _fitted(frequency, response, weight, count, zeros)
        if made is not None and (best is None or made[0] < BETTER * best[0]):
            best = made
    if best is None:
        rule = "is explained by no stable plant"
        hint = "The commands may lack motion at high frequencies, or the signals be swapped"
        raise InputError(WHO, "record", record, rule, hint)
    plant = _refined(best[1], commands, reached, dt)
    rest = reached - _simulated(plant, commands, dt)
    moved = reached - reached.mean(axis=0)
    series = inverse_series(plant, 3, dt)
    channels = np.arange(plant.size)
    return IdentifiedActuator(
        plant,
        series[:, channels, channels].T,
        plant.delay_at(float(frequency[0])),
        np.std(np.diff(rest, axis=0), axis=0) / np.sqrt(2.0),
        float(1.0 - np.std(rest) / np.std(moved)),
        (float(frequency[0]), float(frequency[-1])),
    )


def _samples(record: Any, dt: float | None, element: Any) -> tuple[Array, Array, float]:
    """Commands, measured displacements and the step."""
    if isinstance(record, Record):
        names = list(record.measured)
        name = names[0] if element is None and len(names) == 1 else str(element)
        if name not in names:
            rule = f"must be the name of an element of the journal: {names}"
            raise InputError(WHO, "element", element, rule)
        commands, reached = record.commands(name), record.measurements(name)[0]
        given = float(record.about["dt"]) if dt is None else dt
    else:
        try:
            first, second = record
        except (TypeError, ValueError):
            rule = "must be a journal, or a pair of commands and measured displacements"
            raise InputError(WHO, "record", record, rule) from None
        commands = as_numbers(WHO, "record", first)
        reached = as_numbers(WHO, "record", second)
        if dt is None:
            raise InputError(WHO, "dt", dt, "is required for commands and displacements")
        given = dt
    commands, reached = (x.reshape(len(x), -1) for x in (commands, reached))
    if commands.shape != reached.shape or len(commands) < LEAST_SAMPLES:
        rule = f"must have as many displacements as commands, at least {LEAST_SAMPLES} of each"
        raise InputError(WHO, "record", np.shape(commands), rule)
    if not (np.isfinite(commands).all() and np.isfinite(reached).all()):
        raise InputError(WHO, "record", record, "must be finite numbers")
    for name, values in (("commands", commands), ("displacements", reached)):
        if (np.ptp(values, axis=0) == 0.0).any():
            raise InputError(WHO, "record", record, f"must have {name} that move in every channel")
    return commands, reached, positive(WHO, "dt", given)


def _response(
    commands: Array, reached: Array, dt: float, band: tuple[float, float] | None
) -> tuple[Array, npt.NDArray[np.complex128], Array]:
    """Frequencies, response matrices without the hold, and weights by frequency and output."""
    m = commands.shape[1]
    length = max(LEAST_SAMPLES // 2, 2 * len(commands) // (SEGMENTS + 1))
    kept: dict[str, Any] = {"fs": 1.0 / dt, "nperseg": length, "detrend": "constant"}

    def spectra(a: Array, b: Array) -> Any:
        rows = [[signal.csd(a[:, i], b[:, j], **kept)[1] for j in range(m)] for i in range(m)]
        return np.moveaxis(np.array(rows), -1, 0)

    frequency = signal.csd(commands[:, 0], commands[:, 0], **kept)[0]
    entered, crossed, left = (
        spectra(commands, commands), spectra(commands, reached), spectra(reached, reached)
    )  # fmt: skip
    power = np.abs(np.diagonal(entered, axis1=1, axis2=2)).min(axis=1)
    use = (frequency > 0.0) & (power > 1e-12 * power.max())
    if band is not None:
        low, high = band
        if not 0.0 <= low < high <= 0.4 / dt:
            rule = f"must be two frequencies up to {0.4 / dt:.4g}, the lower one first"
            raise InputError(WHO, "band", band, rule)
        use &= (frequency >= low) & (frequency <= high)
    use &= frequency <= 0.25 / dt
    # csd(u, y) is conj(U) Y: H transposed is S_uu^-1 S_uy
    inverse = np.linalg.pinv(entered[use])
    response = np.swapaxes(inverse @ crossed[use], 1, 2)
    explained = np.einsum("fij,fjk,fik->fi", response, np.conj(entered[use]), response.conj()).real
    seen = np.real(np.diagonal(left[use], axis1=1, axis2=2))
    coherence = np.clip(explained / np.where(seen > 0.0, seen, 1.0), 0.0, 1.0)
    good = coherence.min(axis=1) >= LEAST_COHERENCE
    if good.sum() < 4 * MOST_POLES:
        rule = f"has a coherence of at least {LEAST_COHERENCE:g} at too few frequencies"
        raise InputError(WHO, "record", int(good.sum()), rule, fix="use a longer or larger motion")
    chosen = frequency[use][good]
    x = np.pi * chosen * dt
    held = np.exp(1j * x) * np.sinc(x / np.pi)  # a held command acts half a step early
    share = coherence[good] / (1.0 - coherence[good] + MISSED)
    return chosen, response[good] / held[:, None, None], np.sqrt(share)


def _fitted(
    frequency: Array, response: npt.NDArray[np.complex128], weight: Array, poles: int, zeros: int
) -> tuple[float, Plant] | None:
    """Misfit and plant with a number of poles for each command; None if it is unstable."""
    m, w = response.shape[1], 2.0 * np.pi * float(frequency[-1])
    s = 2j * np.pi * frequency / w
    columns, misfit = [], 0.0
    for channel in range(m):
        one = response[:, :, channel]
        size = np.abs(one).max(axis=1, keepdims=True)
        scale = weight / size
        below = np.ones(len(s), dtype=complex)
        found = np.zeros(m * (zeros + 1) + poles)
        for _ in range(ITERATIONS):
            rows, right = [], []
            for output in range(m):
                share = scale[:, output] / np.abs(below)
                block = np.zeros((len(s), len(found)), dtype=complex)
                for k in range(zeros + 1):
                    block[:, output * (zeros + 1) + k] = share * s**k
                for k in range(poles):
                    block[:, m * (zeros + 1) + k] = -share * one[:, output] * s ** (k + 1)
                rows.append(block)
                right.append(share * one[:, output])
            a, b = np.vstack(rows), np.concatenate(right)
            found = np.linalg.lstsq(
                np.vstack([a.real, a.imag]), np.concatenate([b.real, b.imag]), rcond=None
            )[0]
            below = 1.0 + sum(c * s ** (k + 1) for k, c in enumerate(found[m * (zeros + 1) :]))
        misfit += float(np.sum(np.abs(a @ found - b) ** 2))
        den = np.append((found[m * (zeros + 1) :] / w ** np.arange(1.0, poles + 1.0))[::-1], 1.0)
        if not (np.isfinite(den).all() and (np.roots(den).real < 0.0).all()):
            return None
        parts = found[: m * (zeros + 1)].reshape(m, zeros + 1) / w ** np.arange(zeros + 1.0)
        columns.append(([part[::-1] for part in parts], den))
    return float(np.sqrt(misfit)), Plant.columns(columns)


def _refined(plant: Plant, commands: Array, reached: Array, dt: float) -> Plant:
    """The plant whose displacements differ least from the measured ones."""
    columns = _columns_of(plant)
    w = float(np.abs(np.linalg.eigvals(np.asarray(plant.a))).mean())
    sizes = [[len(part) for part in parts] for parts, _ in columns]
    units, first = [], []
    for parts, den in columns:
        units += [w ** -np.arange(len(part) - 1.0, -1.0, -1.0) for part in parts]
        units.append(w ** -np.arange(len(den) - 1.0, 0.0, -1.0))
        first += [*parts, den[:-1]]
    unit, start = np.concatenate(units), np.concatenate(first)
    spread = np.std(reached, axis=0)

    def made(values: Array) -> Plant:
        used, at, found = values * unit, 0, []
        for lengths, (_, den) in zip(sizes, columns, strict=True):
            parts = []
            for length in lengths:
                parts.append(used[at : at + length])
                at += length
            found.append((parts, np.append(used[at : at + len(den) - 1], 1.0)))
            at += len(den) - 1
        return Plant.columns(found)

    def missed(values: Array) -> Array:
        try:
            moved = _simulated(made(values), commands, dt)
        except InputError:
            return np.full(reached.size, FAR)
        rest = moved - reached
        rest -= rest.mean(axis=0)  # a transducer may be off its zero
        return np.clip((rest / spread).ravel(), -FAR, FAR)

    best = least_squares(missed, start / unit, method="lm", max_nfev=40 * len(start))
    better = made(best.x)
    return better if better.stable else plant


def _columns_of(plant: Plant) -> list[tuple[list[Array], Array]]:
    """Numerators and denominators of a plant made by `_fitted`, with 1 as constant of the latter."""
    a, b, c = (np.asarray(part) for part in (plant.a, plant.b, plant.c))
    made, at = [], 0
    for k in range(plant.size):
        n = int(np.flatnonzero(b[:, k])[-1]) + 1 - at
        rows = slice(at, at + n)
        unit = a[at, at + 1] if n > 1 else float(b[at, k])
        last = -a[at + n - 1, rows] / unit  # lowest power first, in s / unit
        den = np.append(last, 1.0) / last[0] / unit ** np.arange(n + 1.0)
        parts = []
        for row in range(plant.size):
            full = c[row, rows] / last[0] / unit ** np.arange(float(n))
            parts.append(np.trim_zeros(full[::-1], "f"))
        made.append((parts, den[::-1]))
        at += n
    return made


def _simulated(plant: Plant, commands: Array, dt: float) -> Array:
    """Displacements of a plant that begins at rest at the first command."""
    state = np.zeros(plant.state_size(plant.size))
    state[: -plant.size] = plant.rest_at(plant.gain(0.0)[0].real @ commands[0], None)
    moved = np.zeros_like(commands)
    work, out = np.zeros(len(state) + plant.size), np.zeros(3 * plant.size)
    commands = np.ascontiguousarray(commands)
    _drive(plant.step_parameters(dt), state, commands, out, work, moved, plant_step.address)
    return moved


@compiled
def _drive(p, state, commands, out, work, moved, address):
    steps, m = commands.shape
    for step in range(steps):
        call_plant(
            address,
            (
                floats_of(p, 0),
                floats_of(state, 0),
                floats_of(commands, step * m),
                floats_of(out, 0),
                floats_of(work, 0),
            ),
        )
        for k in range(m):
            moved[step, k] = out[k]
