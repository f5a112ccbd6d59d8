"""Blocks of laws: laws in lanes give every point its own answer, whatever the number of points."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from femu.materials import KentParkConcrete, KentParkTension, MenegottoPinto
from femu.model.component import Material
from femu.model.constitutive import LANES

CONCRETE: dict[str, Any] = {
    "fc": 30e6,
    "peak_strain": 0.002,
    "fcu": 6e6,
    "crushing_strain": 0.006,
}
IN_LANES: dict[str, Material] = {
    "Menegotto-Pinto": MenegottoPinto(200e9, 400e6, 0.02),
    "Menegotto-Pinto, isotropic hardening": MenegottoPinto(200e9, 400e6, 0.02, a1=0.1, a3=0.1),
    "Kent-Park": KentParkConcrete(**CONCRETE),
    "Kent-Park with tension": KentParkTension(**CONCRETE),
}
# scalar and vector instructions may fuse other products with sums
ROUND_OFF = 1e-12


def evaluate(material: Material, history: np.ndarray, strain: np.ndarray) -> list[np.ndarray]:
    """Stress, tangent and trial history of a block of points."""
    n, count = len(strain), material.history_count
    values = np.array(material.values())
    integers = np.array(material.integers() or [0])
    trial, work = np.full(count * n, np.nan), np.zeros(material.workspace(n) + 1)
    stress, tangent, step = np.full(n, np.nan), np.full(n, np.nan), np.zeros(3)
    floats = ctypes.POINTER(ctypes.c_double)
    vectors = (values, np.ascontiguousarray(history), trial, work, strain, strain, step)
    failed = material.kernel().ctypes(
        n,
        integers.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)),
        *(v.ctypes.data_as(floats) for v in (*vectors, stress, tangent, work)),
    )
    assert failed == 0
    return [stress, tangent, trial.reshape(count, n)]


@pytest.mark.parametrize("points", [1, LANES - 1, LANES, LANES + 1, 2 * LANES + 3])
@pytest.mark.parametrize("name", IN_LANES)
def test_points_in_lanes_are_those_one_by_one(name: str, points: int) -> None:
    material, rng = IN_LANES[name], np.random.default_rng(points)
    assert type(material).law.lanes  # type: ignore[attr-defined]
    history = np.zeros((material.history_count, points))
    for _ in range(12):
        strain = rng.uniform(-0.008, 0.004, points)
        alone = [evaluate(material, history[:, j].copy(), strain[j : j + 1]) for j in range(points)]
        together = evaluate(material, history, strain)
        for k, found in enumerate(together):
            wanted = np.concatenate([answer[k] for answer in alone], axis=-1)
            scale = np.abs(wanted).max(axis=-1, keepdims=True)
            assert np.all(np.abs(found - wanted) <= ROUND_OFF * scale)
        history = together[2]
