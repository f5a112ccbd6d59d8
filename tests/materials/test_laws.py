"""What every uniaxial material has to fulfil, whatever its law.

Properties over drawn parameters and paths (bits, answers on any path, tangents, energy) are in
``tests/campaign/physics``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from material_harness import CASES, EVERY, RATE_CASES, Block, cyclic, random_walk

import femu.materials
from femu.materials import InitialStrain
from femu.model.component import Material

DT = 0.02

FINITE_DIFFERENCE = 1e-6  # allowed error of a tangent, as a share of the largest
# change of the tangent across a finite difference from which it is a corner, as a share of the
# largest
CORNER = 1e-3
SAME_STRESS = 1e-13  # round-off of a second evaluation, as a share of the largest stress

blocks: dict[str, Block] = {}


def block(name: str) -> Block:
    if name not in blocks:
        blocks[name] = Block(EVERY[name].material)
    return blocks[name]


def committed_states(name: str, path: Any) -> list[tuple[float, np.ndarray]]:
    """Strain and history after each step of a path."""
    states, history = [], block(name).virgin()
    for j, strain in enumerate(path):
        rate = (strain - path[j - 1]) / DT if j else 0.0
        history = block(name)(history, strain, rate, DT).history
        states.append((float(strain), history))
    return states


def test_every_material_has_a_case() -> None:
    def all_of(made: Any) -> set[type]:
        return {type(made)}.union(*(all_of(part) for _, part in made.parts()))

    exported = [getattr(femu.materials, name) for name in femu.materials.__all__]
    wanted = {k for k in exported if isinstance(k, type) and issubclass(k, Material)}
    missing = wanted.difference(*(all_of(case.material) for case in EVERY.values()))
    names = sorted(kind.__name__ for kind in missing)
    assert not names, f"add a case to tests/materials/material_harness.py: {names}"


@pytest.mark.parametrize("name", EVERY)
def test_zeros_are_the_virgin_state(name: str) -> None:
    virgin = block(name).virgin()
    response = block(name)(virgin, 0.0)
    assert np.isfinite(response.tangent).all() and response.tangent[0] >= 0.0
    material = EVERY[name].material
    if isinstance(material, InitialStrain):
        part = Block(material.material)
        there = part(part.virgin(), material.strain)
        expected = part(there.history, material.strain).stress[0]
        assert response.stress[0] == expected
        assert block(name)(response.history, 0.0).stress[0] == expected
        return
    initial = getattr(material, "initial_stress", 0.0) - getattr(
        material, "initial_strain", 0.0
    ) * getattr(material, "E", 0.0)
    assert response.stress[0] == pytest.approx(initial, abs=0.0)
    again = block(name)(response.history, 0.0)
    assert again.stress[0] == pytest.approx(initial, abs=0.0)


@pytest.mark.parametrize("name", CASES)
def test_tangent_is_the_derivative_of_the_stress(name: str) -> None:
    law, scale = block(name), CASES[name].scale
    step = 1e-6 * scale
    rng = np.random.default_rng(3)
    checked, corners, rows = 0, 0, []
    for strain, history in committed_states(name, cyclic(scale, 7)):
        trial = strain + rng.normal(0.0, 0.1 * scale)
        low, middle, high = (
            law(history, trial - step),
            law(history, trial),
            law(history, trial + step),
        )
        rows.append(
            (
                middle.tangent[0],
                (high.stress[0] - low.stress[0]) / (2 * step),
                low.tangent[0],
                high.tangent[0],
            )
        )
    largest = max(abs(row[0]) for row in rows)
    assert largest > 0.0
    for tangent, difference, before, after in rows:
        if max(before, tangent, after) - min(before, tangent, after) > CORNER * largest:
            corners += 1
            continue
        checked += 1
        assert tangent == pytest.approx(difference, abs=FINITE_DIFFERENCE * largest)
    assert checked > 10 * corners


@pytest.mark.parametrize("name", RATE_CASES)
def test_tangent_and_damping_of_a_rate_dependent_law(name: str) -> None:
    law = block(name)
    rng = np.random.default_rng(4)
    step = 1e-6
    for strain, history in committed_states(name, np.sin(np.linspace(0.3, 9.0, 40)))[1:]:
        trial, rate = strain + rng.normal(0.0, 0.05), rng.normal(0.0, 2.0)
        middle = law(history, trial, rate, DT)
        left, right = law(history, trial - step, rate, DT), law(history, trial + step, rate, DT)
        slow, fast = law(history, trial, rate - step, DT), law(history, trial, rate + step, DT)
        scale = abs(middle.tangent[0]) * DT + abs(middle.damping[0])
        if left.tangent[0] == pytest.approx(right.tangent[0], abs=1e-3 * scale / DT):
            # the substeps of the Maxwell damper adapt: the force jumps by a share of its tolerance
            noise = 2e-6 * abs(middle.stress[0]) / (2 * step) if name.startswith("maxwell") else 0.0
            assert middle.tangent[0] == pytest.approx(
                (right.stress[0] - left.stress[0]) / (2 * step), abs=2e-6 * scale / DT + noise
            )
            assert middle.damping[0] == pytest.approx(
                (fast.stress[0] - slow.stress[0]) / (2 * step), abs=2e-6 * scale + noise
            )


@pytest.mark.parametrize("name", CASES)
def test_a_second_look_changes_nothing(name: str) -> None:
    """At its committed strain a law returns its committed stress, however often it is asked."""
    path = np.concatenate([cyclic(CASES[name].scale, 5), random_walk(CASES[name].scale, 7, 60)])
    stress, _ = block(name).run(path)
    largest = np.abs(stress).max()
    if CASES[name].material.breaks_after_step:
        stress = block(name).settled(path)
    for (strain, history), committed in zip(committed_states(name, path), stress, strict=True):
        for _ in range(3):
            response = block(name)(history, strain)
            assert response.stress[0] == pytest.approx(committed, abs=SAME_STRESS * largest)
            history = response.history


@pytest.mark.parametrize("name", EVERY)
def test_a_block_is_many_points(name: str) -> None:
    """37 points, an odd number, each with a history of its own, against one at a time.

    The same bits.
    """
    points, law, scale = 37, block(name), EVERY[name].scale
    rng = np.random.default_rng(5)
    together = law.virgin(points)
    alone = [law.virgin() for _ in range(points)]
    for _ in range(12):
        strain, rate = rng.normal(0.0, 0.5 * scale, points), rng.normal(0.0, 1.0, points)
        response = law(together, strain, rate, DT)
        for j in range(points):
            single = law(alone[j], strain[j], rate[j], DT)
            assert single.stress[0] == response.stress[j]
            assert single.tangent[0] == response.tangent[j]
            assert single.damping[0] == response.damping[j]
            assert (single.history[:, 0] == response.history[:, j]).all()
            alone[j] = single.history
        together = response.history


PLAIN = [
    "elastic two moduli",
    "perfectly plastic, unequal, initial strain",
    "bilinear",
    "bilinear isotropic",
    "hardening",
    "menegotto-pinto",
    "menegotto-pinto, isotropic, initial stress",
    "no tension",
    "gap",
    "example",
]


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="no extended precision on this machine"
)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PLAIN)
def test_round_off_does_not_grow(name: str, seed: int) -> None:
    """The same law in extended precision, along a path with steps of all sizes."""
    material = CASES[name].material
    path = random_walk(CASES[name].scale, 20 + seed)
    parameters = tuple(np.longdouble(value) for _, _, value in material.walk_parameters())
    history = tuple(np.longdouble(0.0) for _ in material.history)
    exact = []
    for strain in path:
        stress, _, history = type(material).law.function(parameters, history, np.longdouble(strain))
        exact.append(stress)
    largest = float(np.abs(exact).max())
    assert np.abs(block(name).run(path)[0] - np.array(exact)).max() <= 1e-13 * largest
