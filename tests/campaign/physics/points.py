"""Properties of materials and sections, one point at a time.

The bits, the answer at any path, the tangent, and the energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from femu import AnalysisError
from femu.materials import MaxwellDamper
from femu.model.component import Constitutive
from femu.model.strain_path import Path, drive
from tests.campaign.physics.cases import harness
from tests.campaign.physics.draw import loop_of

DT = 0.02
STEP, LONG_STEP = 1e-6, 1e-3  # of a finite difference, as a share of the scale
# the substeps of a Maxwell damper adapt: the force jumps by as many of their tolerances, one for
# each
SUBSTEPS = 20.0
# the same with alpha > 1, if the rate of the dashpot has an infinite slope as the force goes
# through zero
SINGULAR = 1e-4
SHARES = (-1.0, -0.5, 0.0, 0.5, 1.0)  # of it
# change of the tangent across the difference from which there is a corner, as a share of the
# largest
CORNER = 1e-3
TANGENT = 2e-6  # error of a tangent, as a share of the largest
BENDS = 4.0  # as many errors of a tangent may lie between two differences
ROUND_OFF = 1e-15
# change of the forces from loop to loop below which a loop repeats, as a share of the largest
STEADY = 1e-6
SECOND_LOOK = 1e-12  # change of the forces when the committed point is asked again
LOOPS = 5  # after which a law that settles has settled
ENERGY = 1e-9  # of the work done and given back: round-off


@dataclass
class Answer:
    """Forces, tangent, damping and history of a point."""

    force: np.ndarray
    tangent: np.ndarray
    damping: np.ndarray
    history: np.ndarray


class Point:
    """One point of a material or section, called from any history."""

    def __init__(self, made: Constitutive) -> None:
        self.made, m = made, made.components
        self.block = harness.Block(made)
        self.upper = np.triu_indices(m)

    def virgin(self) -> np.ndarray:
        return np.zeros(self.block.variables)

    def __call__(self, history: np.ndarray, x: Any, rate: Any = 0.0, dt: float = 0.0) -> Answer:
        m, block = self.made.components, self.block
        y, k, d = (
            np.full(m, np.nan),
            np.full(len(self.upper[0]), np.nan),
            np.zeros(len(self.upper[0])),
        )
        after = np.full(block.variables + 1, np.nan)
        failed = harness.call(
            block.address,
            1,
            block.integers,
            block.parameters,
            np.append(history, 0.0),
            after,
            np.full(self.made.workspace(1) + 1, np.nan),
            np.array(np.broadcast_to(x, m), dtype=float),
            np.array(np.broadcast_to(rate, m), dtype=float),
            np.array([0.0, dt]),
            y,
            k,
            d,
        )
        if failed:
            raise AnalysisError("the law has no answer")
        return Answer(y, self.square(k), self.square(d), after[:-1])

    def square(self, upper: np.ndarray) -> np.ndarray:
        full = np.zeros((self.made.components,) * 2)
        full[self.upper] = upper
        return full + np.triu(full, 1).T


def bits(made: Constitutive, path: np.ndarray, cut: int) -> None:
    """Same path, same bits.

    So too from a copy of the state anywhere, and point by point instead of in one go.
    """
    one, two = drive(made, path, DT), drive(made, path, DT)
    for a, b in zip(one, two, strict=True):
        assert a.tobytes() == b.tobytes()
    point, cut = Point(made), cut % len(path)
    history = point.virgin() if cut == 0 else one.history[cut - 1].copy()
    for j in range(cut, len(path)):
        rate = (path[j] - path[j - 1]) / DT if j else 0.0
        answer = point(history, path[j], rate, DT)
        assert answer.force.tobytes() == one.force[j].tobytes(), f"step {j}"
        history = answer.history
        assert history.tobytes() == one.history[j].tobytes(), f"step {j}"


def answers(made: Constitutive, path: np.ndarray) -> Path:
    """Any path has finite answers, and the last is the same at a second look; returns the path."""
    found = drive(made, path, DT if made.rate_dependent else 0.0)
    assert (
        np.isfinite(found.force).all()
        and np.isfinite(found.tangent).all()
        and np.isfinite(found.history).all()
    )
    if not made.rate_dependent and not made.breaks_after_step:
        again = Point(made)(found.history[-1], path[-1])
        size = np.abs(found.force).max(axis=0) + (
            np.abs(found.tangent).max() * np.abs(path).max() if path.shape[1] == 1 else 0.0
        )
        assert (np.abs(again.force - found.force[-1]) <= SECOND_LOOK * size).all(), (
            again.force,
            found.force[-1],
        )
    return found


def difference_of(made: Constitutive) -> tuple[float, float]:
    """Step of a finite difference, and noise of the forces, as shares."""
    if not isinstance(made, MaxwellDamper):
        return STEP, 0.0
    return LONG_STEP, max(SUBSTEPS * made.relative_tolerance, SINGULAR if made.alpha > 1.0 else 0.0)


def tangents(
    made: Constitutive,
    path: np.ndarray,
    scale: np.ndarray,
    jump: np.ndarray,
    step: float = STEP,
    noise: float = 0.0,
) -> int:
    """The tangent (and the damping) is the derivative of the forces, away from corners; returns how
    many were looked at.

    By the mean value theorem a difference lies among the derivatives between its ends. Each step of
    the path is a trial from the state before, and so is a jump from each point.
    """
    point, m = Point(made), made.components
    found = drive(made, path, DT if made.rate_dependent else 0.0)
    dt = DT if made.rate_dependent else 0.0
    largest = np.abs(point(point.virgin(), np.zeros(m)).tangent * np.outer(scale, scale)).max()
    for row in found.tangent:
        largest = max(largest, np.abs(point.square(row) * np.outer(scale, scale)).max())
    checked = 0
    for j in sorted({*range(1, len(path), max(1, len(path) // 6)), len(path) - 1}):
        for trial in (path[j], path[j - 1] + jump):
            rate = (trial - path[j - 1]) / dt if dt else np.zeros(m)
            before = found.history[j - 1]
            for a in range(m):
                way = np.zeros(m)
                way[a] = step * scale[a]
                cases = [
                    (
                        "tangent",
                        [point(before, trial + share * way, rate, dt) for share in SHARES],
                        1.0,
                    )
                ]
                if dt:
                    cases.append(
                        (
                            "damping",
                            [point(before, trial, rate + share * way / dt, dt) for share in SHARES],
                            dt,
                        )
                    )
                for what, seen, unit in cases:
                    slopes = (
                        np.array([getattr(one, what)[:, a] * scale * scale[a] for one in seen])
                        / unit
                    )
                    force = np.array([one.force * scale for one in seen])
                    # four differences, alike unless the force bends or jumps
                    between = np.diff(force, axis=0) / (0.5 * step)
                    spread = slopes.max(axis=0) - slopes.min(axis=0)
                    bend = between.max(axis=0) - between.min(axis=0)
                    size = max(largest, np.abs(slopes).max())
                    rounded = (64.0 * ROUND_OFF + BENDS * noise) * np.abs(force).max() / step
                    if (
                        spread.max() > CORNER * size
                        or (bend > spread + BENDS * TANGENT * size + rounded).any()
                    ):
                        # a corner; or one between the looks: the differences vary by more than the
                        # slopes do
                        continue
                    difference = (force[4] - force[0]) / (2.0 * step)
                    allowed = (
                        TANGENT * size
                        + spread
                        + (16.0 * ROUND_OFF + noise) * np.abs(force).max() / step
                    )
                    checked += 1
                    assert (np.abs(difference - slopes[2]) <= allowed).all(), (
                        f"{what} {a} at {trial} after step {j - 1}: {slopes[2]} instead of "
                        f"{difference}, largest {size}"
                    )
    return checked


def _work(
    path: np.ndarray, force: np.ndarray, tangent: np.ndarray, point: Point
) -> tuple[float, float]:
    """Work by the trapezoidal rule, and what this may be wrong by.

    The steps in which the forces are not straight.
    """
    dx, df = np.diff(path, axis=0), np.diff(force, axis=0)
    work = np.sum(0.5 * (force[1:] + force[:-1]) * dx, axis=1)
    square = np.array([point.square(row) for row in tangent])
    bend = sum(
        np.abs(df - np.einsum("jab,jb->ja", tangents, dx)) for tangents in (square[1:], square[:-1])
    )
    return float(work.sum()), float(0.5 * np.sum(bend * np.abs(dx)) + ENERGY * np.abs(work).sum())


def energy(
    made: Constitutive,
    corners: np.ndarray,
    scale: np.ndarray,
    from_rest: bool = True,
    steady: bool = True,
) -> bool:
    """A closed path from rest takes energy, and so does a loop that repeats itself.

    Returns whether one did.
    """
    point, m = Point(made), made.components
    dt = DT if made.rate_dependent else 0.0
    if from_rest:
        path = loop_of([np.zeros(m), *corners, np.zeros(m)], scale)
        found = drive(made, path, dt)
        work, doubt = _work(path, found.force, found.tangent, point)
        assert work >= -doubt, f"from rest {work:.4g} is given back, {doubt:.2g} may be the rule's"
    if not steady:
        return False
    loop = loop_of([*corners, corners[0]], scale)
    loops = LOOPS
    whole = np.concatenate([loop_of([np.zeros(m), corners[0]], scale), *[loop[1:]] * loops])
    found = drive(made, whole, dt)
    n = len(loop)
    last, before = found.force[-n:], found.force[-2 * n + 1 : -n + 1]
    if n < 3 or np.abs(last - before).max() > STEADY * np.abs(last).max():
        return False
    work, doubt = _work(whole[-n:], last, found.tangent[-n:], point)
    travel = np.abs(np.diff(whole[-n:], axis=0)).sum(axis=0)
    assert work >= -doubt - STEADY * (np.abs(last).max(axis=0) * travel).sum(), (
        f"a loop that repeats gives {work:.4g} back"
    )
    return True
