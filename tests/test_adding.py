"""The components that the documentation adds, file by file, do what their pages say."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from femu import FailedAnalysis, GroundMotion, HybridTest, Model, Outcome
from femu.analyses import (
    CentralDifference,
    DisplacementControl,
    LoadControl,
    Newmark,
    Transient,
)
from femu.elements import ForceBeamColumn, TwoNodeLink, ZeroLength
from femu.experimental import (
    EmulatedSpecimen,
    ExperimentalLink,
    Limits,
    Specimen,
    TangentEstimator,
)
from femu.filters import Bounds, KalmanFilter, StateSpace
from femu.materials import Bilinear, Elastic
from femu.model.moment_curvature import moment_curvature
from femu.support.errors import InputError

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
