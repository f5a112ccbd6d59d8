"""The arguments of a `ModelUpdater`: what they may be, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from femu.experimental.specimens.basic_system import BasicSystem
from femu.model.component import Material
from femu.model.element import Element
from femu.support.errors import InputError
from femu.updating.history_states import INTEGRATIONS
from femu.updating.twin_clones import HISTORIES, MODES
from femu.updating.unknown import Unknown

Array = npt.NDArray[np.float64]
LARGEST_COUNT = 10**9
ALLOWED: dict[str, tuple[str, ...]] = {
    "mode": tuple(MODES),
    "histories": tuple(HISTORIES),
    "integration": tuple(INTEGRATIONS),
}


class Common(TypedDict):
    """What every learner takes."""

    given_noise: Array | None
    displacement_noise: Array
    inequalities: tuple[tuple[Mapping[str, float], float, str], ...]
    seed: int


def unknowns_by_name(parameters: Mapping[str, Unknown] | Iterable[str]) -> dict[str, Unknown]:
    """The unknown parameters by name; names alone take the defaults."""
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        raise InputError(
            "ModelUpdater", "parameters", parameters, "must be names, or a table of names"
        )
    if isinstance(parameters, Mapping):
        given = dict(parameters)
    else:
        given = {str(name): Unknown() for name in parameters}
    if not given:
        raise InputError(
            "ModelUpdater",
            "parameters",
            parameters,
            "must name at least one parameter of the twin",
            fix="see list(updater.twin.parameters) for the names",
        )
    return given


def basic_system(
    twin: BasicSystem | Element | Material | Sequence[Material], length: float
) -> BasicSystem:
    """The twin in the coordinates of the specimen."""
    if not isinstance(twin, (BasicSystem, Element, Material, list, tuple)):
        raise InputError(
            "ModelUpdater",
            "twin",
            twin,
            "must be a material, materials, an element or a BasicSystem",
        )
    return twin if isinstance(twin, BasicSystem) else BasicSystem(twin, length=length)


def must_be_known(**choices: str) -> None:
    """Each choice is one of those that its argument allows."""
    for argument, value in choices.items():
        if value not in ALLOWED[argument]:
            raise InputError("ModelUpdater", argument, value, f"must be one of {ALLOWED[argument]}")


def must_be_finite(**numbers: float) -> None:
    """Each number is finite and not negative; a count is not beyond all reason."""
    for argument, number in numbers.items():
        if not (isinstance(number, (int, float)) and isfinite(number) and number >= 0):
            raise InputError(
                "ModelUpdater", argument, number, "must be a finite number that is not negative"
            )
        if argument in ("noise_samples", "max_resets") and number > LARGEST_COUNT:
            raise InputError("ModelUpdater", argument, number, f"must be at most {LARGEST_COUNT}")


def of_filters_alone(
    filter: Any, force_drift: Any, hidden: Sequence[str], integration: str
) -> None:
    """Nothing is given that the mode "consistent", which has no filter, has no use for."""
    for argument, value, is_given in (
        ("filter", filter, filter is not None),
        ("force_drift", force_drift, force_drift is not None),
        ("hidden", hidden, bool(hidden)),
        ("integration", integration, integration != "law"),
    ):
        if is_given:
            raise InputError(
                "ModelUpdater", argument, value, 'has no meaning in the mode "consistent"'
            )


def noise_of_forces(given: float | Sequence[float] | None, size: int) -> Array | None:
    """The given standard deviations, or None if they are to be estimated."""
    if given is None:
        return None
    noise = spread("force_noise", given, size)
    if not (noise > 0.0).all():
        raise InputError(
            "ModelUpdater",
            "force_noise",
            given,
            "must be above 0",
            fix="omit it to have it estimated",
        )
    return noise


def spread(argument: str, value: float | Sequence[float], size: int) -> Array:
    """A standard deviation for each channel."""
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        given = np.full(size, np.nan)
    each = np.full(size, float(given)) if given.ndim == 0 else given.copy()
    if each.shape != (size,) or not np.isfinite(each).all() or (each < 0.0).any():
        raise InputError(
            "ModelUpdater", argument, value, f"must be a number or {size} numbers of at least 0"
        )
    return each
