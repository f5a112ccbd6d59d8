"""Good calls of pictures, reports and the monitor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from femu import Result, plots, report
from femu import analyses as an
from femu.elements import ForceBeamColumn
from femu.materials import NMSection
from femu.monitor import JournalTail, Thinned, Watch
from femu.updating import UpdatingHistory
from tests.campaign import rig
from tests.campaign.bad_analyses import QUAKE
from tests.campaign.bad_calls import Call
from tests.campaign.bad_model import SHAPE, two

NM = NMSection.h_shape(**SHAPE, E=2e11, fy=3e8)
T = np.linspace(0.0, 1.0, 21)


def drawn() -> Result:
    """A result of a column whose section may yield."""
    model = two()
    model.add(ForceBeamColumn("column", 1, 2, section=NM))
    model.load(2, x=1.0)
    return an.Transient().run(model, QUAKE, duration=0.05)


def of_results() -> Iterator[Call]:
    result = drawn()
    modes, ax = an.eigen(result.state.program, 1), plots.plot_convention("node")  # type: ignore[union-attr]
    for plot in (plots.plot_deformed, plots.plot_diagram, plots.plot_energies):
        yield Call(plot, result, ax=ax)
    for plot in (plots.plot_element_interaction, plots.plot_element_loop):
        yield Call(plot, result, "column", ax=ax)
    yield from (
        Call(plots.plot_displacement, result, 2, ax=ax),
        Call(plots.plot_modes, modes, ax=ax),
        Call(plots.plot_model, result.state.program, ax=ax),  # type: ignore[union-attr]
        Call(plots.section_forces, result, "column", 1),
        Call(plots.plot_convention, "node", ax=ax),
        Call(plots.animate, result, "moving.html", frames=3),
        Call(plots.save, ax, "picture.png"),
    )


def of_numbers() -> Iterator[Call]:
    """Curves may have gaps: NaN in what is drawn is a gap."""
    ax = plots.plot_convention("node")
    sine = np.sin(T)
    yield from (
        Call(plots.plot_history, T, sine, ax, may=("values",)),
        Call(plots.plot_loop, T, sine, ax),
        Call(plots.plot_energy, T, {"kinetic": sine**2}, None, ax),
        Call(plots.plot_timing, 1e-3 + T, 0.5, ax),
        Call(plots.plot_parameter, T, sine, 0.1 + 0.0 * T, ax, may=("mean", "std")),
        Call(plots.plot_parameters, T, sine[:, None], names=["a"], may=("mean", "std")),
        Call(plots.plot_innovation, T, sine, 0.1 + 0.0 * T, ax, may=("innovation", "std")),
        Call(plots.plot_consistency, T, sine**2, 1, ax, window=5, may=("nis",)),
        Call(plots.plot_interaction, NM, 1e3 * T, sine, ax),
        Call(plots.yield_surface, 0.5),
        Call(plots.Units),
        Call(plots.Units.of, "force", on=plots.Units),
    )


def of_files() -> Iterator[Call]:
    rig.test_of(rig.specimen(), 3).run("report.h5")
    result = drawn()
    history = UpdatingHistory(("fy",), 1, np.zeros((3, 14)), ((0.0, 1.0),))
    yield from (
        Call(report.page_of, result),
        Call(report.write, result, "report.html", but=("path",)),
        Call(JournalTail, "report.h5"),
        Call(Watch, "report.h5"),
        Call(Thinned, 2),
        Call(Thinned.add, np.zeros((3, 2)), on=lambda: Thinned(2)),
        Call(UpdatingHistory, ("fy",), 1, np.zeros((3, 14)), ((0.0, 1.0),), may=("table",)),
        Call(UpdatingHistory.value, "fy", on=lambda: history),
        Call(UpdatingHistory.save, "history.h5", on=lambda: history),
        Call(UpdatingHistory.load, "history.h5"),
    )


def calls() -> list[Call]:
    import matplotlib as mpl

    mpl.use("Agg")
    found: list[Any] = [*of_results(), *of_numbers(), *of_files()]
    return found
