"""system, numberer, constraints, test, algorithm, integrator, analysis, analyze: how steps are solved."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from femu.analyses import TRBDF2, AlphaOS, CentralDifference, KRAlpha, NewmarkExplicit
from femu.analyses import settings as code
from femu.analyses.one_step import OneStep
from femu.opensees.arguments import Reader
from femu.opensees.domain import domain
from femu.opensees.session import Session
from femu.opensees.table import SLOW, Kinds, command

INTEGRATORS = Kinds("integrator", "integrator")
ALGORITHMS = Kinds("algorithm", "algorithm")
TESTS = Kinds("test", "test")
CONSTRAINTS = Kinds("constraints", "constraint handler")
EUCLIDEAN = 2
QUASI_NEWTON = 8  # increments that stand in for those a quasi-Newton method keeps
SUCCEED_ANYWAY = 5  # print flag of a test: a step that uses up its iterations counts as converged
EXPLICIT_FAILED, STEP_FAILED, NEW_STEP_FAILED = -3, -3, -2


# --- pieces ---

@dataclass(frozen=True)
class Test:
    """A convergence test, as the march reads it."""

    name: str
    code: int
    tolerance: float
    iterations: int
    accept: bool = False


@dataclass(frozen=True)
class Algorithm:
    """A solution algorithm, as the march reads it."""

    name: str
    tangent: int = code.EACH
    line_search: float = 0.0
    krylov: int = 0


@dataclass(frozen=True)
class Implicit(OneStep):
    """An implicit integrator by its four coefficients."""

    name: str
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    def coefficients(self) -> tuple[float, float, float, float]:
        return self.alpha_m, self.alpha_f, self.beta, self.gamma


@dataclass
class StaticControl:
    """A static integrator; the increment of an adaptive one changes from step to step."""

    control: int
    increment: float
    node: int = 0
    dof: int = 0
    weight: float = 0.0
    wanted: int = 1  # iterations a step should take
    least: float = 0.0
    most: float = 0.0
    last: int = 1  # iterations of the last step

    @property
    def adaptive(self) -> bool:
        """Whether the increment changes."""
        return self.least != self.most

    def adapt(self) -> None:
        """The increment of the next step, by the iterations of the last one."""
        self.increment = min(max(self.increment * self.wanted / max(self.last, 1), self.least), self.most)


@dataclass(frozen=True)
class Plan:
    """How the next steps are taken."""

    control: int
    algorithm: Algorithm
    test: Test
    accept: bool
    reader: Any
    integrator: Any = None
    dof: int = -1
    increment: float = 0.0
    weight: float = 0.0

    @property
    def transient(self) -> bool:
        """Whether it is an analysis in time."""
        return self.control == code.TRANSIENT


@dataclass
class Settings:
    """What a script has chosen; what it has not stays at OpenSees' defaults."""

    test: Test | None = None
    algorithm: Algorithm | None = None
    static: StaticControl | None = None
    transient: Any = None
    kind: str = ""
    iterations: int = 0
    norm: float = 0.0
    version: int = 0


settings = Settings()
_versions = count()


def _changed() -> None:
    """Say that the choices have changed, so that a session is looked at anew."""
    settings.version = next(_versions)


def wipe_analysis() -> None:
    """Forget all choices."""
    global settings
    if domain.session is not None:
        domain.session.end()
    settings = Settings()
    _changed()


@command("wipeAnalysis", "analysis", "", "Forget how steps are solved.")
def _wipe_analysis(reader: Reader) -> None:
    wipe_analysis()


@command("system", "analysis", "kind:w *arguments", "Accepted without effect: femu has one solver, a symmetric band.")
def system(reader: Reader) -> None:
    reader.take("systemType", "w")


@command("numberer", "analysis", "kind:w *arguments", "Accepted without effect: femu numbers for a narrow band.")
def numberer(reader: Reader) -> None:
    reader.take("numbererType", "w")


@command("constraints", "analysis", "kind:w", "How constraints are kept: femu always keeps them exactly; see the kinds.")
def constraints(reader: Reader) -> None:
    kind = CONSTRAINTS.find(reader)
    reader.read(kind.form)


@CONSTRAINTS.kind("Plain", "Transformation", form="", into="constraints taken out of the equations")
@CONSTRAINTS.kind("Penalty", "Lagrange", "Auto", form="alphaS=1 alphaM=1 | -verbose | -autoPenalty oom | -userPenalty penalty",
                  into="constraints taken out of the equations: what these tend to")
