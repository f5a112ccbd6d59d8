"""Loads on a member: reactions at its ends, forces of its sections, and forces of the clamped bar.

The forces belong to the basic system, simply supported across the member and with end j free to
move along it, in the signs of the sections: the moment has M'' = w, and the shear force is its
derivative. In the plane of local x and z the moment about y turns the other way round, so moment
and shear by a load along z have the opposite sign there.
"""

from __future__ import annotations

import math

import numpy as np

from femu.model.element import Array
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad

MemberLoad = UniformLoad | PointLoad | DistributedLoad
# Gauss-Legendre
_THREE = (0.5 - math.sqrt(0.15), 0.5, 0.5 + math.sqrt(0.15)), (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)


def end_reactions(load: MemberLoad, length: float, axes: str) -> list[float]:
    """Reactions of the basic system along x at i, then along each of the other axes at i and at j."""
    if isinstance(load, UniformLoad):
        found = [-load.x * length]
        for axis in axes:
            found += [-getattr(load, axis) * length / 2.0] * 2
    elif isinstance(load, PointLoad):
        found = [-load.x]
        for axis in axes:
            found += [-getattr(load, axis) * (1.0 - load.at), -getattr(load, axis) * load.at]
    else:
        found = [-load.resultant("x", length)[0]]
        for axis in axes:
            total, first = load.resultant(axis, length)
            found += [-(total - first / length), -first / length]
    return found


def axial_force(load: MemberLoad, x: Array, length: float) -> Array:
    """Axial force of the sections at x."""
    if isinstance(load, UniformLoad):
        return load.x * (length - x)
    if isinstance(load, DistributedLoad):
        return load.resultant("x", length)[0] - before(load, "x", x, length)[0]
    # N jumps under the load: a section right there takes the mean, one at an end what the member
    # has
    a = load.at * length
    return load.x * np.where(x == a, 0.5 if 0.0 < load.at < 1.0 else load.at, x < a)


def moment(load: MemberLoad, axis: str, x: Array, length: float) -> Array:
    """Moment of the sections at x by the part of the load along an axis."""
    if isinstance(load, UniformLoad):
        return 0.5 * getattr(load, axis) * x * (x - length)
    if isinstance(load, PointLoad):
        return -getattr(load, axis) * np.where(
            x < load.at * length, (1.0 - load.at) * x, load.at * (length - x)
        )
    total, first = load.resultant(axis, length)
    return (first / length - total) * x + before(load, axis, x, length)[1]


def shear_force(load: MemberLoad, axis: str, x: Array, length: float) -> Array:
    """Shear force of the sections at x by the part of the load along an axis."""
    if isinstance(load, UniformLoad):
        return getattr(load, axis) * (x - 0.5 * length)
    if isinstance(load, PointLoad):
        a = load.at * length
        passed = np.where(x == a, 0.5 if 0.0 < load.at < 1.0 else 1.0 - load.at, x > a)
        return getattr(load, axis) * (passed - (1.0 - load.at))
    total, first = load.resultant(axis, length)
    return first / length - total + before(load, axis, x, length)[0]


def before(load: DistributedLoad, axis: str, x: Array, length: float) -> tuple[Array, Array]:
    """Force of the part of a load before x, along an axis, and its moment about x."""
    begin, end = load.intensities(axis)
    a, b = load.start * length, load.end * length
    slope = (end - begin) / (b - a)
    inside = np.clip(x - a, 0.0, b - a)
    force = inside * (begin + 0.5 * slope * inside)
    integral = inside**2 * (0.5 * begin + slope * inside / 6.0)
    return force, integral + force * np.maximum(x - b, 0.0)


def clamped_forces(load: MemberLoad, length: float, axis: str = "y") -> tuple[float, float, float]:
    """Basic forces (N at end j, Mi, Mj) on a prismatic elastic bar with clamped ends that does not
    deform in shear."""
    across = getattr(load, axis)
    if isinstance(load, UniformLoad):
        moment = across * length**2 / 12.0
        return -0.5 * load.x * length, -moment, moment
    if isinstance(load, PointLoad):
        a, b = load.at, 1.0 - load.at
        return -load.x * a, -across * length * a * b**2, across * length * a**2 * b
    begin, end = load.intensities(axis)
    Mi = Mj = 0.0
    for share, weight in zip(*_THREE, strict=True):  # exact: the integrand is of degree 4
        a = load.start + share * (load.end - load.start)
        force = weight * (load.end - load.start) * length * (begin + share * (end - begin))
        Mi -= force * length * a * (1.0 - a) ** 2
        Mj += force * length * a**2 * (1.0 - a)
    return -load.resultant("x", length)[1] / length, Mi, Mj


def clamped_in_space(load: MemberLoad, length: float) -> Array:
    """The same in space: N, moments about z at i and j, about y at i and j, and T."""
    N, zi, zj = clamped_forces(load, length)
    _, yi, yj = clamped_forces(load, length, "z")
    return np.array([N, zi, zj, -yi, -yj, 0.0])
