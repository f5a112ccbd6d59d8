"""A small hybrid test for the tests of the journal; run as a program, it is killed at random
moments and resumed.

It prints one JSON object: for each trial the steps that were acknowledged before the kill, the
steps in the journal, and whether the resumed test equals the uninterrupted one bit for bit.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import TwoNodeLink
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    Sensors,
    TransposeTangent,
    read_journal,
)
from femu.materials import BoucWen, Elastic

STEPS, DT = 150, 0.01


class Announced(EmulatedSpecimen):
    """Tells a pipe of each command: by then the step before is in the journal."""

    pipe = None

    def apply(self, command, time):
        if self.pipe is not None:
            os.write(self.pipe, b".")
        return super().apply(command, time)


def make(pipe=None, stiffness=2e6):
    specimen = Announced(
        BoucWen(alpha=0.1, k=stiffness, n=2, gamma=4000.0, beta=4000.0),
        seed=5,
        actuator=Actuator(delay=0.004, backlash=1e-4),
        sensors=Sensors(1e-5, 20.0),
    )
    specimen.pipe = pipe
    model = Model("journalled")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.node("C", 4.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(ExperimentalElement("device", [("B", "x")], specimen=specimen))
    model.add(TwoNodeLink("upper", "B", "C", {"x": Elastic(1e6)}))
    model.rayleigh(mass=0.2)
    return HybridTest(
        model,
        GroundMotion.el_centro(),
        dt=DT,
        duration=STEPS * DT,
        tangents={"device": TransposeTangent(5, displacement_noise=1e-5)},
    )


def same(one, two):
    """Whether two journals hold the same bits, but for the wall clock."""
    return all(
        np.array_equal(a[:, :-1], b[:, :-1])
        for a, b in (
            (one.state, two.state),
            (one.specimens, two.specimens),
            (one.command["device"], two.command["device"]),
            (one.measured["device"], two.measured["device"]),
        )
    )


def main(folder, trials, seed):
    whole = folder / "whole.h5"
    make().run(whole)
    wanted = read_journal(whole)
    rng = np.random.default_rng(seed)
    out = []
    for trial in range(trials):
        path = folder / f"{trial}.h5"
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            make(writing).run(path)
            os._exit(0)
        os.close(writing)
        begun, enough = 0, int(rng.integers(1, STEPS))
        while begun < enough and (data := os.read(reading, enough - begun)):
            begun += len(data)
        # about a step: a kill falls anywhere between two commands
        time.sleep(float(rng.uniform(0.0, 0.005)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while data := os.read(reading, 4096):
            begun += len(data)
        os.close(reading)
        record = read_journal(path)
        resumed = begun > 1 and record.steps > 0
        if resumed:
            make().resume(path)
        else:
            os.remove(path)
            make().run(path)
        out.append(
            {
                "acknowledged": begun - 1,
                "commands": begun,
                "steps": record.steps,
                "journalled": len(record.command["device"]),
                "finished": record.ending is not None,
                "resumed": resumed,
                "same": same(wanted, read_journal(path)),
            }
        )
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
