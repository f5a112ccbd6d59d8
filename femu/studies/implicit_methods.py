"""Methods of hybrid tests on the building of Mosqueda and Ahmadizadeh (2008), and what a test with
one of them gave."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import AlphaOS, CentralDifference, HybridTest, ImplicitHybrid, Increment, KRAlpha
from femu.analyses.integrators.integrator import Integrator
from femu.experimental import (
    BasicSystem,
    Compensation,
    EigenvectorTangent,
    InitialTangent,
    IntrinsicTangent,
    TangentEstimator,
    TwinTangent,
)
from femu.experimental.hybrid_result import HybridResult
from femu.results.outcome import failures_handled
from femu.studies.fifteen_storeys import (
    COLUMNS,
    DISPLACEMENT_NOISE,
    DT,
    DURATION,
    FORCE_NOISE,
    HINGE_STIFFNESS,
    HINGES,
    PGA,
    TWICE,
    emulated,
    floors_of,
    hinges,
    hybrid_building,
    motion,
    numerical,
)
from femu.updating import ModelUpdater, Unknown

Array = npt.NDArray[np.float64]
PAPER_TEST = Increment(1e-3, iterations=10)  # mm
PAPER_CLAMP = (0.02, 1.5)  # of the initial stiffness: only so that it stays positive
NOISE: dict[str, Any] = {
    "displacement_noise": DISPLACEMENT_NOISE,
    "force_noise": FORCE_NOISE / TWICE,
}
MOST_ITERATIONS = ImplicitHybrid().test.iterations
YIELDING = 0.5  # of the initial tangent of a hinge
WRONG = 0.25  # by which the parameters of the twin that learns are wrong at the start
LOST = 1.0  # error of a displacement, as a share, from which a test counts as unstable

Prepared = tuple[TangentEstimator, ModelUpdater | None]


@dataclass(frozen=True)
class Method:
    """An integrator, and the estimator of the specimen's tangent with its updater."""

    name: str
    integrator: Callable[..., Integrator]
    tangent: Callable[[], Prepared]
    iterates: bool = True


def _literal(**options: Any) -> ImplicitHybrid:
    """As printed: the stiffness is estimated in every iteration, and nothing bounds it from below."""
    every = PAPER_TEST.iterations
    return ImplicitHybrid(
        test=PAPER_TEST, estimates=every, chord_after=every, safe=False, **options
    )


def _alone(estimator: Callable[[], TangentEstimator]) -> Callable[[], Prepared]:
    return lambda: (estimator(), None)


def _learning() -> Prepared:
    """A twin of the hinges, 25 % wrong in stiffness and yield displacement, that an updater
    corrects while the test runs."""
    twin = BasicSystem(hinges(1.0 / TWICE, WRONG), coordinates=HINGES)
    unknowns = {f"{hinge}.{name}": Unknown() for hinge in (0, 1) for name in ("k", "yield_strain")}
    updater = ModelUpdater(COLUMNS, twin, unknowns, displacement_noise=DISPLACEMENT_NOISE)
    return TwinTangent(twin, **NOISE), updater


LITERAL = Method(
    "implicit, as printed", _literal, _alone(lambda: EigenvectorTangent(clamp=PAPER_CLAMP, **NOISE))
)
DEFAULT = Method("implicit, default", ImplicitHybrid, _alone(lambda: EigenvectorTangent(**NOISE)))
INTRINSIC = Method(
    "implicit, hinge coordinates", ImplicitHybrid, _alone(lambda: IntrinsicTangent(HINGES, **NOISE))
)
TWIN = Method("implicit, twin that learns", ImplicitHybrid, _learning)
INITIAL = Method("implicit, initial stiffness", ImplicitHybrid, _alone(InitialTangent))
SPLITTING = Method(
    "splitting, initial stiffness", lambda: AlphaOS(1.0), _alone(InitialTangent), False
)
SAME_PREDICTOR = Method(
    "splitting, predictor of the paper",
    lambda: AlphaOS(1.0, predictor="taylor"),
    _alone(InitialTangent),
    False,
)
SPLITTING_TANGENT = Method(
    "splitting, tangent",
    lambda: AlphaOS(1.0, tangent="current"),
    _alone(lambda: EigenvectorTangent(**NOISE)),
    False,
)
KR_ALPHA = Method("KR-alpha", KRAlpha, _alone(InitialTangent), False)
EXPLICIT = Method("central differences", CentralDifference, _alone(InitialTangent), False)
TANGENT_ONLY = Method(
    "implicit, iterations with the tangent only",
    lambda: ImplicitHybrid(chord_after=MOST_ITERATIONS),
    _alone(lambda: EigenvectorTangent(**NOISE)),
)
METHODS = (
    LITERAL,
    DEFAULT,
    INTRINSIC,
    TWIN,
    INITIAL,
    SPLITTING,
    SAME_PREDICTOR,
    SPLITTING_TANGENT,
    KR_ALPHA,
    EXPLICIT,
)


