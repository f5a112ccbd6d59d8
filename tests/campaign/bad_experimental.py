"""Good calls of the experimental side.

Specimens, actuators, setups, elements, journals, servers and clients.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from femu import experimental as ex
from femu.experimental.specimens.basic_system import BasicSystem
from tests.campaign import rig
from tests.campaign.bad_calls import Call
from tests.campaign.bad_model import STEEL

ELEMENT = {"specimen": ex.EmulatedSpecimen(STEEL), "stiffness": [[1.0]]}


def parts() -> Iterator[Call]:
    """What a test is put together from."""
    servo = ex.Plant.transfer_function([900.0], [1.0, 42.0, 900.0])
    weighted = ex.FIRCompensation(servo, threshold=1e-4)
    yield from map(
        Call,
        (
            ex.BFGSTangent,
            ex.BroydenTangent,
            ex.EigenvectorTangent,
            ex.InitialTangent,
            ex.TransposeTangent,
            ex.TangentEstimator,
            ex.SensorCheck,
            ex.Sensors,
            ex.Limits,
            ex.Actuator,
        ),
    )
    yield from (
        Call(ex.IntrinsicTangent, [[1.0]]),
        Call(ex.TwinTangent, BasicSystem(STEEL)),
        Call(ex.PolynomialCompensation, 0.01),
        Call(ex.AdaptiveDelayCompensation, 0.01),
        Call(ex.InverseCompensation, [1.0, 0.01], but=("coupled",)),
        Call(ex.AdaptiveTimeSeriesCompensation, [1.0, 0.01, 1e-4], threshold=1e-4),
        Call(ex.AdaptiveModelCompensation, [1.0, 0.01, 1e-4, 1e-6]),
        Call(ex.TwoStageCompensation, servo, threshold=1e-4),
        Call(ex.FIRCompensation, servo, threshold=1e-4),
        Call(ex.FIRCompensation.state_space, 0.01, on=lambda: weighted),
        Call(ex.LQGCompensation, servo, noise=1e-5, disturbance=1e-4),
        Call(ex.EstimatedPlantCompensation, servo),
        Call(ex.CoupledInverseCompensation, servo, but=("coupled",)),
        Call(ex.Plant, [[-9.0]], [[9.0]], [[1.0]]),
        Call(ex.Plant.transfer_function, [900.0], [1.0, 42.0, 900.0], derived=True),
        Call(ex.Plant.zeros_poles, [], [-9.0], 9.0, derived=True),
        Call(ex.Plant.columns, [([[9.0]], [1.0, 9.0])], derived=True),
        Call(ex.Plant.gain, 1.0, on=lambda: servo),
        Call(ex.Plant.delay_at, 1.0, on=lambda: servo),
        Call(ex.Plant.holding, 1.0, on=lambda: servo),
        Call(ex.Plant.rest_at, [1.0], 1.0, on=lambda: servo),
        Call(ex.Plant.step_parameters, 0.01, 1.0, on=lambda: servo),
        Call(ex.Converter, 0.1, 1.0),
        Call(ex.MotionGenerator, 1, step=0.02),
        Call(ex.TrackingLimits, error=0.1),
        Call(ex.LinearSystem, [[0.5]], [[1.0]], [[1.0]], [[0.0]]),
        Call(ex.Converter.of_bits, 16, 1.0),
        Call(ex.Converter.convert, [0.3], on=lambda: ex.Converter(0.1, 1.0)),
        Call(ex.Sensors.of_power, 1e-12, 1e-3, 0.01),
        Call(ex.perturbed, {"k": 1.0}, {"k": 0.1}, 2, but=("relative",)),
        Call(ex.OneActuator, 1.0),
        Call(ex.TwoActuators, 1.0, 1.0, 1.0, derived=True),
        Call(ex.ThreeActuators, 1.0, 1.0, 1.0, 1.0, 1.0, derived=True),
        Call(ex.Cantilever, 1.0),
        Call(ex.Scaled, 1),
        Call(ex.Direct, 1),
        Call(ex.Linear, [[1.0]]),
        Call(ex.Jack, (0.0, 0.0), (1.0, 0.0)),
        Call(ex.Rig, [ex.Jack((0.0, 0.0), (-1.0, 0.0))], ("x",)),
        Call(ex.BasicSystem, STEEL),
        Call(ex.EmulatedSpecimen, STEEL),
        Call(ex.Unlimited, "a reason"),
        Call(ex.Guard, ex.Limits(), 1, but=("stiffness", "size")),
        Call(ex.SpecimenSession, rig.test_of(rig.specimen()).elements[rig.NAME]),
        Call(ex.CompensatedSpecimen, rig.specimen(), ex.PolynomialCompensation(0.01), 0.01),
        Call(ex.tracking_error, [0.0, 1.0], [0.0, 0.9], derived=True),
    )


def elements() -> Iterator[Call]:
    three = {"specimen": ex.EmulatedSpecimen([STEEL] * 3), "stiffness": np.eye(3)}
    yield from (
        Call(ex.ExperimentalElement, "e", [(1, "x")], **ELEMENT),
        Call(ex.ExperimentalLink, "e", 1, 2, ("x",), **ELEMENT),
        Call(ex.ExperimentalTruss, "e", 1, 2, **ELEMENT),
        Call(ex.ExperimentalBeamColumn, "e", 1, 2, **three),
    )


def peers() -> Iterator[Call]:
    """Files, servers and clients. Nothing is sent: they are opened when a test begins."""
    rig.test_of(rig.specimen(), 3).run("record.h5")
    record = ex.read_journal("record.h5")
    secret = Path("secret.txt")
    secret.touch(mode=0o600)
    secret.write_text("0123456789abcdef")
    yield from (
        *(
            Call(kind, 1, 80, derived=True)
            for kind in (
                ex.RemoteApplication,
                ex.RemoteSite,
                ex.RemoteController,
                ex.RemoteSpecimen,
            )
        ),
        Call(ex.ReplaySpecimen, record, rig.NAME),
        Call(ex.read_journal, "record.h5"),
        Call(ex.read_secret, "secret.txt"),
        Call(ex.Record.commands, rig.NAME, on=lambda: record),
        Call(ex.Record.measurements, rig.NAME, on=lambda: record),
        Call(ex.Record.unfinished, rig.NAME, 1, on=lambda: record),
        Call(ex.replay, rig.test_of(rig.specimen(), 3), record),
    )


def calls() -> list[Call]:
    return [*parts(), *elements(), *peers()]
