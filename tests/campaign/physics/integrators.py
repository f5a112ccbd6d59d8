"""Properties of integrators.

The bits, the order of accuracy by step halving, and settings at their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from femu import Model
from femu.analyses import (
    HHT,
    TRBDF2,
    AlphaOS,
    CentralDifference,
    FixedIterations,
    GeneralizedAlpha,
    GeneralizedAlphaOS,
    ImplicitHybrid,
    Increment,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
    RelativeUnbalance,
    RungeKutta,
    Transient,
)
from femu.elements import TwoNodeLink
from femu.materials import Bilinear, Elastic
from femu.model.series import Sine

COARSEST = 40  # steps of the shortest period
# times as many for a method of first order: next to its error that of second order is still seen
FIRST_ORDER = 8
HALVINGS = 2
SLACK = 0.25  # by which an order may be missed at steps of this size
TIGHT = 1e-12
EXACT = 1e-11  # error, compared with the largest displacement, from which round-off counts


def _radius() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))


def _alpha() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from([2.0 / 3.0, 1.0]), st.floats(2.0 / 3.0, 1.0))


_tangents = st.sampled_from(["initial", "current"])
_forms = st.sampled_from(["trapezoidal", "midpoint", "inside"])
_implicit: st.SearchStrategy[Any] = st.one_of(
    st.just(Newmark()), st.builds(HHT, _alpha()), st.builds(GeneralizedAlpha, _radius())
)
SETTINGS: dict[type, st.SearchStrategy[Any]] = {
    Newmark: st.one_of(
        st.just(Newmark()), st.floats(0.5, 1.0).map(lambda g: Newmark(g, 0.25 * (g + 0.5) ** 2))
    ),
    HHT: st.builds(HHT, _alpha()),
    GeneralizedAlpha: st.builds(GeneralizedAlpha, _radius()),
    GeneralizedAlphaOS: st.builds(GeneralizedAlphaOS, _radius(), _tangents, _forms),
    AlphaOS: st.builds(AlphaOS, _alpha(), _tangents, _forms),
    KRAlpha: st.builds(KRAlpha, _radius(), _forms),
    NewmarkExplicit: st.one_of(
        st.just(NewmarkExplicit()), st.floats(0.55, 1.0).map(NewmarkExplicit)
    ),
    CentralDifference: st.just(CentralDifference()),
    RungeKutta: st.just(RungeKutta()),
    TRBDF2: st.just(TRBDF2()),
    FixedIterations: st.builds(
        FixedIterations, _implicit, st.integers(3, 10), st.integers(1, 3), _tangents
    ),
    ImplicitHybrid: st.builds(
        lambda of: ImplicitHybrid(of, RelativeUnbalance(TIGHT, iterations=25)), _implicit
    ),
}
"""What is drawn of each integrator."""


def order_of(made: Any) -> float:
    """The order that an integrator states: gamma other than 1/2 costs one."""
    if isinstance(made, RungeKutta):
        return 4.0
    gamma = made.gamma if isinstance(made, (Newmark, NewmarkExplicit)) else 0.5
    return 2.0 if gamma == 0.5 else 1.0


@dataclass
class Chain:
    """Masses along x, each tied to the one before, with damping and a sine on the last."""

    masses: list[float]
    springs: list[float]
    damping: float
    period: float

    def model(self, law: Any = Elastic) -> Model:
        model = Model("chain")
        model.node(0, 0.0, 0.0, fixed=True)
        for k, (mass, spring) in enumerate(zip(self.masses, self.springs, strict=False), start=1):
            model.node(k, float(k), 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
            model.add(TwoNodeLink(f"spring {k}", k - 1, k, {"x": law(spring)}, damped=True))
        low, high = self.frequencies()[[0, -1]]
        model.rayleigh(mass=self.damping * low, initial=self.damping / high)
        model.pattern("force", Sine(period=self.period))
        model.load(len(self.masses), x=1.0, pattern="force")
        return model

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        n = len(self.masses)
        M, K = np.diag(self.masses), np.zeros((n, n))
        for k, spring in enumerate(self.springs[:n]):
            rows = [k] if k == 0 else [k - 1, k]
            K[np.ix_(rows, rows)] += (
                spring * np.array([[1.0, -1.0], [-1.0, 1.0]])[-len(rows) :, -len(rows) :]
            )
        return M, K

    def frequencies(self) -> np.ndarray:
        M, K = self.matrices()
        return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real))

    def exact(self, dt: float, steps: int) -> np.ndarray:
        """Displacements after each step, from rest, by the exponential of the matrix of (u, v, sin,
        cos)."""
        (M, K), n, omega = self.matrices(), len(self.masses), 2.0 * np.pi / self.period
        low, high = self.frequencies()[[0, -1]]
        C = self.damping * low * M + self.damping / high * K
        A = np.zeros((2 * n + 2, 2 * n + 2))
        A[:n, n : 2 * n] = np.eye(n)
        A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
        A[2 * n - 1, 2 * n] = 1.0 / M[-1, -1]
        A[2 * n, 2 * n + 1], A[2 * n + 1, 2 * n] = omega, -omega
        step, x, found = expm(A * dt), np.concatenate([np.zeros(2 * n + 1), [1.0]]), []
        for _ in range(steps):
            x = step @ x
            found.append(x[:n])
        return np.array(found)


def chains() -> st.SearchStrategy[Chain]:
    """One to four masses, within a factor of three of each other."""
    about = st.lists(st.floats(0.6, 1.8), min_size=1, max_size=4)
    return st.builds(
        Chain,
        about,
        st.lists(st.floats(100.0, 300.0), min_size=4, max_size=4),
        st.one_of(st.just(0.0), st.floats(0.005, 0.1)),
        st.floats(0.5, 2.0),
    )


def _run(made: Any, model: Any, dt: float, **options: Any) -> Any:
    result = Transient(made, dt=dt, test=Increment(TIGHT)).run(model, **options)
    assert result.outcome.ok and not result.relaxations, result.message
    return result


def order(made: Any, chain: Chain) -> None:
    """Halving the step divides the error as the order says."""
    stated = order_of(made)
    shortest = 2.0 * np.pi / chain.frequencies()[-1]
    dt = min(shortest, chain.period) / (COARSEST * (FIRST_ORDER if stated == 1.0 else 1))
    steps = int(np.ceil(1.5 * max(2.0 * np.pi / chain.frequencies()[0], chain.period) / dt))
    wanted = chain.exact(dt, steps)
    program, errors = chain.model().compile(), []
    for halving in range(HALVINGS + 1):
        many = 2**halving
        found = _run(made, program, dt / many, duration=steps * dt)
        u = np.array(
            [
                found.displacement(k + 1, "x")[-steps * many :][many - 1 :: many]
                for k in range(len(chain.masses))
            ]
        ).T
        errors.append(np.sqrt(np.mean((u - wanted) ** 2)) / np.abs(wanted).max())
    for coarse, fine in pairwise(errors):
        if fine > EXACT:
            assert np.log2(coarse / fine) >= stated - SLACK, (
                f"order {np.log2(coarse / fine):.2f} of {stated:g}: errors {errors}"
            )


def bits(made: Any, chain: Chain) -> None:
    """Same bits twice and from a copied state, of yielding springs.

    What a run starts from is left alone.
    """
    dt = 2.0 * np.pi / chain.frequencies()[-1] / COARSEST
    program = chain.model(lambda k: Bilinear(k, 0.3, 0.1)).compile()
    whole, again = (Transient(made, dt=dt).run(program, duration=60 * dt) for _ in range(2))
    assert whole.outcome.ok, whole.message
    assert whole.state.vector.tobytes() == again.state.vector.tobytes()
    before = whole.state.vector.copy()
    two = [
        Transient(made, dt=dt).run(program, duration=30 * dt, start=state)
        for state in (whole.state, whole.state.copy())
    ]
    assert two[0].state.vector.tobytes() == two[1].state.vector.tobytes() != before.tobytes()
    assert whole.state.vector.tobytes() == before.tobytes()
