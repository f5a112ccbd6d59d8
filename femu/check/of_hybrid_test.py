"""Checks of a hybrid test before it runs: specimens that act in directions without mass.

In such a direction the equilibrium of a step is that of forces alone. A specimen is measured at d,
the end of the step that the integrator expects, and is treated as linear from there, with the
stiffness K_e that the test uses. If its own stiffness is k and other members have k_n, the step
ends at ::

    u = e d,    e = (K_e - k) / (K_e + k_n)

The velocity and the acceleration, from which the next d is extrapolated, follow from u by Newmark's
formulas; without mass nothing bounds them. With ``d = u + dt v + dt^2/2 a`` (ImplicitHybrid,
Newmark) errors grow in each step for every e but 0: by 1.24 at e = 0.2, and by 3.1 at e = -0.25. If
the specimen answers late, u is e times an earlier d, and errors also grow with the shorter
predictor of the operator-splitting methods; a compensation, which extrapolates once more, does not
help. With e = 0, a linear specimen of known stiffness, they do not grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from femu.engine.program import Program
from femu.engine.workspace import Workspace
from femu.model.component import Constitutive
from femu.model.element import Name
from femu.model.findings import Finding, as_warning

NO_MASS = 0.01  # of k dt^2 / 2, below which a mass does not bound the errors
DAMPED = 0.7  # Newmark's gamma from which velocities without mass are damped enough
SHARE = 0.25  # of the stiffness of a direction that a specimen must have for its errors to matter


def directions_without_mass(test: Any) -> Iterator[Finding]:
    """Findings on specimens that act in directions without mass, if errors of their stiffness grow
    there."""
    from femu.analyses.integrators.fixed_iterations import FixedIterations
    from femu.analyses.integrators.integrator import Integrator
    from femu.experimental import InitialTangent, Plant

    integrator = test.integrator
    # it measures at its iterates, not at an extrapolation
    if isinstance(integrator, FixedIterations):
        return
    extrapolates = (
        type(integrator).command is Integrator.command and integrator.coefficients()[3] < DAMPED
    )
    for name, element in test.elements.items():
        actuator = getattr(element.specimen, "actuator", None)
        delay = getattr(actuator, "delay", 0.0)
        # a plant is late, and a compensation extrapolates too
        late = delay > 0.0 or isinstance(actuator, Plant) or element.compensation is not None
        constant = isinstance(test.tangents[name], InitialTangent)
        if not (late or (extrapolates and constant)) or (constant and _is_known(element)):
            continue
        bare = _without_mass(test.program, name, test.transient.dt)
        if bare is None:
            continue
        node, direction = bare
        says = f"is measured {delay:g} late, and acts" if delay > 0.0 else "acts"
        instead = "FixedIterations()" if late else "AlphaOS()"
        yield as_warning(
            f"the specimen of {name!r} {says} on node {node!r} along {direction}, which has no "
            "mass: every difference between its stiffness and the one that the test uses, as when "
            "it yields, grows there from step to step without bound. Fix: fix that direction, give "
            f"node {node!r} a mass along {direction}, or take integrator={instead}.",
            name,
            node,
            direction,
        )


def _is_known(element: Any) -> bool:
    """Whether a specimen is linear, with the stiffness that the test uses."""
    of = getattr(element.specimen, "of", None)
    own = element.specimen.initial_stiffness()
    if of is None or own is None:
        return False
    parts = [
        part
        for one in (of if isinstance(of, (list, tuple)) else [of])
        for part in (
            [one] if isinstance(one, Constitutive) else [inner for _, inner in one.parts()]
        )
    ]
    exact = np.allclose(
        element.initial,
        element.actuator_setup.stiffness(own),
        rtol=1e-9,
        atol=1e-9 * float(np.abs(own).max()),
    )
    return bool(exact) and not any(part.history_names() for part in parts)


def _without_mass(program: Program, name: Name, dt: float) -> tuple[Name, str] | None:
    """A direction without mass in which a specimen gives much of the stiffness."""
    masses = program.mass_matrix().diagonal()
    free = [
        (dof, place)
        for dof in program.plans[name].dofs
        if (place := program.numbering.place.get(dof, program.neq)) < program.neq
        and place not in program.imposed
    ]
    vector = program.parameters.vector.copy()
    everything = _diagonal(program, vector)
    for at, parameter in enumerate(program.parameters.names):
        if parameter.startswith(f"{name}.stiffness."):
            vector[at] = 0.0
    own = everything - _diagonal(program, vector)
    for (node, direction), place in free:
        if (
            own[place] > SHARE * everything[place]
            and masses[place] < NO_MASS * 0.5 * dt**2 * own[place]
        ):
            return node, direction
    return None


def _diagonal(program: Program, parameters: Any) -> Any:
    stiffness = Workspace(program, program.state(), parameters).initial_stiffness()
    return stiffness[program.sparsity.diagonal].copy()
