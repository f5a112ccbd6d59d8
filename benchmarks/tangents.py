"""``femu bench tangents``: estimators of the tangent against the exact one, on a specimen of two hinges.

The building of Mosqueda and Ahmadizadeh: 15 storeys with Bouc-Wen shear (kN, mm), the two-storey column with a plastic hinge at
each clevis as specimen, counted twice, El Centro at 0.32 g, dt = 10/1024 s, noise 0.003 mm and 0.0075 kN. Every estimator
sees the same noisy measurements of one test, with increments counted from its converged states. The eigenvector and the
intrinsic form also work inside the iterations of a test of their own. The error is ``|K - K_exact| / |K_0|`` (Frobenius), root
mean square over the steps in which a hinge yields: its exact tangent is below half of the initial one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from femu import GroundMotion, Model
from femu.analyses import HybridResult, HybridTest, ImplicitHybrid, Increment
from femu.cli.table import Row, Table
from femu.elements import ZeroLength
from femu.experimental import (
    BasicSystem,
    BFGSTangent,
    BroydenTangent,
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalElement,
    InitialTangent,
    IntrinsicTangent,
    Measurement,
    Scaled,
    Sensors,
    Specimen,
    TangentEstimator,
    TransposeTangent,
    TwinTangent,
)
from femu.materials import BoucWen

Array = npt.NDArray[np.float64]
STOREYS, FLOOR_MASS = 15, 2.1573e-3  # kN s2/mm
STIFFNESS, FIRST_STIFFNESS, YIELD_DRIFT, HARDENING = 8.86, 1.77, 3.6, 0.05
PGA, DT = 0.32 * 9810.0, 10.0 / 1024.0
DAMPING = 0.02
RATIO = 1.07353  # of the lengths of the two columns
HINGES = np.array([[1.0, 0.0], [-(1.0 + 1.0 / RATIO), 1.0 / RATIO]])  # hinge rotations times the column length
HINGE_STIFFNESS, HINGE_YIELD = (1.93632, 0.78368), (5.0, 6.18)
TWICE = 0.5  # a specimen that counts twice has half of the force
DISPLACEMENT_NOISE, FORCE_NOISE = 0.003, 0.0075
CALIBRATION = 6.0  # seconds
CALIBRATED = f"twin, calibrated on the first {CALIBRATION:g} s and judged after them"
YIELDING = 0.5  # of the initial tangent
TOLERANCE, ITERATIONS = 1e-3, 10  # mm
CLAMP = (0.02, 1.5)  # hardly binds: the estimators as published
INSIDE = "eigenvector, inside the iterations", "intrinsic, inside the iterations"


def smooth(stiffness: float, limit: float) -> BoucWen:
    """Bouc-Wen law that yields smoothly at a displacement."""
    shape = 0.5 / limit**2
    return BoucWen(alpha=HARDENING, k=stiffness, n=2.0, gamma=shape, beta=shape)


def hinges(error: float = 0.0) -> list[BoucWen]:
    """The two hinges; ``error`` is a relative error of stiffness and, with the other sign, of the yield displacement."""
    return [smooth((1.0 + error) * k, (1.0 - error) * y) for k, y in zip(HINGE_STIFFNESS, HINGE_YIELD, strict=True)]


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


def building(specimen: Specimen) -> Model:
    """The 15 storeys, with the specimen at the first two floors."""
    model = Model("15 storeys")
    model.node(0, 0.0, 0.0, fixed=True)
    for floor in range(1, STOREYS + 1):
        model.node(floor, 0.0, 0.0, mass=(FLOOR_MASS, 0.0, 0.0))
        law = smooth(FIRST_STIFFNESS if floor == 1 else STIFFNESS, YIELD_DRIFT)
        model.add(ZeroLength(f"storey {floor}", floor - 1, floor, {"x": law}))
    model.add(ExperimentalElement("columns", [(1, "x"), (2, "x")], specimen=specimen, setup=Scaled(2, force=TWICE)))
    model.modal_damping(DAMPING, modes=STOREYS)
    return model


def tested(specimen: Watched, tangent: TangentEstimator, duration: float) -> HybridResult:
    """One noisy test with an estimator, by the iterations of Mosqueda and Ahmadizadeh."""
    integrator = ImplicitHybrid(test=Increment(TOLERANCE, iterations=ITERATIONS), estimates=ITERATIONS, safe=False)
    result = HybridTest(building(specimen), GroundMotion.el_centro().scaled(pga=PGA), integrator, dt=DT, duration=duration,
                        tangents={"columns": tangent}).run()
    assert result.outcome.ok, result.message
    return result


def watched(seed: int = 1) -> Watched:
    """The specimen with its sensors."""
    return Watched(EmulatedSpecimen(hinges(), coordinates=HINGES, sensors=Sensors(DISPLACEMENT_NOISE, FORCE_NOISE), seed=seed))


def simulated(duration: float, seed: int = 1) -> tuple[Watched, HybridResult]:
    """One noisy test, with the exact tangent in the integrator."""
    specimen = watched(seed)
    exact = BasicSystem([smooth(k / TWICE, y) for k, y in zip(HINGE_STIFFNESS, HINGE_YIELD, strict=True)], coordinates=HINGES)
    return specimen, tested(specimen, TwinTangent(exact, displacement_noise=DISPLACEMENT_NOISE), duration)


def calibrated(specimen: Watched, seconds: float = CALIBRATION, error: float = 0.25) -> BasicSystem:
    """A twin that begins ``error`` wrong and is fitted to the noisy measurements of the first seconds by least squares."""
    twin = BasicSystem(hinges(error), coordinates=HINGES)
    path = specimen.measured[:round(seconds / DT)]
    forces = np.array([m.force for m in path])

    def misfit(logarithms: Array) -> Array:
        stiffnesses, limits = np.exp(logarithms).reshape(2, 2)
        for hinge, (k, y) in enumerate(zip(stiffnesses, limits, strict=True)):
            twin.parameters[f"{hinge}.k"] = k
            twin.parameters[f"{hinge}.gamma"] = twin.parameters[f"{hinge}.beta"] = 0.5 / y**2
        committed = twin.virgin()
        trial, force, k = committed.copy(), np.zeros(2), np.zeros((2, 2))
        gaps = np.empty_like(forces)
        for row, measured in zip(gaps, path, strict=True):
            twin.evaluate(committed, trial, measured.displacement, force=force, stiffness=k)
            committed, trial = trial, committed
            row[:] = force
        return ((gaps - forces) / FORCE_NOISE).ravel()

    start = np.log([(1.0 + error) * k for k in HINGE_STIFFNESS] + [(1.0 - error) * y for y in HINGE_YIELD])
    misfit(least_squares(misfit, start).x)
    return twin


def estimators(specimen: Watched) -> dict[str, TangentEstimator]:
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
        CALIBRATED: TwinTangent(calibrated(specimen), **noise),
        "twin, parameters 2 % wrong": TwinTangent(BasicSystem(hinges(0.02), coordinates=HINGES), **noise),
    }


def yielding(exact: Array) -> bool:
    """Whether a hinge yields, by the exact tangent."""
    inverse = np.linalg.inv(HINGES)
    return bool(np.any(np.diag(inverse.T @ exact @ inverse) < YIELDING * np.array(HINGE_STIFFNESS)))


def error(specimen: Watched, estimates: Iterable[Array], first: int = 0) -> float:
    """Root mean square error of estimates while yielding, from a step on, as a share of the initial stiffness."""
    size = np.linalg.norm(specimen.initial_stiffness())
    squares = [(np.linalg.norm(estimate - exact) / size) ** 2 for step, (estimate, exact) in enumerate(
        zip(estimates, specimen.tangents, strict=True)) if step >= first and yielding(exact)]
    return float(np.sqrt(np.mean(squares)))


def errors(specimen: Watched, result: HybridResult) -> dict[str, float]:
    """Error of each estimator on the measurements of one test."""
    displacement, force = result.converged_response("columns")
    found: dict[str, float] = {}
    for name, estimator in estimators(specimen).items():
        estimator.start(specimen.initial_stiffness())
        estimates = [estimator.update(m.displacement, m.force, (d, TWICE * f)).copy()
                     for m, d, f in zip(specimen.measured, displacement, force, strict=False)]
        # the calibrated twin is not judged by what it was fitted to
        found[name] = error(specimen, estimates, round(CALIBRATION / DT) if name == CALIBRATED else 0)
    return found


def errors_inside(duration: float) -> dict[str, float]:
    """Error of the stiffness with which steps ended, of the estimators that work inside the iterations."""
    noise: dict[str, Any] = {"displacement_noise": DISPLACEMENT_NOISE, "force_noise": FORCE_NOISE / TWICE, "clamp": CLAMP}
    found = {}
    for name, estimator in zip(INSIDE, (EigenvectorTangent(**noise), IntrinsicTangent(HINGES, **noise)), strict=True):
        specimen = watched()
        result = tested(specimen, estimator, duration)
        found[name] = error(specimen, TWICE * result.stiffness("columns")[1:])
    return found


REFERENCE = {"initial": 32.7, INSIDE[0]: 34.8, INSIDE[1]: 19.6}
MOST = {INSIDE[0]: 40.0, INSIDE[1]: 25.0, "intrinsic (hinge coordinates)": 25.0, "twin, parameters exact": 10.0,
        CALIBRATED: 10.0, "twin, parameters 2 % wrong": 10.0}


def run(quick: bool = False) -> Table:
    """Error of each estimator."""
    duration = 10.0 if quick else 30.0
    rows = []
    for name, share in {**errors(*simulated(duration)), **errors_inside(duration)}.items():
        limit = MOST.get(name)
        rows.append(Row(name, 100.0 * share, "%", REFERENCE.get(name), f"< {limit:g} %" if limit else "",
                        None if limit is None else 100.0 * share < limit))
    return Table("tangent of the two-hinge specimen: error while yielding", rows, [
        "Twins are of the same law as the specimen. The calibrated one began 25 % wrong in stiffness and yield displacement.",
        "Every estimator sees the same noisy measurements, but for those inside the iterations, which have a test each.",
        "Reference: a prototype, inside the iterations of its integrator. With exact tangents and increments the eigenvector "
        "form still errs by 36 %: its directions stay those of the initial stiffness."])
