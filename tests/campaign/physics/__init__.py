"""Physics as properties, drawn by hypothesis, of every material, section, element, integrator and
filter.

Parameters are drawn about those of a case and at their bounds, paths from turning points, tiny and
huge steps, small cycles and repeated points; elements also with their geometry, offsets and axes,
integrators with their settings and the system, filters with linear systems of several sizes. What
is asked of each:

- `points`: materials and sections. Same path, same bits, and so from a copied state; a finite
  answer on any path; the tangent is the derivative of the forces; closed cycles take energy.
- `members`: elements. The same, K symmetric, no force of a rigid motion, rotation and reflection.
- `integrators`: the same bits; step halving at the order stated.
- `estimators`: filters. The same bits; equal to the Kalman filter on a linear system; covariances
  stay positive definite.
- `bounds`: parameters at their bounds. `exceptions`: what is not asked, with the reason.

The draws are the same in each run; the whole campaign draws many, the quick one and the tests a
few. The tests of the folders next to this one go into depth; the whole campaign runs them too.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from femu import AnalysisError
from tests.campaign.physics import (
    bounds,
    cases,
    draw,
    drawn_members,
    estimators,
    exceptions,
    integrators,
    members,
    points,
)
from tests.campaign.tally import Tally

Check = Callable[[], int]
"""Asks a property of a component; returns how many examples it held on."""
IN_DEPTH = (
    "materials/test_laws.py",
    "materials/test_space_sections.py",
    "elements/test_all_elements.py",
    "elements/test_space_elements.py",
    "elements/test_trial_states.py",
    "analyses/test_accuracy.py",
    "filters/test_every_filter.py",
)
QUICK = {
    "material": 4,
    "section": 4,
    "element": 2,
    "carrier": 5,
    "integrator": 2,
    "filter": 3,
    "long run": 1,
}
WHOLE = {
    "material": 200,
    "section": 150,
    "element": 40,
    "carrier": 200,
    "integrator": 60,
    "filter": 60,
    "long run": 2,
}
"""Examples of each component."""
FILTER_STEPS = {True: 2_000, False: 100_000}
ENOUGH = 10  # examples of which at least one is away from corners
SIZES = st.floats(-1.0, 0.7).map(lambda power: 10.0**power)
JUMPS = st.floats(-0.5, 0.5)


def examine(check: Callable[..., Any], examples: int, *drawn: st.SearchStrategy[Any]) -> int:
    """Ask a property of as many drawn examples; returns on how many it held."""
    held = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink),
    )
    @given(st.tuples(*drawn))
    def property_(example: tuple[Any, ...]) -> None:
        nonlocal held
        check(*example)
        held += 1

    property_()
    return held


def _point(made: Any, of: Callable[[Any], Any], scale: np.ndarray, examples: int) -> int:
    compared = 0

    def check(
        drawn: draw.Made, legs: list[draw.Leg], size: float, cut: int, jump: float, corners: Any
    ) -> None:
        nonlocal compared
        one, reach = of(drawn.made), size * scale
        path = draw.path_of(legs, reach)
        from_rest, in_loops = (
            exceptions.asked(f"energy {when}", drawn.made) for when in ("from rest", "in loops")
        )
        try:
            points.bits(one, path, cut)
            points.answers(one, path)
            compared += points.tangents(
                one, path, reach, jump * scale, *points.difference_of(drawn.made)
            )
            points.energy(one, np.array(corners), reach, from_rest, in_loops)
        except AnalysisError:
            if exceptions.asked("an answer", drawn.made):
                raise
            assume(False)

    held = examine(
        check,
        examples,
        draw.varied(made),
        draw.legs(len(scale)),
        SIZES,
        st.integers(0, 100),
        JUMPS,
        draw.turns(len(scale)),
    )
    assert compared > 0, "no tangent was compared"
    return held


def material(name: str, examples: int) -> int:
    case = cases.MATERIALS[name]
    return _point(case.material, lambda made: made, np.array([case.scale]), examples)


def section(name: str, examples: int) -> int:
    case = cases.SECTIONS[name]
    return _point(case.section, case.made, np.array(case.scale), examples)


def element(where: str, name: str, geometry: str, examples: int) -> int:
    compared = 0

    def check(drawn: drawn_members.Drawn) -> None:
        nonlocal compared
        compared += members.member(drawn)

    held = examine(check, examples, drawn_members.drawn_members(where, name, geometry))
    assert compared > 0 or examples < ENOUGH, "no column of K was compared"
    return held


def integrator(name: str, examples: int) -> int:
    def check(made: Any, chain: integrators.Chain) -> None:
        integrators.bits(made, chain)
        integrators.order(made, chain)

    return examine(
        check, examples, integrators.SETTINGS[cases.INTEGRATORS[name]], integrators.chains()
    )


def filter_(name: str, examples: int) -> int:
    return examine(
        lambda system: estimators.linear(name, system), examples, estimators.linear_systems()
    )


def long_run(name: str, examples: int, steps: int) -> int:
    return examine(
        lambda system: estimators.long_run(name, system, steps),
        examples,
        estimators.linear_systems(),
    )


def checks(quick: bool) -> dict[str, Check]:
    """Every property of every component."""
    n = QUICK if quick else WHOLE
    steps = FILTER_STEPS[quick]

    def once(check: Callable[..., None], *of: Any) -> Check:
        def run() -> int:
            check(*of)
            return 1

        return run

    return {
        **{f"material {c}": lambda c=c: material(c, n["material"]) for c in cases.MATERIALS},
        **{f"section {c}": lambda c=c: section(c, n["section"]) for c in cases.SECTIONS},
        **{
            f"element in the {w}, {c}, {g}": lambda w=w, c=c, g=g: element(w, c, g, n["element"])
            for w, c, g in cases.ELEMENTS
        },
        "dashpots": lambda: examine(members.dashpot, n["carrier"], drawn_members.drawn_dashpots()),
        "lumped masses": lambda: examine(
            members.lumped_mass, n["carrier"], st.floats(1e-3, 1e6), st.integers(0, 2**32 - 1)
        ),
        **{
            f"integrator {c}": lambda c=c: integrator(c, n["integrator"]) for c in cases.INTEGRATORS
        },
        **{f"filter {c}": lambda c=c: filter_(c, n["filter"]) for c in cases.FILTERS},
        **{
            f"filter {c} for long": lambda c=c: long_run(c, n["long run"], steps)
            for c in cases.FILTERS
        },
        **{f"material {c} at its bounds": once(bounds.material, c) for c in cases.MATERIALS},
        **{f"section {c} at its bounds": once(bounds.section, c) for c in cases.SECTIONS},
        **{
            f"element in the {w}, {c}, {g} at its bounds": once(bounds.element, w, c, g)
            for w, c, g in cases.ELEMENTS
        },
        "everything is checked": once(cases.everything_is_checked),
    }


def run(quick: bool) -> Tally:
    tally, examples = Tally(), 0
    for name, check in checks(quick).items():
        try:
            examples += check()
            tally.properties += 1
        except Exception as problem:
            notes = " ".join(
                line.strip()
                for note in getattr(problem, "__notes__", [])
                for line in note.splitlines()
            )
            tally.failures.append(f"{name}: {type(problem).__name__}: {problem} {notes[:1500]}")
    tally.lines.append(
        ("properties across all components", f"{tally.properties} held, on {examples} examples")
    )
    tally.lines += [
        (f"not asked: {rule.of}", f"{rule.who}: {rule.why}")
        for rule in (*exceptions.EXEMPT, *exceptions.MEMBERS)
    ]
    if not quick:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *IN_DEPTH],
            cwd=cases.TESTS,
            capture_output=True,
            text=True,
        )
        words = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-200:]
        tally.properties += next(
            (int(a) for a, b in itertools.pairwise(words.split()) if b.startswith("passed")), 0
        )
        tally.failures += [f"tests in depth: {words}"] if done.returncode else []
        tally.lines.append(("tests in depth", words))
    return tally
