"""The components that the documentation adds, file by file, do what their pages say."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from femu import FailedAnalysis, GroundMotion, HybridTest, Model, Outcome, Unknown
from femu.analyses import (
    CentralDifference,
    DisplacementControl,
    LoadControl,
    Newmark,
    Transient,
)
from femu.analyses.integrators.integrator import Integrator
from femu.analyses.noniterative import stepping
from femu.elements import ForceBeamColumn, TwoNodeLink, ZeroLength
from femu.elements.assembly import scatter
from femu.engine.element_kernels import GROUP, element_at
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalLink,
    Limits,
    Measurement,
    Specimen,
    TangentEstimator,
)
from femu.filters import Bounds, KalmanFilter, StateSpace
from femu.kernels import inlined, kernel, shift
from femu.materials import Bilinear, Elastic
from femu.model.element import Element, Name, Plan
from femu.model.moment_curvature import moment_curvature
from femu.support.errors import AnalysisError, InputError
from femu.updating import ModelUpdater

DOCS = Path(__file__).parents[1] / "docs" / "adding"


def example(name: str) -> ModuleType:
    path = DOCS / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_shows_a_file_that_exists() -> None:
    pages = [p for p in DOCS.glob("*.md") if p.name != "index.md"]
    assert len(pages) == 7
    for page in pages:
        found = re.findall(r"literalinclude\} (\S+)", page.read_text())
        assert found and all((DOCS / f).resolve().is_file() for f in found)
        assert page.stem in (DOCS / "index.md").read_text()


def test_section() -> None:
    made = example("smooth_section").SmoothSection(EA=1e9, EI=2e7, strength=3e5)
    curvature = np.linspace(0.0, 0.05, 60)
    found = moment_curvature(made, curvature)
    np.testing.assert_allclose(
        found.moment, 3e5 * np.tanh(2e7 * curvature / 3e5), rtol=1e-12, atol=1e-6
    )
    model = Model("cantilever")
    model.node("i", 0.0, 0.0, fixed=True)
    model.node("j", 3.0, 0.0)
    model.add(ForceBeamColumn("c", "i", "j", section=made))
    model.load("j", y=5e4)
    result = LoadControl().run(model)
    assert result.outcome is Outcome.COMPLETE
    assert result.force("c")[-1, 2] == pytest.approx(-1.5e5, rel=1e-6)
    elastic = 5e4 * 27.0 / (3.0 * 2e7)
    assert 1.02 * elastic < result.displacement("j", "y")[-1] < 1.4 * elastic


def test_element() -> None:
    ToggleLink = example("toggle_link").ToggleLink

    def stretched(link: TwoNodeLink) -> float:
        model = Model("link")
        model.node("i", 0.0, 0.0, fixed=True)
        model.node("j", 3.0, 4.0, fixed=("y", "rz"))
        model.add(link)
        model.load("j", x=100.0)
        return float(LoadControl().run(model).displacement("j", "x")[-1])

    plain = stretched(TwoNodeLink("t", "i", "j", {"x": Elastic(1e4)}))
    toggled = stretched(ToggleLink("t", "i", "j", {"x": Elastic(1e4)}, magnification=2.5))
    assert plain == pytest.approx(100.0 / (0.36 * 1e4), rel=1e-12)
    assert toggled == pytest.approx(plain / 2.5**2, rel=1e-12)
    with pytest.raises(InputError, match="magnification"):
        ToggleLink("t", "i", "j", {"x": Elastic(1e4)}, magnification=0.0)


def braced(**options: float) -> Model:
    """A bar along (3, 4) to a node that moves along x, and a spring that holds it when slack."""
    model = Model("braced")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("ground", 3.0, 4.0, fixed=True)
    model.node("top", 3.0, 4.0, fixed=("y", "rz"), mass=(100.0, 0.0, 0.0))
    model.add(example("bar").TensionBar("bar", "foot", "top", EA=5e6, strength=1e4, **options))
    model.add(ZeroLength("spring", "ground", "top", {"x": Elastic(1e3)}))
    model.load("top", x=1.0)
    return model


def test_element_with_its_own_kernel() -> None:
    """N of a tension-only bar of stiffness k that has yielded in tension to v_max: strength while
    it yields, else k (v - v_max + strength/k), and 0 if that is negative."""
    result = DisplacementControl("top", "x", [0.05, -0.05, 0.1, 0.0], 0.001).run(braced())
    assert result.outcome is Outcome.COMPLETE
    k, v = 1e6, 0.6 * result.displacement("top", "x")
    slack = np.maximum(np.maximum.accumulate(v) - 1e4 / k, 0.0)
    wanted = np.maximum(k * (v - slack), 0.0)
    assert (wanted == 0.0).any() and (np.abs(wanted - 1e4) < 1.0).any()
    found = result.force("bar", system="basic")[:, 0]
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-9 * 1e4)
    # equilibrium along x: load = 0.6 N + spring
    load = 0.6 * found + 1e3 * result.displacement("top", "x")
    np.testing.assert_allclose(result.factor("loads"), load, rtol=0.0, atol=1e-6 * 1e4)


def test_element_with_its_own_kernel_in_every_mode() -> None:
    """Newmark's method evaluates forces and stiffness, central differences evaluate forces only:
    both converge to the same motion."""
    quake = GroundMotion.el_centro().scaled(pga=20.0)
    peaks = []
    for integrator, dt in ((Newmark(), 0.001), (CentralDifference(), 0.001)):
        result = Transient(integrator, dt=dt).run(braced(), quake, duration=5.0)
        assert result.outcome is Outcome.COMPLETE
        force = result.force("bar", system="basic")
        assert force.min() == 0.0 and force.max() == 1e4
        peaks.append(result.displacement("top", "x").max())
    assert peaks[0] == pytest.approx(peaks[1], rel=0.01)  # of the order of (omega dt)^2 = 0.004


def test_element_that_has_no_answer_ends_the_analysis_with_its_sentence() -> None:
    sentence = r"TensionBar\('bar'\): elongation 0\.01.* is beyond its limit\. Other"
    with pytest.warns(FailedAnalysis, match=sentence):
        result = DisplacementControl("top", "x", [0.05], 0.001).run(braced(limit=0.002))
    assert result.outcome is Outcome.NOT_CONVERGED
    assert result.displacement("top", "x")[-1] <= 0.002 * 5.0 / 0.6


@kernel(GROUP)
def whole_matrix(run, first, count, mode):  # type: ignore[no-untyped-def]
    for e in range(first, first + count):
        own = element_at(shift(run.element_integers, run.element_starts[e]))
        scatter(run, own, (0.0, 0.0), (1.0, -1.0, -1.0, 1.0), run.workspace)
    return 0


class WholeMatrix(Element):
    name: Name
    i: Name
    j: Name

    @property
    def nodes(self) -> tuple[Name, ...]:
        return (self.i, self.j)

    def plan(self, coordinates: dict[Name, np.ndarray]) -> Plan:
        return Plan([(self.i, "x"), (self.j, "x")], whole_matrix, None, [], [], ["N"], 3)


def test_a_stiffness_that_is_no_lower_triangle_is_refused() -> None:
    # its last number would be added to a place that belongs to something else
    model = oscillator()
    model.add(WholeMatrix("whole", "ground", "mass"))
    with pytest.raises(InputError, match=r"2 forces and 4 stiffnesses, and needs .*: 3 numbers"):
        Transient(Newmark(), dt=0.01).run(model, duration=0.1)


def oscillator() -> Model:
    model = Model("oscillator")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
    model.add(ZeroLength("spring", "ground", "mass", {"x": Elastic((2.0 * np.pi) ** 2)}))
    return model


def test_integrator() -> None:
    WBZAlpha = example("wbz_alpha").WBZAlpha
    quake = GroundMotion.el_centro()

    def roof(integrator: Newmark, dt: float) -> np.ndarray:
        return (
            Transient(integrator, dt=dt)
            .run(oscillator(), quake, duration=4.0)
            .displacement("mass", "x")
        )

    np.testing.assert_allclose(
        roof(WBZAlpha(0.0), 0.02), roof(Newmark(), 0.02), rtol=1e-10, atol=1e-12
    )
    exact = roof(Newmark(), 0.02 / 64)[::64]
    errors = [np.abs(roof(WBZAlpha(-0.2), 0.02 / k)[::k] - exact).max() for k in (2, 4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    with pytest.raises(InputError, match="alpha"):
        WBZAlpha(0.5)


def storeys() -> Model:
    model = Model("storeys")
    model.node("ground", 0.0, 0.0, fixed=True)
    for name, below in (("1", "ground"), ("2", "1")):
        model.node(name, 0.0, 0.0, fixed=("y", "rz"), mass=(2.0, 0.0, 0.0))
        model.add(ZeroLength("s" + name, below, name, {"x": Elastic(400.0)}, damped=True))
    model.rayleigh(mass=0.3, initial=0.002)
    return model


def test_integrator_with_its_own_step() -> None:
    """The recursion of the docstring, with full matrices in numpy."""
    Tchamwa, phi, dt = example("tchamwa_wielgosz").TchamwaWielgosz, 1.1, 0.01
    quake = GroundMotion.el_centro()
    found = Transient(Tchamwa(phi), dt=dt).run(storeys(), quake, duration=5.0)
    K = 400.0 * np.array([[2.0, -1.0], [-1.0, 1.0]])
    C = 0.3 * 2.0 * np.eye(2) + 0.002 * K
    ground = np.interp(
        found.time, quake.dt * np.arange(len(quake.acceleration)), quake.acceleration
    )
    u, v, a, wanted = np.zeros(2), np.zeros(2), np.zeros(2), [np.zeros(2)]
    for acceleration in ground[1:]:
        u, v = u + dt * v + phi * dt**2 * a, v + dt * a
        a = -(C @ v + K @ u) / 2.0 - acceleration
        wanted.append(u)
    for k, node in enumerate(("1", "2")):
        np.testing.assert_allclose(
            found.displacement(node, "x"), np.array(wanted)[:, k], rtol=0.0, atol=1e-12
        )


def test_integrator_with_its_own_step_stays_below_its_limit() -> None:
    """An undamped oscillation does not grow at 0.99 of the limit, and grows above it."""
    module = example("tchamwa_wielgosz")
    limit = 2.0 / np.sqrt(1.2) / (2.0 * np.pi)  # z < 4/(2 phi - 1) at phi = 1.1, omega = 2 pi
    quake = GroundMotion("pulse", limit, [0.0, 1.0, 0.0])

    class Unchecked(module.TchamwaWielgosz):  # type: ignore[name-defined, misc]
        def check_step(self, run: Any, dt: float) -> None:
            pass

    def peaks(share: float) -> np.ndarray:
        analysis = Transient(Unchecked(1.1), dt=share * limit)
        u = analysis.run(oscillator(), quake, duration=200.0 * limit, check=False)
        return np.abs(u.displacement("mass", "x"))

    below, above = peaks(0.99), peaks(1.01)
    assert below[-20:].max() <= below[:20].max()
    assert above[-20:].max() > 10.0 * above[:20].max()
    with pytest.raises(AnalysisError, match=r"TchamwaWielgosz is unstable"):
        Transient(module.TchamwaWielgosz(1.1), dt=1.01 * limit).run(
            oscillator(), quake, check=False
        )
    with pytest.raises(InputError, match=r"phi = 0\.9 must lie"):
        module.TchamwaWielgosz(0.9)


def test_a_step_function_that_was_not_marked_is_refused() -> None:
    def step(run: Any, settings: Any, number: Any) -> int:
        return 0

    with pytest.raises(InputError, match=r"put @inlined .* above def .*step"):
        stepping(step)


def test_a_step_function_that_returns_nothing_is_refused() -> None:
    @inlined
    def forgetful(run, settings, step):  # type: ignore[no-untyped-def]
        run.u1[0] = 0.0

    class Forgetful(CentralDifference):
        kernel = stepping(forgetful)

    with pytest.raises(InputError, match=r"ends without a return"):
        Transient(Forgetful(), dt=0.01).run(oscillator(), duration=0.1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((1.0, 1.0, 0.25), "four numbers"),
        ((1.0, 1.0, np.nan, 0.5), "finite"),
        ((1.0, 1.0, 0.0, 0.5), "beta = 0.*by stepping"),
    ],
)
def test_coefficients_that_no_step_can_be_taken_with(given: Any, words: str) -> None:
    class Wrong(Integrator):
        def coefficients(self) -> Any:
            return given

    with pytest.raises(InputError, match=rf"Wrong: coefficients\(\) = .*{words}"):
        Transient(Wrong(), dt=0.01).run(oscillator(), duration=0.1)


def test_filter() -> None:
    A, H = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    Q, R = np.diag([1e-6, 1e-4]), np.array([[0.01]])
    P = np.eye(2)
    for _ in range(4000):  # the gain at which the Kalman filter settles
        P = A @ P @ A.T + Q
        G = P @ H.T / (H @ P @ H.T + R)
        P = P - G @ H @ P
    model = StateSpace(lambda x, u: A @ x, lambda x, u: H @ x, 2, 1)
    fixed = example("fixed_gain").FixedGainFilter(model, G)
    rng = np.random.default_rng(1)
    y = 0.3 * np.arange(300)[:, None] * 0.1 + 0.1 * rng.normal(size=(300, 1))
    y[7] = np.nan
    kalman = KalmanFilter(A, H, Q, R)
    found = fixed.run(fixed.init([0.0, 0.0], np.eye(2)), y).mean
    wanted = kalman.run(kalman.init([0.0, 0.0], P), y).mean
    np.testing.assert_allclose(found[-1], wanted[-1], rtol=1e-6)
    with pytest.raises(InputError, match="gain"):
        example("fixed_gain").FixedGainFilter(model, [[1.0]])


def test_the_page_of_filters_uses_the_observer(capsys: pytest.CaptureFixture[str]) -> None:
    """The printed lines run; the observer is the recursion of its docstring."""
    (block,) = re.findall(r"```python\n(.*?)```", (DOCS / "filter.md").read_text(), re.DOTALL)
    space = {"FixedGainFilter": example("fixed_gain").FixedGainFilter}
    exec(block, space)
    x = np.zeros(2)
    for y in space["measured"]:
        x = space["A"] @ x
        x = x + np.array([[0.3], [0.5]]) @ (y - space["H"] @ x)
    np.testing.assert_allclose(space["history"].mean[-1], x, rtol=1e-12)
    assert "complete" in capsys.readouterr().out


def test_an_updater_refuses_a_filter_that_it_cannot_make() -> None:
    for wrong in (example("fixed_gain").FixedGainFilter, KalmanFilter, 3.0):
        with pytest.raises(InputError, match=r"ModelUpdater: filter = .*must (take|be)"):
            ModelUpdater("s", Elastic(1.0), {"E": Unknown(lower=0.5, upper=2.0)}, filter=wrong)  # type: ignore[arg-type]


def test_the_filter_keeps_its_bounds() -> None:
    model = StateSpace(lambda x, u: 1.1 * x, lambda x, u: x, 1, 1)
    bounded = example("fixed_gain").FixedGainFilter(model, [[0.5]], bounds=Bounds([-1.0], [1.0]))
    found = bounded.run(bounded.init([0.0], np.eye(1)), np.full((10, 1), 5.0))
    assert (found.mean == 1.0).all()
    assert bounded.predict(found.final).mean[0] == 1.0


def test_tangent() -> None:
    SR1Tangent = example("sr1_tangent").SR1Tangent
    K = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, -1.0]])  # softens in one direction
    tangent, x = SR1Tangent(), np.zeros(3)
    tangent.start(5.0 * np.eye(3))
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = x + rng.normal(size=3)
        found = tangent.update(x, K @ x)
    np.testing.assert_allclose(found, K, rtol=0.0, atol=1e-12)
    assert tangent.updates == 3
    np.testing.assert_allclose(tangent.update(2.0 * x, 2.0 * K @ x), K, rtol=0.0, atol=1e-12)


def emulated(tangent: TangentEstimator) -> HybridTest:
    model = oscillator()
    specimen = EmulatedSpecimen(Bilinear(E=20.0, fy=0.05, b=0.1))
    model.add(ExperimentalLink("specimen", "ground", "mass", ("x",), specimen=specimen))
    return HybridTest(
        model, GroundMotion.el_centro(), dt=0.02, duration=2.0, tangents={"specimen": tangent}
    )


def test_tangent_in_a_test() -> None:
    tangent = example("sr1_tangent").SR1Tangent()
    result = emulated(tangent).run()
    assert result.outcome is Outcome.COMPLETE
    assert tangent.updates > 0


@pytest.mark.parametrize("wrong", [[[np.nan]], [[1.0, 0.0], [0.0, 1.0]]])
def test_a_tangent_that_cannot_be_used_ends_the_test_in_words(wrong: list[list[float]]) -> None:
    class Wrong(TangentEstimator):
        def learn(self, d: np.ndarray, f: np.ndarray) -> bool:
            self.stiffness = np.array(wrong)
            return True

    with pytest.warns(FailedAnalysis, match=r"Wrong of ExperimentalLink\('specimen'\) returned"):
        result = emulated(Wrong()).run()
    assert result.outcome is Outcome.NOT_CONVERGED


class NoLearn(TangentEstimator):
    """Keeps the initial stiffness, because nothing was defined."""


class NoSetUp(TangentEstimator):
    def __init__(self) -> None:
        self.own = 0.0

    def learn(self, d: np.ndarray, f: np.ndarray) -> bool:
        return False


class NoRecall(TangentEstimator):
    def learn(self, d: np.ndarray, f: np.ndarray) -> bool:
        return False

    def memory(self) -> np.ndarray:
        return np.zeros(2)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (NoLearn, "does not learn. Fix: define learn"),
        (NoSetUp, r"not been set up. Fix: call super\(\).__init__"),
        (NoRecall, "define recall"),
    ],
)
def test_a_tangent_that_lacks_something_is_refused(kind: type[Any], words: str) -> None:
    with pytest.raises(InputError, match=rf"tangents\['specimen'\] = .*{words}"):
        emulated(kind())


def test_a_tangent_that_does_not_say_whether_it_learnt_ends_the_test() -> None:
    class Silent(TangentEstimator):
        def learn(self, d: np.ndarray, f: np.ndarray) -> bool:  # type: ignore[return]
            self.stiffness = 1.0 * self.stiffness

    with pytest.warns(FailedAnalysis, match="learn of Silent returned None; True"):
        assert emulated(Silent()).run().outcome is Outcome.NOT_CONVERGED


@pytest.mark.parametrize("shape", [(3, 3), (-1,)])
def test_a_memory_of_another_shape_is_refused(shape: tuple[int, ...], tmp_path: Path) -> None:
    class Growing(TangentEstimator):
        def learn(self, d: np.ndarray, f: np.ndarray) -> bool:
            return True

        def memory(self) -> np.ndarray:
            return np.zeros(self.updates if shape == (-1,) else shape)

        def recall(self, memory: np.ndarray) -> None:
            pass

    with pytest.raises(InputError, match=r"Growing: shape of memory\(\) = .*one vector whose"):
        emulated(Growing()).run(tmp_path / "test.h5")


def test_a_specimen_without_commands_is_refused() -> None:
    class Mute(Specimen):
        size = 1

    with pytest.raises(InputError, match=r"takes no commands. Fix: define apply\(.*in Mute"):
        ExperimentalLink("s", "ground", "mass", ("x",), specimen=Mute(), stiffness=[[1.0]])


def test_a_specimen_whose_stiffness_does_not_fit_is_refused() -> None:
    class TwoByTwo(Specimen):
        size = 1

        def apply(self, command: np.ndarray, time: float) -> Measurement:
            return Measurement(command, command, time)

        def initial_stiffness(self) -> np.ndarray:
            return np.eye(2)

    with pytest.raises(InputError, match=r"stiffness of the specimen = .* must be 1 by 1"):
        ExperimentalLink("s", "ground", "mass", ("x",), specimen=TwoByTwo())


def test_a_specimen_without_a_size_is_refused() -> None:
    with pytest.raises(InputError, match=r"must have a size.*Fix: set self\.size"):
        ExperimentalLink("s", "ground", "mass", ("x",), specimen=Specimen())


SPRING = """
import sys
for line in sys.stdin:
    d = float(line)
    print(d, {stiffness} * d, flush=True)
