"""Integrators: order of accuracy, spectral radius, period elongation and stability against closed
forms."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

from femu import AnalysisError, GroundMotion, Model
from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlpha,
    GeneralizedAlphaOS,
    Increment,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    RungeKutta,
    Transient,
    eigen,
)
from femu.elements import TwoNodeLink, ViscousDashpot, ZeroLength
from femu.engine.workspace import Workspace
from femu.materials import Bilinear, Elastic
from femu.model.series import Sine

# steps far beyond what is sensible
pytestmark = pytest.mark.filterwarnings("ignore:dt = .* is longer than")
MASSES, SPRINGS = (2.0, 1.5, 1.0), (300.0, 200.0, 150.0)
PERIOD = 1.3  # of the force on the last mass


def chain(law=Elastic):
    """Masses along x, each tied to the one before."""
    model = Model("chain")
    model.node(0, 0.0, 0.0, fixed=True)
    for k, (mass, spring) in enumerate(zip(MASSES, SPRINGS, strict=True), start=1):
        model.node(k, float(k), 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
        model.add(TwoNodeLink(f"spring {k}", k - 1, k, {"x": law(spring)}, damped=True))
    model.pattern("force", Sine(period=PERIOD))
    model.load(len(MASSES), x=1.0, pattern="force")
    return model


def matrices(kind):
    """The same by hand: model with a kind of damping, and M, C, K."""
    model, n = chain(), len(MASSES)
    M, K, C = np.diag(MASSES), np.zeros((n, n)), np.zeros((n, n))
    for k, spring in enumerate(SPRINGS):
        K[k, k] += spring
        if k > 0:
            K[k - 1, k - 1] += spring
            K[k - 1, k] -= spring
            K[k, k - 1] -= spring
    if kind in ("initial", "current", "committed"):
        model.rayleigh(mass=0.2, **{kind: 0.002})
        C = 0.2 * M + 0.002 * K
    elif kind == "modal":
        model.modal_damping([0.05, 0.03, 0.02])
        values, vectors = np.linalg.eigh(
            np.diag(np.diag(M) ** -0.5) @ K @ np.diag(np.diag(M) ** -0.5)
        )
        shapes = np.diag(np.diag(M) ** -0.5) @ vectors
        C = (
            M
            @ shapes
            @ np.diag(2.0 * np.array([0.05, 0.03, 0.02]) * np.sqrt(values))
            @ shapes.T
            @ M
        )
    elif kind == "dashpot":
        model.add(ViscousDashpot("dashpot", 1, 2, C=1.5))
        C[:2, :2] = 1.5 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return model, M, C, K


def exact(M, C, K, duration):
    """Displacements at the end, at rest before, by the exponential of the matrix of (u, v, sin,
    cos)."""
    n, omega = len(M), 2.0 * np.pi / PERIOD
    A = np.zeros((2 * n + 2, 2 * n + 2))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    A[2 * n - 1, 2 * n] = 1.0 / M[-1, -1]
    A[2 * n, 2 * n + 1], A[2 * n + 1, 2 * n] = omega, -omega
    return (expm(A * duration) @ np.concatenate([np.zeros(2 * n + 1), [1.0]]))[:n]


ORDERS = [
    (Newmark(), 2),
    (Newmark(0.6, 0.3025), 1),
    (HHT(0.8), 2),
    (GeneralizedAlpha(0.6), 2),
    (GeneralizedAlpha(0.0), 2),
    (CentralDifference(), 2),
    (NewmarkExplicit(), 2),
    (NewmarkExplicit(0.6), 1),
    (AlphaOS(0.8), 2),
    (AlphaOS(1.0), 2),
    (AlphaOS(0.7, "current"), 2),
    (AlphaOS(0.8, form="midpoint"), 2),
    (AlphaOS(0.8, "current", "midpoint"), 2),
    (KRAlpha(0.3, "midpoint"), 2),
    (AlphaOS(0.8, form="inside"), 2),
    (KRAlpha(0.3, "inside"), 2),
    (GeneralizedAlphaOS(0.6), 2),
    (GeneralizedAlphaOS(0.3, "current", "midpoint"), 2),
    (AlphaOS(0.9, predictor="taylor"), 2),
    (AlphaOS(0.9, "current", predictor="taylor"), 2),
    (KRAlpha(1.0), 2),
    (KRAlpha(0.5), 2),
    (KRAlpha(0.0), 2),
    (FixedIterations(Newmark()), 2),
    (FixedIterations(HHT(0.8), 3, 3, "initial"), 2),
    (FixedIterations(GeneralizedAlpha(0.5), 4, 1), 2),
    (RungeKutta(), 4),
]


def error(integrator, model, wanted, dt, duration=3.0):
    result = Transient(integrator, dt=dt).run(model, duration=duration)
    assert result.outcome.ok and not result.relaxations
    return max(abs(result.displacement(k + 1, "x")[-1] - wanted[k]) for k in range(len(MASSES)))


@pytest.mark.parametrize("integrator, order", ORDERS, ids=lambda v: str(v))
def test_order_of_accuracy_by_step_halving(integrator, order):
    model, M, C, K = matrices("initial")
    program, wanted = model.compile(), exact(M, C, K, 3.0)
    # the term of second order is still seen next to one of first order at the steps that suit the
    # others
    errors = [
        error(integrator, program, wanted, dt)
        for dt in ((8e-4, 4e-4, 2e-4) if order == 1 else (8e-3, 4e-3, 2e-3))
    ]
    for coarse, fine in pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.1 if order < 4 else 0.25)


@pytest.mark.parametrize("damping", ["current", "committed", "modal", "dashpot"])
@pytest.mark.parametrize(
    "integrator, order", [(i, o) for i, o in ORDERS if o != 1], ids=lambda v: str(v)
)
def test_damping_of_every_kind_keeps_the_order(integrator, order, damping):
    """Damping that lags by a step, or that a single solution leaves out, would show as an error of
    first order."""
    model, M, C, K = matrices(damping)
    program, wanted = model.compile(), exact(M, C, K, 3.0)
    coarse, fine = (error(integrator, program, wanted, dt) for dt in (0.008, 0.004))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15 if order < 4 else 0.4)


# --- amplification of one step ---

DT = 0.01
RATIOS = np.logspace(-2, 3, 41)  # omega dt


def engine_amplification(integrator, ratios, damping=0.0):
    """Amplification matrices of (u, dt v, dt^2 a) of one step, from the engine.

    Independent oscillators, one for each ratio.
    """
    model = Model("oscillators")
    model.node("ground", 0.0, 0.0, fixed=True)
    for k, ratio in enumerate(ratios):
        model.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
        model.add(ZeroLength(f"spring {k}", "ground", k, {"x": Elastic((ratio / DT) ** 2)}))
    if damping:
        model.rayleigh(mass=damping)
    program = model.compile()
    layout, n = program.layout, program.ndof
    places = [program.dof(k, "x") for k in range(len(ratios))]
    made = np.zeros((len(ratios), 3, 3))
    for column in range(3):
        state = program.state()
        run = Workspace(program, state)
        run.begin()
        start = (layout.u, layout.v, layout.a)[column]
        for place in places:
            state.vector[start + place] = DT**-column
        # the state must be one that an analysis could have left: forces as of its displacement and
        # velocity
        for place, ratio in zip(places, ratios, strict=True):
            state.vector[layout.internal + place] = (ratio / DT) ** 2 * state.vector[
                layout.u + place
            ]
            state.vector[layout.damping + place] = damping * state.vector[layout.v + place]
        found = (
            Transient(integrator, dt=DT, test=Increment(1e-13))
            .run(program, duration=DT, start=state)
            .state.vector
        )
        for row, at in enumerate((layout.u, layout.v, layout.a)):
            made[:, row, column] = found[at : at + n][places] * DT**row
    return made


def generalised(am, af, beta, gamma, ratio, xi=0.0):
    """Amplification of (u, dt v, dt^2 a) by inertia at am, other forces at af, and Newmark's
    relations; xi = c dt."""
    left = np.array([[1.0, 0.0, -beta], [0.0, 1.0, -gamma], [af * ratio**2, af * xi, am]])
    right = np.array(
        [
            [1.0, 1.0, 0.5 - beta],
            [0.0, 1.0, 1.0 - gamma],
            [-(1 - af) * ratio**2, -(1 - af) * xi, -(1 - am)],
        ]
    )
    return np.linalg.solve(left, right)


def kolay_ricles(radius, ratio, xi=0.0):
    """Amplification of (u, dt v, dt^2 a) by the formulas of Kolay and Ricles (2014) for one degree
    of freedom, m = 1."""
    # their shares belong to the start of the step
    am, af = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 - am + af
    beta = 0.25 * (0.5 + gamma) ** 2
    whole = 1.0 + gamma * xi + beta * ratio**2
    a1 = 1.0 / whole
    a3 = (am + af * gamma * xi + af * beta * ratio**2) / whole
    u, v = np.array([1.0, 1.0, (0.5 + gamma) * a1]), np.array([0.0, 1.0, a1])
    before = np.eye(3)
    inertia = (
        -a3 * before[2]
        - xi * ((1 - af) * v + af * before[1])
        - ratio**2 * ((1 - af) * u + af * before[0])
    )
    return np.array([u, v, inertia / (1.0 - a3)])


def formula(integrator, ratio, xi=0.0):
    if isinstance(integrator, KRAlpha):
        return kolay_ricles(integrator.radius, ratio, xi)
    if isinstance(integrator, AlphaOS):
        return generalised(
            1.0,
            integrator.alpha,
            (2 - integrator.alpha) ** 2 / 4,
            1.5 - integrator.alpha,
            ratio,
            xi,
        )
    if isinstance(integrator, FixedIterations):
        return formula(integrator.of, ratio, xi)
    return generalised(*integrator.coefficients(), ratio, xi)


STABLE = [
    Newmark(),
    HHT(0.9),
    HHT(2.0 / 3.0),
    GeneralizedAlpha(0.5),
    GeneralizedAlpha(0.0),
    AlphaOS(1.0),
    AlphaOS(0.8),
    AlphaOS(2.0 / 3.0),
    AlphaOS(0.8, "current"),
    KRAlpha(1.0),
    KRAlpha(0.5),
    KRAlpha(0.0),
    FixedIterations(HHT(0.8)),
    AlphaOS(0.8, form="midpoint"),
    AlphaOS(0.7, "current", "midpoint"),
    KRAlpha(0.4, "midpoint"),
    AlphaOS(0.9, predictor="taylor"),
    AlphaOS(1.0, "current", predictor="taylor"),
]
LIMITED = [CentralDifference(), NewmarkExplicit(0.7)]


def radius_at_infinity(integrator):
    if isinstance(integrator, FixedIterations):
        return radius_at_infinity(integrator.of)
    if isinstance(integrator, (HHT, AlphaOS)):
        return integrator.alpha / (2.0 - integrator.alpha)
    return getattr(integrator, "radius", 1.0)


@pytest.mark.parametrize("damping", [0.0, 0.8])
@pytest.mark.parametrize("integrator", STABLE + LIMITED, ids=str)
def test_one_step_is_the_closed_form_at_any_frequency(integrator, damping):
    ratios = RATIOS if integrator in STABLE else RATIOS[RATIOS < 1.6]
    found = engine_amplification(integrator, ratios, damping)
    wanted = np.array([formula(integrator, ratio, damping * DT) for ratio in ratios])
    # entries of a row grow with omega dt: compare with the largest of the row
    assert np.abs((found - wanted) / np.abs(wanted).max(axis=2)[:, :, None]).max() < 1e-9


@pytest.mark.parametrize("integrator", STABLE, ids=str)
def test_spectral_radius_is_at_most_one_and_tends_to_its_limit(integrator):
    found = np.abs(np.linalg.eigvals(engine_amplification(integrator, RATIOS))).max(axis=1)
    wanted = np.array([np.abs(np.linalg.eigvals(formula(integrator, r))).max() for r in RATIOS])
    # a double root is found to the square root of the precision
    assert np.abs(found - wanted).max() < 1e-6
    assert found.max() <= 1.0 + 1e-7
    # the way to it goes with 1/(omega dt)
    assert found[-1] == pytest.approx(radius_at_infinity(integrator), abs=0.02)


@pytest.mark.parametrize(
    "pair",
    [
        (KRAlpha(0.5), GeneralizedAlpha(0.5)),
        (KRAlpha(0.0), GeneralizedAlpha(0.0)),
        (AlphaOS(0.8), HHT(0.8)),
        (AlphaOS(0.8, predictor="taylor"), HHT(0.8)),
        (AlphaOS(0.7, "current", predictor="taylor"), HHT(0.7)),
    ],
    ids=str,
)
def test_poles_are_those_of_the_implicit_relative(pair):
    ratios = RATIOS[RATIOS < 30.0]
    polynomials = [np.array([np.poly(a) for a in engine_amplification(i, ratios)]) for i in pair]
    assert np.abs(polynomials[0] - polynomials[1]).max() < 1e-8


def elongation(amplification, ratio):
    """Period of the pair of complex poles, less that of the oscillator, as a share."""
    poles = np.linalg.eigvals(amplification)
    return ratio / np.abs(np.angle(poles[np.argmax(np.abs(poles.imag))])) - 1.0


@pytest.mark.parametrize(
    "integrator, closed",
    [
        (Newmark(), lambda w: w / (2.0 * np.arctan(w / 2.0)) - 1.0),
        (
            Newmark(0.5, 1.0 / 6.0),
            lambda w: w / np.arccos((1.0 - w**2 / 3.0) / (1.0 + w**2 / 6.0)) - 1.0,
        ),
        (CentralDifference(), lambda w: w / (2.0 * np.arcsin(w / 2.0)) - 1.0),
        (AlphaOS(1.0), lambda w: w / (2.0 * np.arctan(w / 2.0)) - 1.0),
        (KRAlpha(1.0), lambda w: w / (2.0 * np.arctan(w / 2.0)) - 1.0),
    ],
    ids=lambda v: "closed" if callable(v) else str(v),
)
def test_period_elongation_of_methods_without_damping(integrator, closed):
    ratios = np.linspace(0.05, 1.5, 30)
    found = [
        elongation(a, w)
        for a, w in zip(engine_amplification(integrator, ratios), ratios, strict=True)
    ]
    assert np.allclose(found, closed(ratios), rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize(
    "integrator",
    [HHT(0.8), GeneralizedAlpha(0.5), AlphaOS(0.8), KRAlpha(0.5), KRAlpha(0.0)],
    ids=str,
)
def test_period_elongation_of_methods_with_damping(integrator):
    """At small omega dt the elongation is (omega dt)^2 times a number that follows from the
    characteristic cubic."""
    ratios = np.array([0.02, 0.04, 0.08])
    found = np.array(
        [
            elongation(a, w)
            for a, w in zip(engine_amplification(integrator, ratios), ratios, strict=True)
        ]
    )
    if isinstance(integrator, (HHT, AlphaOS)):
        am, af, beta = 1.0, integrator.alpha, (2.0 - integrator.alpha) ** 2 / 4.0
    else:
        r = integrator.radius
        am, af, beta = (2.0 - r) / (1.0 + r), 1.0 / (1.0 + r), 1.0 / (1.0 + r) ** 2
    # leading term of the generalised method with gamma = 1/2 + am - af
    number = (beta - 1.0 / 12.0 - (am - af) * (1.0 - af)) / 2.0
    assert np.allclose(found / ratios**2, number, rtol=0.02)


# --- stability ---


def storeys(law):
    """Twelve storeys of one mass each; the highest mode is at omega dt = 50 for dt = 0.2."""
    model = Model("storeys")
    model.node(0, 0.0, 0.0, fixed=True)
    for k in range(1, 13):
        model.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
        model.add(ZeroLength(f"storey {k}", k - 1, k, {"x": law}))
    return model


@pytest.mark.parametrize(
    "integrator",
    [
        AlphaOS(1.0),
        AlphaOS(0.8),
        AlphaOS(0.8, form="midpoint"),
        KRAlpha(1.0),
        KRAlpha(0.5),
        KRAlpha(0.0),
        KRAlpha(0.5, "midpoint"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "law", [Elastic(1.6e4), Bilinear(1.6e4, 1.6e4 * 2e-4, 0.1)], ids=["elastic", "yielding"]
)
def test_steps_far_beyond_the_explicit_limit_stay_bounded(integrator, law):
    model, dt = storeys(law).compile(), 0.2
    assert 2.0 * np.pi / eigen(model, 12).periods[-1] * dt > 45.0
    quake = GroundMotion.el_centro().scaled(pga=3.0)
    tight = Transient(Newmark(), dt=0.005).run(model, quake, duration=40.0).displacement(12, "x")
    found = Transient(integrator, dt=dt).run(model, quake, duration=200.0)
    assert found.outcome.ok and not found.relaxations
    assert np.abs(found.displacement(12, "x")).max() < 5.0 * np.abs(tight).max()


@pytest.mark.parametrize("gamma", [0.5, 0.75])
def test_explicit_newmark_is_stable_up_to_its_limit_and_refused_beyond(gamma):
    integrator, limit = NewmarkExplicit(gamma), np.sqrt(2.0 / gamma)
    inside = engine_amplification(integrator, [0.5 * limit, 0.999 * limit])
    assert np.abs(np.linalg.eigvals(inside)).max() <= 1.0 + 1e-7
    assert np.abs(np.linalg.eigvals(formula(integrator, 1.02 * limit))).max() > 1.001
    with pytest.raises(AnalysisError, match="unstable"):
        engine_amplification(integrator, [0.5 * limit, 1.02 * limit])
