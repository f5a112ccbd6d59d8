"""Constitutive laws: from a pure function of one point to a compiled block of points.

The physics of a material or section is a pure function of one point::

    stress, tangent, history = law(parameters, history, strain)

``parameters`` and ``history`` are tuples in declared order. A law of m > 1 components takes a tuple
of m deformations and returns m forces and the upper triangle of the tangent, row by row. A
rate-dependent law takes ``(parameters, history, strain, rate, dt)`` and returns ``stress, tangent,
damping, history``; damping is the derivative of the stress by the rate. **A history of zeros
is the virgin state.**

`Law` wraps the function in a loop over n points, compiled as one C function. Because the law is
pure and the vectors are stored component by component (entry v of point j at ``v*n + j``), the loop
vectorises if the law has no loops of its own. Composite components (fibre section, series,
parallel) write a block of the same signature by hand and call the blocks of their parts by address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from femu.kernels import FLOATS, INT, INTS, Kernel, caller, inlined, load, load_but, store

BLOCK = INT(
    INT,  # n: number of points
    INTS,  # i: integers of the component (addresses and offsets of its parts)
    FLOATS,  # p: parameters, shared by the n points
    FLOATS,  # c: committed history, read only
    FLOATS,  # t: trial history, written whole
    FLOATS,  # w: workspace
    FLOATS,  # x: strain, or the deformations of a section
    FLOATS,  # r: rates of x (read by rate-dependent laws alone)
    FLOATS,  # s: step: [time, dt]
    FLOATS,  # y: stress, or the forces of a section
    FLOATS,  # k: tangent, upper triangle
    FLOATS,  # d: damping tangent, added to (by rate-dependent laws alone)
)
"""Signature of a block of points; it returns 0, or a number above 0 if the law has no answer."""

call_block = caller(BLOCK)

LANES = 8
"""Points that a law in lanes is evaluated at together: numbers in the widest vectors."""


class Law:
    """A point law and its compiled block.

    Made by the `law` decorator inside a component's class.
    """

    def __init__(self, function: Callable[..., Any], rate: bool,
                 often_zero: tuple[str, ...] = (), lanes: bool = False) -> None:
        self.function = self.py_func = function
        self.rate = rate
        self.often_zero = often_zero
        self.lanes = lanes or bool(often_zero)
        self.point = inlined(function)
        self.__doc__ = function.__doc__

    def block(self, parameters: Sequence[str], history: int, components: int) -> Kernel:
        """The kernel that runs the law over a block of points."""
        kind = self.rate, history > 0, components > 1
        made = _BLOCKS[kind](
            self.point, len(parameters), history, components, components * (components + 1) // 2)
        if self.lanes and kind == _PLAIN:
            zeros = sum(1 << parameters.index(name) for name in self.often_zero)
            made = _uniaxial_in_lanes(self.point, len(parameters), history, zeros)
        function = self.function
        return Kernel(made, BLOCK, f"{function.__module__}.{function.__qualname__}")


def law(function: Callable[..., Any] | None = None, *, rate: bool = False,
        lanes: bool = False, often_zero: tuple[str, ...] = ()) -> Any:
    """Decorator: the constitutive law of the component in whose class it is defined.

    ``lanes`` says that the law (uniaxial) runs in the lanes of the processor: it has no loops, and
    of branches only choices between numbers. The points that do not fill the lanes are then
    evaluated together with some of those before them, again. If the parameters in ``often_zero`` of
    such a law are all zero, another loop runs, in which they are constants: what they lead to is
    not computed.
    """
    if function is None:
        return lambda f: Law(f, rate, often_zero, lanes)
    return Law(function, rate)


def _uniaxial(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            y[j], k[j], h = point(parameters, load(c, j, n, nh), x[j])
            store(t, j, n, h)
        return 0
    return block


def _uniaxial_in_lanes(point: Any, np: int, nh: int, zeros: int) -> Callable[..., int]:
    """All points but those that do not fill the lanes, then the last that do.

    Points in both are computed twice: one of a few points costs as much as a vector of them.
    """

    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        whole = n - n % LANES
        first, last = 0, whole
        for _ in range(1 if whole == n else 2):
            for j in range(first, last):
                y[j], k[j], h = point(parameters, load(c, j, n, nh), x[j])
                store(t, j, n, h)
            first, last = max(n - LANES, 0), n
        return 0

    def block_often_zero(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters, reduced = load(p, 0, 1, np), load_but(p, np, zeros)
        whole = n - n % LANES
        first, last = 0, whole
        for _ in range(1 if whole == n else 2):
            if parameters == reduced:
                for j in range(first, last):
                    y[j], k[j], h = point(reduced, load(c, j, n, nh), x[j])
                    store(t, j, n, h)
            else:
                for j in range(first, last):
                    y[j], k[j], h = point(parameters, load(c, j, n, nh), x[j])
                    store(t, j, n, h)
            first, last = max(n - LANES, 0), n
        return 0

    return block_often_zero if zeros else block


def _uniaxial_stateless(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            y[j], k[j], _ = point(parameters, (), x[j])
        return 0
    return block


def _uniaxial_rate(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            y[j], k[j], damping, h = point(parameters, load(c, j, n, nh), x[j], r[j], s[1])
            d[j] += damping
            store(t, j, n, h)
        return 0
    return block


def _uniaxial_rate_stateless(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            y[j], k[j], damping, _ = point(parameters, (), x[j], r[j], s[1])
            d[j] += damping
        return 0
    return block


def _multiaxial(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            force, tangent, h = point(parameters, load(c, j, n, nh), load(x, j, n, m))
            store(y, j, n, force)
            store(k, j, n, tangent)
            store(t, j, n, h)
        return 0
    return block


def _multiaxial_stateless(point: Any, np: int, nh: int, m: int, nk: int) -> Callable[..., int]:
    def block(n, i, p, c, t, w, x, r, s, y, k, d):
        parameters = load(p, 0, 1, np)
        for j in range(n):
            force, tangent, _ = point(parameters, (), load(x, j, n, m))
            store(y, j, n, force)
            store(k, j, n, tangent)
        return 0
    return block


_PLAIN = (False, True, False)
_BLOCKS: dict[tuple[bool, bool, bool], Callable[..., Any]] = {
    _PLAIN: _uniaxial,
    (False, False, False): _uniaxial_stateless,
    (True, True, False): _uniaxial_rate,
    (True, False, False): _uniaxial_rate_stateless,
    (False, True, True): _multiaxial,
    (False, False, True): _multiaxial_stateless,
}
