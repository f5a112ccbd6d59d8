"""``femu reproduce implicit-integration``: implicit integration of a hybrid test (Mosqueda and
Ahmadizadeh 2008).

The 15-storey building under El Centro with its lower columns as an emulated specimen, noise of
0.003 mm and 0.0075 kN. Errors are root mean squares of d1, d2, d15 against the numerical solution
of the same step, over that of the solution. The picture shows what the four figures of the paper
show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from femu.analyses.eigen import eigen
from femu.experimental import AdaptiveCompensation, Compensation, PolynomialCompensation
from femu.studies.fifteen_storeys import (
    DISPLACEMENT_NOISE,
    DT,
    DURATION,
    FLOORS,
    HINGE_YIELD,
    STOREYS,
    YIELD_DRIFT,
    floors_of,
    numerical,
    numerical_building,
)
from femu.studies.implicit_methods import (
    DEFAULT,
    INITIAL,
    INTRINSIC,
    LITERAL,
    METHODS,
    SAME_PREDICTOR,
    SPLITTING,
    TANGENT_ONLY,
    TWIN,
    Method,
    Tested,
    tested,
    variant,
)
from femu.support.errors import AnalysisError
from femu.support.tables import Row, Table

PICTURE = Path("femu-implicit-integration.png")
DELAY = 0.015  # s
STRONG = 0.8 * 9810.0  # mm/s2
QUICK = 1200 * DT  # duration of the shorter run: the strong part of the record
FAILING = 0.05  # share of the steps whose iterations are made to fail
NEARLY = 1.05  # times the best of the other choices: as good as it
FINE = 8  # parts of a step whose solution shows the error of the step itself
NAMES = tuple(f"d{floor}" for floor in FLOORS)

# An independent rebuild of the paper's method; the paper itself prints 100 %, "two, sometimes
# three" and 69.5 %.
PEAKS, STEP_ERRORS = (21.3, 39.7, 102.0), (1.9, 1.7, 1.4)
REBUILT_ERRORS, ERROR_LIMITS = (0.82, 0.36, 0.31), (2.0, 1.0, 1.0)
REBUILT = {
    (LITERAL, 2): "3.1 / 1.5 / 0.9",
    (LITERAL, 3): "10.7 (d1)",
    (LITERAL, 4): "52 %, unstable",
    (INITIAL, 1): "1.0 / 0.5 / 0.4",
    (INITIAL, 2): "2.3 / 1.3 / 1.1",
    (INITIAL, 4): "6.6 / 4.4 / 3.0",
    (SPLITTING, 1): "1.1 / 1.0 / 0.7",
    (SPLITTING, 2): "2.9 / 3.2 / 2.0",
    (SPLITTING, 4): "12.9 / 8.3 / 7.0",
    (DEFAULT, 1): "0.8 / 0.4 / 0.3",
    (DEFAULT, 4): "5.7 / 2.3 / 2.0",
    (INTRINSIC, 1): "0.9 / 0.3 / 0.3",
}
REBUILT_RATIOS = {1: 0.35, 2: 0.44}
REBUILT_TANGENTS = {
    (LITERAL, "tangent while yielding"): 34.8,
    (INTRINSIC, "tangent while yielding"): 19.6,
    (LITERAL, "d1"): 0.82,
    (INTRINSIC, "d1"): 0.85,
}
REBUILT_DELAYS = {
    (LITERAL, "as it is"): "21.6 (d1)",
    (INITIAL, "as it is"): "12.3 (d1)",
    (SPLITTING, "as it is"): "12.2 (d1)",
    (LITERAL, "polynomial"): "4.0 / 2.1 / 1.1",
    (INTRINSIC, "polynomial"): "5.2 / 2.5 / 1.6",
    (INITIAL, "polynomial"): "6.1 / 3.0 / 1.7",
    (SPLITTING, "polynomial"): "4.9 / 3.5 / 1.8",
}


def model_rows(duration: float) -> list[Row]:
    """The building itself, numerically."""
    period = float(eigen(numerical_building(), 1).periods[0])
    solution = numerical(DT, duration)
    floors = floors_of(solution)
    fine = floors_of(numerical(DT / FINE, duration))[::FINE]
    drift = max(
        np.abs(solution.displacement(f, "x") - solution.displacement(f - 1, "x")).max()
        for f in range(1, STOREYS + 1)
    )
    rows = [Row("fundamental period", period, "s", 1.0, "within 0.5 %", abs(period - 1.0) < 0.005)]
    for name, peak, expected in zip(NAMES, np.abs(floors).max(axis=0), PEAKS, strict=True):
        rows.append(
            Row(
                f"numerical: peak of {name}",
                float(peak),
                "mm",
                expected,
                "within 1 %",
                abs(peak / expected - 1.0) < 0.01,
            )
        )
    rows += [
        Row("numerical: largest ductility of a storey", float(drift) / YIELD_DRIFT, "", 5.9),
        Row(
            "numerical: ductility of the lower hinge",
            float(np.abs(floors[:, 0]).max()) / HINGE_YIELD[0],
            "",
            4.3,
        ),
    ]
    error = np.sqrt(np.mean((floors - fine) ** 2, axis=0) / np.mean(fine**2, axis=0))
    rows.append(
        Row(
            f"numerical: error of the step, against dt/{FINE}",
            _errors(error),
            "%",
            " / ".join(f"{e:.1f}" for e in STEP_ERRORS),
        )
    )
    return rows


def step_rows(every: dict[Method, list[Tested]]) -> list[Row]:
    """The default at the step of the paper.

    Longer than a page: the rows of the table, one after the other.
    """
    default = every[DEFAULT]
    n = len(default)
    converged = min(t.converged for t in default)
    mean = max(float(t.iterations.mean()) for t in default)
    most = max(float(t.iterations.max()) for t in default)
    updated = [100.0 * t.updated for t in default]
    energy = max(abs(t.energy_error) for t in default)
    rows = [
        Row(
            f"steps converged, worst of {n} seeds",
            100.0 * converged,
            "%",
            100,
            "100 %",
            converged == 1.0,
        ),
        Row(
            f"mean iterations per step, worst of {n}",
            mean,
            "",
            "2, sometimes 3",
            "<= 2.3",
            mean <= 2.3,
        ),
        Row(f"most iterations in a step, worst of {n}", most, "", 3, "<= 5", most <= 5.0),
        Row(
            f"steps with a new tangent, median of {n}",
            float(np.median(updated)),
            "%",
            69.5,
            "all of 65 to 85 %",
            min(updated) >= 65.0 and max(updated) <= 85.0,
        ),
    ]
    errors = 100.0 * np.array([t.error for t in default])
    for j, name in enumerate(NAMES):
        worst = float(errors[:, j].max())
        rows += [
            Row(
                f"error of {name}, median of {n}",
                float(np.median(errors[:, j])),
                "%",
                REBUILT_ERRORS[j],
            ),
            Row(
                f"error of {name}, worst of {n}",
                worst,
                "%",
                None,
                f"<= {ERROR_LIMITS[j]:g} %",
                worst <= ERROR_LIMITS[j],
            ),
        ]
    rows.append(
        Row(
            f"experimental energy error, worst of {n}",
            100.0 * energy,
            "% of input",
            0.02,
            "<= 0.5 %",
            energy <= 0.005,
        )
    )
    for method, name in (
        (SAME_PREDICTOR, "splitting, same predictor"),
        (SPLITTING, "splitting, its own predictor"),
    ):
        for j in (1, 2):
            ratio = max(
                float(t.error[j] / o.error[j]) for t, o in zip(default, every[method], strict=True)
            )
            rows.append(
                Row(
                    f"error of {NAMES[j]} over that of {name}",
                    ratio,
                    "",
                    REBUILT_RATIOS[j],
                    "<= 0.8",
                    ratio <= 0.8,
                )
            )
    return rows


def tangent_rows(every: dict[Method, list[Tested]]) -> list[Row]:
    """Estimates of the tangent while the hinges yield, and what they do to d1.

    The twin has to be better than eigenvectors.
    """
    rows = []
    others: dict[str, float] = {}
    for method in (LITERAL, DEFAULT, INTRINSIC, TWIN):
        tests = every[method]
        for what, of in (
            ("tangent while yielding", lambda t: t.tangent_error),
            ("d1", lambda t: float(t.error[0])),
        ):
            found = 100.0 * float(np.mean([of(t) for t in tests]))
            least = (
                min(others.get(what, np.inf), found)
                if method in (LITERAL, DEFAULT)
                else others[what]
            )
            others[what] = least
            rows.append(
                Row(
                    f"{what}, {method.name}: error, mean of {len(tests)}",
                    found,
                    "%",
                    REBUILT_TANGENTS.get((method, what)),
                    f"< {least:.3g} %" if method is TWIN else "",
                    found < least if method is TWIN else None,
                )
            )
    return rows


def large_step_rows(
    times: Sequence[int], every: dict[Method, list[Tested]], seeds: Sequence[int], duration: float
) -> list[Row]:
    """All methods at multiples of the step.

    Converged steps and errors. ``every`` has tests at the step itself.
    """
    rows = []
    for multiple in times:
        for method in METHODS:
            name, safe = f"{multiple} x step: {method.name}", method in (DEFAULT, INTRINSIC, TWIN)
            known = every.get(method) if multiple == 1 else None
            try:
                tests = known or [
                    tested(method, seed, times=multiple, duration=duration) for seed in seeds
                ]
            except AnalysisError:  # an explicit method that cannot be stable at this step
                rows.append(Row(name, "refused: unstable"))
                continue
            rows.append(
                Row(
                    name,
                    _outcome(method, tests),
                    "%",
                    REBUILT.get((method, multiple)),
                    "stable" if safe else "",
                    all(t.stable for t in tests) if safe else None,
                )
            )
    return rows


def choice_rows(times: Sequence[int], seeds: Sequence[int], duration: float) -> list[Row]:
    """The largest error over seeds and multiples of the step, with other bounds of K_e and more
    estimates than the default's."""

    def worst(method: Method) -> float:
        return 100.0 * max(
            float(tested(method, seed, times=multiple, duration=duration).error.max())
            for multiple in times
            for seed in seeds
        )

    others = [variant(low, estimates) for estimates in (1, 2) for low in (0.3, 0.5, 0.6, 0.7)]
    found = {method: worst(method) for method in others}
    default, best = worst(DEFAULT), min(found.values())
    rows = [Row(f"largest error: {method.name}", error, "%") for method, error in found.items()]
    limit = NEARLY * best
    return [
        *rows,
        Row(
            f"largest error: {DEFAULT.name}",
            default,
            "%",
            None,
            f"<= {limit:.3g} %",
            default <= limit,
        ),
    ]


