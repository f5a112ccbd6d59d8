"""Kinds of declared fields (see `femu.engine.fields`): how Python reads, checks and writes each."""

from __future__ import annotations

from typing import Any

import numpy as np

from femu.engine import field_types
from femu.support.errors import InputError

LARGEST = 2**63 - 1


class Field:
    """A declared field. Of the class it is this object, of an instance its value."""

    kind = ""

    def __init__(self, meaning: str, shape: str = "", topic: str = "") -> None:
        self.meaning, self.shape, self.topic = meaning, shape, topic
        self.name, self.owner, self.offset = "", "fields", "0"  # set by the class
        self.word: type = int
        self.fixed: int | None = None

    @property
    def slot(self) -> int:
        """Its place in the vector, which must not depend on counts."""
        if self.fixed is None:
            raise self.refuse(self.offset, "is a place that depends on counts")
        return self.fixed

    @property
    def size(self) -> str:
        """Words that it takes up in the vector."""
        return "1"

    @property
    def described(self) -> str:
        """Its kind in words, for the glossary."""
        return self.kind

    def value_type(self) -> Any:
        """What a kernel gets for it."""
        return field_types.value_type(self.kind, self.word)

    def refuse(self, value: Any, rule: str, fix: str = "") -> InputError:
        return InputError(self.owner, self.name, value, rule, fix=fix)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else self.read(instance)

    def read(self, instance: Any) -> Any:
        raise NotImplementedError

    def __set__(self, instance: Any, value: Any) -> None:
        raise NotImplementedError


class Integer(Field):
    kind = field_types.INTEGER

    def read(self, instance: Any) -> int:
        return int(instance.vector[instance._place(self)])

    def __set__(self, instance: Any, value: Any) -> None:
        if (
            type(value) is not int and not isinstance(value, (int, np.integer, np.bool_))
        ) or not -LARGEST <= value <= LARGEST:
            raise self.refuse(value, "must be a whole number")
        place = self.fixed
        instance.vector[instance._place(self) if place is None else place] = value


class Number(Field):
    kind = field_types.NUMBER

    def read(self, instance: Any) -> float:
        return float(instance._floats[instance._place(self)])

    def __set__(self, instance: Any, value: Any) -> None:
        if not isinstance(value, (int, float, np.integer, np.floating)):
            raise self.refuse(value, "must be a number")
        instance._floats[instance._place(self)] = value


class Addressed(Field):
    """An address. An instance keeps what it was given; it takes a bare address too (0: none)."""

    def accept(self, value: Any) -> int:
        """Address of a value; raises if it is not of the declared kind."""
        raise NotImplementedError

    def read(self, instance: Any) -> Any:
        address = int(instance.vector[instance._place(self)])
        value, known = instance._held.get(self.name, (None, 0))
        return value if address == known else address

    def __set__(self, instance: Any, value: Any) -> None:
        if type(value) is not np.ndarray and (
            isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        ):
            address, value = int(value), int(value) or None
        else:
            address = 0 if value is None else self.accept(value)
        self.put(instance, value, address)

    def put(self, instance: Any, value: Any, address: int) -> None:
        """Keep a value that is known to be of the declared kind, and enter its address."""
        instance._held[self.name] = value, address
        place = self.fixed
        instance.vector[instance._place(self) if place is None else place] = address


class Vector(Addressed):
    dtype: Any = np.dtype(np.float64)

    def accept(self, value: Any) -> int:
        if (
            not isinstance(value, np.ndarray)
            or (value.dtype is not self.dtype and value.dtype != self.dtype)
            or not value.flags.c_contiguous
        ):
            raise self.refuse(
                value,
                f"must be a contiguous array of {self.dtype}",
                fix="use numpy.ascontiguousarray, and keep the array that kernels write to",
            )
        return int(value.__array_interface__["data"][0])


class Floats(Vector):
    kind = field_types.FLOATS


class Integers(Vector):
    kind, dtype = field_types.INTEGERS, np.dtype(np.int64)


class NumberAt(Vector):
    kind = field_types.NUMBER_AT


class Kernel(Addressed):
    kind = field_types.KERNEL

    def accept(self, value: Any) -> int:
        address = getattr(value, "address", None)
        if not isinstance(address, int):
            raise self.refuse(value, "must be a kernel, or the address of one")
        return address


class Nested(Addressed):
    kind = field_types.NESTED

    def __init__(self, declared: Any, meaning: str, topic: str = "") -> None:
        super().__init__(meaning, topic=topic)
        if getattr(declared, "kernel_type", None) is None or declared.counts:
            raise InputError(
                "fields_at", "declared", declared, "must be declared fields without counts"
            )
        self.declared = declared

    @property
    def described(self) -> str:
        return f"{self.kind} of {self.declared.__name__}"

    def value_type(self) -> Any:
        return self.declared.kernel_type

    def accept(self, value: Any) -> int:
        if not isinstance(value, self.declared):
            raise self.refuse(value, f"must be {self.declared.__name__}")
        return int(value.vector.__array_interface__["data"][0])


class Part(Field):
    kind = field_types.PART

    def __init__(self, shape: str, meaning: str, topic: str = "") -> None:
        super().__init__(meaning, shape, topic)
        try:
            self.sides = field_types.sides_of(shape)
        except ValueError as error:
            raise InputError("part", "shape", shape, str(error)) from None

    @property
    def size(self) -> str:
        return " * ".join(f"({side})" for side in self.sides) or "0"

    @property
    def described(self) -> str:
        return "floats inside" if self.word is float else "integers inside"

    def read(self, instance: Any) -> Any:
        start = instance._place(self)
        if not self.sides:
            return instance.vector[start:]
        shape = [field_types.evaluated(side, instance._counts) for side in self.sides]
        return instance.vector[start : start + int(np.prod(shape))].reshape(shape)

    def __set__(self, instance: Any, value: Any) -> None:
        self.read(instance)[...] = value


def integer(meaning: str, *, topic: str = "") -> Any:
    """A whole number; a vector of floats keeps it as a float. ``topic`` begins a new table."""
    return Integer(meaning, topic=topic)


def number(meaning: str, *, topic: str = "") -> Any:
    """A float; in a vector of integers it is kept by its bits."""
    return Number(meaning, topic=topic)


def floats(shape: str, meaning: str, *, topic: str = "") -> Any:
    """The address of a vector of floats; its shape in words."""
    return Floats(meaning, shape, topic)


def integers(shape: str, meaning: str, *, topic: str = "") -> Any:
    """The address of a vector of integers; its shape in words."""
    return Integers(meaning, shape, topic)


def number_at(meaning: str, *, topic: str = "") -> Any:
    """The address of one float: kernels read and write the float, Python gives its array."""
    return NumberAt(meaning, topic=topic)


def kernel_at(meaning: str, *, topic: str = "") -> Any:
    """The address of a kernel, for functions made by `femu.kernels.caller`."""
    return Kernel(meaning, topic=topic)


def fields_at(declared: Any, meaning: str, *, topic: str = "") -> Any:
    """The address of other declared fields: kernels write ``run.settings.dt``."""
    return Nested(declared, meaning, topic)


def part(shape: str, meaning: str, *, topic: str = "") -> Any:
    """A vector inside the vector: sides as expressions in the counts, as "n" or "2 * n + 1, n".

    Without sides it is the rest of the vector, which only the last field can be.
    """
    return Part(shape, meaning, topic)
