"""Fibres of Concrete04 that one program has before a jump of the law and the other one after it.

Concrete04 loses its stress at its ultimate strains, in tension and in compression. A fibre at such
a strain can have an equilibrium on either side, and which one is found depends on the iterates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.campaign.frame_materials import Frame

SECTIONED = ("forceBeamColumn", "nonlinearBeamColumn", "dispBeamColumn")
INSIDE = ("HHT", "GeneralizedAlpha")  # integrators that balance forces inside a step
LONGER = 20.0  # times as far does a law continue that ends in a jump


def limits(frame: Frame) -> dict[int, tuple[float, float]]:
    """Strains at which each Concrete04 jumps, in compression and in tension, by its tag."""
    return {
        words[2]: (words[5], words[8] if words[7:] else np.inf)
        for words in frame.commands
        if words[:2] == ["uniaxialMaterial", "Concrete04"]
    }


def continued(frame: Frame) -> Frame:
    """A frame whose concretes have the same curves, which continue after the ultimate strains
    instead of jumping to zero.

    The strain of crushing enters nothing else. In tension the stress is ``ft b ** ((e - e1) / (etu
    - e1))`` up to ``etu``, with ``e1 = ft / E`` and ``b = 0.1``, then none: with n times ``etu -
    e1`` and ``b ** n`` it is the same curve."""
    for words in frame.commands:
        if words[:2] == ["uniaxialMaterial", "Concrete04"]:
            words[5] *= LONGER
            if words[7:]:
                cracked = words[7] / words[6]
                words[8:] = [cracked + LONGER * (words[8] - cracked), 0.1**LONGER]
    return frame


def sections(ops: Any, frame: Frame) -> Iterator[tuple[int, int]]:
    """Members with sections, and the numbers of these."""
    for words in frame.commands:
        if words[0] == "element" and words[1] in SECTIONED:
            for k in range(1, len(ops.eleResponse(words[2], "integrationPoints")) + 1):
                yield words[2], k


def deformations(ops: Any, frame: Frame) -> list[list[float]]:
    """Deformations of all sections."""
    return [
        list(ops.eleResponse(tag, "section", str(k), "deformation"))
        for tag, k in sections(ops, frame)
    ]


def fibres(ops: Any, frame: Frame) -> list[dict[str, Any]]:
    """Fibres of all sections in openseespy.

    Their places relative to the centre, and the tags of their materials.
    """
    found = []
    for tag, k in sections(ops, frame):
        rows = np.reshape(ops.eleResponse(tag, "section", str(k), "fiberData2"), (-1, 6))
        centre = rows[:, 2] @ rows[:, :2] / rows[:, 2].sum() if len(rows) else np.zeros(2)
        found.append(
            {
                "member": tag,
                "section": k,
                "places": (rows[:, :2] - centre).tolist(),
                "materials": rows[:, 3].tolist(),
            }
        )
    return found


def strains(
    section: dict[str, Any], history: list[list[float]], space: bool
) -> npt.NDArray[np.float64]:
    """Strains of the fibres of a section, one row per step."""
    places, e = np.array(section["places"]), np.array(history)
    return (
        e[:, :1]
        - np.outer(e[:, 1], places[:, 0])
        + (np.outer(e[:, 2], places[:, 1]) if space else 0.0)
    )


def balanced_inside(frame: Frame) -> bool:
    """Whether forces are in balance inside the steps, and not at their ends."""
    return any(
        words[0] == "integrator" and words[1] in INSIDE
        for stage in frame.stages
        for words in stage["commands"]
    )


def crossed(frame: Frame, made: list[dict[str, Any]], peer: list[Any], own: list[Any]) -> str:
    """The fibre that only one program has had after a jump, with the largest difference of strain;
    empty if there is none.

    Strains are known at the ends of steps. If forces are in balance inside them, a fibre that
    passes its jump in the last step in both programs counts too: only one of them may have passed
    it there.
    """
    worst, found = 0.0, ""
    space, jumps = frame.commands[0][3] == 3, limits(frame)
    inside = balanced_inside(frame)
    for s, section in enumerate(made):
        if not section["places"]:
            continue
        theirs, ours = (
            strains(section, [step[s] for step in steps], space) for steps in (peer, own)
        )
        for f, material in enumerate(section["materials"]):
            for way, limit in zip((-1.0, 1.0), jumps.get(int(material), ()), strict=False):
                a, b = (way * (way * history[:, f]).max() for history in (theirs, ours))
                beyond = [way * a > way * limit, way * b > way * limit]
                now = (
                    inside
                    and all(beyond)
                    and not any(
                        (way * history[:-1, f] > way * limit).any() for history in (theirs, ours)
                    )
                )
                if (beyond[0] != beyond[1] or now) and abs(a - b) > worst:
                    worst = abs(a - b)
                    found = (
                        f"a fibre in section {section['section']} of member {section['member']} "
                        f"has a strain of {a:.4e} in openseespy and {b:.4e} in femu, and its law "
                        f"jumps at {limit:.4e}{', inside this step' if now else ''}"
                    )
    return found
