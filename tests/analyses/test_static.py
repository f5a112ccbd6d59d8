"""Static analyses: closed forms, control, limit points, Euler load."""

import numpy as np
import pytest
from example_frames import portal
from scipy.integrate import trapezoid

from femu import AnalysisError, InputError, Model, Outcome, PointLoad, UniformLoad
from femu.analyses import (
    BFGS,
    ArcLength,
    Broyden,
    DisplacementControl,
    KrylovNewton,
    LoadControl,
    ModifiedNewton,
    Newton,
    NewtonLineSearch,
    Policy,
    Pushover,
    RelativeUnbalance,
    protocol,
)
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import Bilinear, ElasticSection, UncoupledSection

E, A, I = 2e11, 1e-2, 8e-5
SECTION = ElasticSection(E=E, A=A, I=I)


def cantilever(length=3.0, parts=1, geometry="linear", kind=ElasticBeamColumn, section=SECTION):
    model = Model("cantilever")
    for n in range(parts + 1):
        model.node(n, 0.0, length * n / parts, fixed=n == 0)
    for n in range(parts):
        model.add(kind(f"e{n}", n, n + 1, section=section, geometry=geometry))
    return model


@pytest.mark.parametrize("kind", [ElasticBeamColumn, ForceBeamColumn])
def test_cantilever(kind):
    model = cantilever(kind=kind)
    model.load(1, x=1e4, y=-2e4, rz=5e3)
    result = LoadControl(steps=1).run(model)
    assert result.displacement(1, "x")[-1] == pytest.approx(
        1e4 * 27 / (3 * E * I) - 5e3 * 9 / (2 * E * I), rel=1e-10
    )
    assert result.displacement(1, "y")[-1] == pytest.approx(-2e4 * 3 / (E * A), rel=1e-10)
    assert result.reaction(0, "x")[-1] == pytest.approx(-1e4, rel=1e-10)
    assert result.reaction(0, "y")[-1] == pytest.approx(2e4, rel=1e-10)
    assert result.reaction(0, "rz")[-1] == pytest.approx(1e4 * 3 - 5e3, rel=1e-10)


def test_portal_frame():
    """Sway of a fixed portal with rigid axial behaviour: closed form by slope-deflection."""
    h, w, k = 4.0, 6.0, 1.5
    model = Model("portal")
    stiff = dict(E=E, A=1e4, I=I)
    for name, x, y in (("A", 0, 0), ("B", 0, h), ("C", w, h), ("D", w, 0)):
        model.node(name, x, y, fixed=y == 0)
    model.add(ElasticBeamColumn("left", "A", "B", section=ElasticSection(**stiff)))
    model.add(ElasticBeamColumn("right", "D", "C", section=ElasticSection(**stiff)))
    model.add(ElasticBeamColumn("beam", "B", "C", section=ElasticSection(E=E, A=1e4, I=k * I)))
    model.load("B", x=5e4)
    model.load("C", x=5e4)
    result = LoadControl(steps=1).run(model)
    ratio = k * I / w / (I / h)
    expected = 1e5 * h**3 / (24 * E * I) * (6 * ratio + 4) / (6 * ratio + 1)
    assert result.displacement("B", "x")[-1] == pytest.approx(expected, rel=1e-5)
    base = result.force("left", "local")[-1, 2]
    assert abs(base) == pytest.approx(1e5 * h / 4 * (6 * ratio + 2) / (6 * ratio + 1), rel=1e-5)


@pytest.mark.parametrize("kind", [ElasticBeamColumn, ForceBeamColumn])
def test_fixed_beam_under_member_loads(kind):
    model = Model("beam")
    model.node(1, 0, 0, fixed=True)
    model.node(2, 2, 0)
    model.node(3, 5, 0, fixed=True)
    model.add(kind("a", 1, 2, section=SECTION))
    model.add(kind("b", 2, 3, section=SECTION))
    for name in ("a", "b"):
        model.member_load(name, UniformLoad(y=-1e4), pattern="dead")
    model.member_load("b", PointLoad(0.25, y=-3e4), pattern="live")
    dead = LoadControl(pattern="dead", steps=1).run(model)
    x, L = 2.0, 5.0
    assert dead.displacement(2, "y")[-1] == pytest.approx(
        -1e4 * x**2 * (L - x) ** 2 / (24 * E * I), rel=1e-9
    )
    assert dead.reaction(1, "rz")[-1] == pytest.approx(1e4 * L**2 / 12, rel=1e-9)
    if kind is ForceBeamColumn:
        return  # five points do not integrate the kink under a point load exactly
    live = LoadControl(pattern="live", steps=1).run(model)
    a, b = 2.75, 2.25
    assert live.reaction(1, "rz")[-1] == pytest.approx(3e4 * a * b**2 / L**2, rel=1e-9)
    assert live.reaction(3, "rz")[-1] == pytest.approx(-3e4 * a**2 * b / L**2, rel=1e-9)
    assert live.reaction(1, "y")[-1] + live.reaction(3, "y")[-1] == pytest.approx(3e4, rel=1e-9)


