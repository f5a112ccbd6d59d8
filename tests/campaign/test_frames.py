"""Random frames on both programs.

A few seeds of the campaign, that a seed is a frame, and what the frames are made of.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import femu.opensees as front_end
from femu.opensees.front_end.beam_integration import RULES
from femu.opensees.front_end.elements import ELEMENTS
from femu.opensees.front_end.materials import MATERIALS
from femu.opensees.front_end.model_commands import TRANSFORMATIONS
from femu.opensees.front_end.sections import LAYERS, PATCHES, SECTIONS
from femu.opensees.front_end.table import Kinds
from femu.opensees.load_openseespy import load_opensees
from tests.campaign import frames
from tests.campaign.frame_balance import members
from tests.campaign.frame_generator import LEFT_OUT, frame_of
from tests.campaign.frame_jumps import continued, crossed, limits
from tests.campaign.frame_materials import Frame
from tests.campaign.frame_play import PARTS, SHORT_STEPS
from tests.campaign.frame_players import ROOT
from tests.campaign.frames import (
    EARLIER,
    FRAMES,
    LATER,
    OTHERWISE,
    QUICK_FRAMES,
    SAME,
    alone,
    apart,
    compared,
    compared_alone,
    explained,
    first_apart,
    ill_posed,
    kinds_in,
    own_changes,
    played,
    tried,
)

TABLES: dict[str, Kinds] = {
    "material": MATERIALS,
    "section": SECTIONS,
    "patch": PATCHES,
    "layer": LAYERS,
    "element": ELEMENTS,
    "rule": RULES,
    "transformation": TRANSFORMATIONS,
}
PUSHED = next(seed for seed in range(FRAMES) if "pushover" in frame_of(seed).title)
NAMES_OF_ONE_ELEMENT = {"corotTruss": "CorotTruss", "truss": "Truss"}
MOST = 0.8  # of all kinds: what 60 frames have of them


def known() -> set[tuple[str, str]]:
    """All kinds that femu's front end has, each by one of its names.

    Others lead to the same law, section or element.
    """
    found = set()
    for what, table in TABLES.items():
        for kind in table:
            other = any(name == kind.name for name in NAMES_OF_ONE_ELEMENT.values())
            alias = what == "section" and kind.name not in (
                "Elastic",
                "Fiber",
                "WFSection2d",
                "Aggregator",
                "Uniaxial",
            )
            shape = what in ("patch", "layer") and kind.name not in (
                "rect",
                "quad",
                "circ",
                "straight",
            )
            if not (other or alias or shape):
                found.add((what, kind.name))
    return found


def test_a_seed_is_a_frame() -> None:
    assert frame_of(7).to_dict() == frame_of(7).to_dict() != frame_of(8).to_dict()


def test_the_frames_have_every_kind_that_both_programs_have() -> None:
    made: set[tuple[str, str]] = set()
    for seed in range(FRAMES):
        made |= kinds_in(frame_of(seed))
        if seed == QUICK_FRAMES - 1:
            quick = set(made)
    assert set(LEFT_OUT) <= known()
    assert made == known() - set(LEFT_OUT)
    assert len(quick) >= MOST * len(made)


def test_the_steps_are_over_two_decades() -> None:
    steps = [
        stage["analyze"][1]
        for seed in range(FRAMES)
        for stage in frame_of(seed).stages
        if len(stage["analyze"]) > 1
    ]
    pushed = [
        stage["steps"]
        for seed in range(FRAMES)
        for stage in frame_of(seed).stages
        if "pushover" in stage.get("what", "")
    ]
    assert max(steps) > 80.0 * min(steps)
    assert max(pushed) > 15 * min(pushed)


def answer(*rows: float, taken: int | None = None, **more: Any) -> dict[str, Any]:
    return {
        "rows": [[row] for row in rows],
        "taken": len(rows),
        "total": len(rows) if taken is None else taken,
        "again": [],
        "helped": {},
        **more,
    }


def test_what_counts_as_wrong() -> None:
    peer = answer(1.0, 2.0)
    assert compared(0, peer, answer(1.0, 2.0 + 1e-6))[::2] == ("both", None)
    assert "apart" in str(compared(0, peer, answer(1.0, 2.0 + 1e-5))[2])
    assert "NaN" in str(compared(0, peer, answer(1.0, float("nan")))[2])
    assert "stopped after 1 of 2" in str(compared(0, peer, answer(1.0, taken=2))[2])
    assert "refused" in str(compared(0, answer(1.0, taken=2), answer(taken=2, refused="no"))[2])
    assert "ended its process" in str(compared(0, peer, None)[2])
    assert compared(0, answer(1.0, taken=2), answer(1.0, 2.0))[::2] == ("femu alone", None)
    peer, own = answer(1.0, 2.0, taken=3), answer(1.0, taken=3)
    assert "openseespy after 2" in str(compared(0, peer, own)[2]), "both stop, femu first"
    assert compared(0, own, peer)[::2] == ("neither", None)
    peer, refused = answer(1.0, 2.0), answer(1.0, taken=2, refused="no")
    assert "femu refused it. no" in str(compared(0, peer, refused)[2])


def test_steps_that_both_took_are_compared_also_if_a_program_stops_later() -> None:
    for which, peer, own in (
        ("femu alone", answer(1.0, 2.0, taken=3), answer(1.0, 2.1, 3.0)),
        ("openseespy alone", answer(1.0, 2.0, 3.0), answer(1.0, 2.1, taken=3)),
        ("neither", answer(1.0, 2.0, taken=3), answer(1.0, 2.1, taken=3)),
    ):
        found, off, wrong = compared(0, peer, own)
        assert (found, off) == (which, pytest.approx(0.05))
        assert wrong


def test_a_frame_that_openseespy_refuses_is_a_failure() -> None:
    """It does not count as one that femu alone solves."""
    peer = answer(taken=2, refused="OpenSeesError: See stderr output")
    assert "openseespy refused it" in str(compared(0, peer, answer(1.0, 2.0))[2])


BUILT = """
import sys
from femu.opensees.load_openseespy import load_opensees
from tests.campaign.frame_generator import frame_of
ops, kinds = load_opensees(), set()
for seed in range(int(sys.argv[1])):
    frame = frame_of(seed)
    commands = [*frame.commands, *(words for stage in frame.stages for words in stage["commands"])]
    new = {tuple(words[:2]) for words in commands} - kinds
    if not new:
        continue
    kinds |= new
    ops.wipe()
    for name, *words in commands:
        getattr(ops, name)(*words)
