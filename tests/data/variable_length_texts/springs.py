"""Writes the files of this folder, with the version of femu that runs it; see README.md."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from femu import GroundMotion, Model
from femu.analyses import HybridTest, Newmark, Transient
from femu.elements import TwoNodeLink
from femu.experimental import EmulatedSpecimen, ExperimentalElement, read_journal
from femu.materials import Bilinear, Elastic
from femu.updating import ModelUpdater, Unknown

FOLDER = Path(__file__).resolve().parent
DT, STEPS = 0.02, 50


def spring() -> Model:
    """A mass on a bilinear spring."""
    model = Model("spring")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(TwoNodeLink("link", "A", "B", {"x": Bilinear(E=2e6, fy=5e3, b=0.1)}))
    return model


def hybrid_test() -> HybridTest:
    """The mass, held by an elastic spring and by a specimen."""
    model = Model("tested")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(TwoNodeLink("link", "A", "B", {"x": Elastic(1e6)}))
    specimen = EmulatedSpecimen(Bilinear(E=2e6, fy=5e3, b=0.1))
    model.add(ExperimentalElement("device", [("B", "x")], specimen=specimen))
    return HybridTest(model, GroundMotion.el_centro(), dt=DT, duration=STEPS * DT)


def updater() -> ModelUpdater:
    """Finds the strength of a bilinear spring."""
    return ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=70.0, b=0.05),
        {"fy": Unknown(lower=40.0, upper=160.0)},
        force_noise=0.5,
    )


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A spring of strength 100 that is pulled far beyond it."""
    t = 0.01 * np.arange(1, 41)
    u = 10.0 * t
    return t, u[:, None], np.minimum(50.0 * u, 95.0 + 2.5 * u)[:, None]


def main() -> None:
    analysis = Transient(Newmark(), dt=DT)
    result = analysis.run(spring(), GroundMotion.el_centro(), duration=STEPS * DT)
    result.save(FOLDER / "result.h5")
    result.state.save(FOLDER / "state.h5")
    history = updater().run(*samples())
    history.save(FOLDER / "history.h5")
    path = Path(tempfile.mkdtemp()) / "journal.h5"
    hybrid_test().run(path)
    (FOLDER / "journal.h5.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    displacement, force = read_journal(path).measurements("device")
    figures: dict[str, Any] = {
        "displacement": result.displacement("B", "x").tolist(),
        "state": result.state.displacement("B", "x"),
        "link": result.state.element("link"),
        "fy": history.values[:, 0].tolist(),
        "measured": displacement[:, 0].tolist(),
        "force": force[:, 0].tolist(),
    }
    (FOLDER / "figures.json").write_text(json.dumps(figures) + "\n", encoding="utf-8")
    print(sys.modules["femu"].__file__)


if __name__ == "__main__":
    main()
