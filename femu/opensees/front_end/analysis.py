"""system, numberer, constraints, analysis, analyze: steps are taken by what a script has chosen."""

from __future__ import annotations

import math
import sys
from copy import copy
from dataclasses import replace
from typing import Any

from femu.analyses import code
from femu.analyses.integrators.operator_splitting import OperatorSplitting
from femu.model.doubts import warn_accepted
from femu.opensees.front_end.arguments import LARGEST_WHOLE, Reader
from femu.opensees.front_end.choices import (
    HOLDING,
    Algorithm,
    Gimme,
    Implicit,
    Plan,
    StaticControl,
    Test,
    chosen,
    failures,
)
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.errors import calling_line
from femu.opensees.front_end.recorder_needs import needs
from femu.opensees.front_end.session import Session
from femu.opensees.front_end.table import SLOW, Kinds, command
from femu.support.errors import shown

CONSTRAINTS = Kinds("constraints", "constraint handler")
SYSTEMS = (
    "BandGen",
    "BandGEN",
    "BandGeneral",
    "BandSPD",
    "ProfileSPD",
    "SProfileSPD",
    "ParallelProfileSPD",
    "SuperLU",
    "SparseGeneral",
    "SparseGEN",
    "SparseSYM",
    "SparseSPD",
    "UmfPack",
    "Umfpack",
    "FullGeneral",
    "Diagonal",
    "MPIDiagonal",
    "Mumps",
    "Petsc",
    "PFEM",
)
NUMBERERS = ("Plain", "RCM", "AMD", "ParallelPlain", "ParallelRCM")
STEP_FAILED, NEW_STEP_FAILED = -3, -2


def wipe_analysis() -> None:
    """Forget all choices."""
    if domain.session is not None:
        domain.session.end()
    chosen.forget()


@command("wipeAnalysis", "analysis", "", "Forget how steps are solved.")
def _wipe_analysis(reader: Reader) -> None:
    wipe_analysis()


@command(
    "system",
    "analysis",
    "kind:w *arguments",
    "Accepted without effect: femu has one solver, a symmetric band.",
)
def system(reader: Reader) -> None:
    _known(reader, "systemType", SYSTEMS)


@command(
    "numberer",
    "analysis",
    "kind:w *arguments",
    "Accepted without effect: femu numbers for a narrow band.",
)
def numberer(reader: Reader) -> None:
    _known(reader, "numbererType", NUMBERERS)


def _known(reader: Reader, what: str, names: tuple[str, ...]) -> None:
    """Refuse a name that OpenSees does not have: it is not what the script means."""
    name = reader.take(what, "w")
    if name not in names:
        raise reader.wrong(what, name, f"must be one of {', '.join(names)}")


@command(
    "constraints",
    "analysis",
    "kind:w",
    "How constraints are kept: femu always keeps them exactly; see the kinds.",
)
def constraints(reader: Reader) -> None:
    kind = CONSTRAINTS.find(reader)
    reader.read(kind.form)
    if (kind.name in HOLDING) != (chosen.constraints in HOLDING) and domain.model.equal:
        domain.touch()
    chosen.constraints = kind.name


@CONSTRAINTS.kind("Plain", "Transformation", form="", into="constraints taken out of the equations")
@CONSTRAINTS.kind(
    "Penalty",
    "Lagrange",
    "Auto",
    form="alphaS=1 alphaM=1 | -verbose | -autoPenalty oom | -userPenalty penalty",
    into="constraints taken out of the equations: what these tend to",
)
def _constraints() -> None:
    """Nothing to make."""


@command("analysis", "analysis", "kind:w", "Static or Transient.")
def analysis(reader: Reader) -> None:
    kind = reader.take("analysisType", "w")
    reader.read(" | -noWarnings | -numSubLevels n:i | -numSubSteps n:i")
    if kind not in ("Static", "Transient", "VariableTransient"):
        raise reader.unsupported(
            f"kind {shown(kind)} is not supported. Supported: Static, Transient, VariableTransient."
        )
    chosen.kind = kind
    chosen.changed()


