"""Model updating at its own rate (Ou et al. 2015, Table 3.2): errors by rate, in one process
and in two.

Errors are root mean squares of a difference as a share of the peak of the exact signal, which is
the reading that comes near the printed figures. Local estimation: force of the twin against the
tested brace. Floors: force of the updated brace model against the exact one along the same drift.
Global: the sum over the storeys of the errors of drift.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.analyses import CentralDifference, HybridTest, Pace, Transient
from femu.engine.program import Program
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.updater import Updater
from femu.materials import BoucWen
from femu.model.strain_path import drive
from femu.plots.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    figure,
    save,
    style,
    tidy,
)
from femu.results.result import Result
from femu.studies import braced_frame
from femu.support.tables import Row, Table
from femu.updating import ModelUpdater, RemoteUpdater

Array = npt.NDArray[np.float64]
PICTURE = Path("femu-multirate.png")
RATES = (200, 500, 1000, 2000)
PAPER = {
    "without": (19.7, 16.85, 16.53, 7.81),
    200: (1.03, 1.35, 1.25, 0.34),
    500: (0.67, 1.50, 1.38, 0.39),
    1000: (0.69, 1.87, 1.92, 0.38),
    2000: (0.52, 1.24, 1.11, 0.30),
}
EXPECTED = (19.34, 18.24, 16.18, 8.17)  # without updating, of an independent rebuild
WITHIN = 0.03
LIMITS = (1.5, 2.2, 2.2, 0.8)  # per cent: local estimation, floors 2 and 3, global
LEAST_RATIO = 10.0  # global error without updating over that with it
KINDS = ("local estimation", "floor 2", "floor 3", "global")
SEEDS, QUICK_SEEDS = range(5), range(1)


class EveryNth(Updater):
    """An updater that takes one sample in ``stride``: a slower process, without the process."""

    def __init__(self, inner: ModelUpdater, stride: int) -> None:
        self.inner, self.stride = inner, stride
        self.element, self.names = inner.element, inner.names

    @property
    def writes_to(self) -> npt.NDArray[np.int64] | None:
        return self.inner.writes_to

    def start(self, program: Program, parameters: Array) -> None:
        self.inner.start(program, parameters)

    def update(self, step: int, time: float, displacement: Array, force: Array) -> None:
        if step % self.stride == 0:
            self.inner.update(step, time, displacement, force)

    def checkpoint(self) -> Array:
        return self.inner.checkpoint()

    def remember(self, times: Array, displacements: Array, forces: Array) -> None:
        part = slice(self.stride - 1, None, self.stride)  # the first row is that of step 1
        self.inner.remember(times[part], displacements[part], forces[part])

    def restore(self, values: Array) -> None:
        self.inner.restore(values)


def drifts(result: Result) -> Array:
    """Of the three storeys, one column each."""
    floors = [result.displacement(floor, "x") for floor in (1, 2, 3)]
    return np.diff(np.stack([np.zeros(len(floors[0])), *floors], axis=1), axis=1)


def error(found: Array, exact: Array) -> float:
    """Root mean square of the difference over the peak of the exact signal, in per cent."""
    return 100.0 * float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def exact_force(drift: Array) -> Array:
    """Force of the exact brace along a drift."""
    return drive(BoucWen(**braced_frame.EXACT), drift).force[:, 0]


def tested(
    seed: int, updater: Any, pace: Pace | None = None, duration: float = braced_frame.DURATION
) -> HybridResult:
    """One hybrid test."""
    model = braced_frame.frame(braced_frame.specimen(seed), braced_frame.INITIAL)
    return HybridTest(
        model,
        braced_frame.ground_motion(),
        CentralDifference(),
        dt=1.0 / braced_frame.MASTER,
        duration=duration,
        updater=updater,
        pace=pace,
    ).run()


def braces(result: Result) -> tuple[Array, Array]:
    """Forces of the two updated braces."""
    return result.basic_force("brace 2", "Fx"), result.basic_force("brace 3", "Fx")


def errors(result: Result, truth: Array) -> tuple[float, float, float]:
    """Floors 2 and 3, and global."""
    moved = drifts(result)
    floors = [
        error(force, exact_force(moved[:, k]))
        for k, force in zip((1, 2), braces(result), strict=True)
    ]
    return floors[0], floors[1], sum(error(moved[:, k], truth[: len(moved), k]) for k in range(3))


def local(updater: ModelUpdater) -> float:
    """Error of the twin's force along the tested drift, over the whole test."""
    history = updater.history
    predicted = history.force[:, 0] - history.innovation[:, 0]
    use = np.isfinite(predicted)
    return error(predicted[use], exact_force(history.displacement[:, 0])[use])


