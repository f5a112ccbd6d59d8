"""The motion generator in C: one file and its header, translated from the kernels that femu runs.

The functions of `femu.experimental.motion.generator_kernel` are read as Python source and written
as C99. They use numbers, vectors, branches, loops over ranges and each other; everything else is
refused, so that nothing is translated that means something else in C. Each operation is rounded by
itself in both, and so both give the same bits.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from femu.experimental.motion import generator_kernel
from femu.kernels import Kernel
from femu.support.errors import FemuError

NAME = "femu_motion"
VECTORS = ("state", "settings", "position", "target")
CONSTANT = ("settings", "position", "target")
"""Vectors that no function writes to."""
GROUPS = {
    "what the generator does, state[FEMU_MODE]": ("REST", "PREDICT", "SLOW", "HOLD", "CORRECT"),
    "settings": ("TICKS", "ORDER", "PREDICT_UNTIL", "SLOW_FOR", "TICK", "LIMITS"),
    "state": ("MODE", "PHASE", "RATE", "SWITCH", "WAITING", "REACHED", "LATE", "CHANNELS"),
    "numbers of a channel": (
        *("LAST", "GOAL", "NEXT", "BEGIN", "BEGIN_SLOPE", "END_SLOPE"),
        *("REFERENCE", "SLOPE", "COMMAND", "VELOCITY", "BEFORE", "FIELDS"),
    ),
}
BINARY = {ast.Add: ("+", 1), ast.Sub: ("-", 1), ast.Mult: ("*", 2), ast.Div: ("/", 2)}
"""Operators with their precedence, which is the same in both languages, as is from left to right."""
COMPARED = {
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Eq: "==", ast.NotEq: "!="},
}
WIDTH = 100

ABOUT = """\
Motion between the steps of a hybrid test, sample by sample.

Written by `femu motion-c`, from the source that femu itself runs. Plain C99; needs sqrt and fabs
(-lm). No memory is allocated, nothing is global: a controller keeps two arrays of doubles,

    double settings[FEMU_MOTION_SETTINGS(channels)];
    double state[FEMU_MOTION_STATE(channels)];

fills the settings once, calls femu_motion_begin, and then in every sample femu_motion_tick. The
command of channel k is femu_motion_command(state, k). When a target arrives, it calls
femu_motion_accept; when femu_motion_tick returns 1, the target is reached and the forces of this
sample belong to it. Without limits, give them as INFINITY.

settings[FEMU_TICKS] must be a whole number from 2 on, FEMU_ORDER 1, 2 or 3, FEMU_PREDICT_UNTIL
between 0 and 1, FEMU_SLOW_FOR not negative, and FEMU_PREDICT_UNTIL + FEMU_SLOW_FOR / 2 below 1.

Compile without -ffast-math, and with -ffp-contract=off where the processor has fused multiplication
and addition: then the commands are those of femu to the last bit."""


class CannotTranslate(FemuError):
    """The source has something that has no translation."""


def _functions(module: ModuleType) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """Functions of a module in their order, and whether each of them is a kernel."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef) and node.name != "exact":
            yield node, isinstance(getattr(module, node.name), Kernel)


