"""Signals wait while a measurement is under way.

Ctrl-C, a request to end (SIGTERM) and a lost terminal (SIGHUP) can come between a command and its
measurement. The sample would then be lost, and a specimen cannot be measured twice. So in a test
each of them waits until the sample is in the journal. Ctrl-C a second time does not wait for a
specimen that does not answer. No other signal does that: a terminal that is closed sends SIGHUP
twice, once by the system and once by its shell.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType
from typing import Any

from femu.support.stopping import is_ours_or_pythons

FREE, WAITING, WRITING = range(3)
"""Nothing is under way; a specimen is waited for; what it answered is being written."""
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
NOTICE = b"\nfemu: stopping as soon as the measurement under way is in the journal. Ctrl-C again does not wait for it.\n"
_STDERR = 2


class DeferredSignals:
    """Turns signals into a KeyboardInterrupt at moments when nothing can be lost.

    As a context it hears the signals that nobody else has asked for, in the main thread; without
    it, it does nothing. On leaving, a signal that ends programs ends this one as it would have, and
    so does one that was not `answered`.
    """

    def __init__(self) -> None:
        self.level = FREE
        self.number = 0
        """The first signal that has come; 0 if none has."""
        self.answered = False
        """Whether the test has ended because of it, and says so."""
        self._by_hand = False  # whether Ctrl-C has come
        self._before: dict[int, Any] = {}

    def __enter__(self) -> DeferredSignals:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if handler is signal.SIG_DFL or is_ours_or_pythons(handler):
                    self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        had_handlers = bool(self._before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        if had_handlers and self.number and not (self.answered and self.number == signal.SIGINT):
            signal.raise_signal(self.number)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        first, self.number = self.number == 0, self.number or number
        by_hand = number == signal.SIGINT
        again, self._by_hand = by_hand and self._by_hand, by_hand or self._by_hand
        if (self.level == FREE and (first or by_hand)) or (self.level == WAITING and again):
            raise KeyboardInterrupt
        if first:
            with contextlib.suppress(OSError):
                os.write(_STDERR, NOTICE)  # print could be under way at this very moment

    def stop(self) -> None:
        """Raise the KeyboardInterrupt that had to wait, if there is one."""
        if self.number:
            raise KeyboardInterrupt


NOT_DEFERRED = DeferredSignals()
"""Where nobody hears signals: outside of a test."""
