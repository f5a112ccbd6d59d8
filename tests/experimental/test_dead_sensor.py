"""Sensors that are dead from the start are found before they have cost the specimen.

Healthy ones never stop a test.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stone import enough

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalElement,
    Limits,
    Measurement,
    SensorCheck,
    Sensors,
    Specimen,
    read_journal,
)
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.safety.dead_sensor import ALL_ALIVE, UNKNOWN, DeadSensors, Parts, parts_of
from femu.materials import Bilinear, Elastic, ElasticGap
from femu.results.outcome import Outcome

pytestmark = [
    pytest.mark.filterwarnings("ignore::femu.FailedAnalysis"),  # failures are what is tested here
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
]
DT, K = 0.01, 2e6
LIMITS = Limits(displacement=0.2, velocity=50.0, force=2e5)


class Laboratory(Specimen):
    """A physical specimen, with the equations of an emulated one and sensors that may show one
    number."""

    def __init__(
        self, inside: EmulatedSpecimen, dead: str = "", value: float = 0.0, dither: float = 0.0
    ) -> None:
        self.inside, self.size, self.dead = inside, inside.size, dead
        self.value, self.dither = value, dither
        self.commands: list[tuple[float, float]] = []

    def apply(self, command: Any, time: float) -> Measurement:
        found = self.inside.apply(command, time)
        self.commands.append((time, float(command[0])))
        shown = np.full(1, self.value + self.dither * (len(self.commands) % 2))
        return Measurement(
            shown if "displacement" in self.dead else found.displacement,
            shown.copy() if "force" in self.dead else found.force,
            time,
        )

    def wait_at_most(self, seconds: float) -> None:
        pass


def yielding(**options: Any) -> EmulatedSpecimen:
    return EmulatedSpecimen(Bilinear(K, 2e4, 0.02), **options)


def quake(pga: float = 3.0, seconds: float = 6.0, before: Any = ()) -> GroundMotion:
    shaking = GroundMotion.el_centro().scaled(pga=pga).at(DT * np.arange(round(seconds / DT)))
    return GroundMotion("quake", DT, np.concatenate([np.asarray(before, dtype=float), shaking]))


def tested(
    specimen: Specimen,
    limits: Any,
    motion: GroundMotion,
    stiffness: float = K,
    journal: Any = None,
    resume: bool = False,
    **check: Any,
) -> HybridResult:
    model = Model("dead")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(2e5)}))
    model.add(
        ExperimentalElement(
            "device",
            [("B", "x")],
            specimen=specimen,
            stiffness=[[stiffness]],
            limits=enough(limits),
            sensor_check=SensorCheck(**check),
        )
    )
    test = HybridTest(model, motion, dt=DT, duration=DT * (len(motion.acceleration) - 1))
    return test.resume(journal) if resume else test.run(journal)


tested.__test__ = False  # type: ignore[attr-defined]
ULP = math.ulp(12.5)


@pytest.mark.parametrize(
    "dead, value, dither",
    [
        ("displacement", 0.0, 0.0),
        ("displacement", 0.003, math.ulp(0.003)),
        ("displacement", 0.0, 2e-6),
        ("force", 0.0, 0.0),
        ("force", 0.0, 6.0),
        ("force", 12.5, 0.0),
        ("force", 12.5, ULP),
        ("displacement, force", 0.0, 0.0),
    ],
)
@pytest.mark.parametrize("limits", [LIMITS, None], ids=["limits", "no limits"])
def test_a_dead_sensor_is_found_early(limits: Any, dead: str, value: float, dither: float) -> None:
    """Constant, or with a dither of its last bit. With limits within half of the motion of a
    healthy test; without limits 20 samples after the peak of the excitation, and a force, which
    lets the motion grow, after half of it.
    """
    motion = quake()
    size = np.abs(motion.acceleration)
    half, peak = (DT * int(np.argmax(size >= share * size.max())) for share in (0.5, 1.0))
    over = DT * int(np.flatnonzero(size >= 0.5 * size.max())[-1])
    laboratory = Laboratory(yielding(), dead, value, dither)
    result = tested(laboratory, limits, motion)
    assert result.outcome is Outcome.STUCK_SENSOR, result.message
    assert "from the start" in result.message or limits is not None
    found, commands = np.array(laboratory.commands).T
    assert found[-1] < over
    assert found[-1] <= (peak if limits is None and "force" not in dead else half) + 20.5 * DT
    if limits is not None:
        whole = np.abs(tested(yielding(), limits, motion).command("device")).max()
        assert np.abs(commands).max() < whole / 2.0


ROUNDED = Sensors(displacement_step=2e-5, force_step=20.0)
HEALTHY = {
    "exact": Sensors(),
    "rounded": ROUNDED,
    "rounded, with noise": Sensors(
        displacement_step=2e-5, force_step=20.0, displacement_noise=6e-6, force_noise=6.0
    ),
    "noise": Sensors(displacement_noise=1e-5, force_noise=20.0),
}
BEFORE = {
    "nothing": (),
    "zeros": np.zeros(300),
    "small cycles": 1e-5 * np.sin(0.09 * np.arange(300)),
    "noise": 1e-4 * np.random.default_rng(1).standard_normal(300),
}


@pytest.mark.parametrize("limits", [LIMITS, None], ids=["limits", "no limits"])
@pytest.mark.parametrize("sensors", HEALTHY)
@pytest.mark.parametrize("before", BEFORE)
def test_quiet_beginnings_do_not_stop_a_test(before: str, sensors: str, limits: Any) -> None:
    laboratory = Laboratory(yielding(sensors=HEALTHY[sensors]))
    result = tested(laboratory, limits, quake(seconds=3.0, before=BEFORE[before]))
    assert result.outcome is Outcome.COMPLETE, result.message


@pytest.mark.parametrize(
    "limits",
    [Limits(displacement=0.3, velocity=50.0, force=1e7), None],
    ids=["limits", "no limits"],
)
@pytest.mark.parametrize("strength", [5e3, 2.5e4], ids=["slides", "hardly slides"])
@pytest.mark.parametrize("sensors", HEALTHY)
# of the stuck isolator, whose period does not matter here
@pytest.mark.filterwarnings("ignore:dt = ")
def test_an_isolator_that_sticks_at_first_does_not_stop_a_test(
    sensors: str, strength: float, limits: Any
) -> None:
    stiff = EmulatedSpecimen(Bilinear(2e8, strength, 0.001), sensors=HEALTHY[sensors])
    result = tested(Laboratory(stiff), limits, quake(), stiffness=2e8)
    assert result.outcome is Outcome.COMPLETE, result.message


GAP = 0.05  # it is open when the strong part begins


def gap(**options: Any) -> EmulatedSpecimen:
    return EmulatedSpecimen(ElasticGap(E=K, fy=1e8, gap=GAP), **options)


@pytest.mark.parametrize(
    "limits",
    [Limits(displacement=0.5, velocity=50.0, force=2e6), None],
    ids=["limits", "no limits"],
)
@pytest.mark.parametrize("sensors", ["exact", "rounded", "rounded, with noise"])
def test_a_gap_does_not_stop_a_test_that_declares_it_nor_one_of_an_emulated_specimen(
    sensors: str, limits: Any
) -> None:
    motion = quake()
    for specimen, check in (
        (Laboratory(gap(sensors=HEALTHY[sensors])), {"slack": True}),
        (gap(sensors=HEALTHY[sensors]), {}),
    ):
        result = tested(specimen, limits, motion, **check)
        assert result.outcome is Outcome.COMPLETE, result.message
        d, f = result.measured("device")
        assert d.max() > GAP and f.max() > 0.0  # it closes


def test_a_gap_that_was_not_declared_is_declared_and_the_test_resumed(tmp_path: Path) -> None:
    """It cannot be known from a dead load cell.

    Nothing is lost: the resumed test has the bits of one that declared it.
    """
    motion, path = quake(), tmp_path / "j.h5"
    laboratory = Laboratory(gap())
    stopped = tested(laboratory, None, motion, journal=path)
    assert (
        stopped.outcome is Outcome.STUCK_SENSOR
        and "SensorCheck(slack=True), and resume the test" in stopped.message
    )
    laboratory.inside.restore(gap().state)
    for row in read_journal(path).command["device"][: stopped.steps]:
        # the specimen is where the stopped test left it
        laboratory.inside.apply(row[2:-1], float(row[1]))
    resumed = tested(laboratory, None, motion, journal=path, resume=True, slack=True)
    whole = tested(Laboratory(gap()), None, motion, slack=True)
    assert resumed.outcome is Outcome.COMPLETE, resumed.message
    assert np.array_equal(resumed.command("device"), whole.command("device"))
    assert np.array_equal(resumed.measured("device")[1], whole.measured("device")[1])
    dead = tested(Laboratory(gap(), "force", 12.5), None, motion, slack=True)
    assert dead.outcome is Outcome.STUCK_SENSOR  # a gap has no force of 12.5


def test_a_sensor_that_dies_in_the_pause_is_found_in_the_resumed_test(tmp_path: Path) -> None:
    motion, path = quake(), tmp_path / "j.h5"
    laboratory = Laboratory(yielding())

    def commit(time: float) -> None:
        if len(laboratory.commands) == 170:
            raise KeyboardInterrupt

    laboratory.commit = commit  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        tested(laboratory, LIMITS, motion, journal=path)
    laboratory.commit = lambda time: None  # type: ignore[method-assign]
    laboratory.dead, laboratory.value = "displacement", laboratory.commands[-1][1]
    resumed = tested(laboratory, LIMITS, motion, journal=path, resume=True)
    assert resumed.outcome is Outcome.STUCK_SENSOR and len(laboratory.commands) < 220


def test_parts_of_excitations() -> None:
    t = np.arange(5.0)
    assert parts_of(t, []) == Parts() == parts_of(t, [np.ones(5)])
    assert parts_of(t, [np.array([0.0, 1.0, 2.0, -4.0, 0.0])]) == Parts(2.0, 3.0)
    assert parts_of(
        t, [np.array([0.0, 1.0, 2.0, -4.0, 0.0]), np.array([1.0, 1.0, 1.0, 1.0, 3.0])]
    ) == Parts(4.0, 4.0)


@pytest.mark.parametrize(
    "turning", [(0.0, 0.0), (0.0, 1.0)], ids=["displacements", "displacement and rotation"]
)
def test_an_actuator_at_rest_is_not_judged(turning: tuple[float, float]) -> None:
    """The second one hardly moves: a hundredth of a percent, and in energy if it is a rotation."""
    stiffness, limits = np.diag([K, K]), np.full((2, 2), math.inf)
    for moves, found in ((1e-4, UNKNOWN), (0.5, 3)):
        sensors = DeadSensors(
            stiffness, np.ones((2, 2), dtype=bool), limits, np.array(turning), False, 20
        )
        last = UNKNOWN
        for k in range(100):
            command = np.sin(0.3 * k) * np.array([1.0, moves])
            last = sensors.see(
                command,
                command,
                np.array([K * command[0], 0.0]),
                np.array([[1e-3, 1e-6], [1e-7, 0.0]]),
                True,
                2,
            )
        assert last == found
    sensors = DeadSensors(
        stiffness, np.zeros((2, 2), dtype=bool), limits, np.array(turning), False, 20
    )
    assert not sensors.unsure
    assert (
        sensors.see(np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((2, 2)), False, 0) == ALL_ALIVE
    )
