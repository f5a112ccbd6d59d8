"""Progress of a batch: rate, time left and failures so far, as one moving line, or as occasional
lines in a log."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

LOG_SECONDS = 10.0  # between two lines if the output is not a terminal


class BatchBar:
    """Shows a batch on a console."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar = Progress(
            TextColumn("runs"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._total = self._before = 0
        self._began = self._said = 0.0

    def start(self, total: int, done: int) -> None:
        self._total, self._before = total, done
        self._began = self._said = time.monotonic()
        self._task = self._bar.add_task("", total=total, completed=done, words="")
        self._bar.start()
        if done:
            self.console.print(f"{done} of {total} runs are already in the file.")

    def advance(self, done: int, failures: int) -> None:
        now = time.monotonic()
        words = self.words(done, failures, now - self._began)
        self._bar.update(self._task, completed=done, words=words)
        if not self.console.is_terminal and now - self._said > LOG_SECONDS:
            self._said = now
            self.console.print(f"{done} of {self._total} runs, {words}")

    def words(self, done: int, failures: int, seconds: float) -> str:
        """Rate, time left and failures."""
        rate = (done - self._before) / max(seconds, 1e-9)
        left = (self._total - done) / rate if rate > 0.0 else float("inf")
        shown = (
            f"{left:.0f} s"
            if left < 120.0
            else f"{left / 60.0:.0f} min"
            if left < 7200.0
            else f"{left / 3600.0:.1f} h"
        )
        return f"{rate:.3g} per second, {shown} left, {failures} failed"

    def finish(self) -> None:
        self._bar.stop()
