"""Whether a hybrid test is stable: the eigenvalues of its closed loop, before anything moves.

One step of the test, with y the numerical part, p compensators and actuators, and q_0 what the
specimens answered in the step before::

    z = T y                                   targets of the elements
    (x, f) = path(J z)                        strokes and forces of the actuators
    d = z + J^+ (x - J z),    r = H f         what the elements get back
    q_1 = r - K_e d
    y+ = S y + G_0 q_0 + G_1 q_1

J is the Jacobian of the setup, and H = J^T unless it scales forces. With an exact specimen (x = J z,
f = K x, K_e = K) q vanishes, and what is left is the integrator. The loop is unstable if an
eigenvalue is larger than 1 and than those of that integrator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import block_diag, eig, eigvals

from femu.experimental.compensation.compensation import Compensation
from femu.experimental.compensation.polynomial import PolynomialCompensation
from femu.experimental.stability.linear_system import LinearSystem, side_by_side
from femu.experimental.stability.numerical_part import NumericalPart, numerical_part
from femu.experimental.stability.specimen_path import NotLinear, path_of
from femu.experimental.tangents.tangent import InitialTangent
from femu.model.element import Name
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
MOST_EQUATIONS, FEW_EQUATIONS = 200, 60
"""Beyond them eigenvalues take longer than one may wait for them: when asked, and in each run."""
ROUNDING = 1e-8
"""Of eigenvalues: up to here a mode without damping is one."""
MOST_DELAY = 100.0
"""Steps of delay up to which a margin is looked for."""
DELAYS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 100.0)
"""Steps at which the loop is tried for its margin, before the limit is found between two of them."""
BISECTIONS = 12
ORDERS = (1, 2, 3)
FINER = (2.0, 4.0)


@dataclass(frozen=True)
class Stability:
    """What the linearised loop of a test does.

    ``eigenvalue`` is the largest of the closed loop, ``frequency`` (cycles a time) and ``damping``
    (ratio) are those of its mode, which moves most in the equation of ``node`` and ``direction``
    and in the specimen of ``element``. ``largest_delay`` is how much more delay the loop bears, 0
    if it is unstable, None if nothing up to a hundred steps makes it so, and NaN if it was not
    looked for. ``remedies`` are what makes an unstable loop stable, each tried. Without a linear
    model ``unknown`` says why.
    """

    eigenvalue: complex = complex(math.nan)
    stable: bool = False
    frequency: float = math.nan
    damping: float = math.nan
    node: Any = None
    direction: str = ""
    element: Any = None
    largest_delay: float | None = None
    remedies: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    unknown: str = ""
    dt: float = field(default=math.nan, repr=False)

    @property
    def magnitude(self) -> float:
        """By what the mode grows in each step."""
        return abs(self.eigenvalue)

    @property
    def tenfold(self) -> float:
        """Time in which an unstable mode grows tenfold."""
        return self.dt * math.log(10.0) / math.log(self.magnitude) if not self.stable else math.inf

    def __str__(self) -> str:
        if self.unknown:
            return f"Stability is not known: {self.unknown}."
        where = f"at {self.frequency:.4g} cycles per unit of time, in node {self.node!r} along "
        where += f"{self.direction} and the specimen of {self.element!r}"
        if self.stable:
            text = f"stable: largest eigenvalue {self.magnitude:.6f} {where}"
            if self.largest_delay is None:
                text += f"; a further delay of {MOST_DELAY:g} steps does not make it unstable"
            elif self.largest_delay == self.largest_delay:
                text += f"; a further delay of {self.largest_delay:.4g} makes it unstable"
        else:
            text = (
                f"unstable: eigenvalue {self.magnitude:.6f} {where}, which grows tenfold in "
                f"{self.tenfold:.3g}"
            )
        return ". ".join([text, *self.assumptions]) + "."


class _Loop:
    """The closed loop of a test, or of one with another step or other initial stiffnesses."""

    def __init__(
        self,
        test: Any,
        plants: Mapping[Name, Any],
        dt: float | None = None,
        initial: Mapping[Name, Array] | None = None,
        most: int = MOST_EQUATIONS,
    ) -> None:
        self.test, self.plants = test, plants
        self.dt = float(test.transient.dt if dt is None else dt)
        self._used = {name: e.initial for name, e in test.elements.items()} | dict(initial or {})
        self._most = most
        self.initial = block_diag(*self._used.values())
        self.jacobian = block_diag(
            *(
                e.actuator_setup.jacobian(np.zeros(e.basic_size)).reshape(-1, e.basic_size)
                for e in test.elements.values()
            )
        )
        self.inverse = np.linalg.pinv(self.jacobian)
        # a setup may scale forces too, so this is not J^T
        self.forces = block_diag(*map(_forces, test.elements.values()))

    @cached_property
    def part(self) -> NumericalPart:
        """The numerical part."""
        return numerical_part(self.test, self.dt, self._used, self._most)

    def is_exact(self, path: LinearSystem) -> bool:
        """Whether every specimen answers at once and with the stiffness K_e: q = 0."""
        m = len(self.jacobian)
        if len(path.a) or not np.array_equal(path.d[:m], np.eye(m)):
            return False
        known = self.forces @ path.d[m:] @ self.jacobian
        return bool(np.allclose(known, self.initial, rtol=1e-9, atol=1e-9 * np.abs(known).max()))

    def path(
        self, delay: float = 0.0, compensations: Mapping[Name, Compensation] | None = None
    ) -> LinearSystem:
        """From the targets of the actuators to all displacements, then all forces."""
        made, order = [], []
        first = 0
        for name, element in self.test.elements.items():
            chosen = (compensations or {}).get(name, element.compensation)
            system = path_of(
                element, element.specimen, self.dt, self.plants.get(name), chosen, delay
            )
            made.append(system)
            order.append((first, system.inputs))
            first += system.outputs
        whole = side_by_side(*made)
        rows = [at + k for at, n in order for k in range(n)]
        rows += [at + n + k for at, n in order for k in range(n)]
        return LinearSystem(whole.a, whole.b, whole.c[rows], whole.d[rows])

    def matrix(self, path: LinearSystem) -> Array:
        """The matrix of one step, over (y, q_0, states of the path)."""
        part, m, target = self.part, len(self.jacobian), self.part.target
        # q_1 = H f - K_e (z + J^+ (x - J z))
        on_reached, on_force = -self.initial @ self.inverse, self.forces
        on_target = -self.initial @ (np.eye(len(self.initial)) - self.inverse @ self.jacobian)
        by_path = on_reached @ path.c[:m] + on_force @ path.c[m:]
        by_stroke = on_reached @ path.d[:m] + on_force @ path.d[m:]
        by_part = (on_target + by_stroke @ self.jacobian) @ target
        k, p = len(self.initial), len(path.a)
        return np.block(
            [
                [part.step + part.now @ by_part, part.before, part.now @ by_path],
                [by_part, np.zeros((k, k)), by_path],
                [path.b @ self.jacobian @ target, np.zeros((p, k)), path.a],
            ]
        )

    def bound(self) -> float:
        """What no eigenvalue of a stable loop exceeds: 1, or the largest of the integrator."""
        alone = float(np.abs(eigvals(self.part.step)).max())
        return max(1.0, alone) + ROUNDING

    def largest(self, path: LinearSystem) -> float:
        return float(np.abs(eigvals(self.matrix(path))).max())

    def mode(self, path: LinearSystem) -> tuple[complex, Array]:
        """The largest eigenvalue and its mode."""
        values, vectors = eig(self.matrix(path))
        worst = int(np.argmax(np.abs(values)))
        return complex(values[worst]), vectors[:, worst]


def _forces(element: Any) -> Array:
    """Forces on an element by the forces of its actuators, at rest."""
    setup, rest = element.actuator_setup, np.zeros(element.basic_size)
    return np.array([setup.force(unit, rest) for unit in np.eye(setup.outputs)]).T


def stability_of(
    test: Any, plants: Mapping[Name, Any] | None = None, *, margin: bool = True
) -> Stability:
    """Stability of a hybrid test; see `femu.experimental.HybridTest.stability`.

    Without ``margin`` only whether it is stable, and only of small models.
    """
    given = dict(plants or {})
    for name in given:
        if name not in test.elements:
            raise InputError(
                "HybridTest.stability",
                "plants",
                name,
                f"must name experimental elements: {list(test.elements)}",
            )
    try:
        loop = _Loop(test, given, most=MOST_EQUATIONS if margin else FEW_EQUATIONS)
        path = loop.path()
        if not margin and loop.is_exact(path):
            return Stability(stable=True, largest_delay=math.nan, dt=loop.dt)
        bound = loop.bound()
        value, vector = loop.mode(path)
    except NotLinear as problem:
        return Stability(unknown=str(problem))
    stable = abs(value) <= bound
    node, direction, element = _where(loop, vector)
    angle = abs(float(np.angle(value)))
    decay = -math.log(abs(value)) if value != 0.0 else math.inf
    made = Stability(
        eigenvalue=value,
        stable=stable,
        frequency=angle / (2.0 * math.pi * loop.dt),
        damping=decay / math.hypot(decay, angle) if decay or angle else 0.0,
        node=node,
        direction=direction,
        element=element,
        largest_delay=0.0,
        assumptions=tuple(_assumptions(test, given)),
        dt=loop.dt,
    )
    if stable:
        return replace(made, largest_delay=_largest_delay(loop, bound) if margin else math.nan)
    return replace(made, remedies=tuple(_remedies(loop, bound, made)) if margin else ())


def _where(loop: _Loop, vector: npt.NDArray[Any]) -> tuple[Any, str, Any]:
    """Node and direction that move most in a mode, and the element of the specimen that does.

    Displacements and rotations are compared by the energy that goes with them.
    """
    part, program = loop.part, loop.test.program
    n = len(part.places)
    size = np.abs(vector[:n]) ** 2 * np.abs(np.diag(part.stiffness))
    node, direction = program.numbering.representative[int(part.places[np.argmax(size)])]
    targets = np.abs(part.target @ vector[: part.target.shape[1]]) ** 2
    targets = targets * np.abs(np.diag(loop.initial)).clip(np.finfo(float).tiny)
    best, most, first = None, -1.0, 0
    for name, element in loop.test.elements.items():
        own = float(targets[first : first + element.basic_size].sum())
        first += element.basic_size
        if own > most:
            best, most = name, own
    return node, direction, best


def _assumptions(test: Any, plants: Mapping[Name, Any]) -> Iterator[str]:
    for name, element in test.elements.items():
        if not isinstance(test.tangents[name], InitialTangent):
            yield (
                f"The stiffness of {name!r} counts as the initial one, and its "
                f"{type(test.tangents[name]).__name__} will change it"
            )
        emulated = hasattr(element.specimen, "actuator") or hasattr(element.specimen, "state_space")
        if name not in plants and not emulated and element.specimen.physical:
            yield (
                f"The specimen of {name!r} is taken to follow its commands at once, with the "
                f"stiffness of its element: give plants={{{name!r}: Actuator(delay=...)}}"
            )


def _largest_delay(loop: _Loop, bound: float) -> float | None:
    """How much more delay a stable loop bears."""

    def good(steps: float) -> bool:
        return loop.largest(loop.path(steps * loop.dt)) <= bound

    last = 0.0
    for steps in DELAYS:
        if not good(steps):
            low, high = last, steps
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if good(middle) else (low, middle)
            return low * loop.dt
        last = steps
    return None


def _remedies(loop: _Loop, bound: float, found: Stability) -> Iterator[str]:
    """What makes an unstable loop stable; each is tried before it is named."""
    yield from _compensated(loop, bound, found)
    yield from _stiffer(loop)
    yield from _finer(loop)


def _compensated(loop: _Loop, bound: float, found: Stability) -> Iterator[str]:
    """Polynomial compensation of the delay that the path of the worst specimen has at the frequency
    of the mode, or at rest."""
    name = found.element
    element = loop.test.elements[name]
    if element.compensation is not None:
        return
    path = path_of(element, element.specimen, loop.dt, loop.plants.get(name))
    slow = 1e-3 / loop.dt
    delays = []
    for frequency in (max(found.frequency, slow), slow):
        reached = np.diag(path.at(frequency, loop.dt)[: path.inputs])
        lag = float(np.mean(-np.angle(reached))) % (2.0 * math.pi)
        delays.append(lag / (2.0 * math.pi * frequency))
    for delay in delays:
        if not 0.0 < delay < MOST_DELAY * loop.dt:
            continue
        for order in ORDERS:
            tried = PolynomialCompensation(delay, order)
            value = loop.largest(loop.path(0.0, {name: tried}))
            if value <= bound:
                yield (
                    f"give {name!r} compensation=PolynomialCompensation({delay:.3g}, {order}) "
                    f"(largest eigenvalue {value:.5f})"
                )
                return


def _stiffer(loop: _Loop) -> Iterator[str]:
    """The stiffness that the specimens have themselves, where a test uses another one."""
    changed = {}
    for name, element in loop.test.elements.items():
        own = element.specimen.initial_stiffness()
        if own is None:
            continue
        known = element.actuator_setup.stiffness(own)
        if not np.allclose(known, element.initial, rtol=1e-6, atol=1e-9 * np.abs(known).max()):
            changed[name] = known
    if not changed:
        return
    try:
        tried = _Loop(loop.test, loop.plants, initial=changed)
        value, bound = tried.largest(tried.path()), tried.bound()
    except NotLinear:
        return
    if value <= bound:
        said = ", ".join(f"{n!r} stiffness={_number(k)}" for n, k in changed.items())
        yield (
            f"give {said}, as the specimen has it: the test takes what is expected of it for "
            f"granted, and only the rest is delayed (largest eigenvalue {value:.5f})"
        )


def _number(matrix: Array) -> str:
    if matrix.size == 1:
        return f"{matrix[0, 0]:.4g}"
    return str([[float(f"{x:.4g}") for x in row] for row in matrix.tolist()])


def _finer(loop: _Loop) -> Iterator[str]:
    """A shorter step: what delays by a step, or extrapolates over one, does so less."""
    for times in FINER:
        try:
            tried = _Loop(loop.test, loop.plants, dt=loop.dt / times)
            value = tried.largest(tried.path())
            good = value <= tried.bound()
        except NotLinear:
            continue
        if good:
            yield f"take dt = {loop.dt / times:.4g} (largest eigenvalue {value:.5f})"
            return
