"""The report of a result: the model, the run, and the response."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.check import check
from femu.experimental.hybrid_result import HybridResult
from femu.model.component import Component
from femu.model.element import Name
from femu.model.model import GROUND, Model
from femu.plots import (
    AS_MODEL,
    Units,
    plot_deformed,
    plot_diagram,
    plot_displacement,
    plot_element_interaction,
    plot_element_loop,
    plot_energies,
    plot_history,
    plot_loop,
    plot_model,
)
from femu.plots.animation import player
from femu.plots.interaction import section_of
from femu.plots.sketch import sketch
from femu.plots.style import labelled, short
from femu.report.environment import environment_section
from femu.report.of_test import test_sections
from femu.report.of_updating import updating_section
from femu.report.page import Page, wide
from femu.results.index import dof_place, has_dof
from femu.results.member_forces import frame_dimensions
from femu.results.result import Result
from femu.support.errors import FemuError

Array = npt.NDArray[np.float64]
LOOPS = 4  # ends whose loops are shown: those that dissipate most
MOST_NUMBERS = 40  # of a part, in the table of parts
# members; with more, the animation would be larger than the rest of the page
MOST_ANIMATED = 400
TITLES = {"transient": "Transient analysis", "static": "Static analysis", "hybrid": "Hybrid test"}


def report_of_result(
    result: Result,
    units: Units = AS_MODEL,
    environment: Mapping[str, str] | None = None,
    updating: Any = None,
    source: str = "",
) -> Page:
    """The page of a result.

    ``updating`` is the history of an updater, ``environment`` what the result was computed with.
    """
    what = TITLES.get(result.kind, f"{result.kind.capitalize()} analysis")
    page = Page(f"femu report · {what.lower()}", f"{what} of {result.model}", _lead(result))
    moving = moves_most(result)
    _summary(page, result, units, moving)
    model = _model(page, result, units)
    _response(page, result, units, moving)
    _forces(page, result, units)
    _loops(page, result, units, model)
    if isinstance(result, HybridResult):
        test_sections(page, result, units)
    if updating is not None and len(updating):
        updating_section(page, updating)
    _energy(page, result, units)
    _warnings(page, result, model)
    environment_section(page, environment or {}, source)
    return page


def _lead(result: Result) -> str:
    rows = f"{len(result.time) - 1} steps"
    if result.time[-1] > result.time[0]:
        return f"{rows} saved, t = {result.time[0]:g} to {result.time[-1]:g}. Computed in {result.seconds:.3g} s."
    return f"{rows} saved. Computed in {result.seconds:.3g} s."


def shaken(result: Result) -> list[str]:
    """Directions in which the ground moves."""
    known = result.index["patterns"]
    return [
        d
        for d, pattern in GROUND.items()
        if pattern in known and np.ptp(result.factor(pattern)) > 0.0
    ]


def movers(result: Result, moving: tuple[Name, str]) -> list[tuple[Name, str]]:
    """What moves most, and what moves most in each other direction in which the ground moves."""
    others = [moves_most(result, (d,)) for d in shaken(result) if d != moving[1]]
    return [moving, *(other for other in others if other is not None)]


def moves_most(
    result: Result, directions: Sequence[str] = ("x", "y", "z")
) -> tuple[Name, str] | None:
    """The node and direction with the largest displacement, measured from the first row."""
    best: tuple[float, Name, str] | None = None
    for node in result.index["names"]:
        for direction in directions:
            if (
                has_dof(result, node, direction)
                and dof_place(result, node, direction) in result.index["nodal"]["u"]
            ):
                u = result.displacement(node, direction)
                reach = float(np.abs(u - u[0]).max())
                if best is None or reach > best[0] * (1 + 1e-9):
                    best = (reach, node, direction)
    return None if best is None else (best[1], best[2])


def _summary(page: Page, result: Result, units: Units, moving: tuple[Name, str] | None) -> None:
    page.section("Summary")
    page.outcome(result.outcome.ok, result.outcome.name.lower().replace("_", " "), result.message)
    (length, length_name), (force, force_name) = units.of("length"), units.of("force")
    facts: list[tuple[str, Any, str]] = []
    for node, direction in movers(result, moving) if moving is not None else ():
        u = result.displacement(node, direction)
        at = int(np.abs(u).argmax())
        facts.append(
            (f"peak displacement, node {node}, {direction}", float(u[at]) / length, length_name)
        )
        if (node, direction) == moving:
            facts.append(("displacement at the end", float(u[-1]) / length, length_name))
    drift = _drift(result)
    if drift is not None:
        facts.append((f"largest storey drift, {drift[1]} to {drift[2]}", 100.0 * drift[0], "%"))
    plane = sketch(result).plane
    for direction in ("x",) if plane else ("x", "y"):
        with suppress(FemuError):  # reactions that were not saved
            peak = float(np.abs(result.base_shear(direction)).max()) / force
            facts.append(
                (
                    "peak base shear" if plane else f"peak base shear in {direction}",
                    peak,
                    force_name,
                )
            )
    if result.arrays["energy"].shape[1] and np.ptp(result.arrays["energy"][:, 0]) > 0.0:
        facts.append(("energy out of balance", 100.0 * result.energy_error, "%"))
    if len(result.iterations):
        facts.append(("iterations per step, mean", float(np.mean(result.iterations)), ""))
    facts.append(("steps that needed help", len(result.relaxations), ""))
    page.facts(facts)
    if not (units.length_name or units.force_name):
        page.paragraph(
            "Quantities are in the units of the model. Displacements are relative to the ground; "
            "rotations and moments are "
            f"{'counterclockwise positive' if plane else 'positive by the right hand'}, axial "
            "forces positive in tension."
        )


def _drift(result: Result) -> tuple[float, Name, Name] | None:
    """The largest storey drift over pairs of nodes above each other at neighbouring
    heights."""
    at = {json.loads(k): x for k, x in result.index["coordinates"].items()}
    columns: dict[tuple[float, ...], list[tuple[float, Name]]] = {}
    for node, x in at.items():
        level = "xy"[: len(x) - 1]
        if level and all(
            has_dof(result, node, d) and dof_place(result, node, d) in result.index["nodal"]["u"]
            for d in level
        ):
            # the last axis is up
            columns.setdefault(tuple(round(v, 6) for v in x[:-1]), []).append((x[-1], node))
    best: tuple[float, Name, Name] | None = None
    for stack in columns.values():
        stack.sort(key=lambda pair: pair[0])
        for (low, bottom), (high, top) in pairwise(stack):
            if high > low:
                for direction in "xy"[: len(at[bottom]) - 1]:  # those that are level
                    value = float(np.abs(result.drift(bottom, top, direction)).max())
                    if best is None or value > best[0]:
                        best = (value, bottom, top)
    return best


def _model(page: Page, result: Result, units: Units) -> Model | None:
    page.section("Model")
    plan = sketch(result)
    page.figure(
        lambda: plot_model(result, units=units),
        f"Model {plan.name} with supports, masses, loads and names.",
    )
    model = plan.model
    if model is None:
        page.paragraph(
            "The file does not hold the model: "
            f"{result.index.get('model', {}).get('reason', 'it was saved without it')}"
        )
        return None
    kinds: dict[str, list[str]] = {}
    for element in model.elements.values():
        kinds.setdefault(type(element).__name__, []).append(str(element.name))
    page.table(
        "Elements.",
        ("kind", "number", "names"),
        [
            (kind, len(names), ", ".join(names[:12]) + (", …" if len(names) > 12 else ""))
            for kind, names in kinds.items()
        ],
    )
    page.table(
        "Materials and sections, with the members that use them.",
        ("part", "numbers", "used by"),
        _parts(model),
    )
    damping = _damping(model)
    if damping:
        page.paragraph(damping)
    changed = result.index["model"].get("changed", {})
    page.table(
        "Parameters that differ from the description of the model.",
        ("parameter", "value"),
        list(changed.items()),
    )
    page.details("The model as TOML text", result.index["model"]["toml"])
    return model


def _parts(model: Model) -> list[tuple[str, str, str]]:
    found: dict[int, tuple[str, str, list[str]]] = {}
    for element in model.elements.values():
        for _, part in element.parts():
            if id(part) not in found:
                numbers = _numbers(part)
                shown = ", ".join(numbers[:MOST_NUMBERS]) + (
                    ", …" if len(numbers) > MOST_NUMBERS else ""
                )
                found[id(part)] = (type(part).__name__, shown, [])
            if str(element.name) not in found[id(part)][2]:
                found[id(part)][2].append(str(element.name))
    return [
        (kind, numbers, ", ".join(names[:10]) + (", …" if len(names) > 10 else ""))
        for kind, numbers, names in found.values()
    ]


def _numbers(part: Component) -> list[str]:
    """Parameters of a part and of its parts.

    Rows of numbers (heights and areas of fibres) by their range.
    """
    rows: dict[str, list[float]] = {}
    for name, _, value in part.walk_parameters():
        rows.setdefault(name.split("[")[0], []).append(value)
    groups = list(dict.fromkeys(name.split(".")[0] for name in rows))
    sentences = []
    for name, row in sorted(rows.items(), key=lambda item: groups.index(item[0].split(".")[0])):
        many = f" … {short(max(row))}" if max(row) > min(row) else ""
        sentences.append(
            f"{name} = {short(min(row))}{many}" + (f" ({len(row)} numbers)" if len(row) > 1 else "")
        )
    return sentences


def _damping(model: Model) -> str:
    sentences = []
    if model.damping is not None and model.damping.ratios is not None:
        r, m = model.damping.ratios, model.damping.modes
        sentences.append(
            f"Rayleigh damping of {100 * r[0]:g} % in mode {m[0]} and {100 * r[1]:g} % in mode "
            f"{m[1]}, with the mass and the {model.damping.stiffness} stiffness."
        )
    elif model.damping is not None:
        d = model.damping
        sentences.append(
            f"Rayleigh damping: {short(d.mass)} M + {short(d.initial)} K₀ + {short(d.current)} K + "
            f"{short(d.committed)} Kc."
        )
    if model.modal is not None:
        sentences.append(
            "Modal damping: "
            + ", ".join(f"{100 * ratio:g} %" for ratio in model.modal.ratios)
            + "."
        )
    return " ".join(sentences)


def _response(page: Page, result: Result, units: Units, moving: tuple[Name, str] | None) -> None:
    if moving is None:
        return
    page.section("Response")
    node, direction = moving
    if result.time[-1] > result.time[0]:
        for which in shaken(result):
            page.figure(
                lambda which=which: plot_history(  # type: ignore[misc]
                    result.time,
                    result.factor(GROUND[which]),
                    wide(),
                    name=f"ground acceleration, {which}",
                ),
                f"Acceleration of the ground in {which}.",
            )
        for a, b in movers(result, moving):
            page.figure(
                lambda a=a, b=b: plot_displacement(result, a, b, wide(), units=units),  # type: ignore[misc]
                f"Displacement of node {a} in {b}.",
            )
        _shears(page, result, units)
    else:
        _path(page, result, units, node, direction)
    page.figure(
        lambda: plot_deformed(result),
        "Deformed shape at the largest displacement, over the structure at rest.",
    )
    plan = sketch(result)
    if len(plan.members) <= MOST_ANIMATED and result.time[-1] > result.time[0]:
        page.piece(player(result, whole=False))


def _shears(page: Page, result: Result, units: Units) -> None:
    """Sums of the reactions in x, and in each other direction in which the ground moves."""
    force, force_name = units.of("force")
    up = "y" if sketch(result).plane else "z"
    for direction in dict.fromkeys(["x", *shaken(result)]):
        name = (
            "vertical reaction"
            if direction == up
            else "base shear"
            if up == "y"
            else f"base shear in {direction}"
        )
        with suppress(FemuError):  # reactions that were not saved
            sum_of = result.base_shear(direction) / force
            page.figure(
                lambda name=name, values=sum_of: plot_history(  # type: ignore[misc]
                    result.time, values, wide(), name=name, unit=force_name
                ),
                f"Sum of the reactions in {direction}.",
            )


def _path(page: Page, result: Result, units: Units, node: Name, direction: str) -> None:
    length, length_name = units.of("length")
    u = result.displacement(node, direction) / length
    for pattern in result.index["patterns"]:
        factor = result.factor(pattern)
        if np.ptp(factor) > 0.0:

            def draw(factor: Array = factor, pattern: str = pattern) -> Any:
                return plot_loop(
                    u,
                    factor,
                    x=labelled(f"displacement {node}, {direction}", length_name),
                    y=f"factor of pattern {pattern}",
                )

            page.figure(
                draw,
                f"Load factor of pattern {pattern} over the displacement of node {node} in "
                f"{direction}.",
            )


def _forces(page: Page, result: Result, units: Units) -> None:
    if not any(
        frame_dimensions(e) > 0 and e["column"] is not None for e in result.index["elements"]
    ):
        return
    page.section("Forces")
    about = "" if sketch(result).plane else " about local z"
    page.figure(
        lambda: plot_diagram(result, "moment", units=units),
        f"Bending moments{about} at the largest displacement, on the side in tension.",
    )
    others = {"shear": "Shear forces", "axial": "Axial forces"}
    if about:
        page.figure(
            lambda: plot_diagram(result, "moment-y", units=units),
            "Bending moments about local y at the same time.",
        )
        others = {
            "shear": "Shear forces along local y",
            "shear-z": "Shear forces along local z",
            "axial": "Axial forces",
            "torsion": "Torsion",
        }
    with page.side_by_side():
        for kind, others_text in others.items():
            page.figure(
                partial(plot_diagram, result, kind, units=units),
                f"{others_text} at the same time.",
            )


def by_work(result: Result) -> list[tuple[float, Name, str, str]]:
    """Work taken up by the rotation of each end of the beam-columns, with member, end and local
    axis; the largest first."""
    work: list[tuple[float, Name, str, str]] = []
    for element in result.index["elements"]:
        dimensions = frame_dimensions(element)
        if dimensions == 0 or element["column"] is None or len(result.time) < 3:
            continue
        try:
            v, q = result.deformation(element["name"]), result.force(element["name"], "basic")
        except FemuError:
            continue
        bent = (("z", "i"), ("z", "j"), ("y", "i"), ("y", "j"))[: 2 if dimensions == 2 else 4]
        for column, (axis, end) in enumerate(bent, 1):
            moments, turns = q[:, column], v[:, column]
            work.append(
                (
                    abs(float(np.sum(0.5 * (moments[1:] + moments[:-1]) * np.diff(turns)))),
                    element["name"],
                    end,
                    axis,
                )
            )
    return sorted(work, key=lambda item: item[0], reverse=True)


def _loops(page: Page, result: Result, units: Units, model: Model | None) -> None:
    work = by_work(result)
    shown = [item for item in work[:LOOPS] if item[0] > 1e-3 * work[0][0] > 0.0]
    if not shown:
        return
    plane = sketch(result).plane
    page.section("Hysteresis")
    page.paragraph(
        "Moment over rotation from the chord at the member ends that took up most energy."
    )
    with page.side_by_side():
        for _, name, end, axis in shown:
            page.figure(
                lambda name=name, end=end, axis=axis: plot_element_loop(
                    result, name, end, axis=axis, units=units
                ),  # type: ignore[misc]
                f"Member {name}, end {end}{'' if plane else f', about local {axis}'}.",
            )
    with page.side_by_side():
        for _, name, end, _ in shown[:2]:
            if (
                plane
                and model is not None
                and section_of(model.elements.get(name), end) is not None
            ):
                page.figure(
                    lambda name=name, end=end: plot_element_interaction(result, name, end),  # type: ignore[misc]
                    f"Axial force and moment at end {end} of {name}, over the virgin yield surface.",
                )


def _energy(page: Page, result: Result, units: Units) -> None:
    if not result.arrays["energy"].shape[1] or not result.time[-1] > result.time[0]:
        return
    page.section("Energy")
    page.figure(
        lambda: plot_energies(result, wide(3.0), units=units),
        f"Energy balance; {short(100 * result.energy_error)} % of the largest energy is "
        "unaccounted for.",
    )


def _warnings(page: Page, result: Result, model: Model | None) -> None:
    page.section("Warnings and relaxations")
    found = [(f.severity, f.message) for f in check(model)] if model is not None else []
    found += [one for f in result.findings if (one := (f.severity, f.message)) not in found]
    page.notes(found)
    if not found and model is not None:
        page.paragraph("The check of the model has no findings.")
    if result.relaxations:
        page.table(
            "Steps that did not converge by themselves, and what helped.",
            ("step", "time", "what helped", "iterations"),
            [(r["step"], float(r["time"]), r["what"], r["iterations"]) for r in result.relaxations],
        )
    else:
        page.paragraph("No step needed help: the convergence policy relaxed nothing.")
    page.notes([("note", f"not drawn: {problem}") for problem in page.problems])
