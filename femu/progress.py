"""Progress of an analysis."""

from __future__ import annotations

from typing import Any, Protocol


class Progress(Protocol):
    """What an analysis tells while it runs. Any object with these three methods will do."""

    def start(self, title: str, total: int) -> None: ...

    def advance(self, done: int) -> None: ...

    def finish(self) -> None: ...


class ProgressBar:
    """A bar in the terminal, or in a notebook."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def start(self, title: str, total: int) -> None:
        from rich.progress import Progress as Bar

        self._bar = Bar(transient=True)
        self._bar.start()
        self._task = self._bar.add_task(title, total=total)

    def advance(self, done: int) -> None:
        self._bar.update(self._task, completed=done)

    def finish(self) -> None:
        self._bar.stop()
