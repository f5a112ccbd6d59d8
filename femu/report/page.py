"""An HTML page that holds everything it shows.

Text, tables, and pictures as data. It needs no network and prints well.
"""

from __future__ import annotations

import base64
import datetime
import html
import io
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from os import PathLike
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from femu.plots.style import axes, short, style
from femu.support.errors import FemuError
from femu.support.printable import printable
from femu.support.version import VERSION
from femu.support.whole_file import write_text

LARGEST_DRAWING = 600_000  # bytes of SVG; a larger picture is put in as PNG
PNG_DOTS_PER_INCH = 200
PIXELS_PER_INCH = 96  # as in browsers
PAGE_INCHES = 9.2  # width of a picture across the page
MOST_ROWS = 40  # of a table
Cell = Any


def text(value: Cell) -> str:
    """A value as it appears in a cell or a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) or hasattr(value, "dtype"):
        return short(float(value))
    return str(value)


class Page:
    """A page that grows section by section."""

    def __init__(self, what: str, title: str, lead: str) -> None:
        self.what, self.title, self.lead = what, title, lead
        self._body: list[str] = []
        self._sections: list[str] = []
        self._figures = self._tables = 0
        self.row_open: list[str] | None = None
        self.problems: list[str] = []

    def section(self, title: str) -> None:
        """Begin a section."""
        self._sections.append(title)
        number = len(self._sections)
        self.add(
            f'<h2 id="s{number}"><span class="number">{number}</span>{html.escape(title)}</h2>'
        )

    def heading(self, title: str) -> None:
        """Begin a part of a section."""
        self.add(f"<h3>{html.escape(title)}</h3>")

    def paragraph(self, words: str) -> None:
        """Add a paragraph of plain text."""
        self.add(f"<p>{html.escape(words)}</p>")

    def outcome(self, good: bool, word: str, sentence: str) -> None:
        """Add the outcome."""
        self.add(
            f'<p><span class="outcome {"good" if good else "bad"}">{html.escape(word)}</span> '
            f"{html.escape(sentence)}</p>"
        )

    def facts(self, facts: Iterable[tuple[str, Cell, str]]) -> None:
        """Add the main numbers: name, value, unit."""
        boxes = []
        for name, value, unit in facts:
            number = html.escape(text(value)) + (f"&#8239;{html.escape(unit)}" if unit else "")
            boxes.append(f"<div><b>{number}</b><span>{html.escape(name)}</span></div>")
        self.add(f'<div class="facts">{"".join(boxes)}</div>')

    def table(self, caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        """Add a table; numbers are set to the right."""
        given = [list(row) for row in rows]
        if not given:
            return
        shown = given[:MOST_ROWS]
        right = [
            all(
                (isinstance(row[c], (int, float)) and not isinstance(row[c], bool))
                or row[c] == ""
                or hasattr(row[c], "dtype")
                for row in shown
            )
            for c in range(len(heads))
        ]
        self._tables += 1
        mark = [' class="number"' if r else "" for r in right]
        head = "".join(f"<th{m}>{html.escape(h)}</th>" for m, h in zip(mark, heads, strict=True))
        body = "".join(
            "<tr>"
            + "".join(
                f"<td{m}>{html.escape(text(cell))}</td>" for m, cell in zip(mark, row, strict=True)
            )
            + "</tr>"
            for row in shown
        )
        left = f" The first {MOST_ROWS} of {len(given)}." if len(given) > MOST_ROWS else ""
        self.add(
            f'<div class="wide"><p class="caption"><b>Table {self._tables}.</b> '
            f"{html.escape(caption)}{left}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def notes(self, notes: Iterable[tuple[str, str]]) -> None:
        """Add a list of (kind, sentence)."""
        items = "".join(
            f'<li class="{html.escape(kind)}"><b>{html.escape(kind)}</b> {html.escape(words)}</li>'
            for kind, words in notes
        )
        if items:
            self.add(f'<ul class="notes">{items}</ul>')

    def figure(self, draw: Callable[[], Axes], caption: str) -> bool:
        """Add a picture; one that cannot be drawn is listed at the end instead of failing the
        page."""
        try:
            ax = draw()
        except FemuError as problem:
            self.problems.append(f"{caption.split('.')[0]}: {problem}")
            return False
        self._figures += 1
        self.add(
            f'<figure><img alt="{html.escape(caption, quote=True)}" '
            f"{picture(ax)}><figcaption><b>Figure {self._figures}.</b> "
            f"{html.escape(caption)}</figcaption></figure>"
        )
        return True

    def side_by_side(self) -> _Row:
        """Pictures added in this context are placed next to each other if there is room."""
        return _Row(self)

    def piece(self, markup: str) -> None:
        """Add markup as it is."""
        self.add(markup)

    def details(self, summary: str, content: str) -> None:
        """Add a text that opens on a click, such as a file."""
        self.add(
            f"<details><summary>{html.escape(summary)}</summary><pre>{html.escape(content)}</pre></details>"
        )

    def html(self) -> str:
        """The whole page."""
        css = (resources.files("femu.report") / "data" / "page.css").read_text(encoding="utf-8")
        links = "".join(
            f'<a href="#s{k}">{k}&ensp;{html.escape(title)}</a>'
            for k, title in enumerate(self._sections, start=1)
        )
        made = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta '
            'name="generator" content="femu">\n'
            f"<title>{html.escape(self.title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n"
            f'<header><p class="what">{html.escape(self.what)}</p><h1>{html.escape(self.title)}</h1>'
            f'<p class="lead">{html.escape(self.lead)}</p></header>\n<nav>{links}</nav>\n'
            + "\n".join(self._body)
            + f"\n<footer>Written by femu {VERSION} on {made}.</footer>\n</body>\n</html>\n"
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the page."""
        write_text(path, printable(self.html()))

    def add(self, markup: str) -> None:
        (self._body if self.row_open is None else self.row_open).append(markup)


class _Row:
    def __init__(self, page: Page) -> None:
        self.page = page

    def __enter__(self) -> None:
        self.page.row_open = []

    def __exit__(self, *_: object) -> None:
        inside, self.page.row_open = self.page.row_open or [], None
        if inside:
            self.page.add(f'<div class="row">{"".join(inside)}</div>')


def wide(height: float = 2.3) -> Axes:
    """New axes as wide as the page."""
    return axes(None, PAGE_INCHES, height)


def picture(ax: Axes) -> str:
    """The picture that axes belong to, as the attributes of an image that holds its own data."""
    drawn = ax.get_figure()
    assert isinstance(drawn, Figure)
    with style():
        engine = drawn.get_layout_engine()
        if engine is not None:  # once, instead of twice for each time it is drawn
            engine.execute(drawn)
            drawn.set_layout_engine("none")
        stream = io.BytesIO()
        drawn.savefig(stream, format="svg", metadata={"Date": None})
        data, kind = stream.getvalue(), "svg+xml"
        if len(data) > LARGEST_DRAWING:
            stream = io.BytesIO()
            drawn.savefig(stream, format="png", dpi=PNG_DOTS_PER_INCH)
            data, kind = stream.getvalue(), "png"
    width = round(PIXELS_PER_INCH * drawn.get_figwidth())
    return f'width="{width}" src="data:image/{kind};base64,{base64.b64encode(data).decode()}"'
