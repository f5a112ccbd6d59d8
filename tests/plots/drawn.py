"""Small models to draw, and what is drawn in a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from femu import Model, PointLoad, UniformLoad
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection

SECTION = ElasticSection(E=200e9, A=6e-3, I=1e-4)
EI = SECTION.E * SECTION.I
SPACE = ElasticSection(E=200e9, A=6e-3, I=1e-4, Iy=3e-5, G=8e10, J=2e-6)


def lines(ax: Axes, label: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def xy(line: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def beam(*loads: UniformLoad | PointLoad, **options: Any) -> Model:
    """A beam of 6 m, clamped at both ends."""
    model = Model("beam")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    model.node("C", 6.0, 2.0)
    model.add(ElasticBeamColumn("beam", "A", "B", section=SECTION, **options))
    model.add(ElasticBeamColumn("post", "B", "C", section=SECTION))
    for load in loads:
        model.member_load("beam", load, "gravity")
    model.pattern("gravity") if not loads else None
    return model


def mast() -> Model:
    """A mast along z in space, with a load in both horizontal directions at its top."""
    model = Model("mast", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 0.0, 3.0, mass=1e3)
    model.add(ElasticBeamColumn("mast", "A", "B", section=SPACE, vecxz=(0.6, 0.8, 0.0)))
    model.load("B", x=1e4, y=5e3, pattern="wind")
    model.member_load("mast", UniformLoad(y=1e3, z=2e3), "wind")
    return model
