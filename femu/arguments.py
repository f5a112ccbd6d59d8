"""The kind of every argument, checked by its annotation: a wrong one is named before anything is done with it.

`typed` is for functions, `typed_classes` for the constructors of classes. What an annotation cannot say (bounds, sizes, order)
stays with the function. Only annotations that are plain are looked at: numbers, texts, arrays of numbers, and classes.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from femu.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
ARRAYS = ("npt.ArrayLike", "ArrayLike", "Array", "npt.NDArray[np.float64]")
PAIR = "tuple[float, float]"


def typed(function: F) -> F:
    """A function that refuses arguments of another kind than its annotations say."""
    return _checked(function, function.__name__)


def typed_classes(*classes: type) -> None:
    """Check the arguments of the constructors of these classes."""
    for cls in classes:
        if "__init__" in vars(cls):
            cls.__init__ = _checked(cls.__init__, cls.__name__)  # type: ignore[misc]


def typed_class(cls: C) -> C:
    """A class whose constructor refuses arguments of another kind than its annotations say."""
    typed_classes(cls)
    return cls


def _checked(function: Any, owner: str) -> Any:
    signature = inspect.signature(function)
    names = list(signature.parameters)
    rules: dict[str, list[str]] = {}
    for name, parameter in signature.parameters.items():
        if isinstance(parameter.annotation, str) and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            rules[name] = [part.strip() for part in re.split(r"\|(?![^\[]*\])", parameter.annotation)]

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for name, value in [*zip(names, given, strict=False), *named.items()]:
            if name in rules and value is not signature.parameters[name].default:
                found = [_says(kind, value, function.__globals__) for kind in rules[name]]
                if all(found):
                    of = type(given[0]).__name__ if names[:1] == ["self"] and given else owner
                    raise InputError(of, name, value, f"must be {' or '.join(dict.fromkeys(found))}")
        return function(*given, **named)

    return call


def _says(kind: str, value: Any, names: Mapping[str, Any]) -> str:
    """What a value must be to be of a kind, where it is not; nothing where it is, or where the kind is not a plain one."""
    if kind in ("Any", "object"):
        return ""
    if kind == "None":
        return "" if value is None else "None"
    if kind == "float":
        return "" if _is_number(value) else "a number"
    if kind == "int":
        return "" if isinstance(value, Integral) and not isinstance(value, bool) else "a whole number"
    if kind == "bool":
        return "" if isinstance(value, (bool, np.bool_)) else "True or False"
    if kind == "str":
        return "" if isinstance(value, str) else "a text"
    if kind == PAIR:
        pair = isinstance(value, (Sequence, np.ndarray)) and np.shape(value) == (2,) and all(map(_is_number, value))
        return "" if pair else "a pair of numbers"
    if kind in ARRAYS:
        return "" if _are_numbers(value) else "numbers"
    if kind.startswith("Mapping["):
        return "" if isinstance(value, Mapping) else "a table of names"
    if kind.startswith("Sequence[") or (kind.startswith("tuple[") and kind.endswith(", ...]")):
        inner = kind[kind.index("[") + 1:-1].removesuffix(", ...")
        listed = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str) and np.ndim(value) < 2
        return "" if listed and not any(_says(inner, one, names) for one in value) else "a list"
    known = names.get(kind) or getattr(sys.modules.get("femu"), kind, None)  # some are imported for annotations only
    if isinstance(known, type) and not getattr(known, "_is_protocol", False):
        return "" if isinstance(value, known) else f"a {kind}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, np.floating)) and not isinstance(value, (bool, np.bool_)) and value == value


def _are_numbers(value: Any) -> bool:
    try:
        np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return value is not None
