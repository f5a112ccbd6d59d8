"""Experimental elements: a specimen provides the force of an element of the model.

An experimental element describes: specimen, setup, limits, sensor check, compensation and initial
stiffness. What happens while a test runs belongs to a `femu.experimental.session.SpecimenSession`,
so one model can be tested twice at once. The specimen is asked once a step. Between two answers the
element is linear about the last one; see `femu.experimental.elements.measured_law`. What was
measured and the stiffness are part of the element's state in the program, so Newton iterations,
copies of states and checkpoints never touch the specimen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from femu.elements.link import link_group
from femu.engine.program import Program
from femu.experimental.channels import numbered
from femu.experimental.compensation.compensation import Compensation
from femu.experimental.elements.measured_law import (
    follow_springs,
    held_names,
    measured_law,
    shift_samples,
)
from femu.experimental.safety.following import FollowingMonitor
from femu.experimental.safety.limits import Guard, Limits, Unlimited, bounds_of, must_be_limited
from femu.experimental.safety.sensor_monitor import SensorCheck, SensorMonitor
from femu.experimental.setups.setup import Direct, Setup
from femu.experimental.specimens.specimen import Measurement, Specimen
from femu.experimental.tangents.tangent import TangentEstimator
from femu.model.element import Array, Element, Name, Plan
from femu.model.parameters import Parameter
from femu.support.arguments import as_numbers
from femu.support.errors import InputError


class Experimental(Element):
    """Base of the experimental elements.

    ``stiffness`` is the initial stiffness in the basic system; an emulated specimen knows its own.
    ``setup`` turns basic deformations into commands of the actuators (`Direct` if left out),
    ``limits`` are checked before each command leaves; a physical specimen needs those of
    displacement, of increment or velocity, and of force, or `Unlimited` with a reason. A
    ``compensation`` of the actuators' delay works on the commands, before the limits.
    ``sensor_check`` says when a sensor counts as stuck; None leaves the sensors unwatched.
    """

    asks_specimen: ClassVar[bool] = True

    name: Name
    _: KW_ONLY
    specimen: Specimen
    stiffness: Any = None
    setup: Setup | None = None
    limits: Limits | Unlimited | None = None
    compensation: Compensation | None = None
    sensor_check: SensorCheck | None = SensorCheck()
    damped: bool = False

    # --- what a subclass supplies ---

    @property
    def basic_size(self) -> int:
        """Number of basic deformations."""
        raise NotImplementedError

    @property
    def basic_channels(self) -> tuple[str, ...]:
        """Names of the basic deformations, by their directions.

        "x", "rz"; numbers if a subclass does not say.
        """
        return numbered(self.basic_size)

    @property
    def actuators(self) -> tuple[str, ...]:
        """Names of the actuators."""
        return self._setup.names(self.basic_channels)

    # --- description ---

    def validate(self) -> None:
        if self.compensation is not None and not isinstance(self.compensation, Compensation):
            raise InputError(
                self.label(),
                "compensation",
                self.compensation,
                "must be a Compensation",
                fix="use PolynomialCompensation(0.015), for example",
            )
        self._check_specimen()
        self.validate_element()
        n = self.basic_size
        self._setup = self._checked_setup()
        self._initial = self._checked_stiffness(self._setup)
        must_be_limited(self.label(), False, self.limits)
        self.new_guard()  # limits and sensor check fit the actuators
        self.new_monitor(self.specimen)
        if (silence := bounds_of(self.limits).silence) is not None:
            self.specimen.wait_at_most(silence)
        self._upper = np.triu_indices(n)
        # place of each entry of a symmetric matrix in its upper triangle
        self._places = np.zeros((n, n), dtype=np.int64)
        self._places[self._upper] = np.arange(n * (n + 1) // 2)
        self._places = np.maximum(self._places, self._places.T)
        self._initial_upper = self._initial[self._upper]

    def _check_specimen(self) -> None:
        if not isinstance(self.specimen, Specimen):
            raise InputError(
                self.label(),
                "specimen",
                self.specimen,
                "must be a Specimen",
                fix="use EmulatedSpecimen(...), for example",
            )
        if not isinstance(getattr(self.specimen, "size", None), (int, np.integer)):
            raise InputError(
                self.label(),
                "specimen",
                self.specimen,
                "must have a size, the number of its actuators",
                fix="set self.size in its constructor",
            )
        if getattr(self.specimen.apply, "__func__", None) is Specimen.apply:
            raise InputError(
                self.label(),
                "specimen",
                self.specimen,
                "takes no commands",
                fix=f"define apply(self, command, time) in {type(self.specimen).__name__}",
            )

    def _checked_setup(self) -> Setup:
        """The setup, one that fits the element and the specimen."""
        n = self.basic_size
        setup = Direct(n) if self.setup is None else self.setup
        if not isinstance(setup, Setup) or setup.inputs != n:
            raise InputError(
                self.label(), "setup", self.setup, f"must take the {n} deformations of the element"
            )
        if setup.outputs != self.specimen.size:
            raise InputError(
                self.label(),
                "setup",
                self.setup,
                f"must have as many actuators as the specimen ({self.specimen.size}, not "
                f"{setup.outputs})",
            )
        return setup

    def _checked_stiffness(self, setup: Setup) -> Array:
        """The initial stiffness of the element: as given, or that of the specimen; symmetric."""
        n, given = self.basic_size, self.stiffness
        if given is None:
            own = self.specimen.initial_stiffness()
            if own is None:
                raise InputError(
                    self.label(),
                    "stiffness",
                    None,
                    "must be given: the specimen does not know its own",
                    fix="measure it with small moves before the test",
                )
            m = self.specimen.size
            if np.shape(own) != (m, m):
                raise InputError(
                    self.label(),
                    "stiffness of the specimen",
                    own,
                    f"must be {m} by {m}, as many as it has actuators",
                    fix="correct its initial_stiffness(), or give stiffness=",
                )
            given = setup.stiffness(own)
        matrix = np.atleast_2d(as_numbers(self.label(), "stiffness", given))
        if matrix.shape != (n, n) or not np.isfinite(matrix).all():
            raise InputError(
                self.label(), "stiffness", given, f"must be a finite {n} by {n} matrix"
            )
        return np.asarray(0.5 * (matrix + matrix.T), dtype=float)

    def new_guard(self) -> Guard:
        """What checks the commands of a session, for a specimen at zero."""
        return Guard(
            bounds_of(self.limits),
            self._setup.outputs,
            self._setup.stiffness_of_actuators(self._initial),
            self.label(),
            self.actuators,
        )

    def new_monitor(self, specimen: Specimen) -> SensorMonitor | None:
        """What watches the sensors of a specimen in a session; None if they are not watched."""
        if self.sensor_check is None:
            return None
        if not isinstance(self.sensor_check, SensorCheck):
            raise InputError(
                self.label(), "sensor_check", self.sensor_check, "must be a SensorCheck or None"
            )
        limits, m = bounds_of(self.limits), self._setup.outputs
        displacement, force = (
            np.broadcast_to(np.inf if given is None else given, m)
            for given in (limits.displacement, limits.force)
        )
        return SensorMonitor(
            self.sensor_check,
            self._setup.stiffness_of_actuators(self._initial),
            specimen.sensor_noise(),
            (displacement, force),
            self.label(),
            self.actuators,
            specimen.physical,
            specimen.moved.why_dead,
        )

    def new_following(self, specimen: Specimen) -> FollowingMonitor | None:
        """What sees whether a physical specimen goes where it is sent."""
        if not specimen.physical:
            return None
        return FollowingMonitor(
            bounds_of(self.limits),
            self.displacement_noise(specimen),
            self.label(),
            self.actuators,
        )

    def displacement_noise(self, specimen: Specimen) -> Array:
        """Standard deviation of the measured displacements, as far as it is known.

        Zeros otherwise.
        """
        check = self.sensor_check
        given = check.displacement_noise if check is not None else None
        known = specimen.sensor_noise()[0] if given is None else given
        return np.broadcast_to(np.asarray(known, dtype=float), (self._setup.outputs,))

    def validate_element(self) -> None:
        """Rules of the subclass."""

    @property
    def actuator_setup(self) -> Setup:
        """The setup in use: `Direct` if none was given."""
        return self._setup

    @property
    def initial(self) -> Array:
        """Initial stiffness in the basic system."""
        return self._initial.copy()

    def must_be_limited(self) -> None:
        """Refuse a physical specimen without limits, before a test."""
        must_be_limited(self.label(), self.specimen.physical, self.limits)

    def own_parameters(self) -> list[tuple[str, Parameter, float]]:
        n, values = self.basic_size, self._initial_upper
        names = [f"stiffness.{a}{b}" for a in range(n) for b in range(a, n)]
        declared = Parameter("entry of the initial stiffness", "force/length")
        return super().own_parameters() + [
            (k, declared, float(x)) for k, x in zip(names, values, strict=True)
        ]

    def kernel_integers(self) -> list[int]:
        """Integers of the basic kernel."""
        return [self.basic_size, len(self.declared)]

    def link_plan(self, dofs: list[tuple[Name, str]], rows: Array, forces: Sequence[str]) -> Plan:
        """Plan over the degrees of freedom that the rows of B touch."""
        m, used = len(rows), np.flatnonzero(np.abs(rows).max(axis=0) > 0.0)
        n = len(used)
        head = [
            *forces,
            *(f"k_{forces[a]}_{forces[b]}" for a in range(m) for b in range(a, m)),
            *(f"v_{f}" for f in forces),
        ]
        return Plan(
            dofs=[dofs[a] for a in used],
            group=link_group,
            basic=measured_law,
            integers=self.kernel_integers(),
            geometry=[float(m), float(n), *rows[:, used].ravel().tolist()],
            state=head + held_names(self.basic_size),
            workspace=2 * m + n + n * (n + 1) // 2,
            damped=self.damped,
            rate_dependent=True,
            basic_forces=tuple(forces),
        )

    # --- its part of the state of a program ---

    def write_measurement(
        self,
        program: Program,
        elements: Array,
        measured: Measurement,
        stiffness: Array | None = None,
        updated: bool = False,
    ) -> None:
        """Write a measurement (and a new stiffness) into the elements' part of a state vector.

        ``elements`` is ``state.vector[program.layout.elements:]``. ``updated`` says whether the
        stiffness was learnt from this measurement.
        """
        if stiffness is None:
            shift_samples(
                self._own(program, elements),
                self.basic_size,
                measured.displacement,
                measured.force,
                self._initial,
                self._initial,
                False,
                False,
            )
            return
        shift_samples(
            self._own(program, elements),
            self.basic_size,
            measured.displacement,
            measured.force,
            self._initial,
            stiffness,
            True,
            updated,
        )

    def estimate_by(
        self,
        program: Program,
        elements: Array,
        estimator: TangentEstimator,
        reach: float,
        least_share: float = 0.0,
    ) -> None:
        """Let the iterations of an implicit step estimate the stiffness by the springs of an
        estimator.

        ``reach`` limits the extrapolation from the last samples, in steps; springs keep at least a
        share of their initial stiffness.
        """
        springs = estimator.springs_of()
        if springs is not None:
            *arrays, low, high = springs
            follow_springs(
                self._own(program, elements),
                self.basic_size,
                reach,
                *arrays,
                max(low, least_share),
                max(high, least_share),
            )

    def stiffness_of(self, program: Program, elements: Array) -> Array:
        """Stiffness in the elements' part of a state vector."""
        n = self.basic_size
        return self._own(program, elements)[n : n + n * (n + 1) // 2][self._places]

    def _own(self, program: Program, elements: Array) -> Array:
        start, names = program.element_state(self.name)
        return elements[start : start + len(names)]

    def deformation(self, program: Program, elements: Array) -> Array:
        """Basic deformations in the elements' part of a state vector."""
        n = self.basic_size
        first = n + n * (n + 1) // 2
        return self._own(program, elements)[first : first + n].copy()
