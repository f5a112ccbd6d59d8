"""Elements with rate-dependent laws.

Forces by velocity, and the damping that enters the stiffness.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from element_harness import Probe

from femu.elements import Truss, TwoNodeLink, ViscousDashpot, ZeroLength
from femu.engine.element_kernels import EVALUATE, FORM
from femu.materials import Elastic, Parallel, Viscous
from femu.model.model import Model

ALPHA, BY = 0.5, 37.0  # exponent, and d velocity / d displacement of an integrator
C, S = math.cos(0.6), math.sin(0.6)


def model_of(element, length=2.0):
    model = Model()
    model.node(1, 0.0, 0.0)
    model.node(2, length * C, length * S)
    model.add(element)
    return Probe(model)


ELEMENTS = {
    "truss": (lambda: Truss("e", 1, 2, material=Viscous(3.0, ALPHA), area=5.0), 2.0, 5.0, 0.5),
    "dashpot": (lambda: ViscousDashpot("e", 1, 2, C=3.0, alpha=ALPHA), 2.0, 1.0, 1.0),
    "link": (lambda: TwoNodeLink("e", 1, 2, {"x": Viscous(3.0, ALPHA)}), 2.0, 1.0, 1.0),
    "zero length": (
        lambda: ZeroLength("e", 1, 2, {"x": Viscous(3.0, ALPHA)}, angle=0.6),
        0.0,
        1.0,
        1.0,
    ),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_force_by_velocity(name):
    make, length, area, strain = ELEMENTS[name]
    probe = model_of(make(), length)
    assert probe.program.rate_dependent
    v = np.zeros(probe.program.ndof)
    # 0.7 along, 0.2 across
    v[probe.places((2, "x"), (2, "y"))] = 0.7 * C - 0.2 * S, 0.7 * S + 0.2 * C
    expected = area * 3.0 * (0.7 * strain) ** ALPHA
    for mode in (EVALUATE, FORM):  # both see the velocity
        force, stiffness = probe(np.zeros(probe.program.ndof), v, mode)
        assert force[probe.places((2, "x"), (2, "y"))] == pytest.approx(
            [expected * C, expected * S], rel=1e-12
        )
        assert np.abs(stiffness).max() == 0.0  # nothing follows the displacement in a static step


@pytest.mark.parametrize("name", ELEMENTS)
def test_tangent_follows_the_velocity(name):
    """With velocity = BY * displacement, as an integrator has it, the stiffness is the derivative
    of the force."""
    make, length, _, _ = ELEMENTS[name]
    probe = model_of(make(), length)
    probe.run.fields.step[:3] = 0.0, 0.01, BY
    rng = np.random.default_rng(2)
    v0, u0 = rng.normal(size=probe.program.ndof), 1e-3 * rng.normal(size=probe.program.ndof)
    _, stiffness = probe(u0, v0)
    h = 1e-6
    columns = []
    for a in range(probe.program.ndof):
        d = np.zeros(probe.program.ndof)
        d[a] = h
        columns.append((probe(u0 + d, v0 + BY * d)[0] - probe(u0 - d, v0 - BY * d)[0]) / (2 * h))
    assert stiffness == pytest.approx(np.array(columns).T, abs=1e-6 * np.abs(stiffness).max())


def test_initial_stiffness_has_no_damping_in_it():
    probe = model_of(
        TwoNodeLink("e", 1, 2, {"x": Parallel({"spring": Elastic(8.0), "dashpot": Viscous(3.0)})})
    )
    _, static = probe(np.zeros(4))
    assert np.linalg.eigvalsh(static)[-1] == pytest.approx(16.0, rel=1e-12)
    probe.run.fields.step[:3] = 0.0, 0.01, BY
    _, moving = probe(np.zeros(4), np.zeros(4))
    assert np.linalg.eigvalsh(moving)[-1] == pytest.approx(16.0 + 2 * 3.0 * BY, rel=1e-12)


def test_elements_without_rate_are_at_rest():
    assert not model_of(TwoNodeLink("e", 1, 2, {"x": Elastic(8.0)})).program.rate_dependent


def test_links_and_trusses_stay_out_of_stiffness_proportional_damping():
    for element, wanted in (
        (Truss("e", 1, 2, material=Elastic(1.0), area=1.0), False),
        (TwoNodeLink("e", 1, 2, {"x": Elastic(1.0)}), False),
        (TwoNodeLink("e", 1, 2, {"x": Elastic(1.0)}, damped=True), True),
    ):
        probe = model_of(element)
        damped = probe.run.initial_stiffness(damped=True)
        assert bool(np.any(damped[: probe.program.storage])) is wanted
