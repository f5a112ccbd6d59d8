"""Declared fields inside kernels: types for numba, whose attributes are the fields.

A `Pointer` points to the vector itself; a kernel of signature ``INT(RUN)`` is called exactly as one
of ``INT(INTS)``. A `View` is for vectors with parts of sizes known at run time: the pointer and the
counts that the sizes follow from, which fold to constants if they are constants in the kernel.

Reading a field by value is one load; reading a vector is one load of its address, or, for a part
of the vector itself, no load at all. The compiler cannot move the load of an address out of a loop
that writes floats, so kernels read their vectors first: ``r, external = run.r, run.external``.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
)

_I64, _F64 = ir.IntType(64), ir.DoubleType()
_FLOATS, _INTS = types.CPointer(types.float64), types.CPointer(types.int64)

# kinds of fields: by value ...
INTEGER, NUMBER = "integer", "float"
# ... by an address in the vector ...
FLOATS, INTEGERS, NUMBER_AT, KERNEL, NESTED = "floats", "integers", "float at", "kernel", "fields"
# ... and vectors that are a part of the vector itself
PART = "part"


class Entry(NamedTuple):
    """Where a field is, and what a kernel gets for it."""

    kind: str
    offset: str  # in words, an expression in the counts
    type: Any


def sides_of(shape: str) -> list[str]:
    """The sides of a part: "2 * n + 1" and "n" of "2 * n + 1, n"; ValueError if they cannot be."""
    try:
        sides: list[ast.expr] = getattr(_parsed(f"({shape},)" if shape else "()"), "elts", [])
    except SyntaxError:
        raise ValueError("must be expressions") from None
    allowed = (
        ast.BinOp,
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.FloorDiv,
        ast.Name,
        ast.Load,
        ast.Constant,
    )
    for node in (node for side in sides for node in ast.walk(side)):
        whole = not isinstance(node, ast.Constant) or type(node.value) is int
        if not isinstance(node, allowed) or not whole:
            raise ValueError("must be sums and products of counts and whole numbers")
    return [ast.unparse(side) for side in sides]


def names_in(expression: str) -> set[str]:
    """Counts that an expression depends on."""
    return {node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name)}


def evaluated(expression: str, counts: Mapping[str, int]) -> int:
    """Value of an expression in the counts."""
    operations: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.FloorDiv: operator.floordiv,
    }
    return int(_folded(_parsed(expression), counts, int, operations))


def _folded(
    node: ast.AST,
    counts: Mapping[str, Any],
    constant: Callable[[Any], Any],
    operations: Mapping[type, Callable[[Any, Any], Any]],
) -> Any:
    if isinstance(node, ast.Constant):
        return constant(node.value)
    if isinstance(node, ast.Name):
        return counts[node.id]
    assert isinstance(node, ast.BinOp)
    left = _folded(node.left, counts, constant, operations)
    return operations[type(node.op)](left, _folded(node.right, counts, constant, operations))


@cache
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


@cache
def _code_of_this_module() -> str:
    """Digest of this module, whose code is a part of every kernel that uses fields."""
    file = Path(__file__)
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def _type_name(name: str, *declared: Any) -> str:
    """Name of a type: all that the cache of kernels sees of it, so it differs by declaration."""
    digest = hashlib.sha256(repr((declared, _code_of_this_module())).encode()).hexdigest()
    return f"{name}.{digest[:16]}"


# --- types --------------------------------------------------------------------------------------


class Pointer(types.CPointer):
    """Pointer to a vector of declared fields, all of them at fixed places."""

    counts: tuple[str, ...] = ()

    def __init__(self, name: str, word: Any, entries: Mapping[str, Entry]) -> None:
        super().__init__(word)
        self.entries = dict(entries)
        self.name = _type_name(name, str(word), self.entries)

    @property
    def key(self) -> str:
        return self.name


class View(types.Type):
    """Pointer to a vector of declared fields, with the counts from which their places follow."""

    def __init__(
        self, name: str, word: Any, counts: tuple[str, ...], entries: Mapping[str, Entry]
    ) -> None:
        self.dtype, self.counts, self.entries = word, counts, dict(entries)
        super().__init__(_type_name(name, str(word), counts, self.entries))


def kernel_type(
    name: str, word: type, counts: tuple[str, ...], entries: Mapping[str, Entry]
) -> Any:
    """The type by which kernels know declared fields."""
    element = types.float64 if word is float else types.int64
    return View(name, element, counts, entries) if counts else Pointer(name, element, entries)


def value_type(kind: str, word: type, nested: Any = None) -> Any:
    """What a kernel gets when it reads a field of this kind."""
    by_kind = {
        INTEGER: types.int64,
        NUMBER: types.float64,
        FLOATS: _FLOATS,
        INTEGERS: _INTS,
        NUMBER_AT: types.float64,
        KERNEL: types.int64,
        NESTED: nested,
        PART: _FLOATS if word is float else _INTS,
    }
    return by_kind[kind]


register_model(Pointer)(models.PointerModel)


@register_model(View)
class _ViewModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: View) -> None:
        members = [
            ("vector", types.CPointer(fe_type.dtype)),
            *((c, types.int64) for c in fe_type.counts),
        ]
        super().__init__(dmm, fe_type, members)


@lower_cast(Pointer, types.CPointer)
@lower_cast(types.CPointer, Pointer)
def _cast(context: Any, builder: Any, fromty: Any, toty: Any, val: Any) -> Any:
    return builder.bitcast(val, context.get_value_type(toty))


# --- attributes ---------------------------------------------------------------------------------


def unknown_field(of: str, name: str, fields: Iterable[str]) -> str:
    """Sentence on a name that is not declared."""
    names = list(fields)
    close = difflib.get_close_matches(name, names, n=3)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"It has {', '.join(names)}."
    return f"{of} has no field {name!r}. {hint}"


class _Attributes(AttributeTemplate):
    def generic_resolve(self, typ: Any, attr: str) -> Any:
        entry = typ.entries.get(attr)
        if entry is None:
            raise TypingError(unknown_field(typ.name.rpartition(".")[0], attr, typ.entries))
        return entry.type


@infer_getattr
class _PointerAttributes(_Attributes):
    key = Pointer


@infer_getattr
class _ViewAttributes(_Attributes):
    key = View


def _emit(builder: Any, expression: str, counts: Mapping[str, Any]) -> Any:
    """The value of an expression in the counts, as code."""
    operations: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: builder.add,
        ast.Sub: builder.sub,
        ast.Mult: builder.mul,
        ast.FloorDiv: builder.udiv,
    }
    return _folded(_parsed(expression), counts, lambda value: ir.Constant(_I64, value), operations)


def _place(context: Any, builder: Any, typ: Any, val: Any, entry: Entry) -> Any:
    """Pointer to where a field is."""
    vector, counts = val, {}
    if isinstance(typ, View):
        parts = context.make_helper(builder, typ, value=val)
        vector, counts = parts.vector, {name: getattr(parts, name) for name in typ.counts}
    return builder.gep(vector, [_emit(builder, entry.offset, counts)])


def _number_place(builder: Any, typ: Any, place: Any, kind: str) -> Any:
    """Pointer to a float: in the vector (as bits among integers), or at the address there."""
    if kind == NUMBER_AT:
        return builder.inttoptr(builder.load(place), _F64.as_pointer())
    return place if typ.dtype == types.float64 else builder.bitcast(place, _F64.as_pointer())


@lower_getattr_generic(Pointer)
@lower_getattr_generic(View)
def _read(context: Any, builder: Any, typ: Any, val: Any, attr: str) -> Any:
    entry = typ.entries[attr]
    place = _place(context, builder, typ, val, entry)
    if entry.kind == PART:
        return place
    if entry.kind in (NUMBER, NUMBER_AT):
        return builder.load(_number_place(builder, typ, place, entry.kind))
    value = builder.load(place)
    if typ.dtype == types.float64:
        return builder.fptosi(value, _I64)
    if entry.kind in (FLOATS, INTEGERS, NESTED):
        return builder.inttoptr(value, context.get_value_type(entry.type))
    return value


@lower_setattr_generic(Pointer)
@lower_setattr_generic(View)
def _write(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, (val, value) = sig.args[0], args
    entry = typ.entries[attr]
    if entry.kind == PART:
        raise TypingError(
            f"{typ.name.rpartition('.')[0]}.{attr} is a part of the vector: write its entries"
        )
    place = _place(context, builder, typ, val, entry)
    if entry.kind in (NUMBER, NUMBER_AT):
        place = _number_place(builder, typ, place, entry.kind)
    elif typ.dtype == types.float64:
        value = builder.sitofp(value, _F64)
    elif entry.kind in (FLOATS, INTEGERS, NESTED):
        value = builder.ptrtoint(value, _I64)
    builder.store(value, place)


# --- from addresses, pointers and arrays --------------------------------------------------------


def opener(kind: Any) -> Callable[..., Any]:
    """A function for kernels: the fields at an address, a pointer or an array, given the counts."""
    pointer = types.CPointer(kind.dtype)

    @intrinsic
    def fields_at(typingctx, source, *counts):
        if len(counts) != len(kind.counts):
            wanted = ", ".join(kind.counts) or "no counts"
            raise TypingError(f"{kind.name.rpartition('.')[0]} needs {wanted} after the vector")
        is_array = isinstance(source, types.Array) and source.dtype == kind.dtype
        if not (is_array or isinstance(source, (types.CPointer, types.Integer))):
            raise TypingError(
                f"{source} is neither an address, nor a pointer, nor a vector of {kind.dtype}"
            )

        def codegen(context, builder, signature, args):
            target = context.get_value_type(pointer)
            if is_array:
                vector = context.make_array(signature.args[0])(context, builder, args[0]).data
            elif isinstance(source, types.CPointer):
                vector = builder.bitcast(args[0], target)
            else:
                vector = builder.inttoptr(args[0], target)
            if not kind.counts:
                return vector
            parts = context.make_helper(builder, kind)
            parts.vector = vector
            for i, name in enumerate(kind.counts):
                count = builder.extract_value(args[1], i)
                setattr(
                    parts, name, context.cast(builder, count, signature.args[1][i], types.int64)
                )
            return parts._getvalue()

        return kind(source, types.StarArgTuple.from_types(counts)), codegen

    return fields_at


@intrinsic
def given(typingctx, pointer):
    """Whether there is a vector at all: a field without one holds the address 0."""
    if not isinstance(pointer, types.CPointer):
        return None

    def codegen(context, builder, signature, args):
        return builder.icmp_signed("!=", builder.ptrtoint(args[0], _I64), ir.Constant(_I64, 0))

    return types.boolean(pointer), codegen
