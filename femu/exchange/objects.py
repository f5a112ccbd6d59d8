"""Objects as plain tables, by what they declare.

A component is written by the fields of its class: its declared numbers always, the rest if it
differs from the default. Other objects (series, setups, sensors) are written by the arguments of
their constructor, if they keep them under the same names. So a new material, section, element or
series needs no code here.

Materials and sections become parts with a name, written once and referred to by it, so that members
that share a section share it again when the model is read.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from femu.model.component import Component, Constitutive
from femu.model.series import Motion
from femu.support.errors import FileError, InputError, UnsupportedError

TYPE, PART = "type", "part"
PUBLIC = (
    "femu.materials",
    "femu.elements",
    "femu.model.series",
    "femu.model.loads",
    "femu.records",
    "femu.experimental",
)
"""Modules whose classes are written by their name alone."""


class Encoder:
    """Turns objects into tables, and keeps the parts it meets."""

    def __init__(self) -> None:
        self.parts: dict[str, dict[str, Any]] = {}
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # objects whose id is a key must stay alive

    def value(self, content: Any, what: str) -> Any:
        """Plain data for anything a field may hold."""
        if isinstance(content, np.generic):  # first: np.float64 is a float too
            return content.item()
        if isinstance(content, (bool, int, float, str)):
            return content
        if isinstance(content, np.ndarray):
            return content.tolist()
        if isinstance(content, Constitutive):
            return {PART: self.part(content)}
        if isinstance(content, Mapping):
            if any(not isinstance(k, str) for k in content):
                raise UnsupportedError(
                    f"{what}: a mapping is written to TOML only if its keys are strings."
                )
            return {k: self.value(v, f"{what}.{k}") for k, v in content.items()}
        if isinstance(content, (list, tuple)):
            return [self.value(v, what) for v in content]
        return self.object(content)

    def part(self, component: Constitutive) -> str:
        """Name of the part for a material or section, written when it is first met."""
        if id(component) not in self._names:
            table = self.object(component)  # its own parts come before it
            base = _snake(type(component).__name__)
            number = sum(1 for name in self.parts if re.fullmatch(rf"{base}_\d+", name)) + 1
            self._names[id(component)] = f"{base}_{number}"
            self._kept.append(component)
            self.parts[f"{base}_{number}"] = table
        return self._names[id(component)]

    def object(self, thing: Any) -> dict[str, Any]:
        """Table of an object: its type and arguments."""
        if isinstance(thing, Motion):
            return {TYPE: type_name(Motion), **_motion(thing)}
        cls: type = type(thing)
        if dataclasses.is_dataclass(thing):
            arguments = self._fields(thing)
        else:
            cls, arguments = self._arguments(thing)
        return {TYPE: type_name(cls), **arguments}

    def _fields(self, thing: Any) -> dict[str, Any]:
        found = {}
        declared = thing.declared if isinstance(thing, Component) else {}
        for field in dataclasses.fields(thing):
            if not field.init:
                continue
            content = getattr(thing, field.name)
            if field.name not in declared and _same(content, _default(field)):
                continue
            if content is None:
                raise UnsupportedError(
                    f"{type(thing).__name__}: {field.name} = None cannot be written to TOML."
                )
            found[field.name] = self.value(content, f"{type(thing).__name__}.{field.name}")
        return found

    def _arguments(self, thing: Any) -> tuple[type, dict[str, Any]]:
        """The nearest class whose constructor's arguments the object keeps, and these arguments."""
        own = vars(thing) if hasattr(thing, "__dict__") else {}
        for cls in type(thing).__mro__[:-1]:
            if inspect.isabstract(cls) or "__init__" not in vars(cls):
                continue
            try:
                signature = list(inspect.signature(cls).parameters.values())
            except ValueError:  # classes of C have no signature
                continue
            if any(
                p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.name not in own for p in signature
            ):
                continue
            given = {p.name: own[p.name] for p in signature if not _same(own[p.name], p.default)}
            return cls, {k: self.value(v, f"{cls.__name__}.{k}") for k, v in given.items()}
        raise UnsupportedError(
            f"{type(thing).__name__} cannot be written to TOML: it does not keep the arguments it "
            "was made with under their names."
        )


