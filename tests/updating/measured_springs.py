"""Springs whose forces are measured along a path, for the tests of the updater."""

from __future__ import annotations

import numpy as np

from femu.experimental.specimens.basic_system import BasicSystem


def forces_of(of, path: np.ndarray, length: float = 1.0) -> np.ndarray:
    """Forces of a material or element that follows a path."""
    system = BasicSystem(of, length=length)
    committed = system.virgin()
    trial, forces = committed.copy(), []
    for row in path:
        force, _ = system.evaluate(committed, trial, row)
        committed[:] = trial
        forces.append(force.copy())
    return np.array(forces)


def cycles(samples: int, peak: float, seconds: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    """Times and displacements of cycles of one second that grow to a peak."""
    t = seconds * np.arange(1, samples + 1) / samples
    return t, (peak * t / t[-1] * np.sin(2 * np.pi * t))[:, None]


def noisy(forces: np.ndarray, noise: float, seed: int = 0) -> np.ndarray:
    return forces + noise * np.random.default_rng(seed).standard_normal(forces.shape)
