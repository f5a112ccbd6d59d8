"""Scripts of OpenSees in Tcl, run by the Tcl of Python's tkinter over the commands of the front
end.

Tcl itself reads the script: variables, loops, procedures, `source`, `puts` and `expr` are its own.
Each command of the front end is a Tcl procedure that hands its words over, numbers as numbers, and
gives its answer back as a list. Blocks in braces after `pattern` and `section` are run in the place
of the script that has them; a time series may be written in the words of a pattern, as Tcl scripts
do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from femu.support.errors import FemuError, UnsupportedError

FIRST_TAG = 1_000_000_001  # of the time series written in the words of a pattern
_SERIES = (
    "Linear",
    "Constant",
    "Series",
    "Path",
    "Trig",
    "Sine",
    "Rectangular",
    "Triangle",
    "Pulse",
)
_FIBRES = ("Fiber", "fiberSec", "FiberSection")
_OWN_SERIES = ("-accel", "-disp", "-vel")
_PROCEDURE = """
proc {name} args {{
    lassign [femu_split {name} $args] words block blocked
    lassign [femu_call {name} $words] failed answer
    if {{$failed}} {{ return -code error -level 1 $answer }}
    if {{$blocked}} {{ uplevel 1 $block }}
    return $answer
}}
"""
WITHOUT_EFFECT = (
    "display",
    "prp",
    "vup",
    "vpn",
    "viewWindow",
    "plane",
    "projection",
    "fill",
    "video",
)
"""Commands of pictures: they have no effect on numbers."""


class TclError(FemuError, RuntimeError):
    """A Tcl script that ended with an error; the message has Tcl's own account of the place."""


def interpreter() -> Any:
    """A Tcl interpreter, or a message that says how to get one."""
    try:
        import tkinter
    except ImportError:
        raise UnsupportedError(
            "A Tcl script needs the Tcl of Python's tkinter, which this Python does not have. Fix: "
            "install it, on Debian and Ubuntu with apt install python3-tk, on Fedora with dnf "
            "install python3-tkinter."
        ) from None
    return tkinter.Tcl()


def run(path: str | Path) -> None:
    """Run a Tcl script on the front end."""
    tcl = Script(interpreter()).tcl
    import tkinter

    try:
        tcl.eval(f"source {{{Path(path).as_posix()}}}")
    except tkinter.TclError as problem:
        place = tcl.eval("set ::errorInfo").splitlines()
        lines = [line.strip() for line in place[1:] if "line " in line and "femu_" not in line]
        where = f" {'; '.join(lines)}" if lines else ""
        raise TclError(f"{problem}{where}") from None


class Script:
    """An interpreter that has the commands of the front end."""

    def __init__(self, tcl: Any) -> None:
        import femu.opensees as commands
        from femu.opensees.front_end.refused import REFUSED
        from femu.opensees.front_end.table import COMMANDS

        self.tcl, self.commands = tcl, commands
        self.next_tag = FIRST_TAG
        tcl.createcommand("femu_call", self.call)
        tcl.createcommand("femu_split", self.split)
        for name in (*COMMANDS, *REFUSED):
            tcl.eval(_PROCEDURE.format(name=name))
        tcl.eval(_PROCEDURE.format(name="print").replace("femu_call print", "femu_call printModel"))
        for name in WITHOUT_EFFECT:
            tcl.eval(f"proc {name} args {{}}")

    def call(self, name: str, words: str) -> str:
        """Run a command: 0 and its answer, or 1 and what is wrong."""
        function: Callable[..., Any] = getattr(self.commands, name)
        given = [value_of(word) for word in self.tcl.splitlist(words)]
        try:
            answer = function(*self.with_series(name, given))
        except FemuError as problem:
            return self.listed((1, _PYTHON_LINE.sub("", str(problem))))
        return self.listed((0, self.text_of(answer)))

    def split(self, name: str, words: str) -> str:
        """Words, block, and whether there is a block: the last word of a pattern or of a fibre
        section."""
        items = list(self.tcl.splitlist(words))
        kind = items[0] if items else ""
        blocked = False
        if name == "pattern" and len(items) > 2:
            least = 4 if kind == "Plain" else 3
            blocked = kind in ("Plain", "MultipleSupport") and len(items) >= least
            blocked = blocked and items[-2] not in ("-fact", "-factor")
        elif name == "section" and kind in _FIBRES and len(items) > 2:
            last = items[-1]
            option = last.startswith("-") and not last.strip().count(" ")
            blocked = not option and items[-2] not in ("-GJ", "-torsion")
        block = items.pop() if blocked else ""
        return self.listed((self.listed(items), block, int(blocked)))

    def with_series(self, name: str, given: list[Any]) -> list[Any]:
        """The same words, with tags in place of series written out."""
        if name not in ("pattern", "groundMotion"):
            return given
        found = list(given)
        for k, word in enumerate(given):
            in_plain = name == "pattern" and given[0] == "Plain" and k == 2
            after = k > 0 and given[k - 1] in _OWN_SERIES
            if isinstance(word, str) and (in_plain or after):
                found[k] = self.series(word)
        return found

    def series(self, words: str) -> int:
        """A time series by its words; its tag."""
        kind, *rest = self.tcl.splitlist(words)
        if kind not in _SERIES:
            raise TclError(f"time series {words!r} is not one of {', '.join(_SERIES)}.")
        tag, self.next_tag = self.next_tag, self.next_tag + 1
        opened = [w for word in rest for w in self._opened(word)]
        self.commands.timeSeries("Path" if kind == "Series" else kind, tag, *opened)
        return tag

    def _opened(self, word: str) -> list[Any]:
        """A word, or the numbers of a list in braces."""
        parts = self.tcl.splitlist(word)
        return [value_of(part) for part in parts] if len(parts) > 1 else [value_of(word)]

    def listed(self, items: Any) -> str:
        """A Tcl list of words."""
        return str(self.tcl.call("format", "%s", tuple(items)))

    def text_of(self, answer: Any) -> str:
        """An answer as Tcl has it: numbers to the last digit."""
        if answer is None:
            return ""
        if isinstance(answer, bool):
            return str(int(answer))
        if isinstance(answer, float):
            return repr(answer)
        if isinstance(answer, dict):
            return self.listed([w for k, v in answer.items() for w in (k, self.text_of(v))])
        if isinstance(answer, (list, tuple)):
            return self.listed([self.text_of(item) for item in answer])
        return str(answer)


_PYTHON_LINE = re.compile(r"^[^ ]*, line [0-9]+: ")  # Tcl adds its own
_WHOLE = re.compile(r"[+-]?[0-9]+\Z")


def value_of(word: Any) -> Any:
    """A word of Tcl as a whole number, a number, or itself."""
    if not isinstance(word, str):
        return word
    if _WHOLE.match(word):
        return int(word)
    try:
        return float(word) if any(c.isdigit() for c in word) else word
    except ValueError:
        return word