def run(quick: bool = False, picture: Path | None = PICTURE) -> Table:
    """The table of the paper next to femu's; the picture is written next to it."""
    table = Table("updating at several rates (Ou et al. 2015)")
    dt, duration = 1.0 / braced_frame.MASTER, braced_frame.DURATION
    exact, fixed = (
        Transient(CentralDifference(), dt=dt).run(
            braced_frame.frame(None, upper), braced_frame.ground_motion(), duration=duration
        )
        for upper in (braced_frame.EXACT, braced_frame.INITIAL)
    )
    truth = drifts(exact)
    first = drive(BoucWen(**braced_frame.INITIAL), drifts(fixed)[:, 0]).force[:, 0]
    without = (error(first, exact_force(drifts(fixed)[:, 0])), *errors(fixed, truth))
    kinds = ("storey 1, initial set", *KINDS[1:])
    for kind, value, paper, expected in zip(
        kinds, without, PAPER["without"], EXPECTED, strict=True
    ):
        table.rows.append(
            Row(
                f"without updating: {kind}",
                value,
                "%",
                f"paper {paper}, rebuilt {expected}",
                f"within {100 * WITHIN:g} % of {expected}",
                abs(value / expected - 1.0) <= WITHIN,
            )
        )
    shown = _one_process(table, truth, without[3], quick)
    _two_processes(table, truth, quick)
    table.notes.append(
        "Tuning of the filter is not printed; this one (prior 10 %, drift 1e-4 a step at 200 Hz) "
        "was chosen with the paper's table in view, so the rows with updating agree with it and do "
        "not predict it."
    )
    table.notes.append(
        "With A free, k, A, alpha, beta and gamma are not separately identifiable (the scale of z "
        "is arbitrary): the force is found, the parameters end away from the exact ones."
    )
    if picture is not None:
        draw(exact, fixed, shown[0], shown[1], picture)
        table.notes.append(f"picture: {picture}")
    return table


def _one_process(
    table: Table, truth: Array, without: float, quick: bool
) -> tuple[HybridResult, ModelUpdater]:
    for rate in RATES[:1] if quick else RATES:
        found = []
        for seed in QUICK_SEEDS if quick else SEEDS:
            updater = braced_frame.updater(float(rate))
            result = tested(seed, EveryNth(updater, round(braced_frame.MASTER / rate)))
            found.append((local(updater), *errors(result, truth)))
        middle, worst = np.median(found, axis=0), np.max(found, axis=0)
        for kind, value, most, paper, limit in zip(
            KINDS, middle, worst, PAPER[rate], LIMITS, strict=True
        ):
            table.rows.append(
                Row(
                    f"{rate} Hz: {kind}",
                    float(value),
                    "%",
                    f"paper {paper}; worst seed {most:.3g}",
                    f"<= {limit:g} %",
                    value <= limit,
                )
            )
        table.rows.append(
            Row(
                f"{rate} Hz: global error without updating over that with it",
                without / float(middle[3]),
                "times",
                f"paper {PAPER['without'][3] / PAPER[rate][3]:.0f}",
                f">= {LEAST_RATIO:g}",
                without / middle[3] >= LEAST_RATIO,
            )
        )
    return result, updater


