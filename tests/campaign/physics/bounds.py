"""Parameters at their bounds.

One number after the other there, the component works, or says what is wrong.
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any

import numpy as np

from femu import AnalysisError, FemuError
from femu.model.component import Component
from femu.model.strain_path import drive
from femu.support.errors import ModelWarning
from tests.campaign.physics.cases import MATERIALS, SECTIONS, plane, space
from tests.campaign.physics.draw import near_bounds
from tests.campaign.physics.exceptions import asked


def values_at_bounds(made: Component) -> list[tuple[str, float]]:
    """Names of the declared numbers of a component with the values at their bounds, or just inside
    where these are open."""
    return [
        (name, bound)
        for name, declared in made.declared.items()
        for bound in near_bounds(declared)
        if math.isfinite(bound)
    ]


def point(made: Any, scale: Any, of: Any = lambda made: made) -> None:
    """A material or section."""
    path = np.sin(np.linspace(0.0, 12.0, 60))[:, None] * 0.5 * np.asarray(scale)
    for name, value in values_at_bounds(made):
        try:
            with warnings.catch_warnings():
                # questioned is accepted, and must work
                warnings.simplefilter("ignore", ModelWarning)
                found = drive(of(dataclasses.replace(made, **{name: value})), path, 0.01)
        except FemuError:
            continue
        assert np.isfinite(found.force).all() and np.isfinite(found.tangent).all(), (
            f"{name} = {value}"
        )


def material(name: str) -> None:
    point(MATERIALS[name].material, MATERIALS[name].scale)


def section(name: str) -> None:
    case = SECTIONS[name]
    point(case.section, case.scale, case.made)


def element(where: str, name: str, geometry: str) -> None:
    """A member on its two nodes."""
    in_space = where == "space"
    case = (space if in_space else plane).CASES[name]
    member = case.make(geometry, np.eye(3)) if in_space else case.make(geometry)
    places = (
        (space.ORIGIN, space.ORIGIN + space.CHORD)
        if in_space
        else (np.array([1.0, -0.5]), np.array([3.2, 1.1]))
    )
    for number, value in values_at_bounds(member):
        model = plane.Model(name, dimensions=3 if in_space else 2)
        for node, place in ((1, places[0]), (2, places[0] if case.coincident else places[1])):
            model.node(node, *(float(x) for x in place))
        try:
            model.add(dataclasses.replace(member, **{number: value}))
            probe = plane.Probe(model)
        except FemuError:
            continue
        u = 0.01 * case.size * np.random.default_rng(2).uniform(-1.0, 1.0, probe.program.ndof)
        try:
            force, stiffness = probe(u)
        except AnalysisError:
            if asked("an answer", probe.program.elements[member.name]):
                raise
            continue
        assert np.isfinite(force).all() and np.isfinite(stiffness).all(), f"{number} = {value}"
