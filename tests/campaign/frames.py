"""Random ordinary frames on femu and openseespy: femu converges if openseespy does, and both agree.

A difference has one of six causes. All are looked for at the first step that differs, in this
order, and printed by seed with their figures:

- openseespy is at fault: its force-based members are out of balance with their sections, or not
  compatible with them, by more than `AGREED`, and not in femu (`frame_balance`); or it does not
  restore the state after a step that failed: it takes the step if it is simply asked again, or,
  unlike femu, gives another answer, that of femu, if the step is taken at once by the algorithm
  that solved it.
- A law jumps: a fibre is before the jump of Concrete04 at an ultimate strain in one program and
  after it in the other, femu's members satisfy their equations, and if the law has the same curves
  but does not jump (`frame_jumps`), both agree within `AGREED` up to this step, and in all steps
  within `AGREED` or a tenth of their difference.
- Rotations in space are sums: a frame in space has corotational members, and the difference falls
  to a tenth or less if steps are taken in ten or a hundred parts. Nodal rotations are sums of
  increments, by iterations in OpenSees and by steps in femu. They depend on the way if the axis
  turns, and linear members take them for rotations. If all members are corotational, only the sums
  differ. If femu stops first, they are no excuse.
- Members rest at a kink of their law, where round-off decides which stiffness enters the damping:
  openseespy differs from itself if gravity loads differ by 1e-9 from node to node, and both then
  agree within `AGREED` in all steps, or in those before one in which openseespy is at fault.
- The frame is ill-posed, so that it has several answers: openseespy differs from itself as much as
  femu differs from it, under a change that leaves the problem as it is: the tolerance halved,
  gravity loads of 1 + 1e-12, or this step, if it is static, taken in parts, in which femu follows
  it. Or openseespy has a second answer to this step by another algorithm, which femu has too, by
  one of the algorithms, or which differs from the first as much as femu, whose members satisfy
  their equations.
- femu is wrong: everything else, each frame in which femu stops first, unless openseespy is at
  fault in this step or the frame ill-posed, and each frame that femu refuses.

The steps that both took are compared, also if one of them, or both, stopped later. A frame that
openseespy refuses is an error of the generator: nothing would be compared.

``python -m tests.campaign.frames SEED ...`` runs single seeds and prints how they ended.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tests.campaign.frame_balance import shares
from tests.campaign.frame_generator import frame_of
from tests.campaign.frame_jumps import crossed
from tests.campaign.frame_materials import Frame
from tests.campaign.frame_play import (
    BALANCE,
    CHANGES,
    DIRECT,
    FIBRES,
    PARTS,
    SHORT_STEPS,
    TOGETHER,
    UNEVEN,
    WITHOUT_JUMPS,
)
from tests.campaign.frame_players import played
from tests.campaign.tally import Tally

PROGRAMS = ("opensees", "femu")
FRAMES, QUICK_FRAMES = 1000, 60
AGREED = 1e-6  # of the largest displacement
# of a difference, rounded: femu and a changed openseespy that find the same answer agree to some
# digits only
AS_MUCH = 0.99
# for one step instead of Newton; the first one openseespy has alone
ALGORITHMS = (
    "KrylovNewton -increment initial",
    "KrylovNewton",
    "SecantNewton",
    "BFGS",
    "Broyden",
)
VANISHING = 0.1  # share of a difference that may be left if steps are a tenth as long
CHUNK = 20  # seeds that both programs take side by side
PROGRESS = 100  # frames between two lines that say how far it is
ENDINGS = ("both", "femu alone", "openseespy alone", "neither")
"""Which programs took all steps.

