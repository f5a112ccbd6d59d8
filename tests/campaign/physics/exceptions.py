"""What a property is not asked of, and why.

By its definition, or because the published law is so (and OpenSees with it).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from femu.elements import ForceBeamColumn
from femu.elements.force_kernel import FLOOR
from femu.materials import (
    MenegottoPinto,
    ModifiedIMK,
    MultilinearPinching,
    PopovicsConcrete,
    QuadrilinearPinching,
    Series,
    StrainPenetration,
    TrilinearPinching,
)
from tests.campaign.physics.cases import space

LEAST_CURVATURE = 1.0  # exponent of Menegotto and Pinto that is left in the largest cycles
LEAST_PINCHING = 0.5  # of StrainPenetration's R: its published range begins there


def unloads_softer(made: Any) -> bool:
    """Whether the first loading falls at once, or has a line, or one from the origin, steeper than
    unloading from its end."""
    for side in "pn":
        points = [(0.0, 0.0)]
        while hasattr(made, f"s{len(points)}{side}"):
            points.append(
                (getattr(made, f"s{len(points)}{side}"), getattr(made, f"e{len(points)}{side}"))
            )
        slopes = [(s1 - s0) / (e1 - e0) for (s0, e0), (s1, e1) in pairwise(points)]
        for slope, (force, end) in zip(slopes[1:], points[2:], strict=True):
            unloading = max(slopes) * (end / points[1][1]) ** -made.beta
            if max(slope, force / end) > unloading or (slope < 0.0 and end == points[2][1]):
                return True
    return False


def turning(drawn: Any) -> bool:
    """Whether a member has finite rotations in space."""
    return drawn.where == "space" and (drawn.name, drawn.geometry) in space.TURNING


class Exempt(NamedTuple):
    """A property, the components it is not asked of, and the reason."""

    of: str
    who: str
    which: Callable[[Any], bool]
    why: str


EXEMPT = (
    Exempt(
        "an answer",
        "Series with a part that softens",
        lambda m: (
            isinstance(m, Series) and any(getattr(part, "eta", 0.0) < 0.0 for _, part in m.parts())
        ),
        "there may be no equilibrium of its parts: it says so",
    ),
    Exempt(
        "energy from rest",
        "materials with an initial stress or strain",
        lambda m: bool(getattr(m, "initial_stress", 0.0) or getattr(m, "initial_strain", 0.0)),
        "they hold energy at rest; loops that repeat are asked all the same",
    ),
    Exempt(
        "energy",
        "QuadrilinearPinching",
        lambda m: isinstance(m, QuadrilinearPinching),
        "its reloading aims at points of the envelope that move, so that small cycles give energy "
        "back, as in Pinching4",
    ),
    Exempt(
        "energy",
        "PopovicsConcrete with fc / peak_strain >= Ec",
        lambda m: isinstance(m, PopovicsConcrete) and m.fc / m.peak_strain >= m.Ec,
        "first loading is stiffer than Ec, the steepest line of unloading, as in Concrete04",
    ),
    Exempt(
        "energy",
        "TrilinearPinching and MultilinearPinching that fall at once, or have a line steeper than "
        "unloading",
        lambda m: isinstance(m, (TrilinearPinching, MultilinearPinching)) and unloads_softer(m),
        "what was loaded along it comes back along a softer line, as in Hysteretic and "
        "HystereticSM",
    ),
    Exempt(
        "energy",
        "ModifiedIMK that deteriorates",
        lambda m: isinstance(m, ModifiedIMK) and max(m.lambda_s, m.lambda_c, m.lambda_k) > 0.0,
        "a side that has lost its strength is loaded along other lines than it is unloaded by, as "
        "in Bilin to the last digit",
    ),
    Exempt(
        "energy",
        "MenegottoPinto with R0 (1 - cR1) < 1",
        lambda m: isinstance(m, MenegottoPinto) and m.R0 * (1.0 - m.cR1) < LEAST_CURVATURE,
        "behind a large reversal it is softer than the loading before, as in Steel02",
    ),
    Exempt(
        "energy in loops",
        "StrainPenetration",
        lambda m: isinstance(m, StrainPenetration),
        "its curve of reloading runs below the line of unloading, so that small loops give energy "
        "back, as in Bond_SP01",
    ),
    Exempt(
        "energy",
        "StrainPenetration with R <= 0.5, or b (fu - fy) > fy",
        lambda m: (
            isinstance(m, StrainPenetration)
            and (m.R <= LEAST_PINCHING or m.b * (m.fu - m.fy) > m.fy)
        ),
        "outside of the published range of R its curves cross; or first loading is steeper than "
        "unloading: so in Bond_SP01",
    ),
)

MEMBERS = (
    Exempt(
        "energy",
        "members with p-delta",
        lambda d: d.geometry == "p-delta",
        "their forces are no derivative of an energy: the change of N with the sway is left out",
    ),
    Exempt(
        "energy",
        "beam-columns in space, corotational",
        turning,
        "components of finite rotations do no work on the moments",
    ),
    Exempt(
        "the last stiffness",
        "force-based members with a part that is perfectly plastic",
        lambda d: (
            isinstance(d.member.made, ForceBeamColumn)
            and any(
                name.endswith(".b") and value <= FLOOR
                for name, _, value in d.member.made.walk_parameters()
            )
        ),
        "where a section has less stiffness left, K keeps 1e-8 of its elastic one, so that there "
        "is a flexibility; and how its sections share what flows is not determined",
    ),
    Exempt(
        "whole tangent",
        "beam-columns in space, corotational",
        turning,
        "K is the symmetric part of the derivative by spins, to second order in the deformation: "
        "that is asked",
    ),
)


def asked_of_member(of: str, drawn: Any) -> bool:
    """Whether a property is asked of a member as drawn."""
    return not any(of == rule.of and rule.which(drawn) for rule in MEMBERS)


def asked(of: str, made: Any) -> bool:
    """Whether a property is asked of a component and of all its parts."""
    if any(of.startswith(rule.of) and rule.which(made) for rule in EXEMPT):
        return False
    return all(asked(of, part) for _, part in made.parts())
