"""Why a kernel is not compiled, in a sentence for whoever wrote it."""

from __future__ import annotations

import re
from typing import Any

from numba.core import ir, types

from femu.support.errors import InputError

PLAIN = (
    "use plain arithmetic, math, branches, loops, tuples of floats, and functions marked with "
    "@inlined of femu.kernels"
)
SAID = "TypingError: "
EVERY_PATH = "end every path with a return; return 0 if all went well"


class NoReturn(Exception):
    """A path through a kernel ends without a return."""


def check_returns(made: Any) -> None:
    """Raise if a path through a compiled function returns nothing.

    numba compiles it all the same: the call then fails, and its caller continues with whatever number
    is left.
    """
    notes = made.type_annotation
    returned = {
        line.value.name
        for block in notes.blocks.values()
        for line in block.body
        if isinstance(line, ir.Return)
    }
    for block in notes.blocks.values():
        for line in block.body:
            if (
                isinstance(line, ir.Assign)
                and line.target.name in returned
                and isinstance(line.value, ir.Expr)
                and line.value.op == "cast"
            ):
                kind = notes.typemap[line.value.value.name]
                if isinstance(kind, (types.Optional, types.NoneType)):
                    raise NoReturn("a path through it ends without a return")


def refusal(name: str, problem: Exception, hint: str = "", plain: str = PLAIN) -> InputError:
    """The error for a kernel that could not be compiled.

    ``plain`` is what to do where the problem does not say it.
    """
    lines = [line.strip() for line in str(problem).splitlines()]
    reason = next((line for line in lines if line and "pipeline (step" not in line), "")
    fix = plain
    if isinstance(problem, NoReturn) or "No conversion from none to int" in reason:
        reason, fix = "a path through it ends without a return", EVERY_PATH
    said = [line.removeprefix(SAID) for line in lines if line.startswith(SAID)]
    if said:  # by femu's own building blocks, with what they need
        reason, fix = said[-1], ""
    function = re.match(r"Untyped global name '(\w+)'.*<class 'function'>", reason)
    if function:
        reason = f"it calls {function[1]}, which is a function for Python alone"
        fix = f"put @inlined (from femu.kernels import inlined) above def {function[1]}"
    return InputError(name, "problem", reason, "keeps it from being compiled", hint, fix)