print("built", len(kinds))
"""
"""Builds the frames that have a command of a new kind."""


@pytest.mark.opensees
def test_openseespy_takes_every_command_of_the_frames() -> None:
    pytest.importorskip("openseespy")
    done = subprocess.run(
        [sys.executable, "-c", BUILT, str(FRAMES)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[-1]) > 50


def test_a_frame_that_femu_refuses_has_no_excuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever openseespy does with it."""
    monkeypatch.setattr(frames, "explained", lambda *_: ("ill-posed", "it depends"))
    own = answer(1.0, taken=2, refused="InputError: no")
    for peer in (answer(1.0, 2.0), answer(1.0, taken=2)):
        of = {"opensees": peer, "femu": own}
        monkeypatch.setattr(frames, "played", lambda program, seeds, of=of: {seeds[0]: of[program]})
        (failure,) = tried([0]).failures
        assert "femu refused it. InputError: no" in failure


@pytest.mark.opensees
def test_frames_agree_with_openseespy() -> None:
    pytest.importorskip("openseespy")
    assert tried(list(range(8))).failures == []


def test_what_counts_as_ill_posed() -> None:
    """At the first step that differs, openseespy differs from itself as much as femu from it.

    At all if femu stopped there.
    """
    peer, own = answer(1.0, 1.0, 1.0), answer(1.0, 1.0 + 1e-4, 2.0)
    assert first_apart(peer, own) == 1
    assert ill_posed(peer, own, 1, {"more load": 1e-4, "half the tolerance": 1e-12})
    assert not ill_posed(peer, own, 1, {"more load": 0.9e-4, "half the tolerance": 1e-12})
    assert not ill_posed(peer, answer(1.0, 1.0 + 1.1e-6, 2.0), 1, {"more load": 1e-6})
    assert not ill_posed(peer, own, 1, {"half the tolerance": np.inf}), "it stops, as Newton may"
    assert ill_posed(peer, answer(1.0, taken=3), 1, {"half the tolerance": np.inf})
    assert ill_posed(peer, answer(1.0, taken=3), 1, {"more load": 1e-4})
    assert not ill_posed(peer, answer(1.0, taken=3), 1, {"more load": 1e-12})