def _constraints() -> None:
    """Nothing to make."""


# --- tests ---

@command("test", "analysis", "kind:w", "When a step is in equilibrium; see the kinds.")
def test(reader: Reader) -> None:
    kind = TESTS.find(reader)
    reader.command = f"test({kind.name!r})"
    settings.test = kind.make(reader, reader.read(kind.form), kind.name)
    _changed()


_CODES = {"NormUnbalance": code.UNBALANCE, "NormDispIncr": code.INCREMENT, "EnergyIncr": code.ENERGY,
          "RelativeNormUnbalance": code.STARTING_UNBALANCE, "RelativeNormDispIncr": code.RELATIVE_INCREMENT,
          "RelativeEnergyIncr": code.RELATIVE_ENERGY}


@TESTS.kind(*_CODES, form="tol iter:i pFlag:i=0 nType:i=2 maxIncr=None", into="the same norm")
def _norm(reader: Reader, a: dict[str, Any], name: str) -> Test:
    if a["nType"] != EUCLIDEAN:
        raise reader.unsupported(f"nType = {a['nType']} is not supported: femu has the Euclidean norm, 2.")
    if a["iter"] < 1:
        raise reader.error(f"iter = {a['iter']} must be at least 1.")
    return Test(name, _CODES[name], a["tol"], a["iter"], a["pFlag"] == SUCCEED_ANYWAY)


@TESTS.kind("FixedNumIter", form="iter:i pFlag:i=0 nType:i=2", into="that many iterations")
def _fixed(reader: Reader, a: dict[str, Any], name: str) -> Test:
    return Test(name, code.UNBALANCE, -1.0, a["iter"], True)


TESTS.refuse("femu has no such test", "RelativeTotalNormDispIncr", "NormDispAndUnbalance", "NormDispOrUnbalance", "PFEM",
             "NormUnbalanceIncr")


# --- algorithms ---

@command("algorithm", "analysis", "kind:w", "How a step looks for equilibrium; see the kinds.")
def algorithm(reader: Reader) -> None:
    kind = ALGORITHMS.find(reader)
    reader.command = f"algorithm({kind.name!r})"
    settings.algorithm = kind.make(reader, kind.name)
    _changed()


