"""Ctrl-C while LLVM calls Python: ctypes drops the exception, and it must be heard all the same."""

import subprocess
import sys

import pytest

SCRIPT = """
import ctypes, signal, sys, time

signal.signal(signal.SIGINT, {handler})
import femu.kernels

@ctypes.CFUNCTYPE(None)
def called_by_llvm():
    signal.raise_signal(signal.SIGINT)
    for _ in range(10):
        pass

try:
    called_by_llvm()
    print("dropped", flush=True)
    for _ in range(int(1000 * {seconds})):
        time.sleep(0.001)
    print("went on", flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "handler, seconds, said",
    [
        ("signal.default_int_handler", 60.0, ["dropped", "stopped"]),
        ("lambda *_: 1 / 0", 0.2, ["dropped", "went on"]),
    ],
    ids=["python's", "somebody else's"],
)
def test_a_dropped_interrupt_is_sent_again(handler: str, seconds: float, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(handler=handler, seconds=seconds)],
        capture_output=True,
        text=True,
        timeout=120.0,
    )
    assert done.stdout.split("\n")[:-1] == said, done.stderr
    assert ("ZeroDivisionError" in done.stderr) == ("1 / 0" in handler)
    assert "KeyboardInterrupt" not in done.stderr