"""


def hybrid(program: str) -> HybridTest:
    ProgramSpecimen = example("program_specimen").ProgramSpecimen
    k = (2.0 * np.pi) ** 2
    model = Model("oscillator")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
    specimen = ProgramSpecimen([sys.executable, "-c", program], 1, [[k]])
    model.add(
        ExperimentalLink(
            "spring",
            "ground",
            "mass",
            ("x",),
            specimen=specimen,
            limits=Limits(displacement=1.0, velocity=10.0, force=50.0),
        )
    )
    model.add(ZeroLength("beside", "ground", "mass", {"x": Bilinear(E=k, fy=0.5, b=0.1)}))
    return HybridTest(model, GroundMotion.el_centro(), dt=0.02, duration=2.0)


def test_transport() -> None:
    result = hybrid(SPRING.format(stiffness=(2.0 * np.pi) ** 2)).run()
    assert result.outcome is Outcome.COMPLETE
    assert result.steps == 100
    assert np.abs(result.displacement("mass", "x")).max() > 0.001


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("input(); print(1.0)", Outcome.BAD_MESSAGE),
        ("input(); print('what?')", Outcome.BAD_MESSAGE),
        ("", Outcome.PEER_LOST),
    ],
)
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_transport_that_fails_ends_the_test_in_words(program: str, outcome: Outcome) -> None:
    result = hybrid(program).run()
    assert result.outcome is outcome
    assert result.steps == 0