def strong_rows(seeds: Sequence[int], duration: float) -> list[Row]:
    """Much stronger shaking at four times the step.

    The numerical part makes Newton's method go in circles.
    """
    rows = []
    for method in (TANGENT_ONLY, DEFAULT):
        tests = [tested(method, seed, times=4, pga=STRONG, duration=duration) for seed in seeds]
        bound = method is DEFAULT
        rows.append(
            Row(
                f"0.8 g, 4 x step: {method.name}",
                _outcome(method, tests),
                "%",
                None,
                "stable" if bound else "",
                all(t.stable for t in tests) if bound else None,
            )
        )
    return rows


def delay_rows(methods: Sequence[Method], seeds: Sequence[int], duration: float) -> list[Row]:
    """An actuator that is 15 ms late."""
    compensations: dict[str, Callable[[], Compensation | None]] = {
        "as it is": lambda: None,
        "polynomial": lambda: PolynomialCompensation(DELAY, order=2),
        "adaptive": lambda: AdaptiveCompensation(DELAY, noise=DISPLACEMENT_NOISE),
    }
    rows = []
    for name, make in compensations.items():
        for method in methods:
            tests = [
                tested(method, seed, delay=DELAY, compensation=make(), duration=duration)
                for seed in seeds
            ]
            rows.append(
                Row(
                    f"15 ms late, {name}: {method.name}",
                    _outcome(method, tests),
                    "%",
                    REBUILT_DELAYS.get((method, name)),
                )
            )
    return rows


