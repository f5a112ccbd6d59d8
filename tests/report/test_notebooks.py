"""What notebooks show, and that it shows in a real kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from example_frames import QUAKE, cantilever, portal

from femu import Model, ProgressBar
from femu.analyses import LoadControl, Newmark, Transient, eigen
from femu.errors import InputError
from femu.filters import UKF, Bounds, StateSpace
from femu.kernels import inlined
from femu.plots import plot_estimates
from femu.progress import in_notebook

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
    result = Transient(Newmark(), dt=0.02).run(cantilever(), QUAKE, duration=1.0)
    card = result._repr_html_()
    assert "complete: The analysis reached its end." in card and "peak displacement, node B, x" in card
    modes = eigen(cantilever(), 2)
    assert f"{modes.periods[0]:.3g}" in modes._repr_html_()
    static = LoadControl(pattern="gravity").run(portal())
    assert "static" in static._repr_html_()


def test_filters_show_their_states() -> None:
    bounds = Bounds(lower=[-np.inf, 0.5], upper=[np.inf, 2.0])
    owner = UKF(StateSpace(_process, _measurement, states=2, outputs=1, names=("position", "rate")), 1e-4, 1e-2, bounds=bounds)
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
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK.format(toml=portal().to_toml()))])
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
