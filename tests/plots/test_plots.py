"""Pictures show what they are given: their lines, bars and words are checked, not their pixels."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn import lines, texts, xy
from example_frames import QUAKE, cantilever, portal
from matplotlib.figure import Figure
from PIL import Image

from femu import Result, plots
from femu.analyses import Transient
from femu.plots.conventions import CONVENTIONS
from femu.plots.sketch import rounded
from femu.plots.style import short
from femu.support.errors import FileError, InputError

# --- animation ---


def test_animation_as_gif_and_page(shaken: Result, tmp_path: Path) -> None:
    plots.animate(shaken, tmp_path / "a.gif", frames=5)
    with Image.open(tmp_path / "a.gif") as picture:
        assert getattr(picture, "n_frames", 1) == 5
    plots.animate(shaken, tmp_path / "a.html", frames=5)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http-equiv", "") and '"shapes":' in page
    with pytest.raises(InputError, match="gif"):
        plots.animate(shaken, tmp_path / "a.avi")
    with pytest.raises(FileError):
        plots.animate(shaken, tmp_path / "no" / "a.html", frames=5)


# --- conventions, and small things ---


@pytest.mark.parametrize("kind", CONVENTIONS)
def test_conventions(kind: str) -> None:
    ax = plots.plot_convention(kind)
    assert texts(ax) and ax.get_title(loc="left") == CONVENTIONS[kind][0]
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    for text in ax.texts:
        x, y = text.get_position()
        assert x0 <= x <= x1 and y0 <= y <= y1


def test_numbers_as_people_write_them() -> None:
    assert [short(v) for v in (0.0, 260.0, -1234.6, 0.0123, 2.5e8, -3e-7)] == [
        "0",
        "260",
        "−1235",
        "0.0123",
        "2.5·10⁸",
        "−3·10⁻⁷",
    ]
    assert [rounded(v) for v in (1.0, 4.9, 5.0, 77.0, 0.03)] == [1.0, 2.0, 5.0, 50.0, 0.02]


def test_a_picture_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        plots.save(plots.plot_model(cantilever()), tmp_path / "no" / "a.png")


def test_result_without_its_model_is_still_drawn(shaken: Result) -> None:
    bare = Result(
        shaken.kind,
        shaken.model,
        shaken.outcome,
        shaken.message,
        shaken.arrays,
        {k: v for k, v in shaken.index.items() if k != "model"},
    )
    ax = plots.plot_deformed(bare)
    assert len(lines(ax, "_left")) == 2
    assert len(xy(lines(ax, "_left")[1])[0]) > 2


def test_a_notebook_is_shown_the_picture() -> None:
    """What a cell ends with is shown by its rich display; that of bare axes is their name."""
    model = portal()
    result = Transient(dt=0.02).run(model, QUAKE, duration=0.2, check=False)
    one = plots.plot_model(model)
    several = plots.plot_parameters([0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]], names=["E", "fy"])
    for shown in (one, plots.plot_displacement(result, "C", "x"), several):
        assert shown._repr_png_().startswith(b"\x89PNG")
    given = Figure().add_subplot()
    # whoever made it shows it
    assert plots.plot_model(model, given) is given and not hasattr(given, "_repr_png_")