The steps that both took are compared in each case.
"""
SAME, EARLIER, LATER, OTHERWISE = NEWTON = (
    "takes all steps in both, or fails at the same one",
    "fails in femu first",
    "fails in openseespy first",
    "fails at other steps, from states that differ",
)
"""Where Newton fails that is not helped by other algorithms."""
KINDS = {
    "uniaxialMaterial": "material",
    "section": "section",
    "patch": "patch",
    "layer": "layer",
    "element": "element",
    "beamIntegration": "rule",
    "geomTransf": "transformation",
}
"""Commands whose kinds are counted, and what the table calls them."""


def kinds_in(frame: Frame) -> set[tuple[str, str]]:
    """What a frame is made of: (material, Steel01) and so on."""
    return {(KINDS[words[0]], words[1]) for words in frame.commands if words[0] in KINDS}


def apart(
    a: dict[str, Any], b: dict[str, Any], last: int | None = None, size: float | None = None
) -> float:
    """Difference of two answers at the steps that both have, up to the last, as a share of the
    first's largest displacement, or of ``size``."""
    steps = min(a["taken"], b["taken"])
    stop = steps if last is None else min(steps, last + 1)
    if not stop:
        return 0.0
    expected, rows = np.array(a["rows"][:steps]), np.array(b["rows"][:steps])
    largest = float(np.abs(expected).max()) if size is None else size
    return float(np.abs(rows - expected)[:stop].max()) / largest


def ended(answer: dict[str, Any]) -> bool:
    return answer["taken"] == answer["total"]


def stopped(peer: dict[str, Any], own: dict[str, Any]) -> str:
    """Where femu stopped, in words."""
    return (
        f"femu stopped after {own['taken']} of {own['total']} steps, openseespy after "
        f"{peer['taken']}"
    )


def alone(answer: dict[str, Any]) -> int:
    """The first step that Newton alone did not take; the number of steps if there is none."""
    return min([answer["taken"], *answer["again"], *map(int, answer["helped"])])


def compared_alone(peer: dict[str, Any], own: dict[str, Any]) -> str:
    """Where Newton alone fails first, one of `NEWTON`: what a script meets that has no other
    algorithm."""
    theirs, ours = alone(peer), alone(own)
    if ours == theirs:
        return SAME
    if apart(peer, own, min(ours, theirs) - 1) > AGREED:
        return OTHERWISE
    return EARLIER if ours < theirs else LATER


def listed(seeds: list[int]) -> str:
    return f" (seeds {', '.join(map(str, seeds))})" if seeds else ""


def compared(
    seed: int, peer: dict[str, Any] | None, own: dict[str, Any] | None
) -> tuple[str, float, str | None]:
    """Which programs converged, their difference, and what is wrong, if anything."""
    name = f"seed {seed} ({frame_of(seed).title})"
    if own is None:
        return "femu crashed", 0.0, f"{name}: femu ended its process"
    if not np.isfinite(np.array(own["rows"])).all():
        return "not finite", 0.0, f"{name}: a step with NaN counts as converged"
    if peer is None:
        return "openseespy crashed", 0.0, None
    if peer.get("refused"):
        what = f"openseespy refused it, so that nothing is compared. {peer['refused']}"
        return "refused by openseespy", 0.0, f"{name}: {what}"
    if not np.isfinite(np.array(peer["rows"])).all():
        return "NaN in openseespy", 0.0, None
    off = apart(peer, own)
    which = {
        (True, True): "both",
        (False, True): "femu alone",
        (True, False): "openseespy alone",
        (False, False): "neither",
    }[ended(peer), ended(own)]
    wrong = None
    if own.get("refused"):
        wrong = f"{name}: femu refused it. {own['refused']}"
    elif off > AGREED:
        wrong = f"{name}: {off:.1e} apart"
    elif own["taken"] < peer["taken"]:
        wrong = f"{name}: {stopped(peer, own)}"
    return which, off, wrong


def first_apart(a: dict[str, Any], b: dict[str, Any]) -> int:
    """The first step with a difference."""
    steps = min(a["taken"], b["taken"])
    expected, rows = np.array(a["rows"][:steps]), np.array(b["rows"][:steps])
    return int(np.argmax(np.abs(rows - expected).max(axis=1) > AGREED * np.abs(expected).max()))