class Decoder:
    """Makes objects from tables."""

    def __init__(self, parts: Mapping[str, Any], what: str) -> None:
        self.tables, self.what = parts, what
        self._made: dict[str, Any] = {}

    def value(self, content: Any) -> Any:
        """The object that plain data describes."""
        if isinstance(content, Mapping):
            if isinstance(content.get(TYPE), str):
                return self.object(content)
            if isinstance(content.get(PART), str):
                return self.part(content[PART])
            return {k: self.value(v) for k, v in content.items()}
        return [self.value(v) for v in content] if isinstance(content, list) else content

    def part(self, name: str) -> Any:
        """The part with a name, made once."""
        if name not in self._made:
            if name not in self.tables:
                raise FileError(self.what, f"refers to the part {name!r}, which it does not hold")
            self._made[name] = None  # a part that holds itself is caught below
            self._made[name] = self.object(self.tables[name])
        if self._made[name] is None:
            raise FileError(self.what, f"has the part {name!r} inside itself")
        return self._made[name]

    def object(self, table: Mapping[str, Any]) -> Any:
        """The object a table describes."""
        cls = self.find(table.get(TYPE))
        arguments = {k: self.value(v) for k, v in table.items() if k != TYPE}
        if dataclasses.is_dataclass(cls):
            kinds = {f.name: str(f.type) for f in dataclasses.fields(cls)}
            arguments = {k: _kind(v, kinds.get(k, "")) for k, v in arguments.items()}
        try:
            return cls(**arguments)
        except TypeError as problem:
            raise FileError(
                self.what, f"has a wrong argument for {cls.__name__}: {problem}"
            ) from None

    def find(self, name: Any) -> Any:
        """The class of a type's name."""
        if not isinstance(name, str):
            raise FileError(
                self.what, f"has a table whose type is {name!r}; it must be the name of a class"
            )
        if name in _public():
            return _public()[name]
        module, _, inner = name.partition(":")
        if not inner:
            raise FileError(self.what, f"names the type {name!r}, which femu does not have")
        # a file must not make femu import what it names: only what is imported already counts
        cls = getattr(sys.modules.get(module), inner, None)
        if not isinstance(cls, type):
            raise FileError(
                self.what,
                f"names the class {inner!r} of {module!r}. Import {module} before you read the "
                "file",
            )
        if not _describes(cls):
            raise FileError(self.what, f"names the class {name!r}, which is not a part of a model")
        return cls


def type_name(cls: type) -> str:
    """How a class is written.

    By its name, or as ``module:Class`` if it is not one of femu's public ones.
    """
    if _public().get(cls.__name__) is cls:
        return cls.__name__
    if "<locals>" in cls.__qualname__:
        raise UnsupportedError(
            f"{cls.__name__} cannot be written to TOML: its class is made inside a function. Move "
            "it to a module."
        )
    return f"{cls.__module__}:{cls.__qualname__}"


@cache
def _public() -> dict[str, type]:
    found: dict[str, type] = {}
    for module in PUBLIC:
        loaded = importlib.import_module(module)
        for name in getattr(loaded, "__all__", vars(loaded)):
            thing = getattr(loaded, name)
            if (
                isinstance(thing, type)
                and thing.__module__.startswith("femu.")
                and _describes(thing)
            ):
                found.setdefault(name, thing)
    return found


def _describes(cls: type) -> bool:
    """Whether a class describes a part of a model.

    A file must not be able to make arbitrary objects.
    """
    from femu.experimental import Compensation, Setup, Specimen

    plain = cls.__module__.startswith("femu.") and dataclasses.is_dataclass(cls)
    return (
        plain
        or issubclass(cls, (Component, Motion, Specimen, Setup, Compensation))
        or callable(getattr(cls, "at", None))
    )


def _default(field: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return (
        field.default_factory()
        if field.default_factory is not dataclasses.MISSING
        else dataclasses.MISSING
    )


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    try:
        return type(a) is type(b) and bool(a == b)
    except ValueError:
        return False


def _kind(content: Any, annotation: str) -> Any:
    """Lists as the arrays and tuples that the class declares."""
    if not isinstance(content, list):
        return content
    if "NDArray" in annotation:
        return np.array(content, dtype=float)
    return tuple(content) if "tuple" in annotation else content


def _motion(motion: Motion) -> dict[str, Any]:
    """The samples a support motion was made of.

    Those from which its others follow to the last bit.
    """
    for given, samples in (("displacement", motion.u), ("acceleration", motion.a)):
        made = Motion(motion.dt, **{given: samples})
        if all(np.array_equal(getattr(made, k), getattr(motion, k)) for k in "uva"):
            return {"dt": motion.dt, given: samples.tolist()}
    raise InputError(
        "Motion", "samples", motion, "were changed after it was made, and cannot be written to TOML"
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
