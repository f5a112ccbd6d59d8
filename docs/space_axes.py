"""Plot the local axes of members in space.

``python docs/space_axes.py`` writes docs/space-axes.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from femu import Model, plots
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection
from femu.plots.sketch import sketch

DEPTH, WIDTH = 0.9, 0.55  # of the plotted sections: larger than to scale
SECTION = ElasticSection.h_shape(0.4, 0.2, 0.008, 0.013, E=206e9, G=79e9)
H_LINES = np.array([[[1, -1], [1, 1]], [[-1, -1], [-1, 1]], [[-1, 0], [1, 0]]]) * [
    DEPTH / 2,
    WIDTH / 2,
]


def frame() -> Model:
    """Two columns, a beam along x and one along y."""
    model = Model("local axes", dimensions=3)
    for name, x in (("A", 0.0), ("B", 6.0)):
        model.node(f"{name}0", x, 0.0, 0.0, fixed=True)
        model.node(name, x, 0.0, 3.6)
        turned = {"vecxz": (1.0, 0.0, 0.0)} if name == "B" else {}
        model.add(ElasticBeamColumn(f"column {name}", f"{name}0", name, section=SECTION, **turned))
    model.node("C", 0.0, 7.0, 3.6, fixed=True)
    model.add(ElasticBeamColumn("beam AB", "A", "B", section=SECTION))
    model.add(ElasticBeamColumn("beam AC", "A", "C", section=SECTION))
    return model


def draw(path: Path) -> None:
    """Plot the model with the outlines of its sections, and local y and z at midspan of each
    member."""
    model = frame()
    plan = sketch(model)
    figure, ax = plt.subplots(figsize=(7.0, 4.6), layout="constrained")
    plots.plot_model(model, ax=ax, names=False, legend=False)
    for member in plan.members.values():
        start, end = (plan.space[n] for n in member.nodes)
        _, y, z = model.elements[member.name].axes(plan.space)  # type: ignore[attr-defined]
        for at in (0.3, 0.5, 0.7):
            middle = start + at * (end - start)
            for line in H_LINES:
                points = np.array([middle + a * y + b * z for a, b in line]) @ plan.view
                ax.plot(*points.T, color="C0", lw=1.6, solid_capstyle="butt", zorder=4)
        middle = (start + 0.5 * (end - start)) @ plan.view
        beam = member.name.startswith("beam")
        ax.annotate(
            member.name,
            (end if beam else start) @ plan.view,
            (10, 8),
            textcoords="offset points",
            style="italic",
        )
        for axis, name, colour in ((y, "y", "C3"), (z, "z", "C2")):
            tip = middle + 1.05 * axis @ plan.view
            ax.annotate(
                "",
                tip,
                middle,
                arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.4},
                zorder=5,
            )
            ax.text(
                *(middle + 1.25 * axis @ plan.view),
                name,
                color=colour,
                ha="center",
                va="center",
                zorder=6,
            )
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    draw(Path(__file__).parent / "space-axes.png")
