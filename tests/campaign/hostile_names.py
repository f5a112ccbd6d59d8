"""Names that somebody else has chosen, through every output.

A model has nodes, elements, specimens, load patterns, a motion and a title of a hostile name. Either
the name is refused with a message, or each output keeps it as a name: a script of OpenSees has the
same commands as with a harmless name, a page the same elements, a table the same columns, a terminal
gets no control characters, and what is read again has the same names.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib.util
import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from femu import GroundMotion, Model, Result, plots, report
from femu.analyses import HybridTest, Newmark, Transient
from femu.elements import Truss, TwoNodeLink
from femu.experimental import EmulatedSpecimen, ExperimentalElement, Limits, read_journal
from femu.materials import Elastic
from femu.support.errors import FemuError
from tests.campaign.tally import Tally

MARK = "HACKED"  # name of a file that code in a name would make
TOUCH = f"open('{MARK}','w')"
HARMLESS = "N"
STEPS, DT = 4, 0.01
INVISIBLE = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}

CODE = (
    '"""', "'''", '"', "'", "\\", '\\"', "\\'", 'a"b', "a'b", '"""\nX\n"""', f'"""+str({TOUCH})+"""',
    f"'+str({TOUCH})+'", f'"+str({TOUCH})+"', f"\\'+str({TOUCH})+'", f"'''+str({TOUCH})+'''",
    f"\n{TOUCH}\n", f"\r{TOUCH}\r", f"#\n{TOUCH}", f"); {TOUCH}; (", f"$({TOUCH})", f"`{TOUCH}`",
    f"{{{TOUCH}}}", "{0}", "{name}", "%s", "%(name)s", "%n%n", "[exec touch HACKED]",
    "$env(HOME)", "; exit", "# comment", "[[specimen]]", 'a = "b"', "]", "[", "=", "a.b", "a]b.c",
    "__class__", "{0.__class__.__mro__}", "None", "True", "nan", "inf", "-1", "1", "0", "1e400",
    "node", "model", "import os", "lambda: 0", "u'", "b'", "f'{1}'", "\\x41", "\\u0041", "\\N{BELL}",
)  # fmt: skip
MARKUP = (
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--", "-->", "<!--<script>",
    "]]>", "<![CDATA[", '"><img src=x onerror=alert(1)>', "'><svg onload=alert(1)>", "<b>bold</b>",
    "</title><script>alert(1)</script>", "</style><script>1</script>", "</pre>", "</table>", "&amp;",
    "&lt;script&gt;", "&#60;script&#62;", "&", "<", ">", "<a href='javascript:alert(1)'>x</a>",
    "javascript:alert(1)", "${alert(1)}", "{{7*7}}", "{% raw %}", "<%= 7 %>", "<?php echo 1 ?>",
    "[link](javascript:alert(1))", "![x](http://x)", "**bold**", "[red]red[/red]", "[/]", "[link=x]y[/]",
)  # fmt: skip
MATHEMATICS = (
    "$", "$$", "$x", "$x$", "$\\frac{1}{2}$", "$\\nonsense$", "$\\frac$", "\\$", "\\$x\\$", "$^$",
    "$$\\href{javascript:alert(1)}{x}$$", "\\(x\\)", "\\[x\\]", "\\input{/etc/passwd}", "^", "_", "a_b",
)  # fmt: skip
TABLES = (
    "=cmd|' /C calc'!A0", "=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "a,b", "a;b", "a\tb", 'a"b,c',
    "a\nb", "a\r\nb", '","', ",", ";", " ", "  ", " a", "a ", "\u00a0", "#N/A", "|", '=HYPERLINK("x")',
)  # fmt: skip
TERMINAL = (
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b[2J", "\x1bP+q\x1b\\", "\x9b31m", "\x07", "\b\b\b",
    "\r overwritten", "\x00", "a\x00b", "\x7f", "\x85", "\u2028", "\u2029", "\x1b]8;;http://x\x1b\\y",
    "\v", "\f", "\x1c", "\x1f",
)  # fmt: skip
PLACES = (
    "/", "//", "a/b", "../../a", "/etc/passwd", ".", "..", "a/../b", "\\\\server\\share", "C:\\a",
    "CON", "NUL", "aux.h5", "a:b", "a*b", "a?b", "~", "~root", "$HOME", "%TEMP%", "-", "--help", "-rf",
    "a.h5", "command", "measured", "time", "step", "x", "rz", "forces", "checksum", "about",
)  # fmt: skip
UNICODE = (
    "\ud800", "\udfff", "a\udc80b", "\udc80\udc80", "\u202egnp.exe", "\u2066a\u2069", "\u200b", "\ufeff",
    "\ufffe", "\uffff", "\U0010ffff", "e\u0301", "\u00e9", "\u212b", "\u01c5", "\U0001f4a9",
    "\u05d0\u05d1", "\u0627\u0644", "\u4e2d\u6587", "Z\u0351\u0322" * 20, "\u0000", "\u180e", "\u00ad",
    "\ufb01", "\u0130", "\uff1d1+1", "\U000e0041", "\u2800", "\u3164",
)  # fmt: skip
LONG = (
    "x" * 300,
    "x" * 10_000,
    "\u00e9" * 10_000,
    "a b " * 2500,
    "<" * 5000,
    '"' * 5000,
    "$" * 5001,
)
EMPTY = ("",)
KINDS = {
    "code": CODE, "markup": MARKUP, "mathematics": MATHEMATICS, "tables": TABLES, "terminal": TERMINAL,
    "places": PLACES, "unicode": UNICODE, "long": LONG, "empty": EMPTY,
}  # fmt: skip
NAMES = tuple(name for names in KINDS.values() for name in names)


class Broken(Exception):
    """An output that does not keep a name as a name."""


def must(so: bool, what: str) -> None:
    if not so:
        raise Broken(what)


class Named:
    """Everything that has a name, made with one."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.others = [f"{name}2", f"{name}3"]
        self.motion = GroundMotion(name, DT, np.sin(np.arange(STEPS + 1.0)))
        self.model = self._model()
        self._result: Result | None = None
        self._journal: Path | None = None

    def _model(self) -> Model:
        name, (second, third) = self.name, self.others
        model = Model(name)
        model.node(name, 0.0, 0.0, fixed=True)
        for k, node in enumerate((second, third), 1):
            model.node(node, float(k), 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
        model.add(Truss(name, name, second, material=Elastic(1e6), area=1.0))
        model.add(TwoNodeLink(second, second, third, {"x": Elastic(1e6)}))
        model.load(second, x=1.0, pattern=name)
        return model

    @property
    def result(self) -> Result:
        if self._result is None:
            self._result = Transient(Newmark(), dt=DT).run(
                self.model, self.motion, duration=STEPS * DT
            )
        return self._result

    @property
    def saved(self) -> Path:
        path = self.folder / "result.h5"
        if not path.exists():
            self.result.save(path)
        return path

    @property
    def journal(self) -> Path:
        if self._journal is None:
            path = self.folder / "journal.h5"
            model = self._model()
            for k, element in enumerate((f"{self.name}e", f"{self.name}f"), 1):
                model.add(
                    ExperimentalElement(
                        element,
                        [(self.others[k - 1], "x")],
                        specimen=EmulatedSpecimen(Elastic(1e5)),
                        stiffness=[[1e5]],
                        limits=Limits(displacement=1.0),
                    )
                )
            HybridTest(model, self.motion, dt=DT, duration=STEPS * DT).run(path)
            self._journal = path
        return self._journal


# --- what an output must keep ---


class Outline(HTMLParser):
    """Tags and names of attributes of a page, without what is said in it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[Any] = []
        self.scripts = ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, tuple(name for name, _ in attrs)))
        self._inside = tag
        for name, value in attrs:
            must(
                not (name in ("href", "src") and (value or "").strip().startswith("javascript:")),
                "a link runs code",
            )

    def handle_endtag(self, tag: str) -> None:
        self.seen.append(tag)
        self._inside = ""

    def handle_comment(self, data: str) -> None:
        self.seen.append("comment")

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts += data


SKIPPED = {"tspan", "br", "wbr"}


def outline(page: str) -> list[Any]:
    made = Outline()
    made.feed(page)
    made.close()
    must("<!--" not in made.scripts.lower(), "a name opens a comment in a script of a page")
    return [s for s in made.seen if (s[0] if isinstance(s, tuple) else s) not in SKIPPED]


def calls(script: str) -> list[str]:
    """What a script calls, in order."""
    tree = ast.parse(script)
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def printable(text: str) -> None:
    """What a terminal is sent."""
    for sign in text:
        number = ord(sign)
        control = (number < 32 and sign not in "\n\t") or 127 <= number < 160
        must(
            not (control or number in INVISIBLE or 0xD800 <= number < 0xE000),
            f"a terminal gets the character U+{number:04X}",
        )


# --- the outputs ---


def script(of: Named) -> Any:
    path = of.folder / "script.py"
    of.model.to_opensees(path, Transient(Newmark(), dt=DT), of.motion, STEPS * DT)
    text = path.read_text(encoding="utf-8")
    compile(text, "script", "exec")
    return calls(text)


def toml(of: Named) -> Any:
    path = of.folder / "model.toml"
    of.model.to_toml(path)
    again = Model.from_toml(path)
    must(
        (again.name, list(again.nodes), list(again.elements), list(again.patterns))
        == (of.model.name, list(of.model.nodes), list(of.model.elements), list(of.model.patterns)),
        "TOML changes names",
    )
    must(again.to_toml() == of.model.to_toml(), "a model file written again differs")
    return None


def report_of_result(of: Named) -> Any:
    path = report.write(of.saved, of.folder / "result.html")
    return outline(path.read_text(encoding="utf-8"))


def report_of_journal(of: Named) -> Any:
    path = report.write(of.journal, of.folder / "journal.html")
    return outline(path.read_text(encoding="utf-8"))


def notebook(of: Named) -> Any:
    return [outline(thing._repr_html_()) for thing in (of.model, of.result)]


def hdf5(of: Named) -> Any:
    again = Result.load(of.saved)
    must(again.model == of.name, "a result changes the title of its model")
    must(list(again.columns()) == list(of.result.columns()), "a result changes its columns")
    for node in (of.name, *of.others):
        must(
            np.array_equal(again.displacement(node, "x"), of.result.displacement(node, "x")),
            "a result changes the displacements of a node",
        )
    return None


def journal(of: Named) -> Any:
    record = read_journal(of.journal)
    must(record.names == [f"{of.name}e", f"{of.name}f"], "a journal changes names")
    must(record.about["model"] == of.name, "a journal changes the title of its model")
    return [len(record.measured[name]) for name in record.names]


def table(of: Named) -> Any:
    found = []
    for source in (of.saved, of.journal):
        before = set(of.folder.iterdir())
        run_command("csv", str(source), "--output", str(of.folder / f"{source.stem}.csv"))
        for path in sorted(set(of.folder.iterdir()) - before):
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            must(len({len(row) for row in rows}) == 1, "a table has rows of several lengths")
            cells = [c for c in rows[0] if c[:1] in "=+-@\t\r" and c]
            must(not cells, f"a table has a heading that is a formula: {cells[:1]}")
            found.append((len(rows), len(rows[0])))
    must(len(found) == 3, f"{len(found)} tables in place of 3")
    return found


def pictures(of: Named) -> Any:
    drawn = 0
    for plot in (
        lambda: plots.plot_model(of.model, names=True),
        lambda: plots.plot_displacement(of.result, of.others[0]),
        lambda: plots.plot_element_loop(of.result, of.name),
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")
            plots.save(plot(), of.folder / f"picture-{drawn}.png")
            drawn += 1
    return drawn


def animation(of: Named) -> Any:
    path = of.folder / "moving.html"
    plots.animate(of.result, path, frames=2)
    return outline(path.read_text(encoding="utf-8"))


def monitor(of: Named) -> Any:
    from femu.monitor import Watch

    watch = Watch(of.journal)
    watch.refresh()
    printable(watch.state)
    if importlib.util.find_spec("bokeh") is None:
        return None
    from bokeh.document import Document

    from femu.monitor.page import Page

    document = Document()
    Page(watch, document).tick()
    texts = [t for t in texts_of(document.to_json()) if "<" in t]
    for text in texts:
        must(not re.search(r"\$\$|\\\(|\\\[", text), "the monitor takes a name for mathematics")
    return [[tag for tag in outline(text)] for text in texts]


def texts_of(data: Any) -> Iterator[str]:
    """The texts of the page's elements that are HTML."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "text" and isinstance(value, str):
                yield value
            else:
                yield from texts_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts_of(value)


def terminal(of: Named) -> Any:
    for words in (
        ("report", str(of.saved), "--output", str(of.folder / "t.html")),
        ("plot", str(of.saved), "model", "--output", str(of.folder / "t.png")),
        ("plot", str(of.journal), "timing", "--output", str(of.folder / "u.png")),
    ):
        run_command(*words)
    model = of.folder / "checked.py"
    of.model.to_toml(of.folder / "checked.toml")
    model.write_text(
        "from femu import Model\nfrom femu.analyses import eigen\n"
        f"model = Model.from_toml({str(of.folder / 'checked.toml')!r})\n"
        "print(model.name in (), len(model.nodes))\n",
        encoding="utf-8",
    )
    run_command("check", str(model), may_fail=True)
    printable(repr(of.model))
    printable(repr(of.result))
    printable(of.result.message)
    return None


def run_command(*words: str, may_fail: bool = False) -> str:
    """A command of femu in this process; what it prints is for a terminal."""
    from click.testing import CliRunner

    from femu.cli.main import main

    done = CliRunner().invoke(main, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    printable(done.output)
    must(may_fail or done.exit_code == 0, f"femu {words[0]} ends with {done.output[-300:]!r}")
    return done.output


DRAWN = (
    "report of a result",
    "report of a journal",
    "pictures",
    "animation",
    "monitor",
    "terminal",
)
"""Outputs that draw, which takes seconds a name."""
OUTPUTS: dict[str, Callable[[Named], Any]] = {
    "script": script,
    "TOML": toml,
    "report of a result": report_of_result,
    "report of a journal": report_of_journal,
    "notebook": notebook,
    "HDF5": hdf5,
    "journal": journal,
    "CSV": table,
    "pictures": pictures,
    "animation": animation,
    "monitor": monitor,
    "terminal": terminal,
}


def _through(
    name: str, wanted: dict[str, Any], outputs: dict[str, Callable[[Named], Any]]
) -> Tally:
    """One name through the outputs; ``wanted`` is what a harmless one gives."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as given, contextlib.chdir(given):
        folder = Path(given)
        try:
            named = Named(name, folder)
        except FemuError as refused:
            printable(str(refused))
            tally.inputs = 1
            return tally
        for output, write in outputs.items():
            try:
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("error", RuntimeWarning)
                    came = write(named)
                must(output not in wanted or came == wanted[output], "its parts are others")
                must(not list(folder.rglob(MARK)), "code in the name ran")
                tally.properties += 1
            except FemuError as refused:
                tally.inputs += 1
                tally.lines.append((f"{name[:20]!a}", f"{output}: refused: {str(refused)[:90]!a}"))
            except Exception as wrong:
                kind = "" if isinstance(wrong, Broken) else f"{type(wrong).__name__}: "
                tally.failures.append(f"{output}, {name[:30]!a}: {kind}{str(wrong)[:200]!a}")
    return tally


def run(quick: bool) -> Tally:
    os.environ.setdefault("MPLBACKEND", "agg")
    tally, wanted = Tally(), dict[str, Any]()
    warnings.filterwarnings("ignore", message="Glyph|constrained_layout")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        harmless = Named(HARMLESS, Path(folder))
        for output, write in OUTPUTS.items():
            wanted[output] = write(harmless)
    names = [n for k in KINDS.values() for n in (k[:: max(len(k) // 3, 1)] if quick else k)]
    fast = {name: write for name, write in OUTPUTS.items() if name not in DRAWN}
    refused = 0
    for k, name in enumerate(names):
        of = _through(name, wanted, fast if quick and k % 6 != 1 else OUTPUTS)
        refused += bool(of.inputs and not of.properties)
        tally.add(of)
    tally.lines = [
        ("names", str(len(names))),
        ("refused with a message", str(refused)),
        ("names through outputs", str(tally.properties)),
        ("refused by an output", str(tally.inputs - refused)),
        ("executed, raw, changed", str(len(tally.failures))),
    ]
    return tally