def failure_rows(default: Sequence[Tested], seeds: Sequence[int], duration: float) -> list[Row]:
    """One step in twenty fails to converge and is finished by operator splitting."""
    steps = round(duration / DT)
    found = []
    for seed in seeds:
        chosen = 1 + np.flatnonzero(np.random.default_rng(seed).random(steps) < FAILING)
        found.append(tested(DEFAULT, seed, failing=tuple(chosen.tolist()), duration=duration))
    rows = [
        Row(
            "5 % forced to fail: steps converged",
            100.0 * min(t.converged for t in found),
            "%",
            95,
            "test finishes",
            all(t.result.steps == steps for t in found),
        )
    ]
    for j, name in enumerate(NAMES):
        ratio = max(float(t.error[j] / o.error[j]) for t, o in zip(found, default, strict=True))
        rows.append(
            Row(
                f"5 % forced to fail: error of {name} over that without",
                ratio,
                "",
                None,
                "<= 1.5",
                ratio <= 1.5,
            )
        )
    return rows


def run(quick: bool = False, picture: Path | None = PICTURE) -> Table:
    """The table of the study; the picture is written next to it."""
    seeds, times, duration = (
        (range(1, 3), (4,), QUICK) if quick else (range(1, 6), (1, 2, 3, 4), DURATION)
    )
    large = (4,) if quick else (2, 3, 4)
    late = (DEFAULT, TWIN) if quick else (LITERAL, DEFAULT, INTRINSIC, TWIN, INITIAL, SPLITTING)
    compared = (DEFAULT, LITERAL, INTRINSIC, TWIN, SPLITTING, SAME_PREDICTOR)
    every = {
        method: [tested(method, seed, duration=duration) for seed in seeds] for method in compared
    }
    rows = [
        *model_rows(duration),
        *step_rows(every),
        *tangent_rows(every),
        *failure_rows(every[DEFAULT], seeds, duration),
        *large_step_rows(times, every, seeds, duration),
        *choice_rows(large, seeds, duration),
        *strong_rows(seeds, duration),
        *delay_rows(late, seeds, duration),
    ]
    notes = [
        "Reference: the paper for converged steps, iterations and updates; an independent rebuild "
        "of its method for all else.",
        "Rows of one method: the least share of converged steps, if it iterates, and the errors of "
        f"d1 / d2 / d15, median of {len(seeds)} noise seeds. A test is unstable if an error "
        "reaches 100 %.",
        "Default: K_e is estimated at the predictor only, and keeps the share of the initial "
        "stiffness that the step needs. As printed: estimated in every iteration, without that "
        "bound. The twin begins 25 % wrong.",
    ]
    if picture is not None:
        from femu.studies.implicit_picture import draw

        draw(every[DEFAULT][0].result, numerical(DT, duration), picture)
        notes.append(f"Picture: {picture}")
    return Table(
        "Implicit integration of a hybrid test (Mosqueda and Ahmadizadeh 2008)", rows, notes
    )


def _errors(error: np.ndarray) -> str:
    return " / ".join(f"{100.0 * e:.1f}" for e in error)


def _outcome(method: Method, tests: Sequence[Tested]) -> str:
    share = f"{100.0 * min(t.converged for t in tests):.0f} %, " if method.iterates else ""
    if not all(t.stable for t in tests):
        lost = sum(not t.stable for t in tests)
        return f"{share}unstable" + (
            "" if lost == len(tests) else f" ({lost} of {len(tests)} seeds)"
        )
    return share + _errors(np.median([t.error for t in tests], axis=0))
