"""Good calls of filters, model updating and identification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from femu import filters as fi
from femu import identify as ident
from femu import updating as up
from femu.materials import Bilinear
from femu.plots import plot_estimates
from tests.campaign.bad_calls import Call
from tests.campaign.bad_model import STEEL, frame

import systems  # isort: skip

ROWS = np.random.default_rng(1).normal(size=(5, 2))
STRAINS = 3e-3 * np.sin(np.linspace(0.0, 6.0, 40))
NOISE = ("process_noise", "measurement_noise")


def filters() -> Iterator[Call]:
    """Every filter, and what is asked of it. A missing measurement is NaN."""
    space = systems.linear_model()
    bounds = fi.Bounds([-9.0, -9.0], [9.0, 9.0])
    for name in fi.__all__:
        kind = getattr(fi, name)
        if (
            isinstance(kind, type)
            and issubclass(kind, fi.base.Filter)
            and kind is not fi.KalmanFilter
        ):
            bounded = (bounds,) if kind in (fi.IntervalUKF, fi.ConstrainedUKF) else ()
            yield Call(kind, space, 1.0, 1.0, *bounded)
    ukf = fi.UKF(space, systems.Q, systems.R)
    start = ukf.init(systems.X0, systems.P0)
    history, estimates = ukf.run(start, ROWS), lambda: ukf
    yield from (
        Call(fi.KalmanFilter, np.eye(2), np.eye(2), 1.0, 1.0),
        Call(fi.StateSpace, _process, _measurement, 2, 2),
        Call(fi.Bounds, [0.0, 0.0], [1.0, 1.0]),
        Call(fi.Bounds.none, 2),
        Call(fi.Bounds.project, [0.0, 0.0], on=lambda: bounds),
        Call(fi.Bounds.violation, [0.0, 0.0], on=lambda: bounds),
        Call(fi.Inequality, {0: 1.0}, 0.0, 0),
        Call(fi.batched, _process),
        Call(fi.base.Filter.init, systems.X0, systems.P0, on=estimates),
        Call(fi.base.Filter.predict, start, on=estimates),
        Call(fi.base.Filter.update, start, ROWS[0], on=estimates, may=("y",)),
        Call(fi.base.Filter.run, start, ROWS, on=estimates, may=("measurements",)),
        Call(fi.smooth, history),
        Call(fi.History.state, "x0", on=lambda: named()),
        Call(fi.fit_least_squares, space, ROWS, None, systems.X0, free=[0], may=("measurements",)),
        Call(fi.StateSpace.evaluate, "process", np.zeros((1, 2)), on=lambda: space),
        Call(plot_estimates, history),
    )


def named() -> Any:
    space = fi.StateSpace(_process, _measurement, 2, 2, names=("x0", "x1"))
    ukf = fi.UKF(space, 1.0, 1.0)
    return ukf.run(ukf.init([0.0, 0.0], np.eye(2)), ROWS)


def _process(x: Any, u: Any) -> Any:
    return 0.9 * x


def _measurement(x: Any, u: Any) -> Any:
    return 1.0 * x


def updater() -> up.ModelUpdater:
    return up.ModelUpdater(
        "column", STEEL, {"fy": up.Unknown(lower=1e8, upper=6e8)}, force_noise=1e6
    )


def updating() -> Iterator[Call]:
    program = frame().compile()
    forces = np.clip(2e11 * STRAINS, -3e8, 3e8)
    measured = {"displacement": [1e-4], "force": [2e7]}

    def begun() -> up.ModelUpdater:
        made = updater()
        made.start()
        return made

    fitted = begun()
    fitted.run(np.arange(40.0), STRAINS[:, None], forces[:, None])
    yield from (
        Call(up.Unknown),
        Call(
            up.ModelUpdater,
            "column",
            STEEL,
            {"fy": up.Unknown(lower=1e8, upper=6e8)},
            derived=True,
            but=("filter",),
            may=("members",),
        ),
        Call(up.ModelUpdater.start, on=updater),
        Call(up.ModelUpdater.update, 1, 0.1, on=begun, may=tuple(measured), **measured),
        Call(
            up.ModelUpdater.run,
            np.arange(40.0),
            STRAINS[:, None],
            forces[:, None],
            on=begun,
            derived=True,
            may=("displacements", "forces", "first"),
        ),
        Call(up.RemoteUpdater, "tests.campaign.bad_learning:updater"),
        Call(
            up.response_band,
            fitted,
            program,
            lambda p: p[:1],
            {"fy": "column.section.E"},
            1,
            but=("respond",),
        ),
    )


def identification() -> Iterator[Call]:
    recording = ident.Recording(STRAINS, np.clip(2e11 * STRAINS, -3e8, 3e8))
    with open("test.csv", "w", encoding="utf-8") as file:
        file.write("d,f\n" + "\n".join(f"{d},{2e11 * d}" for d in STRAINS))
    yield from (
        Call(ident.Recording, STRAINS, 2e11 * STRAINS),
        Call(ident.Recording.read, "test.csv", "d", "f", derived=True),
        Call(ident.Recording.between, 0, 10, on=lambda: recording, derived=True),
        Call(ident.identify, recording, Bilinear(2e11, 2.5e8, 0.01), ["fy"], derived=True),
    )


def calls() -> list[Call]:
    return [*filters(), *updating(), *identification()]