def not_restored(seed: int, peer: dict[str, Any], own: dict[str, Any], step: int) -> str:
    """What shows that openseespy, and not femu, depends on attempts at a step that failed.

    Empty if nothing does.
    """
    helped = {int(k): name for k, name in peer["helped"].items() if int(k) <= step}
    if not helped:
        return ""
    change = DIRECT + ",".join(f"{k}={name}" for k, name in helped.items())
    theirs, mine = (played(program, [seed], change)[seed] for program in PROGRAMS)
    by, ours = apart(peer, theirs, step), apart(own, mine, step)
    if by > AGREED >= max(ours, apart(theirs, mine, step)):
        return f"openseespy differs by {by:.1e} from itself if steps {list(helped)} do not fail first, femu by {ours:.1e}"
    return ""


def at_fault(peer: dict[str, Any], own: dict[str, Any], step: int) -> str:
    """What shows that openseespy is wrong up to a step; empty if nothing does.

    If femu stopped there, what it did before is no excuse: both agree up to this step.
    """
    first = step if own["taken"] <= step else 0
    if peer["again"] and first <= peer["again"][0] <= step:
        return f"openseespy takes step {peer['again'][0]}, which failed, if it is simply asked again: it was not restored"
    theirs = shares(peer["equations"][first : step + 1])
    ours = shares(own["equations"][: step + 1])
    if max(theirs) > AGREED >= max(ours):
        return (
            f"members of openseespy are out of balance by {theirs[0]:.1e} and incompatible by "
            f"{theirs[1]:.1e} up to step {step}, in femu by {ours[0]:.1e} and {ours[1]:.1e}"
        )
    return ""


def own_changes(
    seed: int, peer: dict[str, Any], own: dict[str, Any], step: int
) -> dict[str, float]:
    """How much openseespy differs from itself up to a step under each change.

    Infinite if it stops before. A step in parts counts only if femu, in parts too, finds the same:
    laws have a history, so that parts lead to another state in any frame, and a femu that is wrong
    differs from openseespy in both.
    """
    frame = frame_of(seed)
    found = {}
    for change in CHANGES:
        other = played("opensees", [seed], change).get(seed)
        if other and np.isfinite(np.array(other["rows"])).all():
            found[change] = apart(peer, other, step) if other["taken"] > step else np.inf
    static = frame.stages[0]["steps"] if "earthquake" in frame.title else own["total"]
    if step < min(static, own["taken"]):
        change = f"{PARTS}{step}"
        other, ours = (played(program, [seed], change).get(seed) for program in PROGRAMS)
        if other and ours and min(other["taken"], ours["taken"]) > step:
            same = max(AGREED, VANISHING * apart(peer, own, step))
            if apart(other, ours, step) <= same:
                found[change] = apart(peer, other, step)
    return found


def ill_posed(
    peer: dict[str, Any], own: dict[str, Any], step: int, changes: dict[str, float]
) -> bool:
    """Whether openseespy differs from itself as much as femu from it up to a step.

    If femu stopped there, whether it differs or stops too.
    """
    if own["taken"] <= step:
        return any(by > AGREED for by in changes.values())
    off = AS_MUCH * apart(peer, own, step)
    return any(np.isfinite(by) and by >= off and by > AGREED for by in changes.values())


def said(step: int, changes: dict[str, float]) -> str:
    """The changes of openseespy in a line."""
    return f"openseespy from itself up to step {step}: " + ", ".join(
        f"{by:.1e} with {change}" for change, by in changes.items()
    )


def second_answer(seed: int, peer: dict[str, Any], own: dict[str, Any], step: int) -> str:
    """What shows that openseespy has a second answer to a step: femu has it too, or it differs from
    the first as much as femu, whose members satisfy their equations.

    Empty if nothing does.
    """
    balanced = max(shares(own["equations"][: step + 1])) <= AGREED
    if step in (int(k) for answer in (peer, own) for k in answer["helped"]):
        return ""
    alone = ""
    for name, theirs in by_algorithm("opensees", seed, step):
        if not (by := apart(peer, theirs, step)) > AGREED:
            continue
        if balanced and by >= AS_MUCH * (off := apart(peer, own, step)):
            alone = f"openseespy by {name} is {by:.1e} from its own answer, femu {off:.1e}"
        for other, ours in (("Newton", own), *by_algorithm("femu", seed, step)):
            if (off := apart(theirs, ours, step)) <= AGREED:
                return (
                    f"openseespy by {name} is {by:.1e} from its own answer and {off:.1e} from that "
                    f"of femu by {other}"
                )
    return alone


