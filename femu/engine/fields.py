"""The fields of a vector that kernels and Python share, declared once.

A context is one flat vector of integers through which a kernel reaches everything it works on:
numbers, and the addresses of vectors. Settings and the state of a filter are flat vectors of
floats. A class declares what such a vector holds::

    class Oscillator(Fields):
        \"\"\"A mass on a spring.\"\"\"

        steps = integer("steps to do")
        dt = number("length of a step")
        u = floats("steps + 1", "displacement")

Everything else follows from the declaration. Inside a kernel whose signature has
``Oscillator.kernel_type`` among its arguments, the fields are attributes::

    @kernel(INT(Oscillator.kernel_type))
    def march(oscillator):
        u, dt = oscillator.u, oscillator.dt

In Python, ``Oscillator()`` is such a vector, and its fields are attributes too:
``oscillator.u = array`` checks the array, keeps it and enters its address.
``Oscillator.glossary()`` is the table for the documentation. A class that extends another
continues its vector.

Fields are declared by kind: `integer` and `number` are values in the vector; `floats`, `integers`,
`number_at`, `kernel_at` and `fields_at` are addresses in it; a `part` is a vector that lies in the
vector itself. The sizes of parts may depend on counts that are known at run time::

    class Estimate(Fields, word=float, counts=("n", "m")):
        steps = integer("predictions made")
        mean = part("n", "estimated state")
        covariance = part("n, n", "its covariance")

    estimate_at = Estimate.at

    def predict(filter, s):
        estimate = estimate_at(s, filter.n, filter.m)
        x, P = estimate.mean, estimate.covariance

A vector of floats holds no addresses: a double is not made for them.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Any

import numpy as np

from femu.engine import field_types
from femu.engine.field_kinds import (
    Addressed,
    Field,
    Part,
    fields_at,
    floats,
    integer,
    integers,
    kernel_at,
    number,
    number_at,
    part,
)
from femu.engine.field_types import given
from femu.support.errors import InputError

__all__ = [
    "Declared",
    "Field",
    "Fields",
    "fields_at",
    "floats",
    "given",
    "integer",
    "integers",
    "kernel_at",
    "number",
    "number_at",
    "part",
]

_RESERVED = ("vector", "kernel_type", "at", "glossary", "words", "declared", "counts", "word")


class _Body(dict[str, Any]):
    """The body of a declaration, in which a name is declared once."""

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(self.get(name), Field) or (isinstance(value, Field) and name in self):
            raise InputError("fields", "name", name, "is declared twice")
        super().__setitem__(name, value)


class Declared(type):
    """Class of the declarations: what follows from them is in its attributes."""

    declared: dict[str, Field]
    word: type  # float or int: what the vector holds
    _fixed_words: int | None  # its entries, if they depend on no counts
    counts: tuple[str, ...]
    kernel_type: Any
    """Type by which kernels know these fields: among the arguments of a kernel's signature."""
    at: Callable[..., Any]
    """Function for kernels: these fields at an address, a pointer or an array, given the counts.

    A kernel calls it by a name of its own module: ``estimate_at = Estimate.at``.
    """

    @classmethod
    def __prepare__(mcs, name: str, bases: tuple[type, ...], /, **options: Any) -> _Body:
        return _Body()

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        body: dict[str, Any],
        /,
        word: type | None = None,
        counts: tuple[str, ...] | None = None,
    ) -> Declared:
        fields = {key: value for key, value in body.items() if isinstance(value, Field)}
        before = [base for base in bases if isinstance(base, Declared) and base.declared]
        if len(before) > 1:
            raise InputError(name, "bases", before, "must be one: fields are declared in one order")
        cls = super().__new__(mcs, name, bases, {"__slots__": (), **body})
        base = before[0] if before else None
        cls.word = word or (base.word if base else int)
        cls.counts = counts if counts is not None else base.counts if base else ()
        if base and (cls.word is not base.word or cls.counts[: len(base.counts)] != base.counts):
            raise InputError(
                name, "word and counts", (cls.word, cls.counts), f"must be those of {base.__name__}"
            )
        cls._fixed_words = None
        cls.declared = dict(base.declared) if base else {}
        for key, field in fields.items():
            cls._declare(key, field)
        entries = {
            key: field_types.Entry(f.kind, f.offset, f.value_type())
            for key, f in cls.declared.items()
        }
        cls._fixed_words = None if cls.counts else cls.words()
        cls.kernel_type = field_types.kernel_type(name, cls.word, cls.counts, entries)
        cls.at = field_types.opener(cls.kernel_type)
        return cls

    def __init__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], /, **options: Any
    ) -> None:
        super().__init__(name, bases, body)

    def _declare(cls, name: str, field: Field) -> None:
        if (
            name.startswith("_")
            or keyword.iskeyword(name)
            or name in _RESERVED
            or name in cls.declared
        ):
            raise InputError(
                cls.__name__, "name", name, "is taken or no name for a field", fix="choose another"
            )
        if cls.word is float and isinstance(field, Addressed):
            raise InputError(
                cls.__name__,
                name,
                field.described,
                "is an address, which a float cannot hold",
                fix="declare it in a vector of integers",
            )
        last = next(reversed(cls.declared.values()), None)
        if isinstance(last, Part) and not last.sides:
            raise InputError(
                cls.__name__, name, field.described, f"comes after {last.name}, which has no end"
            )
        field.name, field.owner, field.word = name, cls.__name__, cls.word
        field.offset = f"{last.offset} + {last.size}" if last else "0"
        if not field_types.names_in(field.offset):
            field.fixed = field_types.evaluated(field.offset, {})
            field.offset = str(field.fixed)
        unknown = field_types.names_in(field.size) - set(cls.counts)
        if unknown:
            raise InputError(
                cls.__name__,
                name,
                field.shape,
                f"depends on {', '.join(sorted(unknown))}",
                fix="name what it depends on in counts=(...)",
            )
        cls.declared[name] = field

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(field_types.unknown_field(cls.__name__, name, cls.declared))

    def words(cls, **counts: int) -> int:
        """Entries of the vector, without what its last part may have beyond its end."""
        if cls._fixed_words is not None:
            return cls._fixed_words
        last = next(reversed(cls.declared.values()), None)
        return field_types.evaluated(f"{last.offset} + {last.size}", counts) if last else 0

    def glossary(cls) -> str:
        """All fields as tables in Markdown, one for each topic."""
        lines, titles = [], ("field", "kind", "shape", "meaning")
        for k, field in enumerate(cls.declared.values()):
            if field.topic or k == 0:
                lines += ["", f"**{field.topic}**"] if field.topic else []
                lines += ["", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
            shape = field.shape.replace(",", " ×")
            lines.append(f"| `{field.name}` | {field.described} | {shape} | {field.meaning} |")
        return "\n".join(lines).strip() + "\n"


class Fields(metaclass=Declared):
    """A vector of declared fields as Python sees it; subclasses declare them, see the module."""

    __slots__ = ("_counts", "_floats", "_held", "vector")

    def __init__(self, vector: Any = None, **counts: int) -> None:
        cls = type(self)
        if (counts or cls.counts) and set(counts) != set(cls.counts):
            raise InputError(cls.__name__, "counts", counts, f"must be {cls.counts or 'none'}")
        dtype, words = (np.float64 if cls.word is float else np.int64), cls.words(**counts)
        self.vector = np.zeros(words, dtype=dtype) if vector is None else vector
        if vector is not None and (
            not isinstance(self.vector, np.ndarray)
            or self.vector.dtype != dtype
            or self.vector.ndim != 1
            or len(self.vector) < words
            or not self.vector.flags.c_contiguous
        ):
            raise InputError(
                cls.__name__,
                "vector",
                vector,
                f"must be a contiguous vector of at least {words} entries of {np.dtype(dtype)}",
            )
        self._floats = self.vector.view(np.float64)
        self._held: dict[str, tuple[Any, int]] = {}
        self._counts = counts

    def _place(self, field: Field) -> int:
        return (
            field.fixed
            if field.fixed is not None
            else field_types.evaluated(field.offset, self._counts)
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            field_types.unknown_field(type(self).__name__, name, type(self).declared)
        )