def _two_processes(table: Table, truth: Array, quick: bool) -> None:
    """The same in real time.

    The test on one processor at 2000 Hz, the updater on another at its own rate.

    Longer than a page: the rows of the table, one after the other.
    """
    duration = 5.0 if quick else braced_frame.DURATION
    cores = os.cpu_count() or 1
    for rate in RATES[:1] if quick else RATES:
        with RemoteUpdater(
            f"femu.studies.braced_frame:updater_{rate}", rate=rate, core=1 if cores > 1 else None
        ) as updater:
            result = tested(
                0, updater, Pace(braced_frame.MASTER, core=0 if cores > 1 else None), duration
            )
        name, rows, pace = f"two processes, {rate} Hz", updater.history, result.pace
        assert pace is not None
        floor_2, floor_3, whole = errors(result, truth)
        reference = f"paper {PAPER[rate][3]}"
        limit = None if quick else whole <= LIMITS[3]
        table.rows.append(
            Row(
                f"{name}: global",
                whole,
                "%",
                reference,
                "" if quick else f"<= {LIMITS[3]:g} %",
                limit,
            )
        )
        table.rows.append(
            Row(
                f"{name}: floors 2 and 3",
                f"{floor_2:.3g}, {floor_3:.3g}",
                "%",
                f"paper {PAPER[rate][1]}, {PAPER[rate][2]}",
            )
        )
        table.rows.append(
            Row(
                f"{name}: estimates per second",
                rows[-1, 2] / result.seconds,
                "1/s",
                f"{rate} asked for",
            )
        )
        table.rows.append(
            Row(
                f"{name}: age of the parameters, median and most",
                f"{np.nanmedian(rows[:, 1]):.0f}, {np.nanmax(rows[:, 1]):.0f}",
                "steps",
            )
        )
        table.rows.append(
            Row(f"{name}: samples dropped", float(rows[-1, 3]), "", f"{result.steps} sent")
        )
        table.rows.append(
            Row(
                f"{name}: steps that overran",
                pace.overruns,
                "",
                f"of {result.steps}; median step {1e6 * pace.step_times['50']:.0f} us",
            )
        )


def draw(
    exact: Result, fixed: Result, updated: HybridResult, updater: ModelUpdater, path: Path
) -> None:
    """Drift of the first storey, loop of the second brace, and the identified force against the
    tested one."""
    with style():
        made = figure(10.5, 6.4)
        grid = made.add_gridspec(2, 3)
        first = made.add_subplot(grid[0, :])
        truth = drifts(exact)[:, 0]
        for result, label, colour in (
            (fixed, "initial parameters", VERMILION),
            (updated, "updated", BLUE),
        ):
            off = 100.0 * (drifts(result)[:, 0] - truth) / np.abs(truth).max()
            first.plot(result.time, off, color=colour, label=label, lw=1.1)
        tidy(first, "time (s)", "error of drift 1 (% of its peak)", legend=True)
        loop = made.add_subplot(grid[1, 0])
        moved = drifts(updated)[:, 1]
        for force, label, colour in (
            (exact_force(moved), "exact", INK),
            (braces(updated)[0], "updated", BLUE),
        ):
            loop.plot(moved, force, color=colour, label=label, lw=0.9)
        tidy(loop, "drift of storey 2", "force of brace 2 (kN)", legend=True)
        history = updater.history
        ratios = made.add_subplot(grid[1, 1:])
        for k, (name, colour) in enumerate(
            zip(updater.names, (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE), strict=True)
        ):
            ratios.plot(
                history.time,
                history.values[:, k] / braced_frame.EXACT[name],
                color=colour,
                label=name,
                lw=1.1,
            )
        ratios.axhline(1.0, color=GREY, lw=0.8)
        tidy(ratios, "time (s)", "estimate over exact value", legend=True, ncols=3)
    save(first, path)
