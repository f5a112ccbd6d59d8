"""The force-based beam-column.

Against integration of the curvature, and its state determination in trouble.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from element_harness import (
    BILINEAR,
    EA,
    EI,
    ELASTIC,
    INTERACTION,
    LENGTH,
    MP,
    NY,
    Probe,
    equilibrium,
)
from scipy.integrate import trapezoid

from femu.analyses import LoadControl, Policy
from femu.elements import DisplacementBeamColumn, ForceBeamColumn, Hinges, force_kernel
from femu.elements.quadrature import lobatto
from femu.materials import Bilinear, Elastic, FibreSection, MenegottoPinto, MinMax, PopovicsConcrete
from femu.materials.sections.nm_section import NMSection
from femu.materials.sections.uncoupled_section import UncoupledSection
from femu.model.component import Material
from femu.model.constitutive import law
from femu.model.model import Model
from femu.model.parameters import positive
from femu.model.strain_path import drive
from femu.support.errors import AnalysisError

FREE = [(2, "x"), (2, "y"), (2, "rz")]


def cantilever(section=BILINEAR, kind=ForceBeamColumn, **options):
    model = Model()
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, LENGTH, 0.0)
    model.add(
        kind("e", 1, 2, section=section, **options)
        if section is not None
        else kind("e", 1, 2, **options)
    )
    return model


def uncoupled(b):
    return UncoupledSection(Bilinear(EA, NY, b), Bilinear(EI, MP, b))


def curvature(M, b):
    size = np.abs(M)
    return np.sign(M) * np.where(size < MP, size / EI, MP / EI + (size - MP) / (b * EI))


def impose(probe, path):
    """Walk along displacements of node 2, every step committed; basic forces of each."""
    found = []
    for displacement in path:
        u = np.zeros(probe.program.ndof)
        u[probe.places(*FREE)] = displacement
        probe(u)
        probe.commit()
        found.append([probe.element()[q] for q in ("N", "Mi", "Mj")])
    return np.array(found)


@pytest.mark.parametrize("points", [*range(2, 8), 10])  # a kernel is compiled for each number
@pytest.mark.parametrize("rule", ["lobatto", "legendre", "radau"])
def test_tip_displacement_is_the_integral_of_the_curvature(points, rule):
    """Beyond yield, to round-off for the sum over the element's own points."""
    model = cantilever(points=points, integration=rule)
    P = 1.6 * MP / LENGTH
    model.load(2, y=P)
    probe = equilibrium(model)
    along = probe.program.elements["e"].along(LENGTH)
    x, w = np.array(along.places) * LENGTH, np.array(along.weights) * LENGTH
    bent = curvature(P * (LENGTH - x), 0.03)
    tip, rotation = probe.run.fields.u1[probe.places((2, "y"), (2, "rz"))]
    assert tip == pytest.approx(np.sum(w * bent * (LENGTH - x)), rel=1e-9)
    assert rotation == pytest.approx(np.sum(w * bent), rel=1e-9)


def test_more_points_come_closer_to_the_exact_integral():
    P = 1.6 * MP / LENGTH
    x = np.linspace(0.0, LENGTH, 200001)
    exact = trapezoid(curvature(P * (LENGTH - x), 0.03) * (LENGTH - x), x)
    errors = []
    for points in (3, 5, 10):
        model = cantilever(points=points)
        model.load(2, y=P)
        probe = equilibrium(model)
        errors.append(abs(probe.run.fields.u1[probe.program.dof(2, "y")] / exact - 1.0))
    assert errors[-1] < 0.03
    assert errors[0] > errors[-1]


def test_one_force_based_member_equals_many_displacement_based_ones():
    P, parts = 1.4 * MP / LENGTH, 40
    model = Model()
    for node in range(parts + 1):
        model.node(node, LENGTH * node / parts, 0.0, fixed=node == 0)
        if node:
            model.add(
                DisplacementBeamColumn(f"e{node}", node - 1, node, section=BILINEAR, points=3)
            )
    model.load(parts, y=P)
    many = equilibrium(model).run.fields.u1
    program = model.compile()
    x = np.linspace(0.0, LENGTH, 200001)
    exact = trapezoid(curvature(P * (LENGTH - x), 0.03) * (LENGTH - x), x)
    assert many[program.dof(parts, "y")] == pytest.approx(exact, rel=2e-3)


