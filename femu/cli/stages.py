"""Progress of a command in stages, from its first second, also while kernels are being compiled.

In a terminal it is one moving line; elsewhere (a log, a pipe) each stage is a printed line when it
begins.
"""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from femu.kernels.kernel_cache import on_compile


class Stages:
    """The stages of a command. It is also the progress object that analyses take."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.compiled = 0
        self._title = ""
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> Stages:
        self._bar.start()
        on_compile(self._compiling)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        on_compile(None)
        self._bar.stop()

    def begin(self, title: str) -> None:
        """Begin a stage whose length is not known."""
        self._title = title
        self._bar.reset(self._task, description=title, total=None)
        if not self.console.is_terminal:
            self.console.print(f"{title} ...")

    # --- what analyses call ---

    def start(self, title: str, total: int) -> None:
        self._bar.reset(self._task, description=self._title, total=total)

    def advance(self, done: int) -> None:
        self._bar.update(self._task, completed=done)

    def finish(self) -> None: ...

    # --- what the kernel cache calls ---

    def _compiling(self, name: str) -> None:
        if self.compiled == 0 and not self.console.is_terminal:
            self.console.print("compiling kernels for this machine, once ...")
        self.compiled += 1
        what = f"compiling kernel {self.compiled}, {name.removeprefix('femu.')} (only once)"
        self._bar.update(self._task, description=f"{self._title}: {what}")
