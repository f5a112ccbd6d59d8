"""Ctrl-C ends a command of femu in one way: exit code 130, one line, no traceback, valid files.

While `femu` is still being imported there is nothing to keep. From then on the first Ctrl-C is a
KeyboardInterrupt as ever, which analyses, tests and batches answer; one that follows at once, as
when a key is held or a terminal and its parent both send it, waits until what was kept is written.
"""

from __future__ import annotations

import _thread
import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

STOPPED = 130
LATER = 0.02  # seconds
LONGEST_IMPORT = 20.0  # seconds that an import is waited for
LIBRARIES = {  # what femu imports
    "femu", "numpy", "scipy", "numba", "llvmlite", "h5py", "matplotlib", "mpl_toolkits", "rich",
    "click", "PIL", "bokeh", "tornado", "IPython",
}  # fmt: skip
_DROPPED, _RAISED = [-math.inf], [-math.inf]  # when that was last
ENDING = 30.0  # seconds that a command takes at most to end
TOGETHER = 3.0  # seconds within which a further Ctrl-C is the same wish
IMPORTING = b"femu: stopped by the user before anything was done.\n"


def while_importing() -> None:
    """Let Ctrl-C end the command `femu` without a traceback while its modules are imported."""
    if os.path.basename(sys.argv[0] if sys.argv else "").removesuffix(".exe") != "femu":
        return  # a script or a session of the user's: Python's own way
    before = sys.excepthook

    def hook(
        kind: type[BaseException], problem: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            with contextlib.suppress(OSError):
                os.write(2, IMPORTING)
            os._exit(STOPPED)
        before(kind, problem, trace)

    sys.excepthook = hook


class _Heard:
    """The handler of Ctrl-C while a command runs.

    A library that is being imported is imported to its end first: one that was left in its middle
    cannot be imported again, and what is to be kept may need it.
    """

    def __init__(self) -> None:
        self.last, self._since = -TOGETHER, math.inf
        self._over, self._sending = False, _thread.allocate_lock()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self.last < TOGETHER:
            return
        self._since = min(self._since, now)
        if now - self._since < LONGEST_IMPORT and _is_importing(frame):
            # not of threading: the signal may have come while it held its lock
            _thread.start_new_thread(self._again, ())
            return
        self.last, self._since = now, math.inf
        _RAISED[0] = now
        raise KeyboardInterrupt

    def _again(self) -> None:
        with self._sending:
            time.sleep(LATER)
            if not self._over:
                _thread.interrupt_main()

    def close(self) -> None:
        """Send nothing any more, and wait for what is under way: no thread must be left when Python
        ends."""
        self._over = True
        if self._sending.acquire(timeout=1.0):
            self._sending.release()


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module of a library is being run to import it."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if frame.f_code.co_name == "<module>" and name != "__main__":
            package = str(name).partition(".")[0]
            if package in LIBRARIES or package in sys.stdlib_module_names:
                return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Ctrl-C as said above, in the main thread of a command; once the command is over there is
    nothing to stop."""
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    handler = _Heard()
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        # Python is about to end: an exception would be shown with a traceback, and a handler of
        # Python's is taken out before the end
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        handler.close()


def dropped() -> None:
    """Ctrl-C came where Python could not hand it on; it is sent again."""
    _DROPPED[0] = time.monotonic()
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Heard):
        handler.last = -TOGETHER


def forget_dropped() -> None:
    """A command begins: what came before is not its own."""
    _DROPPED[0] = -math.inf


def was_dropped() -> bool:
    """Whether that was a moment ago: what was under way then may fail in any way."""
    return time.monotonic() - _DROPPED[0] < TOGETHER


def is_ending() -> bool:
    """Whether a command is about to end by Ctrl-C: objects that it has met half made cannot be
    tidied up, which is no error to show."""
    return time.monotonic() - _RAISED[0] < ENDING


def is_ours_or_pythons(handler: Any) -> bool:
    """Whether a handler of Ctrl-C raises KeyboardInterrupt and nobody else has asked for it."""
    return handler is signal.default_int_handler or isinstance(handler, _Heard)


while_importing()
