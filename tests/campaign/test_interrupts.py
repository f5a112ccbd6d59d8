"""Some Ctrl-C; `python -m tests.campaign interrupts` presses it 320 times."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import pytest

from femu.support import stopping
from tests.campaign import interrupts

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")


@posix
@pytest.mark.parametrize("name", ["imports", "server"])
def test_a_command_ends_in_one_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(interrupts.ROUNDS, True, 2)
    tally = interrupts.run(True, (name,))
    assert not tally.failures and tally.survived == tally.faults == 2


@posix
def test_a_module_that_is_interrupted_when_femu_imports_it(tmp_path: Path) -> None:
    """Before any command runs: an interrupt in the middle of an import of femu itself."""
    code = (
        "import sys; sys.argv[0] = 'femu'\nimport femu.support.stopping\nraise KeyboardInterrupt\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, cwd=tmp_path)
    assert done.returncode == stopping.STOPPED
    assert done.stderr == stopping.IMPORTING


def _frame(name: str) -> types.FrameType:
    """A frame in the body of a module."""
    found: list[types.FrameType] = []
    space = {"__name__": name, "note": lambda: found.append(sys._getframe(1))}
    exec(compile("note()", f"{name}.py", "exec"), space)
    return found[0]


def test_a_library_is_imported_to_its_end_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was left in its middle cannot be imported again."""
    sent: list[float] = []
    monkeypatch.setattr(
        _thread, "interrupt_main", lambda: sent.append(time.monotonic()) or came.set()
    )
    heard, came = stopping._Heard(), threading.Event()
    heard(signal.SIGINT, _frame("scipy.ndimage"))
    assert came.wait(20.0) and len(sent) == 1
    with pytest.raises(KeyboardInterrupt):
        heard(signal.SIGINT, _frame("of_the_user"))
    heard(signal.SIGINT, _frame("of_the_user"))  # at once again: the same wish
    monkeypatch.setattr(signal, "getsignal", lambda number: heard)
    stopping.dropped()  # but Python could not hand the first one on
    assert stopping.was_dropped()
    with pytest.raises(KeyboardInterrupt):
        heard(signal.SIGINT, _frame("of_the_user"))
    late = stopping._Heard()
    monkeypatch.setattr(stopping, "LONGEST_IMPORT", 0.0)
    with pytest.raises(KeyboardInterrupt):
        late(signal.SIGINT, _frame("scipy.ndimage"))


def test_what_ctrl_c_met_half_made_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """llvmlite cannot tidy up an object whose making was interrupted."""
    from femu.kernels import interrupts as of_kernels

    shown: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: shown.append(what.exc_type.__name__))
    monkeypatch.setattr(stopping, "_RAISED", [-1e9])
    of_kernels.hear_dropped_interrupts()
    half_made = types.SimpleNamespace(exc_type=AttributeError)
    sys.unraisablehook(half_made)  # type: ignore[arg-type]
    assert shown == ["AttributeError"]
    monkeypatch.setattr(stopping, "_RAISED", [time.monotonic()])
    sys.unraisablehook(half_made)  # type: ignore[arg-type]
    assert shown == ["AttributeError"]
