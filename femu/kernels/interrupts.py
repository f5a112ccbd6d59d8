"""Ctrl-C that comes while LLVM compiles a kernel or reads it from the cache.

LLVM calls Python functions then, and an exception in one of them cannot be handed on: ctypes prints
it and drops it, and the program would continue as if nobody had pressed the keys. The same happens in
Python's finalizers. Such an interrupt is sent again a moment later, until it is handled.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from typing import Any

from femu.support.stopping import dropped, is_ending, is_ours_or_pythons

LATER = 0.05  # seconds


def hear_dropped_interrupts() -> None:
    """Send Ctrl-C again if Python could not hand it on; every other error is shown as before."""
    shown = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            dropped()
            again = threading.Timer(LATER, _again)
            again.daemon = True
            again.start()
        elif not is_ending():
            shown(unraisable)

    sys.unraisablehook = hook


def _again() -> None:
    # a handler of somebody else has handled it, though its exception was dropped
    if is_ours_or_pythons(signal.getsignal(signal.SIGINT)):
        _thread.interrupt_main()