def test_hinges_spread_plastic_rotation_over_their_length():
    hinge = 0.2
    model = cantilever(None, integration=Hinges(BILINEAR, hinge, BILINEAR, hinge, ELASTIC))
    P = 1.3 * MP / LENGTH
    model.load(2, y=P)
    probe = equilibrium(model)
    state = probe.element()
    plastic = curvature(np.array(P * LENGTH), 0.03) - P * LENGTH / EI
    elastic_tip = P * LENGTH**3 / (3 * EI)
    tip = probe.run.fields.u1[probe.program.dof(2, "y")]
    assert tip == pytest.approx(elastic_tip + plastic * hinge * LENGTH, rel=1e-9)
    assert abs(state["section[0].curvature"]) == pytest.approx(
        curvature(np.array(P * LENGTH), 0.03), rel=1e-9
    )


def test_section_states_belong_to_the_sections_law():
    """Forces of the sections by their own law at their own deformations, and in balance with the
    end forces."""
    probe = Probe(cantilever(INTERACTION))
    impose(probe, [(0.003, 0.09, 0.05)])
    state = probe.element()
    for p, x in enumerate(lobatto(5)[0]):
        law = drive(
            INTERACTION, [[state[f"section[{p}].axial_strain"], state[f"section[{p}].curvature"]]]
        )
        assert law.force[0] == pytest.approx(
            [state[f"section[{p}].N"], state[f"section[{p}].M"]], rel=1e-12
        )
        assert state[f"section[{p}].N"] == pytest.approx(state["N"], rel=1e-8)
        assert state[f"section[{p}].M"] == pytest.approx(
            (x - 1) * state["Mi"] + x * state["Mj"], rel=1e-8
        )


# --- trouble ---


class Plain(ForceBeamColumn):
    """The iteration alone: moves are not cut back, increments not divided."""

    def basic_kernel(self):
        return _plain(self.section_count, 0, 0)


class Divided(ForceBeamColumn):
    """The iteration with division of the increment alone."""

    def basic_kernel(self):
        return _plain(self.section_count, 0, force_kernel.SUBDIVISIONS)


def _plain(points, cuts, subdivisions):
    key = (points, cuts, subdivisions)
    if key not in _KERNELS:
        kept = force_kernel.CUTS, force_kernel.SUBDIVISIONS
        try:
            force_kernel.CUTS, force_kernel.SUBDIVISIONS = cuts, subdivisions
            _KERNELS[key] = force_kernel.force_based.__wrapped__(points)
            assert _KERNELS[key].address  # compiled while the constants are changed
        finally:
            force_kernel.CUTS, force_kernel.SUBDIVISIONS = kept
    return _KERNELS[key]


_KERNELS: dict = {}
# to just beyond yield in one step: the plain iteration goes round in circles
JUMP = (-0.00035, 0.0336, 0.00275)


def test_plain_iteration_fails_where_division_and_cuts_each_help():
    with pytest.raises(AnalysisError):
        impose(Probe(cantilever(kind=Plain)), [JUMP])
    divided = impose(Probe(cantilever(kind=Divided)), [JUMP])
    cut = impose(Probe(cantilever()), [JUMP])
    small = impose(Probe(cantilever()), np.linspace(0.0, 1.0, 200)[1:, None] * JUMP)
    assert divided == pytest.approx(cut, rel=1e-7)
    # a proportional path is monotone in every section here: many steps give the same
    assert small[-1] == pytest.approx(cut[-1], rel=1e-7)


@pytest.mark.parametrize(
    "section",
    [
        uncoupled(0.03),
        uncoupled(1e-4),
        uncoupled(0.0),
        INTERACTION,
        NMSection(EA=EA, EI=EI, yield_force=NY, plastic_moment=MP, flange_web_ratio=2.2, b=1e-3),
        NMSection(EA=EA, EI=EI, yield_force=NY, plastic_moment=MP, flange_web_ratio=2.2, b=0.0),
        UncoupledSection(MenegottoPinto(EA, NY, 0.01), MenegottoPinto(EI, MP, 0.01)),
    ],
    ids=["b=0.03", "b=1e-4", "b=0", "N-M", "N-M b=1e-3", "N-M b=0", "Menegotto-Pinto"],
)
def test_any_step_however_large_has_an_answer(section):
    """Sections without softening.

    The energy is convex, so the iteration must find its least value.
    """
    rng = np.random.default_rng(7)
    for _ in range(25):
        size = 10 ** rng.uniform(-3.0, -0.3)
        path = np.cumsum(rng.normal(size=(5, 3)) * (0.05 * size, size, 0.5 * size), axis=0)
        forces = impose(Probe(cantilever(section)), path)
        assert np.isfinite(forces).all()