def test_a_step_in_parts_excuses_femu_only_if_it_follows_openseespy_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Parts lead to another state in any frame whose laws have a history."""
    peer, own = answer(1.0, 1.0), answer(1.0, 1.1)
    for femu_in_parts, excused in ((1.2, True), (1.3, False)):
        parts = {"opensees": answer(1.0, 1.2), "femu": answer(1.0, femu_in_parts)}
        monkeypatch.setattr(
            frames,
            "played",
            lambda program, seeds, change, parts=parts: {
                seeds[0]: parts[program] if change.startswith(PARTS) else peer
            },
        )
        changes = own_changes(PUSHED, peer, own, 1)
        assert (f"{PARTS}1" in changes) is excused
        assert ill_posed(peer, own, 1, changes) is excused
    assert f"{PARTS}1" not in own_changes(PUSHED, peer, answer(1.0, taken=2), 1), "femu stopped"


def test_where_newton_alone_fails() -> None:
    """Steps that other algorithms had to take, that were asked for again, or that nothing took."""
    whole, stops = answer(1.0, 2.0, 3.0), answer(1.0, 2.0, taken=3)
    helped = answer(1.0, 2.0, 3.0, helped={"1": "KrylovNewton"})
    assert [alone(one) for one in (whole, stops, helped)] == [3, 2, 1]
    assert alone(answer(1.0, 2.0, again=[0])) == 0
    assert compared_alone(whole, whole) == compared_alone(helped, helped) == SAME
    assert compared_alone(whole, helped) == EARLIER
    assert compared_alone(helped, whole) == LATER
    other = answer(1.1, 2.0, 3.0, helped={"1": "KrylovNewton"})
    assert compared_alone(whole, other) == OTHERWISE


@pytest.mark.opensees
def test_rotations_that_are_sums_explain_a_difference_also_if_both_programs_stop_later() -> None:
    """A frame that collapses in an earthquake, and one whose gravity needs shorter steps."""
    pytest.importorskip("openseespy")
    for seed, parts in ((1009, 10), (1097, 100)):
        peer, own = (played(program, [seed])[seed] for program in ("opensees", "femu"))
        assert peer["taken"] == own["taken"] < own["total"]
        cause, why = explained(seed, peer, own)
        assert cause == "rotations are sums"
        assert f"with {parts} parts" in why


@pytest.mark.opensees
def test_members_that_rest_at_a_kink_are_found() -> None:
    """Beams between columns that shorten alike: their concrete is at zero strain, and the damping
    takes its stiffness there."""
    pytest.importorskip("openseespy")
    peer, own = (played(program, [1133])[1133] for program in ("opensees", "femu"))
    assert explained(1133, peer, own)[0] == "members rest at a kink"


@pytest.mark.opensees
def test_a_femu_that_is_wrong_has_no_excuse() -> None:
    """An error of 1e-3 at the last step of a frame on which both agree is explained by nothing."""
    pytest.importorskip("openseespy")
    for what in ("earthquake", "pushover"):
        seed = next(
            seed
            for seed in range(FRAMES)
            if what in (title := frame_of(seed).title) and "Concrete04" in title
        )
        peer, own = (played(program, [seed])[seed] for program in ("opensees", "femu"))
        own["rows"][-1] = [value * (1.0 + 1e-3) for value in own["rows"][-1]]
        assert explained(seed, peer, own)[0] == ""


def test_the_fibre_that_crossed_a_jump_is_found() -> None:
    """Of two fibres, the one at the jump.

    None if both programs have it on the same side, or only steel is there.
    """
    frame = Frame(
        0,
        commands=[
            ["model", "basic", "-ndm", 2, "-ndf", 3],
            ["uniaxialMaterial", "Concrete04", 1, -30e6, -2e-3, -5e-3, 25e9, 3e6, 1e-3],
        ],
    )
    made = [
        {"member": 4, "section": 2, "places": [[0.1, 0.0], [-0.1, 0.0]], "materials": [1.0, 1.0]}
    ]
    before, after = [[[0.0, 0.0]], [[8e-4, -1e-3]]], [[[0.0, 0.0]], [[9.5e-4, -1e-3]]]
    assert (
        "section 2 of member 4 has a strain of 9.0000e-04 in openseespy and 1.0500e-03"
        in crossed(frame, made, before, after)
    )
    assert crossed(frame, made, before, before) == crossed(frame, made, after, after) == ""
    assert crossed(frame, [{**made[0], "materials": [7.0, 7.0]}], before, after) == ""


@pytest.mark.opensees
def test_a_law_that_continues_is_the_same_up_to_its_jump() -> None:
    """Concrete04 in openseespy, as it is and continued, and in femu.

    Equal before its ultimate strains, none after them.
    """
    pytest.importorskip("openseespy")
    ops = load_opensees()
    frame = next(
        frame
        for seed in range(FRAMES)
        if "Concrete04" in (frame := frame_of(seed)).title
        and any(np.isfinite(tension) for _, tension in limits(frame).values())
    )
    tag, (crushed, torn) = next(item for item in limits(frame).items() if np.isfinite(item[1][1]))

    def stresses(program: Any, made: Frame, last: float) -> list[float]:
        program.wipe()
        words = next(
            words
            for words in made.commands
            if words[:1] == ["uniaxialMaterial"] and words[2] == tag
        )
        program.uniaxialMaterial(*words[1:])
        program.testUniaxialMaterial(tag)
        found = []
        for share in np.linspace(0.1, 1.1, 41):
            program.setStrain(share * last)
            found.append(program.getStress())
        return found

    for last in (crushed, torn):
        plain, own = stresses(ops, frame, last), stresses(front_end, frame, last)
        longer = stresses(ops, continued(copy.deepcopy(frame)), last)
        assert own == pytest.approx(plain, rel=1e-12)
        assert longer[:36] == pytest.approx(plain[:36], rel=1e-12)
        assert plain[-1] == 0.0 and longer[-1] != 0.0


ELBOW = """
import json, sys
if sys.argv[1] == "opensees":
    from femu.opensees.load_openseespy import load_opensees
    ops = load_opensees()
