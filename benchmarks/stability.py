"""``femu bench stability``: is the stability check right? Loops judged by simulation.

Each loop is a hybrid test with a delay, a lag or a servo, with or without compensation, by one of
the integrators. The check says how much more delay it bears. Then the test itself runs twice, with
0.8 and with 1.2 of that: the first must calm down after a short impulse, the second must grow. They
last until the mode that the check found has changed twentyfold. How fast it grows is compared
with the eigenvalue. Loops with a `Plant` go by how much slower it is than the plant that their
compensator knows, in place of a delay; one of them is the public benchmark with one actuator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from femu.analyses import (
    HHT,
    AlphaOS,
    CentralDifference,
    GeneralizedAlphaOS,
    HybridTest,
    ImplicitHybrid,
    KRAlpha,
    Newmark,
    NewmarkExplicit,
)
from femu.elements import ElasticBeamColumn, ZeroLength
from femu.experimental import (
    Actuator,
    AdaptiveCompensation,
    Cantilever,
    CompensatedSpecimen,
    Compensation,
    Converter,
    EmulatedSpecimen,
    EstimatedPlantCompensation,
    ExperimentalBeamColumn,
    ExperimentalElement,
    InverseCompensation,
    LQGCompensation,
    Plant,
    PolynomialCompensation,
    Sensors,
    Specimen,
    TwoStageCompensation,
)
from femu.experimental.stability.stability import stability_of
from femu.materials import Elastic, ElasticSection, Parallel, Viscous
from femu.model.model import Model
from femu.records.ground_motion import GroundMotion
from femu.studies import rths_problem
from femu.studies.rths_hybrid import hybrid_test
from femu.support.tables import Row, Table

BELOW, ABOVE = 0.8, 1.2
"""Shares of the largest delay at which a loop is run."""
CHANGE = 20.0
"""By which the mode of the check changes in a run, unless that takes too long."""
SHORTEST, LONGEST = 600, 15000
"""Steps of a run."""
MOST_SLOWER, BISECTIONS = 8.0, 12
"""Largest share by which a plant is slower, and how often the interval is halved."""
IMPULSE = 0.1
STEEL = ElasticSection(E=2e11, A=4e-3, I=4e-5)


@dataclass(frozen=True)
class Loop:
    """A test by the delay that is added to its actuators."""

    name: str
    dt: float
    test: Callable[[float], Any]
    slower: bool = False  # goes by how much slower a plant is than the one that is known

    def margin(self) -> float | None:
        """Delay, or share by which the plant is slower, at which the check calls it unstable."""
        if not self.slower:
            return self.test(0.0).stability().largest_delay
        low, high = 0.0, MOST_SLOWER
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            stable = stability_of(self.test(middle), margin=False).stable
            low, high = (middle, high) if stable else (low, middle)
        return low

    def said(self, value: float) -> str:
        """A delay or share in words."""
        return f"{100.0 * value:.3g} % slower" if self.slower else f"{1e3 * value:.3g} ms"


def _mass(specimen: Specimen, stiffness: float, damping: float, **options: Any) -> Model:
    """One mass on a spring and a specimen."""
    made = Model("mass")
    made.node(0, 0.0, 0.0, fixed=True)
    made.node(1, 0.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    made.add(
        ExperimentalElement("s", [(1, "x")], specimen=specimen, stiffness=stiffness, **options)
    )
    made.add(ZeroLength("spring", 0, 1, {"x": Parallel([Elastic(6e5), Viscous(damping)])}))
    return made


def _shear(specimen: Specimen, stiffness: Any, **options: Any) -> Model:
    """Three storeys; one or two specimens in the lower ones."""
    made = Model("three storeys")
    made.node(0, 0.0, 0.0, fixed=True)
    for k, mass in enumerate((1.2e4, 1.0e4, 0.8e4), start=1):
        made.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(mass, 0.0, 0.0))
    dofs = [(k, "x") for k in range(1, specimen.size + 1)]
    made.add(ExperimentalElement("s", dofs, specimen=specimen, stiffness=stiffness, **options))
    for k, spring in enumerate((4e6, 3e6, 2e6)):
        made.add(ZeroLength(f"storey {k}", k, k + 1, {"x": Elastic(spring)}))
    made.rayleigh(mass=1.0, initial=2e-3)
    return made


def _portal(specimen: Specimen, stiffness: Any, **options: Any) -> Model:
    """A portal whose left column is a specimen at the end of a cantilever, with three actuators."""
    made = Model("portal")
    made.node("A", 0.0, 0.0, fixed=True)
    made.node("B", 6.0, 0.0, fixed=True)
    for node, x in (("C", 0.0), ("D", 6.0)):
        made.node(node, x, 3.6, mass=(1e4, 1e4, 3e3))
    made.add(
        ExperimentalBeamColumn(
            "s",
            *("A", "C"),
            specimen=specimen,
            setup=Cantilever(3.6),
            stiffness=stiffness,
            **options,
        )
    )
    for name, i, j in (("beam", "C", "D"), ("right", "B", "D")):
        made.add(ElasticBeamColumn(name, i, j, section=STEEL))
    made.rayleigh(mass=1.0, initial=2e-3)
    return made


def _tested(model: Model, dt: float, integrator: Any) -> HybridTest:
    pulse = GroundMotion(acceleration=np.array([0.0, IMPULSE, 0.0]), dt=dt, name="pulse")
    # the portal can move along y too
    motion: Any = {"x": pulse, "y": pulse} if model.name == "portal" else pulse
    return HybridTest(model, motion, integrator, dt=dt, duration=SHORTEST * dt)


def loops() -> Iterator[Loop]:
    """All loops; none of them is unstable without a delay."""
    yield from _of_one_mass()
    yield from _of_three_storeys()
    yield from _of_a_portal()
    yield from _of_plants()


def _of_one_mass() -> Iterator[Loop]:
    lag, servo = Actuator(lag=0.004), Actuator(frequency=18.0, damping=0.8)
    law: Any = Elastic(8e5)
    damper: Any = Parallel([Elastic(4e5), Viscous(2e4)])
    cases: list[tuple[str, Any, float, Any, Actuator, Any]] = [
        ("Newmark", law, 1.0, Newmark(), Actuator(), None),
        ("ImplicitHybrid", law, 4e5, ImplicitHybrid(), Actuator(), None),
        ("ImplicitHybrid HHT", law, 1.0, ImplicitHybrid(HHT(0.8)), lag, None),
        ("AlphaOS", law, 1.0, AlphaOS(), lag, None),
        ("AlphaOS taylor", law, 4e5, AlphaOS(predictor="taylor"), Actuator(), None),
        ("CentralDifference", law, 1.0, CentralDifference(), servo, 0.016),
        ("KRAlpha", law, 4e5, KRAlpha(), lag, None),
        ("damper, AlphaOS", damper, 1.0, AlphaOS(), Actuator(), None),
        ("damper, ImplicitHybrid", damper, 2e5, ImplicitHybrid(), lag, None),
        ("delay compensated, order 1", law, 1.0, AlphaOS(), Actuator(delay=0.01), 0.01),
        ("stiffness too large", law, 1.6e6, AlphaOS(), Actuator(), None),
    ]
    for name, of, stiffness, integrator, actuator, ahead in cases:

        def test(
            more: float,
            of: Any = of,
            stiffness: float = stiffness,
            integrator: Any = integrator,
            actuator: Actuator = actuator,
            ahead: float | None = ahead,
        ) -> HybridTest:
            specimen = EmulatedSpecimen([of], actuator=_later(actuator, more))
            made = _mass(specimen, stiffness, 2e4, compensation=_ahead(ahead, 1))
            return _tested(made, 0.005, integrator)

        yield Loop(f"one mass, {name}", 0.005, test)


def _of_three_storeys() -> Iterator[Loop]:
    servo = Actuator(frequency=25.0, damping=0.7)
    adaptive = AdaptiveCompensation(0.009, threshold=1.0)
    both = np.array([[1.0, 0.0], [-1.0, 1.0]])
    cases: list[tuple[str, int, Any, Actuator, Compensation | None]] = [
        ("CentralDifference", 1, CentralDifference(), Actuator(), None),
        ("NewmarkExplicit 0.6", 1, NewmarkExplicit(0.6), Actuator(lag=0.001), None),
        ("KRAlpha, midpoint", 1, KRAlpha(0.9, form="midpoint"), Actuator(), None),
        ("AlphaOS, midpoint", 1, AlphaOS(0.95, form="midpoint"), Actuator(delay=0.0007), None),
        ("AlphaOS, inside", 1, AlphaOS(0.95, form="inside"), Actuator(), None),
        ("HHT", 1, HHT(0.9), Actuator(delay=0.001), None),
        ("servo, order 3", 1, AlphaOS(), servo, PolynomialCompensation(0.009, 3)),
        ("servo, order 2", 1, ImplicitHybrid(), servo, PolynomialCompensation(0.009, 2)),
        ("servo, adaptive", 1, AlphaOS(), servo, adaptive),
        ("two actuators", 2, AlphaOS(), Actuator(), None),
        ("two, generalised", 2, GeneralizedAlphaOS(0.9), servo, PolynomialCompensation(0.009, 2)),
    ]
    for name, size, integrator, actuator, ahead in cases:

        def test(
            more: float,
            size: int = size,
            integrator: Any = integrator,
            actuator: Actuator = actuator,
            ahead: Compensation | None = ahead,
        ) -> HybridTest:
            laws: list[Any] = [Elastic(6e6), Elastic(4e6)][:size]
            specimen = EmulatedSpecimen(
                laws, coordinates=both if size == 2 else None, actuator=_later(actuator, more)
            )
            made = _shear(specimen, 1e3 * np.eye(size), compensation=ahead)
            return _tested(made, 1.0 / 256.0, integrator)

        yield Loop(f"three storeys, {name}", 1.0 / 256.0, test)


def _of_a_portal() -> Iterator[Loop]:
    column = ElasticBeamColumn("c", "i", "j", section=STEEL)
    to_tip = Cantilever(3.6)
    for name, integrator, inside in (
        ("ImplicitHybrid", ImplicitHybrid(), False),
        ("AlphaOS, compensated inside", AlphaOS(), True),
        ("KRAlpha", KRAlpha(), False),
    ):

        def test(more: float, integrator: Any = integrator, inside: bool = inside) -> HybridTest:
            emulated = EmulatedSpecimen(
                column,
                length=3.6,
                coordinates=np.linalg.inv(to_tip.jacobian(np.zeros(3))),
                actuator=Actuator(delay=(0.0005 if inside else 0.0) + more),
            )
            specimen: Specimen = emulated
            if inside:
                specimen = CompensatedSpecimen(emulated, PolynomialCompensation(0.0005, 2), DT)
            part = 0.7 * to_tip.stiffness(emulated.initial_stiffness())
            return _tested(_portal(specimen, part), DT, integrator)

        yield Loop(f"portal, {name}", DT, test)


def _of_plants() -> Iterator[Loop]:
    """A plant that is slower than the one its compensator knows."""
    servo = Plant.transfer_function([2.4e6], [1.0, 230.0, 2.9e4, 2.4e6])
    loaded = Plant(
        [[0.0, 1.0], [-4e4, -300.0]], [[0.0], [4e4]], [[1.0, 0.0]], force=[[0.0], [0.02]],
        mass=50.0, damping=200.0,
    )  # fmt: skip
    law: Any = Elastic(8e5)
    damper: Any = Parallel([Elastic(8e5), Viscous(2e3)])
    cases: list[tuple[str, Any, Any, Plant, Callable[[Plant], Compensation] | None]] = [
        ("servo, no compensation", law, CentralDifference(), servo, None),
        ("servo, fixed inverse", law, CentralDifference(), servo, _inverse),
        ("servo, fixed inverse, implicit", law, ImplicitHybrid(), servo, _inverse),
        ("servo, LQG", law, CentralDifference(), servo, _lqg),
        ("servo, estimated plant", law, AlphaOS(), servo, _estimated),
        ("loaded servo with a mass", law, CentralDifference(), loaded, _inverse),
        ("loaded servo, damper", damper, CentralDifference(), loaded, _two_stages),
    ]
    for name, of, integrator, plant, make in cases:

        def test(
            slower: float,
            of: Any = of,
            integrator: Any = integrator,
            plant: Plant = plant,
            make: Callable[[Plant], Compensation] | None = make,
        ) -> HybridTest:
            specimen = EmulatedSpecimen([of], actuator=_slower(plant, slower))
            ahead = make(plant.holding(8e5)) if make is not None else None
            return _tested(_mass(specimen, 1.0, 2e4, compensation=ahead), DT, integrator)

        yield Loop(f"one mass, {name}", DT, test, slower=True)
    yield Loop(
        "public benchmark, case 4, fixed inverse", rths_problem.DT, _public_benchmark, slower=True
    )


def _inverse(plant: Plant) -> Compensation:
    return InverseCompensation(plant=plant, order=2)


def _two_stages(plant: Plant) -> Compensation:
    return TwoStageCompensation(plant, threshold=1.0)


def _lqg(plant: Plant) -> Compensation:
    return LQGCompensation(plant, noise=1e-5, disturbance=1e-4)


def _estimated(plant: Plant) -> Compensation:
    """With a noise at which it learns nothing: it would make each of these loops stable."""
    return EstimatedPlantCompensation(plant, noise=1.0)


def _slower(plant: Plant, share: float) -> Plant:
    """All of its motion by a share slower."""
    a, b, e = (np.asarray(x) / (1.0 + share) for x in (plant.a, plant.b, plant.force))
    return replace(plant, a=a, b=b, force=e)


def _public_benchmark(slower: float) -> HybridTest:
    ahead = InverseCompensation(plant=rths_problem.moved_plant(rths_problem.NOMINAL), order=3)
    pulse = np.zeros(SHORTEST)
    pulse[1:8] = IMPULSE
    plant = replace(
        _slower(rths_problem.plant_of(rths_problem.NOMINAL), slower), converter=Converter()
    )
    return hybrid_test(4, rths_problem.NOMINAL, ahead, pulse, sensors=Sensors(), plant=plant)


DT = 1.0 / 1024.0


def _later(actuator: Actuator, more: float) -> Actuator:
    return replace(actuator, delay=actuator.delay + more)


def _ahead(delay: float | None, order: int) -> Compensation | None:
    return PolynomialCompensation(delay, order) if delay is not None else None


@dataclass(frozen=True)
class Judged:
    """What check and simulation say of a loop at one delay."""

    name: str
    magnitude: float
    predicted: bool
    simulated: bool
    growth: float
    steps: int

    @property
    def right(self) -> bool:
        """Whether they say the same."""
        return self.predicted == self.simulated


def steps_of(magnitude: float) -> int:
    """Steps in which the mode of an eigenvalue changes as much as a run lasts."""
    return int(min(max(math.log(CHANGE) / abs(math.log(magnitude)), SHORTEST), LONGEST))


def judged(loop: Loop, delay: float, name: str) -> Judged:
    """Check a loop, and run it."""
    found = loop.test(delay).stability()
    steps = steps_of(found.magnitude)
    test = loop.test(delay)
    test.count = steps
    result = test.run(check=False)
    size = np.abs(result.command(next(iter(test.elements)))).max(axis=1)
    if not result.outcome.ok or not np.isfinite(size).all():
        size = np.append(size[np.isfinite(size)], np.inf)
    tenth = len(size) // 10
    middle, late = size[4 * tenth : 5 * tenth].max(), size[-tenth:].max()
    growth = (late / middle) ** (1.0 / (5 * tenth)) if middle > 0.0 else math.nan
    return Judged(name, found.magnitude, found.stable, bool(late < middle), growth, steps)


def both_sides(loop: Loop) -> list[Judged]:
    """A loop at delays on both sides of its limit."""
    margin = loop.margin()
    if not margin:
        raise ValueError(f"{loop.name} has the margin {margin}")
    return [
        judged(loop, share * margin, f"{loop.name}, {loop.said(share * margin)}")
        for share in (BELOW, ABOVE)
    ]


def run(quick: bool = False) -> Table:
    """The table of all loops; ``quick`` takes each fifth."""
    rows, everything = [], list(loops())
    for loop in everything[:: 5 if quick else 1]:
        for one in both_sides(loop):
            said = "stable" if one.simulated else "unstable"
            rows.append(
                Row(
                    f"{one.name}: eigenvalue {one.magnitude:.5f}",
                    f"{said}, {one.growth:.5f} a step over {one.steps}",
                    reference="stable" if one.predicted else "unstable",
                    limit="as predicted",
                    ok=one.right,
                )
            )
    return Table(
        "stability before the test",
        rows,
        [
            "Value: the simulation. Reference: the check. Loops have 0.8 and 1.2 of the largest "
            "delay that the check gives, or of the largest share by which their plant may be slower.",
        ],
    )