def test_perfectly_plastic_member_carries_its_plastic_moment_and_no_more():
    probe = Probe(cantilever(uncoupled(0.0)))
    found = impose(probe, [(0.0, d, 0.0) for d in np.linspace(0.0, 0.5, 26)[1:]])
    assert found[-1, 1:] == pytest.approx([-MP, -MP], rel=1e-9)
    assert np.abs(found).max() <= MP * (1 + 1e-9)
    # unloading is elastic, by 12 EI / L^3
    before = found[-1]
    after = impose(probe, [(0.0, 0.499, 0.0)])[-1]
    assert after - before == pytest.approx(
        [0.0, 6 * EI / LENGTH**2 * 1e-3, 6 * EI / LENGTH**2 * 1e-3], rel=1e-6, abs=1e-6
    )


class Stepping(Material):
    """Doubles its stress at a strain.

    No strain has the stresses between, so that a member has no answer in between.
    """

    E: float = positive("modulus")
    fy: float = positive("strength")

    @law
    def law(p, h, strain):
        E, fy = p
        return (E if abs(strain) < fy / E else 2.0 * E) * strain, E, h


class Brittle(Material):
    """Falls from its strength to 0.3 of it, faster than the rest of a member gives way, and then
    hardens a little."""

    E: float = positive("modulus")
    fy: float = positive("strength")

    @law
    def law(p, h, strain):
        E, fy = p
        size, sign = abs(strain), (1.0 if strain > 0.0 else -1.0)
        if size < fy / E:
            return E * strain, E, h
        if size < 3.0 * fy / E:
            return sign * (1.35 * fy - 0.35 * E * size), -0.35 * E, h
        return sign * (0.27 * fy + 0.01 * E * size), 0.01 * E, h


BRANCHES = ((0.0, 1.0, 0.0, 1.0), (1.35, -0.35, 1.0, 3.0), (0.27, 0.01, 3.0, math.inf))
"""Of `Brittle`: stress at no strain and slope, from which strain to which, all as shares of
strength and modulus."""