else:
    import femu.opensees as ops
found = []
for steps in (2, 20):
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    for tag, place in enumerate([(0.0, 0.0, 0.0), (0.0, 0.0, 3.0), (4.0, 0.0, 3.0), (4.0, 2.0, 3.0)], 1):
        ops.node(tag, *place)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.geomTransf("Corotational", 1, 0.0, 1.0, 0.0)
    ops.geomTransf("Corotational", 2, 0.0, 0.0, 1.0)
    for tag in (1, 2, 3):
        ops.element("elasticBeamColumn", tag, tag, tag + 1, 5e-3, 2e11, 8e10, 2e-6, 3e-6, 5e-6, 1 if tag == 1 else 2)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(4, 3e3, 2e3, -4e3, 0.0, 0.0, 0.0)
    for name, *words in (["constraints", "Plain"], ["numberer", "Plain"], ["system", "FullGeneral"],
                         ["test", "NormDispIncr", 1e-12, 50], ["algorithm", "Newton"], ["integrator", "LoadControl", 1 / steps],
                         ["analysis", "Static"]):
        getattr(ops, name)(*words)
    assert ops.analyze(steps) == 0
    found.append([list(ops.nodeDisp(node)) for node in (2, 3, 4)])
print(json.dumps(found))
"""
"""An elastic member with two elbows, all of it corotational, loaded in few and in many steps."""


@pytest.mark.opensees
def test_rotations_of_corotational_members_in_space_are_sums() -> None:
    """Translations are the same in both programs and with any steps.

    Rotations are not, and less so the shorter the steps.
    """
    pytest.importorskip("openseespy")
    peer, own = (
        np.array(
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", ELBOW, program],
                    cwd=ROOT,
                    check=True,
                    text=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                ).stdout.splitlines()[-1]
            )
        )
        for program in ("opensees", "femu")
    )
    size = abs(peer[..., :3]).max()
    for rows in (peer[1], own[0], own[1]):
        assert abs(rows[:, :3] - peer[0, :, :3]).max() < 1e-9 * size
    few, many = (abs(own[k, :, 3:] - peer[k, :, 3:]).max() for k in (0, 1))
    assert few > 1e-5
    assert many < 0.1 * few


def test_a_column_whose_concrete_loses_its_tension_at_once_has_an_answer() -> None:
    """Without iterations that pass the jump of its law femu takes 13 steps.

    No state of least energy fits its column.
    """
    (frame,) = played("femu", [866]).values()
    assert frame["taken"] == frame["total"] == 23


def test_a_column_in_space_whose_end_falls_faster_than_the_rest_gives_way_has_an_answer() -> None:
    """If moves of its sections along which the energy rises are not turned round, femu takes 147
    steps."""
    (frame,) = played("femu", [153]).values()
    assert frame["taken"] == frame["total"] == 155


def test_a_column_with_two_answers_keeps_to_one_of_them() -> None:
    """Without repeating the step with increments of members in parts femu takes 11 steps: its
    column alternates between two answers at nearly the same deformation."""
    (frame,) = played("femu", [419]).values()
    assert frame["taken"] == frame["total"] == 54


@pytest.mark.opensees
def test_rotations_that_are_sums_are_measured_by_the_displacements_of_all_steps() -> None:
    """Corotational columns of a frame whose gravity step, which differs first, moves it little:
    a tenth of the largest displacement is no tenth of the difference."""
    pytest.importorskip("openseespy")
    peer, own = (played(program, [203])[203] for program in ("opensees", "femu"))
    assert explained(203, peer, own)[0] == "rotations are sums"


@pytest.mark.opensees
@pytest.mark.parametrize(("seed", "until"), [(434, 108), (978, 31)])
def test_softening_members_keep_to_the_answer_of_openseespy(seed: int, until: int) -> None:
    """In the first frame an iterate that went far led femu to another answer, in the second one the
    end of an HHT step, which began with the state before the step."""
    pytest.importorskip("openseespy")
    peer, own = (played(p, [seed], f"{SHORT_STEPS}1,{until}")[seed] for p in ("opensees", "femu"))
    assert peer["taken"] == own["taken"] == until
    assert apart(peer, own) < 1e-6


def test_members_with_rigid_ends_are_as_long_as_what_bends() -> None:
    frame = Frame(
        0,
        commands=[
            ["model", "basic", "-ndm", 2, "-ndf", 3],
            ["node", 1, 0.0, 0.0],
            ["node", 2, 5.0, 0.0],
            ["geomTransf", "Linear", 1],
            ["geomTransf", "Linear", 2, "-jntOffset", 0.2, 0.0, -0.3, 0.0],
            ["section", "Fiber", 7],
            ["beamIntegration", "Lobatto", 1, 7, 5],
            ["element", "forceBeamColumn", 1, 1, 2, 1, 1],
            ["element", "forceBeamColumn", 2, 1, 2, 2, 1],
            ["element", "nonlinearBeamColumn", 3, 1, 2, 5, 7, 2],
        ],
    )
    found = members(frame)
    assert {tag: kind for tag, (_, kind) in found.items()} == dict.fromkeys((1, 2, 3), "Fiber")
    assert [found[tag][0] for tag in (1, 2, 3)] == pytest.approx([5.0, 4.5, 4.5])
