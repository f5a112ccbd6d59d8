"""Plot the rooms of the source tree, in the order in which they may import from each other.

``python docs/rooms.py`` writes docs/theory/rooms.png from the order in tests/test_layers.py and
from the first sentence of each package.
"""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
OUTSIDE = ("materials", "elements", "analyses", "experimental", "benchmarks")
GROUPS = {
    "tools": ("support", "files", "units", "kernels"),
    "description": ("model", "records"),
    "computation": ("engine", "materials", "elements", "results", "filters", "analyses"),
    "tests": ("experimental", "updating"),
    "use": (),  # the rest
}
COLOURS = ("#dfe7ef", "#e3efdf", "#fdf1d9", "#f6dfd9", "#ece4f2")


def rooms() -> list[str]:
    """The rooms from the lowest to the highest, as the test of layers has them."""
    tree = ast.parse((ROOT / "tests" / "test_layers.py").read_text(encoding="utf-8"))
    values = (node.value for node in tree.body if isinstance(node, ast.Assign))
    lists = (
        ast.literal_eval(value) for value in values if isinstance(value, (ast.List, ast.Tuple))
    )
    return next(list(names) for names in lists if "support" in names)


def sentence(room: str) -> str:
    """The first sentence of a package."""
    text = importlib.import_module(f"femu.{room}").__doc__ or ""
    return re.split(r"(?<=\.)\s|\n\n", " ".join(text.split("\n\n")[0].split()))[0]


def group(room: str) -> int:
    for number, members in enumerate(GROUPS.values()):
        if room in members:
            return number
    return len(GROUPS) - 1


def draw() -> plt.Figure:
    """Boxes one above the other: each imports only from those below it."""
    names = rooms()
    figure, ax = plt.subplots(figsize=(9.0, 0.34 * len(names) + 0.5), layout="constrained")
    for height, name in enumerate(names):
        box = plt.Rectangle((0.0, height), 1.0, 0.86, facecolor=COLOURS[group(name)])
        ax.add_patch(box)
        place = f"{name}/" if name in OUTSIDE else f"femu/{name}/"
        ax.text(0.01, height + 0.43, place, va="center", family="monospace", fontsize=8.5)
        ax.text(0.21, height + 0.43, sentence(name), va="center", fontsize=8)
    labels = dict.fromkeys(group(name) for name in names)
    for number in labels:
        heights = [h for h, name in enumerate(names) if group(name) == number]
        middle = (heights[0] + heights[-1] + 0.86) / 2
        ax.text(1.02, middle, list(GROUPS)[number], va="center", fontsize=9, rotation=270)
    ax.set(xlim=(0.0, 1.05), ylim=(-0.1, len(names)))
    ax.set_axis_off()
    return figure


if __name__ == "__main__":
    draw().savefig(ROOT / "docs" / "theory" / "rooms.png", dpi=130)