def _plan(reader: Reader) -> Plan:
    algorithm = chosen.algorithm or Algorithm("Newton")
    test = chosen.test or Test("NormUnbalance", code.UNBALANCE, 1e-6, 25)
    if algorithm.name == "Linear":
        test = replace(test, code=code.UNBALANCE, tolerance=float("inf"), iterations=1, accept=True)
    common: dict[str, Any] = {"algorithm": algorithm, "test": test, "reader": reader}
    if chosen.kind == "Static":
        static = chosen.static or StaticControl(code.LOAD, 1.0, least=1.0, most=1.0)
        dof = -1
        if static.control == code.DISPLACEMENT:
            numbering = domain.program.numbering
            dof = numbering.place.get(
                (static.node, domain.direction(static.node, static.dof, reader)), -1
            )
            if dof in numbering.links:
                leaders = sorted(
                    {str(numbering.representative[place][0]) for place, _ in numbering.links[dof]}
                )
                raise reader.error(
                    f"DisplacementControl: node {static.node}, dof {static.dof} follows node "
                    f"{', '.join(leaders)} by a constraint (OpenSees would move another dof of "
                    f"it). Fix: control node {leaders[0]}."
                )
            if not 0 <= dof < domain.program.neq:
                raise reader.error(
                    f"DisplacementControl: node {static.node}, dof {static.dof} is fixed, or no "
                    "element uses it."
                )
        load: dict[str, Any] = {"dof": dof, "increment": static.increment, "weight": static.weight}
        return Plan(static.control, **load, **common)
    default = Implicit("Newmark", 1.0, 1.0, 0.25, 0.5)
    integrator: Any = chosen.transient or default
    if isinstance(integrator, Gimme):  # a session to ask
        integrator = default
    if isinstance(integrator, OperatorSplitting):
        # not checked again: a doubt about it was a warning at its command
        integrator = copy(integrator)
        object.__setattr__(
            integrator, "tangent", "initial" if algorithm.tangent == code.INITIAL else "current"
        )
    return Plan(code.TRANSIENT, integrator=integrator, **common)


def session_for(reader: Reader) -> Session:
    """The session that continues with what the script has chosen."""
    plan = _plan(reader)
    session = domain.session
    if session is None or not session.fits(plan):
        session = new_session(plan)
    adaptive = chosen.kind == "VariableTransient" or (
        chosen.static is not None and chosen.static.adaptive
    )
    session.version = -1 if adaptive else chosen.version
    return session


def new_session(plan: Plan) -> Session:
    """A new session, in place of the one before."""
    if domain.session is not None:
        domain.session.end()
    domain.session = Session(domain, plan, needs())
    return domain.session


def present(reader: Reader) -> Session:
    """A session to ask: that of the analysis, or one that only looks at the state."""
    if domain.session is not None:
        return domain.session
    if not domain.model.elements:
        raise reader.error("there are no elements yet.")
    looking = Plan(
        code.LOAD, Algorithm("Newton"), Test("NormUnbalance", code.UNBALANCE, 1e-6, 25), reader
    )
    return new_session(looking)


def _quick_analyze(arguments: tuple[Any, ...]) -> Any:
    """A call that continues as the one before."""
    session = domain.session
    if (
        session is None
        or session.version != chosen.version
        or not arguments
        or type(arguments[0]) is not int
        or not (0 <= arguments[0] <= LARGEST_WHOLE)
    ):
        return SLOW
    if len(arguments) == 1 and not session.plan.transient:
        dt = session.plan.increment if session.plan.control == code.LOAD else 0.0
    elif (
        len(arguments) == 2
        and session.plan.transient
        and type(arguments[1]) is float
        and 0.0 < arguments[1] < math.inf
        and arguments[1] * arguments[1] > 0.0
    ):
        dt = arguments[1]
    else:
        return SLOW
    return _take(session, arguments[0], dt)


@command(
    "analyze",
    "analysis",
    "numIncr:i dt=None dtMin=None dtMax=None Jd:i=None",
    "Take steps; 0, or a negative number if a step failed.",
    _quick_analyze,
)
def analyze(reader: Reader) -> int:
    if not chosen.kind:
        raise reader.error(
            "there is no analysis yet: call analysis('Static') or analysis('Transient') first."
        )
    if not domain.model.elements:
        return _failed(f"analyze ({calling_line()}): there are no elements.")
    a = reader.read("numIncr:i dt=None dtMin=None dtMax=None Jd:i=None")
    if a["numIncr"] < 0:
        warn_accepted(f"analyze: numIncr = {a['numIncr']} must not be negative; no step is taken.")
        return 0
    if chosen.kind == "Static":
        static = chosen.static
        if static is not None and static.adaptive:
            return _adaptive(reader, static, a["numIncr"])
        session = session_for(reader)
        return _take(
            session,
            a["numIncr"],
            session.plan.increment if session.plan.control == code.LOAD else 0.0,
        )
    if isinstance(chosen.transient, Gimme):
        return 0
    if a["dt"] is None:
        raise reader.error(
            "argument dt is missing: a transient analysis takes analyze(numIncr, dt)."
        )
    if not a["dt"] * abs(a["dt"]) > 0.0:
        raise reader.error(f"dt = {shown(a['dt'])} must be above 0, and its square too.")
    if chosen.kind == "VariableTransient":
        return _variable(reader, a)
    return _take(session_for(reader), a["numIncr"], a["dt"])