def test_euler_load_with_corotational_columns():
    """Sway of a cantilever column under axial load P.

    H/P (tan(kL)/k - L), k^2 = P/EI, unbounded at the Euler load.
    """
    model = cantilever(
        3.0, parts=32, geometry="corotational", section=ElasticSection(E=E, A=10.0, I=I)
    )
    euler = np.pi**2 * E * I / (4 * 9.0)
    model.load(32, y=-euler, pattern="axial")
    model.load(32, x=1.0, pattern="side")
    program = model.compile()
    for share in (0.5, 0.9, 0.99, 0.999):
        pressed = LoadControl(share, pattern="axial", steps=5).run(program)
        side = LoadControl(1.0, pattern="side", steps=1).run(program, start=pressed.state)
        k = np.sqrt(share * euler / (E * I))
        expected = (np.tan(3.0 * k) / k - 3.0) / (share * euler)
        # inside an element the load does not act on the bow: the error falls with the square of
        # their number
        assert side.displacement(32, "x")[-1] == pytest.approx(expected, rel=3e-4 / (1.0 - share))
    over = LoadControl(1.01, pattern="axial", steps=5).run(program)
    side = LoadControl(1.0, pattern="side", steps=1, policy=Policy.none()).run(
        program, start=over.state
    )
    assert not side.outcome.ok or side.displacement(32, "x")[-1] < 0.0


def test_elastica_after_buckling():
    """Post-buckling of a cantilever.

    Tip displacement at 1.152 Euler loads (end slope 60 degrees) from the elastica.
    """
    from scipy.special import ellipe, ellipk

    m = np.sin(np.radians(60) / 2) ** 2
    load_ratio = (2 / np.pi * ellipk(m)) ** 2
    sway = 2 * np.sqrt(m) / ellipk(m) * 3.0
    model = cantilever(
        3.0, parts=20, geometry="corotational", section=ElasticSection(E=E, A=10.0, I=I)
    )
    euler = np.pi**2 * E * I / (4 * 9.0)
    model.load(20, y=-euler, pattern="axial")
    model.load(20, x=1e-4 * euler, pattern="side")
    program = model.compile()
    leaning = LoadControl(1.0, pattern="side", steps=1).run(program)
    leaning = LoadControl(0.98, pattern="axial", steps=20).run(program, start=leaning.state)
    result = DisplacementControl(20, "x", [sway], sway / 60, pattern="axial").run(
        program, start=leaning.state
    )
    assert result.outcome.ok
    assert result.factor("axial")[-1] == pytest.approx(load_ratio, rel=2e-3)
    assert 2 * (ellipe(m) / ellipk(m)) * 3.0 - 3.0 == pytest.approx(
        3.0 + result.displacement(20, "y")[-1], rel=2e-2
    )


def toggle():
    """Two shallow corotational bars: snap-through with a closed form."""
    model = Model("toggle")
    model.node("a", -1.0, 0.0, fixed="xy")
    model.node("b", 0.0, 0.1, fixed=("x", "rz"))
    model.node("c", 1.0, 0.0, fixed="xy")
    tiny = ElasticSection(E=1e6, A=1.0, I=1e-9)
    model.add(ElasticBeamColumn("l", "a", "b", section=tiny, geometry="corotational"))
    model.add(ElasticBeamColumn("r", "c", "b", section=tiny, geometry="corotational"))
    model.load("b", y=-1.0)
    return model


def toggle_force(v):
    length, now = np.hypot(1.0, 0.1), np.hypot(1.0, 0.1 - v)
    return 2 * 1e6 / length * (length - now) * (0.1 - v) / now


