"""A physical specimen for tests, a test with it, and a server in a thread."""

import threading
from dataclasses import replace

import numpy as np
from ctrl_c import stopped_by_ctrl_c

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    Ending,
    ExperimentalElement,
    Measurement,
    Specimen,
    SpecimenServer,
    Unlimited,
)
from femu.materials import Elastic

K, DT = 1e5, 0.01
BOUND = 20.0  # seconds, for what takes milliseconds


def enough(limits, step="velocity"):
    """Limits with those that a physical specimen needs besides, so wide that they never trip.

    Without any, a reason.
    """
    if isinstance(limits, Unlimited):
        return limits
    if limits is None:
        return Unlimited("a specimen of the tests", start=1e-5)
    wide = {
        "displacement": 1e6,
        "force": 1e15,
        **({step: 1e9} if limits.increment is limits.velocity is None else {}),
    }
    missing = {name: value for name, value in wide.items() if getattr(limits, name) is None}
    return replace(limits, **missing) if missing else limits


class Stone(Specimen):
    """Cannot be set back; stays where it was sent, and can be read there."""

    def __init__(self, place=0.0, size=1):
        self.size, self.place, self.commands = size, np.full(size, place), []

    def apply(self, command, time):
        self.commands.append(command.tolist() if self.size > 1 else float(command[0]))
        self.place = command.copy()
        return Measurement(command.copy(), K * command, time)

    def reading(self, last):
        return Measurement(self.place.copy(), K * self.place)

    def initial_stiffness(self):
        return K * np.eye(self.size)


def make(specimen, steps=30, motion=None, limits=None, **options):
    model = Model("stone")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    model.add(TwoNodeLink("other", "A", "B", {"x": Elastic(K)}))
    model.add(
        ExperimentalElement(
            "e", [("B", "x")], specimen=specimen, stiffness=[[K]], limits=enough(limits), **options
        )
    )
    return HybridTest(model, motion or GroundMotion.el_centro(), dt=DT, duration=steps * DT)


def interrupted(path, specimen, at, steps=30, **options):
    """A test that is stopped after its step ``at``."""
    done = []

    def commit(time):
        done.append(time)
        if len(done) == at:
            raise KeyboardInterrupt

    specimen.commit = commit
    assert (
        stopped_by_ctrl_c(make(specimen, steps, **options).run, path).outcome
        is Ending.STOPPED_BY_USER
    )
    del specimen.commit


def serve(specimen, limits=None, **options):
    """A server in a thread, and what waits for its end."""
    server, found = (
        SpecimenServer(
            specimen, wait=BOUND, silence=BOUND, limits=enough(limits, "increment"), **options
        ),
        [],
    )
    thread = threading.Thread(target=lambda: found.append(server.serve()), daemon=True)
    thread.start()

    def ended():
        thread.join(BOUND)
        return found[0]

    return server, ended
