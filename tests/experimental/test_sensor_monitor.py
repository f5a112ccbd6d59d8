"""Stuck sensors are found; healthy tests of every kind are not stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stone import enough

from femu import GroundMotion, InputError, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    Limits,
    Measurement,
    SensorCheck,
    Sensors,
    Specimen,
    SpecimenSession,
    read_journal,
)
from femu.materials import Bilinear, Elastic
from femu.results.outcome import Outcome

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot report its position"),
    pytest.mark.filterwarnings("ignore::femu.FailedAnalysis"),  # failures are what is tested here
]

STIFFNESS, STRENGTH = 2e6, 2e3
STEPS, DT = 400, 0.01
LIMITS = Limits(displacement=0.2, force=50.0 * STRENGTH)


def plastic(**options: Any) -> EmulatedSpecimen:
    return EmulatedSpecimen(Bilinear(STIFFNESS, STRENGTH, 0.0), **options)


class Hidden(Specimen):
    """A specimen of which the test knows nothing: neither its noise nor that it is emulated."""

    size = 1

    def __init__(
        self,
        inside: EmulatedSpecimen,
        at: int = 10**9,
        sensor: str = "",
        value: float | None = None,
    ) -> None:
        self.inside, self.at, self.sensor, self.value, self.count, self.holds = (
            inside,
            at,
            sensor,
            value,
            0,
            0,
        )
        self.kept: Measurement | None = None

    def apply(self, command: Any, time: float) -> Measurement:
        found, self.count = self.inside.apply(command, time), self.count + 1
        if self.count <= self.at:
            self.kept = found
            return found
        assert self.kept is not None
        d, f = found.displacement, found.force
        if "displacement" in self.sensor:
            d = self.kept.displacement.copy()
        if "force" in self.sensor:
            f = self.kept.force.copy() if self.value is None else np.array([self.value])
        return Measurement(d, f, time)

    def hold(self) -> None:
        self.holds += 1

    def wait_at_most(self, seconds: float) -> None:
        pass


CHECK = SensorCheck()


def test_of(
    specimen: Specimen,
    check: SensorCheck | None = CHECK,
    limits: Limits | None = LIMITS,
    motion: Any = None,
    free: bool = False,
) -> HybridTest:
    model = Model("stuck")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(
        ExperimentalElement(
            "device",
            [("B", "x")],
            specimen=specimen,
            stiffness=[[STIFFNESS]],
            limits=enough(limits),
            sensor_check=check,
        )
    )
    model.add(TwoNodeLink("beside", "A", "B", {"x": Elastic(2e5)}))
    quake = GroundMotion.el_centro().scaled(pga=1.0) if motion is None else motion
    if free:
        a = np.zeros(STEPS + 1)
        a[:10] = quake.acceleration[:10] + 2.0
        quake = GroundMotion("pulse", DT, a)
    return HybridTest(model, quake, dt=DT, duration=STEPS * DT)


test_of.__test__ = False  # type: ignore[attr-defined]

RESOLUTION = STRENGTH / 500.0
HEALTHY = {
    "plateau without noise": Sensors(),
    "plateau with noise": Sensors(force_noise=5.0, displacement_noise=1e-6),
    "much noise": Sensors(force_noise=200.0, displacement_noise=1e-4),
    "rounded": Sensors(force_step=RESOLUTION, displacement_step=1e-5),
    "coarse": Sensors(force_step=STRENGTH / 4.0, displacement_step=1e-3),
    "rounded, with noise below a step": Sensors(
        force_step=RESOLUTION, force_noise=0.1 * RESOLUTION, displacement_step=1e-5
    ),
    "rounded force, noisy displacement": Sensors(force_step=RESOLUTION, displacement_noise=1e-4),
}


@pytest.mark.parametrize("limits", [LIMITS, None], ids=["limits", "no limits"])
@pytest.mark.parametrize("sensors", HEALTHY)
def test_healthy_sensors_do_not_stop_a_plastic_specimen(
    sensors: str, limits: Limits | None
) -> None:
    inside = plastic(sensors=HEALTHY[sensors])
    result = test_of(Hidden(inside) if limits is None else inside, limits=limits).run()
    assert result.outcome is Outcome.COMPLETE, result.message
    plateau = np.abs(np.diff(result.measured("device")[1][:, 0])) < 1e-9 * STRENGTH
    assert sensors != "plateau without noise" or plateau.sum() > 50  # the plateau is there


@pytest.mark.parametrize("sensors", HEALTHY)
def test_free_vibration_and_rest_are_not_stopped(sensors: str) -> None:
    assert (
        test_of(Hidden(plastic(sensors=HEALTHY[sensors])), free=True).run().outcome
        is Outcome.COMPLETE
    )
    still = GroundMotion("nothing", DT, np.zeros(STEPS + 1))
    assert (
        test_of(Hidden(plastic(sensors=HEALTHY[sensors])), motion=still).run().outcome
        is Outcome.COMPLETE
    )


@pytest.mark.parametrize("delay", [0.015, 0.1])
def test_a_slow_actuator_is_not_a_stuck_sensor(delay: float) -> None:
    session = SpecimenSession(
        test_of(Hidden(plastic(actuator=Actuator(delay=delay)))).elements["device"]
    )
    session.begin(1e-3)
    t = 1e-3 * np.arange(2000)
    commands = 0.01 * np.sin(10.0 * t) * (t > 0.3)
    for now, command in zip(t, commands, strict=True):
        session.exchange(np.array([command]), float(now))
    # every new command was sent, and the last one is still on its way
    reached = session.specimen.kept.displacement[0]
    assert session.specimen.count == 1 + np.count_nonzero(np.diff(commands))
    assert reached == pytest.approx(commands[len(t) - 1 - round(delay / 1e-3)], rel=1e-9)


def test_a_slack_specimen_is_not_a_stuck_sensor() -> None:
    class Slack(Hidden):
        def apply(self, command: Any, time: float) -> Measurement:
            c = float(command[0])
            return Measurement(np.array([c]), np.array([STIFFNESS * max(c - 0.002, 0.0)]), time)

    assert test_of(Slack(plastic())).run().outcome is Outcome.COMPLETE


@pytest.mark.parametrize("sensor", ["force", "displacement", "force and displacement"])
@pytest.mark.parametrize("sensors", ["plateau without noise", "plateau with noise", "rounded"])
def test_a_stuck_sensor_ends_the_test_with_everything_on_disk(
    tmp_path: Path, sensor: str, sensors: str
) -> None:
    limits = None if sensors == "rounded" else LIMITS
    specimen = Hidden(plastic(sensors=HEALTHY[sensors]), 120, sensor)
    result = test_of(specimen, limits=limits).run(tmp_path / "t.h5")
    assert result.outcome is Outcome.STUCK_SENSOR, result.message
    assert specimen.holds > 0 and "The step was not taken." in result.message
    assert 120 < result.steps < 330
    record = read_journal(tmp_path / "t.h5")
    assert record.ending is Outcome.STUCK_SENSOR
    assert record.steps == len(record.measured["device"]) == result.steps
    assert len(record.refused["device"]) == 1 and record.refused["device"][0, 0] == result.steps + 1
    assert (
        test_of(Hidden(plastic(sensors=HEALTHY[sensors]), 120, sensor), check=None, limits=None)
        .run()
        .steps
        > result.steps
    )


def test_a_dead_sensor_is_known_by_its_noise() -> None:
    sensors = HEALTHY["plateau with noise"]
    check = SensorCheck(force_noise=5.0, displacement_noise=1e-6)
    assert test_of(Hidden(plastic(sensors=sensors)), check=check).run().outcome is Outcome.COMPLETE
    dead = Hidden(plastic(sensors=sensors), 120, "force", value=0.0)
    result = test_of(dead, check=check).run()
    assert result.outcome is Outcome.STUCK_SENSOR and result.steps < 150


def test_resumed_with_a_sensor_that_works_again(tmp_path: Path) -> None:
    """The interrupted and resumed test equals one in which the sensor was stuck as long and nobody
    looked."""
    path, n = tmp_path / "t.h5", 120
    first = test_of(Hidden(plastic(), n, "force")).run(path)

    class Healing(Hidden):
        def apply(self, command: Any, time: float) -> Measurement:
            found = super().apply(command, time)
            healed = Measurement(self.inside.position.copy(), self.inside.true_force, time)
            return healed if self.count > first.steps else found

    whole = Healing(plastic(), n, "force")
    reference = test_of(whole, check=None).run(tmp_path / "whole.h5")
    assert reference.outcome is Outcome.COMPLETE
    again = plastic()
    for row in read_journal(path).command["device"][: first.steps]:
        again.apply(row[2:-1], float(row[1]))  # the specimen is where the first day left it
    final = test_of(Hidden(again)).resume(path)
    assert final.outcome is Outcome.COMPLETE, final.message
    one, two = read_journal(tmp_path / "whole.h5"), read_journal(path)
    for a, b in (
        (one.state, two.state),
        (one.command["device"], two.command["device"]),
        (one.measured["device"], two.measured["device"]),
    ):
        assert np.array_equal(a[:, :-1], b[:, :-1])
    assert len(two.refused["device"]) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"samples": 1},
        {"samples": 2.5},
        {"samples": True},
        {"share": 0.0},
        {"share": "x"},
        {"share": float("nan")},
        {"force_noise": -1.0},
        {"displacement_noise": "x"},
        {"force_noise": float("nan")},
        {"slack": 1},
    ],
)
def test_bad_checks(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="SensorCheck"):
        SensorCheck(**given)


def test_wrong_kind_and_size() -> None:
    with pytest.raises(InputError, match="sensor_check"):
        test_of(plastic(), check=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="force_noise"):
        test_of(plastic(), check=SensorCheck(force_noise=(1.0, 2.0)))
