"""Emulated recordings with known truth, for the tests of identification."""

from __future__ import annotations

import numpy as np

from femu.elements import ForceBeamColumn
from femu.experimental.basic_system import BasicSystem
from femu.identify import Recording
from femu.materials import BoucWen, MenegottoPinto, NMSection
from femu.updating import Unknown


def forces_of(of, path: np.ndarray, length: float = 1.0) -> np.ndarray:
    system = BasicSystem(of, length=length)
    committed = system.virgin()
    trial, forces = committed.copy(), []
    for row in path:
        force, _ = system.evaluate(committed, trial, row)
        committed[:] = trial
        forces.append(force.copy())
    return np.array(forces)


def cycles(samples: int, peak: float, seconds: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    t = seconds * np.arange(1, samples + 1) / samples
    return t, (peak * t / t[-1] * np.sin(2 * np.pi * t))[:, None]


def recorded(of, t: np.ndarray, d: np.ndarray, noise, length: float = 1.0, seed: int = 1) -> Recording:
    f = forces_of(of, d, length)
    return Recording(d, f + np.asarray(noise) * np.random.default_rng(seed).standard_normal(f.shape), t, name="emulated")


def link(alpha: float, k: float, beta: float) -> BoucWen:
    return BoucWen(alpha=alpha, k=k, beta=beta, gamma=0.5, n=2.0)


LINK_TRUTH = {"alpha": 0.1, "k": 50.0, "beta": 0.5}
LINK_UNKNOWNS = {"alpha": Unknown(lower=0.01, upper=0.3), "k": Unknown(lower=20.0, upper=90.0),
                 "beta": Unknown(lower=0.1, upper=1.5)}


def link_test(samples: int = 800, noise: float = 1.0) -> Recording:
    return recorded(link(**LINK_TRUTH), *cycles(samples, 5.0), noise)


def steel(E: float, fy: float, b: float, cR1: float) -> MenegottoPinto:
    return MenegottoPinto(E=E, fy=fy, b=b, R0=20.0, cR1=cR1, cR2=0.15, a1=0.03, a3=0.03)


COUPON_TRUTH = {"E": 200e3, "fy": 350.0, "b": 0.015, "cR1": 0.9}
COUPON_UNKNOWNS = {"E": Unknown(lower=150e3, upper=250e3), "fy": Unknown(lower=200.0, upper=500.0),
                   "b": Unknown(lower=0.001, upper=0.05), "cR1": Unknown(lower=0.8, upper=0.98)}


def coupon_test(noise: float = 2.0) -> Recording:
    return recorded(steel(**COUPON_TRUTH), *cycles(1000, 0.015), noise)


def column(yield_force: float, plastic_moment: float, b: float) -> ForceBeamColumn:
    section = NMSection(EA=1.5e6, EI=1.8e4, yield_force=yield_force, plastic_moment=plastic_moment, b=b)
    return ForceBeamColumn("c", "i", "j", section=section)


COLUMN_TRUTH = {"section.yield_force": 2000.0, "section.plastic_moment": 200.0, "section.b": 0.02}
COLUMN_UNKNOWNS = {"section.yield_force": Unknown(lower=1400.0, upper=2600.0),
                   "section.plastic_moment": Unknown(lower=140.0, upper=280.0), "section.b": Unknown(lower=0.005, upper=0.05)}


def column_test() -> Recording:
    t = 0.01 * np.arange(1, 801)
    grown = np.minimum(t / 6.0, 1.0)
    d = np.stack([-2e-3 * grown * (1.0 + 0.3 * np.sin(1.1 * t)), 0.03 * grown * np.sin(2 * np.pi * t),
                  0.024 * grown * np.sin(2 * np.pi * t + 0.4)], axis=1)
    return recorded(column(2000.0, 200.0, 0.02), t, d, [2.0, 0.5, 0.5], 3.0)
