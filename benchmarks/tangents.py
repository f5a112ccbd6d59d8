"""``femu bench tangents``: estimators of the tangent against the exact one, on a specimen of two
hinges.

The building of Mosqueda and Ahmadizadeh (`femu.studies.fifteen_storeys`): the specimen is a
two-storey column with a plastic hinge at each clevis, counted twice; El Centro at 0.32 g, dt =
10/1024 s, noise 0.003 mm and 0.0075 kN. Every estimator sees the same noisy measurements of one
test, with increments counted from its converged states. The eigenvector form, the intrinsic form
and a twin that a `ModelUpdater` calibrates while the test runs also work inside the iterations of a
test of their own. The error is ``|K - K_exact| / |K_0|`` (Frobenius), root mean square over the
steps in which a hinge yields: its exact tangent is below half of the initial one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import HybridResult, HybridTest, ImplicitHybrid, Increment
from femu.experimental import (
    BasicSystem,
    BFGSTangent,
    BroydenTangent,
    EigenvectorTangent,
    EmulatedSpecimen,
    InitialTangent,
    IntrinsicTangent,
    Measurement,
    Specimen,
    TangentEstimator,
    TransposeTangent,
    TwinTangent,
)
from femu.studies.fifteen_storeys import (
    COLUMNS,
    DISPLACEMENT_NOISE,
    DT,
    FORCE_NOISE,
    HINGE_STIFFNESS,
    HINGES,
    TWICE,
    emulated,
    hinges,
    hybrid_building,
    motion,
)
from femu.support.tables import Row, Table
from femu.updating import ModelUpdater

Array = npt.NDArray[np.float64]
WRONG = 0.25  # relative error of the parameters with which the updated twin begins
UPDATED = "twin, calibrated online by ModelUpdater, inside the iterations"
PARAMETERS = "its parameters at the end, largest error"
SEEDS = (1, 2, 3)  # of the noise, of which the worst counts for the updated twin
YIELDING = 0.5  # of the initial tangent
TOLERANCE, ITERATIONS = 1e-3, 10  # mm
CLAMP = (0.02, 1.5)  # hardly binds: the estimators as published
INSIDE = "eigenvector, inside the iterations", "intrinsic, inside the iterations"


class Watched(Specimen):
    """A specimen whose true tangent is noted at each measurement."""

    def __init__(self, inner: EmulatedSpecimen) -> None:
        self.inner, self.size = inner, inner.size
        self.tangents: list[Array] = []
        self.measured: list[Measurement] = []

    def apply(self, command: Array, time: float) -> Measurement:
        measured = self.inner.apply(command, time)
        self.tangents.append(self.inner.tangent())
        self.measured.append(measured)
        return measured

    def initial_stiffness(self) -> Array:
        return self.inner.initial_stiffness()

    @property
    def physical(self) -> bool:
        return False


def tested(
    specimen: Watched,
    tangent: TangentEstimator,
    duration: float,
    updater: ModelUpdater | None = None,
) -> HybridResult:
    """One noisy test with an estimator, by the iterations of Mosqueda and Ahmadizadeh."""
    integrator = ImplicitHybrid(
        test=Increment(TOLERANCE, iterations=ITERATIONS), estimates=ITERATIONS, safe=False
    )
    test = HybridTest(
        hybrid_building(specimen),
        motion(),
        integrator,
        dt=DT,
        duration=duration,
        tangents={COLUMNS: tangent},
        updater=updater,
    )
    result = test.run()
    assert result.outcome.ok, result.message
    return result


def watched(seed: int = 1) -> Watched:
    """The specimen with its sensors."""
    return Watched(emulated(seed))


def simulated(duration: float, seed: int = 1) -> tuple[Watched, HybridResult]:
    """One noisy test, with the exact tangent in the integrator."""
    specimen = watched(seed)
    exact = BasicSystem(hinges(1.0 / TWICE), coordinates=HINGES)
    return specimen, tested(
        specimen, TwinTangent(exact, displacement_noise=DISPLACEMENT_NOISE), duration
    )


def updated(duration: float, seed: int = 1) -> tuple[float, ModelUpdater]:
    """Error of the tangent of a twin that begins wrong in stiffness and yield displacement of both
    hinges, from the first yielding on, in a test in which an updater calibrates it with its default
    settings; and that updater."""
    specimen = watched(seed)
    twin = BasicSystem(hinges(1.0 / TWICE, WRONG), coordinates=HINGES)
    updater = ModelUpdater(
        COLUMNS, twin, [f"{hinge}.{name}" for hinge in (0, 1) for name in ("k", "yield_strain")]
    )
    result = tested(
        specimen, TwinTangent(twin, displacement_noise=DISPLACEMENT_NOISE), duration, updater
    )
    return error(specimen, TWICE * result.stiffness(COLUMNS)[1:]), updater


def estimators() -> dict[str, TangentEstimator]:
    """Every estimator, by the name in the table."""
    noise: dict[str, Any] = {"displacement_noise": DISPLACEMENT_NOISE, "force_noise": FORCE_NOISE}
    return {
        "initial": InitialTangent(),
        "Broyden": BroydenTangent(**noise),
        "BFGS": BFGSTangent(**noise),
        "transpose, 6 increments": TransposeTangent(6, **noise),
        "eigenvector": EigenvectorTangent(clamp=CLAMP, **noise),
        "intrinsic (hinge coordinates)": IntrinsicTangent(HINGES, clamp=CLAMP, **noise),
        "twin, parameters exact": TwinTangent(BasicSystem(hinges(), coordinates=HINGES), **noise),
        "twin, parameters 2 % wrong": TwinTangent(
            BasicSystem(hinges(error=0.02), coordinates=HINGES), **noise
        ),
    }


def yielding(exact: Array) -> bool:
    """Whether a hinge yields, by the exact tangent."""
    inverse = np.linalg.inv(HINGES)
    return bool(np.any(np.diag(inverse.T @ exact @ inverse) < YIELDING * np.array(HINGE_STIFFNESS)))


def error(specimen: Watched, estimates: Iterable[Array]) -> float:
    """Root mean square error of estimates while yielding, as a share of the initial stiffness."""
    size = np.linalg.norm(specimen.initial_stiffness())
    squares = [
        (np.linalg.norm(estimate - exact) / size) ** 2
        for estimate, exact in zip(estimates, specimen.tangents, strict=True)
        if yielding(exact)
    ]
    return float(np.sqrt(np.mean(squares)))


def errors(specimen: Watched, result: HybridResult) -> dict[str, float]:
    """Error of each estimator on the measurements of one test."""
    displacement, force = result.converged_response(COLUMNS)
    found: dict[str, float] = {}
    for name, estimator in estimators().items():
        estimator.start(specimen.initial_stiffness())
        estimates = [
            estimator.update(m.displacement, m.force, (d, TWICE * f)).copy()
            for m, d, f in zip(specimen.measured, displacement, force, strict=False)
        ]
        found[name] = error(specimen, estimates)
    return found


def errors_inside(duration: float) -> dict[str, float]:
    """Error of the stiffness with which steps ended, of the estimators that work inside the
    iterations."""
    noise: dict[str, Any] = {
        "displacement_noise": DISPLACEMENT_NOISE,
        "force_noise": FORCE_NOISE / TWICE,
        "clamp": CLAMP,
    }
    found = {}
    for name, estimator in zip(
        INSIDE, (EigenvectorTangent(**noise), IntrinsicTangent(HINGES, **noise)), strict=True
    ):
        specimen = watched()
        result = tested(specimen, estimator, duration)
        found[name] = error(specimen, TWICE * result.stiffness(COLUMNS)[1:])
    return found


def errors_updated(duration: float) -> tuple[float, float]:
    """Worst over the seeds.

    Error of the updated twin's tangent, and relative error of a parameter at the end.
    """
    tests = [updated(duration, seed) for seed in SEEDS]
    truth = BasicSystem(hinges(1.0 / TWICE), coordinates=HINGES).parameters
    return (
        max(tangent for tangent, _ in tests),
        max(
            abs(value / truth[name] - 1.0)
            for _, updater in tests
            for name, value in updater.values.items()
        ),
    )


REFERENCE = {"initial": 32.7, INSIDE[0]: 34.8, INSIDE[1]: 19.6}
MOST = {
    INSIDE[1]: 25.0,
    "intrinsic (hinge coordinates)": 25.0,
    "twin, parameters exact": 10.0,
    UPDATED: 10.0,
    PARAMETERS: 2.0,
    "twin, parameters 2 % wrong": 10.0,
}


def run(quick: bool = False) -> Table:
    """Error of each estimator."""
    duration = 10.0 if quick else 30.0
    rows = []
    of_twin = dict(zip((UPDATED, PARAMETERS), errors_updated(duration), strict=True))
    for name, share in {
        **errors(*simulated(duration)),
        **errors_inside(duration),
        **of_twin,
    }.items():
        limit = MOST.get(name)
        rows.append(
            Row(
                name,
                100.0 * share,
                "%",
                REFERENCE.get(name),
                f"< {limit:g} %" if limit else "",
                None if limit is None else 100.0 * share < limit,
            )
        )
    return Table(
        "tangent of the two-hinge specimen: error while yielding",
        rows,
        [
            f"Twins are of the same law as the specimen. The updated one begins {100.0 * WRONG:g} "
            "% wrong in stiffness and yield displacement of both hinges, and is judged from the "
            f"first yielding on; worst of {len(SEEDS)} seeds of the noise.",
            "Every estimator sees the same noisy measurements, but for those inside the "
            "iterations, which have a test each.",
            "Reference: a prototype whose code is not available, inside the iterations of its "
            "integrator. It agrees on the initial stiffness, not on the other two: the eigenvector "
            "form errs more here, the intrinsic form less. Why is not known; counting increments "
            "from converged or measured states, and the share at which a hinge counts as yielding, "
            "do not explain it.",
        ],
    )
