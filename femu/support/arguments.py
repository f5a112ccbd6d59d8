"""The kind of every argument, checked by its annotation: a wrong one is named before it is used.

`typed` is for functions and methods, `typed_class` and `typed_classes` for the constructors of
classes, `typed_methods` for all public methods of a class. A keyword that does not exist is named
with the right one; see `femu.support.keywords`. What an annotation cannot say (bounds, sizes,
order) stays with the function. Only plain annotations are checked: numbers, texts,
names, paths, arrays of numbers, and classes.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from types import FunctionType, UnionType
from typing import Any, TypeVar, get_origin

import numpy as np

from femu.support.errors import InputError
from femu.support.keywords import explained, refuse_unknown

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
ARRAYS = ("npt.ArrayLike", "ArrayLike", "Array", "npt.NDArray[np.float64]", "NDArray[np.float64]")
PAIR = "tuple[float, float]"
PATHS = ("str | os.PathLike[str]", "str | PathLike[str]")
PROTOCOLS = ("Distribution", "Progress", "BatchProgress", "Updater")
"""Any object with their methods will do, so they are not checked by name."""


def typed(function: F) -> F:
    """A function or method that refuses arguments of another kind than its annotations say."""
    return _checked(function, function.__name__)


def typed_classes(*classes: type) -> None:
    """Check the arguments of the constructors of these classes."""
    for cls in classes:
        if "__init__" in vars(cls):
            cls.__init__ = _checked(cls.__init__, "")  # type: ignore[misc]


def typed_class(cls: C) -> C:
    """A class whose constructor refuses arguments of another kind than its annotations say."""
    typed_classes(cls)
    return cls


def typed_methods(cls: C) -> C:
    """A class whose constructor and public methods refuse arguments of another kind than their
    annotations say."""
    typed_classes(cls)
    for name, found in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(found, FunctionType):
            setattr(cls, name, _checked(found, name))
        elif isinstance(found, (classmethod, staticmethod)):
            setattr(cls, name, type(found)(_checked(found.__func__, name)))
    return cls


def kinds_of(annotation: str) -> list[str]:
    """The kinds that an annotation allows, one by one."""
    for path in PATHS:
        annotation = annotation.replace(path, "path")
    return _parts(annotation, "|")


def _parts(text: str, mark: str) -> list[str]:
    """A text cut at the marks outside brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == mark and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found]


def broken_rule(kinds: Sequence[str], value: Any, names: Mapping[str, Any]) -> str:
    """What a value must be to be of one of the kinds.

    Empty if it is. ``names`` are those known to the annotation.
    """
    found = []
    for kind in kinds:
        found.append(_says(kind, value, names))
        if not found[-1]:
            return ""
    return f"must be {' or '.join(dict.fromkeys(found))}"


def as_numbers(what: str, argument: str, value: Any) -> Any:
    """An array of numbers, or an error that names the argument."""
    if not _are_numbers(value):
        raise InputError(what, argument, value, "must be numbers")
    return np.asarray(value, dtype=float)


def _checked(function: Any, name: str) -> Any:
    signature = inspect.signature(function)
    names = list(signature.parameters)
    owned = names[:1] in (["self"], ["cls"])
    rules = {
        p.name: kinds_of(p.annotation)
        for p in signature.parameters.values()
        if isinstance(p.annotation, str)
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and p.annotation != "Any"
    }
    if not rules:
        return explained(function, name)

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for argument, value in [*zip(names, given, strict=False), *named.items()]:
            if argument in rules and value is not signature.parameters[argument].default:
                broken = broken_rule(rules[argument], value, function.__globals__)
                if broken:
                    owner = (
                        (given[0] if isinstance(given[0], type) else type(given[0])).__name__
                        if owned and given
                        else ""
                    )
                    raise InputError(
                        ".".join(part for part in (owner, name) if part), argument, value, broken
                    )
        try:
            return function(*given, **named)
        except TypeError as problem:
            if (
                named
                and problem.__traceback__ is not None
                and problem.__traceback__.tb_next is None
            ):
                refuse_unknown(function, name, given, named)
            raise

    call._explained = True  # type: ignore[attr-defined]
    return call


