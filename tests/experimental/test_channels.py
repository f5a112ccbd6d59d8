"""Actuators and channels have one name everywhere, and a rotation goes with a moment."""

import json

import h5py
import numpy as np
import pytest
from stone import K, Stone

from femu import InputError
from femu.experimental import (
    Cantilever,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    ExperimentalElement,
    ExperimentalLink,
    ExperimentalTruss,
    Guard,
    Journal,
    Limits,
    LimitTripped,
    Linear,
    Measurement,
    OutlierMeasurement,
    Scaled,
    SpecimenServer,
    ThreeActuators,
    read_journal,
)
from femu.experimental.channels import names_in, quantity
from femu.experimental.safety.sensor_monitor import SensorCheck, SensorMonitor, StuckSensor
from femu.experimental.setups.setup import Chain
from femu.materials import Elastic


def springs(n):
    return EmulatedSpecimen([Elastic(K)] * n)


def element(dofs, **options):
    return ExperimentalElement("e", dofs, specimen=springs(len(dofs)), **options)


@pytest.mark.parametrize(
    "made, names",
    [
        (element([("B", "x")]), ("x",)),
        (element([("B", "x"), ("B", "rz")]), ("x", "rz")),
        (element([("B", "x"), ("C", "x")]), ("x at B", "x at C")),
        (element([("B", "x"), ("B", "rz")], setup=Scaled(2, force=0.5)), ("x", "rz")),
        (
            element([("B", "x"), ("B", "rz")], setup=Scaled(2, displacement=[1e3, 1e3])),
            ("x", "rz (scaled)"),
        ),
        (element([("B", "x"), ("B", "rz")], setup=Linear([[1.0, 0.0], [1.0, -2.0]])), ("x", "2")),
        (
            element(
                [("B", d) for d in ("x", "y", "rz")], setup=ThreeActuators(2.0, 2.0, 2.0, 0.5, 0.5)
            ),
            ("1", "2", "3"),
        ),
        (
            element(
                [("B", "x"), ("B", "rz")], setup=Chain(Linear([[0.0, 1.0], [1.0, 0.0]]), Scaled(2))
            ),
            ("rz", "x"),
        ),
        (ExperimentalTruss("e", "A", "B", specimen=springs(1)), ("x",)),
        (ExperimentalLink("e", "A", "B", ("y", "rz"), specimen=springs(2)), ("y", "rz")),
        (
            ExperimentalBeamColumn("e", "A", "B", specimen=springs(3), setup=Cantilever(2.0)),
            ("x", "y", "rz"),
        ),
        (ExperimentalBeamColumn("e", "A", "B", specimen=springs(3)), ("x", "rz at i", "rz at j")),
    ],
    ids=lambda x: ", ".join(x) if isinstance(x, tuple) else "",
)
def test_names(made, names):
    assert made.actuators == names


def test_a_rotation_goes_with_a_moment():
    said = [quantity(w, "rz at i") for w in ("displacement", "velocity", "force", "increment")]
    assert said == ["rotation", "angular velocity", "moment", "increment"]
    assert quantity("force", "x at rz") == "force" == quantity("force", "1")


@pytest.mark.parametrize(
    "limits, what",
    [
        ({"displacement": (1.0, 0.1)}, "rotation"),
        ({"increment": (1.0, 0.1)}, "increment"),
        ({"velocity": (1.0, 0.1)}, "angular velocity"),
        ({"force": (1e9, 1.0)}, "moment"),
    ],
)
def test_limits_name_the_actuator(limits, what):
    guard = Guard(Limits(**limits), 2, K * np.eye(2), "ExperimentalLink('e')", ("x", "rz"))
    guard.begin()
    who = r"actuator rz of ExperimentalLink\('e'\)"
    with pytest.raises(LimitTripped, match=f"^The {what} limit of {who} tripped"):
        guard.check(np.array([0.0, 0.5]), 1.0)
    if what in ("rotation", "moment"):
        with pytest.raises(OutlierMeasurement, match=f"^A{who[1:]} measured the {what} "):
            guard.measured(Measurement(np.array([0.0, 0.5]), np.array([0.0, 2.0])), 1.0)


def test_a_stuck_sensor_is_named():
    watch = SensorMonitor(
        SensorCheck(),
        K * np.eye(2),
        (np.zeros(2), np.zeros(2)),
        (np.ones(2), np.ones(2)),
        "ExperimentalLink('e')",
        ("x", "rz"),
    )
    with pytest.raises(
        StuckSensor,
        match=r"^The rotation of actuator rz of "
        r"ExperimentalLink\('e'\) ",
    ):
        for k in range(60):
            at = np.sin(0.3 * k) * np.ones(2)
            rotation = 1e-3 * at[1] if k < 3 else 1e-3
            watch.see(at, Measurement(np.array([at[0], rotation]), K * at))


def test_actuators_of_a_server_are_counted_from_one_or_named(tmp_path):
    limits = Limits(displacement=0.1, increment=0.1, force=K)
    server = SpecimenServer(
        Stone(size=2), limits=limits, wait=0.01, actuators=["x", "rz"], journal=tmp_path / "s.h5"
    )
    assert server._guard.actuator(1) == "actuator rz of the specimen"
    server.serve()
    assert read_journal(tmp_path / "s.h5").about["channels"] == {"specimen": ["x", "rz"]}
    for wrong in ("xr", ["x"], ["x", "x"], ["x", 1]):
        with pytest.raises(InputError, match="SpecimenServer: actuators"):
            SpecimenServer(Stone(size=2), limits=limits, actuators=wrong)


def test_a_journal_without_names_has_numbers(tmp_path):
    """One of an earlier version, or one whose names do not fit."""
    Journal(tmp_path / "j.h5", {"e": 2}).close()
    with h5py.File(tmp_path / "j.h5") as file:
        assert "channels" not in json.loads(file.attrs["about"])
    about = read_journal(tmp_path / "j.h5").about
    assert names_in(about, "e", 2) == ("1", "2")
    for wrong in (["x"], "xy", [1, 2], None):
        assert names_in({"channels": {"e": wrong}}, "e", 2) == ("1", "2")
    assert names_in({"channels": {"e": ["x", "rz"]}}, "e", 2) == ("x", "rz")
