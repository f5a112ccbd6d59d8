"""What the causes of differences between random frames on both programs rest on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.campaign import frames
from tests.campaign.frame_balance import equations, shares
from tests.campaign.frame_jumps import crossed
from tests.campaign.frame_materials import Frame
from tests.campaign.frames import at_fault, at_rest, second_answer
from tests.campaign.test_frames import answer

CANTILEVER = Frame(
    0,
    commands=[
        ["model", "basic", "-ndm", 2, "-ndf", 3],
        ["node", 1, 0.0, 0.0],
        ["node", 2, 0.0, 2.0],
        ["section", "Fiber", 1],
        ["beamIntegration", "Lobatto", 1, 1, 3],
        ["element", "forceBeamColumn", 1, 1, 2, 1, 1],
    ],
    watched=[2],
)


class Answers:
    """A program with one elastic member of unit stiffness in balance, but for what is added."""

    def __init__(self, force: list[float], deformation: list[float]) -> None:
        places, weights = (0.0, 1.0, 2.0), (1 / 3, 4 / 3, 1 / 3)
        q = np.array([1.0, -3.0, 2.0])
        b = [np.array([[1.0, 0.0, 0.0], [0.0, x / 2 - 1.0, x / 2]]) for x in places]
        self.found: dict[Any, Any] = {
            "basicForce": q,
            "basicDeformation": sum(w * f.T @ f @ q for w, f in zip(weights, b, strict=True))
            + deformation,
            "integrationPoints": places,
            "integrationWeights": weights,
        }
        for k, f in enumerate(b, 1):
            self.found["section", str(k), "deformation"] = f @ q
            self.found["section", str(k), "force"] = f @ q + np.array(force) * (k == 2)

    def eleResponse(self, tag: int, *words: str) -> Any:
        return self.found[words if len(words) > 1 else words[0]]

    def nodeDisp(self, node: int) -> list[float]:
        return [0.0, 0.0, 0.0]


def test_the_equations_of_members_are_balance_and_compatibility() -> None:
    """An error in N, in M or in the deformation of a member shows with its size, and only there."""
    off = [
        equations(Answers(force, deformation), CANTILEVER)
        for force, deformation in (
            ([0.0, 0.0], [0.0, 0.0, 0.0]),
            ([3e-3, 0.0], [0.0, 0.0, 0.0]),
            ([0.0, 3e-3], [0.0, 0.0, 0.0]),
            ([0.0, 0.0], [2e-3, 0.0, 0.0]),
            ([0.0, 0.0], [0.0, 1e-3, 0.0]),
        )
    ]
    assert [row[0] for row in off] == pytest.approx([0.0, 3e-3, 1.5e-3, 0.0, 0.0], abs=1e-15)
    assert [row[1] for row in off] == pytest.approx([0.0, 0.0, 0.0, 1e-3, 1e-3], abs=1e-15)
    assert off[0][2] == 1.5  # the larger end moment by the length
    assert shares([off[1], off[3]]) == pytest.approx((3e-3 / 1.5, 1e-3 / off[3][3]))
    assert shares([]) == (0.0, 0.0)


@pytest.mark.parametrize("wrong", [0, 1])
def test_members_that_break_their_equations_are_the_fault_of_their_program(wrong: int) -> None:
    """In openseespy alone, and not later than the step."""
    good, bad = [1e-9, 1e-9, 1.0, 1.0], [1e-9, 1e-9, 1.0, 1.0]
    bad[wrong] = 1e-3
    peer = {"again": [], "equations": [good, bad, good], "taken": 3}
    own = {"again": [], "equations": [good, good, good], "taken": 3}
    assert "out of balance" in at_fault(peer, own, 1)
    assert at_fault(peer, own, 0) == at_fault(own, peer, 1) == at_fault(peer, peer, 1) == ""


def test_a_step_at_which_femu_stops_is_not_excused_by_an_earlier_one() -> None:
    """Both agree up to there: openseespy must be wrong in this very step."""
    good, bad = [1e-9, 1e-9, 1.0, 1.0], [1e-3, 1e-9, 1.0, 1.0]
    own = {"again": [], "equations": [good, good], "taken": 2}
    for rows, again, excused in (
        ([good, good, good], [], False),
        ([good, bad, good], [], False),
        ([good, good, bad], [], True),
        ([good, good, good], [1], False),
        ([good, good, good], [2], True),
    ):
        peer = {"again": again, "equations": rows, "taken": 3}
        assert bool(at_fault(peer, own, 2)) is excused


def test_a_jump_inside_a_step_counts_only_if_forces_are_in_balance_there() -> None:
    """A fibre that passes its jump in both programs: in the last step, under HHT."""
    made = [{"member": 4, "section": 2, "places": [[0.0, 0.0]], "materials": [1.0]}]
    commands = [
        ["model", "basic", "-ndm", 2, "-ndf", 3],
        ["uniaxialMaterial", "Concrete04", 1, -30e6, -2e-3, -5e-3, 25e9, 3e6, 1e-3],
    ]
    peer, own = [[[9e-4, 0.0]], [[1.1e-3, 0.0]]], [[[9e-4, 0.0]], [[1.2e-3, 0.0]]]
    longer = [[*history, [[1.3e-3 + 0.1 * k, 0.0]]] for k, history in enumerate((peer, own))]
    for method, counts in (("HHT", True), ("GeneralizedAlpha", True), ("Newmark", False)):
        stages = [{"commands": [["integrator", method, 0.9]]}]
        frame = Frame(0, commands=commands, stages=stages)
        assert ("inside this step" in crossed(frame, made, peer, own)) is counts
        assert crossed(frame, made, *longer) == ""


def test_a_second_answer_counts_only_if_openseespy_has_one_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Answers by KrylovNewton and BFGS; femu's own differs from that of openseespy."""
    balanced, out_of_balance = [[1e-9, 1e-9, 1.0, 1.0]], [[1e-3, 1e-9, 1.0, 1.0]]
    peer = answer(1.0, 1.0, helped={})
    own = answer(1.0, 1.1, helped={}, equations=2 * balanced)
    last = dict[tuple[str, str], float]()

    def replayed(program: str, seeds: list[int], change: str = "") -> dict[int, dict[str, Any]]:
        usual = 1.0 if program == "opensees" else 1.1
        return {seeds[0]: answer(1.0, last.get((program, change.split("=")[1]), usual))}

    monkeypatch.setattr(frames, "played", replayed)
    assert second_answer(0, peer, own, 1) == ""
    last["femu", "BFGS"] = 1.0  # femu alone differs from itself
    assert second_answer(0, peer, own, 1) == ""
    last["opensees", "KrylovNewton"] = 1.05  # openseespy has another one, and femu not this
    assert second_answer(0, peer, own, 1) == ""
    last["femu", "BFGS"] = 1.05
    assert "KrylovNewton is 5.0e-02 from its own" in second_answer(0, peer, own, 1)
    del last["femu", "BFGS"]
    last["opensees", "KrylovNewton"] = 1.1  # it is that of femu by Newton
    assert "that of femu by Newton" in second_answer(0, peer, own, 1)
    last["opensees", "KrylovNewton"] = 1.2  # openseespy differs from itself more than femu
    assert "2.0e-01 from its own answer, femu 1.0e-01" in second_answer(0, peer, own, 1)
    own["equations"] = balanced + out_of_balance
    assert second_answer(0, peer, own, 1) == ""