def _adaptive(reader: Reader, static: StaticControl, steps: int) -> int:
    for _ in range(steps):
        static.adapt()
        session = session_for(reader)
        why = _take(session, 1, static.increment if static.control == code.LOAD else 0.0)
        static.last = session.iterations  # of a step that failed too
        if why != 0:
            return why
    return 0


def _variable(reader: Reader, a: dict[str, Any]) -> int:
    """Steps whose length follows from the iterations of the last one, until the whole time is done."""
    least, most, wanted = a["dtMin"], a["dtMax"], a["Jd"]
    if least is None or most is None or wanted is None:
        raise reader.error("VariableTransient takes analyze(numIncr, dt, dtMin, dtMax, Jd).")
    if not (0.0 < least <= most and wanted >= 1):
        raise reader.error(
            f"dtMin = {least}, dtMax = {most}, Jd = {wanted} must be 0 < dtMin <= dtMax and Jd at "
            "least 1."
        )
    total, done, dt = a["numIncr"] * a["dt"], 0.0, a["dt"]
    if total / most > LARGEST_WHOLE:
        raise reader.error(
            f"numIncr * dt = {total:g} takes more than {LARGEST_WHOLE} steps of dtMax = {most:g}."
        )
    session = session_for(reader)
    while done < total:
        why = _take(session, 1, dt)
        if why == 0:
            done += dt
        elif dt == least:
            return why
        # a step that failed counts as one that took all iterations
        taken = session.iterations if why == 0 else session.plan.test.iterations
        dt = min(max(dt * wanted / max(taken, 1), least), most)
        if 0.0 < total - done < dt:
            dt = max(total - done, least)
    return 0


def _take(session: Session, steps: int, dt: float) -> int:
    done = session.take(steps, dt)
    chosen.iterations, chosen.norm = session.iterations, session.norm
    chosen.tests = 0 if session.plan.algorithm.name == "Linear" else session.iterations
    if done == steps:
        if steps:
            failures.taken()
        return 0
    # a step that ran out of iterations counts one test more: the one that found none left
    chosen.tests += session.iterations == session.plan.test.iterations
    message = (
        f"analyze ({calling_line()}): step {done + 1} of {steps} from time "
        f"{session.state.time:g} failed: {session.reason()}.{_mechanism(session)}"
    )
    no_root = session.why == code.NO_ROOT and session.plan.control == code.DISPLACEMENT
    return _failed(message, NEW_STEP_FAILED if no_root else STEP_FAILED)


def _failed(message: str, result: int = STEP_FAILED) -> int:
    """Report a step that was not taken; the number is the answer of analyze."""
    failures.failed(message)
    print(f"femu.opensees: {message}", file=sys.stderr)
    return result


def _mechanism(session: Session) -> str:
    """What nothing holds, if the stiffness is singular.

    Once for a model: a script may try many steps again.
    """
    if session.why != code.SINGULAR or failures.named_of is session.program:
        return ""
    failures.named_of = session.program
    return session.marcher.mechanism(session.why)


def _quick_tests(arguments: tuple[Any, ...]) -> Any:
    return SLOW if arguments else chosen.tests


@command(
    "testIter",
    "queries",
    "",
    "Iterations of the last step, as the test of convergence counts them.",
    _quick_tests,
)
def test_iter(reader: Reader) -> int:
    return chosen.tests


@command("numIter", "queries", "", "Iterations of the last step.")
def num_iter(reader: Reader) -> int:
    return chosen.iterations


@command("testNorm", "queries", "", "The norm that the last test ended with.")
def test_norm(reader: Reader) -> list[float]:
    return [chosen.norm]


@command("reset", "analysis", "", "Go back to the virgin state at time zero.")
def reset(reader: Reader) -> None:
    domain.restart()
