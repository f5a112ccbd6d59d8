"""The components that the documentation adds, file by file, do what their pages say."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from femu import GroundMotion, HybridTest, Model, Outcome
from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import ForceBeamColumn, TwoNodeLink, ZeroLength
from femu.errors import InputError
from femu.experimental import ExperimentalLink
from femu.filters import KalmanFilter, StateSpace
from femu.materials import Bilinear, Elastic
from femu.moment_curvature import moment_curvature

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
    assert len(pages) == 6
    for page in pages:
        found = re.findall(r"literalinclude\} (\S+)", page.read_text())
        assert found and all((DOCS / f).resolve().is_file() for f in found)
        assert page.stem in (DOCS / "index.md").read_text()


def test_section() -> None:
    made = example("smooth_section").SmoothSection(EA=1e9, EI=2e7, strength=3e5)
    curvature = np.linspace(0.0, 0.05, 60)
    found = moment_curvature(made, curvature)
    np.testing.assert_allclose(found.moment, 3e5 * np.tanh(2e7 * curvature / 3e5), rtol=1e-12, atol=1e-6)
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
        return Transient(integrator, dt=dt).run(oscillator(), quake, duration=4.0).displacement("mass", "x")

    np.testing.assert_allclose(roof(WBZAlpha(0.0), 0.02), roof(Newmark(), 0.02), rtol=1e-10, atol=1e-12)
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
    model.add(ExperimentalLink("spring", "ground", "mass", ("x",), specimen=specimen))
    model.add(ZeroLength("beside", "ground", "mass", {"x": Bilinear(E=k, fy=0.5, b=0.1)}))
    return HybridTest(model, GroundMotion.el_centro(), dt=0.02, duration=2.0)


def test_transport() -> None:
    result = hybrid(SPRING.format(stiffness=(2.0 * np.pi) ** 2)).run()
    assert result.outcome is Outcome.COMPLETE
    assert result.steps == 100
    assert np.abs(result.displacement("mass", "x")).max() > 0.001


@pytest.mark.parametrize(("program", "outcome"), [
    ("print(1.0)", Outcome.BAD_MESSAGE), ("input(); print('what?')", Outcome.BAD_MESSAGE), ("", Outcome.PEER_LOST)])
def test_a_transport_that_fails_ends_the_test_in_words(program: str, outcome: Outcome) -> None:
    result = hybrid(program).run()
    assert result.outcome is outcome
    assert result.steps == 0
