"""Which signals wait for the measurement under way: all, but for Ctrl-C a second time."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from femu.experimental import Ending, read_journal
from femu.experimental.safety.deferred_signals import FREE, WAITING, DeferredSignals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@pytest.mark.parametrize(
    "first, second",
    [
        ("SIGHUP", "SIGHUP"),
        ("SIGTERM", "SIGHUP"),
        ("SIGHUP", "SIGTERM"),
        ("SIGINT", "SIGTERM"),
        ("SIGTERM", "SIGINT"),
    ],
)
def test_the_sample_under_way_is_kept_whatever_two_signals_come(tmp_path, first, second):
    """A closed terminal sends SIGHUP twice: once by the system, once by its shell."""
    script = textwrap.dedent(f"""
        import os, signal, sys
        sys.path[:0] = {[os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__))]!r}
        import test_exchange
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        class Reported(test_exchange.Stone):
            def apply(self, command, time):
                measured = super().apply(command, time)
                if len(self.commands) == test_exchange.AT:
                    os.kill(os.getpid(), signal.{first})
                    os.kill(os.getpid(), signal.{second})
                return measured
        test_exchange.make(Reported()).run({str(tmp_path / "j.h5")!r})
    """)
    subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120)
    record = read_journal(tmp_path / "j.h5")
    assert len(record.measured["e"]) == len(record.command["e"]) == 12
    assert record.ending is Ending.STOPPED_BY_USER


def test_only_ctrl_c_after_ctrl_c_does_not_wait():
    shield = DeferredSignals()
    shield.level = WAITING
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        shield._heard(number, None)
    with pytest.raises(KeyboardInterrupt):
        shield._heard(signal.SIGINT, None)
    assert shield.number == signal.SIGTERM


def test_a_second_signal_does_not_disturb_what_the_first_has_ended():
    shield = DeferredSignals()
    assert shield.level == FREE
    with pytest.raises(KeyboardInterrupt):
        shield._heard(signal.SIGHUP, None)
    shield._heard(signal.SIGHUP, None)  # while the specimen is being held
    with pytest.raises(KeyboardInterrupt):
        shield.stop()
