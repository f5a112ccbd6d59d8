"""Progress of an analysis."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from femu.results.outcome import FailedAnalysis, Outcome, are_failures_handled, stopped
from femu.support.printable import printable
from femu.support.users_line import warn

UPDATES_PER_SECOND = 10.0  # of a notebook's bar: more would only slow the browser


class Progress(Protocol):
    """What an analysis reports while it runs. Any object with these three methods will do."""

    def start(self, title: str, total: int) -> None: ...

    def advance(self, done: int) -> None: ...

    def finish(self) -> None: ...


class Ambience:
    """What surrounds the analyses of a script.

    A progress for those that were given none, who sees results, who sees findings.
    """

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self.seen: Callable[[Any], None] | None = None
        # whether an analysis failed whose caller did not say that it handles failures
        self.failed = False
        self.found: Callable[[str, Any], None] | None = None

    def tell(self, result: Any) -> None:
        """A result was made. One that failed is a warning at the user's line, unless its caller
        handles failures.

        One that the user stopped is the ``result`` of the KeyboardInterrupt that is raised.
        """
        if self.seen is not None:
            self.seen(result)
        if result.outcome.failed and not are_failures_handled():
            self.failed = True
            warn(FailedAnalysis(str(result), result))
        # Ctrl-C ends the script too, not this analysis alone
        if result.outcome is Outcome.STOPPED_BY_USER:
            raise stopped(result.message, result)


AMBIENCE = Ambience()
"""Set by `femu run` and `femu check` while they run a script."""


class ProgressBar:
    """A bar in the terminal, or below the cell of a notebook. It is gone when the analysis ends."""

    def __init__(self) -> None:
        self._bar: Progress = _NotebookBar() if in_notebook() else _TerminalBar()

    def start(self, title: str, total: int) -> None:
        self._bar.start(title, total)

    def advance(self, done: int) -> None:
        self._bar.advance(done)

    def finish(self) -> None:
        self._bar.finish()


class _TerminalBar:
    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def start(self, title: str, total: int) -> None:
        from rich.markup import escape
        from rich.progress import Progress as Bar

        self._bar = Bar(transient=True)
        self._bar.start()
        self._task = self._bar.add_task(escape(printable(title)), total=total)

    def advance(self, done: int) -> None:
        self._bar.update(self._task, completed=done)

    def finish(self) -> None:
        self._bar.stop()


class _NotebookBar:
    """A bar by IPython's display alone.

    Rich would need ipywidgets and its extension in the browser.
    """

    def __init__(self) -> None:
        self._handle: Any = None
        self._title, self._total, self._began, self._shown = "", 1, 0.0, 0.0

    def start(self, title: str, total: int) -> None:
        from IPython.display import HTML, display

        self._title, self._total, self._began, self._shown = (
            title,
            max(total, 1),
            time.monotonic(),
            0.0,
        )
        self._handle = display(HTML(self._markup(0)), display_id=True)

    def advance(self, done: int) -> None:
        now = time.monotonic()
        if now - self._shown >= 1.0 / UPDATES_PER_SECOND:
            self._shown = now
            self._show(self._markup(done))

    def finish(self) -> None:
        self._show("")

    def _show(self, markup: str) -> None:
        from IPython.display import HTML

        if self._handle is not None:
            self._handle.update(HTML(markup))

    def _markup(self, done: int) -> str:
        passed = time.monotonic() - self._began
        return (
            f'<div>{html.escape(self._title)} <progress value="{done}" '
            f'max="{self._total}"></progress> {100 * done / self._total:.0f} %, {passed:.0f} '
            "s</div>"
        )


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and getattr(running, "kernel", None) is not None