class _Function:
    """The translation of one function."""

    def __init__(self, node: ast.FunctionDef, public: bool, others: dict[str, bool]) -> None:
        self.node, self.public, self.others = node, public, others
        self.locals: dict[str, str] = {}
        self._find_locals()

    def _find_locals(self) -> None:
        for node in ast.walk(self.node):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                kind = {"float": "double", "int": "int"}.get(ast.unparse(node.annotation))
                if kind is None or self.locals.setdefault(node.target.id, kind) != kind:
                    raise self._refused(node)
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                self.locals[node.target.id] = "int"

    def _refused(self, node: ast.AST) -> CannotTranslate:
        return CannotTranslate(f"{self.node.name}: `{ast.unparse(node)}` has no translation to C.")

    @property
    def head(self) -> str:
        """Its declaration."""
        arguments = [
            f"{'const ' if name.arg in CONSTANT else ''}double *{name.arg}"
            if name.arg in VECTORS
            else f"int {name.arg}"
            for name in self.node.args.args
        ]
        kind = "int " if self.public else "static void "
        return f"{kind}{_name(self.node.name, self.public)}({', '.join(arguments)})"

    @property
    def comment(self) -> str:
        """What it does, as a comment."""
        return _comment(inspect.cleandoc(ast.get_docstring(self.node) or ""))

    def lines(self) -> list[str]:
        """Its definition."""
        made = [self.head, "{"]
        for kind in ("int", "double"):
            names = [name for name, its in self.locals.items() if its == kind]
            made += [f"    {kind} {', '.join(names)};"] if names else []
        body = [x for x in self.node.body if not _is_text(x)]
        made += [*self._block(body, 1), "}"]
        return [part for line in made for part in _wrapped(line)]

    def _block(self, body: list[ast.stmt], depth: int) -> list[str]:
        return [line for statement in body for line in self._statement(statement, depth)]

    def _statement(self, node: ast.stmt, depth: int) -> list[str]:
        pad = "    " * depth
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return [f"{pad}{self._of(node.target)} = {self._of(node.value)};"]
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return [f"{pad}{self._of(node.targets[0])} = {self._of(node.value)};"]
        if isinstance(node, ast.Return) and node.value is not None:
            return [f"{pad}return {self._of(node.value)};"]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return [f"{pad}{self._of(node.value)};"]
        if isinstance(node, ast.If):
            made = [f"{pad}if ({self._of(node.test)}) {{", *self._block(node.body, depth + 1)]
            rest = node.orelse
            while len(rest) == 1 and isinstance(rest[0], ast.If):
                made += [f"{pad}}} else if ({self._of(rest[0].test)}) {{"]
                made += self._block(rest[0].body, depth + 1)
                rest = rest[0].orelse
            if rest:
                made += [f"{pad}}} else {{", *self._block(rest, depth + 1)]
            return [*made, f"{pad}}}"]
        if isinstance(node, ast.For) and not node.orelse:
            k, over = self._of(node.target), node.iter
            if isinstance(over, ast.Call) and len(over.args) == 1 and _called(over) == "range":
                head = f"{pad}for ({k} = 0; {k} < {self._of(over.args[0])}; ++{k}) {{"
                return [head, *self._block(node.body, depth + 1), f"{pad}}}"]
        raise self._refused(node)

    def _of(self, node: ast.expr) -> str:
        """An expression."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return repr(node.value)
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return f"{self._of(node.value)}[{self._of(node.slice)}]"
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            sign, strength = BINARY[type(node.op)]
            if sign == "/" and self._is_whole(node.left) and self._is_whole(node.right):
                raise self._refused(node)  # C would drop the rest
            left = self._within(node.left, strength)
            return f"{left} {sign} {self._within(node.right, strength + 1)}"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-{self._within(node.operand, 3)}"
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
            sign = COMPARED[type(node.ops[0])]
            return f"{self._of(node.left)} {sign} {self._of(node.comparators[0])}"
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return sign.join(
                f"({self._of(x)})" if isinstance(x, ast.BoolOp) else self._of(x)
                for x in node.values
            )
        if isinstance(node, ast.Call) and not node.keywords:
            called = {"abs": "fabs", "math.sqrt": "sqrt"}.get(_called(node))
            if called is None and _called(node) in self.others:
                called = _name(_called(node), self.others[_called(node)])
            if called is not None:
                return f"{called}({', '.join(self._of(x) for x in node.args)})"
        raise self._refused(node)

    def _within(self, node: ast.expr, strength: int) -> str:
        """An operand, in brackets if it binds less than ``strength``."""
        weak = isinstance(node, ast.BinOp) and BINARY.get(type(node.op), ("", 0))[1] < strength
        weak = weak or isinstance(node, (ast.Compare, ast.BoolOp))
        weak = weak or (isinstance(node, ast.UnaryOp) and strength > 1)
        return f"({self._of(node)})" if weak else self._of(node)

    def _is_whole(self, node: ast.expr) -> bool:
        """Whether an expression is a whole number in C."""
        if isinstance(node, ast.BinOp):
            return self._is_whole(node.left) and self._is_whole(node.right)
        if isinstance(node, ast.Name):
            return self.locals.get(node.id) != "double"
        return isinstance(node, ast.Constant) and isinstance(node.value, int)

    def _variable(self, node: ast.Name) -> str:
        arguments = [a.arg for a in self.node.args.args]
        if node.id in self.locals or node.id in arguments:
            return node.id
        if isinstance(getattr(generator_kernel, node.id, None), int):
            return f"FEMU_{node.id}"
        raise self._refused(node)


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _name(function: str, public: bool) -> str:
    return f"{NAME}_{function}" if public else function


def _wrapped(line: str) -> list[str]:
    """A line of code, broken where it is too long."""
    pad = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        WIDTH,
        initial_indent=pad,
        subsequent_indent=pad + "        ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _comment(text: str) -> str:
    lines = text.splitlines()
    if len(lines) == 1:
        return f"/* {lines[0]} */"
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"])


def _constants() -> list[str]:
    """The places of the numbers, with their meanings from the source."""
    body = ast.parse(inspect.getsource(generator_kernel)).body
    meanings = {
        ast.unparse(node.targets[0]): ast.literal_eval(after.value)
        for node, after in itertools.pairwise(body)
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr)
    }
    made = []
    for title, names in GROUPS.items():
        made.append(f"/* {title} */")
        for name in names:
            value = getattr(generator_kernel, name)
            made.append(f"#define FEMU_{name} {value} /* {meanings[name]} */")
        made.append("")
    return made


def header() -> str:
    """The header file."""
    functions = [
        line
        for node, public in _functions(generator_kernel)
        if public
        for line in (*_declared(_Function(node, public, {})), "")
    ]
    return "\n".join(
        [
            _comment(ABOUT),
            "#ifndef FEMU_MOTION_H",
            "#define FEMU_MOTION_H",
            "",
            *_constants(),
            "/* lengths of the two arrays, and the command of a channel */",
            "#define FEMU_MOTION_SETTINGS(channels) (FEMU_LIMITS + 2 * (channels))",
            "#define FEMU_MOTION_STATE(channels) (FEMU_CHANNELS + FEMU_FIELDS * (channels))",
            "#define femu_motion_command(state, channel) \\",
            "    ((state)[FEMU_CHANNELS + FEMU_FIELDS * (channel) + FEMU_COMMAND])",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *functions,
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "",
            "#endif",
            "",
        ]
    )


def _declared(function: _Function) -> list[str]:
    return [function.comment, f"{function.head};"]


def source() -> str:
    """The C file."""
    functions = list(_functions(generator_kernel))
    others = {node.name: public for node, public in functions}
    made = []
    for node, public in functions:
        function = _Function(node, public, others)
        made += [*([] if public else [function.comment]), *function.lines(), ""]
    return "\n".join(
        [
            _comment(
                inspect.cleandoc(generator_kernel.__doc__ or "").split("\n\nThe functions")[0]
            ),
            f'#include "{NAME}.h"',
            "",
            "#include <math.h>",
            "",
            "#ifdef __FAST_MATH__",
            '#error "compile without -ffast-math"',
            "#endif",
            "",
            *made,
        ]
    )


def write(folder: str | Path) -> tuple[Path, Path]:
    """Write the C file and its header into a folder; returns their paths."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    files = place / f"{NAME}.c", place / f"{NAME}.h"
    for file, text in zip(files, (source(), header()), strict=True):
        file.write_text(text, encoding="utf-8")
    return files
