"""The everyday models in openseespy, or in xara, from the commands that femu exports them as."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.benchmarks.frame_models import DT, ITERATIONS, TOLERANCE, spent
from femu.benchmarks.frame_peer import SETTINGS, opensees
from femu.model.element import Name
from femu.model.model import Model
from femu.opensees.translation.command_list import Command
from femu.opensees.translation.model_commands import model_commands
from femu.records import GroundMotion

Array = npt.NDArray[np.float64]
GRAVITY_STEPS = 10
# settings are compared over these steps, several times in turns
TRIALS, TRIAL_STEPS = 3, 4
PASSES = 600  # members times steps of a trial, at least


def peers() -> dict[str, Any]:
    """The programs that femu is compared with, by name: openseespy, and xara if installed."""
    found: dict[str, Any] = {"openseespy": opensees()}
    if importlib.util.find_spec("xara") and importlib.util.find_spec("opensees"):
        found["xara"] = importlib.import_module("opensees.openseespy")
    return found


def version(name: str) -> str:
    """Version of an installed program."""
    return importlib.metadata.version(name)


@dataclass(frozen=True)
class PeerModel:
    """A model as commands, with its gravity, and the tags of its nodes."""

    commands: list[Command]
    gravity: list[Command]
    nodes: dict[Name, int]
    members: int
    constraints: str

    @classmethod
    def of(cls, model: Model) -> PeerModel:
        """That of a model of femu."""
        commands, patterns, nodes = model_commands(model)
        constrained = bool(model.equal or model.links or model.diaphragms)
        return cls(
            commands,
            patterns["gravity"],
            nodes,
            len(model.elements),
            "Transformation" if constrained else "Plain",
        )

    def build(self, ops: Any, motion: GroundMotion, setting: str) -> None:
        """A fresh model under gravity, ready for analyze(steps, dt)."""
        ops.wipe()
        for name, *arguments in (*self.commands, *self.gravity):
            getattr(ops, name)(*arguments)
        self._analysis(ops, setting)
        ops.integrator("LoadControl", 1.0 / GRAVITY_STEPS)
        ops.analysis("Static")
        if ops.analyze(GRAVITY_STEPS) != 0:
            raise RuntimeError("gravity did not converge")
        ops.loadConst("-time", 0.0)
        ops.wipeAnalysis()
        acceleration = [*motion.acceleration.tolist(), 0.0]
        ops.timeSeries("Path", 1000, "-dt", motion.dt, "-values", *acceleration)
        ops.pattern("UniformExcitation", 1000, 1, "-accel", 1000)
        self._analysis(ops, setting)
        ops.integrator("Newmark", 0.5, 0.25)
        ops.analysis("Transient")

    def _analysis(self, ops: Any, setting: str) -> None:
        numberer, system = SETTINGS[setting]
        ops.constraints(self.constraints)
        ops.numberer(numberer)
        ops.system(system)
        ops.test("NormDispIncr", TOLERANCE, ITERATIONS, 0)
        ops.algorithm("Newton")

    def history(self, ops: Any, node: Name, steps: int) -> Array:
        """Displacement of a node along x step by step, of a model that was just built."""
        found = np.zeros(steps + 1)
        found[0] = ops.nodeDisp(self.nodes[node], 1)
        for step in range(1, steps + 1):
            if ops.analyze(1, DT) != 0:
                raise RuntimeError(f"the peer did not converge in step {step}")
            found[step] = ops.nodeDisp(self.nodes[node], 1)
        return found

    def fastest(self, ops: Any, motion: GroundMotion) -> str:
        """The numberer and solver with which a program is fastest, each tried several times in
        turns."""
        steps = max(TRIAL_STEPS, PASSES // self.members)
        least = dict.fromkeys(SETTINGS, math.inf)
        for _ in range(TRIALS):
            for setting in SETTINGS:
                self.build(ops, motion, setting)
                ops.analyze(1, DT)
                least[setting] = min(least[setting], spent(lambda: ops.analyze(steps, DT)))
        return min(least, key=lambda s: least[s])
