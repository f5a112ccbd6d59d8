"""beamIntegration: places and weights of the sections of a beam-column."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from femu.elements.quadrature import legendre, lobatto, radau
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import InputError, ModelWarning, shown
from femu.support.users_line import warn

RULES = Kinds("beamIntegration", "rule")

MOST_SIMPSON = 20  # points
SIMPSON_IN_OPENSEES = 3  # points of CompositeSimpson up to which OpenSees has Simpson's rule
Shares = tuple[list[float], list[float]]  # places and weights


@dataclass(frozen=True)
class Rule:
    """A beamIntegration: its sections, and their places and weights on a member of some length."""

    sections: tuple[int, ...]
    shares: Callable[[float], Shares]
    name: str = ""  # of the rule of femu, if all points have one section


@command(
    "beamIntegration", "elements", "kind:w tag:i", "Sections along a beam-column; see the kinds."
)
def beam_integration(reader: Reader) -> None:
    kind = RULES.find(reader)
    tag = reader.take("tag", "i")
    reader.command = f"beamIntegration({kind.name!r}, {tag})"
    rule = kind.make(reader, reader.read(kind.form), kind.name)
    for section in rule.sections:
        domain.find("section", domain.sections, section, reader)
    domain.define("beamIntegration", domain.integrations, tag, rule, reader)


def _newton_cotes(points: int) -> Shares:
    places = np.linspace(0.0, 1.0, points)
    return places.tolist(), fitted(places)


def fitted(places: np.ndarray, given: Sequence[float] = ()) -> list[float]:
    """Weights that make a rule exact for as many powers as there are weights to find.

    The first ones may be given.
    """
    known = len(given)
    if known == len(places):
        return list(given)
    powers = np.vander(places, len(places) - known, increasing=True).T
    wanted = 1.0 / np.arange(1, len(powers) + 1) - powers[:, :known] @ np.asarray(
        given, dtype=float
    )
    try:
        return [*given, *np.linalg.solve(powers[:, known:], wanted).tolist()]
    except np.linalg.LinAlgError:
        raise InputError(
            "beamIntegration", "locs", places.tolist(), "must be different places"
        ) from None


def _trapezoidal(points: int) -> Shares:
    weights = np.full(points, 1.0 / (points - 1))
    weights[[0, -1]] *= 0.5
    return np.linspace(0.0, 1.0, points).tolist(), weights.tolist()


def _simpson(points: int) -> Shares:
    weights = np.full(points, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.linspace(0.0, 1.0, points).tolist(), (weights / weights.sum()).tolist()


_ONE_SECTION: dict[str, tuple[Callable[[int], Any], int]] = {
    "Lobatto": (lobatto, 2),
    "Legendre": (legendre, 1),
    "Radau": (radau, 1),
    "NewtonCotes": (_newton_cotes, 2),
    "Trapezoidal": (_trapezoidal, 2),
    "CompositeSimpson": (_simpson, 3),
}


def standard(reader: Reader, name: str, section: int, points: int) -> Rule:
    """A rule with one section."""
    if name not in _ONE_SECTION:
        raise reader.wrong("integration", name, f"must be one of {', '.join(_ONE_SECTION)}")
    rule, least = _ONE_SECTION[name]
    if not least <= points <= 10:
        raise reader.error(f"N = {points} must lie between {least} and 10 for {name}.")
    if name == "CompositeSimpson" and points % 2 == 0:
        raise reader.error(f"N = {points} must be odd for CompositeSimpson.")
    if name == "CompositeSimpson" and points > SIMPSON_IN_OPENSEES:
        warn(
            f"beamIntegration('CompositeSimpson') with N = {points}: femu has Simpson's rule, "
            "OpenSees has the sections at other places, outside the member too, and weights that "
            f"do not add up to 1. Fix: use N = {SIMPSON_IN_OPENSEES}, or Lobatto.",
            ModelWarning,
        )
    places, weights = (list(v) for v in rule(points))
    return Rule((section,) * points, lambda length: (places, weights), name.lower())


@RULES.kind(*_ONE_SECTION, form="secTag:i N:i", into="the rule of that name, or Stations")
def _standard(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    return standard(reader, name, a["secTag"], a["N"])


@RULES.kind("Simpson", form="secTag:i N:i", into="Stations")
def _simpson_rule(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    points = a["N"]
    if not 3 <= points <= MOST_SIMPSON:
        raise reader.error(f"N = {points} must lie between 3 and {MOST_SIMPSON} for {name}.")
    weights = np.where(np.arange(points) % 2 == 1, 4.0, 2.0) / (3.0 * (points - 1))
    weights[0] *= 0.5
    if points % 2:
        weights[-1] *= 0.5
    else:
        warn(
            f"beamIntegration('Simpson') with N = {points}: the weights do not add up to 1, as in "
            "OpenSees. Fix: give an odd N.",
            ModelWarning,
        )
    places = np.linspace(0.0, 1.0, points).tolist()
    return Rule((a["secTag"],) * points, lambda length: (places, weights.tolist()))


@RULES.kind("UserDefined", form="N:i *numbers", into="Stations")
def _user(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    sections, places, weights = _given(reader, a, 3)
    return Rule(sections, lambda length: (places, weights))


@RULES.kind("FixedLocation", form="N:i *numbers", into="Stations")
def _fixed_location(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    sections, places, _ = _given(reader, a, 2)
    weights = fitted(np.array(places))
    return Rule(sections, lambda length: (places, weights))


@RULES.kind("LowOrder", form="N:i *numbers", into="Stations")
def _low_order(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    n, numbers = a["N"], a["numbers"]
    if n < 1 or not 2 * n <= len(numbers) <= 3 * n:
        raise reader.error(
            f"needs N = {n} secTags, N locs and up to N wts, {len(numbers)} numbers were given."
        )
    sections, places, _ = _given(reader, a | {"numbers": numbers[: 2 * n]}, 2)
    weights = fitted(np.array(places), numbers[2 * n :])
    return Rule(sections, lambda length: (places, weights))


@RULES.kind("UserHinge", form="secE:i *numbers", into="Stations")
def _user_hinge(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    ends, numbers = [], list(a["numbers"])
    for side in ("npL", "npR"):
        n = reader.checked(side, "i", numbers[0]) if numbers else 0
        if n < 1 or len(numbers) < 1 + 3 * n:
            raise reader.error(
                f"needs {side} of at least 1 and as many secTags, locs and wts for each end."
            )
        ends.append(_given(reader, {"N": n, "numbers": numbers[1 : 1 + 3 * n]}, 3))
        numbers = numbers[1 + 3 * n :]
    if numbers:
        raise reader.error(f"argument {shown(numbers[0])} is one too many.")
    (left, at_i, weights_i), (right, at_j, weights_j) = ends
    i, j, gauss = sum(weights_i), sum(weights_j), 0.5 / math.sqrt(3.0)
    middle = 1.0 - i - j
    places = [*at_i, *at_j, i + middle * (0.5 - gauss), i + middle * (0.5 + gauss)]
    weights = [*weights_i, *weights_j, 0.5 * middle, 0.5 * middle]
    return Rule((*left, *right, a["secE"], a["secE"]), lambda length: (places, weights))


@RULES.kind("MidDistance", form="N:i *numbers", into="Stations")
def _mid_distance(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    sections, places, _ = _given(reader, a, 2)
    edges = [0.0, *(0.5 * (x + y) for x, y in pairwise(places)), 1.0]
    return Rule(sections, lambda length: (places, np.diff(edges).tolist()))


def _given(
    reader: Reader, a: dict[str, Any], rows: int
) -> tuple[tuple[int, ...], list[float], list[float]]:
    n, numbers = a["N"], a["numbers"]
    if n < 1 or len(numbers) != rows * n:
        raise reader.error(
            f"needs {rows} lists of N = {n} numbers (secTags, locs{', wts' if rows == 3 else ''}), "
            f"{len(numbers)} numbers were given."
        )
    sections = tuple(reader.checked("secTag", "i", v) for v in numbers[:n])
    places = numbers[n : 2 * n]
    if not all(0.0 <= place <= 1.0 for place in places):
        raise reader.wrong("locs", places, "must lie between 0 and 1")
    return sections, places, numbers[2 * n :]


@RULES.kind(
    "HingeRadau",
    "HingeRadauTwo",
    "HingeMidpoint",
    "HingeEndpoint",
    form="secI:i lpI secJ:i lpJ secE:i",
    into="Stations",
)
def _hinges(reader: Reader, a: dict[str, Any], name: str) -> Rule:
    def shares(length: float) -> Shares:
        return hinge_shares(name, a["lpI"], a["lpJ"], length)

    inner = 4 if name == "HingeRadau" else 2
    if name == "HingeRadauTwo":
        return Rule((a["secI"],) * 2 + (a["secE"],) * 2 + (a["secJ"],) * 2, shares)
    return Rule((a["secI"],) + (a["secE"],) * inner + (a["secJ"],), shares)


def hinge_shares(name: str, hinge_i: float, hinge_j: float, length: float) -> Shares:
    """Places and weights of a rule with hinges of some lengths at the ends of a member."""
    gauss = 0.5 / math.sqrt(3.0)
    reach = {"HingeRadau": 4.0}.get(name, 1.0)  # length of an end part, in hinge lengths
    i, j = hinge_i / length, hinge_j / length
    middle = 1.0 - reach * (i + j)
    inner = [reach * i + middle * (0.5 - gauss), reach * i + middle * (0.5 + gauss)]
    half = [0.5 * middle, 0.5 * middle]
    if name == "HingeMidpoint":
        return [0.5 * i, *inner, 1.0 - 0.5 * j], [i, *half, j]
    if name == "HingeEndpoint":
        return [0.0, *inner, 1.0], [i, *half, j]
    if name == "HingeRadau":
        places = [0.0, 8.0 / 3.0 * i, *inner, 1.0 - 8.0 / 3.0 * j, 1.0]
        return places, [i, 3.0 * i, *half, 3.0 * j, j]
    places = [0.0, 2.0 / 3.0 * i, *inner, 1.0 - 2.0 / 3.0 * j, 1.0]
    return places, [0.25 * i, 0.75 * i, *half, 0.75 * j, 0.25 * j]


RULES.refuse(
    "femu has no such rule",
    "DistHinge",
    "RegularizedHinge",
    "ConcentratedPlasticity",
    "ConcentratedCurvature",
    "Chebyshev",
    "GaussQ",
    "Beam",
)
