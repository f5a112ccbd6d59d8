"""A specimen takes commands of one session at a time.

While a session has a specimen, no other session gets it. An emulated one is made of equations: the
other session works with a copy, in the state that the specimen had when it was taken. A physical
one exists once: the other session is refused.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.specimen import Specimen
from femu.support.errors import InputError

Array = npt.NDArray[np.float64]
Part = TypeVar("Part")
_LOCK = threading.Lock()


@dataclass(frozen=True)
class _Taken:
    part: Any  # kept alive: another object must not get its id
    holder: object
    purpose: str
    state: Array


_TAKEN: dict[int, _Taken] = {}


def take_specimen(specimen: Specimen, holder: object, purpose: str, label: str) -> Specimen:
    """The specimen for a session, or a copy of an emulated one that another session has.

    ``purpose`` says in messages what the session does, and ``label`` names its element.
    """
    state = specimen.state
    taken = _take(specimen.moved, holder, purpose, state)
    if taken is None:
        return specimen
    if specimen.physical or not len(state) == len(taken.state):
        raise in_use(label, specimen, taken.purpose)
    try:
        made = copy.deepcopy(specimen)
        made.restore(taken.state)
    except Exception as problem:
        raise InputError(
            label,
            "specimen",
            specimen,
            f"has commands of {taken.purpose}, and cannot be copied for {purpose}: {problem}",
            fix="give each test its own specimen",
        ) from problem
    _take(made.moved, holder, purpose, state)
    return made


def hold_specimen(specimen: Specimen, holder: object, purpose: str, label: str) -> None:
    """Take the specimen itself for a session; refused if another session has it."""
    taken = _take(specimen.moved, holder, purpose, specimen.state)
    if taken is not None:
        raise in_use(label, specimen, taken.purpose)


def in_use(label: str, specimen: Specimen, purpose: str) -> InputError:
    """The refusal of a specimen that another session has."""
    return InputError(
        label,
        "specimen",
        specimen,
        f"takes commands of one session at a time, and now those of {purpose}",
        fix="wait until that has ended, or give each test its own specimen",
    )


def hold_part(part: object, holder: object, purpose: str, argument: str) -> None:
    """Take a part of a test for a run of it; refused if another run has it."""
    taken = _take(part, holder, purpose, np.zeros(0))
    if taken is not None:
        raise InputError(
            "HybridTest",
            argument,
            part,
            f"serves one test at a time, and now {taken.purpose}",
            fix="make one for each test",
        )


def take_part(part: Part, holder: object, purpose: str) -> Part:
    """A part that begins every test from the start, or a copy if another session has it."""
    if _take(part, holder, purpose, np.zeros(0)) is None:
        return part
    made = copy.deepcopy(part)
    _take(made, holder, purpose, np.zeros(0))
    return made


def release_all(holder: object) -> None:
    """Let other sessions have what this one has taken."""
    with _LOCK:
        for key in [key for key, taken in _TAKEN.items() if taken.holder is holder]:
            del _TAKEN[key]


def _take(part: Any, holder: object, purpose: str, state: Array) -> _Taken | None:
    """Take a part; returns who has it if that is somebody else."""
    with _LOCK:
        taken = _TAKEN.get(id(part))
        if taken is None:
            _TAKEN[id(part)] = _Taken(part, holder, purpose, state)
        return taken if taken is not None and taken.holder is not holder else None