def _says(kind: str, value: Any, names: Mapping[str, Any]) -> str:
    """What a value must be to be of a kind, if it is not.

    Empty if it is, or if the kind is not a plain one.
    """
    if kind in ("Any", "object"):
        return ""
    if kind == "None":
        return "" if value is None else "None"
    if kind == "float":
        return "" if _is_number(value) else "a number"
    if kind == "int":
        return (
            "" if isinstance(value, Integral) and not isinstance(value, bool) else "a whole number"
        )
    if kind == "bool":
        return "" if isinstance(value, (bool, np.bool_)) else "True or False"
    if kind == "str":
        return "" if isinstance(value, str) else "a text"
    if kind == "path":
        return (
            ""
            if isinstance(value, os.PathLike) or (isinstance(value, str) and "\0" not in value)
            else "a path"
        )
    if kind == "Name":
        right = isinstance(value, (int, str)) and not isinstance(value, bool) and value != ""
        return "" if right else "a whole number or a non-empty string"
    if kind == PAIR:
        pair = (
            isinstance(value, (Sequence, np.ndarray))
            and np.shape(value) == (2,)
            and all(map(_is_number, value))
        )
        return "" if pair else "a pair of numbers"
    if kind in ARRAYS:
        return "" if _are_numbers(value) else "numbers"
    if kind.startswith(("Mapping[", "dict[")):
        return "" if isinstance(value, Mapping) else "a table of names"
    if kind.startswith("tuple[") and not kind.endswith(", ...]"):
        inner = [_parts(one, "|") for one in _parts(kind[len("tuple[") : -1], ",")]
        right = isinstance(value, (tuple, list, np.ndarray)) and len(value) == len(inner)
        right = right and not any(
            broken_rule(*pair, names) for pair in zip(inner, value, strict=True)
        )
        return "" if right else f"{len(inner)} values"
    if kind.startswith("Sequence[") or (kind.startswith("tuple[") and kind.endswith(", ...]")):
        kinds = _parts(kind[kind.index("[") + 1 : -1].removesuffix(", ..."), "|")
        if not isinstance(value, (Sequence, np.ndarray)) or isinstance(value, (str, bytes)):
            return "a list"
        broken = ((k, broken_rule(kinds, one, names)) for k, one in enumerate(value))
        return next((f"a list in which [{k}] {rule}" for k, rule in broken if rule), "")
    if kind.startswith("Iterable["):
        return (
            "" if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else "a list"
        )
    if kind.startswith("Callable"):
        return "" if callable(value) else "a function"
    return _says_class(kind, value, names)


def _says_class(kind: str, value: Any, names: Mapping[str, Any]) -> str:
    """The same for a class, or for another name of a few classes."""
    known: Any = names.get(kind)
    if isinstance(known, UnionType):
        # the items of a list are not checked here
        if any(get_origin(part) for part in known.__args__) or isinstance(value, known):
            return ""
        return " or ".join(f"{_article(part.__name__)} {part.__name__}" for part in known.__args__)
    if getattr(known, "_is_protocol", False) and getattr(known, "_is_runtime_protocol", False):
        return "" if isinstance(value, known) and not isinstance(value, type) else f"a {kind}"
    # Python 3.10 calls Callable[..., X] a type
    a_class = isinstance(known, type) and get_origin(known) is None
    if not kind.isidentifier() or kind in PROTOCOLS or (known is not None and not a_class):
        return ""
    # by name: some classes are imported for annotations only
    return (
        ""
        if any(base.__name__ == kind for base in type(value).__mro__)
        else f"{_article(kind)} {kind}"
    )


def _article(word: str) -> str:
    return "an" if word[0] in "AEIO" else "a"


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, (Real, np.floating))
        and not isinstance(value, (bool, np.bool_))
        and value == value
    )


def _are_numbers(value: Any) -> bool:
    try:
        np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return False
    return value is not None and not isinstance(value, (str, bytes))