def answers_of_a_brittle_member(points, end_i, end_j):
    """All end moments, as shares of the strength, with which the sections fit the rotations of the
    ends.

    Each section is on one branch of its law and bent to one side, so that the equations of the
    member are linear."""
    places, weights = (np.array(values) for values in lobatto(points))
    b = np.array([places - 1.0, places])
    found = []
    for branch in product(range(2 * len(BRANCHES) - 1), repeat=points):
        lines = [BRANCHES[(k + 1) // 2] for k in branch]
        sides = np.array([-1.0 if k % 2 else 1.0 for k in branch])
        rest, slope, least, most = np.array(lines).T
        flexibility = (b * weights / slope) @ b.T
        fixed = (b * weights) @ (-sides * rest / slope)
        moments = np.linalg.solve(flexibility, np.array([end_i, end_j]) - fixed)
        strain = (moments @ b - sides * rest) / slope
        size = np.where(rest > 0.0, sides * strain, abs(strain))
        if ((size >= least) & (size <= most)).all():
            found.append(moments)
    return found


@pytest.mark.parametrize(
    ("points", "turn", "steps"), [(4, 0.5, 1), (4, 0.5, 20), (5, 0.5, 20), (5, 1.0, 20)]
)
def test_a_section_after_its_peak_that_falls_faster_than_the_others_give_way_has_its_answer(
    points, turn, steps
):
    """A move to a state that is no least energy is turned round.

    Without it all of these fail. See `BRANCHES`.
    """
    drift = 0.7 * MP / EI * LENGTH
    path = [
        (0.0, share * drift * LENGTH, share * turn * drift)
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]
    ]
    found = impose(
        Probe(cantilever(UncoupledSection(Elastic(EA), Brittle(EI, MP)), points=points)), path
    )[-1]
    answers = answers_of_a_brittle_member(points, -0.7, 0.7 * (turn - 1.0))
    assert found[0] == pytest.approx(0.0, abs=1e-9 * MP)
    assert min(abs(found[1:] / MP - answer).max() for answer in answers) < 1e-9


class Nothing(Material):
    """Has no stress beyond a strain."""

    E: float = positive("modulus")
    limit: float = positive("strain")

    @law
    def law(p, h, strain):
        E, limit = p
        return (E * strain if abs(strain) < limit else math.nan), E, h


@pytest.mark.parametrize(
    "law_of_moment",
    [Stepping(EI, 10.0 * MP), Nothing(EI, MP / EI)],
    ids=["stepping", "not a number"],
)
def test_no_answer_is_an_error_in_words(law_of_moment):
    probe = Probe(cantilever(UncoupledSection(Elastic(EA), law_of_moment)))
    with pytest.raises(
        AnalysisError,
        match=r"ForceBeamColumn\('e'\) between nodes 1 and 2: .* "
        r"does not converge",
    ):
        impose(probe, [(0.0, d, 0.0) for d in np.linspace(0.0, 1.0, 41)])
    # the committed state is the last good one, and still usable
    kept = probe.run.state.vector.copy()
    assert np.isfinite(kept).all()
    deformation = [
        probe.program.state().program.element_state("e")[1].index(v) for v in ("v_N", "v_i", "v_j")
    ]
    v = kept[probe.program.layout.elements :][deformation]
    u = np.zeros(6)
    u[probe.places((2, "x"), (2, "y"))] = v[0], -v[1] * LENGTH
    probe(u)
    assert probe.element()["Mi"] == pytest.approx(kept[probe.program.layout.elements + 1], rel=1e-6)


def test_a_member_that_breaks_is_a_hinge():
    """Sections that lose all strength leave no moment, and no crash."""
    breaking = UncoupledSection(
        Elastic(EA), MinMax(Bilinear(EI, MP, 0.01), -3 * MP / EI, 3 * MP / EI)
    )
    found = impose(
        Probe(cantilever(breaking)), [(0.001, d, 0.0) for d in np.linspace(0.0, 1.0, 21)]
    )
    assert found[-1] == pytest.approx([EA * 0.001 / LENGTH, 0.0, 0.0], abs=1e-6 * MP)


def test_parameters_change_without_compiling_again():
    probe = Probe(cantilever())
    stiff = probe(np.zeros(6))[1]
    probe.program.parameters["e.section.moment.E"] = 2.0 * EI
    probe.program.parameters["e.section.axial.E"] = 2.0 * EA
    assert probe(np.zeros(6))[1] == pytest.approx(2.0 * stiff, rel=1e-12)


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
@pytest.mark.parametrize("in_space", [False, True])
def test_a_beam_that_carries_nothing_has_its_answer(geometry, in_space):
    """Columns under gravity leave the beam between them with round-off alone, which concrete
    ignores."""
    concrete = PopovicsConcrete(fc=30e6, peak_strain=0.002, crushing_strain=0.006, Ec=27.4e9)
    bars = [
        (y, z, 5e-4, MenegottoPinto(E=2e11, fy=420e6, b=0.01))
        for y in (-0.2, 0.2)
        for z in (-0.2, 0.2)
    ]
    cells = [
        (0.5 * (k - 9.5) / 20.0, z, 0.25 / 40.0, concrete)
        for k in range(20)
        for z in (-0.125, 0.125)
    ]
    section = (
        FibreSection.from_points([*cells, *bars], GJ=1e8)
        if in_space
        else (FibreSection.from_points([(y, area, m) for y, _, area, m in (*cells, *bars)]))
    )
    model = Model(dimensions=3 if in_space else 2)
    for name, x, height in ((1, 0.0, 0.0), (2, 5.7, 0.0), (3, 0.0, 3.4), (4, 5.7, 3.4)):
        place = (x, 0.0, height) if in_space else (x, height)
        model.node(name, *place, fixed=height == 0.0)
    for name, i, j in (("left", 1, 3), ("right", 2, 4), ("beam", 3, 4)):
        model.add(ForceBeamColumn(name, i, j, section=section, points=5, geometry=geometry))
    for node in (3, 4):
        model.load(node, **{"z" if in_space else "y": -2.5e5})
    result = LoadControl(steps=10, policy=Policy.none()).run(model)
    assert result.outcome.ok, result.message
    assert result.force("left", "basic")[-1, 0] == pytest.approx(-2.5e5, rel=1e-9)
    assert abs(result.force("beam", "basic")[-1, 0]) < 1e-9 * 2.5e5