def by_algorithm(program: str, seed: int, step: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Answers of a program that takes one step by another algorithm than Newton."""
    for name in ALGORITHMS:
        answer = played(program, [seed], f"{DIRECT}{step}={name}").get(seed)
        if answer and answer["taken"] > step:
            yield name, answer


def jumps(seed: int, peer: dict[str, Any], own: dict[str, Any], step: int) -> str:
    """What shows that both differ by the jump of a law alone; empty if nothing does."""
    frame, off, steps = frame_of(seed), apart(peer, own), min(peer["taken"], own["taken"])
    if "Concrete04" not in frame.title or max(shares(own["equations"][: step + 1])) > AGREED:
        return ""
    made = played("opensees", [seed], FIBRES)[seed]["fibres"]
    fibre = crossed(frame, made, *(answer["sections"][: step + 1] for answer in (peer, own)))
    if not fibre:
        return ""
    peer, own = (played(program, [seed], WITHOUT_JUMPS)[seed] for program in PROGRAMS)
    if min(peer["taken"], own["taken"]) < steps or (by := apart(peer, own, step)) > AGREED:
        return ""
    if (whole := apart(peer, own)) > max(AGREED, VANISHING * off):
        return ""
    return f"{fibre}; both agree within {by:.1e} if it does not jump, {whole:.1e} in all steps"


def summed(seed: int, peer: dict[str, Any], own: dict[str, Any]) -> str:
    """What shows that both differ by the way in which rotations in space are summed.

    Empty if nothing does.
    """
    frame = frame_of(seed)
    if not frame.title.startswith("space") or not any(
        words[:2] == ["geomTransf", "Corotational"] for words in frame.commands
    ):
        return ""
    steps, off = min(peer["taken"], own["taken"]), apart(peer, own)
    # of all steps: those with parts can end before the displacements are large
    size = float(np.abs(np.array(peer["rows"][:steps])).max())
    for parts, until in ((10, steps), (100, first_apart(peer, own) + 1)):
        change = f"{SHORT_STEPS}{parts},{until}"
        short, ours = (played(program, [seed], change)[seed] for program in PROGRAMS)
        if min(short["taken"], ours["taken"]) < until:
            continue
        by, whole = apart(short, ours, size=size), apart(peer, own, until - 1, size)
        if by <= VANISHING * whole:
            return f"corotational in space: {off:.1e}, and {by:.1e} with {parts} parts of each step up to step {until}"
    return ""


def at_rest(seed: int, peer: dict[str, Any], own: dict[str, Any], step: int) -> str:
    """What shows that both differ by members that rest at a kink of their law.

    Empty if nothing does.
    """
    other, ours = (played(program, [seed], UNEVEN)[seed] for program in PROGRAMS)
    steps = min(peer["taken"], own["taken"])
    if (by := apart(peer, other, step)) <= AGREED:
        return ""
    said = (
        f"openseespy differs by {by:.1e} from itself if gravity is uneven by 1e-9, and femu then "
    )
    taken = min(other["taken"], ours["taken"])
    if taken >= steps and apart(other, ours, steps - 1) <= AGREED:
        return f"{said}by {apart(other, ours, steps - 1):.1e} from it in all steps"
    later = first_apart(other, ours) if apart(other, ours) > AGREED else taken
    if later <= step:
        return ""
    change = TOGETHER.join((UNEVEN, BALANCE))
    theirs, mine = (
        {**played(program, [seed], change)[seed], "again": answer["again"]}
        for program, answer in (("opensees", other), ("femu", ours))
    )
    if fault := at_fault(theirs, mine, later):
        return f"{said}by {apart(other, ours, later - 1):.1e} from it until {fault}"
    return ""


def explained(seed: int, peer: dict[str, Any], own: dict[str, Any]) -> tuple[str, str]:
    """Whose difference it is (empty for femu's), and the figures that show it."""
    differs = apart(peer, own) > AGREED
    step = first_apart(peer, own) if differs else own["taken"]
    theirs, ours = (
        {**played(program, [seed], BALANCE)[seed], "again": answer["again"]}
        for program, answer in (("opensees", peer), ("femu", own))
    )
    if fault := at_fault(theirs, ours, step):
        return "openseespy at fault", fault
    if differs and (fault := not_restored(seed, peer, own, step)):
        return "openseespy at fault", fault
    if differs and (why := jumps(seed, theirs, ours, step)):
        return "a law jumps", why
    # sums that differ by a little do not make femu stop first
    if differs and own["taken"] >= peer["taken"] and (why := summed(seed, peer, own)):
        return "rotations are sums", why
    if differs and (why := at_rest(seed, peer, own, step)):
        return "members rest at a kink", why
    changes = own_changes(seed, peer, own, step)
    figures = f"{apart(peer, own, step):.1e} at first, {said(step, changes)}"
    if ill_posed(peer, own, step, changes):
        return "ill-posed", figures
    if differs and (why := second_answer(seed, peer, ours, step)):
        return "ill-posed", f"{why}; {figures}"
    return "", figures


def run(quick: bool) -> Tally:
    return tried(list(range(QUICK_FRAMES if quick else FRAMES)))


def tried(seeds: list[int]) -> Tally:
    """Run frames on both programs side by side."""
    tally, counts = Tally(), dict.fromkeys(ENDINGS, 0)
    newton: dict[str, list[int]] = {how: [] for how in NEWTON}
    largest, doubtful, made = 0.0, list[tuple[str, str]](), Counter[tuple[str, str]]()
    for first in range(0, len(seeds), CHUNK):
        if first and first % PROGRESS == 0:
            done = f"{first} of {len(seeds)} frames, {len(tally.failures)} failures"
            print(f"frames: {done}", file=sys.stderr, flush=True)
        chunk = seeds[first : first + CHUNK]
        with ThreadPoolExecutor(2) as pool:
            peers, own = pool.map(played, PROGRAMS, (chunk, chunk))
        for seed in chunk:
            made.update(kinds_in(frame_of(seed)))
            which, off, wrong = compared(seed, peers.get(seed), own.get(seed))
            tally.steps += own[seed]["taken"] if seed in own else 0
            if wrong and which in ENDINGS and not own[seed].get("refused"):
                cause, why = explained(seed, peers[seed], own[seed])
                what = f"{off:.1e} apart" if off > AGREED else stopped(peers[seed], own[seed])
                line = f"seed {seed}: {what} ({why})"
                doubtful.append((cause or "without a cause", line))
                print(f"frames: {doubtful[-1][0]}, {line}", file=sys.stderr, flush=True)
                which, wrong = (f"{which}, {cause}", None) if cause else (which, f"{wrong} ({why})")
            counts[which] = counts.get(which, 0) + 1
            if which.split(",")[0] in ENDINGS:
                newton[compared_alone(peers[seed], own[seed])].append(seed)
            largest = max(largest, off) if which == "both" else largest
            if wrong:
                tally.failures.append(f"frames: {wrong}")
                print(tally.failures[-1], file=sys.stderr, flush=True)
            else:
                tally.properties += 1
    tally.lines = [
        ("frames", str(len(seeds))),
        *((f"converged in {which}", str(count)) for which, count in counts.items()),
        ("largest difference where both converged", f"{largest:.1e}"),
        *(
            (f"Newton alone {how}", f"{len(found)}{listed(found) if how != SAME else ''}")
            for how, found in newton.items()
        ),
        *sorted(doubtful),
        *(
            (
                what,
                ", ".join(
                    f"{name} {count}"
                    for (kind, name), count in sorted(made.items())
                    if kind == what
                ),
            )
            for what in KINDS.values()
        ),
    ]
    return tally


if __name__ == "__main__":
    for seed in map(int, sys.argv[1:]):
        peer, own = (played(program, [seed]).get(seed) for program in PROGRAMS)
        which, off, wrong = compared(seed, peer, own)
        doubtful = wrong and which in ENDINGS and peer and own and not own.get("refused")
        cause, why = explained(seed, peer, own) if doubtful else ("", "")
        print(seed, which, f"{off:.1e}", wrong or "", cause, why, flush=True)
