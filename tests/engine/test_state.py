"""One vector holds everything.

Copy, save and load give the same bits, in this process and in a new one.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from example_frames import QUAKE, SECTIONS, cantilever, portal

from femu import FileError, GroundMotion, InputError, Model, Program, State
from femu.analyses import (
    HHT,
    CentralDifference,
    GeneralizedAlpha,
    KrylovNewton,
    LoadControl,
    ModifiedNewton,
    Newmark,
    NewtonLineSearch,
    RungeKutta,
    Transient,
)
from femu.elements import ElasticBeamColumn, Truss, TwoNodeLink
from femu.materials import BoucWen, Elastic, MaxwellDamper, Parallel

# what is compared are bits
pytestmark = pytest.mark.filterwarnings("ignore::femu.check.CheckWarning")
# a step that is no binary fraction: the grid of times must not depend on the start
DT, CUT, STEPS = 0.02, 117, 250


def same_bits(
    program: Program,
    analysis: Transient,
    quake: GroundMotion = QUAKE,
    cut: int = CUT,
    steps: int = STEPS,
) -> None:
    """Run whole, and run with a stop at which the state is copied.

    Both must end alike to the last bit.
    """
    gravity = LoadControl(pattern="gravity", steps=2).run(program).state
    whole = analysis.run(program, quake, start=gravity, duration=steps * analysis.dt)
    half = analysis.run(program, quake, start=gravity, duration=cut * analysis.dt)
    assert whole.outcome.ok
    kept = half.state.copy()
    rest = analysis.run(program, quake, start=kept, duration=(steps - cut) * analysis.dt)
    assert np.array_equal(rest.state.vector, whole.state.vector)
    for name, array in whole.arrays.items():
        assert np.array_equal(array[cut:], rest.arrays[name]), name
    assert np.array_equal(kept.vector, half.state.vector), "the start must not be changed"


@pytest.mark.parametrize("section", ["uncoupled", "fibre", "nm"])
@pytest.mark.parametrize(
    "integrator", [Newmark(), HHT(0.8), GeneralizedAlpha(0.6)], ids=lambda i: type(i).__name__
)
@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
def test_copied_state_runs_on_with_the_same_bits(
    section: str, integrator: Any, geometry: str
) -> None:
    program = portal(section, geometry).compile()
    same_bits(program, Transient(integrator, dt=DT))


@pytest.mark.parametrize("damping", ["current", "committed"])
@pytest.mark.parametrize("integrator", [Newmark(), HHT(0.8)], ids=lambda i: type(i).__name__)
def test_same_bits_with_damping_by_the_changing_stiffness(damping: str, integrator: Any) -> None:
    same_bits(portal("nm", "p-delta", damping).compile(), Transient(integrator, dt=DT))


@pytest.mark.parametrize(
    "algorithm",
    [ModifiedNewton(), ModifiedNewton(initial=True), NewtonLineSearch(), KrylovNewton()],
    ids=repr,
)
@pytest.mark.parametrize("damping", ["initial", "committed"])
def test_same_bits_with_other_algorithms(algorithm: Any, damping: str) -> None:
    same_bits(portal("nm", "linear", damping).compile(), Transient(dt=DT, algorithm=algorithm))


@pytest.mark.parametrize(
    "integrator", [CentralDifference(), RungeKutta()], ids=lambda i: type(i).__name__
)
@pytest.mark.parametrize("section", ["uncoupled", "fibre"])
def test_same_bits_with_explicit_integrators(integrator: Any, section: str) -> None:
    same_bits(
        portal(section, "p-delta").compile(), Transient(integrator, dt=0.002), cut=311, steps=700
    )


def test_same_bits_with_rate_dependent_links_and_modal_damping() -> None:
    model = portal("nm", "p-delta", None)
    model.modal_damping(0.03, 3)
    law = Parallel(
        [BoucWen(alpha=0.1, k=5e6, n=1.5, gamma=50.0, beta=50.0), MaxwellDamper(K=1e7, C=1e5)]
    )
    model.add(TwoNodeLink("damper", "A", "D", {"x": law}))
    same_bits(model.compile(), Transient(HHT(0.9), dt=DT))


def test_same_bits_where_steps_needed_help() -> None:
    program = portal("uncoupled", "corotational").compile()
    analysis = Transient(dt=0.1)
    strong = QUAKE.scaled(factor=8.0)
    gravity = LoadControl(pattern="gravity", steps=2).run(program).state
    whole = analysis.run(program, strong, start=gravity, duration=10.0)
    helped = [r["step"] for r in whole.relaxations]
    assert helped
    cut = helped[len(helped) // 2]  # right behind a step that was divided
    half = analysis.run(program, strong, start=gravity, duration=0.1 * cut)
    rest = analysis.run(program, strong, start=half.state, duration=0.1 * (100 - cut))
    assert np.array_equal(rest.state.vector, whole.state.vector)
    assert [r["step"] + cut for r in rest.relaxations] == [s for s in helped if s > cut]


CONTINUE = """
import sys
sys.path.insert(0, {tests!r})
from example_frames import QUAKE, portal
from femu import State
from femu.analyses import HHT, Transient
model = portal({section!r}, "corotational", "committed")
program = model.compile()
state = State.load({path!r}, program)
Transient(HHT(0.8), dt=0.02).run(program, QUAKE, start=state, duration=2.0).state.save({out!r})
"""


@pytest.mark.parametrize("section", ["fibre", "nm"])
def test_saved_state_runs_on_in_a_new_process(section: str, tmp_path: Path) -> None:
    model = portal(section, "corotational", "committed")
    program = model.compile()
    analysis = Transient(HHT(0.8), dt=0.02)
    gravity = LoadControl(pattern="gravity", steps=2).run(program).state
    half = analysis.run(program, QUAKE, start=gravity, duration=2.34)
    whole = analysis.run(program, QUAKE, start=gravity, duration=4.34)
    half.state.save(tmp_path / "half.h5")
    script = CONTINUE.format(
        tests=str(Path(__file__).parents[1]),
        section=section,
        path=str(tmp_path / "half.h5"),
        out=str(tmp_path / "end.h5"),
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=200)
    assert np.array_equal(State.load(tmp_path / "end.h5", program).vector, whole.state.vector)


def mixed() -> Model:
    """Elements of several kinds, added in turn."""
    model = portal("nm")
    model.node("E", 3.0, 3.6, mass=(1e3, 0.0, 0.0), fixed="y")
    model.add(TwoNodeLink("link", "C", "E", {"x": BoucWen(alpha=0.5, k=1e6)}))
    model.add(Truss("bar", "E", "D", material=Elastic(E=2e11), area=1e-5))
    model.add(ElasticBeamColumn("second beam", "D", "C", section=SECTIONS["elastic"]))
    return model


def test_layout_is_the_same_in_every_process(tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}\n"
        "from test_state import mixed\nprint(mixed().compile().digest)\n"
    )
    there = {
        subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=200
        ).stdout.strip()
        for _ in range(2)
    }
    assert there == {mixed().compile().digest}


def test_threads_run_copies_with_the_same_bits() -> None:
    program = portal("fibre").compile()
    start = LoadControl(pattern="gravity", steps=2).run(program).state
    vectors = []
    for factor in (0.97, 1.0, 1.03, 1.06):
        p = program.parameters.copy()
        p.set("*.material.fy", factor * 280e6)
        vectors.append(p.vector)

    def one(parameters: np.ndarray) -> np.ndarray:
        return (
            Transient(dt=0.02)
            .run(program, QUAKE, start=start, parameters=parameters, duration=5.0)
            .state.vector
        )

    alone = [one(p) for p in vectors]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(one, vectors))
    for a, b in zip(alone, together, strict=True):
        assert np.array_equal(a, b)
    assert not np.array_equal(alone[0], alone[3])


def test_names_lead_into_the_vector() -> None:
    program = portal("nm").compile()
    state = LoadControl(pattern="gravity", steps=1).run(program).state
    assert state.factors == {"gravity": 1.0, "push": 0.0, "ground.x": 0.0, "ground.y": 0.0}
    assert state.displacement("C", "y") < 0.0
    assert state.velocity("C", "y") == 0.0
    assert state.time == 0.0
    assert set(state.energy) == {"input", "kinetic", "damping", "absorbed"}
    assert state.element("beam")["N"] == pytest.approx(
        state.element("beam")["k_NN"] * state.element("beam")["v_N"]
    )
    assert "section[0].plastic_curvature" in state.element("left")
    assert "State(t=0" in repr(state)
    start, names = program.element_state("beam")
    assert names[0] == "N"
    assert state.vector[program.layout.elements + start] == state.element("beam")["N"]


def test_every_number_of_the_vector_has_a_meaning() -> None:
    layout = portal("fibre", "linear", "committed").compile().layout
    starts = [
        layout.time,
        layout.energy,
        layout.factors,
        layout.u,
        layout.v,
        layout.a,
        layout.internal,
        layout.damping,
        layout.stiffness,
        layout.elements,
        layout.size,
    ]
    assert starts == sorted(starts)
    assert starts[0] == 0


def test_copy_is_independent() -> None:
    state = cantilever().compile().state()
    twin = state.copy()
    twin.vector[:] = 7.0
    assert not state.vector.any()
    assert twin.program is state.program


def test_state_of_another_program_is_refused(tmp_path: Path) -> None:
    program, other = portal("nm").compile(), portal("fibre").compile()
    state = program.state()
    state.save(tmp_path / "s.h5")
    with pytest.raises(InputError, match="compiled from the model the state belongs to"):
        State.load(tmp_path / "s.h5", other)
    with pytest.raises(InputError, match=r"start|state"):
        Transient(dt=0.01).run(other, QUAKE, start=state, duration=0.1)
    again = portal("nm").compile()
    assert np.array_equal(State.load(tmp_path / "s.h5", again).vector, state.vector)
    Transient(dt=0.01).run(again, QUAKE, start=state, duration=0.1)


def test_files_that_are_no_states(tmp_path: Path) -> None:
    program = cantilever().compile()
    (tmp_path / "text.h5").write_text("not hdf5")
    with h5py.File(tmp_path / "empty.h5", "w"):
        pass
    for name, words in (
        ("text.h5", "cannot be read"),
        ("empty.h5", "is not a femu state"),
        ("none.h5", "cannot be read"),
    ):
        with pytest.raises(FileError, match=words):
            State.load(tmp_path / name, program)
    with pytest.raises(FileError, match="cannot be written"):
        program.state().save(tmp_path / "no" / "folder.h5")


def test_sections_of_the_examples_differ() -> None:
    assert len({type(s) for s in SECTIONS.values()}) == 4