@pytest.mark.parametrize(
    "analysis",
    [DisplacementControl("b", "y", [-0.25], 0.005), ArcLength(0.004, 160)],
    ids=["displacement", "arc"],
)
def test_snap_through(analysis):
    result = analysis.run(toggle())
    assert result.outcome.ok
    v, load = -result.displacement("b", "y"), result.factor("loads")
    assert v.max() > 0.22
    assert np.abs(load - toggle_force(v)).max() < 1e-4 * np.abs(load).max()
    assert (np.diff(load) < 0).any()


def test_load_control_stops_at_a_limit_point_with_a_sentence():
    result = LoadControl(5 * toggle_force(0.04), steps=50).run(toggle())
    if result.outcome is Outcome.COMPLETE:  # it jumped over: then it must be on the far branch
        assert -result.displacement("b", "y")[-1] > 0.2
    else:
        assert result.outcome is Outcome.NOT_CONVERGED and "did not converge" in result.message
        assert len(result.time) > 1


def yielding(b=0.02):
    section = UncoupledSection(
        axial=Bilinear(E=E * A, fy=2.5e6, b=b), moment=Bilinear(E=E * I, fy=2e5, b=b)
    )
    model = cantilever(3.0, kind=ForceBeamColumn, section=section)
    model.load(1, x=1.0)
    return model


@pytest.mark.parametrize(
    "algorithm",
    [
        Newton(),
        ModifiedNewton(),
        ModifiedNewton(initial=True),
        NewtonLineSearch(),
        KrylovNewton(),
        BFGS(),
        BFGS(3, initial=True),
        Broyden(),
        Broyden(2),
    ],
    ids=str,
)
def test_algorithms_reach_the_same_answer(algorithm):
    path = protocol([0.03, 0.06])
    expected = DisplacementControl(1, "x", path, 0.002).run(yielding())
    found = DisplacementControl(
        1, "x", path, 0.002, algorithm=algorithm, test=RelativeUnbalance(1e-10, 200)
    ).run(yielding())
    assert found.outcome.ok
    assert np.allclose(
        found.factor("loads"),
        expected.factor("loads"),
        atol=1e-6 * np.abs(expected.factor("loads")).max(),
    )


def test_krylov_needs_fewer_iterations_than_modified_newton():
    test = RelativeUnbalance(1e-10, 200)
    counts = [
        Pushover(1, 0.08, steps=8, algorithm=a, test=test).run(yielding()).iterations.sum()
        for a in (ModifiedNewton(), KrylovNewton())
    ]
    assert counts[1] < counts[0]


def test_pushover_reaches_the_plastic_load():
    result = Pushover(1, 0.15, steps=50).run(yielding(b=0.0))
    assert result.outcome.ok
    assert result.factor("loads")[-1] == pytest.approx(2e5 / 3.0, rel=1e-3)
    assert result.base_shear()[-1] == pytest.approx(-2e5 / 3.0, rel=1e-3)


def test_protocol_visits_its_targets():
    assert protocol([1.0, 2.0], 2) == [1.0, -1.0, 1.0, -1.0, 2.0, -2.0, 2.0, -2.0, 0.0]
    result = DisplacementControl(1, "x", protocol([0.01, 0.04]), 0.001).run(yielding())
    u = result.displacement(1, "x")
    for target in (0.01, -0.01, 0.04, -0.04):
        assert np.abs(u - target).min() < 1e-12
    assert u[-1] == pytest.approx(0.0, abs=1e-12)


def test_errors():
    model = yielding()
    with pytest.raises(InputError, match="pattern"):
        LoadControl(pattern="wind").run(model)
    with pytest.raises(InputError, match="must be free to move"):
        Pushover(0, 0.1).run(model)
    with pytest.raises(InputError, match="steps"):
        LoadControl(steps=0)
    model.pattern("empty")
    with pytest.raises(AnalysisError, match="nothing to control"):
        LoadControl(pattern="empty").run(model)


def test_cyclic_protocol_comes_back_to_its_displacements():
    path = protocol([0.02, 0.05], cycles=2)
    assert path == [0.02, -0.02, 0.02, -0.02, 0.05, -0.05, 0.05, -0.05, 0.0]
    result = DisplacementControl("C", "x", path, 0.005, pattern="push").run(
        portal("nm"), check=False
    )
    assert result.outcome.ok
    u = result.displacement("C", "x")
    assert u.max() == pytest.approx(0.05)
    assert u.min() == pytest.approx(-0.05)
    assert u[-1] == pytest.approx(0.0, abs=1e-12)
    assert trapezoid(-result.base_shear(), u) > 0.0  # the loops take energy
