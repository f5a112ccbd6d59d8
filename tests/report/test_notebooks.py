"""What notebooks show, and that it shows in a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_cases import suite
from example_frames import QUAKE, cantilever, portal

from femu import HybridTest, Model, ProgressBar
from femu.analyses import LoadControl, Newmark, Transient, eigen
from femu.elements import ElasticBeamColumn
from femu.filters import UKF, Bounds, StateSpace
from femu.kernels import inlined
from femu.materials import ElasticSection
from femu.plots import plot_estimates
from femu.results.progress import in_notebook
from femu.studies import one_bay_frame as study
from femu.support.errors import InputError
from femu.updating import ModelUpdater

NOTEBOOK = """
import femu
from femu.analyses import LoadControl, Newmark, Transient
model = femu.Model.from_toml('''{toml}''')
weight = LoadControl(pattern="gravity").run(model)
result = Transient(Newmark(), dt=0.001).run(model, femu.GroundMotion.el_centro(), start=weight.state, duration=1.0,
                                            progress=femu.ProgressBar())
display(model)
result
"""


@inlined
def _process(x, u):
    return x[0] + 0.05 * x[1], x[1]


@inlined
def _measurement(x, u):
    return (x[0],)


def test_model_shows_its_drawing() -> None:
    card = portal()._repr_html_()
    assert 'src="data:image/svg+xml;base64,' in card and "Model(&#x27;portal&#x27;" in card
    assert "no elements" in Model("empty")._repr_html_()


def test_result_and_modes_show_numbers() -> None:
    result = Transient(Newmark(), dt=0.01).run(cantilever(), QUAKE, duration=1.0)
    card = result._repr_html_()
    assert (
        "complete: The analysis reached its end." in card and "peak displacement, node B, x" in card
    )
    modes = eigen(cantilever(), 2)
    assert f"{modes.periods[0]:.3g}" in modes._repr_html_()
    static = LoadControl(pattern="gravity").run(portal())
    assert "static" in static._repr_html_()


def test_batches_updaters_and_their_histories_show_themselves(tmp_path: Path) -> None:
    batch = suite(2, (2.0,), 4.0).run(tmp_path / "a.h5", workers=1, on="threads")
    card = batch._repr_html_()
    assert (
        "batch of tower" in card
        and "largest storey drift, median" in card
        and "data:image/svg+xml" in card
    )
    updater = ModelUpdater(
        "left", study.twin(), study.unknowns(), members=["right"], length=study.HEIGHT
    )
    assert "ModelUpdater of" in updater._repr_html_() and "no samples yet" in updater._repr_html_()
    tested = study.frame(study.specimen(1), study.INITIAL)
    HybridTest(tested, study.ground_motion(), dt=study.DT, duration=2.0, updater=updater).run()
    card = updater.history._repr_html_()
    assert (
        "<b>200 samples</b>" in card
        and "section.plastic_moment" in card
        and "data:image/svg+xml" in card
    )
    assert "Mean normalised innovation" in updater._repr_html_()


def test_a_model_in_space_shows_itself() -> None:
    model = Model("mast", dimensions=3)
    model.node("A", 0.0, 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 1.0, 3.0)
    model.add(
        ElasticBeamColumn(
            "mast",
            "A",
            "B",
            section=ElasticSection(E=2e11, A=6e-3, I=1e-4, Iy=3e-5, G=8e10, J=2e-6),
        )
    )
    model.load("B", x=1e4)
    assert "data:image/svg+xml" in model._repr_html_()
    assert "peak displacement, node B, x" in LoadControl().run(model)._repr_html_()


def test_filters_show_their_states() -> None:
    bounds = Bounds(lower=[-np.inf, 0.5], upper=[np.inf, 2.0])
    owner = UKF(
        StateSpace(_process, _measurement, states=2, outputs=1, names=("position", "rate")),
        1e-4,
        1e-2,
        bounds=bounds,
    )
    card = owner._repr_html_()
    assert "UKF" in card and "rate" in card and "0.5" in card and "<td " in card
    run = owner.run(owner.init([0.0, 1.0], np.eye(2)), np.linspace(0.0, 1.0, 20)[:, None])
    assert "20 steps" in run._repr_html_() and "± 2σ" in run.final._repr_html_()
    ax = plot_estimates(run, states=["rate"], truth=[1.0])[0]
    assert np.array_equal(np.asarray(ax.get_lines()[0].get_ydata()), run.state("rate"))
    with pytest.raises(InputError, match="states"):
        plot_estimates(run, states=["speed"])


def test_no_notebook_no_bar_of_one() -> None:
    assert not in_notebook()
    bar = ProgressBar()
    bar.start("run", 10)
    bar.advance(5)
    bar.finish()


def test_progress_and_cards_in_a_kernel() -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(NOTEBOOK.format(toml=portal().to_toml()))]
    )
    updates: list[str] = []

    class Client(nbclient.NotebookClient):  # type: ignore[misc, name-defined]
        def process_message(self, message: dict[str, Any], cell: Any, index: int) -> Any:
            content = message.get("content", {})
            if message.get("msg_type") in ("display_data", "update_display_data"):
                updates.append(content["data"].get("text/html", ""))
            return super().process_message(message, cell, index)

    Client(book, timeout=240, kernel_name="python3").execute()
    assert any("<progress" in html for html in updates), "the bar was shown"
    assert "" in updates, "and is gone at the end"
    outputs = book.cells[0].outputs
    assert not [o for o in outputs if o.output_type in ("error", "stream")], outputs
    shown = " ".join(o.data.get("text/html", "") for o in outputs if "data" in o)
    assert "data:image/svg+xml" in shown and "The analysis reached its end." in shown