@ALGORITHMS.kind("Linear", form="| -initial | -secant | -factorOnce", into="one iteration, not tested")
def _linear(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial | -secant | -factorOnce")
    return Algorithm(name, code.INITIAL if a["initial"] else code.EACH)


@ALGORITHMS.kind("Newton", form="| -initial", into="Newton")
def _newton(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial", ("-initialThenCurrent", "-intialThenCurrent", "-secant", "-hall", "-Hall"))
    return Algorithm(name, code.INITIAL if a["initial"] else code.EACH)


@ALGORITHMS.kind("ModifiedNewton", form="| -initial", into="ModifiedNewton")
def _modified(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -initial", ("-secant", "-hall", "-Hall", "-factorOnce", "-FactorOnce"))
    return Algorithm(name, code.INITIAL if a["initial"] else code.FIRST_OF_STEP)


@ALGORITHMS.kind("NewtonLineSearch", into="NewtonLineSearch",
                 form="ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta maxEta")
def _line_search(reader: Reader, name: str) -> Algorithm:
    a = reader.read("ratio=0.8 | -type kind:w | -tol tol | -maxIter maxIter:i | -minEta minEta | -maxEta maxEta", ("-pFlag",))
    if a["type"] not in (None, "InitialInterpolated"):
        raise reader.unsupported(f"option '-type' = {a['type']!r} is not supported. Use InitialInterpolated.")
    for option, value in (("maxIter", code.LINE_SEARCH_TRIALS), ("minEta", code.LINE_SEARCH_LEAST),
                          ("maxEta", code.LINE_SEARCH_MOST)):
        if a[option] not in (None, value):
            raise reader.unsupported(f"option '-{option}' other than {value:g} is not supported.")
    return Algorithm(name, code.EACH, a["ratio"] if a["tol"] is None else a["tol"])


@ALGORITHMS.kind("KrylovNewton", form="| -maxDim maxDim:i", into="KrylovNewton")
def _krylov(reader: Reader, name: str) -> Algorithm:
    a = reader.read(" | -maxDim maxDim:i | -iterate iterate:w | -increment increment:w")
    for option in ("iterate", "increment"):
        if a[option] not in (None, "current"):
            raise reader.unsupported(f"option '-{option}' = {a[option]!r} is not supported. Use current.")
    dimension = 3 if a["maxDim"] is None else a["maxDim"]
    if not 1 <= dimension <= 20:
        raise reader.error(f"maxDim = {dimension} must lie between 1 and 20.")
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, dimension)


@ALGORITHMS.kind("BFGS", "Broyden", "SecantNewton", "PeriodicNewton", into="KrylovNewton: the same equilibrium, other iterations",
                 form="count:i=10 | -initial | -count count:i | -maxDim maxDim:i")
def _quasi_newton(reader: Reader, name: str) -> Algorithm:
    reader.read("count:i=10 | -initial | -secant | -count count:i | -maxDim maxDim:i | -iterate iterate:w | -increment incr:w")
    return Algorithm(name, code.FIRST_OF_STEP, 0.0, QUASI_NEWTON)


ALGORITHMS.refuse("femu has Newton, ModifiedNewton, NewtonLineSearch, KrylovNewton and Linear", "RaphsonNewton", "MillerNewton",
                  "ExpressNewton", "AcceleratedNewton")


# --- integrators ---

@command("integrator", "analysis", "kind:w", "What a step is; see the kinds.")
def integrator(reader: Reader) -> None:
    kind = INTEGRATORS.find(reader)
    reader.command = f"integrator({kind.name!r})"
    made = kind.make(reader, reader.read(kind.form), kind.name)
    if isinstance(made, StaticControl):
        settings.static = made
    else:
        settings.transient = made
    _changed()


@INTEGRATORS.kind("LoadControl", form="dLambda numIter:i=1 minLambda=None maxLambda=None", into="load control")
def _load_control(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    least, most = a["minLambda"], a["maxLambda"]
    step = a["dLambda"]
    return StaticControl(code.LOAD, step, wanted=a["numIter"], least=step if least is None else least,
                         most=step if most is None else most, last=a["numIter"])


@INTEGRATORS.kind("DisplacementControl", into="displacement control",
                  form="nodeTag:i dof:i incr numIter:i=1 dUmin=None dUmax=None | -initial")
def _displacement_control(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    domain.direction(a["nodeTag"], a["dof"], reader)
    if a["initial"]:
        raise reader.unsupported("option '-initial' is not supported.")
    step, least, most = a["incr"], a["dUmin"], a["dUmax"]
    return StaticControl(code.DISPLACEMENT, step, a["nodeTag"], a["dof"], wanted=a["numIter"],
                         least=step if least is None else least, most=step if most is None else most, last=a["numIter"])


@INTEGRATORS.kind("ArcLength", form="s alpha", into="arc length")
def _arc_length(reader: Reader, a: dict[str, Any], name: str) -> StaticControl:
    return StaticControl(code.ARC_LENGTH, a["s"], weight=a["alpha"] ** 2)


@INTEGRATORS.kind("Newmark", form="gamma beta | -form form:w", into="Newmark")
def _newmark(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    if a["form"] not in (None, "D", "d"):
        raise reader.unsupported(f"option '-form' = {a['form']!r} is not supported. Use D.")
    if not a["beta"] > 0.0:
        raise reader.unsupported("beta = 0 is not supported: use NewmarkExplicit.")
    return Implicit(name, 1.0, 1.0, a["beta"], a["gamma"])


@INTEGRATORS.kind("HHT", form="alpha gamma=None beta=None", into="HHT")
def _hht(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    alpha = a["alpha"]
    gamma = 1.5 - alpha if a["gamma"] is None else a["gamma"]
    beta = (2.0 - alpha) ** 2 / 4.0 if a["beta"] is None else a["beta"]
    return Implicit(name, 1.0, alpha, beta, gamma)


@INTEGRATORS.kind("GeneralizedAlpha", form="alphaM alphaF gamma=None beta=None", into="GeneralizedAlpha")
def _generalized(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    difference = a["alphaM"] - a["alphaF"]
    gamma = 0.5 + difference if a["gamma"] is None else a["gamma"]
    beta = (1.0 + difference) ** 2 / 4.0 if a["beta"] is None else a["beta"]
    return Implicit(name, a["alphaM"], a["alphaF"], beta, gamma)


@INTEGRATORS.kind("HHTGeneralized", form="rhoInf", into="GeneralizedAlpha")
def _hht_generalized(reader: Reader, a: dict[str, Any], name: str) -> Implicit:
    r = a["rhoInf"]
    m, f = (2.0 - r) / (1.0 + r), 1.0 / (1.0 + r)
    return Implicit(name, m, f, (1.0 + m - f) ** 2 / 4.0, 0.5 + m - f)


@INTEGRATORS.kind("NewmarkExplicit", form="gamma", into="NewmarkExplicit")
def _newmark_explicit(reader: Reader, a: dict[str, Any], name: str) -> OneStep:
    return NewmarkExplicit(a["gamma"])


@INTEGRATORS.kind("CentralDifference", form="", into="CentralDifference")
def _central_difference(reader: Reader, a: dict[str, Any], name: str) -> OneStep:
    return CentralDifference()


@INTEGRATORS.kind("TRBDF2", form="", into="TRBDF2")
def _trbdf2(reader: Reader, a: dict[str, Any], name: str) -> OneStep:
    return TRBDF2()


@INTEGRATORS.kind("AlphaOS", "AlphaOS_TP", form="alpha | -updateElemDisp", into="AlphaOS, with the tangent of the algorithm")
def _alpha_os(reader: Reader, a: dict[str, Any], name: str) -> OneStep:
    if name == "AlphaOS" and a["alpha"] != 1.0:
        _need_update(reader, a, "AlphaOS_TP")
        return AlphaOS(a["alpha"], form="midpoint")
    return AlphaOS(a["alpha"])


@INTEGRATORS.kind("KRAlphaExplicit", "KRAlphaExplicit_TP", form="rhoInf | -updateElemDisp", into="KRAlpha")
def _kr_alpha(reader: Reader, a: dict[str, Any], name: str) -> OneStep:
    if name == "KRAlphaExplicit":
        _need_update(reader, a, "KRAlphaExplicit_TP")
        return KRAlpha(a["rhoInf"], form="midpoint")
    return KRAlpha(a["rhoInf"])


def _need_update(reader: Reader, a: dict[str, Any], other: str) -> None:
    if not a["updateElemDisp"]:
        raise reader.unsupported(f"without '-updateElemDisp' is not supported: give it, or use {other}.")


INTEGRATORS.refuse("femu has no such integrator", "MinUnbalDispNorm", "ParallelDisplacementControl", "ArcLength1", "HSConstraint",
                   "PFEM", "Houbolt", "WilsonTheta", "Collocation", "BackwardEuler", "CentralDifferenceAlternative",
                   "CentralDifferenceNoDamping", "ExplicitDifference", "Newmark1", "HHT1", "HHTExplicit", "AlphaOSGeneralized",
                   "TRBDF3", "NewmarkHSFixedNumIter", "NewmarkHSIncrReduct", "NewmarkHSIncrLimit", "EQPath", "GimmeMCK")


# --- analysis ---

@command("analysis", "analysis", "kind:w", "Static or Transient.")
def analysis(reader: Reader) -> None:
    kind = reader.take("analysisType", "w")
    reader.read(" | -noWarnings | -numSubLevels n:i | -numSubSteps n:i")
    if kind not in ("Static", "Transient", "VariableTransient"):
        raise reader.unsupported(f"kind {kind!r} is not supported. Supported: Static, Transient, VariableTransient.")
    settings.kind = kind
    _changed()


def _plan(reader: Reader) -> Plan:
    chosen = settings
    algorithm = chosen.algorithm or Algorithm("Newton")
    test = chosen.test or Test("NormUnbalance", code.UNBALANCE, 1e-6, 25)
    if algorithm.name == "Linear":
        test = replace(test, code=code.UNBALANCE, tolerance=float("inf"), iterations=1, accept=True)
    common = {"algorithm": algorithm, "test": test, "accept": test.accept, "reader": reader}
    if chosen.kind == "Static":
        static = chosen.static or StaticControl(code.LOAD, 1.0, least=1.0, most=1.0)
        dof = -1
        if static.control == code.DISPLACEMENT:
            dof = domain.program.numbering.place.get((static.node, domain.direction(static.node, static.dof, reader)), -1)
            if not 0 <= dof < domain.program.neq:
                raise reader.error(f"DisplacementControl: node {static.node}, dof {static.dof} is fixed, or no element uses it.")
        return Plan(static.control, dof=dof, increment=static.increment, weight=static.weight, **common)  # type: ignore[arg-type]
    integrator = chosen.transient or Implicit("Newmark", 1.0, 1.0, 0.25, 0.5)
    if isinstance(integrator, AlphaOS):
        integrator = replace(integrator, tangent="initial" if algorithm.tangent == code.INITIAL else "current")
    return Plan(code.TRANSIENT, integrator=integrator, **common)  # type: ignore[arg-type]


def session_for(reader: Reader) -> Session:
    """The session that goes on by what the script has chosen."""
    plan = _plan(reader)
    session = domain.session
    if session is None or not session.fits(plan):
        session = new_session(plan)
    adaptive = settings.kind == "VariableTransient" or (settings.static is not None and settings.static.adaptive)
    session.version = -1 if adaptive else settings.version
    return session


def new_session(plan: Plan) -> Session:
    """A session of its own, in place of the one before."""
    from femu.opensees.recorders import needs

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
    looking = Plan(code.LOAD, Algorithm("Newton"), Test("NormUnbalance", code.UNBALANCE, 1e-6, 25), False, reader)
    return new_session(looking)


def _quick_analyze(arguments: tuple[Any, ...]) -> Any:
    """A call that goes on as the one before."""
    session = domain.session
    if session is None or session.version != settings.version or type(arguments[0]) is not int:
        return SLOW
    if len(arguments) == 1 and not session.plan.transient:
        dt = session.plan.increment if session.plan.control == code.LOAD else 0.0
    elif len(arguments) == 2 and session.plan.transient and type(arguments[1]) is float and arguments[1] > 0.0:
        dt = arguments[1]
    else:
        return SLOW
    return _take(session, arguments[0], dt)


@command("analyze", "analysis", "numIncr:i dt=None dtMin=None dtMax=None Jd:i=None",
         "Take steps; 0, or a negative number where a step failed.", _quick_analyze)
def analyze(reader: Reader) -> int:
    if not settings.kind:
        raise reader.error("there is no analysis yet: call analysis('Static') or analysis('Transient') first.")
    if not domain.model.elements:
        raise reader.error("there are no elements.")
    a = reader.read("numIncr:i=1 dt=None dtMin=None dtMax=None Jd:i=None")
    if settings.kind == "Static":
        static = settings.static
        if static is not None and static.adaptive:
            return _adaptive(reader, static, a["numIncr"])
        session = session_for(reader)
        return _take(session, a["numIncr"], session.plan.increment if session.plan.control == code.LOAD else 0.0)
    if a["dt"] is None:
        raise reader.error("argument dt is missing: a transient analysis takes analyze(numIncr, dt).")
    if not a["dt"] > 0.0:
        raise reader.error(f"dt = {a['dt']!r} must be above 0.")
    if settings.kind == "VariableTransient":
        return _variable(reader, a)
    return _take(session_for(reader), a["numIncr"], a["dt"])


def _adaptive(reader: Reader, static: StaticControl, steps: int) -> int:
    for _ in range(steps):
        static.adapt()
        session = session_for(reader)
        why = _take(session, 1, static.increment if static.control == code.LOAD else 0.0)
        if why != 0:
            return why
        static.last = session.iterations
    return 0


def _variable(reader: Reader, a: dict[str, Any]) -> int:
    """Steps whose length follows from the iterations of the last one, until the whole time is done."""
    least, most, wanted = a["dtMin"], a["dtMax"], a["Jd"]
    if least is None or most is None or wanted is None:
        raise reader.error("VariableTransient takes analyze(numIncr, dt, dtMin, dtMax, Jd).")
    total, done, dt = a["numIncr"] * a["dt"], 0.0, a["dt"]
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
    settings.iterations, settings.norm = session.iterations, session.norm
    if done == steps:
        return 0
    print(f"femu.opensees: analyze: step {done + 1} of {steps} from time {session.state.time:g} failed: {session.reason()}.",
          file=sys.stderr)
    return NEW_STEP_FAILED if session.why == code.NO_ROOT and session.plan.control == code.DISPLACEMENT else STEP_FAILED


def _quick_iterations(arguments: tuple[Any, ...]) -> Any:
    return settings.iterations


@command("testIter", "queries", "", "Iterations of the last step.", _quick_iterations)
def test_iter(reader: Reader) -> int:
    return settings.iterations


@command("numIter", "queries", "", "Iterations of the last step.")
def num_iter(reader: Reader) -> int:
    return settings.iterations


@command("testNorm", "queries", "", "The norm that the last test ended with.")
def test_norm(reader: Reader) -> list[float]:
    return [settings.norm]


@command("reset", "analysis", "", "Go back to the virgin state at time zero.")
def reset(reader: Reader) -> None:
    domain.restart()