def variant(low: float, estimates: int) -> Method:
    """The implicit method with a bound of K_e from below, and a number of iterations of a step that
    estimate it."""
    return Method(
        f"K_e above {low:g} of the initial one, estimated {estimates} x",
        lambda: ImplicitHybrid(estimates=estimates, safe=False),
        _alone(lambda: EigenvectorTangent(clamp=(low, 1.0), **NOISE)),
    )


@dataclass(frozen=True)
class Tested:
    """One test compared with the numerical solution. Fractions, not per cent."""

    converged: float
    iterations: Array = field(repr=False)
    updated: float
    error: Array  # rms of d1, d2, d15 over that of the numerical solution
    energy_error: float  # of the input
    tangent_error: float  # rms over the steps in which a hinge yields, of the initial stiffness
    result: HybridResult = field(repr=False)

    @property
    def stable(self) -> bool:
        return bool(np.all(self.error < LOST))


def tested(
    method: Method,
    seed: int | None,
    *,
    times: int = 1,
    duration: float = DURATION,
    pga: float = PGA,
    delay: float = 0.0,
    compensation: Compensation | None = None,
    failing: tuple[int, ...] = (),
) -> Tested:
    """A hybrid test at ``times`` the step of the paper, compared with the numerical solution of the
    same step."""
    dt = times * DT
    options = {"failing": failing} if failing else {}
    tangent, updater = method.tangent()
    model = hybrid_building(emulated(seed, delay=delay), compensation)
    hybrid = HybridTest(
        model,
        motion(pga),
        method.integrator(**options),
        dt=dt,
        duration=duration,
        tangents={COLUMNS: tangent},
        updater=updater,
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"), failures_handled():
        warnings.simplefilter("ignore")  # of a test that is lost
        result = hybrid.run(check=False)  # also steps that are too long are tried
    exact = floors_of(numerical(dt, duration, pga))
    found = np.full_like(exact, np.inf)  # beyond the end of a test that was broken off
    got = floors_of(result)
    found[: len(got)] = np.where(np.isfinite(got), got, np.inf)
    with np.errstate(over="ignore"):
        error = np.sqrt(np.mean((found - exact) ** 2, axis=0) / np.mean(exact**2, axis=0))
    steps = round(duration / dt)  # those that a lost test did not reach have not converged either
    return Tested(
        float(result.converged.sum()) / steps,
        result.of_step("iterations")[1:],
        float(result.updated(COLUMNS).sum()) / steps,
        error,
        result.experimental_error,
        tangent_error(result),
        result,
    )


def exact_tangents(command: Array) -> Array:
    """The true tangent of the specimen along a path, counted twice."""
    system = BasicSystem(hinges(1.0 / TWICE), coordinates=HINGES)
    committed = system.virgin()
    trial = committed.copy()
    found = np.empty((len(command), 2, 2))
    for row, place in zip(found, command, strict=True):
        row[:] = system.evaluate(committed, trial, place)[1]
        committed, trial = trial, committed
    return found


def tangent_error(result: HybridResult) -> float:
    """Error of the tangent at the end of each step in which a hinge yields."""
    exact, estimate = exact_tangents(result.command(COLUMNS))[1:], result.stiffness(COLUMNS)[1:]
    inverse = np.linalg.inv(HINGES)
    springs = np.diagonal(inverse.T @ exact @ inverse, axis1=1, axis2=2)
    yielding = np.any(springs < YIELDING / TWICE * np.array(HINGE_STIFFNESS), axis=1)
    size = np.linalg.norm(HINGES.T @ np.diag(HINGE_STIFFNESS) @ HINGES) / TWICE
    if not yielding.any():
        return 0.0
    return float(np.sqrt(np.mean(np.sum((estimate - exact)[yielding] ** 2, axis=(1, 2)))) / size)