def test_members_that_rest_are_no_excuse_unless_the_rest_is_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With uneven gravity both agree until a step in which openseespy is out of balance, or not."""
    peer, own = answer(1.0, 1.0, 1.0, 1.0), answer(1.0, 1.1, 1.2, 1.3)
    good, bad = [1e-9, 1e-9, 1.0, 1.0], [1e-3, 1e-9, 1.0, 1.0]
    theirs = [good, good, good, bad]

    def replayed(program: str, seeds: list[int], change: str = "") -> dict[int, dict[str, Any]]:
        assert change.split("; ")[0] == "uneven load"
        rows = (1.0, 1.05, 1.05, 1.05 if program == "opensees" else 1.2)
        equations = theirs if program == "opensees" else 4 * [good]
        return {seeds[0]: answer(*rows, helped={}, equations=equations)}

    monkeypatch.setattr(frames, "played", replayed)
    assert "until members of openseespy are out of balance" in at_rest(0, peer, own, 1)
    theirs[-1] = good
    assert at_rest(0, peer, own, 1) == ""


def test_rotations_that_are_sums_are_no_excuse_for_a_femu_that_stops_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = [1e-9, 1e-9, 1.0, 1.0]
    peer = answer(1.0, 1.0, 1.0, helped={})
    monkeypatch.setattr(frames, "summed", lambda *_: "they are")
    for name in ("jumps", "at_rest", "second_answer"):
        monkeypatch.setattr(frames, name, lambda *_: "")
    monkeypatch.setattr(frames, "own_changes", lambda *_: {})
    replay = answer(1.0, 1.0, 1.0, equations=3 * [good])
    monkeypatch.setattr(frames, "played", lambda program, seeds, change="": {seeds[0]: replay})
    whole, short = answer(1.0, 1.1, 1.1), answer(1.0, 1.1, taken=3)
    assert frames.explained(0, peer, whole)[0] == "rotations are sums"
    assert frames.explained(0, peer, short)[0] == ""
