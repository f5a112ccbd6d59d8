"""Results: what they say agrees with equilibrium, and they come back from a file as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from example_frames import ELASTIC, QUAKE, E, I, cantilever, portal

from femu import FileError, InputError, Model, ModelError, PointLoad, Result, Save, UniformLoad
from femu.analyses import HHT, LoadControl, Newmark, Pushover, RelativeUnbalance, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.elements.quadrature import lobatto
from femu.materials import Bilinear, UncoupledSection

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")


@pytest.fixture(scope="module")
def shaken() -> Result:
    """A yielding portal under gravity and a strong motion, everything saved."""
    program = portal("fibre", "p-delta", None).compile()
    start = LoadControl(pattern="gravity", steps=2).run(program).state
    return Transient(dt=0.02).run(
        program, QUAKE, start=start, duration=8.0, save=Save(sections=True, fibres=True)
    )


# --- equilibrium ---


def bent(geometry: str, offsets: bool, kind: str) -> Model:
    """A portal with an inclined column, rigid offsets, and loads on nodes and members."""
    model = Model("bent")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 7.0, 0.5, fixed=True)
    model.node("C", 1.0, 4.0)
    model.node("D", 6.0, 4.5)
    ends: dict[str, Any] = {"offset_i": (0.1, 0.2), "offset_j": (-0.2, -0.3)} if offsets else {}
    column = ForceBeamColumn if kind == "force" else ElasticBeamColumn
    model.add(column("left", "A", "C", section=ELASTIC, geometry=geometry, **ends))
    model.add(column("right", "D", "B", section=ELASTIC, geometry=geometry, **ends))
    model.add(ElasticBeamColumn("beam", "C", "D", section=ELASTIC, geometry=geometry, **ends))
    model.load("C", x=2e5, y=-1.5e6)
    model.load("D", y=-1e6, rz=3e5)
    model.load("A", y=-4e4)
    model.member_load("beam", UniformLoad(x=5e3, y=-3e4))
    model.member_load("left", PointLoad(at=0.4, x=1e3, y=2e4))
    return model


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
@pytest.mark.parametrize("offsets", [False, True])
@pytest.mark.parametrize("kind", ["elastic", "force"])
def test_global_forces_balance_at_every_node(geometry: str, offsets: bool, kind: str) -> None:
    model = bent(geometry, offsets, kind)
    result = LoadControl(steps=4, test=RelativeUnbalance(1e-12)).run(model)
    assert result.outcome.ok, result.message
    # far enough for the geometries to differ
    assert np.abs(result.displacement("C", "x")).max() > 0.01
    total = {n: np.zeros((len(result.time), 3)) for n in model.nodes}
    for name, element in model.elements.items():
        force = result.force(name, "global")
        total[element.nodes[0]] += force[:, :3]
        total[element.nodes[1]] += force[:, 3:]
    factor = result.factor("loads")
    for node in model.nodes:
        for k, d in enumerate(("x", "y", "rz")):
            applied = factor * model.patterns["loads"].nodal.get((node, d), 0.0)
            held = result.reaction(node, d) if node in "AB" else 0.0
            assert total[node][:, k] == pytest.approx(applied + held, abs=1e-3), (node, d)


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
@pytest.mark.parametrize("offsets", [False, True])
def test_a_member_is_in_balance_as_a_whole(geometry: str, offsets: bool) -> None:
    model = bent(geometry, offsets, "elastic")
    model.patterns["loads"].member.clear()
    result = LoadControl(steps=4).run(model)
    for name, element in model.elements.items():
        f = result.force(name, "global")[-1]
        assert f[:2] == pytest.approx(-f[3:5], abs=1e-6)
        i, j = element.nodes
        arm = model.nodes[j].coordinates - model.nodes[i].coordinates
        if geometry == "corotational":
            arm = arm + [
                result.displacement(j, d)[-1] - result.displacement(i, d)[-1] for d in ("x", "y")
            ]
        moment = f[2] + f[5] + arm[0] * f[4] - arm[1] * f[3]
        if geometry == "linear" or geometry == "corotational":
            assert abs(moment) < 1e-6 * np.abs(f).max() * np.hypot(*arm)


def test_local_and_basic_forces_of_a_cantilever() -> None:
    model = cantilever(3.0)
    model.load("B", x=-600.0, y=-5000.0, rz=100.0)
    result = LoadControl(steps=1).run(model)
    # local x points up, local y to the left
    assert result.force("column", "local")[-1] == pytest.approx(
        [5000.0, -600.0, -1900.0, -5000.0, 600.0, 100.0]
    )
    assert result.force("column", "global")[-1] == pytest.approx(
        [600.0, 5000.0, -1900.0, -600.0, -5000.0, 100.0]
    )
    assert result.force("column", "basic")[-1] == pytest.approx([-5000.0, -1900.0, 100.0])
    assert result.basic_force("column", "Mi")[-1] == pytest.approx(-1900.0)
    assert result.deformation("column")[-1] == pytest.approx(
        [
            -5000.0 * 3.0 / (E * ELASTIC.A),
            *np.linalg.solve(E * I / 3.0 * np.array([[4.0, 2.0], [2.0, 4.0]]), [-1900.0, 100.0]),
        ]
    )


def test_reactions_balance_the_loads_in_a_pushover() -> None:
    result = Pushover("C", 0.25, pattern="push", steps=50).run(portal("nm"))
    assert result.base_shear() == pytest.approx(-result.factor("push"), rel=1e-7, abs=1e-6)
    assert result.drift("A", "C") == pytest.approx(result.displacement("C", "x") / 3.6)
    assert result.drift("A", "C")[-1] == pytest.approx(0.25 / 3.6)


def test_base_shear_balances_inertia_without_damping(shaken: Result) -> None:
    inertia = sum(30e3 * (shaken.acceleration(n, "x") + QUAKE.at(shaken.time)) for n in "CD")
    assert shaken.base_shear()[1:] == pytest.approx(inertia[1:], abs=1e-5 * np.abs(inertia).max())


# --- sections, fibres, plastic rotations ---


def test_fibre_stresses_add_up_to_section_forces(shaken: Result) -> None:
    from example_frames import FIBRES

    (group,) = FIBRES.groups
    yielded = 0
    for point in range(5):
        N = M = 0.0
        for f, (y, area) in enumerate(zip(group.y, group.area, strict=True)):
            strain, stress = shaken.fibre("left", point, f)
            assert strain == pytest.approx(
                shaken.section("left", point, "axial_strain")
                - y * shaken.section("left", point, "curvature"),
                abs=1e-15,
            )
            N, M = N + area * stress, M - area * y * stress
            yielded += int(np.any(np.abs(stress) > 280e6 * 1.0001))
        assert shaken.section("left", point, "N") == pytest.approx(N, abs=1.0)
        assert shaken.section("left", point, "M") == pytest.approx(M, abs=1.0)
    assert yielded > 4


def test_section_forces_follow_from_basic_forces(shaken: Result) -> None:
    q = shaken.force("left", "basic")
    for point, x in ((0, 0.0), (2, 0.5), (4, 1.0)):
        assert shaken.section("left", point, "M") == pytest.approx(
            (x - 1.0) * q[:, 1] + x * q[:, 2], abs=1.0
        )
        assert shaken.section("left", point, "N") == pytest.approx(q[:, 0], abs=1.0)


def test_plastic_rotation_is_zero_until_yield_and_what_remains_after_unloading() -> None:
    EI, My, b, L = 2e7, 2e5, 0.02, 3.0
    section = UncoupledSection(axial=Bilinear(E=1.5e9, fy=2e6), moment=Bilinear(E=EI, fy=My, b=b))
    model = Model("hinge")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, L)
    model.add(ForceBeamColumn("c", "A", "B", section=section))
    model.load("B", x=1.0)
    # one and a half times the yield moment, then back to no force
    result = LoadControl(1.5 * My / L, steps=30).run(model)
    plastic = result.plastic_rotation("c")
    elastic = np.abs(result.basic_force("c", "Mi")) <= My
    assert elastic.sum() == 21
    assert np.abs(plastic[elastic]).max() < 1e-12
    # the moment falls linearly to the top: the two lowest of the five sections have yielded
    places, weights = (np.array(v) for v in lobatto(5))
    beyond = np.maximum(1.5 * (1.0 - places) - 1.0, 0.0)
    assert np.count_nonzero(beyond) == 2
    assert plastic[-1] == pytest.approx(
        My / EI * (1.0 / b - 1.0) * L * np.sum(weights * (1.0 - places) * beyond), rel=1e-6
    )
    back = LoadControl(0.0, steps=30).run(model, start=result.state)
    assert back.plastic_rotation("c")[-1] == pytest.approx(plastic[-1], rel=1e-9)
    assert back.deformation("c")[-1, 1] == pytest.approx(plastic[-1], rel=1e-6)


@pytest.mark.parametrize("kind", ["elastic", "force"])
def test_no_plastic_rotation_in_an_elastic_member_under_load(kind: str) -> None:
    result = LoadControl(steps=3).run(bent("linear", True, kind))
    for name in ("left", "beam"):
        for end in "ij":
            rotation = np.abs(result.plastic_rotation(name, end)).max()
            assert rotation < 1e-9 * np.abs(result.deformation(name)[:, 1:]).max()


def test_plastic_rotation_knows_the_parameters_of_the_run(tmp_path: Path) -> None:
    program = portal("elastic", "linear").compile()
    p = program.parameters.copy()
    p.set("*.section.I", 3e-4)
    result = Pushover("C", 0.01, pattern="push", steps=2).run(program, parameters=p.vector)
    result.save(tmp_path / "r.h5")
    for r in (result, Result.load(tmp_path / "r.h5")):
        assert np.abs(r.plastic_rotation("left")).max() < 1e-12


def test_plastic_rotation_of_a_released_end_is_refused() -> None:
    model = cantilever(release_i=True)
    model.fix("B", "rz")
    model.node("C", 2.0, 3.0, fixed=True)
    model.add(ElasticBeamColumn("beam", "B", "C", section=ELASTIC))
    model.load("B", x=1.0)
    with pytest.raises(InputError, match="released end"):
        LoadControl(steps=1).run(model).plastic_rotation("column")


# --- energy ---


@pytest.mark.parametrize("damping", ["initial", "current", "committed", "modal"])
@pytest.mark.parametrize("integrator", [Newmark(), HHT(0.85)], ids=lambda i: type(i).__name__)
def test_energy_is_accounted_for(damping: str, integrator: Any) -> None:
    model = portal("nm", "p-delta", None if damping == "modal" else damping)
    if damping == "modal":
        model.modal_damping([0.02, 0.02, 0.03])
    program = model.compile()
    start = LoadControl(pattern="gravity", steps=1).run(program).state
    result = Transient(integrator, dt=0.005).run(program, QUAKE, start=start, duration=8.0)
    change = {
        n: result.energy(n) - result.energy(n)[0]
        for n in ("input", "kinetic", "damping", "absorbed")
    }
    assert change["damping"][-1] > 0.02 * change["input"].max()
    assert change["absorbed"][-1] > 0.1 * change["input"].max()
    # Newmark's constant average acceleration balances to the tolerance, as far as damping forces
    # are linear in time
    limit = 1e-6 if isinstance(integrator, Newmark) else 0.03
    assert result.energy_error < limit
    kinetic = 0.5 * sum(
        m * result.velocity(n, d) ** 2
        for n in "CD"
        for d, m in (("x", 30e3), ("y", 30e3), ("rz", 2e4))
    )
    assert result.energy("kinetic") == pytest.approx(kinetic, rel=1e-9, abs=1e-9)


def test_work_of_a_static_load() -> None:
    model = cantilever()
    model.load("B", x=1e3)
    result = LoadControl(steps=4).run(model)
    assert result.energy("input")[-1] == pytest.approx(
        0.5 * 1e3 * result.displacement("B", "x")[-1]
    )
    assert result.energy("absorbed") == pytest.approx(result.energy("input"))
    assert result.energy_error < 1e-9


# --- files and tables ---


def test_a_result_comes_back_equal(shaken: Result, tmp_path: Path) -> None:
    shaken.save(tmp_path / "r.h5")
    program = portal("fibre", "p-delta", None).compile()
    back = Result.load(tmp_path / "r.h5", program)
    assert back == shaken
    assert back.state is not None and shaken.state is not None
    assert np.array_equal(back.state.vector, shaken.state.vector)
    assert Result.load(tmp_path / "r.h5").state is None
    for r in (back, Result.load(tmp_path / "r.h5")):
        assert np.array_equal(r.force("left", "global"), shaken.force("left", "global"))
        assert np.array_equal(r.plastic_rotation("left"), shaken.plastic_rotation("left"))
        assert np.array_equal(r.base_shear(), shaken.base_shear())
        assert np.array_equal(r.fibre("right", 4, 7)[1], shaken.fibre("right", 4, 7)[1])
    assert repr(back) == repr(shaken)


def test_results_that_differ_are_not_equal(shaken: Result) -> None:
    from dataclasses import replace

    assert shaken != replace(shaken, message="other")
    assert shaken != replace(
        shaken, arrays={**shaken.arrays, "u": shaken.arrays["u"] + 1e-300 + 1e-18}
    )
    assert shaken != replace(shaken, arrays={k: v for k, v in shaken.arrays.items() if k != "u"})
    assert shaken != 3


def test_tables(shaken: Result) -> None:
    table = shaken.to_pandas()
    assert len(table) == len(shaken.time)
    assert np.array_equal(table["displacement C x"], shaken.displacement("C", "x"))
    assert np.array_equal(table["reaction A rz"], shaken.reaction("A", "rz"))
    assert np.array_equal(table["force left Mi"], shaken.basic_force("left", "Mi"))
    assert np.array_equal(table["energy input"], shaken.energy("input"))
    assert np.array_equal(
        table["left section[0].curvature"], shaken.section("left", 0, "curvature")
    )
    assert np.array_equal(table.index, shaken.time)
    data = shaken.to_xarray()
    assert data.sizes["time"] == len(shaken.time)
    assert np.array_equal(data["velocity D y"], shaken.velocity("D", "y"))
    assert data.attrs == {"model": "portal", "outcome": "COMPLETE"}


def test_numbers_as_names_survive_the_file(tmp_path: Path) -> None:
    model = Model("numbers")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node("2", 0.0, 1.0)
    model.add(ElasticBeamColumn(5, 1, "2", section=ELASTIC))
    model.load("2", x=1.0)
    result = LoadControl(steps=1).run(model)
    result.save(tmp_path / "r.h5")
    back = Result.load(tmp_path / "r.h5")
    assert back == result
    assert back.reaction(1, "x")[-1] == pytest.approx(-1.0)
    for wrong in ("1", 2):
        with pytest.raises(ModelError, match=f"no node {wrong!r}"):
            back.displacement(wrong, "x")


def test_a_large_model_fits_into_a_file(tmp_path: Path) -> None:
    model = Model("large")
    for i in range(600):
        model.node(f"a node with a long name {i}", float(i), 0.0, fixed=i == 0)
        if i:
            model.add(
                ElasticBeamColumn(
                    f"a member with a long name {i}",
                    f"a node with a long name {i - 1}",
                    f"a node with a long name {i}",
                    section=ELASTIC,
                )
            )
    model.load("a node with a long name 599", x=1.0)
    result = LoadControl(steps=1).run(model)
    result.save(tmp_path / "r.h5")
    assert Result.load(tmp_path / "r.h5") == result


def test_files_that_are_no_results(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("no")
    with h5py.File(tmp_path / "empty.h5", "w"):
        pass
    with h5py.File(tmp_path / "half.h5", "w") as file:
        file.attrs["format"] = "femu result 1"
    cantilever().compile().state().save(tmp_path / "state.h5")
    for name, words in (
        ("text.h5", "cannot be read"),
        ("empty.h5", "is not a femu result"),
        ("none.h5", "cannot be read"),
        ("half.h5", "does not say what its meta is"),
        ("state.h5", "is not a femu result"),
    ):
        with pytest.raises(FileError, match=words):
            Result.load(tmp_path / name)


# --- what is saved ---


def test_save_chooses_and_thins(tmp_path: Path) -> None:
    program = portal("nm").compile()
    save = Save(
        displacement=["C"],
        velocity=False,
        acceleration=["D"],
        reactions=False,
        forces=["beam"],
        energy=False,
        every=4,
    )
    thin, full = (
        Transient(dt=0.02).run(program, QUAKE, duration=2.0, save=s) for s in (save, None)
    )
    assert np.array_equal(thin.time, full.time[::4])
    assert np.array_equal(thin.displacement("C", "x"), full.displacement("C", "x")[::4])
    assert np.array_equal(thin.acceleration("D", "x"), full.acceleration("D", "x")[::4])
    assert np.array_equal(thin.force("beam", "basic"), full.force("beam", "basic")[::4])
    assert set(thin.arrays["basic"].shape) == {26, 3}
    for read in (
        lambda: thin.displacement("D", "x"),
        lambda: thin.velocity("C", "x"),
        lambda: thin.reaction("A", "x"),
        lambda: thin.base_shear(),
        lambda: thin.force("left", "basic"),
        lambda: thin.energy("input"),
        lambda: thin.energy_error,
        lambda: thin.section("left", 0, "M"),
        lambda: thin.fibre("left", 0, 0),
        lambda: thin.force("beam", "global"),
    ):
        with pytest.raises(InputError, match=r"saved|Save"):
            read()
    thin.save(tmp_path / "thin.h5")
    assert Result.load(tmp_path / "thin.h5") == thin
    assert len(thin.to_pandas().columns) == 3 + 3 + 3 + 4


def test_fibres_of_all_means_of_those_that_have_some() -> None:
    result = Pushover("C", 0.01, pattern="push", steps=1).run(
        portal("fibre"), save=Save(fibres=True, sections=True)
    )
    assert {e for e, _, _ in result.index["fibres"]} == {"left", "right"}
    with pytest.raises(InputError, match=r"fibres = 'beam' must be an element with fibre sections"):
        Pushover("C", 0.01, pattern="push", steps=1).run(
            portal("fibre"), save=Save(fibres=["beam"])
        )
    with pytest.raises(InputError, match=r"sections = 'beam' must be an element with sections"):
        Pushover("C", 0.01, pattern="push", steps=1).run(
            portal("fibre"), save=Save(sections=["beam"])
        )


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (lambda r: r.displacement("Z", "x"), ModelError),
        (lambda r: r.displacement("C", "z"), InputError),
        (lambda r: r.displacement(["C"], "x"), InputError),
        (lambda r: r.drift("A", "Z"), ModelError),
        (lambda r: r.drift("C", "D"), InputError),
        (lambda r: r.reaction("C", "x"), InputError),
        (lambda r: r.force("Z"), ModelError),
        (lambda r: r.force("left", "natural"), InputError),
        (lambda r: r.basic_force("left", "V"), InputError),
        (lambda r: r.plastic_rotation("left", "k"), InputError),
        (lambda r: r.section("left", 9, "M"), InputError),
        (lambda r: r.section("left", 0, "V"), InputError),
        (lambda r: r.fibre("left", 0, 99), InputError),
        (lambda r: r.energy("heat"), InputError),
        (lambda r: r.factor("snow"), InputError),
        (lambda r: r.deformation("Z"), ModelError),
    ],
)
def test_wrong_questions(shaken: Result, read: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        read(shaken)
