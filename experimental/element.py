"""Experimental elements: a specimen stands in for an element of the model.

The specimen is asked once a step. Between two answers the element is linear about the last one; see
`femu.experimental.measured_law`. What was measured and the stiffness are part of the element's state, so Newton iterations,
copies of states and checkpoints never touch the specimen. The analysis exchanges with the specimen by `exchange`, and
writes the answer by `take`. There is no revert: a specimen remembers.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from femu.arguments import as_numbers
from femu.element import Array, Element, Name, Plan
from femu.elements.link import link_group
from femu.errors import InputError
from femu.experimental.asking import ask
from femu.experimental.compensation import Compensation
from femu.experimental.journal import HEAD, TAIL, Journal, Record
from femu.experimental.measured_law import follow_springs, held_names, measured_law, shift_samples
from femu.experimental.place import must_stand
from femu.experimental.safety import Guard, Limits
from femu.experimental.setup import Direct, Setup
from femu.experimental.shield import NO_SHIELD, Shield
from femu.experimental.specimen import Measurement, Specimen, checked
from femu.experimental.stuck import SensorCheck, Watch
from femu.experimental.tangent import TangentEstimator
from femu.parameters import Parameter
from femu.program import Program

SAME_TARGET = np.finfo(float).eps  # a change this small beside the target is no new target
SAME_SETUP = 1e-9  # share of a command by which another machine may compute it differently


class Experimental(Element):
    """Base of the experimental elements.

    ``stiffness`` is the initial stiffness in the basic system; an emulated specimen knows its own. ``setup`` turns basic
    deformations into commands of the actuators (`Direct` if left out), ``limits`` are checked before each command leaves.
    A ``compensation`` of the actuators' delay works on the commands, before the limits. ``sensor_check`` says when a sensor
    counts as stuck; None leaves the sensors unwatched.
    """

    asks_specimen: ClassVar[bool] = True

    name: Name
    _: KW_ONLY
    specimen: Specimen
    stiffness: Any = None
    setup: Setup | None = None
    limits: Limits | None = None
    compensation: Compensation | None = None
    sensor_check: SensorCheck | None = SensorCheck()
    damped: bool = False

    # --- what a subclass supplies ---

    @property
    def basic_size(self) -> int:
        """Number of basic deformations."""
        raise NotImplementedError

    # --- description ---

    def validate(self) -> None:
        if self.compensation is not None and not isinstance(self.compensation, Compensation):
            raise InputError(self.label(), "compensation", self.compensation, "must be a Compensation",
                             "for example PolynomialCompensation(0.015)")
        if not isinstance(self.specimen, Specimen):
            raise InputError(self.label(), "specimen", self.specimen, "must be a Specimen", "for example EmulatedSpecimen(...)")
        self.validate_element()
        n = self.basic_size
        setup = Direct(n) if self.setup is None else self.setup
        if not isinstance(setup, Setup) or setup.inputs != n:
            raise InputError(self.label(), "setup", self.setup, f"must take the {n} deformations of the element")
        if setup.outputs != self.specimen.size:
            raise InputError(self.label(), "setup", self.setup,
                             f"must have as many actuators as the specimen ({self.specimen.size}, not {setup.outputs})")
        given = self.stiffness
        if given is None:
            own = self.specimen.initial_stiffness()
            if own is None:
                raise InputError(self.label(), "stiffness", None, "must be given: the specimen does not know its own",
                                 "measure it with small moves before the test")
            given = setup.stiffness(own)
        matrix = np.atleast_2d(as_numbers(self.label(), "stiffness", given))
        if matrix.shape != (n, n) or not np.isfinite(matrix).all():
            raise InputError(self.label(), "stiffness", given, f"must be a finite {n} by {n} matrix")
        self._setup = setup
        self._initial = 0.5 * (matrix + matrix.T)
        self._guard = Guard(self.limits or Limits(), setup.outputs, setup.stiffness_of_actuators(self._initial))
        self._watch = self._watched()
        if self.limits is not None and self.limits.silence is not None:
            self.specimen.wait_at_most(self.limits.silence)
        self._upper = np.triu_indices(n)
        # place of each entry of a symmetric matrix in its upper triangle
        self._places = np.zeros((n, n), dtype=np.int64)
        self._places[self._upper] = np.arange(n * (n + 1) // 2)
        self._places = np.maximum(self._places, self._places.T)
        self._initial_upper = self._initial[self._upper]
        self._target: Array | None = None
        self._answer: Measurement | None = None
        self._known: list[tuple[Array, Measurement]] = []
        self.moves = 0
        self.journal: Journal | None = None
        self.shield: Shield = NO_SHIELD
        self.step = 0

    def _watched(self) -> Watch | None:
        if self.sensor_check is None:
            return None
        if not isinstance(self.sensor_check, SensorCheck):
            raise InputError(self.label(), "sensor_check", self.sensor_check, "must be a SensorCheck or None")
        g, m = self._guard, self._setup.outputs
        limits = [np.broadcast_to(np.inf if given is None else given, m) for given in (g.limits.displacement, g.limits.force)]
        stiffness = self._setup.stiffness_of_actuators(self._initial)
        return Watch(self.sensor_check, stiffness, self.specimen.sensor_noise(), (limits[0], limits[1]), self.label())

    def validate_element(self) -> None:
        """Rules of the subclass."""

    @property
    def initial(self) -> Array:
        """Initial stiffness in the basic system."""
        return self._initial.copy()

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        n, values = self.basic_size, self._initial_upper
        names = [f"stiffness.{a}{b}" for a in range(n) for b in range(a, n)]
        declared = Parameter("entry of the initial stiffness", "force/length")
        return super().own_parameters() + [(k, declared, float(x)) for k, x in zip(names, values, strict=True)]

    def kernel_integers(self) -> list[int]:
        """Integers of the basic kernel."""
        return [self.basic_size, len(self.declared)]

    def link_plan(self, dofs: list[tuple[Name, str]], rows: Array, forces: Sequence[str]) -> Plan:
        """Plan over the degrees of freedom that the rows of B touch."""
        m, used = len(rows), np.flatnonzero(np.abs(rows).max(axis=0) > 0.0)
        n = len(used)
        head = [*forces, *(f"k_{forces[a]}_{forces[b]}" for a in range(m) for b in range(a, m)), *(f"v_{f}" for f in forces)]
        return Plan(dofs=[dofs[a] for a in used], group=link_group, basic=measured_law, integers=self.kernel_integers(),
                    geometry=[float(m), float(n), *rows[:, used].ravel().tolist()], state=head + held_names(self.basic_size),
                    workspace=2 * m + n + n * (n + 1) // 2, damped=self.damped, restless=True, basic_forces=tuple(forces))

    # --- the test ---

    def begin(self, dt: float) -> None:
        """Get ready for a test at steps of ``dt``."""
        if self.compensation is not None:
            self.compensation.start(self._setup.outputs, dt)
        self._target = self._answer = None
        self._known.clear()
        self._guard.begin()
        self.specimen.begin_test()
        n, m = self.basic_size, self._setup.outputs
        self._watch = self._watched()
        if self._watch is not None:
            self._watch.see(np.zeros(m), Measurement(np.zeros(m), np.zeros(m)))
            self._watch.begin()
        # compiled before the first step, which may have to be in time
        shift_samples(np.zeros(2 * n + n * (n + 1) // 2 + len(held_names(n))), n, np.zeros(n), np.zeros(n), self._initial,
                      self._initial, False, False)

    def exchange(self, displacement: Array, time: float) -> Measurement:
        """Send the specimen to a basic displacement and measure; the same target again gives the same answer, unmoved.

        Where there is a compensation, only at the same time: later it has to see that the target rests. Raises an
        `ExperimentError` where a limit trips or the specimen fails; it holds its position then. A limit of velocity needs
        `begin` first.
        """
        target = np.asarray(displacement, dtype=float)
        if self._answer is not None and self._target is not None and all(
                abs(a - b) <= SAME_TARGET * abs(b) for a, b in zip(target.tolist(), self._target.tolist(), strict=True)):
            last = self._guard.time
            if last is None or time <= last:
                return self._answer
            if self.compensation is None and not self.specimen.every_step:
                self._guard.sent(self._guard.command, time)  # else the next step would have the whole rest for its velocity
                return self._answer
        try:
            command = self._setup.command(target)
            if self.compensation is not None:
                command = self.compensation.command(command)
            if self._known and np.array_equal(self._known[0][0], command):
                made = self._recalled(command, time, target)
            else:
                self._known.clear()

                def believe(raw: Any, command: Array, time: float) -> tuple[Measurement, Measurement]:
                    self.moves += 1
                    return self._believed(raw, command, time, target)

                made = ask(self.specimen, self._guard, command, time, believe, self.shield, self.journal, str(self.name),
                           self.step)
            self._target, self._answer = target.copy(), made
            return made
        except BaseException:
            self._target = self._answer = None  # it may stand elsewhere now
            try:
                self.specimen.hold()
            except Exception as problem:  # what went wrong first must not be hidden by it, nor by a warning that is an error
                with contextlib.suppress(Warning):
                    warnings.warn(f"{self.label()}: the specimen could not be held: {problem!r}", stacklevel=2)
            raise

    def _recalled(self, command: Array, time: float, target: Array) -> Measurement:
        """What was measured for this command before the interruption: the specimen is there already, and is not moved."""
        self._guard.check(command, time)
        measured = self._known.pop(0)[1]
        self._guard.sent(command, time)
        self.specimen.recall(command.copy(), measured)
        return self._believed(measured, command, time, target)[1]

    def _believed(self, raw: Any, command: Array, time: float, target: Array) -> tuple[Measurement, Measurement]:
        """The measurement in the coordinates of the actuators and in those of the element, if it can be believed.

        A step must not be taken with another one.
        """
        raw = checked(raw, self._setup.outputs, self.label())
        self._guard.measured(raw, time)
        if self._watch is not None:
            self._watch.see(command, raw)
        reached = self._setup.displacement(raw.displacement, target)
        made = Measurement(reached, self._setup.force(raw.force, reached), raw.time)
        if not math.isfinite(sum(made.displacement.tolist()) + sum(made.force.tolist())):
            checked(made, self.basic_size, f"{self.label()}, seen through its setup,")
        if self.compensation is not None:
            self.compensation.measured(raw.displacement)
        return raw, made

    def must_command(self, record: Record, step: int) -> None:
        """Before a resumed test goes on from a step: raise an `InputError` where the setup makes another command of its target.

        Not known where there is a compensation.
        """
        rows = record.command[str(self.name)]
        rows = rows[rows[:, 0] <= step]
        if self._target is None or self.compensation is not None or not len(rows):
            return
        made, sent = self._setup.command(self._target), rows[-1, HEAD:-TAIL]
        if not np.allclose(made, sent, rtol=SAME_SETUP, atol=SAME_SETUP * float(np.abs(sent).max())):
            raise InputError(self.label(), "setup", self.setup, "must be that of the journal: for the last step it gives the "
                             f"command {made.tolist()}, and {sent.tolist()} was sent")

    def find_place(self, record: Record | None) -> None:
        """Before a test begins, or goes on from a journal: see where the specimen stands, where it can be read.

        A test that begins looks only where limits count from there. Raises an `ExperimentError` where a specimen does not stand
        where its journal ends.
        """
        if record is None:
            if self._guard.from_place and (standing := self.specimen.reading(np.zeros(self._setup.outputs))) is not None:
                self._guard.stand(checked(standing, self._setup.outputs, self.label()))
            return
        commands = record.commands(str(self.name))
        reading = self.specimen.reading(commands[-1].copy() if len(commands) else np.zeros(self._setup.outputs))
        if reading is None:
            if len(commands) and commands[-1].any():
                warnings.warn(f"{self.label()}: the specimen cannot tell where it stands. The test goes on from its last "
                              f"command, {commands[-1].tolist()}: see that the specimen is there.", stacklevel=2)
            return
        reading = checked(reading, self._setup.outputs, self.label())
        must_stand(self.label(), reading.displacement, record, str(self.name), self._guard.limits)
        self._guard.stand(reading)

    def expect(self, command: Array, measured: Measurement) -> None:
        """After an interruption: what was measured for a command whose step was not committed. It is not sent again.

        Several of one step are expected in the order they were sent.
        """
        self._known.append((command.copy(), measured))

    def take(self, program: Program, elements: Array, measured: Measurement, stiffness: Array | None = None,
             updated: bool = False) -> None:
        """Write a measurement (and a new stiffness) into the elements' part of a state vector.

        ``elements`` is ``state.vector[program.layout.elements:]``. ``updated`` says whether the stiffness was learnt from
        this measurement.
        """
        if stiffness is None:
            shift_samples(self._own(program, elements), self.basic_size, measured.displacement, measured.force, self._initial,
                          self._initial, False, False)
            return
        shift_samples(self._own(program, elements), self.basic_size, measured.displacement, measured.force, self._initial,
                      stiffness, True, updated)
        if self._guard.limits.force is not None:
            self._guard.stiffness = self._setup.stiffness_of_actuators(0.5 * (stiffness + stiffness.T))

    def estimate_by(self, program: Program, elements: Array, estimator: TangentEstimator, reach: float,
                    least_share: float = 0.0) -> None:
        """Let the iterations of an implicit step estimate the stiffness by the springs of an estimator.

        ``reach`` limits the extrapolation from the last samples, in steps; springs keep at least a share of their initial
        stiffness.
        """
        springs = estimator.springs_of()
        if springs is not None:
            *arrays, low, high = springs
            follow_springs(self._own(program, elements), self.basic_size, reach, *arrays, max(low, least_share),
                           max(high, least_share))

    def stiffness_of(self, program: Program, elements: Array) -> Array:
        """Stiffness in the elements' part of a state vector."""
        n = self.basic_size
        return self._own(program, elements)[n:n + n * (n + 1) // 2][self._places]

    def committed(self, program: Program, elements: Array) -> None:
        """A step has been committed: predict the force of the next command with its stiffness."""
        if self._guard.limits.force is not None:
            self._guard.stiffness = self._setup.stiffness_of_actuators(self.stiffness_of(program, elements))

    def _own(self, program: Program, elements: Array) -> Array:
        start, names = program.element_state(self.name)
        return elements[start:start + len(names)]

    def deformation(self, program: Program, elements: Array) -> Array:
        """Basic deformations in the elements' part of a state vector."""
        n = self.basic_size
        first = n + n * (n + 1) // 2
        return self._own(program, elements)[first:first + n].copy()

    # --- what must be kept to go on ---

    def checkpoint(self) -> Array:
        """What the test knows of the exchange, beside the program's state: last target and answer, guard, specimen."""
        n = self.basic_size
        known = self._answer is not None and self._target is not None
        target = self._target if self._target is not None else np.zeros(n)
        answer = self._answer or Measurement(np.zeros(n), np.zeros(n), 0.0)
        g = self._guard
        return np.concatenate([
            [float(known), answer.time, float(self.moves), float(g.time is not None), g.time or 0.0], target,
            answer.displacement, answer.force, g.command, g.displacement, g.force, g.stiffness.ravel(),
            self.compensation.state if self.compensation is not None else np.zeros(0),
            self._watch.state if self._watch is not None else np.zeros(0), self.specimen.state])

    def restore(self, values: Array) -> None:
        """Go on from a checkpoint; an emulated specimen is set back, a physical one stays where it is."""
        n, m = self.basic_size, self._setup.outputs
        sizes = [5, n, n, n, m, m, m, m * m, len(self.compensation.state) if self.compensation is not None else 0,
                 len(self._watch.state) if self._watch is not None else 0]
        head, target, d, r, command, at, force, k, ahead, seen, state = np.split(values, np.cumsum(sizes))
        self._target, self._answer = (target.copy(), Measurement(d.copy(), r.copy(), float(head[1]))) if head[0] else (None, None)
        self.moves = int(head[2])
        g = self._guard
        g.time = float(head[4]) if head[3] else None
        g.command, g.displacement, g.force, g.stiffness = command.copy(), at.copy(), force.copy(), k.reshape(m, m).copy()
        if self.compensation is not None:
            self.compensation.restore(ahead)
        if self._watch is not None:
            self._watch.state[:] = seen
        self.specimen.restore(state)


def exchange(element: Experimental, displacement: npt.ArrayLike, time: float) -> Measurement:
    """One exchange with the specimen of an element; see `Experimental.exchange`."""
    return element.exchange(np.asarray(displacement, dtype=float), time)
