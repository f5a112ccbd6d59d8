"""A small hybrid test whose specimen is behind a server, for faults between them and on both sides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import femu.experimental
from femu import GroundMotion, Model, failures_handled
from femu.analyses import HybridResult, HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalElement,
    Limits,
    Measurement,
    RemoteApplication,
    SensorCheck,
    SpecimenServer,
    Unlimited,
    read_journal,
)
from femu.experimental.journal.journal import Record
from femu.experimental.network.server import Served
from femu.experimental.network.wire import Sizes
from femu.materials import Bilinear, Elastic

STEPS, DT = 40, 0.01
STIFFNESS, STRENGTH = 2e6, 2e3
REACH = 0.2  # metres that the actuator may move
SPEED = 1e3  # metres a second
LOAD = 1e5  # newtons that it may take
SILENCE = 1.0
PATIENCE = 60.0  # seconds after which something counts as hung
NAME, SECOND = "device", "second"


class Specimen(EmulatedSpecimen):
    """Stays where it is when its server goes away, as steel does.

    Counts how often it was ordered to hold.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.holds = 0

    def hold(self) -> None:
        self.holds += 1
        super().hold()


def specimen() -> Specimen:
    return Specimen(Bilinear(STIFFNESS, STRENGTH, 0.1))


class Stopping(Specimen):
    """Somebody stops the test while it moves for the n-th time."""

    def __init__(self, at: int) -> None:
        super().__init__(Bilinear(STIFFNESS, STRENGTH, 0.1))
        self.at = at

    def apply(self, command: Any, time: float) -> Measurement:
        if self._clock[0] == self.at - 1:
            raise KeyboardInterrupt
        return super().apply(command, time)


class Physical(femu.experimental.Specimen):
    """Steel: it cannot be set back, can be read where it is, and counts its commands.

    At one of them something happens.
    """

    size = 1

    def __init__(self, happens: Callable[[Measurement], Any] | None = None, at: int = 20) -> None:
        self.inner, self.happens, self.at, self.holds = specimen(), happens, at, 0
        self.commands: list[float] = []

    def apply(self, command: Any, time: float) -> Any:
        self.commands.append(float(command[0]))
        measured = self.inner.apply(command, time)
        return (
            self.happens(measured)
            if self.happens is not None and len(self.commands) == self.at
            else measured
        )

    def reading(self, last: Any) -> Measurement:
        return self.inner.reading(last)

    def hold(self) -> None:
        self.holds += 1


class FaultyTest(HybridTest):
    """A hybrid test whose outcome the campaign looks at, however it ends."""

    def run(self, journal: Any = None) -> HybridResult:
        return _ended(super().run, journal)

    def resume(self, journal: Any) -> HybridResult:
        return _ended(super().resume, journal)


def _ended(call: Callable[[Any], HybridResult], journal: Any) -> HybridResult:
    try:
        with failures_handled():
            return call(journal)
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "result"):
            raise
        found: HybridResult = stop.result
        return found


def test_of(
    specimen: Any,
    steps: int = STEPS,
    unwatched: bool = False,
    second: Any = None,
    silence: float = SILENCE,
    **options: Any,
) -> HybridTest:
    """A hybrid test of two masses; the lower one is on a specimen, the upper one may hang on a
    ``second``.

    The sensors may be left unwatched.
    """
    model = Model("rig")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.node("C", 4.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(
        ExperimentalElement(
            NAME,
            [("B", "x")],
            specimen=specimen,
            stiffness=[[STIFFNESS]],
            sensor_check=None if unwatched else SensorCheck(),
            limits=Limits(displacement=REACH, velocity=SPEED, force=LOAD, silence=silence),
        )
    )
    model.add(TwoNodeLink("upper", "B", "C", {"x": Elastic(1e6)}))
    if second is not None:
        model.add(
            ExperimentalElement(
                SECOND,
                [("C", "x")],
                specimen=second,
                stiffness=[[STIFFNESS]],
                limits=Unlimited("a second specimen of the campaign"),
            )
        )
    return FaultyTest(model, GroundMotion.el_centro(), dt=DT, duration=steps * DT, **options)


def remote(port: int, udp: bool = False) -> RemoteApplication:
    return RemoteApplication(
        1, port, udp=udp, acquired=Sizes(displacement=1, force=1, time=1 if udp else 0)
    )


class Laboratory:
    """Serves a specimen in a thread.

    After an ending it can open again with the same specimen, where it is.
    """

    def __init__(self, folder: Path, udp: bool = False, stone: Specimen | None = None) -> None:
        self.folder, self.udp, self.specimen, self.days = folder, udp, stone or specimen(), 0
        self.served: list[Served] = []
        self.silence = SILENCE

    def open(self) -> int:
        """Begin to serve; returns the port."""
        self.days += 1
        server = SpecimenServer(
            self.specimen,
            udp=self.udp,
            wait=PATIENCE,
            silence=self.silence,
            journal=self.folder / f"laboratory-{self.days}.h5",
            limits=Limits(displacement=REACH),
        )
        self._thread = threading.Thread(
            target=lambda: self.served.append(server.serve()), daemon=True
        )
        self._thread.start()
        return server.port

    def close(self) -> Served:
        """Wait until the server has ended."""
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise TimeoutError("the server hangs")
        return self.served[-1]

    def moves(self) -> int:
        """Measurements in all journals of the laboratory."""
        return sum(
            len(read_journal(self.folder / f"laboratory-{day}.h5").measured["specimen"])
            for day in range(1, self.days + 1)
        )


def whole(folder: Path, steps: int = STEPS) -> Record:
    """Journal of the test that nothing happened to."""
    path = folder / f"whole-{steps}.h5"
    if not path.exists():
        test_of(specimen(), steps).run(path)
    return read_journal(path)


def same(one: Record, two: Record) -> bool:
    """Whether two journals hold the same bits of state, commands and measurements."""
    return all(
        np.array_equal(a[:, :-1], b[:, :-1])
        for a, b in (
            (one.state, two.state),
            (one.command[NAME], two.command[NAME]),
            (one.measured[NAME], two.measured[NAME]),
        )
    )


def lost(result: HybridResult, record: Record) -> int:
    """Steps that the test continued from and that its journal does not hold."""
    return max(0, result.steps - min(record.steps, len(record.measured[NAME])))
